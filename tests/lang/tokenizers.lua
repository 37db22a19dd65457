-- Tokenizers: as PyPI's package has them (tests/data/tokenizers), lengths, added tokens, training, and files that are none.
local native = require 'luth.native'
local here = os.getenv 'LUTH_SOURCE' .. '/tests/data/tokenizers/'
local Tokenizer = data.Tokenizer
local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
local function ids(t, text) return table.concat(t:ids(text):tolist(), ' ') end
local function refused(words, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok, 'not refused: ' .. words)
  assert(tostring(why):find(words, 1, true), ("'%s' does not say '%s'"):format(why, words))
end

-- ---- the package's own results ----
local lines = native.json_decode(io.open(here .. 'lines.json'):read 'a')
for _, name in ipairs { 'gpt2', 'llama3', 'bert', 't5', 'sentencepiece' } do
  local t, i = Tokenizer.from_file(here .. name .. '.json'), 0
  local again = Tokenizer.from_str(t:to_str { pretty = true })
  local batch = t:encode_batch(lines)
  for line in io.lines(here .. name .. '.peer') do
    i = i + 1
    local e = batch[i]
    local at = e.offsets:clone()
    at:select(2, 1):sub_(1)
    local own = ('%s\t%s\t%s'):format(table.concat((e.ids - 1):tolist(), ' '), table.concat(at:flatten():tolist(), ' '), hex(t:decode(e)))
    assert(own == line, name .. ', line ' .. i .. ':\n' .. own .. '\n' .. line)
    assert(ids(again, lines[i]) == table.concat(t:encode(lines[i], { add_special_tokens = false }).ids:tolist(), ' '), name)
  end
  assert(i == #lines)
end

-- ---- what an encoding has ----
local bert = Tokenizer.from_file(here .. 'bert.json')
local e = bert:encode('the WORD', 'is it')
assert(e.tokens[1] == '[CLS]' and e.tokens[#e.tokens] == '[SEP]' and #e.tokens == #e.ids)
assert(e.type_ids[1]:item() == 0 and e.type_ids[#e.ids]:item() == 1 and e.special_tokens_mask[1]:item() == 1)
assert(e.word_ids[1]:item() == 0 and e.word_ids[2]:item() == 1 and e.attention_mask:sum():item() == #e.ids)
local text = 'naïve 😀 café'
local cased = Tokenizer.from_file(here .. 'gpt2.json')
local c = cased:encode(text)
for i, token in ipairs(c.tokens) do
  local from, to = table.unpack(c.offsets[i]:tolist())
  assert(from >= 1 and to <= #text and #text:sub(from, to) >= 1, token)
end
assert(cased:decode(c) == text and cased:decode(c.ids:tolist()) == text and cased:decode_batch { c.ids }[1] == text)
assert(bert:decode(bert:encode 'the'.ids, { skip_special_tokens = false }) == '[CLS] the [SEP]')
assert(bert:id_to_token(bert:token_to_id '[SEP]') == '[SEP]' and bert:token_to_id 'no such' == nil and bert:id_to_token(0) == nil)
assert(bert:get_vocab()['[SEP]'] == bert:token_to_id '[SEP]' and bert:get_vocab_size() <= #bert)
assert(#bert:encode('\u{ad}').ids == 2 and #bert:encode('\u{383}').ids == 3)  -- left out; not yet in Unicode, so unknown
assert(#bert:encode('').ids == 2 and #cased:encode('').ids == 0 and bert:decode {} == '')

-- ---- lengths ----
bert:enable_truncation(5)
assert(#bert:encode 'the quick brown fox jumps'.ids == 5 and #bert:encode('the quick brown', 'fox jumps over').ids == 5)
bert:enable_truncation(5, { direction = 'left' })
bert:enable_padding { pad_token = '[PAD]', direction = 'left' }
local both = bert:encode_batch { 'the', 'to be or not to be' }
assert(#both[1].ids == 5 and both[1].attention_mask[1]:item() == 0 and both[1].tokens[1] == '[PAD]' and both[1].ids[1]:item() == bert:token_to_id '[PAD]')
local kept = Tokenizer.from_str(bert:to_str())
assert(#kept:encode_batch({ 'the', 'to be or not to be' })[1].ids == 5)
bert:no_truncation()
bert:enable_padding { length = 12, pad_to_multiple_of = 8 }
assert(#bert:encode 'the'.ids == 16)
bert:no_padding()
assert(#bert:encode 'the'.ids == 3)

-- ---- added tokens ----
local n = #cased
assert(cased:add_tokens { '<new>', { content = 'word', single_word = true }, '<new>' } == 2 and cased:add_special_tokens { '<end>' } == 1 and #cased == n + 3)
assert(cased:encode 'a<new>b'.tokens[2] == '<new>' and cased:encode 'swords'.tokens[1] ~= 'word' and cased:encode('a word').tokens[3] == 'word')
assert(cased:decode(cased:encode 'a<end>') == 'a' and Tokenizer.from_str(cased:to_str()):token_to_id '<end>' == n + 3)

-- ---- made here ----
local texts = { 'low lower lowest', 'new newer newest', 'wide wider widest widest' }
local bpe = Tokenizer.bpe(texts, { vocab_size = 270, special_tokens = { '<end>' } })
assert(#bpe == 270 and bpe:token_to_id '<end>' == 1 and bpe:decode(bpe:encode 'the newest 😀') == 'the newest 😀')
assert(#bpe:encode 'widest'.ids < 6)
local words = Tokenizer.words(texts, { min_frequency = 2 })
assert(#words == 2 and words:token_to_id '[UNK]' == 1 and words:token_to_id 'widest' == 2 and ids(words, 'widest of all') == '2 1 1')
local letters = Tokenizer.characters { 'baé', 'c\n' }
assert(#letters == 5 and ids(letters, 'abcé\n') == '2 3 4 5 1' and letters:decode(letters:ids 'é\nb') == 'é\nb')
refused("'x' is no token", letters.encode, letters, 'x')
local bytes = Tokenizer.bytes()
assert(#bytes == 256 and ids(bytes, 'Aé\0') == '66 196 170 1' and bytes:decode(bytes:ids 'é😀\n') == 'é😀\n')
assert(#Tokenizer.bytes { special_tokens = { '<pad>' } } == 257)
bpe:train(texts, { vocab_size = 40 })
assert(#bpe <= 40 and bpe:decode(bpe:ids 'lowest') == 'lowest')
local path = os.tmpname()
words:save(path)
assert(ids(Tokenizer.from_file(path), 'widest x') == '2 1')
assert(#Tokenizer.characters(path) > 10)

-- ---- what is refused ----
local function json(parts) return native.json_encode(parts) end
local function model(m, more)
  local all = { model = m }
  for k, v in pairs(more or {}) do all[k] = v end
  return json(all)
end
local ab = { a = 0, b = 1, ab = 2 }
assert(ids(Tokenizer.from_str(model { type = 'BPE', vocab = ab, merges = { 'a b' } }), 'abba') == '3 2 1')
refused("'aa' is no token of the vocabulary", Tokenizer.from_str, model { type = 'BPE', vocab = ab, merges = { { 'a', 'a' } } })
refused("model.merges[0]: 'x' is no token of the vocabulary", Tokenizer.from_str, model { type = 'BPE', vocab = ab, merges = { 'x b' } })
refused("'a b c' is no pair", Tokenizer.from_str, model { type = 'BPE', vocab = ab, merges = { 'a b c' } })
refused("luth has no 'Word2Vec'", Tokenizer.from_str, model { type = 'Word2Vec', vocab = ab })
refused("normalizer: luth has no 'Precompiled'", Tokenizer.from_str, model({ type = 'BPE', vocab = ab, merges = { 'a b' } }, { normalizer = { type = 'Precompiled' } }))
refused("pre_tokenizer.pretokenizers[0]: luth has no 'UnicodeScripts'", Tokenizer.from_str,
        model({ type = 'BPE', vocab = ab, merges = { 'a b' } }, { pre_tokenizer = { type = 'Sequence', pretokenizers = { { type = 'UnicodeScripts' } } } }))
refused('is no regular expression', Tokenizer.from_str, model({ type = 'BPE', vocab = ab, merges = { 'a b' } }, { pre_tokenizer = { type = 'Split', pattern = { Regex = '(' }, behavior = 'Isolated' } }))
refused('leaves most places of the vocabulary empty', Tokenizer.from_str, model { type = 'WordLevel', vocab = { a = 4000000000 } })
refused("'a' and 'b' have the number 0", Tokenizer.from_str, '{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 0}}}')
-- Unigram: the tokens whose scores add up to most, as a search over all ways finds them.
local function best_ways(vocab, text)
  local best = { [0] = 0 }
  for last = 1, #text do
    for _, entry in ipairs(vocab) do
      local from = last - #entry[1]
      if best[from] and text:sub(from + 1, last) == entry[1] then best[last] = math.max(best[last] or -math.huge, best[from] + entry[2]) end
    end
  end
  return best[#text]
end
math.randomseed(7)
for _ = 1, 50 do
  local vocab, there = { { '?', 0 }, { 'a', -math.random(20, 40) / 8 }, { 'b', -math.random(20, 40) / 8 } }, { a = true, b = true }
  for _ = 1, 12 do
    local token = ''
    for _ = 1, math.random(2, 7) do token = token .. (math.random() < 0.7 and 'a' or 'b') end
    if not there[token] then vocab[#vocab + 1], there[token] = { token, -math.random(20, 80) / 8 }, true end
  end
  local t, text = Tokenizer.from_str(model { type = 'Unigram', unk_id = 0, vocab = vocab }), ''
  for _ = 1, 40 do text = text .. (math.random() < 0.7 and 'a' or 'b') end
  local sum, joined = 0, ''
  for _, id in ipairs(t:encode(text).ids:tolist()) do sum, joined = sum + vocab[id][2], joined .. vocab[id][1] end
  assert(joined == text and sum == best_ways(vocab, text), text)
end
-- A token of 200,000 characters, of which the text has nearly all: a search from each of them would take minutes.
local long = Tokenizer.from_str(model { type = 'Unigram', unk_id = 0, vocab = { { '?', 0 }, { 'a', -1.5 }, { 'aa', -2.5 }, { ('a'):rep(200000), -3 } } })
assert(#long:encode(('a'):rep(199998)).ids == 99999 and #long:encode(('a'):rep(200001)).ids == 2)
refused('expected a number', Tokenizer.from_str, model { type = 'Unigram', vocab = { { 'a', 'b' } } })
refused('a token is a text and a score', Tokenizer.from_str, model { type = 'Unigram', vocab = { { 'a' } } })
refused("no '[UNK]', which stands for unknown words", Tokenizer.from_str, model { type = 'WordPiece', vocab = ab })
refused("it has no 'model'", Tokenizer.from_str, '{"a": 1}')
refused('it is no JSON', Tokenizer.from_str, model({ type = 'BPE', vocab = ab, merges = { 'a b' } }):sub(1, 20))
refused("its JSON has the key 'a' twice", Tokenizer.from_str, '{"model": {"type": "WordLevel", "vocab": {"a": 0, "a": 0}}}')
refused('nested deeper', Tokenizer.from_str, ('['):rep(100000))
refused('it is no JSON', Tokenizer.from_str, '')
refused('cannot open', Tokenizer.from_file, '/no/such/file')
refused('a device or pipe, not a file', Tokenizer.from_file, '/dev/null')
refused('byte 3 of the text is no UTF-8', cased.encode, cased, 'ab\xff')
refused('text 2: byte 1', cased.encode_batch, cased, { 'a', '\x80' })
-- Patterns. One that takes for ever is stopped, also where no place alone takes long; a match of any length is found.
local function split_at(regex)
  return Tokenizer.from_str(model({ type = 'WordLevel', vocab = { u = 0 }, unk_token = 'u' }, { pre_tokenizer = { type = 'Split', pattern = { Regex = regex }, behavior = 'Isolated' } }))
end
for _, regex in ipairs { '(a+)+$', ('(?:a|a)'):rep(18) .. '[cd]' } do
  refused('match limit exceeded', function() split_at(regex):ids(('a'):rep(5000) .. 'b') end)
end
refused('the regular expression', function() split_at '(?:(a)|b)+?c|(?R)*d':ids(('ab'):rep(100000)) end)
assert(#split_at '(?:a|(b))+':ids(('ab'):rep(50000) .. 'c' .. ('ab'):rep(2000)) == 3)
assert(#split_at '(?:a|a)*c|x':ids(('a'):rep(20) .. 'x' .. ('a'):rep(20)) == 3)

-- ---- files of strangers ----
local function bpe_of(more)
  local m = { type = 'BPE', vocab = { ['<0x78>'] = 0, ['<0x7A>'] = 1, a = 2, aa = 3 }, merges = { 'a a' }, byte_fallback = true }
  for k, v in pairs(more) do m[k] = v end
  return m
end
-- Bytes of a suffix or a prefix are none of the text's, and end where it ends.
local y_to_x = { type = 'Replace', pattern = { String = 'y' }, content = 'x' }
for _, normalizer in ipairs { y_to_x, { type = 'NFC' } } do
  for _, processor in ipairs { { type = 'ByteLevel' }, { type = 'TemplateProcessing', single = { { Sequence = { id = 'A' } } } } } do
    local t = Tokenizer.from_str(model(bpe_of { end_of_word_suffix = ('z'):rep(1000) }, { normalizer = normalizer, post_processor = processor }))
    local e = t:encode(normalizer == y_to_x and 'y' or 'x')
    assert(#e.ids == 1001 and e.offsets:min():item() >= 1 and e.offsets:max():item() <= 2)
  end
end
-- What a file asks for has an end: lengths, replacements, templates, prefixes.
local function asks_for(more) return Tokenizer.from_str(model(bpe_of {}, more)) end
local longer, templates = { type = 'Replace', pattern = { String = 'a' }, content = ('a'):rep(1000) }, {}
for i = 1, 17 do templates[i] = { Sequence = { id = 'A' } } end
local bytes_again = {}
for i = 1, 30 do bytes_again[i] = { type = 'ByteLevel', use_regex = false } end
refused('padding.strategy.Fixed: expected a whole number from 0 to 1048576', asks_for, { padding = { strategy = { Fixed = 1 << 30 } } })
refused('padding.pad_to_multiple_of', asks_for, { padding = { strategy = 'BatchLongest', pad_to_multiple_of = 1 << 30 } })
local padded = asks_for { padding = { strategy = { Fixed = 1 << 20 } } }
assert(#padded:encode('a').ids == 1 << 20)
refused('257 texts of 1048576 tokens are more than luth pads at once', function()
  local texts = {}
  for i = 1, 257 do texts[i] = 'a' end
  padded:encode_batch(texts)
end)
for _, more in ipairs { { normalizer = { type = 'Sequence', normalizers = { longer, longer, longer } } },
                        { pre_tokenizer = { type = 'Sequence', pretokenizers = bytes_again } } } do
  refused('more than 32 times as long', function() asks_for(more):encode(('aé'):rep(10)) end)
end
refused('post_processor.single[16]: luth takes', asks_for, { post_processor = { type = 'TemplateProcessing', single = templates } })
refused('post_processor.single[1]: luth takes', asks_for, { post_processor = { type = 'TemplateProcessing', special_tokens = { x = { ids = torch.zeros(40000, { dtype = torch.int64 }):tolist() } },
  single = { { SpecialToken = { id = 'x' } }, { SpecialToken = { id = 'x' } } } } })
for _, affix in ipairs { 'end_of_word_suffix', 'continuing_subword_prefix' } do
  local m = bpe_of { [affix] = ('z'):rep(100000) }
  m.merges = {}
  local t = Tokenizer.from_str((model(m):gsub('"merges":{}', '"merges":[]')))
  for _, encode in ipairs { t.ids, t.encode } do
    refused('the tokenizer makes more than', encode, t, 'xx')
  end
end
-- Of many added tokens the longest counts; neither they nor the spaces that one takes make the time grow with the square of the text.
do
  local function added(of, n, fields)
    local all = {}
    for i = 1, n do
      all[i] = { id = 9 + i, content = of(i), special = true, single_word = false, lstrip = false, rstrip = false, normalized = false }
      for k, v in pairs(fields or {}) do all[i][k] = v end
    end
    return asks_for { added_tokens = all }
  end
  local t = added(function(i) return ({ 'ab', 'a', 'abcd', 'b', 'ab' })[i] end, 5)
  assert(table.concat(t:encode('abcabcdabab').tokens, ' '):gsub(' [^ab]+', '') == 'ab abcd ab ab', table.concat(t:encode('abcabcdabab').tokens, ' '))
  local start = os.clock()
  added(function(i) return ('a'):rep(i) .. 'x' end, 3000):encode(('a'):rep(100000))
  added(function() return ' ' end, 1, { lstrip = true }):encode((' '):rep(200000))
  local parts = {}
  for i = 1, 60000 do parts[i] = { Sequence = { id = 'A', type_id = 0 } } end
  refused('single[16]', asks_for, { post_processor = { type = 'TemplateProcessing', single = parts } })
  assert(os.clock() - start < 30, os.clock() - start)
end
local decoder = asks_for { decoder = { type = 'Sequence', decoders = { longer, longer, longer, longer } } }
refused('a text of more than', decoder.decode, decoder, { 3 })
-- A text without newlines is cut at spaces, then at characters; no byte of it is lost.
local function words_of(text)
  local f = assert(io.open(path, 'w'))
  f:write(text):close()
  return Tokenizer.words(path)
end
local most = 4 << 20
local seen = words_of(('a '):rep(most // 2 - 1) .. 'bcd efg')  -- the 4 MiB end within "bcd"
assert(seen:token_to_id 'bcd' and not seen:token_to_id 'cd' and seen:token_to_id 'efg')
seen = words_of('x' .. ('é'):rep(most // 2 + 5))  -- and here within an "é"
assert(seen:token_to_id(('é'):rep(6)) and #seen == 3)
os.remove(path)

-- BPE of a word as long as the text: pairs that overlap, and a megabyte that no space cuts.
local aaa = ('a'):rep(7) .. ' ' .. ('ab'):rep(5)
assert(table.concat(Tokenizer.bpe({ aaa }, { vocab_size = 262 }):encode(aaa).tokens, '|') == 'aaaa|aaa|Ġabab|abab|ab')
local long = ('ACGTTGCA'):rep(1 << 17)
local dna = Tokenizer.bpe({ long }, { vocab_size = 262 })
assert(#dna:ids(long) < #long and dna:decode(dna:ids(long)) == long)
