-- The tree of a Lua 5.4 chunk that Lua has accepted. Every node has `type` and `line`.
--   expressions  Constant{kind, value} Name{name} Index{object, key, dot} Call{callee, args, continues} Method{object, name, args}
--                Binary{op, left, right} Unary{op, operand} Function{params, body, method} Table{items, keys, positional, mixed} Paren{inner}
-- A body is a list of statements whose `last` is the line of what ends it.
--   statements   Local{names, attributes, values} Assign{targets, values} Do{body} CallStatement{call}
--                If{conditions, bodies, otherwise} While{condition, body} Repeat{body, condition}
--                For{names, values, body, numeric} Return{values} Jump; functions are Assign or Local with is_function
local native = require 'luth.native'

local Parser = {}
Parser.__index = Parser

-- The text tells an operator or word of Lua from all other tokens, since a string has its quotes.
function Parser:is(text) return self.texts[self.at] == text end
function Parser:line() return self.lines[self.at] end
function Parser:take()
  local at = self.at
  self.at = at + 1
  return self.texts[at]
end
function Parser:accept(text)
  if self.texts[self.at] ~= text then return nil end
  self.at = self.at + 1
  return text
end
function Parser:expect(text)
  return self:accept(text) or error(string.format('line %d: expected %s, got %s', self:line(), text, self.texts[self.at]), 0)
end
function Parser:node(kind, fields, line)
  fields.type, fields.line = kind, line
  return fields
end

-- ---- expressions ----

local binary = {  -- left and right priority, as Lua's own parser has them
  ['or'] = { 1, 1 }, ['and'] = { 2, 2 }, ['<'] = { 3, 3 }, ['>'] = { 3, 3 }, ['<='] = { 3, 3 }, ['>='] = { 3, 3 },
  ['~='] = { 3, 3 }, ['=='] = { 3, 3 }, ['|'] = { 4, 4 }, ['~'] = { 5, 5 }, ['&'] = { 6, 6 }, ['<<'] = { 7, 7 },
  ['>>'] = { 7, 7 }, ['..'] = { 9, 8 }, ['+'] = { 10, 10 }, ['-'] = { 10, 10 }, ['*'] = { 11, 11 }, ['/'] = { 11, 11 },
  ['//'] = { 11, 11 }, ['%'] = { 11, 11 }, ['^'] = { 14, 13 },
}
local unary, unary_priority = { ['not'] = true, ['-'] = true, ['#'] = true, ['~'] = true }, 12
local constants = { ['nil'] = 'nil', ['true'] = 'boolean', ['false'] = 'boolean', ['...'] = 'vararg' }

function Parser:list()
  local list = { self:expression() }
  while self:accept(',') do list[#list + 1] = self:expression() end
  return list
end

function Parser:table_items()
  self:expect('{')
  local items, keys, mixture = {}, {}, { positions = 0 }
  while not self:is('}') do
    local key
    if self:accept('[') then
      self:expression()
      self:expect(']')
      self:expect('=')
    elseif self.kinds[self.at] == 'name' and self.texts[self.at + 1] == '=' then
      local line, name = self:line(), self:take()
      key = { text = name, line = line }
      keys[#keys + 1], mixture.name = key, name
      self:take()
    else
      mixture.positions = mixture.positions + 1
    end
    items[#items + 1] = self:expression()
    if key then key.value = items[#items] end
    if not (self:accept(',') or self:accept(';')) then break end
  end
  self:expect('}')
  return { items = items, keys = keys, positional = mixture.positions > 0, mixed = mixture.positions > 0 and mixture.name or nil }
end

function Parser:function_body(line, method)
  self:expect('(')
  local params = {}
  while not self:is(')') do
    params[#params + 1] = self:take()
    if not self:accept(',') then break end
  end
  self:expect(')')
  local body = self:block()
  self:expect('end')
  return self:node('Function', { params = params, body = body, method = method }, line)
end

function Parser:simple()
  local kind, text, line = self.kinds[self.at], self.texts[self.at], self:line()
  if kind == 'number' or kind == 'string' or constants[text] then
    self:take()
    return { type = 'Constant', line = line, kind = constants[text] or kind, value = text }
  end
  if text == '{' then return self:node('Table', self:table_items(), line) end
  if self:accept('function') then return self:function_body(line) end
  return self:suffixed()
end

function Parser:primary()
  local kind, line, text = self.kinds[self.at], self:line(), self:take()
  if kind == 'name' then return { type = 'Name', line = line, name = text } end
  local inner = self:expression()
  self:expect(')')
  return self:node('Paren', { inner = inner }, line)
end

function Parser:arguments()
  if self.kinds[self.at] == 'string' or self:is('{') then return { self:simple() } end
  self:expect('(')
  local args = self:is(')') and {} or self:list()
  self:expect(')')
  return args
end

function Parser:suffixed()
  local e = self:primary()
  while true do
    local at = self.at
    local text, line = self.texts[at], self.lines[at]
    if text == '.' then
      self.at = at + 2
      e = { type = 'Index', line = line, object = e, key = self.texts[at + 1], dot = true }
    elseif text == '[' then
      self.at = at + 1
      e = { type = 'Index', line = line, object = e, key = self:expression() }
      self:expect(']')
    elseif text == ':' then
      self.at = at + 2
      e = { type = 'Method', line = line, object = e, name = self.texts[at + 1], args = self:arguments() }
    elseif text == '(' or text == '{' or self.kinds[at] == 'string' then
      local continues = text == '(' and line > self.lines[at - 1]
      e = { type = 'Call', line = line, callee = e, args = self:arguments(), continues = continues }
    else
      return e
    end
  end
end

function Parser:expression(limit)
  local left
  local op, line = self.texts[self.at], self:line()
  if unary[op] then
    self:take()
    left = self:node('Unary', { op = op, operand = self:expression(unary_priority) }, line)
  else
    left = self:simple()
  end
  while true do
    op, line = self.texts[self.at], self:line()
    local priority = binary[op]
    if not priority or priority[1] <= (limit or 0) then return left end
    self:take()
    left = { type = 'Binary', line = line, op = op, left = left, right = self:expression(priority[2]) }
  end
end

-- ---- statements ----

local closing = { ['end'] = true, ['else'] = true, ['elseif'] = true, ['until'] = true, ['<end>'] = true }
function Parser:at_end_of_block() return closing[self.texts[self.at]] end

function Parser:block()
  local list = {}
  while not self:at_end_of_block() do list[#list + 1] = self:statement() end
  list.last = self:line()
  return list
end

function Parser:local_statement(line)
  if self:accept('function') then
    local name = self:take()
    local values = { self:function_body(line) }
    return self:node('Local', { names = { name }, attributes = {}, values = values, is_function = true }, line)
  end
  local names, attributes = {}, {}
  repeat
    names[#names + 1] = self:take()
    if self:accept('<') then
      attributes[#names] = self:take()
      self:expect('>')
    end
  until not self:accept(',')
  local values = self:accept('=') and self:list() or {}
  return self:node('Local', { names = names, attributes = attributes, values = values }, line)
end

function Parser:function_statement(line)
  local target, method = self:primary(), false
  while self:is('.') or self:is(':') do
    method = self:take() == ':'
    target = self:node('Index', { object = target, key = self:take(), dot = true }, line)
  end
  local values = { self:function_body(line, method) }
  return self:node('Assign', { targets = { target }, values = values, is_function = true }, line)
end

function Parser:if_statement(line)
  local conditions, bodies, otherwise = {}, {}, nil
  repeat
    conditions[#conditions + 1] = self:expression()
    self:expect('then')
    bodies[#bodies + 1] = self:block()
  until not self:accept('elseif')
  if self:accept('else') then otherwise = self:block() end
  self:expect('end')
  return self:node('If', { conditions = conditions, bodies = bodies, otherwise = otherwise }, line)
end

function Parser:for_statement(line)
  local names = { self:take() }
  while self:accept(',') do names[#names + 1] = self:take() end
  local numeric = self:take() == '='
  local values = self:list()
  self:expect('do')
  local body = self:block()
  self:expect('end')
  return self:node('For', { names = names, values = values, body = body, numeric = numeric }, line)
end

function Parser:expression_statement(line)
  local first = self:suffixed()
  if not (self:is('=') or self:is(',')) then return self:node('CallStatement', { call = first }, line) end
  local targets = { first }
  while self:accept(',') do targets[#targets + 1] = self:suffixed() end
  self:expect('=')
  return self:node('Assign', { targets = targets, values = self:list() }, line)
end

local statements = {
  ['local'] = Parser.local_statement, ['function'] = Parser.function_statement, ['if'] = Parser.if_statement,
  ['for'] = Parser.for_statement,
  ['do'] = function(self, line)
    local body = self:block()
    self:expect('end')
    return self:node('Do', { body = body }, line)
  end,
  ['while'] = function(self, line)
    local condition = self:expression()
    self:expect('do')
    local body = self:block()
    self:expect('end')
    return self:node('While', { condition = condition, body = body }, line)
  end,
  ['repeat'] = function(self, line)
    local body = self:block()
    self:expect('until')
    return self:node('Repeat', { body = body, condition = self:expression() }, line)
  end,
  ['return'] = function(self, line)
    local values = (self:at_end_of_block() or self:is(';')) and {} or self:list()
    return self:node('Return', { values = values }, line)
  end,
  ['break'] = function(self, line) return self:node('Jump', {}, line) end,
  ['goto'] = function(self, line)
    self:take()
    return self:node('Jump', {}, line)
  end,
}

function Parser:statement()
  local line = self:line()
  if self:accept(';') then return self:node('Jump', {}, line) end
  if self:accept('::') then
    self:take()
    self:expect('::')
    return self:node('Jump', {}, line)
  end
  local read = statements[self.texts[self.at]]
  if not read then return self:expression_statement(line) end
  self:take()
  return read(self, line)
end

return function(text)
  local kinds, texts, lines = native.tokens(text)
  texts[#texts + 1], lines[#lines + 1] = '<end>', lines[#lines] or 1
  local parser = setmetatable({ kinds = kinds, texts = texts, lines = lines, at = 1 }, Parser)
  local body = parser:block()
  if not parser:is('<end>') then error('line ' .. parser:line() .. ': unexpected ' .. parser:take(), 0) end
  return body
end
