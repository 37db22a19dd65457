-- Elementwise operators as scripts call them: names in tables, both orders of polygamma, `inplace = true`.
local t, s = torch.Tester(), torch.TestSuite()

function s.equality_by_parts()
  local x = torch.arange(20000)
  for _, at in ipairs {1, 1024, 1025, 5120, 5121, 20000} do
    local y = x:clone()
    t:eq(torch.equal(x, y), true)
    y[at] = -1
    t:eq(torch.equal(x, y), false)
    t:eq(torch.equal(x:view(100, 200):t(), y:view(100, 200):t()), false)
  end
end

function s.inplace_by_name()
  local x = torch.tensor {-1., 0.5, 8.}
  t:assert(F.relu6(x, {inplace = true}) == x, 'the tensor itself')
  t:eq(x:tolist(), {0., 0.5, 6.})
  t:assert(F.hardtanh(x, 0, 2, {inplace = false}) ~= x)
  t:eq(x:tolist(), {0., 0.5, 6.})
  F.threshold(x, 1, 9, {inplace = true})
  t:eq(x:tolist(), {9., 9., 6.})
  F.hardtanh_(x, -1, 7)
  t:eq(x:tolist(), {7., 7., 6.})
  local w = torch.ones(2, {requires_grad = true})
  F.elu(w * -1, {alpha = 2, inplace = true}):sum():backward()
  t:assert(torch.allclose(w.grad, torch.full({2}, -2 * math.exp(-1))))
  t:fails(function() F.gelu(x, {inplace = true}) end, 'inplace')
end

function s.polygamma_in_both_orders()
  local x = torch.tensor {1., 2.}
  local want = torch.tensor {math.pi ^ 2 / 6, math.pi ^ 2 / 6 - 1}
  for _, got in ipairs {torch.polygamma(1, x), x:polygamma(1), torch.special.polygamma(1, x), x:polygamma {n = 1}} do
    t:assert(torch.allclose(got, want))
  end
end

function s.names_of_special_functions()
  local x = torch.tensor {0.25, 0.75}
  for ours, special in pairs {sigmoid = 'expit', lgamma = 'gammaln', digamma = 'psi', mvlgamma = 'multigammaln', erf = 'erf',
                              erfinv = 'erfinv', logit = 'logit', i0 = 'i0', sinc = 'sinc', log1p = 'log1p', round = 'round'} do
    local p = ours == 'mvlgamma' and 2 or nil
    local got, want = torch.special[special](x, p), torch[ours](x, p)
    t:assert(torch.allclose(got, want, {equal_nan = true}), ours)
  end
  t:eq(torch.special.zeta(2, torch.tensor {1.}):item(), (math.pi ^ 2 / 6), 1e-6)
end

-- By its series near 0.
function s.gradient_of_sinc()
  local x = torch.tensor({1e-30, 1e-3, 0.05, 0, -0.07, 0.25, -1e30}, {requires_grad = true})
  x:sinc():sum():backward()
  local want = {-math.pi ^ 2 / 3 * 1e-30}
  for i, v in ipairs {1e-3, 0.05, 0, -0.07, 0.25} do
    local a = math.pi * v
    want[i + 1] = v == 0 and 0 or i == 1 and -math.pi * a / 3 or (a * math.cos(a) - math.sin(a)) / (a * v)
  end
  want[7] = 0
  local got = x.grad:tolist()
  for i, v in ipairs(want) do t:assert(math.abs(got[i] - v) <= 2e-5 * math.abs(v) + 1e-28 * (i == 7 and 1 or 0), i .. ': ' .. got[i]) end
  local z = torch.zeros(1, {dtype = torch.float64, requires_grad = true})
  local g = torch.autograd.grad(z:sinc():sum(), {z}, {create_graph = true})[1]
  g:sum():backward()
  t:eq(z.grad:item(), -math.pi ^ 2 / 3, 1e-12)
end

-- A number as exponent takes another way than a tensor of it.
function s.powers_by_numbers()
  local inf = 1 / 0
  for _, dtype in ipairs {torch.float32, torch.float64, torch.bfloat16} do
    local x = torch.tensor({0., -0., 1., -1., 2.5, -3., inf, -inf, 0 / 0, 1e-45, -1e-30, 3e38, 0.7}, {dtype = dtype}):tile(5)
    for exponent = -5, 5, 0.5 do
      local got, want = x ^ exponent, x:pow(torch.full_like(x, exponent))
      t:assert(torch.allclose(got, want, 3e-7, 0, {equal_nan = true}), tostring(dtype) .. ' ' .. exponent)
      t:eq(got:nan_to_num(1):signbit():tolist(), want:nan_to_num(1):signbit():tolist())
    end
  end
end

-- Of float32, multiples of 1/2 up to 4 are rounded once.
function s.powers_are_rounded_once()
  torch.manual_seed(1)
  local x = torch.randn(5000):abs() * torch.randn(5000):mul_(8):exp()
  for exponent = -4, 4, 0.5 do
    local got, want = x ^ exponent, (x:double() ^ exponent)
    local _, power = torch.frexp(want)
    local error = torch.where(got:eq(want:float()), 0, (got:double() - want):abs() / torch.ldexp(torch.ones_like(want), power - 24))
    t:assert(error:max():item() <= 0.5001, exponent .. ': ' .. error:max():item())
  end
end

function s.kaiser_of_any_beta()
  t:eq(torch.kaiser_window(5, false, 1 / 0):tolist(), {0., 0., 1., 0., 0.})
  local w = torch.kaiser_window(5, false, 1000):tolist()
  t:eq(w[3], 1.)
  t:assert(w[2] > 0 and w[2] < 1e-50 or w[2] == 0)
  t:assert(torch.allclose(torch.kaiser_window(5, false), torch.tensor {5.2773441e-05, 0.2156727, 1, 0.2156727, 5.2773441e-05}, 1e-4))
end

t:add(s):run()
