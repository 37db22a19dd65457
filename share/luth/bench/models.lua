-- The networks of the groups train, infer and dlbench, with PyTorch's default initialisation, on the CPU.
local M = {}

function M.mlp() return nn.Linear(784, 512) .. nn.ReLU() .. nn.Linear(512, 512) .. nn.ReLU() .. nn.Linear(512, 10) end

function M.lenet5()
  return nn.Conv2d(1, 6, 5, { padding = 2 }) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Conv2d(6, 16, 5) .. nn.ReLU()
    .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.Linear(400, 120) .. nn.ReLU() .. nn.Linear(120, 84) .. nn.ReLU() .. nn.Linear(84, 10)
end

-- ---- residual networks for images of 32 x 32 ------------------------------------------------------------------------

local function conv_bn(input, out, k, stride)
  return nn.Conv2d(input, out, k, { stride = stride, padding = k // 2, bias = false }) .. nn.BatchNorm2d(out)
end
local function body(input, out, stride) return conv_bn(input, out, 3, stride) .. nn.ReLU() .. conv_bn(out, out, 3, 1) end

-- The shortcut is a convolution of 1 x 1 where the shape changes.
local Block = nn.class 'luth.bench.Block'
function Block:init(input, out, stride)
  self.body = body(input, out, stride)
  if stride ~= 1 or input ~= out then self.shortcut = conv_bn(input, out, 1, stride) end
end
function Block:forward(x) return F.relu(self.body(x) + (self.shortcut and self.shortcut(x) or x)) end

-- The shortcut has no parameters: every other position, and channels of zeros.
local PlainBlock = nn.class 'luth.bench.PlainBlock'
function PlainBlock:init(input, out, stride)
  self.body = body(input, out, stride)
  self.stride, self.further = stride, out - input
end
function PlainBlock:forward(x)
  local y = self.body(x)
  if self.stride > 1 then x = F.pad(F.avg_pool2d(x, 1, { stride = self.stride }), { 0, 0, 0, 0, 0, self.further }) end
  return F.relu(y + x)
end

-- `blocks` of each stage; the first stage keeps the extents, the others halve them.
local function residual(Class, widths, blocks)
  local model, width = conv_bn(3, widths[1], 3, 1) .. nn.ReLU(), widths[1]
  for stage, out in ipairs(widths) do
    for i = 1, blocks do
      model = model .. Class(width, out, stage > 1 and i == 1 and 2 or 1)
      width = out
    end
  end
  return model .. nn.AdaptiveAvgPool2d(1) .. nn.Flatten() .. nn.Linear(width, 10)
end
function M.resnet18_cifar() return residual(Block, { 64, 128, 256, 512 }, 2) end

-- ---- text -----------------------------------------------------------------------------------------------------------

-- Embedding, two layers of LSTM, batch first, and the logits.
local Recurrent = nn.class 'luth.bench.Recurrent'
function Recurrent:init(vocabulary, width)
  self.embedding = nn.Embedding(vocabulary, width)
  self.rnn = nn.LSTM(width, width, 2, { batch_first = true })
  self.out = nn.Linear(width, vocabulary)
end
function Recurrent:forward(x)
  local y = self.rnn(self.embedding(x))
  return self.out(y)
end
function M.char_lstm() return Recurrent(65, 256) end

local width, heads, layers, context, letters = 192, 6, 6, 128, 65

local Attention = nn.class 'luth.bench.Attention'
function Attention:init()
  self.qkv = nn.Linear(width, 3 * width)
  self.out = nn.Linear(width, width)
end
function Attention:forward(x)
  local batch, time = x:size(1), x:size(2)
  local parts = self.qkv(x):split(width, 3)
  for i, part in ipairs(parts) do parts[i] = part:view(batch, time, heads, width // heads):transpose(2, 3) end
  local y = F.scaled_dot_product_attention(parts[1], parts[2], parts[3], { is_causal = true })
  return self.out(y:transpose(2, 3):reshape(batch, time, width))
end

local Decoder = nn.class 'luth.bench.Decoder'
function Decoder:init()
  self.norm1, self.attention = nn.LayerNorm(width), Attention()
  self.norm2, self.mlp = nn.LayerNorm(width), nn.Linear(width, 4 * width) .. nn.GELU() .. nn.Linear(4 * width, width)
end
function Decoder:forward(x)
  x = x + self.attention(self.norm1(x))
  return x + self.mlp(self.norm2(x))
end

local GPT = nn.class 'luth.bench.GPT'
function GPT:init()
  self.tokens, self.positions = nn.Embedding(letters, width), nn.Embedding(context, width)
  self.blocks = nn.Sequential()
  for _ = 1, layers do self.blocks:append(Decoder()) end
  self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters, { bias = false })
end
function GPT:forward(ids)
  local x = self.tokens(ids) + self.positions(torch.arange(1, ids:size(2) + 1))
  return self.head(self.norm(self.blocks(x)))
end
function M.char_gpt() return GPT() end

-- ---- dlbench --------------------------------------------------------------------------------------------------------

function M.fcn5()
  return nn.Flatten() .. nn.Linear(784, 2048) .. nn.Sigmoid() .. nn.Linear(2048, 4096) .. nn.Sigmoid() .. nn.Linear(4096, 1024)
    .. nn.Sigmoid() .. nn.Linear(1024, 10)
end
function M.alexnet_cifar()
  local pool = { stride = 2 }
  return nn.Conv2d(3, 32, 5, { padding = 2 }) .. nn.MaxPool2d(3, pool) .. nn.ReLU() .. nn.Conv2d(32, 32, 5, { padding = 2 })
    .. nn.ReLU() .. nn.MaxPool2d(3, pool) .. nn.Conv2d(32, 64, 5, { padding = 2 }) .. nn.ReLU() .. nn.AvgPool2d(3, pool)
    .. nn.Flatten() .. nn.Linear(64 * 3 * 3, 10)
end
function M.resnet56_cifar() return residual(PlainBlock, { 16, 32, 64 }, 9) end
function M.lstm_words() return Recurrent(10000, 256) end

return M
