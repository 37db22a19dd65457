-- What the report of a run shows beside curves: of a classifier the confusion matrix and the samples of the validation data that
-- it is most wrong about, with their pictures; of every model its modules with shapes and sizes. Written at the end of a run.
local native = require 'luth.native'
local base64 = require 'luth.base64'
local batches = require 'luth.train.batches'
local measures = require 'luth.train.measures'
local metrics = require 'luth.train.metrics'
local ranks = require 'luth.train.ranks'

local M = {}

local most_worst, most_classes = 24, 100
local most_counted = 2000  -- classes, whose confusion matrix is counted
local most_side = 96  -- of a picture, in pixels

-- ---- the worst samples ----

-- Cross entropies of scores [N, C] and labels, or of one score for each target of two classes.
local function losses_of(output, target)
  if output:dim() == 2 and output:size(2) > 1 then return F.cross_entropy(output, target:long(), { reduction = 'none' }) end
  return F.binary_cross_entropy_with_logits(output:flatten(), target:flatten():float(), { reduction = 'none' })
end

-- Whether outputs and targets are those of a classifier, of samples of one label each.
local function classifies(output, target)
  if not torch.is_tensor(output) or not torch.is_tensor(target) or #target == 0 then return false end
  local one = output:numel() == #target and target:numel() == #target
  if output:dim() == 2 and output:size(2) > 1 and target:dim() == 1 then
    return not target.dtype.is_floating_point and target:min():item() >= 1 and target:max():item() <= output:size(2)
  end
  return one and target:min():item() >= 0 and target:max():item() <= 1
end

-- A picture of a sample's input [1 or 3, H, W] as the address of its bytes; nil for others.
local function picture(x)
  if not torch.is_tensor(x) or x:dim() ~= 3 or x:size(1) ~= 1 and x:size(1) ~= 3 or x:size(2) < 2 or x:size(3) < 2 then return nil end
  x = x:detach():float():cpu()
  local low, high = x:min():item(), x:max():item()
  if not (high > low) or high == math.huge or low == -math.huge then return nil end
  local larger = math.max(x:size(2), x:size(3))
  if larger > most_side then
    local size = { math.max(1, x:size(2) * most_side // larger), math.max(1, x:size(3) * most_side // larger) }
    x = F.interpolate(x:unsqueeze(1), { size = size, mode = 'bilinear' })[1]
  end
  local bytes = ((x - low) * (255 / (high - low))):round():clamp(0, 255):to(torch.uint8)
  return 'data:image/png;base64,' .. base64.encode(data.encode_image(bytes:contiguous(), '.png'))
end

local function keep_worst(list, entry)
  if #list == most_worst and entry.loss <= list[#list].loss then return end
  list[#list + 1] = entry
  table.sort(list, function(a, b) return a.loss > b.loss or a.loss == b.loss and a.sample < b.sample end)
  list[most_worst + 1] = nil
end

-- Adds those of a batch whose first sample is number `first` + 1.
local function add_worst(list, first, input, output, target)
  local losses = losses_of(output, target)
  local several = output:dim() == 2 and output:size(2) > 1
  local p = several and torch.softmax(output, 2) or torch.sigmoid(output:flatten())
  local worst, order = losses:topk(math.min(most_worst, #losses))
  for k, i in ipairs(order:tolist()) do
    local loss, label = worst[k]:item(), target[i]:item()
    if loss ~= loss then return end
    if #list < most_worst or loss > list[#list].loss then
      local predicted = several and output[i]:argmax():item() or p[i]:item() > 0.5 and 2 or 1
      local truth = several and label or math.floor(label + 0.5) + 1
      local probability = several and p[i][truth]:item() or truth == 2 and p[i]:item() or 1 - p[i]:item()
      keep_worst(list, { sample = first + i, loss = loss, label = truth, predicted = predicted, probability = probability, input = input[i] })
    end
  end
end

-- Numbers the worst samples as the dataset does: those that could not be read are no outputs. Of more than the loader notes,
-- the numbers are not known.
local function count_left_out(worst, loader)
  local gone = {}
  for _, why in ipairs((loader.skipped or 0) > 0 and loader:left_out() or {}) do gone[#gone + 1] = math.tointeger(why:match '^sample (%d+)') end
  table.sort(gone)
  for _, w in ipairs(worst) do
    for _, n in ipairs(gone) do w.sample = n <= w.sample and w.sample + 1 or w.sample end
    if #gone < (loader.skipped or 0) then w.sample = nil end
  end
end

-- Worst samples of `held`, how many classes there are, and, of not too many, the confusion matrix; nil for a model that is no
-- classifier.
local function look(t, model, held)
  local worst, seen, is_one, n = {}, 0, true, nil
  local labels = measures.takes_labels(t.loss)
  local confusion = metrics.named('confusion', measures.confusion).metric
  local loader = batches.each_output(t, model, held, t.recipe.limit_val, function(batch, output, target)
    is_one = is_one and classifies(output, target) and not (labels and output:dim() == 2 and output:size(2) == 1)
    if not is_one then return true end
    n = output:dim() == 2 and math.max(2, output:size(2)) or 2
    if n <= most_counted then confusion.add(output, target) end
    add_worst(worst, seen, batch[1], output:float(), target)
    seen = seen + #target
  end)
  if not is_one or seen == 0 then return nil end
  count_left_out(worst, loader)
  return worst, n, n <= most_counted and confusion.finish { confusion.read() }:long():tolist() or nil
end

-- ---- the file ----

local function name_of(names, label) return names and names[label] or tostring(label) end

-- The pairs of classes that are confused most: {true, taken for, how often}.
local function most_confused(matrix, names)
  local list = {}
  for a, row in ipairs(matrix) do
    for b, n in ipairs(row) do if a ~= b and n > 0 then list[#list + 1] = { name_of(names, a), name_of(names, b), n } end end
  end
  table.sort(list, function(x, y) return x[3] > y[3] or x[3] == y[3] and x[1] .. '\0' .. x[2] < y[1] .. '\0' .. y[2] end)
  return table.move(list, 1, math.min(10, #list), 1, {})
end

local function of_classifier(t)
  local held = t:held()
  if not held or ranks.size > 1 then return {} end
  local worst, n, matrix = look(t, t.ema or t.model, held)
  if not worst then return {} end
  local names = held.classes and held:classes()
  names = names and #names == n and names or nil
  for _, w in ipairs(worst) do
    w.image, w.input = picture(w.input), nil
    w.label, w.predicted = name_of(names, w.label), name_of(names, w.predicted)
    local has_path, path = pcall(function() return w.sample and held:path(w.sample) end)
    w.path = has_path and path or nil
  end
  local shown = {}
  for c = 1, n <= most_classes and n or 0 do shown[c] = name_of(names, c) end
  return { classes = shown, confusion = n <= most_classes and matrix or nil, confused = most_confused(matrix or {}, names), worst = worst }
end

-- Rows of the model's modules for a batch of the training data.
local function modules_of(t)
  local rows
  batches.each(batches.loader(t.recipe, t.parts.train, false, t.device), 0, 1, function(_, batch)
    batch = batches.prepare(t.recipe, t.device, batch)
    local s = torch.utils.summary(t.model, table.pack(table.unpack(batch, 1, math.max(1, batch.n - 1))))
    rows = {}
    for i, row in ipairs(s.rows) do
      rows[i] = { path = row.path, kind = row.kind, input = row.input, output = row.output, parameters = row.parameters, madds = row.madds }
    end
  end)
  return rows
end

--- Writes examples.json into the folder of a trainer's run. What cannot be shown is left out: a report is no reason to fail.
function M.write(t)
  local good, examples = pcall(of_classifier, t)
  if not good and native.code(tostring(examples)) ~= 1 then error(examples, 0) end
  examples = good and examples or {}
  local shaped, rows = pcall(modules_of, t)
  examples.modules = shaped and rows or nil
  if ranks.rank == 0 then native.replace(t.run.dir .. '/examples.json', native.json_encode(examples) .. '\n') end
end

return M
