-- nn.utils.weight_norm and spectral_norm, and the arithmetic that nn.utils.parametrizations shares with them.
local arguments = require 'luth.torch.arguments'
local computed = require 'luth.torch.computed'

local M = {}

-- ---- Weight normalisation (Salimans and Kingma, 2016) ---------------------------------------------------------------

-- The norm over all dims but `dim`, which stays; over all if dim is torch.none, or -1 as in PyTorch.
function M.norm_except(v, dim)
  if dim == torch.none or dim == -1 then return torch.linalg.vector_norm(v) end
  if dim < 0 then dim = dim + v:dim() + 1 end
  local dims = {}
  for d = 1, v:dim() do
    if d ~= dim then dims[#dims + 1] = d end
  end
  if #dims == 0 then return v:abs() end
  return torch.linalg.vector_norm(v, 2, dims, true)
end
function M.weight(g, v, dim) return v * (g / M.norm_except(v, dim)) end

function M.check_dim(name, v, dim)
  if dim == torch.none then return end
  if math.type(dim) ~= 'integer' or dim == 0 or math.abs(dim) > v:dim() then
    arguments.fail(name, 'dim must be from 1 to %d or torch.none, not %s', v:dim(), tostring(dim))
  end
end

function M.weight_norm(...)
  local a = arguments.read('weight_norm', { 'module', 'name', 'dim' }, 1, ...)
  local m, name, dim = a.module, a.name or 'weight', a.dim or 1
  local w = computed.tensor('weight_norm', m, name)
  if computed.kind(m, name) then arguments.fail('weight_norm', "'%s' is computed from other parameters already", name) end
  M.check_dim('weight_norm', w, dim)
  computed.define(m, name, 'weight_norm')
  m:register_parameter(name .. '_g', nn.Parameter(M.norm_except(w:detach(), dim)))
  m:register_parameter(name .. '_v', nn.Parameter(w:detach()))
  m['_' .. name .. '_dim'] = dim
  return m
end

local function undo(function_name, kind, parts, ...)
  local a = arguments.read(function_name, { 'module', 'name' }, 1, ...)
  local m, name = a.module, a.name or 'weight'
  local w = computed.tensor(function_name, m, name)
  if computed.kind(m, name) ~= kind then arguments.fail(function_name, "'%s' has no %s", name, function_name:gsub('remove_', '')) end
  computed.undefine(m, name, nn.Parameter(w:detach():clone()))
  for _, part in ipairs(parts) do m[name .. part] = nil end
  return m
end
function M.remove_weight_norm(...) return undo('remove_weight_norm', 'weight_norm', { '_g', '_v' }, ...) end

-- ---- Spectral normalisation (Miyato and others, 2018) ---------------------------------------------------------------

-- The weight as a matrix whose rows run over `dim`.
function M.matrix(w, dim)
  if dim < 0 then dim = dim + w:dim() + 1 end
  local order = { dim }
  for d = 1, w:dim() do
    if d ~= dim then order[#order + 1] = d end
  end
  return w:permute(order):flatten(2)
end
-- n steps of power iteration, which turn u and v in place towards the largest singular value.
function M.iterate(W, u, v, n, eps)
  local _ <close> = torch.no_grad()
  for _ = 1, n do
    u:copy_(F.normalize(W:mv(v), { dim = 1, eps = eps }))
    v:copy_(F.normalize(W:t():mv(u), { dim = 1, eps = eps }))
  end
end
-- The singular value that u and v have found; they may be turned again before backward.
function M.sigma(W, u, v) return u:clone():dot(W:mv(v:clone())) end
-- Random u and v of W.
function M.start(W, eps)
  local function unit(n) return F.normalize(torch.randn(n, { dtype = W.dtype, device = W.device }), { dim = 1, eps = eps }) end
  return unit(W:size(1)), unit(W:size(2))
end
-- A transposed convolution has its outputs in dim 2.
function M.spectral_dim(m, dim)
  if dim then return dim end
  for _, class in ipairs { 'ConvTranspose1d', 'ConvTranspose2d', 'ConvTranspose3d' } do
    if torch.isinstance(m, nn[class]) then return 2 end
  end
  return 1
end
function M.check_iterations(name, n)
  if math.type(n) ~= 'integer' or n < 1 then arguments.fail(name, 'n_power_iterations must be an integer from 1, not %s', tostring(n)) end
end

function M.spectral_norm(...)
  local a = arguments.read('spectral_norm', { 'module', 'name', 'n_power_iterations', 'eps', 'dim' }, 1, ...)
  local m, name = a.module, a.name or 'weight'
  local w = computed.tensor('spectral_norm', m, name)
  if computed.kind(m, name) then arguments.fail('spectral_norm', "'%s' is computed from other parameters already", name) end
  local o = { n = a.n_power_iterations or 1, eps = a.eps or 1e-12, dim = M.spectral_dim(m, a.dim) }
  M.check_iterations('spectral_norm', o.n)
  M.check_dim('spectral_norm', w, o.dim)
  local u, v = M.start(M.matrix(w:detach(), o.dim), o.eps)
  computed.define(m, name, 'spectral_norm')
  m:register_parameter(name .. '_orig', w)
  m:register_buffer(name .. '_u', u)
  m:register_buffer(name .. '_v', v)
  m['_' .. name .. '_spectral'] = o
  return m
end
function M.remove_spectral_norm(...)
  return undo('remove_spectral_norm', 'spectral_norm', { '_orig', '_u', '_v' }, ...)
end

M.kinds = {
  weight_norm = {
    compute = function(m, name) return M.weight(m[name .. '_g'], m[name .. '_v'], m['_' .. name .. '_dim']) end,
  },
  spectral_norm = {
    compute = function(m, name, in_forward)
      local o, w, u, v = m['_' .. name .. '_spectral'], m[name .. '_orig'], m[name .. '_u'], m[name .. '_v']
      local W = M.matrix(w, o.dim)
      if in_forward and m.training then M.iterate(W:detach(), u, v, o.n, o.eps) end
      return w / M.sigma(W, u, v)
    end,
  },
}

return M
