-- A line through noisy points: luth scripts/linear_regression.lua [steps]
local steps = tonumber(arg[1] or 200)

torch.manual_seed(0)
local x = torch.linspace(-1, 1, 100):unsqueeze(2)
local y = 3 * x + 2 + 0.1 * torch.randn(100, 1)

local model = nn.Linear(1, 1)
local optimizer = optim.SGD(model:parameters(), { lr = 0.1 })
local loss
for _ = 1, steps do
  optimizer:zero_grad()
  loss = F.mse_loss(model(x), y)
  loss:backward()
  optimizer:step()
end
print(string.format('y = %.2f x + %.2f, loss %.4f', model.weight:item(), model.bias:item(), loss:item()))
