-- Deferred calls: `optim.AdamW { lr = 0.1 }` in a recipe. The first argument, the parameters or the optimizer, is still
-- missing. The call knows its line in the recipe.
local errors = require 'luth.train.errors'

local M = {}
local getinfo = debug.getinfo

local Deferred = {}
Deferred.__index = Deferred
local uncalled = setmetatable({}, { __mode = 'k' })  -- classes, which make one -> their name

function M.is(x) return getmetatable(x) == Deferred end
-- "optim.SGD" for a class that waits for its settings.
function M.uncalled(x) return uncalled[x] end

-- "recipe.lua:12", where the function at `level` of the stack is now.
function M.place(level)
  local info = getinfo(level + 1, 'Sl')
  return info and info.currentline > 0 and string.format('%s:%d', info.short_src, info.currentline) or 'the recipe'
end

-- `extra`: settings that count where the recipe does not give them.
function Deferred:make(first, extra)
  local named = {}
  for k, v in pairs(self.named) do named[k] = v end
  for k, v in pairs(extra or {}) do if named[k] == nil then named[k] = v end end
  return errors.attempt(2, self.place .. ': ', self.make_real, first, named)
end

-- The table `real` with each entry waiting; `path` is its name in messages.
function M.table(real, path)
  return setmetatable({}, {
    __index = function(_, name)
      local value, place = rawget(real, name), M.place(2)
      if value == nil then
        errors.usage("%s: %s has no '%s'%s", place, path, tostring(name), errors.did_you_mean(name, errors.keys(real)))
      end
      if name == 'lr_scheduler' then return M.table(value, path .. '.lr_scheduler') end
      local meta = getmetatable(value)
      if type(meta) ~= 'table' or not meta.__call then return value end  -- no class: optim.class, optim.Optimizer
      local function make(_, first, ...)
        local named = type(first) == 'table' and #first == 0 and getmetatable(first) == nil and first.params == nil
        if not (first == nil or named) or select('#', ...) > 0 then return value(first, ...) end
        return setmetatable({ name = name, named = first or {}, make_real = value, place = place }, Deferred)
      end
      local class = setmetatable({}, { __call = make, __index = value })  -- of which the recipe may make its own
      uncalled[class] = path .. '.' .. name
      return class
    end,
  })
end

return M
