-- ZeroRedundancyOptimizer steps as the plain optimizer does, and each rank keeps a part of the state.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local Zero = optim.ZeroRedundancyOptimizer

local function net()
  torch.manual_seed(1)
  return nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 9), nn.Tanh(), nn.Linear(9, 3))
end
local function step(model, opt, i)
  torch.manual_seed(i)
  local x, y = torch.randn(8, 6), torch.randint(1, 4, { 8 })
  opt:zero_grad()
  F.cross_entropy(model(x), y):backward()
  opt:step()
end
local function same(a, b, what)
  for i, p in ipairs(a:parameters()) do t:assert(torch.equal(p, b:parameters()[i]), what .. ' ' .. i) end
end
-- Elements of the tensors of a state dict.
local function elements(dict)
  local sum = 0
  for _, state in pairs(dict.state) do
    for _, v in pairs(state) do
      if torch.is_tensor(v) then sum = sum + v:numel() end
    end
  end
  return sum
end

local cases = {
  { 'SGD', { lr = 0.1, momentum = 0.9 } }, { 'Adam', { lr = 0.01 } }, { 'AdamW', { lr = 0.01, weight_decay = 0.1 } },
}
for _, case in ipairs(cases) do
  local name, settings = table.unpack(case)
  local function both()
    local a, b = net(), net()
    local all = { optimizer_class = optim[name] }
    for key, value in pairs(settings) do all[key] = value end
    return a, Zero(a:parameters(), all), b, optim[name](b:parameters(), settings)
  end
  s['stepsAs' .. name] = function()
    local a, zero, b, plain = both()
    t:assert(torch.isinstance(zero, optim[name]))
    local schedule, other = optim.lr_scheduler.StepLR(zero, 2), optim.lr_scheduler.StepLR(plain, 2)
    for i = 1, 6 do
      step(a, zero, i)
      step(b, plain, i)
      schedule:step()
      other:step()
      same(a, b, 'step ' .. i)
      for _, p in ipairs(a:parameters()) do t:assert(p.grad ~= nil, 'gradients stay') end
    end
  end
  s['stateOf' .. name] = function()
    local a, zero, b, plain = both()
    for i = 1, 3 do
      step(a, zero, i)
      step(b, plain, i)
    end
    t:fails(function() zero:state_dict() end, 'consolidate_state_dict')
    local own = elements(optim[name].state_dict(zero))
    local total = elements(plain:state_dict())
    t:assert(own <= total / n + total * 180 / 380 and (n == 1 or own < 0.6 * total), ('a part of the state: %d'):format(own))
    local to = n - 1
    zero:consolidate_state_dict(to)
    local list = { false }
    if rank == to then
      local dict = zero:state_dict()
      t:eq(elements(dict), elements(plain:state_dict()))
      plain:load_state_dict(dict)
      for i, state in pairs(plain:state_dict().state) do
        for key, v in pairs(state) do
          if torch.is_tensor(v) then t:assert(torch.equal(v, dict.state[i][key]), key) end
        end
      end
    else
      t:fails(function() zero:state_dict() end, 'consolidate_state_dict')
    end
    -- A state dict of the plain optimizer goes on in parts.
    local c, again = both()
    c:load_state_dict(b:state_dict())
    again:load_state_dict(plain:state_dict())
    t:assert(elements(optim[name].state_dict(again)) == own)
    for i = 4, 6 do
      step(c, again, i)
      step(b, plain, i)
    end
    same(c, b, 'after loading')
  end
end

function s.groupsOfParametersAndOfRanks()
  local a, b = net(), net()
  local function groups(m) return { { params = m[1]:parameters(), lr = 0.5 }, { params = m[3]:parameters() } } end
  local zero, plain = Zero(groups(a), { optimizer_class = optim.SGD, lr = 0.1 }), optim.SGD(groups(b), { lr = 0.1 })
  step(a, zero, 1)
  step(b, plain, 1)
  zero:add_param_group { params = a[5]:parameters(), lr = 0.2 }
  plain:add_param_group { params = b[5]:parameters(), lr = 0.2 }
  step(a, zero, 2)
  step(b, plain, 2)
  same(a, b, 'groups')
  if n < 3 then return end
  local group = dist.new_group { 1, 2 }
  if rank < 1 or rank > 2 then return end
  local c, d = net(), net()
  step(c, Zero(c:parameters(), { optimizer_class = optim.Adam, process_group = group }), 1)
  step(d, optim.Adam(d:parameters()), 1)
  same(c, d, 'ranks 1 and 2')
end

function s.trainsWithDistributedDataParallel()
  local ddp = nn.parallel.DistributedDataParallel(net())
  local zero = Zero(ddp:parameters(), { optimizer_class = optim.Adam, lr = 0.01 })
  for i = 1, 4 do step(ddp, zero, 10 * i + rank) end
  for i, p in ipairs(ddp:parameters()) do
    local first = p:detach():clone()
    dist.broadcast(first, 0)
    t:assert(torch.equal(first, p), 'parameter ' .. i)
  end
end

function s.whatItRefuses()
  local p = net():parameters()
  t:fails(function() Zero(p, { lr = 0.1 }) end, 'optimizer_class is a class of optimizers')
  t:fails(function() Zero(p, { optimizer_class = optim.SGD, lr = 0.1, speed = 2 }) end, "no argument is named 'speed'")
end

t:add(s)
t:run()
dist.destroy_process_group()
