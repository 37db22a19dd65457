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
torch.linalg.svdvals(x)  -- it opens OpenBLAS and oneDNN
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

# the modules that a recipe requires: their texts are kept, and a changed one is said, as a changed recipe is
mkdir parts
cat >parts/net.lua <<'LUA'
return function() return nn.Linear(3, 3) end
LUA
echo 'return 16' >size.lua
sed "s/model = nn.Linear(3, 3)/model = require('parts.net')()/; s/batch = 16/batch = require 'size'/" p.lua >m.lua
grep -q parts.net m.lua && grep -q "'size'" m.lua || fail "the recipe of modules"
luth train m.lua --dir m 2>said || { cat said; fail "training with modules"; }
cmp parts/net.lua m/required/parts.net.lua && cmp size.lua m/required/size.lua || fail "the modules are not kept"
[ "$(ls m/required | wc -l)" = 2 ] || { ls m/required; fail "others are kept, too"; }
luth train m.lua --dir m --resume --epochs 2 2>said
grep -q 'is not the one' said && { cat said; fail "modules that are the same"; }
echo '-- changed' >>parts/net.lua
luth train m.lua --dir m --resume --epochs 3 2>said
grep -q '^the module parts.net is not the one with which the run began$' said && ! grep -q 'the module size' said && ! grep -q 'the recipe' said ||
  { cat said; fail "a changed module"; }
grep -q 'the module parts.net is not' m/warnings.jsonl || fail "a changed module is no warning of the run"
luth train m.lua --dir m --resume --epochs 4 2>said
grep -q 'is not the one' said && { cat said; fail "it is said once"; }
mkdir elsewhere && ln -s ../elsewhere linked && mkdir l && ln -s ../elsewhere l/required
rc=0; luth train m.lua --dir l 2>said || rc=$?
[ $rc = 2 ] && grep -q 'l/required is a symbolic link' said && [ -z "$(ls elsewhere)" ] || { cat said; fail "a link was written through"; }

# what luth itself warns of, and the names of samples that were left out, a batch of which none can be read too
cat >s.lua <<'LUA'
local D = data.class 'D'
function D:init(bad) self.bad = bad end
function D:len() return 32 end
function D:get(i)
  if self.bad[i] then error('torn ' .. i, 0) end
  return torch.ones(2) * i / 32, torch.ones(1)
end
local torn = { [3] = true }
for i = 9, 12 do torn[i] = true end
return recipe {
  data = { train = D(torn), val = D { [7] = true } }, model = nn.Linear(2, 1) .. nn.Flatten(),
  loss = function(x, y) return F.mse_loss(x, y:squeeze(2)) end,
  optim = optim.SGD { lr = 0.01 }, batch = 1, accumulate = 2, on_error = 'skip',
}
LUA
luth train s.lua --dir s 2>said || { cat said; fail "a batch of which none can be read"; }
luth train s.lua --dir s --resume --epochs 2 2>>said || { cat said; fail "the epoch behind it"; }
for i in 3 9 10 11 12 7; do
  [ "$(grep -c "\"text\":\"left out: sample $i of the dataset: torn $i\"" s/warnings.jsonl)" = 1 ] || { cat s/warnings.jsonl; fail "sample $i is not named once"; }
done
[ "$(grep -c 'mse_loss' s/warnings.jsonl)" = 1 ] && grep -q 'mse_loss' said || { cat s/warnings.jsonl; fail "a warning of luth"; }
grep -q '10 samples of the training data could not be read' said || { cat said; fail "how many were left out"; }

# a folder that vanishes while a run trains in it is made anew; one that another run has taken is left alone
cat >v.lua <<'LUA'
local o = options { act = '' }
local x = torch.randn(32, 3)
return recipe {
  data = { train = data.TensorDataset(x, x), val = data.TensorDataset(x, x) }, model = nn.Linear(3, 3), loss = nn.MSELoss(),
  optim = optim.SGD { lr = 0.1 }, batch = 16, epochs = 3,
  callbacks = { on_epoch_start = function(ctx)
    ctx.saves:settle(true)
    if ctx.epoch == 2 then assert(os.execute(o.act)) end
  end },
}
LUA
luth train v.lua --dir v --act 'rm -r v' 2>said || { cat said; fail "a folder that vanishes"; }
grep -q '^v had vanished, and is made anew: the logs of what came before are lost$' said || { cat said; fail "that it vanished"; }
luth eval v >/dev/null 2>said && [ -s v/report.html ] && [ "$(wc -l <v/log.jsonl)" = 2 ] || { cat said; fail "the folder that was made anew"; }
luth train v.lua --dir k --act 'rm -r k/ckpt' 2>said && grep -q '^k/ckpt had vanished' said && luth eval k >/dev/null 2>&1 || { cat said; fail "checkpoints that vanish"; }
rc=0; luth train v.lua --dir o --act 'rm -r o && mkdir o && echo mine >o/.lock' 2>said || rc=$?
[ $rc = 1 ] && grep -q 'o has vanished, and another run has its name' said && grep -q 'saves failed' said && [ "$(ls -A o)" = .lock ] && [ "$(cat o/.lock)" = mine ] ||
  { cat said; ls -A o; fail "the folder of another run"; }
