-- scripts/simulate_scaling.lua: closed forms of simple cases, its measuring, and its table.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local script = (os.getenv 'LUTH_SOURCE' or '.') .. '/scripts/simulate_scaling.lua'
local sim = dofile(script)
local link = { alpha = 1e-4, beta = 1e-9 }
local function near(a, b, what) t:assert(math.abs(a - b) <= 1e-9 * math.abs(b), ('%s: %.12g, expected %.12g'):format(what, a, b)) end

function s.costs()
  local bytes = 1e6
  near(sim.costs.ring(4, bytes, link), 6 * 1e-4 + 1.5 * 1e-3, 'ring of 4')
  near(sim.costs.tree(4, bytes, link), 4 * (1e-4 + 1e-3), 'tree of 4')
  near(sim.costs.tree(5, bytes, link), 6 * (1e-4 + 1e-3), 'tree of 5')
  near(sim.costs['halving-doubling'](4, bytes, link), 4 * 1e-4 + 1.5 * 1e-3, 'halves of 4')
  near(sim.costs['halving-doubling'](6, bytes, link), 4 * 1e-4 + 1.5 * 1e-3 + 2 * (1e-4 + 1e-3), 'halves of 6')
  for _, a in ipairs(sim.algorithms) do near(sim.costs[a](2, bytes, link), 2 * 1e-4 + (a == 'tree' and 2 or 1) * 1e-3, a .. ' of 2') end
end

function s.steps()
  -- one bucket, full when backward ends: nothing overlaps
  local work = { forward = 1, backward = 2, buckets = { { bytes = 1e9, ready = 1 } } }
  near(sim.step(work, 1, 'ring', link), 3, 'alone')
  near(sim.step(work, 2, 'ring', link), 3 + 2e-4 + 1, 'no overlap')
  near(sim.efficiency(work, 2, 'ring', link), 3 / (3 + 2e-4 + 1), 'efficiency')
  -- full at half of backward: hidden but for what is left; two buckets go one after the other
  work.buckets = { { bytes = 0.5e9, ready = 0.5 } }
  near(sim.step(work, 2, 'ring', link), 3, 'hidden')
  work.buckets = { { bytes = 2e9, ready = 0.5 }, { bytes = 1e9, ready = 0.6 } }
  near(sim.step(work, 2, 'ring', link), 2 + 3 + 4e-4, 'in order')
  -- the slower of more ranks: alpha counts with each, so a ring's efficiency falls; where it ends follows from the formula
  work = { forward = 0, backward = 1, buckets = { { bytes = 0, ready = 1 } } }
  t:eq(sim.scales_to(work, 'ring', { alpha = 1e-3, beta = 0 }, 0.9, 1024), 32)  -- 1 / (1 + 62e-3), 1 / (1 + 126e-3)
  t:eq(sim.scales_to(work, 'tree', { alpha = 1e-2, beta = 0 }, 0.9, 1024), 32)  -- 1 / (1 + 10e-2), 1 / (1 + 12e-2)
  t:eq(sim.scales_to(work, 'ring', { alpha = 1, beta = 0 }, 0.9, 1024), 1)
end

function s.fits()
  local samples = {}
  for _, bytes in ipairs { 4, 1e4, 1e6, 1e8 } do
    samples[#samples + 1] = { bytes = bytes, seconds = sim.costs.ring(8, bytes, link) }
  end
  local found = sim.fit(8, samples)
  t:assert(math.abs(found.alpha / link.alpha - 1) < 1e-6 and math.abs(found.beta / link.beta - 1) < 1e-6, 'the constants again')
end

-- The buckets are those of DistributedDataParallel: a first one of 1 MiB, later ones of the cap.
function s.plans()
  local mb = 1 << 20
  local arrivals = {}
  for i = 1, 7 do arrivals[i] = { bytes = mb // 2, ready = i / 7 } end
  local sizes = {}
  for i, b in ipairs(sim.plan(arrivals, 2 * mb)) do sizes[i] = b.bytes / mb end
  t:eq(sizes, { 1.0, 2.0, 0.5 })
  near(sim.plan(arrivals, 2 * mb)[2].ready, 6 / 7, 'ready')
end

function s.measures()
  if n == 1 then return end
  local found, samples = sim.measure_link(1 << 16, 3)
  t:eq(#samples, 4)
  t:assert(found.alpha + found.beta > 0 and found.alpha < 10, 'seconds')
end

function s.measuresWork()
  local net = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
  local work = sim.measure_work(net, torch.randn(256, 64), torch.randint(1, 11, { 256 }), 3, 1 << 20)
  local bytes, before = 0, 0
  for _, b in ipairs(work.buckets) do
    bytes = bytes + b.bytes
    t:assert(b.ready >= before and b.ready <= 1.01, 'in order')
    before = b.ready
  end
  t:eq(bytes, 4 * (64 * 512 + 512 + 512 * 512 + 512 + 5130))
  t:assert(work.forward > 0 and work.backward > 0, 'seconds')
end

function s.prints()
  if rank > 0 then return end
  local lines = {}
  local old = arg
  arg = { [0] = script, '--alpha', '1e-3', '--beta', '1e-9', '--forward', '1', '--backward', '2', '--buckets', '1e8,3e8' }
  local env = setmetatable({ print = function(line) lines[#lines + 1] = line end, arg = arg }, { __index = _G })
  assert(loadfile(script, 't', env))()
  t:assert(table.concat(lines, '\n'):find('buckets, full after that share of backward: 100.0 MB at 25 %, 300.0 MB at 100 %', 1, true), lines[2])
  t:eq(lines[5], ('| 2 | %.1f %% | %.1f %% | %.1f %% |'):format(100 * 3 / 3.302, 100 * 3 / 3.602, 100 * 3 / 3.302))
  t:assert(lines[#lines]:find('^halving%-doubling: 90 %% or more up to 2 ranks'), lines[#lines])
  env.arg = { [0] = script, '--alpha', 'x' }
  t:fails(function() assert(loadfile(script, 't', env))() end, 'option --alpha: expected --measure')
  env.arg = { [0] = script, '--alpha', '1' }
  t:fails(function() assert(loadfile(script, 't', env))() end, 'option --beta is missing')
  arg = old
end

t:add(s)
t:run()
dist.destroy_process_group()
