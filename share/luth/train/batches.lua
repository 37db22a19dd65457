-- Batches of a recipe's data, of which each rank reads its share, and loss and metrics over them.
local metrics = require 'luth.train.metrics'
local ranks = require 'luth.train.ranks'

local M = {}

-- `device`: where the batches go.
function M.loader(r, dataset, training, device)
  return data.DataLoader(dataset, {
    batch_size = r.batch, shuffle = training, num_workers = r.workers, seed = r.seed, collate_fn = r.collate,
    pin_memory = device.type == 'cuda', num_replicas = ranks.size, rank = ranks.rank,
  })
end

-- This rank's part of a batch of n samples, as the loader divides it: how many samples count here, and the weight of
-- their mean in that of the batch. A small batch is whole on all ranks, and counts on rank 0.
local function part_of(n)
  if n < 2 * ranks.size then return { all = n, own = ranks.rank == 0 and n or 0, weight = 1 / ranks.size } end
  local own = (n - ranks.rank + ranks.size - 1) // ranks.size
  return { all = n, own = own, weight = own / n }
end

-- Calls f(part, …) with each batch from number `from` on (0: all).
function M.each(loader, from, f)
  local nextbatch, left = loader:batches(from), #loader.dataset - from * loader.batch_size
  while true do
    local batch = table.pack(nextbatch())
    if batch[1] == nil then return end
    local part = part_of(math.min(loader.batch_size, left))
    left = left - part.all
    f(part, table.unpack(batch, 1, batch.n))
  end
end

-- Does not wait for the copies: work that uses them comes after them in the stream.
local function to_device(batch, device)
  for i = 1, batch.n do
    if torch.is_tensor(batch[i]) then batch[i] = batch[i]:to(device, { non_blocking = true }) end
  end
  return batch
end

-- The values of a batch as model and loss see them, in a table with n.
function M.prepare(r, device, ...)
  local batch = to_device(table.pack(...), device)
  if r.transform then batch = table.pack(r.transform(table.unpack(batch, 1, batch.n))) end
  return batch
end

-- Loss and metrics of `model` over a dataset, as a list of {name, value}, the same on all ranks. The last value of a batch
-- is the target, those before it the inputs. Empty for a recipe that names neither.
function M.evaluate(trainer, model, dataset)
  local r = trainer.recipe
  local list = metrics.make(r.metrics)
  if trainer.loss then table.insert(list, 1, { name = 'loss', metric = metrics.of_function(trainer.loss) }) end
  if #list == 0 then return {} end
  model:eval()
  local _ <close> = torch.no_grad()
  local _ <close> = trainer:precision()
  M.each(M.loader(r, dataset, false, trainer.device), 0, function(part, ...)
    if part.own == 0 and not trainer.shards then return end  -- rank 0 needs the others' parts of the model
    local batch = M.prepare(r, trainer.device, ...)
    local target = batch[batch.n]
    local output = model(table.unpack(batch, 1, batch.n - 1))
    for _, m in ipairs(part.own > 0 and list or {}) do m.metric.add(output, target) end
  end)
  return metrics.values(list)
end

return M
