-- Liu and others, "A ConvNet for the 2020s" (2022), with torchvision's names.
local common = require 'models.common'
local M = {}

-- A layer norm over the channels of images.
local LayerNorm2d = nn.class('models.LayerNorm2d', nn.LayerNorm)
function LayerNorm2d:init(channels)
  nn.LayerNorm.init(self, { channels }, { eps = 1e-6 })
  self.channels = channels
end
function LayerNorm2d:forward(x)
  return F.layer_norm(x:permute(1, 3, 4, 2), { self.channels }, self.weight, self.bias, 1e-6):permute(1, 4, 2, 3)
end

local Permute = nn.class('models.Permute')
function Permute:init(dims) self.dims = dims end
function Permute:forward(x) return x:permute(self.dims) end

local Block = nn.class('models.CNBlock')
function Block:init(n, scale, drop)
  self.layer_scale = nn.Parameter(torch.full({ n, 1, 1 }, scale))
  self.block = nn.Sequential(
    nn.Conv2d(n, n, 7, { padding = 3, groups = n }), Permute { 1, 3, 4, 2 }, nn.LayerNorm({ n }, { eps = 1e-6 }),
    nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n), Permute { 1, 4, 2, 3 })
  self.stochastic_depth = common.StochasticDepth(drop)
end
function Block:forward(x) return x + self.stochastic_depth(self.layer_scale * self.block(x)) end

local ConvNeXt = nn.class('models.ConvNeXt')
function ConvNeXt:init(o)
  if #o.depths ~= #o.widths then
    common.fail('models.convnext_tiny', 'depths has %d sizes, widths %d: both have one for each stage', #o.depths, #o.widths)
  end
  local total, done = 0, 0
  for _, n in ipairs(o.depths) do total = total + n end
  local list = { nn.Sequential(nn.Conv2d(3, o.widths[1], 4, { stride = 4 }), LayerNorm2d(o.widths[1])) }
  for s, n in ipairs(o.depths) do
    local stage = {}
    for i = 1, n do
      stage[i] = Block(o.widths[s], o.layer_scale, o.stochastic_depth_prob * done / math.max(total - 1, 1))
      done = done + 1
    end
    list[#list + 1] = nn.Sequential(stage)
    if o.widths[s + 1] then
      list[#list + 1] = nn.Sequential(LayerNorm2d(o.widths[s]), nn.Conv2d(o.widths[s], o.widths[s + 1], 2, { stride = 2 }))
    end
  end
  local last = o.widths[#o.depths]
  self.features = nn.Sequential(list)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(LayerNorm2d(last), nn.Flatten(2), nn.Linear(last, o.num_classes))
  common.initialise(self, { conv = common.normal(0.02), linear = common.normal(0.02) })
end
function ConvNeXt:forward(x) return self.classifier(self.avgpool(self.features(x))) end

common.define(M, 'convnext_tiny',
  { num_classes = 1000, depths = { 3, 3, 9, 3 }, widths = { 96, 192, 384, 768 }, stochastic_depth_prob = 0.1, layer_scale = 1e-6 },
  ConvNeXt, 'ConvNeXt tiny with the names of torchvision. depths and widths are those of the four stages.')

return M
