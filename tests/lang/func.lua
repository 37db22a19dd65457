-- torch.func: vmap and derivatives of functions, against loops and against autograd.
local t, s = torch.Tester(), torch.TestSuite()
local func = torch.func

local function close(got, want, tolerance)
  t:eq(got:size(), want:size())
  t:le((got - want):abs():max():item(), tolerance or 1e-9)
end
local function normal(...) return torch.randn({...}, {dtype = torch.float64}) end

function s.vmap_is_a_loop()
  local x, w = normal(4, 3), normal(3, 2)
  close(func.vmap(function(v) return v:matmul(w):tanh() end)(x), x:matmul(w):tanh())
  close(func.vmap(function(a, b) return a:dot(b) end)(x, x * 2), (x * x * 2):sum(2))
  close(torch.vmap(function(a, b) return a * b end, {2, torch.none}, 2)(x, x[{{}, 1}]), x * x[{{}, 1}]:unsqueeze(2))
  close(func.vmap(function(a) return func.vmap(function(b) return a * b end)(x) end)(x), x:unsqueeze(2) * x:unsqueeze(1))
  local sums, doubled = func.vmap(function(v) return v:sum(), {twice = v * 2} end, {chunk_size = 3})(x)
  close(sums, x:sum(2))
  close(doubled.twice, x * 2)
end

function s.views_writes_and_constants()
  local x = normal(4, 3)
  close(func.vmap(function(v) return v:unsqueeze(1):expand(2, 3):t():reshape(-1) end)(x),
        x:unsqueeze(2):expand(4, 2, 3):transpose(2, 3):reshape(4, -1))
  close(func.vmap(function(v)
    local y = v:clone()
    y[2] = 0
    y:add_(1)
    return y
  end)(x), torch.stack({x[{{}, 1}] + 1, torch.ones(4, {dtype = torch.float64}), x[{{}, 3}] + 1}, 2))
  close(func.vmap(function(v) return v + torch.arange(3, {dtype = torch.float64, device = v.device}) end)(x),
        x + torch.arange(3, {dtype = torch.float64}))
  close(func.vmap(function(v) return torch.zeros_like(v) + v:flip(1) end)(x), x:flip(2))
end

-- The gradient of each sample by itself, of a network.
function s.per_sample_gradients()
  local net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 5), nn.LayerNorm(5)):double()
  local x, labels = normal(3, 1, 4, 4), torch.tensor {1, 5, 2}
  local params = {}
  for name, p in net:named_parameters() do params[name] = p:detach() end
  local function loss(params, v, label)
    return F.cross_entropy(func.functional_call(net, params, {v:unsqueeze(1)}), label:unsqueeze(1))
  end
  local grads, values = func.vmap(func.grad_and_value(loss), {torch.none, 1, 1})(params, x, labels)
  for i = 1, 3 do
    net:zero_grad()
    local y = F.cross_entropy(net(x[{{i, i}}]), labels[{{i, i}}])
    y:backward()
    close(values[i], y:detach())
    for name, p in net:named_parameters() do close(grads[name][i], p.grad) end
  end
end

-- Gradients pass the border of vmap, in both orders.
function s.gradients_through()
  local x = normal(4, 3):requires_grad_()
  local w = normal(3):requires_grad_()
  func.vmap(function(v) return (v * w):sin():sum() end)(x):sum():backward()
  close(x.grad, ((x * w):cos() * w):detach())
  close(w.grad, ((x * w):cos() * x):sum(1):detach())
  local third = func.grad(function(v) return func.grad(function(u) return func.grad(function(z) return z ^ 4 end)(u) end)(v) end)
  close(third(torch.tensor(2, {dtype = torch.float64})), torch.tensor(48, {dtype = torch.float64}))
  local inner = func.vmap(func.grad(function(v) return (v ^ 3):sum() end))
  close(func.grad(function(v) return inner(v):sum() end)(x:detach()), 6 * x:detach())
end

function s.jacobians()
  local x, w = normal(3), normal(3, 2)
  local function f(v) return v:matmul(w):sin() end
  local want = (x:matmul(w):cos()):unsqueeze(2) * w:t()
  close(func.jacrev(f)(x), want)
  close(func.jacfwd(f)(x), want)
  close(func.hessian(function(v) return (v ^ 3):sum() end)(x), torch.diag(6 * x))
  close(func.vmap(func.jacrev(f))(torch.stack {x, x * 2})[1], want)
  local y, pull = func.vjp(f, x)
  close(y, f(x))
  close(pull(torch.ones(2, {dtype = torch.float64})), want:sum(1))
  local _, pushed = func.jvp(f, {x}, {torch.ones(3, {dtype = torch.float64})})
  close(pushed, want:sum(2))
  local g, aux = func.grad(function(a, b) return (a * b):sum(), 'aux' end, 2, {has_aux = true})(x, x * 2)
  close(g, x)
  t:eq(aux, 'aux')
end

-- Gradients of operators that pick elements, of products, norms and equations: in one vmap and in nested ones.
function s.jacobians_of_operators_that_pick_elements()
  local x, m = normal(3, 4), torch.eye(3, {dtype = torch.float64})
  local at = torch.tensor {{1, 4}, {2, 2}, {3, 1}}
  for i, f in ipairs {
    function(v) return v:sort(2) ^ 2 end,
    function(v) return v:topk(2, 2) ^ 2 end,
    function(v) return v:gather(2, at) ^ 2 end,
    function(v) return v:index_select(2, at[1]) ^ 2 end,
    function(v) return v:take(at) ^ 2 end,
    function(v) return v:max(2) ^ 2 end,
    function(v) return v:cummax(2) ^ 2 end,
    function(v) return v:prod(2) end,
    function(v) return F.group_norm(v:unsqueeze(1), 1) ^ 2 end,
    function(v) return torch.linalg.det(v:matmul(v:t()) + m) end,
    function(v) return torch.linalg.solve(v:matmul(v:t()) + m, v) end,
    function(v) return torch.linalg.cholesky(v:matmul(v:t()) + m) end,
    function(v) return torch.linalg.inv(v:matmul(v:t()) + m) end,
    function(v) return torch.linalg.eigvalsh(v:matmul(v:t()) + m) end,
    function(v) return torch.matrix_exp(v:matmul(v:t()) * 0.1) end,
  } do
    local want = torch.autograd.functional.jacobian(f, x)
    t:assert(func.jacrev(f)(x):allclose(want, {rtol = 1e-8, atol = 1e-9}), 'jacrev ' .. i)
    t:assert(func.vmap(func.jacrev(f))(torch.stack {x, x + 1})[1]:allclose(want, {rtol = 1e-8, atol = 1e-9}), 'vmap ' .. i)
    local function total(v) return f(v):sin():sum() end
    t:assert(func.hessian(total)(x):allclose(torch.autograd.functional.hessian(total, x), {rtol = 1e-6, atol = 1e-7}), 'hessian ' .. i)
  end
  t:fails(function() func.vmap(torch.linalg.inv)(torch.zeros(2, 3, 3)) end, 'singular')
end

-- By the parameters of a network, as the tutorial of neural tangent kernels has it, and by two arguments.
function s.jacobians_by_tables()
  local net = nn.Linear(3, 2):double()
  local x, w, b = normal(4, 3), net.weight:detach(), net.bias:detach()
  local jacobians = func.vmap(func.jacrev(function(params, v) return func.functional_call(net, params, {v}) end), {torch.none, 1})(
    {weight = w, bias = b}, x)
  close(jacobians.bias, torch.eye(2, {dtype = torch.float64}):expand(4, 2, 2))
  close(jacobians.weight, torch.einsum('ij,nk->nijk', torch.eye(2, {dtype = torch.float64}), x))
  local both = func.jacrev(function(a, c) return a * c end, {1, 2})(x[1], x[2])
  close(both[1], torch.diag(x[2]))
  close(both[2], torch.diag(x[1]))
  t:fails(function() func.jacrev(function(v) return v end)(3) end, 'jacrev: argument 1 has no tensor')
  t:fails(function() func.jacrev(function(v) return {v} end)(x) end, 'jacrev: the function must return a tensor, got table')
end

function s.state_dicts_are_tables_of_tensors()
  local net, x = nn.Linear(3, 2):double(), normal(4, 3)
  local function loss(params, v) return func.functional_call(net, params, {v}):sum() end
  local grads = func.grad(loss)(net:state_dict(), x)
  close(grads.weight, x:sum(1):expand(2, 3))
  close(func.vmap(func.grad(loss), {torch.none, 1})(net:state_dict(), x).bias, torch.ones(4, 2, {dtype = torch.float64}))
end

function s.ensembles()
  local models, x = {}, normal(5, 3)
  for i = 1, 3 do models[i] = (nn.Linear(3, 4) .. nn.BatchNorm1d(4)):double():eval() end
  local params, buffers = func.stack_module_state(models)
  t:eq(params['1.weight']:size(), torch.Size {3, 4, 3})
  t:assert(params['1.weight'].is_leaf and params['1.weight'].requires_grad and not buffers['2.running_mean'].requires_grad)
  local base = models[1]:clone():to('meta')
  local out = func.vmap(function(p, b, v) return func.functional_call(base, {p, b}, {v}) end, {1, 1, torch.none})(params, buffers, x)
  for i = 1, 3 do close(out[i]:detach(), models[i](x):detach()) end
  t:fails(function() func.stack_module_state {} end, 'expects a list of modules')
  t:fails(function() func.stack_module_state {models[1], nn.ReLU()} end, 'model 2 is a nn.ReLU, the first a nn.Sequential')
  t:fails(function() func.stack_module_state {models[1], models[2]:train()} end, 'model 2 is in another mode')
end

function s.random_numbers()
  local x = torch.zeros(5, 100)
  local function f(v) return v + torch.rand_like(v) end
  t:fails(function() func.vmap(f)(x) end, "randomness = 'different'")
  local different, same = func.vmap(f, {randomness = 'different'})(x), func.vmap(f, {randomness = 'same'})(x)
  t:assert(not torch.equal(different[1], different[2]))
  t:assert(torch.equal(same[1], same[5]))
  -- tensors that are the same in all samples
  local z = torch.zeros(3)
  for _, draw in ipairs {function() return torch.rand(3) end, function() return torch.randperm(3) end,
    function() return torch.bernoulli(torch.ones(3)) end, function() return z:normal_() end, function() return torch.randint(5, {3}) end} do
    t:fails(function() func.vmap(function(v) return v[1] + draw() end)(x) end, "randomness = 'different'")
    t:fails(function() func.vmap(function(v) return v[1] + draw() end, {randomness = 'different'})(x) end, 'torch.rand_like')
    func.vmap(function(v) return v[1] + draw() end, {randomness = 'same'})(x)
  end
  t:eq(z:size(1), 3)
  local p = torch.ones(4, 64):requires_grad_()
  local y = func.vmap(function(v) return F.dropout(v, 0.5) end, {randomness = 'different'})(p)
  y:sum():backward()
  t:assert(torch.equal(p.grad, y:detach()))
end

function s.writes_into_samples_are_in_the_gradient()
  local w = torch.ones(4, 3, {requires_grad = true})
  local function scaled(v) return v:mul_(3):sum() end
  for _, x in ipairs {w, w * 1} do t:fails(function() func.vmap(scaled)(x) end, 'from outside of vmap', 'clone()') end
  local y = torch.zeros(4, 3)
  t:fails(function() func.vmap(function(v, u) return v[1]:copy_(u[1]) end)(y, w) end, 'from outside of vmap')
  func.vmap(function(v) return scaled(v:clone()) end)(w):sum():backward()
  t:eq(w.grad, torch.full({4, 3}, 3.0))
  t:eq(w:detach(), torch.ones(4, 3))
  func.vmap(function(v) return v:fill_(2) end)(y)  -- without gradients samples are written, as in PyTorch
  t:eq(y, torch.full({4, 3}, 2.0))
end

function s.matrices()
  local x, b = torch.randn(4, 3, 3):double(), torch.randn(4, 3, 2):double()
  local A, L = x + 3 * torch.eye(3):double(), torch.linalg
  for name, f in pairs {
    solve = function(a, c) return L.solve(a, c) end, inv = function(a) return L.inv(a) end,
    det = function(a) return L.det(a) end, svd = function(a) return L.svdvals(a) end, norm = function(a) return L.matrix_norm(a) end,
    cholesky = function(a) return L.cholesky(a:mm(a:t())) end, eigh = function(a) return (L.eigh(a + a:t())) end,
    qr = function(a) local q, r = L.qr(a) return q:mm(r) end, pinv = function(a) return L.pinv(a) end,
    exp = function(a) return torch.matrix_exp(a) end, logdet = function(a) return torch.logdet(a) end,
    spectral = function(a) return L.matrix_norm(a, 2) end, lstsq = function(a, c) return (L.lstsq(a, c)) end,
    slogdet = function(a) local sign, log = L.slogdet(a) return sign * log end,
  } do
    local got, gradient = func.vmap(f)(A, b), func.vmap(func.grad(function(a, c) return f(a, c):sum() end))
    local ok, slopes = pcall(gradient, A, b)
    for i = 1, 4 do
      t:assert(torch.allclose(got[i], f(A[i], b[i]), {equal_nan = true}), name)
      t:assert(not ok or torch.allclose(slopes[i], func.grad(function(a) return f(a, b[i]):sum() end)(A[i]), {equal_nan = true}), name)
    end
    t:assert(ok or name == 'lstsq', name .. ': ' .. tostring(slopes))
  end
  t:assert(torch.allclose(func.vmap(function(c) return L.solve(A[1], c) end)(b)[2], L.solve(A[1], b[2])))
  A[3] = torch.zeros(3, 3)
  t:fails(function() func.vmap(L.inv)(A) end, 'matrix 3 of the batch')
end

function s.counts_of_samples()
  local x = torch.tensor {{1, 0, 2}, {0, 0, 3}}
  t:eq(func.vmap(function(v) return torch.count_nonzero(v) end)(x):tolist(), {2, 1})
end

function s.gradients_of_samples_through_group_norm()
  local m, x = nn.GroupNorm(2, 4), torch.randn(3, 2, 4, 5)
  local function loss(w, v) return (F.group_norm(v, 2, w, m.bias) ^ 2):sum() end
  local got = func.vmap(func.grad(loss), {torch.none, 1})(m.weight:detach(), x)
  for i = 1, 3 do t:assert(torch.allclose(got[i], func.grad(loss)(m.weight:detach(), x[i]), {rtol = 1e-4, atol = 1e-4})) end
end

function s.errors()
  local x = torch.randn(4, 3)
  t:fails(function() func.vmap(3) end, 'expects a function')
  t:fails(function() func.vmap(torch.sum, 3)(x) end, 'no dim 3')
  t:fails(function() func.vmap(torch.add)(x, torch.ones(5, 3)) end, 'argument 2 has 5 samples in dim 1, and argument 1 has 4')
  t:fails(function() func.vmap(torch.sum, {torch.none})(x) end, 'no argument has samples')
  t:fails(function() func.vmap(function(v) return 1 end)(x) end, 'must return tensors')
  t:fails(function() func.vmap(function(v) return v:sum():item() end)(x) end, 'another value in each sample')
  t:fails(function() func.vmap(function(v) return torch.zeros(3):add_(v) end)(x) end, 'written into a tensor from outside')
  t:fails(function() func.vmap(function(v) return v:nonzero() end)(x) end, 'size depends on values')
  t:fails(function() func.vmap(function(v) return torch.histc(v) end)(x) end, 'histc', 'no batching rule')
  t:fails(function() func.vmap(torch.sum, {randomness = 'often'})(x) end, "'error', 'different' or 'same'")
  t:fails(function() func.vmap(torch.sum, {chunk_size = 0})(x) end, 'chunk_size')
  t:fails(function() func.grad(torch.sin)(x) end, 'single element')
  t:fails(function() func.grad(torch.sum, 2)(x) end, 'argument 2')
  t:fails(function() func.grad(torch.sum)(torch.tensor {1}) end, 'float dtype')
  t:fails(function() func.jvp(torch.sin, {x}, {x[1]}) end, 'shape')
  t:eq(func.vmap(torch.sum)(x):size(1), 4)  -- the scope has ended
end

t:add(s):run()
