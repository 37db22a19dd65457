-- torch.autograd.functional: Jacobians, Hessians and products with them.
local t, s = torch.Tester(), torch.TestSuite()
local af = torch.autograd.functional
local function diag(v) return torch.eye(v:numel(), {dtype = torch.float64}) * v end
local function vec(...) return torch.tensor({...}, {dtype = torch.float64}) end

function s.jacobian()
  local x = vec(1., 2., 3.)
  local j = af.jacobian(function(a) return a ^ 2 end, x)
  t:eq(j, diag(vec(2., 4., 6.)), 1e-12)
  t:eq(j.requires_grad, false)
  local ja, jb = af.jacobian(function(a, b) return (a * b):sum() end, {x, vec(4., 5., 6.)})
  t:eq(ja, vec(4., 5., 6.))
  t:eq(jb, x)
  local one, two = af.jacobian(function(a) return a:sum(), a * 2 end, x)
  t:eq(one, torch.ones_like(x))
  t:eq(two, torch.eye(3, {dtype = torch.float64}) * 2)
  local m = torch.rand(2, 3, {dtype = torch.float64})
  t:eq(af.jacobian(function(a) return a:t() end, m):size(), torch.Size {3, 2, 2, 3})
  local rows = table.pack(af.jacobian(function(a, b) return a + b, a * b end, {x, x}))
  t:eq(rows.n, 2)
  t:eq(rows[2][1], diag(x))
  t:eq(x.requires_grad, false)
end

function s.create_graph()
  local x = vec(1., 2.):requires_grad_()
  local j = af.jacobian(function(a) return (a ^ 3):sum() end, x, {create_graph = true})
  t:eq(j.requires_grad, true)
  t:eq((torch.autograd.grad(j:sum(), x)), x:detach() * 6, 1e-12)
  local _, g = af.vjp(function(a) return (a ^ 3):sum() end, x, nil, {create_graph = true})
  t:eq((torch.autograd.grad(g:sum(), x)), x:detach() * 6, 1e-12)
  local _, p = af.jvp(function(a) return a ^ 3 end, x, vec(1., 1.), true)
  t:eq((torch.autograd.grad(p:sum(), x)), x:detach() * 6, 1e-12)
end

function s.hessian()
  local x = vec(1., 2.)
  t:eq(af.hessian(function(a) return (a ^ 3):sum() end, x), diag(vec(6., 12.)), 1e-12)
  local a, b = af.hessian(function(p, q) return (p * q ^ 2):sum() end, {x, vec(3., 4.)})
  t:eq(a[1], torch.zeros(2, 2, {dtype = torch.float64}))
  t:eq(a[2], diag(vec(6., 8.)), 1e-12)
  t:eq(b[1], diag(vec(6., 8.)), 1e-12)
  t:eq(b[2], diag((x * 2)), 1e-12)
  t:fails(function() af.hessian(function(p) return p * 2 end, x) end, 'hessian', 'single element', 'autograd_functional.lua:')
end

function s.products()
  local x, v = vec(1., 2., 3.), vec(0.5, -1., 2.)
  local f = function(a) return torch.stack {a[1] * a[2], a[2] * a[3] ^ 2} end
  local j = af.jacobian(f, x)
  local y, p = af.jvp(f, x, v)
  t:eq(y, f(x))
  t:eq(p, j:matmul(v), 1e-12)
  local w = vec(2., -3.)
  local y2, q = af.vjp(f, x, w)
  t:eq(y2, y)
  t:eq(q, w:matmul(j), 1e-12)
  t:eq(q.requires_grad, false)
  local g = function(a) return (a[1] * a[2] * a[3] ^ 2) end
  local h = af.hessian(g, x)
  local value, hv = af.hvp(g, x, v)
  t:eq(value, g(x))
  t:eq(hv, h:matmul(v), 1e-12)
  local _, vh = af.vhp(g, x, v)
  t:eq(vh, v:matmul(h), 1e-12)
  local _, several = af.hvp(function(a, b) return (a * b):sum() end, {x, v}, {v, x})
  t:eq(several[1], x)
  t:eq(several[2], v)
  local _, unit = af.vjp(function(a) return a:sum() end, x)
  t:eq(unit, torch.ones_like(x))
end

function s.unused_and_strict()
  local x, y = vec(1., 2.), vec(3.)
  local f = function(a) return a:sum() end
  local a, b = af.jacobian(function(p, _) return f(p) end, {x, y})
  t:eq(a, torch.ones_like(x))
  t:eq(b, torch.zeros_like(y))
  t:eq(af.jacobian(function() return torch.ones(2) end, x), torch.zeros(2, 2, {dtype = torch.float64}))
  t:fails(function() af.jacobian(function(p, _) return f(p) end, {x, y}, {strict = true}) end, 'jacobian', 'strict', 'input number 2')
  t:fails(function() af.jacobian(function() return torch.ones(2) end, x, {strict = true}) end, 'strict')
  t:fails(function() af.hessian(f, x, {strict = true}) end, 'strict')
  local _, p = af.vhp(f, x, torch.ones_like(x))
  t:eq(p, torch.zeros_like(x))
end

function s.wrong_calls()
  local x = vec(1., 2.)
  local f = function(a) return a * 2 end
  t:fails(function() af.vjp(f, x) end, 'vjp', 'v may be left out')
  t:fails(function() af.vjp(f, x, vec(1.)) end, 'shape')
  t:fails(function() af.vjp(f, 3) end, 'inputs')
  t:fails(function() af.vjp(f, {}) end, 'inputs')
  t:fails(function() af.jvp(f, x, x, {creategraph = true}) end, "no argument is named 'creategraph'")
  t:fails(function() af.jacobian(function() return 'x' end, x) end, 'string')
  t:eq(torch.is_grad_enabled(), true)
  local inside = torch.no_grad(af.jacobian, f, x)
  t:eq(inside, torch.eye(2, {dtype = torch.float64}) * 2)
end

t:add(s):run()
