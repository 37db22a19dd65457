-- kl_divergence(p, q) for pairs of classes: the mean of log p - log q under p, in nats.
local base = require 'luth.torch.distributions.base'
local continuous = require 'luth.torch.distributions.continuous'
local discrete = require 'luth.torch.distributions.discrete'
local transforms = require 'luth.torch.distributions.transforms'
local arguments = require 'luth.torch.arguments'

local M = {}
local rules = {}  -- class of p -> class of q -> function

-- A class, or the function in torch.distributions that makes it.
local function class_of(c)
  if type(c) == 'table' then return c end
  local all = require 'luth.torch.distributions'
  for name, f in pairs(torch.distributions) do
    if f == c then return all[name] end
  end
end
function M.register_kl(...)
  local a = arguments.read('register_kl', { 'type_p', 'type_q', 'f' }, 3, ...)
  local p, q = class_of(a.type_p), class_of(a.type_q)
  if not p or not q then arguments.fail('register_kl', 'expects two classes of torch.distributions') end
  rules[p] = rules[p] or {}
  rules[p][q] = a.f
end

local function rule(p, q)
  local a = p.class
  while a do
    local b = rules[a] and q.class
    while b do
      if rules[a][b] then return rules[a][b] end
      b = b.base
    end
    a = a.base
  end
end

function M.kl_divergence(...)
  local a = arguments.read('kl_divergence', { 'p', 'q' }, 2, ...)
  for _, name in ipairs { 'p', 'q' } do
    if type(a[name]) ~= 'table' or not rawget(a[name], 'batch_shape') then
      arguments.fail('kl_divergence', '%s must be a distribution, got %s', name, torch.typename(a[name]) or type(a[name]))
    end
  end
  local f = rule(a.p, a.q)
  if not f then arguments.fail('kl_divergence', 'no formula for %s and %s; give one by register_kl', a.p.class.name, a.q.class.name) end
  return f(a.p, a.q)
end

-- ---- Two of one class -----------------------------------------------------------------------------------------------

local function both(class, f) M.register_kl(class, class, f) end
-- t where the mask is false, else `value`.
local function except(t, mask, value) return torch.where(mask, torch.full_like(t, value), t) end

both(continuous.Normal, function(p, q)
  local ratio = (p.scale / q.scale) ^ 2
  return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ^ 2 - 1 - ratio:log())
end)
both(continuous.MultivariateNormal, function(p, q)
  if p.event_shape ~= q.event_shape then
    arguments.fail('kl_divergence', 'events of shape %s and %s', tostring(p.event_shape), tostring(q.event_shape))
  end
  local P, Q = p.scale_tril, q.scale_tril
  local shape = base.join(torch.broadcast_shapes(p.batch_shape, q.batch_shape), { P:size(-1), P:size(-1) })
  local trace = (torch.linalg.solve_triangular(Q:expand(shape), P:expand(shape), { upper = false }) ^ 2):sum { -2, -1 }
  local half = continuous.half_log_det(Q) - continuous.half_log_det(P)
  return half + 0.5 * (trace + continuous.mahalanobis(Q, q.loc - p.loc) - P:size(-1))
end)
-- By logits, which tell probabilities near 1 apart.
local function bernoulli(p, q)
  local a, b = p.probs, q.probs
  local function part(share, other, sign)
    local t = share * (F.softplus(sign * q.logits) - F.softplus(sign * p.logits))
    return except(except(t, other:eq(0), math.huge), share:eq(0), 0.)
  end
  return part(a, b, -1) + part(1 - a, 1 - b, 1)
end
both(discrete.Bernoulli, bernoulli)
both(discrete.Binomial, function(p, q)
  if p.total_count:lt(q.total_count):any() then
    arguments.fail('kl_divergence', 'no formula for a Binomial with a smaller total_count than the other')
  end
  local t = p.total_count * bernoulli(p, q)
  return except(t, p.total_count:gt(q.total_count), math.huge)
end)
both(discrete.Categorical, function(p, q)
  local t = p.probs * (p.logits - q.logits)
  t = except(t, (q.probs + 0 * t):eq(0), math.huge)
  t = except(t, (p.probs + 0 * q.probs):eq(0), 0.)
  return t:sum(-1)
end)
both(discrete.Poisson, function(p, q) return p.rate * (p.rate:log() - q.rate:log()) - (p.rate - q.rate) end)
both(continuous.Uniform, function(p, q)
  local t = ((q.high - q.low) / (p.high - p.low)):log()
  return except(t, q.low:gt(p.low) | q.high:lt(p.high), math.huge)
end)
both(continuous.Exponential, function(p, q) return q.rate / p.rate - 1 + (p.rate / q.rate):log() end)
local function gammas(p, q)
  local a, b = p.concentration, q.concentration
  return b * (p.rate / q.rate):log() + b:lgamma() - a:lgamma() + (a - b) * a:digamma() + (q.rate - p.rate) * (a / p.rate)
end
both(continuous.Gamma, gammas)
local function dirichlet(a, b)
  local total = a:sum(-1)
  local norms = total:lgamma() - b:sum(-1):lgamma() - (a:lgamma() - b:lgamma()):sum(-1)
  return norms + ((a - b) * (a:digamma() - total:digamma():unsqueeze(-1))):sum(-1)
end
both(continuous.Dirichlet, function(p, q) return dirichlet(p.concentration, q.concentration) end)
local function concentrations(d) return torch.stack({ d.concentration1, d.concentration0 }, -1) end
both(continuous.Beta, function(p, q) return dirichlet(concentrations(p), concentrations(q)) end)
both(continuous.Laplace, function(p, q)
  local ratio, distance = p.scale / q.scale, (p.loc - q.loc):abs()
  return -ratio:log() + distance / q.scale + ratio * (-distance / p.scale):exp() - 1
end)
both(transforms.Independent, function(p, q)
  if p.reinterpreted_batch_ndims ~= q.reinterpreted_batch_ndims then
    arguments.fail('kl_divergence', 'two Independent with different reinterpreted_batch_ndims')
  end
  return base.sum_last(M.kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
end)
-- The divergence does not change under one map of both.
local function same(s, t)
  if s.name ~= t.name or s.event_dim ~= t.event_dim then return false end
  for _, key in ipairs(s.arguments or {}) do
    local a, b = s[key], t[key]
    if torch.is_tensor(a) and not a:equal(b) or type(a) == 'number' and a ~= b then return false end
    if type(a) == 'table' then
      if #a ~= #b then return false end
      for i = 1, #a do if not same(a[i], b[i]) then return false end end
    end
  end
  return not s.of or same(s.of, t.of)
end
both(transforms.TransformedDistribution, function(p, q)
  if not same(p.map, q.map) then arguments.fail('kl_divergence', 'two TransformedDistribution with different transforms') end
  local extra = #p.event_shape - #p.base_dist.event_shape
  return base.sum_last(M.kl_divergence(p.base_dist, q.base_dist), extra)
end)

-- ---- Two of different classes ---------------------------------------------------------------------------------------

M.register_kl(continuous.Exponential, continuous.Gamma, function(p, q)
  local ratio = q.rate / p.rate
  return -q.concentration * ratio:log() + ratio + q.concentration:lgamma() + q.concentration * 0.57721566490153286 - 1.57721566490153286
end)
M.register_kl(continuous.Gamma, continuous.Exponential, function(p, q)
  local c = p.concentration
  return -c + p.rate:log() - c:lgamma() - (1 - c) * c:digamma() - q.rate:log() + q.rate * c / p.rate
end)

-- The mean of -log q of a Normal q, under p.
local function cross_normal(p, q) return q.scale:log() + 0.5 * math.log(2 * math.pi) + (p.variance + (p.mean - q.loc) ^ 2) / (2 * q.scale ^ 2) end
for _, name in ipairs { 'Uniform', 'Exponential', 'Gamma', 'Beta', 'Laplace' } do
  M.register_kl(continuous[name], continuous.Normal, function(p, q) return cross_normal(p, q) - p:entropy() end)
end
M.register_kl(continuous.Normal, continuous.Laplace, function(p, q)
  local d, s = p.loc - q.loc, p.scale
  local mean = math.sqrt(2 / math.pi) * s * (-0.5 * (d / s) ^ 2):exp() + d * (math.sqrt(0.5) * d / s):erf()
  return mean / q.scale + (2 * q.scale):log() - p:entropy()
end)
M.register_kl(discrete.Bernoulli, discrete.Poisson, function(p, q) return -p:entropy() - (p.probs * q.rate:log() - q.rate) end)
M.register_kl(continuous.Uniform, continuous.Exponential, function(p, q)
  local t = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate):log()
  return except(t, p.low:lt(0), math.huge)
end)
M.register_kl(continuous.Beta, continuous.Uniform, function(p, q)
  local t = -p:entropy() + (q.high - q.low):log()
  return except(t, q.low:gt(0) | q.high:lt(1), math.huge)
end)
M.register_kl(continuous.Beta, continuous.Exponential, function(p, q) return -p:entropy() - q.rate:log() + q.rate * p.mean end)
-- The mean of -log q of a Gamma q, under p, from the means of log x and x.
local function cross_gamma(q, of_log, mean)
  return q.concentration:lgamma() - q.concentration * q.rate:log() - (q.concentration - 1) * of_log + q.rate * mean
end
M.register_kl(continuous.Beta, continuous.Gamma, function(p, q)
  local a, b = p.concentration1, p.concentration0
  return cross_gamma(q, a:digamma() - (a + b):digamma(), p.mean) - p:entropy()
end)
-- The mean of log x between two numbers.
local function mean_log(low, high) return (torch.xlogy(high, high) - torch.xlogy(low, low)) / (high - low) - 1 end
M.register_kl(continuous.Uniform, continuous.Gamma, function(p, q)
  return except(cross_gamma(q, mean_log(p.low, p.high), p.mean) - p:entropy(), p.low:lt(0), math.huge)
end)
M.register_kl(continuous.Uniform, continuous.Beta, function(p, q)
  local a, b = q.concentration1, q.concentration0
  local t = a:lgamma() + b:lgamma() - (a + b):lgamma() - p:entropy()
  t = t - (a - 1) * mean_log(p.low, p.high) - (b - 1) * mean_log(1 - p.high, 1 - p.low)
  return except(t, p.low:lt(0) | p.high:gt(1), math.huge)
end)
-- Values that q cannot have.
for name, others in pairs { Normal = 'Beta Exponential Gamma Uniform', Laplace = 'Beta Exponential Gamma Uniform', Exponential = 'Beta Uniform', Gamma = 'Beta Uniform' } do
  for other in others:gmatch '%a+' do
    M.register_kl(continuous[name], continuous[other], function(p) return torch.full_like(p.mean, math.huge) end)
  end
end
for _, other in ipairs { 'Bernoulli', 'Binomial' } do
  M.register_kl(discrete.Poisson, discrete[other], function(p) return torch.full_like(p.rate, math.huge) end)
end

return M
