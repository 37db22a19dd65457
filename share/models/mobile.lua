-- MobileNet v2 (Sandler and others, 2018) and v3 (Howard and others, 2019), ShuffleNet v2 (Ma and others, 2018),
-- EfficientNet (Tan and Le, 2019), with torchvision's names.
local common = require 'models.common'
local conv_norm, divisible = common.conv_norm, common.divisible
local M = {}

-- A Sequential `block` (under the name `key`), whose result is added to its input where the shapes agree.
local Residual = nn.class('models.InvertedResidual')
function Residual:init(key, list, added, drop)
  self.key = key
  self.added = added
  self[key] = nn.Sequential(list)
  if drop then self.stochastic_depth = common.StochasticDepth(drop) end
end
function Residual:forward(x)
  local y = self[self.key](x)
  if not self.added then return y end
  return x + (self.stochastic_depth and self.stochastic_depth(y) or y)
end

-- Features, an average over the plane, and a classifier.
local Net = nn.class('models.MobileNet')
function Net:init(features, classifier, linear)
  self.features = nn.Sequential(features)
  self.classifier = nn.Sequential(classifier)
  common.initialise(self, { conv = common.fan_out, linear = linear or common.normal(0.01) })
end
function Net:forward(x) return self.classifier(common.pooled(self.features(x))) end

-- ---- MobileNet v2 ---------------------------------------------------------------------------------------------------

-- expansion, channels, blocks, stride of the first
local v2 = { { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 } }
common.define(M, 'mobilenet_v2', { num_classes = 1000, width_mult = 1.0, dropout = 0.2 }, function(o)
  local inputs, last = divisible(32 * o.width_mult), divisible(1280 * math.max(1, o.width_mult))
  local list = { conv_norm(3, inputs, { stride = 2, activation = nn.ReLU6 }) }
  for _, row in ipairs(v2) do
    local expansion, channels, blocks, first = table.unpack(row)
    local outputs = divisible(channels * o.width_mult)
    for i = 1, blocks do
      local hidden, stride, block = inputs * expansion, i == 1 and first or 1, {}
      if expansion ~= 1 then block[1] = conv_norm(inputs, hidden, { kernel = 1, activation = nn.ReLU6 }) end
      block[#block + 1] = conv_norm(hidden, hidden, { stride = stride, groups = hidden, activation = nn.ReLU6 })
      block[#block + 1] = nn.Conv2d(hidden, outputs, 1, { bias = false })
      block[#block + 1] = nn.BatchNorm2d(outputs)
      list[#list + 1] = Residual('conv', block, stride == 1 and inputs == outputs)
      inputs = outputs
    end
  end
  list[#list + 1] = conv_norm(inputs, last, { kernel = 1, activation = nn.ReLU6 })
  return Net(list, { nn.Dropout(o.dropout), nn.Linear(last, o.num_classes) })
end, 'MobileNet v2 with the names of torchvision. width_mult scales the channels.')

-- ---- MobileNet v3 ---------------------------------------------------------------------------------------------------

-- kernel, hidden channels, channels, squeeze and excitation, Hardswish, stride
local large = {
  { 3, 16, 16, false, false, 1 }, { 3, 64, 24, false, false, 2 }, { 3, 72, 24, false, false, 1 }, { 5, 72, 40, true, false, 2 },
  { 5, 120, 40, true, false, 1 }, { 5, 120, 40, true, false, 1 }, { 3, 240, 80, false, true, 2 }, { 3, 200, 80, false, true, 1 },
  { 3, 184, 80, false, true, 1 }, { 3, 184, 80, false, true, 1 }, { 3, 480, 112, true, true, 1 }, { 3, 672, 112, true, true, 1 },
  { 5, 672, 160, true, true, 2 }, { 5, 960, 160, true, true, 1 }, { 5, 960, 160, true, true, 1 },
}
local small = {
  { 3, 16, 16, true, false, 2 }, { 3, 72, 24, false, false, 2 }, { 3, 88, 24, false, false, 1 }, { 5, 96, 40, true, true, 2 },
  { 5, 240, 40, true, true, 1 }, { 5, 240, 40, true, true, 1 }, { 5, 120, 48, true, true, 1 }, { 5, 144, 48, true, true, 1 },
  { 5, 288, 96, true, true, 2 }, { 5, 576, 96, true, true, 1 }, { 5, 576, 96, true, true, 1 },
}
local function norm3(channels) return nn.BatchNorm2d(channels, { eps = 0.001, momentum = 0.01 }) end

local function mobilenet_v3(rows, last, o)
  local function width(n) return divisible(n * o.width_mult) end
  local inputs = width(16)
  local list = { conv_norm(3, inputs, { stride = 2, norm = norm3, activation = nn.Hardswish }) }
  for _, row in ipairs(rows) do
    local kernel, hidden, outputs, squeeze, hard, stride = row[1], width(row[2]), width(row[3]), row[4], row[5], row[6]
    local activation, block = hard and nn.Hardswish or nn.ReLU, {}
    if hidden ~= inputs then block[1] = conv_norm(inputs, hidden, { kernel = 1, norm = norm3, activation = activation }) end
    block[#block + 1] = conv_norm(hidden, hidden, { kernel = kernel, stride = stride, groups = hidden, norm = norm3, activation = activation })
    if squeeze then
      block[#block + 1] = common.SqueezeExcitation(hidden, divisible(hidden // 4), nn.ReLU, nn.Hardsigmoid)
    end
    block[#block + 1] = conv_norm(hidden, outputs, { kernel = 1, norm = norm3, activation = false })
    list[#list + 1] = Residual('block', block, stride == 1 and inputs == outputs)
    inputs = outputs
  end
  list[#list + 1] = conv_norm(inputs, inputs * 6, { kernel = 1, norm = norm3, activation = nn.Hardswish })
  local hidden = width(last)
  return Net(list, {
    nn.Linear(inputs * 6, hidden), nn.Hardswish { inplace = true }, nn.Dropout(o.dropout), nn.Linear(hidden, o.num_classes),
  })
end
for name, rows in pairs { mobilenet_v3_small = small, mobilenet_v3_large = large } do
  common.define(M, name, { num_classes = 1000, width_mult = 1.0, dropout = 0.2 }, function(o)
    return mobilenet_v3(rows, rows == small and 1024 or 1280, o)
  end, 'MobileNet v3 with the names of torchvision. width_mult scales the channels.')
end

-- ---- EfficientNet ---------------------------------------------------------------------------------------------------

-- expansion, kernel, stride of the first, channels, blocks
local efficient = { { 1, 3, 1, 16, 1 }, { 6, 3, 2, 24, 2 }, { 6, 5, 2, 40, 2 }, { 6, 3, 2, 80, 3 }, { 6, 5, 1, 112, 3 }, { 6, 5, 2, 192, 4 }, { 6, 3, 1, 320, 1 } }
local function uniform(w)
  local bound = 1 / math.sqrt(w:size(1))
  nn.init.uniform_(w, -bound, bound)
end
common.define(M, 'efficientnet_b0', { num_classes = 1000, width_mult = 1.0, dropout = 0.2, stochastic_depth_prob = 0.2 }, function(o)
  local inputs, done, total = divisible(32 * o.width_mult), 0, 0
  for _, row in ipairs(efficient) do total = total + row[5] end
  local list = { conv_norm(3, inputs, { stride = 2, activation = nn.SiLU }) }
  for _, row in ipairs(efficient) do
    local expansion, kernel, first, channels, blocks = table.unpack(row)
    local outputs, stage = divisible(channels * o.width_mult), {}
    for i = 1, blocks do
      local hidden, stride, block = divisible(inputs * expansion), i == 1 and first or 1, {}
      if hidden ~= inputs then block[1] = conv_norm(inputs, hidden, { kernel = 1, activation = nn.SiLU }) end
      block[#block + 1] = conv_norm(hidden, hidden, { kernel = kernel, stride = stride, groups = hidden, activation = nn.SiLU })
      block[#block + 1] = common.SqueezeExcitation(hidden, math.max(1, inputs // 4), nn.SiLU, nn.Sigmoid)
      block[#block + 1] = conv_norm(hidden, outputs, { kernel = 1, activation = false })
      stage[i] = Residual('block', block, stride == 1 and inputs == outputs, o.stochastic_depth_prob * done / total)
      inputs, done = outputs, done + 1
    end
    list[#list + 1] = nn.Sequential(stage)
  end
  list[#list + 1] = conv_norm(inputs, inputs * 4, { kernel = 1, activation = nn.SiLU })
  return Net(list, { nn.Dropout(o.dropout), nn.Linear(inputs * 4, o.num_classes) }, uniform)
end, 'EfficientNet B0 with the names of torchvision. width_mult scales the channels.')

-- ---- ShuffleNet v2 --------------------------------------------------------------------------------------------------

local Shuffle = nn.class('models.ShuffleUnit')
function Shuffle:init(inputs, outputs, stride)
  local half = outputs // 2
  local function depthwise(n) return nn.Conv2d(n, n, 3, { stride = stride, padding = 1, bias = false, groups = n }) end
  local function pointwise(n) return nn.Conv2d(n, half, 1, { bias = false }) end
  local function relu() return nn.ReLU { inplace = true } end
  self.stride = stride
  self.branch1 = stride > 1 and nn.Sequential(depthwise(inputs), nn.BatchNorm2d(inputs), pointwise(inputs), nn.BatchNorm2d(half), relu())
    or nn.Sequential()
  self.branch2 = nn.Sequential(
    pointwise(stride > 1 and inputs or half), nn.BatchNorm2d(half), relu(), depthwise(half), nn.BatchNorm2d(half),
    pointwise(half), nn.BatchNorm2d(half), relu())
end
function Shuffle:forward(x)
  local a, b
  if self.stride == 1 then
    local halves = x:chunk(2, 2)
    a, b = halves[1], self.branch2(halves[2])
  else
    a, b = self.branch1(x), self.branch2(x)
  end
  return F.channel_shuffle(torch.cat({ a, b }, 2), 2)
end

local ShuffleNet = nn.class('models.ShuffleNetV2')
function ShuffleNet:init(o)
  if #o.stages_repeats ~= 3 or #o.stages_out_channels ~= 5 then
    common.fail('models.shufflenet_v2_x1_0', 'stages_repeats has 3 sizes and stages_out_channels 5')
  end
  local function stem(inputs, outputs, kernel, stride)
    return conv_norm(inputs, outputs, { kernel = kernel, stride = stride })
  end
  local inputs = o.stages_out_channels[1]
  self.conv1 = stem(3, inputs, 3, 2)
  self.maxpool = nn.MaxPool2d(3, { stride = 2, padding = 1 })
  for s, repeats in ipairs(o.stages_repeats) do
    local outputs, list = o.stages_out_channels[s + 1], {}
    for i = 1, repeats do
      list[i] = Shuffle(inputs, outputs, i == 1 and 2 or 1)
      inputs = outputs
    end
    self['stage' .. s + 1] = nn.Sequential(list)
  end
  local last = o.stages_out_channels[#o.stages_out_channels]
  self.conv5 = stem(inputs, last, 1, 1)
  self.fc = nn.Linear(last, o.num_classes)
end
function ShuffleNet:forward(x)
  x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
  return self.fc(self.conv5(x):mean { 3, 4 })
end
common.define(M, 'shufflenet_v2_x1_0',
  { num_classes = 1000, stages_repeats = { 4, 8, 4 }, stages_out_channels = { 24, 116, 232, 464, 1024 } }, ShuffleNet,
  'ShuffleNet v2 with the names of torchvision.')

return M
