-- Operators whose temporaries outgrow their results work in slices: memory stays bounded, gradients stay right; and
-- lists that nobody can hold are refused before they are made.
local t, s = torch.Tester(), torch.TestSuite()

local function near(got, expected, what, bound)
  t:assert((got - expected):abs():max():item() < (bound or 1e-9), what or 'differs')
end
-- How far memory rises above what is held before.
local function rise(f)
  collectgarbage()
  local before = torch.memory_stats().allocated
  torch.reset_peak_memory_stats()
  f()
  return torch.memory_stats().peak - before
end

function s.combinations()
  t:eq(torch.combinations(torch.zeros(1), {r = 10000000, with_replacement = true}):size(2), 10000000)
  local most = torch.combinations(torch.arange(40), {r = 39})
  t:eq({most:size(1), most[1][1]:item(), most[40][1]:item(), most[40][39]:item()}, {40, 0, 1, 39})
  t:assert(torch.equal(torch.combinations(torch.arange(4), {r = 3}),
    torch.tensor {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}))
  t:assert(torch.equal(torch.combinations(torch.arange(2), {r = 3, with_replacement = true}),
    torch.tensor {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}}))
  t:fails(function() return torch.combinations(torch.zeros(2), {r = 1 << 50, with_replacement = true}) end, 'too many')
end

function s.cartesianProd()
  local a = torch.zeros(4194304)
  t:fails(function() return torch.cartesian_prod(a, a, a) end, '2^62')
  t:eq(torch.cartesian_prod(a, a, a, torch.zeros(0)):size():tolist(), {0, 4})
end

function s.partsOfNothing()
  t:fails(function() return torch.zeros(2):tensor_split(50000000) end, 'too many')
  t:fails(function() return torch.zeros(0):chunk(50000000) end, 'too many')
  t:fails(function() return torch.zeros(0):hsplit(50000000) end, 'too many')
  t:fails(function() return torch.zeros(0, 2):vsplit(50000000) end, 'too many')
  t:fails(function() return torch.zeros(1, 1, 0):dsplit(50000000) end, 'too many')
  t:eq(#torch.zeros(2):tensor_split(5), 5)
  t:eq(#torch.zeros(0):chunk(3), 3)
  t:eq(#torch.zeros(3):chunk(math.maxinteger), 3)
end

function s.cdist()
  local a = torch.rand(1500, 8, {dtype = torch.float64}):requires_grad_()
  local b = torch.rand(1400, 8, {dtype = torch.float64}):requires_grad_()
  local weight = torch.rand(1500, 1400, {dtype = torch.float64})
  local size = 1500 * 1400 * 8
  local y
  t:lt(rise(function() torch.no_grad(function() y = torch.cdist(a, b, 1) end) end), 8 * size)
  near(y[1500], (a[1500] - b):abs():sum(2), 'the last row')
  t:lt(rise(function() (torch.cdist(a, b, 1) * weight):sum():backward() end), 16 * size)
  local da = ((a[700] - b):detach():sign() * weight[700]:unsqueeze(2)):sum(1)
  local db = ((b[900] - a):detach():sign() * weight:select(2, 900):unsqueeze(2)):sum(1)
  near(a.grad[700], da, 'gradient of x1')
  near(b.grad[900], db, 'gradient of x2')
  local x = torch.rand(1500, 8, {dtype = torch.float64}):requires_grad_()
  local far = torch.cdist(x, b:detach(), 3)
  torch.no_grad(function() x:add_(1) end)
  t:fails(function() far:sum():backward() end, 'overwritten in place')
end

function s.pdist()
  local x = torch.rand(1500, 8, {dtype = torch.float64}):requires_grad_()
  local y = F.pdist(x, 1)
  t:eq(y:numel(), 1500 * 1499 // 2)
  near(y[{{1, 1499}}], (x[1] - x[{{2, 1500}}]):abs():sum(2), 'pairs with the first row')
  near(y[{{-1}}], (x[1499] - x[1500]):abs():sum(), 'the last pair')
  y:sum():backward()
  near(x.grad[33], (x[33] - x):detach():sign():sum(1), 'gradient')
  t:eq(F.pdist(torch.zeros(1, 3)):numel(), 0)
  t:fails(function() return F.pdist(torch.zeros(1 << 40, 0)) end, '2^62')
end

function s.multilabelMarginLoss()
  local n, c = 8, 1200
  local x = torch.rand(n, c, {dtype = torch.float64}):requires_grad_()
  local target = torch.full({n, c}, -1, {dtype = torch.int64})
  for i = 1, n do
    for j = 1, 600 do target[i][j] = (i + 2 * j) % c + 1 end
  end
  local loss
  t:lt(rise(function()
    loss = F.multilabel_margin_loss(x, target, {reduction = 'sum'})
    loss:backward()
  end), 240 << 20)
  local total, grad = 0, nil
  for i = 1, n do
    local row = x:detach()[i]
    local labels = target[{i, {1, 600}}]
    local is = torch.zeros(c):index_fill(1, labels, 1):to(torch.bool)
    local others = row[is:logical_not()]
    local lack = (others:unsqueeze(1) + 1 - row:index_select(1, labels):unsqueeze(2)):clamp(0)
    total = total + lack:sum():item() / c
    if i == 1 then
      grad = torch.zeros(c, {dtype = torch.float64}):index_copy(1, labels, -(lack:gt(0):double():sum(2)) / c)
      grad[is:logical_not()] = lack:gt(0):double():sum(1) / c
    end
  end
  t:assert(math.abs(loss:item() - total) < 1e-6 * total, 'loss')
  near(x.grad[1], grad, 'gradient')
end

t:add(s):run()
