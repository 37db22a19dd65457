-- Callbacks of a recipe: functions of the recipe that a run calls at its events, in the order in which they are listed.
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local Events = {}
Events.__index = Events

-- The events in the order of a run, with what a callback gets behind the trainer.
Events.names = { 'on_start', 'on_epoch_start', 'on_step', 'on_validation', 'on_epoch', 'on_save', 'on_end' }

local known = {}
for _, name in ipairs(Events.names) do known[name] = true end

local function callable(f)
  local meta = getmetatable(f)
  return type(f) == 'function' or type(meta) == 'table' and meta.__call ~= nil
end

-- Calls add(event, f) for each callback of a recipe's table: functions alone are on_epoch's, and so are those of a list;
-- {on_step = f, …} names events, whose values may be lists; such tables may stand in the list. Returns the place of what
-- is none of these, and the value.
local function each(callbacks, place, add)
  for i, f in ipairs(callbacks) do
    local where = string.format('%s[%d]', place, i)
    if callable(f) then
      add('on_epoch', f)
    elseif type(f) == 'table' then
      local wrong, value = each(f, where, add)
      if wrong then return wrong, value end
    else
      return where, f
    end
  end
  for _, name in ipairs(errors.keys(callbacks)) do
    local f = callbacks[name]
    if f ~= nil and not known[name] then
      errors.usage("%s has no '%s'%s; events are %s", place, name, errors.did_you_mean(name, Events.names),
                   table.concat(Events.names, ', '))
    end
    for _, one in ipairs(f == nil and {} or callable(f) and { f } or type(f) == 'table' and f or { false }) do
      if not callable(one) then return place .. '.' .. name, f end
      add(name, one)
    end
  end
end

--- Refuses unknown events with `where` before the message; returns the place and value of what is no callback.
function Events.check(callbacks, where)
  return each(callbacks, where, function() end)
end

function Events.new(callbacks)
  local self = setmetatable({}, Events)
  each(callbacks or {}, 'callbacks', function(event, f)
    self[event] = self[event] or {}
    table.insert(self[event], f)
  end)
  return self
end

-- Calls f(...). An error of the user's gets the traceback down to f.
local function traced(f, ...)
  local ok, why = xpcall(f, function(why)
    local text = tostring(why)
    return native.code(text) == 1 and native.traceback(text) or text
  end, ...)
  if not ok then error(why, 0) end
end

--- Calls the callbacks of an event, which an error of one names.
function Events:fire(event, ...)
  local list = self[event]
  for i = 1, list and #list or 0 do errors.attempt(nil, 'callback ' .. event .. ': ', traced, list[i], ...) end
end

return Events
