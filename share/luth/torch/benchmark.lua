-- torch.utils.clock and torch.utils.benchmark: Timer and Measurement, with PyTorch's names.
local native = require 'luth.native'
local M = {}

function M.clock() return native.now() end

local function synchronize()
  if torch.cuda.is_initialized() then torch.cuda.synchronize() end
end

--- Seconds as text, with a unit.
function M.format(s)
  for _, unit in ipairs { { 1, 's' }, { 1e-3, 'ms' }, { 1e-6, 'us' }, { 0, 'ns' } } do
    if s >= unit[1] then return ('%.3g %s'):format(s / (unit[1] == 0 and 1e-9 or unit[1]), unit[2]) end
  end
  return tostring(s)
end

local Measurement = {}
local fields = {
  mean = function(m)
    local sum = 0
    for _, t in ipairs(m.times) do sum = sum + t end
    return sum / #m.times
  end,
  std = function(m)
    local mean, sum = m.mean, 0
    for _, t in ipairs(m.times) do sum = sum + (t - mean) ^ 2 end
    return #m.times > 1 and math.sqrt(sum / (#m.times - 1)) or 0
  end,
  median = function(m) return m:quantile(0.5) end,
  iqr = function(m) return m:quantile(0.75) - m:quantile(0.25) end,
}
function Measurement.__index(m, key)
  return Measurement[key] or fields[key] and fields[key](m)
end

function Measurement:quantile(q)
  local sorted = table.move(self.times, 1, #self.times, 1, {})
  table.sort(sorted)
  local at = 1 + q * (#sorted - 1)
  local low = math.floor(at)
  return sorted[low] + (at - low) * ((sorted[low + 1] or sorted[low]) - sorted[low])
end

function Measurement.__tostring(m)
  local lines = { m.title }
  if #m.times > 1 then
    lines[#lines + 1] = ('  Median: %s'):format(M.format(m.median))
    lines[#lines + 1] = ('  IQR:    %s (%s to %s)'):format(M.format(m.iqr), M.format(m:quantile(0.25)), M.format(m:quantile(0.75)))
  else
    lines[#lines + 1] = '  ' .. M.format(m.mean)
  end
  lines[#lines + 1] = ('  %d measurement%s, %d runs per measurement, %d thread%s'):format(#m.times, #m.times > 1 and 's' or '',
    m.number_per_run, m.num_threads, m.num_threads > 1 and 's' or '')
  return table.concat(lines, '\n')
end

local Timer = {}
Timer.__index = Timer

local function compiled(text, what, scope)
  if type(text) == 'function' then return text end
  if type(text) ~= 'string' then error(('Timer: %s is a function or Lua text, got %s'):format(what, type(text)), 4) end
  local f, message = load(text, '=' .. what, 't', scope)
  if not f then error('Timer: ' .. message, 4) end
  return f
end

local known = { stmt = true, setup = true, globals = true, num_threads = true, label = true, sub_label = true, description = true }

--- Timer{stmt, setup, globals, num_threads = 1, label, sub_label, description}: stmt is a function, or Lua text that sees `globals`.
function M.Timer(options)
  if type(options) ~= 'table' then error('Timer: expects a table of named arguments: Timer{stmt = f}', 2) end
  for key in next, options do
    if not known[key] then error(("Timer: unknown argument '%s'"):format(tostring(key)), 2) end
  end
  local scope = setmetatable({}, { __index = function(_, key)
    local own = options.globals and options.globals[key]
    if own ~= nil then return own end
    return _G[key]
  end })
  return setmetatable({
    stmt = compiled(options.stmt, 'stmt', scope),
    setup = options.setup and compiled(options.setup, 'setup', scope),
    num_threads = options.num_threads or 1,
    title = options.label or (type(options.stmt) == 'string' and options.stmt or 'stmt')
      .. (options.sub_label and ': ' .. options.sub_label or '') .. (options.description and ', ' .. options.description or ''),
  }, Timer)
end

local function measured(timer, number)
  if timer.setup then timer.setup() end
  local f = timer.stmt
  synchronize()
  local start = native.now()
  for _ = 1, number do f() end
  synchronize()
  return native.now() - start
end

-- Runs f with the timer's number of threads.
local function with_threads(timer, f)
  local before = torch.get_num_threads()
  if before == timer.num_threads then return f() end
  torch.set_num_threads(timer.num_threads)
  local _ <close> = setmetatable({}, { __close = function() torch.set_num_threads(before) end })
  return f()
end

local function measurement(timer, times, number)
  for i = 1, #times do times[i] = times[i] / number end
  return setmetatable({ times = times, number_per_run = number, num_threads = timer.num_threads, title = timer.title }, Measurement)
end

--- One measurement of `number` calls, after some to warm up.
function Timer:timeit(number)
  number = number or 1000000
  return with_threads(self, function()
    measured(self, math.max(number // 100, 2))
    return measurement(self, { measured(self, number) }, number)
  end)
end

--- Measurements of so many calls that reading the clock does not count, for at least min_run_time seconds.
function Timer:blocked_autorange(options)
  local least = options and options.min_run_time or 0.2
  return with_threads(self, function()
    local number, times, spent = 1, {}, 0
    measured(self, 1)
    while true do
      local time = measured(self, number)
      if time >= least / 1000 or time >= 1e-3 then break end
      number = number * 10
    end
    repeat
      times[#times + 1] = measured(self, number)
      spent = spent + times[#times]
    until spent >= least
    return measurement(self, times, number)
  end)
end

return M
