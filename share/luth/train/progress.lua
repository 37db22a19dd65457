-- The output of a run: lines on stderr, and at a terminal one line that changes. Rank 0 speaks for all.
local native = require 'luth.native'
local ranks = require 'luth.train.ranks'
local texts = require 'luth.texts'

local M = {}

M.plural = texts.plural

local seconds_between_lines = 30  -- where no terminal is
local seconds_between_objects = 1

-- "text"; "quiet", where warnings alone are said; "json", where objects on standard output say the rest.
local how = 'text'

--- Sets how a run speaks, from --quiet and --json.
function M.speak(quiet, json) how = json and 'json' or quiet and 'quiet' or 'text' end

local function at_terminal() return how == 'text' and ranks.rank == 0 and native.is_tty(2) and os.getenv 'TERM' ~= 'dumb' end

--- What a user must know, on stderr.
function M.say(...)
  if ranks.rank == 0 then io.stderr:write(string.format(...), '\n') end
end

--- How a run comes along: a line on stderr, or of --json the table `values` as an object with the name of the event.
function M.note(event, values, ...)
  if how == 'text' then return M.say(...) end
  if how == 'quiet' or ranks.rank > 0 then return end
  local object = { event = event }
  for name, value in pairs(values) do object[name] = value end
  io.write(native.json_encode(object), '\n')
  io.flush()
end

-- "1:02:03", or "2:03" below an hour.
function M.time(seconds)
  local s = math.floor(seconds + 0.5)
  if s < 3600 then return string.format('%d:%02d', s // 60, s % 60) end
  return string.format('%d:%02d:%02d', s // 3600, s // 60 % 60, s % 60)
end

-- ---- the line that changes -------------------------------------------------------------------------------------------

local Line = {}
Line.__index = Line

-- At a terminal a line is redrawn ten times a second at most; elsewhere a plain one is written now and then.
function M.line()
  local terminal = at_terminal()
  local every = terminal and 0.1 or how == 'json' and seconds_between_objects or seconds_between_lines
  if how == 'quiet' or ranks.rank > 0 then every = math.huge end
  return setmetatable({ terminal = terminal, every = every, last = terminal and -1 or native.now(), shown = false }, Line)
end

-- Whether the time for another one has come, at the time `now`.
function Line:due(now) return now - self.last >= self.every end

-- Shows the parts that the width of the terminal has room for, the first ones before the others.
function Line:show(parts, values)
  self.last = native.now()
  if not self.terminal then return M.note('progress', values, '%s', table.concat(parts, '  ')) end
  local room, text = native.columns(2) - 1, parts[1]:sub(1, native.columns(2) - 1)
  for i = 2, #parts do
    if #text + 2 + #parts[i] > room then break end
    text = text .. '  ' .. parts[i]
  end
  self.shown = true
  io.stderr:write('\r\27[K', text)
  io.stderr:flush()
end

-- Takes the line away.
function Line:clear()
  if self.shown then io.stderr:write('\r\27[K') end
  self.shown = false
end

-- ---- what it says ----------------------------------------------------------------------------------------------------

local function bar(share)
  local filled = math.floor(share * 10)
  return '[' .. ('#'):rep(filled) .. (' '):rep(10 - filled) .. ']'
end

--- The bytes of the GPU that are taken, or those of this process; nil where the system does not say.
function M.memory(device)
  if device.type == 'cuda' then return torch.cuda.memory_reserved(device) end
  local status <close> = io.open('/proc/self/status')
  local kilobytes = status and status:read('a'):match 'VmRSS:%s*(%d+)'
  return kilobytes and tonumber(kilobytes) * 1024 or nil
end

-- Where the epoch of a trainer is: the parts of a line, and the same as values. `pace`: {started =, from =, seen =, waited =}:
-- when it began and at which batch, how many samples it has seen since, and the seconds in which it waited for data. Reading the
-- loss waits for a GPU.
function M.parts(t, pace)
  local n, seconds = t.batches, math.max(1e-9, native.now() - pace.started)
  local done = t.batch - pace.from
  local left = (n - t.batch + (t.recipe.epochs - t.epoch) * n) * seconds / math.max(1, done)
  local values = { epoch = t.epoch, batch = t.batch, batches = n, step = t.step, seconds_left = left, samples_per_second = pace.seen / seconds,
                   waiting_for_data = pace.waited / seconds, lr = t:learning_rate() }
  local parts = { string.format('epoch %d/%d %s %d/%d', t.epoch, t.recipe.epochs, bar(t.batch / n), t.batch, n) }
  local function add(...) parts[#parts + 1] = string.format(...) end
  if t.sum and ranks.size == 1 then
    values.loss = t:loss_sum() / t.count
    add('loss %.4f', values.loss)
  end
  add('%s left', M.time(left))
  add('%.0f samples/s', values.samples_per_second)
  if values.lr then add('lr %.3g', values.lr) end
  if values.waiting_for_data >= 0.01 then add('%.0f%% waiting for data', 100 * values.waiting_for_data) end
  local memory = M.memory(t.device)
  if memory then add('%.1f GB', memory / 1e9) end
  return parts, values
end

return M
