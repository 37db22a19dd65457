-- Errors about what the user gave: one sentence with an exit code, no place in luth's own files, no traceback.
local native = require 'luth.native'

local M = {}

-- A setting or word that cannot be: exit code 2.
function M.usage(...) native.fail(2, string.format(...)) end

-- A checkpoint that cannot be used: exit code 5.
function M.unusable(...) native.fail(5, string.format(...)) end

-- Calls f(...). Its error is raised again with `code` (nil: its own) and `prefix` before the message. Lack of memory and interrupts keep
-- their own code.
function M.attempt(code, prefix, f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local text = tostring(results[2])
  local own = native.code(text)
  if own == 4 or own > 5 then error(text, 0) end
  native.fail(code or own, prefix .. text)
end

-- " (did you mean 'batch'?)", or nothing.
function M.did_you_mean(name, names, form)
  local near = native.nearest(tostring(name), names)
  return near ~= '' and string.format(" (did you mean '%s'?)", (form or '%s'):format(near)) or ''
end

-- The keys of a table as text, sorted.
function M.keys(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return names
end

return M
