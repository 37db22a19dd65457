-- DistributedDataParallel: what it trains is what one process trains on all samples.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group(arg[1] or 'gloo', { timeout = 60 })
if arg[1] == 'nccl' then torch.set_default_device('cuda') end
local rank, n = dist.get_rank(), dist.get_world_size()
local DDP = nn.parallel.DistributedDataParallel

local function net()
  return nn.Sequential(nn.Linear(6, 50), nn.ReLU(), nn.Linear(50, 30), nn.Tanh(), nn.Linear(30, 3))
end
local function all_equal(x, what)
  local first = x:clone()
  dist.broadcast(first, 0)
  t:assert(torch.equal(x, first), what)
end
local function near(a, b, what) t:assert((a - b):abs():max():item() < 1e-5, what) end
-- Rank r's samples of step i.
local function batch(i, r)
  torch.manual_seed(1000 * i + r)
  return torch.randn(8, 6), torch.randint(1, 4, { 8 })
end
local function loss_of(model, i, r)
  local x, y = batch(i, r)
  return F.cross_entropy(model(x), y)
end

local kinds = { {}, { bucket_cap_mb = 0.001 }, { gradient_as_bucket_view = true }, { find_unused_parameters = true },
  { static_graph = true }, { broadcast_buffers = false } }
for _, settings in ipairs(kinds) do
  local name = next(settings) or 'plain'
  s['trainsAsOneProcess_' .. name] = function()
    torch.manual_seed(rank)  -- rank 0's parameters count
    local ddp = DDP(net(), settings)
    for i, p in ipairs(ddp.module:parameters()) do all_equal(p:detach(), 'parameter ' .. i .. ' at the start') end
    local alone = net()
    alone:load_state_dict(ddp.module:state_dict())
    local a = optim.SGD(ddp:parameters(), { lr = 0.1, momentum = 0.9 })
    local b = optim.SGD(alone:parameters(), { lr = 0.1, momentum = 0.9 })
    for i = 1, 6 do
      a:zero_grad()
      loss_of(ddp, i, rank):backward()
      a:step()
      b:zero_grad()
      for r = 0, n - 1 do (loss_of(alone, i, r) / n):backward() end
      b:step()
    end
    local p, q = ddp.module:parameters(), alone:parameters()
    for i = 1, #p do
      near(p[i], q[i], 'parameter ' .. i)
      all_equal(p[i]:detach(), 'bits of parameter ' .. i)
    end
  end
end

-- ddp and a plain module of the same parameters.
local function pair(module, settings)
  torch.manual_seed(1)
  local ddp = DDP(module, settings)
  local alone = module:clone()
  for _, p in ipairs(alone:parameters()) do p.grad = nil end
  return ddp, alone
end
local function same_grads(ddp, alone, what)
  local p, q = ddp.module:parameters(), alone:parameters()
  for i = 1, #p do
    if q[i].grad then
      near(p[i].grad, q[i].grad, what .. ' ' .. i)
      all_equal(p[i].grad, what .. ' bits of ' .. i)
    else
      t:eq(p[i].grad, nil)
    end
  end
end

for _, settings in ipairs(kinds) do
  s['noSyncAddsUp_' .. (next(settings) or 'plain')] = function()
    local ddp, alone = pair(net(), settings)
    for round = 0, 2 do  -- the first one too, before buckets are rebuilt
      for _, model in ipairs { ddp, alone } do model:zero_grad() end
      ddp:no_sync(function() loss_of(ddp, 3 * round + 1, rank):backward() end)
      do
        local _ <close> = ddp:no_sync()
        loss_of(ddp, 3 * round + 2, rank):backward()
      end
      torch.no_grad(function() loss_of(ddp, 7, rank) end)
      local loss = loss_of(ddp, 3 * round + 3, rank)
      torch.no_grad(function() loss_of(ddp, 7, rank) end)  -- an evaluation between does not change what is averaged
      loss:backward()
      for i = 1, 3 do
        for r = 0, n - 1 do (loss_of(alone, 3 * round + i, r) / n):backward() end
      end
      same_grads(ddp, alone, 'round ' .. round)
    end
  end
end

local Branches = nn.class('BranchesForTest')
function Branches:init()
  self.a = nn.Linear(4, 1)
  self.b = nn.Linear(4, 1)
  self.never = nn.Linear(4, 1)
end
function Branches:forward(x, which) return self[which](x) end

function s.unusedParameters()
  torch.manual_seed(2)
  local ddp = DDP(Branches(), { find_unused_parameters = true })
  local x = torch.ones(2, 4)
  ddp(x, rank == 0 and 'a' or 'b'):sum():backward()
  local m = ddp.module
  near(m.a.weight.grad, torch.full({ 1, 4 }, 2.0 / n), 'a is used by rank 0')
  if n > 1 then near(m.b.weight.grad, torch.full({ 1, 4 }, 2.0 * (n - 1) / n), 'b is used by the others') end
  t:eq(m.never.weight.grad, nil)
  local strict = DDP(Branches())
  t:fails(function() strict(x, 'a'):sum():backward() end, 'b.weight, b.bias, never.weight, never.bias')
end

function s.unusedParametersKeepWhatNoSyncAdded()
  local x = torch.ones(2, 4)
  local ddp, alone = pair(Branches(), { find_unused_parameters = true })
  ddp:no_sync(function() ddp(x * (rank + 1), 'b'):sum():backward() end)
  ddp(x, 'a'):sum():backward()
  for r = 0, n - 1 do ((alone(x * (r + 1), 'b') + alone(x, 'a')):sum() / n):backward() end
  same_grads(ddp, alone, 'b was used before')
  ddp(x, 'a'):sum():backward()  -- what nobody has used stays
  alone(x, 'a'):sum():backward()
  same_grads(ddp, alone, 'b stays')
end

function s.staticGraph()
  local x = torch.ones(2, 4)
  local ddp, alone = pair(Branches(), { static_graph = true, bucket_cap_mb = 1e-6 })
  for step = 1, 3 do
    ddp(x * (rank + step), 'b'):sum():backward()
    for r = 0, n - 1 do (alone(x * (r + step), 'b'):sum() / n):backward() end
    same_grads(ddp, alone, 'step ' .. step)
  end
  t:fails(function() ddp(x, 'a'):sum():backward() end, "'a.bias' came twice in one backward")
  local other = DDP(Branches(), { static_graph = true })
  local both = other(x, 'a') + other.module.b(x)
  both:sum():backward()
  t:fails(function() other(x, 'a'):sum():backward() end, 'b.weight, b.bias; with static_graph every backward')
end

-- ---- hooks ----

local hooks = torch.distributed.algorithms.ddp_comm_hooks
local defaults, power = hooks.default_hooks, hooks.powerSGD_hook

function s.hooksAverage()
  local function keep(state, bucket)
    state[#state + 1] = bucket
    return bucket:buffer():clone()
  end
  local cases = { { dist.fp16_compress_hook, 0.01 }, { dist.bf16_compress_hook, 0.01 }, { defaults.allreduce_hook, 1e-5 },
    { defaults.fp16_compress_wrapper(defaults.allreduce_hook), 0.01 } }
  for i, case in ipairs(cases) do
    local ddp, alone = pair(net(), { bucket_cap_mb = 0.001 })
    ddp:register_comm_hook(nil, case[1])
    t:fails(function() ddp:register_comm_hook(nil, case[1]) end, 'has a hook already')
    for step = 1, 2 do
      ddp:zero_grad()
      alone:zero_grad()
      loss_of(ddp, step, rank):backward()
      for r = 0, n - 1 do (loss_of(alone, step, r) / n):backward() end
      local p, q = ddp.module:parameters(), alone:parameters()
      for k = 1, #p do
        t:assert((p[k].grad - q[k].grad):abs():max():item() < case[2], 'hook ' .. i)
        all_equal(p[k].grad, 'hook ' .. i)
      end
    end
  end
  local seen, ddp = {}, DDP(net(), { bucket_cap_mb = 0.001 })
  ddp:register_comm_hook(seen, keep)
  loss_of(ddp, 1, rank):backward()
  t:assert(#seen > 1 and seen[#seen]:is_last() and not seen[1]:is_last())
  local parameters = 0
  for i, bucket in ipairs(seen) do
    t:eq(bucket:index(), i)
    t:eq(#bucket:gradients(), #bucket:parameters())
    parameters = parameters + #bucket:parameters()
  end
  t:eq(parameters, #ddp:parameters())
end

function s.hooksAreChecked()
  for _, case in ipairs { { function() return 3 end, 'the hook gave a number for bucket 1' },
      { function() return torch.ones(2) end, 'the hook gave a tensor of 2 for bucket 1; it returns a tensor of 6 elements' },
      { function() return function() error('late') end end, 'late' } } do
    local ddp = DDP(nn.Linear(2, 2))
    ddp:register_comm_hook(nil, case[1])
    t:fails(function() ddp(torch.ones(1, 2)):sum():backward() end, case[2])
  end
  t:fails(function() DDP(nn.Linear(2, 2)):register_comm_hook(nil, 'fp16') end, 'hook is a function(state, bucket), got a string')
end

function s.powerSGD()
  for _, case in ipairs { { 30, 1e-4 }, { 2 } } do  -- whole matrices are exact; thin ones only train
    local ddp, alone = pair(net(), { gradient_as_bucket_view = case[1] == 2 })
    ddp:register_comm_hook(power.PowerSGDState { matrix_approximation_rank = case[1], start_powerSGD_iter = 1,
      min_compression_rate = 0.1 }, power.powerSGD_hook)
    local first, last
    local sgd = optim.SGD(ddp:parameters(), { lr = 0.3 })
    for step = 1, 30 do
      ddp:zero_grad()
      local loss = loss_of(ddp, 1, rank)
      loss:backward()
      if case[2] and step == 2 then
        for r = 0, n - 1 do (loss_of(alone, 1, r) / n):backward() end
        for i, p in ipairs(ddp:parameters()) do
          t:assert((p.grad - alone:parameters()[i].grad):abs():max():item() < case[2], 'whole matrices')
        end
      end
      for _, p in ipairs(ddp:parameters()) do all_equal(p.grad, 'powerSGD') end
      if not case[2] then sgd:step() end
      local mean = loss:detach()  -- of all ranks: what is trained
      dist.all_reduce(mean, 'AVG')
      first, last = first or mean:item(), mean:item()
    end
    if not case[2] then t:assert(last < 0.9 * first, ('it trains: %g to %g'):format(first, last)) end
  end
end

-- ---- uneven inputs ----

-- Rank r has r + 2 batches.
local function train_uneven(ddp, settings, options)
  local sgd = optim.SGD(ddp:parameters(), { lr = 0.1 })
  ddp:join(settings, function()
    for i = 1, rank + 2 do
      ddp:zero_grad()
      if options.accumulate then ddp:no_sync(function() loss_of(ddp, i + 100, rank):backward() end) end
      loss_of(ddp, i, rank):backward()
      sgd:step()
    end
  end)
end
local function train_alone(alone, by_world, options)
  local sgd = optim.SGD(alone:parameters(), { lr = 0.1 })
  for i = 1, n + 1 do
    alone:zero_grad()
    local first = math.max(0, i - 2)  -- the ranks before have no more batches
    local divisor = by_world and n or n - first
    for r = first, n - 1 do
      (loss_of(alone, i, r) / divisor):backward()
      if options.accumulate then (loss_of(alone, i + 100, r) / divisor):backward() end
    end
    sgd:step()
  end
end

for _, kind in ipairs(kinds) do
  s['join_' .. (next(kind) or 'plain')] = function()
    for _, by_world in ipairs { true, false } do
      for _, options in ipairs { {}, { accumulate = true } } do
        local ddp, alone = pair(net(), kind)
        train_uneven(ddp, { divide_by_initial_world_size = by_world }, options)
        train_alone(alone, by_world, options)
        for i, p in ipairs(ddp.module:parameters()) do
          all_equal(p:detach(), 'parameter ' .. i)
          near(p, alone:parameters()[i], 'parameter ' .. i)
        end
      end
    end
  end
end

function s.joinWithBuffersAndHooks()
  local ddp = DDP(nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 3)))
  ddp:register_comm_hook(nil, defaults.allreduce_hook)
  train_uneven(ddp, {}, {})
  for name, value in pairs(ddp:state_dict()) do all_equal(value, name) end
  loss_of(ddp, 1, rank):backward()  -- outside of join all goes on as before
end

function s.joinByScopeAndItsErrors()
  local ddp = DDP(net())
  do
    local _ <close> = ddp:join()
    for i = 1, rank + 1 do loss_of(ddp, i, rank):backward() end
    t:fails(function() ddp:join() end, 'in join() already')
  end
  t:eq(ddp:join({ enable = false }, function(x) return x + 1 end, 2), 3)
  t:fails(function() ddp:join({ enabled = true }, print) end, "no argument is named 'enabled'")
  if n == 1 then return end
  t:fails(function()
    ddp:join({ throw_on_early_termination = true }, function()
      for i = 1, rank + 2 do loss_of(ddp, i, rank):backward() end
    end)
  end, 'rank 0 has no more inputs, and throw_on_early_termination is set')
  t:fails(function()
    ddp:join(function()
      ddp.require_backward_grad_sync = rank == 0
      loss_of(ddp, 1, rank):backward()
    end)
  end, 'some ranks are in no_sync(), and others are not')
  ddp.require_backward_grad_sync = true
end

-- The gradients of the last layers arrive first, though earlier graphs live.
function s.graphsThatLiveDoNotDelay()
  local ddp, kept, arrived = DDP(net()), {}, {}
  for _, i in ipairs { 1, 3, 5 } do
    ddp.module[i].weight:register_post_accumulate_grad_hook(function() arrived[#arrived + 1] = i end)
    ddp.module[i]:register_full_backward_pre_hook(function() arrived[#arrived + 1] = 'b' .. i end)
  end
  for step = 1, 3 do
    arrived = {}
    kept[step] = loss_of(ddp, step, rank)
    kept[step]:backward()
    t:eq(table.concat(arrived, ' '), 'b5 5 b3 3 b1 1')
  end
end

-- ---- the same on all ranks, whatever comes first ----

local Orders = nn.class('OrdersForTest')
function Orders:init()
  for i = 1, 6 do self['l' .. i] = nn.Linear(6, 6) end
end
-- Branches whose gradients arrive in the order of `order`, backwards.
function Orders:forward(x, order)
  local parts, sum = {}, 0
  for _, i in ipairs(order) do parts[i] = self['l' .. i](x):tanh() end
  for i = 1, 6 do sum = sum + parts[i] end
  return sum
end

-- 250 steps, each rank with its own order of arrival and its own pauses; returns all parameters as one.
local function train_in_orders(seed)
  torch.manual_seed(4)
  local ddp = DDP(Orders(), { bucket_cap_mb = 3e-4 })
  local adam = optim.AdamW(ddp:parameters(), { lr = 0.01 })
  local random = torch.Generator():manual_seed(seed + rank)
  local flat
  for step = 1, 250 do
    local x = batch(step, rank)
    local order = torch.randperm(6, { generator = random, device = 'cpu' }):tolist()
    ddp:zero_grad()
    if step == 1 then order = { 3, 1, 2, 6, 5, 4 } end  -- the buckets
    local y = ddp(x, order)
    if step % 25 == rank then os.execute('sleep 0.01') end
    y:pow(2):sum():backward()
    adam:step()
    local list = {}
    for i, p in ipairs(ddp.module:parameters()) do list[i] = p:detach():reshape(-1) end
    flat = torch.cat(list)
    all_equal(flat, 'step ' .. step)
  end
  return flat
end
function s.fiveHundredStepsAreEqualForAnyOrderOfArrival()
  t:assert(torch.equal(train_in_orders(1), train_in_orders(100)))
end

function s.deviceIds()
  local ids = { tonumber(os.getenv 'LOCAL_RANK' or 0) }
  if arg[1] ~= 'nccl' then
    t:fails(function() DDP(net(), { device_ids = ids }) end, 'device_ids is for a module on that GPU')
    return
  end
  t:eq(DDP(net(), { device_ids = ids })(torch.ones(2, 6, { device = 'cpu' })).device.type, 'cuda')
  t:fails(function() DDP(net(), { device_ids = { 0, 1 } }) end, 'device_ids has 2 GPUs')
end

function s.buffersAreRankZeros()
  torch.manual_seed(rank)
  local ddp = DDP(nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4)))
  for i = 1, 3 do ddp((batch(i, rank))):sum():backward() end
  ddp:share(false)
  all_equal(ddp.module[2].running_mean, 'running_mean')
end

function s.othersModulesDiffer()
  if n == 1 then return end
  t:fails(function() DDP(nn.Linear(2, rank == 0 and 2 or 3)) end, 'the modules differ: tensor 1')
  local frozen = net()
  frozen[1].weight.requires_grad = rank == 0
  t:fails(function() DDP(frozen) end, '1.weight torch.float32 torch.Size([50, 6]) without a gradient on rank 1')
  t:fails(function() DDP(rank == 0 and nn.BatchNorm1d(2) or nn.BatchNorm1d(2, { track_running_stats = false })) end, '(a buffer)')
  t:fails(function() DDP(nn.ReLU()) end, 'no parameter that requires a gradient')
end

function s.stateDictsLoadWithAndWithoutThePrefix()
  local Holder = nn.class('HolderForTest')
  function Holder:init() self.module = nn.Linear(2, 2) end
  function Holder:forward(x) return self.module(x) end
  for _, make in ipairs { function() return nn.Linear(2, 2) end, Holder } do
    local ddp, plain = DDP(make()), make()
    plain:load_state_dict(ddp.module:state_dict())
    local whole = ddp:state_dict()
    for name in pairs(whole) do t:assert(name:sub(1, 7) == 'module.') end
    for _, dict in ipairs { whole, plain:state_dict() } do
      local other = DDP(make())
      torch.no_grad(function() other.module:apply(function(m) if m.weight then m.weight:zero_() end end) end)
      other:load_state_dict(dict)
      for i, p in ipairs(other:parameters()) do t:assert(torch.equal(p, ddp:parameters()[i])) end
    end
    nn.modules.utils.consume_prefix_in_state_dict_if_present(whole, 'module.')
    make():load_state_dict(whole)
  end
end

function s.oneGroupOfSeveral()
  if n < 3 then return end
  local group = dist.new_group({ 1, 2 })
  if rank < 1 or rank > 2 then return end
  torch.manual_seed(rank)
  local ddp = DDP(nn.Linear(2, 2), { process_group = group })
  ddp(torch.ones(1, 2) * rank):sum():backward()
  near(ddp.module.weight.grad, torch.full({ 2, 2 }, 1.5), 'the mean of ranks 1 and 2')
end

function s.samplersShareADataset()
  for _, case in ipairs { { 10, false }, { 10, true }, { 1, false }, { 7, false } } do
    local size, drop = table.unpack(case)
    local ds = data.TensorDataset(torch.arange(size))
    local sampler = data.DistributedSampler(ds, { drop_last = drop, seed = 5 })
    local orders = {}
    for epoch = 0, 1 do
      sampler:set_epoch(epoch)
      local seen, mine = {}, {}
      for x in data.DataLoader(ds, { batch_size = 2, sampler = sampler }) do
        for _, v in ipairs(x:tolist()) do mine[#mine + 1] = v end
      end
      t:eq(#mine, #sampler)
      local all = {}
      dist.all_gather_object(all, mine)
      for r, part in ipairs(all) do orders[epoch] = (orders[epoch] or '') .. r .. ': ' .. table.concat(part, ' ') end
      local count, total = 0, 0
      for _, part in ipairs(all) do
        for _, v in ipairs(part) do
          total = total + 1
          if not seen[v] then count = count + 1 end
          seen[v] = true
        end
      end
      t:eq(count, drop and size // n * n or size)
      t:eq(total, #sampler * n)
    end
    if size == 10 then t:assert(orders[0] ~= orders[1], 'another epoch, another order') end
  end
  for size, positions in pairs { [1] = '1, 1, 1', [2] = '1, 2, 1', [7] = '1 4 7, 2 5 1, 3 6 2', [9] = '1 4 7, 2 5 8, 3 6 9' } do
    local parts = {}
    for r = 0, 2 do
      local plain = data.DistributedSampler(data.TensorDataset(torch.arange(size)), { num_replicas = 3, rank = r, shuffle = false })
      parts[r + 1] = table.concat(plain(), ' ')
    end
    t:eq(table.concat(parts, ', '), positions)
  end
  t:fails(function() data.DistributedSampler(data.TensorDataset(torch.arange(9)), { num_replicas = 3, rank = 3 }) end, 'expected 0 to 2')
end

t:add(s)
t:run()
dist.destroy_process_group()
