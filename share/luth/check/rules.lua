-- The rules of `luth check`: each sees every expression or statement of a tree whose names are resolved.
local registry = require 'luth.registry'
local kinds = require 'luth.check.kinds'
local parts = require 'luth.check.parts'

local Checker = {}
Checker.__index = Checker

function Checker:say(line, ...) self.findings[#self.findings + 1] = { line = line, text = string.format(...) } end

local tensors = { tensor = true, mask = true }
local function is_tensor(e) return tensors[kinds.kind(e)] or false end

-- The expression as short text: x, x.y, x:gt(…); of a chain its last `most` parts (8).
local function text_of(e, most)
  most = (most or 8) - 1
  if most < 0 then return '…' end
  if e.type == 'Name' then return e.name end
  if e.type == 'Constant' then return e.value end
  if e.type == 'Paren' then return '(' .. text_of(e.inner, most) .. ')' end
  if e.type == 'Index' then return text_of(e.object, most) .. (e.dot and '.' .. e.key or '[…]') end
  local args = e.args and (#e.args > 0 and '(…)' or '()')
  if e.type == 'Method' then return text_of(e.object, most) .. ':' .. e.name .. args end
  if e.type == 'Call' then return text_of(e.callee, most) .. args end
  return '…'
end

-- ---- conditions ----

local function has_tensor(e)
  if e.type == 'Paren' then return has_tensor(e.inner) end
  if e.type == 'Binary' and (e.op == 'and' or e.op == 'or') then return has_tensor(e.left) or has_tensor(e.right) end
  return is_tensor(e)
end

function Checker:condition(e, word)
  if e.type == 'Paren' then return self:condition(e.inner, word) end
  if e.type == 'Unary' and e.op == 'not' then return end  -- told of as an expression
  if e.type == 'Binary' and (e.op == 'and' or e.op == 'or') then
    if not self.told[e] and has_tensor(e) then self:joined(e) end
  elseif is_tensor(e) then
    local what = text_of(e)
    self:say(e.line, '%s %s: a tensor is always true; write %s:item() for one element, %s:all() or %s:any() for more',
             word, what, what, what, what)
  end
end

-- `a and b` of tensors gives one of them.
function Checker:joined(e)
  local sign = e.op == 'and' and '&' or '|'
  self:say(e.line, "'%s' between tensors gives one of them, not their elements: write a %s b, or torch.logical_%s(a, b)",
           e.op, sign, e.op)
  local function mark(inner)
    if inner.type == 'Paren' then return mark(inner.inner) end
    if inner.type ~= 'Binary' then return end
    self.told[inner] = true
    mark(inner.left)
    mark(inner.right)
  end
  mark(e)
end

-- ---- expressions ----

local expression = {}

-- `x and 1`, `x or 0`: what stands on the right is always, or never, the result.
function Checker:always_true(e, op)
  local what = text_of(e)
  if op == 'and' then
    self:say(e.line, "%s is a tensor, which is always true, so 'and' gives what follows it: write %s:item() ~= 0, or %s:all()",
             what, what, what)
  else
    self:say(e.line, "%s is a tensor, which is always true, so 'or' never gives what follows it", what)
  end
end

function expression.Binary(self, e)
  if e.op == 'and' or e.op == 'or' then
    local left = e.left
    while left.type == 'Paren' do left = left.inner end
    if self.told[e] or not is_tensor(left) then return end
    if kinds.kind(left) == 'mask' or is_tensor(e.right) then self:joined(e) else self:always_true(left, e.op) end
  elseif e.op == '==' or e.op == '~=' then
    local left, right = kinds.kind_unless_nil(e.left), kinds.kind_unless_nil(e.right)
    if e.left.type == 'Unary' and e.left.op == 'not' and right ~= 'boolean' then
      self.told[e.left] = true
      return self:say(e.line, 'not a %s b is (not a) %s b: write a %s b', e.op, e.op, e.op == '==' and '~=' or '==')
    end
    if e.op == '~=' and is_tensor(e.left) and e.left.type == 'Name' and e.right.variable == e.left.variable then
      return self:say(e.line, '%s ~= %s is always false: write %s:isnan():any()', e.left.name, e.left.name, e.left.name)
    end
    local own = (left == 'dtype' or left == 'device') and left or right
    if (own == 'dtype' or own == 'device') and (left == 'string' or right == 'string') then
      return self:say(e.line, "a %s is never equal to a string: write %s", own,
                      own == 'dtype' and 'x.dtype == torch.float32' or "x.device.type == 'cuda', x.device == torch.device('cuda:0')")
    end
    local other = tensors[left] and right or tensors[right] and left
    if other == 'number' or other == 'boolean' or other == 'string' then
      self:say(e.line, '%s between a tensor and a %s is always %s: write x:%s(y) for the elements, x:item() %s y for one',
               e.op, other, tostring(e.op == '~='), e.op == '==' and 'eq' or 'ne', e.op)
    end
  end
end

function expression.Unary(self, e)
  local operand = e.operand
  while operand.type == 'Paren' do operand = operand.inner end
  if e.op == 'not' and not self.told[e] and is_tensor(operand) then
    self:say(e.line, 'not of a tensor is always false: write ~x for a mask, not x:item() for one element')
  end
end

-- A name that a table of luth does not have, unless the file itself sets it.
function expression.Index(self, e)
  local _, path = kinds.library(e)
  local space = path and kinds.library(e.object)
  if not path or rawget(space, e.key) ~= nil or self.set[path] or self.extended or e.key:find('^__') then return end
  local ok, message = pcall(function() return space[e.key] end)
  if not ok then self:say(e.line, '%s', (tostring(message):gsub('^[^\n]-:%d+: ', ''))) end
end

local shown = { tensor = 'tensor', mask = 'tensor', module = 'module', optimizer = 'optimizer' }
local method_tables = {
  tensor = torch.Tensor, mask = torch.Tensor, module = nn.Module, optimizer = registry.classes()['optim.Optimizer'],
}
-- Methods that no table of functions has: x.item() of anything is one that was called with a dot.
local sure = { item = true, backward = true, zero_grad = true, tolist = true, requires_grad_ = true, state_dict = true }

-- A list with a name in it, `torch.zeros {3, dtype = …}`, where an operator takes a list: an error when it runs.
function Checker:mixed_lists(e, f, name)
  if not registry.operator_name(f) then return end
  for _, argument in ipairs(e.args) do
    if argument.type == 'Table' and argument.mixed then
      self:say(e.line, "%s: the list has the key '%s' as well; named arguments go into a table of their own: {%s = …}",
               name, argument.mixed, argument.mixed)
    end
  end
end

function expression.Call(self, e)
  local callee = e.callee
  local operator, path = kinds.library(callee)
  if path then self:mixed_lists(e, operator, path) end
  if callee.key == 'load_library' and text_of(callee) == 'torch.ops.load_library' then self.extended = true end  -- by names that are not known here
  if callee.type == 'Name' and callee.name == 'assert' and not callee.variable and e.args[1] then
    self:condition(e.args[1], 'assert')
  end
  if callee.type ~= 'Index' or not callee.dot or kinds.library(callee.object) then return end
  local object, kind, name = callee.object, kinds.kind(callee.object), callee.key
  local first = e.args[1]
  if first and text_of(first) == text_of(object) then return end  -- x.sum(x): meant so
  local is_method = method_tables[kind] and type(rawget(method_tables[kind], name)) == 'function'
  if is_method or kind == nil and sure[name] and #e.args == 0 then
    self:say(e.line, '%s is called with a dot, so it does not get its %s: write %s:%s(%s)', text_of(callee),
             shown[kind] or 'object', text_of(object), name, first and '…' or '')
  end
end

function expression.Method(self, e)
  local value, path = kinds.library(e.object)
  if is_tensor(e.object) then self:mixed_lists(e, rawget(torch.Tensor, e.name), e.name) end
  if path and kinds.spaces[value] and rawget(value, e.name) ~= nil then
    self:say(e.line, '%s:%s is called with a colon, but is a function: write %s.%s(…)', path, e.name, path, e.name)
  elseif is_tensor(e.object) and rawget(torch.Tensor, e.name) == nil and not self.set['torch.Tensor.' .. e.name] and not self.extended then
    local ok, message = pcall(function() return torch.empty(0)[e.name] end)
    local text = tostring(message):gsub('^[^\n]-:%d+: ', '')
    self:say(e.line, '%s', ok and string.format('%s is a field, not a method: write x.%s', e.name, e.name) or text)
  end
end

-- ---- scopes ----

-- Does the call only open a scope? A function among its arguments would be called at once.
local function opens_scope(e)
  if e.type == 'Method' and e.name == 'scope' and #e.args == 0 then
    local _, path = kinds.library(e.object.callee or e.object)
    return path == 'torch.device' and "torch.device('…'):scope()" or nil
  end
  if e.type ~= 'Call' then return nil end
  local _, path = kinds.library(e.callee)
  if not path or not kinds.scopes[path] then return nil end
  for _, argument in ipairs(e.args) do
    local plain = argument.type == 'Constant' or argument.type == 'Table' or select(2, kinds.library(argument))
    if not plain and (path ~= 'torch.cuda.stream' or argument ~= e.args[1]) then return nil end
  end
  return path .. (path == 'torch.cuda.stream' and '(s)' or #e.args > 0 and '(…)' or '()')
end

function Checker:scope(e, line)
  local what = opens_scope(e)
  if what then
    self:say(line, 'the scope %s is never closed: write local _ <close> = %s, or give it a function', what, what)
  end
end

-- ---- walking ----

local statement = {}
local others = { require 'luth.check.names', require 'luth.check.calls', (require 'luth.check.training') }

-- The rules of a kind by type of node, in order.
local function by_type(sources, kind)
  local lists = {}
  for _, source in ipairs(sources) do
    for type, rule in pairs(source[kind]) do
      lists[type] = lists[type] or {}
      table.insert(lists[type], rule)
    end
  end
  return lists
end
local expression_rules = by_type({ { expression = expression }, table.unpack(others) }, 'expression')
local statement_rules = by_type(others, 'statement')

function Checker:expressions(list)
  for i = 1, #list do self:expression(list[i]) end
end
function Checker:expression(e)
  if e.type == 'Constant' then return end
  local list, walk = expression_rules[e.type], parts[e.type]
  for i = 1, list and #list or 0 do list[i](self, e) end
  if walk then walk(self, e) end
  if e.type == 'Function' then
    local passed = self.passed
    self.passed = passed or e.passed  -- whether this runs in a function that is an argument
    self:statements(e.body)
    self.passed = passed
  end
end

function statement.Local(self, s)
  self:expressions(s.values)
  for i, variable in ipairs(s.variables or {}) do
    local dropped = variable.reads == 0 or variable.name == '_'
    if s.values[i] and dropped and not variable.closes then self:scope(s.values[i], s.line) end
  end
end
function statement.Assign(self, s)
  for _, target in ipairs(s.targets) do
    if target.type == 'Index' then self:expression(target) end
  end
  self:expressions(s.values)
end
function statement.CallStatement(self, s)
  self:scope(s.call, s.line)
  self:expression(s.call)
end
function statement.Do(self, s) self:statements(s.body) end
function statement.If(self, s)
  for i, condition in ipairs(s.conditions) do
    self:condition(condition, 'if')
    self:expression(condition)
    self:statements(s.bodies[i])
  end
  if s.otherwise then self:statements(s.otherwise) end
end
function statement.While(self, s)
  self:condition(s.condition, 'while')
  self:expression(s.condition)
  self:statements(s.body)
end
function statement.Repeat(self, s)
  self:statements(s.body)
  self:condition(s.condition, 'until')
  self:expression(s.condition)
end
function statement.For(self, s)
  self:expressions(s.values)
  self:statements(s.body)
end
function statement.Return(self, s) self:expressions(s.values) end
function statement.Jump() end

function Checker:statements(list)
  for _, s in ipairs(list) do
    local rules = statement_rules[s.type]
    for i = 1, rules and #rules or 0 do rules[i](self, s) end
    statement[s.type](self, s)
  end
end

-- ---- globals ----

function Checker:globals(resolved)
  local told = {}
  for _, g in ipairs(resolved.globals) do
    local known = rawget(_G, g.name) ~= nil
    if not told[g.name] and (known or not g.is_function) then
      told[g.name] = true
      local text = known and "the global '%s' of Lua or luth is assigned: choose another name, or write local %s = …" or
        "'%s' is a global: write local %s = … where it is first set (or _G.%s, where it is meant)"
      self:say(g.line, text, g.name, g.name, g.name)
    end
  end
end

-- The findings {line, text} on a tree, in order of lines.
return function(body, resolved)
  local checker = setmetatable({ findings = {}, told = {}, set = {}, assigned = {}, asked = {}, unset = {} }, Checker)
  for _, g in ipairs(resolved.globals) do checker.assigned[g.name] = true end
  for _, target in ipairs(resolved.fields) do
    local _, path = kinds.library(target)
    if path then checker.set[path] = true end
  end
  checker:statements(body)
  checker:globals(resolved)
  for _, rules in ipairs(others) do
    if rules.finish then rules.finish(checker) end
  end
  for i, f in ipairs(checker.findings) do f.order = i end
  table.sort(checker.findings, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.order < b.order
  end)
  return checker.findings
end
