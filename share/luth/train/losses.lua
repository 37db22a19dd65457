-- The losses of an epoch, which a trainer adds up: methods of it.
local native = require 'luth.native'
local bad_loss = require 'luth.train.bad_loss'
local ranks = require 'luth.train.ranks'

local M = {}

-- The sum is a number where losses are read (`value`). Else it stays on the device, as a step waits for nothing. `good` counts
-- the batches before the first loss that is no number.
function M:add_loss(loss, n, value)
  self.sum = (value or loss:detach():double()) * n + (self.sum or 0)
  self.count = (self.count or 0) + n
  if self.replicas then self.good = torch.isfinite(self.sum):add(self.good or 0) end
end

-- The sum of the losses of this rank, a number.
function M:loss_sum() return torch.is_tensor(self.sum) and self.sum:item() or self.sum or 0 end

-- The sums of all ranks: {loss, samples, good batches} of each.
function M:sums()
  local good = self.good and self.good:item() or 0
  return ranks.numbers { self:loss_sum(), self.count or 0, good }
end

-- Their total, and the rank whose loss was the first that is no number, nil where all are.
local function total(sums)
  local sum, count, bad = 0, 0, nil
  for i, s in ipairs(sums) do
    sum, count = sum + s[1], count + s[2]
    if bad_loss.is_bad(s[1]) and (not bad or s[3] < sums[bad + 1][3]) then bad = i - 1 end
  end
  return sum, count, bad
end

-- The sum of the epoch's losses so far and the number of samples, for a checkpoint; nil for none.
function M:totals()
  if not self.replicas and torch.is_tensor(self.sum) then return self.sum, self.count end
  local sum, count = total(self:sums())
  if count == 0 then return nil end
  return torch.tensor(sum, { dtype = torch.float64, device = self.device }), math.tointeger(count)
end

-- The mean loss of the epoch so far, nil where `step` gives none; a loss that is no number ends the run, with the last good checkpoint in place.
function M:mean_loss()
  local sums = self:sums()
  local sum, count, bad = total(sums)
  if bad then
    self.saves:settle(true)
    local kept = native.exists(self.run.last) and string.format('; %s holds the last good state', self.run.last) or ''
    local value = sums[bad + 1][1]
    ranks.fail(bad, 3, string.format('the loss became %s in epoch %d (after %d steps); try a smaller lr or clip%s',
                                     value ~= value and 'nan' or value, self.epoch, self.step, kept))
  end
  return count > 0 and sum / count or nil
end

return M
