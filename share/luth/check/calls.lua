-- Rules about calls: unknown named arguments, results that are dropped, a call that a line begins with.
local registry = require 'luth.registry'
local kinds = require 'luth.check.kinds'
local native = require 'luth.native'

local expression, statement = {}, {}

local faces = {}
for _, face in ipairs(registry.faces()) do faces[face.name] = face end

-- ---- named arguments -------------------------------------------------------------------------------------------------

-- The names in the arguments of a signature, "sum(input, dim, {keepdim = false})"; nil where it takes others.
local function names_in(signature)
  local list = signature:match '^[^\n]*':match '%((.*)%)'
  if not list or not list:find '[{=]' or list:find '…' or list:find('...', 1, true) then return nil end
  local names = {}
  list = list:gsub("'[^']*'", ''):gsub('"[^"]*"', '')
  for name in list:gmatch '[%a_][%w_]*' do names[name] = true end
  return not names.config and names or nil  -- a table of its own
end

local common = { 'inplace', 'out', 'dtype', 'device', 'requires_grad', 'generator', 'memory_format', 'layout', 'pin_memory', 'names' }
local of_faces = {}
local function names_of_face(face)
  if of_faces[face] then return of_faces[face] end
  local names = {}
  for _, form in ipairs(face.forms) do
    for name in pairs(names_in(form.signature) or {}) do names[name] = true end
    for _, p in ipairs(form.params) do
      names[p.name] = true
      for other in (p.also or ''):gmatch '[%w_]+' do names[other] = true end
    end
  end
  for _, name in ipairs(common) do names[name] = true end
  of_faces[face] = names
  return names
end

-- The names of arguments of a function or class, by value; false where any may be given.
local known = setmetatable({}, { __mode = 'k' })
local function names_of(value)
  if value == nil then return false end
  if known[value] == nil then
    local operator = registry.operator_name(value)
    known[value] = operator and faces[operator] and names_of_face(faces[operator]) or names_in(registry.help_of(value)) or false
  end
  return known[value]
end

-- `items` of a table with string keys alone: named arguments.
local function check_names(self, e, names, what)
  local last = e.args[#e.args]
  if not names or not next(names) or last.positional then return end
  for _, key in ipairs(last.keys or {}) do
    if not names[key.text] then
      local list = {}
      for name in pairs(names) do list[#list + 1] = name end
      table.sort(list)
      local near = native.nearest(key.text, list)
      self:say(key.line, "%s has no argument '%s'%s", what, key.text, near ~= '' and "; did you mean '" .. near .. "'?" or '')
    end
  end
end

local function has_table(e)
  local last = e.args[#e.args]
  return last and last.type == 'Table'
end

-- Functions that are arguments may run for their errors or their time.
local function note_passed(e)
  local args = e.args
  for i = 1, #args do
    if args[i].type == 'Function' then args[i].passed = true end
  end
end

function expression.Call(self, e)
  note_passed(e)
  local value, path = kinds.library(e.callee)
  if path and has_table(e) and not kinds.spaces[value] then check_names(self, e, names_of(value), path) end
  if e.continues then
    self:say(e.line, "this line goes on with the line above, and calls it: write ; before the '(', or end the line above with it")
  end
end

function expression.Method(self, e)
  note_passed(e)
  local face = has_table(e) and faces[e.name]
  local kind = face and kinds.kind(e.object)
  if kind == 'tensor' or kind == 'mask' then check_names(self, e, names_of_face(face), 'x:' .. e.name) end
end

-- ---- results that are dropped ----------------------------------------------------------------------------------------

-- Arguments with which an operator writes into others.
local writes = { out = true, inplace = true, max_norm = true }
local function writes_to_argument(e)
  local last = e.args[#e.args]
  for _, key in ipairs(last and last.keys or {}) do
    if writes[key.text] then return true end
  end
  return false
end

-- Operators that may do more than compute: statistics of batches, norms of rows.
local does_more = { batch_norm = true, instance_norm = true, embedding = true, embedding_bag = true }

-- Whether its result is all that an operator does. Random ones take numbers from the generator.
local function only_computes(face)
  local name = face and face.name:match '[^.]+$'
  return face and not face.inplace and not name:find '_$' and not does_more[name] and not face.forms[1].random and not face.forms[1].factory and #face.forms[1].outputs > 0
end

function statement.CallStatement(self, s)
  local e = s.call
  if writes_to_argument(e) or self.passed then return end
  if e.type == 'Method' then
    local kind = kinds.kind(e.object)
    if kind ~= 'tensor' and kind ~= 'mask' or not (only_computes(faces[e.name]) or kinds.copies[e.name]) then return end
    local own = faces[e.name .. '_'] and (', or x:' .. e.name .. '_(…), which changes x') or ''
    self:say(s.line, 'x:%s gives a new tensor, which is dropped here: write local y = x:%s(…)%s', e.name, e.name, own)
  elseif e.type == 'Call' then
    local value, path = kinds.library(e.callee)
    local operator = path and registry.operator_name(value)
    if operator and only_computes(faces[operator]) then
      self:say(s.line, '%s gives a new tensor, which is dropped here: write local y = %s(…)', path, path)
    end
  end
end

return { expression = expression, statement = statement, names_of = names_of }
