-- Distributions of counts and labels. Labels count from 1.
local base = require 'luth.torch.distributions.base'
local arguments = require 'luth.torch.arguments'

local M = {}
local is = base.constraints
local nan = math.huge - math.huge

-- Exactly one of probs and logits: its name and tensor, broadcast with `other` where there is one.
local function probs_or_logits(name, a, other)
  if (a.probs == nil) == (a.logits == nil) then arguments.fail(name, 'expects either probs or logits, not both') end
  local given = a.probs ~= nil and 'probs' or 'logits'
  return given, base.broadcast(name, { a[given], other }, other ~= nil and 2 or 1)
end
local function clamped(p)
  local eps = torch.finfo(p.dtype).eps
  return p:clamp { min = eps, max = 1 - eps }
end
local function logits_of(p)
  p = clamped(p)
  return p:log() - torch.log1p(-p)
end
-- The values 0 … n - 1 along a new first dim, then the dims of batch_shape.
local function enumerated(d, values, expand)
  local ones = {}
  for i = 1, #d.batch_shape do ones[i] = 1 end
  values = values:reshape(base.join({ values:size(1) }, ones))
  return expand == false and values or values:expand(base.join({ values:size(1) }, d.batch_shape))
end

-- ---- Bernoulli ------------------------------------------------------------------------------------------------------

local Bernoulli = base.class('Bernoulli', { 'probs', 'logits' }, 0, { probs = is.unit_interval, logits = is.real })
M.Bernoulli = Bernoulli
Bernoulli.support = is.boolean
function Bernoulli:init(a)
  local given, value = probs_or_logits('Bernoulli', a)
  self[given], self.batch_shape = value, value:size()
end
function Bernoulli.get.probs(d) return d.logits:sigmoid() end
function Bernoulli.get.logits(d) return logits_of(d.probs) end
function Bernoulli.get.mean(d) return d.probs end
function Bernoulli.get.mode(d)
  local p = d.probs
  return p:ge(0.5):to(p.dtype):masked_fill(p:eq(0.5), nan)
end
function Bernoulli.get.variance(d) return d.probs * (1 - d.probs) end
function Bernoulli:sample(...)
  local shape = self:extended('sample', ...)
  return torch.no_grad(function() return self.probs:expand(shape):bernoulli() end)
end
function Bernoulli:log_prob(value)
  local logits, v = torch.broadcast_tensors(self.logits, self:checked('log_prob', value))
  return -F.binary_cross_entropy_with_logits(logits, v:to(logits.dtype), { reduction = 'none' })
end
function Bernoulli:entropy()
  return F.binary_cross_entropy_with_logits(self.logits, self.probs, { reduction = 'none' })
end
function Bernoulli:enumerate_support(expand)
  local like = rawget(self, 'probs') or self.logits
  return enumerated(self, torch.tensor({ 0., 1. }, { dtype = like.dtype, device = like.device }), expand)
end

-- ---- Categorical ----------------------------------------------------------------------------------------------------

local Categorical = base.class('Categorical', { 'probs', 'logits' }, 0, { probs = is.simplex, logits = is.real_vector })
M.Categorical = Categorical
function Categorical:init(a)
  local given, value = probs_or_logits(self.class.name, a)
  if value:dim() < 1 then arguments.fail(self.class.name, '%s must have at least one dim', given) end
  if given == 'probs' then
    base.check(self.class.name, 'probs', is.nonnegative, value)
    value = value / value:sum(-1, true)
  else
    value = value - value:logsumexp(-1, true)
  end
  self[given], self.batch_shape = value, base.part(value:size(), 1, value:dim() - 1)
end
function Categorical.get.param(d) return rawget(d, 'probs') or d.logits end
function Categorical.get.num_events(d) return d.param:size(-1) end
function Categorical.get.support(d) return base.integer_interval(1, d.num_events) end
function Categorical.get.probs(d) return d.logits:softmax(-1) end
function Categorical.get.logits(d) return clamped(d.probs):log() end
function Categorical.get.mean(d) return d.param:new_full(d.batch_shape, nan) end
Categorical.get.variance = Categorical.get.mean
function Categorical.get.mode(d) return d.param:argmax(-1) end

-- Labels, of sample_shape and batch_shape.
local function labels(d, shape)
  return torch.no_grad(function()
    local n = shape:numel()
    local drawn = d.probs:detach():reshape(-1, d.num_events):multinomial(n, { replacement = true })
    return drawn:t():reshape(base.join(shape, d.batch_shape))
  end)
end
local function log_prob_of(d, label)
  local logits = d.logits
  local shape = torch.broadcast_shapes(label:size(), d.batch_shape)
  return logits:expand(base.join(shape, { d.num_events })):gather(-1, label:long():expand(shape):unsqueeze(-1)):squeeze(-1)
end
function Categorical:sample(...) return labels(self, base.shape('sample', ...)) end
function Categorical:log_prob(value) return log_prob_of(self, self:checked('log_prob', value)) end
function Categorical:entropy()
  local logits = self.logits
  return -(self.probs * logits:clamp_min(torch.finfo(logits.dtype).min)):sum(-1)
end
function Categorical:enumerate_support(expand)
  return enumerated(self, torch.arange(1, self.num_events + 1, { device = self.param.device }), expand)
end

local OneHot = base.class('OneHotCategorical', { 'probs', 'logits' }, 0, Categorical.parameters, Categorical)
M.OneHotCategorical = OneHot
OneHot.support = is.one_hot
function OneHot:init(a)
  Categorical.init(self, a)
  self.event_shape = torch.Size { self.num_events }
end
function OneHot.get.mean(d) return d.probs end
function OneHot.get.variance(d) return d.probs * (1 - d.probs) end
function OneHot.get.mode(d) return F.one_hot(d.probs:argmax(-1), d.num_events):to(d.param.dtype) end
function OneHot:sample(...)
  return F.one_hot(labels(self, base.shape('sample', ...)), self.num_events):to(self.param.dtype)
end
function OneHot:log_prob(value) return log_prob_of(self, self:checked('log_prob', value):argmax(-1)) end
function OneHot:enumerate_support(expand)
  local n = self.num_events
  local ones = {}
  for i = 1, #self.batch_shape do ones[i] = 1 end
  local all = torch.eye(n, { dtype = self.param.dtype, device = self.param.device }):reshape(base.join({ n }, ones, { n }))
  return expand == false and all or all:expand(base.join({ n }, self.batch_shape, { n }))
end

-- ---- Poisson --------------------------------------------------------------------------------------------------------

local Poisson = base.simple('Poisson', { 'rate' }, 1, { rate = is.nonnegative })
M.Poisson = Poisson
Poisson.support = is.count
function Poisson.get.mean(d) return d.rate end
function Poisson.get.mode(d) return d.rate:floor() end
Poisson.get.variance = Poisson.get.mean
function Poisson:sample(...)
  local shape = self:extended('sample', ...)
  return torch.no_grad(function() return torch.poisson(self.rate:expand(shape)) end)
end
function Poisson:log_prob(value)
  value = self:checked('log_prob', value)
  return torch.xlogy(value, self.rate) - self.rate - (value + 1):lgamma()
end

-- ---- Binomial -------------------------------------------------------------------------------------------------------

local Binomial = base.class('Binomial', { 'total_count', 'probs', 'logits' }, 0,
  { total_count = is.count, probs = is.unit_interval, logits = is.real })
M.Binomial = Binomial
function Binomial:init(a)
  local given, value, count = probs_or_logits('Binomial', a, a.total_count or 1)
  self[given], self.total_count, self.batch_shape = value, count:to(value.dtype), value:size()
end
function Binomial.get.support(d) return base.integer_interval(0, d.total_count) end
Binomial.get.probs, Binomial.get.logits = Bernoulli.get.probs, Bernoulli.get.logits
function Binomial.get.mean(d) return d.total_count * d.probs end
function Binomial.get.mode(d) return torch.minimum(((d.total_count + 1) * d.probs):floor(), d.total_count) end
function Binomial.get.variance(d) return d.total_count * d.probs * (1 - d.probs) end
function Binomial:sample(...)
  local shape = self:extended('sample', ...)
  return torch.no_grad(function() return torch.binomial(self.total_count:expand(shape), self.probs:expand(shape)) end)
end
function Binomial:log_prob(value)
  value = self:checked('log_prob', value)
  local n, logits = self.total_count, self.logits
  local ways = (n + 1):lgamma() - (value + 1):lgamma() - (n - value + 1):lgamma()
  return value * logits + ways - n * F.softplus(logits)
end
function Binomial:entropy()
  local n = math.tointeger(self.total_count:max():item())
  if self.total_count:min():item() ~= n then arguments.fail('Binomial', 'entropy is there for equal total_count only') end
  local values = self:enumerate_support(false)
  local p = Binomial.log_prob(self, values)
  return -(p:exp() * p):sum(1)
end
function Binomial:enumerate_support(expand)
  local n = math.tointeger(self.total_count:max():item())
  if self.total_count:min():item() ~= n then arguments.fail('Binomial', 'enumerate_support is there for equal total_count only') end
  local like = self.total_count
  return enumerated(self, torch.arange(0, n + 1, { dtype = like.dtype, device = like.device }), expand)
end

return M
