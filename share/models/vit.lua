-- Dosovitskiy and others, "An image is worth 16x16 words" (2020), with torchvision's names.
local common = require 'models.common'
local M = {}

local function norm(hidden) return nn.LayerNorm({ hidden }, { eps = 1e-6 }) end

local Block = nn.class('models.EncoderBlock')
function Block:init(o)
  self.ln_1 = norm(o.hidden_dim)
  self.self_attention = nn.MultiheadAttention(o.hidden_dim, o.num_heads, { dropout = o.attention_dropout, batch_first = true })
  self.dropout = nn.Dropout(o.dropout)
  self.ln_2 = norm(o.hidden_dim)
  self.mlp = nn.Sequential(
    nn.Linear(o.hidden_dim, o.mlp_dim), nn.GELU(), nn.Dropout(o.dropout), nn.Linear(o.mlp_dim, o.hidden_dim), nn.Dropout(o.dropout))
  for _, i in ipairs { 1, 4 } do
    nn.init.xavier_uniform_(self.mlp[i].weight)
    nn.init.normal_(self.mlp[i].bias, 0, 1e-6)
  end
end
function Block:forward(x)
  local y = self.ln_1(x)
  y = self.self_attention(y, y, y, { need_weights = false })
  x = x + self.dropout(y)
  return x + self.mlp(self.ln_2(x))
end

local Encoder = nn.class('models.Encoder')
function Encoder:init(length, o)
  self.pos_embedding = nn.Parameter(nn.init.normal_(torch.empty(1, length, o.hidden_dim), 0, 0.02))
  self.dropout = nn.Dropout(o.dropout)
  self.layers = nn.Sequential()
  for i = 1, o.num_layers do self.layers:add_module('encoder_layer_' .. i - 1, Block(o)) end
  self.ln = norm(o.hidden_dim)
end
function Encoder:forward(x) return self.ln(self.layers(self.dropout(x + self.pos_embedding))) end

local VisionTransformer = nn.class('models.VisionTransformer')
function VisionTransformer:init(o)
  if o.image_size % o.patch_size ~= 0 then
    common.fail('models.vit_b_16', 'image_size %d does not divide by patch_size %d', o.image_size, o.patch_size)
  end
  if o.hidden_dim % o.num_heads ~= 0 then
    common.fail('models.vit_b_16', 'hidden_dim %d does not divide by num_heads %d', o.hidden_dim, o.num_heads)
  end
  self.image_size = o.image_size
  self.class_token = nn.Parameter(torch.zeros(1, 1, o.hidden_dim))
  self.conv_proj = nn.Conv2d(3, o.hidden_dim, o.patch_size, { stride = o.patch_size })
  self.encoder = Encoder((o.image_size // o.patch_size) ^ 2 // 1 + 1 | 0, o)
  local head = nn.Linear(o.hidden_dim, o.num_classes)
  self.heads = nn.Sequential { { 'head', head } }
  common.normal(math.sqrt(1 / (3 * o.patch_size ^ 2)))(self.conv_proj.weight)
  for _, t in ipairs { self.conv_proj.bias, head.weight, head.bias } do nn.init.zeros_(t) end
end
function VisionTransformer:forward(x)
  if x:size(3) ~= self.image_size or x:size(4) ~= self.image_size then
    error(('expects images of %d x %d, got %d x %d'):format(self.image_size, self.image_size, x:size(3), x:size(4)), 0)
  end
  x = self.conv_proj(x):flatten(3):transpose(2, 3)
  x = torch.cat({ self.class_token:expand(x:size(1), -1, -1), x }, 2)
  return self.heads(self.encoder(x):select(2, 1))
end

common.define(M, 'vit_b_16', {
  num_classes = 1000, image_size = 224, patch_size = 16, num_layers = 12, num_heads = 12, hidden_dim = 768, mlp_dim = 3072,
  dropout = 0.0, attention_dropout = 0.0,
}, VisionTransformer, 'A vision transformer, B/16 by default, with the names of torchvision.', function(name)
  return (name:gsub('%.mlp%.linear_([12])%.', function(i) return i == '1' and '.mlp.0.' or '.mlp.3.' end))  -- as old files have it
end)

return M
