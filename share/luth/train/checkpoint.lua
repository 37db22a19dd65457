-- Checkpoints of luth train: saving a trainer, and continuing a run from a checkpoint, bit for bit if nothing was changed.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local begin = require 'luth.train.begin'
local errors = require 'luth.train.errors'
local fingerprint = require 'luth.train.fingerprint'
local kept = require 'luth.train.kept'
local learned = require 'luth.train.learned'
local ranks = require 'luth.train.ranks'
local streams = require 'luth.data.streams'
local warn = require('luth.train.warnings').warn

local M = {}
local usage, unusable = errors.usage, errors.unusable
local version = 1

-- f(optimizer, name), for one optimizer or a table of them, in order of their names.
function M.each_optimizer(o, f)
  if type(o) ~= 'table' then return o and f(o, nil) end
  for _, name in ipairs(errors.keys(o)) do f(o[name], name) end
end

-- f(group, path) for each group of parameters; its path is "" for an only group, "1" …, "name", "name.1" …
local function each_group(o, f)
  M.each_optimizer(o, function(one, name)
    for i, group in ipairs(one.param_groups) do
      f(group, (name or '') .. (#one.param_groups > 1 and (name and '.' or '') .. i or ''))
    end
  end)
end

-- {path of a group -> its settings}
local function settings_of(o)
  local all = {}
  each_group(o, function(group, path)
    all[path] = { initial_lr = group.initial_lr }
    for key, value in pairs(group) do if key ~= 'params' then all[path][key] = value end end
  end)
  return all
end

local function equal(a, b)
  if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
  for k, v in pairs(a) do if not equal(v, b[k]) then return false end end
  for k in pairs(b) do if a[k] == nil then return false end end
  return true
end

-- Notes the settings with which the recipe made the optimizer (called before a schedule changes them) and the schedule.
function M.note_optimizer(t) t.made = { optim = settings_of(t.optimizer) } end
function M.note_schedule(t)
  t.made.schedule = t.schedule and tostring(t.schedule) or nil
  t.fresh = settings_of(t.optimizer)
end

-- The generators of random numbers: the CPU's, and that of the device by its kind; those of rank 0, and a list of those of
-- the other ranks, each as a list of bytes.
local function random_state(device)
  local own = { torch = torch.get_rng_state() }
  if device.type ~= 'cpu' then own[device.type] = torch.get_rng_state(device) end
  local bytes = {}
  for kind, state in pairs(own) do bytes[kind] = state:tolist() end
  local all = ranks.all(bytes)
  own.ranks = all[2] and { table.unpack(all, 2) }
  return own
end

-- A run that goes on where its device is of another kind begins that stream anew, as does a rank that it did not have.
local function restore_random(all, device)
  local own = ranks.rank == 0 and all or all.ranks and all.ranks[ranks.rank] or {}
  local function restore(kind, ...)
    local state = own[kind]
    if state then torch.set_rng_state(torch.tensor(state, { dtype = torch.uint8 }):cpu(), ...) end
  end
  restore 'torch'
  if device.type ~= 'cpu' then restore(device.type, device) end
end

-- The place in a stream of data within an epoch; other data need none.
local function stream_state(t)
  return t.batch > 0 and streams.is_stream(t.parts.train) and t.loader:state_dict() or nil
end

-- What the recipe's field `state` names; nil for nothing.
function M.own_state(objects)
  if not objects then return nil end
  local all = {}
  for name, object in pairs(objects) do all[name] = object:state_dict() end
  return all
end

local function load_own_state(objects, state, path)
  for _, name in ipairs(errors.keys(objects or {})) do
    local part = type(state) == 'table' and state[name]
    if not part then unusable("%s has no state '%s' of the recipe", path, name) end
    errors.attempt(5, string.format("%s does not fit the state '%s': ", path, name), objects[name].load_state_dict, objects[name], part)
  end
end

-- All ranks call it; what rank 0 gets is the state of the run.
function M.state(t)
  local r = t.recipe
  local sum, count = t:totals()
  local optim_state
  M.each_optimizer(t.optimizer, function(o, name)
    local state = t.shards and t.shards:state_of(o) or o:state_dict()
    if not name then optim_state = state return end
    optim_state = optim_state or {}
    optim_state[name] = state
  end)
  return {
    format = 'luth.train.checkpoint', version = version, cpu_isa = native.cpu_isa(),
    model = t.model:state_dict(),
    ema = t.ema and t.ema:state_dict() or nil,
    optim = optim_state,
    schedule = t.schedule and t.schedule:state_dict() or nil,
    random = random_state(t.device),
    data = learned.state(t.parts), kept = kept.state(), state = M.own_state(r.state),
    loader = { seed = r.seed, epoch = t.epoch, batch = t.batch, stream = stream_state(t) },
    scaler = {},
    progress = { step = t.step, best = t.best, sum = sum, count = count, worse = t.worse, kept = t.kept,
                 skipped = t:skipped(), left_out = t.left_out, bad_in_a_row = t.bad_in_a_row },
    settings = { batch = r.batch, epochs = r.epochs, seed = r.seed, accumulate = r.accumulate, made = t.made,
                 data = t:fingerprint() },
  }
end

-- Reads the file. An error of last.h5 also says how to go on from the checkpoint before it, if that one is complete.
-- `instead`: the format of that advice, with %s for the other file.
local function read(path, device, instead)
  local ok, state = pcall(torch.load, path, { map_location = tostring(device) })
  if ok then return state end
  local text, before = tostring(state), path:gsub('last%.h5$', 'prev.h5')
  if native.code(text) ~= 5 then error(text, 0) end
  if before ~= path and native.whole(before) then
    text = string.format('%s; the checkpoint before it is whole: %s', text, instead:format(before))
  end
  native.fail(5, text)
end

function M.load(path, device, instead)
  return ranks.of_first(function() return read(path, device, instead) end)
end

local function is_state(state) return type(state) == 'table' and type(state.model) == 'table' end

function M.load_weights(model, weights, path)
  errors.attempt(5, path .. ' does not fit this model: ', model.load_state_dict, model, weights)
end

-- Weights for evaluation: those of a checkpoint, the averaged ones where there are any, or of a file that holds weights alone;
-- and what the data of the run had learned.
function M.load_model(t, path)
  local state = M.load(path, t.device, 'luth eval %s')
  if not is_state(state) then return M.load_weights(t.model, begin.named_as(t.model:state_dict(), path), path) end
  M.load_weights(t.model, type(state.ema) == 'table' and state.ema or state.model, path)
  learned.load(t.parts, state.data, path)
end

-- Whole numbers of a checkpoint, and the least that each can be.
local counts = { loader = { epoch = 1, batch = 0 }, progress = { step = 0 }, settings = { seed = math.mininteger } }

local function check(state, path)
  if not is_state(state) or state.format ~= 'luth.train.checkpoint' then unusable('%s is no checkpoint of luth train', path) end
  if state.version ~= version then
    unusable('%s has version %s of the checkpoints of luth train; this luth reads version %d', path,
             tostring(state.version), version)
  end
  for _, name in ipairs { 'random', 'loader', 'progress', 'settings' } do
    if type(state[name]) ~= 'table' then unusable("%s is no checkpoint of luth train: it has no '%s'", path, name) end
  end
  for part, names in pairs(counts) do
    for name, least in pairs(names) do
      local n = state[part][name]
      if math.type(n) ~= 'integer' or n < least then
        unusable('%s is damaged: its %s.%s is %s, expected a whole number from %d on', path, part, name, tostring(n), least)
      end
    end
  end
  local p = state.progress
  local random = state.random.torch
  if not (torch.is_tensor(random) and random.dtype == torch.uint8 and (p.best == nil or type(p.best) == 'number')
          and (p.sum == nil or torch.is_tensor(p.sum) and math.type(p.count) == 'integer')) then
    unusable('%s is damaged: its random or progress are of another kind', path)
  end
end

-- What keeps a run from going on exactly ends it, or with --force is a warning.
local function refuse(t, code, ...)
  local text = string.format(...)
  if t.force then return warn(t, '%s', text) end
  native.fail(code, text .. '; --force goes on all the same')
end

-- Sums have another order, and products are rounded more often, where the kernels are of another instruction set.
local function has_same_kernels(state) return (state.cpu_isa or native.cpu_isa()) == native.cpu_isa() end

-- Settings that a run cannot change where it stands: the order of the data, and the place in it.
local function check_settings(t, state, path)
  local r, before, at = t.recipe, state.settings, state.loader
  if r.seed ~= before.seed then
    refuse(t, 2, '--seed %d: the run was started with seed %d, and its random state goes on from there; leave the seed as it is, '
           .. 'or start a new run', r.seed, before.seed)
  end
  local changed = fingerprint.difference(t:fingerprint(), before.data, has_same_kernels(state))
  if changed then refuse(t, 2, '%s: %s', path, changed) end
  if at.batch == 0 then return end
  for _, name in ipairs { 'batch', 'accumulate' } do
    if r[name] ~= before[name] then
      refuse(t, 2, '--%s %d: the run stopped within epoch %d, after %d batches, with --%s %d; '
             .. 'it can be changed at the end of an epoch', name, r[name], at.epoch, at.batch, name, before[name])
    end
  end
  if r.batch ~= before.batch then at.batch, at.stream = at.batch * before.batch // r.batch, nil end
  local now = batches.count(t.loader)
  if at.batch > now then
    refuse(t, 5, '%s was saved after %d batches of an epoch; the data make %d batches now', path, at.batch, now)
    at.batch = now
  end
end

local function load_optimizers(t, state, path)
  M.each_optimizer(t.optimizer, function(o, name)
    local part = state.optim
    if name and type(part) == 'table' then part = part[name] end
    if type(part) ~= 'table' then unusable('%s has no state of the optimizer%s', path, name and ' ' .. name or '') end
    errors.attempt(5, path .. ' does not fit the optimizer: ', function()
      if t.shards then t.shards:load_state(o, part) else o:load_state_dict(part) end
    end)
  end)
end

-- Two texts of schedules, "StepLR(step_size=3, gamma=0.1)": what differs, or the new one where it is of another kind.
local function schedule_change(new, old)
  local function parts(text)
    local kind, inside = (text or 'none'):match('^([^(]*)%(?(.*)%)?$')
    local all = {}
    local lines = inside:gsub('%)$', ''):gsub(', ([%w_]+=)', '\n%1')
    for key, value in lines:gmatch('([%w_]+)=([^\n]*)') do all[key] = value end
    return kind, all
  end
  local kind, now = parts(new)
  local kind_before, before = parts(old)
  if kind ~= kind_before then return 'schedule = ' .. (new or 'none') end
  local list = {}
  for _, key in ipairs(errors.keys(now)) do
    if now[key] ~= before[key] then
      list[#list + 1] = string.format('%s = %s (was %s)', key, now[key], tostring(before[key]))
    end
  end
  return string.format('%s with %s', kind, table.concat(list, ', '))
end

-- The settings that differ from those with which the run was started, in words.
local function changes(now, before)
  local list = {}
  for _, path in ipairs(errors.keys(now.optim)) do
    for _, key in ipairs(errors.keys(now.optim[path])) do
      local new, old = now.optim[path][key], (before.optim[path] or {})[key]
      if not equal(new, old) and type(new) ~= 'table' then
        local where = path ~= '' and path .. '.' or ''
        list[#list + 1] = string.format('%s%s = %s (was %s)', where, key, tostring(new), tostring(old))
      elseif not equal(new, old) then
        list[#list + 1] = string.format('other %s', key)
      end
    end
  end
  if now.schedule ~= before.schedule then list[#list + 1] = schedule_change(now.schedule, before.schedule) end
  return list
end

-- Settings that were changed count from here on: the optimizer's own as they are now, the schedule's rates as if it had
-- been the schedule from the first step.
local function play_schedule(schedule, steps)
  for _ = 1, steps do
    local signal = native.interrupted()
    if signal ~= 0 then native.fail(128 + signal, signal == 15 and 'terminated' or 'interrupted') end
    schedule:step()
  end
end
local function apply_changes(t, steps, list)
  each_group(t.optimizer, function(group, path)
    for key, value in pairs(t.fresh[path]) do group[key] = value end
  end)
  if t.schedule and not t:follows_metric() then
    errors.attempt(2, 'the schedule does not fit the run: ', play_schedule, t.schedule, steps)
  end
  warn(t, 'from here on: %s', table.concat(list, ', '))
end

local function load_averages(t, state, path)
  t:begin_average()
  if not t.ema then return end
  M.load_weights(t.ema, type(state.ema) == 'table' and state.ema or state.model, path)
end

local function compare_machines(t, state, path)
  if has_same_kernels(state) then return end
  warn(t, '%s was computed with the instruction set %s, this run goes on with %s: its last bits can differ from those of an '
       .. 'unbroken run', path, tostring(state.cpu_isa), native.cpu_isa())
end

local function at_stream(t, at)
  return at.batch > 0 and type(at.stream) == 'table' and streams.is_stream(t.parts.train)
end

local function restore(t, state, path, data_stay)
  t.epoch, t.step = state.loader.epoch, state.progress.step
  M.load_weights(t.model, state.model, path)
  load_averages(t, state, path)
  if not data_stay then learned.load(t.parts, state.data, path) end
  check_settings(t, state, path)
  load_optimizers(t, state, path)
  load_own_state(t.recipe.state, state.state, path)
  local before = state.settings.made
  local list = type(before) == 'table' and changes(t.made, before) or {}
  if #list > 0 then
    apply_changes(t, t.schedule_per_step and state.progress.step or state.loader.epoch - 1, list)
  elseif t.schedule and state.schedule then
    errors.attempt(5, path .. ' does not fit the schedule: ', t.schedule.load_state_dict, t.schedule, state.schedule)
  end
  restore_random(state.random, t.device)
  compare_machines(t, state, path)
  t.batch = state.loader.batch
  if at_stream(t, state.loader) then t.loader:load_state_dict(state.loader.stream) end
  t.best, t.worse, t.kept = state.progress.best, state.progress.worse, state.progress.kept
  t.skipped_before, t.left_out, t.bad_in_a_row = state.progress.skipped, state.progress.left_out, state.progress.bad_in_a_row
  if ranks.rank == 0 then t.sum, t.count = state.progress.sum, state.progress.count end
end

-- Takes up the run that `path` holds. Throws before anything of the run folder is written. What has no code of its own is
-- the checkpoint's fault. `data_stay`: within a run, whose workers read the datasets.
function M.restore(t, path, data_stay)
  local state = M.load(path, t.device, '--resume %s goes on from it')
  check(state, path)
  local ok, why = pcall(restore, t, state, path, data_stay)
  if ok then return end
  why = tostring(why)
  if native.code(why) ~= 1 then error(why, 0) end
  unusable('%s is damaged: %s', path, why:match '^[^\n]*')
end

-- Takes up last.h5, or, where it is damaged and the one before is whole, that one, which then takes its place: the next save
-- must not replace it by the damaged one.
function M.restore_newest(t, path)
  local ok, why = pcall(M.restore, t, path)
  if ok then return end
  local before = path:gsub('last%.h5$', 'prev.h5')
  local other = ranks.of_first(function() return before ~= path and not native.whole(path) and native.whole(before) end)
  if native.code(tostring(why)) ~= 5 or not other then error(why, 0) end
  M.restore(t, before)
  warn(t, '%s cannot be used: the run goes on from %s', path, before)
  if ranks.rank == 0 then assert(os.rename(before, path)) end
end

return M
