-- How far DistributedDataParallel's bucket schedule scales, by the alpha-beta model: a message of n bytes takes alpha + n beta
-- seconds. Each rank computes a batch of its own (weak scaling); a bucket is reduced as soon as backward has filled it and
-- the one before it is through.
--   luth launch --nproc 2 scripts/simulate_scaling.lua --measure     constants and model of this machine
--   luth scripts/simulate_scaling.lua --alpha 5e-5 --beta 1e-9 --forward 0.05 --backward 0.1 --buckets 8e6,25e6
local M = {}

-- ---- The model ------------------------------------------------------------------------------------------------------

local function log2_up(n)
  local k = 0
  while 1 << k < n do k = k + 1 end
  return k
end

-- Seconds of an all-reduce of n bytes over p ranks. link: {alpha, beta}.
M.costs = {
  -- reduce-scatter and all-gather around a ring: p - 1 messages of a p-th each
  ring = function(p, n, link) return 2 * (p - 1) * (link.alpha + n / p * link.beta) end,
  -- a binomial tree up to the root and down again: whole messages
  tree = function(p, n, link) return 2 * log2_up(p) * (link.alpha + n * link.beta) end,
  -- halves of halves, and doubled back (Rabenseifner); ranks beyond a power of 2 give theirs to a neighbour before, and
  -- get the result after
  ['halving-doubling'] = function(p, n, link)
    local k = log2_up(p)
    local extra = 1 << k > p and 2 * (link.alpha + n * link.beta) or 0
    if extra > 0 then k = k - 1 end
    return 2 * k * link.alpha + 2 * (1 - 1 / (1 << k)) * n * link.beta + extra
  end,
}
M.algorithms = { 'ring', 'tree', 'halving-doubling' }

-- Seconds of a step. work: {forward, backward, buckets = list of {bytes, ready}}, `ready` the share of backward after which
-- the bucket is full.
function M.step(work, p, algorithm, link)
  local through = 0
  for _, b in ipairs(work.buckets) do
    local begin = math.max(work.forward + b.ready * work.backward, through)
    through = begin + (p > 1 and M.costs[algorithm](p, b.bytes, link) or 0)
  end
  return math.max(work.forward + work.backward, through)
end
function M.efficiency(work, p, algorithm, link) return M.step(work, 1, algorithm, link) / M.step(work, p, algorithm, link) end

-- The most of the ranks 1, 2, 4 … most, up to which the efficiency stays at or above `least`.
function M.scales_to(work, algorithm, link, least, most)
  local p = 1
  while 2 * p <= most and M.efficiency(work, 2 * p, algorithm, link) >= least do p = 2 * p end
  return p
end

-- ---- Measuring ------------------------------------------------------------------------------------------------------

local clock = require('luth.native').now

-- The shortest time of f, of `times` calls: what others do on the machine makes it longer.
local function shortest(times, f)
  local best = math.huge
  for _ = 1, times do
    local begin = clock()
    f()
    best = math.min(best, clock() - begin)
  end
  return best
end

-- alpha and beta of a ring from {bytes, seconds}: least squares of the relative errors.
function M.fit(p, samples)
  local xx, xy, yy, xt, yt = 0, 0, 0, 0, 0
  for _, s in ipairs(samples) do
    local x, y = 2 * (p - 1) / s.seconds, 2 * (p - 1) * s.bytes / p / s.seconds
    xx, xy, yy, xt, yt = xx + x * x, xy + x * y, yy + y * y, xt + x, yt + y
  end
  local d = xx * yy - xy * xy
  return { alpha = math.max(0, (xt * yy - yt * xy) / d), beta = math.max(0, (yt * xx - xt * xy) / d) }
end

function M.measure_link(largest, times)
  local p, samples = torch.distributed.get_world_size(), {}
  local bytes = 4
  while bytes <= largest do
    local x = torch.zeros(bytes // 4)
    torch.distributed.barrier()
    torch.distributed.all_reduce(x)
    samples[#samples + 1] = { bytes = bytes, seconds = shortest(times, function() torch.distributed.all_reduce(x) end) }
    bytes = bytes * 16
  end
  return M.fit(p, samples), samples
end

-- Buckets as DistributedDataParallel makes them of {bytes, ready} in the order of backward: a bucket takes parameters until it
-- has cap bytes, the first one until it has 1 MiB.
function M.plan(arrivals, cap)
  local buckets = {}
  for _, a in ipairs(arrivals) do
    local b = buckets[#buckets]
    if not b or b.bytes >= (#buckets == 1 and math.min(cap, 1 << 20) or cap) then
      b = { bytes = 0 }
      buckets[#buckets + 1] = b
    end
    b.bytes, b.ready = b.bytes + a.bytes, a.ready
  end
  return buckets
end

-- Seconds of processor time of a step without communication, the shortest of `times`, and when in its backward the buckets
-- are full.
function M.measure_work(net, x, y, times, cap)
  local arrivals, work = {}, { forward = math.huge, backward = math.huge }
  for _, p in ipairs(net:parameters()) do
    p:register_post_accumulate_grad_hook(function()
      arrivals[#arrivals + 1] = { bytes = p:numel() * p:element_size(), ready = os.clock() }
    end)
  end
  for _ = 1, times do
    net:zero_grad()
    arrivals = {}
    local begin = os.clock()
    local loss = F.cross_entropy(net(x), y)
    local middle = os.clock()
    loss:backward()
    local forward, backward = middle - begin, os.clock() - middle
    if forward + backward < work.forward + work.backward then
      for _, a in ipairs(arrivals) do a.ready = (a.ready - middle) / backward end
      work = { forward = forward, backward = backward, buckets = M.plan(arrivals, cap) }
    end
  end
  return work
end

local function measure()
  local dist = torch.distributed
  dist.init_process_group()
  if dist.get_world_size() < 2 then error('--measure needs 2 ranks at least: luth launch --nproc 2 ' .. arg[0] .. ' --measure', 0) end
  torch.set_num_threads(1)
  local link = M.measure_link(1 << 26, 9)
  local net = nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 4096), nn.ReLU(), nn.Linear(4096, 1024), nn.ReLU(),
    nn.Linear(1024, 10))
  local work = M.measure_work(net, torch.randn(512, 784), torch.randint(1, 11, { 512 }), 5, 8 << 20)
  local rank = dist.get_rank()
  dist.destroy_process_group()
  return link, work, rank
end

-- ---- The table ------------------------------------------------------------------------------------------------------

function M.report(link, work, print)
  print(('alpha %.1f us, beta %.3f ns/B (%.2f GB/s); forward %.1f ms, backward %.1f ms'):format(link.alpha * 1e6, link.beta * 1e9,
    1e-9 / link.beta, work.forward * 1e3, work.backward * 1e3))
  local parts = {}
  for i, b in ipairs(work.buckets) do parts[i] = ('%.1f MB at %.0f %%'):format(b.bytes / 1e6, b.ready * 100) end
  print('buckets, full after that share of backward: ' .. table.concat(parts, ', '))
  print('| ranks | ' .. table.concat(M.algorithms, ' | ') .. ' |')
  print('| --- | --- | --- | --- |')
  for k = 1, 10 do
    local cells = {}
    for i, a in ipairs(M.algorithms) do cells[i] = ('%.1f %%'):format(100 * M.efficiency(work, 1 << k, a, link)) end
    print(('| %d | %s |'):format(1 << k, table.concat(cells, ' | ')))
  end
  for _, a in ipairs(M.algorithms) do print(('%s: 90 %% or more up to %d ranks'):format(a, M.scales_to(work, a, link, 0.9, 1024))) end
end

-- Options as numbers: {alpha =, beta =, forward =, backward =, buckets = "8e6,25e6"}.
local function read_options(list)
  local given = { buckets = {} }
  for i = 1, #list, 2 do
    local key, value = list[i]:match '^%-%-(%a+)$', list[i + 1]
    if key == 'buckets' then
      for bytes in value:gmatch '[^,]+' do table.insert(given.buckets, { bytes = tonumber(bytes) }) end
    elseif ({ alpha = 1, beta = 1, forward = 1, backward = 1 })[key] and tonumber(value) then
      given[key] = tonumber(value)
    else
      error(("option %s: expected --measure, or numbers after --alpha, --beta, --forward, --backward, --buckets"):format(list[i]), 0)
    end
  end
  for _, key in ipairs { 'alpha', 'beta', 'forward', 'backward' } do
    if not given[key] then error('option --' .. key .. ' is missing', 0) end
  end
  -- backward passes over the bytes evenly
  local all, so_far = 0, 0
  for _, b in ipairs(given.buckets) do all = all + b.bytes end
  for _, b in ipairs(given.buckets) do
    so_far = so_far + b.bytes
    b.ready = so_far / all
  end
  return given
end

if arg and arg[0] and arg[0]:find 'simulate_scaling%.lua$' and arg[1] then
  local link, work, rank
  if arg[1] == '--measure' then
    link, work, rank = measure()
  else
    work = read_options(arg)
    link = work
  end
  if (rank or 0) == 0 then M.report(link, work, print) end
end
return M
