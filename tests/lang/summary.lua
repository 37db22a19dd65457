-- torch.utils.summary: shapes, parameters and multiply-adds; the model and the random numbers stay as they are.
local net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Sequential(nn.Linear(288, 10)))
local before = torch.get_rng_state()
local s = torch.utils.summary(net, { 2, 3, 8, 8 })
assert(torch.equal(before, torch.get_rng_state()) and net.training and net[1].weight.device == torch.device 'cpu')
assert(s.parameters == 8 * 27 + 8 + 16 + 2890 and s.trainable == s.parameters)
assert(s.madds == 2 * 8 * 36 * 27 + 2 * 2880)
local text = tostring(s)
for _, line in ipairs { 'Sequential', '  1 (Conv2d)       [2, 8, 6, 6]', '    1 (Linear)', '3,130 parameters, 3,130 of them to train: 13 kB' } do
  assert(text:find(line, 1, true), line .. ' in ' .. text)
end
net[1].weight:requires_grad_(false)
assert(torch.utils.summary(net, torch.zeros(1, 3, 8, 8)).trainable == s.trainable - 216)
local lstm = torch.utils.summary(nn.LSTM(3, 4, { num_layers = 2, bidirectional = true }), { 5, 2, 3 })
assert(lstm.madds == 10 * 2 * 4 * 4 * (3 + 4 + 8 + 4))
assert(torch.utils.summary(nn.ConvTranspose2d(4, 6, 2), { 1, 4, 5, 5 }).madds == 100 * 6 * 4)
assert(torch.utils.summary(nn.TransformerEncoderLayer(32, 4), { 5, 2, 32 }).madds > 10 * 32 * 32 * 4)
assert(torch.utils.summary(nn.Bilinear(2, 3, 4), { torch.ones(1, 2), torch.ones(1, 3) }).parameters == 28)
local ok, why = pcall(torch.utils.summary, net, 3)
assert(not ok and why:find 'input is a tensor')
assert(not pcall(torch.utils.summary, net, { 1, 4, 8, 8 }))
print 'ok'
