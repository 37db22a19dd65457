-- Rules about modules and training: constructors and methods of Torch7's form, labels that are floats, an optimizer whose
-- module nothing calls.
local kinds = require 'luth.check.kinds'

local expression, statement = {}, {}

-- ---- classes ---------------------------------------------------------------------------------------------------------

function statement.Assign(self, s)
  local target, f = s.targets[1], s.values[1]
  if not s.is_function or target.type ~= 'Index' or kinds.kind(target.object) ~= 'class' then return end
  local class, key = target.object.name or 'Net', target.key
  if f.method and (key == '__init' or key == '__init__' or key == 'new') then
    self:say(s.line, '%s:%s is never called: the constructor of a class is %s:init', class, key, class)
  elseif not f.method and (key == 'forward' or key == 'init') and #f.params > 0 and f.params[1] ~= 'self' then
    self:say(s.line, '%s gets the module as its first argument: write function %s:%s(%s)', key, class, key, table.concat(f.params, ', '))
  end
end

-- ---- labels ----------------------------------------------------------------------------------------------------------

local function value_of(e)
  while e.type == 'Paren' do e = e.inner end
  local variable = e.type == 'Name' and e.variable
  return variable and #variable.values == 1 and variable.values[1] or e
end

local function is_number(e, pattern) return e.type == 'Constant' and e.kind == 'number' and e.value:find(pattern) ~= nil end
local floats = { float = true, double = true, half = true, bfloat16 = true, float32 = true, float64 = true, float16 = true }

-- Is it certainly a float tensor of one dim: torch.tensor {1.0, 2.0}, torch.tensor({1, 2}):float(), torch.rand(8)?
local function is_float_vector(e)
  e = value_of(e)
  local cast = e.type == 'Method' and floats[e.name] and value_of(e.object)
  local call = cast or e
  if call.type ~= 'Call' or #call.args < 1 then return false end
  local _, path = kinds.library(call.callee)
  local first, options = call.args[1], call.args[2]
  if path == 'torch.tensor' and first.type == 'Table' then
    for _, key in ipairs(options and options.keys or {}) do cast = cast or key.text == 'dtype' and floats[key.value.key] end
    if options and not cast then return false end
    for _, item in ipairs(first.items) do
      if not is_number(item, cast and '^%d' or '^%d*%.%d*$') then return false end
    end
    return #first.items > 0
  end
  local makes = path == 'torch.rand' or path == 'torch.randn' or path == 'torch.zeros' or path == 'torch.ones'
  return makes and not options and is_number(first, '')
end

local of_labels = { ['nn.CrossEntropyLoss'] = true, ['nn.NLLLoss'] = true }
local functions = { cross_entropy = true, nll_loss = true }

-- Does the call compute a loss of labels?
local function is_loss(e)
  local _, path = kinds.library(e.callee)
  if path then return functions[path:match '[^.]+$'] and (path:find '^F%.' or path:find 'functional') end
  local made = value_of(e.callee)
  return made.type == 'Call' and of_labels[select(2, kinds.library(made.callee)) or '']
end

-- ---- optimizers ------------------------------------------------------------------------------------------------------

-- The variable of `net` in net:parameters().
local function owner(e)
  if e.type ~= 'Method' or e.name ~= 'parameters' or e.object.type ~= 'Name' then return nil end
  return kinds.kind(e.object) == 'module' and e.object.variable or nil
end

function expression.Call(self, e)
  if is_loss(e) and e.args[2] and is_float_vector(e.args[2]) then
    self:say(e.line, 'the labels are floats: classes are integers from 1, torch.tensor {1, 2}')
  end
  local variable = kinds.kind(e) == 'optimizer' and e.args[1] and owner(e.args[1])
  if variable and variable.reads == 1 then
    self:say(e.line, "nothing calls '%s', whose parameters the optimizer gets: they have no gradients", variable.name)
  end
end

return { expression = expression, statement = statement }
