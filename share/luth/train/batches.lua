-- Batches of a recipe's data, and loss and metrics over them.
local metrics = require 'luth.train.metrics'

local M = {}

-- `device`: where the batches go.
function M.loader(r, dataset, training, device)
  return data.DataLoader(dataset, {
    batch_size = r.batch, shuffle = training, num_workers = r.workers, seed = r.seed, collate_fn = r.collate,
    pin_memory = device.type == 'cuda',
  })
end

-- Calls f with each batch from number `from` on (0: all).
function M.each(loader, from, f)
  local nextbatch = loader:batches(from)
  while true do
    local batch = table.pack(nextbatch())
    if batch[1] == nil then return end
    f(table.unpack(batch, 1, batch.n))
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

-- Loss and metrics of `model` over a dataset, as a list of {name, value}. The last value of a batch is the target, those
-- before it the inputs. Empty for a recipe that names neither.
function M.evaluate(trainer, model, dataset)
  local r = trainer.recipe
  local list = metrics.make(r.metrics)
  local total, n = nil, 0
  if not trainer.loss and #list == 0 then return {} end
  model:eval()
  local _ <close> = torch.no_grad()
  local _ <close> = trainer:precision()
  M.each(M.loader(r, dataset, false, trainer.device), 0, function(...)
    local batch = M.prepare(r, trainer.device, ...)
    local target = batch[batch.n]
    local output = model(table.unpack(batch, 1, batch.n - 1))
    if trainer.loss then
      local l = trainer.loss(output, target):double() * #target
      total = total and total:add_(l) or l
    end
    n = n + #target
    for _, m in ipairs(list) do m.metric.add(output, target) end
  end)
  local results = {}
  if total then results[1] = { 'loss', total:item() / n } end
  for _, m in ipairs(list) do results[#results + 1] = { m.name, m.metric.value() } end
  return results
end

return M
