-- Metrics over a dataset: each adds up what batches say, on the device, and gives one number at the end.
local native = require 'luth.native'

local M = {}

-- A metric that is a sum over a count: `parts(output, target)` gives a tensor to add up, on the device, and how many it
-- stands for.
local function share(parts)
  return function()
    local total, n = nil, 0
    return {
      add = function(output, target)
        local part, count = parts(output, target)
        total = total and total + part or part
        n = n + count
      end,
      value = function() return n > 0 and total:item() / n or 0 / 0 end,
    }
  end
end

-- Share of samples whose largest output is at the label.
M.accuracy = share(function(output, target) return output:argmax(2):eq(target):sum(), #target end)

-- Share of samples whose label is among the five largest outputs.
M.top5 = share(function(output, target)
  local _, best = output:topk(math.min(5, output:size(2)), 2)
  return best:eq(target:unsqueeze(2)):sum(), #target
end)

-- Mean absolute difference of outputs and targets.
M.mae = share(function(output, target) return (output - target):abs():sum(), output:numel() end)

-- A function(output, target) that gives the mean of a batch.
local function of_function(f)
  local total, n = 0, 0
  return {
    add = function(output, target)
      local v = f(output, target)
      total = total + (type(v) == 'number' and v or v:item()) * #target
      n = n + #target
    end,
    value = function() return n > 0 and total / n or 0 / 0 end,
  }
end

-- {name, metric} for each entry of a recipe's `metrics`.
function M.make(list)
  local made = {}
  for i, entry in ipairs(list or {}) do
    if type(entry) == 'function' then
      made[#made + 1] = { name = 'metric' .. i, metric = of_function(entry) }
    else
      local maker = M[entry]
      if not maker or entry == 'make' then
        local names = { 'accuracy', 'mae', 'top5' }
        local near = native.nearest(tostring(entry), names)
        native.fail(2, string.format("unknown metric '%s'%s; metrics are %s, or a function(output, target)", tostring(entry),
                                     near ~= '' and string.format(" (did you mean '%s'?)", near) or '', table.concat(names, ', ')))
      end
      made[#made + 1] = { name = entry, metric = maker() }
    end
  end
  for name, f in pairs(list or {}) do
    if type(name) == 'string' then made[#made + 1] = { name = name, metric = of_function(f) } end
  end
  return made
end

return M
