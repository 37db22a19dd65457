-- Metrics over a dataset: each adds up what batches say, on the device, and gives one number at the end.
local errors = require 'luth.train.errors'
local ranks = require 'luth.train.ranks'

local M = {}

-- A metric is a sum over a count: `parts(output, target)` gives what a batch adds to both. Tensors stay on the device,
-- and are read at the end alone.
local function share(parts)
  return function()
    local total, n = 0, 0
    return {
      add = function(output, target)
        local part, count = parts(output, target)
        total, n = total + part, n + count
      end,
      sum = function() return torch.is_tensor(total) and total:item() or total, n end,
    }
  end
end

-- Share of samples whose largest output is at the label.
local accuracy = share(function(output, target) return output:argmax(2):eq(target):sum(), #target end)

-- Share of samples whose label is among the five largest outputs.
local top5 = share(function(output, target)
  local _, best = output:topk(math.min(5, output:size(2)), 2)
  return best:eq(target:unsqueeze(2)):sum(), #target
end)

-- Mean absolute difference of outputs and targets.
local mae = share(function(output, target) return (output - target):abs():sum(), output:numel() end)

-- A function(output, target) that gives the mean of a batch, as a number or as a tensor.
local function mean_by(f)
  return share(function(output, target)
    local v, n = f(output, target), #target
    return (torch.is_tensor(v) and v:detach():double() or v) * n, n
  end)
end
function M.of_function(f) return mean_by(f)() end

local by_name = { accuracy = accuracy, mae = mae, top5 = top5 }

-- The maker of an entry of a recipe's `metrics`: a name, or a function(output, target).
local function maker_of(entry, place)
  if type(entry) == 'function' then return mean_by(entry) end
  local maker = by_name[entry]
  if maker then return maker end
  local names = errors.keys(by_name)
  errors.usage("%s: unknown metric '%s'%s; metrics are %s, or a function(output, target)", place, tostring(entry),
               errors.did_you_mean(entry, names), table.concat(names, ', '))
end

-- Refuses a list in the recipe at `place` that M.make cannot use.
function M.check(list, place)
  for _, entry in pairs(list) do maker_of(entry, place) end
end

-- {name, metric} for each entry: those without a name of their own first, in order, then the others by name.
function M.make(list)
  local made = {}
  for i, entry in ipairs(list or {}) do
    made[i] = { name = type(entry) == 'string' and entry or 'metric' .. i, metric = maker_of(entry)() }
  end
  for _, name in ipairs(errors.keys(list or {})) do
    if list[name] then made[#made + 1] = { name = name, metric = maker_of(list[name])() } end
  end
  return made
end

-- {name, value} for each metric of such a list, over what all ranks have added.
function M.values(list)
  local sums, results = {}, {}
  for i, m in ipairs(list) do sums[2 * i - 1], sums[2 * i] = m.metric.sum() end
  sums = ranks.sums(sums)
  for i, m in ipairs(list) do results[i] = { m.name, sums[2 * i] > 0 and sums[2 * i - 1] / sums[2 * i] or 0 / 0 } end
  return results
end

return M
