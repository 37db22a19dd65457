-- Parameters that are computed from others, for nn.utils. The parameter's place in the module stays empty, so that it is
-- in no list and no state dict; hooks fill it during a forward. Reading and assigning m.weight outside of one comes here
-- too (lang/nn/index.cpp).
--
-- The field m._computed has a kind for each name: kind.compute(m, name, in_forward) gives the tensor, and
-- kind.assign(m, name, value) takes one. It is never changed in place, since clones share it.
local native = require 'luth.native'
local arguments = require 'luth.torch.arguments'

local M = {}

-- The libraries that have the kinds. A file may hold modules with such fields, so no other library is required.
local libraries = {
  parametrize = 'luth.torch.parametrize', prune = 'luth.torch.prune',
  weight_norm = 'luth.torch.norms_of_weights', spectral_norm = 'luth.torch.norms_of_weights',
}
local function kind_of(m, name)
  local kind = m._computed[name]
  if not libraries[kind] then arguments.fail(torch.typename(m), "nothing is known that computes '%s'", name) end
  return require(libraries[kind]).kinds[kind]
end

local function before(m)
  for name in pairs(m._computed or {}) do native.place(m, name, kind_of(m, name).compute(m, name, true)) end
end
local function after(m)
  for name in pairs(m._computed or {}) do native.place(m, name) end
end

local function changed(m, name, kind)
  local all = {}
  for key, value in pairs(m._computed or {}) do all[key] = value end
  all[name] = kind
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

-- Adds the hooks, which no file has.
function M.hook(m)
  m._computed_hooks = true
  m:register_forward_pre_hook(before)
  m:register_forward_hook(after, { always_call = true })
end

-- Empties the place of m[name] and lets `kind` compute it.
function M.define(m, name, kind)
  m[name] = nil
  changed(m, name, kind)
  if not m._computed_hooks then M.hook(m) end
end

-- Gives the place back to a parameter or, if is_buffer, a buffer.
function M.undefine(m, name, tensor, is_buffer)
  changed(m, name, nil)
  m[is_buffer and 'register_buffer' or 'register_parameter'](m, name, tensor)
end

-- What computes m[name]; nil for another parameter.
function M.kind(m, name) return (m._computed or {})[name] end

function M.read(m, name) return kind_of(m, name).compute(m, name, false) end
function M.assign(m, name, value)
  local kind = kind_of(m, name)
  if not kind.assign then
    arguments.fail(torch.typename(m), "'%s' is computed from other parameters; assign those", name)
  end
  kind.assign(m, name, value)
end

return M
