-- Name resolution: a Name that is a local gets `variable`, others are globals. A variable has name, line, `last` (the line
-- that ends its block), `values` (the expressions that are assigned to it; false for unknown values such as parameters and
-- loop variables), `reads`, and `closes` for one with <close>. Returns `variables`, all of them in order, `globals`, the
-- assignments to globals, and `fields`, the targets of others.
local parts = require 'luth.check.parts'

local Resolver = {}
Resolver.__index = Resolver

function Resolver:declare(name, line, value, closes)
  local variable = { name = name, line = line, values = { value }, reads = 0, closes = closes, last = self.last }
  self.scope[name] = variable
  self.variables[#self.variables + 1] = variable
  return variable
end
function Resolver:inside(body, f)
  local scope, last = self.scope, self.last
  self.scope, self.last = setmetatable({}, { __index = scope }), body.last
  f(self, body)
  self.scope, self.last = scope, last
end
function Resolver:block(body) self:inside(body, Resolver.statements) end
function Resolver:list(values)
  for i = 1, #values do self:expression(values[i]) end
end

local visit = {}
for type, walk in pairs(parts) do visit[type] = walk end
function Resolver:expression(e) visit[e.type](self, e) end
function visit.Constant() end
function visit.Name(self, e)
  e.variable = self.scope[e.name]
  if e.variable then e.variable.reads = e.variable.reads + 1 end
end
function visit.Function(self, e)
  self.depth = self.depth + 1
  self:inside(e.body, function()
    if e.method then self:declare('self', e.line, false) end
    for _, name in ipairs(e.params) do self:declare(name, e.line, false) end
    self:statements(e.body)
  end)
  self.depth = self.depth - 1
end

-- The expression that the i-th of several names gets; false where that is not known.
local function value_of(values, i)
  local last = values[#values]
  if i <= #values then return values[i] end
  if last and (last.type == 'Call' or last.type == 'Method') then
    return { type = 'Result', call = last, nr = i - #values + 1 }
  end
  return not (last and last.value == '...') and { type = 'Constant', kind = 'nil' }
end

function visit.Local(self, s)
  if s.is_function then
    self:declare(s.names[1], s.line, s.values[1])
    return self:list(s.values)
  end
  self:list(s.values)
  s.variables = {}
  for i, name in ipairs(s.names) do
    s.variables[i] = self:declare(name, s.line, value_of(s.values, i), s.attributes[i] == 'close')
  end
end
function visit.Assign(self, s)
  if not s.is_function then self:list(s.values) end
  for i, target in ipairs(s.targets) do
    if target.type == 'Name' then
      target.variable = self.scope[target.name]
      local value = value_of(s.values, i)
      if target.variable then
        table.insert(target.variable.values, value)
      else
        local is_function = s.is_function and self.depth == 0
        table.insert(self.globals, { name = target.name, line = s.line, is_function = is_function })
      end
    else
      self:expression(target)
      table.insert(self.fields, target)
    end
  end
  if s.is_function then self:list(s.values) end
end
function visit.CallStatement(self, s) self:expression(s.call) end
function visit.Do(self, s) self:block(s.body) end
function visit.If(self, s)
  self:list(s.conditions)
  for _, body in ipairs(s.bodies) do self:block(body) end
  if s.otherwise then self:block(s.otherwise) end
end
function visit.While(self, s)
  self:expression(s.condition)
  self:block(s.body)
end
function visit.Repeat(self, s)
  self:inside(s.body, function()
    self:statements(s.body)
    self:expression(s.condition)
  end)
end
function visit.For(self, s)
  self:list(s.values)
  self:inside(s.body, function()
    local value = s.numeric and { type = 'Constant', kind = 'number' }
    local list = s.values[1]
    if not s.numeric and list.type == 'Call' and list.callee.name == 'ipairs' and not list.callee.variable then
      list = list.args[1]
    else
      list = nil
    end
    for i, name in ipairs(s.names) do
      self:declare(name, s.line, list and i == 2 and { type = 'Item', list = list } or value)
    end
    self:statements(s.body)
  end)
end
function visit.Return(self, s) self:list(s.values) end
function visit.Jump() end

function Resolver:statements(list)
  for _, s in ipairs(list) do visit[s.type](self, s) end
end

return function(body)
  local resolver = setmetatable({ scope = {}, depth = 0, variables = {}, globals = {}, fields = {} }, Resolver)
  resolver:block(body)
  return resolver
end
