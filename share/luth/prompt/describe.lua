-- What a value of the user's is: functions with the comment above them, classes, datasets, tables; and their source.
local frames = require 'luth.prompt.frames'
local native = require 'luth.native'
local M = {}

-- The comment directly above a line.
local function comment_above(lines, line)
  local first = line
  while first > 1 and lines[first - 1]:find '^%s*%-%-' do first = first - 1 end
  local list = {}
  for i = first, line - 1 do list[#list + 1] = lines[i]:gsub('^%s*%-+%s?', '') end
  return list, first
end

local function signature(f)
  local info = debug.getinfo(f, 'u')
  local names = {}
  for i = 1, info.nparams do names[i] = debug.getlocal(f, i) end
  if info.isvararg then names[#names + 1] = '…' end
  return '(' .. table.concat(names, ', ') .. ')'
end

local function of_function(f, name)
  local info = debug.getinfo(f, 'S')
  if info.what == 'C' then return end
  local head = ('%s%s    %s:%d'):format(name or 'function', signature(f), info.short_src, info.linedefined)
  local lines = frames.lines(info.source)
  local list = lines and lines[info.linedefined] and comment_above(lines, info.linedefined) or {}
  table.insert(list, 1, head)
  return table.concat(list, '\n  ')
end

--- The source of a Lua function, with the comment above it; of an object, that of its class's functions.
function M.source(value)
  if type(value) == 'function' then
    local info = debug.getinfo(value, 'S')
    local lines = info.what ~= 'C' and frames.lines(info.source)
    if not lines or not lines[info.linedefined] then return end
    local _, first = comment_above(lines, info.linedefined)
    return ('%s:%d\n%s'):format(info.short_src, info.linedefined, table.concat(lines, '\n', first, info.lastlinedefined))
  end
  local class = type(value) == 'table' and value or (debug.getmetatable(value) or {}).__index
  if native.kind(value) == 'module' then class = native.class_of(value) end
  if type(class) ~= 'table' then return end
  local parts = {}
  for _, f in next, class do
    if type(f) == 'function' then parts[#parts + 1] = M.source(f) end
  end
  table.sort(parts)
  return parts[1] and table.concat(parts, '\n\n')
end

local function count(values) return ('%d'):format(values):reverse():gsub('(%d%d%d)(%d)', '%1,%2'):reverse() end

local function of_module(m)
  local parameters, trained, buffers = 0, 0, 0
  for _, p in ipairs(m:parameters()) do
    local n = p:numel()
    parameters = parameters + n
    if p.requires_grad then trained = trained + n end
  end
  for _ in m:named_buffers() do buffers = buffers + 1 end
  local first = m:parameters()[1]
  return ('%s\n  %s parameters, %s of them trained, %d buffers, %s, %s mode'):format(tostring(m), count(parameters), count(trained),
    buffers, first and tostring(first.device) or 'no device', m.training and 'training' or 'eval')
end

local function of_dataset(d)
  local text = tostring(d)
  local ok, sample = pcall(function() return table.pack(d:get(1)) end)
  if not ok then return text end
  for i = 1, sample.n do text = text .. ('\n  %d  %s'):format(i, frames.short(sample[i])) end
  return text
end

local function of_table(t)
  local keys, n = {}, #t
  for k in next, t do
    if math.type(k) ~= 'integer' or k < 1 or k > n then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local lines = { ('table: %d positions, %d other keys'):format(n, #keys) }
  for i = 1, math.min(#keys, 20) do lines[#lines + 1] = ('  %-16s %s'):format(tostring(keys[i]), frames.short(rawget(t, keys[i]))) end
  if #keys > 20 then lines[#lines + 1] = ('  … %d more'):format(#keys - 20) end
  return table.concat(lines, '\n')
end

--- The description of a value, or nil where there is nothing to say.
function M.describe(value, name)
  local kind = type(value)
  if kind == 'function' then return of_function(value, name) end
  if native.kind(value) == 'module' then return of_module(value) end
  if native.kind(value) == 'dataset' then return of_dataset(value) end
  if kind == 'table' then return of_table(value) end
  if kind == 'string' or kind == 'number' or kind == 'boolean' then return kind .. '  ' .. frames.short(value) end
end

return M
