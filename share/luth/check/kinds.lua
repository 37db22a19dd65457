-- The kind of an expression, if it is certain: 'tensor', 'mask' (a tensor of a comparison), 'number', 'string', 'boolean', 'table',
-- 'function', 'module', 'class' (of modules), 'optimizer', 'scope'; nil if unknown. Kinds of operators'
-- results come from the registry, so nothing about operators is listed here.
local registry = require 'luth.registry'

local M = {}

local faces = {}
for _, face in ipairs(registry.faces()) do faces[face.name] = face end

M.spaces = {}  -- table of names -> its path
for _, space in ipairs(registry.spaces()) do
  local at = _G
  for part in space.path:gmatch('[^.]+') do at = type(at) == 'table' and rawget(at, part) or nil end
  if at then M.spaces[at] = space.path end
end

local comparisons = {}
local comparison_names = 'eq ne lt le gt ge logical_and logical_or logical_not logical_xor isnan isinf isfinite isclose'
for name in comparison_names:gmatch('%S+') do
  comparisons[name] = true
end
M.comparisons = comparisons

local scopes = {}
for name in ([[no_grad enable_grad inference_mode autocast amp.autocast autograd.detect_anomaly cuda.stream
    cuda.device]]):gmatch('%S+') do
  scopes['torch.' .. name] = true
end
M.scopes = scopes

-- Methods that only tensors have: a value of unknown kind on which one is called is a tensor.
local of_tensors = {}
for name in ([[argmax argmin argsort softmax log_softmax logsumexp sigmoid unsqueeze squeeze matmul bmm masked_select
    index_select cumsum]]):gmatch('%S+') do
  of_tensors[name] = true
end

-- Results of Lua's functions: those of math give a number, except a few.
local lua_functions = {
  tostring = 'string', type = 'string', ['string.format'] = 'string', ['table.concat'] = 'string',
  ['os.time'] = 'number', ['os.clock'] = 'number', ['math.tointeger'] = false, ['math.type'] = false,
  ['math.ult'] = 'boolean', ['math.randomseed'] = false,
}

-- Results of functions written by hand, if they matter.
local made = { tensor = 'tensor', as_tensor = 'tensor', Tensor = 'tensor' }
local methods = { requires_grad_ = 'tensor' }
M.copies = {}  -- those of a tensor that give it in another form, and do no more
for name in ([[to cpu cuda detach float double half long int bool bfloat16 type_as pin_memory view_as
    new_tensor]]):gmatch('%S+') do
  methods[name], M.copies[name] = 'tensor', true
end
for kind, names in pairs {
  number = 'item dim numel nelement ndimension storage_offset element_size nbytes data_ptr _version get_device',
  boolean = [[is_floating_point is_signed is_complex is_set_to is_same_size is_nonzero is_contiguous is_pinned
    is_inference is_view equal]],
  table = 'tolist',
} do
  for name in names:gmatch('%S+') do methods[name] = kind end
end

-- The result of an operator's call, with `count` arguments besides the tensor.
local certain = {}  -- face -> the kind of its results, where all forms give the same
local function result_of(face, count)
  if certain[face] then return certain[face] end
  local answers, tensors = 0, 0
  for _, form in ipairs(face.forms) do
    if form.answers then answers = answers + 1 elseif not form.several then tensors = tensors + 1 end
  end
  if answers == 0 and tensors == #face.forms then
    certain[face] = comparisons[face.name] and 'mask' or 'tensor'
    return certain[face]
  end
  if answers > 0 then return (tensors == 0 or count == 0) and 'boolean' or 'mask' end  -- all(), any() of a dim
  return nil
end

local function find_in_library(e)
  if e.type == 'Name' and not e.variable then
    local value = rawget(_G, e.name)
    if type(value) == 'table' and M.spaces[value] then return value, e.name end
  elseif e.type == 'Index' and e.dot then
    local space, path = M.library(e.object)
    if space and M.spaces[space] then return rawget(space, e.key), path .. '.' .. e.key end
  end
  return nil
end

-- The value and the path of a.b.c, where a is a table of luth's names; nil for anything else. Kept in the expression, so that
-- a chain costs each of its parts once.
function M.library(e)
  if e.type ~= 'Index' then
    if e.type == 'Name' then return find_in_library(e) end
    return nil
  end
  if e.path == nil then
    local value, path = find_in_library(e)
    e.value_of_path, e.path = value, path or false
  end
  return e.value_of_path, e.path or nil
end

-- 'math.floor' for a function or value of Lua's own; nil for any other expression.
local function of_lua(e)
  local global = e.type == 'Index' and e.dot and e.object or e
  if global.type ~= 'Name' or global.variable then return nil end
  return global == e and e.name or global.name .. '.' .. e.key
end

-- The operator that a call is of; nil for any other.
local function face_of(e)
  if e.type == 'Method' then return faces[e.name] end
  local value, path = M.library(e.callee)
  local name = path and registry.operator_name(value)
  return name and faces[name]
end

local function kind_of_call(e)
  local value, path = M.library(e.callee)
  if not path then
    local known = of_lua(e.callee)
    if lua_functions[known] ~= nil then return lua_functions[known] or nil end
    if known and known:find('^math[.]') then return 'number' end
  end
  if path then
    if scopes[path] then return 'scope' end
    local name = registry.operator_name(value)
    if name then return result_of(faces[name], #e.args - 1) end
    if path:match('^torch%.[%a_]+$') and made[e.callee.key] then return made[e.callee.key] end
    if path == 'nn.class' or path == 'torch.nn.class' then return 'class' end
    if type(value) ~= 'table' then return nil end
    if M.spaces[e.callee.type == 'Index' and M.library(e.callee.object)] == 'nn' then return 'module' end
    if M.spaces[e.callee.type == 'Index' and M.library(e.callee.object)] == 'optim' then return 'optimizer' end
    return nil
  end
  local callee = M.kind(e.callee)
  return callee == 'module' and 'tensor' or callee == 'class' and 'module' or nil
end

local self_returning = { train = true, eval = true, to = true, cuda = true, cpu = true }

local function kind_of_method(e)
  local object = M.kind(e.object)
  if object == 'tensor' or object == 'mask' then
    local face = faces[e.name]
    if face then return result_of(face, #e.args) end
    if e.name == 'size' then return #e.args > 0 and 'number' or nil end
    return methods[e.name]
  elseif object == 'module' then
    if e.name == 'forward' then return 'tensor' end
    if e.name == 'parameters' then return 'table' end
    return self_returning[e.name] and 'module' or nil
  elseif object == nil and of_tensors[e.name] then
    return 'tensor'
  elseif object == nil and comparisons[e.name] then
    local unary = e.name == 'logical_not' or e.name:find('^is[nf]')
    return #e.args == (unary and 0 or 1) and 'mask' or nil
  end
  return nil
end

local arithmetic = {}
for op in ('+ - * / // % ^ & | ~ << >>'):gmatch('%S+') do arithmetic[op] = true end

local function kind_of_binary(e)
  if e.op == 'and' or e.op == 'or' then
    local left, right = M.kind(e.left), M.kind(e.right)
    return left == right and left or nil
  elseif e.op == '..' then
    return M.kind(e.left) == 'module' and 'module' or nil
  elseif not arithmetic[e.op] then
    return 'boolean'
  end
  local left, right = M.kind(e.left), M.kind(e.right)
  if left == 'mask' or right == 'mask' then return 'mask' end
  if left == 'tensor' or right == 'tensor' then return 'tensor' end
  return left == 'number' and right == 'number' and 'number' or nil
end

local kinds = {
  Paren = function(e) return M.kind(e.inner) end,
  Function = function() return 'function' end,
  Table = function() return 'table' end,
  Unary = function(e)
    if e.op == 'not' then return 'boolean' end
    if e.op == '#' then return 'number' end
    return M.kind(e.operand)
  end,
  Binary = kind_of_binary,
  Call = kind_of_call,
  Method = kind_of_method,
  Result = function(e)  -- value number `nr` of a call
    local face = face_of(e.call)
    if not face or M.kind(e.call) ~= 'tensor' then return nil end
    for _, form in ipairs(face.forms) do
      if #form.outputs >= e.nr then return 'tensor' end
    end
    return nil
  end,
  Item = function(e)  -- what ipairs gives: of a tensor, its rows
    local kind = M.kind(e.list)
    return (kind == 'tensor' or kind == 'mask') and kind or nil
  end,
  Index = function(e)
    if M.library(e) then return nil end
    local constant = of_lua(e)
    if constant and constant:find('^math[.]') and type(math[e.key]) == 'number' then return 'number' end
    local object = M.kind(e.object)
    if object ~= 'tensor' and object ~= 'mask' then return nil end
    if not e.dot then return e.key.kind ~= 'string' and object or nil end
    if e.key == 'requires_grad' or e.key == 'retains_grad' or e.key:find('^is_') then return 'boolean' end
    if e.key == 'dtype' or e.key == 'device' then return e.key end
    return (e.key == 'data' or e.key == 'T' or e.key == 'mT') and object or nil
  end,
}

-- The common kind of all values that are assigned to the variable, except nil; nil if they differ.
local looks = 0  -- that are going on: what they see of a variable may change yet
local function common_kind(variable)
  local found
  for _, value in ipairs(variable.values) do
    variable.looking = found or false
    local kind = value and M.kind(value)
    variable.looking = nil
    if kind == 'mask' and found == 'tensor' then kind = 'tensor' end
    if found == 'mask' and kind == 'tensor' then found = 'tensor' end
    if kind == 'nil' then
      variable.may_be_nil = true
    elseif not kind or found and kind ~= found then
      return false
    else
      found = kind
    end
  end
  return found or false
end
function M.kind_of_variable(variable)
  if variable.looking ~= nil then return variable.looking or nil end  -- x = x + 1: what the values before say
  if variable.kind == nil then
    looks = looks + 1
    variable.kind = common_kind(variable)
    looks = looks - 1
  end
  return not variable.may_be_nil and variable.kind or nil
end

--- The kind that an expression has unless it is nil.
function M.kind_unless_nil(e)
  if e.type == 'Paren' then return M.kind_unless_nil(e.inner) end
  local kind = M.kind(e)
  return kind or e.type == 'Name' and e.variable and e.variable.kind or nil
end

function M.kind(e)
  if e.type == 'Constant' then return e.kind end
  if e.type == 'Name' then return e.variable and M.kind_of_variable(e.variable) or nil end
  if e.known_kind ~= nil then return e.known_kind or nil end
  local kind = kinds[e.type](e) or nil
  if looks == 0 then e.known_kind = kind or false end
  return kind
end

return M
