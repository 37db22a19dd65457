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
  local later = L.OneCycleLR { max_lr = 0.1, total_steps = 10 }
  tester:assert(later.per_batch)
  tester:fails(function() return later.step(later) end, 'no optimizer')
  later:attach(optim.SGD({ parameter(1.0) }, { momentum = 0.9 }))
  tester:assert(math.abs(later:get_last_lr()[1] - 0.004) < 1e-12)
  tester:fails(function() return L.StepLR(opt) end, "'step_size' is required")
  tester:fails(function() return L.StepLR(5) end, 'expects an optimizer')
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
