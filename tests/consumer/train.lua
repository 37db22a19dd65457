-- Trains a small network on XOR and leaves it in a folder, for serve.cpp: the whole model, its state dict, and the inputs
-- with its answers.
local folder = arg[1]
torch.manual_seed(1)
local x = torch.tensor { { 0., 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }
local y = torch.tensor { { 0. }, { 1 }, { 1 }, { 0 } }
local net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
local opt = optim.Adam(net:parameters(), { lr = 0.05 })
for _ = 1, 300 do
  opt:zero_grad()
  F.mse_loss(net(x), y):backward()
  opt:step()
end
net:eval()
torch.save(net, folder .. '/model.h5')
torch.save(net:state_dict(), folder .. '/weights.safetensors')
torch.save(x, folder .. '/x.npy')
torch.save(net(x):detach(), folder .. '/y.npy')
