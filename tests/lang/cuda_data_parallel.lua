-- nn.DataParallel on two GPUs of the fake run-time: what it computes is what one device computes.
local t, s = torch.Tester(), torch.TestSuite()
local two = { device_ids = { 0, 1 } }

local function net()
  torch.manual_seed(1)
  return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
end
local function near(a, b, what) t:assert((a:cpu() - b:cpu()):abs():max():item() < 1e-5, what) end

-- Output and gradients of the module on the CPU and of DataParallel.
local function compare(make, x, options)
  local alone = make()
  local dp = nn.DataParallel(make():cuda(0), options)
  local y, z = alone(x), dp(x:cuda(0))
  t:eq(z.device, torch.device('cuda', 0))
  near(y, z, 'output')
  y:pow(2):sum():backward()
  z:pow(2):sum():backward()
  for i, p in ipairs(alone:parameters()) do
    local q = dp.module:parameters()[i]
    t:eq(q.grad.device, torch.device('cuda', 0))
    near(p.grad, q.grad, 'gradient ' .. i)
  end
  return dp
end

function s.computesAsOneDevice()
  compare(net, torch.randn(8, 4), two)
  compare(net, torch.randn(7, 4))
  compare(net, torch.randn(1, 4), two)  -- a part for one device alone
  compare(function()
    torch.manual_seed(2)
    return nn.Conv1d(3, 5, 3, { padding = 1 })
  end, torch.randn(2, 3, 6), { device_ids = { 'cuda:0' } })
end

function s.bothDevicesWork()
  local seen = {}
  local Spy = nn.class('SpyForTest')
  function Spy:init() self.l = nn.Linear(2, 2) end
  function Spy:forward(x, table_of, k)
    seen[#seen + 1] = tostring(x.device) .. ' ' .. x:size(1) .. ' ' .. tostring(self.l.weight.device)
    return { y = self.l(x) * k, twice = table_of.x * 2 }, x:sum()
  end
  local dp = nn.DataParallel(Spy():cuda(0), two)
  local x = torch.ones(3, 2, { device = 'cuda:0' })
  local out, sums = dp(x, { x = x, name = 'a' }, 3)
  t:eq(seen, { 'cuda:0 2 cuda:0', 'cuda:1 1 cuda:1' })
  t:eq(out.y:size(), torch.Size { 3, 2 })
  t:eq(out.twice:tolist(), { { 2.0, 2.0 }, { 2.0, 2.0 }, { 2.0, 2.0 } })
  t:eq(sums:tolist(), { 4.0, 2.0 })
  t:eq(dp.module.l.weight.device, torch.device('cuda', 0))
end

function s.buffersAreTheFirstDevices()
  local dp = nn.DataParallel(nn.BatchNorm1d(2):cuda(0), two)
  local x = torch.randn(6, 2, { device = 'cuda:0' })
  dp(x)
  local expected = nn.BatchNorm1d(2)
  expected(x:narrow(1, 1, 3):cpu())
  near(dp.module.running_mean, expected.running_mean)
end

function s.trains()
  local dp, alone = nn.DataParallel(net():cuda(0), two), net()
  local a, b = optim.SGD(dp:parameters(), { lr = 0.1 }), optim.SGD(alone:parameters(), { lr = 0.1 })
  for i = 1, 4 do
    local x = torch.randn(6, 4)
    for _, pair in ipairs { { dp, a, x:cuda(0) }, { alone, b, x } } do
      local model, opt, input = table.unpack(pair)
      opt:zero_grad()
      model(input):pow(2):mean():backward()
      opt:step()
    end
  end
  for i, p in ipairs(alone:parameters()) do near(p, dp:parameters()[i], 'parameter ' .. i) end
end

function s.stateDictsLoad()
  local dp, plain = nn.DataParallel(net():cuda(0), two), net()
  dp:load_state_dict(plain:state_dict())
  dp:load_state_dict(dp:state_dict())
  near(dp.module[1].weight, plain[1].weight)
end

function s.whatItRefuses()
  t:fails(function() nn.DataParallel(net(), two)(torch.ones(2, 4)) end, "its '1.weight' is on cpu: call :to('cuda:0')")
  t:fails(function() nn.DataParallel(net(), { device_ids = { 'cpu' } }) end, 'device_ids and output_device are GPUs, got cpu')
  t:fails(function() nn.DataParallel(net(), { device_ids = { 0, 9 } }):cuda(0)(torch.ones(2, 4, { device = 'cuda:0' })) end, 'cuda:9')
  t:fails(function() nn.DataParallel(net(), { device_ids = {} }) end, 'device_ids is empty')
  t:fails(function() nn.DataParallel(net(), { devices = 2 }) end, "no argument is named 'devices'")
  t:fails(function() nn.DataParallel(net():cuda(0), two)(torch.ones({}, { device = 'cuda:0' })) end, 'cannot be divided')
end

t:add(s)
t:run()
