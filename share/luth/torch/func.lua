-- torch.func: vmap and derivatives of functions, after functorch. Values are tensors, or tables of them as parameters by
-- name; a transform of a function is a function, so that they nest.
local M = {}
local native = require 'luth.vmap'
local grad_of = torch.autograd.grad
local values = require 'luth.torch.func_values'
local fail, is_table, flatten, settings, check_function = values.fail, values.is_table, values.flatten, values.settings, values.check_function

-- ---- vmap -----------------------------------------------------------------------------------------------------------

-- Calls visit(tensor, dim) for each tensor of a value along whose `dim` its samples lie, and puts the result in its
-- place. A table of dims fits a table of values.
local function along(value, dim, where, visit)
  if dim == nil or dim == torch.none or dim == false then return value end
  if is_table(dim) then
    if not is_table(value) then fail('vmap: in_dims has a table for %s, which is a %s', where, type(value)) end
    local out = {}
    for key, part in pairs(value) do out[key] = along(part, dim[key], where .. '.' .. tostring(key), visit) end
    return out
  end
  if math.type(dim) ~= 'integer' then fail('vmap: the dim of %s is an integer or torch.none, not %s', where, tostring(dim)) end
  if torch.is_tensor(value) then return visit(value, dim, where) end
  if is_table(value) then
    local out = {}
    for key, part in pairs(value) do out[key] = along(part, dim, where .. '.' .. tostring(key), visit) end
    return out
  end
  return value
end

local function dim_for(dims, i)
  if is_table(dims) then return dims[i] end
  return dims
end

-- The number of samples, and the first tensor that has them.
local function samples_in(args, in_dims)
  local size, first, at
  for i = 1, args.n do
    along(args[i], dim_for(in_dims, i), 'argument ' .. i, function(x, dim, where)
      local rank = x:dim()
      if dim == 0 or dim > rank or dim < -rank then
        fail('vmap: %s has %d dims, and no dim %d for its samples', where, rank, dim)
      end
      local n = x:size(dim)
      if size and n ~= size then fail('vmap: %s has %d samples in dim %d, and %s has %d', where, n, dim, at, size) end
      size, first, at = size or n, first or x, at or where
      return x
    end)
  end
  if not size then fail('vmap: no argument has samples: in_dims names a dim for at least one tensor') end
  if size == 0 then fail('vmap: %s has no samples', at) end
  return size, first
end

local function joined(results, out_dims)
  local function join(value, dim, i)
    if torch.is_tensor(value) then
      if dim == nil or dim == torch.none then fail('vmap: out_dims has no dim for result %d', i) end
      return native.join(value, dim)
    elseif is_table(value) then
      local out = {}
      for key, part in pairs(value) do out[key] = join(part, is_table(dim) and dim[key] or dim, i) end
      return out
    end
    fail('vmap: the function must return tensors; result %d is a %s', i, type(value))
  end
  for i = 1, results.n do results[i] = join(results[i], dim_for(out_dims, i), i) end
  return results
end

local function run_batch(f, args, in_dims, out_dims, randomness)
  local size, first = samples_in(args, in_dims)
  return native.batched(first, size, randomness, function()
    local inside = {}
    for i = 1, args.n do
      inside[i] = along(args[i], dim_for(in_dims, i), 'argument ' .. i, native.split)
    end
    local results = joined(table.pack(f(table.unpack(inside, 1, args.n))), out_dims)
    return table.unpack(results, 1, results.n)
  end)
end

-- Batches of at most chunk_size samples, one after the other.
local function run_chunks(f, args, in_dims, out_dims, o)
  local size = samples_in(args, in_dims)
  local lists, n, rebuilds = {}, 0, {}
  for start = 1, size, o.chunk_size do
    local count = math.min(o.chunk_size, size - start + 1)
    local part = { n = args.n }
    for i = 1, args.n do
      part[i] = along(args[i], dim_for(in_dims, i), 'argument ' .. i, function(x, dim) return x:narrow(dim, start, count) end)
    end
    local results = table.pack(run_batch(f, part, in_dims, out_dims, o.randomness))
    n = results.n
    for i = 1, n do
      local list
      list, rebuilds[i] = flatten(results[i])
      lists[i] = lists[i] or {}
      for k, t in ipairs(list) do
        lists[i][k] = lists[i][k] or {}
        table.insert(lists[i][k], t)
      end
    end
  end
  local out = {}
  for i = 1, n do
    local all = {}
    for k, parts in ipairs(lists[i]) do all[k] = torch.cat(parts, dim_for(out_dims, i)) end
    out[i] = rebuilds[i](all)
  end
  return table.unpack(out, 1, n)
end

function M.vmap(f, ...)
  check_function('vmap', f)
  local o, in_dims, out_dims = settings('vmap', { randomness = 'error', in_dims = 1, out_dims = 1 }, ...)
  if in_dims == nil then in_dims = o.in_dims end
  if out_dims == nil then out_dims = o.out_dims end
  if o.chunk_size ~= nil and (math.type(o.chunk_size) ~= 'integer' or o.chunk_size < 1) then
    fail('vmap: chunk_size is an integer of at least 1, not %s', tostring(o.chunk_size))
  end
  return function(...)
    local args = table.pack(...)
    if o.chunk_size then return run_chunks(f, args, in_dims, out_dims, o) end
    return run_batch(f, args, in_dims, out_dims, o.randomness)
  end
end

-- ---- Derivatives ----------------------------------------------------------------------------------------------------

local depth = 0  -- of transforms that run: what an outer one needs is recorded

-- Runs f with gradients recorded. Its results keep their history only for an outer transform, or if `keep`.
local function recorded(keep, f)
  local outer = depth > 0 or keep
  depth = depth + 1
  local results = table.pack(pcall(torch.enable_grad, function() return f(outer) end))
  depth = depth - 1
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

local function any_requires_grad(list)
  if not torch.is_grad_enabled() then return false end
  for _, x in ipairs(list) do if x.requires_grad then return true end end
  return false
end

-- Tensors to differentiate by; views where an outer transform follows the inputs' own history.
local function leaves(name, list)
  local out = {}
  for i, x in ipairs(list) do
    if not x:is_floating_point() then fail('%s: differentiates by tensors of a float dtype, not %s', name, tostring(x.dtype)) end
    x = native.here(x)
    out[i] = x.requires_grad and x:view_as(x) or x:detach():requires_grad_()
  end
  return out
end

local function detached(value)
  local list, rebuild = flatten(value)
  for i, t in ipairs(list) do list[i] = t:detach() end
  return rebuild(list)
end

-- The gradients of `ys` in the direction of `dys` by `xs`; zeros where there is none.
local function gradients(ys, dys, xs, create_graph)
  local some, with = {}, {}
  for i, y in ipairs(ys) do
    if y.requires_grad then some[#some + 1], with[#with + 1] = y, dys[i] end
  end
  local found = {}
  if #some > 0 then
    found = table.pack(grad_of(some, xs, { grad_outputs = with, allow_unused = true, retain_graph = true, create_graph = create_graph }))
  end
  local out = {}
  for i, x in ipairs(xs) do out[i] = found[i] or torch.zeros_like(x) end
  return out
end

-- The arguments that argnums names as one value, and a function that puts another in their places.
local function chosen(name, argnums, args)
  local list = is_table(argnums) and argnums or { argnums }
  for _, i in ipairs(list) do
    if math.type(i) ~= 'integer' or i < 1 or i > args.n then
      fail('%s: argnums names argument %s; there are %d, counted from 1', name, tostring(i), args.n)
    end
  end
  local value = {}
  for k, i in ipairs(list) do value[k] = args[i] end
  return is_table(argnums) and value or value[1], function(new)
    local all = { table.unpack(args, 1, args.n) }
    for k, i in ipairs(list) do all[i] = is_table(argnums) and new[k] or new end
    return all
  end
end

local function gradient_and_value(name, f, argnums, has_aux, args)
  local value, with = chosen(name, argnums, args)
  local list, rebuild = flatten(value)
  if #list == 0 then fail('%s: argument %s has no tensor', name, tostring(argnums)) end
  return recorded(any_requires_grad(list), function(outer)
    local xs = leaves(name, list)
    local y, aux = f(table.unpack(with(rebuild(xs)), 1, args.n))
    if not torch.is_tensor(y) or y:numel() ~= 1 then
      fail('%s: the function must return a single element, got %s', name, torch.is_tensor(y) and 'shape ' .. tostring(y:size()) or type(y))
    end
    if has_aux and aux == nil then fail('%s: has_aux expects a second value of the function', name) end
    local found = rebuild(gradients({ y }, { torch.ones_like(y) }, xs, outer))
    if not outer then found, y, aux = detached(found), y:detach(), detached(aux) end
    return found, y, has_aux and aux or nil
  end)
end

function M.grad_and_value(f, ...)
  check_function('grad_and_value', f)
  local o, argnums = settings('grad_and_value', { has_aux = false, argnums = 1 }, ...)
  return function(...)
    local found, y, aux = gradient_and_value('grad_and_value', f, argnums or o.argnums, o.has_aux, table.pack(...))
    if o.has_aux then return found, y, aux end
    return found, y
  end
end

function M.grad(f, ...)
  check_function('grad', f)
  local o, argnums = settings('grad', { has_aux = false, argnums = 1 }, ...)
  return function(...)
    local found, _, aux = gradient_and_value('grad', f, argnums or o.argnums, o.has_aux, table.pack(...))
    if o.has_aux then return found, aux end
    return found
  end
end

-- A value with the structure of `like`, checked against its shapes.
local function fitting(name, value, like, what)
  local list = flatten(value)
  if #list ~= #like then fail('%s: %s has %d tensors, expected %d', name, what, #list, #like) end
  for i, t in ipairs(list) do
    if t:size() ~= like[i]:size() then
      fail('%s: tensor %d of %s has shape %s, expected %s', name, i, what, tostring(t:size()), tostring(like[i]:size()))
    end
  end
  return list
end

function M.vjp(f, ...)
  check_function('vjp', f)
  local args = table.pack(...)
  local list, rebuild = flatten({ ... })
  if #list == 0 then fail('vjp: expects a tensor behind the function') end
  return recorded(any_requires_grad(list), function(outer)
    local xs = leaves('vjp', list)
    local y = f(table.unpack(rebuild(xs), 1, args.n))
    local ys = flatten(y)
    local function pull(...)
      local dys = fitting('vjp', select('#', ...) == 1 and (...) or { ... }, ys, 'the cotangent')
      local keep = depth > 0 or any_requires_grad(dys)
      local found = rebuild(gradients(ys, dys, xs, keep))
      if not keep then found = detached(found) end
      return table.unpack(found, 1, args.n)
    end
    return outer and y or detached(y), pull
  end)
end

-- By the double backward trick: the gradient is linear in its cotangents, so its own gradient by them is the product.
function M.jvp(f, primals, tangents)
  check_function('jvp', f)
  if not is_table(primals) or not is_table(tangents) then fail('jvp: primals and tangents are tables, one entry for each argument') end
  local list, rebuild = flatten(primals)
  local directions = fitting('jvp', tangents, list, 'the tangents')
  local both = { table.unpack(list) }
  for _, t in ipairs(directions) do both[#both + 1] = t end
  return recorded(any_requires_grad(both), function(outer)
    local xs = leaves('jvp', list)
    local y = f(table.unpack(rebuild(xs)))
    local ys, rebuild_y = flatten(y)
    local cotangents = {}
    for i, t in ipairs(ys) do cotangents[i] = torch.zeros_like(t):requires_grad_() end
    local found = gradients(ys, cotangents, xs, true)
    local product = rebuild_y(gradients(found, directions, cotangents, outer))
    if not outer then y, product = detached(y), detached(product) end
    return y, product
  end)
end

-- Rows of the identity in the shape of `t`: [numel, …].
local function basis_of(t)
  return torch.eye(t:numel(), { dtype = t.dtype, device = t.device }):reshape({ t:numel(), table.unpack(t:size():tolist()) })
end

local function shape_of(a, b)
  local shape = a:size():tolist()
  for _, n in ipairs(b:size():tolist()) do shape[#shape + 1] = n end
  return shape
end

-- f as a function of one tensor, its argument number argnums.
local function of_one(name, f, argnums, args)
  local x, with = chosen(name, argnums, args)
  if not torch.is_tensor(x) then fail('%s: argument %s must be a tensor, got %s', name, tostring(argnums), type(x)) end
  return x, function(value)
    local y = f(table.unpack(with(value), 1, args.n))
    if not torch.is_tensor(y) then fail('%s: the function must return a tensor, got %s', name, type(y)) end
    return y
  end
end

function M.jacrev(f, argnums)
  check_function('jacrev', f)
  return function(...)
    local args = table.pack(...)
    local value, with = chosen('jacrev', argnums or 1, args)
    local list, rebuild = flatten(value)
    if #list == 0 then fail('jacrev: argument %s has no tensor', tostring(argnums or 1)) end
    local y, pull = M.vjp(function(v)
      local y = f(table.unpack(with(v), 1, args.n))
      if not torch.is_tensor(y) then fail('jacrev: the function must return a tensor, got %s', type(y)) end
      return y
    end, value)
    local rows = y:numel() > 0 and flatten(M.vmap(pull)(basis_of(y)))
    for i, x in ipairs(list) do
      local shape = shape_of(y, x)
      list[i] = rows and rows[i]:reshape(shape) or torch.zeros(shape, { dtype = x.dtype, device = x.device })
    end
    return rebuild(list)
  end
end

function M.jacfwd(f, argnums)
  check_function('jacfwd', f)
  return function(...)
    local x, g = of_one('jacfwd', f, argnums or 1, table.pack(...))
    if x:numel() == 0 then return torch.zeros(shape_of(g(x), x), { dtype = x.dtype }) end
    local function column(direction)
      local _, product = M.jvp(g, { x }, { direction })
      return product
    end
    local y = M.vmap(column, 1, -1)(basis_of(x))
    local shape = y:size():tolist()
    table.remove(shape)
    for _, n in ipairs(x:size():tolist()) do shape[#shape + 1] = n end
    return y:reshape(shape)
  end
end

function M.hessian(f, argnums)
  check_function('hessian', f)
  return M.jacfwd(M.jacrev(f, argnums), argnums)
end

-- ---- Ensembles ------------------------------------------------------------------------------------------------------

-- The tensors of a name of all models as one tensor, a leaf.
local function stacked(models, names_of)
  local lists = {}
  for _, m in ipairs(models) do
    for name, t in m[names_of](m) do
      lists[name] = lists[name] or {}
      table.insert(lists[name], t)
    end
  end
  for name, list in pairs(lists) do
    if #list ~= #models then fail("stack_module_state: not all models have '%s'", name) end
    lists[name] = torch.stack(list):detach():requires_grad_(list[1].requires_grad)
  end
  return lists
end

function M.stack_module_state(models)
  if not is_table(models) or #models == 0 then fail('stack_module_state: expects a list of modules') end
  for i, m in ipairs(models) do
    if not torch.isinstance(m, nn.Module) then fail('stack_module_state: element %d is no module', i) end
    if torch.typename(m) ~= torch.typename(models[1]) then
      fail('stack_module_state: model %d is a %s, the first a %s', i, torch.typename(m), torch.typename(models[1]))
    end
    if m.training ~= models[1].training then fail('stack_module_state: model %d is in another mode than the first: train or eval', i) end
  end
  return stacked(models, 'named_parameters'), stacked(models, 'named_buffers')
end

return M
