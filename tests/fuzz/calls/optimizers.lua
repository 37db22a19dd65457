-- Programs of optimizers and schedules: settings, closures, state dicts of others and of wrong sizes.
local registry = require 'luth.registry'
local values = require 'values'
local random, one_of, chance = math.random, values.one_of, values.chance
local M = {}

-- Classes of a table by name, with the names that their help says settings have.
local function classes_of(t)
  local list = {}
  for name, class in pairs(t) do
    local help = type(name) == 'string' and name:find('^%u') and registry.help_of(class) or ''
    if help ~= '' and name ~= 'Optimizer' and name ~= 'LRScheduler' then
      local settings = {}
      for setting, default in help:gmatch('([%a_]+) = ([^,}%)\n]+)') do settings[#settings + 1] = {name = setting, default = default} end
      list[#list + 1] = {name = name, class = class, settings = settings}
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end
local optimizers, schedules = classes_of(optim), classes_of(optim.lr_scheduler)
M.optimizers, M.schedules = optimizers, schedules

local fractions = {0.0, 1e-3, 0.1, 0.5, 0.9, 1.0, 2.0}
local function number() return chance(6) and values.of_kind('number') or one_of(fractions) end
local bounded = {max_iter = true, max_eval = true}  -- as many steps as one asks for
local function random_setting(name, default)
  if bounded[name] then return random(0, 5) end
  if default:find('^true') or default:find('^false') then return chance(2) end
  if default:find('^{') then return {number(), number()} end
  if default:find('^%-?%d+$') then return chance(6) and values.of_kind('integer') or random(5) end
  if default:find('^%-?%d') then return number() end
  return chance(3) and values.value() or nil
end
local function settings_of(class, always)
  local named = always or {}
  for _, s in ipairs(class.settings) do
    if chance(4) then named[s.name] = random_setting(s.name, s.default) end
  end
  return named
end

-- ---- Parameters and their gradients ----------------------------------------------------------------------------------

local shapes = {{3, 2}, {3, 2}, {4, 4}, {5}, {1}, {}, {0}, {2, 3, 2}, {1, 0, 2}}
local function parameters()
  local list = {}
  local dtype = chance(4) and one_of(values.floats) or torch.float32
  for i = 1, random(3) do
    local p = values.drawn(one_of(shapes), dtype)
    if chance(6) then p = values.relaid(p) end
    list[i] = nn.Parameter(p)
  end
  return list
end

local function set_gradients(list)
  for _, p in ipairs(list) do
    local way = random(8)
    if way == 1 then p.grad = nil
    elseif way == 2 then p.grad = torch.full_like(p, one_of {0, 1 / 0, 0 / 0, 1e30})
    else p.grad = values.relaid(torch.randn_like(p)) end
  end
end

local function closure(run, list)
  local harm = chance(4) and values.callback(list)
  return function()
    if harm then harm() end
    local loss = 0
    for _, p in ipairs(list) do loss = loss + p:square():sum() end
    run:keep(loss)
    for _, p in ipairs(list) do p.grad = nil end
    loss:backward()
    return loss
  end
end

-- ---- Steps -----------------------------------------------------------------------------------------------------------

local function one_step(run, opt, list)
  if chance(2) then return run:method(opt, 'step', closure(run, list)) end
  run:call('set gradients', set_gradients, list)
  return run:method(opt, 'step')
end

local function changed(v)
  if torch.is_tensor(v) then return chance(6) and values.tensor() or v end
  if type(v) == 'table' then
    local out = {}
    for k, e in values.sorted(v) do
      if random(16) > 1 then out[k] = changed(e) end
    end
    return out
  end
  return chance(16) and values.value() or v
end

local moves = {
  one_step, one_step, one_step,
  function(run, opt)
    local ok, state = run:method(opt, 'state_dict')
    if ok then run:method(opt, 'load_state_dict', chance(2) and changed(state) or state) end
  end,
  function(run, opt, _, class)  -- a state of the same class, of other parameters
    local other = parameters()
    local made, of_other = pcall(class.class, other, {lr = 0.1})
    if not made then return end
    pcall(one_step, run, of_other, other)
    run:call('load another state', function() opt:load_state_dict(of_other:state_dict()) end)
  end,
  function(run, opt) run:method(opt, 'zero_grad', {set_to_none = chance(2)}) end,
  function(run, opt)
    run:call('set an option', function() opt.param_groups[1][one_of {'lr', 'momentum', 'betas', 'eps', 'weight_decay', 'x'}] = values.value() end)
  end,
  function(run, opt) run:method(opt, 'add_param_group', {params = parameters(), lr = number()}) end,
  function(run, opt, list)
    run:call('set a state', function()
      local state = opt.state[one_of(list)]
      for name, v in values.sorted(state) do state[name] = chance(2) and values.tensor() or changed(v) end
    end)
  end,
  function(run, _, list) run:call('harm', values.harm, list) end,
  function(run, opt) run:method(opt, one_of {'register_step_pre_hook', 'register_step_post_hook', 'register_state_dict_pre_hook',
    'register_load_state_dict_post_hook'}, values.callback(run.pool)) end,
  function(run, opt) run:call('tostring', tostring, opt) end,
}

local given_by_class = {  -- what a schedule cannot be without
  StepLR = {step_size = 2}, MultiStepLR = {milestones = {1, 2}}, LambdaLR = 1, MultiplicativeLR = 1, ExponentialLR = {gamma = 0.9},
  CosineAnnealingLR = {T_max = 3}, CosineAnnealingWarmRestarts = {T_0 = 2}, OneCycleLR = {max_lr = 0.1, total_steps = 10},
  CyclicLR = {base_lr = 0.01, max_lr = 0.1}, SWALR = {swa_lr = 0.1},
}
local function copy(t)
  local out = {}
  for k, v in pairs(t) do out[k] = v end
  return out
end
local function schedule(run, opt)
  local class = one_of(schedules)
  local given = given_by_class[class.name]
  local first = given == 1 and function(e) return chance(16) and values.value() or 0.9 ^ e end or nil
  local list = {opt}
  if class.name == 'SequentialLR' or class.name == 'ChainedScheduler' then
    local inner = {optim.lr_scheduler.StepLR(opt, 1), optim.lr_scheduler.ConstantLR(opt)}
    list = class.name == 'SequentialLR' and {opt, inner, {random(3)}} or {inner}
  elseif first then list[2] = first
  else list[2] = settings_of(class, given and copy(given) or {}) end
  local ok, s = run:call(class.name, class.class, table.unpack(list))
  for _ = 1, ok and random(6) or 0 do
    run:method(s, 'step', class.name == 'ReduceLROnPlateau' and number() or nil)
    if chance(4) then run:call('schedule state', function() s:load_state_dict(changed(s:state_dict())) end) end
  end
end

local function functional(run)
  local x = torch.randn(random(0, 4))
  local objects, config = {x}, {learningRate = chance(4) and number() or 0.1, maxIter = random(5)}
  local harm = chance(3) and values.callback(objects)
  local f = optim[one_of {'sgd', 'adam', 'adamax', 'adagrad', 'adadelta', 'rmsprop', 'lbfgs', 'cg'}]
  for _ = 1, 3 do
    run:call('functional', f, function(v)
      if harm then harm() end
      return v:square():sum():item(), v * 2
    end, x, config)
  end
end

function M.program(run)
  if chance(8) then return functional(run) end
  local class, list = one_of(optimizers), parameters()
  local ok, opt = run:call(class.name, class.class, list, settings_of(class, {lr = class.name ~= 'Adafactor' and one_of(fractions) or nil}))
  if not ok then return end
  for i, p in ipairs(list) do run.pool[i] = p end
  for _ = 1, random(2, 6) do one_of(moves)(run, opt, list, class) end
  if chance(3) then schedule(run, opt) end
end

return M
