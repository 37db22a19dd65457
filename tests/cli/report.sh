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
[ -s a/report.html ] || fail "training leaves no report"
"$LUTH_PROGRAM" report a b/ >table 2>said
grep -q '^a    *3  *12 ' table && grep -q '^b    *2  *8 ' table || { cat table; fail "the table"; }
grep -q 'wrote report.html' said || fail "what was written"
grep -oE '//[a-z][a-z0-9.]*\.[a-z]+' report.html | grep -v '//www.w3.org' && fail "the page names another address"
[ "$(stat -c %s report.html)" -lt 2000000 ] || fail "the page is large"
rc=0; "$LUTH_PROGRAM" report "$work" 2>said || rc=$?
[ $rc -eq 2 ] && grep -q 'is no folder of a run' said || fail "a folder that is no run"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "there is no Chromium"; exit 77; }
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$work/profile" \
  --virtual-time-budget=5000 --dump-dom "file://$work/report.html" >dom 2>/dev/null || { echo "Chromium does not run here"; exit 77; }
points() { grep -o 'data-run="[^"]*" data-points="[0-9]*"' dom | sort | uniq -c | tr -s ' '; }
points | grep -q '2 data-run="a" data-points="12"' || { points; fail "the curves of steps of a"; }   # loss, lr
points | grep -q '4 data-run="a" data-points="3"' || { points; fail "the curves of epochs of a"; }  # loss, speed, two of validation
points | grep -q '2 data-run="b" data-points="8"' || { points; fail "the curves of steps of b"; }
grep -q '&lt;/script&gt;&lt;b&gt;  (command line)' dom || fail "the settings"
grep -q '<tr class="differs"><td>lr</td>' dom || fail "what differs"
