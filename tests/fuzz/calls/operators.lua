-- Programs of operators, by the signatures and the samples of the registry: the arguments of a sample, some of them changed.
local registry = require 'luth.registry'
local values = require 'values'
local random, one_of, chance = math.random, values.one_of, values.chance
local M = {}

-- ---- What there is to call -------------------------------------------------------------------------------------------

local function at_path(root, path)
  for part in path:gmatch('[^.]+') do root = root[part] end
  return root
end

-- {name, call, form, samples, method} for each form of each function, and again for each as a method.
local entries = {}
for _, face in ipairs(registry.faces()) do
  for number, form in ipairs(face.forms) do
    local samples = registry.samples(face.inplace and face.name:gsub('_$', '') or face.name, number)
    if #samples == 0 then samples = registry.samples(face.name, number) end
    local function add(call, method)
      entries[#entries + 1] = {name = face.name, call = call, form = form, samples = samples, method = method, inplace = face.inplace}
    end
    if face.prefix == 'torch.nn.functional.' then add(at_path(F, face.name))
    elseif face.is_function then add(at_path(torch, face.name)) end
    if face.is_method then add(torch.Tensor[face.name], true) end
  end
end
M.entries = entries

-- ---- Arguments -------------------------------------------------------------------------------------------------------

-- The extents of a sample's inputs; one of them becomes another one everywhere.
local function renamed_extent(inputs)
  local seen = {}
  for _, v in ipairs(inputs) do
    local shape = torch.is_tensor(v) and {} or type(v) == 'table' and v.shape or {}
    for i = 1, #shape do seen[#seen + 1] = shape[i] end
  end
  return #seen > 0 and one_of(seen) or nil, one_of {0, 1, 1, 2, 3, 5, 17}
end

-- How the inputs of one call differ from the sample's.
local function plan(sample)
  local p = {dtype = chance(2) and one_of(chance(4) and values.dtypes or values.floats) or torch.float32, grad = chance(2)}
  if chance(4) then p.old, p.new = renamed_extent(sample.inputs) end
  return p
end

local function drawn(p, v)
  local shape = {}
  for i = 1, #v.shape do shape[i] = v.shape[i] == p.old and p.new or v.shape[i] end
  local n = 1
  for i = 1, #shape do n = n * shape[i] end
  if n > 1 << 16 then return values.drawn(v.shape, p.dtype, v.lo, v.hi) end
  return values.drawn(shape, p.dtype, v.lo, v.hi)
end

-- Positions in samples count from 0, in scripts from 1.
local function given(p, form, x)
  if x:is_floating_point() then return x:to(p.dtype, {copy = true}) end
  if form.counts_positions and x.dtype ~= torch.bool then return torch.where(x:ge(0), x + 1, x):to(x.dtype) end
  return x:clone()
end

local function input(p, form, v, pool)
  if not v then return nil end
  if #pool > 0 and chance(12) then return one_of(pool) end
  if type(v) == 'number' then return v end
  local x = torch.is_tensor(v) and given(p, form, v) or drawn(p, v)
  if chance(3) and not p.written then x = values.relaid(x) end
  if p.grad and chance(2) and x:is_floating_point() then x = x:detach():requires_grad_() end
  if p.written then  -- neither a leaf nor one element in several places
    p.written = false
    x = x:clone()
  end
  return x
end

-- The words of a setting, out of what it is said to expect: 'mean', 'sum'.
local words = setmetatable({}, {__mode = 'k'})
local function random_attribute(param)
  if not words[param] then
    words[param] = {}
    for word in ((param.expects or '') .. (param.doc or '')):gmatch("'([%w_]+)'") do table.insert(words[param], word) end
  end
  if #words[param] > 0 and random(3) > 1 then return one_of(words[param]) end
  if chance(8) then return values.value() end
  return values.of_kind(param.kind)
end

-- The value of each parameter, nil for those that are left out.
local function parameters(entry, sample, pool)
  local form, p, out = entry.form, plan(sample), {}
  p.written = entry.inplace and random(8) > 1
  for i, param in ipairs(form.params) do
    if param.list then
      out[i] = {}
      for k = param.at, #sample.inputs do table.insert(out[i], input(p, form, sample.inputs[k], pool)) end
    elseif param.input then
      out[i] = input(p, form, sample.inputs[param.at], pool)
    else
      out[i] = sample.attributes[param.name]
    end
  end
  for _ = 1, math.max(0, random(6) - 4) do
    local i = #form.params > 0 and random(#form.params)
    local param = i and form.params[i]
    if not param then break end
    if not param.input then out[i] = random_attribute(param)
    elseif chance(3) then out[i] = values.value()
    else out[i] = values.tensor() end
  end
  return out
end

local out_makers = {
  function() return torch.empty(0) end,
  function() return values.tensor() end,
  function(list) return list[1] end,
  function(list, pool) return #pool > 0 and one_of(pool) or torch.empty(0) end,
  function(list) return torch.is_tensor(list[1]) and torch.empty_like(list[1]) or torch.empty(0) end,
}
local function outputs(form, list, pool)
  if #form.outputs < 2 and not form.several then return one_of(out_makers)(list, pool) end
  local out = {}
  for i = 1, math.max(2, #form.outputs) do out[i] = one_of(out_makers)(list, pool) end
  return out
end

-- By position up to the first that is left out, the rest by name.
local function packed(entry, of_params, pool)
  local with_out = not entry.method and not entry.inplace and chance(10)
  if with_out and random(8) > 1 then  -- which records nothing
    for i, v in pairs(of_params) do of_params[i] = torch.is_tensor(v) and v:detach() or v end
  end
  local form, list, n, named, by_name = entry.form, {}, 0, nil, false
  for i, param in ipairs(form.params) do
    local v = of_params[i]
    by_name = by_name or i > form.positional or v == nil or (i > 1 and chance(16))
    if v ~= nil and by_name then
      named = named or {}
      named[param.name] = v
    elseif v ~= nil then
      n = n + 1
      list[n] = v
    end
  end
  if with_out then
    named = named or {}
    named.out = outputs(form, list, pool)
  elseif form.random and chance(4) then
    named = named or {}
    named.generator = M.generator
  end
  if named then
    n = n + 1
    list[n] = named
  end
  return list, n
end

--- The arguments of one call of the entry, and their number.
function M.arguments(entry, pool)
  if #entry.samples == 0 then
    return values.arguments({one_of(values.floats), one_of(values.shapes)}, entry.method and values.tensor() or nil)
  end
  return packed(entry, parameters(entry, one_of(entry.samples), pool), pool)
end

--- A function of one tensor that calls a random operator, and a tensor for it; nil where the draw gives none.
function M.function_of_tensor(pool)
  local entry = one_of(entries)
  local list, n = M.arguments(entry, pool)
  if not torch.is_tensor(list[1]) then return nil end
  return function(x) return entry.call(x, table.unpack(list, 2, n)) end, list[1], entry.name
end

-- ---- Results ---------------------------------------------------------------------------------------------------------

local position_results = {argmax = 1, argmin = 1, argsort = 1, max = 2, min = 2, sort = 2, topk = 2, median = 2, nanmedian = 2, mode = 2,
  kthvalue = 2, cummax = 2, cummin = 2, multinomial = 1}

-- Positions count from 1 up to the number of elements.
local function check_positions(run, entry, list, results)
  local at = entry.form.operator and position_results[entry.name]
  local y, x = at and results[at + 1], list[1]
  if not torch.is_tensor(y) or not torch.is_tensor(x) or y.dtype ~= torch.int64 or y:numel() == 0 then return end
  if y.device.type ~= 'cpu' or entry.inplace or type(list[#list]) == 'table' and list[#list].out then return end
  if y:min():item() < 1 or y:max():item() > math.max(1, x:numel()) then
    run:fault(entry.name .. ' gives a position from ' .. y:min():item() .. ' to ' .. y:max():item())
  end
end

local function same_values(a, b)
  return torch.equal(a, b) or torch.allclose(a:double(), b:double(), {rtol = 0, atol = 0, equal_nan = true})
end

-- By the name of the call or, of several names for the same, the operator's.
local function is_named(entry, message)
  local operator = entry.form.operator
  return not operator or message:find(': expects ', 1, true) or message:find(entry.name:match('[^.]+$'), 1, true) or message:find(operator:match('[^.]+'):match('[^_]+'), 1, true)
end

-- Whether a function of the script runs within the call: where it fails, what it did before stays.
local function calls_back(list, n)
  for i = 2, n do if type(list[i]) == 'function' then return true end end
end

-- One call. What an operator in place refuses is unchanged; an error names the operator.
local function one_call(run, entry, list, n)
  local x = list[1]
  local before = entry.inplace and not calls_back(list, n) and torch.is_tensor(x) and x.device.type == 'cpu' and chance(4) and x:detach():clone()
  local results = table.pack(run:call(entry.name, entry.call, table.unpack(list, 1, n)))
  if results[1] then
    check_positions(run, entry, list, results)
    if not before and chance(4) and torch.is_tensor(results[2]) and results[2]:numel() <= values.most_elements then
      run:call('clone', torch.clone, results[2])  -- reads all of it
    end
  elseif type(results[2]) == 'string' then
    if not is_named(entry, results[2]) then run:nameless(entry.name, results[2]) end
    if before and not (tostring(before:size()) == tostring(x:size()) and same_values(before, x:detach())) then
      run:fault(entry.name .. ' changed the tensor and then refused: ' .. results[2])
    end
  end
end

-- Another value for an argument, of the kind that it is.
local function near(v, pool)
  if torch.is_tensor(v) then
    if chance(2) then return values.relaid(v) end
    if chance(2) then return v:detach():to(one_of(v:is_floating_point() and values.floats or values.dtypes)) end
    if chance(2) then return v:detach():clone() end
    return #pool > 0 and one_of(pool) or values.tensor()
  end
  local kind = math.type(v) or type(v)
  if kind == 'integer' then return chance(3) and values.of_kind('integer') or random(-1, 3) end
  if kind == 'float' then return values.of_kind('number') end
  if kind == 'boolean' then return not v end
  if kind == 'table' then
    local out = {}
    for k, e in values.sorted(v) do out[k] = chance(4) and near(e, pool) or e end
    return out
  end
  return values.value()
end

--- Calls with these arguments, and with one of them changed.
function M.step(run, entry, list, n)
  one_call(run, entry, list, n)
  for _ = 1, n > 0 and random(0, 4) or 0 do
    local i = random(n)
    local kept = list[i]
    local ok, other = pcall(near, kept, run.pool)
    list[i] = ok and other or kept
    one_call(run, entry, list, n)
    list[i] = kept
  end
end

--- A program: operators one after another, on results of one another, and backward.
function M.program(run)
  for _ = 1, random(2, 6) do
    local entry = one_of(entries)
    M.step(run, entry, M.arguments(entry, run.pool))
  end
  run:backward()
end

return M
