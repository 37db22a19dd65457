-- Metrics of recipes, in batches of three, beside the values of scikit-learn and NLTK.
local metrics = require 'luth.train.metrics'

local function values(names, output, target)
  local list = metrics.make(names)
  for _, m in ipairs(list) do
    for i = 1, #output, 3 do
      local n = math.min(3, #output - i + 1)
      m.metric.add(output:narrow(1, i, n), target:narrow(1, i, n))
    end
  end
  local all = {}
  for _, result in ipairs(metrics.values(list)) do all[result[1]] = result[2] end
  return all
end

local function check(found, expected)
  for name, value in pairs(expected) do
    assert(math.abs(found[name] - value) < 1e-6, string.format('%s is %.9g, expected %.9g', name, found[name], value))
  end
end

local scores = torch.tensor { { 2, 1, 0 }, { 0, 3, 1 }, { 1, 0, 2 }, { 0, 1, 3 }, { 2, 0, 1 }, { 1, 2, 0 }, { 0, 1, 2 }, { 3, 1, 0 } }:float()
local labels = torch.tensor { 1, 2, 3, 2, 1, 3, 3, 2 }
check(values({ 'accuracy', 'top2', 'top5', 'precision', 'recall', 'f1', 'iou', 'perplexity', 'bits_per_character' }, scores, labels), {
  accuracy = 0.625, top2 = 0.875, top5 = 1, precision = 0.611111111, recall = 0.666666667, f1 = 0.622222222,
  iou = 0.472222222, perplexity = 2.910852475, bits_per_character = 1.541441724,
})

-- Classes that do not occur do not count, as in scikit-learn; those that are only taken for others do.
check(values({ 'accuracy', 'precision', 'recall', 'f1', 'iou' }, scores[{ { 2, 2 } }], torch.tensor { 2 }), { accuracy = 1, precision = 1, recall = 1, f1 = 1, iou = 1 })
check(values({ 'precision', 'recall', 'f1' }, scores[{ { 1, 3 } }], torch.tensor { 1, 2, 2 }), { precision = 2 / 3, recall = 0.5, f1 = 5 / 9 })

-- Two classes by one score, with ties.
local score, truth = torch.tensor { 3, -1, 2, 0.5, 2, -2, 1, -1 }, torch.tensor { 1, 0, 1, 1, 0, 0, 0, 1 }
for _, shape in ipairs { { 8 }, { 8, 1 } } do
  check(values({ 'accuracy', 'precision', 'recall', 'f1', 'auroc', 'average_precision' }, score:reshape(shape), truth), {
    accuracy = 0.625, precision = 0.6, recall = 0.75, f1 = 0.666666667, auroc = 0.6875, average_precision = 0.709523810,
  })
end
-- The score of an only class, whose labels are 1.
local one = metrics.make({ 'accuracy', 'f1' }, true)
for _, m in ipairs(one) do m.metric.add(torch.tensor { -1, 2, -3 }:reshape(3, 1), torch.tensor { 1, 1, 1 }) end
for _, result in ipairs(metrics.values(one)) do assert(result[2] == 1, result[1]) end

-- The same by two scores.
check(values({ 'auroc' }, torch.stack({ score * 0, score }, 2), truth + 1), { auroc = 0.6875 })

check(values({ 'mse', 'mae', 'rmse', 'r2' }, torch.tensor { 1.5, 2, 3, 2 }, torch.tensor { 1., 2, 4, 3 }),
      { mse = 0.5625, mae = 0.625, rmse = 0.75, r2 = 0.55 })

-- r2 of targets far from 0, and of equal ones, which scikit-learn has as 1 and 0.
local far = torch.tensor({ 1., 2, 3, 5, 8, 7, 2 }, { dtype = torch.float64 })
check(values({ 'r2' }, far + torch.tensor { 0.5, 0, 0, -1, 0, 1, 0 } + 1.7e9, far + 1.7e9), { r2 = 1 - 2.25 / 44 })
check(values({ 'r2' }, torch.tensor { 1., 1, 1, 1 }, torch.tensor { 1., 1, 1, 1 }), { r2 = 1 })
check(values({ 'r2' }, torch.tensor { 1., 1, 1, 2 }, torch.tensor { 1., 1, 1, 1 }), { r2 = 0 })
local few = values({ 'r2' }, torch.ones(1), torch.ones(1)).r2
assert(few ~= few)
-- Padding counts neither as right nor as wrong.
check(values({ 'accuracy', 'top1', 'top2' }, scores[{ { 1, 4 } }], torch.tensor { 1, 3, -100, 0 }), { accuracy = 0.5, top1 = 0.5, top2 = 1 })

-- Words up to the first label below 1 count.
local target = torch.tensor { { 1, 2, 3, 4, 5, 1 }, { 2, 3, 4, 5, 0, 0 } }
local guess = torch.tensor { { 1, 2, 3, 4, 5, 2 }, { 2, 3, 4, 5, 1, 1 } }
check(values({ 'bleu', 'accuracy' }, F.one_hot(guess, 5):float():transpose(2, 3), target), { bleu = 0.837592240, accuracy = 0.9 })

-- Labels with a dim of extent 1, padding, and rows of probabilities.
check(values({ 'accuracy', 'top2' }, scores, labels:unsqueeze(2)), { accuracy = 0.625, top2 = 0.875 })
check(values({ 'accuracy', 'top2' }, scores, torch.tensor { 1, 0, 3, 0, 1, 3, -100, 0 }), { accuracy = 0.75, top2 = 0.75 })
check(values({ 'perplexity' }, scores, F.one_hot(labels, 3):float()), { perplexity = 2.910852475 })
local nothing = values({ 'accuracy', 'top2' }, scores, labels * 0)
assert(tostring(nothing.accuracy) == 'nan' and tostring(nothing.top2) == 'nan')

-- Outputs and targets that do not belong together.
local function refused(words, names, output, target)
  local list = metrics.make(names)
  local ok, why = pcall(list[1].metric.add, output, target)
  assert(not ok and tostring(why):find(words, 1, true), ("'%s' does not say '%s'"):format(why, words))
end
local two = torch.ones(8, 2):long()
for _, name in ipairs { 'accuracy', 'top2', 'precision', 'iou' } do
  refused('outputs are [8, 3] and targets [8, 2]; it takes outputs [N, C] and labels [N]', { name }, scores, two)
  refused("whose output is one tensor, got a table", { name }, { scores }, labels)
end
refused('outputs are [8, 3] and targets [8, 3]; it takes outputs [N, C] and labels [N]', { 'top5' }, scores, scores)
refused('a label is 7, and the model has 3 classes', { 'f1' }, scores, labels + 4)
refused('outputs are [8, 3] and targets [8, 2]; it takes targets of the same shape', { 'mse' }, scores, two)
refused('outputs are [8, 3] and targets [8, 2]; it takes outputs [N, 2] and labels [N]', { 'auroc' }, scores, two)
refused('outputs are [8, 3] and targets [8]; it takes outputs [N, C, T] and labels [N, T]', { 'bleu' }, scores, labels)
refused('targets that are a tensor, got a table', { 'r2' }, scores, { 1 })
refused('it must return a number or a tensor of one element, got a string', { function() return 'x' end }, scores, labels)
refused('its sums return numbers and tensors, got nil', { m = { sums = function() return nil end, value = print } }, scores, labels)
refused('its sums return nothing', { m = { sums = function() end, value = print } }, scores, labels)

-- Metrics of one's own, and what is none.
local own = values({ function(o) return o:sum() end, share = { sums = function(o, t) return o:sum(), t:sum() end, value = function(a, b) return a / b end } },
                   torch.ones(4), torch.ones(4) * 2)
check(own, { metric1 = 2.5, share = 0.5 })
assert(values({ 'accuracy' }, torch.zeros(0, 3), torch.zeros(0):long()).accuracy ~= 1)
local ok, why = pcall(metrics.check, { 'acuracy' }, 'here')
assert(not ok and why:find("here: unknown metric 'acuracy' (did you mean 'accuracy'?)", 1, true), why)
assert(not pcall(metrics.check, { {} }, 'here'))
-- Names are columns of a table, keys and words.
local function f() return 1 end
for name, why in pairs { ['a,b'] = "'a,b' cannot be the name", ['a=b'] = 'cannot be the name', ['a\n'] = 'cannot be the name', ['\xe4'] = 'cannot be the name',
                         loss = "two metrics have the name 'loss'" } do
  local good, text = pcall(metrics.check, { [name] = f }, 'here', true)
  assert(not good and text:find(why, 1, true), text)
end
assert(pcall(metrics.check, { loss = f, 'accuracy', 'top1' }, 'here', false))
assert(not pcall(metrics.check, { 'accuracy', 'accuracy' }, 'here'))
print 'ok'
