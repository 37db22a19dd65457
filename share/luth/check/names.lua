-- Rules about names: globals that nothing sets, positions that count from 0, iteration over what is no iterator.
local kinds = require 'luth.check.kinds'
local native = require 'luth.native'

local expression, statement = {}, {}

-- Globals of some places only: recipes, the debugger, notebooks, the prompt.
local elsewhere = {}
for name in ('options recipe kept arg breakpoint display input scatter hist imshow heatmap _ _ENV'):gmatch '%S+' do elsewhere[name] = true end

-- Names that a condition asks for may be nil: `if jit then`, `x or y`.
local function note_asked(self, e)
  while e.type == 'Paren' do e = e.inner end
  if e.type == 'Name' and not e.variable then self.asked[e.name] = true end
  if e.type == 'Unary' and e.op == 'not' then note_asked(self, e.operand) end
end
function statement.If(self, s)
  for _, condition in ipairs(s.conditions) do note_asked(self, condition) end
end
function statement.While(self, s) note_asked(self, s.condition) end

function expression.Binary(self, e)
  if e.op == 'and' or e.op == 'or' then
    note_asked(self, e.left)
    if e.op == 'and' then note_asked(self, e.right) end
  elseif e.op == '==' or e.op == '~=' then
    if e.right.kind == 'nil' then note_asked(self, e.left) end
    if e.left.kind == 'nil' then note_asked(self, e.right) end
  end
end

local known
local function nearest(name)
  if not known then
    known = {}
    for other in pairs(_G) do known[#known + 1] = other end
    table.sort(known)
  end
  local found = native.nearest(name, known)
  return found ~= '' and ("; did you mean '" .. found .. "'?") or ''
end

function expression.Name(self, e)
  local name = e.name
  if e.variable or elsewhere[name] or rawget(_G, name) ~= nil or self.assigned[name] then return end
  self.unset[name] = self.unset[name] or e.line
end

-- Told at the end, when all conditions have been seen.
local function finish(self)
  for name, line in pairs(self.unset) do
    if not self.asked[name] then self:say(line, "the global '%s' is nil: nothing sets it%s", name, nearest(name)) end
  end
end

local function is_zero(e) return e.type == 'Constant' and e.value == '0' end

-- x[0], x[{0, 2}] of a tensor.
function expression.Index(self, e)
  if e.dot then return end
  local kind = kinds.kind(e.object)
  if kind ~= 'tensor' and kind ~= 'mask' then return end
  local zero = is_zero(e.key)
  for _, item in ipairs(e.key.type == 'Table' and e.key.items or {}) do zero = zero or is_zero(item) end
  if zero then self:say(e.line, 'positions count from 1: 0 is none of a tensor') end
end

function statement.For(self, s)
  local list = s.values[1]
  if s.numeric or #s.values > 1 then return end
  local kind = kinds.kind(list)
  if kind == 'table' then
    self:say(s.line, 'a table is no iterator: write ipairs(…) for a list, pairs(…) for all its keys')
  elseif kind == 'tensor' or kind == 'mask' then
    self:say(s.line, 'a tensor is no iterator: write ipairs(…) for its rows')
  end
end

return { expression = expression, statement = statement, finish = finish }
