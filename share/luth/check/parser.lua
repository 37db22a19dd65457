-- The tree of a Lua 5.4 chunk that Lua has accepted. Every node has `type` and `line`.
--   expressions  Constant{kind, value} Name{name} Index{object, key, dot} Call{callee, args, continues} Method{object, name, args}
--                Binary{op, left, right} Unary{op, operand} Function{params, body, method} Table{items, keys, positional, mixed} Paren{inner}
-- A body is a list of statements whose `last` is the line of what ends it.
--   statements   Local{names, attributes, values} Assign{targets, values} Do{body} CallStatement{call}
--                If{conditions, bodies, otherwise} While{condition, body} Repeat{body, condition}
--                For{names, values, body, numeric} Return{values} Jump; functions are Assign or Local with is_function
local native = require 'luth.native'

-- What is read: tokens, of which `at` is the next one. The text tells an operator or word of Lua from all other tokens, since a
-- string has its quotes. These are no fields of a table, and nodes are made with room for what rules note in them: a tree is made
-- after each key that is pressed in an editor.
local kinds, texts, lines, at

local function is(text) return texts[at] == text end
local function take()
  at = at + 1
  return texts[at - 1]
end
local function accept(text)
  if texts[at] ~= text then return nil end
  at = at + 1
  return text
end
local function expect(text)
  return accept(text) or error(string.format('line %d: expected %s, got %s', lines[at], text, texts[at]), 0)
end
local function node(kind, fields, line)
  fields.type, fields.line = kind, line
  return fields
end

local block, expression, simple, statement, suffixed

-- ---- expressions ----

local binary = {  -- left and right priority, as Lua's own parser has them
  ['or'] = { 1, 1 }, ['and'] = { 2, 2 }, ['<'] = { 3, 3 }, ['>'] = { 3, 3 }, ['<='] = { 3, 3 }, ['>='] = { 3, 3 },
  ['~='] = { 3, 3 }, ['=='] = { 3, 3 }, ['|'] = { 4, 4 }, ['~'] = { 5, 5 }, ['&'] = { 6, 6 }, ['<<'] = { 7, 7 },
  ['>>'] = { 7, 7 }, ['..'] = { 9, 8 }, ['+'] = { 10, 10 }, ['-'] = { 10, 10 }, ['*'] = { 11, 11 }, ['/'] = { 11, 11 },
  ['//'] = { 11, 11 }, ['%'] = { 11, 11 }, ['^'] = { 14, 13 },
}
local unary, unary_priority = { ['not'] = true, ['-'] = true, ['#'] = true, ['~'] = true }, 12
local constants = { ['nil'] = 'nil', ['true'] = 'boolean', ['false'] = 'boolean', ['...'] = 'vararg' }

local function expressions()
  local list = { expression() }
  while texts[at] == ',' do
    at = at + 1
    list[#list + 1] = expression()
  end
  return list
end

local function table_items()
  expect('{')
  local items, keys, mixture = {}, {}, { positions = 0 }
  while not is('}') do
    local key
    if accept('[') then
      expression()
      expect(']')
      expect('=')
    elseif kinds[at] == 'name' and texts[at + 1] == '=' then
      local line, name = lines[at], take()
      key = { text = name, line = line }
      keys[#keys + 1], mixture.name = key, name
      take()
    else
      mixture.positions = mixture.positions + 1
    end
    items[#items + 1] = expression()
    if key then key.value = items[#items] end
    if not (accept(',') or accept(';')) then break end
  end
  expect('}')
  return { items = items, keys = keys, positional = mixture.positions > 0, mixed = mixture.positions > 0 and mixture.name or nil }
end

local function function_body(line, method)
  expect('(')
  local params = {}
  while not is(')') do
    params[#params + 1] = take()
    if not accept(',') then break end
  end
  expect(')')
  local body = block()
  expect('end')
  return node('Function', { params = params, body = body, method = method }, line)
end

function simple()
  local kind, text, line = kinds[at], texts[at], lines[at]
  if kind == 'number' or kind == 'string' or constants[text] then
    take()
    return { type = 'Constant', line = line, kind = constants[text] or kind, value = text }
  end
  if text == '{' then return node('Table', table_items(), line) end
  if accept('function') then return function_body(line) end
  return suffixed()
end

local function primary()
  local kind, line, text = kinds[at], lines[at], take()
  if kind == 'name' then return { type = 'Name', line = line, name = text, variable = nil } end
  local inner = expression()
  expect(')')
  return node('Paren', { inner = inner }, line)
end

local none = {}  -- the arguments of f()
local function arguments()
  if texts[at] ~= '(' then return { simple() } end
  at = at + 1
  local args = is(')') and none or expressions()
  expect(')')
  return args
end

function suffixed()
  local e = primary()
  while true do
    local text, line = texts[at], lines[at]
    if text == '.' then
      e = { type = 'Index', line = line, object = e, key = texts[at + 1], dot = true, path = nil, known_kind = nil }
      at = at + 2
    elseif text == '[' then
      at = at + 1
      e = { type = 'Index', line = line, object = e, key = expression(), path = nil, known_kind = nil }
      expect(']')
    elseif text == ':' then
      local name = texts[at + 1]
      at = at + 2
      e = { type = 'Method', line = line, object = e, name = name, args = arguments(), path = nil, known_kind = nil }
    elseif text == '(' or text == '{' or kinds[at] == 'string' then
      local continues = text == '(' and line > lines[at - 1]
      e = { type = 'Call', line = line, callee = e, args = arguments(), continues = continues, path = nil, known_kind = nil }
    else
      return e
    end
  end
end

function expression(limit)
  local left
  local op, line = texts[at], lines[at]
  if kinds[at] == 'name' then
    left = suffixed()
  elseif unary[op] then
    take()
    left = node('Unary', { op = op, operand = expression(unary_priority) }, line)
  else
    left = simple()
  end
  while true do
    op = texts[at]
    local priority = binary[op]
    if not priority or priority[1] <= (limit or 0) then return left end
    line, at = lines[at], at + 1
    left = { type = 'Binary', line = line, op = op, left = left, right = expression(priority[2]), known_kind = nil }
  end
end

-- ---- statements ----

local closing = { ['end'] = true, ['else'] = true, ['elseif'] = true, ['until'] = true, ['<end>'] = true }
local function at_end_of_block() return closing[texts[at]] end

function block()
  local list = {}
  while not at_end_of_block() do list[#list + 1] = statement() end
  list.last = lines[at]
  return list
end

local function local_statement(line)
  if accept('function') then
    local name = take()
    local values = { function_body(line) }
    return node('Local', { names = { name }, attributes = {}, values = values, is_function = true }, line)
  end
  local names, attributes = {}, {}
  repeat
    names[#names + 1] = take()
    if accept('<') then
      attributes[#names] = take()
      expect('>')
    end
  until not accept(',')
  local values = accept('=') and expressions() or {}
  return node('Local', { names = names, attributes = attributes, values = values }, line)
end

local function function_statement(line)
  local target, method = primary(), false
  while is('.') or is(':') do
    method = take() == ':'
    target = node('Index', { object = target, key = take(), dot = true }, line)
  end
  local values = { function_body(line, method) }
  return node('Assign', { targets = { target }, values = values, is_function = true }, line)
end

local function if_statement(line)
  local conditions, bodies, otherwise = {}, {}, nil
  repeat
    conditions[#conditions + 1] = expression()
    expect('then')
    bodies[#bodies + 1] = block()
  until not accept('elseif')
  if accept('else') then otherwise = block() end
  expect('end')
  return node('If', { conditions = conditions, bodies = bodies, otherwise = otherwise }, line)
end

local function for_statement(line)
  local names = { take() }
  while accept(',') do names[#names + 1] = take() end
  local numeric = take() == '='
  local values = expressions()
  expect('do')
  local body = block()
  expect('end')
  return node('For', { names = names, values = values, body = body, numeric = numeric }, line)
end

local function expression_statement(line)
  local first = suffixed()
  if not (is('=') or is(',')) then return node('CallStatement', { call = first }, line) end
  local targets = { first }
  while accept(',') do targets[#targets + 1] = suffixed() end
  expect('=')
  return node('Assign', { targets = targets, values = expressions() }, line)
end

local statements = {
  ['local'] = local_statement, ['function'] = function_statement, ['if'] = if_statement,
  ['for'] = for_statement,
  ['do'] = function(line)
    local body = block()
    expect('end')
    return node('Do', { body = body }, line)
  end,
  ['while'] = function(line)
    local condition = expression()
    expect('do')
    local body = block()
    expect('end')
    return node('While', { condition = condition, body = body }, line)
  end,
  ['repeat'] = function(line)
    local body = block()
    expect('until')
    return node('Repeat', { body = body, condition = expression() }, line)
  end,
  ['return'] = function(line)
    local values = (at_end_of_block() or is(';')) and {} or expressions()
    return node('Return', { values = values }, line)
  end,
  ['break'] = function(line) return node('Jump', {}, line) end,
  ['goto'] = function(line)
    take()
    return node('Jump', {}, line)
  end,
}

function statement()
  local line = lines[at]
  if accept(';') then return node('Jump', {}, line) end
  if accept('::') then
    take()
    expect('::')
    return node('Jump', {}, line)
  end
  local read = statements[texts[at]]
  if not read then return expression_statement(line) end
  take()
  return read(line)
end

return function(text)
  kinds, texts, lines = native.tokens(text)
  at = 1
  texts[#texts + 1], lines[#lines + 1] = '<end>', lines[#lines] or 1
  local body = block()
  if not is '<end>' then error('line ' .. lines[at] .. ': unexpected ' .. take(), 0) end
  kinds, texts, lines = nil, nil, nil
  return body
end
