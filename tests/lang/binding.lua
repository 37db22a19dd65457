-- Arguments by position and by name, forms, errors, results: what the binding makes of any operator.
local t, s = torch.Tester(), torch.TestSuite()
local x = torch.tensor {{1., 2., 3.}, {4., 5., 6.}}

function s.positions_and_names()
  t:eq(x:sum(), torch.tensor(21.))
  t:eq(x:sum(1), torch.tensor {5., 7., 9.})
  t:eq(torch.sum(x, 2), torch.tensor {6., 15.})
  t:eq(x:sum(-1), torch.tensor {6., 15.})
  t:eq(x:sum(1, {keepdim = true}), torch.tensor {{5., 7., 9.}})
  t:eq(x:sum {dim = 1, keepdim = true}, torch.tensor {{5., 7., 9.}})
  t:eq(x:sum({1, 2}), torch.tensor(21.))
  t:eq(x:sum {dim = {}}, torch.tensor(21.))
  t:eq(torch.add {input = x, other = 1}, x + 1)
  t:eq(torch.add(x, {other = 1}), x + 1)
  t:eq(torch.add(x, 1, {alpha = 2}), x + 2)
  t:eq(torch.softmax(x, 2), torch.softmax(x, {dim = 2}))
  t:eq(x:sum(nil), x:sum())
end

function s.sizes()
  t:eq(x:reshape(3, 2), x:reshape({3, 2}))
  t:eq(x:reshape(-1):size(), torch.Size {6})
  t:eq(torch.zeros(4, 3):size(), torch.Size {4, 3})
  t:eq(torch.zeros({4, 3}), torch.zeros(4, 3))
  t:eq(torch.zeros(x:size()), torch.zeros(2, 3))
  t:eq(torch.zeros({}), torch.tensor(0.))
  t:eq(x:permute(2, 1), x:t())
  t:eq(torch.tensor({}, {dtype = torch.int64}):reshape(0, 3):size(), torch.Size {0, 3})
  t:eq(torch.ones(1):expand(2, 3), torch.ones(2, 3))
  t:eq(torch.ones(1):expand({2, 3}), torch.ones(2, 3))
end

function s.dims_count_from_one()
  t:eq(x:transpose(1, 2), x:t())
  t:eq(x:select(1, 2), torch.tensor {4., 5., 6.})
  t:eq(x:narrow(2, 2, 2), torch.tensor {{2., 3.}, {5., 6.}})
  t:eq(x:unsqueeze(3):size(), torch.Size {2, 3, 1})
  t:eq(x:unsqueeze(-1):size(), torch.Size {2, 3, 1})
  t:fails(function() x:sum(0) end, 'sum: argument 1 (dim) got 0; dims count from 1')
  t:fails(function() torch.sum(x, 0) end, 'argument 2 (dim)')
  t:fails(function() x:sum(3) end, 'dim 3 is out of range', '1 to 2')
  t:fails(function() x:unsqueeze(4) end, 'dim 4', '1 to 3')
end

function s.results()
  local values, indices = x:max(2)
  t:eq(values, torch.tensor {3., 6.})
  t:eq(indices, torch.tensor {3, 3})
  t:eq(type(x:chunk(2)), 'table')
  t:eq(#x:chunk(3, 2), 3)
  t:eq(torch.equal(x, x), true)
  t:eq(torch.allclose(x, x + 1), false)
  t:eq((x:gt(0)):all(), true)
  t:eq((x:gt(5)):any(), true)
  t:assert(torch.is_tensor(x:gt(0):all(1)))
end

function s.forms()
  t:eq(x:max(), torch.tensor(6.))
  t:eq(torch.max(x, x:neg()), x)
  t:eq((x:max(1)), torch.tensor {4., 5., 6.})
  t:eq(#x:split(1), 2)
  t:eq(#x:split({1, 2}, 2), 2)
  t:eq(torch.div(x, 2, {rounding_mode = 'floor'}), torch.tensor {{0., 1., 1.}, {2., 2., 3.}})
  t:eq(torch.div(x, 2, {rounding_mode = torch.none}), x / 2)
  t:fails(function() x:max('a') end, 'max: these arguments fit none of its forms', "string 'a'", 'max(input)',
    'max(input, dim, keepdim = false)', 'max(input, other)')
  t:fails(function() x:max {dims = 1} end, "no argument is named 'dims'", "'dim'")
end

function s.inplace_and_out()
  local y = torch.zeros(2, 3)
  t:assert(rawequal(y:add_(x), y))
  t:eq(y, x)
  t:eq(torch.relu_(torch.tensor {-1., 1.}), torch.tensor {0., 1.})
  local o = torch.empty(0)
  t:assert(rawequal(torch.add(x, x, {out = o}), o))
  t:eq(o, x * 2)
  t:eq(y:fill(3), torch.full({2, 3}, 3.))
  t:eq(y:zero(), torch.zeros(2, 3))
  t:eq(y:copy(x), x)
  t:fails(function() torch.add(x, x, {out = 3}) end, 'out=')
  t:fails(function() x:select(1, 1, {out = o}) end, 'views')
  t:fails(function() torch.zeros(2, {dtype = torch.int64}):add_(1.5) end, 'add_', 'float32')
end

function s.factories()
  local z = torch.zeros(2, {dtype = torch.int64, device = 'cpu'})
  t:eq(z.dtype, torch.int64)
  t:eq(torch.ones(2, {dtype = 'float64'}).dtype, torch.float64)
  t:eq(torch.ones(2, {requires_grad = true}).requires_grad, true)
  t:eq(torch.zeros_like(x), torch.zeros(2, 3))
  t:eq(x:new_ones(2), torch.ones(2))
  t:eq(torch.arange(3), torch.tensor {0, 1, 2})
  t:eq(torch.arange(1, 2, 0.5), torch.tensor {1., 1.5})
  t:fails(function() torch.ones(2, {dtype = torch.int64, requires_grad = true}) end, 'floating point')
  t:fails(function() torch.ones(2, {dtype = 'float23'}) end, "argument 'dtype'", "unknown dtype 'float23'")
  t:fails(function() torch.ones(2, {device = 'tpu:0'}) end, "device 'tpu:0' is not available")
  t:fails(function() torch.ones(2^40 // 1 | 0, 2^30 // 1 | 0) end, 'bytes')
end

function s.numbers()
  t:eq((torch.tensor {1, 2} + 1).dtype, torch.int64)
  t:eq((torch.tensor {1, 2} + 1.5).dtype, torch.float32)
  t:eq(2 - torch.tensor {1., 2.}, torch.tensor {1., 0.})
  t:eq(2 / torch.tensor {1., 2.}, torch.tensor {2., 1.})
  t:eq(2 ^ torch.tensor {1., 2.}, torch.tensor {2., 4.})
  t:eq(torch.tensor {7, -7} // 2, torch.tensor {3, -4})
  t:eq(torch.tensor {7, -7} % 3, torch.tensor {1, 2})
  t:eq(-x, x:neg())
  t:eq(torch.tensor {true, false} & torch.tensor {true, true}, torch.tensor {true, false})
  t:eq(torch.tensor {true, false} | torch.tensor {false, false}, torch.tensor {true, false})
  t:eq(~torch.tensor {true, false}, torch.tensor {false, true})
  t:eq(torch.tensor {1, 2} << 2, torch.tensor {4, 8})
  t:eq(torch.tensor {4, 8} >> 1, torch.tensor {2, 4})
end

function s.errors()
  t:fails(function() x:sofmax(1) end, "no field or method 'sofmax'", "did you mean 'softmax'")
  t:fails(function() x:softmax('a') end, "softmax: argument 1 (dim) expects a dim (an integer), got string 'a'")
  t:fails(function() torch.softmax(x, 'a') end, 'argument 2 (dim)')
  t:fails(function() x:softmax(1, {dimm = 1}) end, "no argument is named 'dimm'", "did you mean 'dim'")
  t:fails(function() x:softmax() end, "argument 'dim' is missing")
  t:fails(function() x:softmax(1, {dim = 1}) end, 'by position and by name')
  t:fails(function() torch.neg(1, 2, 3) end, 'neg')
  t:fails(function() x:neg(1) end, 'too many arguments, got 1', 'neg(input)')
  t:fails(function() torch.cat({x, 3}, 1) end, 'element 2', 'number 3')
  t:fails(function() x.sum(1) end, 'colon')
  t:fails(function() return x + {} end, 'add: argument 2 (other) expects a tensor or a number, got a table')
  t:fails(function() return x + nil end, 'add: argument 2 (other) expects a tensor or a number, got nil')
  t:fails(function() return x + torch.ones(7) end, 'add', '[2, 3]', '[7]')
  local _, message = pcall(function() return x + torch.ones(7) end)
  t:assert(message:find('binding.lua:%d+: '), message)
end

-- What one call has read serves the next one with the same numbers, and no other.
function s.calls_that_come_again()
  local m = torch.arange(1, 7):view(2, 3)
  for _ = 1, 3 do
    t:eq(m:transpose(1, 2):tolist(), {{1, 4}, {2, 5}, {3, 6}})
    t:eq(m:narrow(2, 2, 2):tolist(), {{2, 3}, {5, 6}})
    t:eq(m:narrow(2, 1, 2):tolist(), {{1, 2}, {4, 5}})
    t:eq(m:view(3, 2):tolist(), {{1, 2}, {3, 4}, {5, 6}})
    t:eq(m:view(-1):tolist(), {1, 2, 3, 4, 5, 6})
    t:eq(m:sum(1):tolist(), {5, 7, 9})
    t:eq(m:sum(1, true):tolist(), {{5, 7, 9}})
    t:eq(m:sum(1, false):tolist(), {5, 7, 9})
    t:eq(select(2, m:max(2)):tolist(), {3, 3})
    t:eq(m:clamp(2, 4).dtype, torch.int64)
    t:eq(m:clamp(2., 4.).dtype, torch.float32)
    t:eq(torch.zeros(2, 3):tolist(), {{0., 0., 0.}, {0., 0., 0.}})
    t:fails(function() return m:transpose(1, 3) end, 'transpose', '3')
    t:fails(function() return m:transpose(0, 1) end, 'count from 1')
    t:fails(function() return torch.zeros(3):transpose(1, 2) end, 'transpose')
    local y = m:clone():unsqueeze(1)
    y:squeeze_(1)
    t:eq(y:dim(), 2)
  end
  t:assert(not torch.equal(torch.randn(2, 3), torch.randn(2, 3)))
  local a, b = torch.zeros(4), torch.zeros(4)
  a:uniform_(0, 1)
  b:uniform_(0, 1)
  t:assert(not torch.equal(a, b))
  local x = torch.ones(2, 3, {requires_grad = true})
  for i = 1, 2 do (x:transpose(1, 2) * torch.arange(1, 4):view(3, 1)):sum():backward() end
  t:eq(x.grad:tolist(), {{2., 4., 6.}, {2., 4., 6.}})
end

function s.errors_leave_no_growth()
  local function wrong() pcall(torch.softmax, x, 'a') pcall(torch.add, x, torch.ones(7)) pcall(x.max, x, {foo = 1}) end
  for _ = 1, 100 do wrong() end
  collectgarbage() collectgarbage()
  local before, tensors = collectgarbage('count'), torch.memory_stats().allocated
  for _ = 1, 10000 do wrong() end
  collectgarbage() collectgarbage()
  t:lt(collectgarbage('count') - before, 16)
  t:le(torch.memory_stats().allocated, tensors)
end

function s.help()
  local lines, print_ = {}, print
  print = function(text) lines[#lines + 1] = text end
  help(torch.softmax)
  help('softmax')
  help('x:sum')
  help(torch.manual_seed)
  help()
  print = print_
  t:assert(lines[1]:find('torch.softmax(input, dim', 1, true), lines[1])
  t:eq(lines[2], lines[1])
  t:assert(lines[3]:find('sum(input', 1, true))
  t:assert(lines[4]:find('torch.manual_seed(seed)', 1, true))
  for name, meant in pairs { sofmax = 'torch.softmax', ['torch.sofmx'] = 'torch.softmax', ['nn.Linaer'] = 'nn.Linear', ['x:sofmax'] = 'x:softmax',
                             StepLR = 'optim.lr_scheduler.StepLR', ['lr_scheduler.StpLR'] = 'optim.lr_scheduler.StepLR',
                             ['nn.init.kaiming'] = 'nn.init.kaiming_normal_', ['Tensor.veiw'] = 'x:view' } do
    t:fails(function() help(name) end, "no help on '" .. name .. "'; did you mean '" .. meant .. "'?")
  end
end

t:add(s):run()
