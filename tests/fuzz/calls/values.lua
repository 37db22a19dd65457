-- Random values for arguments: tensors of many layouts and dtypes, numbers at the edges, lists, functions that do harm.
local M = {}
local random = math.random

function M.one_of(list) return list[random(#list)] end
function M.chance(n) return random(n) == 1 end
local one_of, chance = M.one_of, M.chance


--- The pairs of a table in an order that every run has.
function M.sorted(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local i = 0
  return function()
    i = i + 1
    return keys[i], t[keys[i]]
  end
end

M.dtypes = {torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int64, torch.int32,
  torch.int16, torch.int8, torch.uint8, torch.bool, torch.bool}
M.floats = {torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16}
M.shapes = {{}, {0}, {1}, {3}, {3}, {3, 3}, {3, 3}, {2, 3}, {3, 2}, {2, 3, 3}, {1, 3}, {2, 0, 3}, {1, 2, 3, 3}, {2, 1, 3, 3, 3}}
M.integers = {0, 1, 1, 2, 2, 3, -1, -1, -2, 4, 9, -7, 1 << 31, -(1 << 31), 1 << 50, 1 << 53, 1 << 62, math.maxinteger, math.mininteger}
M.numbers = {0.0, 0.5, 1.0, -1.5, 3.0, 1e300, -0.0, 2.0^53, 1 / 0, -1 / 0, 0 / 0}
M.texts = {'', 'mean', 'sum', 'none', 'constant', 'reflect', 'bilinear', 'nearest', 'fro', 'nuc', 'ij', 'ij,jk->ik', 'ii->i', 'same',
  'cpu', 'meta', 'float32', 'replicate', 'circular', 'amax', 'prod', 'tanh', 'left', '\0'}
M.names = {'dim', 'dim', 'keepdim', 'dtype', 'input', 'other', 'out', 'index', 'size', 'weight', 'bias', 'mode', 'reduction', 'alpha',
  'value', 'min', 'max', 'stride', 'padding', 'kernel_size', 'output_size', 'requires_grad', 'device', 'generator', 'nosuch', 'p', 'eps'}
M.most_elements = 4096  -- of a tensor that is used again

-- ---- Tensors ---------------------------------------------------------------------------------------------------------

-- The same values in memory that is no row-major block, or the first row again and again.
function M.relaid(x)
  if x:dim() == 0 or x:numel() > M.most_elements then return x end
  local way = random(5)
  if way == 1 then return x:transpose(1, -1):contiguous():transpose(1, -1) end
  if way == 2 then return torch.stack({x, x}, -1):select(-1, 2) end
  if way == 3 then return torch.cat({x, x}, 1):narrow(1, 1 + x:size(1), x:size(1)) end
  if way == 4 and x:size(1) > 0 then return x:narrow(1, 1, 1):expand_as(x) end
  if way == 5 and x:dim() > 1 then return x:transpose(1, 2):contiguous():transpose(1, 2) end
  return x
end

function M.drawn(shape, dtype, lo, hi)
  local x = torch.empty(shape, {dtype = torch.float64}):uniform_(lo or -2, hi or 4)
  return dtype == torch.float64 and x or x:to(dtype)
end

-- fitting: {dtype, shape} of the tensors of a call that is likely to fit; nil: anything goes.
function M.tensor(fitting)
  local dtype, shape = one_of(M.dtypes), one_of(M.shapes)
  if fitting and random(5) > 1 then dtype, shape = fitting[1], fitting[2] end
  local x = M.drawn(shape, dtype)
  if chance(4) then x = M.relaid(x) end
  if x:dim() > 0 and chance(8) then x = x:unsqueeze(1):expand(2, table.unpack(x:size():tolist())) end
  if x:is_floating_point() and chance(6) then x = x:detach():requires_grad_() end
  return x
end

-- ---- Any value -------------------------------------------------------------------------------------------------------

local function list(least, most, make)
  return function(...)
    local t = {}
    for i = 1, random(least, most) do t[i] = make(...) end
    return t
  end
end
local makers, likely
function M.value(fitting) return one_of(fitting and likely or makers)(fitting) end

local function integer() return one_of(M.integers) end
local function small() return random(3) end
local function number() return one_of(M.numbers) end
local function boolean() return chance(2) end
makers = {
  M.tensor, M.tensor, M.tensor, M.tensor, integer, integer, small, number, boolean,
  function() return one_of(M.texts) end,
  function() return nil end,
  function() return torch.none end,
  function() return one_of(M.dtypes) end,
  list(0, 4, integer),
  list(1, 3, small),
  list(0, 3, M.tensor),
  list(0, 3, M.value),
  function() return type end,
}
likely = {
  M.tensor, M.tensor, M.tensor, small, small, number, boolean, list(2, 2, small), list(2, 2, M.tensor),
  function() return torch.randint(1, 4, one_of(M.shapes)) end,
}

-- Arguments by position and sometimes by name; their number comes second.
function M.arguments(fitting, first)
  local args, n = {first}, first and 1 or 0
  for _ = 1, random(0, 4) do
    n = n + 1
    args[n] = M.value(fitting)
  end
  if chance(fitting and 6 or 3) then
    local named = {}
    for _ = 1, random(3) do named[one_of(M.names)] = M.value(fitting) end
    n = n + 1
    args[n] = named
  end
  return args, n
end

-- By the kind that the registry says a parameter has.
local by_kind = {
  none = function() return nil end,
  boolean = boolean,
  integer = integer,
  number = number,
  scalar = function() return one_of {integer, number, boolean, small}() end,
  text = function() return one_of(M.texts) end,
  ints = function() return chance(3) and integer() or list(0, 4, chance(2) and integer or small)() end,
  numbers = function() return chance(3) and number() or list(0, 4, number)() end,
  dtype = function() return one_of(M.dtypes) end,
  device = function() return one_of {'cpu', 'cpu', 'cpu', 'meta', 'cuda', 'nosuch'} end,
  format = function() return one_of {torch.contiguous_format, torch.channels_last, torch.preserve_format, 'nosuch'} end,
  tensor = M.tensor,
}
function M.of_kind(kind) return (by_kind[kind] or M.value)() end

-- ---- Functions that do harm ------------------------------------------------------------------------------------------

local function a_tensor(list) return #list > 0 and one_of(list) or torch.ones(2) end
local harms = {
  function(x) return x:resize_(random(0, 9)) end,
  function(x) return x:set_() end,
  function(x, y) return x:set_(y) end,
  function(x) return x:free() end,
  function(x, y) x.data = y end,
  function(x) return x:zero_() end,
  function(x) return x:fill_(0 / 0) end,
  function(x) return x:detach_() end,
  function(x) return x:requires_grad_(chance(2)) end,
  function(x) x.grad = nil end,
  function(x, y) x.grad = y end,
  function(x) return x:t_() end,
  function(x, y) return x:resize_as_(y) end,
  function(x, y) return x:add_(y) end,
  function(x) return x:sum():backward() end,
  function(x, y) return torch.autograd.grad(x:sum(), y, {allow_unused = true}) end,
  function(x) return x:register_hook(function(g) return g * 2 end) end,
  function() if chance(16) then collectgarbage() end end,
  function() error('harm') end,
  function() error({}) end,
  function() error() end,
  function() coroutine.yield(1) end,
  function() coroutine.wrap(function() coroutine.yield(torch.ones(1)) end)() end,
}

-- A function that sometimes harms one of the objects, and returns what it got, one of them or anything.
function M.callback(objects)
  local depth = 0
  return function(...)
    if depth > 3 then return ... end
    depth = depth + 1
    if chance(4) then
      local ok, why = pcall(one_of(harms), a_tensor(objects), a_tensor(objects))
      if not ok and chance(2) then
        depth = depth - 1
        error(why, 0)
      end
    end
    depth = depth - 1
    local way = random(12)
    if way == 1 then return nil end
    if way == 2 then return M.value() end
    if way == 3 then return a_tensor(objects) end
    if way == 4 then return (...), M.value() end
    return ...
  end
end

-- Harms one of the objects, as a step of its own.
function M.harm(objects) return one_of(harms)(a_tensor(objects), a_tensor(objects)) end

return M
