-- Programs of datasets and loaders: workers, samplers, batches that are left early, collation and samples that fail.
local values = require 'values'
local random, one_of, chance = math.random, values.one_of, values.chance
local M = {}

-- ---- Datasets --------------------------------------------------------------------------------------------------------

local Script = data.class('FuzzScript')
function Script:init(n, f) self.n, self.f = n, f end
function Script:len() return self.n end
function Script:get(i) return self.f(i) end

local function tensors(run)
  local n, list = random(0, 12), {}
  for i = 1, random(2) do
    local shape = {n, table.unpack(one_of {{}, {2}, {0}, {3, 1}})}
    if chance(12) then shape[1] = n + 1 end
    list[i] = values.relaid(values.drawn(shape, one_of(values.dtypes)))
    run:keep(list[i])
  end
  return run:call('TensorDataset', data.TensorDataset, table.unpack(list))
end

local function sample_of(run)
  local harm = chance(3) and values.callback(run.pool)
  local bad = random(24)
  return function(i)
    if harm then harm(i) end
    if i == bad then error('no such sample') end
    if i == bad + 1 then return values.value() end
    return torch.full({2}, i), i
  end
end

local dataset
local makers = {
  tensors, tensors,
  function(run) return run:call('Script', Script, chance(8) and values.of_kind('integer') or random(0, 12), sample_of(run)) end,
  function(run)
    local ok, of = dataset(run)
    if not ok then return false end
    local list = {}
    for i = 1, random(0, 6) do list[i] = chance(12) and values.of_kind('integer') or random(5) end
    return run:call('Subset', data.Subset, of, list)
  end,
  function(run)
    local ok, a = dataset(run)
    local more, b = dataset(run)
    if not (ok and more) then return false end
    return run:call('ConcatDataset', data.ConcatDataset, {a, b})
  end,
  function(run)
    local ok, of = dataset(run)
    if not ok then return false end
    local n = random(0, 6)
    return run:call('random_split', data.random_split, of, chance(2) and {n, #of - n} or {0.5, 0.5})
  end,
}
function dataset(run) return one_of(makers)(run) end

-- ---- Loaders ---------------------------------------------------------------------------------------------------------

local function positions(n)
  local list = {}
  for i = 1, random(0, 8) do list[i] = chance(16) and values.of_kind('integer') or random(math.max(1, n)) end
  return list
end

local function settings(run, n)
  local s = {batch_size = chance(6) and values.of_kind('integer') or random(4), drop_last = chance(3) or nil,
    num_workers = one_of {0, 0, 0, 1, 2, 3}, prefetch_factor = chance(4) and values.of_kind('integer') or nil}
  if s.num_workers and chance(64) then s.num_workers = values.of_kind('integer') end
  local order = random(5)
  if order == 1 then s.shuffle = true
  elseif order == 2 then s.sampler = positions(n)
  elseif order == 3 then s.sampler = function() return chance(8) and values.value() or positions(n) end
  elseif order == 4 then
    s.batch_size, s.drop_last, s.batch_sampler = nil, nil, {}
    for i = 1, random(0, 4) do s.batch_sampler[i] = positions(n) end
  end
  if chance(4) then
    local harm = values.callback(run.pool)
    s.collate_fn = function(samples) return harm(samples) end
  end
  if chance(4) then s.seed = values.of_kind('integer') end
  return s
end

-- A loop over the loader, that may end early; within it another.
local function loop(run, loader, of, depth)
  local stop, count = chance(3) and random(3), 0
  for x in loader do
    count = count + 1
    run:keep(x)
    if chance(12) then run:call('harm', values.harm, run.pool) end
    if depth < 2 and chance(8) then loop(run, loader, of, depth + 1) end
    if count == stop or count > 40 then break end
  end
end

local uses = {
  function(run, loader, of) run:call('loop', loop, run, loader, of, 1) end,
  function(run, loader, of) run:call('loop', loop, run, loader, of, 1) end,
  function(run, loader) run:call('length', function() return #loader end) end,
  function(run, loader) run:method(loader, 'set_epoch', values.of_kind('integer')) end,
  function(run, loader)
    run:call('batches', function()
      local n = 0
      for _ in loader:batches(one_of {0, 1, 2, values.of_kind('integer')}) do
        n = n + 1
        if n > 20 then break end
      end
    end)
  end,
  function(run, loader)  -- a loop in a coroutine that nobody ends
    local step = coroutine.wrap(function()
      for x in loader do coroutine.yield(x) end
    end)
    run:call('coroutine', function() return step(), step() end)
  end,
  function(run, _, of) run:method(of, 'get', chance(2) and values.of_kind('integer') or random(12)) end,
}

function M.program(run)
  local ok, of = dataset(run)
  if not ok then return end
  local n = 12
  pcall(function() n = #of end)
  local made, loader = run:call('DataLoader', data.DataLoader, of, settings(run, n))
  for _ = 1, made and random(4) or 0 do one_of(uses)(run, loader, of) end
end

return M
