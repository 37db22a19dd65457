-- Parameters that are computed from others, for nn.utils. The parameter's place in the module stays empty, so that it is
-- in no list and no state dict; hooks fill it during a forward. Reading and assigning m.weight outside of one comes here
-- too (lang/nn/index.cpp).
--
-- The field m._computed has the library for each name: library.compute(m, name, in_forward) gives the tensor, and
-- library.assign(m, name, value) takes one. It is never changed in place, since clones share it.
local native = require 'luth.native'
local arguments = require 'luth.torch.arguments'

local M = {}

local function before(m)
  for name, library in pairs(m._computed or {}) do native.place(m, name, require(library).compute(m, name, true)) end
end
local function after(m)
  for name in pairs(m._computed or {}) do native.place(m, name) end
end

local function changed(m, name, library)
  local all = {}
  for key, value in pairs(m._computed or {}) do all[key] = value end
  all[name] = library
  m._computed = next(all) and all or nil
end

-- The parameter or buffer m[name]; raises an error where there is none.
function M.tensor(function_name, m, name)
  if not torch.isinstance(m, nn.Module) then
    arguments.fail(function_name, 'expects a module, got %s', torch.typename(m) or type(m))
  end
  local t = type(name) == 'string' and m[name]
  if not torch.is_tensor(t) then
    arguments.fail(function_name, "%s has no parameter or buffer named '%s'", torch.typename(m), tostring(name))
  end
  return t
end

-- Empties the place of m[name] and lets `library` compute it.
function M.define(m, name, library)
  m[name] = nil
  changed(m, name, library)
  if m._computed_hooks then return end
  m._computed_hooks = true
  m:register_forward_pre_hook(before)
  m:register_forward_hook(after, { always_call = true })
end

-- Gives the place back to a parameter or, if is_buffer, a buffer.
function M.undefine(m, name, tensor, is_buffer)
  changed(m, name, nil)
  m[is_buffer and 'register_buffer' or 'register_parameter'](m, name, tensor)
end

-- The library that computes m[name]; nil for another parameter.
function M.library(m, name) return (m._computed or {})[name] end

function M.read(m, name) return require(m._computed[name]).compute(m, name, false) end
function M.assign(m, name, value)
  local library = require(m._computed[name])
  if not library.assign then
    arguments.fail(torch.typename(m), "'%s' is computed from other parameters; assign those", name)
  end
  library.assign(m, name, value)
end

return M
