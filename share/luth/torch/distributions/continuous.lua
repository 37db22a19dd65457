-- Distributions of numbers. Formulas: NIST's Digital Library of Mathematical Functions and the articles of each law.
local base = require 'luth.torch.distributions.base'
local arguments = require 'luth.torch.arguments'
local gamma = require 'luth.torch.distributions.gamma'

local M = {}
local is, interval = base.constraints, base.interval
local log2pi = math.log(2 * math.pi)
local function nan_like(x) return torch.full_like(x, math.huge - math.huge) end
local function noise(like, shape) return torch.randn(shape, { dtype = like.dtype, device = like.device }) end

-- ---- Normal ---------------------------------------------------------------------------------------------------------

local Normal = base.simple('Normal', { 'loc', 'scale' }, 2, { loc = is.real, scale = is.positive })
M.Normal = Normal
Normal.support = is.real
function Normal.get.mean(d) return d.loc end
Normal.get.mode = Normal.get.mean
function Normal.get.stddev(d) return d.scale end
function Normal.get.variance(d) return d.scale ^ 2 end
function Normal:rsample(...)
  return self.loc + noise(self.loc, self:extended('rsample', ...)) * self.scale
end
function Normal:log_prob(value)
  local z = (self:checked('log_prob', value) - self.loc) / self.scale
  return -0.5 * z ^ 2 - self.scale:log() - 0.5 * log2pi
end
function Normal:cdf(value)
  return 0.5 * (1 + ((self:checked('cdf', value) - self.loc) / (self.scale * math.sqrt(2))):erf())
end
function Normal:icdf(p) return self.loc + self.scale * math.sqrt(2) * (2 * self:tensor_for('icdf', p) - 1):erfinv() end
function Normal:entropy() return 0.5 + 0.5 * log2pi + self.scale:log() end

-- ---- MultivariateNormal ---------------------------------------------------------------------------------------------

local Multivariate = base.class('MultivariateNormal', { 'loc', 'covariance_matrix', 'precision_matrix', 'scale_tril' }, 1, {
  loc = is.real_vector, covariance_matrix = is.positive_definite, precision_matrix = is.positive_definite,
  scale_tril = is.lower_cholesky,
})
M.MultivariateNormal = Multivariate
Multivariate.support = is.real_vector

-- The Cholesky factor of P^-1, from that of P with rows and columns in opposite order.
local function factor_of_precision(P)
  local flipped = torch.linalg.cholesky(P:flip { -2, -1 })
  local upper = flipped:flip { -2, -1 }.mT
  local eye = torch.eye(P:size(-1), { dtype = P.dtype, device = P.device })
  return torch.linalg.solve_triangular(upper, eye, { upper = false })
end

function Multivariate:init(a)
  local given, matrix
  for _, name in ipairs { 'covariance_matrix', 'precision_matrix', 'scale_tril' } do
    if a[name] and given then arguments.fail(self.class.name, 'expects one matrix, got %s and %s', given, name) end
    if a[name] then given, matrix = name, a[name] end
  end
  if not given then arguments.fail(self.class.name, 'expects covariance_matrix, precision_matrix or scale_tril') end
  if not torch.is_tensor(a.loc) or a.loc:dim() < 1 then arguments.fail(self.class.name, 'loc must be a vector') end
  if not torch.is_tensor(matrix) or matrix:dim() < 2 then arguments.fail(self.class.name, '%s must be a matrix', given) end
  local n = a.loc:size(-1)
  if matrix:size(-1) ~= n or matrix:size(-2) ~= n then
    arguments.fail(self.class.name, '%s must be %d x %d as loc is, got %d x %d', given, n, n, matrix:size(-2), matrix:size(-1))
  end
  self.batch_shape = torch.broadcast_shapes(base.part(matrix:size(), 1, matrix:dim() - 2),
    base.part(a.loc:size(), 1, a.loc:dim() - 1))
  self.event_shape = torch.Size { n }
  self.loc = a.loc:expand(base.join(self.batch_shape, self.event_shape))
  self[given] = matrix:expand(base.join(self.batch_shape, { n, n }))
end
function Multivariate.get.scale_tril(d)
  if rawget(d, 'covariance_matrix') then return torch.linalg.cholesky(d.covariance_matrix) end
  return factor_of_precision(d.precision_matrix)
end
function Multivariate.get.covariance_matrix(d)
  local L = d.scale_tril
  return L:matmul(L.mT)
end
function Multivariate.get.precision_matrix(d) return torch.cholesky_inverse(d.scale_tril) end
function Multivariate.get.mean(d) return d.loc end
Multivariate.get.mode = Multivariate.get.mean
function Multivariate.get.variance(d) return (d.scale_tril ^ 2):sum(-1) end
function Multivariate:rsample(...)
  local z = noise(self.loc, self:extended('rsample', ...))
  return self.loc + self.scale_tril:matmul(z:unsqueeze(-1)):squeeze(-1)
end
-- The squares of L^-1 v, summed over the event.
function M.mahalanobis(L, v)
  return (torch.linalg.solve_triangular(L, v:unsqueeze(-1), { upper = false }) ^ 2):sum { -2, -1 }
end
function M.half_log_det(L) return L:diagonal { dim1 = -2, dim2 = -1 }:log():sum(-1) end
function Multivariate:log_prob(value)
  local v, L = self:checked('log_prob', value) - self.loc, self.scale_tril
  return -0.5 * (self.event_shape[1] * log2pi + M.mahalanobis(L, v)) - M.half_log_det(L)
end
function Multivariate:entropy()
  return 0.5 * self.event_shape[1] * (1 + log2pi) + M.half_log_det(self.scale_tril)
end

-- ---- Uniform --------------------------------------------------------------------------------------------------------

local Uniform = base.simple('Uniform', { 'low', 'high' }, 2, { low = is.real, high = is.real })
M.Uniform = Uniform
function Uniform:accepts()
  if not self.low:lt(self.high):all() then arguments.fail('Uniform', 'low must be below high') end
end
function Uniform.get.support(d) return interval(d.low, d.high) end
function Uniform.get.mean(d) return (d.high + d.low) / 2 end
function Uniform.get.mode(d) return nan_like(d.high) end
function Uniform.get.stddev(d) return (d.high - d.low) / math.sqrt(12) end
function Uniform.get.variance(d) return (d.high - d.low) ^ 2 / 12 end
function Uniform:rsample(...)
  local u = torch.rand(self:extended('rsample', ...), { dtype = self.low.dtype, device = self.low.device })
  return self.low + u * (self.high - self.low)
end
function Uniform:log_prob(value)
  value = self:checked('log_prob', value)
  local within = (value:ge(self.low) & value:lt(self.high)):to(self.low.dtype)
  return within:log() - (self.high - self.low):log()
end
function Uniform:cdf(value)
  return ((self:checked('cdf', value) - self.low) / (self.high - self.low)):clamp { min = 0, max = 1 }
end
function Uniform:icdf(p) return self:tensor_for('icdf', p) * (self.high - self.low) + self.low end
function Uniform:entropy() return (self.high - self.low):log() end

-- ---- Exponential ----------------------------------------------------------------------------------------------------

local Exponential = base.simple('Exponential', { 'rate' }, 1, { rate = is.positive })
M.Exponential = Exponential
Exponential.support = is.nonnegative
function Exponential.get.mean(d) return 1 / d.rate end
function Exponential.get.mode(d) return torch.zeros_like(d.rate) end
Exponential.get.stddev = Exponential.get.mean
function Exponential.get.variance(d) return d.rate ^ -2 end
function Exponential:rsample(...)
  return self.rate:new_empty(self:extended('rsample', ...)):exponential_() / self.rate
end
function Exponential:log_prob(value) return self.rate:log() - self.rate * self:checked('log_prob', value) end
function Exponential:cdf(value) return -(-self.rate * self:checked('cdf', value)):expm1() end
function Exponential:icdf(p) return -torch.log1p(-self:tensor_for('icdf', p)) / self.rate end
function Exponential:entropy() return 1 - self.rate:log() end

-- ---- Gamma, Dirichlet, Beta -----------------------------------------------------------------------------------------

local Gamma = base.simple('Gamma', { 'concentration', 'rate' }, 2, { concentration = is.positive, rate = is.positive })
M.Gamma = Gamma
Gamma.support = is.nonnegative
function Gamma.get.mean(d) return d.concentration / d.rate end
function Gamma.get.mode(d) return ((d.concentration - 1) / d.rate):clamp_min(0) end
function Gamma.get.variance(d) return d.concentration / d.rate ^ 2 end
function Gamma:rsample(...)
  local z = gamma.standard(self.concentration:expand(self:extended('rsample', ...))) / self.rate
  return z:clamp_min(torch.finfo(z.dtype).tiny)  -- 0 has no logarithm
end
function Gamma:log_prob(value)
  value = self:checked('log_prob', value)
  local c, rate = self.concentration, self.rate
  return torch.xlogy(c, rate) + torch.xlogy(c - 1, value) - rate * value - c:lgamma()
end
function Gamma:cdf(value) return torch.igamma(self.concentration, self.rate * self:checked('cdf', value)) end
function Gamma:entropy()
  local c = self.concentration
  return c - self.rate:log() + c:lgamma() + (1 - c) * c:digamma()
end

local Dirichlet = base.class('Dirichlet', { 'concentration' }, 1, { concentration = is.positive_vector })
M.Dirichlet = Dirichlet
Dirichlet.support = is.simplex
function Dirichlet:init(a)
  local c = base.broadcast('Dirichlet', { a.concentration }, 1)
  if c:dim() < 1 then arguments.fail('Dirichlet', 'concentration must have at least one dim') end
  self.concentration = c
  self.batch_shape, self.event_shape = base.part(c:size(), 1, c:dim() - 1), torch.Size { c:size(-1) }
end
function Dirichlet.get.mean(d) return d.concentration / d.concentration:sum(-1, true) end
-- Where all are below 1, every corner has an infinite density; PyTorch takes the first.
function Dirichlet.get.mode(d)
  local above = (d.concentration - 1):clamp_min(0)
  local corner = torch.zeros_like(above)
  corner:select(-1, 1):fill_(1)
  return torch.where(d.concentration:lt(1):all(-1, true), corner, above / above:sum(-1, true))
end
function Dirichlet.get.variance(d)
  local total, mean = d.concentration:sum(-1, true), d.mean
  return mean * (1 - mean) / (total + 1)
end
function Dirichlet:rsample(...)
  local g = gamma.standard(self.concentration:expand(self:extended('rsample', ...)))
  return g / g:sum(-1, true)
end
function Dirichlet:log_prob(value)
  value = self:checked('log_prob', value)
  local c = self.concentration
  return torch.xlogy(c - 1, value):sum(-1) + c:sum(-1):lgamma() - c:lgamma():sum(-1)
end
function Dirichlet:entropy()
  local c, n = self.concentration, self.event_shape[1]
  local total = c:sum(-1)
  return c:lgamma():sum(-1) - total:lgamma() - (n - total) * total:digamma() - ((c - 1) * c:digamma()):sum(-1)
end

local Beta = base.simple('Beta', { 'concentration1', 'concentration0' }, 2, { concentration1 = is.positive, concentration0 = is.positive })
M.Beta = Beta
Beta.support = is.unit_interval
local function pair(d) return Dirichlet(torch.stack({ d.concentration1, d.concentration0 }, -1), { validate_args = false }) end
function Beta.get.mean(d) return d.concentration1 / (d.concentration1 + d.concentration0) end
function Beta.get.mode(d) return pair(d).mode:select(-1, 1) end
function Beta.get.variance(d)
  local total = d.concentration1 + d.concentration0
  return d.concentration1 * d.concentration0 / (total ^ 2 * (total + 1))
end
function Beta:rsample(...) return pair(self):rsample(...):select(-1, 1) end
function Beta:log_prob(value)
  value = self:checked('log_prob', value)
  return pair(self):log_prob(torch.stack({ value, 1 - value }, -1))
end
function Beta:entropy() return pair(self):entropy() end

-- ---- Laplace --------------------------------------------------------------------------------------------------------

local Laplace = base.simple('Laplace', { 'loc', 'scale' }, 2, { loc = is.real, scale = is.positive })
M.Laplace = Laplace
Laplace.support = is.real
function Laplace.get.mean(d) return d.loc end
Laplace.get.mode = Laplace.get.mean
function Laplace.get.stddev(d) return math.sqrt(2) * d.scale end
function Laplace.get.variance(d) return 2 * d.scale ^ 2 end
function Laplace:rsample(...)
  local eps = torch.finfo(self.loc.dtype).eps
  local u = self.loc:new_empty(self:extended('rsample', ...)):uniform_(eps - 1, 1)
  return self.loc - self.scale * u:sign() * torch.log1p(-u:abs())
end
function Laplace:log_prob(value)
  return -(2 * self.scale):log() - (self:checked('log_prob', value) - self.loc):abs() / self.scale
end
function Laplace:cdf(value)
  local v = self:checked('cdf', value) - self.loc
  return 0.5 - 0.5 * v:sign() * (-v:abs() / self.scale):expm1()
end
function Laplace:icdf(p)
  local v = self:tensor_for('icdf', p) - 0.5
  return self.loc - self.scale * v:sign() * torch.log1p(-2 * v:abs())
end
function Laplace:entropy() return 1 + (2 * self.scale):log() end

-- ---- StudentT -------------------------------------------------------------------------------------------------------

local StudentT = base.simple('StudentT', { 'df', 'loc', 'scale' }, 1, { df = is.positive, loc = is.real, scale = is.positive }, { nil, 0., 1. })
M.StudentT = StudentT
StudentT.support = is.real
function StudentT.get.mean(d) return torch.where(d.df:le(1), nan_like(d.loc), d.loc) end
function StudentT.get.mode(d) return d.loc end
function StudentT.get.variance(d)
  local infinite = torch.where(d.df:gt(1), torch.full_like(d.df, math.huge), nan_like(d.df))
  local df = torch.where(d.df:gt(2), d.df, torch.full_like(d.df, 3.))  -- no division by 0, whose gradient is nan
  return torch.where(d.df:gt(2), d.scale ^ 2 * df / (df - 2), infinite)
end
function StudentT:rsample(...)
  local shape = self:extended('rsample', ...)
  local df = self.df:expand(shape)
  local chi2 = 2 * gamma.standard(df / 2)
  return self.loc + self.scale * noise(self.df, shape) * (chi2 / df):rsqrt()
end
function StudentT:log_prob(value)
  local y, df = (self:checked('log_prob', value) - self.loc) / self.scale, self.df
  local norm = self.scale:log() + 0.5 * df:log() + 0.5 * math.log(math.pi) + (df / 2):lgamma() - ((df + 1) / 2):lgamma()
  return -0.5 * (df + 1) * torch.log1p(y ^ 2 / df) - norm
end
function StudentT:entropy()
  local df = self.df
  local beta = (df / 2):lgamma() + 0.5 * math.log(math.pi) - ((df + 1) / 2):lgamma()
  return self.scale:log() + (df + 1) / 2 * (((df + 1) / 2):digamma() - (df / 2):digamma()) + 0.5 * df:log() + beta
end

return M
