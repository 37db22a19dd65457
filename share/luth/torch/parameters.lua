-- nn.utils on lists of parameters, and initial values that are made of other operators.
local arguments = require 'luth.torch.arguments'

local M = {}

local function list_of(name, value)
  if torch.is_tensor(value) then return { value } end
  if type(value) ~= 'table' then arguments.fail(name, 'expects a list of tensors, got %s', type(value)) end
  return value
end

function M.parameters_to_vector(...)
  local a = arguments.read('parameters_to_vector', { 'parameters' }, 0, ...)
  local parts = {}
  for i, p in ipairs(list_of('parameters_to_vector', a.parameters)) do parts[i] = p:reshape(-1) end
  if #parts == 0 then arguments.fail('parameters_to_vector', 'expects at least one tensor') end
  return torch.cat(parts)
end

function M.vector_to_parameters(...)
  local a = arguments.read('vector_to_parameters', { 'vec', 'parameters' }, 2, ...)
  local list, total = list_of('vector_to_parameters', a.parameters), 0
  for _, p in ipairs(list) do total = total + p:numel() end
  if not torch.is_tensor(a.vec) or a.vec:numel() ~= total then
    arguments.fail('vector_to_parameters', 'vec must have the %d elements of the parameters', total)
  end
  local vec, at = a.vec:reshape(-1), 1
  for _, p in ipairs(list) do
    p.data = vec:narrow(1, at, p:numel()):view_as(p).data
    at = at + p:numel()
  end
end

function M.get_total_norm(...)
  local a = arguments.read('get_total_norm', { 'tensors', 'norm_type', 'error_if_nonfinite', 'foreach' }, 1, ...)
  local list, p, norms = list_of('get_total_norm', a.tensors), a.norm_type or 2., {}
  if #list == 0 then return torch.tensor(0.) end
  local _ <close> = torch.no_grad()
  for i, t in ipairs(list) do norms[i] = torch.linalg.vector_norm(t, p):to(list[1].device) end
  local total = torch.linalg.vector_norm(torch.stack(norms), p)
  if a.error_if_nonfinite and not total:isfinite():item() then
    arguments.fail('get_total_norm', 'the norm is %s', tostring(total:item()))
  end
  return total
end

function M.clip_grads_with_norm_(...)
  local a = arguments.read('clip_grads_with_norm_', { 'parameters', 'max_norm', 'total_norm', 'foreach' }, 3, ...)
  local _ <close> = torch.no_grad()
  local scale = (a.max_norm / (a.total_norm + 1e-6)):clamp_max(1.)
  for _, p in ipairs(list_of('clip_grads_with_norm_', a.parameters)) do
    if p.grad then p.grad:mul_(scale:to(p.grad.device)) end
  end
end

local function check_numbers(name, a, ...)
  for _, key in ipairs { ... } do
    if a[key] ~= nil and type(a[key]) ~= 'number' then
      arguments.fail(name, "argument '%s' expects a number, got %s", key, type(a[key]))
    end
  end
end

-- What make() builds on the device meta, with memory of any contents on `device`: nothing is drawn.
function M.undrawn(device, make)
  local m
  do
    local _ <close> = torch.device('meta'):scope()
    m = make()
  end
  for _, list in ipairs { table.pack(m:named_parameters()), table.pack(m:named_buffers()) } do
    for _, t in table.unpack(list, 1, list.n) do t.data = torch.empty(t:size(), { dtype = t.dtype, device = device }) end
  end
  return m
end

function M.skip_init(class, ...)
  if type(class) ~= 'table' or not (getmetatable(class) or {}).__call then
    arguments.fail('skip_init', 'expects a class of modules, got %s', torch.typename(class) or type(class))
  end
  local given, n = { ... }, select('#', ...)
  local device = torch.get_default_device()
  if type(given[n]) == 'table' and getmetatable(given[n]) == nil and given[n].device then
    local others = {}
    for key, value in pairs(given[n]) do others[key] = value end
    device, others.device = others.device, 'meta'
    given[n] = others
  end
  return M.undrawn(device, function() return class(table.unpack(given, 1, n)) end)
end

-- Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks"
-- (2013). Q of a normal matrix, with the signs of R's diagonal, is uniform (Mezzadri, 2007).
function M.orthogonal_(...)
  local a = arguments.read('orthogonal_', { 'tensor', 'gain', 'generator' }, 1, ...)
  local x = a.tensor
  if not torch.is_tensor(x) or x:dim() < 2 then arguments.fail('orthogonal_', 'expects a tensor of at least 2 dims') end
  check_numbers('orthogonal_', a, 'gain')
  if x:numel() == 0 or x.is_meta then return x end
  local _ <close> = torch.no_grad()
  local rows = x:size(1)
  local columns = x:numel() // rows
  local flat = x:new_empty { rows, columns }:normal_ { mean = 0, std = 1, generator = a.generator }
  local q, r = torch.linalg.qr(rows < columns and flat:t() or flat)
  q = q * torch.diag(r):sign()
  if rows < columns then q = q:t() end
  return x:copy_(q:reshape(x:size()) * (a.gain or 1))
end

-- Martens, "Deep learning via Hessian-free optimization" (2010): in each column the share `sparsity` of 0.
function M.sparse_(...)
  local a = arguments.read('sparse_', { 'tensor', 'sparsity', 'std', 'generator' }, 2, ...)
  local x = a.tensor
  if not torch.is_tensor(x) or x:dim() ~= 2 then arguments.fail('sparse_', 'expects a matrix') end
  check_numbers('sparse_', a, 'sparsity', 'std')
  if not (a.sparsity >= 0 and a.sparsity <= 1) then
    arguments.fail('sparse_', 'sparsity must be from 0 to 1, got %s', a.sparsity)
  end
  if x.is_meta then return x end
  local _ <close> = torch.no_grad()
  local zeros = math.ceil(a.sparsity * x:size(1))
  local places = torch.rand(x:size(), { device = x.device, generator = a.generator }):argsort(1):narrow(1, 1, zeros)
  return x:normal_({ mean = 0, std = a.std or 0.01, generator = a.generator }):scatter_(1, places, 0)
end

return M
