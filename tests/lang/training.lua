-- PyTorch's losses over 50 steps of training, from its initial weights: tests/golden/nn/training.h5. In float64 each
-- loss is PyTorch's; in float32 the first 20 are at most 4 times as far from PyTorch's float64 losses as PyTorch's float32 ones get.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local file = read.file(root .. '/tests/golden/nn/training.h5')
local words, length = 20, 12

-- ---- The networks of make_training.py ----------------------------------------------------------------------------------

local Block = nn.class('Block')
function Block:init(channels, out, stride)
  local plain = { padding = 1, bias = false }
  self.conv1 = nn.Conv2d(channels, out, 3, { stride = stride, padding = 1, bias = false })
  self.bn1 = nn.BatchNorm2d(out)
  self.conv2 = nn.Conv2d(out, out, 3, plain)
  self.bn2 = nn.BatchNorm2d(out)
  if channels == out and stride == 1 then
    self.shortcut = nn.Identity()
  else
    self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, { stride = stride, bias = false }), nn.BatchNorm2d(out))
  end
end
function Block:forward(x)
  local y = torch.relu(self.bn1(self.conv1(x)))
  return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))
end

local CharLSTM = nn.class('CharLSTM')
function CharLSTM:init()
  self.embedding = nn.Embedding(words, 16)
  self.lstm = nn.LSTM(16, 32, { num_layers = 2, batch_first = true })
  self.head = nn.Linear(32, words)
end
function CharLSTM:forward(x)
  local y = self.lstm(self.embedding(x))
  return self.head(y):reshape(-1, words)
end

local Transformer = nn.class('Transformer')
function Transformer:init()
  self.embedding = nn.Embedding(words, 32)
  self.positions = nn.Parameter(torch.zeros(length, 32))
  local layer = nn.TransformerEncoderLayer(32, 4, { dim_feedforward = 64, dropout = 0.0, batch_first = true, norm_first = true })
  self.encoder = nn.TransformerEncoder(layer, 2, { enable_nested_tensor = false })
  self.head = nn.Linear(32, words)
end
function Transformer:forward(x)
  local mask = torch.ones(length, length):triu(1):to(torch.bool)
  return self.head(self.encoder(self.embedding(x) + self.positions, { mask = mask })):reshape(-1, words)
end

local make = { char_lstm = CharLSTM, transformer = Transformer }
function make.mlp()
  return nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
end
function make.lenet()
  return nn.Sequential(nn.Conv2d(1, 6, 5, { padding = 2 }), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
end
function make.resnet()
  return nn.Sequential(nn.Conv2d(3, 8, 3, { padding = 1, bias = false }), nn.BatchNorm2d(8), nn.ReLU(), Block(8, 8, 1),
    Block(8, 16, 2), Block(16, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
end

-- ---- Runs --------------------------------------------------------------------------------------------------------------

local function train(case, dtype)
  torch.set_default_dtype(dtype)
  local model, state = make[case.id](), {}
  for name, j in pairs(case.state) do state[name] = file.tensor(j.tensor) end
  model:load_state_dict(state, { base = 0 })
  local opt = optim[case.optimizer](model:parameters(), case.args)
  local x, y = file.tensor(case.x.tensor), file.tensor(case.y.tensor):long() + 1
  x = x:is_floating_point() and x:to(dtype) or x:long() + 1
  local losses = {}
  for step = 0, 49 do
    local at = step % 4 * 16 + 1
    opt:zero_grad()
    local loss = F.cross_entropy(model(x:narrow(1, at, 16)), y:narrow(1, at, 16):reshape(-1))
    loss:backward()
    if case.clip ~= torch.none then nn.utils.clip_grad_norm_(model:parameters(), case.clip) end
    opt:step()
    losses[#losses + 1] = loss:item()
  end
  return losses
end

local function distance(a, b, steps)
  local far = 0
  for i = 1, steps or #b do far = math.max(far, math.abs(a[i] / b[i] - 1)) end
  return far
end

local only, ran = arg[1], 0
for _, case in ipairs(file.cases) do
  if not only or only == case.id then
    local exact, theirs = case.losses.float64, distance(case.losses.float32, case.losses.float64)
    local far = distance(train(case, torch.float64), exact)
    local single = train(case, torch.float32)
    local far32 = distance(single, exact, 20)  -- later the first ReLU whose input rounding moves across 0 sets two runs apart
    print(('%-12s float64 %.1e; float32 %.1e, PyTorch\'s float32 %.1e'):format(case.id, far, far32, theirs))
    assert(far <= 1e-9, case.id .. ' in float64')
    assert(far32 <= 4 * theirs and distance(single, exact) <= 5e-3, case.id .. ' in float32')
    ran = ran + 1
  end
end
assert(only or ran == 5, 'runs are missing')
