-- nn.utils.parametrizations: weights of given norm, of largest singular value 1, and orthogonal ones.
local arguments = require 'luth.torch.arguments'
local computed = require 'luth.torch.computed'
local norms = require 'luth.torch.norms_of_weights'
local parametrize = require 'luth.torch.parametrize'

local M = {}

-- ---- weight_norm ----------------------------------------------------------------------------------------------------

local WeightNorm = nn.class('_WeightNorm')
function WeightNorm:init(dim) self.dim = dim end
function WeightNorm:forward(g, v) return norms.weight(g, v, self.dim) end
function WeightNorm:right_inverse(w) return norms.norm_except(w, self.dim), w end

function M.weight_norm(...)
  local a = arguments.read('weight_norm', { 'module', 'name', 'dim' }, 1, ...)
  local name = a.name or 'weight'
  norms.check_dim('weight_norm', computed.tensor('weight_norm', a.module, name), a.dim or 1)
  return parametrize.register_parametrization(a.module, name, WeightNorm(a.dim or 1), { unsafe = true })
end

-- ---- spectral_norm --------------------------------------------------------------------------------------------------

local SpectralNorm = nn.class('_SpectralNorm')
function SpectralNorm:init(w, n, dim, eps)
  self.n_power_iterations = n
  self.dim = dim
  self.eps = eps
  if w:dim() > 1 then
    local W = norms.matrix(w, dim)
    local u, v = norms.start(W, eps)
    self:register_buffer('_u', u)
    self:register_buffer('_v', v)
    norms.iterate(W, u, v, 15, eps)
  end
end
function SpectralNorm:forward(w)
  if w:dim() == 1 then return F.normalize(w, { dim = 1, eps = self.eps }) end
  local W = norms.matrix(w, self.dim)
  if self.training then norms.iterate(W:detach(), self._u, self._v, self.n_power_iterations, self.eps) end
  return w / norms.sigma(W, self._u, self._v)
end

function M.spectral_norm(...)
  local a = arguments.read('spectral_norm', { 'module', 'name', 'n_power_iterations', 'eps', 'dim' }, 1, ...)
  local name, n, dim = a.name or 'weight', a.n_power_iterations or 1, norms.spectral_dim(a.module, a.dim)
  local w = computed.tensor('spectral_norm', a.module, name)
  norms.check_iterations('spectral_norm', n)
  norms.check_dim('spectral_norm', w, dim)
  return parametrize.register_parametrization(a.module, name, SpectralNorm(w:detach(), n, dim, a.eps or 1e-12))
end

-- ---- orthogonal -----------------------------------------------------------------------------------------------------
-- Lezcano-Casado, "Trivializations for gradient-based optimization on manifolds" (2019).

local Orthogonal = nn.class('_Orthogonal')
function Orthogonal:init(shape, map, trivial)
  self.shape = { table.unpack(shape) }  -- a table, which a file can hold
  self.map = map
  self.trivial = trivial
  if trivial then self:register_buffer('base', nil) end
end

-- An orthogonal square matrix from one with free elements on and below the diagonal.
local function from_skew(map, x)
  x = x:tril()
  local n, k = x:size(-2), x:size(-1)
  local wide = n == k and x or F.pad(x, { 0, n - k })
  local A = wide - wide.mT
  if map == 'matrix_exp' then
    x = torch.matrix_exp(A)
  else  -- Cayley: (I - A/2)^-1 (I + A/2)
    local eye = torch.eye(n, { dtype = A.dtype, device = A.device })
    x = torch.linalg.solve(eye - A / 2, eye + A / 2)
  end
  return x:narrow(-1, 1, k)
end
-- Householder vectors are below the diagonal, which has signs.
local function from_vectors(x)
  local A = x:tril(-1)
  local Q = torch.linalg.householder_product(A, 2 / (1 + (A * A):sum(-2)))
  return Q * x:diagonal { dim1 = -2, dim2 = -1 }:detach():int():unsqueeze(-2)
end

function Orthogonal:forward(x)
  local wide = x:size(-2) < x:size(-1)
  if wide then x = x.mT end
  local Q = self.map == 'householder' and from_vectors(x) or from_skew(self.map, x)
  if self.trivial then Q = self.base:matmul(Q) end
  return wide and Q.mT or Q
end

local function is_orthogonal(Q)
  local n = Q:size(-2)
  local eye = torch.eye(n, { dtype = Q.dtype, device = Q.device })
  return Q:matmul(Q.mT):allclose(eye:expand_as(Q), { atol = 10 * n * torch.finfo(Q.dtype).eps })
end
-- Q of a decomposition whose R has a diagonal above 0.
local function made_orthogonal(x)
  local Q, R = torch.linalg.qr(x)
  return Q * R:diagonal { dim1 = -2, dim2 = -1 }:sign():unsqueeze(-2)
end

function Orthogonal:right_inverse(Q)
  local shape = torch.Size(self.shape)
  if Q:size() ~= shape then
    arguments.fail('orthogonal', 'expects a tensor of shape %s, got %s', tostring(shape):match('%[.*%]'), tostring(Q:size()):match('%[.*%]'))
  end
  local wide = Q:size(-2) < Q:size(-1)
  local tall = wide and Q.mT or Q
  local n, k = tall:size(-2), tall:size(-1)
  if not self.trivial then
    if self.map ~= 'householder' then
      arguments.fail('orthogonal', "a value cannot be assigned with orthogonal_map '%s' and use_trivialization = false", self.map)
    end
    local A, tau = torch.geqrf(tall)
    local diagonal = A:diagonal { dim1 = -2, dim2 = -1 }
    diagonal:copy_(diagonal:sign() * torch.where(tau:eq(0), -torch.ones_like(tau), torch.ones_like(tau)))
    return wide and A.mT or A
  end
  if n ~= k then
    local shape = {}
    for d = 1, tall:dim() do shape[d] = tall:size(d) end
    shape[#shape] = n - k
    tall = torch.cat({ tall, torch.randn(shape, { dtype = Q.dtype, device = Q.device }) }, -1)
    tall = made_orthogonal(tall)
  else
    tall = is_orthogonal(tall) and tall:clone() or made_orthogonal(tall)
  end
  self:register_buffer('base', tall)
  local start = torch.zeros_like(Q)
  start:diagonal { dim1 = -2, dim2 = -1 }:fill_(-1)
  return start
end

function M.orthogonal(...)
  local a = arguments.read('orthogonal', { 'module', 'name', 'orthogonal_map', 'use_trivialization' }, 1, ...)
  local name = a.name or 'weight'
  local w = computed.tensor('orthogonal', a.module, name)
  if w:dim() < 2 then arguments.fail('orthogonal', "'%s' must be a matrix or a stack of them, it has %d dims", name, w:dim()) end
  local map = a.orthogonal_map or w:size(-2) == w:size(-1) and 'matrix_exp' or 'householder'
  if map ~= 'matrix_exp' and map ~= 'cayley' and map ~= 'householder' then
    arguments.fail('orthogonal', "orthogonal_map must be 'matrix_exp', 'cayley' or 'householder', not '%s'", tostring(map))
  end
  local f = Orthogonal(w:size(), map, a.use_trivialization ~= false)
  if not f.trivial and map ~= 'householder' then f.right_inverse = false end
  return parametrize.register_parametrization(a.module, name, f, { unsafe = true })
end

return M
