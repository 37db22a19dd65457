-- Arguments of functions written in Lua: positions, then a table of named ones, as operators take them.
local M = {}

-- An error at the line of the script, from any depth within luth's own Lua files.
local share = debug.getinfo(1, 'S').source:gsub('luth/torch/arguments%.lua$', '')
local function is_own(source) return source:sub(1, #share + 5) == share .. 'luth/' or source:sub(1, #share + 7) == share .. 'models/' end
local function fail(name, text, ...)
  local level, line = 2, ''
  for info in function() return debug.getinfo(level + 1, 'Sl') end do
    if info.currentline > 0 and not is_own(info.source) then
      line = ('%s:%d: '):format(info.short_src, info.currentline)
      break
    end
    level = level + 1
  end
  error(line .. name .. ': ' .. text:format(...), 0)
end

M.fail = fail

local lists = { ranks = true, parameters = true, tensors = true, shape = true, size = true, dims = true, axes = true }

-- {'gloo', timeout = 60} as the only argument: 'gloo' and {timeout = 60}.
local function divided(t)
  local positions, names = {}, {}
  for key, value in pairs(t) do (math.type(key) and positions or names)[key] = value end
  if next(names) == nil then return { t }, 1 end
  positions[#positions + 1] = names
  return positions, #positions
end

-- The arguments by name: `names` in PyTorch's order, of which the first `required` must be there.
function M.read(name, names, required, ...)
  local given, n, out = { ... }, select('#', ...), {}
  if n == 1 and type(given[1]) == 'table' and getmetatable(given[1]) == nil and #given[1] > 0 then given, n = divided(given[1]) end
  local last = given[n]
  local is_table = n > 0 and type(last) == 'table' and getmetatable(last) == nil and #last == 0
  local takes_list = is_table and names[n] and (names[n]:find 'list' or lists[names[n]])
  local named = is_table and (next(last) or (n > required and not takes_list)) and last or nil  -- {}: no options
  if named then n = n - 1 end
  if n > #names then fail(name, 'too many arguments; it has %s', table.concat(names, ', ')) end
  for i = 1, n do out[names[i]] = given[i] end
  local known = {}
  for _, key in ipairs(names) do known[key] = true end
  for key, value in pairs(named or {}) do
    if not known[key] then fail(name, "no argument is named '%s'; it has %s", tostring(key), table.concat(names, ', ')) end
    if out[key] ~= nil then fail(name, "argument '%s' is given by position and by name", key) end
    out[key] = value
  end
  for i = 1, required do
    if out[names[i]] == nil then fail(name, "argument '%s' is missing; it has %s", names[i], table.concat(names, ', ')) end
  end
  return out
end

return M
