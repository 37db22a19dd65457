-- PowerSGD as a hook of DistributedDataParallel: of a gradient matrix M [n, m], P = M Q [n, r] and Q = M' P [m, r] are
-- averaged over the ranks, and P Q' is the average that all ranks take. Vogels, Karimireddy and Jaggi, "PowerSGD:
-- practical low-rank gradient compression", algorithm 1.
local M = {}
local native = require 'luth.dist'
local read = require('luth.torch.arguments').read

function M.PowerSGDState(...)
  local a = read('PowerSGDState', { 'process_group', 'matrix_approximation_rank', 'start_powerSGD_iter',
    'min_compression_rate', 'use_error_feedback', 'warm_start', 'random_seed' }, 0, ...)
  return { group = a.process_group or native.world(), rank = a.matrix_approximation_rank or 1,
    start = a.start_powerSGD_iter or 1000, rate = a.min_compression_rate or 2, feedback = a.use_error_feedback ~= false,
    warm = a.warm_start ~= false, generator = torch.Generator():manual_seed(a.random_seed or 0),
    iteration = 0, errors = {}, factors = {} }  -- the last two by parameter
end

-- Begins the mean over the ranks of tensors, in one message: a function that waits, and returns the means.
local function mean(state, tensors)
  if not tensors[1] then return function() return {} end end
  local flat, means, at = {}, {}, 1
  for i, t in ipairs(tensors) do flat[i] = t:reshape(-1) end
  flat = torch.cat(flat):div_(state.group:size())
  for i, t in ipairs(tensors) do
    means[i] = flat:narrow(1, at, t:numel()):view(t:size())
    at = at + t:numel()
  end
  local work = native.all_reduce(state.group, flat, torch.distributed.ReduceOp.SUM)
  return function()
    work:wait()
    return means
  end
end

-- The bucket's gradients: matrices that get smaller by their factors, and the others.
local function sorted(state, bucket)
  local matrices, others = {}, {}
  for i, g in ipairs(bucket:gradients()) do
    local n = g:dim() > 1 and g:size(1) or 1
    local m = g:numel() // math.max(n, 1)
    local r = math.min(n, m, state.rank)
    if n > 1 and (n + m) * r * state.rate < n * m then
      matrices[#matrices + 1] = { gradient = g:view(n, m), parameter = bucket:parameters()[i], rank = r }
    else
      others[#others + 1] = g
    end
  end
  return matrices, others
end

-- P = M Q of each matrix, to which what earlier factors have missed is added.
local function first_factors(state, matrices)
  local p = {}
  for i, m in ipairs(matrices) do
    local missed = state.errors[m.parameter]
    if missed then m.gradient:add_(missed) end
    if state.feedback then state.errors[m.parameter] = m.gradient:clone() end
    local q = state.warm and state.factors[m.parameter]
      or torch.randn(m.gradient:size(2), m.rank, { generator = state.generator, device = 'cpu' }):to(m.gradient.device)
    p[i] = m.gradient:matmul(q)
  end
  return p
end

-- Q = M' P, and P Q' in the place of M.
local function second_factors(state, matrices, means)
  local p, q = {}, {}
  for i, m in ipairs(matrices) do
    p[i] = torch.linalg.qr(means[i])
    q[i] = m.gradient:t():matmul(p[i])
  end
  q = mean(state, q)()
  for i, m in ipairs(matrices) do
    m.gradient:copy_(p[i]:matmul(q[i]:t()))
    state.factors[m.parameter] = q[i]
    if state.feedback then state.errors[m.parameter]:sub_(m.gradient) end
  end
end

function M.powerSGD_hook(state, bucket)
  if bucket:index() == 1 then state.iteration = state.iteration + 1 end
  local matrices, others = {}, bucket:gradients()
  if state.iteration > state.start then matrices, others = sorted(state, bucket) end
  local factors, rest = mean(state, first_factors(state, matrices)), mean(state, others)
  return function()
    for i, g in ipairs(rest()) do others[i]:copy_(g) end
    second_factors(state, matrices, factors())
    return bucket:buffer()
  end
end

return M
