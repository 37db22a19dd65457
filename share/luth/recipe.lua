-- Recipes: a Lua file that says what to train. This module runs the file with `options` and `recipe` in its reach,
-- applies the command line, and makes the parts: model, loss, optimizer, schedule, data.
local native = require 'luth.native'
local options = require 'luth.options'

local M = {}

local function usage(...) native.fail(2, string.format(...)) end

-- Fields of a recipe; those with a default may be set on the command line as well.
local fields = {
  data = { help = 'a dataset, or {train = , val = , test = }' },
  model = { help = 'the module to train' },
  loss = { help = 'a module or function of output and target' },
  optim = { help = 'an optimizer without its parameters' },
  schedule = { help = 'a schedule without its optimizer' },
  metrics = { help = "a list of names ('accuracy') or functions" },
  callbacks = { help = 'functions called after each epoch, or {on_step = , on_epoch = }' },
  collate = { help = 'makes a batch of a list of samples' },
  transform = { help = 'changes a batch before the model sees it' },
  step = { help = 'function(model, batch, ctx) in place of the ordinary step' },
  batch = { default = 32, help = 'samples in a batch' },
  epochs = { default = 1, help = 'passes over the training data' },
  seed = { default = 0, help = 'of parameters, order and augmentation' },
  clip = { default = 0.0, help = 'largest gradient norm; 0: not clipped' },
  accumulate = { default = 1, help = 'batches whose gradients are added before a step' },
  ema = { default = 0.0, help = 'decay of the averaged weights that are evaluated; 0: none' },
  save_every = { default = 0, help = 'steps between checkpoints; 0: after each epoch' },
  workers = { default = 0, help = 'threads that read data ahead' },
}

-- What `optim.AdamW {lr = 0.1}` is in a recipe: a call that still lacks its first argument.
local Deferred = {}
Deferred.__index = Deferred
function Deferred:make(first, extra)
  local named = {}
  for k, v in pairs(self.named) do named[k] = v end
  for k, v in pairs(extra or {}) do if named[k] == nil then named[k] = v end end
  local ok, made = pcall(self.make_real, first, named)
  if not ok then usage('%s', tostring(made)) end
  return made
end

local function deferring(real, path)
  return setmetatable({}, {
    __index = function(_, name)
      local value = real[name]
      if value == nil then
        local names = {}
        for k in pairs(real) do names[#names + 1] = tostring(k) end
        local near = native.nearest(name, names)
        usage("%s has no '%s'%s", path, name, near ~= '' and string.format(" (did you mean '%s'?)", near) or '')
      end
      if name == 'lr_scheduler' then return deferring(value, path .. '.lr_scheduler') end
      return function(first, ...)
        local only_named = first == nil or (type(first) == 'table' and #first == 0 and getmetatable(first) == nil and first.params == nil)
        if not only_named or select('#', ...) > 0 then return value(first, ...) end
        return setmetatable({ name = name, named = first or {}, make_real = value }, Deferred)
      end
    end,
  })
end

function M.is_deferred(x) return getmetatable(x) == Deferred end

local function run_file(path, given, seed)
  local declared, called = {}, false
  local result
  local env = setmetatable({
    options = function(declaration) return options.declare(declaration, given, declared) end,
    recipe = function(r)
      if type(r) ~= 'table' then usage('%s: recipe wants a table: recipe { model = ..., data = ... }', path) end
      called = true
      return r
    end,
    optim = deferring(optim, 'optim'),
  }, { __index = _G, __newindex = _G })
  torch.manual_seed(seed)
  local chunk, message = loadfile(path, 't', env)
  if not chunk then native.fail(native.exists(path) and 1 or 2, message) end
  result = chunk()
  if not called or type(result) ~= 'table' then
    usage("%s is no recipe: it must end with 'return recipe { ... }'", path)
  end
  return result, declared
end

local function field_names()
  local names = {}
  for name in pairs(fields) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function check_fields(r, path)
  for name in pairs(r) do
    if not fields[name] then
      local near = native.nearest(tostring(name), field_names())
      usage("%s: unknown recipe field '%s'%s", path, tostring(name),
            near ~= '' and string.format(" (did you mean '%s'?)", near) or '')
    end
  end
  for _, name in ipairs { 'data', 'model' } do
    if r[name] == nil then usage("%s: the recipe has no '%s' (%s)", path, name, fields[name].help) end
  end
  if r.loss == nil and r.step == nil then usage("%s: the recipe needs 'loss' or 'step'", path) end
  if r.optim == nil and r.step == nil then usage("%s: the recipe has no 'optim'", path) end
end

-- Runs the recipe at `path`. `given`: parsed words of the command line. `own`: options of the subcommand itself.
-- Returns the recipe with all fields set, and the declared options for help.
function M.load(path, given, own)
  local seed = options.take(given, 'seed', 0)
  local r, declared = run_file(path, given, seed)
  if not given.seed and r.seed and r.seed ~= seed then r, declared = run_file(path, given, r.seed) end
  check_fields(r, path)
  local known = {}
  for name, field in pairs(fields) do
    if field.default ~= nil then
      local default = r[name]
      if default == nil then default = field.default end
      if math.type(field.default) == 'float' and default then default = default + 0.0 end
      -- A declared option of the same name has already had its say: the recipe passed it on.
      if declared[name] then r[name] = default else r[name] = options.take(given, name, default) end
      known[name] = { default = default, help = field.help }
    end
  end
  for name, d in pairs(declared) do known[name] = d end
  for name, d in pairs(own) do known[name] = d end
  for name, least in pairs { batch = 1, epochs = 0, accumulate = 1, save_every = 0, workers = 0 } do
    if math.type(r[name]) ~= 'integer' or r[name] < least then
      usage('%s must be an integer of at least %d, got %s', name, least, tostring(r[name]))
    end
  end
  return r, known
end

-- The datasets {train, val, test}: a built-in dataset brings its own test part.
function M.datasets(r)
  local d = r.data
  local parts = {}
  if type(d) == 'table' and getmetatable(d) == nil then
    for name, part in pairs(d) do
      if name ~= 'train' and name ~= 'val' and name ~= 'test' then
        usage("data has a part '%s'; its parts are train, val and test", tostring(name))
      end
      parts[name] = part
    end
    if not parts.train then usage('data has no train part') end
  else
    parts.train = d
    local ok, test = pcall(function() return d:test_part() end)
    if ok then
      parts.test = test
    elseif type(d) == 'userdata' and not tostring(test):find('has no test part', 1, true) then
      error(test, 0)
    end
  end
  return parts
end

function M.print_help(path, known, write)
  write(string.format('Usage: luth train %s [--option value ...]\n\n', path))
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local k = known[name]
    local default = k.default ~= nil and string.format(' [%s]', tostring(k.default)) or ''
    write(string.format('  --%-18s %s%s\n', name:gsub('_', '-'), k.help or '', default))
  end
end

return M
