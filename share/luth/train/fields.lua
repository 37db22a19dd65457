-- The fields of a recipe: which values each takes, and the error for other values.
local native = require 'luth.native'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
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

local function check_metrics(v, name, place)
  if not plain_table(v) then return name, v end
  metrics.check(v, place)
end

local function check_callbacks(v, name, place)
  if not plain_table(v) then return name, v end
  for key, f in pairs(v) do
    if math.type(key) ~= 'integer' and key ~= 'on_step' and key ~= 'on_epoch' then
      usage("%s: callbacks has no '%s'%s", place, tostring(key), errors.did_you_mean(key, { 'on_step', 'on_epoch' }))
    end
    if not callable(f) then return string.format('%s[%s]', name, key), f end
  end
end

-- Fields with a default are numbers. They are also options of the command line.
M.all = {
  data = { check = check_data, help = 'a dataset, or {train = , val = , test = }' },
  model = { check = of_kind(function(v) return kind(v) == 'module' end), help = 'the module to train' },
  loss = { check = of_kind(callable), help = 'a module or function of output and target' },
  optim = { check = check_optim, help = 'an optimizer without its parameters: optim.SGD { lr = 0.1 }' },
  schedule = {
    check = of_kind(function(v) return kind(v) == 'schedule' or deferred.is(v) or callable(v) end),
    help = 'a schedule without its optimizer, or a function of the epoch',
  },
  metrics = { check = check_metrics, help = "a list of names ('accuracy') or functions" },
  callbacks = {
    check = check_callbacks, help = 'a list of functions called after each epoch, or {on_step = , on_epoch = }',
  },
  collate = { check = of_kind(callable), help = 'a function that makes a batch from a list of samples' },
  transform = { check = of_kind(callable), help = 'a function that changes a batch before the model sees it' },
  step = { check = of_kind(callable), help = 'function(model, batch, ctx), used instead of the ordinary step' },
  batch = { default = 32, least = 1, help = 'samples per batch' },
  epochs = { default = 1, least = 0, help = 'passes over the training data' },
  seed = { default = 0, help = 'random seed of parameters, order of samples and augmentation' },
  clip = { default = 0.0, least = 0, help = 'largest gradient norm; 0: no clipping' },
  accumulate = { default = 1, least = 1, help = 'number of batches whose gradients are summed before a step' },
  ema = { default = 0.0, least = 0, below = 1, help = 'decay of the averaged weights, which are then evaluated; 0: no averaging' },
  save_every = { default = 0, least = 0, help = 'steps between checkpoints; 0: one after each epoch' },
  workers = { default = 0, least = 0, most = 1024, help = 'threads that load data in advance' },
}

local function range_text(f)
  local text = math.type(f.default) == 'integer' and 'an integer' or 'a number'
  if f.most then return string.format('%s from %d to %d', text, f.least, f.most) end
  if f.least then text = string.format('%s of at least %d', text, f.least) end
  return f.below and string.format('%s and below %d', text, f.below) or text
end

-- The value of a field that is a number, converted to the field's type. `where`: "--batch", or "recipe.lua:3: batch".
function M.number(name, value, where)
  local f = M.all[name]
  local n = math.type(value) and (math.type(f.default) == 'integer' and math.tointeger(value) or value)
  local good = n and (math.type(f.default) == 'float' or math.type(n) == 'integer') and n == n and math.abs(n) < math.huge
  if not good or n < (f.least or n) or n > (f.most or n) or (f.below and n >= f.below) then
    usage('%s must be %s, got %s', where, range_text(f), shown(value))
  end
  return math.type(f.default) == 'float' and n + 0.0 or n
end

-- The value of the option of the same name; `value` if the option was not given.
function M.of_text(name, text, value)
  return text and M.number(name, options.convert(name, text, value), '--' .. name:gsub('_', '-')) or value
end

-- The row of that option (options.lua), with another default than the field's.
function M.row(name, default)
  local f = M.all[name]
  return options.row(name, default == nil and f.default or default, f.help)
end

-- The rows of all fields that are numbers, by name.
function M.rows()
  local rows = {}
  for _, name in ipairs(errors.keys(M.all)) do
    if M.all[name].default ~= nil then rows[#rows + 1] = M.row(name) end
  end
  return rows
end

-- Refuses unknown fields, missing ones and those of a wrong kind in the recipe at `place`.
function M.check(r, place)
  local names = errors.keys(M.all)
  for _, name in ipairs(errors.keys(r)) do
    if not M.all[name] then usage("%s: unknown recipe field '%s'%s", place, name, errors.did_you_mean(name, names)) end
  end
  for _, name in ipairs { 'data', 'model' } do
    if r[name] == nil then usage("%s: the recipe has no '%s' (%s)", place, name, M.all[name].help) end
  end
  if r.loss == nil and r.step == nil then usage("%s: the recipe needs 'loss' or 'step'", place) end
  if r.optim == nil and r.step == nil then usage("%s: the recipe has no 'optim'", place) end
  for _, name in ipairs(names) do
    local f = M.all[name]
    if f.check and r[name] ~= nil then
      local part, value = f.check(r[name], name, place)
      if part then usage('%s: %s must be %s; got %s', place, part, f.help, shown(value)) end
    end
  end
  if r.schedule ~= nil and not is_optimizer(r.optim) then
    usage('%s: a schedule needs one optimizer; with several, step them and their schedules in step', place)
  end
end

return M
