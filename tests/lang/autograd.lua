-- Autograd from Lua: backward, grad, modes as scopes, hooks, nodes, gradcheck.
local t, s = torch.Tester(), torch.TestSuite()
local function leaf(...) return torch.tensor({...}, {requires_grad = true}) end

function s.backward()
  local x = leaf(1., 2., 3.)
  local y = (x * x):sum()
  y:backward()
  t:eq(x.grad, torch.tensor {2., 4., 6.})
  t:fails(function() y:backward() end, 'retain_graph')
  x:square():backward(torch.tensor {1., 0., 0.})
  t:eq(x.grad, torch.tensor {4., 4., 6.})
  t:fails(function() (x * x):backward() end, 'gradient')
  t:fails(function() torch.ones(1):backward() end, 'does not require grad')
  local z = (x * x):sum()
  z:backward(nil, {retain_graph = true})
  z:backward()
  t:eq(x.grad, torch.tensor {8., 12., 18.})
  x.grad = nil
  local w = leaf(1.)
  torch.mul(x:sum(), w):sum():backward {inputs = {w}}
  t:eq(x.grad, nil)
  t:eq(w.grad, torch.tensor {6.})
  t:fails(function() z:backward(nil, {retain = true}) end, "no argument is named 'retain'")
end

function s.grad()
  local x, y = leaf(2.), leaf(3.)
  local gx, gy = torch.autograd.grad(x * y, {x, y})
  t:eq(gx, torch.tensor {3.})
  t:eq(gy, torch.tensor {2.})
  t:eq(x.grad, nil)
  local g = torch.autograd.grad((x ^ 3):sum(), x, {create_graph = true})
  t:eq((torch.autograd.grad(g, {x})), torch.tensor {12.})
  t:fails(function() torch.autograd.grad(x * 2, {y}) end, 'allow_unused')
  t:fails(function() torch.autograd.grad(x * 2, {x, y}) end, 'input 2 (float32[1]) was not used', 'allow_unused')
  t:fails(function() torch.autograd.grad(x * 2, {x, y:detach()}) end, 'input 2 (float32[1]) does not require grad')
  t:fails(function() (x * 2):backward {inputs = {x, y * 1, y:detach()}} end, 'backward: input 3')
  t:fails(function() torch.autograd.backward({x * 2, y:detach()}) end, 'backward: tensor 2 (float32[1])')
  t:eq(select('#', torch.autograd.grad(x * 2, {x, y}, {allow_unused = true})), 2)
  t:eq((torch.autograd.grad(x * 2, {x}, {grad_outputs = {torch.tensor {5.}}})), torch.tensor {10.})
end

function s.retains_grad()
  local x = leaf(1.)
  local y = x * 2
  t:eq(y.retains_grad, false)
  y:retain_grad()
  x:retain_grad()
  t:eq(y.retains_grad, true)
  t:eq(x.retains_grad, false)
  t:eq(torch.ones(1).retains_grad, false)
  y:mul_(2)
  t:eq(y.retains_grad, true)
end

-- What PyTorch answers to the same.
function s.inference_mode()
  local x = leaf(1., 1.)
  t:eq(torch.is_inference_mode_enabled(), false)
  local made, view_of_x, within
  do
    local _ <close> = torch.inference_mode()
    t:eq(torch.is_inference_mode_enabled(), true)
    t:eq(torch.is_grad_enabled(), false)
    made, view_of_x, within = torch.ones(2), x:view(-1), torch.ones(2, {requires_grad = true})
    t:eq((x * 2):is_inference(), true)
    t:eq((x * 2).requires_grad, false)
    t:eq(made:view(2, 1):is_inference(), true)
    t:eq(x:detach():is_inference(), false)
    t:eq(torch.enable_grad(function() return (x * 2).requires_grad end), false)
    do
      local _ <close> = torch.inference_mode(false)
      t:eq(torch.is_inference_mode_enabled(), false)
      t:eq((x * 2).requires_grad, true)
    end
    t:eq(torch.is_inference_mode_enabled(), true)
    made:add_(1)
    x:detach():add_(1)
  end
  t:eq(torch.is_inference_mode_enabled(), false)
  t:eq(torch.is_grad_enabled(), true)
  t:eq(torch.is_inference(made), true)
  t:eq(view_of_x:is_inference(), false)
  t:eq(made:clone():is_inference(), false)
  t:eq(made:detach():is_inference(), true)
  t:eq((made + x).requires_grad, true)
  t:eq((within * 2).requires_grad, true)
  t:eq(x:clone():copy_(made).requires_grad, true)
  t:fails(function() return made * x end, 'mul', 'inference tensor (float32[2])', 'clone()', 'torch.no_grad()')
  t:fails(function() made:add_(1) end, 'add_', 'inference tensor', 'clone()')
  t:fails(function() torch.no_grad(function() made:add_(1) end) end, 'inference tensor')
  t:fails(function() made[1] = 3 end, 'inference tensor')
  t:fails(function() torch.add(x, 1, {out = made}) end, 'inference tensor')
  t:fails(function() made:requires_grad_() end, 'inference tensor')
  t:fails(function() return made:_version() end, 'inference tensor')
  t:eq(made, torch.tensor {2., 2.})
  t:eq(torch.inference_mode(function(...) return torch.is_inference_mode_enabled(), ... end, 5), true)
  t:eq(select(2, torch.inference_mode(function(...) return 0, ... end, 5)), 5)
  t:eq(torch.inference_mode({mode = false}, torch.is_inference_mode_enabled), false)
end

function s.names_in_torch_autograd()
  for _, name in ipairs {'no_grad', 'enable_grad', 'set_grad_enabled', 'inference_mode'} do
    t:eq(torch.autograd[name], torch[name])
  end
end

function s.scopes()
  local x = leaf(1.)
  do
    local _ <close> = torch.no_grad()
    t:eq(torch.is_grad_enabled(), false)
    t:eq((x * 2).requires_grad, false)
    do
      local _ <close> = torch.enable_grad()
      t:eq((x * 2).requires_grad, true)
    end
    t:eq(torch.is_grad_enabled(), false)
  end
  t:eq(torch.is_grad_enabled(), true)
  local a, b = torch.no_grad(function(p, q) return p * 2, q end, x, 'q')
  t:eq(a.requires_grad, false)
  t:eq(b, 'q')
  t:fails(function() torch.no_grad(function() error('inside') end) end, 'inside')
  t:eq(torch.is_grad_enabled(), true)
  pcall(function() local _ <close> = torch.inference_mode() error('x') end)
  t:eq(torch.is_grad_enabled(), true)
  torch.set_grad_enabled(false)
  t:eq(torch.is_grad_enabled(), false)
  torch.set_grad_enabled(true)
  t:fails(function() torch.no_grad(3) end, 'function')
end

function s.hooks()
  local x = leaf(1., 2.)
  local seen
  local handle = x:register_hook(function(g) seen = g:clone() return g * 10 end)
  x:sum():backward()
  t:eq(seen, torch.ones(2))
  t:eq(x.grad, torch.tensor {10., 10.})
  handle:remove()
  handle:remove()
  x:sum():backward()
  t:eq(x.grad, torch.tensor {11., 11.})
  local y = x * 2
  y:retain_grad()
  local count = 0
  y:register_hook(function() count = count + 1 end)
  y:sum():backward()
  t:eq(y.grad, torch.ones(2))
  t:eq(count, 1)
  x:register_hook(function() error('from the hook') end)
  t:fails(function() x:sum():backward() end, 'from the hook')
  t:fails(function() (leaf(1.)):register_hook(function() return 3 end) torch.ones(1):register_hook(print) end, 'requires grad')
  local bad = leaf(1.)
  bad:register_hook(function() return 3 end)
  t:fails(function() bad:sum():backward() end, 'a hook returns nil or a tensor')
end

-- Whoever removes itself, or another, does not keep the next from running.
function s.hooks_that_remove_themselves()
  local function ran_of(register)
    local ran, first = {}, nil
    first = register(function() ran[#ran + 1] = 'first' first:remove() end)
    register(function() ran[#ran + 1] = 'second' end)
    return ran
  end
  local x = torch.ones(2):requires_grad_()
  local leaf = ran_of(function(f) return x:register_hook(f) end)
  local after = ran_of(function(f) return x:register_post_accumulate_grad_hook(f) end)
  local y = x * 2
  local result = ran_of(function(f) return y:register_hook(f) end)
  local node = ran_of(function(f) return y.grad_fn:register_hook(f) end)
  y:sum():backward({retain_graph = true})
  for _, ran in ipairs {leaf, after, result, node} do t:eq(ran, {'first', 'second'}) end
  y:sum():backward()
  for _, ran in ipairs {leaf, after, result, node} do t:eq(ran, {'first', 'second', 'second'}) end
end

function s.nodes()
  local x = leaf(1., 2.)
  local y = (x ^ 2):sum()
  t:assert(y.grad_fn:name():find('SumBackward'))
  local pow = y.grad_fn.next_functions[1][1]
  t:assert(pow:name():find('PowBackward'))
  t:assert(pow == y.grad_fn.next_functions[1][1])
  t:eq(pow.next_functions[1][1]:name(), 'AccumulateGrad')
  t:eq(x.grad_fn, nil)
  t:eq(y.is_leaf, false)
  t:fails(function() return pow.foo end, 'next_functions')
end

function s.detach()
  local x = leaf(1., 2.)
  local d = x:detach()
  t:eq(d.requires_grad, false)
  d[1] = 9
  t:eq(x:tolist(), {9., 2.})
  local y = x * 2
  t:assert(rawequal(y:detach_(), y))
  t:eq(y.is_leaf, true)
  t:eq(y.requires_grad, false)
  t:eq(torch.ones(1):requires_grad_().requires_grad, true)
end

function s.overwritten_values()
  local x = leaf(1., 2.)
  local y = x * 2
  local z = y * y
  y:add_(1)
  t:fails(function() z:sum():backward() end, 'overwritten', 'add_')
  t:fails(function() x:add_(1) end, 'leaf')
end

function s.gradcheck()
  local x = torch.rand(2, 3, {dtype = torch.float64, requires_grad = true})
  t:eq(torch.autograd.gradcheck(function(a) return (a * a):sum(1) end, {x}), true)
  t:eq(torch.autograd.gradgradcheck(function(a) return a ^ 3 end, {x}), true)
  t:fails(function() torch.autograd.gradcheck(function(a) return a.data * a end, {x}) end, 'gradcheck')
  t:eq(torch.autograd.gradcheck(function(a) return a.data * a end, {x}, {raise_exception = false}), false)
end

t:add(s):run()
