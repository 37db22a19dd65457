-- Graphs: hooks of nodes, leaves and modules, anomaly mode, errors with lines, long chains, the same bits on any number of
-- threads.
local t, s = torch.Tester(), torch.TestSuite()
local function leaf(...) return torch.tensor({...}, {requires_grad = true}) end
local function line() return 'autograd_graph.lua:' .. debug.getinfo(2, 'l').currentline end

function s.node_hooks()
  local x = leaf(1., 2.)
  local y = (x * 3):sum()
  local seen = {}
  local node = y.grad_fn.next_functions[1][1]
  local after = node:register_hook(function(dx, dy)
    seen.dx, seen.dy = dx[1], dy[1]
    return {dx[1] * 10, torch.none}
  end)
  local before = node:register_prehook(function(dy) return {dy[1] + 1} end)
  y:backward(nil, {retain_graph = true})
  t:eq(seen.dy, torch.tensor {2., 2.})
  t:eq(seen.dx, torch.tensor {6., 6.})
  t:eq(x.grad, torch.tensor {60., 60.})
  after:remove()
  before:remove()
  before:remove()
  y:backward()
  t:eq(x.grad, torch.tensor {63., 63.})
  t:fails(function() node:register_hook(3) end, 'register_hook expects a function')
  local z = (x * 2):sum()
  z.grad_fn:register_prehook(function(dy) return {dy[1], dy[1]} end)
  t:fails(function() z:backward() end, 'returned 2 gradients, expected 1')
  t:fails(function() return z.grad_fn.foo end, 'register_hook')
end

function s.accumulators()
  local x = leaf(1., 2.)
  local y = x * 2
  local node = y.grad_fn.next_functions[1][1]
  t:eq(node:name(), 'AccumulateGrad')
  t:assert(node.variable == x)
  local steps = {}
  local handle = x:register_post_accumulate_grad_hook(function(p)
    steps[#steps + 1] = p.grad:tolist()
    p.grad = nil
  end)
  x:register_hook(function(g) return g * 10 end)
  y:sum():backward()
  t:eq(steps, {{20., 20.}})
  t:eq(x.grad, nil)
  handle:remove();
  (x * 1):sum():backward()
  t:eq(#steps, 1)
  t:eq(x.grad, torch.tensor {10., 10.})
  t:fails(function() y:register_post_accumulate_grad_hook(print) end, 'leaf')
  t:fails(function() torch.ones(1):register_post_accumulate_grad_hook(print) end, 'leaf')
end

function s.module_hooks()
  local m = nn.Linear(2, 3)
  local seen = {}
  local handle = m:register_full_backward_hook(function(module, dx, dy)
    seen.module, seen.dx, seen.dy = module, dx, dy
    if dx[1] ~= torch.none then return {dx[1] * 2} end
  end)
  local x = torch.ones(1, 2, {requires_grad = true})
  m(x):sum():backward()
  t:assert(seen.module == m)
  t:eq(#seen.dx, 1)
  t:eq(seen.dy[1], torch.ones(1, 3))
  t:eq(seen.dx[1], m.weight:detach():sum(1, {keepdim = true}), 1e-6)
  t:eq(x.grad, seen.dx[1] * 2, 1e-6)
  t:eq(m.weight.grad, torch.ones(3, 2))
  m(torch.ones(1, 2)):sum():backward()  -- the argument has no gradient
  t:eq(seen.dx[1], torch.none)
  handle:remove()
  seen = {}
  local pre = m:register_full_backward_pre_hook(function(_, dy)
    seen.dy = dy[1]
    return {dy[1] * 3}
  end)
  m:zero_grad()
  m(x):sum():backward()
  t:eq(seen.dy, torch.ones(1, 3))
  t:eq(m.weight.grad, torch.ones(3, 2) * 3)
  pre:remove()
  local Net = nn.class('Net')
  function Net:init() self.a = nn.Linear(2, 2) end
  function Net:forward(v, k) return self.a(v) * k end
  local net, count = Net(), 0
  net:register_full_backward_hook(function(_, dx)
    count = count + 1
    t:eq(#dx, 2)
  end)
  net(x, 2):sum():backward()
  t:eq(count, 1)
  torch.no_grad(function() net(x, 2) end)
end

function s.errors_of_rules_name_the_operator()
  local a = leaf(1., 2.)
  local y = torch.igammac(a, torch.tensor {2., 3.}):sum()
  t:fails(function() y:backward() end, 'IgammacBackward0 at', 'autograd_graph.lua:', 'has no gradient by input')
  for _, f in ipairs {torch.equal, torch.allclose} do
    local m = torch.ones(2, {device = 'meta'})
    t:fails(function() f(m, m) end, f == torch.equal and 'equal: ' or 'allclose: ', 'meta')
  end
  t:fails(function() torch.ones(2, {device = 'meta'}):eq(1):all() end, 'all: ', 'meta')
end

function s.anomaly_mode()
  local x, at = leaf(-1., 4.), nil
  local function run()
    local y = torch.zeros(2)
    y = x * y at = line()
    y = (y / y):sum()
    y:backward()
  end
  run()
  x.grad = nil
  do
    local _ <close> = torch.autograd.detect_anomaly()
    t:eq(torch.is_anomaly_enabled(), true)
    t:fails(run, 'nan', 'DivBackward', 'autograd_graph.lua:' .. (tonumber(at:match('%d+$')) + 1))
  end
  t:eq(torch.is_anomaly_enabled(), false)
  torch.autograd.detect_anomaly({check_nan = false}, run)
  t:fails(function() torch.autograd.detect_anomaly(run) end, 'nan')
  t:eq(torch.is_anomaly_enabled(), false)
  t:eq(select('#', torch.set_anomaly_enabled(true, {check_nan = false})), 0)
  t:eq(torch.is_anomaly_enabled(), true)
  t:eq(torch.is_anomaly_check_nan_enabled(), false)
  torch.set_anomaly_enabled(false)
  t:eq(torch.is_anomaly_enabled(), false)
  t:fails(function() torch.set_anomaly_enabled(1) end, 'true or false')
  local scope = torch.autograd.set_detect_anomaly(true)
  t:eq(torch.is_anomaly_check_nan_enabled(), true)
  scope:close()
  t:eq(torch.is_anomaly_enabled(), false)
  local Nan = torch.autograd.Function('Nan')
  function Nan.forward(_, v) return v * 1 end
  function Nan.backward(_, dy) return dy * (0 / 0) end
  local y = Nan.apply(x):sum()
  at = line()
  t:fails(function() torch.autograd.detect_anomaly(y.backward, y) end, 'NanBackward',
          'autograd_graph.lua:' .. (tonumber(at:match('%d+$')) - 1))
end

function s.overwritten_values_name_both_lines()
  local x = leaf(1., 2.)
  local y = x * 2
  local z = y * y local needed = line()
  y:add_(1) local written = line()
  t:fails(function() z:sum():backward() end, 'MulBackward0 at ', needed, 'by add_ at', written)
  local a = x:exp() needed = line()
  local b = a:sum()
  a[1] = 3 written = line()
  t:fails(function() b:backward() end, 'ExpBackward0 at ', needed, 'by copy_ at', written)
end

-- Code that is loaded anew may lie where other code was.
function s.lines_of_code_that_has_gone()
  local x = leaf(1., 2.)
  for i = 1, 50 do
    local f = assert(load('local x = ... ' .. ('\n'):rep(i) .. ' local y = x:exp() y:add_(1) return y', '=chunk' .. i))
    local y = f(x)
    f = nil
    collectgarbage()
    t:fails(function() y:sum():backward() end, 'ExpBackward0 at chunk' .. i .. ':' .. (i + 1))
  end
  local y = coroutine.wrap(function() return x:exp() end)()
  local at = line()
  y:add_(1)
  t:fails(function() y:sum():backward() end, 'autograd_graph.lua:' .. (tonumber(at:match('%d+$')) - 1))
end

function s.several_roots()
  local x, y = leaf(1., 2.), leaf(3.)
  torch.autograd.backward({x * 2, (x * y):sum()}, {torch.tensor {1., 10.}, torch.none})
  t:eq(x.grad, torch.tensor {5., 23.})
  t:eq(y.grad, torch.tensor {3.})
  t:fails(function() torch.autograd.backward({x * 2}) end, 'gradient')
  local a, b = torch.autograd.grad(x * 2, {x, y}, {grad_outputs = {torch.ones(2)}, materialize_grads = true})
  t:eq(a, torch.tensor {2., 2.})
  t:eq(b, torch.zeros(1))
  t:fails(function() torch.autograd.grad(x:sum(), {y}, {materialize_grads = true, allow_unused = false}) end, 'materialize')
  local j = torch.autograd.grad(x ^ 2, x, {grad_outputs = {torch.eye(2)}, is_grads_batched = true})
  t:eq(j, torch.tensor {{2., 0.}, {0., 4.}})
end

function s.fields()
  local x = leaf(1., 2., 3.)
  local values, places = (x * 1):max(1)
  t:eq(values.output_nr, 0)
  t:eq(x.output_nr, 0)
  local parts = (x * 1):unbind()
  t:eq(parts[1].is_leaf, false)
  t:eq(places.requires_grad, false)
  t:assert(torch.autograd.Variable(x) == x)
  t:eq(torch.autograd.Variable(torch.ones(1), true).requires_grad, true)
  t:eq(torch.autograd.Variable(torch.ones(1), {requires_grad = true}).requires_grad, true)
  t:fails(function() x:requires_grad_(3) end, 'requires_grad')
  t:eq(torch.set_grad_enabled(false, function() return torch.is_grad_enabled() end), false)
  t:eq(torch.is_grad_enabled(), true)
  do
    local _ <close> = torch.set_grad_enabled(false)
    t:eq((x * 1).requires_grad, false)
  end
  t:eq((x * 1).requires_grad, true)
end

-- A long chain needs no deep stack, and its memory goes as backward uses it, or with the graph.
function s.long_chains()
  local n = os.getenv 'LUTH_TEST_SAMPLES' and 20000 or 200000  -- the sanitizers are slow
  local function chain(x, step)
    local y = x
    for _ = 1, n do y = step(y) end
    return y
  end
  local x = leaf(1.)
  chain(x, function(y) return y + 1 end):backward()
  t:eq(x.grad, torch.tensor {1.})
  local before = torch.memory_stats().allocated
  chain(x, function(y) return y * 1 end)  -- dropped
  collectgarbage()
  collectgarbage()
  t:assert(torch.memory_stats().allocated <= before + 4096)
  local y = chain(x, function(v) return v:cos() end)
  t:assert(torch.memory_stats().allocated >= before + 3 * n)
  local node = y.grad_fn
  y:backward()
  y = nil
  collectgarbage()
  t:assert(torch.memory_stats().allocated <= before + 4096)
  t:fails(function() return node.nothing end, 'no field')
  local Step = torch.autograd.Function('Step')
  function Step.forward(ctx, v)
    ctx:save_for_backward(v)
    return v * 1
  end
  function Step.backward(_, dy) return dy end
  n = 20000
  x.grad = nil
  chain(x, Step.apply):backward()
  t:eq(x.grad, torch.tensor {1.})
  chain(x, Step.apply)
  collectgarbage()
end

function s.the_same_bits_on_any_number_of_threads()
  local threads = torch.get_num_threads()
  local function gradients(k)
    torch.set_num_threads(k)
    torch.manual_seed(3)
    local net = nn.Conv2d(3, 8, 3) .. nn.BatchNorm2d(8) .. nn.GELU() .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.LayerNorm(8 * 15 * 15)
              .. nn.Linear(8 * 15 * 15, 64) .. nn.Tanh() .. nn.Linear(64, 10)
    local x = torch.randn(16, 3, 32, 32):requires_grad_()
    local loss = F.cross_entropy(net(x), torch.randint(1, 11, {16})) + (x:exp():sum(2) * x:select(2, 1)):mean()
    loss:backward()
    local out = {loss:detach(), x.grad}
    for _, p in ipairs(net:parameters()) do out[#out + 1] = p.grad end
    return out
  end
  local want = gradients(1)
  for k = 2, 3 do
    for i, g in ipairs(gradients(k)) do t:assert(torch.equal(g, want[i]), 'gradient ' .. i .. ' on ' .. k .. ' threads') end
  end
  torch.set_num_threads(threads)
end

-- A hook on a leaf runs once, when the last user of the leaf has run, though a graph of before keeps the leaf's node.
function s.hooks_of_leaves_run_early()
  local a, b = torch.ones(3, { requires_grad = true }), torch.ones(3, { requires_grad = true })
  local log = {}
  for name, p in pairs { a = a, b = b } do
    p:register_post_accumulate_grad_hook(function(x) log[#log + 1] = name .. x.grad:sum():item() end)
  end
  local graphs = {}
  for i = 1, 3 do
    a.grad, b.grad, log = nil, nil, {}
    local x = a * 2
    x:register_hook(function() log[#log + 1] = 'x' end)
    local y = x * b * 4
    y:register_hook(function() log[#log + 1] = 'y' end)
    graphs[i] = (y * b):sum()
    graphs[i]:backward()
    t:eq(table.concat(log, ' '), 'y b48.0 x a24.0')
  end
  log = {}
  torch.autograd.grad((a * b * a):sum(), b)
  t:eq(#log, 0)
end

t:add(s):run()
