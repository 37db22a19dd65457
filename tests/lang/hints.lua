-- What errors say to whoever writes Python or Torch7: the Lua form, luth's name.
local registry = require 'luth.registry'
local t, s = torch.Tester(), torch.TestSuite()

-- The hint on the syntax error that `code` gives.
local function on(code)
  local chunk, message = load(code, '=test')
  t:assert(not chunk, code .. ' is valid')
  return registry.hint(message or '', code)
end

function s.syntax()
  local expected = {
    ['x += 1'] = 'x = x + 1', ['x -= y'] = 'x = x - 1', ['i++'] = 'i = i + 1', ['y = x ** 2'] = 'x ^ 2',
    ['if x != 1 then end'] = '~=', ['y = a && b'] = 'and', ['y = a || b'] = 'or', ['y = !x'] = 'not x',
    ['y = torch.ones(2, requires_grad=true)'] = '{requires_grad = …}', ['f(x, dim=1)'] = '{dim = …}',
    ['y = x[:, 1]'] = 'x[{ {}, 1 }]', ['y = x[1:3]'] = 'x[{ {1, 3} }]', ['y = x[a:b]'] = 'x[{ {1, 3} }]',
    ['y = x[1, 2]'] = 'x[{i, j}]', ['y = [1, 2]'] = '{1, 2, 3}', ['t = {a: 1}'] = '{a = 1',
    ['y = x.repeat(2)'] = 'x:repeatTensor', ['y = x.end'] = "x['end']",
    ['import torch'] = 'require', ['from torch import nn'] = 'require', ['def f(x):'] = 'function f(x)',
    ['class Net(nn.Module):'] = 'nn.class', ['elif x:'] = 'elseif', ['if x then\nelif y:\nend'] = 'elseif',
    ['f = lambda x: x + 1'] = 'function(x)', ['for i in range(n):\n  f(i)'] = 'for i = 1, n do',
    ['for v in t:\n  f(v)'] = 'ipairs', ['while x < 1:\n  x = 2'] = 'while condition do',
    ['if x == 1:\n  y = 2'] = 'then', ['if x is None then end'] = '== nil', ['print x'] = 'print(x)',
    ['y = a if c else b'] = 'condition and a or b', ['with torch.no_grad():\n  f()'] = '<close>',
    ['except ValueError:'] = 'pcall', ['raise ValueError("x")'] = "error('message')", ['# comment'] = '--',
    ['var x = 1'] = 'local x', ['for i = 1, 2 do continue end'] = '', ['del x'] = 'x = nil',
    ['for i in range(10):\n  print(i)\n'] = 'for i = 1, n do', ['x = 1\nwhile x < 3:\n  x = f(x)\n\ny = 2\n'] = 'while condition do',
    ['y = lambda x: x\n'] = 'function(x)', ['try:\n  x = f()\n'] = 'pcall', ['if not x == 1: pass'] = 'then',
    ['y = x @ x'] = 'x:matmul(y)', ['y = x[0, :]'] = 'ranges are tables', ['y = x[1:, 2]'] = 'ranges are tables',
    ['print(x[:, 1])'] = 'ranges are tables',
    ['y = torch.zeros((2, 3))'] = '{2, 3}', ['y = torch.cat((x, x), 1)'] = '{2, 3}', ['y = (1, 2)'] = '{2, 3}',
    ['y = x::sum()'] = 'x:sum()', ['y = x->sum()'] = 'x:sum()', ['y = {1, 2}[0]'] = '({1, 2, 3})[1]',
    ['if (x > 0) {\n  f()\n}\n'] = 'without braces', ['if (x.sum() > 0) { print(1) }\n'] = 'without braces', ['function f(x) {\n  return x\n}\n'] = 'without braces',
    ['function f(x): return x end'] = 'without a colon', ['local a = 1\nlocal b = 2\na += b'] = 'x = x + 1',
  }
  for code, part in pairs(expected) do
    local hint = on(code)
    t:assert(hint:find(part, 1, true), code .. ' -> ' .. hint)
  end
end

function s.no_hint_without_reason()
  for _, code in ipairs { 'local x = 5 5', 'f(', 'x = "a', 'return return', 'local s = "x += 1" s s',
    'f(x, (1 + 2), 3', 'x = f(a)(b, c', 'for _, v in ipairs {\n1}\n do' } do
    t:eq(on(code), '')
  end
  t:eq(registry.hint("f.lua:1: attempt to call a nil value (global 'my_function')"), '')
  t:eq(registry.hint('nothing near this'), '')
end

function s.globals()
  t:assert(registry.hint("x:1: attempt to call a nil value (global 'pritn')"):find("did you mean 'print'?", 1, true))
  t:assert(registry.hint("x:1: attempt to call a nil value (field '?')"):find('at the key in the brackets', 1, true))
  t:assert(on('x = 3 // this is a comment'):find('comments begin with --', 1, true))
  t:assert(registry.hint("x:1: attempt to call a nil value (global 'range')"):find('for i = 1, n do', 1, true))
  t:assert(registry.hint("x:1: attempt to index a nil value (global 'np')"):find('torch', 1, true))
  t:assert(registry.hint("x:1: attempt to call a nil value (global 'f')"):find('string.format', 1, true))
  t:assert(registry.hint("module 'paths' not found:\n\tno field"):find('io.open', 1, true))
  t:assert(registry.hint("x:1: attempt to index a nil value (global 'try')"):find('pcall', 1, true))
  t:assert(registry.hint("x:1: attempt to call a nil value (method 'zeroGradParameters')"):find('zero_grad', 1, true))
  t:assert(registry.hint("x:1: attempt to call a nil value (field 'random')") == '')
  t:assert(registry.hint("x:1: attempt to index a nil value (global 'random')"):find('math.random', 1, true))
  for code, part in pairs {
    ["return 'a' + 'b'"] = "'a' .. 1", ["return 'a' + 1"] = "'a' .. 1", ["return '%d' % 3"] = 'string.format',
    ["return 'ab' * 3"] = 'string.rep', ["return string.format('%.1f', torch.ones(1))"] = 'x:item()', ['return torch.ones(2).shape()'] = 'x:size(1)',
    ['return nn.ReLU():training()'] = 'm:train()',
  } do
    local ok, message = pcall(load(code))
    t:assert(not ok and registry.hint(message):find(part, 1, true), code .. ' -> ' .. tostring(message))
  end
  t:fails(function() return None end, "'None' is Python's", 'nil')
  t:fails(function() return { requires_grad = True } end, "'True' is Python's", 'true')
  t:fails(function() return False end, "'False' is Python's", 'false')
  t:eq(undefined_global, nil)
end

function s.methods_with_a_dot()
  local x = torch.ones(2)
  t:fails(function() return x.item() end, 'a method takes a colon: x:item(...)')
  t:fails(function() return x.sum() end, 'a method takes a colon: x:sum(...)')
  t:fails(function() return x.add(1) end, 'a method takes a colon: x:add(...)')
  t:fails(function() return x.max() end, 'a method takes a colon: x:max(...)')
  t:fails(function() return nn.Linear(1, 1).parameters() end, 'a method takes a colon: m:parameters(...)')
  t:fails(function() return x:sum { axis = 1 } end, "did you mean 'dim'?")
  t:fails(function() return x:sum(1, { keepdims = true }) end, "did you mean 'keepdim'?")
end

-- Fields that are called, and methods that are not.
function s.fields_and_methods()
  for code, part in pairs {
    ['local s = f(x):shape'] = 'shape is a field, and takes a dot: x.shape', ['print(f(x, 1):shape)'] = 'x.shape',
    ['local s = f(x):shape\nprint(s)'] = 'x.shape', ['local n = f({1, 2}):shape[1]'] = 'x.shape',
    ['y = {a = x:grad}'] = 'grad is a field', ['while x:sum():item > 1 do end'] = 'a method is called: x:item()',
  } do
    local hint = on(code)
    t:assert(hint:find(part, 1, true), code .. ' -> ' .. hint)
  end
  for code, part in pairs {
    ['return x:shape()'] = 'shape is a field: x.shape[1]', ['return x:shape(1)'] = 'x:size(1)',
    ['return x:grad()'] = 'grad is a field: x.grad', ['return y:grad()'] = 'grad is a field: x.grad',
    ['return x:dtype()'] = 'dtype is a field', ['return x.device()'] = 'device is a field',
    ['return x:size()()'] = false, ['return x()'] = false,
  } do
    local y = torch.ones(1, { requires_grad = true })
    y:sum():backward()
    local ok, message = pcall(load(code, '=test', 't', { x = torch.ones(2), y = y }))
    local hint = registry.hint(message)
    t:assert(not ok and (part and hint:find(part, 1, true) or not part and hint == ''), code .. ' -> ' .. message .. hint)
  end
  t:fails(function() return torch.ones(2):sum().item() end, 'item: expects a tensor', 'x:item(...)')
  t:fails(function() return torch.ones(2):size(0) end, 'size: ', 'count from 1')
  t:fails(function() return torch.ones(2):size(2) end, 'size: dim 2 is out of range')
  t:fails(function() return torch.ones(2):stride(0) end, 'stride: ', 'count from 1')
end

function s.shapes_count_from_one()
  local shape = torch.ones(4, 3).shape
  t:fails(function() return shape[0] end, 'positions count from 1')
  t:fails(function() return torch.ones(2):size()[0] end, 'count from 1')
  t:eq({ shape[1], shape[-1], shape[3], #shape, table.unpack(shape) }, { 4, 3, nil, 2, 4, 3 })
  local seen = {}
  for i, n in ipairs(shape) do seen[i] = n end
  t:eq(seen, { 4, 3 })
  t:eq(tostring(shape), 'torch.Size([4, 3])')
end

function s.what_luth_does_not_have()
  local x = torch.ones(2)
  for what, part in pairs {
    ['torch.complex64'] = 'complex numbers', ['torch.fft'] = 'Fourier', ['torch.stft'] = 'Fourier',
    ['torch.sparse_coo_tensor'] = 'sparse', ['torch.view_as_real'] = 'complex',
    ['x.imag'] = 'complex', ['x.to_sparse'] = 'sparse', ['torch.quantize_per_tensor'] = 'quantised', ['torch.jit'] = 'programs',
    ['torch.uint16'] = 'int32', ['nn.quantized'] = 'quantised',
  } do
    local ok, message = pcall(load('return ' .. what, '=test', 't', { torch = torch, x = x, nn = nn }))
    t:assert(not ok and message:find('; not in luth: ', 1, true) and message:find(part, 1, true), what .. ' -> ' .. tostring(message))
  end
end

function s.devices()
  t:fails(function() return torch.ones(2):to('gpu') end, "did you mean 'cuda'?")
  t:fails(function() return torch.ones(2, { device = 'cdua' }) end, "did you mean 'cuda'?")
end

function s.damaged_files()
  local path = os.tmpname()
  for suffix, part in pairs {
    ['.npy'] = 'does not begin as a .npy file does', ['.h5'] = 'is no HDF5 file', ['.npz'] = 'is no zip archive',
    ['.safetensors'] = 'does not begin with the length of a .safetensors header', ['.pkl'] = 'is a bare pickle',
  } do
    local file = assert(io.open(path .. suffix, 'wb'))
    file:write(suffix == '.pkl' and '\x80\x04K\x01.' or 'neither the one nor the other')
    file:close()
    t:fails(function() return torch.load(path .. suffix) end, part)
    os.remove(path .. suffix)
  end
  os.remove(path)
end

-- What has no module has an operator.
function s.modules_that_are_operators()
  for name, f in pairs { GroupNorm = 'group_norm', ELU = 'elu', HingeEmbeddingLoss = 'hinge_embedding_loss' } do
    if rawget(nn, name) == nil then
      t:fails(function() return nn[name] end, "nn has no '" .. name .. "'; there is F." .. f)
    end
  end
  t:fails(function() return nn.Liner end, "did you mean 'Linear'?")
  t:fails(function() return nn.Relu end, "did you mean 'ReLU'?")
end

function s.zeros_say_what_counts()
  local x = torch.ones(2, 3)
  for _, f in ipairs {
    function() return x:sum(0) end, function() return x[0] end, function() return x[{ { 0, 1 } }] end,
    function() return x:select(1, 0) end, function() return x:gather(1, torch.tensor { { 0 } }) end,
    function() return torch.cat({ x, x }, 0) end, function() return x:size(0) end,
    function() return F.cross_entropy(x, torch.tensor { 0, 1 }) end,
    function() return nn.Embedding(3, 2)(torch.tensor { 0 }) end, function() x[0] = 1 end,
    function() return x:narrow(1, 0, 1) end, function() return nn.Softmax(0)(x) end,
  } do
    local ok, message = pcall(f)
    t:assert(not ok and message:find('count.* from 1'), tostring(message))
  end
end

-- No name of the table exists in luth, and what stands beside it does.
function s.foreign_names()
  local tables = { torch = torch, nn = nn, optim = optim, x = torch.Tensor, m = nn.Module, F = F,
                   ['nn.functional'] = F, data = data }
  local exists = function(owner, name)
    local names = tables[owner]
    if name == 'append' and owner == 'm' then names = nn.Sequential end
    return names and rawget(names, name) ~= nil
  end
  local x = torch.ones(1)
  for _, n in ipairs(registry.foreign_names()) do
    local what = n.owner .. '.' .. n.name
    if tables[n.owner] then t:assert(not exists(n.owner, n.name), what .. ' exists: take it out of the table') end
    for owner, name in n.instead:gmatch('%f[%w](%a+)[.:]([%a_][%w_]*)') do
      local is_field = owner == 'x' and pcall(function() return x[name] end)
      if tables[owner] and not is_field then
        t:assert(exists(owner, name), what .. ': there is no ' .. owner .. '.' .. name)
      end
    end
    local get = { torch = function() return torch[n.name] end, nn = function() return nn[n.name] end,
                  ['torch.amp'] = function() return torch.amp[n.name] end, ['torch.cuda'] = function() return torch.cuda[n.name] end,
                  ['nn.functional'] = function() return F[n.name] end, optim = function() return optim[n.name] end, x = function() return x[n.name] end }
    if get[n.owner] then t:fails(get[n.owner], n.name, 'luth has ' .. n.instead) end
  end
  t:fails(function() return F.bce_loss end, 'luth has F.binary_cross_entropy(')
end

-- The nearest name among all, also among those that a script adds; what was there before hides nothing.
function s.names_of_scripts()
  t:fails(function() return F.my_activatio end, "nn.functional has no 'my_activatio'")
  F.my_activation = function(x) return x end
  t:fails(function() return F.my_activatio end, "did you mean 'my_activation'?")
  torch.Tensor.my_method = function(x) return x end
  t:fails(function() return torch.ones(1):my_methd() end, "did you mean 'my_method'?")
  t:fails(function() return torch.ones(1):shpe() end, "did you mean 'shape'?")
  t:fails(function() return nn.Interpolate end, "there is F.interpolate")
  t:fails(function() return nn.RELU6 end, "did you mean 'ReLU6'?")
  F.my_activation, torch.Tensor.my_method = nil, nil
end

-- A wrong name costs as much as a few other errors: the names are prepared once, not walked at each. The loops follow
-- each other in turns, so that a busy machine slows all.
function s.wrong_names_cost_little()
  local x = torch.ones(1)
  if os.getenv 'LUTH_TEST_SAMPLES' then return end  -- under sanitizers the search is slower, and Lua's errors are not
  local function plain() error('x') end
  local wrong = {
    function(i) return x['softmx' .. i] end, function(i) return torch['softmx' .. i] end,
    function(i) return F['softmx' .. i] end, function(i) return nn['Linera' .. i] end,
    function(i) return torch.linalg['chlesky' .. i] end, function(i) return x:sum { ['dmi' .. i] = 1 } end,
  }
  local function seconds(f)
    local start = os.clock()
    for i = 1, 200 do pcall(f, i) end
    return os.clock() - start
  end
  local least = {}
  for _ = 1, 9 do
    for k, f in ipairs { plain, table.unpack(wrong) } do least[k] = math.min(least[k] or math.huge, seconds(f)) end
  end
  for k = 2, #least do
    t:assert(least[k] < 15 * least[1], ('wrong name %d: %g times an error'):format(k - 1, least[k] / least[1]))
  end
end

t:add(s):run()
