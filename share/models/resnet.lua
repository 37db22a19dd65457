-- Residual networks (He and others, "Deep residual learning", 2015), ResNeXt (Xie and others, 2016) and wide ones
-- (Zagoruyko and Komodakis, 2016), with torchvision's names.
local common = require 'models.common'
local M = {}

local function conv(inputs, outputs, kernel, stride, groups)
  return nn.Conv2d(inputs, outputs, kernel, { stride = stride or 1, padding = kernel // 2, groups = groups or 1, bias = false })
end

local BasicBlock = nn.class('models.BasicBlock')
BasicBlock.expansion = 1
function BasicBlock:init(inputs, planes, stride, downsample)
  self.conv1 = conv(inputs, planes, 3, stride)
  self.bn1 = nn.BatchNorm2d(planes)
  self.relu = nn.ReLU { inplace = true }
  self.conv2 = conv(planes, planes, 3)
  self.bn2 = nn.BatchNorm2d(planes)
  self.downsample = downsample
end
function BasicBlock:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.bn2(self.conv2(y))
  return self.relu(y + (self.downsample and self.downsample(x) or x))
end

-- The stride is in the 3 x 3 convolution, as in torchvision.
local Bottleneck = nn.class('models.Bottleneck')
Bottleneck.expansion = 4
function Bottleneck:init(inputs, planes, stride, downsample, o)
  local width = planes * o.width_per_group // 64 * o.groups
  self.conv1 = conv(inputs, width, 1)
  self.bn1 = nn.BatchNorm2d(width)
  self.conv2 = conv(width, width, 3, stride, o.groups)
  self.bn2 = nn.BatchNorm2d(width)
  self.conv3 = conv(width, planes * 4, 1)
  self.bn3 = nn.BatchNorm2d(planes * 4)
  self.relu = nn.ReLU { inplace = true }
  self.downsample = downsample
end
function Bottleneck:forward(x)
  local y = self.relu(self.bn1(self.conv1(x)))
  y = self.relu(self.bn2(self.conv2(y)))
  y = self.bn3(self.conv3(y))
  return self.relu(y + (self.downsample and self.downsample(x) or x))
end

local ResNet = nn.class('models.ResNet')
function ResNet:init(Block, o)
  local inputs = o.width
  self.stages = #o.layers
  self.conv1 = nn.Conv2d(3, inputs, 7, { stride = 2, padding = 3, bias = false })
  self.bn1 = nn.BatchNorm2d(inputs)
  self.relu = nn.ReLU { inplace = true }
  self.maxpool = nn.MaxPool2d(3, { stride = 2, padding = 1 })
  for stage, blocks in ipairs(o.layers) do
    local planes, list = o.width << (stage - 1), {}
    local outputs = planes * Block.expansion
    for i = 1, blocks do
      local stride, downsample = i == 1 and stage > 1 and 2 or 1, nil
      if stride ~= 1 or inputs ~= outputs then
        downsample = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
      end
      list[i] = Block(inputs, planes, stride, downsample, o)
      inputs = outputs
    end
    self['layer' .. stage] = nn.Sequential(list)
  end
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc = nn.Linear(inputs, o.num_classes)
  common.initialise(self, { conv = common.fan_out })
  if not o.zero_init_residual then return end
  for _, m in self:named_modules() do
    if torch.isinstance(m, Block) then nn.init.zeros_((m.bn3 or m.bn2).weight) end
  end
end
function ResNet:forward(x)
  x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
  for stage = 1, self.stages do x = self['layer' .. stage](x) end
  return self.fc(self.avgpool(x):flatten(2))
end

local function define(name, Block, layers, further)
  local defaults = { num_classes = 1000, width = 64, layers = layers, groups = 1, width_per_group = 64, zero_init_residual = false }
  common.define(M, name, common.merged(defaults, further or {}), function(o) return ResNet(Block, o) end,
    'A residual network with the names of torchvision. width is the channels of the first stage, layers the blocks of each.')
end
define('resnet18', BasicBlock, { 2, 2, 2, 2 })
define('resnet34', BasicBlock, { 3, 4, 6, 3 })
define('resnet50', Bottleneck, { 3, 4, 6, 3 })
define('resnet101', Bottleneck, { 3, 4, 23, 3 })
define('resnet152', Bottleneck, { 3, 8, 36, 3 })
define('resnext50_32x4d', Bottleneck, { 3, 4, 6, 3 }, { groups = 32, width_per_group = 4 })
define('wide_resnet50_2', Bottleneck, { 3, 4, 6, 3 }, { width_per_group = 128 })

return M
