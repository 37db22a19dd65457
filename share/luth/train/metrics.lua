-- Metrics over a dataset: each adds up what batches say, on the device, and gives one number at the end.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local measures = require 'luth.train.measures'
local ranks = require 'luth.train.ranks'

local M = {}

local names = {}
for name, measure in pairs(measures) do
  if type(measure) == 'table' and name ~= 'confusion' then names[#names + 1] = name end
end
table.sort(names)

-- ---- what adds up: add(output, target); read() gives what this rank has, finish(all ranks') the value ----

local function to_value(total)
  if not torch.is_tensor(total) then return total end
  return total:dim() == 0 and total:item() or total:cpu()
end

local function sums_of(a, b)
  local sums = {}
  for i = 1, #b do sums[i] = a[i] + b[i] end
  return sums
end

-- Refuses what is no number and no tensor.
local function one_of_numbers(v, rule)
  if type(v) ~= 'number' and not torch.is_tensor(v) then error(rule .. ', got ' .. (v == nil and 'nil' or 'a ' .. type(v)), 0) end
end

-- Totals, which are numbers or tensors on the device until they are read.
local function summing(measure)
  local totals, join = {}, measure.join or sums_of
  return {
    add = function(output, target)
      local parts = table.pack(measure.sums(output, target))
      if parts.n == 0 then error('its sums return nothing; they return numbers and tensors', 0) end
      for i = 1, parts.n do one_of_numbers(parts[i], 'its sums return numbers and tensors') end
      totals = #totals > 0 and join(totals, parts) or parts
    end,
    read = function()
      for i, total in ipairs(totals) do totals[i] = to_value(total) end
      return totals
    end,
    finish = function(all)
      local sums = {}
      for _, own in ipairs(all) do
        if #own > 0 then sums = #sums > 0 and join(sums, own) or own end
      end
      return #sums > 0 and measure.value(table.unpack(sums)) or 0 / 0
    end,
  }
end

-- All rows of some tensors.
local function keeping(measure)
  local kept = {}
  local function add(tensors)
    for i, t in ipairs(tensors) do
      kept[i] = kept[i] or {}
      table.insert(kept[i], t)
    end
  end
  local function joined()
    local columns = {}
    for i, list in ipairs(kept) do columns[i] = torch.cat(list) end
    return columns
  end
  return {
    add = function(output, target)
      local rows = { measure.keep(output, target) }
      for i, t in ipairs(rows) do rows[i] = t:detach():cpu() end
      add(rows)
    end,
    read = joined,
    finish = function(all)
      kept = {}
      for _, own in ipairs(all) do add(own) end
      return #kept > 0 and measure.value(table.unpack(joined())) or 0 / 0
    end,
  }
end

-- ---- entries of a recipe ----

-- A function(output, target) that gives the mean of a batch, as a number or as a tensor.
local function mean_by(f)
  return {
    sums = function(output, target)
      local v, n = f(output, target), #target
      one_of_numbers(v, 'it must return a number or a tensor of one element')
      if torch.is_tensor(v) and v:numel() ~= 1 then error('it must return a number or a tensor of one element, got ' .. tostring(v:size()), 0) end
      return (torch.is_tensor(v) and v:detach():double() or v) * n, n
    end,
    value = function(total, n) return n > 0 and total / n or 0 / 0 end,
  }
end

-- A built-in measure, which is of tensors; for a loss of labels where `labels` is true.
local function of_tensors(measure, labels)
  local own, add = {}, measure.keep and 'keep' or 'sums'
  for key, value in pairs(measure) do own[key] = value end
  own[add] = function(output, target)
    if not torch.is_tensor(output) then error('it is of a model whose output is one tensor, got a ' .. type(output), 0) end
    if not torch.is_tensor(target) then error('it is of targets that are a tensor, got a ' .. type(target), 0) end
    return measure[add](output, target, labels)
  end
  return own
end

-- What an entry of `metrics` measures: a name, a function(output, target), or {sums =, value =}.
local function measure_of(entry, place, labels)
  if type(entry) == 'function' then return mean_by(entry) end
  if type(entry) == 'table' and type(entry.value) == 'function' and type(entry.sums or entry.keep) == 'function' then return entry end
  local k = type(entry) == 'string' and entry:match '^top(%d+)$'
  if k and tonumber(k) > 0 then return of_tensors(measures.top(tonumber(k))) end
  if type(entry) == 'string' and entry ~= 'confusion' and type(measures[entry]) == 'table' then return of_tensors(measures[entry], labels) end
  errors.usage("%s: unknown metric '%s'%s; metrics are %s, top5 (any number), a function(output, target), or {sums = , value = }",
               place, tostring(entry), errors.did_you_mean(entry, names), table.concat(names, ', '))
end

-- Names are columns of metrics.csv, keys of log.jsonl and words of --require.
local function check_name(name, place, seen)
  if not utf8.len(name) or name:find '[%c,="]' then
    errors.usage("%s: '%s' cannot be the name of a metric, which has no comma, quote, = or control character, and is UTF-8", place, native.visible(name))
  end
  if seen[name] then errors.usage("%s: two metrics have the name '%s'", place, name) end
  seen[name] = true
end

-- Refuses a list in the recipe at `place` that M.make cannot use. `loss`: whether the recipe has one, which is measured too.
function M.check(list, place, loss)
  local seen = { loss = loss or nil }
  for _, entry in pairs(list) do measure_of(entry, place) end
  for _, m in ipairs(M.make(list)) do check_name(m.name, place, seen) end
end

--- A metric of a measure (measures.lua), by its name.
function M.named(name, measure)
  return { name = name, smaller = measure.smaller or name == 'loss', metric = (measure.keep and keeping or summing)(measure) }
end

--- The mean of a loss function.
function M.loss(f) return M.named('loss', mean_by(f)) end

-- {name, metric, smaller} for each entry: those without a name of their own first, in order, then the others by name. `labels`: of
-- a recipe whose loss takes labels of classes.
function M.make(list, labels)
  local made = {}
  for i, entry in ipairs(list or {}) do
    made[i] = M.named(type(entry) == 'string' and entry or 'metric' .. i, measure_of(entry, nil, labels))
  end
  for _, name in ipairs(errors.keys(list or {})) do
    if list[name] then made[#made + 1] = M.named(name, measure_of(list[name], nil, labels)) end
  end
  return made
end

-- {name, value, smaller} for each metric of such a list, over what all ranks have added.
function M.values(list)
  local own, results = {}, {}
  for i, m in ipairs(list) do own[i] = m.metric.read() end
  local all = ranks.all(own)
  for i, m in ipairs(list) do
    local parts = {}
    for rank, theirs in ipairs(all) do parts[rank] = theirs[i] end
    local value = m.metric.finish(parts)
    results[i] = { m.name, value ~= value and math.abs(value) or value, m.smaller }  -- nan without a sign
  end
  return results
end

return M
