-- The loop around a recipe: steps, epochs, checkpoints. A run that is stopped, by Ctrl-C or by a kill, goes on bit for
-- bit: a checkpoint holds model, optimizer, schedule, random state, loader position and the sums of the epoch.
-- On several ranks each does this loop with its share of each batch; ranks.lua and replicas.lua keep them together.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local checkpoint = require 'luth.train.checkpoint'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local recipes = require 'luth.train.recipe'
local Replicas = require 'luth.train.replicas'
local run_folder = require 'luth.train.run_folder'
local Shards = require 'luth.train.shards'

local Trainer = {}
Trainer.__index = Trainer

-- ---- Making one -----------------------------------------------------------------------------------------------------

-- Optimizers and schedules, which a recipe gives without their first argument. A table of optimizers is one for `step`.
local function make_optimizers(r, model, fsdp)
  local function one(o)
    if deferred.is(o) then return o:make(model:parameters()) end
    if o and #o.param_groups > 0 and fsdp then
      errors.usage('--fsdp divides the parameters, so the recipe gives its optimizer without them: optim.SGD { lr = 0.1 }')
    end
    if o and #o.param_groups == 0 then o:add_param_group { params = model:parameters() } end  -- of the recipe's own class
    return o
  end
  if type(r.optim) ~= 'table' or deferred.is(r.optim) then return one(r.optim) end
  local all = {}
  for name, o in pairs(r.optim) do all[name] = one(o) end
  return all
end

local per_step = { OneCycleLR = true, CyclicLR = true, CosineAnnealingWarmRestarts = true }
-- The schedule, and whether it steps with each batch.
local function make_schedule(r, optimizer, steps)
  local s = r.schedule
  if not s then return nil end
  if deferred.is(s) then
    local extra = {}
    if s.name == 'OneCycleLR' and not s.named.epochs then extra.total_steps = math.max(1, steps * r.epochs) end
    if s.name == 'CosineAnnealingLR' then extra.T_max = math.max(1, r.epochs) end
    return s:make(optimizer, extra), per_step[s.name] or false
  end
  if native.kind(s) == 'schedule' then
    if not s.optimizer then s:attach(optimizer) end
    return s, s.per_batch or false
  end
  return optim.lr_scheduler.LambdaLR(optimizer, function(epoch) return s(epoch) end), false
end

local function make_ema(model)
  local copy = model:clone()
  copy:requires_grad_(false)
  return copy
end

-- The model as it is trained, and the Shards of --fsdp. `ways` has fsdp and sync_bn.
local function make_model(r, device, ways)
  local model = r.model:to(device)
  if ranks.size == 1 then return model end
  if ways.sync_bn then model = nn.SyncBatchNorm.convert_sync_batchnorm(model) end
  if not ways.fsdp then return model end
  if r.ema > 0 then errors.usage('--fsdp keeps no averaged weights: leave ema at 0') end
  local shards = Shards.new(model)
  return shards.model, shards
end

-- `amp`: the dtype of mixed precision, nil for none. `ways`: see make_model.
function Trainer.new(r, device, amp, ways)
  local t = setmetatable({ recipe = r, device = device, amp = amp, epoch = 1, batch = 0, step = 0, best = nil }, Trainer)
  t.parts = recipes.datasets(r)
  if #t.parts.train == 0 then errors.usage('the training data is empty') end
  t.model, t.shards = make_model(r, device, ways)
  t.loss = r.loss
  if native.kind(t.loss) == 'module' then t.loss:to(device) end
  t.loader = batches.loader(r, t.parts.train, true, device)
  t.steps = (#t.loader + r.accumulate - 1) // r.accumulate
  t.optimizer = make_optimizers(r, t.model, t.shards)
  checkpoint.note_optimizer(t)
  t.schedule, t.schedule_per_step = make_schedule(r, t.optimizer, t.steps)
  checkpoint.note_schedule(t)
  t.ema = r.ema > 0 and make_ema(t.model) or nil
  local c = r.callbacks or {}
  t.on_step, t.on_epoch = c.on_step, { c.on_epoch }
  for _, f in ipairs(c) do t.on_epoch[#t.on_epoch + 1] = f end
  return t
end

function Trainer:save()
  local state = checkpoint.state(self)
  if ranks.rank == 0 then native.save_rotating(state, self.run.dir .. '/ckpt') end
end

-- ---- One step, one epoch --------------------------------------------------------------------------------------------

-- The scope of mixed precision, where it is asked for.
function Trainer:precision() return self.amp and torch.autocast(self.device, { dtype = self.amp }) or nil end

-- The loss of a batch. The last value is the target, those before it the inputs.
function Trainer:forward(batch)
  local _ <close> = self:precision()
  local r = self.recipe
  if not r.step then return self.loss(self.model(table.unpack(batch, 1, batch.n - 1)), batch[batch.n]) end
  local loss = r.step(self.model, batch, self)
  if loss ~= nil and not torch.is_tensor(loss) then
    errors.usage("the recipe's step must return the loss, a tensor of one element, or nothing; got %s", native.kind(loss))
  end
  return loss
end

-- The loss of a batch whose gradients are there afterwards. A `step` that returns nothing has done all by itself, as has
-- one of a recipe without `optim`. `boundary`: an update follows.
function Trainer:forward_backward(batch, boundary)
  local r, loss = self.recipe, self:forward(batch)
  if loss == nil or (r.step and not self.optimizer) then return loss end
  local part = r.accumulate > 1 and loss / r.accumulate or loss
  if self.replicas then self.replicas:backward(part, boundary) else part:backward() end
  return loss
end

function Trainer:clip(most)
  if self.shards then return self.model:clip_grad_norm_(most) end
  nn.utils.clip_grad_norm_(self.model:parameters(), most)
end

function Trainer:update()
  local r, replicas = self.recipe, self.replicas or {}
  if r.clip > 0 then self:clip(r.clip) end
  replicas.averaged = true
  checkpoint.each_optimizer(self.optimizer, function(o)
    o:step()
    o:zero_grad()
  end)
  replicas.averaged = false
  if self.schedule and self.schedule_per_step then self.schedule:step() end
  self.step = self.step + 1
  if self.ema then
    local _ <close> = torch.no_grad()
    local averaged, now = self.ema:parameters(), self.model:parameters()
    for i, p in ipairs(averaged) do p:mul_(r.ema):add_(now[i], { alpha = 1 - r.ema }) end
    local buffers = self.model:buffers()  -- running statistics are averages already
    for i, b in ipairs(self.ema:buffers()) do b:copy_(buffers[i]) end
  end
end

-- The sum stays on the device: a step waits for nothing. `good` counts the batches before the first loss that is no number.
function Trainer:add_loss(loss, n)
  local weighted = loss:detach():double() * n
  self.sum = self.sum and self.sum:add_(weighted) or weighted
  self.count = (self.count or 0) + n
  if self.replicas then self.good = torch.isfinite(self.sum):add(self.good or 0) end
end

local function finite(x) return x == x and math.abs(x) < math.huge end

-- The sums of all ranks: {loss, samples, good batches} of each.
function Trainer:sums()
  local good = self.good and self.good:item() or 0
  return ranks.numbers { self.sum and self.sum:item() or 0, self.count or 0, good }
end

-- Their total, and the rank whose loss was the first that is no number, nil where all are.
local function total(sums)
  local sum, count, bad = 0, 0, nil
  for i, s in ipairs(sums) do
    sum, count = sum + s[1], count + s[2]
    if not finite(s[1]) and (not bad or s[3] < sums[bad + 1][3]) then bad = i - 1 end
  end
  return sum, count, bad
end

-- The sum of the epoch's losses so far and the number of samples, for a checkpoint; nil for none.
function Trainer:totals()
  if not self.replicas then return self.sum, self.count end
  local sum, count = total(self:sums())
  if count == 0 then return nil end
  return torch.tensor(sum, { dtype = torch.float64, device = self.device }), math.tointeger(count)
end

-- The mean loss of the epoch so far; a loss that is no number ends the run, with the last good checkpoint in place.
function Trainer:mean_loss()
  local sums = self:sums()
  local sum, count, bad = total(sums)
  if bad then
    local kept = native.exists(self.run.last) and string.format('; %s holds the last good state', self.run.last) or ''
    local value = sums[bad + 1][1]
    ranks.fail(bad, 3, string.format('the loss became %s in epoch %d (after %d steps); try a smaller lr or clip%s',
                                     value ~= value and 'nan' or value, self.epoch, self.step, kept))
  end
  return sum / count
end

-- `ended`: an epoch has; `saved`: nothing is left to do, and last.h5 holds it.
function Trainer:stop_if_asked(ended, saved)
  local signal = ranks.signal(ended)
  if signal == 0 then return end
  self:mean_loss()  -- a state that has diverged must not replace a good one
  if not saved then self:save() end
  self.progress('')
  local terminated = signal == 15
  ranks.finish(terminated and 143 or 130,
               string.format('%s: saved %s after epoch %d, batch %d; go on with --resume --dir %s',
                             terminated and 'terminated' or 'interrupted', self.run.last, self.epoch, self.batch,
                             self.run.dir))
end

-- `part`: what of the batch is this rank's (batches.lua); `boundary`: it ends a step of the optimizer.
function Trainer:run_batch(part, boundary, ...)
  if self.replicas then self.replicas:begin(part.weight) end
  local batch = batches.prepare(self.recipe, self.device, ...)
  local size = part.own > 0 and #batch[1] or 0
  local loss = self:forward_backward(batch, boundary)
  if loss and size > 0 then self:add_loss(loss, size) end
  self.batch = self.batch + 1
  if loss and boundary then self:update() end
  return loss
end

function Trainer:run_epoch()
  local r = self.recipe
  self.model:train()
  self.loader:set_epoch(self.epoch - 1)
  local n, started, seen = #self.loader, native.now(), 0
  batches.each(self.loader, self.batch, function(part, ...)
    local boundary = (self.batch + 1) % r.accumulate == 0 or self.batch + 1 == n
    local loss = self:run_batch(part, boundary, ...)
    seen = seen + part.all
    if self.on_step then self.on_step(self, loss) end
    progress.show(self, n, seen, started)
    if boundary then self:stop_if_asked() end
    if boundary and r.save_every > 0 and self.step % r.save_every == 0 and self.batch < n then
      self:mean_loss()  -- a state that has diverged must not replace a good one
      self:save()
    end
  end)
end

-- ---- The end of an epoch --------------------------------------------------------------------------------------------

-- True for a schedule that steps by a metric, ReduceLROnPlateau.
function Trainer:follows_metric() return tostring(self.schedule):find('^ReduceLROnPlateau') ~= nil end

-- `loss` and `score` are those of the validation data where there are any, a score is better where it is larger.
function Trainer:step_schedule(loss, score)
  if not self.schedule or self.schedule_per_step then return end
  if not self:follows_metric() then
    self.schedule:step()
  else
    self.schedule:step(self.schedule.mode == 'max' and score or loss)
  end
end

local function learning_rate(o)
  if o == nil or type(o) == 'table' then return nil end
  return o.param_groups[1].lr
end

function Trainer:finish_epoch(started)
  local r = self.recipe
  local entry = { epoch = self.epoch, step = self.step, loss = self:mean_loss(), lr = learning_rate(self.optimizer) }
  local held = self.parts.val or self.parts.test
  local text = string.format('epoch %d/%d  loss %.4f', self.epoch, r.epochs, entry.loss)
  local score = -entry.loss
  local model = self.ema or self.model
  if self.replicas then
    self.replicas:check_equal()
    self.replicas:share_buffers(model)
  end
  for _, result in ipairs(held and #held > 0 and batches.evaluate(self, model, held) or {}) do
    local name, value = result[1], result[2]
    entry['val_' .. name] = value
    text = text .. string.format('  val_%s %.4f', name, value)
    score = (name == 'loss' or name == 'mae') and -value or value
  end
  self:step_schedule(entry.val_loss or entry.loss, score)
  entry.seconds = native.now() - started
  self.progress('')
  progress.say('%s  (%.1f s)', text, entry.seconds)
  self.epoch, self.batch, self.sum, self.count, self.good = self.epoch + 1, 0, nil, nil, nil
  local better = self.best == nil or score > self.best
  if better then self.best = score end
  -- last.h5 comes last: a run that ends before it does this epoch again, and writes the same best.h5 and log line.
  if ranks.rank == 0 then run_folder.log(self.run, entry) end
  local state = better and checkpoint.state(self)
  if better and ranks.rank == 0 then torch.save(state, self.run.best) end
  self:save()
  for _, f in ipairs(self.on_epoch) do f(self, entry) end
end

-- Trains to the end in the folder `run`. A run of no epochs leaves the model as the recipe makes it.
function Trainer:train(run)
  self.run, self.progress = run, progress.line()
  if ranks.size > 1 then self.replicas = self.shards or Replicas.new(self.model, self.optimizer ~= nil) end
  while self.epoch <= self.recipe.epochs do
    local started = native.now()
    self:run_epoch()
    self:finish_epoch(started)
    self:stop_if_asked(true, self.epoch > self.recipe.epochs)
  end
  if ranks.of_first(function() return not native.exists(run.last) end) then self:save() end
  ranks.barrier()
end

return Trainer
