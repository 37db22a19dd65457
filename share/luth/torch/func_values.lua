-- What the transforms of torch.func know of values: tensors, or tables of them as parameters by name; and their settings.
local M = {}

-- An error at the line that called from outside of func.lua and this file.
local here = debug.getinfo(1, 'S').source:gsub('_values%.lua$', '')
function M.fail(text, ...)
  local level = 2
  local info = debug.getinfo(level, 'Sl')
  while info and (info.currentline <= 0 or info.source:sub(1, #here) == here) do
    level = level + 1
    info = debug.getinfo(level, 'Sl')
  end
  error((info and string.format('%s:%d: ', info.short_src, info.currentline) or '') .. string.format(text, ...), 0)
end

-- A plain table or a state dict.
function M.is_table(value)
  if type(value) ~= 'table' then return false end
  local meta = getmetatable(value)
  return meta == nil or type(meta) == 'table' and meta.__name == 'state_dict'
end

-- The keys of a table, in one order.
local function keys_of(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == 'number'
  end)
  return keys
end

-- The tensors of a value, and a function that puts others in their places.
function M.flatten(value)
  local list = {}
  local function walk(v)
    if torch.is_tensor(v) then
      list[#list + 1] = v
      local i = #list
      return function(new) return new[i] end
    elseif M.is_table(v) then
      local parts = {}
      for _, key in ipairs(keys_of(v)) do parts[key] = walk(v[key]) end
      return function(new)
        local out = {}
        for key, part in pairs(parts) do out[key] = part(new) end
        return out
      end
    end
    return function() return v end
  end
  local rebuild = walk(value)
  return list, rebuild
end

-- Named settings at the end of `...`, and the values before.
function M.settings(name, defaults, ...)
  local given = table.pack(...)
  local last, out = given[given.n], {}
  for key, value in pairs(defaults) do out[key] = value end
  if given.n > 0 and M.is_table(last) and #last == 0 and next(last) ~= nil then
    for key, value in pairs(last) do
      if defaults[key] == nil and key ~= 'chunk_size' then M.fail("%s: no argument is named '%s'", name, tostring(key)) end
      out[key] = value
    end
    given.n = given.n - 1
  end
  return out, table.unpack(given, 1, given.n)
end

function M.check_function(name, f)
  local meta = getmetatable(f)
  if type(f) ~= 'function' and not (meta and meta.__call) then M.fail('%s: expects a function, got %s', name, type(f)) end
end

return M
