-- The built-in metrics. One is {sums = function(output, target), value = function(totals…)}: `sums` returns what a batch
-- adds to each total, numbers or tensors, which stay on the device; or {keep = …, value = …}, whose `keep` returns tensors of
-- which `value` gets all rows. `join(a, b)` makes the totals of two lists of totals where they are no mere sums. `smaller`: a
-- smaller value is the better one.
-- Outputs are scores: the class is that of the largest along dim 2, or with one score for each target, whether it is above 0.
-- `labels`: the loss takes labels of classes, so that one score for each target is that of the only class.
local native = require 'luth.native'

local M = {}

-- The error of outputs and targets that do not belong together.
local function misfit(output, target, takes)
  local function shape(x) return tostring(x:size()):match '%[.*%]' end
  error(string.format('outputs are %s and targets %s; it takes %s', shape(output), shape(target), takes), 0)
end

-- Whether there is one score for each target, of two classes.
local function is_binary(output, target)
  return output:numel() == target:numel() and (output:dim() == target:dim() or output:size(2) == 1)
end

-- Predicted classes and true ones, from 1, and how many there are, for targets that count: labels below 1 are padding.
local function classes(output, target, labels)
  if is_binary(output, target) and not (labels and output:dim() > 1) then return output:flatten():gt(0):long() + 1, target:flatten():gt(0.5):long() + 1, 2 end
  if output:dim() < 2 or target:numel() * output:size(2) ~= output:numel() then misfit(output, target, 'outputs [N, C] and labels [N]') end
  local predicted, truth = output:argmax(2):flatten(), target:flatten():long()
  if truth:numel() > 0 and truth:min():item() < 1 then
    local counts = truth:ge(1)
    predicted, truth = predicted:masked_select(counts), truth:masked_select(counts)
  end
  return predicted, truth, output:size(2)
end

--- Of each class how many were right, how many were taken for it, and how many are of it: three float64 [classes].
function M.counts(output, target, labels)
  local predicted, truth, n = classes(output, target, labels)
  local function of_each(labels) return torch.bincount(labels, { minlength = n }):double() end
  local all = of_each(truth)
  if #all > n then error(string.format('a label is %d, and the model has %d classes', #all, n), 0) end
  return of_each(truth:masked_select(predicted:eq(truth))), of_each(predicted), all
end

local losses_of_labels = { ['nn.CrossEntropyLoss'] = true, ['nn.NLLLoss'] = true }

--- Whether a loss takes labels of classes, from 1.
function M.takes_labels(loss)
  return loss == F.cross_entropy or loss == F.nll_loss or native.kind(loss) == 'module' and losses_of_labels[torch.typename(loss)] or false
end

local function divide(a, b) return torch.where(b:gt(0), a / b:clamp { min = 1 }, torch.zeros_like(a)) end

--- precision, recall, F1 and the number of samples of each class, float64 tensors, from their counts.
function M.per_class(right, taken, all) return divide(right, taken), divide(right, all), divide(2 * right, taken + all), all end

-- The mean of values over the classes that occur, in labels or in what was taken for them; those of the others are 0.
local function mean_of_occurring(values, taken, all) return values:sum():item() / math.max(1, (taken + all):gt(0):sum():item()) end

-- The mean over the classes that occur; of two classes with one score, the second alone.
local function over_classes(part)
  return {
    sums = function(output, target, labels)
      local right, taken, all = M.counts(output, target, labels)
      return right, taken, all, #right == 2 and is_binary(output, target) and 1 or 0
    end,
    value = function(right, taken, all, binary)
      local values = part(right, taken, all)
      return binary > 0 and values[2]:item() or mean_of_occurring(values, taken, all)
    end,
  }
end

local function mean(sums) return { sums = sums, value = function(total, n) return total / n end } end
local function smaller(metric) metric.smaller = true return metric end

M.accuracy = mean(function(output, target, labels)
  local predicted, truth = classes(output, target, labels)
  return predicted:eq(truth):sum(), predicted:numel()
end)

--- Share of samples whose label is among the k largest outputs; labels below 1 are padding.
function M.top(k)
  return mean(function(output, target)
    if output:dim() < 2 or target:numel() * output:size(2) ~= output:numel() then misfit(output, target, 'outputs [N, C] and labels [N]') end
    local _, best = output:topk(math.min(k, output:size(2)), 2)
    local labels = target:reshape(best:narrow(2, 1, 1):size())
    return best:eq(labels):sum(), labels:ge(1):sum()
  end)
end

M.precision = over_classes(function(...) return (M.per_class(...)) end)
M.recall = over_classes(function(...) return (select(2, M.per_class(...))) end)
M.f1 = over_classes(function(...) return (select(3, M.per_class(...))) end)
--- Intersection over union, the mean over the classes that occur.
M.iou = {
  sums = M.counts,
  value = function(right, taken, all) return mean_of_occurring(divide(right, taken + all - right), taken, all) end,
}
--- counts[t][p]: how many of class t were taken for p. It takes the square of the number of classes.
M.confusion = {
  sums = function(output, target, labels)
    local predicted, truth, n = classes(output, target, labels)
    return torch.bincount((truth - 1) * n + predicted, { minlength = n * n }):reshape(n, n)
  end,
  value = function(counts) return counts end,
}

-- The sum of cross entropies and the number of labels, as F.cross_entropy takes outputs and targets.
local function entropy(output, target)
  local sum = F.cross_entropy(output:float(), target, { reduction = 'sum' }):double()
  return sum, target:is_floating_point() and output:numel() // output:size(2) or target:ge(1):sum()
end
M.perplexity = smaller { sums = entropy, value = function(total, n) return math.exp(total / n) end }
M.bits_per_character = smaller { sums = entropy, value = function(total, n) return total / n / math.log(2) end }

local function difference(output, target)
  if output:numel() ~= target:numel() then misfit(output, target, 'targets of the same shape as the outputs') end
  return output:double() - target:reshape(output:size()):double()
end
M.mse = smaller(mean(function(output, target) return difference(output, target):square():sum(), output:numel() end))
M.mae = smaller(mean(function(output, target) return difference(output, target):abs():sum(), output:numel() end))
M.rmse = smaller { sums = M.mse.sums, value = function(total, n) return math.sqrt(total / n) end }
--- The coefficient of determination over all outputs. Of targets that are all the same it is 1 where the outputs are theirs, else 0.
-- Totals: squares of differences, targets, their mean, squares around it. Sums of the targets' squares would lose all digits where
-- their mean is far from 0. Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
M.r2 = {
  sums = function(output, target)
    local y = target:double()
    local mean = y:mean()
    return difference(output, target):square():sum(), y:numel(), mean, (y - mean):square():sum()
  end,
  join = function(a, b)
    local n, apart = a[2] + b[2], b[3] - a[3]
    return { a[1] + b[1], n, a[3] + apart * (b[2] / n), a[4] + b[4] + apart * apart * (a[2] * b[2] / n) }
  end,
  value = function(squares, n, _, around)
    if n < 2 then return 0 / 0 end
    if around == 0 then return squares == 0 and 1 or 0 end
    return 1 - squares / around
  end,
}

-- ---- of all scores together ----

-- Scores of the second class and whether it is the true one.
local function scores(output, target)
  if is_binary(output, target) then return output:flatten():double(), target:flatten():gt(0.5) end
  if output:dim() ~= 2 or target:numel() ~= #output then misfit(output, target, 'outputs [N, 2] and labels [N], or [N] both') end
  if output:size(2) ~= 2 then error('auroc and average_precision are of two classes, and the model has ' .. output:size(2) .. ' outputs', 0) end
  return (output:select(2, 2) - output:select(2, 1)):double(), target:flatten():eq(2)
end

-- From the largest score to the smallest, one entry for all equal ones: how many true and false ones are at or above it.
local function ranking(score, truth)
  local sorted, order = score:sort(1, true)
  local right = truth:index_select(1, order):long():cumsum(1)
  local n = sorted:numel()
  local last = n == 0 and torch.zeros(0, { dtype = torch.bool })
    or torch.cat { sorted:narrow(1, 2, n - 1):ne(sorted:narrow(1, 1, n - 1)), torch.ones(1, { dtype = torch.bool }) }
  local at = last:nonzero():flatten()
  right = right:index_select(1, at):double()
  return right, at:double() - right
end

--- The area under the ROC curve, by trapezoids.
M.auroc = {
  keep = scores,
  value = function(score, truth)
    local right, wrong = ranking(score, truth)
    local n = right:numel()
    if n == 0 or right[n]:item() == 0 or wrong[n]:item() == 0 then return 0 / 0 end
    local zero = torch.zeros(1, { dtype = torch.float64 })
    return torch.trapezoid(torch.cat { zero, right }, torch.cat { zero, wrong }):item() / right[n]:item() / wrong[n]:item()
  end,
}
--- The mean of precisions weighted by the gains of recall.
M.average_precision = {
  keep = scores,
  value = function(score, truth)
    local right, wrong = ranking(score, truth)
    local n = right:numel()
    if n == 0 or right[n]:item() == 0 then return 0 / 0 end
    local gain = right - torch.cat { torch.zeros(1, { dtype = torch.float64 }), right:narrow(1, 1, n - 1) }
    return (gain * right / (right + wrong)):sum():item() / right[n]:item()
  end,
}

-- ---- sequences ----

-- The words of a row up to the first label below 1.
local function sentence(row)
  local words = {}
  for i, w in ipairs(row) do
    if w < 1 then break end
    words[i] = w
  end
  return words
end

local function grams(words, n)
  local counts = {}
  for i = 1, #words - n + 1 do
    local key = table.concat(words, ' ', i, i + n - 1)
    counts[key] = (counts[key] or 0) + 1
  end
  return counts
end

--- BLEU of up to four words over the corpus, of outputs [N, C, T] and labels [N, T].
M.bleu = {
  sums = function(output, target)
    if output:dim() ~= 3 or target:dim() ~= 2 or #output ~= #target then misfit(output, target, 'outputs [N, C, T] and labels [N, T]') end
    local predicted, truth = output:argmax(2):tolist(), target:tolist()
    local same, all, lengths = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0 }
    for i, row in ipairs(truth) do
      local right = sentence(row)
      local guess = table.move(predicted[i], 1, #right, 1, {})
      lengths[1], lengths[2] = lengths[1] + #guess, lengths[2] + #right
      for n = 1, 4 do
        local there = grams(right, n)
        for key, count in pairs(grams(guess, n)) do same[n] = same[n] + math.min(count, there[key] or 0) end
        all[n] = all[n] + math.max(0, #guess - n + 1)
      end
    end
    return torch.tensor(same), torch.tensor(all), torch.tensor(lengths)
  end,
  value = function(same, all, lengths)
    local log = 0
    for n = 1, 4 do
      if same[n]:item() == 0 then return 0 end
      log = log + math.log(same[n]:item() / all[n]:item()) / 4
    end
    return math.exp(log + math.min(0, 1 - lengths[2]:item() / lengths[1]:item()))
  end,
}

return M
