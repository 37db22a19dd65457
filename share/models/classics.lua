-- LeNet, AlexNet, SqueezeNet, GoogLeNet, DenseNet (with torchvision's names) and U-Net.
local common = require 'models.common'
local M = {}
local function relu() return nn.ReLU { inplace = true } end

-- ---- LeNet: LeCun and others, "Gradient-based learning applied to document recognition" (1998) ---------------------

local LeNet = nn.class('models.LeNet')
function LeNet:init(o)
  self.conv1 = nn.Conv2d(o.in_channels, 6, 5, { padding = 2 })
  self.conv2 = nn.Conv2d(6, 16, 5)
  self.fc1 = nn.Linear(400, 120)
  self.fc2 = nn.Linear(120, 84)
  self.fc3 = nn.Linear(84, o.num_classes)
end
function LeNet:forward(x)
  x = F.avg_pool2d(self.conv1(x):tanh(), 2)
  x = F.avg_pool2d(self.conv2(x):tanh(), 2):flatten(2)
  return self.fc3(self.fc2(self.fc1(x):tanh()):tanh())
end
common.define(M, 'lenet', { num_classes = 10, in_channels = 1 }, LeNet, 'LeNet-5 for images of 28 x 28.')

-- ---- AlexNet: Krizhevsky, "One weird trick for parallelizing convolutional neural networks" (2014) -----------------

local AlexNet = nn.class('models.AlexNet')
function AlexNet:init(o)
  local function conv(...) return nn.Conv2d(...) end
  self.features = nn.Sequential(
    conv(3, 64, 11, { stride = 4, padding = 2 }), relu(), nn.MaxPool2d(3, { stride = 2 }),
    conv(64, 192, 5, { padding = 2 }), relu(), nn.MaxPool2d(3, { stride = 2 }),
    conv(192, 384, 3, { padding = 1 }), relu(), conv(384, 256, 3, { padding = 1 }), relu(),
    conv(256, 256, 3, { padding = 1 }), relu(), nn.MaxPool2d(3, { stride = 2 }))
  self.avgpool = nn.AdaptiveAvgPool2d(6)
  self.classifier = nn.Sequential(
    nn.Dropout(o.dropout), nn.Linear(9216, 4096), relu(), nn.Dropout(o.dropout), nn.Linear(4096, 4096), relu(),
    nn.Linear(4096, o.num_classes))
end
function AlexNet:forward(x) return self.classifier(self.avgpool(self.features(x)):flatten(2)) end
common.define(M, 'alexnet', { num_classes = 1000, dropout = 0.5 }, AlexNet, 'AlexNet with the names of torchvision.')

-- ---- SqueezeNet: Iandola and others (2016) --------------------------------------------------------------------------

local Fire = nn.class('models.Fire')
function Fire:init(inputs, squeezed, narrow, wide)
  self.squeeze = nn.Conv2d(inputs, squeezed, 1)
  self.squeeze_activation = relu()
  self.expand1x1 = nn.Conv2d(squeezed, narrow, 1)
  self.expand1x1_activation = relu()
  self.expand3x3 = nn.Conv2d(squeezed, wide, 3, { padding = 1 })
  self.expand3x3_activation = relu()
end
function Fire:forward(x)
  x = self.squeeze_activation(self.squeeze(x))
  return torch.cat({ self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x)) }, 2)
end

local SqueezeNet = nn.class('models.SqueezeNet')
function SqueezeNet:init(first, pools, o)
  local list, inputs = { first, relu() }, first.out_channels
  local squeezed = { 16, 16, 32, 32, 48, 48, 64, 64 }
  for i = 1, #squeezed do
    if pools[i] then list[#list + 1] = nn.MaxPool2d(3, { stride = 2, ceil_mode = true }) end
    list[#list + 1] = Fire(inputs, squeezed[i], squeezed[i] * 4, squeezed[i] * 4)
    inputs = squeezed[i] * 8
  end
  self.features = nn.Sequential(list)
  local last = nn.Conv2d(512, o.num_classes, 1)
  self.classifier = nn.Sequential(nn.Dropout(o.dropout), last, relu(), nn.AdaptiveAvgPool2d(1))
  common.initialise(self, { conv = nn.init.kaiming_uniform_ })
  nn.init.normal_(last.weight, 0, 0.01)
end
function SqueezeNet:forward(x) return self.classifier(self.features(x)):flatten(2) end
local squeezenet = { num_classes = 1000, dropout = 0.5 }
common.define(M, 'squeezenet1_0', squeezenet, function(o)
  return SqueezeNet(nn.Conv2d(3, 96, 7, { stride = 2 }), { true, [4] = true, [8] = true }, o)
end, 'SqueezeNet 1.0 with the names of torchvision.')
common.define(M, 'squeezenet1_1', squeezenet, function(o)
  return SqueezeNet(nn.Conv2d(3, 64, 3, { stride = 2 }), { true, [3] = true, [5] = true }, o)
end, 'SqueezeNet 1.1 with the names of torchvision.')

-- ---- GoogLeNet: Szegedy and others, "Going deeper with convolutions" (2014) ----------------------------------------

local BasicConv2d = nn.class('models.BasicConv2d')
function BasicConv2d:init(inputs, outputs, kernel, further)
  self.conv = nn.Conv2d(inputs, outputs, kernel, common.merged({ bias = false }, further or {}))
  self.bn = nn.BatchNorm2d(outputs, { eps = 0.001 })
end
function BasicConv2d:forward(x) return self.bn(self.conv(x)):relu_() end

local Inception = nn.class('models.Inception')
-- The third branch has a kernel of 3, as torchvision's weights do, where the article has 5.
function Inception:init(inputs, n1, reduced3, n3, reduced5, n5, pooled)
  local wide = { padding = 1 }
  self.branch1 = BasicConv2d(inputs, n1, 1)
  self.branch2 = nn.Sequential(BasicConv2d(inputs, reduced3, 1), BasicConv2d(reduced3, n3, 3, wide))
  self.branch3 = nn.Sequential(BasicConv2d(inputs, reduced5, 1), BasicConv2d(reduced5, n5, 3, wide))
  self.branch4 = nn.Sequential(nn.MaxPool2d(3, { stride = 1, padding = 1, ceil_mode = true }), BasicConv2d(inputs, pooled, 1))
end
function Inception:forward(x)
  return torch.cat({ self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x) }, 2)
end

local InceptionAux = nn.class('models.InceptionAux')
function InceptionAux:init(inputs, o)
  self.conv = BasicConv2d(inputs, 128, 1)
  self.fc1 = nn.Linear(2048, 1024)
  self.fc2 = nn.Linear(1024, o.num_classes)
  self.dropout = nn.Dropout(o.dropout_aux)
end
function InceptionAux:forward(x)
  x = self.conv(F.adaptive_avg_pool2d(x, 4)):flatten(2)
  return self.fc2(self.dropout(self.fc1(x):relu()))
end

local GoogLeNet = nn.class('models.GoogLeNet')
local stages = {  -- name, or name and sizes
  { 'inception3a', 192, 64, 96, 128, 16, 32, 32 }, { 'inception3b', 256, 128, 128, 192, 32, 96, 64 }, { 'maxpool3', 3 },
  { 'inception4a', 480, 192, 96, 208, 16, 48, 64 }, { 'inception4b', 512, 160, 112, 224, 24, 64, 64 },
  { 'inception4c', 512, 128, 128, 256, 24, 64, 64 }, { 'inception4d', 512, 112, 144, 288, 32, 64, 64 },
  { 'inception4e', 528, 256, 160, 320, 32, 128, 128 }, { 'maxpool4', 2 },
  { 'inception5a', 832, 256, 160, 320, 32, 128, 128 }, { 'inception5b', 832, 384, 192, 384, 48, 128, 128 },
}
function GoogLeNet:init(o)
  local function pool(kernel) return nn.MaxPool2d(kernel, { stride = 2, ceil_mode = true }) end
  self.conv1 = BasicConv2d(3, 64, 7, { stride = 2, padding = 3 })
  self.maxpool1 = pool(3)
  self.conv2 = BasicConv2d(64, 64, 1)
  self.conv3 = BasicConv2d(64, 192, 3, { padding = 1 })
  self.maxpool2 = pool(3)
  for _, stage in ipairs(stages) do
    self[stage[1]] = #stage == 2 and pool(stage[2]) or Inception(table.unpack(stage, 2))
  end
  if o.aux_logits then
    self.aux1 = InceptionAux(512, o)
    self.aux2 = InceptionAux(528, o)
  end
  self.dropout = nn.Dropout(o.dropout)
  self.fc = nn.Linear(1024, o.num_classes)
  self.transform_input = o.transform_input
  common.initialise(self, { conv = common.normal(0.01), linear = common.normal(0.01), biases = false })
end
-- In training with aux_logits: the logits, then those of the second and the first side branch.
function GoogLeNet:forward(x)
  if self.transform_input then
    local scale = torch.tensor({ 0.229, 0.224, 0.225 }, { dtype = x.dtype, device = x.device }):reshape(3, 1, 1) / 0.5
    local shift = (torch.tensor({ 0.485, 0.456, 0.406 }, { dtype = x.dtype, device = x.device }):reshape(3, 1, 1) - 0.5) / 0.5
    x = x * scale + shift
  end
  x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
  local sides = {}
  for _, stage in ipairs(stages) do
    x = self[stage[1]](x)
    local side = stage[1] == 'inception4a' and self.aux1 or stage[1] == 'inception4d' and self.aux2
    if side and self.training then table.insert(sides, 1, side(x)) end
  end
  return self.fc(self.dropout(common.pooled(x))), table.unpack(sides)
end
common.define(M, 'googlenet', { num_classes = 1000, aux_logits = true, transform_input = false, dropout = 0.2, dropout_aux = 0.7 },
  GoogLeNet, 'GoogLeNet with the names of torchvision. With aux_logits it returns three values in training. torchvision\'s own weights want transform_input = true.')

-- ---- DenseNet: Huang and others, "Densely connected convolutional networks" (2016) ---------------------------------

local DenseLayer = nn.class('models.DenseLayer')
function DenseLayer:init(inputs, o)
  local inner = o.bn_size * o.growth_rate
  self.norm1 = nn.BatchNorm2d(inputs)
  self.relu1 = relu()
  self.conv1 = nn.Conv2d(inputs, inner, 1, { bias = false })
  self.norm2 = nn.BatchNorm2d(inner)
  self.relu2 = relu()
  self.conv2 = nn.Conv2d(inner, o.growth_rate, 3, { padding = 1, bias = false })
  self.drop_rate = o.drop_rate
end
function DenseLayer:forward(x)
  local y = self.conv1(self.relu1(self.norm1(x)))
  y = self.conv2(self.relu2(self.norm2(y)))
  return self.drop_rate > 0 and F.dropout(y, self.drop_rate, self.training) or y
end

local DenseBlock = nn.class('models.DenseBlock')
function DenseBlock:init(layers, inputs, o)
  self.layers = layers
  for i = 1, layers do self['denselayer' .. i] = DenseLayer(inputs + (i - 1) * o.growth_rate, o) end
end
function DenseBlock:forward(x)
  local features = { x }
  for i = 1, self.layers do features[i + 1] = self['denselayer' .. i](torch.cat(features, 2)) end
  return torch.cat(features, 2)
end

local DenseNet = nn.class('models.DenseNet')
function DenseNet:init(o)
  local n = o.num_init_features
  self.features = nn.Sequential(
    { 'conv0', nn.Conv2d(3, n, 7, { stride = 2, padding = 3, bias = false }) }, { 'norm0', nn.BatchNorm2d(n) },
    { 'relu0', relu() }, { 'pool0', nn.MaxPool2d(3, { stride = 2, padding = 1 }) })
  for i, layers in ipairs(o.block_config) do
    self.features:add_module('denseblock' .. i, DenseBlock(layers, n, o))
    n = n + layers * o.growth_rate
    if i < #o.block_config then
      self.features:add_module('transition' .. i, nn.Sequential(
        { 'norm', nn.BatchNorm2d(n) }, { 'relu', relu() }, { 'conv', nn.Conv2d(n, n // 2, 1, { bias = false }) },
        { 'pool', nn.AvgPool2d(2, { stride = 2 }) }))
      n = n // 2
    end
  end
  self.features:add_module('norm5', nn.BatchNorm2d(n))
  self.classifier = nn.Linear(n, o.num_classes)
  common.initialise(self, { conv = nn.init.kaiming_normal_ })
  nn.init.zeros_(self.classifier.bias)
end
function DenseNet:forward(x) return self.classifier(common.pooled(self.features(x):relu())) end
common.define(M, 'densenet121',
  { num_classes = 1000, growth_rate = 32, block_config = { 6, 12, 24, 16 }, num_init_features = 64, bn_size = 4, drop_rate = 0.0 },
  DenseNet, 'DenseNet-121 with the names of torchvision.', function(name)
    return (name:gsub('(denselayer%d+%.%a+)%.([12])%.', '%1%2.'))  -- as old files have it
  end)

-- ---- U-Net: Ronneberger, Fischer and Brox (2015), with batch norm and padding ---------------------------------------

local DoubleConv = nn.class('models.DoubleConv')
function DoubleConv:init(inputs, outputs)
  local function conv(n) return nn.Conv2d(n, outputs, 3, { padding = 1, bias = false }) end
  self.double_conv = nn.Sequential(conv(inputs), nn.BatchNorm2d(outputs), relu(), conv(outputs), nn.BatchNorm2d(outputs), relu())
end
function DoubleConv:forward(x) return self.double_conv(x) end

local Up = nn.class('models.Up')
function Up:init(inputs)
  self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, { stride = 2 })
  self.conv = DoubleConv(inputs, inputs // 2)
end
-- x may be smaller than the way across by a row or a column that pooling dropped.
function Up:forward(x, across)
  x = self.up(x)
  local rows, columns = across:size(3) - x:size(3), across:size(4) - x:size(4)
  if rows > 0 or columns > 0 then
    x = F.pad(x, { columns // 2, columns - columns // 2, rows // 2, rows - rows // 2 })
  end
  return self.conv(torch.cat({ across, x }, 2))
end

local UNet = nn.class('models.UNet')
function UNet:init(o)
  local n = o.width
  self.depth = o.depth
  self.inc = DoubleConv(o.in_channels, n)
  for i = 1, o.depth do
    self['down' .. i] = nn.Sequential { { 'maxpool_conv', nn.Sequential(nn.MaxPool2d(2), DoubleConv(n, n * 2)) } }
    n = n * 2
  end
  for i = 1, o.depth do
    self['up' .. i] = Up(n)
    n = n // 2
  end
  self.outc = nn.Sequential { { 'conv', nn.Conv2d(n, o.num_classes, 1) } }
end
function UNet:forward(x)
  local across = { self.inc(x) }
  for i = 1, self.depth do across[i + 1] = self['down' .. i](across[i]) end
  local y = table.remove(across)
  for i = 1, self.depth do y = self['up' .. i](y, table.remove(across)) end
  return self.outc(y)
end
common.define(M, 'unet', { num_classes = 1, in_channels = 3, width = 64, depth = 4 }, UNet,
  'U-Net with batch norm: logits of num_classes for each pixel. width is the channels of the first level, depth the levels below it.')

return M
