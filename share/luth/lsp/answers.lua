-- What an editor asks about a place: the help of a name, names that can follow, the signature of a call.
local calls = require 'luth.check.calls'
local kinds = require 'luth.check.kinds'
local model = require 'luth.reference.model'
local registry = require 'luth.registry'

local M = {}

-- Kinds of the protocol.
local symbol = { method = 2, ['function'] = 3, field = 5, variable = 6, class = 7, module = 9, property = 10, keyword = 14 }

-- ---- values by name --------------------------------------------------------------------------------------------------

local classes = registry.classes()
local by_kind = { tensor = torch.Tensor, mask = torch.Tensor, module = nn.Module, optimizer = classes['optim.Optimizer'], string = string }

-- The value at a path of luth's or Lua's own names; nil for others, also where a variable of that name is seen.
local function value_at(place, path)
  local root = path:match '^[%a_][%w_]*'
  if not root or place.kinds[root] then return nil end
  local at = _G
  for part in path:gmatch '[^.]+' do
    if type(at) ~= 'table' or part:find ':' then return nil end
    local space = kinds.spaces[at] ~= nil
    local ok, value = pcall(function() return (space or at == _G) and rawget(at, part) or nil end)
    if ok and value == nil and space then ok, value = pcall(function() return at[part] end) end  -- late names
    at = ok and value or nil
  end
  return at
end

-- The table of methods of the object in front of a name.
local function methods_of(place, object)
  local kind = place.kinds[object:match '^[%a_][%w_]*$' or '']
  return by_kind[kind]
end

-- The path around a byte, "torch.topk" or "x:sum", and where its last name begins.
local function path_at(place)
  local from, to = place.byte, place.byte - 1
  while from > 1 and place.text:find('^[%w_.:]', from - 1) do from = from - 1 end
  while place.text:find('^[%w_]', to + 1) do to = to + 1 end
  return place.text:sub(from, to)
end

-- The help of a path: of luth's own names, of a method of a variable whose kind is known, or of any method of that name.
local function help_of(place, path)
  local value = value_at(place, path)
  if value ~= nil then return registry.help_of(value) end
  local object, name = path:match '^(.*)[.:]([%a_][%w_]*)$'
  if not object then return '' end
  local methods = methods_of(place, object)
  if methods then
    local method = rawget(methods, name) or select(2, pcall(function() return methods[name] end))
    return type(method) == 'function' and registry.help_of(method) or methods == torch.Tensor and registry.help_of_name('x.' .. name) or ''
  end
  return registry.help_of_name('x:' .. name)
end

-- A place is what Document:place gives.

--- Markdown for the name at a place; nil where there is no help.
function M.hover(place)
  local help = help_of(place, path_at(place))
  if help == '' then return nil end
  local signature, rest = help:match '^([^\n]*)\n?(.*)$'
  local lines = {}
  for line in (rest .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = line end
  return '```lua\n' .. signature .. '\n```\n' .. table.concat(lines, '\n\n')
end

-- ---- completion ------------------------------------------------------------------------------------------------------

local words = { 'and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in', 'local', 'nil', 'not', 'or',
                'repeat', 'return', 'then', 'true', 'until', 'while' }

local function add(items, seen, name, kind, help)
  if seen[name] or type(name) ~= 'string' or not name:find '^[%a_]' or name:find '^__' then return end
  seen[name] = true
  local signature, brief = model.parts(help or '')
  items[#items + 1] = { label = name, kind = kind, detail = signature ~= '' and signature or nil, documentation = brief ~= '' and brief or nil }
end

local function kind_of(value, is_method)
  if type(value) == 'function' then return is_method and symbol.method or symbol['function'] end
  return type(value) == 'table' and (kinds.spaces[value] and symbol.module or symbol.class) or symbol.field
end

local function add_names_of(items, seen, values, methods_only, prefix)
  for name, value in pairs(values) do
    if type(name) == 'string' and name:sub(1, #prefix) == prefix and (not methods_only or type(value) == 'function') then
      add(items, seen, name, kind_of(value, methods_only), registry.help_of(value))
    end
  end
end

-- What can follow `object` and a dot or a colon.
local function fields(place, object, separator, prefix)
  local items, seen = {}, {}
  local value = value_at(place, object)
  if type(value) == 'table' then
    add_names_of(items, seen, value, separator == ':', prefix)
  else
    local methods = methods_of(place, object)
    for _, values in ipairs(methods and { methods } or separator == ':' and { torch.Tensor, nn.Module } or {}) do
      add_names_of(items, seen, values, true, prefix)
    end
    if methods == torch.Tensor and separator == '.' then
      for _, field in ipairs(model.tensor_fields()) do add(items, seen, field.name, symbol.property, field.help) end
    end
  end
  return items
end

-- The path that ends before a byte, nil where there is none. A search for it in all of the text would take long.
local function path_before(place, at)
  return place.text:sub(math.max(1, at - 200), at - 1):match '([%a_][%w_.:]*)%s*$'
end

-- The call within whose arguments a byte lies: the path of what is called, and whether it is in a table of named arguments.
local function call_at(place)
  local depth, named = 0, false
  for at = place.byte - 1, math.max(1, place.byte - 2000), -1 do
    local c = place.text:sub(at, at)
    if c == ')' or c == '}' or c == ']' then depth = depth + 1
    elseif (c == '(' or c == '{' or c == '[') and depth > 0 then depth = depth - 1
    elseif c == '{' then
      named = true
      local path = path_before(place, at)
      if path then return path, true end
    elseif c == '(' then
      return path_before(place, at), named
    elseif c == '[' then return nil end
  end
  return nil
end

local function add_options(place, items, seen)
  local path, named = call_at(place)
  if not path or not named then return end
  local value = value_at(place, path)
  local method = path:match ':([%a_][%w_]*)$'
  if value == nil and method then value = (methods_of(place, path:match '^(.*):') or {})[method] end
  local signature = value ~= nil and registry.help_of(value):match '^[^\n]*' or ''
  for name in pairs(value ~= nil and calls.names_of(value) or {}) do
    add(items, seen, name, symbol.property, signature:match('%f[%w_]' .. name .. ' = [^,})]*'))
  end
end

--- Items for the names that can follow a place.
function M.completion(place)
  local before = place.text:sub(place.line, place.byte - 1)
  local object, separator, prefix = before:match '([%a_][%w_.]*)([.:])([%w_]*)$'
  if object then return fields(place, object, separator, prefix) end
  prefix = before:match '[%a_][%w_]*$' or ''
  local items, seen = {}, {}
  add_options(place, items, seen)
  for name in pairs(place.kinds) do
    if name:sub(1, #prefix) == prefix then add(items, seen, name, symbol.variable) end
  end
  add_names_of(items, seen, _G, false, prefix)
  for _, word in ipairs(words) do
    if word:sub(1, #prefix) == prefix then add(items, seen, word, symbol.keyword) end
  end
  return items
end

--- The signature of the call around a place; nil where there is none.
function M.signature(place)
  local path = call_at(place)
  local help = path and help_of(place, path) or ''
  if help == '' then return nil end
  local signature, brief = model.parts(help)
  return { label = signature, documentation = brief }
end

return M
