-- float16 and bfloat16 are computed as float32, block by block, and rounded once: the bits are those of the same operator of float32, rounded.
-- Extents lie below, at and beside whole registers and blocks.
local t, s = torch.Tester(), torch.TestSuite()
local F = torch.nn.functional
local narrow = { torch.float16, torch.bfloat16 }
local extents = { 1, 7, 8, 15, 16, 17, 31, 33, 512, 513, 1031, 40000 }

local function bits(x) return x:view(torch.int16) end
local function same(what, got, want)
  t:eq(got.dtype, want.dtype, what)
  if got:is_floating_point() and got:element_size() == 2 then
    local nan = got:isnan():logical_and(want:isnan())
    got, want = bits(got:contiguous()):masked_fill(nan, 0), bits(want:contiguous()):masked_fill(nan, 0)
  end
  t:assert(got:equal(want), what)
end
-- f of narrow floats beside f of the same numbers as float32
local function check(what, f, ...)
  local wide = table.pack(...)
  local dtype
  for i = 1, wide.n do
    if torch.is_tensor(wide[i]) and wide[i]:is_floating_point() then dtype, wide[i] = wide[i].dtype, wide[i]:float() end
  end
  local got, want = f(...), f(table.unpack(wide, 1, wide.n))
  same(what, got, want.dtype == torch.float32 and want:to(dtype) or want)
end

local function every_half(dtype) return torch.arange(-2 ^ 15 // 1 | 0, 2 ^ 15 // 1 | 0):short():view(dtype) end

function s.conversions()
  for _, dtype in ipairs(narrow) do
    local x = every_half(dtype)
    local back = x:float():to(dtype)
    same(tostring(dtype) .. ' and back', back, x)
    for _, n in ipairs(extents) do
      local part = x:narrow(1, 1, n)
      t:assert(part:double():eq(part:float():double()):logical_or(part:isnan()):all(), 'through float64')
      same('of a row', part:float():to(dtype), part)
      same('one by one', torch.cat { part:narrow(1, 1, n // 2):float(), part:narrow(1, n // 2 + 1, n - n // 2):float() }:to(dtype), part)
    end
    for _, to in ipairs { torch.int64, torch.int32, torch.uint8, torch.bool } do
      check('to ' .. tostring(to), function(v) return v:to(to) end, x)
    end
  end
  local x = torch.randn(5000) * 2 ^ 14
  for _, dtype in ipairs(narrow) do same('from double', x:double():to(dtype), x:to(dtype)) end
  -- between two halves, beyond the largest, below the least
  local hard = torch.tensor { 2049, 2051, 65504, 65519, 65520, -65520, 2 ^ -24, 2 ^ -25, 3 * 2 ^ -25, -2 ^ -26, 1e-40, 0, -0.0, math.huge, -math.huge }
  local want = torch.tensor { 2048, 2052, 65504, 65504, math.huge, -math.huge, 2 ^ -24, 0, 2 ^ -23, -0.0, 0, 0, -0.0, math.huge, -math.huge }
  for n = 1, 15 do
    local got = hard:narrow(1, 1, n):half():float()
    t:assert(got:view(torch.int32):equal(want:narrow(1, 1, n):view(torch.int32)), 'to the nearest, even, with its sign')
  end
  t:assert(torch.full({ 21 }, 0 / 0):half():isnan():all())
end

function s.elementwise()
  for _, dtype in ipairs(narrow) do
    for _, n in ipairs(extents) do
      local x, y = (torch.randn(n) * 3):to(dtype), torch.randn(n):to(dtype)
      x[1], y[-1] = 0 / 0, math.huge
      local what = ('%s %d '):format(dtype, n)
      for name, f in pairs {
        add = function(a, b) return a + b end, mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
        less = torch.lt, equal = torch.eq, larger = torch.maximum, atan2 = torch.atan2,
        blend = function(a, b) return torch.lerp(a, b, 0.25) end, where = function(a, b) return torch.where(a:gt(0), a, b) end,
        clamp = function(a, b) return a:clamp(b:abs():neg(), b:abs()) end,
      } do check(what .. name, f, x, y) end
      for name, f in pairs {
        exp = torch.exp, tanh = torch.tanh, relu = F.relu, gelu = F.gelu, sqrt = torch.sqrt, lgamma = torch.lgamma,
        scaled = function(a) return a * 1.5 end, from = function(a) return 2 - a end, power = function(a) return a ^ 2.5 end,
        clamp = function(a) return a:clamp(-0.5, 1.25) end, least = function(a) return a:clamp(0.1) end, positive = function(a) return a:gt(0.5) end,
        one = function(a) return a + a[a:numel()] end, finite = torch.isfinite,
      } do check(what .. name, f, x) end
      local z, w = x:clone(), x:float()
      z:add_(y):mul_(0.5)
      w = (w + y:float()):to(dtype):float() * 0.5
      same(what .. 'in place', z, w:to(dtype))
    end
    local x, y = torch.randn(70, 90):to(dtype), torch.randn(90, 70):to(dtype)
    check('transposed', torch.add, x, y:t())
    check('a row', torch.mul, x, y[{ {}, 1 }])
    check('a column', torch.mul, x, y[{ 1, {} }]:unsqueeze(2))
    check('every other', torch.add, x[{ {}, { 1, -1, 2 } }], x[{ {}, { 2, -1, 2 } }])
    check('a number of a tensor', torch.sub, x, y[1][1])
    same('with float32', x + y:t():float(), x:float() + y:t():float())
  end
end

function s.rows()
  for _, dtype in ipairs(narrow) do
    for _, shape in ipairs { { 5, 1 }, { 3, 40 }, { 40, 3 }, { 33, 65 }, { 17, 16 }, { 2, 16, 8, 3 }, { 2, 31, 20, 20 }, { 3, 513 }, { 0, 4 } } do
      local x = torch.randn(table.unpack(shape)):to(dtype)
      for dim = 1, #shape do
        local what = ('%s %s over %d: '):format(dtype, table.concat(shape, 'x'), dim)
        check(what .. 'softmax', function(a) return a:softmax(dim) end, x)
        check(what .. 'log_softmax', function(a) return a:log_softmax(dim) end, x)
        check(what .. 'logsumexp', function(a) return a:logsumexp(dim) end, x)
        check(what .. 'sum', function(a) return a:sum(dim) end, x)
        check(what .. 'cumsum', function(a) return a:cumsum(dim) end, x)
        check(what .. 'cumsum, backwards', function(a)
          local leaf = a:clone():requires_grad_()
          leaf:cumsum(dim):backward(a)
          return leaf.grad
        end, x)
        local list = torch.randperm(shape[dim])
        check(what .. 'index_add', function(a) return a:index_add(dim, list, a) end, x)
        check(what .. 'index_select', function(a) return a:index_select(dim, list) end, x)
        if x:numel() > 0 then check(what .. 'max', function(a) return (a:max(dim)) end, x) end
      end
      check('layer_norm', function(a) return F.layer_norm(a, { shape[#shape] }) end, x)
      if #shape == 4 then
        for _, format in ipairs { torch.contiguous_format, torch.channels_last } do
          local image = x:contiguous { memory_format = format }
          check('batch_norm', function(a) return F.batch_norm(a, nil, nil, nil, nil, true) end, image)
          local mean, var, weight, bias = table.unpack(torch.randn(4, shape[2]):abs():to(dtype):unbind())
          check('batch_norm by running statistics', F.batch_norm, image, mean, var, weight, bias)
        end
      end
    end
    local x, v = torch.randn(37, 1100):to(dtype), torch.randn(1100):to(dtype)
    local exact, unit = x:double():mv(v:double()), dtype == torch.float16 and 2 ^ -11 or 2 ^ -8
    local products = {
      rows = x:mv(v), columns = x:t():contiguous():t():mv(v), apart = torch.stack({ x, x }, 3)[{ {}, {}, 1 }]:mv(v),
      linear = F.linear(v:unsqueeze(1), x):squeeze(1), added = F.linear(v, x, torch.zeros(37):to(dtype)),
    }
    for name, y in pairs(products) do
      t:assert(((y:double() - exact):abs() - exact:abs() * unit):max():item() < 2e-4, name)
    end
  end
end

function s.dropout()
  for _, dtype in ipairs(narrow) do
    for _, n in ipairs(extents) do
      check('dropout', function(x)
        torch.manual_seed(3)
        return F.dropout(x, 0.3)
      end, torch.randn(n):to(dtype))
    end
  end
end

-- The gradient of softmax over any dim, float64's formula.
function s.gradients()
  for _, dtype in ipairs { torch.float32, torch.float64 } do
    for dim = 1, 3 do
      local x, dy = torch.randn(3, 19, 33):to(dtype):requires_grad_(), torch.randn(3, 19, 33):to(dtype)
      local y = x:softmax(dim)
      y:backward(dy)
      local p, g = y:detach():double(), dy:double()
      local want = p * (g - (p * g):sum(dim, true))
      t:assert((x.grad:double() - want):abs():max():item() < (dtype == torch.float32 and 1e-6 or 1e-14), 'over ' .. dim)
    end
  end
end

function s.optimizers()
  for _, dtype in ipairs(narrow) do
    for _, n in ipairs { 1, 17, 512, 1500 } do
      local x, g = torch.randn(n):to(dtype), torch.randn(n):to(dtype)
      local function stepped(make, wide)
        local p = torch.nn.Parameter(wide and x:float() or x:clone())
        p.grad = wide and g:float() or g:clone()
        local o = make { p }
        o:step()
        t:assert(p.grad:to(dtype):equal(g), 'the gradient stays')
        return p:detach():to(dtype), o.state[p]
      end
      for name, make in pairs {
        sgd = function(p) return optim.SGD(p, { lr = 0.1, momentum = 0.9 }) end,
        adam = function(p) return optim.Adam(p, { lr = 0.01 }) end,
      } do
        local got, states = stepped(make)
        local want, wide = stepped(make, true)
        same(name, got, want)
        local n = 0
        for key, state in pairs(states) do
          if torch.is_tensor(state) and state:numel() == x:numel() then n = n + 1 same(name .. ' ' .. key, state, wide[key]:to(dtype)) end
        end
        t:assert(n == (name == 'sgd' and 1 or 2) or x:numel() == 1, name .. ' has its states')
      end
      local p = torch.nn.Parameter(x:clone())
      p.grad = g * 8
      local scale = g:float() * 8
      local norm = torch.nn.utils.clip_grad_norm_({ p }, 1)
      t:assert(math.abs(norm:item() / scale:norm():item() - 1) < 0.01, 'clip_grad_norm_')
      t:assert((p.grad:float() - scale / (scale:norm() + 1e-6)):abs():max():item() < 0.01)
    end
  end
end

t:add(s):run()
