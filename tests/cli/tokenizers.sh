#!/usr/bin/env bash
# Tokenizers of PyPI's package, loaded by luth, make the same tokens, offsets and texts of lines of many scripts.
# Skipped where no Python has tokenizers.
#   LINES=10000 tests/cli/tokenizers.sh [FILE...]    with lines of these files too
set -euo pipefail
python=
for candidate in "${PEER_PYTHON:-}" "$LUTH_SOURCE/build/peer/bin/python" python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import tokenizers' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "no Python with tokenizers (pip install tokenizers)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines=${LINES:-600}
"$python" "$LUTH_SOURCE/tests/cli/tokenizers_peer.py" "$work" "$lines" "$LUTH_SOURCE/share/data/tinyshakespeare.txt" "$@"
cd "$work"
cat >own.lua <<'LUA'
local native = require 'luth.native'
local lines = native.json_decode(io.open('lines.json'):read('a'))
local failed = 0
local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
for path in io.popen('ls *.peer'):lines() do
  local name = path:gsub('%.peer$', '')
  local t = data.Tokenizer.from_file(name .. '.json')
  local again = data.Tokenizer.from_str(t:to_str())
  local peer = io.lines(path)
  for i, e in ipairs(t:encode_batch(lines)) do
    local at = e.offsets:clone()
    if #e.ids > 0 then at:select(2, 1):sub_(1) end
    local own = ('%s\t%s\t%s'):format(table.concat((e.ids - 1):tolist(), ' '), table.concat(at:flatten():tolist(), ' '), hex(t:decode(e)))
    local theirs = peer()
    if own ~= theirs then
      failed = failed + 1
      if failed <= 10 then print(name, i, lines[i], '\nluth ', own, '\npeer ', theirs) end
    elseif i % 10 == 1 then
      local ids = again:ids(lines[i]):tolist()
      local plain = t:encode(lines[i], { add_special_tokens = false }).ids:tolist()
      assert(table.concat(ids, ' ') == table.concat(plain, ' '), name)
    end
  end
end
assert(failed == 0, failed .. ' lines differ')
LUA
cat own.lua | "$LUTH_PROGRAM" -
