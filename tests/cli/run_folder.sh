#!/usr/bin/env bash
# What the folder of a run tells: the commit and the libraries that luth doctor shows; events beside the numbers.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$1"; exit 1; }
luth() { "$LUTH_PROGRAM" "$@"; }

cat >p.lua <<'LUA'
local x = torch.randn(32, 3)
return recipe {
  data = { train = data.TensorDataset(x, x), val = data.TensorDataset(x, x) }, model = nn.Linear(3, 3), loss = nn.MSELoss(),
  optim = optim.SGD { lr = 0.1 }, batch = 16,
}
LUA
luth train p.lua --dir run 2>said || { cat said; fail "training"; }

# one source for both: each library of env.json stands in luth doctor with the same version, and the commit does
luth doctor >doctor
luth -E - >facts <<'LUA'
local env = require('luth.native').json_decode(io.open('run/env.json'):read 'a')
print('commit', env.commit or 'not known')
print('compiler', env.compiler)
for _, name in ipairs { 'Lua', 'HDF5', 'OpenBLAS', 'oneDNN', 'oneTBB', 'zlib', 'glibc' } do print(name, env.libraries[name] or 'MISSING') end
LUA
[ "$(wc -l <facts)" = 9 ] || { cat facts; fail "the facts of env.json"; }
while IFS=$'\t' read -r name value; do
  grep -qE "^  $name +" doctor && grep -E "^  $name +" doctor | grep -qF " $value" || { cat doctor; fail "env.json has $name $value"; }
done <facts

# TensorBoard's events beside the numbers (tensorboard.sh has TensorBoard read them), at the begin and once
for part in recipe/text_summary model/text_summary _hparams_/experiment _hparams_/session_start_info parameters/weight parameters/bias Linear\(in_features=3; do
  grep -aqF "$part" run/events.out.tfevents.luth || fail "the events lack $part"
done
luth train p.lua --dir run --resume --epochs 2 2>said || { cat said; fail "resuming"; }
[ "$(grep -aoF model/text_summary run/events.out.tfevents.luth | wc -l)" = 1 ] || fail "a run that goes on tells its model again"
[ "$(grep -aoF parameters/weight run/events.out.tfevents.luth | wc -l)" = 2 ] || fail "an epoch is one histogram"

# a dry run leaves nothing
touch stamp
luth train p.lua --dry-run 2>said || { cat said; fail "a dry run"; }
left() { find /tmp -maxdepth 1 -name 'lua_*.run' -newer stamp; }  # others run at this time, and end
for _ in $(seq 300); do [ -n "$(left)" ] || break; sleep 0.1; done
[ -z "$(left)" ] || { left; fail "a dry run has left its folder"; }
