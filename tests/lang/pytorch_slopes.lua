-- Gradients where slopes are missing, infinite or shared: PyTorch's answers.
local t, s = torch.Tester(), torch.TestSuite()
local inf, nan = math.huge, 0 / 0
local function leaf(list, dtype) return torch.tensor(list, {dtype = torch.float64}):to(dtype or torch.float64):requires_grad_() end
local function first(f, x, weights)
  local y = f(x)
  return (torch.autograd.grad({weights and (y * torch.tensor(weights):to(y.dtype)):sum() or y:sum()}, {x}, {create_graph = true}))
end
local function second(f, x)
  local g = torch.autograd.grad({first(f, x):sum()}, {x}, {allow_unused = true})
  return g or torch.zeros_like(x)
end
local function same(got, want, what)
  for i, v in ipairs(want) do
    local g = got:reshape(-1)[i]:item()
    t:assert(g == v or g ~= g and v ~= v or math.abs(g - v) <= 1e-6 * math.abs(v), what .. ' ' .. i .. ': ' .. g .. ' is not ' .. v)
  end
end

-- {name, function, where, first gradient, second gradient}
local slopes = {
  {'atan2', function(x) return torch.atan2(x, x * 0) end, {0, -0.0}, {0, 0}},
  {'elu', F.elu, {0, -0.0, -1, 1}, {1, 1, math.exp(-1), 1}, {0, 0, math.exp(-1), 0}},
  {'celu', F.celu, {0, -1}, {1, math.exp(-1)}, {0, math.exp(-1)}},
  {'selu', F.selu, {0, 1}, {1.7580993408473766, 1.0507009873554805}, {0, 0}},
  {'relu', F.relu, {nan, 0, 2}, {1, 0, 1}, {0, 0, 0}},
  {'digamma', torch.digamma, {inf, -inf}, {0, nan}},
  {'lgamma', torch.lgamma, {inf}, {inf}, {0}},
  {'polygamma', function(x) return torch.polygamma(2, x) end, {inf, -inf}, {nan, inf}},
  {'huber', function(x) return F.huber_loss(x, x * 0, {reduction = 'sum'}) end, {1, -1, 0.5}, {1, -1, 0.5}, {0, 0, 1}},
  {'huber without bend', function(x) return F.huber_loss(x, x * 0, {reduction = 'sum', delta = inf}) end, {3, -2}, {3, -2}, {1, 1}},
  {'logit', function(x) return torch.logit(x, 1e-6) end, {nan, 0, 0.5}, {0, 0, 4}},
  {'maximum', function(x) return torch.maximum(x, torch.zeros_like(x)) end, {nan, 0, 1, -1}, {1, 0.5, 1, 0}},
  {'minimum', function(x) return torch.minimum(x, torch.zeros_like(x)) end, {nan, 0, 1, -1}, {1, 0.5, 0, 1}},
  {'norm 0', function(x) return x:norm(0) end, {0, -0.0, 2, nan, inf}, {0, 0, 0, 0, 0}},
  {'norm 0 of rows', function(x) return x:reshape(2, 2):norm(0, 2) end, {0, 1, 2, 3}, {0, 0, 0, 0}},
  {'vector_norm 0', function(x) return torch.linalg.vector_norm(x, 0) end, {0, 2}, {0, 0}},
  {'vector_norm 0 of rows', function(x) return torch.linalg.vector_norm(x:reshape(2, 2), 0, {2}, true) end, {0, 1, 2, 3}, {0, 0, 0, 0}},
  {'norm 3', function(x) return x:norm(3) end, {0, -0.0}, {0, 0}},
  {'norm 0.5', function(x) return x:norm(0.5) end, {0, 0}, {0, 0}},
  {'norm 0.5', function(x) return x:norm(0.5) end, {0, 4, 9}, {0, 2.5, 5 / 3}},
  {'norm 1.5', function(x) return x:norm(1.5) end, {0, 0}, {0, 0}},
  {'var', function(x) return x:var {correction = 5} end, {1, 3}, {2 / 3, -2 / 3}},
}
function s.slopes()
  for _, c in ipairs(slopes) do
    local name, f, at, want, bend = table.unpack(c)
    same(first(f, leaf(at)), want, name)
    if bend then same(second(f, leaf(at)), bend, name .. ', second') end
  end
end

function s.norms_of_halves_do_not_overflow()
  for _, d in ipairs {torch.float16, torch.bfloat16} do
    local y = torch.tensor({300, 400}, {dtype = d}):norm(5)
    t:eq(y.dtype, d)
    t:assert(math.abs(y:item() - 418.29) < 3, tostring(y))
  end
end

function s.zeta_has_a_gradient_by_other()
  local q = leaf {3, 0.5}
  torch.special.zeta(2, q):sum():backward()
  same(q.grad, {-0.15411380631918857, -16.82879664423432}, 'zeta')
  local x = leaf {2}
  t:fails(function() torch.special.zeta(x, 3):sum():backward() end, 'no gradient by input')
end

function s.ldl_refuses_to_run_backward()
  local a = torch.eye(2, {dtype = torch.float64}):requires_grad_()
  local ld, pivots = torch.linalg.ldl_factor(a)
  t:eq(ld.requires_grad, true)
  t:fails(function() ld:sum():backward() end, 'no gradient by the matrix')
  local b = torch.ones(2, 1, {dtype = torch.float64}):requires_grad_()
  local x = torch.linalg.ldl_solve(ld:detach(), pivots, b)
  t:fails(function() x:sum():backward() end, 'no gradient by B')
end

function s.margin_losses_do_not_count_nan()
  local x = torch.tensor {{nan, 0., 1.}, {0., 1., 2.}}
  same(F.multi_margin_loss(x, torch.tensor {2, 3}, {reduction = 'none'}), {2 / 3, 0}, 'multi_margin_loss')
  same(F.multilabel_margin_loss(x, torch.tensor {{2, -1, 1}, {3, -1, 1}}, {reduction = 'none'}), {2 / 3, 0}, 'multilabel')
end

function s.parameters_say_what_they_are()
  local p = nn.Parameter(torch.ones(2))
  t:eq(tostring(p), 'Parameter containing:\ntensor([1., 1.], requires_grad=True)')
  t:eq(tostring(p:detach()), 'tensor([1., 1.])')
  t:eq(torch.isinstance(p, nn.Parameter), true)
  t:eq(torch.isinstance(p, torch.Tensor), true)
  t:eq(torch.isinstance(nn.Linear(2, 1).weight, nn.Parameter), true)
  t:eq(torch.isinstance(torch.ones(2), nn.Parameter), false)
  t:eq(torch.isinstance(nn.Linear(2, 1), nn.Parameter), false)
end

t:add(s)
t:run()
