-- Samplers of loaders, and parts of datasets.
local x = torch.arange(10)
local ds = data.TensorDataset(x, torch.tensor { 1, 1, 1, 1, 1, 1, 2, 2, 2, 2 })
local function read(options)
  local list, sizes = {}, {}
  for a in data.DataLoader(ds, options) do
    sizes[#sizes + 1] = #a
    for _, v in ipairs(a:tolist()) do list[#list + 1] = v end
  end
  return list, sizes
end
local function sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return table.concat(copy, ' ')
end
local all = '0 1 2 3 4 5 6 7 8 9'

torch.manual_seed(1)
assert(table.concat(read { sampler = data.SequentialSampler(ds), batch_size = 4 }, ' ') == all)
local first, second = read { sampler = data.RandomSampler(ds), batch_size = 4 }, read { sampler = data.RandomSampler(ds), batch_size = 4 }
assert(sorted(first) == all and sorted(second) == all and table.concat(first, ' ') ~= table.concat(second, ' '))
assert(#read { sampler = data.RandomSampler(ds, { replacement = true, num_samples = 30 }), batch_size = 7 } == 30)
assert(#read { sampler = data.RandomSampler(ds, { num_samples = 3 }) } == 3)
assert(sorted(read { sampler = data.SubsetRandomSampler { 3, 5 } }) == '2 4')

local weights = torch.zeros(10)
weights[2], weights[9] = 1, 3
local counts = { [1] = 0, [8] = 0 }
for _, v in ipairs(read { sampler = data.WeightedRandomSampler(weights, 4000), batch_size = 1000 }) do counts[v] = counts[v] + 1 end
assert(counts[8] / counts[1] > 2.6 and counts[8] / counts[1] < 3.4, counts[8] / counts[1])
assert(sorted(read { sampler = data.WeightedRandomSampler(weights, 2, { replacement = false }) }) == '1 8')

local list, sizes = read { batch_sampler = data.BatchSampler(data.SequentialSampler(ds), 4) }
assert(table.concat(list, ' ') == all and table.concat(sizes, ' ') == '4 4 2')
assert(#data.BatchSampler(data.SequentialSampler(ds), 4, true) == 2)
local lengths = { 9, 1, 8, 2, 7, 3, 6, 4, 5, 5 }
local batches = data.BucketBatchSampler(lengths, 5)()
for _, batch in ipairs(batches) do
  local least, most = 99, 0
  for _, i in ipairs(batch) do least, most = math.min(least, lengths[i]), math.max(most, lengths[i]) end
  assert(most - least <= 4, most - least)
end
assert(sorted(read { batch_sampler = data.BucketBatchSampler(lengths, 3) }) == all)

local seen = {}
for _, fold in ipairs(data.k_fold(ds, 3, { seed = 5 })) do
  assert(#fold.train + #fold.val == 10)
  for i = 1, #fold.val do seen[#seen + 1] = fold.val:get(i):item() end
end
assert(sorted(seen) == all)
local a, b = data.stratified_split(ds, { 0.5, 0.5 }, { seed = 1 })
local function ones(part)
  local n = 0
  for i = 1, #part do n = n + (select(2, part:get(i)):item() == 1 and 1 or 0) end
  return n
end
assert(#a == 5 and #b == 5 and ones(a) == 3 and ones(b) == 3)
local both = data.StackDataset(ds, data.TensorDataset(x * 2))
assert(#both == 10 and select('#', both:get(4)) == 3 and select(3, both:get(4)):item() == 6)
for p, _, q in data.DataLoader(both, { batch_size = 10 }) do assert(torch.equal(p * 2, q)) end

local function fails(part, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and why:find(part, 1, true), tostring(why))
end
fails('num_samples is 11', data.RandomSampler, ds, { num_samples = 11 })
fails("unknown argument 'replace'", data.RandomSampler, ds, { replace = true })
fails('weights are a list', data.WeightedRandomSampler, torch.ones(2, 2), 3)
fails('batch_size is a number', data.BatchSampler, data.SequentialSampler(ds), 0)
fails('k is 2 to 10', data.k_fold, ds, 11)
fails('add up to 1', data.stratified_split, ds, { 0.5, 0.2 })
-- truth values are labels too; a sample without a label, and a wrong call, are told at the line of the call
local halves = table.pack(data.stratified_split(data.TensorDataset(torch.ones(10, 2), torch.arange(10):lt(4)), { 0.5, 0.5 }, { seed = 1 }))
for _, half in ipairs(halves) do
  local yes = 0
  for i = 1, #half do yes = yes + (select(2, half:get(i)):item() and 1 or 0) end
  assert(#half == 5 and yes == 2)
end
fails('sample 1 has no label in last place', data.stratified_split, data.TensorDataset(torch.ones(4, 3)), { 0.5, 0.5 })
local _, why = pcall(function() local s = data.RandomSampler(ds, { replace = true }) return s end)
assert(why:find 'samplers.lua:%d+: RandomSampler: unknown' and not why:find 'share', why)
fails('expects datasets (with a length and get(i)), got a number', data.StackDataset, ds, 3)
fails('10 and 3 samples', data.StackDataset, ds, data.TensorDataset(torch.ones(3)))
print 'ok'
