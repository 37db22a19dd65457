-- nn.parallel.Pipeline: losses and gradients are those of the undivided model with the same micro-batches.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local Pipeline = nn.parallel.Pipeline

local function near(a, b, what)
  t:assert(a:size() == b:size() and (a - b):abs():max():item() < 1e-5, what)
end
-- Stage i of as many: of other widths, so that other shapes pass each border.
local function stage(i, of)
  torch.manual_seed(i)
  local wide = function(k) return k == 0 and 6 or k == of and 3 or 5 + k end
  return nn.Sequential(nn.Linear(wide(i - 1), 9), nn.Tanh(), nn.Linear(9, wide(i)))
end
local function stages(of)
  local list = {}
  for i = 1, of do list[i] = stage(i, of) end
  return list
end
local function batch(i, size)
  torch.manual_seed(100 + i)
  return torch.randn(size, 6), torch.randint(1, 4, { size })
end
-- Stages of this rank: every n-th.
local function own(list)
  local mine = {}
  for i = rank + 1, #list, n do mine[#mine + 1] = list[i] end
  return mine
end

-- The loss of a batch by the undivided model, and those of its chunks.
local function undivided(list, x, y, chunks)
  local whole, losses, mean = nn.Sequential(table.unpack(list)), {}, 0
  local xs, ys = x:tensor_split(chunks), y:tensor_split(chunks)
  for c = 1, chunks do
    local loss = F.cross_entropy(whole(xs[c]), ys[c])
    local part = loss * (xs[c]:size(1) / x:size(1))
    part:backward()
    losses[c], mean = loss:item(), mean + part:item()
  end
  return mean, losses
end
local function check_step(pipe, mine, others, x, y, chunks)
  local mean, losses = undivided(others, x, y, chunks)
  local loss, each = pipe:step(x, y)
  if pipe:is_own(pipe.last) then
    t:assert(math.abs(loss:item() - mean) < 1e-6, 'loss')
    for c = 1, chunks do t:assert(math.abs(each[c]:item() - losses[c]) < 1e-6, 'loss of chunk ' .. c) end
  else
    t:eq(loss, nil)
  end
  local alone = pipe.process_group and own(others) or others
  for i, m in ipairs(mine) do
    local p, q = m:parameters(), alone[i]:parameters()
    for k = 1, #p do near(p[k].grad, q[k].grad, 'gradient ' .. k .. ' of stage ' .. i) end
  end
end

local cases = { { 'gpipe', 1, 4 }, { 'gpipe', 2, 3 }, { 'gpipe', 1, 1 }, { '1f1b', 1, 8 }, { '1f1b', 1, 1 }, { 'interleaved', 2, 2 * n },
  { 'interleaved', 3, 2 * n }, { 'interleaved', 1, 5 } }
for _, case in ipairs(cases) do
  local schedule, per_rank, chunks = table.unpack(case)
  s[('acrossRanks_%s_%d_%d'):format(schedule, per_rank, chunks)] = function()
    local mine, others = own(stages(per_rank * n)), stages(per_rank * n)
    local pipe = Pipeline(mine, { chunks = chunks, schedule = schedule, loss_fn = F.cross_entropy })
    for i = 1, 2 do 
      local x, y = batch(i, 16 + i)
      check_step(pipe, mine, others, x, y, chunks)
    end  -- sizes that the chunks do not divide
    if schedule == '1f1b' then t:assert(pipe.most_stored <= n - rank, 'micro-batches kept: ' .. pipe.most_stored) end
    if schedule == 'gpipe' and n > 1 then t:eq(pipe.most_stored, chunks * per_rank) end
    t:eq(pipe.process_group == nil, n == 1)  -- the only rank has all stages, as a process without a group has
    local x = batch(3, 16)
    local y = pipe(x)
    if pipe:is_own(pipe.last) then near(y, nn.Sequential(table.unpack(others))(x), 'forward alone') else t:eq(y, nil) end
  end
  s[('inProcess_%s_%d_%d'):format(schedule, per_rank, chunks)] = function()
    local count = 4
    local mine, others = stages(count), stages(count)
    local pipe = Pipeline(mine, { chunks = chunks, schedule = schedule, loss_fn = F.cross_entropy, in_process = true })
    for i = 1, 2 do 
      local x, y = batch(i, 16 + i)
      check_step(pipe, mine, others, x, y, chunks)
    end
    if schedule == '1f1b' then t:assert(pipe.most_stored <= count, 'micro-batches kept: ' .. pipe.most_stored) end
    local x = batch(3, 16)
    near(pipe(x), nn.Sequential(table.unpack(others))(x), 'forward alone')
  end
end

function s.trains()
  local mine, others = own(stages(n)), stages(n)
  local pipe = Pipeline(mine, { chunks = 4, schedule = '1f1b', loss_fn = F.cross_entropy })
  local a, b = optim.Adam(pipe:parameters(), { lr = 0.02 }), optim.Adam(nn.ModuleList(others):parameters(), { lr = 0.02 })
  for i = 1, 8 do
    a:zero_grad()
    b:zero_grad()
    local x, y = batch(i, 16)
    local mean = undivided(others, x, y, 4)
    local loss = pipe:step(x, y)
    if loss then t:assert(math.abs(loss:item() - mean) < 1e-5, 'loss of step ' .. i) end
    a:step()
    b:step()
  end
end

-- Several tensors pass a border, of which one is of integers and one takes no gradient.
function s.severalTensors()
  local First, Middle, Last = nn.class('FirstStageForTest'), nn.class('MiddleStageForTest'), nn.class('LastStageForTest')
  function First:init() self.embed = nn.Embedding(7, 6) end
  function First:forward(ids, more) return self.embed(ids), ids, more end
  function Middle:init() self.linear = nn.Linear(6, 6) end
  function Middle:forward(x, ids, more) return self.linear(x) + more, ids end
  function Last:init() self.embed = nn.Embedding(7, 6) end
  function Last:forward(x, ids) return (x * self.embed(ids)):sum(2) end
  local function make()
    torch.manual_seed(1)
    local list = { First() }
    for _ = 3, math.max(n, 3) do list[#list + 1] = #list == 1 and Middle() or nn.Identity() end
    local Pass = nn.class('PassForTest')
    function Pass:forward(x, ids) return x, ids end
    for i = 3, #list do list[i] = Pass() end
    list[#list + 1] = Last()
    return list
  end
  torch.manual_seed(2)
  local ids, more, y = torch.randint(1, 8, { 8 }), torch.randn(8, 6), torch.randn(8)
  local others = make()
  local values = { ids, more }
  for _, m in ipairs(others) do values = { m(table.unpack(values)) } end
  F.mse_loss(values[1], y):backward()
  local mine = make()
  local pipe
  if n >= 3 then
    pipe = Pipeline(own(mine), { chunks = 4, loss_fn = F.mse_loss, schedule = '1f1b' })
    mine, others = own(mine), own(others)
  else
    pipe = Pipeline(mine, { chunks = 4, loss_fn = F.mse_loss, schedule = '1f1b', in_process = true })
  end
  pipe:step({ ids, more }, y)
  for i, m in ipairs(mine) do
    local p, q = m:parameters(), others[i]:parameters()
    for k = 1, #p do near(p[k].grad, q[k].grad, 'gradient ' .. k .. ' of stage ' .. i) end
  end
end

-- What the schedules promise shows in the memory of a process.
function s.keepsLess()
  local function peak(schedule)
    local list = {}
    for i = 1, 2 do list[i] = nn.Sequential(nn.Linear(64, 2048), nn.Tanh(), nn.Linear(2048, 64)) end
    local pipe = Pipeline(list, { chunks = 16, schedule = schedule, loss_fn = F.mse_loss, in_process = true })
    local x = torch.randn(512, 64)
    pipe:step(x, x)
    collectgarbage()
    collectgarbage()
    torch.reset_peak_memory_stats('cpu')
    local before = torch.memory_stats('cpu').allocated
    pipe:step(x, x)
    return torch.memory_stats('cpu').peak - before
  end
  local all, some = peak('gpipe'), peak('1f1b')
  t:assert(some < 0.6 * all, ('%d against %d bytes'):format(some, all))
end

function s.refuses()
  local one = { nn.Linear(2, 2) }
  t:fails(function() Pipeline(one, { chunks = 2, schedule = 'zigzag' }) end, "'gpipe', '1f1b' or 'interleaved', got zigzag")
  t:fails(function() Pipeline(one) end, "argument 'chunks' is missing")
  t:fails(function() Pipeline(one, { chunks = 0 }) end, 'at least 1, got 0')
  t:fails(function() Pipeline({}, { chunks = 1 }) end, 'stages is a list of modules')
  t:fails(function() Pipeline(one, { chunks = 1, in_process = true }):step(torch.ones(1, 2)) end, 'step needs loss_fn')
  local pipe = Pipeline(one, { chunks = 3, loss_fn = F.mse_loss, in_process = true })
  t:fails(function() pipe:step(torch.ones(2, 2), torch.ones(2, 2)) end, 'input has 2 samples for 3 chunks')
  t:fails(function() pipe:step(torch.ones(3, 2)) end, 'target is missing on the rank of the last stage')
  t:fails(function() pipe:step(nil, torch.ones(3, 2)) end, 'input is missing on the rank of the first stage')
  local numbers = nn.class('NumbersForTest')
  function numbers.forward() return 3 end
  t:fails(function() Pipeline({ numbers() }, { chunks = 1, in_process = true })(torch.ones(1)) end, 'stage 1 gives number as result 1')
  if n == 1 then return end
  t:fails(function() Pipeline({ one[1], one[1] }, { chunks = 1, schedule = '1f1b' }) end, 'one stage on each rank, and here are 2')
  t:fails(function() Pipeline(one, { chunks = 2 + rank }) end, 'the ranks differ: rank 0 of the group has 1 stages, chunks = 2')
  t:fails(function() Pipeline({ one[1], one[1] }, { chunks = n + 1, schedule = 'interleaved' }) end, 'divide, got ' .. n + 1)
end

t:add(s)
t:run()
dist.destroy_process_group()
