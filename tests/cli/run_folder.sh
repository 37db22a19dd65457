#!/usr/bin/env bash
# What the folder of a run tells: the commit and the libraries that luth doctor shows.
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
