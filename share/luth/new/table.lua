-- luth new --kind tabular and --kind regression: files of CSV, TSV and JSON lines.
local errors = require 'luth.train.errors'
local template = require 'luth.new.template'

local text = [==[
-- {{what}} from a table: luth train {{path}}
--   {{rows}} rows in {{file}}, with {{columns}}.
!regression --   {{count}} classes: {{classes}}
-- share/doc/recipes.md describes all that a recipe may say; `luth train {{path}} --help` lists the options.
local o = options {
  path = { {{file}}, 'the table' },
?test   test = { {{test}}, 'the rows to evaluate on' },
  target = { {{target}}, 'the column to predict' },
  hidden = { {{hidden}}, 'units of each hidden layer' },
  dropout = { 0.1, 'share of units that are left out in each step' },
  lr = { 3e-3, 'the largest learning rate' },
}

-- Columns of numbers get mean 0 and deviation 1, those of texts become a feature for each category; what is missing is
-- the mean. drop = { 'id' } leaves columns out, categories = { 'month' } takes numbers for categories.
local all = data.{{reader}}(o.path, { target = o.target{{options}} })
-- A fifth of the rows, always the same ones, is for validation; means and categories are those of the others.
local train, val = data.random_split(all, { 0.8, 0.2 }, { seed = 0 })
all:fit(train)
?test local test = data.{{reader}}(o.test, { like = all })

?regression -- The target may be far from 0 and 1, where learning is quick. The layers give how many deviations it is from its mean,
?regression -- and this module makes a value of that; the checkpoint has both numbers.
?regression local Value = nn.class 'Value'
?regression function Value:init(of)
?regression   self:register_buffer('mean', torch.tensor(of.mean))
?regression   self:register_buffer('deviation', torch.tensor(of.std))
?regression end
?regression function Value:forward(x) return x * self.deviation + self.mean end

local features = #all:features()
return recipe {
  data = { train = train, val = val{{testpart}} },
  model = nn.Linear(features, o.hidden) .. nn.ReLU() .. nn.Dropout(o.dropout)
    .. nn.Linear(o.hidden, o.hidden) .. nn.ReLU() .. nn.Dropout(o.dropout)
!regression     .. nn.Linear(o.hidden, #all:classes()),
?regression     .. nn.Linear(o.hidden, 1) .. Value(all:state_dict().target[1]),
?regression   -- The squared error; nn.L1Loss() minds outliers less.
?regression   loss = nn.MSELoss(),
!regression   loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.lr, weight_decay = 0.01 },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  batch = {{batch}},
  epochs = {{epochs}},
?regression   metrics = { 'mae', 'r2' },  -- best.h5 is that of the best r2, the last one
!regression   metrics = { 'f1', 'accuracy' },  -- best.h5 is that of the best accuracy, the last one
}
]==]

-- The dataset that reads the file, by its name.
local function reader_of(path)
  local suffix = path:lower():gsub('%.gz$', ''):match '%.(%w+)$'
  return (suffix == 'jsonl' or suffix == 'ndjson') and 'JSONLines' or 'CSV'
end

-- The names of the columns, as luth reads them.
local function last_column(path)
  local ds = data[reader_of(path)](path)
  local features = ds:state_dict().features
  return features[#features].name, #features
end

-- "12 columns of numbers and 3 of categories"
local function columns_text(features)
  local counts, parts = { numbers = 0, categories = 0 }, {}
  for _, f in ipairs(features) do
    local kind = f.categories and 'categories' or 'numbers'
    counts[kind] = counts[kind] + 1
  end
  for _, kind in ipairs { 'numbers', 'categories' } do
    local n = counts[kind]
    if n > 0 then parts[#parts + 1] = string.format(#parts == 0 and (n == 1 and '%d column of %s' or '%d columns of %s') or '%d of %s', n, kind) end
  end
  return table.concat(parts, ' and ')
end

local function some(names)
  local shown = {}
  for i, name in ipairs(names) do
    if i > 8 then shown[i] = string.format('... %d more', #names - 8) break end
    shown[i] = name:gsub('%c', '?')
  end
  return table.concat(shown, ', ')
end

-- train.csv has its test.csv beside it.
local function beside(path)
  local other = path:gsub('train(%.%w+)$', 'test%1')
  return other ~= path and require('luth.native').exists(other) and other or nil
end

-- The dataset with its target: for classes, one of numbers is taken as categories.
local function open(path, target, kind)
  local read = data[reader_of(path)]
  local ds = read(path, { target = target })
  local classes = #ds:classes() > 0
  if kind == 'regression' and classes then
    errors.usage("--kind regression: the column '%s' holds texts; --kind tabular tells its classes apart", target)
  end
  if kind ~= 'tabular' or classes then return ds, '' end
  return read(path, { target = target, categories = { target } }), ', categories = { o.target }'
end

--- The text of a recipe, and what it is, in words. `path`: of the recipe; `kind`: nil for what the target is.
return function(path, o, kind)
  local target = o.target or last_column(o.data)
  local ds, extra = open(o.data, target, kind)
  local fit, classes = ds:state_dict(), ds:classes()
  local regression = #classes == 0
  if #ds < 10 then errors.usage('%s has %d rows; at least 10 are needed', o.data, #ds) end
  local test = beside(o.data)
  local values = {
    path = path, reader = reader_of(o.data), file = template.quote(o.data), target = template.quote(target), options = extra, rows = #ds, regression = regression,
    what = regression and 'Predicts the number ' .. target:gsub('%c', '?') or string.format('Tells the %d classes of %s apart', #classes, (target:gsub('%c', '?'))),
    columns = columns_text(fit.features), count = #classes, classes = some(classes),
    test = test and template.quote(test), testpart = test and ', test = test' or '', hidden = #ds < 2000 and 32 or 128,
    batch = math.max(4, math.min(64, #ds // 16)), epochs = #ds < 5000 and 60 or 20,
  }
  return template.fill(text, values), regression and 'a regression of ' .. target or string.format('%d classes of %s', #classes, target)
end
