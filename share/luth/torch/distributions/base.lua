-- Classes of distributions: arguments, fields that are computed when they are read, shapes, checks of values.
local arguments = require 'luth.torch.arguments'

local M = {}
local fail = arguments.fail

-- ---- Shapes ---------------------------------------------------------------------------------------------------------

-- The dims of several shapes, one after the other.
function M.join(...)
  local all = {}
  for _, shape in ipairs { ... } do
    for d = 1, #shape do all[#all + 1] = shape[d] end
  end
  return torch.Size(all)
end

-- The dims from first to last of a shape.
function M.part(shape, first, last)
  local dims = {}
  for d = first, last do dims[#dims + 1] = shape[d] end
  return torch.Size(dims)
end

-- The sum over the last n dims.
function M.sum_last(x, n)
  local dims = {}
  for d = 1, n do dims[d] = -d end
  return n > 0 and x:sum(dims) or x
end

-- ---- Constraints ----------------------------------------------------------------------------------------------------
-- {text, check, event_dim}: check(x) gives a mask, from which the last event_dim dims of x are gone.

local function constraint(text, check, event_dim) return { text = text, check = check, event_dim = event_dim or 0 } end
local function integer(x) return x:eq(x:floor()) end

-- `inner` for all elements of the last dim.
local function over_vector(inner, text)
  return constraint(text, function(x) return inner.check(x):all(-1, true):squeeze(-1) end, 1)
end
local function simplex(x) return x:ge(0):all(-1, true):squeeze(-1) & (x:sum(-1) - 1):abs():lt(1e-6) end
local function symmetric(x) return x:isclose(x.mT, { atol = 1e-6 }):flatten(-2):all(-1, true):squeeze(-1) end
local function definite(x)
  local _, info = torch.linalg.cholesky_ex(x)
  return symmetric(x) & info:eq(0)
end
local function triangle(x)
  local lower = x:tril():eq(x):flatten(-2):all(-1, true):squeeze(-1)
  return lower & x:diagonal { dim1 = -2, dim2 = -1 }:gt(0):all(-1, true):squeeze(-1)
end

local real = constraint('a number', function(x) return x:eq(x) end)
local positive = constraint('above 0', function(x) return x:gt(0) end)
M.constraints = {
  real = real,
  positive = positive,
  nonnegative = constraint('at least 0', function(x) return x:ge(0) end),
  unit_interval = constraint('from 0 to 1', function(x) return x:ge(0) & x:le(1) end),
  boolean = constraint('0 or 1', function(x) return x:eq(0) | x:eq(1) end),
  count = constraint('an integer from 0', function(x) return x:ge(0) & integer(x) end),
  real_vector = over_vector(real, 'vectors of numbers'),
  positive_vector = over_vector(positive, 'vectors of numbers above 0'),
  simplex = constraint('vectors of numbers from 0 whose sum is 1', simplex, 1),
  one_hot = constraint('vectors with a single 1 and else 0', function(x)
    return (x:eq(0) | x:eq(1)):all(-1, true):squeeze(-1) & x:sum(-1):eq(1)
  end, 1),
  positive_definite = constraint('symmetric positive definite matrices', definite, 2),
  lower_cholesky = constraint('lower triangular matrices with a diagonal above 0', triangle, 2),
}
function M.interval(low, high)
  return constraint('within the bounds of the distribution', function(x) return x:ge(low) & x:le(high) end)
end
function M.integer_interval(low, high)
  return constraint('an integer within the bounds of the distribution', function(x)
    return x:ge(low) & x:le(high) & integer(x)
  end)
end

-- Raises an error unless all of x obeys the constraint.
function M.check(name, what, c, x)
  if x:dim() < c.event_dim then
    fail(name, '%s must be %s, got a tensor of %d dims', what, c.text, x:dim())
  end
  local mask = c.check(x)
  if mask:all() then return end
  local got = ''
  if c.event_dim == 0 then
    local good, all = torch.broadcast_tensors(mask, x)
    got = ', got ' .. tostring(all:masked_select(~good)[1]:item())
  end
  fail(name, '%s must be %s%s', what, c.text, got)
end

-- ---- Arguments ------------------------------------------------------------------------------------------------------

-- Numbers, lists and tensors as tensors of one dtype, broadcast to one shape. nil stays nil.
function M.broadcast(name, values, n)
  local like
  for i = 1, n do
    if torch.is_tensor(values[i]) then like = like or values[i] end
  end
  local list, at = {}, {}
  for i = 1, n do
    local v = values[i]
    if v ~= nil and type(v) ~= 'number' and type(v) ~= 'table' and not torch.is_tensor(v) then
      fail(name, 'parameters are numbers or tensors, got %s', torch.typename(v) or type(v))
    end
    if v ~= nil then
      list[#list + 1] = torch.is_tensor(v) and v
        or torch.tensor(v, { dtype = like and like:is_floating_point() and like.dtype or torch.get_default_dtype(), device = like and like.device })
      at[#list] = i
    end
  end
  local out = {}
  for k, t in ipairs { torch.broadcast_tensors(list) } do out[at[k]] = t end
  return table.unpack(out, 1, n)
end

-- A shape given as numbers, a table or a Size.
function M.shape(name, ...)
  local first = ...
  if select('#', ...) == 0 or first == nil then return torch.Size {} end
  if type(first) == 'table' and first.sample_shape then first = first.sample_shape end
  local list = type(first) == 'number' and { ... } or first
  local ok, size = pcall(torch.Size, list)
  if not ok then fail(name, 'expects a shape such as {2, 3}, got %s', torch.typename(first) or type(first)) end
  return size
end

-- ---- Classes --------------------------------------------------------------------------------------------------------

local Distribution = { name = 'Distribution', get = {}, parameters = {} }
M.Distribution = Distribution

local function unknown(self, what) fail(self.class.name, 'has no %s in closed form', what) end
for _, name in ipairs { 'log_prob', 'entropy', 'cdf', 'icdf', 'enumerate_support' } do
  Distribution[name] = function(self) unknown(self, name) end
end
for _, name in ipairs { 'mean', 'variance', 'mode' } do
  Distribution.get[name] = function(self) unknown(self, name) end
end
function Distribution:rsample() fail(self.class.name, 'has no rsample: its samples have no derivative; use sample') end
function Distribution.get.stddev(self) return self.variance:sqrt() end
function Distribution.get.has_rsample(self) return self.class.rsample ~= Distribution.rsample end
function Distribution.get.has_enumerate_support(self)
  return self.class.enumerate_support ~= Distribution.enumerate_support
end
function Distribution:perplexity() return self:entropy():exp() end

function Distribution:sample(...)
  local shape = table.pack(...)
  return torch.no_grad(function() return self:rsample(table.unpack(shape, 1, shape.n)) end)
end

-- sample_shape, batch_shape and event_shape.
function Distribution:extended(name, ...) return M.join(M.shape(name, ...), self.batch_shape, self.event_shape) end

-- An argument that is a number or a tensor, as a tensor.
function Distribution:tensor_for(name, value)
  if type(value) == 'number' then return torch.tensor(value, { dtype = torch.get_default_dtype() }) end
  if torch.is_tensor(value) then return value end
  fail(self.class.name .. ':' .. name, 'expects a tensor, got %s', torch.typename(value) or type(value))
end

-- The value as a tensor, checked if validate_args.
function Distribution:checked(name, value)
  value = self:tensor_for(name, value)
  name = self.class.name .. ':' .. name
  if not self.validate then return value end
  local own = M.join(self.batch_shape, self.event_shape)
  local events = #self.event_shape
  for i = 1, math.min(#own, value:dim()) do
    local a, b = own[#own + 1 - i], value:size(-i)
    if a ~= b and (i <= events or a ~= 1 and b ~= 1) then
      fail(name, 'a value of shape %s does not fit to batch_shape %s and event_shape %s', tostring(value:size()):match('%[.*'):sub(1, -2),
        tostring(self.batch_shape):match('%[.*'):sub(1, -2), tostring(self.event_shape):match('%[.*'):sub(1, -2))
    end
  end
  if value:dim() < events then
    fail(name, 'a value has at least the %d dims of event_shape, got %d', events, value:dim())
  end
  M.check(name, 'the value', self.support, value)
  return value
end

-- The same distribution over a larger batch: each parameter as a view.
function Distribution:expand(...)
  local batch = M.shape(self.class.name .. ':expand', ...)
  local new = setmetatable({ class = self.class, validate = self.validate, event_shape = self.event_shape }, getmetatable(self))
  for name, c in pairs(self.class.parameters) do
    local p = rawget(self, name)
    if p then new[name] = p:expand(M.join(batch, M.part(p:size(), p:dim() - c.event_dim + 1, p:dim()))) end
  end
  new.batch_shape = batch
  return new
end

local function text(self)
  local parts = {}
  for _, name in ipairs(self.class.arguments) do
    local p = rawget(self, name == 'base_distribution' and 'base_dist' or name)
    if torch.is_tensor(p) then
      parts[#parts + 1] = name .. ': ' .. (p:numel() == 1 and tostring(p:item()) or tostring(p:size()))
    elseif type(p) == 'table' and p[1] then
      for i, t in ipairs(p) do parts[#parts + i] = tostring(t) end
    elseif p then
      parts[#parts + 1] = tostring(p)
    end
  end
  return self.class.name .. '(' .. table.concat(parts, ', ') .. ')'
end

local function is_instance(self, class)
  local c = self.class
  while c do
    if c == class or rawget(torch.distributions, c.name) == class then return true end
    c = c.base
  end
  return false
end

local function index(self, key)
  local class = rawget(self, 'class')
  local method = class[key]
  if method ~= nil then return method end
  local getter = class.get[key]
  if getter then return getter(self) end
  if type(key) == 'string' and not key:find('^__') then fail(class.name, "has no field or method '%s'", key) end
end

local function construct(class, ...)
  local names = { table.unpack(class.arguments) }
  names[#names + 1] = 'validate_args'
  local a = arguments.read(class.name, names, class.required, ...)
  local self = setmetatable({ class = class, validate = a.validate_args ~= false, event_shape = torch.Size {} }, class.instance)
  self:init(a)
  for name, c in pairs(self.validate and class.parameters or {}) do
    local p = rawget(self, name)
    if p then M.check(class.name, name, c, p) end
  end
  if self.validate and self.accepts then self:accepts() end
  return self
end

-- A class: `names` of its arguments in PyTorch's order, of which the first `required` must be given, and the constraints
-- of its parameters by name. It gets `init`, methods, `get` (fields computed from others) and `support`.
function M.class(name, names, required, parameters, base)
  base = base or Distribution
  local class = { name = name, base = base, arguments = names, required = required, parameters = parameters }
  class.get = setmetatable({}, { __index = base.get })
  class.accepts = false
  local typename = 'torch.distributions.' .. name
  class.instance = {
    __index = index, __tostring = text, __name = typename, __typename = typename, __isinstance = is_instance,
  }
  return setmetatable(class, { __index = base, __call = construct })
end

-- A class all of whose parameters are broadcast to batch_shape.
function M.simple(name, names, required, parameters, defaults)
  local class = M.class(name, names, required, parameters)
  function class:init(a)
    local values = {}
    for i, key in ipairs(names) do
      values[i] = a[key]
      if values[i] == nil then values[i] = defaults and defaults[i] end
    end
    values = table.pack(M.broadcast(name, values, #names))
    for i, key in ipairs(names) do self[key] = values[i] end
    self.batch_shape = values[1]:size()
  end
  return class
end

return M
