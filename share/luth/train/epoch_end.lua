-- The end of an epoch, or of a run within one: validation, the schedule, the line of the log, the best checkpoints, the save.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local errors = require 'luth.train.errors'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local run_events = require 'luth.train.run_events'
local warnings = require 'luth.train.warnings'

local M = {}

-- `loss` and `score` are those of the validation data where there are any, a score is better where it is larger. A schedule that
-- follows a metric compares its values, so it steps only where all of them are of the same data.
local function step_schedule(t, loss, score, validates)
  if not t.schedule or t.schedule_per_step then return end
  if not t:follows_metric() then
    t.schedule:step()
  elseif validates or not t:held() then
    t.schedule:step(t.schedule.mode == 'max' and score or loss)
  end
end

--- Adds the results on the validation data to the entry; returns the score of the epoch, which is better where it is larger, and
--- the results. A score that is no number is the worst one.
function M.validate(t, entry, model)
  local held, score = t:held(), -(entry.loss or 0)
  local results = held and batches.evaluate(t, model, held, t.recipe.limit_val) or {}
  for _, result in ipairs(results) do
    local name, value, smaller = table.unpack(result)
    if type(value) ~= 'number' then errors.usage("metric '%s' must be a number, got a %s", name, native.kind(value)) end
    entry['val_' .. name] = value
    score = smaller and -value or value
  end
  t.events:fire('on_validation', t, entry)
  return score == score and score or -math.huge, results
end

-- The checkpoints beside best.h5: the `keep` best ones.
local function keep_best(t, score)
  local most = t.recipe.keep
  if most == 0 then return end
  local before, kept = t.kept, table.move(t.kept, 1, #t.kept, 1, {})
  t.kept = kept
  kept[#kept + 1] = { epoch = t.epoch - 1, score = score }
  table.sort(kept, function(a, b) return a.score > b.score or a.score == b.score and a.epoch < b.epoch end)
  local function path(entry) return string.format('%s/ckpt/epoch-%d.h5', t.run.dir, entry.epoch) end
  local dropped = #kept > most and table.remove(kept) or nil
  if dropped and dropped.epoch == t.epoch - 1 then return end
  t.saves:also(path { epoch = t.epoch - 1 }, dropped and path(dropped), function() t.kept = before end)
end

--- Whether the last validations have ended the run.
function M.is_out_of_patience(t)
  local patience = t.recipe.early_stop
  return patience > 0 and (t.worse or 0) >= patience
end

-- Notes the score of a validation: best.h5, the best ones that are kept, and the end of patience.
local function note_score(t, score)
  t.saves:settle(true)  -- what could not be saved is no best one
  local best, worse = t.best, t.worse
  local better = not (t.best and score <= t.best)  -- the best one of an older run may be no number
  if better then t.best, t.worse = score, 0 else t.worse = t.worse + 1 end
  -- last.h5 comes last: a run that ends before it does this epoch again, and writes the same best.h5 and log line.
  if better then t.saves:also(t.run.best, nil, function() t.best, t.worse = best, worse end) end
  keep_best(t, score)
  if M.is_out_of_patience(t) then
    progress.say('stopping early: no better score in %s; the best is in %s', progress.plural(t.worse, 'validation'), t.run.best)
    t.stopped = true
  end
end

-- `whole`: the epoch has come to its end, and the next one follows. It began at the time `started` with the batch `first`.
function M.finish(t, started, first, whole)
  local r = t.recipe
  local entry = { epoch = t.epoch, step = t.step, loss = t:mean_loss(), lr = t:learning_rate() }
  t:check_own_step(entry.loss)
  local text = string.format('epoch %d/%d', t.epoch, r.epochs) .. (entry.loss and string.format('  loss %.4f', entry.loss) or '')
  local model = t.ema or t.model
  if t.replicas then
    t.replicas:check_equal()
    t.replicas:share_buffers(model)
  end
  local validates = t.epoch % r.val_every == 0 or t.epoch == r.epochs or not whole
  local rate = (t.batch - first) * r.batch / math.max(1e-9, native.now() - started)
  local score, results
  if validates then score, results = t:validate(entry, model) end
  for _, result in ipairs(results or {}) do text = text .. string.format('  val_%s %.4f', result[1], result[2]) end
  step_schedule(t, entry.val_loss or entry.loss, score or -(entry.loss or 0), validates)
  entry.seconds = native.now() - started
  t.line:clear()
  progress.note('epoch', entry, '%s  (%.1f s)', text, entry.seconds)
  if t.table then
    t.table:add(t.step, t.epoch, setmetatable({ samples_per_second = rate }, { __index = entry }), true)
  end
  run_events.histograms(t)
  warnings.gather(t)
  if whole then t.epoch, t.batch, t.sum, t.count, t.good = t.epoch + 1, 0, nil, nil, nil end
  if ranks.rank == 0 then t.saves:log(entry) end
  if validates then note_score(t, score) end
  t:save()
  t.events:fire('on_epoch', t, entry)
end

return M
