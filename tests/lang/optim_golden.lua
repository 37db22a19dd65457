-- PyTorch's trajectories of optimizers, clipping and schedules through the Lua face: every case of optim.h5 and
-- schedules.json. In the middle of a trajectory the optimizer goes through a file into a new one.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local folder = root .. '/tests/golden/nn/'
local file = read.file(folder .. 'optim.h5')
local saved = os.tmpname()

local function list_of(j) return type(j) == 'table' and j ~= torch.none and j or {} end
-- Arguments by name: a table of its own, without None.
local function named(args)
  local out
  for name, v in pairs(args) do
    out = out or {}
    if v ~= torch.none then out[name] = v end
  end
  return out
end

local function expect_close(got, want, rtol, atol, what)
  want = want:double()
  local limit = (want:abs() + want:abs():max()) * rtol + atol
  local off = (got:detach():double() - want):abs()
  assert(off:le(limit):all(), what .. ': off by ' .. off:max():item())
end

-- ---- Trajectories ----------------------------------------------------------------------------------------------------

local function make(case, params)
  if case.groups == torch.none then return optim[case.optimizer](params, named(case.args)) end
  local groups = {}
  for i, p in ipairs(params) do
    groups[i] = named(case.groups[i]) or {}
    groups[i].params = { p }
  end
  return optim[case.optimizer](groups, named(case.args))
end

-- make.py's closure_loss.
local function valley(a, b)
  local n = a:size(2) - 1
  local low, high = a:narrow(2, 1, n), a:narrow(2, 2, n)
  return (1 - low):square():sum() + 4 * (high - low:square()):square():sum() + b:pow(4):sum() / 4 + (b - 0.5):square():sum()
end

local function take_step(case, opt, params, grads, step)
  opt:zero_grad()
  if case.special == 'closure' then
    local loss = opt:step(function()
      opt:zero_grad()
      local l = valley(params[1], params[2])
      l:backward()
      return l
    end)
    local want = file.tensor(case.loss.tensor)[step]:item()
    return assert(math.abs(loss:item() - want) <= 1e-9 * math.abs(want), 'loss ' .. loss:item() .. ', want ' .. want)
  end
  for i, p in ipairs(params) do
    local skip = i == 2 and case.special == 'skip' and step % 3 == 1
    if not skip then p.grad = grads[i][step]:to(p.dtype) end
  end
  opt:step()
end

local function through_a_file(case, opt, params)
  torch.save(opt:state_dict(), saved)
  local fresh = make(case, params)
  fresh:load_state_dict(torch.load(saved))
  return fresh
end

local function check_state(case, opt, params, rtol, atol)
  for i, p in ipairs(params) do
    local state = opt.state[p]
    for name, j in pairs(case.state[i]) do
      local want = type(j) == 'table' and file.tensor(j.tensor) or torch.tensor(j)
      local got = state[name]
      expect_close(torch.is_tensor(got) and got or torch.tensor(got), want, rtol, atol, name)
    end
  end
end

local function follow(case, dtype, rtol, atol)
  local params, grads, track = {}, {}, {}
  for i, j in ipairs(case.start) do
    params[i] = nn.Parameter(file.tensor(j.tensor):to(dtype))
    grads[i] = list_of(case.grads)[i] and file.tensor(case.grads[i].tensor)
    track[i] = file.tensor(case.track[i].tensor)
  end
  local opt = make(case, params)
  for step = 1, case.steps do
    if step == 11 then opt = through_a_file(case, opt, params) end
    take_step(case, opt, params, grads, step)
    for i, p in ipairs(params) do expect_close(p, track[i][step], rtol, atol, 'parameter ' .. i .. ' after ' .. step) end
  end
  check_state(case, opt, params, rtol, atol)
end

local trajectories = 0
for _, case in ipairs(file.cases) do
  local muon = case.optimizer == 'Muon'  -- PyTorch orthogonalises in bfloat16
  local function run(dtype, rtol, atol)
    local ok, why = pcall(follow, case, dtype, muon and 2e-2 or rtol, muon and 2e-2 or atol)
    assert(ok, case.id .. ' in ' .. tostring(dtype) .. ': ' .. tostring(why))
  end
  run(torch.float64, 1e-9, 1e-11)
  if case.optimizer ~= 'LBFGS' then run(torch.float32, 1e-4, 1e-5) end  -- LBFGS decides by thresholds
  trajectories = trajectories + 1
end
os.remove(saved)

-- ---- Clipping --------------------------------------------------------------------------------------------------------

local clips = 0
for _, case in ipairs(file.clips) do
  local params = {}
  for i, j in ipairs(case.before) do
    local g = file.tensor(j.tensor)
    params[i] = nn.Parameter(torch.zeros_like(g))
    params[i].grad = g
  end
  local args = {}
  for name, v in pairs(case.args) do args[name] = type(v) == 'table' and math.huge or v end
  local total = nn.utils[case['function']](params, args)
  if case.total ~= torch.none then assert(math.abs(total:item() - case.total) < 1e-12, case.id) end
  for i, j in ipairs(case.after) do expect_close(params[i].grad, file.tensor(j.tensor), 1e-9, 1e-11, case.id) end
  clips = clips + 1
end

-- ---- Schedules -------------------------------------------------------------------------------------------------------

local L = optim.lr_scheduler
local lambdas = {
  ['lambda: 0.95 ** epoch'] = function(epoch) return 0.95 ^ epoch end,
  ['lambda: 0.9 if epoch % 7 == 0 else 1.0'] = function(epoch) return epoch % 7 == 0 and 0.9 or 1.0 end,
}
local function make_schedule(name, args, opt)
  local given = {}
  for key, v in pairs(args) do
    given[key] = v
    if key == 'lr_lambda' then given[key] = assert(lambdas[v], v) end
    if key == 'schedulers' then
      given[key] = {}
      for i, inner in ipairs(v) do given[key][i] = make_schedule(inner[1], inner[2], opt) end
    end
  end
  return L[name](opt, next(given) and given)
end

local schedules = 0
local all = read.json(read.text(folder .. 'schedules.json'))
for _, case in ipairs(all.cases) do
  local groups = {}
  for i, lr in ipairs(case.start) do groups[i] = { params = { nn.Parameter(torch.zeros(1)) }, lr = lr } end
  local opt = optim[case.optimizer](groups, case.optimizer == 'SGD' and { lr = 0.1, momentum = 0.9 } or { lr = 0.1 })
  local schedule = make_schedule(case.schedule, case.args, opt)
  for i = 1, #case.lr1 do
    if i > 1 then
      if case.schedule == 'ReduceLROnPlateau' then schedule:step(all.metrics[i - 1]) else schedule:step() end
    end
    for k, rates in ipairs { case.lr1, case.lr2 } do
      local got = opt.param_groups[k].lr
      assert(math.abs(got - rates[i]) <= 1e-9 * math.abs(rates[i]) + 1e-15,
        ('%s, group %d after %d steps: %.15g, want %.15g'):format(case.id, k, i - 1, got, rates[i]))
    end
    if case.momentum then
      local group = opt.param_groups[1]
      assert(math.abs((group.momentum or group.betas[1]) - case.momentum[i]) <= 1e-12, case.id .. ': momentum')
    end
  end
  schedules = schedules + 1
end

print(('%d trajectories, %d clips, %d schedules'):format(trajectories, clips, schedules))
assert(trajectories == 62 and clips == 6 and schedules == 34, 'cases are missing')
