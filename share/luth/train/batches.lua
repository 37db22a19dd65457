-- Batches of a recipe's data, of which each rank reads its share, and loss and metrics over them.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local metrics = require 'luth.train.metrics'
local measures = require 'luth.train.measures'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local streams = require 'luth.data.streams'
local warnings = require 'luth.train.warnings'

local M = {}

-- `device`: where the batches go.
function M.loader(r, dataset, training, device)
  return data.DataLoader(dataset, {
    batch_size = r.batch, shuffle = training and not streams.is_stream(dataset), num_workers = r.workers, seed = r.seed, collate_fn = r.collate,
    on_error = r.on_error, pin_memory = device.type == 'cuda', num_replicas = ranks.size, rank = ranks.rank,
  })
end

-- Notes in `part` this rank's part of a batch of n samples, as the loader divides it: how many samples count here, and the weight
-- of their mean in that of the batch. A small batch is whole on all ranks, and counts on rank 0.
local function divide(part, n)
  local rank, size = ranks.rank, ranks.size
  part.all = n
  if size == 1 then
    part.own, part.weight = n, 1
  elseif n < 2 * size then
    part.own, part.weight = rank == 0 and n or 0, 1 / size
  else
    part.own = (n - rank + size - 1) // size
    part.weight = part.own / n
  end
end

--- Batches of an epoch; as good as infinitely many of a stream whose length is not known.
function M.count(loader)
  return streams.count(loader.dataset) and #loader or math.maxinteger
end

--- "64 samples", or "64 train samples"
function M.samples_text(dataset, part)
  local n, word = streams.count(dataset), (part and part .. ' ' or '') .. 'sample'
  return n and progress.plural(n, word) or 'a stream of ' .. word .. 's'
end

--- Whether there is nothing to read.
function M.is_empty(dataset) return streams.count(dataset) == 0 end

-- Calls f(part, batch) with the values of each batch, in a table with n, from number `from` (0: all) to number `to`, until it returns
-- true. `part.number` is the number of the batch, from 1, and `part` the same table each time; batches without a sample that can be
-- read are left out. `failed`, where it is given, gets the text of an error of the data, which it raises, and the random state
-- before that batch. Returns whether the data ended before.
function M.each(loader, from, to, f, failed)
  local stream, count, part = streams.is_stream(loader.dataset), streams.count(loader.dataset), {}
  local may_skip = not stream and loader.on_error == 'skip'
  local size, nextbatch, number, min = loader.batch_size, loader:batches(from), from, math.min
  local function read() return table.pack(nextbatch()) end
  while number < to do
    local random, good, batch = failed and torch.get_rng_state(), true, nil
    if failed then good, batch = pcall(read) else batch = read() end
    if not good then failed(batch, random) end
    number = may_skip and loader.position or number + 1
    if batch[1] == nil or number > to then return true end
    divide(part, stream and loader.last_size or min(size, count - (number - 1) * size))
    part.number = number
    if f(part, batch) then return false end
  end
  return false
end

-- Does not wait for the copies: work that uses them comes after them in the stream.
local function to_device(batch, device)
  if native.are_on(batch, device) then return batch end
  for i = 1, batch.n do
    local value = batch[i]
    if torch.is_tensor(value) then batch[i] = value:to(device, true) end
  end
  return batch
end

-- The values of a batch, in a table with n, as model and loss see them.
function M.prepare(r, device, batch)
  batch = to_device(batch, device)
  if r.transform then batch = table.pack(r.transform(table.unpack(batch, 1, batch.n))) end
  return batch
end

-- The same values for training: what is random in a transform of batches is a function of (seed, epoch, batch).
function M.augment(trainer, batch)
  local r = trainer.recipe
  local change = r.augment
  if not change then return batch end
  if type(change) == 'table' and change.set_batch then change:set_batch(r.seed, trainer.epoch - 1, trainer.batch) end
  return table.pack(change(table.unpack(batch, 1, batch.n)))
end

-- {name, metric} for the loss and the metrics of a recipe.
local function measured(trainer)
  local list = metrics.make(trainer.recipe.metrics, measures.takes_labels(trainer.loss))
  if trainer.loss then table.insert(list, 1, metrics.loss(trainer.loss)) end
  return list
end

-- The names of what M.evaluate measures.
function M.names(trainer)
  local names = {}
  for i, m in ipairs(measured(trainer)) do names[i] = m.name end
  return names
end

-- What outputs and targets add to each of a list of metrics.
local function add_to(list, output, target)
  for _, m in ipairs(list) do
    errors.attempt(nil, string.format("metric '%s': ", m.name), m.metric.add, output, target)
  end
end

-- Loss and metrics of outputs and targets that are there, as M.evaluate gives them.
function M.values(trainer, output, target)
  local list = measured(trainer)
  add_to(list, output:to(trainer.device), target:to(trainer.device))
  return metrics.values(list)
end

--- Calls f(batch, output, target) with what `model` makes of each batch of a dataset, or of its first `most` (0: all), until it
--- returns true. The last value of a batch is the target, those before it the inputs. Of several ranks each has its share.
--- Returns the loader, which knows what could not be read.
function M.each_output(trainer, model, dataset, most, f)
  model:eval()
  local _ <close> = torch.no_grad()
  local _ <close> = trainer:precision()
  local loader = M.loader(trainer.recipe, dataset, false, trainer.device)
  M.each(loader, 0, (most or 0) > 0 and most or M.count(loader), function(part, batch)
    if part.own == 0 and not trainer.shards then return end  -- rank 0 needs the others' parts of the model
    batch = M.prepare(trainer.recipe, trainer.device, batch)
    local output = model(table.unpack(batch, 1, batch.n - 1))
    return part.own > 0 and f(batch, output, batch[batch.n])
  end)
  warnings.left_out(trainer, loader)
  return loader
end

-- Loss and metrics of `model` over a dataset, or its first `most` batches (0: all), as a list of {name, value, whether smaller is
-- better}, the same on all ranks. `keep` gets outputs and targets of each batch. Empty for a recipe that names neither loss nor
-- metrics.
function M.evaluate(trainer, model, dataset, most, keep)
  local list = measured(trainer)
  if #list == 0 and not keep then return {} end
  M.each_output(trainer, model, dataset, most, function(_, output, target)
    add_to(list, output, target)
    if keep then keep(output, target) end
  end)
  return metrics.values(list)
end

return M
