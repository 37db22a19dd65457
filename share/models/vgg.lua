-- Simonyan and Zisserman, "Very deep convolutional networks" (2014), with torchvision's names.
local common = require 'models.common'
local M = {}

-- Convolutions of each stage; a pooling follows each.
local depths = { [11] = { 1, 1, 2, 2, 2 }, [13] = { 2, 2, 2, 2, 2 }, [16] = { 2, 2, 3, 3, 3 }, [19] = { 2, 2, 4, 4, 4 } }

local VGG = nn.class('models.VGG')
function VGG:init(convolutions, norm, o)
  local list, inputs = {}, 3
  for stage, n in ipairs(convolutions) do
    local outputs = math.min(o.width << (stage - 1), o.width * 8)
    for _ = 1, n do
      list[#list + 1] = nn.Conv2d(inputs, outputs, 3, { padding = 1 })
      if norm then list[#list + 1] = nn.BatchNorm2d(outputs) end
      list[#list + 1] = nn.ReLU { inplace = true }
      inputs = outputs
    end
    list[#list + 1] = nn.MaxPool2d(2, { stride = 2 })
  end
  self.features = nn.Sequential(list)
  self.avgpool = nn.AdaptiveAvgPool2d(7)
  self.classifier = nn.Sequential(
    nn.Linear(inputs * 49, o.hidden), nn.ReLU { inplace = true }, nn.Dropout(o.dropout),
    nn.Linear(o.hidden, o.hidden), nn.ReLU { inplace = true }, nn.Dropout(o.dropout), nn.Linear(o.hidden, o.num_classes))
  common.initialise(self, { conv = common.fan_out, linear = common.normal(0.01) })
end
function VGG:forward(x) return self.classifier(self.avgpool(self.features(x)):flatten(2)) end

for depth, convolutions in pairs(depths) do
  for _, suffix in ipairs { '', '_bn' } do
    common.define(M, 'vgg' .. depth .. suffix, { num_classes = 1000, dropout = 0.5, width = 64, hidden = 4096 },
      function(o) return VGG(convolutions, suffix == '_bn', o) end,
      'A VGG with the names of torchvision. width is the channels of the first stage, hidden those of the classifier.')
  end
end

return M
