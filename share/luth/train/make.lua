-- What a trainer is made of: the datasets, the model, optimizers and the schedule of a recipe.
local begin = require 'luth.train.begin'
local checkpoint = require 'luth.train.checkpoint'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
local learned = require 'luth.train.learned'
local ranks = require 'luth.train.ranks'
local recipes = require 'luth.train.recipe'
local streams = require 'luth.data.streams'
local Shards = require 'luth.train.shards'
local native = require 'luth.native'

local M = {}

-- Optimizers and schedules, which a recipe gives without their first argument. A table of optimizers is one for `step`.
function M.optimizers(r, model, fsdp)
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
local rates = { 'max_lr', 'base_lr', 'eta_min', 'min_lr' }  -- settings of schedules that --lr scales

-- The schedule, and whether it steps with each batch. `steps`: those of an epoch; `factor`: of --lr.
function M.schedule(r, optimizer, steps, factor)
  local s = r.schedule
  if not s then return nil end
  if deferred.is(s) then
    local extra = {}
    if s.name == 'OneCycleLR' and not s.named.epochs then
      local all = steps * r.epochs
      extra.total_steps = math.max(1, r.steps > 0 and math.min(r.steps, all) or all)
    end
    if s.name == 'CosineAnnealingLR' then extra.T_max = math.max(1, r.epochs) end
    for _, name in ipairs(rates) do
      if type(s.named[name]) == 'number' then s.named[name] = s.named[name] * factor end
    end
    return s:make(optimizer, extra), per_step[s.name] or false
  end
  if native.kind(s) == 'schedule' then
    if not s.optimizer then s:attach(optimizer) end
    return s, s.per_batch or false
  end
  return optim.lr_scheduler.LambdaLR(optimizer, function(epoch) return s(epoch) end), false
end

function M.ema(model)
  local copy = model:clone()
  copy:requires_grad_(false)
  return copy
end

-- The model as it is trained, and the Shards of --fsdp. `ways` has fsdp and sync_bn.
function M.model(r, device, ways)
  local model = r.model:to(device)
  if ranks.size == 1 then return model end
  if ways.sync_bn then model = nn.SyncBatchNorm.convert_sync_batchnorm(model) end
  if not ways.fsdp then return model end
  if r.ema > 0 then errors.usage('--fsdp keeps no averaged weights: leave ema at 0') end
  local shards = Shards.new(model)
  return shards.model, shards
end

-- The datasets of a run: of all data, or of the few batches of `overfit`, which then are the validation data too.
function M.parts(r)
  local parts = recipes.datasets(r)
  local count = streams.count(parts.train)
  if count == 0 then errors.usage('the training data is empty') end
  learned.share(parts)
  if r.overfit == 0 then
    if not count and r.limit_train == 0 then
      errors.usage('the training data has no length: --limit-train says how many batches an epoch has')
    end
    return parts
  end
  parts.train = streams.first(parts.train, r.overfit * r.batch)
  parts.val, parts.test = parts.train, nil
  return parts
end

function M.list_of(optimizer)
  local list = {}
  checkpoint.each_optimizer(optimizer, function(o) list[#list + 1] = o end)
  return list
end

-- Scales the rates of all groups to --lr; returns the factor.
function M.scale_rates(r, optimizers)
  if r.lr == 0 then return 1 end
  local groups = {}
  for _, o in ipairs(optimizers) do table.move(o.param_groups, 1, #o.param_groups, #groups + 1, groups) end
  return groups[1] and begin.scale_rates(groups, r.lr) or 1
end

return M
