-- The debugger: breakpoint(), and `luth --debug script.lua`. Commands are read from standard input.
local frames = require 'luth.prompt.frames'
local native = require 'luth.native'
local M = {}

local share = native.share_dir() .. '/luth/'
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

-- The number of calls that are open at a level, the caller's or that of another thread, and below it.
local function depth_at(level, thread)
  local here, n, found = coroutine.running(), 0, false
  for _, t in ipairs(native.running()) do
    local l = 0
    if t == (thread or here) then found, l = true, thread and level or level + 1 end
    while found and debug.getinfo(t, l, 'l') do n, l = n + 1, l + 1 end
  end
  return n
end

-- Whether a source is the file that a breakpoint names, by its path or the end of it; `./a.lua` names a.lua, too.
local function is_named(source, name)
  local path = source:sub(2)
  return path == name or path:sub(-#name - 1) == '/' .. name or name:find '^%.*/' and name:sub(-#path - 1) == '/' .. path
end

local function point_at(source, line)
  for _, p in ipairs(points[line] or {}) do
    if is_named(source, p.file) then return p end
  end
end

local hook

local function set_hook()
  native.hook_lines((mode or next(points)) and hook or nil)
end

-- The frames from a level of the caller on, then those of the threads that wait for this one: {level = relative to the
-- caller, info}, or {level, info, thread}.
local function visible(level)
  local list, here = {}, coroutine.running()
  for _, t in ipairs(native.running()) do
    local own = t == here and 1 or 0
    for l = own * (level + 1), 200 do
      local info = debug.getinfo(t, l, 'nSlf')
      if not info then break end
      if info.what ~= 'C' and not is_own(info.source) then
        list[#list + 1] = { level = l - own, info = info, thread = own == 0 and t or nil }
      end
    end
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

-- Runs Lua in a frame, whose level is one of the caller's. Variables that it assigns are written back.
local function evaluate(frame, text)
  local level, thread = frame.level, frame.thread
  if not thread then thread, level = coroutine.running(), level + 1 end
  local list, known = frames.variables(level, frame.thread), {}
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
  local func, places = frame.info.func, {}  -- of variables of one name the last one is seen
  for i = 1, 250 do
    local name = debug.getlocal(thread, level, i)
    if not name then break end
    if known[name] and known[name].changed and not known[name].outer then places[name] = i end
  end
  for name, i in pairs(places) do debug.setlocal(thread, level, i, known[name].value) end
  for i = 1, 250 do
    local name = debug.getupvalue(func, i)
    if not name then break end
    if known[name] and known[name].changed and known[name].outer then debug.setupvalue(func, i, known[name].value) end
  end
  if results.n > 1 or not results[1] then print(table.unpack(results, 2, results.n)) end
end

local function list_points()
  if not next(points) then print 'no breakpoints' end
  for line, list in next, points do
    for _, p in ipairs(list) do print(('%d  %s:%d'):format(p.number, p.file, line)) end
  end
end

-- The lines of the file that a breakpoint names: of a call, of this folder, or where `require` looks; nil where none is.
local function lines_of(file, list)
  for _, frame in ipairs(list) do
    if is_named(frame.info.source, file) then return frames.lines(frame.info.source) end
  end
  local path = package.searchpath(file:gsub('%.lua$', ''), package.path)
  return frames.lines('@' .. file) or path and frames.lines('@' .. path)
end

local closing = {}  -- what begins nothing that runs
for text in ('else end do then ) } ] , ;'):gmatch '%S+' do closing[text] = true end

-- The first line from one on that has code; nil where none has. Of a text that is no Lua, that line itself.
local function next_code(lines, from)
  local text = table.concat(lines, '\n'):gsub('^#[^\n]*', '')
  if not load(text, '=debug', 't') then return from end
  local _, texts, places = native.tokens(text)
  for i, line in ipairs(places) do
    if line >= from and not closing[texts[i]] then return line end
  end
end

local function add_point(text, frame, list)
  if text == '' then return list_points() end
  local file, line = text:match '^(.-):?(%d+)$'
  line = math.tointeger(line)
  if not line then return print 'b expects a line, `b 12` or `b file.lua:12`' end
  if file == '' then file = frame.info.source:sub(2) end
  local lines = lines_of(file, list)
  if lines and not lines[line] then return print(('%s has %d lines'):format(file, #lines)) end
  local asked = line
  if lines then line = next_code(lines, line) end
  if not line then return print(('%s has no code from line %d on'):format(file, asked)) end
  count = count + 1
  points[line] = points[line] or {}
  table.insert(points[line], { file = file, number = count })
  print(('breakpoint %d at %s:%d%s'):format(count, file, line,
    line ~= asked and (', since line %d has no code'):format(asked) or lines and '' or '; no such file is here, so it waits until one of that name runs'))
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
  if takes and word ~= 'p' and (rest:find '^[=%[(]' or rest:find '^%.+[^./]') then return end
  return word, rest
end

-- Asks for commands until the program goes on. `level`: of the caller's, where the program stands.
local function interact(level, why)
  native.hook_lines()
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
      evaluate(frame, line)
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
    elseif command == 'locals' then frames.print_variables(frames.variables(frame.level, frame.thread))
    elseif command == 'list' then show_line(frame, 5)
    elseif command == 'break' then add_point(rest, frame, list)
    elseif command == 'del' then remove_point(rest)
    elseif command == 'p' then evaluate(frame, rest)
    elseif command == 'quit' then
      quitting = true
      os.exit(1, false)
    else print(help_text) end
  end
  depth = depth_at(list[at].level, list[at].thread) - (mode == 'finish' and 1 or 0)
  set_hook()
end

function hook(line)
  local info = debug.getinfo(2, 'S')
  if is_own(info.source) then return end
  local point = point_at(info.source, line)
  if not point then
    if not mode then return end
    if mode ~= 'step' and depth_at(2) > depth then return end
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
