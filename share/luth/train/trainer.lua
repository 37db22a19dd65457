-- The loop around a recipe: steps, epochs, checkpoints. A run that is stopped, by Ctrl-C or by a kill, goes on bit for
-- bit: a checkpoint holds model, optimizer, schedule, random state, loader position and the sums of the epoch.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local checkpoint = require 'luth.train.checkpoint'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
local progress = require 'luth.train.progress'
local recipes = require 'luth.train.recipe'

local Trainer = {}
Trainer.__index = Trainer

-- ---- Making one -----------------------------------------------------------------------------------------------------

-- Optimizers and schedules, which a recipe gives without their first argument. A table of optimizers is one for `step`.
local function make_optimizers(r, model)
  local function one(o)
    if deferred.is(o) then return o:make(model:parameters()) end
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

-- `amp`: the dtype of mixed precision, nil for none.
function Trainer.new(r, device, amp)
  local t = setmetatable({ recipe = r, device = device, amp = amp, epoch = 1, batch = 0, step = 0, best = nil }, Trainer)
  t.parts = recipes.datasets(r)
  if #t.parts.train == 0 then errors.usage('the training data is empty') end
  t.model = r.model:to(device)
  t.loss = r.loss
  if native.kind(t.loss) == 'module' then t.loss:to(device) end
  t.loader = batches.loader(r, t.parts.train, true, device)
  t.steps = (#t.loader + r.accumulate - 1) // r.accumulate
  t.optimizer = make_optimizers(r, t.model)
  checkpoint.note_optimizer(t)
  t.schedule, t.schedule_per_step = make_schedule(r, t.optimizer, t.steps)
  checkpoint.note_schedule(t)
  t.ema = r.ema > 0 and make_ema(t.model) or nil
  local c = r.callbacks or {}
  t.on_step, t.on_epoch = c.on_step, { c.on_epoch }
  for _, f in ipairs(c) do t.on_epoch[#t.on_epoch + 1] = f end
  return t
end

function Trainer:save() native.save_rotating(checkpoint.state(self), self.run.dir .. '/ckpt') end

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
-- one of a recipe without `optim`.
function Trainer:forward_backward(batch)
  local r, loss = self.recipe, self:forward(batch)
  if loss == nil or (r.step and not self.optimizer) then return loss end
  if r.accumulate > 1 then (loss / r.accumulate):backward() else loss:backward() end
  return loss
end

function Trainer:update()
  local r = self.recipe
  if r.clip > 0 then nn.utils.clip_grad_norm_(self.model:parameters(), r.clip) end
  checkpoint.each_optimizer(self.optimizer, function(o)
    o:step()
    o:zero_grad()
  end)
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

-- The sum stays on the device: a step waits for nothing.
function Trainer:add_loss(loss, n)
  local weighted = loss:detach():double() * n
  self.sum = self.sum and self.sum:add_(weighted) or weighted
  self.count = (self.count or 0) + n
end

-- The mean loss of the epoch so far; a loss that is no number ends the run, with the last good checkpoint in place.
function Trainer:mean_loss()
  if not self.sum then return 0 / 0 end
  local mean = self.sum:item() / self.count
  if mean ~= mean or math.abs(mean) == math.huge then
    local kept = native.exists(self.run.last) and string.format('; %s holds the last good state', self.run.last) or ''
    native.fail(3, string.format('the loss became %s in epoch %d (after %d steps); try a smaller lr or clip%s',
                                 mean ~= mean and 'nan' or mean, self.epoch, self.step, kept))
  end
  return mean
end

function Trainer:stop_if_asked()
  local signal = native.interrupted()
  if signal == 0 then return end
  if self.sum then self:mean_loss() end  -- a state that has diverged must not replace a good one
  self:save()
  self.progress('')
  local terminated = signal == 15
  native.fail(terminated and 143 or 130,
              string.format('%s: saved %s after epoch %d, batch %d; go on with --resume --dir %s',
                            terminated and 'terminated' or 'interrupted', self.run.last, self.epoch, self.batch,
                            self.run.dir))
end

function Trainer:run_epoch()
  local r = self.recipe
  self.model:train()
  self.loader:set_epoch(self.epoch - 1)
  local n, started, seen = #self.loader, native.now(), 0
  batches.each(self.loader, self.batch, function(...)
    local batch = batches.prepare(r, self.device, ...)
    local size = #batch[1]
    local loss = self:forward_backward(batch)
    if loss then self:add_loss(loss, size) end
    self.batch = self.batch + 1
    local boundary = self.batch % r.accumulate == 0 or self.batch == n
    if loss and boundary then self:update() end
    seen = seen + size
    if self.on_step then self.on_step(self, loss) end
    progress.show(self, n, seen, started)
    if boundary then self:stop_if_asked() end
    if boundary and r.save_every > 0 and self.step % r.save_every == 0 and self.batch < n then
      if self.sum then self:mean_loss() end  -- a state that has diverged must not replace a good one
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
  for _, result in ipairs(held and #held > 0 and batches.evaluate(self, self.ema or self.model, held) or {}) do
    local name, value = result[1], result[2]
    entry['val_' .. name] = value
    text = text .. string.format('  val_%s %.4f', name, value)
    score = (name == 'loss' or name == 'mae') and -value or value
  end
  self:step_schedule(entry.val_loss or entry.loss, score)
  entry.seconds = native.now() - started
  self.progress('')
  progress.say('%s  (%.1f s)', text, entry.seconds)
  self.epoch, self.batch, self.sum, self.count = self.epoch + 1, 0, nil, nil
  local better = self.best == nil or score > self.best
  if better then self.best = score end
  -- last.h5 comes last: a run that ends before it does this epoch again, and writes the same best.h5 and log line.
  if better then torch.save(checkpoint.state(self), self.run.best) end
  self.run.log(entry)
  self:save()
  for _, f in ipairs(self.on_epoch) do f(self, entry) end
end

-- Trains to the end in the folder `run`. A run of no epochs leaves the model as the recipe makes it.
function Trainer:train(run)
  self.run, self.progress = run, progress.line()
  while self.epoch <= self.recipe.epochs do
    local started = native.now()
    self:run_epoch()
    self:finish_epoch(started)
    self:stop_if_asked()
  end
  if not native.exists(run.last) then self:save() end
end

return Trainer
