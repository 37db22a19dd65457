-- Optimizers and schedules as scripts see them.
local tester = torch.Tester()
local tests = torch.TestSuite()

local function parameter(v)
  local p = nn.Parameter(torch.tensor { v })
  p.grad = torch.ones(1)
  return p
end

function tests.steps_groups_with_their_settings()
  local a, b = parameter(1.0), parameter(1.0)
  local opt = optim.SGD({ { params = { a }, lr = 0.5 }, { params = { b } } }, { lr = 0.25 })
  opt:step()
  tester:eq(a:item(), 0.5)
  tester:eq(b:item(), 0.75)
  tester:eq(#opt.param_groups, 2)
  tester:eq(opt.param_groups[1].lr, 0.5)
  opt.param_groups[2].lr = 0.0
  opt.param_groups[1].momentum = 0.9
  opt:step()
  tester:eq(b:item(), 0.75)
  opt:zero_grad()
  tester:eq(a.grad, nil)
  opt:step()  -- nothing has a gradient
  tester:eq(a:item(), 0.0)
  tester:assert(opt.param_groups[1].params[1] == a)
  local seen = {}
  for name in pairs(opt.param_groups[1]) do seen[name] = true end
  tester:assert(seen.lr and seen.params and seen.nesterov)
end

function tests.takes_positions_names_and_modules()
  local p = parameter(1.0)
  tester:eq(optim.SGD({ p }, 0.5, 0.9).param_groups[1].momentum, 0.9)
  tester:eq(optim.AdamW({ p }).param_groups[1].weight_decay, 0.01)
  tester:eq(optim.Adam({ p }, { betas = { 0.5, 0.75 } }).param_groups[1].betas[2], 0.75)
  tester:eq(#optim.SGD(nn.Linear(2, 2):parameters(), { lr = 1 }).param_groups[1].params, 2)
  tester:fails(function() return optim.SGD({ p }, { learning_rate = 1 }) end, 'learning_rate')
  tester:fails(function() return optim.SGD({ p }, { lr = -1 }) end, 'lr must be at least 0')
  tester:fails(function() return optim.SGD({}) end, 'no parameters')
  tester:fails(function() return optim.SGD({ torch.ones(1, { requires_grad = true }) * 2 }) end, 'no leaf')
  local later = optim.Adam { lr = 0.1 }
  tester:fails(function() return later.step(later) end, 'no parameters yet')
  later:add_param_group { params = { p }, weight_decay = 0.5 }
  tester:eq(later.param_groups[1].lr, 0.1)
  tester:assert(torch.isinstance(later, optim.Adam) and not torch.isinstance(later, optim.SGD))
  local before = later.param_groups[1].lr
  tester:fails(function() later.param_groups[1].lr = -1 end, 'at least 0')
  tester:eq(later.param_groups[1].lr, before)
end

function tests.closures_compute_the_gradient()
  local p = parameter(2.0)
  local opt = optim.SGD({ p }, { lr = 0.25 })
  local loss = opt:step(function()
    opt:zero_grad()
    local l = (p * p):sum()
    l:backward()
    return l
  end)
  tester:eq(loss:item(), 4.0)
  tester:eq(p:item(), 1.0)
end

function tests.state_dicts_resume_bit_for_bit()
  torch.manual_seed(1)
  local function run(steps, model, opt, xs)
    for i = 1, steps do
      opt:zero_grad()
      model(xs[i]):square():mean():backward()
      opt:step()
    end
  end
  local xs = {}
  for i = 1, 6 do xs[i] = torch.randn(4, 3) end
  local a = nn.Linear(3, 2)
  local opt_a = optim.AdamW(a:parameters(), { lr = 0.05, amsgrad = true })
  run(3, a, opt_a, xs)
  local b = a:clone()
  local opt_b = optim.AdamW(b:parameters(), { lr = 1 })
  local state = opt_a:state_dict()
  tester:eq(state.state[1].step, 3)
  tester:eq(state.param_groups[1].params[2], 2)
  tester:eq(state.param_groups[1].betas[1], 0.9)
  opt_b:load_state_dict(state)
  tester:eq(opt_b.param_groups[1].lr, 0.05)
  run(3, a, opt_a, xs)
  run(3, b, opt_b, xs)
  tester:assert(torch.equal(a.weight, b.weight) and torch.equal(a.bias, b.bias))
  tester:fails(function() return opt_b.load_state_dict(opt_b, { state = {}, param_groups = {} }) end, 'parameter groups')
end

function tests.state_dicts_of_pytorch()
  local p, q = nn.Parameter(torch.ones(2)), parameter(1.0)
  local opt = optim.NAdam({ p, q }, { lr = 0.1 })
  local moment = { step = torch.tensor(3.0), mu_product = torch.tensor(0.5), exp_avg = torch.ones(2), exp_avg_sq = torch.ones(2) }
  opt:load_state_dict({
    state = { [0] = moment },
    param_groups = { { lr = 0.5, betas = { 0.9, 0.99 }, eps = 1e-8, weight_decay = 0, momentum_decay = 0.004,
                       decoupled_weight_decay = false, maximize = false, capturable = false, differentiable = false,
                       params = { 0, 1 } } },
  }, { base = 0 })
  tester:eq(opt.state[p].step, 3)
  tester:eq(opt.state[p].mu_product, 0.5)
  tester:eq(opt.param_groups[1].lr, 0.5)
  p.grad = torch.ones(2)
  opt:step()
  local out = opt:state_dict { base = 0 }
  tester:assert(out.state[0].step == 4 and out.param_groups[1].params[1] == 0)
  tester:fails(function() return opt:state_dict { base = 2 } end, 'base is 1')
  local empty = optim.LBFGS { nn.Parameter(torch.zeros(0)) }
  tester:eq(empty:step(function() return 2 end), 2)
end

function tests.schedules_set_rates()
  local opt = optim.SGD({ parameter(1.0) }, { lr = 1, momentum = 0.9 })
  local s = optim.lr_scheduler.StepLR(opt, { step_size = 2, gamma = 0.5 })
  local rates = {}
  for i = 1, 4 do
    rates[i] = opt.param_groups[1].lr
    s:step()
  end
  tester:eq(table.concat(rates, ' '), '1.0 1.0 0.5 0.5')
  tester:eq(s:get_last_lr()[1], 0.25)
  tester:eq(s.last_epoch, 4)
  local other = optim.SGD({ parameter(1.0) }, { lr = 1 })
  local again = optim.lr_scheduler.StepLR(other, 2, 0.5)
  again:load_state_dict(s:state_dict())
  other:load_state_dict(opt:state_dict())
  again:step()
  tester:eq(other.param_groups[1].lr, 0.25)
  again:step()
  tester:eq(other.param_groups[1].lr, 0.125)
end

function tests.takes_named_parameters()
  local m = nn.Linear(2, 3)
  local opt = optim.SGD(m:named_parameters(), { lr = 0.1 })
  tester:eq(#opt.param_groups[1].params, 2)
  tester:assert(opt.param_groups[1].params[1] == m.weight)
  local grouped = optim.SGD { { params = m:named_parameters(), lr = 0.1 } }
  tester:assert(grouped.param_groups[1].params[2] == m.bias)
  tester:fails(function() optim.SGD(m:named_children()) end, 'got no parameters')
  tester:fails(function() optim.SGD((nn.Sequential(m)):named_children()) end, 'named parameters are a name and a tensor', 'nn.Linear')
end

function tests.groups_keep_fields_of_the_user()
  local a, b = parameter(1.0), parameter(1.0)
  local opt = optim.SGD({ { params = { a }, name = 'head', lr_mult = 2, frozen = false }, { params = { b }, initial_lr = 0.5 } }, { lr = 0.25 })
  local group = opt.param_groups[1]
  tester:eq({ group.name, group.lr_mult, group.frozen }, { 'head', 2, false })
  tester:eq(opt.param_groups[2].initial_lr, 0.5)
  group.stage = 1.5
  group.frozen = nil
  local seen = {}
  for name, value in pairs(group) do seen[name] = value end
  tester:eq({ seen.name, seen.stage, seen.frozen }, { 'head', 1.5 })
  tester:assert(tostring(opt):find("name: 'head'", 1, true))
  local other = optim.SGD({ { params = { a } }, { params = { b }, name = 'tail' } }, { lr = 0.1 })
  other:load_state_dict(opt:state_dict())
  tester:eq(other.param_groups[1].stage, 1.5)
  tester:eq(other.param_groups[2].name, nil, 'as in the state')
  local path = os.tmpname()
  torch.save(opt, path)
  tester:eq(torch.load(path).param_groups[1].name, 'head')
  os.remove(path)
  -- PyTorch's OneCycleLR keeps its bounds there
  local state = opt:state_dict { base = 0 }
  state.param_groups[1].max_momentum = 0.95
  other:load_state_dict(state, { base = 0 })
  other:load_state_dict(other:state_dict())
  tester:eq(other.param_groups[1].max_momentum, 0.95)
  tester:fails(function() optim.SGD { { params = { a }, momentun = 1 } } end, "did you mean 'momentum'?")
  tester:fails(function() optim.SGD { { params = { a }, amsgrad = true } } end, "no argument is named 'amsgrad'")
  tester:fails(function() optim.SGD { { params = { a }, layers = {} } } end, "'layers' of a parameter group is no setting", 'got a table')
  tester:fails(function() group.weight_decoy = 1 end, "did you mean 'weight_decay'?")
  tester:fails(function() group.amsgrad = true end, "no setting 'amsgrad'")
end

-- Rates that a state lacks, or that a group added later never had, are an error, not what lies behind the list.
function tests.schedules_check_their_rates()
  local L = optim.lr_scheduler
  local function made(make)
    local opt = optim.SGD({ parameter(1.0) }, { lr = 1, momentum = 0.9 })
    return make(opt), opt
  end
  local makers = {
    function(opt) return L.CosineAnnealingWarmRestarts(opt, { T_0 = 2 }) end,
    function(opt) return L.LambdaLR(opt, function() return 0.5 end) end,
    function(opt) return L.CosineAnnealingLR(opt, { T_max = 1 }) end,
    function(opt) return L.CyclicLR(opt, { base_lr = 0.1, max_lr = 1 }) end,
    L.ReduceLROnPlateau,
    function(opt) return L.ChainedScheduler { L.StepLR(opt, 1), L.ConstantLR(opt) } end,
  }
  for _, make in ipairs(makers) do
    local s, opt = made(make)
    local state = s:state_dict()
    state.last_lr = { 1, 2 }
    tester:fails(function() s:load_state_dict(state) end, 'optimizer of 1 parameter groups')
    opt:add_param_group { params = { parameter(1.0) } }
    for _ = 1, 3 do pcall(s.step, s, s.step and 1) pcall(s.step, s) end
  end
  local s, opt = made(makers[1])
  opt:add_param_group { params = { parameter(1.0) } }
  tester:fails(function() s:step() end, 'knows the initial rates of 1 parameter groups, its optimizer has 2')
end

function tests.lbfgs_checks_its_history()
  local p = nn.Parameter(torch.tensor { 1.0, 2, 3 })
  local opt = optim.LBFGS({ p }, { lr = 0.1, max_iter = 4 })
  local state
  local function closure()
    if state then opt:load_state_dict(state) end
    opt:zero_grad()
    local loss = p:square():square():sum()
    loss:backward()
    return loss
  end
  opt:step(closure)
  local good, bad = opt:state_dict(), opt:state_dict()
  table.remove(bad.state[1].ro)
  opt:load_state_dict(bad)
  tester:fails(function() opt:step(closure) end, 'do not fit each other')
  state = good  -- which replaces the state at work
  opt:load_state_dict(good)
  for _ = 1, 4 do opt:step(closure) end
  tester:assert(p.data:isfinite():all())
end

-- The rates of PyTorch 2.15, in runs that go on after epoch 2.
function tests.schedules_go_on_after_an_epoch()
  local L = optim.lr_scheduler
  local function check(class, rates, ...)
    local opt = optim.SGD({ parameter(1.0) }, { lr = 0.05 })
    opt.param_groups[1].initial_lr = 0.1
    local s = class(opt, ...)
    for i, rate in ipairs(rates) do
      tester:eq(opt.param_groups[1].lr, rate, 1e-12, tostring(s) .. ' ' .. i)
      s:step()
    end
  end
  check(L.LambdaLR, { 0.0125, 0.00625 }, function(e) return 0.5 ^ e end, 2)
  check(L.MultiplicativeLR, { 0.05, 0.045, 0.0405 }, function() return 0.9 end, { last_epoch = 2 })
  check(L.StepLR, { 0.005, 0.005, 0.005, 0.0005 }, 3, 0.1, 2)
  check(L.LinearLR, { 0.05, 0.06060606060606061, 0.06060606060606061 }, 0.3, 1.0, 4, 2)
  check(L.ExponentialLR, { 0.05, 0.045 }, { gamma = 0.9, last_epoch = 2 })
  check(L.PolynomialLR, { 0.05, 0.03472222222222222, 0.022222222222222216 }, 9, 2.0, 2)
  check(L.CosineAnnealingLR, { 0.05, 0.03543855223902344, 0.022319141134796168 }, 7, 0.01, 2)
  check(L.CosineAnnealingWarmRestarts, { 0.1, 0.09397114317029975, 0.0775 }, 3, 2, 0.01, 2)
  local opt = optim.SGD({ parameter(1.0) }, { lr = 0.1 })
  tester:fails(function() L.StepLR(opt, { step_size = 3, last_epoch = 2 }) end, 'StepLR goes on after epoch 2', 'group 1 has no initial_lr')
  tester:fails(function() L.StepLR(opt, { step_size = 3, last_epoch = -2 }) end, 'last_epoch is an epoch, or -1')
  tester:eq(L.StepLR(opt, 3, 0.1, -1):get_last_lr(), { 0.1 })
  local Own = L.class('GoesOn')
  function Own:get_lr() return { self.last_epoch } end
  function Own:init(opt, last) L.LRScheduler.init(self, opt, last) end
  tester:eq(Own(opt, 6):get_last_lr(), { 7. })
end

function tests.warm_restarts_go_to_an_epoch()
  local opt = optim.SGD({ parameter(1.0) }, { lr = 0.1 })
  local s = optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 3, 2)
  for epoch, rate in pairs { [0] = 0.1, [0.5] = 0.09330127018922195, [2.75] = 0.00170370868554659, [3] = 0.1, [8.9] = 6.852326227130834e-05,
                             [10.25] = 0.09734650647475529, [29] = 0.07500000000000001 } do
    s:step(epoch)
    tester:eq(opt.param_groups[1].lr, rate, 1e-12)
  end
  s:step(0.5)
  s:step()
  tester:eq(s.last_epoch, 1)
  tester:eq(opt.param_groups[1].lr, 0.05, 1e-12)
  tester:fails(function() s:step(-1) end, 'needs an epoch from 0, got -1')
end

function tests.schedules_load_pytorchs_state()
  local L = optim.lr_scheduler
  local function make(opt)
    return L.SequentialLR(opt, { L.ConstantLR(opt, 0.5), L.CosineAnnealingWarmRestarts(opt, 4) }, { 5 })
  end
  local opt = optim.SGD({ parameter(1.0) }, { lr = 0.1 })
  local s = make(opt)
  local inner = {
    { factor = 0.5, total_iters = 5, base_lrs = { 0.1 }, last_epoch = 4, _step_count = 6, _is_initial = false, _last_lr = { 0.05 } },
    { T_0 = 4, T_i = 4, T_mult = 1, eta_min = 0, T_cur = 2, base_lrs = { 0.1 }, last_epoch = 2, _last_lr = { 0.05 } },
  }
  local state = { _milestones = { 5 }, last_epoch = 7, _last_lr = { 0.05 }, _schedulers = inner }
  tester:fails(function() s:load_state_dict(state) end, 'a state of PyTorch', '{base = 0}')
  s:load_state_dict(state, { base = 0 })
  s:step()
  tester:eq(s.last_epoch, 8)
  tester:eq(opt.param_groups[1].lr, 0.1 * (1 + math.cos(math.pi * 3 / 4)) / 2, 1e-12)
  local chained = L.ChainedScheduler { L.ExponentialLR(opt, 0.5), L.ExponentialLR(opt, 0.1) }
  chained:load_state_dict({ _last_lr = { 0.3 }, _schedulers = { { last_epoch = 3 }, { last_epoch = 9 } } }, { base = 0 })
  tester:eq(chained:get_last_lr(), { 0.3 })
  tester:eq(chained.optimizer, opt)
end

function tests.schedules_of_functions_and_of_schedules()
  local L = optim.lr_scheduler
  local opt = optim.SGD({ parameter(1.0) }, { lr = 1 })
  local s = L.LambdaLR(opt, function(epoch) return 1 / (1 + epoch) end)
  s:step()
  tester:eq(opt.param_groups[1].lr, 0.5)
  opt = optim.SGD({ parameter(1.0) }, { lr = 1 })
  s = L.SequentialLR(opt, {
    schedulers = { L.ConstantLR(opt, { factor = 0.5, total_iters = 10 }), L.ExponentialLR(opt, { gamma = 0.5 }) },
    milestones = { 2 },
  })
  local rates = {}
  for i = 1, 4 do
    rates[i] = opt.param_groups[1].lr
    s:step()
  end
  tester:eq(table.concat(rates, ' '), '0.5 0.5 1.0 0.5')
  local short = optim.SGD({ parameter(1.0) }, { lr = 1, momentum = 0.9 })
  local cycle = L.OneCycleLR(short, { max_lr = 0.5, total_steps = 10, pct_start = 0.1 })  -- a rise of no steps
  tester:eq(short.param_groups[1].lr, 0.5)
  cycle:step()
  tester:assert(short.param_groups[1].lr < 0.5)
  local later = L.OneCycleLR { max_lr = 0.1, total_steps = 10 }
  tester:assert(later.per_batch)
  tester:fails(function() return later.step(later) end, 'no optimizer')
  later:attach(optim.SGD({ parameter(1.0) }, { momentum = 0.9 }))
  tester:assert(math.abs(later:get_last_lr()[1] - 0.004) < 1e-12)
  tester:fails(function() return L.StepLR(opt) end, "'step_size' is required")
  tester:fails(function() return L.StepLR(5) end, 'expects an optimizer')
end

local function near(got, want, what) tester:assert(math.abs(got - want) < 1e-12, what .. ': ' .. got .. ' is not ' .. want) end

function tests.cyclic_schedules_as_in_pytorch()
  local L = optim.lr_scheduler
  local opt = optim.Adam({ parameter(1.0) }, { lr = 1 })
  L.CyclicLR(opt, { base_lr = 0.1, max_lr = 0.5, step_size_up = 2 }):step()
  near(opt.param_groups[1].betas[1], 0.85, 'the first of betas')
  near(opt.param_groups[1].lr, 0.3, 'rate')
  opt = optim.SGD({ parameter(1.0) }, { lr = 1 })  -- an earlier schedule has set the initial rate
  local first = L.ExponentialLR(opt, { gamma = 0.5 })
  L.SequentialLR(opt, { schedulers = { first, L.CyclicLR(opt, { base_lr = 0.1, max_lr = 0.5, cycle_momentum = false }) }, milestones = { 2 } })
  near(opt.param_groups[1].lr, 1, 'the rate that the optimizer was given')
  opt = optim.SGD({ parameter(1.0) }, { lr = 1 })
  first = L.ExponentialLR(opt, { gamma = 0.5 })
  local second = L.CyclicLR(opt, { base_lr = 0.1, max_lr = 0.5, step_size_up = 2, cycle_momentum = false })
  second:step()
  near(opt.param_groups[1].lr, 0.3, 'between its own rates')
end

function tests.rates_that_rounding_leaves_below_0()
  local L = optim.lr_scheduler
  local p = parameter(1.0)
  local opt = optim.SGD({ p }, { lr = 0.1 })
  local s = L.ChainedScheduler(opt, { schedulers = { L.StepLR(opt, { step_size = 2 }), L.LinearLR(opt, { end_factor = 0 }) } })
  for _ = 1, 6 do opt:step() s:step() end
  near(opt.param_groups[1].lr, 0, 'rate')
  tester:fails(function() L.ConstantLR(opt, { factor = 1.5 }) end, 'factor between 0 and 1, got 1.5')
  tester:fails(function() L.LinearLR(opt, { end_factor = -0.1 }) end, 'end_factor between 0 and 1, got -0.1')
end

function tests.state_on_another_device()
  for _, make in ipairs { optim.Adam, optim.SGD } do
    local m = nn.Linear(2, 1)
    local o = make(m:parameters(), { lr = 0.1, momentum = make == optim.SGD and 0.9 or nil })
    m(torch.ones(1, 2)):sum():backward()
    o:step()
    m:to('meta')
    m.weight.grad = torch.zeros(1, 2, { device = 'meta' })
    m.bias.grad = nil
    tester:fails(function() o:step() end, 'the state', 'float32[1, 2]', 'lies on cpu', 'on meta', 'load_state_dict')
    o:load_state_dict(o:state_dict())
    o:step()
  end
end

-- Chen and others (2023), program 1; You and others (2020), algorithm 2: the formulas, written with operators.
local function by_formula(step)
  local w, m, v = torch.tensor { 0.5, -2.0, 3.0, 0.25 }:double(), torch.zeros(4):double(), torch.zeros(4):double()
  for t = 1, 5 do
    local g = torch.tensor { 0.1, -0.3, 0.0, 2.0 }:double() * t - 0.2
    w, m, v = step(w, g, m, v, t)
  end
  return w
end
local function by_optimizer(make)
  local p = nn.Parameter(torch.tensor { 0.5, -2.0, 3.0, 0.25 }:double())
  local opt = make { p }
  for t = 1, 5 do
    p.grad = torch.tensor { 0.1, -0.3, 0.0, 2.0 }:double() * t - 0.2
    opt:step()
  end
  return p
end

function tests.lion_follows_its_paper()
  local want = by_formula(function(w, g, m)
    local update = (m * 0.9 + g * (1 - 0.9)):sign() + w * 0.1
    return w - update * 0.01, m * 0.99 + g * (1 - 0.99)
  end)
  local got = by_optimizer(function(list) return optim.Lion(list, { lr = 0.01, weight_decay = 0.1 }) end)
  tester:assert(torch.allclose(got, want, { rtol = 1e-12 }))
end

function tests.lamb_follows_its_paper()
  local want = by_formula(function(w, g, m, v, t)
    m = m * 0.9 + g * (1 - 0.9)
    v = v * 0.999 + g * g * (1 - 0.999)
    local r = m / (1 - 0.9 ^ t) / ((v / (1 - 0.999 ^ t)):sqrt() + 1e-6) + w * 0.1
    return w - r * (0.01 * (w:norm() / r:norm())), m, v
  end)
  local got = by_optimizer(function(list) return optim.LAMB(list, { lr = 0.01, weight_decay = 0.1 }) end)
  tester:assert(torch.allclose(got, want, { rtol = 1e-9 }))
  local zero = parameter(0.0)  -- a norm of 0: the step is not scaled
  optim.LAMB({ zero }, { lr = 0.5 }):step()
  tester:assert(math.abs(zero:item() + 0.5) < 1e-5)
end

function tests.settings_of_pytorch_without_effect()
  local p = parameter(1.0)
  local opt = optim.Adam({ p }, { foreach = true, fused = false, capturable = true, maximize = true })
  opt:step()
  tester:assert(p:item() > 1)
  tester:eq(opt.param_groups[1].foreach, true)
  tester:fails(function() return optim.SGD({ p }, { differentiable = true }) end, 'differentiable = true is not in luth')
  tester:fails(function() return optim.AdamW({ p }, { decoupled_weight_decay = false }) end, 'use Adam')
  tester:fails(function() return optim['SparseAdam'] end, 'gradients are dense', 'Adam')
end

function tests.bad_settings_are_named()
  local p = parameter(1.0)
  local bad = {
    { 'NAdam', { betas = { 1.0, 0.9 } }, 'the first of betas must be below 1, got 1' },
    { 'RAdam', { betas = { 0.9 } }, 'two numbers' }, { 'Adamax', { eps = -1 }, 'eps must be at least 0, got -1' },
    { 'Adagrad', { lr_decay = -1 }, 'lr_decay' }, { 'Adadelta', { rho = 2 }, 'rho must be at most 1, got 2' },
    { 'RMSprop', { alpha = -0.5 }, 'alpha' }, { 'Rprop', { etas = { 1.2, 0.5 } }, 'etas' },
    { 'ASGD', { weight_decay = 0 / 0 }, 'weight_decay' }, { 'Lion', { lr = -1 }, 'lr must be at least 0' },
    { 'LAMB', { betas = { 0.9, 1.5 } }, 'the second of betas' }, { 'Adafactor', { d = 0.5 }, 'd must be at least 1' },
    { 'Adafactor', { beta2_decay = 0.5 }, 'beta2_decay' }, { 'LBFGS', { max_iter = 0 }, 'max_iter must be at least 1' },
    { 'LBFGS', { line_search_fn = 'armijo' }, 'strong_wolfe' }, { 'Muon', {}, 'matrices only' },
  }
  for _, case in ipairs(bad) do
    tester:fails(function() return optim[case[1]]({ p }, next(case[2]) and case[2] or nil) end, case[3])
  end
  local m = nn.Parameter(torch.ones(2, 2))
  tester:fails(function() return optim.Muon({ m }, { adjust_lr_fn = 'none' }) end, 'match_rms_adamw')
  tester:fails(function() return optim.Muon({ m }, { ns_steps = 100 }) end, 'ns_steps')
  tester:fails(function() return optim.LBFGS({ { params = { p } }, { params = { m } } }) end, 'one parameter group')
  tester:fails(function() optim.LBFGS({ p }):step() end, 'needs a closure')
  tester:fails(function() optim.LBFGS({ p }):step(function() end) end, 'must return the loss, got nil')
end

function tests.steps_are_independent_of_layout_and_of_empty_parameters()
  for _, name in ipairs { 'NAdam', 'RMSprop', 'Rprop', 'ASGD', 'Adafactor', 'LAMB', 'Muon' } do
    local start, g = torch.randn(3, 4), torch.randn(3, 4)
    local a, b = nn.Parameter(start:clone()), nn.Parameter(start:t():contiguous():t())
    local list = name == 'Muon' and {} or { nn.Parameter(torch.zeros(0)) }
    local first, second = optim[name]({ a, table.unpack(list) }, { lr = 0.1 }), optim[name]({ b }, { lr = 0.1 })
    for _ = 1, 3 do
      a.grad, b.grad = g, g:t():contiguous():t()
      first:step()
      second:step()
    end
    tester:assert(torch.allclose(a, b, { rtol = 1e-5 }), name)
  end
end

function tests.hooks_run_around_steps_and_state()
  local p, seen = parameter(1.0), {}
  local opt = optim.SGD({ p }, { lr = 0.5 })
  local function note(text) return function(o) seen[#seen + 1] = text tester:assert(o == opt) end end
  local handle = opt:register_step_pre_hook(note 'pre')
  opt:register_step_post_hook(note 'post')
  opt:register_state_dict_pre_hook(note 'before saving')
  opt:register_state_dict_post_hook(function(_, state) state.note = 7 end)
  opt:register_state_dict_post_hook(function(_, state) return { inner = state } end)
  opt:register_load_state_dict_pre_hook(function(_, state) return state.inner end)
  opt:register_load_state_dict_post_hook(note 'loaded')
  opt:step()
  local state = opt:state_dict()
  tester:eq(state.inner.note, 7)
  opt:load_state_dict(state)
  handle:remove()
  opt:step()
  tester:eq(table.concat(seen, ', '), 'pre, post, before saving, loaded, post')
  opt:register_step_pre_hook(function(_, closure) return function() return closure() + 1 end end)
  tester:eq(opt:step(function() return 2 end), 3)
  tester:fails(function() opt:register_step_pre_hook(3) end, 'function expected')
  tester:fails(function() opt:register_step_pre_hook(print, { prepend = true }) end, 'prepend')
end

function tests.hooks_of_state_that_come_first()
  local opt, seen = optim.SGD { parameter(1.0) }, {}
  for i = 1, 2 do opt:register_state_dict_pre_hook(function() seen[#seen + 1] = i end) end
  local first = opt:register_state_dict_pre_hook(function() seen[#seen + 1] = 3 end, { prepend = true })
  opt:register_state_dict_pre_hook(function() seen[#seen + 1] = 4 end, { prepend = true })
  opt:state_dict()
  first:remove()
  opt:state_dict()
  tester:eq(table.concat(seen, ' '), '4 3 1 2 4 1 2')
end

function tests.hooks_of_all_optimizers()
  local seen = {}
  local function note(text) return function(o) seen[#seen + 1] = text .. tostring(o):match('^%w+') end end
  local pre = torch.optim.optimizer.register_optimizer_step_pre_hook(note 'pre ')
  local post = torch.optim.optimizer.register_optimizer_step_post_hook(note 'post ')
  local a, Own = optim.SGD { parameter(1.0) }, optim.class('HookedOwn', optim.Adam)
  a:step()
  a:register_step_pre_hook(note 'own pre ')
  a:register_step_post_hook(note 'own post ')
  a:step()
  Own({ parameter(1.0) }):step()
  pre:remove()
  post:remove()
  a:step()
  tester:eq(table.concat(seen, ', '), 'pre SGD, post SGD, pre SGD, own pre SGD, own post SGD, post SGD, ' ..
    'pre HookedOwn, post HookedOwn, own pre SGD, own post SGD')
  local closure = optim.optimizer.register_optimizer_step_pre_hook(function(_, f) return function() return f() + 1 end end)
  tester:eq(optim.SGD({ parameter(1.0) }):step(function() return 2 end), 3)
  closure:remove()
  tester:fails(function() optim.optimizer.register_optimizer_step_pre_hook(3) end, 'function expected')
end

-- ---- Own classes -----------------------------------------------------------------------------------------------------

local Momentum = optim.class('Momentum')
function Momentum:init(params, options)
  optim.Optimizer.init(self, params, { lr = options and options.lr or 0.1, momentum = 0.5 })
  self.calls = 0
end
function Momentum:step(closure)
  local loss = closure and closure()
  local _ <close> = torch.no_grad()
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      if p.grad then
        local state = self.state[p]
        state.step = (state.step or 0) + 1
        state.scale = (state.scale or 1.0) * 1.5
        state.past = state.past or { torch.zeros_like(p) }
        state.buffer = state.buffer and state.buffer * group.momentum + p.grad or p.grad:clone()
        p:sub_(state.buffer * group.lr)
      end
    end
  end
  self.calls = self.calls + 1
  return loss
end

function tests.own_optimizers()
  local p = parameter(1.0)
  local opt = Momentum({ p }, { lr = 0.25 })
  tester:assert(torch.isinstance(opt, Momentum) and torch.isinstance(opt, optim.Optimizer))
  tester:assert(not torch.isinstance(opt, optim.SGD) and tostring(opt):find('^Momentum %('))
  opt:step()
  tester:eq(opt:step(function() return 5 end), 5)
  tester:eq(p:item(), 1 - 0.25 - 0.375)
  tester:eq(opt.calls, 2)
  tester:eq(opt.state[p].step, 2)
  tester:eq(opt.param_groups[1].momentum, 0.5)
  local path = os.tmpname()
  torch.save(opt:state_dict(), path)
  local q = nn.Parameter(p:detach():clone())
  local again = Momentum { { params = { q } } }
  again:load_state_dict(torch.load(path))
  os.remove(path)
  tester:eq(again.param_groups[1].lr, 0.25)
  tester:eq(again.state[q].scale, 2.25)
  tester:eq(#again.state[q].past, 1)
  q.grad = torch.ones(1)
  opt:step()
  again:step()
  tester:eq(q:item(), p:item())
  again.state[q].scale = nil
  tester:eq(again.state[q].scale, nil)
  optim.lr_scheduler.StepLR(opt, { step_size = 1, gamma = 0.5 }):step()
  tester:eq(opt.param_groups[1].lr, 0.125)
  local order = {}
  opt:register_step_post_hook(function(o) order[#order + 1] = o.calls end)
  opt:step()
  tester:eq(order[1], 4)
  tester:eq(optim.lr_scheduler.StepLR(opt, { step_size = 1 }).optimizer.calls, 4)  -- the same object
end

function tests.own_optimizers_from_built_in_ones()
  local Twice = optim.class('Twice', optim.SGD)
  function Twice:step(closure)
    optim.SGD.step(self, closure)
    return optim.SGD.step(self)
  end
  local p = parameter(1.0)
  local opt = Twice({ p }, { lr = 0.25 })
  opt:step()
  tester:eq(p:item(), 0.5)
  tester:assert(torch.isinstance(opt, Twice) and torch.isinstance(opt, optim.SGD))
end

function tests.mistakes_in_own_optimizers()
  local p = parameter(1.0)
  local Empty = optim.class('Empty')
  local opt = Empty { p }
  tester:fails(function() opt:step() end, 'define function Empty:step(closure)')
  local Uncalled = optim.class('Uncalled')
  function Uncalled:init() end
  tester:fails(function() return Uncalled { p } end, 'Uncalled:init must call optim.Optimizer.init')
  tester:fails(function() return optim.class('X', nn.Linear) end, 'class of optimizers')
  tester:fails(function() return optim.class('X', 3) end, 'class of optimizers')
  tester:fails(function() optim.Optimizer.init(opt, { p }) end, 'that an own class is making')
  tester:fails(function() optim.Optimizer.init(3, { p }) end, 'that an own class is making')
  local Bad = optim.class('Bad')
  function Bad:init(params) optim.Optimizer.init(self, params, { f = print }) end
  tester:fails(function() return Bad { p } end, "default 'f'", 'function')
  tester:fails(function() opt.state[p].x = 'text' end, "state 'x'")
  tester:fails(function() opt.state[p].step = -1 end, 'count')
  tester:fails(function() return opt.state[3] end, 'parameter')
  tester:fails(function() opt.param_groups = {} end, 'cannot set')
  tester:fails(function() optim.SGD({ p }).lr = 2 end, 'param_groups')
end

function tests.own_schedules()
  local L = optim.lr_scheduler
  local Halving = L.class('Halving')
  function Halving:init(opt, options)
    self.every = options.every
    L.LRScheduler.init(self, opt)
  end
  function Halving:get_lr()
    local rates = {}
    for i, lr in ipairs(self.base_lrs) do rates[i] = lr * 0.5 ^ (self.last_epoch // self.every) end
    return rates
  end
  local function groups() return { { params = { parameter(1.0) }, lr = 1 }, { params = { parameter(1.0) }, lr = 4 } } end
  local opt = optim.SGD(groups())
  local s = Halving(opt, { every = 2 })
  for _ = 1, 4 do s:step() end
  tester:eq(opt.param_groups[2].lr, 1.0)
  tester:eq(s:get_last_lr()[1], 0.25)
  tester:eq(tostring(s), 'Halving(every=2)')
  tester:assert(torch.isinstance(s, Halving) and torch.isinstance(s, L.LRScheduler) and not torch.isinstance(s, L.StepLR))
  local state = s:state_dict()
  tester:eq(state.every, 2)
  local other = optim.SGD(groups())
  local again = Halving(other, { every = 3 })
  again:load_state_dict(state)
  tester:eq(again.every, 2)
  tester:eq(again.last_epoch, 4)
  again:step()
  again:step()
  tester:eq(other.param_groups[2].lr, 0.5)
  local later = Halving { every = 1 }
  tester:eq(later.optimizer, nil)
  later:attach(other)
  tester:assert(later.optimizer == other)
  local one = L.SequentialLR(other, { schedulers = { Halving(other, { every = 1 }), L.ConstantLR(other) }, milestones = { 2 } })
  one:step()
  tester:eq(other.param_groups[1].lr, 0.5)
  tester:fails(function() return L.class('None')(opt) end, 'define function None:get_lr()')
  local Short = L.class('Short')
  function Short:get_lr() return { 1, 2, 3 } end
  tester:fails(function() return Short(opt) end, 'one for each of the 2 parameter groups, got 3')
end

function tests.own_classes_are_saved_by_name()
  local L = optim.lr_scheduler
  local Falling = L.class('Falling')
  function Falling:init(opt, options)
    self.gamma = options.gamma
    L.LRScheduler.init(self, opt)
  end
  function Falling:get_lr() return { self.base_lrs[1] * self.gamma ^ self.last_epoch } end
  local Twice = optim.class('SavedTwice', optim.SGD)
  local opt, path = Momentum({ parameter(1.0) }, { lr = 0.25 }), os.tmpname()
  local s = Falling(opt, { gamma = 0.5 })
  opt:step()
  s:step()
  torch.save({ opt = opt, s = s, twice = Twice({ parameter(1.0) }, { lr = 0.5 }),
               both = L.SequentialLR(opt, { schedulers = { Falling(opt, { gamma = 0.5 }), L.ConstantLR(opt) }, milestones = { 3 } }) }, path)
  local got = torch.load(path)
  local p = got.opt.param_groups[1].params[1]
  tester:assert(torch.isinstance(got.opt, Momentum) and got.opt.calls == 1 and got.opt.state[p].buffer:item() == 1)
  tester:assert(torch.isinstance(got.s, Falling) and got.s.optimizer == got.opt and got.s.gamma == 0.5)
  tester:eq(got.opt.defaults.lr, 0.25)
  tester:assert(torch.isinstance(got.twice, Twice) and torch.isinstance(got.twice, optim.SGD))
  p.grad = torch.ones(1)
  got.opt:step()
  got.s:step()
  tester:eq(got.opt.calls, 2)
  tester:eq(got.s:get_last_lr()[1], s:get_last_lr()[1] / 2)
  got = { got.both }
  collectgarbage()
  collectgarbage()
  got[1]:step()  -- the schedule holds the others
  tester:eq(got[1].optimizer.calls, 2)
  local run = io.popen(("%s -e \"torch.load('%s')\" 2>&1"):format(arg[-1], path))
  local text = run:read 'a'
  run:close()
  tester:assert(text:find("optim.class('Momentum')", 1, true) or text:find("optim.class('SavedTwice')", 1, true)
    or text:find("class('Falling')", 1, true), text)
  os.remove(path)
end

function tests.schedules_print_as_lua()
  local L = optim.lr_scheduler
  local opt = optim.SGD({ parameter(1.0) })
  tester:eq(tostring(L.MultiStepLR(opt, { 30, 80 }, 0.5)), 'MultiStepLR(milestones={30, 80}, gamma=0.5)')
  tester:assert(tostring(optim.Adam { parameter(1.0) }):find('betas: {0.9, 0.999}', 1, true))
end

-- ---- Torch7's form, averages of weights -------------------------------------------------------------------------------

local function valley(x)
  local y = x:detach():clone():requires_grad_()
  local a, b = y:narrow(1, 1, 1), y:narrow(1, 2, 1)
  local loss = ((1 - a):square() + 100 * (b - a:square()):square()):sum()
  loss:backward()
  return loss, y.grad
end
local function valley_start() return torch.tensor { -1.2, 1.0 }:double() end

function tests.torch7s_functions_step_as_the_optimizers_do()
  local pairs_of = {
    sgd = { optim.SGD, { learningRate = 1e-3, momentum = 0.5, weightDecay = 0.1 },
            { lr = 1e-3, momentum = 0.5, dampening = 0.5, weight_decay = 0.1 } },
    adam = { optim.Adam, { learningRate = 0.1, beta1 = 0.8 }, { lr = 0.1, betas = { 0.8, 0.999 } } },
    adamax = { optim.Adamax, { learningRate = 0.1 }, { lr = 0.1, eps = 1e-38 } },
    adagrad = { optim.Adagrad, { learningRate = 0.1, learningRateDecay = 0.5 }, { lr = 0.1, lr_decay = 0.5 } },
    adadelta = { optim.Adadelta, { rho = 0.8 }, { rho = 0.8 } },
    rmsprop = { optim.RMSprop, { learningRate = 0.1, alpha = 0.9 }, { lr = 0.1, alpha = 0.9 } },
  }
  for name, case in pairs(pairs_of) do
    local x, p, state = valley_start(), nn.Parameter(valley_start()), {}
    local opt = case[1]({ p }, case[3])
    for _ = 1, 5 do
      local loss, gradient = valley(p)
      local same, losses = optim[name](valley, x, case[2], state)
      p.grad = gradient
      opt:step()
      tester:assert(same == x and losses[1] == loss:item(), name)
    end
    tester:assert(torch.equal(x, p:detach()), name)
    tester:eq(state.evalCounter, 5)
  end
  local x, config = valley_start(), { learningRate = 1e-3, learningRateDecay = 1 }
  optim.sgd(valley, x, config)  -- the state is in config
  config.learningRate = 0
  local before = x:clone()
  optim.sgd(valley, x, config)
  tester:assert(torch.equal(x, before))
end

function tests.torch7s_lbfgs_and_cg_find_the_minimum()
  local x = valley_start()
  local same, losses, n = optim.lbfgs(valley, x, { maxIter = 100, lineSearch = true })
  tester:assert(same == x and losses[#losses] < 1e-8 and n == #losses and n < 80)
  x = valley_start()
  same, losses, n = optim.cg(valley, x, { maxIter = 100, maxEval = 400 })
  tester:assert(same == x and losses[#losses] < 1e-12 and n <= 400)
  for i = 2, #losses do tester:assert(losses[i] < losses[i - 1]) end
  tester:fails(function() return optim.cg(valley, x, { maxiter = 3 }) end, "'maxiter'", 'maxIter')
  tester:fails(function() return optim.sgd(function() end, x) end, 'feval must return the loss')
  tester:fails(function() return optim.adam(3, x) end, 'argument 1 expects a function')
  tester:fails(function() return optim.lbfgs(valley, 3) end, 'argument 2 expects a tensor')
end

function tests.averages_of_weights()
  local swa = optim.swa_utils
  local m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
  local function averaged(options, ...)
    local average = swa.AveragedModel(m, options)
    for _, v in ipairs { 1, 2, 4.5 } do
      nn.init.constant_(m[1].weight, v)
      m[2].running_mean:fill_(v)
      average:update_parameters(m)
    end
    return average
  end
  local a = averaged()
  tester:eq(a.module[1].weight:mean():item(), 2.5)
  tester:eq(a.module[2].running_mean[1]:item(), 4.5)  -- buffers are copied
  tester:eq(a.n_averaged:item(), 3)
  tester:assert(a:state_dict()['module.1.weight'] and a:state_dict().n_averaged)
  tester:eq(a(torch.ones(3, 2)):size(2), 2)
  a = averaged { multi_avg_fn = swa.get_ema_multi_avg_fn(0.5), use_buffers = true }
  tester:eq(a.module[1].weight:mean():item(), 3.0)
  tester:eq(a.module[2].running_mean[1]:item(), 3.0)
  a = averaged { avg_fn = function(average, value, n) return average + value * n end }
  tester:eq(a.module[1].weight:mean():item(), 1 + 2 * 1 + 4.5 * 2)
  tester:fails(function() return swa.AveragedModel(3) end, 'expects a module')
  tester:fails(function() return swa.AveragedModel(m, { avg_fn = print, multi_avg_fn = print }) end, 'not both')
  tester:fails(function() return swa.get_ema_multi_avg_fn(2) end, 'between 0 and 1')
  local x = torch.randn(12, 2)
  local plain = nn.Sequential(nn.BatchNorm1d(2, { momentum = 0.3 }))
  plain:eval()
  swa.update_bn(data.DataLoader(data.TensorDataset(x), { batch_size = 4 }), plain)
  tester:assert(torch.allclose(plain[1].running_mean, x:mean(1), { rtol = 1e-5, atol = 1e-6 }))
  tester:assert(plain[1].momentum == 0.3 and not plain.training)
end

function tests.swalr_anneals()
  local function rates(options)
    local opt = optim.SGD({ parameter(1.0) }, { lr = 1 })
    local s, text = optim.swa_utils.SWALR(opt, options), {}
    for i = 1, 4 do
      text[i] = ('%.6f'):format(opt.param_groups[1].lr)
      s:step()
    end
    return table.concat(text, ' ')
  end
  tester:eq(rates { swa_lr = 0.1, anneal_epochs = 2, anneal_strategy = 'linear' }, '1.000000 0.550000 0.100000 0.100000')
  tester:eq(rates { swa_lr = 0.1, anneal_epochs = 3 }, '1.000000 0.775000 0.325000 0.100000')
  tester:eq(rates { swa_lr = 0.1, anneal_epochs = 0 }, '0.100000 0.100000 0.100000 0.100000')
end

function tests.clipping()
  local p = parameter(1.0)
  p.grad = torch.tensor { 10.0 }
  local norm = nn.utils.clip_grad_norm_({ p }, 1.0)
  tester:eq(norm:item(), 10.0)
  tester:assert(math.abs(p.grad:item() - 1) < 1e-5)
  nn.utils.clip_grad_value_({ p }, 0.5)
  tester:eq(p.grad:item(), 0.5)
  tester:fails(function() return nn.utils.clip_grad_norm_({ p }) end, "'max_norm' is required")
end

tester:add(tests)
tester:run()

-- zero_grad drops gradients, or fills them with zeros that whoever holds them sees
do
  local m = nn.Linear(2, 1)
  local o = optim.SGD(m:parameters(), { lr = 0.1 })
  for _, holder in ipairs { m, o } do
    m(torch.ones(1, 2)):sum():backward()
    local held = m.weight.grad
    holder:zero_grad { set_to_none = false }
    assert(m.weight.grad == held and held:abs():sum():item() == 0)
    holder:zero_grad()
    assert(m.weight.grad == nil)
  end
end
