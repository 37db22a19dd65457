-- Tensor parallel layers compute what the undivided module with the same seed does.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local P = nn.parallel

local function near(a, b, what)
  t:assert(a:size() == b:size(), what .. ': shape')
  t:assert((a - b):abs():max():item() < 1e-5, what)
end
local function seeded(f)
  torch.manual_seed(7)
  return f()
end
-- This rank's part of a dim.
local function own(x, dim)
  local size = x:size(dim) // n
  return x:narrow(dim, rank * size + 1, size)
end
-- Runs both modules on the same input and backward from the same gradient; returns the gradients of the input.
local function run(whole, divided, x)
  local a, b = x:clone():requires_grad_(), x:clone():requires_grad_()
  local y, z = whole(a), divided(b)
  near(z, y, 'forward')
  torch.manual_seed(9)
  local dy = torch.randn(y:size())
  y:backward(dy)
  z:backward(dy)
  near(b.grad, a.grad, 'gradient of the input')
end
local function input(...)
  torch.manual_seed(8)
  return torch.randn(...)
end

for _, bias in ipairs { true, false } do
  s['columns_' .. tostring(bias)] = function()
    local whole = seeded(function() return nn.Linear(5, 24, { bias = bias }) end)
    local divided = seeded(function() return P.ColumnParallelLinear(5, 24, { bias = bias }) end)
    t:eq(divided.weight:size(1), 24 // n)
    run(whole, divided, input(3, 2, 5))
    near(divided.weight.grad, own(whole.weight.grad, 1), 'gradient of the weight')
    if bias then near(divided.bias.grad, own(whole.bias.grad, 1), 'gradient of the bias') end
    t:eq(divided.bias ~= nil, bias)
  end
  s['rows_' .. tostring(bias)] = function()
    local whole = seeded(function() return nn.Linear(24, 5, { bias = bias }) end)
    local divided = seeded(function() return P.RowParallelLinear(24, 5, { bias = bias }) end)
    run(whole, divided, input(3, 24))
    near(divided.weight.grad, own(whole.weight.grad, 2), 'gradient of the weight')
    if bias then near(divided.bias.grad, whole.bias.grad, 'gradient of the bias') end
  end
end

function s.columnsThenRows()
  local whole = seeded(function() return nn.Sequential(nn.Linear(6, 48), nn.GELU(), nn.Linear(48, 4)) end)
  local divided = seeded(function()
    return nn.Sequential(P.ColumnParallelLinear(6, 48, { gather_output = false }), nn.GELU(),
      P.RowParallelLinear(48, 4, { input_is_parallel = true }))
  end)
  run(whole, divided, input(7, 6))
  near(divided[1].weight.grad, own(whole[1].weight.grad, 1), 'first weight')
  near(divided[3].weight.grad, own(whole[3].weight.grad, 2), 'second weight')
end

function s.vocabulary()
  local whole = seeded(function() return nn.Embedding(36, 4) end)
  local divided = seeded(function() return P.VocabParallelEmbedding(36, 4) end)
  torch.manual_seed(3)
  local indices = torch.randint(1, 37, { 5, 9 })
  local y, z = whole(indices), divided(indices)
  near(z, y, 'forward')
  y:pow(2):sum():backward()
  z:pow(2):sum():backward()
  near(divided.weight.grad, own(whole.weight.grad, 1), 'gradient of the weight')
  t:fails(function() divided(torch.tensor { 1, 37 }) end, 'between 1 and 37, expected 1 to 36')
  t:fails(function() divided(torch.tensor { 0 }) end, 'expected 1 to 36')
end

-- Training for some steps, with the optimizer on the parts.
function s.trains()
  local whole = seeded(function() return nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3)) end)
  local divided = seeded(function()
    return nn.Sequential(P.ColumnParallelLinear(6, 12), nn.Tanh(), P.RowParallelLinear(12, 3))
  end)
  local a, b = optim.Adam(whole:parameters(), { lr = 0.05 }), optim.Adam(divided:parameters(), { lr = 0.05 })
  torch.manual_seed(4)
  for i = 1, 10 do
    local x, y = torch.randn(8, 6), torch.randint(1, 4, { 8 })
    a:zero_grad()
    b:zero_grad()
    local l, m = F.cross_entropy(whole(x), y), F.cross_entropy(divided(x), y)
    near(m, l, 'loss ' .. i)
    l:backward()
    m:backward()
    a:step()
    b:step()
  end
end

function s.secondGradients()
  local divided = seeded(function() return P.ColumnParallelLinear(3, 12, { bias = false }) end)
  local whole = seeded(function() return nn.Linear(3, 12, { bias = false }) end)
  local function second(m)
    local x = input(2, 3):requires_grad_()
    local g = torch.autograd.grad(m(x):pow(3):sum(), x, { create_graph = true })
    return (torch.autograd.grad(g:pow(2):sum(), x))
  end
  near(second(divided), second(whole), 'second gradient')
end

function s.ofAGroup()
  local groups = {}
  for r = 0, n - 1 do groups[r] = dist.new_group { r } end
  local m = seeded(function() return P.ColumnParallelLinear(3, 5, { process_group = groups[rank] }) end)
  t:eq(m.weight:size(1), 5)
  run(seeded(function() return nn.Linear(3, 5) end), m, input(2, 3))
  if n == 1 then return end
  t:fails(function() P.RowParallelLinear(3, 5, { process_group = groups[(rank + 1) % n] }) end, 'this process is not in the group')
end

function s.badSizes()
  t:fails(function() P.ColumnParallelLinear(4) end, "argument 'out_features' is missing")
  t:fails(function() P.ColumnParallelLinear(4, 8, { gather = true }) end, "no argument is named 'gather'")
  if n == 1 then return end
  t:fails(function() P.ColumnParallelLinear(4, 4 * n + 1) end, 'out_features is ' .. 4 * n + 1 .. ', which the ' .. n .. ' ranks', 'make it ' .. 5 * n)
  t:fails(function() P.RowParallelLinear(4 * n + 1, 4) end, 'in_features is ' .. 4 * n + 1)
  t:fails(function() P.VocabParallelEmbedding(4 * n + 1, 4) end, 'num_embeddings is ' .. 4 * n + 1)
end

function s.prints()
  t:eq(tostring(P.ColumnParallelLinear(12, 24)),
    'ColumnParallelLinear(in_features=12, out_features=24, bias=True, gather_output=True, ranks=' .. n .. ')')
end

t:add(s)
t:run()
dist.destroy_process_group()
