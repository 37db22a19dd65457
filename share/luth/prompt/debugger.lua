-- The debugger: breakpoint(), and `luth --debug script.lua`. Commands are read from standard input.
local frames = require 'luth.prompt.frames'
local M = {}

local share = require('luth.native').share_dir() .. '/luth/'
local points = {}     -- line -> list of {file, line}
local count = 0       -- of breakpoints
local mode, depth     -- 'step'; 'next' and 'finish' stop where at most `depth` calls are open
local last_command = 'n'
local quitting = false

local help_text = [[
s, step     to the next line, into calls          n, next      to the next line of this function
f, finish   to the end of this function           c, continue  to the next breakpoint
u, up       to the caller                         d, down      back
w, where    the calls                             l, locals    the variables of this call
list        the lines around                      p EXPR, or any Lua: in this call; assignments stay
b 12, b file.lua:12   a breakpoint; b lists them  del 1        removes one
q, quit     ends the program                      Enter repeats step and next]]

local function is_own(source) return source == '=debug' or source:sub(1, 1) == '@' and source:sub(2, #share + 1) == share end

-- The number of calls that are open, and two.
local function stack_depth()
  local n = 2
  while debug.getinfo(n, 'l') do n = n + 1 end
  return n
end

local function name_of(path) return path:match '[^/]*$' end

local function point_at(source, line)
  for _, p in ipairs(points[line] or {}) do
    local file = source:sub(2)
    if file == p.file or name_of(file) == p.file or file:sub(-#p.file - 1) == '/' .. p.file then return p end
  end
end

local hook

local function set_hook()
  if mode or next(points) then debug.sethook(hook, 'l') else debug.sethook() end
end

-- The frames from a level of the caller on: {level = relative to the caller, info}.
local function visible(level)
  local list = {}
  for l = level + 1, level + 200 do
    local info = debug.getinfo(l, 'nSlf')
    if not info then break end
    if info.what ~= 'C' and not is_own(info.source) then list[#list + 1] = { level = l - 1, info = info } end
  end
  return list
end

local function show_line(frame, around)
  local info = frame.info
  local lines = frames.lines(info.source) or {}
  print(('%s:%d  %s'):format(info.short_src, info.currentline, frames.title(info)))
  for i = math.max(1, info.currentline - around), math.min(#lines, info.currentline + around) do
    print(('%s%4d  %s'):format(i == info.currentline and '>' or ' ', i, lines[i]))
  end
end

-- Runs Lua in a frame, `level` of the caller's. Variables that it assigns are written back.
local function evaluate(level, text)
  level = level + 1
  local list, known = frames.variables(level), {}
  for _, v in ipairs(list) do known[v.name] = v end
  local scope = setmetatable({}, {
    __index = function(_, name)
      if known[name] then return known[name].value end
      return _G[name]
    end,
    __newindex = function(_, name, value)
      if known[name] then known[name].value, known[name].changed = value, true else _G[name] = value end
    end,
  })
  local f, message = load('return ' .. text, '=debug', 't', scope)
  if not f then f, message = load(text, '=debug', 't', scope) end
  if not f then return print(message) end
  local results = table.pack(pcall(f))
  local func = debug.getinfo(level, 'f').func
  for i = 1, 250 do
    local name = debug.getlocal(level, i)
    if not name then break end
    if known[name] and known[name].changed and not known[name].outer then debug.setlocal(level, i, known[name].value) end
  end
  for i = 1, 250 do
    local name = debug.getupvalue(func, i)
    if not name then break end
    if known[name] and known[name].changed and known[name].outer then debug.setupvalue(func, i, known[name].value) end
  end
  if results.n > 1 or not results[1] then print(table.unpack(results, 2)) end
end

local function list_points()
  if not next(points) then print 'no breakpoints' end
  for line, list in next, points do
    for _, p in ipairs(list) do print(('%d  %s:%d'):format(p.number, p.file, line)) end
  end
end

local function add_point(text, frame)
  if text == '' then return list_points() end
  local file, line = text:match '^(.-):?(%d+)$'
  if not line then return print 'b expects a line, `b 12` or `b file.lua:12`' end
  if file == '' then file = frame.info.source:sub(2) end
  count, line = count + 1, math.tointeger(line)
  points[line] = points[line] or {}
  table.insert(points[line], { file = file, number = count })
  print(('breakpoint %d at %s:%d'):format(count, file, line))
end

local function remove_point(text)
  for line, list in next, points do
    for i, p in ipairs(list) do
      if p.number == tonumber(text) then
        table.remove(list, i)
        if #list == 0 then points[line] = nil end
        return print(('breakpoint %d is gone'):format(p.number))
      end
    end
  end
  print 'del expects the number of a breakpoint; b lists them'
end

local short = { s = 'step', n = 'next', f = 'finish', c = 'continue', u = 'up', d = 'down', w = 'where', bt = 'where', l = 'locals',
  b = 'break', q = 'quit', h = 'help', ['?'] = 'help' }
local words = { step = true, next = true, finish = true, continue = true, up = true, down = true, where = true, locals = true,
  list = true, ['break'] = true, del = true, quit = true, help = true, p = true }

-- The command and its argument; nil where the line is Lua.
local function parse(line)
  if line == '' then return last_command, '' end
  local word, rest = line:match '^%s*([%a?]+)%s*(.-)%s*$'
  word = short[word] or word
  if not word or not words[word] then return end
  local takes = word == 'break' or word == 'del' or word == 'p'
  if rest ~= '' and not takes then return end  -- `n + 1`, `list[1]`
  if takes and word ~= 'p' and rest:find '^[=.%[(]' then return end
  return word, rest
end

-- Asks for commands until the program goes on. `level`: of the caller's, where the program stands.
local function interact(level, why)
  debug.sethook()
  mode = nil
  local list = visible(level + 1)
  if #list == 0 then return set_hook() end
  local at = 1
  io.stdout:flush()
  if why then print(why) end
  show_line(list[at], 0)
  while true do
    io.stdout:write '(debug) '
    io.stdout:flush()
    local line = io.read 'l'
    if not line then break end
    local command, rest = parse(line)
    local frame = list[at]
    if not command then
      evaluate(frame.level, line)
    elseif command == 'step' or command == 'next' or command == 'finish' or command == 'continue' then
      if command ~= 'continue' then mode = command end
      if command == 'step' or command == 'next' then last_command = command end
      break
    elseif command == 'up' or command == 'down' then
      at = math.max(1, math.min(#list, at + (command == 'up' and 1 or -1)))
      show_line(list[at], 0)
    elseif command == 'where' then
      for i, f in ipairs(list) do
        print(('%s%2d  %s:%d  %s'):format(i == at and '>' or ' ', i, f.info.short_src, f.info.currentline, frames.title(f.info)))
      end
    elseif command == 'locals' then frames.print_variables(frames.variables(frame.level))
    elseif command == 'list' then show_line(frame, 5)
    elseif command == 'break' then add_point(rest, frame)
    elseif command == 'del' then remove_point(rest)
    elseif command == 'p' then evaluate(frame.level, rest)
    elseif command == 'quit' then
      quitting = true
      os.exit(1, false)
    else print(help_text) end
  end
  depth = stack_depth() - list[at].level - (mode == 'finish' and 2 or 1)
  set_hook()
end

function hook(_, line)
  local info = debug.getinfo(2, 'S')
  if is_own(info.source) then return end
  local point = point_at(info.source, line)
  if not point then
    if not mode then return end
    if mode ~= 'step' and stack_depth() - 3 > depth then return end
  end
  interact(1, point and ('breakpoint %d'):format(point.number))
end

--- Stops here and asks for commands.
function M.breakpoint() interact(1) end

--- Stops at the next line of the user's, and where an error is that nothing catches.
function M.start()
  mode = 'step'
  debug.getregistry()['luth.on_error'] = function(message)
    if not quitting then interact(2, (tostring(message):gsub('\nstack traceback:.*', ''))) end
  end
  set_hook()
end

return M
