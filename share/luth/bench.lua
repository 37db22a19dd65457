-- luth bench: timing of the workloads (luth/bench/workloads.lua). tests/bench/peer_torch.py does the same in PyTorch: one JSON
-- object per workload with name, unit, value (from the median), best (from the minimum), n samples, min and median in seconds
-- per call, threads, device, GB/s and rss_mb where they apply, and the environment's settings that change the speed.
--
-- overhead/*: the statement stands inline in a numeric `for` in Lua, operands as locals, garbage collection included;
-- at least 10 ms a sample. The empty loop is overhead/loop and is not subtracted.
-- data/*, io/*, process/*: a sample is a whole run.
-- Others: two untimed calls, then samples of k calls each, so that a sample lasts 4 ms or more, until `seconds` have
-- passed, at least 7 (or the workload's at_least) and at most 200; after 30 seconds three are enough. cnn16/*: one untimed
-- call, then at least two samples.
--
-- On a GPU the k calls stand between two events, and the sample is their distance; statements and training steps are timed
-- by the clock, with a synchronisation at the end of each sample. The group overhead comes last there, with shorter chains:
-- it is the slowest, and says the least about the GPU.
--
-- On several ranks all measure the same workload at the same time, each for itself: what a rank gets beside the others.
local native = require 'luth.native'
local groups = require 'luth.bench.groups'
local ranks = require 'luth.train.ranks'

local M = {}
local all = {}
require 'luth.bench.workloads' (function(workload) all[#all + 1] = workload end)

-- ---- Timing ---------------------------------------------------------------------------------------------------------

local on_gpu = false
local function wait()
  if on_gpu then torch.cuda.synchronize() end
end

-- Seconds of k calls.
local function clocked(f, k)
  wait()
  local started = native.now()
  for _ = 1, k do f() end
  wait()
  return native.now() - started
end
local function between_events(f, k)
  local begin, finish = torch.cuda.Event { enable_timing = true }, torch.cuda.Event { enable_timing = true }
  begin:record()
  for _ = 1, k do f() end
  finish:record()
  finish:synchronize()
  return begin:elapsed_time(finish) / 1e3
end

local function measure_calls(w, seconds, timed)
  local f, began = w.make(w.work), native.now()
  local least, k = w.slow and 2 or w.at_least or 7, 1
  f()
  if not w.slow then
    f()
    k = math.max(1, math.floor(0.004 / math.max(timed(f, 1), 1e-7)))
  end
  local samples, stop = {}, native.now() + seconds
  while #samples < least or (native.now() < stop and #samples < 200) do
    samples[#samples + 1] = timed(f, k) / k
    if #samples >= 3 and native.now() - began > 30 then break end
  end
  return samples
end

-- `loop(n)` runs the statement n times.
local function measure_statement(loop, seconds)
  local function once(n) return clocked(function() loop(n) end, 1) end
  once(200)
  local k = math.max(100, math.floor(0.01 / math.max(once(200) / 200, 1e-9)))
  local samples, stop = {}, native.now() + seconds
  while #samples < 7 or native.now() < stop do
    samples[#samples + 1] = once(k) / k
  end
  return samples
end

-- The samples, and further fields of the line.
local function samples_of(w, seconds)
  torch.manual_seed(0)
  if w.runs then return w.runs() end
  if w.statement then return measure_statement(groups.loop_of(w), seconds) end
  return measure_calls(w, seconds, on_gpu and not w.steps and between_events or clocked)
end

local scale = { ['ns/op'] = 1e9, ['us/step'] = 1e6, ms = 1e3, s = 1 }

local function summary(w, samples, further, environment)
  table.sort(samples)
  local n = #samples
  local median = n % 2 == 1 and samples[n // 2 + 1] or (samples[n // 2] + samples[n // 2 + 1]) / 2
  local function convert(t)
    if w.unit == 'ns/elem' then return t * 1e9 / w.work end
    return scale[w.unit] and t * scale[w.unit] or w.work / t
  end
  local line = {
    name = w.name, unit = w.unit, value = convert(median), best = convert(samples[1]), n = n, min = samples[1],
    median = median, ['GB/s'] = w.bytes and w.bytes / median / 1e9, peer = 'luth', version = native.version(),
    threads = torch.get_num_threads(), device = on_gpu and 'cuda' or 'cpu', rank = ranks.size > 1 and ranks.rank or nil,
    world_size = ranks.size > 1 and ranks.size or nil, environment = next(environment) and environment,
  }
  for key, value in pairs(further or {}) do line[key] = value end
  return line
end

-- ---- The subcommand -------------------------------------------------------------------------------------------------

local function print_json(line) print(native.json_encode(line)) end
local function print_row(line)
  print(string.format('%-38s %12.4g %-10s  best %10.4g   (%d samples, %d threads)', line.name, line.value, line.unit,
                      line.best, line.n, line.threads))
end

-- The workloads for the default device, in order, whose names the regular expression is found in; nil for all.
local function chosen(filter)
  local first, last, names, wanted = {}, {}, {}, nil
  for i, w in ipairs(all) do names[i] = w.name end
  if filter then
    wanted = {}
    for _, name in ipairs(native.matching(names, filter)) do wanted[name] = true end
  end
  for _, w in ipairs(all) do
    if not (on_gpu and w.cpu or not on_gpu and w.gpu) and (not wanted or wanted[w.name]) then
      local list = on_gpu and w.name:find '^overhead/' and last or first
      list[#list + 1] = w
      if on_gpu then w.work = w.gpu_work or w.work end
    end
  end
  return table.move(last, 1, #last, #first + 1, first)
end

-- One workload: measured and printed. Returns whether it worked.
local function run_one(w, settings)
  ranks.barrier()
  local ok, result, further = xpcall(samples_of, debug.traceback, w, settings.seconds)
  if ok then
    (settings.json and print_json or print_row)(summary(w, result, further, settings.environment))
  else
    if settings.json then print_json { name = w.name, error = result } end
    io.stderr:write(w.name, ': ', result, '\n')
  end
  collectgarbage()
  return ok
end

local function print_names(list)
  if not ranks.is_first() then return end
  for _, w in ipairs(list) do print(w.name) end
end

-- On the default device. settings: filter, list, json, seconds, environment (name -> value), check (a path).
function M.run(settings)
  if settings.check then return require('luth.bench.check').run(settings) end
  on_gpu = torch.get_default_device().type == 'cuda'
  io.stdout:setvbuf 'line'  -- who is cut off has said what was measured
  local list, failed = chosen(settings.filter), false
  if #list == 0 then native.fail(2, string.format("no workload's name matches '%s'; --list prints them", settings.filter)) end
  if settings.list then return print_names(list) end
  ranks.join(nil, 'cpu')
  if ranks.size > 1 and ranks.rank == 0 then
    io.stderr:write(string.format('%d ranks measure each workload at the same time; a line is of one rank\n', ranks.size))
  end
  for _, w in ipairs(list) do failed = not run_one(w, settings) or failed end
  if failed then native.fail(1, 'a workload failed') end
  ranks.barrier()
end

return M
