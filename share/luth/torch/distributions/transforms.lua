-- Maps of numbers with their inverses and the logarithms of their slopes, and the distributions that they make.
local base = require 'luth.torch.distributions.base'
local arguments = require 'luth.torch.arguments'

local M = {}

-- ---- Transforms -----------------------------------------------------------------------------------------------------

-- A transform has forward(x), inverse(y), slope(x, y) = log |dy/dx| (per event), `sign` of the slope, `event_dim`: how
-- many dims of x it maps together, and `codomain`: what y is.
local is = base.constraints
local Transform = { event_dim = 0, sign = 1, bijective = true, codomain = is.real }

function Transform:log_abs_det_jacobian(x, y) return self:slope(x, y) end
function Transform:slope() arguments.fail(self.name, 'is not bijective: it has no log_abs_det_jacobian') end
function Transform:forward_shape(shape) return shape end

local function call(self, x)
  if not torch.is_tensor(x) then arguments.fail(self.name, 'expects a tensor, got %s', torch.typename(x) or type(x)) end
  return self:forward(x)
end

-- inv of a transform is a transform with the two directions exchanged.
local Inverse = setmetatable({ name = 'InverseTransform' }, { __index = Transform })
function Inverse:forward(y) return self.of:inverse(y) end
function Inverse:inverse(x) return self.of:forward(x) end
function Inverse:slope(y, x) return -self.of:slope(x, y) end
function Inverse:forward_shape(shape) return self.of:forward_shape(shape) end

local function text(self)
  local parts = {}
  for _, name in ipairs(self.arguments or {}) do
    local v = self[name]
    parts[#parts + 1] = torch.is_tensor(v) and v:numel() > 1 and name .. ': ' .. tostring(v:size()) or
      name .. '=' .. tostring(torch.is_tensor(v) and v:item() or v)
  end
  return self.name .. '(' .. table.concat(parts, ', ') .. ')'
end
local instances = setmetatable({}, { __mode = 'k' })
local function instance(class)
  instances[class] = instances[class] or {
    __call = call, __tostring = text, __name = 'torch.distributions.' .. class.name, __typename = 'torch.distributions.' .. class.name,
    __isinstance = function(self, of) return self.class == of or rawget(torch.distributions, self.name) == of end,
    __index = function(self, key)
      if key ~= 'inv' then return class[key] end
      if self.of then return self.of end
      return setmetatable({ of = self, class = Inverse, event_dim = self.event_dim, sign = self.sign, bijective = self.bijective }, instance(Inverse))
    end,
  }
  return instances[class]
end

local function class(name, names, required)
  local c = setmetatable({ name = name, arguments = names or {} }, {
    __index = Transform,
    __call = function(c, ...)
      local self = setmetatable({ class = c }, instance(c))
      for key, value in pairs(arguments.read(name, c.arguments, required or 0, ...)) do self[key] = value end
      if c.init then c.init(self) end
      return self
    end,
  })
  M[name] = c
  return c
end

local Exp = class('ExpTransform')
Exp.codomain = is.positive
function Exp:forward(x) return x:exp() end
function Exp:inverse(y) return y:log() end
function Exp:slope(x) return x end

local Power = class('PowerTransform', { 'exponent' }, 1)
Power.codomain = is.positive
function Power:init()
  self.exponent = base.broadcast(self.name, { self.exponent }, 1)
  self.sign = self.exponent:sign()
end
function Power:forward(x) return x ^ self.exponent end
function Power:inverse(y) return y ^ (1 / self.exponent) end
function Power:slope(x, y) return (self.exponent * y / x):abs():log() end
function Power:forward_shape(shape) return torch.broadcast_shapes(shape, self.exponent:size()) end

local Sigmoid = class('SigmoidTransform')
Sigmoid.codomain = is.unit_interval
function Sigmoid:forward(x)
  local f = torch.finfo(x.dtype)
  return x:sigmoid():clamp { min = f.tiny, max = 1 - f.eps }
end
function Sigmoid:inverse(y)
  local f = torch.finfo(y.dtype)
  y = y:clamp { min = f.tiny, max = 1 - f.eps }
  return y:log() - torch.log1p(-y)
end
function Sigmoid:slope(x) return -F.softplus(-x) - F.softplus(x) end

local Tanh = class('TanhTransform')
Tanh.codomain = base.interval(-1, 1)
function Tanh:forward(x) return x:tanh() end
function Tanh:inverse(y) return y:atanh() end
function Tanh:slope(x) return 2 * (math.log(2) - x - F.softplus(-2 * x)) end

local Softplus = class('SoftplusTransform')
Softplus.codomain = is.positive
function Softplus:forward(x) return F.softplus(x) end
function Softplus:inverse(y) return (-(-y):expm1()):log() + y end
function Softplus:slope(x) return -F.softplus(-x) end

local Abs = class('AbsTransform')
Abs.bijective, Abs.sign, Abs.codomain = false, false, is.nonnegative
function Abs:forward(x) return x:abs() end
function Abs:inverse(y) return y end

local Affine = class('AffineTransform', { 'loc', 'scale', 'event_dim' }, 2)
function Affine:init()
  self.loc, self.scale = base.broadcast(self.name, { self.loc, self.scale }, 2)
  self.event_dim, self.sign = self.event_dim or 0, self.scale:sign()
end
function Affine:forward(x) return self.loc + self.scale * x end
function Affine:inverse(y) return (y - self.loc) / self.scale end
function Affine:slope(x) return base.sum_last(self.scale:abs():log() + torch.zeros_like(x), self.event_dim) end
function Affine:forward_shape(shape) return torch.broadcast_shapes(shape, self.loc:size()) end

local Softmax = class('SoftmaxTransform')
Softmax.event_dim, Softmax.bijective, Softmax.sign, Softmax.codomain = 1, false, false, is.simplex
function Softmax:forward(x) return x:softmax(-1) end
function Softmax:inverse(y) return y:log() end

local function check_parts(name, parts)
  if type(parts) ~= 'table' then arguments.fail(name, 'expects a list of transforms, got %s', type(parts)) end
  for i, t in ipairs(parts) do
    if type(t) ~= 'table' or not rawget(t, 'class') or not t.forward then arguments.fail(name, 'element %d of the list is no transform', i) end
  end
end

local Compose = class('ComposeTransform', { 'parts' }, 1)
function Compose:init()
  check_parts(self.name, self.parts)
  self.event_dim, self.sign = 0, 1
  for _, t in ipairs(self.parts) do
    self.event_dim = math.max(self.event_dim, t.event_dim)
    self.sign = self.sign and t.sign and self.sign * t.sign
    self.bijective, self.codomain = rawget(self, 'bijective') ~= false and t.bijective, t.codomain
  end
end
function Compose:forward(x)
  for _, t in ipairs(self.parts) do x = t:forward(x) end
  return x
end
function Compose:inverse(y)
  for i = #self.parts, 1, -1 do y = self.parts[i]:inverse(y) end
  return y
end
function Compose:slope(x)
  local total
  for _, t in ipairs(self.parts) do
    local y = t:forward(x)
    local one = base.sum_last(t:slope(x, y), self.event_dim - t.event_dim)
    total, x = total and total + one or one, y
  end
  return total or base.sum_last(torch.zeros_like(x), self.event_dim)
end
function Compose:forward_shape(shape)
  for _, t in ipairs(self.parts) do shape = t:forward_shape(shape) end
  return shape
end

-- ---- Independent ----------------------------------------------------------------------------------------------------

local Independent = base.class('Independent', { 'base_distribution', 'reinterpreted_batch_ndims' }, 2, {})
M.Independent = Independent

local function is_distribution(name, d)
  if type(d) ~= 'table' or not rawget(d, 'batch_shape') then arguments.fail(name, 'base_distribution must be a distribution, got %s', torch.typename(d) or type(d)) end
  return d
end

function Independent:init(a)
  local d, n = is_distribution('Independent', a.base_distribution), a.reinterpreted_batch_ndims
  local dims = #d.batch_shape
  if math.type(n) ~= 'integer' or n < 0 or n > dims then
    arguments.fail('Independent', 'reinterpreted_batch_ndims must be from 0 to the %d dims of batch_shape, got %s', dims, tostring(n))
  end
  self.base_dist, self.reinterpreted_batch_ndims = d, n
  self.batch_shape = base.part(d.batch_shape, 1, dims - n)
  self.event_shape = base.join(base.part(d.batch_shape, dims - n + 1, dims), d.event_shape)
end
function Independent:expand(...)
  local batch = base.shape('Independent:expand', ...)
  local n = self.reinterpreted_batch_ndims
  local d = self.base_dist:expand(base.join(batch, base.part(self.event_shape, 1, n)))
  return Independent(d, n, { validate_args = self.validate })
end
for _, name in ipairs { 'mean', 'variance', 'stddev', 'mode', 'has_rsample' } do
  Independent.get[name] = function(d) return d.base_dist[name] end
end
function Independent.get.support(d)
  local inner, n = d.base_dist.support, d.reinterpreted_batch_ndims
  local function check(x)
    local mask = inner.check(x)
    for _ = 1, n do mask = mask:all(-1, true):squeeze(-1) end
    return mask
  end
  return { text = inner.text, check = check, event_dim = inner.event_dim + n }
end
function Independent:sample(...) return self.base_dist:sample(...) end
function Independent:rsample(...) return self.base_dist:rsample(...) end
function Independent:log_prob(value)
  return base.sum_last(self.base_dist:log_prob(value), self.reinterpreted_batch_ndims)
end
function Independent:entropy() return base.sum_last(self.base_dist:entropy(), self.reinterpreted_batch_ndims) end

-- ---- TransformedDistribution ----------------------------------------------------------------------------------------

local Transformed = base.class('TransformedDistribution', { 'base_distribution', 'transforms' }, 2, {})
M.TransformedDistribution = Transformed

function Transformed:init(a)
  local d = is_distribution(self.class.name, a.base_distribution)
  local list = type(a.transforms) == 'table' and rawget(a.transforms, 'class') and { a.transforms } or a.transforms
  check_parts(self.class.name, list)
  local all = Compose(list)
  local shape = all:forward_shape(base.join(d.batch_shape, d.event_shape))
  if #shape < all.event_dim then
    arguments.fail(self.class.name, 'the transforms need events of %d dims, the distribution has shape %s', all.event_dim, tostring(shape))
  end
  d = d:expand(base.part(shape, 1, #shape - #d.event_shape))
  if all.event_dim > #d.event_shape then d = Independent(d, all.event_dim - #d.event_shape) end
  self.base_dist, self.transforms, self.map = d, list, all
  self.batch_shape, self.event_shape = d.batch_shape, d.event_shape
end
function Transformed:expand(...)
  local new = setmetatable({}, getmetatable(self))
  for key, value in pairs(self) do new[key] = value end
  new.base_dist = self.base_dist:expand(base.shape(self.class.name .. ':expand', ...))
  new.batch_shape = new.base_dist.batch_shape
  return new
end
function Transformed.get.has_rsample(d) return d.base_dist.has_rsample end
function Transformed.get.support(d) return d.map.codomain end
function Transformed:sample(...)
  local shape = table.pack(...)
  return torch.no_grad(function() return self.map:forward(self.base_dist:sample(table.unpack(shape, 1, shape.n))) end)
end
function Transformed:rsample(...) return self.map:forward(self.base_dist:rsample(...)) end
function Transformed:log_prob(value)
  local y, total, events = self:checked('log_prob', value), 0, #self.event_shape
  for i = #self.transforms, 1, -1 do
    local t = self.transforms[i]
    local x = t:inverse(y)
    total, y = total - base.sum_last(t:slope(x, y), events - t.event_dim), x
  end
  return total + base.sum_last(self.base_dist:log_prob(y), events - #self.base_dist.event_shape)
end
-- Where the map falls, the probability of what is below is that of what is above.
local function turned(self, name, p)
  if not self.map.sign then arguments.fail(self.class.name, 'has no %s in closed form', name) end
  return self.map.sign * (p - 0.5) + 0.5
end
function Transformed:cdf(value)
  return turned(self, 'cdf', self.base_dist:cdf(self.map:inverse(self:checked('cdf', value))))
end
function Transformed:icdf(p) return self.map:forward(self.base_dist:icdf(turned(self, 'icdf', self:tensor_for('icdf', p)))) end

-- ---- LogNormal ------------------------------------------------------------------------------------------------------

local LogNormal = base.class('LogNormal', { 'loc', 'scale' }, 2, {}, Transformed)
M.LogNormal = LogNormal
LogNormal.support = is.positive
function LogNormal:init(a)
  local normal = require('luth.torch.distributions.continuous').Normal
  Transformed.init(self, { base_distribution = normal(a.loc, a.scale, { validate_args = self.validate }), transforms = { Exp() } })
end
function LogNormal.get.loc(d) return d.base_dist.loc end
function LogNormal.get.scale(d) return d.base_dist.scale end
function LogNormal.get.mean(d) return (d.loc + d.scale ^ 2 / 2):exp() end
function LogNormal.get.mode(d) return (d.loc - d.scale ^ 2):exp() end
function LogNormal.get.variance(d)
  local s = d.scale ^ 2
  return s:expm1() * (2 * d.loc + s):exp()
end
function LogNormal:entropy() return self.base_dist:entropy() + self.loc end

return M
