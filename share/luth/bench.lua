-- luth bench: workloads and how they are timed, under the names and by the protocol that a peer's benchmark can share:
-- one JSON object per workload with name, unit, value (from the median), best (from the minimum), n samples, min and
-- median in seconds per call, threads and device.
--
-- overhead/*: the statement stands inline in a numeric `for` in Lua, operands as locals, garbage collection included;
-- at least 10 ms a sample. The empty loop is overhead/loop and is not subtracted.
-- Others: two untimed calls, then samples of k calls each, so that a sample lasts 4 ms or more, until `seconds` have
-- passed, at least 7 and at most 200.
local native = require 'luth.native'

local M = {}
local all = {}

local function add(workload) all[#all + 1] = workload end

-- ---- Timing ---------------------------------------------------------------------------------------------------------

local function measure_calls(f, seconds)
  f()
  f()
  local started = native.now()
  f()
  local k = math.max(1, math.floor(0.004 / math.max(native.now() - started, 1e-7)))
  local samples, stop = {}, native.now() + seconds
  while #samples < 7 or (native.now() < stop and #samples < 200) do
    local t = native.now()
    for _ = 1, k do f() end
    samples[#samples + 1] = (native.now() - t) / k
  end
  return samples
end

-- `loop(n)` runs the statement n times.
local function measure_statement(loop, seconds)
  loop(200)
  local started = native.now()
  loop(200)
  local k = math.max(100, math.floor(0.01 / math.max((native.now() - started) / 200, 1e-9)))
  local samples, stop = {}, native.now() + seconds
  while #samples < 7 or native.now() < stop do
    local t = native.now()
    loop(k)
    samples[#samples + 1] = (native.now() - t) / k
  end
  return samples
end

local scale = { ['ns/op'] = 1e9, ['us/step'] = 1e6, ms = 1e3, s = 1 }

local function summary(w, samples)
  table.sort(samples)
  local n = #samples
  local median = n % 2 == 1 and samples[n // 2 + 1] or (samples[n // 2] + samples[n // 2 + 1]) / 2
  local function convert(t) return scale[w.unit] and t * scale[w.unit] or w.work / t end
  return {
    name = w.name, unit = w.unit, value = convert(median), best = convert(samples[1]), n = n, min = samples[1],
    median = median, peer = 'luth', version = native.version(), threads = torch.get_num_threads(), device = 'cpu',
  }
end

-- ---- overhead -------------------------------------------------------------------------------------------------------

-- A statement and the operands that it names, made by `operands`.
local function statement(name, code, names, operands, unit)
  local source = string.format('local %s = ... return function(n) for _ = 1, n do %s end end',
                               names ~= '' and names or '_', code)
  add {
    name = 'overhead/' .. name, unit = unit or 'ns/op', work = 1,
    run = function(seconds)
      torch.manual_seed(0)
      local chunk = assert(load(source, '=overhead/' .. name))
      return measure_statement(chunk(operands()), seconds)
    end,
  }
end

local function x10() return torch.randn(10) end
local function mlp4()
  local model = nn.Linear(4, 8) .. nn.Tanh() .. nn.Linear(8, 1)
  return model, optim.SGD(model:parameters(), { lr = 0.01 }), torch.randn(8, 4), torch.randn(8, 1)
end

statement('loop', '', '', function() end)
statement('add10', 'local _ = x + y', 'x, y', function() return x10(), x10() end)
statement('add10_grad', 'local _ = x + y', 'x, y', function() return x10():requires_grad_(), x10() end)
statement('add10_scalar', 'local _ = x + 1.0', 'x', x10)
statement('add10_inplace', 'x:add_(1)', 'x', x10)
statement('add10_out', 'torch.add(x, y, {out = z})', 'x, y, z', function() return x10(), x10(), x10() end)
statement('exp10', 'local _ = x:exp()', 'x', x10)
statement('sum10', 'local _ = x:sum()', 'x', x10)
statement('reshape', 'local _ = x:reshape(2, 5)', 'x', x10)
statement('transpose', 'local _ = m:transpose(1, 2)', 'm', function() return torch.randn(2, 5) end)
statement('index', 'local _ = m[2]', 'm', function() return torch.randn(2, 5) end)
statement('slice', 'local _ = m[{ {}, {2, 3} }]', 'm', function() return torch.randn(2, 5) end)
statement('assign', 'm[2] = 0.0', 'm', function() return torch.randn(2, 5) end)
statement('item', 'local _ = s:item()', 's', function() return torch.tensor(0.5) end)
statement('zeros10', 'local _ = torch.zeros(10)', '', function() end)
statement('matmul8', 'local _ = a:matmul(b)', 'a, b', function() return torch.randn(8, 8), torch.randn(8, 8) end)
statement('linear8', 'local _ = f(x)', 'f, x', function() return nn.Linear(8, 8), torch.randn(8, 8) end)
statement('backward10', '(x * y):sum():backward()', 'x, y', function() return x10():requires_grad_(), x10() end)
statement('mlp_forward', 'local _ = model(x)', 'model, opt, x, y', mlp4, 'us/step')
statement('mlp_step', 'opt:zero_grad() local loss = F.mse_loss(model(x), y) loss:backward() opt:step()', 'model, opt, x, y',
          mlp4, 'us/step')

-- ---- train ----------------------------------------------------------------------------------------------------------

local function training(name, make, shape, make_optimizer)
  add {
    name = 'train/' .. name, unit = 'samples/s', work = shape[1],
    run = function(seconds)
      torch.manual_seed(0)
      local model = make()
      local opt = make_optimizer(model:parameters())
      local x, y = torch.randn(shape), torch.randint(1, 11, { shape[1] })
      return measure_calls(function()
        opt:zero_grad()
        local loss = F.cross_entropy(model(x), y)
        loss:backward()
        opt:step()
      end, seconds)
    end,
  }
end

local function mlp()
  return nn.Linear(784, 512) .. nn.ReLU() .. nn.Linear(512, 512) .. nn.ReLU() .. nn.Linear(512, 10)
end
local function lenet5()
  return nn.Conv2d(1, 6, 5, { padding = 2 }) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Conv2d(6, 16, 5) .. nn.ReLU()
    .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.Linear(400, 120) .. nn.ReLU() .. nn.Linear(120, 84) .. nn.ReLU()
    .. nn.Linear(84, 10)
end
local function adam(p) return optim.Adam(p, { lr = 1e-3 }) end

training('mlp', mlp, { 128, 784 }, adam)
training('mlp_b8', mlp, { 8, 784 }, adam)
training('lenet5', lenet5, { 128, 1, 28, 28 }, function(p) return optim.SGD(p, { lr = 0.01, momentum = 0.9 }) end)

-- ---- The subcommand -------------------------------------------------------------------------------------------------

-- `filter`: a Lua pattern that a name must contain; nil for all.
local function matches(name, filter)
  if not filter then return true end
  local ok, found = pcall(string.find, name, filter)
  if not ok then native.fail(2, string.format("--filter '%s' is no Lua pattern: %s", filter, found)) end
  return found ~= nil
end

local function print_json(line) print(native.json_encode(line)) end
local function print_row(line)
  print(string.format('%-24s %12.4g %-10s  best %10.4g   (%d samples, %d threads)', line.name, line.value, line.unit,
                      line.best, line.n, line.threads))
end

function M.run(settings)
  local any, failed = false, false
  for _, w in ipairs(all) do
    if matches(w.name, settings.filter) then
      any = true
      if settings.list then
        print(w.name)
      else
        local ok, result = xpcall(w.run, debug.traceback, settings.seconds)
        if ok then
          (settings.json and print_json or print_row)(summary(w, result))
        else
          failed = true
          if settings.json then print_json { name = w.name, error = result } end
          io.stderr:write(w.name, ': ', result, '\n')
        end
        collectgarbage()
      end
    end
  end
  if not any then native.fail(2, string.format("no workload's name contains '%s'; --list prints them", settings.filter)) end
  if failed then native.fail(1, 'a workload failed') end
end

return M
