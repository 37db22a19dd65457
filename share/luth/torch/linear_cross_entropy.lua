-- F.linear_cross_entropy and the methods of nn.LinearCrossEntropyLoss. Shapes: input [N, in_features] or [in_features];
-- linear_weight [C, d1, …, dK, in_features]; target [N, d1, …, dK] of labels, or [N, C, d1, …, dK] of probabilities.
local arguments = require 'luth.torch.arguments'

local M = {}

local function text(shape) return tostring(shape):match('%[.*%]') end

local function check_options(name, options)
  if options ~= nil and options ~= torch.none then
    arguments.fail(name, 'options, the computation in chunks, is not in luth; leave it out')
  end
end
local function given(value) return value ~= torch.none and value or nil end

-- Checks the arguments, and returns the shape of the logits.
local function logits_shape(name, a)
  for _, key in ipairs { 'input', 'linear_weight', 'target' } do
    if not torch.is_tensor(a[key]) then
      arguments.fail(name, "argument '%s' expects a tensor, got %s", key, torch.typename(a[key]) or type(a[key]))
    end
  end
  local x, w, b = a.input, a.linear_weight, a.linear_bias
  if x:dim() < 1 or x:dim() > 2 then arguments.fail(name, 'input must have 1 or 2 dims, got shape %s', text(x:size())) end
  if w:dim() < 2 then arguments.fail(name, 'linear_weight must have at least 2 dims, got shape %s', text(w:size())) end
  if x:size(-1) ~= w:size(-1) then
    arguments.fail(name, 'the last dims of input and linear_weight must be equal, got %d and %d', x:size(-1), w:size(-1))
  end
  if w:dim() > 2 and x:dim() == 1 then
    arguments.fail(name, 'linear_weight of shape %s needs a batch [N, %d], got %s', text(w:size()), x:size(1), text(x:size()))
  end
  local outer = { table.unpack(w:size()) }
  outer[#outer] = nil
  if b and b:size() ~= torch.Size(outer) then
    arguments.fail(name, 'linear_bias must have shape %s, got %s', text(torch.Size(outer)), text(b:size()))
  end
  if x:dim() == 2 then table.insert(outer, 1, x:size(1)) end
  return torch.Size(outer)
end

function M.linear_cross_entropy(...)
  local name = 'linear_cross_entropy'
  local a = arguments.read(name, { 'input', 'linear_weight', 'target', 'linear_bias', 'weight', 'reduction', 'ignore_index',
    'label_smoothing', 'options' }, 3, ...)
  check_options(name, a.options)
  for _, key in ipairs { 'linear_bias', 'weight', 'ignore_index' } do a[key] = given(a[key]) end
  local shape = logits_shape(name, a)
  if a.ignore_index and a.target:size() == shape then
    arguments.fail(name, 'ignore_index is for labels, and the target has probabilities')
  end
  local rows = a.linear_weight:reshape(-1, a.input:size(-1))
  local logits = F.linear(a.input, rows, a.linear_bias and a.linear_bias:reshape(-1)):reshape(shape)
  return F.cross_entropy(logits, a.target, { weight = a.weight, reduction = a.reduction or 'mean',
    ignore_index = a.ignore_index or -100, label_smoothing = a.label_smoothing or 0.0 })
end

function M.init(self, ...)
  local name = 'nn.LinearCrossEntropyLoss'
  local a = arguments.read(name, { 'in_features', 'num_classes', 'out_features', 'bias', 'device', 'dtype', 'reduction', 'weight',
    'ignore_index', 'label_smoothing', 'options' }, 2, ...)
  check_options(name, a.options)
  local weight = given(a.weight)
  if weight and weight:size() ~= torch.Size { a.num_classes } then
    arguments.fail(name, 'weight must have shape [%d], got %s', a.num_classes, text(weight:size()))
  end
  local smoothing = a.label_smoothing or 0.0
  if smoothing < 0 or smoothing > 1 then arguments.fail(name, 'label_smoothing must be between 0 and 1, got %s', smoothing) end
  self:register_buffer('weight', weight)
  self.num_classes, self.out_features = a.num_classes, { table.unpack(a.out_features or {}) }
  self.reduction, self.ignore_index, self.label_smoothing = a.reduction or 'mean', given(a.ignore_index), smoothing
  local features = a.num_classes
  for _, n in ipairs(self.out_features) do features = features * n end
  self.linear = nn.Linear(a.in_features, features, { bias = a.bias or false, device = a.device, dtype = a.dtype })
end

function M.forward(self, input, target)
  local shape = { self.num_classes, table.unpack(self.out_features) }
  local bias = self.linear.bias
  if bias then bias = bias:reshape(shape) end
  shape[#shape + 1] = self.linear.in_features
  return M.linear_cross_entropy(input, self.linear.weight:reshape(shape), target, { linear_bias = bias, weight = self.weight,
    reduction = self.reduction, ignore_index = self.ignore_index, label_smoothing = self.label_smoothing })
end

function M.extra_repr(self)
  local out = table.concat(self.out_features, ', ') .. (#self.out_features == 1 and ',' or '')
  return ('in_features=%d, num_classes=%d, out_features=(%s), bias=%s, reduction=%s, ignore_index=%s, label_smoothing=%s, options=None')
    :format(self.linear.in_features, self.num_classes, out, self.linear.bias and 'True' or 'False', self.reduction,
      self.ignore_index or 'None', self.label_smoothing)
end

return M
