-- The fields of a recipe: which values each takes, and the error for other values.
local native = require 'luth.native'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
local Events = require 'luth.train.events'
local metrics = require 'luth.train.metrics'
local options = require 'luth.train.options'

local M = {}
local usage = errors.usage

local function kind(v)
  local ok, name = pcall(native.kind, v)
  return ok and name or type(v)
end

local function shown(v)
  local k = kind(v)
  if k == 'number' then return string.format('%.14g', v) end
  if k == 'nil' or k == 'boolean' then return tostring(v) end
  if k == 'string' then return string.format("'%s'", v) end
  if deferred.uncalled(v) then return string.format('%s without its settings', deferred.uncalled(v)) end
  if deferred.is(v) then return string.format('optim settings (%s)', v.name) end
  if k == 'class' then return 'a class (a call makes a module of it: nn.Linear(4, 2))' end
  return (k:match('^[aeiou]') and 'an ' or 'a ') .. k
end

local function callable(v)
  if deferred.uncalled(v) then return false end
  local k = kind(v)
  if k == 'function' or k == 'module' then return true end
  local meta = k == 'table' and getmetatable(v)
  return type(meta) == 'table' and meta.__call ~= nil
end
local function plain_table(v) return type(v) == 'table' and getmetatable(v) == nil end

-- A check returns nothing if the value is right, else the name of the wrong part (below `name`) and its value.
local function of_kind(test)
  return function(v, name) if not test(v) then return name, v end end
end

local function check_data(v, name, place)
  if kind(v) == 'dataset' then return end
  if not plain_table(v) then return name, v end
  for part, d in pairs(v) do
    if part ~= 'train' and part ~= 'val' and part ~= 'test' then
      usage("%s: data has a part '%s'; its parts are train, val and test", place, tostring(part))
    end
    if kind(d) ~= 'dataset' then return name .. '.' .. part, d end
  end
  if v.train == nil then usage('%s: data has no train part', place) end
end

local function is_optimizer(v) return kind(v) == 'optimizer' or deferred.is(v) end
local function check_optim(v, name)
  if is_optimizer(v) then return end
  if not plain_table(v) or next(v) == nil then return name, v end
  for key, o in pairs(v) do
    if not is_optimizer(o) then return name .. '.' .. tostring(key), o end
  end
end

local function check_metrics(v, name, place, r)
  if not plain_table(v) then return name, v end
  metrics.check(v, place, r.loss ~= nil)
end

local function check_callbacks(v, name, place)
  if not plain_table(v) then return name, v end
  local wrong, value = Events.check(v, place .. ': ' .. name)
  if wrong then return wrong:sub(#place + 3), value end
end

local function check_state(v, name)
  if not plain_table(v) then return name, v end
  for key, object in pairs(v) do
    local ok, both = pcall(function() return object.state_dict and object.load_state_dict end)
    if type(key) ~= 'string' or not ok or not both then return string.format('%s.%s', name, tostring(key)), object end
  end
end

-- Steps, or minutes as in "10m": what lies between two checkpoints.
local function interval(v)
  local minutes = type(v) == 'string' and tonumber(v:match('^([%d.]+)m$'))
  if minutes then return { seconds = 60 * minutes } end
  local steps = math.tointeger(tonumber(v))
  return steps and steps >= 0 and { steps = steps } or nil
end

-- Fields with a default are plain values. They are also options of the command line. Numbers have bounds, texts may have
-- `choices`, and other values are what `parse` makes of a number or text, or nil where it cannot. `example` is a value, for help.
M.all = {
  data = { check = check_data, help = 'a dataset, or {train = , val = , test = }',
    example = '{ train = data.TensorDataset(x, y), val = data.TensorDataset(x, y) }' },
  model = { check = of_kind(function(v) return kind(v) == 'module' end), help = 'the module to train',
    example = 'nn.Linear(6, 32) .. nn.ReLU() .. nn.Linear(32, 3)' },
  loss = { check = of_kind(callable), help = 'a module or function of output and target', example = 'nn.CrossEntropyLoss()' },
  optim = { check = check_optim, help = 'an optimizer without its parameters: optim.SGD { lr = 0.1 }', example = 'optim.AdamW { lr = 1e-3 }' },
  schedule = {
    check = of_kind(function(v) return kind(v) == 'schedule' or deferred.is(v) or callable(v) end),
    help = 'a schedule without its optimizer, or a function of the epoch',
    example = 'optim.lr_scheduler.OneCycleLR { max_lr = 0.01 }',
  },
  metrics = { check = check_metrics, help = "a list of names ('accuracy') or functions", example = "{ 'accuracy', 'f1' }" },
  callbacks = {
    check = check_callbacks, help = 'a list of functions called after each epoch, or {on_step = , on_epoch = , ...}',
    example = '{ on_epoch = function(ctx, entry) print(entry.epoch, entry.val_loss) end }',
  },
  collate = { check = of_kind(callable), help = 'a function that makes a batch from a list of samples', example = 'data.default_collate' },
  transform = { check = of_kind(callable), help = 'a function that changes a batch before the model sees it',
    example = 'function(x, y) return x / 255, y end' },
  augment = {
    check = of_kind(callable),
    help = 'a function or data.transforms.MixUp and the like, which changes a batch of training after transform',
    example = 'function(x, y) return x + 0.1 * torch.randn_like(x), y end',
  },
  step = { check = of_kind(callable), help = 'function(model, batch, ctx), used instead of the ordinary step',
    example = 'function(model, batch) return F.cross_entropy(model(batch[1]), batch[2]) end' },
  state = {
    check = check_state,
    help = 'objects with state_dict and load_state_dict that the checkpoints keep: averages, schedules of step, counters',
    example = '{ averaged = optim.swa_utils.AveragedModel(model) }',
  },
  batch = { default = 32, least = 1, help = 'samples per batch', example = '64' },
  epochs = { default = 1, least = 0, help = 'passes over the training data', example = '10' },
  steps = { default = 0, least = 0, help = 'steps after which training ends, also within an epoch; 0: no bound', example = '1000' },
  lr = { default = 0.0, least = 0, help = "learning rate of the first group; the others and the schedule are scaled with it; 0: the recipe's",
    example = '0.01' },
  seed = { default = 0, help = 'random seed of parameters, order of samples and augmentation', example = '1' },
  clip = { default = 0.0, least = 0, help = 'largest gradient norm; 0: no clipping', example = '1.0' },
  accumulate = { default = 1, least = 1, help = 'number of batches whose gradients are summed before a step', example = '4' },
  ema = { default = 0.0, least = 0, below = 1, help = 'decay of the averaged weights, which are then evaluated; 0: no averaging', example = '0.999' },
  save_every = {
    default = 0, parse = interval, expects = 'a number of steps, or minutes such as 10m',
    help = 'steps between checkpoints, or minutes (10m); 0: one after each epoch',
    example = "'10m'",
  },
  keep = { default = 0, least = 0, help = 'how many of the best checkpoints stay, as ckpt/epoch-N.h5; best.h5 is there anyway', example = '3' },
  early_stop = { default = 0, least = 0, help = 'stop after so many validations without a better score; 0: never', example = '5' },
  val_every = { default = 1, least = 1, help = 'epochs between validations', example = '2' },
  limit_train = { default = 0, least = 0, help = 'batches of an epoch; 0: all', example = '100' },
  limit_val = { default = 0, least = 0, help = 'batches of a validation; 0: all', example = '20' },
  overfit = { default = 0, least = 0, help = 'train and validate on so many batches, always the same; 0: on all data', example = '1' },
  log_every = { default = 50, least = 1, help = 'steps between lines of metrics.csv', example = '10' },
  on_nan = {
    default = 'stop', choices = { 'stop', 'skip', 'rollback' },
    help = 'when a loss is no number: end, leave the batch out, or take up the last checkpoint and leave the batch out',
    example = "'skip'",
  },
  on_error = {
    default = 'stop', choices = { 'stop', 'skip' },
    help = 'when a sample cannot be read: end, or leave it out and say at the end how many there were',
    example = "'skip'",
  },
  init_from = { default = '', help = 'a file of weights to begin with; those that fit by name and shape are taken',
    example = "'runs/points-1/ckpt/best.h5'" },
  freeze = { default = '', help = "parameters that stay as they are: patterns of Lua for their names, separated by commas", example = "'1%.'" },
  workers = { default = 0, least = 0, most = 1024, help = 'threads that load data in advance', example = '2' },
  dry_run = { default = false, transient = true, help = 'go once through everything, and write nothing', example = 'true' },
}

local function range_text(f)
  if f.expects then return f.expects end
  if type(f.default) == 'boolean' then return 'true or false' end
  if f.choices then return table.concat(f.choices, ', ', 1, #f.choices - 1) .. ' or ' .. f.choices[#f.choices] end
  if type(f.default) == 'string' then return 'a text' end
  local text = math.type(f.default) == 'integer' and 'an integer' or 'a number'
  if f.most then return string.format('%s from %d to %d', text, f.least, f.most) end
  if f.least then text = string.format('%s of at least %d', text, f.least) end
  return f.below and string.format('%s and below %d', text, f.below) or text
end

local function to_number(f, value)
  local n = math.type(value) and (math.type(f.default) == 'integer' and math.tointeger(value) or value)
  local good = n and (math.type(f.default) == 'float' or math.type(n) == 'integer') and n == n and math.abs(n) < math.huge
  if not good or n < (f.least or n) or n > (f.most or n) or (f.below and n >= f.below) then return nil end
  return math.type(f.default) == 'float' and n + 0.0 or n
end

local function to_choice(f, value)
  if type(value) ~= type(f.default) then return nil end
  for _, choice in ipairs(f.choices or {}) do
    if value == choice then return value end
  end
  if not f.choices then return value end
end

-- The value of a field with a default, in the field's type. `where`: "--batch", or "recipe.lua:3: batch".
function M.value(name, value, where)
  local f = M.all[name]
  local good
  if f.parse then good = f.parse(value) and value
  elseif math.type(f.default) then good = to_number(f, value)
  else good = to_choice(f, value) end
  if good == nil or good == false and value ~= false then usage('%s must be %s, got %s', where, range_text(f), shown(value)) end
  return good
end

-- The value of the option of the same name, which `line` gave; `value` if the option was not given.
function M.of_text(name, text, value, line)
  if not text then return value end
  local f = M.all[name]
  return M.value(name, f.parse and text or options.convert(name, text, f.default, line), line:where(name))
end

-- What lies between two checkpoints: {steps =} or {seconds =}.
M.interval = interval

-- The row of that option (options.lua), with another default than the field's.
function M.row(name, default)
  local f = M.all[name]
  if default == nil then default = f.default end
  local row = options.row(name, default, f.help)
  row.transient = f.transient
  return row
end

-- The rows of all fields with a default, by name.
function M.rows()
  local rows = {}
  for _, name in ipairs(errors.keys(M.all)) do
    if M.all[name].default ~= nil then rows[#rows + 1] = M.row(name) end
  end
  return rows
end

-- What other libraries call a field.
local foreign = { optimizer = 'optim', scheduler = 'schedule', lr_scheduler = 'schedule', criterion = 'loss',
                  dataset = 'data', batch_size = 'batch', max_epochs = 'epochs', num_workers = 'workers',
                  gradient_clip_val = 'clip', accumulate_grad_batches = 'accumulate', net = 'model', network = 'model' }

-- Refuses unknown fields, missing ones and those of a wrong kind in the recipe at `place`.
function M.check(r, place)
  local names = errors.keys(M.all)
  for _, name in ipairs(errors.keys(r)) do
    if not M.all[name] then
      local near = foreign[name] and string.format(" (luth calls it '%s')", foreign[name]) or errors.did_you_mean(name, names)
      usage("%s: unknown recipe field '%s'%s", place, name, near)
    end
  end
  for _, name in ipairs { 'data', 'model' } do
    if r[name] == nil then usage("%s: the recipe has no '%s' (%s)", place, name, M.all[name].help) end
  end
  if r.loss == nil and r.step == nil then usage("%s: the recipe needs 'loss' or 'step'", place) end
  if r.optim == nil and r.step == nil then usage("%s: the recipe has no 'optim'", place) end
  for _, name in ipairs(names) do
    local f = M.all[name]
    if f.check and r[name] ~= nil then
      local part, value = f.check(r[name], name, place, r)
      if part then usage('%s: %s must be %s; got %s', place, part, f.help, shown(value)) end
    end
  end
  if r.schedule ~= nil and not is_optimizer(r.optim) then
    usage('%s: a schedule needs one optimizer; with several, step them and their schedules in step', place)
  end
end

return M
