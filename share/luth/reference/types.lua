-- Definitions for editors with the Lua language server: types/torch.lua.
local model = require 'luth.reference.model'
local registry = require 'luth.registry'
local words = require('luth.reference.examples').words

local M = {}

local kinds = {
  boolean = 'boolean', integer = 'integer', number = 'number', scalar = 'number|boolean', text = 'string',
  ints = 'integer|integer[]|torch.Size', numbers = 'number|number[]', dtype = 'torch.dtype|string',
  device = 'torch.device|string', format = 'torch.memory_format|string', tensor = 'torch.Tensor',
}

local function type_of(p)
  local kind
  if p.input then
    kind = p.list and 'torch.Tensor[]' or p.number and 'torch.Tensor|number|boolean' or 'torch.Tensor'
  else
    kind = (kinds[p.kind] or 'any') .. (p.word and '|string' or '')
  end
  return p.takes_nil and p.required and kind .. '|nil' or kind
end

local function one_line(text) return (text:gsub('%s+', ' ')) end
local function argument_name(name) return words[name] and name .. '_' or name end

-- {dim?: integer, keepdim?: boolean}
local function options_type(form, from)
  local list = {}
  for i = from, #form.params do
    local p = form.params[i]
    local name = p.name == 'end' and 'stop' or p.name
    if words[name] then name = '["' .. name .. '"]' end
    list[#list + 1] = string.format('%s%s: %s', name, p.required and '' or '?', type_of(p))
  end
  local has_grad = table.concat(list):find('requires_grad', 1, true)
  if form.makes and not has_grad then list[#list + 1] = 'requires_grad?: boolean' end
  list[#list + 1] = 'out?: torch.Tensor|torch.Tensor[]'
  return '{' .. table.concat(list, ', ') .. '}'
end

local function results(form)
  if form.several then return { 'torch.Tensor[]' } end
  if form.answers then return { 'boolean' } end
  local list = {}
  for i = 1, math.max(1, #form.outputs) do list[i] = 'torch.Tensor' end
  return list
end

-- fun(input: torch.Tensor, dim?: integer): torch.Tensor; with `upto`, that many positions and then the named ones.
local function overload(form, upto, method)
  local list = {}
  for i = 1, upto do
    local p = form.params[i]
    local name = method and i == 1 and 'self' or argument_name(p.name)
    list[#list + 1] = string.format('%s%s: %s', name, p.required and '' or '?', type_of(p))
  end
  list[#list + 1] = 'opts?: ' .. options_type(form, upto + 1)
  return string.format('fun(%s): %s', table.concat(list, ', '), table.concat(results(form), ', '))
end

-- The number of leading parameters that are inputs.
local function leading_inputs(form)
  local n = 0
  while form.params[n + 1] and form.params[n + 1].input and n < form.positional do n = n + 1 end
  return n
end

local function add(out, ...) out[#out + 1] = string.format(...) end

local function add_face(out, face, owner, method)
  local form = face.forms[1]
  add(out, '--- %s', one_line(form.brief))
  for i, f in ipairs(face.forms) do
    local inputs = leading_inputs(f)
    if i > 1 then add(out, '---@overload %s', overload(f, f.positional, method)) end
    if inputs < f.positional then add(out, '---@overload %s', overload(f, inputs, method)) end
  end
  local names = {}
  for i = 1, form.positional do
    local p = form.params[i]
    if not (method and i == 1) then
      local doc = p.doc and p.doc ~= '' and ' ' .. one_line(p.doc) or ''
      add(out, '---@param %s%s %s%s', argument_name(p.name), p.required and '' or '?', type_of(p), doc)
      names[#names + 1] = argument_name(p.name)
    end
  end
  add(out, '---@param opts? %s', options_type(form, form.positional + 1))
  names[#names + 1] = 'opts'
  for _, result in ipairs(results(form)) do add(out, '---@return %s', result) end
  local name = method and face.name or face.name:match('[^.]+$')
  if words[name] then
    add(out, '%s["%s"] = function(%s) end\n', owner, name, (method and 'self, ' or '') .. table.concat(names, ', '))
  else
    add(out, 'function %s%s%s(%s) end\n', owner, method and ':' or '.', name, table.concat(names, ', '))
  end
end

-- ---- functions written by hand: their signatures give the arguments ----

-- The pieces between the parentheses, split at commas of the top level.
local function pieces(signature)
  local inner = signature:match('%b()') or signature:match('%b{}')
  if not inner then return {} end
  if inner:sub(1, 1) == '{' then return { inner } end
  local list, depth, start = {}, 0, 2
  for i = 2, #inner do
    local c = inner:sub(i, i)
    if c:find('[%(%{%[]') then depth = depth + 1 end
    if c:find('[%)%}%]]') then depth = depth - 1 end
    if c == ',' and depth == 0 or i == #inner then
      local piece = inner:sub(start, i - 1):match('^%s*(.-)%s*$')
      if piece ~= '' then list[#list + 1] = piece end
      start = i + 1
    end
  end
  return list
end

local function guess(default)
  if default == 'true' or default == 'false' then return 'boolean' end
  if default and default:find('^%-?%d+$') then return 'integer' end
  if tonumber(default) then return 'number' end
  return 'any'
end

-- Adds the parameters of a signature; returns their names.
local function add_signature(out, signature, method)
  local names, taken = {}, {}
  for i, piece in ipairs(pieces(signature)) do
    if method and i == 1 and piece == 'self' then goto continue end
    if piece:sub(1, 1) == '{' then
      local fields = {}
      for _, field in ipairs(pieces('(' .. piece:sub(2, -2) .. ')')) do
        local name, default = field:match('^([%a_][%w_]*)%s*=?%s*(.*)$')
        if name and not words[name] then fields[#fields + 1] = string.format('%s?: %s', name, guess(default)) end
      end
      add(out, '---@param opts? %s', #fields > 0 and '{' .. table.concat(fields, ', ') .. '}' or 'table')
      names[#names + 1] = 'opts'
    elseif piece:find('...', 1, true) or piece:find('…', 1, true) then
      add(out, '---@param ... any')
      names[#names + 1] = '...'
      break
    else
      local name, rest = piece:match('^([%a_][%w_]*)(.*)$')
      if not name or taken[name] or words[name] then name, rest = 'argument' .. i, '?' end
      taken[name] = true
      add(out, '---@param %s%s %s', name, rest:find('[?=]') and '?' or '', guess(rest:match('=%s*(.*)')))
      names[#names + 1] = name
    end
    ::continue::
  end
  return names
end

local returns = { item = 'number|boolean', size = 'any', tolist = 'any', numel = 'integer', dim = 'integer' }

local function add_entry(out, owner, entry, method, result)
  local signature, brief = model.parts(entry.help)
  add(out, '--- %s', one_line(brief))
  if type(entry.value) == 'userdata' then
    add(out, '---@type any\n%s.%s = nil\n', owner, entry.name)
    return
  end
  local names = add_signature(out, signature, method)
  add(out, '---@return %s', result or returns[entry.name] or 'any')
  if words[entry.name] then
    if method then table.insert(names, 1, 'self') end
    add(out, '%s["%s"] = function(%s) end\n', owner, entry.name, table.concat(names, ', '))
  else
    add(out, 'function %s%s%s(%s) end\n', owner, method and ':' or '.', entry.name, table.concat(names, ', '))
  end
end

-- ---- classes ----

local function class_variable(path) return (path:gsub('[.]', '_')) end

local function add_tensor(out, faces)
  add(out, '---@class torch.Tensor')
  local types = {
    shape = 'torch.Size', dtype = 'torch.dtype', device = 'torch.device', grad = 'torch.Tensor|nil', ndim = 'integer',
    data = 'torch.Tensor', T = 'torch.Tensor', mT = 'torch.Tensor', grad_fn = 'torch.autograd.Node|nil',
    is_leaf = 'boolean', requires_grad = 'boolean', is_cuda = 'boolean', retains_grad = 'boolean', is_cpu = 'boolean',
    is_meta = 'boolean', output_nr = 'integer', itemsize = 'integer', H = 'torch.Tensor', mH = 'torch.Tensor',
    _base = 'torch.Tensor|nil',
  }
  for _, field in ipairs(model.tensor_fields()) do
    local _, brief = model.parts(field.help)
    add(out, '---@field %s %s %s', field.name, types[field.name] or 'any', one_line(brief))
  end
  for _, op in ipairs { 'add', 'sub', 'mul', 'div', 'idiv', 'mod', 'pow', 'band', 'bor', 'shl', 'shr' } do
    add(out, '---@operator %s(torch.Tensor|number): torch.Tensor', op)
  end
  add(out, '---@operator unm: torch.Tensor\n---@operator bnot: torch.Tensor\n---@operator len: integer')
  add(out, '---@field [any] any\nlocal Tensor = {}\n')
  local by_name = {}
  for _, face in ipairs(faces) do by_name[face.name] = face end
  for _, t in ipairs(model.tables()) do
    for _, entry in ipairs(t.path == 'torch.Tensor' and t.entries or {}) do
      local face = entry.operator and by_name[entry.operator]
      if face and face.name == entry.name then
        add_face(out, face, 'Tensor', true)
      else
        add_entry(out, 'Tensor', entry, true)
      end
    end
  end
end

-- Fields of classes, which have no help of their own.
local class_fields = {
  ['torch.autograd.Node'] = { 'next_functions any[][] Pairs of a node, or torch.none, and a number.',
                              'variable torch.Tensor|nil' },
  ['torch.autograd.function.ctx'] = { 'saved_tensors torch.Tensor[]', 'needs_input_grad boolean[]', '[any] any' },
}

local function add_class(out, class)
  local variable = class_variable(class.path)
  add(out, '---@class %s', class.path)
  if class.path == 'nn.Module' then
    add(out, '---@overload fun(...: any): torch.Tensor, any\n---@operator concat(nn.Module): nn.Module\n---@field [any] any')
  end
  for _, field in ipairs(class_fields[class.path] or {}) do add(out, '---@field %s', field) end
  add(out, 'local %s = {}\n', variable)
  for _, entry in ipairs(class.entries) do add_entry(out, variable, entry, true) end
end

-- nn.Linear, optim.SGD: functions that give an object of that class, with a field for each setting and its own methods.
local function add_constructor(out, path, entry, base, methods)
  local _, _, lines = model.parts(entry.help)
  local name = path .. '.' .. entry.name
  add(out, '---@class %s: %s', name, base)
  for _, line in ipairs(lines) do
    local field, text = line:match('^([%a_][%w_]*)%s%s+(.*)$')
    if line == 'The call:' then break end  -- its arguments are no fields
    if field and not words[field] then add(out, '---@field %s any %s', field, one_line(text)) end
  end
  local variable = class_variable(name)
  add(out, methods and 'local %s = {}\n' or '', variable)
  for _, method in ipairs(methods or {}) do add_entry(out, variable, method, true) end
  add_entry(out, path, entry, false, name)
end

local constructors = { nn = 'nn.Module', optim = 'optim.Optimizer', ['optim.lr_scheduler'] = 'optim.lr_scheduler' }

local function is_constructor(path, entry)
  return constructors[path] and type(entry.value) == 'table' and entry.name ~= 'Module' and entry.name ~= 'Optimizer'
end

local function add_table(out, t, by_name, methods)
  add(out, '--- %s\n%s = {}\n', one_line(t.brief), t.path)
  for _, entry in ipairs(t.entries) do
    local face = entry.operator and by_name[entry.operator]
    if face then
      if face.name:match('[^.]+$') == entry.name then
        add_face(out, face, t.path)
      else
        add_entry(out, t.path, entry)
      end
    elseif is_constructor(t.path, entry) then
      add_constructor(out, t.path, entry, constructors[t.path], methods[t.path .. '.' .. entry.name])
    elseif type(entry.value) ~= 'table' or (getmetatable(entry.value) or {}).__call then
      add_entry(out, t.path, entry)
    else
      local class = entry.name == 'Optimizer' and '---@type optim.Optimizer\n' or ''
      add(out, '--- %s\n%s%s.%s = {}\n', one_line(select(2, model.parts(entry.help))), class, t.path, entry.name)
    end
  end
end

--- The text of the file.
function M.text()
  local out, by_name, faces = {}, {}, registry.faces()
  add(out, '---@meta luth\n---@diagnostic disable: lowercase-global')
  add(out, '-- Made by `luth scripts/reference.lua` from what the program knows; changes here are lost.\n')
  for _, face in ipairs(faces) do by_name[face.name] = face end
  for _, simple in ipairs { 'torch.dtype', 'torch.device', 'torch.Size', 'torch.memory_format' } do
    add(out, '---@class %s\n---@field [any] any\n', simple)
  end
  add_tensor(out, faces)
  local made, methods = {}, {}
  for _, t in ipairs(model.tables()) do
    for _, entry in ipairs(t.entries) do made[t.path .. '.' .. entry.name] = is_constructor(t.path, entry) end
  end
  for _, class in ipairs(model.classes()) do
    if made[class.path] then methods[class.path] = class.entries else add_class(out, class) end
  end
  for _, t in ipairs(model.tables()) do
    if t.path ~= 'torch.Tensor' then add_table(out, t, by_name, methods) end
  end
  add(out, 'torch.Tensor = Tensor\ntorch.nn, torch.optim, torch.utils.data, F = nn, optim, data, nn.functional\n')
  add(out, '--- Prints how a function is called and what its arguments are.\n---@param what any\nfunction help(what) end')
  return table.concat(out, '\n') .. '\n'
end

return M
