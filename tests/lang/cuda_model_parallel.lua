-- Blocks of a model on several devices, on two GPUs of the fake run-time: autograd crosses from one to the other.
local t, s = torch.Tester(), torch.TestSuite()

local function near(a, b, what) t:assert((a:cpu() - b:cpu()):abs():max():item() < 1e-5, what) end
local function blocks()
  torch.manual_seed(1)
  return nn.Linear(4, 8), nn.Sequential(nn.Tanh(), nn.Linear(8, 8)), nn.Linear(8, 3)
end

local Net = nn.class('BlocksOnDevicesForTest')
function Net:init(devices)
  self.devices = devices
  self.a, self.b, self.c = blocks()
  for i, key in ipairs { 'a', 'b', 'c' } do self[key]:to(devices[i]) end
end
function Net:forward(x)
  for i, key in ipairs { 'a', 'b', 'c' } do x = self[key](x:to(self.devices[i])) end
  return x
end
local function batch()
  torch.manual_seed(2)
  return torch.randn(5, 4), torch.randint(1, 4, { 5 })
end

for _, devices in ipairs { { 'cuda:0', 'cuda:1', 'cuda:0' }, { 'cpu', 'cuda:1', 'cuda:0' }, { 'cuda:1', 'cpu', 'cpu' } } do
  s['trains_on_' .. table.concat(devices, '_')] = function()
    local alone, net = Net { 'cpu', 'cpu', 'cpu' }, Net(devices)
    local a, b = optim.Adam(alone:parameters(), { lr = 0.05 }), optim.Adam(net:parameters(), { lr = 0.05 })
    for i = 1, 3 do
      local x, y = batch()
      x.requires_grad = true
      local other = x:detach():to(devices[1])
      other.requires_grad = true
      a:zero_grad()
      b:zero_grad()
      local l, m = F.cross_entropy(alone(x), y), F.cross_entropy(net(other), y:to(devices[3]))
      t:eq(m.device, torch.device(devices[3]))
      near(m, l, 'loss ' .. i)
      l:backward()
      m:backward()
      near(other.grad, x.grad, 'gradient of the input')
      local p, q = alone:parameters(), net:parameters()
      for k = 1, #p do
        t:eq(q[k].grad.device, q[k].device)
        near(q[k].grad, p[k].grad, 'gradient ' .. k)
      end
      a:step()
      b:step()
    end
  end
end

function s.what_lies_elsewhere_is_an_error()
  local net = Net { 'cuda:0', 'cuda:1', 'cuda:0' }
  t:fails(function() net.b(net.a(torch.randn(1, 4):cuda())) end, 'cuda:0', 'cuda:1')
end

function s.pipeline_over_devices()
  local x, y = batch()
  for _, schedule in ipairs { 'gpipe', '1f1b', 'interleaved' } do
    local devices, list, others = { 'cuda:0', 'cuda:1', 'cuda:0', 'cuda:1' }, {}, {}
    for _, stages in ipairs { list, others } do
      stages[1], stages[2], stages[3] = blocks()
      stages[4] = nn.Linear(3, 3)
      stages[4].weight:detach():fill_(0.5)
    end
    others[4]:load_state_dict(list[4]:state_dict())
    if schedule == '1f1b' then list, devices = { list[1], nn.Sequential(list[2], list[3], list[4]) }, { 'cuda:0', 'cuda:1' } end
    for i, stage in ipairs(list) do stage:to(devices[i]) end
    local pipe = nn.parallel.Pipeline(list, { chunks = 4, schedule = schedule, loss_fn = F.cross_entropy })
    t:eq(pipe.workers, 2)
    local loss = pipe:step(x, y)
    local whole = nn.Sequential(table.unpack(others))
    local expected = F.cross_entropy(whole(x), y)
    expected:backward()
    near(loss, expected, schedule .. ': loss')
    t:eq(loss.device, torch.device('cuda:1'))
    local p, q = whole:parameters(), pipe:parameters()
    for k = 1, #p do near(q[k].grad, p[k].grad, schedule .. ': gradient ' .. k) end
    near(pipe(x), whole(x), schedule .. ': forward alone')
  end
end

t:add(s):run()
