-- The commands of the prompt, `:time f(x)`. `host` is what the session gives: compile(text) -> function or nil, message;
-- run(text); print(values); variables() -> name -> value; is_builtin(name); statements(text) -> the length of what stands
-- before a last `return`.
local frames = require 'luth.prompt.frames'
local native = require 'luth.native'
local texts = require 'luth.texts'

local M = {}
local commands = {}

local function fail(text, ...) native.fail(2, text:format(...)) end  -- an error of usage has no traceback

local function function_of(host, text, command)
  if text == '' then fail(':%s expects an expression or statements: `:%s f(x)`', command, command) end
  local f, message = host.compile(text)
  if not f then fail('%s', message) end
  return f
end

local function expect_nothing(text, command)
  if text ~= '' then fail(":%s stands alone, got '%s' behind it", command, text) end
end

local function synchronize()
  if torch.cuda.is_initialized() then torch.cuda.synchronize() end
end

local function seconds(s) return require('luth.torch.benchmark').format(s) end

function commands.time(host, text)
  local f = function_of(host, text, 'time')
  synchronize()
  local start, cpu = native.now(), os.clock()
  local results = table.pack(f())
  synchronize()
  local wall, used = native.now() - start, os.clock() - cpu
  if results.n > 0 then host.print(table.unpack(results, 1, results.n)) end
  print(('%s, %s of processor time'):format(seconds(wall), seconds(used)))
end

function commands.bench(host, text)
  local f = function_of(host, text, 'bench')
  local m = torch.utils.benchmark.Timer { stmt = f }:blocked_autorange { min_run_time = 0.5 }
  print(('%s ± %s (mean and standard deviation of %d runs of %d calls; median %s)'):format(seconds(m.mean), seconds(m.std),
    #m.times, m.number_per_run, seconds(m.median)))
end

local function bytes(n)
  for _, unit in ipairs { 'B', 'KiB', 'MiB', 'GiB' } do
    if n < 1024 or unit == 'GiB' then return ((unit == 'B' and '%d' or '%.1f') .. ' %s'):format(n, unit) end
    n = n / 1024
  end
end

local function resident()
  local f = io.open '/proc/self/status'
  local text = f and f:read 'a' or ''
  if f then f:close() end
  return tonumber(text:match 'VmRSS:%s*(%d+)') or 0, tonumber(text:match 'VmHWM:%s*(%d+)') or 0
end

function commands.mem(_, text)
  expect_nothing(text, 'mem')
  collectgarbage()
  local now, most = resident()
  print(('process  %s, at most %s'):format(bytes(now * 1024), bytes(most * 1024)))
  print(('Lua      %s'):format(bytes(math.floor(collectgarbage 'count' * 1024))))
  if torch.cuda.is_initialized() then
    for i = 0, torch.cuda.device_count() - 1 do
      print(('cuda:%d   %s in tensors, %s reserved'):format(i, bytes(torch.cuda.memory_allocated(i)), bytes(torch.cuda.memory_reserved(i))))
    end
  end
end

--- `:vars`: the variables of the session; `:vars net`: those whose names have `net` in them.
function commands.vars(host, text)
  local list = {}
  local function add(name, value)
    if name:find(text, 1, true) then list[#list + 1] = { name = name, value = value } end
  end
  for name, value in next, host.variables() do add(name, value) end
  for name, value in next, _G do
    if type(name) == 'string' and not host.is_builtin(name) and not name:find '^_%d*$' then add(name, value) end
  end
  if text ~= '' and #list == 0 then fail("no variable has '%s' in its name", text) end
  table.sort(list, function(a, b) return a.name < b.name end)
  frames.print_variables(list)
end

local function last_frames()
  if not frames.last then fail 'no error yet' end
  return frames.last
end

function commands.bt(_, text)
  expect_nothing(text, 'bt')
  local list = last_frames()
  print((tostring(frames.error):gsub('\nstack traceback:.*', '')))
  frames.print_trace(list)
end

commands['locals'] = function(_, text)
  local list = last_frames()
  local n = text == '' and 1 or math.tointeger(tonumber(text))
  if not n or not list[n] then fail(':locals expects the number of a frame, 1 to %d (`:bt` lists them)', #list) end
  print(('%d  %s:%d  %s'):format(n, list[n].src, list[n].line, list[n].title))
  frames.print_variables(list[n].variables)
end

local function word(text, command, what)
  local name = text:match '^"(.*)"$' or text:match "^'(.*)'$" or text
  if name == '' then fail(':%s expects %s', command, what) end
  return name
end

--- Runs a file as one block, so that its local variables stay.
function commands.load(host, text)
  local path = word(text, 'load', 'a file: `:load model.lua`')
  local f, message = io.open(path, 'rb')
  if not f then fail('%s', message) end
  local code, trouble = f:read 'a'
  f:close()
  if not code then fail('cannot read %s: %s', path, trouble) end
  host.run((code:gsub('^#[^\n]*', '')))
end

function commands.reload(_, text)
  local name = word(text, 'reload', 'a module: `:reload mymodule`')
  local before = package.loaded[name]
  package.loaded[name] = nil
  local ok, new = pcall(require, name)
  if not ok then
    package.loaded[name] = before
    local message = tostring(new):match '^[^\n]*'
    if before ~= nil and message:find(' not found', 1, true) then fail('%s is built in, or its file is gone: there is nothing to load anew', name) end
    fail('%s', message)
  end
  if type(before) == 'table' and type(new) == 'table' and before ~= new and not getmetatable(before) then
    -- who holds the old table sees the new functions
    for key in next, before do before[key] = nil end
    for key, value in next, new do before[key] = value end
    package.loaded[name] = before
  end
  if type(rawget(_G, name)) == type(package.loaded[name]) then rawset(_G, name, package.loaded[name]) end
  print(('%s is loaded anew'):format(name))
end

function commands.save(host, text)
  local path = word(text, 'save', 'a file: `:save session.lua`')
  local registry = debug.getregistry()
  local parts = {}
  for _, chunk in ipairs(registry['luth.session'] or {}) do
    local code = registry['luth.chunks'][chunk]:gsub('^%s*=', '')
    -- an expression alone is no statement
    if load('return ' .. code, '=x', 't') and not load(code, '=x', 't') then code = 'print(' .. code .. ')' end
    -- nor can one follow a `return`
    local stop = host.statements(code)
    if stop < #code then code = code:sub(1, stop) .. 'print((function() ' .. code:sub(stop + 1) .. '\nend)())' end
    parts[#parts + 1] = code
  end
  local f, message = io.open(path, 'wb')
  if not f then fail('%s', message) end
  local ok, trouble = f:write(table.concat(parts, '\n'), #parts > 0 and '\n' or '')
  if ok then ok, trouble = f:close() else f:close() end
  if not ok then fail('%s: %s', path, trouble) end
  print(('%d blocks in %s'):format(#parts, path))
end

local function editor_of(path, line)
  local editor = 'vi'
  for _, name in ipairs { 'EDITOR', 'VISUAL' } do
    if (os.getenv(name) or '') ~= '' then editor = os.getenv(name) end
  end
  local at = line and editor:find '[nv][ai][nm]?o?' and ('+%d '):format(line) or ''
  return ('%s %s%s'):format(editor, at, texts.shell_word(path))
end

function M.shell(text)
  local ok, how, code = os.execute(text)
  if not ok then io.stderr:write(('%s %d\n'):format(how == 'signal' and 'signal' or 'exit code', code)) end
  return ok
end

-- What is to be edited: the text of a block, or nil and a file and perhaps a line.
local function to_edit(host, text)
  local registry = debug.getregistry()
  local chunks, done = registry['luth.chunks'] or {}, registry['luth.session'] or {}
  if text == '' then return chunks[done[#done]] or '' end
  local made = host.compile(text)
  local ok, value = pcall(made or function() end)
  local info = ok and type(value) == 'function' and debug.getinfo(value, 'S')
  if not info then return nil, word(text, 'edit', 'a file') end
  if info.source:sub(1, 1) == '@' then return nil, info.source:sub(2), info.linedefined end
  return chunks[info.source:sub(2)] or fail("the source of '%s' is not Lua", text)
end

--- `:edit`: the last block in the editor, and then runs it; `:edit file`; `:edit name`: the file or the block where a function is defined.
function commands.edit(host, text)
  local block, path, line = to_edit(host, text)
  if not block then return M.shell(editor_of(path, line)) end
  path = os.tmpname()
  local f = assert(io.open(path, 'wb'))
  f:write(block, '\n')
  f:close()
  local ok = M.shell(editor_of(path))
  f = io.open(path, 'rb')
  local code = f and f:read 'a' or ''
  if f then f:close() end
  os.remove(path)
  if ok and code:find '%S' then host.run((code:gsub('%s+$', ''))) end
end

-- The lines of a place as tracebacks name it, `[3]`, `[3]:2` or `file.lua:12`; nil where the text is none.
local function place(text)
  local name, line = text:match '^(%[%d+%]):?(%d*)$'
  if not name then name, line = text:match '^(.+%.lua):?(%d*)$' end
  if not name then return end
  local lines = frames.lines((name:sub(1, 1) == '[' and '=' or '@') .. name)
  if not lines then fail('there is no %s', name) end
  line = math.tointeger(tonumber(line))
  if line and not lines[line] then fail('%s has %d lines', name, #lines) end
  local first, last = line and math.max(1, line - 5) or 1, line and math.min(#lines, line + 5) or #lines
  local shown = {}
  for i = first, last do shown[#shown + 1] = ('%s%4d  %s'):format(i == line and '>' or ' ', i, lines[i]) end
  return table.concat(shown, '\n')
end

--- `?? name`: the source of what the name is; `?? [3]:2`: the place.
function M.source(host, text)
  if text == '' then fail '?? expects a name, `?? f`, or a place, `?? [1]:2`' end
  local found_place = place(text)
  if found_place then return print(found_place) end
  local f, message = host.compile(text)
  if not f then fail('%s', message) end
  local ok, value = pcall(f)
  if not ok or value == nil then fail("'%s' is nil", text) end
  local found = require('luth.prompt.describe').source(value)
  if not found then fail("the source of '%s' is not Lua; `? %s` explains it", text, text) end
  print(found)
end

--- Runs a line that begins with `:`, `!` or `??`.
function M.run(host, line)
  local name, rest = line:match '^%s*:(%w+)%s*(.-)%s*$'
  if name then return commands[name](host, rest) end
  local command = line:match '^%s*!%s*(.*)$'
  if command then return M.shell(command) end
  M.source(host, line:match '^%s*%?%?%s*(.-)%s*$')
end

return M
