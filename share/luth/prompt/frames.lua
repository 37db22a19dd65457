-- The calls that were open when an error was raised, with their variables, for :bt, :locals and the debugger.
local M = {}

local most_frames, most_variables = 60, 100
local share = require('luth.native').share_dir() .. '/luth/'

local function is_own(source) return source:sub(1, 1) == '@' and source:sub(2, #share + 1) == share end
-- The function in which the prompt wraps a chunk: what is below it is no call of the user's.
local function is_chunk(info)
  return info.short_src:find '^%[%d+%]$' and info.linedefined == 1 and info.what == 'Lua' and info.isvararg and info.nparams == 0
end

--- The local variables of a level, of the caller's or of another Lua thread's, then those that its function has from
--- outside: a list of {name, value, outer}.
function M.variables(level, thread)
  if not thread then thread, level = coroutine.running(), level + 1 end
  local list, index = {}, {}
  local function add(name, value, outer)
    if name:sub(1, 1) == '(' or name == '_ENV' then return end
    if not index[name] then
      if #list >= most_variables then return end
      list[#list + 1] = { name = name }
      index[name] = list[#list]
    elseif outer then
      return
    end
    index[name].value, index[name].outer = value, outer
  end
  local info = debug.getinfo(thread, level, 'f')
  for i = 1, most_variables do
    local name, value = debug.getlocal(thread, level, i)
    if not name then break end
    add(name, value)
  end
  for i = 1, most_variables do
    local name, value = debug.getupvalue(info.func, i)
    if not name then break end
    add(name, value, true)
  end
  return list
end

--- How a frame is called: "function 'f'".
function M.title(info)
  if info.what == 'main' or is_chunk(info) then return 'main chunk' end
  if info.name and info.namewhat ~= '' then return ("%s '%s'"):format(info.namewhat, info.name) end
  return ('function <%s:%d>'):format(info.short_src, info.linedefined)
end

--- The frames above the caller's `level` that are Lua of the user's, innermost first.
function M.capture(level)
  local list = {}
  for l = level + 1, level + 200 do
    local info = debug.getinfo(l, 'nSluf')
    if not info or #list >= most_frames then break end
    if info.what ~= 'C' and not is_own(info.source) then
      list[#list + 1] = { title = M.title(info), src = info.short_src, source = info.source, line = info.currentline,
        variables = M.variables(l) }
      if is_chunk(info) then break end
    end
  end
  return list
end

--- The text of a chunk of the prompt or of a file, as a list of lines; nil where it is not known.
function M.lines(source)
  local text
  if source:sub(1, 1) == '=' then
    local chunks = debug.getregistry()['luth.chunks']
    text = chunks and chunks[source:sub(2)]
  elseif source:sub(1, 1) == '@' then
    local f = io.open(source:sub(2), 'rb')
    text = f and f:read 'a'
    if f then f:close() end
  else
    text = source
  end
  if not text then return end
  local lines = {}
  for line in (text:gsub('\n$', '') .. '\n'):gmatch '(.-)\r?\n' do lines[#lines + 1] = line end
  return lines
end

--- Remembers the frames of an error that nothing has caught: the prompt's handler of errors calls it.
function M.note(message)
  M.error, M.last = message, M.capture(4)
end

function M.print_trace(frames, current)
  for i, f in ipairs(frames) do
    local line = (M.lines(f.source) or {})[f.line] or ''
    print(('%s%2d  %s:%d  %s    %s'):format(i == current and '>' or ' ', i, f.src, f.line, f.title, line:match '^%s*(.-)%s*$'))
  end
end

--- A value on one line.
function M.short(value)
  if torch.is_tensor(value) then
    return ('%s[%s] on %s'):format(tostring(value.dtype):gsub('^torch%.', ''), table.concat(value:size():tolist(), ', '),
      tostring(value.device)) .. (value:numel() == 1 and value.device.type ~= 'meta' and ' = ' .. tostring(value:item()) or '')
  elseif type(value) == 'string' then
    return #value > 60 and ('%q…'):format(value:sub(1, 60)):gsub('\n', 'n') or ('%q'):format(value):gsub('\n', 'n')
  elseif type(value) == 'table' and not (getmetatable(value) or {}).__tostring then
    local n, keys = #value, 0
    for _ in next, value do keys = keys + 1 end
    return ('table of %d values'):format(math.max(n, keys))
  end
  local text = tostring(value):gsub('%s*\n.*', ' …')
  return #text > 70 and text:sub(1, 70) .. '…' or text
end

function M.print_variables(list)
  if #list == 0 then print 'no variables' end
  for _, v in ipairs(list) do print(('  %-16s %s%s'):format(v.name, M.short(v.value), v.outer and '   (from outside)' or '')) end
end

return M
