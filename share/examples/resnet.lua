-- A residual network on MNIST, with the training loop written out.
--   luth resnet.lua [epochs = 2] [samples = 60000] [width = 16]
local given = { ... }
local epochs, samples, width = tonumber(given[1] or 2), tonumber(given[2] or 60000), tonumber(given[3] or 16)
torch.manual_seed(0)

-- ---- The network ----------------------------------------------------------------------------------------------------

local Block = nn.class('ExampleBlock')
function Block:init(inputs, outputs, stride)
  self.conv1 = nn.Conv2d(inputs, outputs, 3, { stride = stride, padding = 1, bias = false })
  self.bn1 = nn.BatchNorm2d(outputs)
  self.conv2 = nn.Conv2d(outputs, outputs, 3, { padding = 1, bias = false })
  self.bn2 = nn.BatchNorm2d(outputs)
  if stride ~= 1 or inputs ~= outputs then
    self.shortcut = nn.Conv2d(inputs, outputs, 1, { stride = stride, bias = false }) .. nn.BatchNorm2d(outputs)
  end
end
function Block:forward(x)
  local y = F.relu(self.bn1(self.conv1(x)))
  y = self.bn2(self.conv2(y))
  return F.relu(y + (self.shortcut and self.shortcut(x) or x))
end

local Net = nn.class('ExampleResNet')
function Net:init(classes)
  self.stem = nn.Conv2d(1, width, 3, { padding = 1, bias = false }) .. nn.BatchNorm2d(width) .. nn.ReLU()
  self.blocks = Block(width, width, 1) .. Block(width, 2 * width, 2) .. Block(2 * width, 4 * width, 2)
  self.head = nn.Linear(4 * width, classes)
end
function Net:forward(x)
  x = self.blocks(self.stem(x))
  return self.head(x:mean { 3, 4 })
end

-- ---- Training -------------------------------------------------------------------------------------------------------

local function part(dataset, n)
  local positions = {}
  for i = 1, math.min(n, #dataset) do positions[i] = i end
  return data.Subset(dataset, positions)
end
local train = data.DataLoader(part(data.mnist { train = true }, samples), { batch_size = 64, shuffle = true, drop_last = true })
local test = data.DataLoader(part(data.mnist { train = false }, samples // 6), { batch_size = 256 })

local net = Net(10)
local loss_of = nn.CrossEntropyLoss { label_smoothing = 0.1 }
local opt = optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9, weight_decay = 5e-4, nesterov = true })
local schedule = optim.lr_scheduler.OneCycleLR(opt, { max_lr = 0.1, total_steps = epochs * #train })

local function accuracy()
  net:eval()
  local right, all = 0, 0
  torch.no_grad(function()
    for x, labels in test do
      right = right + net(x):argmax(2):eq(labels):sum():item()
      all = all + #labels
    end
  end)
  net:train()
  return right / all
end

for epoch = 1, epochs do
  local total, batches = 0, 0
  for x, labels in train do
    opt:zero_grad()
    local loss = loss_of(net(x), labels)
    loss:backward()
    nn.utils.clip_grad_norm_(net:parameters(), 5)
    opt:step()
    schedule:step()
    total, batches = total + loss:item(), batches + 1
  end
  print(('epoch %d  loss %.4f  accuracy %.4f'):format(epoch, total / batches, accuracy()))
end
return accuracy()
