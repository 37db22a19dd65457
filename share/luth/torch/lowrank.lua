-- torch.svd_lowrank and torch.pca_lowrank: the largest singular values by a random basis that power iteration turns
-- towards them (Halko, Martinsson and Tropp, "Finding structure with randomness", 2009, algorithms 4.4 and 5.1).
local M = {}

local most_turns = 1000  -- of the basis

-- An error at the line of the script; the function that it is for was called through C.
local function fail(name, text, ...) error(name .. ': ' .. string.format(text, ...), 4) end

-- Positions, then a table of named arguments: `names` in PyTorch's order, the first a tensor of matrices.
local function arguments(name, names, ...)
  local given, n, out = { ... }, select('#', ...), {}
  local named = n > 0 and type(given[n]) == 'table' and getmetatable(given[n]) == nil and given[n] or nil
  if named then n = n - 1 end
  if n > #names then fail(name, 'too many arguments; it has %s', table.concat(names, ', ')) end
  for i = 1, n do out[names[i]] = given[i] end
  for key, value in pairs(named or {}) do
    local known = false
    for _, other in ipairs(names) do known = known or other == key end
    if not known then fail(name, "no argument is named '%s'; it has %s", tostring(key), table.concat(names, ', ')) end
    out[key] = value
  end
  if not torch.is_tensor(out.A) or out.A:dim() < 2 then fail(name, 'A must be a matrix or a stack of them') end
  if not out.A:is_floating_point() then fail(name, 'A must be of a floating dtype, not %s', tostring(out.A.dtype)) end
  local most = math.min(out.A:size(-2), out.A:size(-1))
  out.q = out.q or math.min(6, most)
  out.niter = out.niter or 2
  if math.type(out.q) ~= 'integer' or out.q < 0 or out.q > most then
    fail(name, 'q must be an integer from 0 to %d for matrices of shape %s, not %s', most, tostring(out.A:size()), tostring(out.q))
  end
  if math.type(out.niter) ~= 'integer' or out.niter < 0 or out.niter > most_turns then
    fail(name, 'niter must be an integer from 0 to %d, not %s', most_turns, tostring(out.niter))
  end
  return out
end

local function basis(A, q, niter)
  local Q = torch.linalg.qr(A:matmul(torch.randn(A:size(-1), q, { dtype = A.dtype, device = A.device })))
  for _ = 1, niter do
    Q = torch.linalg.qr(A.mT:matmul(Q))
    Q = torch.linalg.qr(A:matmul(Q))
  end
  return Q
end

local function svd(A, q, niter)
  local wide = A:size(-2) < A:size(-1)
  if wide then A = A.mT end
  local Q = basis(A, q, niter)
  local U, S, Vh = torch.linalg.svd(Q.mT:matmul(A), { full_matrices = false })
  U = Q:matmul(U)
  if wide then return Vh.mT, S, U end
  return U, S, Vh.mT
end

function M.svd_lowrank(...)
  local a = arguments('svd_lowrank', { 'A', 'q', 'niter', 'M' }, ...)
  return svd(a.M and a.A - a.M or a.A, a.q, a.niter)
end

function M.pca_lowrank(...)
  local a = arguments('pca_lowrank', { 'A', 'q', 'center', 'niter' }, ...)
  return svd(a.center == false and a.A or a.A - a.A:mean(-2, true), a.q, a.niter)
end

return M
