-- torch.autograd.Function: operators with a gradient, written in Lua.
local t, s = torch.Tester(), torch.TestSuite()
local function leaf(...) return torch.tensor({...}, {requires_grad = true}) end
local function leaf64(...) return torch.tensor({...}, {dtype = torch.float64, requires_grad = true}) end

local Cube = torch.autograd.Function('Cube')
function Cube.forward(ctx, x)
  ctx:save_for_backward(x)
  return x * x * x
end
function Cube.backward(ctx, dy)
  local x = ctx.saved_tensors[1]
  return dy * 3 * x * x
end

function s.gradients_of_any_order()
  local x = leaf(2., 3.)
  local y = Cube.apply(x)
  t:assert(y.grad_fn:name():find('Cube'))
  t:eq(y:tolist(), {8., 27.})
  local g = torch.autograd.grad(y:sum(), x, {create_graph = true})
  t:eq(g, torch.tensor {12., 27.}, 1e-6)
  t:eq((torch.autograd.grad(g:sum(), x)), torch.tensor {12., 18.}, 1e-6)
  t:assert(torch.autograd.gradcheck(Cube.apply, {leaf64(1., -2.)}))
  t:assert(torch.autograd.gradgradcheck(Cube.apply, {leaf64(1., -2.)}))
  t:eq(tostring(Cube):find('Cube') ~= nil, true)
end

function s.saved_results_have_a_history()
  local Exp = torch.autograd.Function('Exp')
  function Exp.forward(ctx, x)
    local y = x:exp()
    ctx:save_for_backward(y)
    return y
  end
  function Exp.backward(ctx, dy) return dy * ctx.saved_tensors[1] end
  t:assert(torch.autograd.gradcheck(Exp.apply, {leaf64(0.5, -1.)}))
  t:assert(torch.autograd.gradgradcheck(Exp.apply, {leaf64(0.5, -1.)}))
  local x = leaf(1.)
  local y = Exp.apply(x)
  y:sum():backward()
  t:eq(x.grad, y:detach())
  t:fails(function() y:sum():backward() end, 'retain_graph')
  local again = Exp.apply(x)
  again:sum():backward(nil, {retain_graph = true})
  again:sum():backward()
end

function s.arguments_that_are_no_tensors()
  local Scale = torch.autograd.Function('Scale')
  local needs
  function Scale.forward(ctx, x, k, opts)
    ctx.k = k
    needs = ctx.needs_input_grad
    return x * k + opts.plus, 'text'
  end
  function Scale.backward(ctx, dy, dtext)
    t:eq(dtext, nil)
    return dy * ctx.k, nil, nil
  end
  local x = leaf(1., 2.)
  local y, text = Scale.apply(x, 3, {plus = 1})
  t:eq(text, 'text')
  t:eq(needs, {true, false, false})
  y:sum():backward()
  t:eq(x.grad, torch.tensor {3., 3.})
  Scale.backward = function(ctx, dy) return dy * ctx.k end
  Scale.apply(x, 3, {plus = 1}):sum():backward()
  t:eq(x.grad, torch.tensor {6., 6.})
  Scale.backward = function(_, dy) return dy, dy end
  t:fails(function() Scale.apply(x, 3, {plus = 1}):sum():backward() end, 'Scale', 'gradient number 2')
end

function s.several_results()
  local Both = torch.autograd.Function('Both')
  local seen
  function Both.forward(ctx, x, w)
    ctx:save_for_backward(x, nil, w)
    local sign = x:sign()
    ctx:mark_non_differentiable(sign)
    return x * w, x + w, sign, x:argmax()
  end
  function Both.backward(ctx, da, db, dsign)
    local x, hole, w = table.unpack(ctx.saved_tensors)
    t:eq(hole, torch.none)
    seen = dsign
    return da * w + db, da * x + db
  end
  local x, w = leaf(2., 3.), leaf(5., 7.)
  local a, b, sign, at = Both.apply(x, w)
  t:eq(a.requires_grad and b.requires_grad, true)
  t:eq(sign.requires_grad or at.requires_grad, false)
  t:eq(a.output_nr, 0)
  t:eq(b.output_nr, 1)
  a:sum():backward()
  t:eq(x.grad, torch.tensor {5., 7.})
  t:eq(seen, torch.zeros(2))
  local f = function(p, q)
    local m, n = Both.apply(p, q)
    return m * n
  end
  t:assert(torch.autograd.gradcheck(f, {leaf64(2., 3.), leaf64(5., 7.)}))
  t:assert(torch.autograd.gradgradcheck(f, {leaf64(2., 3.), leaf64(5., 7.)}))
end

function s.without_zeros()
  local Pair = torch.autograd.Function('Pair')
  local got = 'nothing'
  function Pair.forward(ctx, x)
    ctx:set_materialize_grads(false)
    return x * 1, x * 2
  end
  function Pair.backward(_, a, b)
    got = a
    return b * 2
  end
  local x = leaf(1.)
  local _, b = Pair.apply(x)
  b:sum():backward()
  t:eq(got, nil)
  t:eq(x.grad, torch.tensor {2.})
end

function s.in_place()
  local Double = torch.autograd.Function('Double')
  function Double.forward(ctx, x)
    x:mul_(2)
    ctx:mark_dirty(x)
    return x
  end
  function Double.backward(_, dy) return dy * 2 end
  local x = leaf(1., 2.)
  local y = x * 3
  local z = Double.apply(y)
  t:assert(rawequal(z, y) or z == y)
  t:assert(y.grad_fn:name():find('Double'))
  z:sum():backward()
  t:eq(x.grad, torch.tensor {6., 6.})
  t:fails(function() Double.apply(x) end, 'Double', 'leaf')
  function Double.forward(ctx, v)
    ctx:mark_dirty(v)
    return v * 2
  end
  t:fails(function() Double.apply(x * 1) end, 'Double', 'dirty')
end

function s.an_argument_as_result()
  local Reverse = torch.autograd.Function('Reverse')
  function Reverse.forward(_, x) return x end
  function Reverse.backward(_, dy) return -dy end
  local x = leaf(1., 2.)
  local y = Reverse.apply(x)
  t:eq(x.is_leaf, true)
  t:assert(y.grad_fn:name():find('Reverse'))
  t:eq(y:data_ptr(), x:data_ptr())
  y:mul(2):sum():backward()
  t:eq(x.grad, torch.tensor {-2., -2.})
end

function s.not_recorded()
  local x = leaf(2.)
  local y = torch.no_grad(Cube.apply, x)
  t:eq(y.requires_grad, false)
  t:eq(Cube.apply(torch.tensor {2.}).requires_grad, false)
  t:eq(Cube.apply(torch.tensor {2.}).grad_fn, nil)
end

function s.context_set_up_apart()
  local Square = torch.autograd.Function('Square')
  function Square.forward(x, k) return x * x * k end
  function Square.setup_context(ctx, inputs, output)
    ctx:save_for_backward(inputs[1])
    ctx.k = inputs[2]
    t:assert(torch.is_tensor(output))
  end
  function Square.backward(ctx, dy) return dy * 2 * ctx.saved_tensors[1] * ctx.k end
  local x = leaf(3.)
  Square.apply(x, 10):sum():backward()
  t:eq(x.grad, torch.tensor {60.})
end

function s.errors_name_the_class()
  local Bad = torch.autograd.Function('Bad')
  local x = leaf(1., 2.)
  t:fails(function() Bad.apply(x) end, 'Bad: has no forward')
  function Bad.forward(_, a, b) return a * b end
  local function run() Bad.apply(x, x):sum():backward() end
  t:fails(run, 'Bad: has no backward')
  function Bad.backward(_, dy) return dy end
  t:fails(run, 'Bad: backward returned 1 gradient, expected 2')
  function Bad.backward(_, dy) return dy, dy, dy end
  t:fails(run, 'Bad: backward returned 3 gradients, expected 2')
  function Bad.backward(_, dy) return dy, 'x' end
  t:fails(run, 'Bad: backward returns nil or', 'string')
  function Bad.backward() return torch.ones(3), nil end
  t:fails(run, 'Bad', 'gradient of shape [3]', 'shape [2]')
  function Bad.backward(_, dy) return torch.ones(4, 2), dy end
  x.grad = nil
  run()
  t:eq(x.grad, torch.tensor {5., 5.})
  function Bad.forward(ctx) ctx:save_for_backward(3) end
  t:fails(run, 'Bad: save_for_backward', 'number 3')
  function Bad.backward() error('from within') end
  function Bad.forward(_, a) return a * 2 end
  t:fails(run, 'from within')
  t:fails(function() torch.autograd.Function(3) end, 'name')
  t:fails(function() torch.autograd.Function('X', 3) end, 'base')
end

function s.inheritance()
  local Sixth = torch.autograd.Function('Sixth', Cube)
  function Sixth.forward(ctx, x)
    ctx:save_for_backward(x)
    return x ^ 3 * 2
  end
  local x = leaf(2.)
  local y = Sixth.apply(x)
  t:assert(y.grad_fn:name():find('Sixth'))
  y:sum():backward()
  t:eq(x.grad, torch.tensor {12.})
end

-- Whatever goes wrong in a backward, the class is named.
function s.errors_of_backward_name_the_class()
  local Bad, x = torch.autograd.Function('Bad'), leaf(1., 2.)
  function Bad.forward(ctx, v)
    ctx:save_for_backward(v)
    return v * 1
  end
  local function run() Bad.apply(x):sum():backward() end
  function Bad.backward(ctx) return ctx.nothing.here end
  t:fails(run, "field 'nothing'", 'autograd_function.lua:', '(in Bad.backward)')
  function Bad.backward() error('mine') end
  t:fails(run, 'mine (in Bad.backward)')
  function Bad.backward(_, dy) return dy + torch.ones(7) end
  t:fails(run, 'add(float32[2], float32[7])', '(in Bad.backward)')
  function Bad.backward() error({code = 5}) end
  local _, value = pcall(run)
  t:eq(value.code, 5)
  local Outer = torch.autograd.Function('Outer')
  function Outer.forward(_, v) return v * 1 end
  function Outer.backward() return torch.enable_grad(function() run() end) end
  function Bad.backward() error('deep') end
  t:fails(function() Outer.apply(x):sum():backward() end, 'deep (in Bad.backward) (in Outer.backward)')
  t:eq(torch.is_grad_enabled(), true)
end

function s.names_that_are_not_there()
  local x = leaf(1.)
  t:fails(function() Cube.aply(x) end, "Cube has no 'aply'; did you mean 'apply'?")
  t:fails(function() Cube:apply(x) end, 'Cube.apply(x)')
  t:fails(function() Cube(x) end, 'Cube is a class', 'Cube.apply')
  t:eq(Cube.setup_context, nil)
  t:eq(Cube.cache, nil)
  local Slip = torch.autograd.Function('Slip', Cube)
  function Slip.forward(ctx, v) ctx:save_for_bckward(v) end
  t:fails(function() Slip.apply(x) end, "Slip: ctx has no 'save_for_bckward'; did you mean 'save_for_backward'?")
  function Slip.forward(ctx, v)
    t:eq(ctx.scale, nil)
    return v * 1
  end
  t:fails(function() Slip.apply(x):sum():backward() end, '(in Slip.backward)')
  t:fails(function() return Slip.aply end, "did you mean 'apply'?")
  t:eq(Slip.backward, Cube.backward)
end

function s.overwritten_values()
  local x = leaf(1., 2.) * 1
  local line = debug.getinfo(1, 'l').currentline
  local y = Cube.apply(x)
  x:add_(1)
  t:fails(function() y:sum():backward() end, 'CubeBackward', 'overwritten', 'add_',
          'autograd_function.lua:' .. line + 1, 'autograd_function.lua:' .. line + 2)
end

function s.memory_is_released()
  local before = torch.memory_stats().allocated
  for _ = 1, 50 do
    local x = torch.ones(1000, {requires_grad = true})
    Cube.apply(x * 1):sum():backward()
    Cube.apply(x * 1)  -- dropped without backward
    pcall(function() Cube.apply(x, x):sum():backward() end)
  end
  collectgarbage()
  collectgarbage()
  t:assert(torch.memory_stats().allocated <= before + 16000)
end

t:add(s):run()
