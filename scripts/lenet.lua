-- The recipe of mnist.lua as a plain loop: luth scripts/lenet.lua [epochs] [steps per epoch] [root]
local epochs, limit, root = tonumber(arg[1] or 3), tonumber(arg[2] or math.huge), arg[3] or 'data/mnist'

torch.manual_seed(0)
local net = nn.Sequential(
  nn.Conv2d(1, 6, 5, { padding = 2 }), nn.ReLU(), nn.MaxPool2d(2),
  nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
  nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
local criterion = nn.CrossEntropyLoss()
local optimizer = optim.AdamW(net:parameters(), { lr = 1e-3 })
local train = data.DataLoader(data.mnist { root = root }, { batch_size = 64, shuffle = true })
local test = data.DataLoader(data.mnist { root = root, train = false }, { batch_size = 1000 })

local function accuracy()
  net:eval()
  local _ <close> = torch.no_grad()
  local right, n = 0, 0
  for x, y in test do
    right = right + net(x):argmax(2):eq(y):sum():item()
    n = n + #y
  end
  return right / n
end

for epoch = 1, epochs do
  net:train()
  local total, steps = 0, 0
  for x, y in train do
    optimizer:zero_grad()
    local loss = criterion(net(x), y)
    loss:backward()
    optimizer:step()
    total = total + loss:item()
    steps = steps + 1
    if steps >= limit then break end
  end
  print(string.format('epoch %d  loss %.4f  test accuracy %.4f', epoch, total / steps, accuracy()))
end
torch.save(net:state_dict(), 'lenet.h5')
