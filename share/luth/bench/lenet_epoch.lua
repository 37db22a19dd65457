-- LeNet-5 on MNIST, one epoch, as a user of luth writes it; then the accuracy over the test images.
local mean, deviation = 0.1307, 0.3081
torch.manual_seed(0)
local net = nn.Conv2d(1, 6, 5, { padding = 2 }) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Conv2d(6, 16, 5) .. nn.ReLU()
  .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.Linear(400, 120) .. nn.ReLU() .. nn.Linear(120, 84) .. nn.ReLU() .. nn.Linear(84, 10)
local opt = optim.SGD(net:parameters(), { lr = 0.01, momentum = 0.9 })
local criterion = nn.CrossEntropyLoss()

for x, y in data.DataLoader(data.mnist { root = 'data/mnist' }, { batch_size = 128, shuffle = true }) do
  opt:zero_grad()
  local loss = criterion(net(x:sub_(mean):div_(deviation)), y)
  loss:backward()
  opt:step()
end

net:eval()
local _ <close> = torch.no_grad()
local right, count = 0, 0
for x, y in data.DataLoader(data.mnist { root = 'data/mnist', train = false }, { batch_size = 1000 }) do
  right = right + net(x:sub_(mean):div_(deviation)):argmax(2):eq(y):sum():item()
  count = count + #y
end
print(string.format('accuracy %.4f', right / count))
