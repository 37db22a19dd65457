-- A step of a recipe that asks for model, loss and one optimizer alone, on the CPU: what Trainer:run_batch does, with all of it looked
-- up before. Beside a step of 1 ms each look into a table that the step has driven out of the cache counts.
local native = require 'luth.native'
local bad_loss = require 'luth.train.bad_loss'

local M = {}
local are_on, is_tensor = native.are_on, torch.is_tensor

-- A callback of a step may give the trainer another loss or optimizer, and a profile another run_batch.
local function is_plain(t)
  local r = t.recipe
  if r.step or r.transform or r.augment or r.accumulate > 1 or r.clip > 0 or r.ema > 0 or r.on_nan ~= 'stop' then return false end
  if t.amp or t.replicas or t.shards or t.schedule_per_step or not t.reads_loss or t.events.on_step then return false end
  return rawget(t, 'run_batch') == nil and t.loss ~= nil and t.optimizer ~= nil and type(t.optimizer) ~= 'table'
end

--- f(part, batch), which returns the loss of the batch; nil for a trainer that has more to do.
function M.of(t)
  if not is_plain(t) then return nil end
  local model, loss, optimizer, device, log_every = t.model, t.loss, t.optimizer, t.device, t.recipe.log_every
  t.bad_in_a_row = 0
  return function(part, batch)
    local step, x = t.step, batch[1]
    if step == 0 or batch.n ~= 2 or not are_on(batch, device) then return t:run_batch(part, true, batch) end
    local result = loss(model(x), batch[2])
    if not is_tensor(result) then return t:run_batch(part, true, batch) end  -- which says so
    local value, size = result:item(), #x
    if value - value ~= 0 then return bad_loss.meet(t, batch, value) end
    result:backward()
    if size > 0 then t.sum, t.count = value * size + (t.sum or 0), size + (t.count or 0) end
    step = step + 1
    if step % log_every == 0 then t.norm = t:clip(0) end
    optimizer:step()
    optimizer:zero_grad()
    t.batch, t.step = part.number, step
    return result
  end
end

return M
