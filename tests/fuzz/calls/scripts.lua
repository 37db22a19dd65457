-- Programs in which Lua code runs within luth: hooks, Functions, transforms, checkpoints, coroutines; and modes that change calls.
local networks = require 'networks'
local operators = require 'operators'
local values = require 'values'
local random, one_of, chance = math.random, values.one_of, values.chance
local M = {}

-- A function of tensors that calls some operators on them.
local function body(run)
  local f, x = operators.function_of_tensor(run.pool)
  if not f or not torch.is_tensor(x) then return function(a) return a * 2 end, torch.randn(2, 3) end
  local after = one_of {torch.sum, torch.tanh, torch.clone, function(y) return y end, values.callback(run.pool)}
  return function(a)
    local y = f(a)
    return torch.is_tensor(y) and y:is_floating_point() and after(y) or y
  end, x
end

-- Operators one after another, as programs of operators are.
local function some_calls(run)
  for _ = 1, random(3) do
    local entry = one_of(operators.entries)
    operators.step(run, entry, operators.arguments(entry, run.pool))
  end
end

-- ---- Hooks -----------------------------------------------------------------------------------------------------------

local function leaf() return values.drawn(one_of {{3}, {2, 3}, {3, 3}, {0}, {}}, one_of(values.floats)):requires_grad_() end

function M.hooks(run)
  local x = leaf()
  run:keep(x)
  local y = x * 2
  run:keep(y)
  for _ = 1, random(3) do
    local ok, handle = run:method(one_of {x, y}, chance(4) and 'register_post_accumulate_grad_hook' or 'register_hook', values.callback(run.pool))
    if ok and chance(4) then run:method(handle, 'remove') end
  end
  run:call('node hook', function() y.grad_fn:register_hook(values.callback(run.pool)) end)
  some_calls(run)
  run:call('backward', function() (y:exp() + x):sum():backward(nil, {retain_graph = chance(2), create_graph = chance(4)}) end)
  run:call('harm', values.harm, run.pool)
  run:backward()
end

-- ---- Functions -------------------------------------------------------------------------------------------------------

function M.functions(run)
  local Fn = torch.autograd.Function('Fuzz')
  local forward, backward = values.callback(run.pool), values.callback(run.pool)
  local f = body(run)
  function Fn.forward(ctx, x, ...)
    ctx:save_for_backward(x, chance(2) and values.tensor() or nil)
    if chance(6) then ctx:mark_dirty(x) end
    if chance(6) then ctx:mark_non_differentiable(x) end
    ctx.field = chance(3) and run.pool[1] or x
    return forward(chance(2) and x * 2 or f(x), ...)
  end
  function Fn.backward(ctx, dy)
    local x = table.unpack(ctx.saved_tensors)
    return backward(chance(2) and dy * 2 or dy * x)
  end
  local x = leaf()
  run:keep(x)
  local ok, y = run:call('Function', Fn.apply, x, values.value())
  if ok and torch.is_tensor(y) then run:call('backward', function() y:sum():backward() end) end
  run:backward()
end

-- ---- Transforms ------------------------------------------------------------------------------------------------------

local func = torch.func
local function batched(x, dim) return torch.stack({x:detach(), x:detach()}, dim) end
local transforms = {
  vmap = function(run, f, x)
    local dim = random(x:dim() + 1)
    return run:call('vmap', func.vmap(f, dim, chance(4) and values.of_kind('integer') or nil,
      {randomness = one_of {'error', 'different', 'same'}, chunk_size = chance(6) and values.of_kind('integer') or nil}), batched(x, dim))
  end,
  grad = function(run, f, x) return run:call('func.grad', func.grad(function(a) return f(a):sum() end), x) end,
  per_sample = function(run, f, x)
    return run:call('vmap of grad', func.vmap(func.grad(function(a) return f(a):sum() end)), batched(x, 1))
  end,
  vjp = function(run, f, x)
    local ok, y, pull = run:call('vjp', func.vjp, f, x)
    if ok and type(pull) == 'function' then run:call('pull', pull, chance(4) and values.tensor() or y) end
  end,
  jvp = function(run, f, x) return run:call('jvp', func.jvp, f, {x}, {chance(6) and values.tensor() or torch.ones_like(x)}) end,
  jacrev = function(run, f, x) return run:call('jacrev', func.jacrev(f), x) end,
  jacfwd = function(run, f, x) return run:call('jacfwd', func.jacfwd(f), x) end,
  hessian = function(run, f, x) return run:call('hessian', func.hessian(function(a) return f(a):sum() end), x) end,
  checkpoint = function(run, f, x)
    local leaf_of = x:is_floating_point() and x:detach():requires_grad_() or x
    local ok, y = run:call('checkpoint', torch.utils.checkpoint.checkpoint, f, leaf_of)
    if ok and torch.is_tensor(y) then run:call('backward', function() y:sum():backward() end) end
  end,
  jacobian = function(run, f, x) return run:call('jacobian', torch.autograd.functional.jacobian, f, x) end,
}
local transform_names = {}
for name in values.sorted(transforms) do transform_names[#transform_names + 1] = name end

function M.transforms(run)
  local f, x = body(run)
  if x:numel() > 64 then return some_calls(run) end
  for _ = 1, random(3) do
    local name = one_of(transform_names)
    run:call(name, transforms[name], run, f, x:detach())
  end
end

-- ---- Views -----------------------------------------------------------------------------------------------------------

local function dim(x) return chance(16) and values.of_kind('integer') or random(math.max(1, x:dim())) end
local function at(x, d)
  local ok, n = pcall(x.size, x, d)
  return chance(16) and values.of_kind('integer') or random(math.max(1, ok and n or 1))
end
local views = {
  function(x) return 'transpose', dim(x), dim(x) end,
  function(x) return 'unsqueeze', random(x:dim() + 1) end,
  function() return 'squeeze' end,
  function(x)
    local d = dim(x)
    return 'select', d, at(x, d)
  end,
  function(x)
    local d = dim(x)
    local first = at(x, d)
    return 'narrow', d, first, math.max(0, at(x, d) - first + 1)
  end,
  function(x) return 'expand', random(3), table.unpack(x:size():tolist()) end,
  function(x) return 'as_strided', {random(3), random(0, 3)}, {random(0, 2), chance(16) and values.of_kind('integer') or random(0, 3)}, random(0, 2) end,
  function(x) return 'unfold', dim(x), random(3), random(2) end,
  function() return 'flatten' end,
  function(x) return 'view', chance(2) and -1 or x:size():tolist() end,
  function() return 'view', one_of(values.dtypes) end,
  function() return 'diagonal', random(-2, 2) end,
  function() return 'detach' end,
  function() return 'view_as_real' end,
  function(x) return 'chunk', random(3), dim(x) end,
  function(x) return 'permute', dim(x), dim(x), dim(x) end,
  function() return 't' end,
  function(x) return 'movedim', dim(x), dim(x) end,
}
local writes = {
  function(x) return 'add_', one_of {1, x, values.tensor()} end,
  function(x) return 'copy_', chance(2) and values.tensor() or x:clone() end,
  function() return 'mul_', 0.5 end,
  function() return 'zero_' end,
  function() return 'exp_' end,
  function() return 'resize_', random(0, 8) end,
  function(x) return 'set_', chance(2) and x or values.tensor() end,
  function(x) return 'masked_fill_', x:gt(0), 1 end,
  function(x) return 'sort', dim(x) end,
  function(x) return 'index_fill_', dim(x), torch.tensor {1}, 2 end,
  function(x) return 'cumsum_', dim(x) end,
  function() return 'requires_grad_' end,
  function() return 'detach_' end,
}

local function index_value(x)
  local way = random(8)
  if way == 1 then return at(x, 1) end
  if way == 2 then return {at(x, 1), at(x, 2)} end
  if way == 3 then return {{random(3), random(3)}, {}} end
  if way == 4 then return {{}, torch.randint(1, 3, {2})} end
  if way == 5 then return x:gt(0) end
  if way == 6 then return {'...', torch.newaxis, random(2)} end
  if way == 7 then return {{1, 3, random(0, 3)}} end
  return values.value()
end

function M.views(run)
  local x = values.drawn(one_of {{4, 6}, {2, 3, 4}, {5}, {3, 0}, {1, 1}, {}}, one_of(values.dtypes))
  if chance(2) and x:is_floating_point() then
    x:requires_grad_()
    run:keep(x)
    x = x * 1
  end
  run:keep(x)
  for _ = 1, random(3, 9) do
    local y = one_of(run.pool)
    local way = random(8)
    if way <= 4 then run:method(y, one_of(views)(y))
    elseif way <= 6 then run:method(y, one_of(writes)(y))
    elseif way == 7 then run:call('index', function(i) return y[i] end, index_value(y))
    else run:call('assign', function(i, v) y[i] = v end, index_value(y), chance(2) and 1 or values.value()) end
  end
  run:backward()
end

-- ---- Modes, generators, coroutines, objects --------------------------------------------------------------------------

local modes = {
  function(f) return torch.autocast('cpu', f) end,
  function(f) return torch.autocast('cpu', {dtype = one_of(values.dtypes), cache_enabled = chance(2)}, f) end,
  function(f) return torch.no_grad(f) end,
  function(f) return torch.enable_grad(f) end,
  function(f) return torch.inference_mode(f) end,
  function(f) return torch.autograd.detect_anomaly(f) end,
  function(f) return torch.device('meta'):scope(f) end,
}
function M.modes(run)
  run:call('mode', one_of(modes), function()
    some_calls(run)
    if chance(3) then networks.program(run) end
    if chance(2) then run:backward() end
  end)
  run:backward()
end

function M.generators(run)
  local ok, g = run:call('Generator', torch.Generator)
  for _ = 1, ok and random(2, 6) or 0 do
    local way = random(6)
    if way == 1 then run:method(g, 'manual_seed', chance(2) and values.of_kind('integer') or values.value())
    elseif way == 2 then run:method(g, one_of {'seed', 'initial_seed', 'get_state'})
    elseif way == 3 then run:method(g, 'set_state', chance(2) and g:get_state() or values.value())
    else
      operators.generator = g
      local entry = one_of(operators.entries)
      for _ = 1, 40 do
        if entry.form.random then break end
        entry = one_of(operators.entries)
      end
      operators.step(run, entry, operators.arguments(entry, run.pool))
      operators.generator = nil
    end
  end
  run:call('set_rng_state', torch.set_rng_state, chance(2) and torch.get_rng_state() or values.tensor())
end

-- Two programs by turns.
function M.coroutines(run)
  local threads = {}
  for i = 1, random(2, 3) do
    local f, x = body(run)
    threads[i] = coroutine.wrap(function()
      for _ = 1, random(4) do
        x = chance(2) and f(x) or x
        coroutine.yield(x)
        if torch.is_tensor(x) and x.requires_grad and chance(3) then x:sum():backward() end
      end
      if chance(4) then return torch.no_grad(function() coroutine.yield(x) end) end
    end)
  end
  for _ = 1, random(2, 9) do run:call('resume', one_of(threads)) end
  if chance(64) then collectgarbage() end
end

-- Any method of any object that a program comes by.
local registry = require 'luth.registry'
local classes = registry.classes()
local makers = {
  function() return torch.Generator() end,
  function() return torch.float32 end,
  function() return torch.device('cpu') end,
  function() return torch.ones(2, 3):size() end,
  function() return (leaf() * 2).grad_fn end,
  function() return leaf():register_hook(function() end) end,
  function() return optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) end,
  function() return optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}).param_groups end,
  function() return data.TensorDataset(torch.ones(3)) end,
  function() return data.DataLoader(data.TensorDataset(torch.ones(3))) end,
  function() return nn.Linear(2, 3) end,
  function() return nn.Sequential(nn.Linear(2, 3), nn.ReLU()) end,
  function() return nn.ModuleList({nn.Linear(2, 3)}) end,
  function() return nn.ModuleDict({a = nn.Linear(2, 3)}) end,
  function() return nn.ParameterList({nn.Parameter(torch.ones(2))}) end,
  function() return nn.ParameterDict({a = nn.Parameter(torch.ones(2))}) end,
  function() return torch.distributions.Normal(0, 1) end,
  function() return torch.distributions.Categorical({probs = torch.ones(3)}) end,
  function() return torch.autograd.Function('F') end,
  function() return nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), {3, 2}) end,
  function() return torch.finfo(torch.float32) end,
  function() return torch.no_grad() end,
}
local method_names = {}
for _, methods in values.sorted(classes) do
  for name in values.sorted(methods) do
    if type(name) == 'string' and not name:find('^__gc') and name ~= '__close' and name ~= 'new' then method_names[#method_names + 1] = name end
  end
end
local other_names = {'__index', '__newindex', '__len', '__tostring', '__eq', '__concat', '__pairs', '__call'}

local function names_of(object)
  local meta = debug.getmetatable(object)
  local methods = meta and classes[rawget(meta, '__name')] or nil
  local list = {}
  for name in values.sorted(type(methods) == 'table' and methods or {}) do
    if type(name) == 'string' and name:sub(1, 2) ~= '__' then list[#list + 1] = name end
  end
  return #list > 0 and list or networks.methods
end

function M.objects(run)
  local object = one_of(makers)()
  local names = names_of(object)
  for _ = 1, random(2, 6) do
    local way = random(10)
    if way == 1 then run:call('index', function(k) return object[k] end, values.value())
    elseif way == 2 then run:call('assign', function(k, v) object[k] = v end, chance(2) and one_of(names) or values.value(), values.value())
    elseif way == 3 then
      local meta, name = debug.getmetatable(object), one_of(other_names)
      local f = type(meta) == 'table' and rawget(meta, name)
      if type(f) == 'function' then run:call(name, f, chance(4) and values.value() or object, values.value(), values.value()) end
    elseif way == 4 then run:method(object, one_of(method_names), values.value())
    else
      local args, n = values.arguments(chance(2) and {torch.float32, {3}} or nil)
      if chance(4) then
        n = n + 1
        args[n] = values.callback(run.pool)
      end
      run:method(object, one_of(names), table.unpack(args, 1, n))
    end
  end
  if chance(64) then collectgarbage() end
end

return M
