-- torch.profiler: which events there are, what they add up to, by operator, module and line, and the files.
local native = require 'luth.native'
local profiler = torch.profiler
local dir = os.tmpname()
os.remove(dir)
native.mkdirs(dir)

local function fails(text, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and tostring(why):find(text, 1, true), string.format("'%s' was expected, got: %s", text, why))
end
local function by_key(list)
  local map = {}
  for _, a in ipairs(list) do map[a.key] = a end
  return map
end

local net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Sequential(nn.Linear(16, 4)))
local x = torch.randn(32, 8)
local function step()
  local y = net(x)  -- line 21
  y:square():sum():backward()  -- line 22
end
step()

-- operators, nodes of backward and ranges
local p = profiler.profile({ record_shapes = true, profile_memory = true }, function()
  for _ = 1, 3 do profiler.record_function('a step', step) end
end)
local averages = p:key_averages()
local of = by_key(averages)
assert(of.linear.count == 6 and of.relu.count == 3 and of['a step'].count == 3 and of.backward.count == 3)
assert(of.LinearBackward0.count == 6 and of.relu_backward.count == 3)
-- (32 x 16 + 32 x 4) x 4 bytes, three times
assert(of.linear.cpu_memory_usage == 3 * 32 * 20 * 4, of.linear.cpu_memory_usage)
-- own times add up to the outermost ranges, and each is a part of its total
local sum = 0
for _, a in ipairs(averages) do
  sum = sum + a.self_cpu_time_total
  assert(a.self_cpu_time_total >= -1e-6 and a.self_cpu_time_total <= a.cpu_time_total + 1e-6, a.key)
  assert(math.abs(a.cpu_time * a.count - a.cpu_time_total) < 1e-6)
end
assert(math.abs(sum - of['a step'].cpu_time_total) < 1e-3, sum)
assert(math.abs(averages:total_average().self_cpu_time_total - sum) < 1e-3)
local shaped = p:key_averages { group_by_input_shape = true }
local linears = {}
for _, a in ipairs(shaped) do if a.key == 'linear' then linears[a.input_shapes] = a.count end end
assert(linears['float32[32, 8], float32[16, 8], float32[16]'] == 3 and linears['float32[32, 16], float32[4, 16], float32[4]'] == 3)

-- modules: forward and backward
local modules = by_key(p:by_module())
assert(modules['1 (Linear)'].count == 3 and modules['1 (Linear)'].forward > 0 and modules['1 (Linear)'].backward > 0)
assert(modules['3.1 (Linear)'].backward > 0 and modules['2 (ReLU)'].backward > 0 and modules.Sequential.count == 3)
assert(modules['2 (ReLU)'].memory == 3 * 32 * 16 * 4)

-- lines: what runs within the network is called in line 21
local lines = by_key(p:by_line())
local function line(n) return lines[string.format('%s:%d', debug.getinfo(1, 'S').short_src, n)] end
assert(line(21) and line(21).count == 9 and line(21).backward > 0, 'the line of the network')
assert(line(22) and line(22).count == 6 and line(22).backward > 0, 'the line of the loss')
local total = 0
for _, l in pairs(lines) do total = total + l.backward end
local nodes = 0
for _, e in ipairs(p:events()) do if e.kind == 'node' and e.maker then nodes = nodes + e.time end end
assert(math.abs(total - nodes) < 1e-3)

-- the table has PyTorch's columns
local text = averages:table { sort_by = 'self_cpu_time_total', row_limit = 2 }
for _, part in ipairs { 'Name', 'Self CPU %', 'Self CPU', 'CPU total %', 'CPU time avg', 'CPU Mem', '# of Calls', 'Self CPU time total: ' } do
  assert(text:find(part, 1, true), part)
end
assert(select(2, text:gsub('\n', '')) == 7, text)
assert(averages:table { sort_by = 'count' }:find 'AccumulateGrad')
fails("there is no setting 'sort_bye' (did you mean 'sort_by'?)", averages.table, averages, { sort_bye = 1 })
fails('sort_by is', averages.table, averages, { sort_by = 'name' })

-- the trace
p:export_chrome_trace(dir .. '/t.json')
local trace = native.json_decode(native.read(dir .. '/t.json', 1 << 24, 1))
local seen = {}
for _, e in ipairs(trace.traceEvents) do
  if e.ph == 'X' then
    assert(e.dur >= 0 and e.ts >= 0 and e.pid and e.tid)
    seen[e.name] = (seen[e.name] or 0) + 1
    if e.name == 'LinearBackward0' then assert(e.args.module:find 'Linear' and e.args['Sequence number'] > 0) end
  end
end
assert(seen.linear == 6 and seen['1 (Linear)'] == 3 and seen['a step'] == 3)
p:export_stacks(dir .. '/s.txt')
local stacks = native.read(dir .. '/s.txt', 1 << 24, 1)
assert(stacks:find 'a_step;Sequential;1_%(Linear%);linear %d+\n', stacks)

-- a schedule: steps 3, 4 and 8, 9 of ten
local traces = {}
p = profiler.profile { schedule = profiler.schedule { wait = 2, warmup = 1, active = 2, ['repeat'] = 2 }, with_modules = false,
                       on_trace_ready = function(self) traces[#traces + 1] = by_key(self:key_averages()) end }
p:start()
for i = 1, 12 do
  torch.ones(i):neg()
  p:step()
end
p:stop()
assert(#traces == 2 and traces[1].neg.count == 2 and traces[2].neg.count == 2, #traces)
fails('active is at least 1', profiler.schedule, { active = 0 })

-- what is on when: nothing outside, one at a time, and off again after an error
do local _ <close> = profiler.record_function 'nothing' end
p = profiler.profile {}
fails('there are no events', p.events, p)
local _, why = pcall(profiler.profile, {}, function()
  local inner = profiler.profile {}
  fails('another profile is recording', inner.start, inner)
  error 'mine'
end)
assert(tostring(why):find 'mine')
p = profiler.profile({}, function() torch.ones(2):add_(1) end)
assert(by_key(p:key_averages()).add_.count == 1)
do
  local open <close> = profiler.profile { activities = { profiler.ProfilerActivity.CPU } }
  open:start()
  p = open
  net(torch.randn(2, 8))
end
assert(by_key(p:by_module())['1 (Linear)'].count == 1)
fails("there is no setting 'profile_memori'", profiler.profile, { profile_memori = true })
-- a module that raises ends its range
p = profiler.profile({}, function() pcall(net, torch.randn(2, 3)) net(torch.randn(2, 8)) end)
modules = by_key(p:by_module())
assert(modules['1 (Linear)'].count == 2 and modules['3.1 (Linear)'].count == 1 and not modules['1.1 (Linear)'])

-- a folder for TensorBoard
profiler.profile({ on_trace_ready = profiler.tensorboard_trace_handler(dir .. '/tb', 'me') }, function() torch.ones(2) end)
os.execute('ls ' .. dir .. '/tb > ' .. dir .. '/ls')
assert(native.read(dir .. '/ls', 1000, 1):match '^me%.%d+%.pt%.trace%.json\n$')
os.execute('rm -r ' .. dir)
print 'ok'
