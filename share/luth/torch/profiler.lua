-- torch.profiler, with PyTorch's names.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local analysis = require 'luth.profile.events'
local files = require 'luth.profile.texts'

local M = {}

local function fail(function_name, text, ...) error(function_name .. ': ' .. string.format(text, ...), 3) end

-- The settings of a table by name; others are errors.
local function settings(function_name, given, known)
  local out = {}
  for name, default in pairs(known) do out[name] = default end
  for name, value in pairs(given or {}) do
    if known[name] == nil then fail(function_name, "there is no setting '%s'%s", tostring(name), errors.did_you_mean(name, errors.keys(known))) end
    out[name] = value
  end
  return out
end

local action = { NONE = 0, WARMUP = 1, RECORD = 2, RECORD_AND_SAVE = 3 }

--- What is done at each step: of every wait + warmup + active steps the last `active` are recorded.
function M.schedule(given)
  local o = settings('schedule', given, { wait = 0, warmup = 0, active = 1, ['repeat'] = 0, skip_first = 0 })
  local whole = o.wait + o.warmup + o.active
  if o.active < 1 then fail('schedule', 'active is at least 1, got %d', o.active) end
  return function(step)
    step = step - o.skip_first
    if step < 0 or o['repeat'] > 0 and step >= o['repeat'] * whole then return action.NONE end
    local at = step % whole
    if at < o.wait then return action.NONE end
    if at < o.wait + o.warmup then return action.WARMUP end
    return at == whole - 1 and action.RECORD_AND_SAVE or action.RECORD
  end
end

-- ---- ranges ----

local Range = { __name = 'record_function' }
Range.__index = Range
function Range.__close(self) if self.number then native.profile_end(self.number) end end

--- A range in profiles, from here to the end of the block; with a function, while that runs.
function M.record_function(name, f, ...)
  local range = setmetatable({ number = native.profile_begin(name) }, Range)
  if not f then return range end
  local _ <close> = range
  return f(...)
end

-- ---- modules ----

-- Hooks that make each call of a module a range, under its path in the outermost one.
local function watch_modules()
  local paths, open = setmetatable({}, { __mode = 'k' }), {}
  local function name_of(m)
    if not paths[m] or #open == 0 then
      for path, one in m:named_modules() do paths[one] = path end
    end
    local kind = torch.typename(m):gsub('^nn%.', '')
    return paths[m] ~= '' and string.format('%s (%s)', paths[m], kind) or kind
  end
  local hooks = nn.modules.module
  return {
    hooks.register_module_forward_pre_hook(function(m) open[#open + 1] = native.profile_begin(name_of(m), 'module') or false end),
    hooks.register_module_forward_hook(function()
      local number = table.remove(open)
      if number then native.profile_end(number) end
    end, { always_call = true }),
  }
end

-- ---- averages ----

local Averages = { __name = 'EventList' }
Averages.__index = Averages

local orders = { cpu_time = true, cpu_time_total = true, self_cpu_time_total = true, device_time = true, device_time_total = true,
                 self_device_time_total = true, cpu_memory_usage = true, self_cpu_memory_usage = true, count = true }

function Averages:table(given)
  local o = settings('table', given, { sort_by = false, row_limit = 100, max_name_column_width = 55, header = false })
  if o.sort_by then o.sort_by = o.sort_by:gsub('cuda_time', 'device_time') end
  if o.sort_by and not orders[o.sort_by] then
    fail('table', "sort_by is %s, got '%s'", table.concat(errors.keys(orders), ', '), tostring(o.sort_by))
  end
  o.memory, o.device, o.shapes = self.memory, self.device, self.shapes
  return files.averages(self, o)
end
function Averages:__tostring() return self:table() end
function Averages:total_average()
  local sum = { key = 'Total', count = 0, self_cpu_time_total = 0, self_device_time_total = 0 }
  for _, a in ipairs(self) do
    for _, name in ipairs { 'count', 'self_cpu_time_total', 'self_device_time_total' } do sum[name] = sum[name] + a[name] end
  end
  return sum
end

-- ---- profiles ----

local Profile = { __name = 'profile' }
Profile.__index = Profile

local current  -- the profile that records: there is one at a time

local function wants(list, name)
  for _, one in ipairs(list) do if one == name then return true end end
  return false
end

-- Begins to record.
local function record(self)
  if current then error('profile: another profile is recording; stop it first', 3) end
  current = self
  local o = self.settings
  self.handles = o.with_modules and watch_modules() or {}
  native.profile_start(o.record_shapes, o.profile_memory, self.device)
end

-- Ends recording and keeps the events.
local function keep(self)
  for _, handle in ipairs(self.handles) do handle:remove() end
  self.list = analysis.prepare(native.profile_stop())
  current = nil
end

function Profile:start()
  if self.step_num then fail('profile', 'it has been started already') end
  self.step_num = 0
  self.action = self.settings.schedule and self.settings.schedule(0) or action.RECORD
  if self.action >= action.RECORD then record(self) end
  return self
end

function Profile:stop()
  if current == self then
    keep(self)
    if self.settings.on_trace_ready then self.settings.on_trace_ready(self) end
  end
  self.step_num = nil
end
Profile.__close = Profile.stop

--- The end of a step, for the schedule.
function Profile:step()
  if not self.step_num then fail('step', 'the profile has not been started') end
  local before = self.action
  self.step_num = self.step_num + 1
  self.action = self.settings.schedule and self.settings.schedule(self.step_num) or action.RECORD
  if before == action.RECORD_AND_SAVE then
    keep(self)
    if self.settings.on_trace_ready then self.settings.on_trace_ready(self) end
  end
  if self.action >= action.RECORD and current ~= self then record(self) end
end

function Profile:events() return self.list or fail('profile', 'there are no events: call stop() first') end
function Profile:key_averages(given)
  local o = settings('key_averages', given, { group_by_input_shape = false })
  local list = analysis.by_name(self:events(), o.group_by_input_shape)
  list.memory, list.device, list.shapes = self.settings.profile_memory, self.device, o.group_by_input_shape
  return setmetatable(list, Averages)
end
--- Sums over modules, over lines of scripts; the largest first.
function Profile:by_module() return analysis.by_module(self:events()) end
function Profile:by_line() return analysis.by_line(self:events()) end
function Profile:export_chrome_trace(path) files.write_trace(self:events(), path) end
function Profile:export_stacks(path, metric)
  if metric and metric ~= 'self_cpu_time_total' and metric ~= 'self_device_time_total' and metric ~= 'self_cuda_time_total' then
    fail('export_stacks', "metric is self_cpu_time_total or self_device_time_total, got '%s'", tostring(metric))
  end
  files.write_stacks(self:events(), path, metric and metric ~= 'self_cpu_time_total')
end

function M.profile(given, f, ...)
  local o = settings('profile', given, { activities = false, schedule = false, on_trace_ready = false, record_shapes = false,
                                         profile_memory = false, with_stack = false, with_flops = false, with_modules = true })
  local gpu = torch.cuda.is_available()
  local device = gpu and (not o.activities or wants(o.activities, 'CUDA')) or false
  local self = setmetatable({ settings = o, device = device }, Profile)
  if not f then return self end
  self:start()
  local _ <close> = self
  f(self, ...)
  return self
end

--- What on_trace_ready takes to write each trace into a folder, as TensorBoard's profiler reads it.
function M.tensorboard_trace_handler(dir, worker_name)
  native.mkdirs(dir)
  return function(profile)
    local name = string.format('%s/%s.%d.pt.trace.json', dir, worker_name or 'luth_' .. native.process(), math.floor(native.now() * 1e6))
    profile:export_chrome_trace(name)
  end
end

return M
