#!/usr/bin/env bash
# luth report: one page of some runs. A browser without network finds each curve with its points and the settings in it; skipped where
# there is no Chromium, after the checks of the page's text.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >p.lua <<'LUA'
local o = options { name = 'x' }
local x = torch.randn(64, 3)
return recipe {
  data = { train = data.TensorDataset(x, x), val = data.TensorDataset(x, x) }, model = nn.Linear(3, 3), loss = nn.MSELoss(),
  optim = optim.SGD { lr = 0.1 }, epochs = 3, metrics = { 'r2' }, log_every = 1, batch = 16,
}
LUA
"$LUTH_PROGRAM" train p.lua --dir a --name '</script><b>' 2>/dev/null
"$LUTH_PROGRAM" train p.lua --dir b --lr 0.05 --epochs 2 2>/dev/null
fail() { echo "$1"; exit 1; }
cat >c.lua <<'LUA'
local x = torch.rand(90, 1, 6, 7)
local y = torch.arange(90) % 3 + 1
return recipe {
  data = { train = data.TensorDataset(x, y), val = data.Subset(data.TensorDataset(x, y), torch.arange(1, 51)) }, optim = optim.SGD { lr = 0.1 },
  model = nn.Flatten() .. nn.Linear(42, 3), loss = nn.CrossEntropyLoss(), metrics = { 'accuracy' }, batch = 16,
}
LUA
"$LUTH_PROGRAM" train c.lua --dir c 2>/dev/null
"$LUTH_PROGRAM" eval c --predictions p.csv >/dev/null 2>&1
cat >w.lua <<'LUA'
local x = torch.ones(64, 3)
x[20][1] = 0 / 0
local good = data.TensorDataset(x:narrow(1, 30, 30), x:narrow(1, 30, 30))
return recipe {
  data = { train = data.TensorDataset(x, x), val = good }, model = nn.Linear(3, 3), loss = nn.MSELoss(), optim = optim.SGD { lr = 0.1 },
  batch = 16, on_nan = 'skip',
}
LUA
"$LUTH_PROGRAM" train w.lua --dir w 2>/dev/null
[ "$(wc -l <w/warnings.jsonl)" = 2 ] && grep -q '"epoch":1,.*"text":"1 batch was left out' w/warnings.jsonl || { cat w/warnings.jsonl; fail "the warnings of a run"; }
[ ! -e a/warnings.jsonl ] || fail "a run without warnings has some"
[ -s a/report.html ] || fail "training leaves no report"
"$LUTH_PROGRAM" report a b/ >table 2>said
grep -q '^a    *3  *12 ' table && grep -q '^b    *2  *8 ' table || { cat table; fail "the table"; }
grep -q 'wrote report.html' said || fail "what was written"
grep -oE '//[a-z][a-z0-9.]*\.[a-z]+' report.html | grep -v '//www.w3.org' && fail "the page names another address"
[ "$(stat -c %s report.html)" -lt 2000000 ] || fail "the page is large"
rc=0; "$LUTH_PROGRAM" report "$work" 2>said || rc=$?
[ $rc -eq 2 ] && grep -q 'is no folder of a run' said || fail "a folder that is no run"

# a folder of somebody else: links are not followed, a terminal obeys nothing, and damage is a sentence
mkdir other && echo '{"recipe": "r", "options": {}}' >other/options.json && echo mine >mine
printf '{"epoch": {}, "step": [], "a\\u001b[31m\\nb": 1.5}\n' >other/log.jsonl
ln -s ../mine other/report.html
rc=0; "$LUTH_PROGRAM" report other >/dev/null 2>said || rc=$?
[ $rc -eq 2 ] && [ "$(cat mine)" = mine ] && grep -q 'report.html is a symbolic link' said || fail "a link was written through"
rm other/report.html && "$LUTH_PROGRAM" report other >table 2>/dev/null && [ "$(wc -l <table)" -eq 2 ] && grep -qF 'a\x1b[31m\x0ab' table ||
  { cat -v table; fail "names of a file"; }
ln -s ../mine other/modules.txt
rc=0; "$LUTH_PROGRAM" report other >/dev/null 2>said || rc=$?
[ $rc -eq 2 ] && grep -q 'modules.txt is a symbolic link' said || fail "a link was read"
rm other/modules.txt && echo 5 >other/options.json
rc=0; "$LUTH_PROGRAM" report other >/dev/null 2>said || rc=$?
[ $rc -eq 5 ] && grep -q 'is damaged' said || fail "options that are no table"

# the confusion matrix is that of the predictions, and the worst samples those with the largest losses
"$LUTH_PROGRAM" - <<'LUA' || fail "examples.json"
local native = require 'luth.native'
local e = native.json_decode(native.read('c/examples.json', 1 << 24, 1))
local counts, losses, n = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, {}, 0
for line in native.read('p.csv', 1 << 24, 1):gmatch '[^\n]+' do
  local sample, target, predicted, a, b, c = line:match '^(%d+),(%d+),(%d+),([^,]+),([^,]+),([^,]+)$'
  if sample then
    n, target, predicted = n + 1, tonumber(target), tonumber(predicted)
    counts[target][predicted] = counts[target][predicted] + 1
    local scores = torch.tensor { tonumber(a), tonumber(b), tonumber(c) }
    losses[n] = F.cross_entropy(scores:unsqueeze(1), torch.tensor { target }):item()
  end
end
assert(n == 50 and #e.worst == 24 and #e.classes == 3)
for t = 1, 3 do for p = 1, 3 do assert(counts[t][p] == e.confusion[t][p], t .. ' ' .. p) end end
local sorted = table.move(losses, 1, n, 1, {})
table.sort(sorted, function(a, b) return a > b end)
for i, w in ipairs(e.worst) do
  assert(math.abs(w.loss - sorted[i]) < 1e-4 and math.abs(losses[w.sample] - w.loss) < 1e-4 and w.image:match '^data:image/png;base64,iVBOR', i)
end
assert(e.modules[1].kind == 'Sequential' and e.modules[3].parameters == 129)
LUA

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "there is no Chromium"; exit 77; }
# What the page of a file has become in the browser.
page() {
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$work/profile" \
    --virtual-time-budget=5000 --dump-dom "file://$work/$1" >dom 2>/dev/null || { echo "Chromium does not run here"; exit 77; }
}
page report.html
points() { grep -o 'data-run="[^"]*" data-points="[0-9]*"' dom | sort | uniq -c | tr -s ' '; }
points | grep -q '3 data-run="a" data-points="12"' || { points; fail "the curves of steps of a"; }   # loss, lr, norm of gradients
points | grep -q '4 data-run="a" data-points="3"' || { points; fail "the curves of epochs of a"; }  # loss, speed, two of validation
points | grep -q '3 data-run="b" data-points="8"' || { points; fail "the curves of steps of b"; }
grep -q '&lt;/script&gt;&lt;b&gt;  (command line)' dom || fail "the settings"
grep -q '<tr class="differs"><td>lr</td>' dom || fail "what differs"
page c/report.html
grep -q 'data-sum="50"' dom || fail "the sum of the confusion matrix"
[ "$(grep -o 'data-sample=' dom | wc -l)" = 24 ] && [ "$(grep -o '<img src="data:image/png' dom | wc -l)" = 24 ] || fail "the worst samples"
grep -q '<td>Linear</td><td>\[16, 42\]</td><td>\[16, 3\]</td><td class="n">129</td>' dom || fail "the table of modules"
page w/report.html
grep -q '<h2 data-warnings="2">' dom && grep -q '<td>the loss is nan in epoch 1, batch .*; the batch is left out</td>' dom || fail "the warnings"

# as many runs as a sweep may have
"$LUTH_PROGRAM" - <<'LUA'
local native = require 'luth.native'
local lines = { 'step,epoch,loss,lr,samples_per_second,grad_norm\n' }
for step = 1, 1000 do lines[step + 1] = string.format('%d,1,%.9g,0.1,,\n', step, math.exp(-step / 300)) end
for k = 1, 160 do
  native.mkdirs('many/' .. k)
  native.replace('many/' .. k .. '/options.json', '{"recipe": "r", "options": {}}')
  native.replace('many/' .. k .. '/metrics.csv', table.concat(lines))
end
LUA
"$LUTH_PROGRAM" report many/* --out many.html >/dev/null 2>&1
page many.html
[ "$(grep -o 'data-run="[^"]*" data-points="125"' dom | wc -l)" = 320 ] || fail "the curves of many runs"
[ "$(stat -c %s many.html)" -lt 2000000 ] || fail "the page of many runs is large"
