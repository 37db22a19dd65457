-- x:apply_(f) and x:map_(y, f): functions of the script for each element, which is slow.
local M = {}

local function fail(text, ...) error(string.format(text, ...), 4) end

local function checked(name, x, f)
  if not torch.is_tensor(x) then fail('%s: expects a tensor, got %s (a method takes a colon: x:%s(...))', name, type(x), name) end
  if x.requires_grad then fail('%s: x requires grad, and no function of a script is recorded; use x:detach():%s(...)', name, name) end
  if type(f) ~= 'function' then fail('%s: expects a function, got %s', name, type(f)) end
end

local function write(x, values) return x:copy_(torch.tensor(values, { dtype = x.dtype }):reshape(x:size())) end

function M.apply_(x, f)
  checked('apply_', x, f)
  local values = x:flatten():tolist()
  for i, v in ipairs(values) do values[i] = f(v) end
  return write(x, values)
end

function M.map_(x, y, f)
  checked('map_', x, f)
  if not torch.is_tensor(y) then fail('map_: expects a tensor before the function, got %s', type(y)) end
  local values, others = x:flatten():tolist(), y:expand_as(x):flatten():tolist()
  for i, v in ipairs(values) do values[i] = f(v, others[i]) end
  return write(x, values)
end

return M
