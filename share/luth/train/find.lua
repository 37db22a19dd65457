-- luth train --find-lr and --find-batch: short trials with a trainer that nothing is kept of.
local native = require 'luth.native'
local bad_loss = require 'luth.train.bad_loss'
local batches = require 'luth.train.batches'
local errors = require 'luth.train.errors'
local make = require 'luth.train.make'
local plot = require 'luth.plot'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local streams = require 'luth.data.streams'
local texts = require 'luth.texts'

local M = {}

-- Calls f(count, part, batch) with the batches of one epoch after another until it returns true.
local function each_batch(t, f)
  local count, epoch, stopped = 0, 0, false
  repeat
    local before = count
    t.loader:set_epoch(epoch)
    batches.each(t.loader, 0, t.batches, function(part, batch)
      count = count + 1
      stopped = f(count, part, batch)
      return stopped
    end)
    epoch = epoch + 1
  until stopped or count == before
end

local function prepare(t, option)
  if ranks.size > 1 then errors.usage('%s is for one rank', option) end
  t.schedule, t.ema, t.recipe.ema = nil, nil, 0
  t.model:train()
end

-- The loss of a step; its weights are changed.
local function step(t, count, part, batch)
  local loss = t:run_batch(part, count % t.recipe.accumulate == 0, batch)
  return loss or errors.usage('a step of the recipe returns no loss, so there is nothing to go by')
end

-- ---- the learning rate ----

local lowest, highest, trials = 1e-7, 10, 120
local weight = 0.9         -- of the mean of losses so far
local diverged = 4         -- times the smallest loss: larger rates are not tried

-- {lr =, loss =} for growing rates of the first group; `loss` is smoothed.
local function try_rates(t)
  local groups, points, mean, least = {}, {}, 0, math.huge
  for _, o in ipairs(make.list_of(t.optimizer)) do table.move(o.param_groups, 1, #o.param_groups, #groups + 1, groups) end
  if #groups == 0 then errors.usage('--find-lr needs an optimizer of the recipe') end
  local first, shares = groups[1].lr, {}
  for i, group in ipairs(groups) do shares[i] = first > 0 and group.lr / first or 1 end
  each_batch(t, function(count, part, batch)
    local lr = lowest * (highest / lowest) ^ ((count - 1) / (trials - 1))
    for i, group in ipairs(groups) do group.lr = lr * shares[i] end
    local loss = step(t, count, part, batch):item()
    if bad_loss.is_bad(loss) then return true end
    mean = mean * weight + loss * (1 - weight)
    local smoothed = mean / (1 - weight ^ count)
    points[count] = { lr = lr, loss = smoothed }
    least = math.min(least, smoothed)
    return count == trials or count > 10 and smoothed > diverged * math.abs(least)
  end)
  if #points < 20 then errors.usage('--find-lr: the loss is no number after %d steps, with tiny rates', #points) end
  return points
end

-- The rate at which the loss falls most steeply, and the one at which it is smallest. A slope is that of a line through some
-- points, so noise counts little.
local function best_of(points)
  local steepest, at, lowest_at, half = 0, nil, 1, 5
  for i = 1 + half, #points - half do
    local sum, square = 0, 0
    for k = -half, half do sum, square = sum + k * points[i + k].loss, square + k * k end
    if sum / square < steepest then steepest, at = sum / square, i end
  end
  for i, p in ipairs(points) do if p.loss < points[lowest_at].loss then lowest_at = i end end
  return at and points[at].lr, points[lowest_at].lr
end

local function print_rates(points, file)
  local x, y = {}, {}
  for i, p in ipairs(points) do x[i], y[i] = p.lr, p.loss end
  local options = { xlabel = 'lr', ylabel = 'loss', title = 'loss by learning rate', log = 'x' }
  if file then
    plot.plot(torch.tensor(x), torch.tensor(y), options, file)
    return progress.say('wrote %s', file)
  end
  if native.is_tty(1) then return plot.plot(torch.tensor(x), torch.tensor(y), options) end
  print('lr         loss')
  for i = 1, #points, 5 do print(string.format('%-9.3g  %.4f', x[i], y[i])) end
end

--- Tries growing rates, and prints which is good. `file`: a picture (.svg, .png), nil for the terminal.
function M.lr(t, file)
  if file and not file:lower():match '%.svg$' and not file:lower():match '%.png$' then
    errors.usage("--find-lr takes a file with the suffix .svg or .png, or nothing, got '%s'", file)
  end
  prepare(t, '--find-lr')
  local points = try_rates(t)
  local steepest, smallest = best_of(points)
  print_rates(points, file)
  if not steepest then return print 'no rate lets the loss fall' end
  print(string.format('lr %.2g   the loss falls most steeply; at %.2g it is smallest, and beyond that it grows', steepest, smallest))
end

-- ---- the batch ----

local least_seconds, most_steps, slow = 0.3, 30, 30
local enough = 0.95  -- of the best speed

local function samples_of(t) return streams.count(t.parts.train) or math.maxinteger end

-- The usual seconds of a step with batches of a size, data included; nil where memory does not suffice, or with the reason that
-- something else went wrong. The first step warms up.
local function try_batch(t, size)
  t.recipe.batch = size
  t.loader = batches.loader(t.recipe, t.parts.train, true, t.device)
  t.batches = math.max(1, samples_of(t) // size)  -- whole ones
  local times, began, last
  local ok, why = pcall(each_batch, t, function(count, part, batch)
    step(t, t.recipe.accumulate * count, part, batch):item()
    local now = native.now()
    if times then times[#times + 1] = now - last else times, began = {}, now end
    last = now
    return #times >= 2 and now - began >= least_seconds or #times == most_steps or now - began > slow
  end)
  t.sum, t.count = nil, nil
  table.sort(times or {})
  if ok then return times[(#times + 1) // 2] end
  t.model:zero_grad()
  collectgarbage()
  if native.code(tostring(why)) ~= 4 then return nil, tostring(why):match '^[^\n]*' end
end

-- {batch =, speed =, seconds =, memory =} of sizes that double, and why there is no larger one.
local function try_batches(t)
  local rows, size, better, fastest = {}, 1, 1, 0
  while size <= samples_of(t) do
    local seconds, why = try_batch(t, size)
    if why and size > 1 then error(why, 0) end  -- one sample may be too few for a module
    if not seconds and not why then return rows, string.format('batches of %d do not fit into memory', size) end
    if seconds then
      local speed = size / math.max(1e-9, seconds)
      rows[#rows + 1] = { batch = size, speed = speed, seconds = seconds, memory = progress.memory(t.device) }
      if speed > fastest * 1.05 then fastest, better = speed, size end
      if seconds > slow then return rows, 'a step takes long' end
      if size >= 8 * better then return rows, 'larger ones are not faster' end
    end
    size = size * 2
  end
  return rows, string.format(samples_of(t) == 1 and 'there is %d sample' or 'there are %d samples', samples_of(t))
end

--- Tries growing batches, and prints their speeds.
function M.batch(t)
  prepare(t, '--find-batch')
  local rows, why = try_batches(t)
  if #rows == 0 then errors.usage('--find-batch: %s', why) end
  print('batch   samples/s   ms/step   memory')
  local fastest = 0
  for _, row in ipairs(rows) do
    fastest = math.max(fastest, row.speed)
    print(string.format('%-6d  %-10.0f  %-8.3g  %s', row.batch, row.speed, 1000 * row.seconds, row.memory and texts.size(row.memory) or ''))
  end
  for _, row in ipairs(rows) do
    if row.speed >= enough * fastest then return print(string.format('batch %d   is as fast as any; %s', row.batch, why)) end
  end
end

return M
