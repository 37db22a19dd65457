-- The loop around a recipe: steps, epochs, checkpoints. A run that is stopped, by Ctrl-C or by a kill, goes on bit for
-- bit: a checkpoint holds model, optimizer, schedule, random state, loader position and the sums of the epoch.
-- On several ranks each does this loop with its share of each batch; ranks.lua and replicas.lua keep them together.
local native = require 'luth.native'
local bad_loss = require 'luth.train.bad_loss'
local batches = require 'luth.train.batches'
local begin = require 'luth.train.begin'
local checkpoint = require 'luth.train.checkpoint'
local epoch_end = require 'luth.train.epoch_end'
local errors = require 'luth.train.errors'
local Events = require 'luth.train.events'
local fields = require 'luth.train.fields'
local fingerprint = require 'luth.train.fingerprint'
local losses = require 'luth.train.losses'
local make = require 'luth.train.make'
local plain_step = require 'luth.train.plain_step'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local run_events = require 'luth.train.run_events'
local Replicas = require 'luth.train.replicas'
local Saves = require 'luth.train.saves'
local Log = require 'luth.train.table_log'
local streams = require 'luth.data.streams'
local warnings = require 'luth.train.warnings'

local Trainer = {}
Trainer.__index = Trainer
local unpack = table.unpack
for name, f in pairs(losses) do Trainer[name] = f end

-- ---- Making one -----------------------------------------------------------------------------------------------------

local function to_device(object, device)
  if native.kind(object) == 'module' then object:to(device) end
end

-- `amp`: the dtype of mixed precision, nil for none. `ways`: fsdp, sync_bn, and begin, for a run that begins.
function Trainer.new(r, device, amp, ways)
  local t = setmetatable({ recipe = r, device = device, amp = amp or false, epoch = 1, batch = 0, step = 0, best = nil, stopped = false,
                           replicas = false }, Trainer)
  t.parts = make.parts(r)
  t.model, t.shards = make.model(r, device, ways)
  if r.init_from ~= '' and ways.begin then begin.init_from(t.model, r.init_from) end
  if r.freeze ~= '' then begin.freeze(t.model, r.freeze) end
  t.loss = r.loss
  to_device(t.loss, device)
  for _, object in pairs(r.state or {}) do to_device(object, device) end
  t.loader = batches.loader(r, t.parts.train, r.overfit == 0, device)
  t.batches = batches.count(t.loader)
  if r.limit_train > 0 then t.batches = math.min(r.limit_train, t.batches) end
  t.steps = (t.batches + r.accumulate - 1) // r.accumulate
  t.optimizer = make.optimizers(r, t.model, t.shards)
  local optimizers = make.list_of(t.optimizer)
  if #optimizers > 0 and not t.shards then begin.check_optimizers(t.model, optimizers) end
  local factor = make.scale_rates(r, optimizers)
  checkpoint.note_optimizer(t)
  t.schedule, t.schedule_per_step = make.schedule(r, t.optimizer, t.steps, factor)
  checkpoint.note_schedule(t)
  t:begin_average()
  t.events = Events.new(r.callbacks)
  t.between_saves = fields.interval(r.save_every)
  return t
end

function Trainer:save() self.saves:begin() end

--- Begins the averaged weights with those of the model, unless they are there; a lazy model has none before its first batch.
function Trainer:begin_average()
  if self.ema or self.recipe.ema == 0 then return end
  for _, p in ipairs(self.model:parameters()) do if nn.parameter.is_lazy(p) then return end end
  self.ema = make.ema(self.model)
end

-- Samples that could not be read and were left out, since the run began; nil for none.
function Trainer:skipped()
  local n = (self.skipped_before or 0) + (self.loader.skipped or 0)
  return n > 0 and n or nil
end

-- That of the data, which is made once.
function Trainer:fingerprint()
  self.data_sum = self.data_sum or fingerprint.of(self.parts)
  return self.data_sum
end

-- Weights, optimizer and schedule as a checkpoint of this run has them; the place in the data stays, and what was counted.
function Trainer:take_back(path)
  self.saves:settle(true)
  local stays = {}
  for _, name in ipairs { 'epoch', 'batch', 'skipped_before', 'left_out', 'bad_in_a_row' } do stays[name] = self[name] or false end
  checkpoint.restore(self, path, true)
  for name, value in pairs(stays) do self[name] = value or nil end
  self.saves.removals = {}  -- what the checkpoint keeps may be among them
end

--- Ends the run after this batch, or after this epoch where a callback of an epoch asks.
function Trainer:stop() self.stopped = true end

-- ---- One step, one epoch --------------------------------------------------------------------------------------------

-- The scope of mixed precision, where it is asked for.
function Trainer:precision() return self.amp and torch.autocast(self.device, { dtype = self.amp }) or nil end

-- How often the parameters have been written, in all.
local function writes_of(model)
  local sum = 0
  for _, p in ipairs(model:parameters()) do sum = sum + p:_version() end
  return sum
end

-- A recipe's `step` that returned nothing in a whole epoch must have changed a parameter: else it lacks a `return`.
function Trainer:check_own_step(loss)
  if loss or not self.writes_before or writes_of(self.model) ~= self.writes_before then return end
  errors.usage("the recipe's step returned nothing and stepped no optimizer, so nothing is learned: return the loss")
end

-- The loss of a batch. The last value is the target, those before it the inputs.
function Trainer:forward(batch)
  local _ <close> = self.amp and self:precision() or nil
  local r, n = self.recipe, batch.n
  if n < 2 and not r.step then
    errors.usage("a batch of the data has %d value; the last one is the target and those before it are the model's inputs, so "
                 .. 'samples have two or more, or the recipe has a step', n)
  end
  if not r.step then
    local loss = self.loss(self.model(unpack(batch, 1, n - 1)), batch[n])
    if torch.is_tensor(loss) then return loss end
    errors.usage("the recipe's loss must return a tensor of one element; got %s", native.kind(loss))
  end
  self.writes_before = self.writes_before or self.optimizer and writes_of(self.model)
  local loss = r.step(self.model, batch, self)
  if loss ~= nil and not torch.is_tensor(loss) then
    errors.usage("the recipe's step must return the loss, a tensor of one element, or nothing; got %s", native.kind(loss))
  end
  return loss
end

-- The loss of a batch whose gradients are there afterwards. A `step` that returns nothing has done all by itself, as has
-- one of a recipe without `optim`: the second result says so of the former. The third is the loss as a number, where it has
-- been read. `boundary`: an update follows.
function Trainer:forward_backward(batch, boundary)
  local r = self.recipe
  if r.on_nan ~= 'stop' then bad_loss.keep_buffers(self) end
  local loss
  if self.step > 0 then loss = self:forward(batch) else loss = run_events.forward(self, batch, self.forward) end
  if r.ema > 0 then self:begin_average() end
  if loss == nil then return nil, true end
  if r.step and not self.optimizer then return loss end
  local value = self.reads_loss and loss:item() or nil
  if value then
    if bad_loss.is_bad(value) then return bad_loss.meet(self, batch, value) end
    self.bad_in_a_row = 0
  end
  local part = r.accumulate > 1 and loss / r.accumulate or loss
  if self.replicas then self.replicas:backward(part, boundary) else part:backward() end
  return loss, false, value
end

-- The norm of all gradients, which become smaller where it is above `most`. With 0 they stay as they are, also where one is infinite:
-- a run does not depend on when it is looked at.
function Trainer:clip(most)
  if self.shards then return self.model:clip_grad_norm_(most > 0 and most or math.huge) end
  local parameters, grads = self.model:parameters(), {}
  if most > 0 then return nn.utils.clip_grad_norm_(parameters, most) end
  for _, p in ipairs(parameters) do grads[#grads + 1] = p.grad end
  return nn.utils.get_total_norm(grads)
end

local function step_and_clear(optimizer)
  optimizer:step()
  optimizer:zero_grad()
end

function Trainer:update()
  local r, replicas = self.recipe, self.replicas
  if r.clip > 0 or (self.step + 1) % r.log_every == 0 then self.norm = self:clip(r.clip) end
  if replicas then replicas.averaged = true end
  checkpoint.each_optimizer(self.optimizer, step_and_clear)
  if replicas then replicas.averaged = false end
  if self.schedule and self.schedule_per_step then self.schedule:step() end
  self:count_step()
end

-- A step of the optimizer, or of the recipe's own, is done.
function Trainer:count_step()
  local r = self.recipe
  self.step = self.step + 1
  if self.ema then
    local _ <close> = torch.no_grad()
    local averaged, now = self.ema:parameters(), self.model:parameters()
    for i, p in ipairs(averaged) do p:mul_(r.ema):add_(now[i], { alpha = 1 - r.ema }) end
    local buffers = self.model:buffers()  -- running statistics are averages already
    for i, b in ipairs(self.ema:buffers()) do b:copy_(buffers[i]) end
  end
end

-- Does what a signal asks for. `saved`: nothing is left to do, and last.h5 holds it.
function Trainer:obey(signal, saved)
  self:mean_loss()  -- a state that has diverged must not replace a good one
  if signal == ranks.asks_to_save then
    if not saved then self:save() end
    return
  end
  local failed = self.saves.failed
  if not saved then self:save() end
  self.saves:finish()
  if self.saves.failed > failed then self.saves:conclude() end
  self.line:clear()
  local terminated = signal == 15
  ranks.finish(terminated and 143 or 130,
               string.format('%s: saved %s after epoch %d, batch %d; go on with --resume --dir %s',
                             terminated and 'terminated' or 'interrupted', self.run.last, self.epoch, self.batch,
                             self.run.dir))
end

-- `part`: what of the batch is this rank's (batches.lua); `boundary`: it ends a step of the optimizer.
function Trainer:run_batch(part, boundary, batch)
  if self.replicas then self.replicas:begin(part.weight) end
  batch = batches.augment(self, batches.prepare(self.recipe, self.device, batch))
  local size = part.own > 0 and #batch[1] or 0
  local loss, done, value = self:forward_backward(batch, boundary)
  if loss and size > 0 then self:add_loss(loss, size, value) end
  self.batch = part.number
  if done then self:count_step() elseif loss and boundary then self:update() end
  return loss
end

-- Whether a checkpoint within the epoch is due, `every` so many steps or seconds.
function Trainer:save_is_due(every)
  if every.seconds then return ranks.of_first(function() return native.now() - self.saves.at >= every.seconds end) end
  return self.step % every.steps == 0
end

-- A line of metrics.csv. The loss is read when the lines are written.
function Trainer:log_step(loss)
  if not loss or not self.table then return end
  self.table:add(self.step, self.epoch, { loss = loss:detach(), lr = self:learning_rate(), grad_norm = self.norm })
  if self.device.type == 'cpu' then self.table:write_some() end
end

-- Whether all that `steps` allows is done.
function Trainer:is_over() return self.recipe.steps > 0 and self.step >= self.recipe.steps end

-- What is the same for all batches is looked up before them: at steps of 1 ms what the loop does itself counts.
function Trainer:run_epoch()
  local r, n, line, saves, clock = self.recipe, self.batches, self.line, self.saves, native.now
  local accumulate, log_every = r.accumulate, r.log_every
  local every, hooked = self.between_saves, self.events.on_step
  local saves_within, plain, signal_of = every.seconds or every.steps > 0, plain_step.of(self), ranks.signal
  self.model:train()
  self.loader:set_epoch(self.epoch - 1)
  local pace = { started = clock(), from = self.batch }
  local asked, waited, seen = pace.started, 0, 0
  local ran_out = batches.each(self.loader, self.batch, n, function(part, batch)
    waited = waited + clock() - asked
    local number = part.number
    local boundary = number // accumulate > self.batch // accumulate or number == n
    local loss
    if plain then loss = plain(part, batch) else loss = self:run_batch(part, boundary, batch) end
    seen = seen + part.all
    if hooked then self.events:fire('on_step', self, loss) end
    if boundary and self.step % log_every == 0 then self:log_step(loss) end
    asked = clock()
    if line:due(asked) then
      pace.seen, pace.waited = seen, waited
      line:show(progress.parts(self, pace))
    end
    if not boundary then return false end
    if next(saves.pending) then
      saves:settle()
      asked = clock()
    end
    local signal = signal_of()
    if signal ~= 0 then
      self:obey(signal)
      asked = clock()
    end
    if saves_within and number < n and self:save_is_due(every) then
      self:mean_loss()  -- a state that has diverged must not replace a good one
      self:save()
      asked = clock()
    end
    return self.stopped or self:is_over()
  end, function(...) self:end_by_data(...) end)
  if ran_out then self:leave_rest() end
end

-- Ends the run by an error of the data, with what it has learned in a checkpoint: where no gradients wait for a step, and the place in
-- the data is known, which within a stream is behind what was drawn for the batch. `random`: the state before that batch.
function Trainer:end_by_data(why, random)
  local code = native.code(tostring(why))
  local whole = self.step > 0 and self.batch % self.recipe.accumulate == 0 and not streams.is_stream(self.parts.train)
  if ranks.size > 1 or not whole or not (code == 1 or code == 2 or code == 5) then error(why, 0) end
  self:mean_loss()
  torch.set_rng_state(random)
  local failed = self.saves.failed
  self:save()
  self.saves:finish()
  self.line:clear()
  if self.saves.failed == failed then
    progress.say('saved %s after epoch %d, batch %d, as the data cannot be read on; go on with --resume --dir %s', self.run.last, self.epoch, self.batch,
                 self.run.dir)
  end
  error(why, 0)
end

-- The data have ended within a step, as a stream does, or where the last batches could not be read: what the step has summed is
-- dropped, and the epoch is over.
function Trainer:leave_rest()
  if self.batch == 0 and self:skipped() then native.fail(1, 'no sample of the training data could be read; the first: ' .. self.loader:left_out()[1]) end
  if self.batch == 0 then errors.usage('the training data is empty') end
  self.model:zero_grad()
  self.ran_out = true
end

-- ---- What the end of an epoch asks (epoch_end.lua), and the whole run ------------------------------------------------

-- The data to validate on, nil for none.
function Trainer:held()
  local held = self.parts.val or self.parts.test
  return held and not batches.is_empty(held) and held or nil
end

Trainer.validate = epoch_end.validate  -- a profile makes a range of it

-- True for a schedule that steps by a metric, ReduceLROnPlateau.
function Trainer:follows_metric() return tostring(self.schedule):find('^ReduceLROnPlateau') ~= nil end

-- That of the first group of an only optimizer.
function Trainer:learning_rate()
  local o = self.optimizer
  if o == nil or type(o) == 'table' then return nil end
  return o.param_groups[1].lr
end

-- The names of what an epoch measures on the validation data, from the recipe.
function Trainer:columns()
  local names = { 'loss', 'lr', 'samples_per_second' }
  for _, name in ipairs(self:held() and batches.names(self) or {}) do names[#names + 1] = 'val_' .. name end
  names[#names + 1] = 'grad_norm'
  return names
end

-- Takes the folder `run`, in which it then can train and save.
function Trainer:open(run)
  self.run, self.dir, self.line, self.saves = run, run.dir, progress.line(), Saves.new(self)
  self.kept, self.worse, self.bad_in_a_row = self.kept or {}, self.worse or 0, self.bad_in_a_row or 0
  self.reads_loss = self.device.type == 'cpu' and ranks.size == 1 or self.recipe.on_nan ~= 'stop'
  warnings.begin(self)
  if ranks.rank == 0 then
    self.table = Log.new(run.dir, self:columns())
    self.table:begin(self.step)
    run_events.begin(self)
  end
end

-- Trains to the end. A run of no epochs leaves the model as the recipe makes it.
function Trainer:train()
  local run = self.run
  if ranks.size > 1 then self.replicas = self.shards or Replicas.new(self.model, self.optimizer ~= nil) end
  self.events:fire('on_start', self)
  while self.epoch <= self.recipe.epochs and not self.stopped and not self:is_over() do
    local started, first = native.now(), self.batch
    self.events:fire('on_epoch_start', self)
    self:run_epoch()
    epoch_end.finish(self, started, first, self.batch >= self.batches or self.ran_out)
    self.ran_out = nil
    local signal = ranks.signal(true)
    if signal ~= 0 then self:obey(signal, self.epoch > self.recipe.epochs) end
  end
  self.over = true
  local skipped, plural = self:skipped(), progress.plural
  local function were(n) return n == 1 and 'was' or 'were' end
  if skipped then
    warnings.warn(self, '%s of the training data could not be read and %s left out', plural(skipped, 'sample'), were(skipped))
  end
  if self.left_out then
    warnings.warn(self, '%s %s left out, as their loss was no number', plural(self.left_out, 'batch', 'es'), were(self.left_out))
  end
  self.saves:settle(true)
  if ranks.of_first(function() return not native.exists(run.last) end) then self:save() end
  self.saves:finish()
  self.events:fire('on_end', self)
  ranks.barrier()
end

return Trainer
