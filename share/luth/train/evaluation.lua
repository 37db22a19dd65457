-- What luth eval says of a model: metrics, their intervals, a table of the classes, the outputs of all samples.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local errors = require 'luth.train.errors'
local measures = require 'luth.train.measures'
local ranks = require 'luth.train.ranks'

local M = {}
local usage = errors.usage

local resamples = 1000

-- {name = bound} of "accuracy=0.98,loss=0.1".
local function bounds_of(text)
  local bounds = {}
  for part in (text or ''):gmatch '[^,]+' do
    local name, number = part:match '^([^=]+)=(.+)$'
    bounds[name or part] = tonumber(number) or usage("--require takes accuracy=0.98 or a list of such, got '%s'", part)
  end
  return bounds
end

--- The settings of the options in `given`, checked before anything is computed.
function M.settings(given)
  local s = { split = given.split, bounds = bounds_of(given.require), confidence = given.confidence == 'true',
              per_class = given.per_class == 'true', file = given.predictions }
  local parts = { train = true, val = true, test = true }
  if s.split and not parts[s.split] then usage("--split takes test, val or train, got '%s'", s.split) end
  if s.file and not s.file:lower():match '%.csv$' and not s.file:lower():match '%.h5$' and not s.file:lower():match '%.npz$' then
    usage("--predictions takes a file with the suffix .csv, .h5 or .npz, got '%s'", s.file)
  end
  s.keeps = s.confidence or s.per_class or s.file ~= nil
  if s.keeps and ranks.size > 1 then usage('--predictions, --confidence and --per-class are for one rank') end
  return s
end

local names_of_parts = { test = 'the test data', val = 'the validation data', train = 'the training data' }

--- The data to evaluate on, and what to call them.
function M.choose(t, split)
  local part = split or t.parts.test and 'test' or t.parts.val and 'val' or 'train'
  local held = t.parts[part] or usage('--split %s: the recipe has no %s data', part, part)
  local note = ''
  if not split and part ~= 'test' then note = part == 'val' and ', as there are no test data' or ', as there are no others' end
  return held, names_of_parts[part] .. note
end

-- ---- all samples together ----

local function joined(list) return list[1] and torch.cat(list) or nil end

local function each_value(results, f)
  for _, result in ipairs(results) do
    if type(result[2]) == 'number' then f(result[1], result[2], result[3]) end
  end
end

-- {name = {low, high}}: the middle 95 % of the values over samples drawn with replacement. Draws for which a metric is no number, as
-- the area under a curve of one class is, do not count.
local function intervals(t, outputs, targets)
  local n, values = #targets, {}
  local generator = torch.Generator()
  generator:manual_seed(0)
  for _ = 1, resamples do
    local chosen = torch.randint(1, n + 1, { n }, { generator = generator })
    local results = batches.values(t, outputs:index_select(1, chosen), targets:index_select(1, chosen))
    each_value(results, function(name, value)
      values[name] = values[name] or {}
      if value == value then table.insert(values[name], value) end
    end)
  end
  for name, list in pairs(values) do
    table.sort(list)
    values[name] = #list > 0 and { list[math.ceil(0.025 * #list)], list[math.ceil(0.975 * #list)] } or nil
  end
  return values
end

-- A line for each class, by the name that the dataset has for it.
local function print_classes(outputs, targets, names, labels)
  if targets.dtype.is_floating_point and (outputs:numel() ~= #targets or targets:min():item() < 0 or targets:max():item() > 1) then
    usage('--per-class is for labels of classes, and the targets are other numbers')
  end
  local precision, recall, f1, samples = measures.per_class(measures.counts(outputs, targets, labels))
  local shown, width = {}, #'class'
  for c = 1, #precision do
    shown[c] = native.visible(#names == #precision and names[c] or tostring(c))
    width = math.max(width, utf8.len(shown[c]))
  end
  local function row(name, ...) print(name .. (' '):rep(width - utf8.len(name)) .. string.format('  %-9s  %-6s  %-6s  %s', ...)) end
  row('class', 'precision', 'recall', 'f1', 'samples')
  for c, name in ipairs(shown) do
    local function part(x) return string.format('%.4f', x[c]:item()) end
    row(name, part(precision), part(recall), part(f1), math.tointeger(samples[c]:item()))
  end
end

-- ---- predictions ----

local function number_text(x) return math.type(x) == 'integer' and tostring(x) or string.format('%.7g', x) end

local function to_csv(outputs, targets)
  local rows = outputs:reshape(#outputs, -1)
  local width = rows:size(2)
  local labels = width > 1 and targets:dim() == 1 and not targets.dtype.is_floating_point
  local head = { 'sample', 'target' }
  if labels then head[3] = 'predicted' end
  for i = 1, width do head[#head + 1] = 'output_' .. i end
  local lines = { table.concat(head, ',') }
  local wanted = targets:reshape(#targets, -1):tolist()
  for i, row in ipairs(rows:tolist()) do
    local fields = { i, #wanted[i] == 1 and number_text(wanted[i][1]) or '"' .. table.concat(wanted[i], ' ') .. '"' }
    if labels then fields[3] = rows[i]:argmax():item() end
    for k = 1, width do fields[#fields + 1] = number_text(row[k]) end
    lines[i + 1] = table.concat(fields, ',')
  end
  return table.concat(lines, '\n') .. '\n'
end

local function write_predictions(path, outputs, targets)
  if path:lower():match '%.csv$' then return native.replace(path, to_csv(outputs, targets)) end
  torch.save({ output = outputs, target = targets }, path)
end

-- ---- all of it ----

--- Refuses a bound of a metric that the recipe does not have.
function M.check_names(t, bounds)
  local names = batches.names(t)
  for _, name in ipairs(errors.keys(bounds)) do
    local known = false
    for _, own in ipairs(names) do known = known or own == name end
    if not known then
      usage('--require %s: the recipe has no such metric%s; it has %s', name, errors.did_you_mean(name, names), table.concat(names, ', '))
    end
  end
end

local function check_bounds(bounds, results)
  local values, missed = {}, {}
  for _, result in ipairs(results) do values[result[1]] = result end
  for _, name in ipairs(errors.keys(bounds)) do
    local result = values[name]
    local value, bound = result[2], bounds[name]
    local good = result[3] and value <= bound or not result[3] and value >= bound
    if not good then missed[#missed + 1] = string.format('%s is %.6g, required %s %g', name, value, result[3] and 'at most' or 'at least', bound) end
  end
  if #missed > 0 then native.fail(7, table.concat(missed, '; ')) end
end

--- Evaluates a trainer's model on a dataset and prints what the settings ask for.
function M.run(t, dataset, s)
  local outputs, targets = {}, {}
  local keep = s.keeps and function(output, target)
    outputs[#outputs + 1], targets[#targets + 1] = output:cpu(), target:cpu()
  end
  local results = batches.evaluate(t, t.model, dataset, 0, keep)
  if ranks.rank > 0 then return end
  outputs, targets = joined(outputs), joined(targets)
  local around = s.confidence and outputs and intervals(t, outputs, targets) or {}
  each_value(results, function(name, value)
    local low_high = around[name] and string.format('  [%.6g, %.6g]', table.unpack(around[name])) or ''
    print(string.format('%s %.6g%s', name, value, low_high))
  end)
  if s.per_class and outputs then
    print_classes(outputs, targets, dataset.classes and dataset:classes() or {}, measures.takes_labels(t.loss))
  end
  if s.file and outputs then write_predictions(s.file, outputs, targets) end
  check_bounds(s.bounds, results)
end

return M
