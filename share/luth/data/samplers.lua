-- Samplers: what gives a DataLoader its positions. A call gives those of one epoch, a list or a tensor, from 1.
local native = require 'luth.native'

local Sampler = {}
Sampler.__index = Sampler
Sampler.__call = function(self) return self.draw() end
Sampler.__len = function(self) return self.n end

local function sampler(n, draw) return setmetatable({ n = n, draw = draw }, Sampler) end

-- Its place is the line that has called this file.
local own = debug.getinfo(1, 'S').source
local function fail(name, text, ...)
  local level = 2
  local function source() return (debug.getinfo(level + 1, 'S') or {}).source end
  while source() == own or source() == '=[C]' do level = level + 1 end
  error(name .. ': ' .. string.format(text, ...), level)
end

-- The settings of a call by name.
local function settings(name, given, known)
  for key in pairs(given or {}) do
    local found = false
    for _, other in ipairs(known) do found = found or key == other end
    if not found then fail(name, "unknown argument '%s'; it has %s", tostring(key), table.concat(known, ', ')) end
  end
  return given or {}
end

local function count(name, what, n)
  if math.type(n) ~= 'integer' or n < 1 then fail(name, '%s is a number of at least 1, got %s', what, tostring(n)) end
  return n
end

local M = {}

function M.SequentialSampler(ds)
  return sampler(#ds, function() return torch.arange(1, #ds + 1) end)
end

function M.RandomSampler(ds, options)
  local o = settings('RandomSampler', options, { 'replacement', 'num_samples', 'generator' })
  local n = count('RandomSampler', 'num_samples', o.num_samples or #ds)
  if not o.replacement and n > #ds then fail('RandomSampler', 'num_samples is %d, and there are %d samples', n, #ds) end
  return sampler(n, function()
    if o.replacement then return torch.randint(1, #ds + 1, { n }, { generator = o.generator or torch.none }) end
    return torch.randperm(#ds, { generator = o.generator or torch.none }):narrow(1, 1, n)
  end)
end

function M.SubsetRandomSampler(indices, options)
  local o = settings('SubsetRandomSampler', options, { 'generator' })
  local all = torch.is_tensor(indices) and indices or torch.tensor(indices)
  return sampler(#all, function() return all:index_select(1, torch.randperm(#all, { generator = o.generator or torch.none })) end)
end

function M.WeightedRandomSampler(weights, num_samples, options)
  local o = settings('WeightedRandomSampler', options, { 'replacement', 'generator' })
  local w = torch.is_tensor(weights) and weights or torch.tensor(weights)
  if w:dim() ~= 1 then fail('WeightedRandomSampler', 'weights are a list, one for each sample, got %s', tostring(w:size())) end
  local n, replacement = count('WeightedRandomSampler', 'num_samples', num_samples or #w), o.replacement ~= false
  return sampler(n, function() return torch.multinomial(w:double(), n, replacement, { generator = o.generator or torch.none }) end)
end

local function list_of(positions) return torch.is_tensor(positions) and positions:tolist() or positions end

-- Parts of `size` of a list; the last may be smaller.
local function parts_of(list, size, drop_last)
  local parts = {}
  for i = 1, #list, size do
    local last = math.min(i + size - 1, #list)
    if last - i + 1 == size or not drop_last then parts[#parts + 1] = table.move(list, i, last, 1, {}) end
  end
  return parts
end

function M.BatchSampler(of, batch_size, drop_last)
  count('BatchSampler', 'batch_size', batch_size)
  local n = drop_last and #of // batch_size or (#of + batch_size - 1) // batch_size
  return sampler(n, function()
    local positions = type(of) == 'table' and getmetatable(of) == nil and of or of()
    return parts_of(list_of(positions), batch_size, drop_last)
  end)
end

function M.BucketBatchSampler(lengths, batch_size, options)
  local o = settings('BucketBatchSampler', options, { 'shuffle', 'drop_last', 'generator' })
  count('BucketBatchSampler', 'batch_size', batch_size)
  local all = torch.is_tensor(lengths) and lengths or torch.tensor(lengths)
  local n = o.drop_last and #all // batch_size or (#all + batch_size - 1) // batch_size
  return sampler(n, function()
    local by_chance = o.shuffle == false and torch.arange(1, #all + 1) or torch.randperm(#all, { generator = o.generator or torch.none })
    local _, order = all:index_select(1, by_chance):sort(1, false, { stable = true })  -- equal lengths in random order
    local batches = parts_of(by_chance:index_select(1, order):tolist(), batch_size, o.drop_last)
    if o.shuffle == false then return batches end
    local mixed = {}
    for i, k in ipairs(torch.randperm(#batches, { generator = o.generator or torch.none }):tolist()) do mixed[i] = batches[k] end
    return mixed
  end)
end

-- ---- parts of datasets ----

local function generator_of(seed)
  if seed == nil then return nil end
  local g = torch.Generator()
  g:manual_seed(seed)
  return g
end

function M.k_fold(ds, k, options)
  local o = settings('k_fold', options, { 'shuffle', 'seed' })
  if math.type(k) ~= 'integer' or k < 2 or k > #ds then fail('k_fold', 'k is 2 to %d, the number of samples, got %s', #ds, tostring(k)) end
  local order = o.shuffle == false and torch.arange(1, #ds + 1) or torch.randperm(#ds, { generator = generator_of(o.seed) or torch.none })
  order = order:tolist()
  local folds, at = {}, 0
  for fold = 1, k do
    local size = #order // k + (fold <= #order % k and 1 or 0)
    local held = table.move(order, at + 1, at + size, 1, {})
    local rest = table.move(order, 1, at, 1, {})
    table.move(order, at + size + 1, #order, at + 1, rest)
    folds[fold] = { train = data.Subset(ds, rest), val = data.Subset(ds, held) }
    at = at + size
  end
  return folds
end

-- The labels: those given, or the last value of each sample.
local function labels_of(ds, given)
  if given then return list_of(given) end
  local labels = {}
  for i = 1, #ds do
    local sample = table.pack(ds:get(i))
    local label = sample[sample.n]
    if torch.is_tensor(label) then
      if label:numel() ~= 1 then fail('stratified_split', 'sample %d has no label in last place, but %s; give {labels = …}', i, tostring(label:size())) end
      label = label:item()
    end
    labels[i] = label
  end
  return labels
end

function M.stratified_split(ds, shares, options)
  local o = settings('stratified_split', options, { 'labels', 'seed' })
  local total = 0
  for _, share in ipairs(shares) do total = total + share end
  if #shares < 1 or math.abs(total - 1) > 1e-6 then fail('stratified_split', 'the shares add up to 1, not to %g', total) end
  local labels, of_label, order = labels_of(ds, o.labels), {}, {}
  if #labels ~= #ds then fail('stratified_split', 'there are %d labels for %d samples', #labels, #ds) end
  for _, i in ipairs(torch.randperm(#ds, { generator = generator_of(o.seed) or torch.none }):tolist()) do
    local label = labels[i]
    if not of_label[label] then
      of_label[label] = {}
      order[#order + 1] = label
    end
    table.insert(of_label[label], i)
  end
  table.sort(order, function(a, b) if type(a) == 'boolean' then return b and not a end return a < b end)
  local parts = {}
  for p = 1, #shares do parts[p] = {} end
  for _, label in ipairs(order) do
    local list, sum, at = of_label[label], 0, 0
    for p, share in ipairs(shares) do
      sum = sum + share
      local to = p == #shares and #list or math.floor(sum * #list + 0.5)
      table.move(list, at + 1, to, #parts[p] + 1, parts[p])
      at = to
    end
  end
  for p, list in ipairs(parts) do parts[p] = data.Subset(ds, list) end
  return table.unpack(parts)
end

-- ---- several datasets beside each other ----

local Stack = {}
Stack.__index = Stack
Stack.__len = function(self) return #self[1] end
function Stack:get(i)
  local values, n = {}, 0
  for _, ds in ipairs(self) do
    local sample = table.pack(ds:get(i))
    table.move(sample, 1, sample.n, n + 1, values)
    n = n + sample.n
  end
  return table.unpack(values, 1, n)
end

-- What the parts have learned, by their places; nil where none has.
function Stack:state_dict()
  local states = {}
  for i, ds in ipairs(self) do states['part_' .. i] = ds.state_dict and ds:state_dict() end
  return next(states) and states
end
function Stack:load_state_dict(states)
  for i, ds in ipairs(self) do
    local state = states['part_' .. i]
    if state then ds:load_state_dict(state) end
  end
end

function M.StackDataset(...)
  local all = { ... }
  for _, ds in ipairs(all) do
    if native.kind(ds) ~= 'dataset' then fail('StackDataset', 'expects datasets (with a length and get(i)), got a %s', native.kind(ds)) end
    if #ds ~= #all[1] then fail('StackDataset', 'the datasets have %d and %d samples', #all[1], #ds) end
  end
  if #all == 0 then fail('StackDataset', 'expects datasets') end
  return setmetatable(all, Stack)
end

return M
