-- One model on two GPUs, by nn.DataParallel in one process and by DistributedDataParallel with a process for each: memory of
-- each GPU without what the collector has yet to take, and how often the host waits for it in a step. Fails where a step of
-- DistributedDataParallel takes as much of the first GPU.
--
--     luth launch --nproc 2 data_parallel.lua
--
-- The fake run-time of the tests serves too: LUTH_DEVICE_PATH=build/release/lib-test FAKECUDA_DEVICES=2.
local dist, cuda = torch.distributed, torch.cuda
dist.init_process_group 'cpu:gloo,cuda:nccl'
local rank = dist.get_rank()
assert(dist.get_world_size() == 2 and cuda.device_count() >= 2, 'it wants two ranks and two GPUs')
local batch, steps = 1024, 3

local function mlp()
  torch.manual_seed(1)
  return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
end

-- KB of each of the GPUs, of which the first has the batch and the loss: what is kept between steps, and the most within one;
-- and waits of the host in a step, which reads the loss.
local function train(model, x, y, gpus)
  local opt = optim.Adam(model:parameters(), { lr = 1e-3 })
  local function step()
    opt:zero_grad()
    local loss = F.cross_entropy(model(x:cuda(gpus[1])), y:cuda(gpus[1]))
    loss:backward()
    opt:step()
    return loss:item()
  end
  step()
  collectgarbage()
  local waits = {}
  for i, gpu in ipairs(gpus) do
    cuda.reset_peak_memory_stats(gpu)
    waits[i] = cuda.host_waits(gpu)
  end
  for _ = 1, steps do  -- what dies is not counted, whenever the collector would come
    step()
    collectgarbage()
  end
  local results = {}
  for i, gpu in ipairs(gpus) do
    local per_step = (cuda.host_waits(gpu) - waits[i]) / steps
    results[i] = { kept = cuda.memory_allocated(gpu) // 1024, most = cuda.max_memory_allocated(gpu) // 1024, waits = per_step }
  end
  return results
end

local function show(name, results)
  for i, r in ipairs(results) do
    print(('%-24s cuda:%d: %5d KB kept, %5d KB at most, %.1f waits of the host in a step'):format(name, i - 1, r.kept, r.most, r.waits))
  end
end

torch.manual_seed(2)
local x, y = torch.randn(batch, 64), torch.randint(1, 11, { batch })
local part = batch // 2
local function own_part(t) return t:narrow(1, rank * part + 1, part) end
local own = train(nn.parallel.DistributedDataParallel(mlp():cuda(rank)), own_part(x), own_part(y), { rank })
local each = {}
dist.all_gather_object(each, own[1])
dist.destroy_process_group()
if rank > 0 then return end
collectgarbage()
collectgarbage()
local before = cuda.memory_allocated(0) // 1024
local of_one = train(nn.DataParallel(mlp():cuda(0), { device_ids = { 0, 1 } }), x, y, { 0, 1 })
show('DistributedDataParallel', each)
show('DataParallel', of_one)
assert(before < 64, before .. ' KB of the first GPU were not free')
assert(each[1].most < of_one[1].most, 'DistributedDataParallel takes as much of the first GPU')
