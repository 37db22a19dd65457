#!/usr/bin/env bash
# The recipes for text run some steps; a run that goes on, and an evaluation, have the vocabulary of the training from the checkpoint
# though the text has changed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
luth=$LUTH_PROGRAM scripts=$LUTH_SOURCE/scripts
head -c 20000 "$LUTH_SOURCE/share/data/tinyshakespeare.txt" >text.txt
printf 'ÄÖ 😀' >>text.txt
fail() { echo "text: $*" >&2; exit 1; }

for name in char_lstm char_gpt; do
  small=$([ $name = char_lstm ] && echo --hidden 16 || echo --width 16 --layers 1 --heads 2)
  # shellcheck disable=SC2086
  "$luth" train "$scripts/$name.lua" --file text.txt --steps 4 --write 20 --dir $name $small >out.txt 2>log.txt || fail "$name: $(cat log.txt)"
  [ "$(wc -m <out.txt)" -ge 20 ] || fail "$name wrote: $(cat out.txt)"
  "$luth" eval $name 2>/dev/null | grep -q '^bits_per_character [0-9]' || fail "$name: no bits per character"
done

"$luth" eval char_lstm 2>/dev/null >before.txt
cp -r char_lstm whole
"$luth" train "$scripts/char_lstm.lua" --dir whole --resume --steps 7 2>/dev/null >/dev/null
head -c 9000 text.txt >part.txt  # fewer letters
mv part.txt text.txt
"$luth" eval char_lstm 2>log.txt >after.txt || fail "evaluation of a changed text: $(cat log.txt)"
grep -q bits_per_character after.txt && ! cmp -s before.txt after.txt || fail "the text has not changed"
"$luth" train "$scripts/char_lstm.lua" --dir char_lstm --resume --force --steps 7 >/dev/null 2>log.txt || fail "resuming: $(cat log.txt)"
"$luth" - <<'LUA' || fail "the checkpoint has no tokenizer"
local one, two = torch.load 'char_lstm/ckpt/last.h5', torch.load 'whole/ckpt/last.h5'
assert(one.kept.tokenizer.text == two.kept.tokenizer.text)
assert(data.Tokenizer.from_str(one.kept.tokenizer.text):token_to_id 'Ä')
LUA

cat >bad.lua <<'LUA'
kept('tokenizer')
return recipe {}
LUA
code=0
"$luth" train bad.lua 2>log.txt || code=$?
[ $code = 2 ] && grep -q "kept wants a name and a function" log.txt || fail "$code: $(cat log.txt)"
