-- nn.utils.parametrize: parameters as functions of others. m.parametrizations[name] is the list of functions, modules,
-- with the parameter `original`, or original0, original1 … where the first function takes several tensors.
local arguments = require 'luth.torch.arguments'
local computed = require 'luth.torch.computed'

local M = {}

-- ---- The list -------------------------------------------------------------------------------------------------------

local List = nn.class('ParametrizationList', nn.ModuleList)

local function originals(list)
  if list.original then return { list.original } end
  local all = {}
  while list['original' .. #all] do all[#all + 1] = list['original' .. #all] end
  return all
end

function List:forward()
  local x
  for i, f in ipairs(self) do
    if i == 1 then x = f(table.unpack(originals(self))) else x = f(x) end
  end
  return x
end

-- What the functions' right inverses make of a value, from the last to the first: a table of tensors.
local function inverted(list, value)
  local _ <close> = torch.no_grad()
  local values = { value }
  for i = #list, 1, -1 do
    local f = list[i]
    if f.right_inverse then values = { f:right_inverse(values[1]) } end
    if i > 1 and #values ~= 1 then
      arguments.fail('register_parametrization', 'right_inverse of %s gives %d tensors; only the first parametrization may take several',
        torch.typename(f), #values)
    end
  end
  for _, v in ipairs(values) do
    if not torch.is_tensor(v) then arguments.fail('register_parametrization', 'right_inverse gives tensors, got %s', type(v)) end
  end
  return values
end

-- ---- Computing ------------------------------------------------------------------------------------------------------

local cache, depth = {}, 0

-- A scope, or with a function: until its end every parametrized tensor is computed once.
function M.cached(f, ...)
  if f ~= nil and type(f) ~= 'function' then arguments.fail('cached', 'expects a function or nothing, got %s', torch.typename(f) or type(f)) end
  depth = depth + 1
  local function leave()
    depth = depth - 1
    if depth == 0 then cache = {} end
  end
  if f == nil then return setmetatable({}, { __close = leave, __name = 'parametrize.cached' }) end
  local results = table.pack(pcall(f, ...))
  leave()
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

local function compute(m, name)
  local list = m.parametrizations[name]
  if depth == 0 then return list() end
  cache[list] = cache[list] or list()
  return cache[list]
end

-- m.weight = value.
local function assign(m, name, value)
  local list = m.parametrizations[name]
  if not torch.is_tensor(value) then arguments.fail('parametrize', "'%s' takes a tensor, got %s", name, torch.typename(value) or type(value)) end
  for _, f in ipairs(list) do
    if not f.right_inverse then
      arguments.fail('parametrize', "'%s' cannot be assigned: the parametrization %s has no right_inverse", name, torch.typename(f))
    end
  end
  local _ <close> = torch.no_grad()
  local new, old = inverted(list, value), originals(list)
  for i, t in ipairs(old) do
    if not new[i] or new[i]:size() ~= t:size() then
      arguments.fail('parametrize', "'%s' cannot become a tensor of shape %s: its original has shape %s", name,
        tostring(value:size()):match('%[.*%]'), tostring(t:size()):match('%[.*%]'))
    end
    t:copy_(new[i])
  end
end

M.kinds = { parametrize = { compute = compute, assign = assign } }

-- ---- Registering ----------------------------------------------------------------------------------------------------

local function same_kind(what, got, expected)
  if not torch.is_tensor(got) then
    arguments.fail('register_parametrization', '%s gives %s, no tensor', what, torch.typename(got) or type(got))
  end
  if got.dtype ~= expected.dtype or got:size() ~= expected:size() then
    arguments.fail('register_parametrization', '%s gives %s of shape %s, the parameter is %s of shape %s; unsafe = true allows that', what,
      tostring(got.dtype), tostring(got:size()):match('%[.*%]'), tostring(expected.dtype), tostring(expected:size()):match('%[.*%]'))
  end
end

local function append(m, name, f, unsafe)
  if not unsafe then
    local _ <close> = torch.no_grad()
    local y = m[name]
    local x = f(y)
    same_kind('the parametrization', x, y)
    if f.right_inverse then same_kind('right_inverse', f:right_inverse(x), y) end
  end
  m.parametrizations[name]:append(f)
end

local function is_buffer(m, t)
  for _, b in m:named_buffers('', false) do
    if b == t then return true end
  end
  return false
end

local function start(m, name, f, unsafe, w)
  local list = List()
  list:append(f)
  local value = w:detach()
  local values = inverted(list, value)
  if #values == 1 then
    -- the same tensor as before, so that an optimizer keeps it
    if values[1] ~= value then w.data = values[1]:detach():clone() end
    if is_buffer(m, w) then list:register_buffer('original', w) else list:register_parameter('original', w) end
  else
    for i, v in ipairs(values) do
      list:register_parameter('original' .. i - 1, nn.Parameter(v:detach():clone(), w.requires_grad))
    end
  end
  return list
end

function M.register_parametrization(...)
  local name = 'register_parametrization'
  local a = arguments.read(name, { 'module', 'tensor_name', 'parametrization', 'unsafe' }, 3, ...)
  local m, f = a.module, a.parametrization
  local w = computed.tensor(name, m, a.tensor_name)
  if not torch.isinstance(f, nn.Module) then arguments.fail(name, 'parametrization must be a module, got %s', torch.typename(f) or type(f)) end
  f:train(m.training)
  local kind = computed.kind(m, a.tensor_name)
  if kind == 'parametrize' then
    append(m, a.tensor_name, f, a.unsafe)
    return m
  end
  if kind then arguments.fail(name, "'%s' is computed from other parameters already", a.tensor_name) end
  local before = w:detach():clone()
  local list = start(m, a.tensor_name, f, a.unsafe, w)
  local ok, message = pcall(function()
    if not a.unsafe then same_kind('the parametrization', torch.no_grad(function() return list() end), before) end
  end)
  if not ok then  -- the module stays as it was
    w.data = before
    error(message, 0)
  end
  computed.define(m, a.tensor_name, 'parametrize')
  m.parametrizations = m.parametrizations or nn.ModuleDict()
  m.parametrizations[a.tensor_name] = list
  return m
end

function M.is_parametrized(...)
  local a = arguments.read('is_parametrized', { 'module', 'tensor_name' }, 1, ...)
  local all = a.module.parametrizations
  if not all or not torch.isinstance(all, nn.ModuleDict) then return false end
  if a.tensor_name == nil then return #all > 0 end
  return all[a.tensor_name] ~= nil
end

function M.remove_parametrizations(...)
  local name = 'remove_parametrizations'
  local a = arguments.read(name, { 'module', 'tensor_name', 'leave_parametrized' }, 2, ...)
  local m, key = a.module, a.tensor_name
  if not M.is_parametrized(m, key) then arguments.fail(name, "'%s' has no parametrization", tostring(key)) end
  local list = m.parametrizations[key]
  local all = originals(list)
  local p, buffer = all[1], is_buffer(list, all[1])
  if a.leave_parametrized == false then
    if #all > 1 then arguments.fail(name, 'leave_parametrized = false needs a parametrization of one tensor, this has %d', #all) end
  else
    local value = torch.no_grad(function() return m[key]:detach():clone() end)
    if #all > 1 then p = nn.Parameter(value, p.requires_grad) else p.data = value end
  end
  m.parametrizations[key] = nil
  if #m.parametrizations == 0 then m.parametrizations = nil end
  computed.undefine(m, key, p, buffer)
  return m
end

return M
