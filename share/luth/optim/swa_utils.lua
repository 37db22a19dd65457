-- torch.optim.swa_utils: averages of a model's weights. Izmailov and others, "Averaging weights leads to wider optima
-- and better generalization" (2018).
local arguments = require 'luth.torch.arguments'

local M = {}

-- ---- How an average goes on ------------------------------------------------------------------------------------------

local function check_decay(name, decay)
  if type(decay) ~= 'number' or not (decay >= 0 and decay <= 1) then
    arguments.fail(name, 'decay must be between 0 and 1, got %s', tostring(decay))
  end
end

local function decay_of(name, ...)
  local decay = arguments.read(name, { 'decay' }, 0, ...).decay or 0.999
  check_decay(name, decay)
  return decay
end
local function each(list, others, f)
  local _ <close> = torch.no_grad()
  for i, p in ipairs(list) do f(p, others[i]:detach():to(p.device)) end
end
local function approach(average, value, share)
  if average:is_floating_point() then average:lerp_(value:to(average.dtype), share) else average:copy_(value) end
end

function M.get_ema_multi_avg_fn(...)
  local decay = decay_of('get_ema_multi_avg_fn', ...)
  return function(averages, values) each(averages, values, function(a, v) approach(a, v, 1 - decay) end) end
end
function M.get_swa_multi_avg_fn()
  return function(averages, values, count)
    local share = 1 / ((torch.is_tensor(count) and count:item() or count) + 1)
    each(averages, values, function(a, v) approach(a, v, share) end)
  end
end
function M.get_ema_avg_fn(...)
  local decay = decay_of('get_ema_avg_fn', ...)
  return function(average, value) return average * decay + value * (1 - decay) end
end
function M.get_swa_avg_fn()
  return function(average, value, count) return average + (value - average) / (count + 1) end
end

-- ---- AveragedModel ---------------------------------------------------------------------------------------------------

local Averaged = nn.class('AveragedModel')

function Averaged:init(model, a)
  self.module = model:clone()
  if a.device then self.module:to(a.device) end
  self:register_buffer('n_averaged', torch.tensor(0, { device = a.device }))
  self.avg_fn, self.multi_avg_fn, self.use_buffers = a.avg_fn, a.multi_avg_fn, a.use_buffers
end

function Averaged:forward(...) return self.module(...) end

-- Parameters, and buffers where they are averaged too, in one order for a model and its average.
local function values_of(model, use_buffers)
  local list = model:parameters()
  if use_buffers then for _, b in model:named_buffers() do list[#list + 1] = b end end
  return list
end

local function average(self, own, given)
  if self.multi_avg_fn then return self.multi_avg_fn(own, given, self.n_averaged) end
  if not self.avg_fn then return M.get_swa_multi_avg_fn()(own, given, self.n_averaged) end
  local count = self.n_averaged:item()
  each(own, given, function(a, v) a:copy_(self.avg_fn(a:detach(), v, count)) end)
end

function Averaged:update_parameters(model)
  local own, given = values_of(self.module, self.use_buffers), values_of(model, self.use_buffers)
  if #own ~= #given then
    arguments.fail('update_parameters', 'the model has %d tensors, the average %d', #given, #own)
  end
  local _ <close> = torch.no_grad()
  if self.n_averaged:item() == 0 then each(own, given, function(a, v) a:copy_(v) end) else average(self, own, given) end
  if not self.use_buffers then
    local buffers = {}
    for name, b in model:named_buffers() do buffers[name] = b end
    for name, b in self.module:named_buffers() do b:copy_(buffers[name]) end
  end
  self.n_averaged:add_(1)
end

function M.AveragedModel(...)
  local a = arguments.read('AveragedModel', { 'model', 'device', 'avg_fn', 'multi_avg_fn', 'use_buffers' }, 1, ...)
  if not torch.isinstance(a.model, nn.Module) then arguments.fail('AveragedModel', 'expects a module, got %s', type(a.model)) end
  if a.avg_fn and a.multi_avg_fn then arguments.fail('AveragedModel', 'takes avg_fn or multi_avg_fn, not both') end
  return Averaged(a.model, a)
end

-- ---- Batch norms -----------------------------------------------------------------------------------------------------

-- The running statistics of all batch norms, as the averages over the batches of `loader`.
function M.update_bn(...)
  local a = arguments.read('update_bn', { 'loader', 'model', 'device' }, 2, ...)
  local norms = {}
  for _, m in a.model:named_modules() do
    if torch.typename(m):find 'BatchNorm' and m.running_mean then norms[m] = m.momentum or torch.none end
  end
  if next(norms) == nil then return end
  local was_training = a.model.training
  a.model:train()
  for m in pairs(norms) do
    m.running_mean:zero_()
    m.running_var:fill_(1)
    m.num_batches_tracked:zero_()
    m.momentum = torch.none  -- the cumulative average
  end
  local _ <close> = torch.no_grad()
  for batch in a.loader do
    local x = type(batch) == 'table' and batch[1] or batch
    if a.device then x = x:to(a.device) end
    a.model(x)
  end
  for m, momentum in pairs(norms) do m.momentum = momentum end
  a.model:train(was_training)
end

return M
