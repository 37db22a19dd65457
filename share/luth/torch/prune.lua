-- nn.utils.prune: weight_orig is the parameter, the buffer weight_mask is 0 where an element is pruned, and weight is
-- their product. Dims count from 1.
local arguments = require 'luth.torch.arguments'
local computed = require 'luth.torch.computed'

local M = {}

local function compute(m, name)
  local w = m[name .. '_orig']
  return w * m[name .. '_mask']:to(w.dtype)
end
M.kinds = { prune = { compute = compute } }

-- ---- How many -------------------------------------------------------------------------------------------------------

-- A number, or a share of n; halves go to the even number.
local function how_many(name, amount, n)
  if type(amount) ~= 'number' then arguments.fail(name, 'amount must be a number, got %s', torch.typename(amount) or type(amount)) end
  if math.type(amount) == 'integer' then
    if amount < 0 then arguments.fail(name, 'amount must be an integer from 0 or a share from 0.0 to 1.0, not %d', amount) end
    if amount > n then arguments.fail(name, 'amount %d is more than the %d that are left', amount, n) end
    return amount
  end
  if not (amount >= 0 and amount <= 1) then
    arguments.fail(name, 'amount must be an integer from 0 or a share from 0.0 to 1.0, not %s', tostring(amount))
  end
  local exact = amount * n
  local low = math.floor(exact)
  if exact - low > 0.5 or exact - low == 0.5 and low % 2 == 1 then low = low + 1 end
  return math.tointeger(low)
end

-- ---- Masks ----------------------------------------------------------------------------------------------------------

-- The mask with those k elements set to 0, among those where it is 1, whose score is lowest.
local function without_lowest(name, mask, scores, amount)
  local left = mask:reshape(-1):nonzero():squeeze(2)
  local k = how_many(name, amount, left:size(1))
  if k == 0 then return mask:clone() end
  local _, lowest = scores:reshape(-1):index_select(1, left):topk(k, -1, false)
  return mask:reshape(-1):clone():index_fill_(1, left:index_select(1, lowest), 0):reshape(mask:size())
end

local function check_dim(name, t, dim)
  if t:dim() < 2 then arguments.fail(name, 'structured pruning needs at least 2 dims, the tensor has %d', t:dim()) end
  if math.type(dim) ~= 'integer' or dim == 0 or math.abs(dim) > t:dim() then
    arguments.fail(name, 'dim must be from 1 to %d, not %s', t:dim(), tostring(dim))
  end
  return dim < 0 and dim + t:dim() + 1 or dim
end
local function other_dims(t, dim)
  local dims = {}
  for d = 1, t:dim() do
    if d ~= dim then dims[#dims + 1] = d end
  end
  return dims
end
-- The same for whole channels along dim: those that are pruned already do not count. `score` has one for each channel.
local function without_channels(name, mask, dim, amount, score)
  local channels = mask:ne(0):sum(other_dims(mask, dim)):ne(0):to(mask.dtype)
  local kept = without_lowest(name, channels, score, amount)
  local shape = {}
  for d = 1, mask:dim() do shape[d] = d == dim and mask:size(d) or 1 end
  return mask * kept:reshape(shape)
end

-- ---- Modules --------------------------------------------------------------------------------------------------------

local function mask_of(m, name)
  if computed.kind(m, name) == 'prune' then return m[name .. '_mask'] end
  return torch.ones_like(m[name]:detach())
end

-- m[name], and scores of its shape: importance_scores, or itself.
local function read(function_name, m, name, scores)
  local t = computed.tensor(function_name, m, name):detach()
  if scores == nil then return t, t end
  if not torch.is_tensor(scores) or scores:size() ~= t:size() then
    arguments.fail(function_name, 'importance_scores must have the shape %s of the parameter', tostring(t:size()):match('%[.*%]'))
  end
  return t, scores:detach()
end

local function apply(function_name, m, name, mask)
  local other = computed.kind(m, name)
  if other and other ~= 'prune' then arguments.fail(function_name, "'%s' is computed from other parameters already", name) end
  if other then
    m[name .. '_mask']:copy_(mask)
    return m
  end
  local w = m[name]
  computed.define(m, name, 'prune')
  m:register_parameter(name .. '_orig', w)
  m:register_buffer(name .. '_mask', mask:to(w.dtype))
  return m
end

-- ---- Functions ------------------------------------------------------------------------------------------------------

function M.identity(...)
  local a = arguments.read('identity', { 'module', 'name' }, 2, ...)
  read('identity', a.module, a.name)
  return apply('identity', a.module, a.name, mask_of(a.module, a.name))
end

function M.random_unstructured(...)
  local f = 'random_unstructured'
  local a = arguments.read(f, { 'module', 'name', 'amount' }, 3, ...)
  local t = read(f, a.module, a.name)
  return apply(f, a.module, a.name, without_lowest(f, mask_of(a.module, a.name), torch.rand_like(t), a.amount))
end

function M.l1_unstructured(...)
  local f = 'l1_unstructured'
  local a = arguments.read(f, { 'module', 'name', 'amount', 'importance_scores' }, 3, ...)
  local _, scores = read(f, a.module, a.name, a.importance_scores)
  return apply(f, a.module, a.name, without_lowest(f, mask_of(a.module, a.name), scores:abs(), a.amount))
end

M.RandomUnstructured, M.L1Unstructured = M.random_unstructured, M.l1_unstructured  -- the names of the classes

function M.random_structured(...)
  local f = 'random_structured'
  local a = arguments.read(f, { 'module', 'name', 'amount', 'dim' }, 4, ...)
  local t = read(f, a.module, a.name)
  local dim = check_dim(f, t, a.dim)
  local scores = torch.rand(t:size(dim), { device = t.device })
  return apply(f, a.module, a.name, without_channels(f, mask_of(a.module, a.name), dim, a.amount, scores))
end

function M.ln_structured(...)
  local f = 'ln_structured'
  local a = arguments.read(f, { 'module', 'name', 'amount', 'n', 'dim', 'importance_scores' }, 5, ...)
  local t, scores = read(f, a.module, a.name, a.importance_scores)
  local dim = check_dim(f, t, a.dim)
  local norms = scores:norm(a.n, other_dims(t, dim))
  return apply(f, a.module, a.name, without_channels(f, mask_of(a.module, a.name), dim, a.amount, norms))
end

function M.custom_from_mask(...)
  local f = 'custom_from_mask'
  local a = arguments.read(f, { 'module', 'name', 'mask' }, 3, ...)
  local t = read(f, a.module, a.name)
  if not torch.is_tensor(a.mask) or a.mask:size() ~= t:size() then
    arguments.fail(f, 'mask must have the shape %s of the parameter', tostring(t:size()):match('%[.*%]'))
  end
  return apply(f, a.module, a.name, mask_of(a.module, a.name) * a.mask:to(t.dtype))
end

-- {module, name} of each element of the list, checked.
local function pairs_of(f, list)
  if type(list) ~= 'table' or #list == 0 then arguments.fail(f, 'parameters is a list of {module, name}, got %s', type(list)) end
  for i, p in ipairs(list) do
    if type(p) ~= 'table' or #p ~= 2 then arguments.fail(f, 'element %d of parameters is no {module, name}', i) end
    computed.tensor(f, p[1], p[2])
  end
  return list
end

function M.global_unstructured(...)
  local f = 'global_unstructured'
  local a = arguments.read(f, { 'parameters', 'pruning_method', 'importance_scores', 'amount' }, 2, ...)
  local prune, all, masks, scores = nn.utils.prune, pairs_of(f, a.parameters), {}, {}
  local by_magnitude = a.pruning_method == prune.l1_unstructured or a.pruning_method == prune.L1Unstructured
  if not by_magnitude and a.pruning_method ~= prune.random_unstructured and a.pruning_method ~= prune.RandomUnstructured then
    arguments.fail(f, 'pruning_method is prune.l1_unstructured or prune.random_unstructured')
  end
  for i, p in ipairs(all) do
    local _, score = read(f, p[1], p[2], a.importance_scores and a.importance_scores[i])
    masks[i], scores[i] = mask_of(p[1], p[2]):reshape(-1), score:reshape(-1)
  end
  local score = torch.cat(scores)
  score = by_magnitude and score:abs() or torch.rand_like(score)
  local mask, at = without_lowest(f, torch.cat(masks), score, a.amount), 1
  for i, p in ipairs(all) do
    apply(f, p[1], p[2], mask:narrow(1, at, masks[i]:numel()):reshape(p[1][p[2]]:size()))
    at = at + masks[i]:numel()
  end
end

function M.remove(...)
  local a = arguments.read('remove', { 'module', 'name' }, 2, ...)
  local m, name = a.module, a.name
  local t = computed.tensor('remove', m, name):detach()
  if computed.kind(m, name) ~= 'prune' then arguments.fail('remove', "'%s' of %s is not pruned", name, torch.typename(m)) end
  local w = m[name .. '_orig']
  w.data = t
  m[name .. '_orig'] = nil
  m[name .. '_mask'] = nil
  computed.undefine(m, name, w)
  return m
end

function M.is_pruned(...)
  local a = arguments.read('is_pruned', { 'module' }, 1, ...)
  if not torch.isinstance(a.module, nn.Module) then arguments.fail('is_pruned', 'expects a module, got %s', type(a.module)) end
  for _, m in a.module:named_modules() do
    for _, by in pairs(m._computed or {}) do
      if by == 'prune' then return true end
    end
  end
  return false
end

return M
