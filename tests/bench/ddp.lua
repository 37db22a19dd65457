-- Steps of training with and without DistributedDataParallel; tests/bench/ddp.py runs it beside PyTorch and compares.
--
--     luth ddp.lua lenet [ROUNDS]         DDP of world size 1 and the plain loop in turns: how much slower DDP is
--     luth ddp.lua mlp BATCH [STEPS]      seconds a step; under `luth launch`, DDP with BATCH for each rank
--     luth ddp.lua resnet18_cifar BATCH [STEPS]   the same
--     luth ddp.lua overlap BATCH [STEPS]  under `luth launch`: the share of communication that lies within backward
local now = require('luth.native').now
local dist, defaults = torch.distributed, torch.distributed.algorithms.ddp_comm_hooks.default_hooks
local mode, launched = arg[1], os.getenv 'WORLD_SIZE' ~= nil
torch.manual_seed(0)

local function mlp()
  return nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 4096), nn.ReLU(), nn.Linear(4096, 1024), nn.ReLU(),
    nn.Linear(1024, 10))
end
local function lenet()
  return nn.Sequential(nn.Conv2d(1, 6, 5, { padding = 2 }), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
end

-- A function that makes one step, and returns its seconds.
local function steps_of(model, x, settings)
  local y = torch.randint(1, 11, { x:size(1) })
  local opt = optim.SGD(model:parameters(), settings or { lr = 0.01 })
  return function()
    local began = now()
    opt:zero_grad()
    F.cross_entropy(model(x), y):backward()
    opt:step()
    return now() - began
  end
end
local function median(list)
  table.sort(list)
  return list[#list // 2 + 1]
end
local function repeated(n, step)
  local list = {}
  for i = 1, n do list[i] = step() end
  return list
end

local modes = {}

function modes.lenet(rounds)
  dist.init_process_group { rank = 0, world_size = 1 }
  local x, ratios = torch.randn(64, 1, 28, 28), {}
  local plain, ddp = steps_of(lenet(), x), steps_of(nn.parallel.DistributedDataParallel(lenet()), x)
  repeated(20, plain)
  repeated(20, ddp)
  for i = 1, rounds or 40 do
    local list = { {}, {} }
    for k = 1, 20 do list[1][k], list[2][k] = plain(), ddp() end
    ratios[i] = median(list[2]) / median(list[1])
  end
  print(('lenet, batch 64: DDP of world size 1 takes %.3f of the plain loop'):format(median(ratios)))
end

-- Prints the seconds of a step on a batch of inputs of the shape.
local function measure(model, batch, steps, shape, settings)
  if launched then
    dist.init_process_group()
    model = nn.parallel.DistributedDataParallel(model)
  end
  local step = steps_of(model, torch.randn(batch, table.unpack(shape)), settings)
  repeated(2, step)
  if launched then dist.barrier() end
  local began, n = now(), steps or 5
  repeated(n, step)
  if not launched or dist.get_rank() == 0 then print(('step %.4f'):format((now() - began) / n)) end
end

function modes.mlp(batch, steps) measure(mlp(), batch, steps, { 784 }) end
-- The network and the optimizer of train/resnet18_cifar.
function modes.resnet18_cifar(batch, steps)
  local model = require('luth.bench.models').resnet18_cifar()
  measure(model, batch, steps, { 3, 32, 32 }, { lr = 0.1, momentum = 0.9, weight_decay = 5e-4 })
end

-- Communication begins with the first bucket that is sent, and ends when the last one has arrived.
function modes.overlap(batch, steps)
  dist.init_process_group()
  local ddp = nn.parallel.DistributedDataParallel(mlp(), { bucket_cap_mb = 1e-6 })  -- a bucket for each tensor
  local sent, finished, ended, buckets
  ddp:register_comm_hook(nil, function(state, bucket)
    if bucket:index() == 1 then sent, finished, buckets = now(), nil, 0 end
    buckets = buckets + 1
    local wait = defaults.allreduce_hook(state, bucket)
    return function()
      finished = finished or now()
      local result = wait()
      ended = now()
      return result
    end
  end)
  local step, shares = steps_of(ddp, torch.randn(batch, 784)), {}
  repeated(2, step)
  for i = 1, steps or 5 do
    step()
    shares[i] = (finished - sent) / (ended - sent)
  end
  if dist.get_rank() == 0 then
    print(('overlap %.3f in %d buckets'):format(median(shares), buckets))
  end
end

modes[mode](tonumber(arg[2]), tonumber(arg[3]))
