-- The tree of a Lua 5.4 chunk that Lua has accepted. Every node has `type` and `line`.
--   expressions  Constant{kind, value} Name{name} Index{object, key, dot} Call{callee, args, continues} Method{object, name, args}
--                Binary{op, left, right} Unary{op, operand} Function{params, body, method} Table{items, keys, positional, mixed} Paren{inner}
--   statements   Local{names, attributes, values} Assign{targets, values} Do{body} CallStatement{call}
--                If{conditions, bodies, otherwise} While{condition, body} Repeat{body, condition}
--                For{names, values, body, numeric} Return{values} Jump; functions are Assign or Local with is_function
local lex = require 'luth.check.lexer'

local Parser = {}
Parser.__index = Parser

function Parser:peek() return self.tokens[self.at] end
function Parser:is(text)
  local t = self.tokens[self.at]
  return t.text == text and (t.kind == 'op' or t.kind == 'word')
end
function Parser:take()
  self.at = self.at + 1
  return self.tokens[self.at - 1]
end
function Parser:accept(text) return self:is(text) and self:take() or nil end
function Parser:expect(text)
  local got = self:peek()
  return self:accept(text) or error(string.format('line %d: expected %s, got %s', got.line, text, got.text), 0)
end
function Parser:node(kind, fields, line)
  fields.type, fields.line = kind, line or self:peek().line
  return fields
end

-- ---- expressions ----

local binary = {  -- left and right priority, as Lua's own parser has them
  ['or'] = { 1, 1 }, ['and'] = { 2, 2 }, ['<'] = { 3, 3 }, ['>'] = { 3, 3 }, ['<='] = { 3, 3 }, ['>='] = { 3, 3 },
  ['~='] = { 3, 3 }, ['=='] = { 3, 3 }, ['|'] = { 4, 4 }, ['~'] = { 5, 5 }, ['&'] = { 6, 6 }, ['<<'] = { 7, 7 },
  ['>>'] = { 7, 7 }, ['..'] = { 9, 8 }, ['+'] = { 10, 10 }, ['-'] = { 10, 10 }, ['*'] = { 11, 11 }, ['/'] = { 11, 11 },
  ['//'] = { 11, 11 }, ['%'] = { 11, 11 }, ['^'] = { 14, 13 },
}
local unary_priority = 12
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
    elseif self:peek().kind == 'name' and self.tokens[self.at + 1].text == '=' then
      local name = self:take()
      key = { text = name.text, line = name.line }
      keys[#keys + 1], mixture.name = key, name.text
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
    params[#params + 1] = self:take().text
    if not self:accept(',') then break end
  end
  self:expect(')')
  local body = self:block()
  self:expect('end')
  return self:node('Function', { params = params, body = body, method = method }, line)
end

function Parser:simple()
  local t = self:peek()
  if t.kind == 'number' or t.kind == 'string' or constants[t.text] and t.kind ~= 'name' then
    self:take()
    return self:node('Constant', { kind = constants[t.text] or t.kind, value = t.text }, t.line)
  end
  if self:is('{') then return self:node('Table', self:table_items(), t.line) end
  if self:accept('function') then return self:function_body(t.line) end
  return self:suffixed()
end

function Parser:primary()
  local t = self:take()
  if t.kind == 'name' then return self:node('Name', { name = t.text }, t.line) end
  local inner = self:expression()
  self:expect(')')
  return self:node('Paren', { inner = inner }, t.line)
end

function Parser:arguments()
  local t = self:peek()
  if t.kind == 'string' then return { self:simple() } end
  if self:is('{') then return { self:simple() } end
  self:expect('(')
  local args = self:is(')') and {} or self:list()
  self:expect(')')
  return args
end

function Parser:suffixed()
  local e = self:primary()
  while true do
    local t = self:peek()
    if self:accept('.') then
      e = self:node('Index', { object = e, key = self:take().text, dot = true }, t.line)
    elseif self:accept('[') then
      e = self:node('Index', { object = e, key = self:expression() }, t.line)
      self:expect(']')
    elseif self:accept(':') then
      local name = self:take().text
      e = self:node('Method', { object = e, name = name, args = self:arguments() }, t.line)
    elseif self:is('(') or self:is('{') or t.kind == 'string' then
      local continues = t.text == '(' and t.kind == 'op' and t.line > self.tokens[self.at - 1].line
      e = self:node('Call', { callee = e, args = self:arguments(), continues = continues }, t.line)
    else
      return e
    end
  end
end

function Parser:expression(limit)
  local left
  local t = self:peek()
  if t.kind ~= 'string' and (t.text == 'not' or t.text == '-' or t.text == '#' or t.text == '~') then
    self:take()
    left = self:node('Unary', { op = t.text, operand = self:expression(unary_priority) }, t.line)
  else
    left = self:simple()
  end
  while true do
    local op = self:peek()
    local priority = op.kind ~= 'string' and binary[op.text]
    if not priority or priority[1] <= (limit or 0) then return left end
    self:take()
    left = self:node('Binary', { op = op.text, left = left, right = self:expression(priority[2]) }, op.line)
  end
end

-- ---- statements ----

local closing = { ['end'] = true, ['else'] = true, ['elseif'] = true, ['until'] = true }
function Parser:at_end_of_block()
  local t = self:peek()
  return t.kind == 'end' or t.kind == 'word' and closing[t.text]
end

function Parser:block()
  local list = {}
  while not self:at_end_of_block() do list[#list + 1] = self:statement() end
  return list
end

function Parser:local_statement(line)
  if self:accept('function') then
    local name = self:take().text
    local values = { self:function_body(line) }
    return self:node('Local', { names = { name }, attributes = {}, values = values, is_function = true }, line)
  end
  local names, attributes = {}, {}
  repeat
    names[#names + 1] = self:take().text
    if self:accept('<') then
      attributes[#names] = self:take().text
      self:expect('>')
    end
  until not self:accept(',')
  local values = self:accept('=') and self:list() or {}
  return self:node('Local', { names = names, attributes = attributes, values = values }, line)
end

function Parser:function_statement(line)
  local target, method = self:primary(), false
  while self:is('.') or self:is(':') do
    method = self:take().text == ':'
    target = self:node('Index', { object = target, key = self:take().text, dot = true }, line)
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
  local names = { self:take().text }
  while self:accept(',') do names[#names + 1] = self:take().text end
  local numeric = self:take().text == '='
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
  local t = self:peek()
  if self:accept(';') then return self:node('Jump', {}, t.line) end
  if self:accept('::') then
    self:take()
    self:expect('::')
    return self:node('Jump', {}, t.line)
  end
  local read = t.kind == 'word' and statements[t.text]
  if not read then return self:expression_statement(t.line) end
  self:take()
  return read(self, t.line)
end

return function(text)
  local parser = setmetatable({ tokens = lex(text), at = 1 }, Parser)
  local body = parser:block()
  local t = parser:peek()
  if t.kind ~= 'end' then error('line ' .. t.line .. ': unexpected ' .. t.text, 0) end
  return body
end
