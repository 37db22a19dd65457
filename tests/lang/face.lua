-- What scripts see, against what PyTorch and share/doc/face.md promise: names, argument orders, errors, help.
local t, s = torch.Tester(), torch.TestSuite()

local function message(f, ...)
  local ok, text = pcall(f, ...)
  t:assert(not ok, 'an error was expected')
  return tostring(text)
end

function s.repeats()
  local x = torch.tensor {{1, 2, 3}, {4, 5, 6}}
  t:eq(x['repeat'](x, 2, 1):tolist(), {{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}})
  t:eq(x:repeatTensor(1, 2):tolist(), {{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}})
  t:eq(x['repeat'](x, {2, 1, 2}):size(), torch.Size {2, 2, 6})
  t:eq(x:tile(2):tolist(), {{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}})
  t:eq(torch.tile(x, {2, 1}):size(), torch.Size {4, 3})
  t:fails(function() x:repeatTensor(2) end, 'repeat(', 'each dim needs one')
  t:fails(function() x:repeatTensor(-1, 2) end, 'negative')
  local once = x:repeatTensor(1, 1)
  t:assert(once:data_ptr() ~= x:data_ptr(), 'repeat copies')
  t:eq(x:repeat_interleave(2, 1):tolist(), {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {4, 5, 6}})
  t:eq(x:repeat_interleave(torch.tensor {2, 0}, 1):tolist(), {{1, 2, 3}, {1, 2, 3}})
  t:eq(torch.repeat_interleave(torch.tensor {2, 0, 1}):tolist(), {1, 1, 3})
  t:fails(function() x:repeat_interleave(torch.tensor {1, 2, 3}, 1) end, 'repeat_interleave(')
  local w = torch.ones(2, {requires_grad = true})
  w:repeatTensor(3, 2):sum():backward()
  t:eq(w.grad:tolist(), {6., 6.})
end

function s.flips_and_rolls()
  local x = torch.tensor {{1, 2, 3}, {4, 5, 6}}
  t:eq(torch.flip(x, {1, 2}):tolist(), {{6, 5, 4}, {3, 2, 1}})
  t:eq(x:flip(2):tolist(), {{3, 2, 1}, {6, 5, 4}})
  t:eq(table.concat(torch.empty(0, 1 << 40):flip(2):size(), ' '), '0 1099511627776')
  t:eq(x:roll(1):tolist(), {{6, 1, 2}, {3, 4, 5}})
  t:eq(x:roll({1, 2}, {1, 2}):tolist(), {{5, 6, 4}, {2, 3, 1}})
  t:fails(function() x:flip(0) end, 'flip')
end

function s.where_as_in_pytorch()
  local x = torch.tensor {1, -2, 3}
  t:eq(x:where(x:gt(0), 0):tolist(), {1, 0, 3})
  t:eq(x:where(x:gt(0), torch.zeros_like(x)):tolist(), {1, 0, 3})
  t:eq(x:where(x:gt(0), {other = 7}):tolist(), {1, 7, 3})
  t:eq(torch.where(x:gt(0), x, 0):tolist(), {1, 0, 3})
  local rows, columns = torch.where(torch.tensor {{0, 1}, {2, 0}}:ne(0))
  t:eq(rows:tolist(), {1, 2})
  t:eq(columns:tolist(), {2, 1})
  t:fails(function() x:where(x:gt(0)) end, "'other'")
end

function s.tables_are_the_same()
  t:assert(rawequal(torch.nn, nn) and rawequal(torch.optim, optim) and rawequal(torch.utils.data, data))
  t:assert(rawequal(nn.functional, F) and rawequal(torch.nn.functional, F))
  local n = 0
  for name, f in pairs(F) do
    t:eq(type(name), 'string')
    n = n + (type(f) == 'function' and 1 or 0)
  end
  t:assert(n > 50, 'F can be looped over')
end

function s.new_forms()
  local x = torch.zeros(2, {dtype = torch.float64})
  local y = x:new_tensor({1, 2})
  t:eq(y.dtype, torch.float64)
  t:eq(y:tolist(), {1., 2.})
  t:eq(x:new_tensor({1, 2}, {dtype = torch.int32}).dtype, torch.int32)
  t:eq(x:new_tensor({1., 2.}, {requires_grad = true}).requires_grad, true)
  for _, name in ipairs {'new_zeros', 'new_ones', 'new_empty'} do
    t:eq(x[name](x, 2, 3):size(), torch.Size {2, 3})
    t:eq(x[name](x, {2, 3}).dtype, torch.float64)
  end
  t:eq(x:new_full({2}, 5):tolist(), {5., 5.})
end

function s.errors_name_what_was_called()
  local a, b = torch.zeros(2, 3), torch.zeros(2, 3)
  local function named(f, name, ...)
    local text = message(f, ...)
    t:assert(text:find(name .. '(', 1, true), text)
    t:assert(not text:find('%):.*%):'), text)
  end
  named(function() return a:matmul(b) end, ' matmul')
  named(function() return torch.allclose(a, torch.zeros(2)) end, 'allclose')
  named(function() return nn.MSELoss()(a, torch.zeros(4)) end, 'mse_loss')
  named(function() return nn.MaxPool2d(2)(torch.zeros(2)) end, 'max_pool2d')
  named(function() return torch.normal(torch.zeros(2), torch.zeros(3)) end, ' normal')
  named(function() return torch.dot(torch.zeros(2), torch.zeros(3)) end, 'dot')
  named(function() return a:add_(torch.zeros(7)) end, 'add_')
  local text = message(function() return torch.dot(torch.zeros(2), torch.zeros(3)) end)
  t:assert(text:find('2 and 3 elements') and not text:find('rows'), text)
  text = message(function() a[1] = torch.zeros(4) end)
  t:assert(text:find('x[...] = float32[4]', 1, true) and not text:find('copy_'), text)
  -- After an error the next one is named as well.
  named(function() return a:matmul(b) end, ' matmul')
end

function s.unknown_names()
  t:fails(function() return torch.flot32 end, "torch has no 'flot32'; did you mean 'float32'?")
  t:fails(function() return torch.zeros(2, {dtype = torch.flot32}) end, 'flot32')
  t:fails(function() return nn.Liner end, "nn has no 'Liner'; did you mean 'Linear'?")
  t:fails(function() return optim.Sgd end, "did you mean 'SGD'?")
  t:fails(function() return optim.lr_scheduler.StepLr end, "did you mean 'StepLR'?")
  t:fails(function() return data.Dataloader end, "did you mean 'DataLoader'?")
  t:fails(function() return F.rellu end, "did you mean 'relu'?")
  torch.mine = 1  -- a script may add names
  t:eq(torch.mine, 1)
  torch.mine = nil
  t:eq(rawget(torch, 'flot32'), nil)
end

-- Functions and classes are made when they are first read; only next() can tell.
function s.late_names()
  local function listed(of, name)
    for key, value in pairs(of) do if key == name then return value end end
  end
  t:eq(rawget(torch, 'hypot'), torch.hypot)
  t:eq(rawget(torch.linalg, 'vander'), torch.linalg.vander)
  t:eq(rawget(nn, 'Softplus'), nn.Softplus)
  t:eq(listed(torch, 'hypot'), torch.hypot)
  t:eq(listed(torch.Tensor, 'nElement'), torch.Tensor.numel)
  t:eq(listed(torch.special, 'erf'), torch.special.erf)
  t:eq(listed(F, 'selu'), torch.selu)
  t:eq(listed(nn, 'LogSoftmax'), nn.LogSoftmax)
  t:assert(listed(F, 'triplet_margin_with_distance_loss'))
  local before = torch.frac
  torch.frac = print
  t:eq(torch.frac, print)
  t:eq(F.frac, before)
  torch.frac = nil
  t:eq(torch.frac, before)
  t:fails(function() rawget(1, 2) end, 'table expected')
  t:eq(rawget({1}, 1), 1)
end

function s.arguments()
  local opt = optim.SGD({nn.Parameter(torch.zeros(1))}, {lr = 1})
  t:fails(function() optim.lr_scheduler.StepLR(opt, {stepsize = 1}) end, "no argument is named 'stepsize'",
          "did you mean 'step_size'?")
  local m, names = nn.Linear(2, 2), {}
  for name in m:named_parameters {prefix = 'a'} do names[#names + 1] = name end
  t:eq(names, {'a.weight', 'a.bias'})
  names = {}
  for name in m:named_parameters('b', {recurse = false}) do names[#names + 1] = name end
  t:eq(names, {'b.weight', 'b.bias'})
  t:fails(function() m:named_parameters {prefx = 'a'} end, "did you mean 'prefix'?")
  t:eq(m:train {mode = false}.training, false)
  t:eq(m:requires_grad_ {requires_grad = false}.weight.requires_grad, false)
  t:eq(torch.zeros(1):requires_grad_({requires_grad = false}).requires_grad, false)
end

function s.integers_divided_by_zero()
  local x = torch.arange(6):reshape(2, 3)
  for _, f in ipairs {
    function() return x // 0 end, function() return x % 0 end, function() return torch.fmod(x, 0) end,
    function() return torch.div(x, 0, {rounding_mode = 'trunc'}) end,
    function() return torch.div(x, 0, {rounding_mode = 'floor'}) end, function() return x:floor_divide_(0) end,
  } do t:fails(f, 'divided by 0') end
  t:fails(function() return x // torch.tensor {1, 0, 2} end, 'floor_divide', '[1, 2]')
  t:eq((x / 0)[{1, 2}]:item(), math.huge)
  t:eq((x:float() // 0)[{1, 2}]:item(), math.huge)
  t:eq((torch.zeros(0, {dtype = torch.int64}) // 0):numel(), 0)
end

function s.numbers_out_of_range()
  t:fails(function() torch.tensor({1, 300}, {dtype = torch.uint8}) end, 'element [2] is 300', 'uint8')
  t:fails(function() torch.tensor({{1, 2}, {3, -129}}, {dtype = torch.int8}) end, 'element [2][2] is -129')
  t:fails(function() torch.tensor({0 / 0}, {dtype = torch.int32}) end, 'int32')
  t:fails(function() torch.tensor({1e10}, {dtype = torch.int32}) end, 'int32')
  t:fails(function() torch.tensor({1e19}, {dtype = torch.int64}) end, 'int64')
  t:eq(torch.tensor({-1, 3.5, 255}, {dtype = torch.uint8}):tolist(), {255, 3, 255})
  t:eq(torch.tensor({math.maxinteger, math.mininteger}):tolist(), {math.maxinteger, math.mininteger})
  t:eq(torch.tensor({2}, {dtype = torch.bool}):item(), true)
end

function s.sums_over_no_positions()
  t:eq(torch.zeros(0, 2):sum(1):tolist(), {0., 0.})
  t:eq(torch.zeros(2, 0, 2):sum(2):tolist(), {{0., 0.}, {0., 0.}})
  t:eq(torch.zeros(0, 2):prod(1):tolist(), {1., 1.})
  t:eq(torch.zeros(0, 2):all(1):tolist(), {true, true})
  t:assert(torch.zeros(0, 2):mean(1)[1]:isnan():item())
  local x = torch.ones(1, 2, {requires_grad = true})
  x:expand(0, 2):sum():backward()
  t:eq(x.grad:tolist(), {{0., 0.}})
end

function s.pairs_of_a_tensor()
  t:fails(function() for _ in pairs(torch.zeros(2)) do end end, 'ipairs(x)')
end

function s.gradcheck_records_by_itself()
  local x = torch.ones(2, {dtype = torch.float64, requires_grad = true})
  local function broken(v) return (v * v):detach() + v end  -- the gradient misses 2 v
  torch.no_grad(function()
    t:fails(function() return torch.autograd.gradcheck(broken, {x}) end, 'gradcheck')
    t:eq(torch.autograd.gradcheck(function(v) return v * v end, {x}), true)
    t:eq(torch.is_grad_enabled(), false)
  end)
end

function s.batches_name_their_samples()
  local D = data.class('D')
  function D:len() return 4 end
  function D:get(i) return torch.zeros(i == 4 and 3 or 2) end
  local text = message(function() for _ in data.DataLoader(D(), {batch_size = 2}) do end end)
  t:assert(text:find('batch 2 (samples 3, 4)', 1, true), text)
  text = message(function()
    local loader = data.DataLoader(data.TensorDataset(torch.arange(4)), {
      batch_size = 2,
      collate_fn = function(samples)
        if samples[1][1]:item() == 2 then error('bad sample') end
        return torch.zeros(1)
      end,
    })
    for _ in loader do end
  end)
  t:assert(text:find('batch 2 (samples 3, 4)', 1, true) and text:find('bad sample'), text)
  -- On the workers' threads: parts of different shapes, joined.
  local uneven = data.ConcatDataset {data.TensorDataset(torch.zeros(3, 2)), data.TensorDataset(torch.zeros(3, 5))}
  text = message(function() for _ in data.DataLoader(uneven, {batch_size = 4, num_workers = 2}) do end end)
  t:assert(text:find('batch 1 (samples 1, 2, 3, 4)', 1, true), text)
end

function s.lists_say_how_long_they_are()
  local text = message(function() return nn.ModuleList {nn.ReLU()}(torch.zeros(1)) end)
  t:assert(text:find('ModuleList%(1 module%)') and not text:find('ModuleList%(%)'), text)
end

-- help(x) prints: print is what catches it.
local function help_of(...)
  local text, real = nil, print
  print = function(s) text = s end
  local ok = pcall(help, ...)
  print = real
  return ok and text or nil
end

function s.everything_has_help()
  local missing = {}
  local function check(path, value)
    if type(value) == 'number' then value = path:match('[^.]+$') end  -- torch.pi: help('pi')
    if not help_of(value) then missing[#missing + 1] = path end
  end
  local spaces = {
    ['torch'] = torch, ['torch.Tensor'] = torch.Tensor, ['torch.autograd'] = torch.autograd, ['torch.cuda'] = torch.cuda,
    ['torch.utils'] = torch.utils, ['nn'] = nn, ['nn.functional'] = F, ['nn.init'] = nn.init, ['nn.utils'] = nn.utils,
    ['optim'] = optim, ['optim.lr_scheduler'] = optim.lr_scheduler, ['data'] = data, ['nn.Module'] = nn.Module,
    ['nn.Sequential'] = nn.Sequential, ['nn.ModuleList'] = nn.ModuleList, ['nn.ParameterList'] = nn.ParameterList,
  }
  for path, space in pairs(spaces) do
    check(path, space)
    for name, value in pairs(space) do
      if type(name) == 'string' and name ~= 'init' or path == 'nn' then check(path .. '.' .. tostring(name), value) end
    end
  end
  for _, name in ipairs {'options', 'recipe', 'state_dict', 'load_state_dict', 'parameters', 'zero_grad', 'shape', 'grad',
                         'torch.none', 'torch.newaxis', 'x:sum', 'torch.float32', 'nn.class', 'data.class', 'step'} do
    if not help_of(name) then missing[#missing + 1] = "'" .. name .. "'" end
  end
  table.sort(missing)
  t:eq(table.concat(missing, ' '), '')
  t:assert(help_of('zero_grad'):find('opt:zero_grad') and help_of('zero_grad'):find('m:zero_grad'))
  local text = help_of(optim)
  for name in pairs(optim) do t:assert(text:find('\n  ' .. name .. ' +%S'), name) end
end

t:add(s):run()
