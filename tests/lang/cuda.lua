-- torch.cuda and devices in scripts, on two GPUs of the fake run-time (tests/fakecuda).
local t, s = torch.Tester(), torch.TestSuite()
local gpu = { device = 'cuda:0' }

function s.finds_the_gpus()
  t:eq(torch.cuda.is_available(), true)
  t:eq(torch.cuda.device_count(), 2)
  t:eq(torch.cuda.current_device(), 0)
  t:eq(torch.cuda.is_initialized(), true)
  t:eq(torch.cuda.get_device_name(1), 'Fake GPU 1')
  t:eq(torch.cuda.get_device_name('cuda:1'), 'Fake GPU 1')
  t:eq({ torch.cuda.get_device_capability() }, { 9, 0 })
  local p = torch.cuda.get_device_properties('cuda:0')
  t:eq(p.name, 'Fake GPU 0')
  t:eq({ p.major, p.minor }, { 9, 0 })
  t:eq(p.total_memory, 1 << 30)
  t:assert(p.multi_processor_count > 0 and #p.pci_bus_id > 0 and p.driver:find('CUDA') and p.code:find('sm_90'))
  t:eq(torch.cuda.is_bf16_supported(), true)
end

function s.refuses_what_is_no_gpu()
  t:fails(function() torch.cuda.get_device_name(9) end, "device 'cuda:9' does not exist; there is cuda:0 to cuda:1")
  t:fails(function() torch.ones(1, { device = 'cuda:9' }) end, 'cuda:9')
  t:fails(function() torch.cuda.get_device_name('cpu') end, "get_device_name expects a CUDA device, got 'cpu'")
  t:fails(function() torch.cuda.set_device(-2 + 12) end, 'cuda:10')
  t:fails(function() torch.cuda.memory_summary('cuda:x') end, 'is no device')
  t:fails(function() torch.cuda.set_visible_devices('0') end, 'comes too late')
  t:fails(function() torch.cuda.set_visible_devices(1.5) end, 'torch.cuda.set_visible_devices expects')
end

function s.cuda_is_the_current_device()
  t:eq(torch.ones(1, { device = 'cuda' }).device, torch.device('cuda:0'))
  torch.cuda.set_device(1)
  t:eq(torch.cuda.current_device(), 1)
  t:eq(torch.ones(1, { device = 'cuda' }).device, torch.device('cuda:1'))
  t:eq(torch.ones(1):cuda().device, torch.device('cuda:1'))
  t:eq(torch.ones(1):to('cuda').device, torch.device('cuda', 1))
  t:eq(torch.device('cuda').index, nil)
  torch.cuda.set_device(-1)
  t:eq(torch.cuda.current_device(), 1)
  torch.cuda.set_device('cuda:0')
  t:eq(torch.cuda.current_device(), 0)
end

function s.device_scopes()
  do
    local _ <close> = torch.cuda.device(1)
    t:eq(torch.cuda.current_device(), 1)
    t:eq(torch.ones(1, { device = 'cuda' }):get_device(), 1)
    t:eq(torch.ones(1).device, torch.device('cpu'))
  end
  t:eq(torch.cuda.current_device(), 0)
  t:eq({ torch.cuda.device(1, function(a, b) return torch.cuda.current_device(), a, b end, 'x', 2) }, { 1, 'x', 2 })
  t:eq(torch.cuda.current_device(), 0)
  t:fails(function() torch.cuda.device(1, function() error('inside') end) end, 'inside')
  t:eq(torch.cuda.current_device(), 0)
  do
    local _ <close> = torch.device('cuda:1'):scope()
    t:eq(torch.zeros(2).device, torch.device('cuda:1'))
    t:eq(torch.cuda.current_device(), 0)
  end
  t:eq(torch.zeros(2).device, torch.device('cpu'))
  t:eq(torch.device('cuda'):scope(function() return torch.zeros(2).device end), torch.device('cuda:0'))
  t:fails(function() torch.device('cuda'):scope(1) end, 'expects a function')
  t:eq(torch.get_default_device(), torch.device('cpu'))
  torch.set_default_device('cuda:1')
  t:eq(torch.get_default_device(), torch.device('cuda:1'))
  t:eq(nn.Linear(2, 2).weight:get_device(), 1)
  torch.set_default_device(nil)
  t:eq(torch.get_default_device(), torch.device('cpu'))
end

function s.tensors_move()
  local x = torch.tensor { 1., 2., 3. }
  local y = x:cuda()
  t:eq({ y.is_cuda, x.is_cuda, y:get_device(), x:get_device() }, { true, false, 0, -1 })
  t:assert(y:cuda() == y and y:to('cuda:0') == y and x:cpu() == x and y:to { device = 'cuda' } == y and y:to(y) == y)
  t:assert(y:to('cuda:0', { copy = true }) ~= y)
  t:eq(x:cuda(1):get_device(), 1)
  t:eq(x:cuda { device = 'cuda:1', non_blocking = true }:get_device(), 1)
  t:eq(y:to('cuda:1', torch.float64, true).device, torch.device('cuda:1'))
  t:eq(y:to('cuda:1', torch.float64, true).dtype, torch.float64)
  t:eq(y:to(torch.float64, false, true).device, torch.device('cuda:0'))
  t:eq(x:to(y).device, torch.device('cuda:0'))
  t:eq(y:to('cuda:1'):cpu():tolist(), { 1., 2., 3. })
  t:eq((y + y):tolist(), { 2., 4., 6. })
  t:eq((y * torch.tensor(2.)):tolist(), { 2., 4., 6. })
  t:eq(tostring(y), "tensor([1., 2., 3.], device='cuda:0')")
  t:eq(y:type(), 'torch.cuda.FloatTensor')
  t:fails(function() x:cuda('cpu') end, 'expects a CUDA device')
end

function s.copies_between_devices_in_place()
  local x, y = torch.zeros(2, 3, gpu), torch.arange(6.):reshape(2, 3)
  x:copy_(y)
  t:eq(x:tolist(), y:tolist())
  x:t():copy_(y:t() + 1)
  t:eq(x:tolist(), (y + 1):tolist())
  x:copy_(torch.tensor({ 1, 2, 3 }, { device = 'cuda:1' }))
  t:eq(x:tolist(), { { 1., 2., 3. }, { 1., 2., 3. } })
  y:copy_(x)
  t:eq(y:tolist(), { { 1., 2., 3. }, { 1., 2., 3. } })
  local w = torch.ones(3):requires_grad_()
  local z = torch.zeros(3, gpu)
  z:copy_(w)
  ;(z * 2):sum():backward()
  t:eq(w.grad:tolist(), { 2., 2., 2. })
end

function s.modules_move()
  local m = nn.Linear(2, 3) .. nn.ReLU()
  t:assert(m:cuda() == m)
  t:eq(m[1].weight:get_device(), 0)
  m:to('cuda:1', { non_blocking = true })
  t:eq(m[1].weight:get_device(), 1)
  m:cuda(0)
  t:eq(m[1].bias:get_device(), 0)
  m:to(torch.float64)
  t:eq({ m[1].weight:get_device(), m[1].weight.dtype }, { 0, torch.float64 })
  m:cpu()
  t:eq(m[1].weight.is_cuda, false)
  m:to('cuda')
  t:eq(m[1].weight.is_cuda, true)
end

function s.out_on_another_device()
  local x, waits = torch.ones(3, { device = 'cuda' }), torch.cuda.host_waits()
  t:fails(function() torch.exp(x, { out = torch.zeros(3) }) end, 'out= is on cpu and the result on cuda:0')
  t:fails(function() torch.add(x, 1, { out = torch.zeros(3, { device = 'cuda:1' }) }) end, 'out= is on cuda:1')
  t:fails(function() torch.add(torch.ones(3), 1, { out = torch.zeros(3, { device = 'cuda' }) }) end, 'out= is on cuda:0')
  t:eq(torch.cuda.host_waits(), waits)
end

function s.mixed_devices()
  local a, b = torch.ones(2, gpu), torch.ones(2)
  local what = "all tensors must be on one device, but input on cuda:0, other on cpu; move them with :to('cuda:0')"
  t:fails(function() return a + b end, 'add(cuda:0 float32[2], float32[2]): ' .. what)
  t:fails(function() return b - a end, 'input on cpu, other on cuda:0')
  t:fails(function() a:mul_(b) end, 'mul_(', 'other on cpu')
  t:fails(function() torch.matmul(torch.ones(2, 2, gpu), torch.ones(2, 2)) end, 'matmul(', 'on cuda:0', 'on cpu')
  t:fails(function() torch.cat { a, b } end, 'cat(', 'on cuda:0', 'on cpu')
  t:fails(function() torch.where(torch.tensor { true, false }, a, b) end, 'where(', 'condition on cpu')
  t:fails(function() F.linear(torch.ones(1, 2), torch.ones(2, 2, gpu)) end, 'linear(', 'weight on cuda:0')
  t:fails(function() F.embedding(torch.tensor { 1 }, torch.ones(2, 2, gpu)) end, 'embedding(', 'on cpu')
  t:fails(function() F.conv2d(torch.ones(1, 1, 3, 3, gpu), torch.ones(1, 1, 3, 3)) end, 'conv2d(', 'weight on cpu')
  t:fails(function() F.mse_loss(a, b) end, 'mse_loss(', 'target on cpu')
  t:fails(function() F.layer_norm(torch.ones(2, 2, gpu), { 2 }, torch.ones(2), torch.ones(2)) end, 'layer_norm(',
          'weight on cpu')
  t:fails(function() F.cross_entropy(torch.ones(2, 2, gpu), torch.tensor { 1, 2 }) end, 'cross_entropy(', 'on cpu')
  t:fails(function() torch.gather(torch.ones(2, 2, gpu), 1, torch.tensor { { 1, 2 } }) end, 'gather(', 'index on cpu')
  t:fails(function() return a + torch.ones(2, { device = 'cuda:1' }) end, 'input on cuda:0, other on cuda:1')
  t:eq((a + torch.tensor(1.)):tolist(), { 2., 2. })
  t:eq((torch.tensor(1.) + a):get_device(), 0)
end

function s.views_of_nothing()
  local x = torch.zeros(3, 0, gpu) -- a view's offset leads nowhere, and no kernel is given it
  t:eq(x[3]:sum():item(), 0.)
  t:eq(x[{ { 2, 3 } }]:nonzero():size(), torch.Size { 0, 2 })
  t:eq(torch.ones(2, 3, gpu)[{ { 3, 2 } }]:sum():item(), 0.)
end

function s.assignment_by_masks_and_positions()
  local x = torch.arange(6, gpu):float():reshape(2, 3)
  x[x:gt(4)] = 0
  x[torch.tensor({ 1 }, gpu)] = -1
  x[{ torch.tensor { 2 }, torch.tensor { 1 } }] = torch.tensor(7.) -- positions and one number may lie on the CPU
  t:eq(x:tolist(), { { -1., -1., -1. }, { 7., 4., 0. } })
  t:eq(x[torch.tensor { 2, 1 }][{ {}, 1 }]:tolist(), { 7., -1. })
  t:eq(x[torch.tensor { { true, false, false }, { false, true, false } }]:tolist(), { -1., 4. })
  t:fails(function() x[x:gt(0)] = torch.ones(2) end, 'values on cpu')
  t:fails(function() return torch.ones(2)[torch.tensor({ 1 }, gpu)] end, 'input on cpu, indices[1] on cuda:0')
  t:fails(function() return x[torch.tensor { 3 }]:cpu() end, 'holds 3 at position 1')
  local n = torch.arange(3, gpu)
  n[n:gt(1)] = 2.9
  t:eq(n:tolist(), { 0, 1, 2 })
  local waits = torch.cuda.host_waits()
  x[1] = 3
  x[x:gt(4)] = 0 -- as masked_fill_
  x[{ {}, x[1]:gt(4) }] = torch.tensor(1)
  t:eq(torch.cuda.host_waits(), waits)
end

function s.single_numbers_of_the_cpu_mix()
  local x, two = torch.arange(3, gpu):float(), torch.tensor(2)
  t:eq((x + two):tolist(), { 2., 3., 4. })
  t:eq(x:masked_fill(x:gt(1), two):tolist(), { 0., 1., 2. })
  t:eq(x:index_fill(1, torch.tensor({ 1 }, gpu), two):tolist(), { 2., 1., 2. })
  t:eq(x:clone():fill_(two):tolist(), { 2., 2., 2. })
  local w = torch.tensor(5.):requires_grad_()
  x:masked_fill(x:ge(1), w):sum():backward()
  t:eq(w.grad.device, torch.device('cpu'))
  t:eq(w.grad:item(), 2.)
  t:fails(function() return x + torch.tensor({ 2 }) end, 'other on cpu')
  t:fails(function() return torch.cat { x, x, torch.ones(3) } end, 'but tensors[1] on cuda:0, tensors[3] on cpu')
end

function s.pinned_memory()
  local x = torch.arange(1000.)
  t:eq(x:is_pinned(), false)
  local p = x:pin_memory()
  t:eq({ p:is_pinned(), p:pin_memory() == p, p.is_cuda, p[{ { 3, 4 } }]:is_pinned() }, { true, true, false, true })
  t:eq(p:tolist(), x:tolist())
  local waits = torch.cuda.host_waits()
  local y = p:cuda { non_blocking = true }
  t:eq(torch.cuda.host_waits(), waits)
  p = nil
  collectgarbage()
  local other = torch.zeros(1000):pin_memory()  -- must not take the memory that the copy still reads
  t:eq(y:tolist(), x:tolist())
  t:eq(torch.cuda.host_waits(), waits + 1)
  t:fails(function() y:pin_memory() end, 'expects a tensor of the CPU')
  local loader = data.DataLoader(data.TensorDataset(x), { batch_size = 500, pin_memory = true, num_workers = 2 })
  for batch in loader do t:eq(batch:is_pinned(), true) end
end

function s.nothing_waits_that_was_not_asked_for()
  local x = torch.ones(100, gpu)
  local w = torch.ones(100, { device = 'cuda:0', requires_grad = true })
  local waits, sum = torch.cuda.host_waits(), torch.zeros(1, gpu)
  for _ = 1, 3 do
    local loss = (x * w):sum()
    loss:backward()
    sum:add_(loss:detach())
  end
  t:eq(torch.cuda.host_waits(), waits)
  t:eq(sum:item(), 300.)
  t:eq(torch.cuda.host_waits('cuda:0') - torch.cuda.host_waits(0), 0)
  t:assert(torch.cuda.host_waits() > waits)
end

function s.streams()
  local first = torch.cuda.current_stream()
  t:assert(first == torch.cuda.default_stream())
  local a = torch.cuda.Stream()
  local b = torch.cuda.Stream { priority = -1 }
  t:eq({ a.device, b.priority, a == b, first == a }, { torch.device('cuda:0'), -1, false, false })
  t:eq(torch.cuda.Stream('cuda:1').device, torch.device('cuda:1'))
  t:eq(torch.cuda.Stream { device = 1 }.device, torch.device('cuda:1'))
  local x = torch.arange(1000., gpu)
  local y, done
  do
    local _ <close> = torch.cuda.stream(a)
    t:assert(torch.cuda.current_stream() == a)
    a:wait_stream(first)
    y = x * 2
    x:record_stream(a)
    done = a:record_event()
  end
  t:assert(torch.cuda.current_stream() == first)
  first:wait_event(done)
  t:eq((y + 0):sum():item(), 999000.)
  t:eq(torch.cuda.stream(b, function() return torch.cuda.current_stream() == b end), true)
  t:assert(torch.cuda.current_stream() == first)
  a:synchronize()
  t:eq(a:query(), true)
  t:eq(tostring(a), 'torch.cuda.Stream(cuda:0)')
  t:eq(tostring(first), 'torch.cuda.Stream(cuda:0, default)')
  torch.cuda.stream(torch.cuda.Stream(1), function() t:eq(torch.cuda.current_device(), 1) end)
  t:eq(torch.cuda.current_device(), 0)
  t:fails(function() return a.priorty end, "did you mean 'priority'")
  t:fails(function() torch.cuda.stream(1) end, 'expects a torch.cuda.Stream, got number 1')
  t:fails(function() x:cpu():record_stream(a) end, 'the tensor is on cpu, the stream on cuda:0')
  torch.cuda.synchronize()
end

function s.events()
  local from, to = torch.cuda.Event { enable_timing = true }, torch.cuda.Event(true)
  t:eq(from:query(), true)
  t:fails(function() from:elapsed_time(to) end, 'must have been recorded')
  from:record()
  local x = torch.ones(1000, gpu) * 2
  to:record(torch.cuda.current_stream())
  to:synchronize()
  t:eq(to:query(), true)
  t:assert(from:elapsed_time(to) >= 0)
  t:fails(function() from:elapsed_time(torch.cuda.Event()) end, 'enable_timing')
  t:eq(x[1]:item(), 2.)
  torch.cuda.Event():synchronize()
  to:wait(torch.cuda.Stream())
end

function s.memory()
  torch.cuda.synchronize()
  collectgarbage()
  torch.cuda.empty_cache()
  torch.cuda.reset_peak_memory_stats()
  local before = torch.cuda.memory_allocated()
  local x = torch.empty(1 << 20, gpu)
  t:eq(torch.cuda.memory_allocated() - before, 4 << 20)
  t:assert(torch.cuda.memory_reserved() >= torch.cuda.memory_allocated())
  x:free()
  t:eq(torch.cuda.memory_allocated(), before)
  t:eq(torch.cuda.max_memory_allocated() - before, 4 << 20)
  local kept = torch.cuda.memory_reserved('cuda:0')
  torch.cuda.empty_cache()
  t:assert(torch.cuda.memory_reserved() < kept)
  t:assert(torch.cuda.max_memory_reserved() >= kept)
  torch.cuda.reset_peak_memory_stats('cuda:0')
  t:eq(torch.cuda.max_memory_allocated(), torch.cuda.memory_allocated())
  t:eq(torch.cuda.memory_stats()['allocated_bytes.all.current'], torch.cuda.memory_allocated())
  t:assert(torch.cuda.memory_summary():find('used by tensors'))
  local unused, total = torch.cuda.mem_get_info()
  t:eq(total, torch.cuda.get_device_properties(0).total_memory)
  t:assert(unused > 0 and unused <= total)
end

-- Dead tensors and cached blocks go first; what then does not fit is an error that says who holds the memory.
function s.out_of_memory()
  collectgarbage()
  local kept = torch.ones(1 << 24, gpu)
  local retries = torch.cuda.memory_stats().num_alloc_retries
  for _ = 1, 8 do torch.empty(100 << 20, gpu) end  -- 400 MiB each, of 1 GiB: the dead ones make room
  t:assert(torch.cuda.memory_stats().num_alloc_retries > retries)
  local ok, text = pcall(torch.empty, 1 << 30, gpu)
  t:eq(ok, false)
  for _, part in ipairs { 'cannot allocate 4.00 GiB on cuda:0', '1.00 GiB in all', 'are free', 'are cached', 'ones 64.0 MiB in 1' } do
    t:assert(text:find(part, 1, true), part .. ' is not in ' .. text)
  end
  t:eq(torch.empty(1 << 20, gpu):numel(), 1 << 20)
  t:eq(kept[1]:item(), 1.)
end

function s.random_numbers()
  torch.cuda.manual_seed(7)
  local a = torch.rand(5, gpu)
  torch.cuda.manual_seed_all(7)
  t:eq(torch.rand(5, gpu):tolist(), a:tolist())
  local state = torch.cuda.get_rng_state('cuda:0')
  local b = torch.rand(5, gpu)
  torch.cuda.set_rng_state(state, 0)
  t:eq(torch.rand(5, gpu):tolist(), b:tolist())
  t:fails(function() torch.cuda.set_rng_state(b) end, 'torch.cuda.set_rng_state expects what torch.cuda.get_rng_state gave')
end

function s.backends()
  local b = torch.backends
  t:eq({ b.cuda.matmul.allow_tf32, b.cudnn.enabled, b.cudnn.benchmark, b.cudnn.deterministic, b.cudnn.allow_tf32 },
       { false, true, false, false, true })
  b.cuda.matmul.allow_tf32 = true
  t:eq(b.cuda.matmul.allow_tf32, true)
  b.cuda.matmul.allow_tf32 = false
  t:fails(function() b.cudnn.benchmrk = true end, "did you mean 'benchmark'")
  t:fails(function() b.cudnn.enabled = 1 end, 'is true or false')
  t:eq(type(b.cudnn.is_available()), 'boolean')
  t:assert(b.cudnn.version() == nil or b.cudnn.version() > 90000)
  torch.use_deterministic_algorithms(true)
  t:eq(torch.are_deterministic_algorithms_enabled(), true)
  torch.use_deterministic_algorithms(false)
  t:fails(function() torch.use_deterministic_algorithms(1) end, 'expects true or false')
end

-- What runs in another stream is differentiated there, and the caller's stream sees the gradients.
function s.backward_runs_in_the_streams_of_forward()
  local x = torch.arange(5000., { device = 'cuda:0' }):requires_grad_()
  local stream = torch.cuda.Stream()
  local y
  stream:wait_stream(torch.cuda.current_stream())
  torch.cuda.stream(stream, function() y = (x * 3):exp():log() * x end)
  torch.cuda.current_stream():wait_stream(stream)
  local z = (y + x):sum()
  z:backward()
  t:assert(torch.cuda.current_stream() == torch.cuda.default_stream())
  local host = torch.arange(5000.):requires_grad_()
  local small = host[{ { 1, 20 } }]
  ;((small * 3):exp():log() * small + small):sum():backward()
  t:assert(torch.allclose(x.grad:cpu()[{ { 1, 20 } }], host.grad[{ { 1, 20 } }], 1e-3, 1e-3))
end

function s.every_function_has_help()
  local print_ = print
  for _, where in ipairs { torch.cuda, torch.backends.cudnn } do
    for name, f in pairs(where) do
      local text
      print = function(s) text = s end
      help(f)
      print = print_
      t:assert(type(text) == 'string' and text:find(name, 1, true), name)
    end
  end
end

t:add(s):run()
