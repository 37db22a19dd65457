"""Tokenizers of PyPI's package, and what they make of lines of many scripts. tokenizers.sh has luth do the same.

tokenizers_peer.py FOLDER LINES [FILE...]   writes lines.json, <name>.json and <name>.peer; TOKENS=1000 ONLY='gpt2 t5' makes
                                            smaller ones, as tests/data/tokenizers has them
A line of <name>.peer is: numbers of tokens, where they are in the line in bytes, the text that they decode to in hex.
"""
import glob, json, os, random, sys, unicodedata
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

folder, count = sys.argv[1], int(sys.argv[2])
draw = random.Random(17)
TOKENS = int(os.environ.get('TOKENS', 1500))
ALPHABETS = {
    'latin': 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 'accents': 'àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœŒŠšŽžĀāİıŁłǅǆ',
    'greek': 'αβγδεζηθικλμνξοπρσςτυφχψωΑΒΓΔΘΛΞΠΣΦΨΩάέήίόύώϊΐ', 'cyrillic': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЁёЇїЎў',
    'hebrew': 'אבגדהוזחטיכלמנסעפצקרשתםןץףךְִֵָֹּ', 'arabic': 'ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىًٌٍَُِّْ٠١٢٣٤٥',
    'devanagari': 'कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंःँ०१२३', 'thai': 'กขคงจฉชซดตถทธนบปผฝพฟภมยรลวศสหอฮะาำิีึืุูเแโใไ่้๊๋',
    'hangul': '한국어말글은빠르게읽는다가나라마바사아자차카타파하각난돌', 'jamo': 'ᄀᄁ나ᅢᅣᆨᆩᆪ', 'kana': 'あいうえおかきくけこさしすせそアイウエオガギグバパポｱｲｳｶﾞ',
    'chinese': '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度',
    'marks': ' \u0301\u0308\u0327\u0323\u0345\u20d0', 'spaces': '\t\u00a0\u2003\u3000\u200b\u2028\u205f', 'digits': '0123456789²³½Ⅷ①٣',
    'signs': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~¡¿«»–—“”‘’…€£¥§©®™°±×÷→∀∑√', 'emoji': ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🇩🇪', '❤️', '🏴‍☠️', '🤷🏾‍♂️', '1️⃣'],
    'compatible': 'ﬁﬂﬀⅣ①㎏㍿ｆｕｌｌ：／＃Åﷺ', 'controls': '\u0000\u0007\u001b\u007f\u0085\u00ad\ufeff\ufffd\ue000',
}
SPECIAL = ['[CLS]', '[SEP]', '<|endoftext|>', '<extra>', 'WORD']
# Characters that all versions of Unicode in use know alike: what has been assigned since 2016 differs between tables.
OLD = [c for c in range(0x20, 0x2fa1e) if not 0xd800 <= c < 0xe000 and unicodedata.ucd_3_2_0.category(chr(c)) != 'Cn']


def word(kind):
    letters = ALPHABETS[kind]
    return ''.join(draw.choice(letters) for _ in range(draw.randint(1, 9)))


def line():
    if draw.random() < 0.15:
        return ''.join(chr(draw.choice(OLD)) for _ in range(draw.randint(0, 40))), False
    parts = []
    for _ in range(draw.randint(1, 14)):
        parts.append(word(draw.choice(list(ALPHABETS))) if draw.random() < 0.95 else draw.choice(SPECIAL))
        parts.append(draw.choice([' ', ' ', ' ', ' ', '', '  ', "'s ", ', ', '. ', "'ll ", ' 12', '\t']))
    return ''.join(parts), True


def real_lines(n):
    found = []
    paths = sys.argv[3:] if 'TOKENS' in os.environ else sys.argv[3:] + sorted(glob.glob('/usr/share/doc/*/copyright') + glob.glob('/usr/share/doc/*/README*'))
    for path in paths:
        if path.endswith('.gz'):
            continue
        try:
            found += [l.rstrip('\n') for l in open(path, encoding='utf-8') if l.strip()][:n]
        except (OSError, UnicodeDecodeError):
            continue
        if len(found) > 4 * n:
            break
    return draw.sample(found, min(n, len(found)))


def byte_level(**more):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(**more)
    t.decoder = decoders.ByteLevel()
    return t, trainers.BpeTrainer(vocab_size=TOKENS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=['<|endoftext|>'], show_progress=False)


def with_(made, **parts):
    t, trainer = made
    for name, part in parts.items():
        setattr(t, name, part)
    return t, trainer


def word_piece(**more):
    special = ['[UNK]', '[CLS]', '[SEP]', '[PAD]']
    t = Tokenizer(models.WordPiece(unk_token='[UNK]'))
    t.normalizer = normalizers.BertNormalizer(**more)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    return t, trainers.WordPieceTrainer(vocab_size=TOKENS, special_tokens=special, show_progress=False)


def unigram(normalizer, scheme='always', fallback=False):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    t.decoder = decoders.Metaspace(prepend_scheme=scheme)
    return t, trainers.UnigramTrainer(vocab_size=TOKENS, special_tokens=['<unk>', '<extra>'], unk_token='<unk>', show_progress=False)


def bpe(pre, normalizer=None, decoder=None, trainer={}, **model):
    t = Tokenizer(models.BPE(unk_token='<unk>', **model))
    t.pre_tokenizer, t.normalizer = pre, normalizer
    if decoder:
        t.decoder = decoder
    return t, trainers.BpeTrainer(vocab_size=TOKENS, special_tokens=['<unk>'], show_progress=False, **trainer)


LLAMA = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def made():
    P, N, D = pre_tokenizers, normalizers, decoders
    yield 'gpt2', byte_level(add_prefix_space=False)
    yield 'roberta', with_(byte_level(add_prefix_space=True), post_processor=processors.RobertaProcessing(('[SEP]', 2), ('[CLS]', 0)))
    yield 'trimmed', with_(byte_level(add_prefix_space=True), post_processor=processors.ByteLevel(trim_offsets=True), normalizer=N.NFC())
    split = P.Sequence([P.Split(Regex(LLAMA), behavior='isolated'), P.ByteLevel(add_prefix_space=False, use_regex=False)])
    yield 'llama3', with_(byte_level(), pre_tokenizer=split)
    yield 'bert', with_(word_piece(), post_processor=processors.BertProcessing(('[SEP]', 2), ('[CLS]', 1)))
    yield 'bert_cased', with_(word_piece(lowercase=False), post_processor=processors.TemplateProcessing(
        single='[CLS] $A [SEP]', pair='[CLS] $A [SEP] $B:1 [SEP]:1', special_tokens=[('[CLS]', 1), ('[SEP]', 2)]))
    yield 'bert_plain', word_piece(clean_text=False, handle_chinese_chars=False, strip_accents=True)
    yield 't5', unigram(N.Sequence([N.NFKC(), N.Replace(Regex(' {2,}'), ' ')]))
    yield 'unigram_first', unigram(N.Sequence([N.Nmt(), N.NFKD(), N.Lowercase(), N.StripAccents()]), 'first')
    yield 'sentencepiece', bpe(None, N.Sequence([N.Prepend('▁'), N.Replace(' ', '▁')]), trainer={'initial_alphabet': []},
                               decoder=D.Sequence([D.Replace('▁', ' '), D.ByteFallback(), D.Fuse(), D.Strip(' ', 1, 0)]), fuse_unk=True, byte_fallback=True)
    yield 'suffix', bpe(P.Whitespace(), N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase()]), D.BPEDecoder(suffix='</w>'),
                        trainer={'end_of_word_suffix': '</w>'}, end_of_word_suffix='</w>')
    yield 'punctuation', bpe(P.Sequence([P.WhitespaceSplit(), P.Punctuation('merged_with_previous'), P.Digits(individual_digits=True)]),
                             N.Strip(), trainer={'limit_alphabet': 300, 'max_token_length': 6})
    yield 'digits', bpe(P.Sequence([P.Digits(), P.CharDelimiterSplit(' '), P.Split(Regex(r'\w+'), 'removed', invert=True)]), N.NFKC())
    yield 'merged', bpe(P.Split('e', 'merged_with_next'), fuse_unk=True)
    t = Tokenizer(models.WordLevel(unk_token='[UNK]'))
    t.pre_tokenizer = P.Whitespace()
    yield 'words', (t, trainers.WordLevelTrainer(vocab_size=TOKENS, special_tokens=['[UNK]'], show_progress=False))


def in_bytes(text, offsets):
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    return ' '.join(f'{at[a]} {at[b]}' for a, b in offsets)


lines = real_lines(count // 2)
examples = lines[::5]
while len(lines) < count:
    text, plain = line()
    if '\n' not in text:
        lines.append(text)
        if plain and len(lines) % 5 == 0:
            examples.append(text)
json.dump(lines, open(f'{folder}/lines.json', 'w'))
for name, (t, trainer) in made():
    if name not in os.environ.get('ONLY', name).split():
        continue
    t.train_from_iterator(examples, trainer)
    t.add_tokens([AddedToken('WORD', single_word=True, normalized=False), AddedToken('<extra>', lstrip=True, rstrip=True)])
    t.add_special_tokens(['[SEP]', '[CLS]'])
    t.save(f'{folder}/{name}.json', pretty='TOKENS' not in os.environ)
    t = Tokenizer.from_file(f'{folder}/{name}.json')  # it does not keep all that a tokenizer in memory knows
    with open(f'{folder}/{name}.peer', 'w') as out:
        for text, e in zip(lines, t.encode_batch(lines)):
            out.write(' '.join(map(str, e.ids)) + '\t' + in_bytes(text, e.offsets) + '\t' + t.decode(e.ids).encode().hex() + '\n')
