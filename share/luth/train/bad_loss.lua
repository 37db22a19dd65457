-- What a run does when the loss of a batch is no number: the weights are not touched, and the first module with a bad value
-- is named.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local warn = require('luth.train.warnings').warn

local M = {}
local most_in_a_row = 20

function M.is_bad(x) return x - x ~= 0 end

local function bad_tensor(t)
  return torch.is_tensor(t) and t.dtype.is_floating_point and t:numel() > 0 and not torch.isfinite(t):all()
end

-- Where the bad value comes from: the batch, a parameter, or the first module whose output has one while its input has none.
-- Runs the forward of the batch once more; nil where all is well this time, as dropout may have it.
local function culprit(t, batch)
  for i = 1, batch.n do
    if bad_tensor(batch[i]) then return string.format('value %d of the batch holds nan or inf', i) end
  end
  for name, p in t.model:named_parameters() do
    if bad_tensor(p) then return string.format('the parameter %s holds nan or inf', name) end
  end
  local found
  local handles = {}
  for name, m in t.model:named_modules() do
    if #m:children() == 0 then
      handles[#handles + 1] = m:register_forward_hook(function(_, _, output)
        if not found and bad_tensor(output) then
          found = string.format('the first bad value is in the output of %s (%s)', name ~= '' and name or 'the model',
                                tostring(m):match '^[^\n]*')
        end
      end)
    end
  end
  local ok = pcall(function()
    local _ <close> = torch.no_grad()
    t:forward(batch)
  end)
  for _, handle in ipairs(handles) do handle:remove() end
  return found or ok and 'the outputs of all modules are finite: the loss function made it' or nil
end

local function kept(t)
  return native.exists(t.run.last) and string.format('; %s holds the last good state', t.run.last) or ''
end

-- Leaves the batch out: gradients so far in its step are dropped.
local function leave_out(t, what)
  t.left_out = (t.left_out or 0) + 1
  t.bad_in_a_row = t.bad_in_a_row + 1
  if t.bad_in_a_row >= most_in_a_row then
    native.fail(3, string.format('%s, as in the %d batches before it%s', what, most_in_a_row - 1, kept(t)))
  end
  t.model:zero_grad()
  warn(t, '%s; the batch is left out', what)
end

local function is_same(copy, b) return copy and copy.place == b:data_ptr() and copy.version == b:_version() end

--- Keeps the buffers of the model before a forward, which changes running statistics, for a run that a bad loss does not end. Those
--- that have stayed as they were, as masks do, are not copied again.
function M.keep_buffers(t)
  t.buffers = t.buffers or {}
  for name, b in t.model:named_buffers() do
    if not nn.parameter.is_lazy(b) and not is_same(t.buffers[name], b) then
      t.buffers[name] = { place = b:data_ptr(), version = b:_version(), value = b:clone() }
    end
  end
end

-- Gives the model its buffers back; those that the forward has made from lazy ones stay.
local function restore(t)
  local _ <close> = torch.no_grad()
  for name, b in t.model:named_buffers() do
    local copy = t.buffers[name]
    if copy and not is_same(copy, b) then b:copy_(copy.value) end
  end
end

--- Called with a bad loss, before backward and after M.keep_buffers.
function M.meet(t, batch, value)
  t.saves:settle(true)
  local where = culprit(t, batch)
  local what = string.format('the loss is %s in epoch %d, batch %d%s', value ~= value and 'nan' or value, t.epoch, t.batch + 1,
                             where and ': ' .. where or '')
  t.line:clear()
  local how = t.recipe.on_nan
  if how == 'stop' then native.fail(3, string.format('%s; try a smaller lr or clip%s', what, kept(t))) end
  restore(t)
  if how == 'rollback' and native.exists(t.run.last) then
    t:take_back(t.run.last)
    what = string.format('%s; %s is taken up', what, t.run.last)
  end
  leave_out(t, what)
end

return M
