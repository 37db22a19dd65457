-- torch.distributions against PyTorch's values (tests/golden/distributions.json), moments of samples, gradients of
-- samples, and what errors say.
local root = os.getenv 'LUTH_SOURCE' or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local golden = read.json(read.text(root .. '/tests/golden/distributions.json'))
local t, s = torch.Tester(), torch.TestSuite()
local D = torch.distributions
local special = { nan = math.huge - math.huge, inf = math.huge, ['-inf'] = -math.huge }

local function numbers(v)
  if type(v) ~= 'table' then return special[v] or v end
  local out = {}
  for i, x in ipairs(v) do out[i] = numbers(x) end
  return out
end
local function tensor(v) return torch.tensor(numbers(v), { dtype = 'float64' }) end

local function build(v)
  if type(v) ~= 'table' then return v end
  if v.class then
    local named = {}
    for key, value in pairs(v.args) do named[key] = build(value) end
    return next(named) and D[v.class](named) or D[v.class]()
  end
  if type(v[1]) == 'table' and v[1].class then
    local list = {}
    for i, x in ipairs(v) do list[i] = build(x) end
    return list
  end
  return tensor(v)
end

local function join(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end
local function near(got, expected, what)
  expected = tensor(expected)
  t:eq(got:size(), expected:size(), what)
  t:assert(got:double():allclose(expected, { rtol = 1e-8, atol = 1e-10, equal_nan = true }),
    what .. ': ' .. tostring(got) .. ' is not ' .. tostring(expected))
end

local _default = torch.get_default_dtype()
local function in_float64(f)
  return function()
    torch.set_default_dtype('float64')
    local ok, message = xpcall(f, debug.traceback)
    torch.set_default_dtype(_default)
    if not ok then error(message, 0) end
  end
end

s.figures = in_float64(function()
  for i, case in ipairs(golden.cases) do
    local d = build(case.distribution)
    local what = i .. ' ' .. case.distribution.class
    t:eq(d.batch_shape, torch.Size(case.batch_shape), what)
    t:eq(d.event_shape, torch.Size(case.event_shape), what)
    for _, name in ipairs { 'mean', 'variance', 'stddev', 'mode' } do
      if case[name] then near(d[name], case[name], what .. '.' .. name) end
    end
    if case.entropy then near(d:entropy(), case.entropy, what .. ' entropy') end
    for k, level in ipairs(case.icdf and golden.levels or {}) do
      near(d:icdf(torch.tensor(level)), case.icdf[k], what .. ' icdf')
    end
    for _, row in ipairs(case.values) do
      local x = tensor(row.value)
      near(d:log_prob(x), row.log_prob, what .. ' log_prob')
      if row.cdf then near(d:cdf(x), row.cdf, what .. ' cdf') end
    end
  end
end)

s.expand = in_float64(function()
  for _, case in ipairs(golden.cases) do
    local d, what = build(case.distribution), case.distribution.class
    local batch = { 2, table.unpack(case.batch_shape) }
    local e = d:expand(batch)
    t:eq(e.batch_shape, torch.Size(batch), what)
    t:eq(e.event_shape, d.event_shape, what)
    local x = tensor(case.values[1].value)
    t:assert(e:log_prob(x):allclose(d:log_prob(x):expand(batch), { equal_nan = true }), what)
    t:eq(e:sample { 3 }:size(), torch.Size { 3, 2, table.unpack(d:sample():size()) }, what)
  end
end)

s.divergences = in_float64(function()
  for i, pair in ipairs(golden.kl) do
    near(D.kl_divergence(build(pair.p), build(pair.q)), pair.kl, i .. ' kl of ' .. pair.p.class .. ' and ' .. pair.q.class)
  end
  t:fails(function() D.kl_divergence(D.Normal(0, 1), D.Poisson(1)) end, 'no formula for Normal and Poisson; give one by register_kl')
  D.register_kl(D.Laplace, D.Uniform, function() return torch.tensor(7.) end)
  t:eq(D.kl_divergence(D.Laplace(0, 1), D.Uniform(0, 1)):item(), 7.)
end)

-- Within 6 standard errors, with the mean and variance of the distribution, which `figures` compares with PyTorch's.
s.moments = in_float64(function()
  torch.manual_seed(3)
  local n = 20000
  for i, case in ipairs(golden.cases) do
    local d, what = build(case.distribution), i .. ' ' .. case.distribution.class
    local x = d:sample { n }
    t:eq(x:size(), torch.Size(join({ n }, case.batch_shape, case.event_shape)), what)
    t:assert(not x.requires_grad, what)
    if case.mean and case.variance and what:find 'Transformed' == nil then
      local mean, variance = tensor(case.mean), tensor(case.variance)
      local finite = variance:isfinite()
      local got, spread = x:double():mean(1), (x:double() - mean) ^ 2
      local error = (variance / n):sqrt() * 6 + 1e-12
      t:assert(((got - mean):abs():le(error) | ~finite):all(), what .. ' mean ' .. tostring(got))
      local error2 = (spread:var(1) / n):sqrt() * 6 + 1e-12
      t:assert(((spread:mean(1) - variance):abs():le(error2) | ~finite):all(), what .. ' variance ' .. tostring(spread:mean(1)))
    end
  end
end)

function s.labels_count_from_1()
  torch.manual_seed(4)
  local d = D.Categorical { probs = torch.tensor { 0.5, 0., 0.25, 0.25 } }
  local x = d:sample { 8000 }
  local counts = x:bincount { minlength = 4 }:double() / 8000
  t:assert((counts - torch.tensor { 0.5, 0., 0.25, 0.25 }):abs():max():item() < 6 * 0.5 / math.sqrt(8000))
  t:eq(d:enumerate_support():tolist(), { 1, 2, 3, 4 })
  t:fails(function() d:log_prob(torch.tensor(0)) end, 'an integer within the bounds of the distribution, got 0')
end

function s.draws_of_no_concentration_end()
  local c = torch.tensor { special.nan, special.inf, -1., 0., 2. }
  local x = D.Gamma(c, 1, { validate_args = false }):sample()
  t:assert(x[1]:isnan():item() and x[2]:isinf():item() and x[5]:item() > 0, tostring(x))
end

-- PyTorch's derivative is an approximation of its own.
s.gamma_gradients = in_float64(function()
  local gamma, g = require 'luth.torch.distributions.gamma', golden.gamma_gradient
  local expected = tensor(g.gradient)
  local got = gamma.derivative(tensor(g.concentration):expand_as(expected), tensor(g.sample))
  t:assert(got:allclose(expected, { rtol = 1e-3 }), tostring(got) .. tostring(expected))
end)

-- The gradient of the mean of f(x) by the parameters, from samples, is that of the mean.
s.gradients_of_samples = in_float64(function()
  torch.manual_seed(5)
  local n = 20000
  local function check(what, make, values, mean)
    local p, q = tensor(values):requires_grad_(), tensor(values):requires_grad_()
    local x = make(p):rsample { n }
    x = x:reshape(n, -1)
    local each = torch.autograd.grad(x:select(2, 1):mean(), { p })
    local exact = torch.autograd.grad(mean(make(q)), { q })
    t:assert((each - exact):abs():max():item() < 0.05 * (1 + exact:abs():max():item()), what .. ': ' .. tostring(each) .. tostring(exact))
  end
  local function first(d) return d.mean:reshape(-1)[1] end
  check('Normal', function(p) return D.Normal(p[1], p[2]) end, { 0.5, 2. }, first)
  check('Laplace', function(p) return D.Laplace(p[1], p[2]) end, { 0.5, 2. }, first)
  check('Exponential', function(p) return D.Exponential(p[1]) end, { 0.5 }, first)
  check('Gamma', function(p) return D.Gamma(p[1], p[2]) end, { 0.7, 1.5 }, first)
  check('Gamma', function(p) return D.Gamma(p[1], p[2]) end, { 20., 4. }, first)
  check('Beta', function(p) return D.Beta(p[1], p[2]) end, { 0.7, 1.5 }, first)
  check('Dirichlet', function(p) return D.Dirichlet(p) end, { 0.7, 1.5, 3. }, first)
  check('StudentT', function(p) return D.StudentT(p[1], p[2], p[3]) end, { 7., 1.5, 3. }, function(d) return d.mean + 0 * d.df end)
  check('Uniform', function(p) return D.Uniform(p[1], p[2]) end, { 0.7, 1.5 }, first)
  check('LogNormal', function(p) return D.LogNormal(p[1], p[2]) end, { 0.7, 0.5 }, first)
end)

function s.transforms()
  local x = torch.zeros(2, { dtype = 'float64' })
  t:eq(tostring(D.AffineTransform(0, 2):log_abs_det_jacobian(x, x).dtype), 'torch.float64')
  local x = torch.tensor { 0.25, 1.5 }
  for _, f in ipairs { D.ExpTransform(), D.SigmoidTransform(), D.TanhTransform(), D.SoftplusTransform(), D.AffineTransform(1., -2.), D.PowerTransform(0.5) } do
    local y = f(x)
    t:assert(f.inv(y):allclose(x, { rtol = 1e-4 }), tostring(f))
    local z = x:clone():requires_grad_()
    local slope = torch.autograd.grad(f(z):sum(), { z })
    t:assert(slope:abs():log():allclose(f:log_abs_det_jacobian(x, y), { rtol = 1e-4, atol = 1e-5 }), tostring(f))
    t:assert(f.inv:log_abs_det_jacobian(y, x):allclose(-f:log_abs_det_jacobian(x, y)), tostring(f))
    t:eq(f.inv.inv, f)
  end
  t:assert(D.SoftmaxTransform()(x):sum():allclose(torch.tensor(1.)))
  t:fails(function() D.AbsTransform():log_abs_det_jacobian(x, x) end, 'AbsTransform: is not bijective')
  t:eq(tostring(D.AffineTransform(1., -2.)), 'AffineTransform(loc=1.0, scale=-2.0, event_dim=0)')
end

-- Values are PyTorch's.
function s.divergences_at_the_edges_and_of_other_classes()
  local function of(...) return torch.tensor({ ... }, { dtype = 'float64' }) end
  local p = of(1, 0, 0.3):requires_grad_()
  local k = D.kl_divergence(D.Bernoulli(p), D.Bernoulli(of(0.95, 0.2, 0.4)))
  k:sum():backward()
  t:assert(k:allclose(of(0.05129329438755069, 0.2231435513142097, 0.021600854143546), { atol = 1e-12 }))
  t:assert(p.grad:allclose(of(0.0512932943873, -0.2231435513142, -0.44183275227904), { atol = 1e-9 }), tostring(p.grad))
  local far = D.kl_divergence(D.Bernoulli { probs = of(0.9) }, D.Bernoulli { logits = of(25) })
  near(far, { 2.17491702662105 }, 'by logits')
  local counts = D.kl_divergence(D.Binomial(of(5, 4), of(0.3, 0.3)), D.Binomial(of(5, 2), of(0.3, 0.3)))
  t:eq(counts:tolist(), { 0.0, math.huge })
  t:fails(function() D.kl_divergence(D.Binomial(of(5, 1), of(0.3, 0.3)), D.Binomial(of(4, 2), of(0.3, 0.3))) end, 'smaller total_count')
  local beta, gamma, part = D.Beta(of(2), of(3)), D.Gamma(of(2), of(3)), D.Uniform(of(0.2), of(0.7))
  near(D.kl_divergence(part, beta), { 0.33310228632688 }, 'Uniform and Beta')
  near(D.kl_divergence(part, gamma), { 0.70149235976431 }, 'Uniform and Gamma')
  near(D.kl_divergence(beta, gamma), { 0.32101540578511 }, 'Beta and Gamma')
  near(D.kl_divergence(beta, D.Exponential(of(2))), { 0.34175946922806 }, 'Beta and Exponential')
  t:eq(D.kl_divergence(D.Normal(of(0, 1), 1), gamma):tolist(), { math.huge, math.huge })
  t:eq(D.kl_divergence(D.Poisson(of(2)), D.Bernoulli(of(0.5))):tolist(), { math.huge })
end

function s.variance_of_student_has_a_gradient_where_it_is_infinite()
  local scale = torch.ones(3):requires_grad_()
  D.StudentT(torch.tensor { 1.5, 2., 4. }, 0, scale).variance:sum():backward()
  t:eq(scale.grad:tolist(), { 0.0, 0.0, 4.0 })
end

function s.printing_and_classes()
  local d = D.Normal(0., 2.)
  t:eq(tostring(d), 'Normal(loc: 0.0, scale: 2.0)')
  t:eq(tostring(D.Normal(torch.zeros(3), 1)), 'Normal(loc: torch.Size([3]), scale: torch.Size([3]))')
  t:eq(tostring(D.Independent(D.Normal(torch.zeros(3), 1), 1)), 'Independent(Normal(loc: torch.Size([3]), scale: torch.Size([3])), 1)')
  t:assert(torch.isinstance(d, D.Normal) and not torch.isinstance(d, D.Laplace))
  t:assert(torch.isinstance(D.LogNormal(0, 1), D.TransformedDistribution))
  t:eq(torch.typename(d), 'torch.distributions.Normal')
  t:assert(d.has_rsample and not D.Poisson(1.).has_rsample)
end

function s.levels_may_be_numbers()
  local level = torch.tensor(0.3)
  for _, d in ipairs { D.Normal(0, 1), D.Uniform(1, 3), D.Exponential(2), D.Laplace(0, 1), D.LogNormal(0, 1) } do
    near(d:icdf(0.3), d:icdf(level), d.class.name)
    t:fails(function() d:icdf {} end, ':icdf: expects a tensor, got table')
  end
end

function s.errors()
  local n = D.Normal(torch.zeros(3), 1)
  for _, m in ipairs {
    { function() D.Normal(0, -1) end, 'distributions.lua:%d+: Normal: scale must be above 0, got %-1' },
    { function() D.Normal(0) end, "Normal: argument 'scale' is missing" },
    { function() D.Normal(0, 'a') end, 'Normal: parameters are numbers or tensors, got string' },
    { function() D.Normal(0, special.nan) end, 'scale must be above 0, got' },
    { function() D.Normal { mean = 0, scale = 1 } end, "no argument is named 'mean'" },
    { function() n:log_prob(torch.zeros(2)) end, 'Normal:log_prob: a value of shape %[2%] does not fit to batch_shape %[3%] and event_shape %[%]' },
    { function() n:log_prob('a') end, 'expects a tensor, got string' },
    { function() n:log_prob(special.nan) end, 'the value must be a number, got' },
    { function() n:median() end, "Normal: has no field or method 'median'" },
    { function() n:sample('a') end, 'expects a shape such as {2, 3}, got string' },
    { function() D.Poisson(1.):entropy() end, 'Poisson: has no entropy in closed form' },
    { function() D.Poisson(1.):rsample() end, 'Poisson: has no rsample' },
    { function() D.Poisson(1.):log_prob(0.5) end, 'must be an integer from 0, got 0.5' },
    { function() D.Bernoulli(0.5):log_prob(2) end, 'the value must be 0 or 1, got 2' },
    { function() D.Bernoulli { probs = 0.5, logits = 0. } end, 'Bernoulli: expects either probs or logits, not both' },
    { function() D.Bernoulli() end, 'Bernoulli: expects either probs or logits' },
    { function() D.Bernoulli(1.5) end, 'probs must be from 0 to 1, got 1.5' },
    { function() D.Categorical(torch.tensor { -1., 2. }) end, 'probs must be at least 0, got %-1' },
    { function() D.Uniform(1, 0) end, 'Uniform: low must be below high' },
    { function() D.Beta(1, 1):log_prob(1.5) end, 'from 0 to 1, got 1.5' },
    { function() D.Dirichlet(3) end, 'must have at least one dim' },
    { function() D.Dirichlet(torch.tensor { 1., 2. }):log_prob(torch.tensor { 0.5, 0.7 }) end, 'whose sum is 1' },
    { function() D.MultivariateNormal(torch.zeros(2)) end, 'expects covariance_matrix, precision_matrix or scale_tril' },
    { function() D.MultivariateNormal(torch.zeros(2), torch.eye(3)) end, 'covariance_matrix must be 2 x 2 as loc is, got 3 x 3' },
    { function() D.MultivariateNormal(torch.zeros(2), -torch.eye(2)) end, 'covariance_matrix must be symmetric positive definite' },
    { function() D.Independent(n, 2) end, 'reinterpreted_batch_ndims must be from 0 to the 1 dims' },
    { function() D.Independent(3, 2) end, 'base_distribution must be a distribution, got number' },
    { function() D.TransformedDistribution(n, { 3 }) end, 'element 1 of the list is no transform' },
    { function() D.LogNormal(0, 1):log_prob(-1.) end, 'above 0, got %-1' },
    { function() D.Binomial(3, { probs = 0.5 }):log_prob(4) end, 'within the bounds of the distribution, got 4' },
  } do
    local ok, message = pcall(m[1])
    t:assert(not ok and tostring(message):find(m[2]), tostring(message))
  end
  t:eq(D.Normal(0, -1, { validate_args = false }).scale:item(), -1.)
end

t:add(s):run()
