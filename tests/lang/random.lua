-- Random numbers: moments and quantiles of every distribution at fixed seeds, generators, and what is refused.
local tests, tester = torch.TestSuite(), torch.Tester()

local n = 100000

-- |mean - m| and |variance - v| within five standard errors, which the kurtosis of the distribution allows for.
local function moments(x, m, v, slack)
  x = x:double()
  local mean, var = x:mean():item(), x:var():item()
  local near = 5 * math.sqrt(v / n)
  tester:assert(math.abs(mean - m) < near, string.format('mean %g, expected %g', mean, m))
  tester:assert(math.abs(var - v) < (slack or 0.05) * v, string.format('variance %g, expected %g', var, v))
end

-- The share of elements at or below each quantile's value.
local function quantiles(x, expected)
  x = x:double()
  for share, value in pairs(expected) do
    local got = x:le(value):double():mean():item()
    tester:assert(math.abs(got - share) < 5 * math.sqrt(share * (1 - share) / n),
      string.format('%g of the numbers are up to %g, expected %g', got, value, share))
  end
end

local function fresh(options)
  torch.manual_seed(11)
  return torch.empty(n, options)
end

function tests.normal()
  moments(fresh():normal_(2, 3), 2, 9)
  quantiles(fresh():normal_(), {[0.0228] = -2, [0.1587] = -1, [0.5] = 0, [0.8413] = 1})
  moments(fresh({dtype = torch.float64}):normal_(-1, 0.5), -1, 0.25)
end

function tests.normalOfTensors()
  torch.manual_seed(3)
  local mean = torch.cat({torch.zeros(n), torch.ones(n) * 10})
  local x = torch.normal(mean, 2.0)
  moments(x:narrow(1, 1, n), 0, 4)
  moments(x:narrow(1, n + 1, n), 10, 4)
  local y = torch.normal(1.0, torch.cat({torch.ones(n), torch.ones(n) * 3}))
  moments(y:narrow(1, n + 1, n), 1, 9)
  tester:eq(torch.normal(torch.ones(2), torch.zeros(2)):tolist(), {1.0, 1.0})
  moments(torch.normal(5, 2, {n}), 5, 4)
  tester:assertError(function() torch.normal(torch.zeros(2), torch.tensor({1.0, -1.0})) end)
end

function tests.uniform()
  moments(fresh():uniform_(-1, 3), 1, 16 / 12)
  quantiles(fresh():uniform_(), {[0.1] = 0.1, [0.5] = 0.5, [0.99] = 0.99})
end

function tests.exponential()
  moments(fresh():exponential_(2), 0.5, 0.25)
  quantiles(fresh():exponential_(), {[0.5] = math.log(2), [0.9] = math.log(10)})
end

function tests.geometric()
  moments(fresh():geometric_(0.25), 4, 12)
  local x = fresh({dtype = torch.int64}):geometric_(0.25)
  tester:eq(x:min():item(), 1)
  quantiles(x, {[0.25] = 1, [1 - 0.75 ^ 2] = 2, [1 - 0.75 ^ 8] = 8})
  tester:assertError(function() torch.empty(2):geometric_(0) end)
  tester:assertError(function() torch.empty(2):geometric_(1) end)
end

function tests.cauchy()
  quantiles(fresh():cauchy_(), {[0.25] = -1, [0.5] = 0, [0.75] = 1})
  quantiles(fresh({dtype = torch.float64}):cauchy_(3, 2), {[0.25] = 1, [0.5] = 3, [0.75] = 5})
  tester:assertError(function() torch.empty(2):cauchy_(0, -1) end)
  tester:assertError(function() torch.empty(2, {dtype = torch.int64}):cauchy_() end)
end

function tests.logNormal()
  quantiles(fresh():log_normal_(1, 2), {[0.1587] = math.exp(-1), [0.5] = math.exp(1), [0.8413] = math.exp(3)})
  moments(fresh():log_normal_(0, 0.5):log(), 0, 0.25)
end

function tests.random()
  local x = fresh({dtype = torch.int64}):random_(3, 13)
  tester:eq({x:min():item(), x:max():item()}, {3, 12})
  moments(x, 7.5, 99 / 12)
  local below = fresh():random_(4)
  tester:eq({below:min():item(), below:max():item()}, {0.0, 3.0})
  local bytes = fresh({dtype = torch.uint8}):random_()
  tester:eq({bytes:min():item(), bytes:max():item()}, {0, 255})
  moments(fresh({dtype = torch.bool}):random_(), 0.5, 0.25)
  local wide = fresh({dtype = torch.int64}):random_()
  tester:assert(wide:min():item() >= 0)
  quantiles(wide:double() / 2 ^ 63, {[0.25] = 0.25, [0.75] = 0.75})
  quantiles(fresh():random_() / 2 ^ 24, {[0.5] = 0.5})
  local all = fresh({dtype = torch.int64}):random_(math.mininteger, math.maxinteger)
  quantiles(all:double() / 2 ^ 63, {[0.25] = -0.5, [0.5] = 0, [0.75] = 0.5})
  tester:assertError(function() torch.empty(2):random_(3, 3) end)
  tester:assertError(function() torch.empty(2, {dtype = torch.uint8}):random_(0, 300) end)
end

function tests.bernoulli()
  moments(fresh():bernoulli_(0.3), 0.3, 0.21)
  local p = torch.tensor({0.0, 0.25, 1.0}):expand(n, 3)
  torch.manual_seed(4)
  local x = torch.bernoulli(p)
  tester:eq(x:select(2, 1):sum():item(), 0.0)
  tester:eq(x:select(2, 3):sum():item(), n + 0.0)
  moments(x:select(2, 2), 0.25, 0.1875)
  local into = torch.empty(n, 3, {dtype = torch.int64}):bernoulli_(p)
  moments(into:select(2, 2), 0.25, 0.1875)
  moments(torch.ones(n):bernoulli(0.6), 0.6, 0.24)
  tester:assertError(function() torch.bernoulli(torch.tensor({1.5})) end)
end

function tests.poisson()
  for _, rate in ipairs({0.3, 4.0, 9.9, 10.0, 35.5, 1000.0}) do
    torch.manual_seed(5)
    local x = torch.poisson(torch.full({n}, rate))
    moments(x, rate, rate)
    tester:assert(x:floor():equal(x) and x:min():item() >= 0)
  end
  torch.manual_seed(6)
  quantiles(torch.poisson(torch.full({n}, 2.0, {dtype = torch.float64})),
    {[math.exp(-2)] = 0, [3 * math.exp(-2)] = 1, [5 * math.exp(-2)] = 2})
  -- P(X <= 12) for a rate of 12, of the method for large rates
  quantiles(torch.poisson(torch.full({n}, 12.0)), {[0.575965] = 12, [0.020341] = 5})
  tester:eq(torch.poisson(torch.zeros(3)):tolist(), {0.0, 0.0, 0.0})
  tester:assertError(function() torch.poisson(torch.tensor({-1.0})) end)
end

function tests.multinomial()
  torch.manual_seed(7)
  local x = torch.multinomial(torch.tensor({1.0, 0.0, 3.0}), n, true)
  tester:eq(x:eq(1):sum():item() + x:eq(3):sum():item(), n)
  moments(x:eq(3), 0.75, 0.1875)
  -- Without replacement: the first of two follows the weights, the other its share of the rest.
  local pairs_ = torch.multinomial(torch.tensor({1.0, 2.0, 3.0}):expand(n, 3), 2)
  moments(pairs_:select(2, 1):eq(3), 0.5, 0.25)
  moments(pairs_:select(2, 2):eq(3), 1 / 6 * 3 / 5 + 2 / 6 * 3 / 4, 0.35 * 0.65)
  tester:eq(pairs_:select(2, 1):eq(pairs_:select(2, 2)):sum():item(), 0)
  tester:eq(torch.multinomial(torch.tensor({0.5, 0.0, 0.25}), 2):sort():tolist(), {1, 3})
  tester:assertError(function() torch.multinomial(torch.tensor({1.0, 0.0}), 2) end)
  tester:assertError(function() torch.multinomial(torch.tensor({1.0, -1.0}), 1) end)
  tester:assertError(function() torch.multinomial(torch.tensor({0.0, 0.0}), 1, true) end)
  tester:assertError(function() torch.multinomial(torch.ones(2), 3) end)
end

function tests.randperm()
  torch.manual_seed(8)
  local p = torch.randperm(1000)
  tester:eq(p:sort():tolist(), torch.arange(1, 1001):tolist())
  tester:ne(p:tolist(), torch.randperm(1000):tolist())
end

function tests.likeForms()
  torch.manual_seed(9)
  local x = torch.zeros(n, {dtype = torch.float64})
  moments(torch.rand_like(x), 0.5, 1 / 12)
  moments(torch.randn_like(x), 0, 1)
  moments(torch.randint_like(x, 10), 4.5, 99 / 12)
  moments(torch.randint_like(x, 5, 15), 9.5, 99 / 12)
  tester:eq(torch.randn_like(x).dtype, torch.float64)
end

function tests.dropouts()
  torch.manual_seed(10)
  local x = torch.ones(200, 500, 3)
  local y = F.dropout1d(x, 0.2)
  tester:assert(torch.equal(y:select(3, 1), y:select(3, 3)), 'channels go together')
  moments(y:select(3, 1):reshape(n):ne(0), 0.8, 0.16)
  tester:assert(math.abs(y:max():item() - 1.25) < 1e-6)
  tester:assert(torch.equal(F.dropout2d(x, 0.5, false), x))
  local normal = torch.randn(n)
  local kept = F.alpha_dropout(normal, 0.3, true)
  moments(kept, 0, 1)
  tester:assert(torch.equal(F.alpha_dropout(normal, 0.3), normal), 'training is false')
  local rows = F.feature_alpha_dropout(torch.zeros(2, 50, 4), 0.5, true)
  tester:assert(torch.equal(rows:select(3, 1), rows:select(3, 4)))
  tester:assertError(function() F.dropout1d(torch.ones(3), 0.5) end)
  tester:assertError(function() F.dropout1d(x, 1.5) end)
end

function tests.gumbelSoftmax()
  torch.manual_seed(12)
  local logits = torch.tensor({0.5, 0.2, 0.3}):log():expand(n, 3):clone():requires_grad_()
  local hard = F.gumbel_softmax(logits, 1, true)
  moments(hard:detach():select(2, 1), 0.5, 0.25)
  moments(hard:detach():select(2, 2), 0.2, 0.16)
  tester:assert((hard:sum(2) - 1):abs():max():item() < 1e-5)
  local c = torch.randn(n, 3)
  local hard_grad = torch.autograd.grad((hard * c):sum(), {logits})
  torch.manual_seed(12)
  local soft_grad = torch.autograd.grad((F.gumbel_softmax(logits) * c):sum(), {logits})
  tester:assert(torch.equal(hard_grad, soft_grad))
end

-- Every random operator draws from the generator that it is given, and from no other.
function tests.generators()
  local weights = torch.tensor({0.2, 0.3, 0.5})
  local draws = {
    function(g) return torch.rand(5, {generator = g or torch.none}) end,
    function(g) return torch.randn(5, {generator = g or torch.none}) end,
    function(g) return torch.randint(100, {5}, {generator = g or torch.none}) end,
    function(g) return torch.randint(5, 100, {5}, {generator = g or torch.none}) end,
    function(g) return torch.randperm(9, {generator = g or torch.none}) end,
    function(g) return torch.rand_like(weights, {generator = g or torch.none}) end,
    function(g) return torch.randn_like(weights, {generator = g or torch.none}) end,
    function(g) return torch.randint_like(weights, 100, {generator = g or torch.none}) end,
    function(g) return torch.normal(weights, 1.0, {generator = g or torch.none}) end,
    function(g) return torch.normal(0, 1, {5}, {generator = g or torch.none}) end,
    function(g) return torch.bernoulli(torch.full({40}, 0.5), {generator = g or torch.none}) end,
    function(g) return torch.poisson(torch.full({9}, 20.0), {generator = g or torch.none}) end,
    function(g) return torch.multinomial(weights, 20, true, {generator = g or torch.none}) end,
    function(g) return torch.multinomial(torch.ones(20), 10, {generator = g or torch.none}) end,
    function(g) return torch.empty(5):normal_(0, 1, {generator = g or torch.none}) end,
    function(g) return torch.empty(5):uniform_({generator = g or torch.none}) end,
    function(g) return torch.empty(5):exponential_(1, {generator = g or torch.none}) end,
    function(g) return torch.empty(9):geometric_(0.1, {generator = g or torch.none}) end,
    function(g) return torch.empty(5):cauchy_(0, 1, {generator = g or torch.none}) end,
    function(g) return torch.empty(5):log_normal_(0, 1, {generator = g or torch.none}) end,
    function(g) return torch.empty(9):random_({generator = g or torch.none}) end,
    function(g) return torch.empty(9):random_(1000, {generator = g or torch.none}) end,
    function(g) return torch.empty(9):random_(10, 1000, {generator = g or torch.none}) end,
    function(g) return torch.empty(40):bernoulli_(0.5, {generator = g or torch.none}) end,
    function(g) return torch.empty(40):bernoulli_(torch.full({40}, 0.5), {generator = g or torch.none}) end,
  }
  for i, draw in ipairs(draws) do
    local g = torch.Generator():manual_seed(42)
    torch.manual_seed(1)
    local before = torch.get_rng_state()
    local first = draw(g)
    tester:assert(torch.equal(before, torch.get_rng_state()), 'draw ' .. i .. ' took from the default generator')
    tester:assert(not torch.equal(first, draw(g)), 'draw ' .. i .. ' gave the same numbers again')
    tester:assert(torch.equal(first, draw(g:manual_seed(42))), 'draw ' .. i .. ' is no function of the seed')
    tester:assert(torch.equal(before, torch.get_rng_state()))
    draw()
    tester:assert(not torch.equal(before, torch.get_rng_state()), 'draw ' .. i .. ' without a generator')
  end
end

function tests.generatorState()
  local g = torch.Generator('cpu')
  tester:eq(tostring(g.device), 'cpu')
  tester:eq(g:manual_seed(5):initial_seed(), 5)
  torch.rand(7, {generator = g})
  local state = g:get_state()
  local expected = torch.randn(6, {generator = g})
  g:manual_seed(9)
  g:set_state(state)
  tester:assert(torch.equal(expected, torch.randn(6, {generator = g})))
  tester:eq(g:initial_seed(), 5)
  local s = g:seed()
  tester:eq(g:initial_seed(), s)
  -- Two streams with one seed are one stream of numbers.
  torch.manual_seed(13)
  local default = torch.rand(4)
  tester:assert(torch.equal(default, torch.rand(4, {generator = torch.Generator():manual_seed(13)})))
  tester:eq(torch.initial_seed(), 13)
  tester:eq(torch.default_generator:initial_seed(), 13)
  local any = torch.seed()
  tester:eq(torch.initial_seed(), any)
  tester:assertError(function() torch.rand(2, {generator = 5}) end)
  tester:assertError(function() torch.ones(2):add(1, {generator = g or torch.none}) end)
  tester:assertError(function() g:set_state(torch.zeros(3)) end)
  tester:assertError(function() return g.sede end)
  torch.rand(2, {generator = torch.none})
end

tester:add(tests):run()
