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
    ["return 'ab' * 3"] = 'string.rep', ['return torch.ones(2).shape()'] = 'x:size(1)',
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
  local tables = { torch = torch, nn = nn, optim = optim, x = torch.Tensor, m = nn.Module, F = F, data = data }
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
                  optim = function() return optim[n.name] end, x = function() return x[n.name] end }
    if get[n.owner] then t:fails(get[n.owner], n.name, 'luth has ' .. n.instead) end
  end
end

t:add(s):run()
