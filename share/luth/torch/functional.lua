-- torch.autograd.functional: derivatives of functions of tensors, after torch/autograd/functional.py.
--
-- `inputs` is a tensor or a table of them, and so is what f returns (several values count as a table). Where PyTorch
-- gives a tuple of results the outer one is several values, and an inner one a table.
local M = {}
local grad_of = torch.autograd.grad

-- ---- Arguments ------------------------------------------------------------------------------------------------------

-- An error at the line that called from outside of this file.
local here = debug.getinfo(1, 'S').source
local function fail(text, ...)
  local level = 2
  local info = debug.getinfo(level, 'Sl')
  while info and (info.currentline <= 0 or info.source == here) do
    level = level + 1
    info = debug.getinfo(level, 'Sl')
  end
  error((info and string.format('%s:%d: ', info.short_src, info.currentline) or '') .. string.format(text, ...), 0)
end

-- A list, and whether it was given as one tensor.
local function as_list(value, name, what)
  if torch.is_tensor(value) then return { value }, true end
  if type(value) ~= 'table' or #value == 0 then
    fail('%s: %s is a tensor or a table of tensors, got %s', name, what, type(value) == 'table' and 'an empty table' or type(value))
  end
  for i, t in ipairs(value) do
    if not torch.is_tensor(t) then fail('%s: element %d of %s is a %s, no tensor', name, i, what, type(t)) end
  end
  return value, false
end

local function is_named(value)
  return type(value) == 'table' and #value == 0 and next(value) ~= nil
end

-- Positional settings, then a table of named ones: `names` in PyTorch's order.
local function settings(name, names, ...)
  local given, n = { ... }, select('#', ...)
  local out, known = {}, {}
  for i, key in ipairs(names) do known[key] = i end
  if is_named(given[n]) then
    for key, value in pairs(given[n]) do
      if not known[key] then fail("%s: no argument is named '%s'; it has %s", name, tostring(key), table.concat(names, ', ')) end
      out[key] = value
    end
    n = n - 1
  end
  if n > #names then fail('%s: too many arguments', name) end
  for i = 1, n do
    if given[i] ~= nil then out[names[i]] = given[i] end
  end
  return out
end

-- ---- Checks and conversions of PyTorch ------------------------------------------------------------------------------

-- Tensors to differentiate by: with create_graph views of the inputs, so that their own history goes on.
local function prepared(inputs, create_graph)
  local out = {}
  for i, x in ipairs(inputs) do
    out[i] = create_graph and x.requires_grad and x:view_as(x) or x:detach():requires_grad_()
  end
  return out
end

local function called(name, f, inputs)
  local results = table.pack(f(table.unpack(inputs)))
  if results.n == 0 then fail('%s: the function returned nothing', name) end
  if results.n == 1 then return as_list(results[1], name, 'what the function returns') end
  results.n = nil
  return as_list(results, name, 'what the function returns')
end

local function check_requires_grad(list, name, what, strict)
  if not strict then return end
  for i, t in ipairs(list) do
    if not t.requires_grad then
      fail('%s: %s number %d does not depend on the inputs in a way that is recorded, which strict forbids', name, what, i)
    end
  end
end

-- v, or a 1 for a single number.
local function vectors(name, v, like, what)
  if v == nil then
    if #like ~= 1 or like[1]:numel() ~= 1 then
      fail('%s: v may be left out only where %s is a single element', name, what)
    end
    return { torch.ones_like(like[1]) }
  end
  local list = as_list(v, name, 'v')
  if #list ~= #like then fail('%s: v has %d tensors, expected %d, as many as %s', name, #list, #like, what) end
  for i, t in ipairs(list) do
    if t:size() ~= like[i]:size() then
      fail('%s: v number %d has shape %s, expected %s', name, i, tostring(t:size()), tostring(like[i]:size()))
    end
  end
  return list
end

-- Gradients of those outputs that have any; false where there is none.
local function gradients(outputs, inputs, grad_outputs, create_graph, retain_graph)
  local some, with = {}, {}
  for i, y in ipairs(outputs) do
    if y and y.requires_grad then
      some[#some + 1] = y
      with[#with + 1] = grad_outputs and grad_outputs[i] or torch.ones_like(y)
    end
  end
  if #some == 0 then
    local none = {}
    for i = 1, #inputs do none[i] = false end
    return none
  end
  local found = table.pack(grad_of(some, inputs, {
    grad_outputs = with, allow_unused = true, create_graph = create_graph, retain_graph = retain_graph or create_graph,
  }))
  for i = 1, #inputs do found[i] = found[i] or false end
  return found
end

-- Zeros for missing gradients; with `strict` they are an error.
local function filled(found, like, name, strict, create_graph)
  local out = {}
  for i, x in ipairs(like) do
    local g = found[i]
    if not g then
      if strict then fail('%s: input number %d has no part in the result, which strict forbids', name, i) end
      g = torch.zeros_like(x)
    elseif strict and create_graph and not g.requires_grad then
      fail('%s: the derivative by input number %d does not depend on the inputs, which strict forbids', name, i)
    end
    out[i] = g
  end
  return out
end

local function finished(list, create_graph)
  if create_graph then return list end
  local out = {}
  for i, t in ipairs(list) do out[i] = torch.is_tensor(t) and t:detach() or t end
  return out
end
local function one_or_list(list, single) return single and list[1] or list end

-- Runs `f` with gradients recorded, as all of this needs.
local function recorded(f) return torch.enable_grad(f) end

-- ---- Products with the Jacobian -------------------------------------------------------------------------------------

local product_names = { 'v', 'create_graph', 'strict' }
-- (f, inputs, v, …): v may be a table of tensors, in third place.
local function product_settings(name, ...)
  return settings(name, product_names, ...)
end

function M.vjp(f, inputs, ...)
  local name = 'vjp'
  local o = product_settings(name, ...)
  local list, single = as_list(inputs, name, 'inputs')
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local outputs, one = called(name, f, xs)
    check_requires_grad(outputs, name, 'result', o.strict)
    local v = vectors(name, o.v, outputs, 'the result')
    local found = filled(gradients(outputs, xs, v, o.create_graph), xs, name, o.strict, o.create_graph)
    return one_or_list(finished(outputs, o.create_graph), one), one_or_list(finished(found, o.create_graph), single)
  end)
end

-- By the double backward trick: the gradient is linear in its cotangents, so its own gradient by them is the product.
function M.jvp(f, inputs, ...)
  local name = 'jvp'
  local o = product_settings(name, ...)
  local list = as_list(inputs, name, 'inputs')
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local v = vectors(name, o.v, xs, 'the input')
    local outputs, one = called(name, f, xs)
    check_requires_grad(outputs, name, 'result', o.strict)
    local cotangents = {}
    for i, y in ipairs(outputs) do cotangents[i] = torch.zeros_like(y):requires_grad_() end
    local found = gradients(outputs, xs, cotangents, true)
    if o.strict then filled(found, xs, name, true, false) end
    local product = filled(gradients(found, cotangents, v, o.create_graph), outputs, name, o.strict, o.create_graph)
    return one_or_list(finished(outputs, o.create_graph), one), one_or_list(finished(product, o.create_graph), one)
  end)
end

-- ---- Whole Jacobians and Hessians -----------------------------------------------------------------------------------

local jacobian_names = { 'create_graph', 'strict', 'vectorize', 'strategy' }

-- [result][input], each of the result's shape and then the input's.
local function jacobians(name, outputs, xs, o)
  local all = {}
  for k, y in ipairs(outputs) do
    local flat, rows = y:reshape(-1), {}
    for i = 1, #xs do rows[i] = {} end
    for j = 1, y:numel() do
      local found = filled(gradients({ flat[j] }, xs, nil, o.create_graph, true), xs, name, o.strict, o.create_graph)
      for i, g in ipairs(found) do rows[i][j] = g end
    end
    all[k] = {}
    for i, x in ipairs(xs) do
      local shape = {}
      for d = 1, y:dim() do shape[#shape + 1] = y:size(d) end
      for d = 1, x:dim() do shape[#shape + 1] = x:size(d) end
      all[k][i] = #rows[i] > 0 and torch.stack(rows[i]):reshape(shape) or torch.zeros(shape, { dtype = x.dtype, device = x.device })
    end
    all[k] = finished(all[k], o.create_graph)
  end
  return all
end

function M.jacobian(f, inputs, ...)
  local name = 'jacobian'
  local o = settings(name, jacobian_names, ...)
  local list, single = as_list(inputs, name, 'inputs')
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local outputs, one = called(name, f, xs)
    check_requires_grad(outputs, name, 'result', o.strict)
    local all = jacobians(name, outputs, xs, o)
    if one then return table.unpack(all[1]) end
    for k, row in ipairs(all) do all[k] = one_or_list(row, single) end
    return table.unpack(all)
  end)
end

-- f, checked to give one number.
local function scalar_of(name, f)
  return function(...)
    local outputs, one = called(name, f, { ... })
    if not one and #outputs ~= 1 or outputs[1]:numel() ~= 1 then
      fail('%s: the function must return a single element, got %s', name, one and 'shape ' .. tostring(outputs[1]:size()) or #outputs .. ' tensors')
    end
    return outputs[1]:reshape({})
  end
end

local hessian_names = { 'create_graph', 'strict', 'vectorize', 'outer_jacobian_strategy' }
function M.hessian(f, inputs, ...)
  local name = 'hessian'
  local o = settings(name, hessian_names, ...)
  local list, single = as_list(inputs, name, 'inputs')
  local value = scalar_of(name, f)
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local y = value(table.unpack(xs))
    check_requires_grad({ y }, name, 'result', o.strict)
    local first = filled(gradients({ y }, xs, nil, true), xs, name, o.strict, false)
    if o.strict then check_requires_grad(first, name, 'derivative', true) end
    local all = jacobians(name, first, xs, o)
    for k, row in ipairs(all) do all[k] = one_or_list(row, single) end
    return table.unpack(all)
  end)
end

-- ---- Products with the Hessian --------------------------------------------------------------------------------------

function M.vhp(f, inputs, ...)
  local name = 'vhp'
  local o = product_settings(name, ...)
  local list, single = as_list(inputs, name, 'inputs')
  local value = scalar_of(name, f)
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local v = vectors(name, o.v, xs, 'the input')
    local y = value(table.unpack(xs))
    check_requires_grad({ y }, name, 'result', o.strict)
    local first = filled(gradients({ y }, xs, nil, true), xs, name, o.strict, true)
    local found = filled(gradients(first, xs, v, o.create_graph), xs, name, o.strict, o.create_graph)
    return finished({ y }, o.create_graph)[1], one_or_list(finished(found, o.create_graph), single)
  end)
end

function M.hvp(f, inputs, ...)
  local name = 'hvp'
  local o = product_settings(name, ...)
  local list, single = as_list(inputs, name, 'inputs')
  local value = scalar_of(name, f)
  return recorded(function()
    local xs = prepared(list, o.create_graph)
    local v = vectors(name, o.v, xs, 'the input')
    local y = value(table.unpack(xs))
    check_requires_grad({ y }, name, 'result', o.strict)
    local cotangents = {}
    for i, x in ipairs(xs) do cotangents[i] = torch.zeros_like(x):requires_grad_() end
    local first = filled(gradients({ y }, xs, nil, true), xs, name, o.strict, true)
    local second = gradients(first, xs, cotangents, true)
    local found = filled(gradients(second, cotangents, v, o.create_graph), xs, name, o.strict, o.create_graph)
    return finished({ y }, o.create_graph)[1], one_or_list(finished(found, o.create_graph), single)
  end)
end

return M
