-- luth train and luth eval: the loop around a recipe. A run that is stopped, by Ctrl-C or by a kill, goes on bit for bit
-- with --resume: a checkpoint holds model, optimizer, schedule, random state, loader position and the sums of the epoch.
local native = require 'luth.native'
local options = require 'luth.options'
local recipes = require 'luth.recipe'
local metrics = require 'luth.metrics'
local run_folder = require 'luth.run_folder'

local M = {}

local own_options = {
  dir = { help = 'the folder of the run' },
  resume = { default = false, help = 'go on with the run in the folder' },
  device = { default = 'auto', help = "'auto', 'cpu', 'cuda' or 'cuda:0'" },
}

-- Calls f with each batch from number `from` on (0: all).
local function for_batches(loader, from, f)
  local nextbatch = loader:batches(from)
  while true do
    local batch = table.pack(nextbatch())
    if batch[1] == nil then return end
    f(table.unpack(batch, 1, batch.n))
  end
end

local function say(...) io.stderr:write(string.format(...), '\n') end

-- ---- Making a run ---------------------------------------------------------------------------------------------------

-- A device that cannot be had is a wrong setting, said before anything else happens.
local function choose_device(name)
  if name == 'auto' then name = torch.cuda.is_available() and 'cuda' or 'cpu' end
  local ok, device = pcall(torch.device, name)
  local why = device
  if ok then ok, why = pcall(torch.empty, 1, { device = device }) end
  if not ok then native.fail(2, '--device: ' .. tostring(why)) end
  return device
end

local function make_loader(r, dataset, training)
  return data.DataLoader(dataset, {
    batch_size = r.batch, shuffle = training, num_workers = r.workers, seed = r.seed, collate_fn = r.collate,
  })
end

-- Optimizers and schedules, which a recipe gives without their first argument. A table of optimizers is one for `step`.
local function make_optimizers(r, model)
  local function one(o)
    if recipes.is_deferred(o) then return o:make(model:parameters()) end
    return o
  end
  if r.optim == nil then return nil end
  if type(r.optim) == 'table' and getmetatable(r.optim) == nil then
    local all = {}
    for name, o in pairs(r.optim) do all[name] = one(o) end
    return all
  end
  return one(r.optim)
end

local per_step = { OneCycleLR = true, CyclicLR = true, CosineAnnealingWarmRestarts = true }
local function make_schedule(r, optimizer, steps)
  local s = r.schedule
  if not s then return nil end
  if type(s) == 'function' and not recipes.is_deferred(s) then return optim.lr_scheduler.LambdaLR(optimizer, s), false end
  if not recipes.is_deferred(s) then return s, false end
  local extra = {}
  if s.name == 'OneCycleLR' and not s.named.epochs then extra.total_steps = math.max(1, steps * r.epochs) end
  if s.name == 'CosineAnnealingLR' then extra.T_max = math.max(1, r.epochs) end
  return s:make(optimizer, extra), per_step[s.name] or false
end

local function make_ema(model)
  local copy = model:clone()
  copy:requires_grad_(false)
  return copy
end

local Trainer = {}
Trainer.__index = Trainer

local function new_trainer(r, device)
  local t = setmetatable({ recipe = r, device = device, epoch = 1, batch = 0, step = 0, best = nil }, Trainer)
  t.parts = recipes.datasets(r)
  if #t.parts.train == 0 then native.fail(2, 'the training data is empty') end
  t.model = r.model:to(device)
  t.loss = r.loss
  if type(t.loss) == 'userdata' and t.loss.to then t.loss:to(device) end
  t.loader = make_loader(r, t.parts.train, true)
  t.steps = (#t.loader + r.accumulate - 1) // r.accumulate
  t.optimizer = make_optimizers(r, t.model)
  t.schedule, t.schedule_per_step = make_schedule(r, t.optimizer, t.steps)
  t.ema = r.ema > 0 and make_ema(t.model) or nil
  return t
end

-- ---- Checkpoints ----------------------------------------------------------------------------------------------------

local function optimizer_states(o)
  if o == nil then return nil end
  if type(o) == 'table' then
    local all = {}
    for name, one in pairs(o) do all[name] = one:state_dict() end
    return all
  end
  return o:state_dict()
end
local function load_optimizers(o, state)
  if o == nil or state == nil then return end
  if type(o) == 'table' then
    for name, one in pairs(o) do one:load_state_dict(state[name]) end
  else
    o:load_state_dict(state)
  end
end

function Trainer:state()
  local r = self.recipe
  return {
    format = 'luth.checkpoint', version = 1,
    model = self.model:state_dict(),
    ema = self.ema and self.ema:state_dict() or nil,
    optim = optimizer_states(self.optimizer),
    schedule = self.schedule and self.schedule:state_dict() or nil,
    random = { torch = torch.get_rng_state() },
    loader = { seed = r.seed, epoch = self.epoch, batch = self.batch },
    scaler = {},
    progress = { step = self.step, best = self.best, sum = self.sum, count = self.count },
    settings = { batch = r.batch, epochs = r.epochs, seed = r.seed, accumulate = r.accumulate },
  }
end

local function load_weights(model, state, path)
  local ok, message = pcall(model.load_state_dict, model, state)
  if not ok then native.fail(5, string.format('%s does not fit this model: %s', path, tostring(message))) end
end

function Trainer:restore(path)
  local state = torch.load(path, { map_location = tostring(self.device) })
  if type(state) ~= 'table' or state.format ~= 'luth.checkpoint' then
    native.fail(5, path .. ' is no checkpoint of luth train')
  end
  load_weights(self.model, state.model, path)
  if self.ema and state.ema then load_weights(self.ema, state.ema, path) end
  load_optimizers(self.optimizer, state.optim)
  if self.schedule and state.schedule then self.schedule:load_state_dict(state.schedule) end
  torch.set_rng_state(state.random.torch)
  self.epoch, self.batch = state.loader.epoch, state.loader.batch
  self.step, self.best = state.progress.step, state.progress.best
  self.sum, self.count = state.progress.sum, state.progress.count
end

function Trainer:save() native.save_rotating(self:state(), self.run.dir .. '/ckpt') end

-- ---- One step, one epoch --------------------------------------------------------------------------------------------

local function to_device(batch, device)
  for i = 1, batch.n do
    if torch.is_tensor(batch[i]) then batch[i] = batch[i]:to(device) end
  end
  return batch
end

function Trainer:prepare(...)
  local batch = to_device(table.pack(...), self.device)
  if self.recipe.transform then batch = table.pack(self.recipe.transform(table.unpack(batch, 1, batch.n))) end
  return batch
end

-- The loss of a batch whose gradients are there afterwards. The last value is the target, those before it the inputs.
function Trainer:forward_backward(batch)
  local r = self.recipe
  local loss
  if r.step then
    loss = r.step(self.model, batch, self)
    if loss == nil then return nil end
  else
    loss = self.loss(self.model(table.unpack(batch, 1, batch.n - 1)), batch[batch.n])
  end
  if r.accumulate > 1 then (loss / r.accumulate):backward() else loss:backward() end
  return loss
end

function Trainer:update()
  local r = self.recipe
  if r.clip > 0 then nn.utils.clip_grad_norm_(self.model:parameters(), r.clip) end
  self.optimizer:step()
  self.optimizer:zero_grad()
  if self.schedule and self.schedule_per_step then self.schedule:step() end
  self.step = self.step + 1
  if self.ema then
    local _ <close> = torch.no_grad()
    local averaged, now = self.ema:parameters(), self.model:parameters()
    for i, p in ipairs(averaged) do p:mul_(r.ema):add_(now[i], { alpha = 1 - r.ema }) end
  end
end

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
  self:save()
  self.progress('')
  native.fail(signal == 15 and 143 or 130,
              string.format('%s: saved %s after epoch %d, batch %d; go on with --resume --dir %s',
                            signal == 15 and 'terminated' or 'interrupted', self.run.last, self.epoch, self.batch, self.run.dir))
end

function Trainer:run_epoch()
  local r = self.recipe
  self.model:train()
  self.loader:set_epoch(self.epoch - 1)
  local n, started, seen = #self.loader, native.now(), 0
  for_batches(self.loader, self.batch, function(...)
    local batch = self:prepare(...)
    local size = #batch[1]
    local loss = self:forward_backward(batch)
    if loss then self:add_loss(loss, size) end
    self.batch = self.batch + 1
    if loss and (self.batch % r.accumulate == 0 or self.batch == n) then self:update() end
    seen = seen + size
    if self.on_step then self.on_step(self, loss) end
    self:show(n, seen, started)
    local boundary = self.batch % r.accumulate == 0 or self.batch == n
    if boundary then self:stop_if_asked() end
    if boundary and r.save_every > 0 and self.step % r.save_every == 0 and self.batch < n then
      if self.sum then self:mean_loss() end  -- a state that has diverged must not replace a good one
      self:save()
    end
  end)
end

-- ---- Evaluation -----------------------------------------------------------------------------------------------------

-- Loss and metrics of `model` over a dataset, as a list of {name, value}.
local function evaluate(trainer, model, dataset)
  local r = trainer.recipe
  local list = metrics.make(r.metrics)
  local total, n = nil, 0
  model:eval()
  local _ <close> = torch.no_grad()
  for_batches(make_loader(r, dataset, false), 0, function(...)
    local batch = trainer:prepare(...)
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

-- ---- What a person sees ---------------------------------------------------------------------------------------------

local function progress_line()
  if not native.is_tty(2) then return function() end end
  local last, shown = 0, false
  return function(text)
    if text == '' then
      if shown then io.stderr:write('\r\27[K') end
      shown = false
      return
    end
    if native.now() - last < 0.1 then return end
    last, shown = native.now(), true
    io.stderr:write('\r\27[K', text)
    io.stderr:flush()
  end
end

function Trainer:show(n, seen, started)
  if not native.is_tty(2) then return end
  local filled = self.batch * 20 // n
  local rate = seen / math.max(1e-9, native.now() - started)
  self.progress(string.format('epoch %d/%d [%s%s] %d/%d  %.0f samples/s', self.epoch, self.recipe.epochs,
                              ('#'):rep(filled), (' '):rep(20 - filled), self.batch, n, rate))
end

local function learning_rate(o)
  if o == nil or type(o) == 'table' then return nil end
  return o.param_groups[1].lr
end

function Trainer:finish_epoch(started)
  local r = self.recipe
  local entry = { epoch = self.epoch, step = self.step, loss = self:mean_loss(), lr = learning_rate(self.optimizer) }
  if self.schedule and not self.schedule_per_step then self.schedule:step() end
  local held = self.parts.val or self.parts.test
  local text = string.format('epoch %d/%d  loss %.4f', self.epoch, r.epochs, entry.loss)
  local score
  if held and #held > 0 then
    for _, result in ipairs(evaluate(self, self.ema or self.model, held)) do
      local name, value = result[1], result[2]
      entry['val_' .. name] = value
      text = text .. string.format('  val_%s %.4f', name, value)
      score = name == 'loss' and -value or (name == 'mae' and -value) or value
    end
  else
    score = -entry.loss
  end
  entry.seconds = native.now() - started
  self.progress('')
  say('%s  (%.1f s)', text, entry.seconds)
  self.epoch, self.batch, self.sum, self.count = self.epoch + 1, 0, nil, nil
  local better = self.best == nil or score > self.best
  if better then self.best = score end
  -- last.h5 comes last: a run that ends before it does this epoch again, and writes the same best.h5 and log line.
  if better then torch.save(self:state(), self.run.best) end
  self.run.log(entry)
  self:save()
  for _, f in ipairs(self.on_epoch) do f(self, entry) end
end

local function set_callbacks(t)
  local c = t.recipe.callbacks or {}
  t.on_step = c.on_step
  t.on_epoch = { c.on_epoch }
  for _, f in ipairs(c) do t.on_epoch[#t.on_epoch + 1] = f end
end

-- ---- The subcommands ------------------------------------------------------------------------------------------------

local function load_recipe(path, words)
  local given = options.parse(words)
  local help = given.help
  given.help = nil
  local mine = {
    dir = options.take(given, 'dir', ''), resume = options.take(given, 'resume', false),
    device = options.take(given, 'device', 'auto'), checkpoint = options.take(given, 'checkpoint', ''),
  }
  local r, known = recipes.load(path, given, own_options)
  if help then
    recipes.print_help(path, known, function(s) io.write(s) end)
    return nil
  end
  options.check(given, known)
  return r, mine
end

-- A run that is resumed keeps the options that it was started with; what is given now comes after them and counts.
local function with_earlier_words(path, words)
  local given = options.parse(words)
  if not given.resume or given.help then return words end
  local dir = given.dir and given.dir.text or run_folder.default(path, true)
  local all = run_folder.words(dir)
  table.move(words, 1, #words, #all + 1, all)
  return all
end

-- luth train RECIPE words…
function M.train(path, words)
  native.defer_interrupts(true)
  words = with_earlier_words(path, words)
  local r, mine = load_recipe(path, words)
  if not r then return end
  local t = new_trainer(r, choose_device(mine.device))
  local dir = mine.dir ~= '' and mine.dir or run_folder.default(path, mine.resume)
  t.run = run_folder.open(dir, path, words, mine.resume)
  t.progress = progress_line()
  set_callbacks(t)
  if mine.resume and native.exists(t.run.last) then
    t:restore(t.run.last)
    t.run.forget_log_from(t.epoch)
    say('resuming %s at epoch %d, batch %d', dir, t.epoch, t.batch)
  end
  say('training on %s: %d samples, %d epochs of %d batches; %s', tostring(t.device), #t.parts.train, r.epochs, #t.loader, dir)
  while t.epoch <= r.epochs do
    local started = native.now()
    t:run_epoch()
    t:finish_epoch(started)
    t:stop_if_asked()
  end
  say('done: %s', t.run.last)
end

local function dirname(path) return path:match('^(.*)/[^/]*$') or '.' end

-- luth eval CHECKPOINT, or luth eval RECIPE --checkpoint FILE: prints `metric number` lines.
function M.eval(path, words)
  local checkpoint = path
  if path:match('%.lua$') then
    local given = options.parse(words)
    checkpoint = given.checkpoint and given.checkpoint.text
    if not checkpoint then native.fail(2, 'luth eval RECIPE needs --checkpoint FILE') end
  else
    if not native.exists(path) then native.fail(5, string.format("there is no checkpoint '%s'", path)) end
    local dir = dirname(dirname(path))
    path = dir .. '/recipe.lua'
    if not native.exists(dir .. '/options.json') or not native.exists(path) then
      native.fail(2, string.format("%s has no recipe.lua and options.json beside ckpt/; use luth eval RECIPE.lua --checkpoint %s", dir, checkpoint))
    end
    local kept = run_folder.words(dir)
    table.move(words, 1, #words, #kept + 1, kept)
    words = kept
  end
  local r, mine = load_recipe(path, words)
  if not r then return end
  local t = new_trainer(r, choose_device(mine.device))
  local held = t.parts.test or t.parts.val or t.parts.train
  local state = torch.load(checkpoint, { map_location = tostring(t.device) })
  local weights = type(state) == 'table' and (state.ema or state.model)
  if type(weights) ~= 'table' and type(weights) ~= 'userdata' then
    native.fail(5, checkpoint .. ' holds no model; it is no checkpoint of luth train')
  end
  load_weights(t.model, weights, checkpoint)
  for _, result in ipairs(evaluate(t, t.model, held)) do print(string.format('%s %.6g', result[1], result[2])) end
end

return M
