-- FullyShardedDataParallel: what it trains is what one process trains on all samples; what it keeps is a part.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local FSDP, DDP = nn.parallel.FullyShardedDataParallel, nn.parallel.DistributedDataParallel

local function near(a, b, what, most)
  t:assert(a:size() == b:size(), what .. ': shape')
  t:assert((a:to(torch.float32) - b:to(torch.float32)):abs():max():item() < (most or 1e-5), what)
end

local Tokens = nn.class('TokensForTest')
function Tokens:init(tied)
  self.embed = nn.Embedding(11, 8)
  self.blocks = nn.ModuleList { nn.TransformerEncoderLayer(8, 2, 16, 0.0), nn.TransformerEncoderLayer(8, 2, 16, 0.0) }
  self.head = nn.Linear(8, 11, { bias = false })
  if tied then self.head.weight = self.embed.weight end
end
function Tokens:forward(x)
  x = self.embed(x)
  for _, b in ipairs(self.blocks) do x = b(x) end
  return self.head(x):mean(1)
end
local function mlp() return nn.Sequential(nn.Linear(6, 50), nn.ReLU(), nn.Linear(50, 31), nn.Tanh(), nn.Linear(31, 3)) end

-- A model, and what rank r feeds it in step i.
local function numbers(i, r)
  torch.manual_seed(1000 * i + r)
  return torch.randn(8, 6), torch.randint(1, 4, { 8 })
end
local function tokens(i, r)
  torch.manual_seed(1000 * i + r)
  return torch.randint(1, 12, { 5, 4 }), torch.randint(1, 12, { 4 })
end
local function seeded(make, seed)
  torch.manual_seed(seed or 3)
  return make()
end
local function loss_of(m, batch, i, r)
  local x, y = batch(i, r)
  return F.cross_entropy(m(x), y)
end
-- The whole batch in one process; returns the loss of this rank's part.
local function step_alone(m, opt, batch, i)
  opt:zero_grad()
  local own
  for r = 0, n - 1 do
    local loss = loss_of(m, batch, i, r)
    if r == rank then own = loss:item() end
    (loss / n):backward()
  end
  opt:step()
  return own
end
local function step(m, opt, batch, i)
  opt:zero_grad()
  local loss = loss_of(m, batch, i, rank)
  loss:backward()
  opt:step()
  return loss:item()
end
-- eps: the gradient of an attention's key bias is 0 but for rounding, which Adam would make as large as any other.
local function adam(m) return optim.Adam(m:parameters(), { lr = 0.01, eps = 1e-3 }) end

local cases = {
  { 'mlp', mlp, numbers },
  { 'layers', mlp, numbers, { auto_wrap_policy = { nn.Linear } } },
  { 'kept', mlp, numbers, { auto_wrap_policy = { nn.Linear }, reshard_after_forward = false } },
  { 'transformer', Tokens, tokens, { auto_wrap_policy = { nn.TransformerEncoderLayer } } },
  { 'tied', function() return Tokens(true) end, tokens, { auto_wrap_policy = function(m) return torch.isinstance(m, nn.TransformerEncoderLayer) end } },
}
for _, case in ipairs(cases) do
  local name, make, batch, options = table.unpack(case)
  s['trainsAsOneProcess_' .. name] = function()
    local alone = seeded(make)
    local fsdp, ddp = FSDP(seeded(make, rank == 0 and 3 or rank), options), DDP(seeded(make))
    local a, b, c = adam(alone), adam(fsdp), adam(ddp)
    for i = 1, 6 do
      local one, other = step_alone(alone, a, batch, i), step(fsdp, b, batch, i)
      t:assert(math.abs(one - other) < 1e-5, 'loss of step ' .. i)
      t:assert(math.abs(step(ddp, c, batch, i) - other) < 1e-5, "DDP's loss of step " .. i)
    end
    local state = fsdp:state_dict()
    for key, value in pairs(alone:state_dict()) do near(state[key], value, key, 1e-4) end
  end
end

-- Bytes that f's results keep.
local function kept(f)
  collectgarbage()
  collectgarbage()
  local before = torch.memory_stats('cpu').allocated
  local results = table.pack(f())
  collectgarbage()
  collectgarbage()
  return torch.memory_stats('cpu').allocated - before, results
end

local function wide() return nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 3)) end
local function wide_batch(i, r)
  torch.manual_seed(i * 100 + r)
  return torch.randn(4, 64), torch.randint(1, 4, { 4 })
end
local function trained(m)
  local opt = adam(m)
  for i = 1, 2 do step(m, opt, wide_batch, i) end
  opt:zero_grad()
  return m, opt
end

function s.memoryIsAPart()
  local plain = kept(function() return trained(wide()) end)
  local ddp = kept(function() return trained(DDP(wide())) end)
  for _, policy in ipairs { {}, { nn.Linear } } do
    local own = kept(function() return trained(FSDP(wide(), { auto_wrap_policy = policy })) end)
    if n == 4 then
      if rank == 0 then print(('parameters and Adam, per rank: DDP %.0f KB, plain %.0f KB, FSDP %.0f KB'):format(ddp / 1024, plain / 1024, own / 1024)) end
      t:assert(own <= 0.3 * ddp and own <= 0.3 * plain, ('%d of %d bytes'):format(own, plain))
    end
    t:assert(own <= plain / n * 1.25 + 4096, ('%d of %d bytes'):format(own, plain))
  end
end

-- Between their uses the parameters of units have no memory.
function s.freedAfterForward()
  local fsdp = FSDP(wide(), { auto_wrap_policy = { nn.Linear } })
  local all = 4 * (512 * 512 + 512)
  local function allocated()
    collectgarbage()
    collectgarbage()
    return torch.memory_stats('cpu').allocated
  end
  local x = torch.randn(1, 64)
  local before = allocated()
  torch.no_grad(function() fsdp(x) end)
  t:assert(allocated() - before < all / 8, 'after a forward without gradients')
  local y = fsdp(x)
  t:assert(allocated() - before < all / 4, 'between forward and backward')
  y:sum():backward()
  y = nil
  t:assert(allocated() - before < all / n * 1.4 + all / 4, 'after backward: the gradient of the shard')
  t:eq(fsdp.module[1].weight, nil)
  t:eq(#fsdp:parameters(), 3)
end

function s.wrappedByHand()
  local alone = seeded(mlp)
  local inner = seeded(mlp)
  local fsdp = FSDP(nn.Sequential(FSDP(nn.Sequential(inner[1], inner[2], inner[3])), inner[4], inner[5]))
  t:eq(#fsdp:parameters(), 2)
  local a, b = adam(alone), adam(fsdp)
  for i = 1, 4 do
    t:assert(math.abs(step_alone(alone, a, numbers, i) - step(fsdp, b, numbers, i)) < 1e-5, 'loss of step ' .. i)
  end
  local keys = {}
  for key in pairs(fsdp:state_dict()) do keys[#keys + 1] = key end
  t:eq(table.concat(keys, ' '), '1.1.weight 1.1.bias 1.3.weight 1.3.bias 3.weight 3.bias')
end

function s.noSyncAddsUp()
  local alone, fsdp = seeded(mlp), FSDP(seeded(mlp), { auto_wrap_policy = { nn.Linear } })
  fsdp:no_sync(function() loss_of(fsdp, numbers, 1, rank):backward() end)
  for _, p in ipairs(fsdp:parameters()) do t:eq(p.grad, nil) end
  do
    local _ <close> = fsdp:no_sync()
    loss_of(fsdp, numbers, 2, rank):backward()
  end
  loss_of(fsdp, numbers, 3, rank):backward()
  for i = 1, 3 do
    for r = 0, n - 1 do (loss_of(alone, numbers, i, r) / n):backward() end
  end
  local a, b = optim.SGD(alone:parameters(), { lr = 1 }), optim.SGD(fsdp:parameters(), { lr = 1 })
  a:step()
  b:step()
  local state = fsdp:state_dict()
  for key, value in pairs(alone:state_dict()) do near(state[key], value, key) end
end

function s.clips()
  for _, kind in ipairs { 2, 1, math.huge } do
    local alone, fsdp = seeded(mlp), FSDP(seeded(mlp), { auto_wrap_policy = { nn.Linear } })
    loss_of(fsdp, numbers, 1, rank):backward()
    for r = 0, n - 1 do (loss_of(alone, numbers, 1, r) / n):backward() end
    near(fsdp:clip_grad_norm_(0.01, kind), nn.utils.clip_grad_norm_(alone:parameters(), 0.01, { norm_type = kind }), 'norm')
    local a, b = optim.SGD(alone:parameters(), { lr = 1 }), optim.SGD(fsdp:parameters(), { lr = 1 })
    a:step()
    b:step()
    local state = fsdp:state_dict()
    for key, value in pairs(alone:state_dict()) do near(state[key], value, key) end
  end
end

function s.mixedPrecision()
  local alone = seeded(mlp)
  local seen
  local model = seeded(mlp)
  model[3]:register_forward_pre_hook(function(m, inputs) seen = { inputs[1].dtype, m.weight.dtype } end)
  local fsdp = FSDP(model, { mixed_precision = { param_dtype = torch.bfloat16, reduce_dtype = torch.float32 },
    auto_wrap_policy = { nn.Linear } })
  local a, b = adam(alone), adam(fsdp)
  for i = 1, 6 do
    t:assert(math.abs(step_alone(alone, a, numbers, i) - step(fsdp, b, numbers, i)) < 0.05, 'loss of step ' .. i)
  end
  t:eq(seen, { torch.bfloat16, torch.bfloat16 })
  for _, p in ipairs(fsdp:parameters()) do t:eq(p.dtype, torch.float32) end
  local state = fsdp:state_dict()
  for key, value in pairs(alone:state_dict()) do
    t:eq(state[key].dtype, torch.float32)
    near(state[key], value, key, 0.05)
  end
  local half = FSDP(seeded(mlp), { mixed_precision = { param_dtype = torch.float16 } })
  loss_of(half, numbers, 1, rank):backward()
  t:fails(function() FSDP(mlp(), { mixed_precision = { dtype = torch.float16 } }) end, "no argument is named 'dtype'")
end

function s.buffers()
  local function make() return nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 3)) end
  local fsdp = FSDP(make(), { auto_wrap_policy = { nn.BatchNorm1d } })
  loss_of(fsdp, numbers, 1, rank):backward()
  local plain = make()
  plain:load_state_dict(fsdp:state_dict())
  t:eq(plain[2].num_batches_tracked:item(), 1)
  fsdp:eval()
  plain:eval()
  near(fsdp((numbers(2, 0))), plain((numbers(2, 0))), 'the same module')
end

function s.fullStateDict()
  local plain = seeded(Tokens, 20 )
  local fsdp = FSDP(seeded(Tokens, 21), { auto_wrap_policy = { nn.TransformerEncoderLayer } })
  fsdp:load_state_dict(plain:state_dict())
  local keys, others = {}, {}
  for key in pairs(plain:state_dict()) do keys[#keys + 1] = key end
  local state = fsdp:state_dict()
  for key, value in pairs(state) do
    others[#others + 1] = key
    t:assert(torch.equal(value, plain:state_dict()[key]), key)
  end
  t:eq(table.concat(others, ' '), table.concat(keys, ' '))
  fsdp:set_state_dict_type('full', { rank0_only = true })
  local count = 0
  for _ in pairs(fsdp:state_dict()) do count = count + 1 end
  t:eq(count, rank == 0 and #keys or 0)
  fsdp:set_state_dict_type('full')
  -- what does not fit leaves all as it is
  local bad = plain:state_dict()
  bad['head.weight'] = torch.zeros(2, 2)
  t:fails(function() fsdp:load_state_dict(bad) end, 'head.weight')
  bad['head.weight'] = nil
  bad['embed.weight'] = torch.zeros(11, 8)
  t:fails(function() fsdp:load_state_dict(bad) end, "missing 'module.head.weight'")
  for key, value in pairs(fsdp:state_dict()) do t:assert(torch.equal(value, state[key]), key) end
  fsdp:load_state_dict(bad, { strict = false })
  t:eq(fsdp:state_dict()['embed.weight']:abs():sum():item(), 0.0)
  t:eq(#fsdp:parameters(), 3)
end

function s.shardedStateDict()
  local make = function() return FSDP(seeded(mlp, 5), { auto_wrap_policy = { nn.Linear } }) end
  local a, b = make(), make()
  local opt = adam(a)
  step(a, opt, numbers, 1)
  for _, m in ipairs { a, b } do m:set_state_dict_type('sharded') end
  local state, bytes = a:state_dict(), 0
  for _, value in pairs(state) do bytes = bytes + value:numel() end
  t:assert(bytes <= 2034 / n + 10, 'a part: ' .. bytes)
  b:load_state_dict(state)
  for _, m in ipairs { a, b } do m:set_state_dict_type('full') end
  local other = b:state_dict()
  for key, value in pairs(a:state_dict()) do t:assert(torch.equal(value, other[key]), key) end
  t:fails(function() a:set_state_dict_type('half') end, "'full' or 'sharded'")
end

-- An optimizer's state is that of the plain module's, and comes back with other units.
function s.optimizerState()
  local fsdp = FSDP(seeded(Tokens), { auto_wrap_policy = { nn.TransformerEncoderLayer } })
  local opt = adam(fsdp)
  for i = 1, 2 do step(fsdp, opt, tokens, i) end
  local state, module = fsdp:optim_state_dict(opt), fsdp:state_dict()
  local plain, other = Tokens(), FSDP(Tokens(), { auto_wrap_policy = { nn.Linear, nn.LayerNorm } })
  plain:load_state_dict(module)
  other:load_state_dict(module)
  local a, b = adam(plain), adam(other)
  a:load_state_dict(state)
  other:load_optim_state_dict(b, state)
  t:eq(a.state[plain.head.weight].step, 2)
  for i = 3, 5 do
    local expected = step_alone(plain, a, tokens, i)
    t:assert(math.abs(step(fsdp, opt, tokens, i) - expected) < 1e-5, 'loss of step ' .. i)
    t:assert(math.abs(step(other, b, tokens, i) - expected) < 1e-5, 'loss of step ' .. i .. ' with other units')
  end
  t:fails(function() fsdp:optim_state_dict(optim.SGD({ fsdp:parameters()[1] }, { lr = 1 })) end, 'expects an optimizer of `fsdp:parameters()`')
end

-- A unit that is used twice, a frozen one, one within a checkpoint.
function s.otherGraphs()
  local Twice = nn.class('TwiceForTest')
  function Twice:init()
    self.first = nn.Linear(6, 6)
    self.frozen = nn.Linear(6, 6)
    self.frozen:requires_grad_(false)
    self.last = nn.Linear(6, 3)
  end
  function Twice:forward(x)
    x = torch.tanh(self.first(x))
    x = self.frozen(torch.tanh(self.first(x)))
    return torch.utils.checkpoint(function(v) return self.last(torch.relu(v)) end, x)
  end
  local alone, fsdp = seeded(Twice), FSDP(seeded(Twice), { auto_wrap_policy = { nn.Linear } })
  local function trainable(m)
    local list = {}
    for _, p in ipairs(m:parameters()) do
      if p.requires_grad then list[#list + 1] = p end
    end
    return optim.SGD(list, { lr = 0.5 })
  end
  local a, b = trainable(alone), trainable(fsdp)
  for i = 1, 4 do
    t:assert(math.abs(step_alone(alone, a, numbers, i) - step(fsdp, b, numbers, i)) < 1e-5, 'loss of step ' .. i)
  end
  local state = fsdp:state_dict()
  for key, value in pairs(alone:state_dict()) do near(state[key], value, key) end
end

function s.writtenInBetween()
  local fsdp = FSDP(mlp(), { auto_wrap_policy = { nn.Linear } })
  local opt = optim.SGD(fsdp:parameters(), { lr = 0.1 })
  local loss = loss_of(fsdp, numbers, 1, rank)
  loss:backward(nil, { retain_graph = true })
  loss:backward(nil, { retain_graph = true })
  opt:step()
  t:fails(function() loss:backward() end, "'5.weight' … were written between forward and backward")
  loss_of(fsdp, numbers, 2, rank):backward()
end

function s.refuses()
  t:fails(function() FSDP(Tokens(true), { auto_wrap_policy = { nn.Embedding } }) end, "'head.weight' and 'embed.weight' are tied")
  local partly = mlp()
  partly[1].weight.requires_grad = false
  t:fails(function() FSDP(partly) end, "one requires_grad: that of '1.weight' is false and that of '1.bias' true")
  t:fails(function() FSDP(3) end, 'module expects a module')
  t:fails(function() FSDP(mlp(), { auto_wrap_policy = 3 }) end, 'auto_wrap_policy is a list of classes or a function')
  local tied = Tokens(true)
  tied.embed = FSDP(tied.embed)
  t:fails(function() FSDP(tied) end, "'head.weight' has no memory")
  -- a backward that reaches a unit's parameters beside its result
  local inner
  local unit = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
  unit[1]:register_forward_hook(function(_, _, y) inner = y end)
  local fsdp = FSDP(nn.Sequential(nn.Linear(6, 6), unit), { auto_wrap_policy = function(m) return m == unit end })
  fsdp((numbers(1, rank)))
  t:fails(function() inner:sum():backward() end, 'is not here: its memory was given back')
end

t:add(s)
t:run()
dist.destroy_process_group()
