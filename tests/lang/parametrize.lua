-- nn.utils: parametrizations, norms of weights, pruning, fusing. State-dict keys are PyTorch's with positions from 1.
local t, s = torch.Tester(), torch.TestSuite()
local parametrize, parametrizations, prune = nn.utils.parametrize, nn.utils.parametrizations, nn.utils.prune

local function keys(m, base)
  local all = {}
  for key in pairs(m:state_dict { base = base or 1 }) do all[#all + 1] = key end
  return table.concat(all, ' ')
end
local function near(a, b, what) t:assert(a:allclose(b, { rtol = 1e-4, atol = 1e-5 }), (what or '') .. tostring(a) .. tostring(b)) end

local Symmetric = nn.class('Symmetric')
function Symmetric:forward(x) return x:triu() + x:triu(1).mT end
function Symmetric:right_inverse(x) return x:triu() end
local Double = nn.class('Double')
function Double:forward(x) return 2 * x end
local Halves = nn.class('Halves')
function Halves:forward(a, b) return torch.cat { a, b } end
function Halves:right_inverse(x) return x:narrow(1, 1, 2), x:narrow(1, 3, 2) end

-- PyTorch's text, but for positions.
function s.printing()
  local m = nn.Sequential(parametrizations.weight_norm(nn.Linear(2, 3)), nn.ReLU())
  t:eq(tostring(m), [[
Sequential(
  (1): ParametrizedLinear(
    in_features=2, out_features=3, bias=True
    (parametrizations): ModuleDict(
      (weight): ParametrizationList(
        (1): _WeightNorm()
      )
    )
  )
  (2): ReLU()
)]])
  parametrize.remove_parametrizations(m[1], 'weight')
  t:eq(tostring(m[1]), 'Linear(in_features=2, out_features=3, bias=True)')
end

function s.a_tensor_is_computed_from_another()
  local m = nn.Linear(3, 3)
  local w = m.weight
  local x = torch.randn(2, 3)
  t:eq(parametrize.register_parametrization(m, 'weight', Symmetric()), m)
  t:assert(parametrize.is_parametrized(m) and parametrize.is_parametrized(m, 'weight') and not parametrize.is_parametrized(m, 'bias'))
  t:eq(keys(m), 'bias parametrizations.weight.original')
  t:eq(#m:parameters(), 2)
  t:eq(m.parametrizations.weight.original, w, 'an optimizer keeps the parameter')
  t:assert(m.weight:equal(m.weight.mT))
  near(m(x), F.linear(x, m.weight, m.bias))
  m(x):sum():backward()
  t:assert(w.grad and w.grad:tril(-1):eq(0):all(), 'the gradient goes through')
  local new = torch.ones(3, 3)
  m.weight = new
  t:assert(m.weight:equal(new) and w:equal(new:triu()), 'assigned by right_inverse')
end

function s.several_stack()
  local m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
  parametrize.register_parametrization(m[1], 'weight', Symmetric())
  parametrize.register_parametrization(m[1], 'weight', Double())
  parametrize.register_parametrization(m[1], 'bias', Double())
  local original = m[1].parametrizations.weight.original
  t:assert(m[1].weight:equal(2 * (original:triu() + original:triu(1).mT)))
  local before = original:clone()
  t:fails(function() m[1].weight = torch.ones(2, 2) end, "'weight' cannot be assigned: the parametrization Double has no right_inverse")
  t:assert(original:equal(before))
  t:eq(#m[1].parametrizations.weight, 2)
  t:assert(m(torch.zeros(1, 2)):equal(F.relu(m[1].bias):unsqueeze(1)))
  local copy = m:clone()
  copy[1].parametrizations.weight.original = nn.Parameter(torch.ones(2, 2))
  t:assert(copy[1].weight:equal(torch.full({ 2, 2 }, 2.)) and not m[1].weight:equal(copy[1].weight), 'a clone computes its own')
  near(copy(torch.ones(1, 2)), F.relu(F.linear(torch.ones(1, 2), copy[1].weight, copy[1].bias)))
  parametrize.remove_parametrizations(m[1], 'weight', { leave_parametrized = false })
  t:eq(m[1].weight, original)
  t:assert(parametrize.is_parametrized(m[1]))
  local bias = m[1].bias:detach():clone()
  parametrize.remove_parametrizations(m[1], 'bias')
  t:assert(m[1].bias:equal(bias) and not parametrize.is_parametrized(m[1]))
  t:eq(keys(m), '1.weight 1.bias')
  m(torch.zeros(1, 2))
end

function s.originals_may_be_several()
  local m = nn.Linear(3, 4)
  local w = m.weight:detach():clone()
  parametrize.register_parametrization(m, 'weight', Halves())
  t:eq(keys(m), 'bias parametrizations.weight.original0 parametrizations.weight.original1')
  t:assert(m.weight:equal(w))
  m.weight = w + 1
  t:assert(m.weight:equal(w + 1))
  parametrize.remove_parametrizations(m, 'weight')
  t:eq(keys(m), 'weight bias')
  t:assert(m.weight:equal(w + 1))
end

function s.buffers_too()
  local m = nn.BatchNorm1d(2)
  parametrize.register_parametrization(m, 'running_var', Double())
  t:eq(m:eval()(torch.ones(1, 2)):size(2), 2)
  t:assert(m.running_var:equal(torch.full({ 2 }, 2.)))
  t:eq(#m:parameters(), 2)
  parametrize.remove_parametrizations(m, 'running_var')
  t:eq(keys(m), 'weight bias running_mean running_var num_batches_tracked')
end

function s.a_forward_that_fails_leaves_no_trace()
  local m = nn.Linear(3, 3)
  parametrize.register_parametrization(m, 'weight', Symmetric())
  t:fails(function() m(torch.zeros(2, 5)) end, 'linear')
  t:eq(#m:parameters(), 2)
  t:eq(keys(m), 'bias parametrizations.weight.original')
end

function s.cached()
  local calls = 0
  local Counting = nn.class('Counting')
  function Counting:forward(x) calls = calls + 1 return x end
  local m = nn.Linear(2, 2)
  parametrize.register_parametrization(m, 'weight', Counting(), { unsafe = true })
  calls = 0
  do
    local _ <close> = parametrize.cached()
    local _ = m.weight, m.weight, m(torch.zeros(1, 2))
  end
  t:eq(calls, 1)
  t:eq(parametrize.cached(function(x) return x, m.weight:size(1) end, 5), 5)
  t:eq(calls, 2)
  t:fails(function() parametrize.cached(3) end, 'cached: expects a function or nothing, got number')
  pcall(parametrize.cached, error, 'x')
  local _ = m.weight, m.weight
  t:eq(calls, 4)
end

function s.loaded_and_trained()
  local function make()
    local m = nn.Linear(3, 2)
    parametrizations.weight_norm(m)
    return m
  end
  local a, b = make(), make()
  b:load_state_dict(a:state_dict())
  t:assert(a.weight:equal(b.weight))
  local opt = optim.SGD(a:parameters(), { lr = 0.1 })
  a(torch.ones(1, 3)):sum():backward()
  opt:step()
  t:assert(not a.weight:equal(b.weight))
end

-- torch.save of the module itself.
function s.saved_whole()
  local path = os.tmpname()
  for _, make in ipairs { parametrizations.weight_norm, nn.utils.weight_norm, nn.utils.spectral_norm, parametrizations.orthogonal,
    function(m) return prune.l1_unstructured(m, 'weight', 0.5) end } do
    require 'luth.torch.parametrizations'
    local m = make(nn.Linear(3, 3)):eval()
    torch.save(m, path)
    local n = torch.load(path)
    t:assert(n.weight:equal(m.weight))
    t:assert(n(torch.ones(1, 3)):equal(m(torch.ones(1, 3))))
  end
  os.remove(path)
  local m = nn.Linear(2, 2)
  m.bias = nil
  m._computed = { bias = 'os' }
  t:fails(function() return m.bias end, "nothing is known that computes 'bias'")
end

function s.weight_norm()
  local m = nn.Conv2d(2, 3, 3)
  local w = m.weight:detach():clone()
  nn.utils.weight_norm(m)
  t:eq(keys(m), 'bias weight_g weight_v')
  t:eq(m.weight_g:size(), torch.Size { 3, 1, 1, 1 })
  near(m.weight, w)
  m.weight_g.data:mul_(2)
  near(m.weight, 2 * w)
  local x = torch.randn(1, 2, 5, 5)
  near(m(x), F.conv2d(x, m.weight, m.bias))
  nn.utils.remove_weight_norm(m)
  t:eq(keys(m), 'weight bias')
  near(m.weight, 2 * w)
  t:fails(function() nn.utils.remove_weight_norm(m) end, "'weight' has no weight_norm")
  local n = parametrizations.weight_norm(nn.Linear(4, 3), 'weight', 2)
  t:eq(keys(n), 'bias parametrizations.weight.original0 parametrizations.weight.original1')
  t:eq(n.parametrizations.weight.original0:size(), torch.Size { 1, 4 })
  local whole = nn.utils.weight_norm(nn.Linear(4, 3), 'weight', torch.none)
  t:eq(whole.weight_g:dim(), 0)
  t:eq(nn.utils.weight_norm(nn.Linear(4, 3), 'weight', -1).weight_g:dim(), 0)  -- -1 is PyTorch's None
  t:eq(parametrizations.weight_norm(nn.Linear(4, 3), 'weight', -1).parametrizations.weight.original0:dim(), 0)
end

function s.spectral_norm()
  torch.manual_seed(1)
  local function largest(w) return torch.linalg.svdvals(w:flatten(2))[1]:item() end
  for _, make in ipairs { nn.utils.spectral_norm, parametrizations.spectral_norm } do
    local m = make(nn.Linear(6, 4), { n_power_iterations = 5 })
    for _ = 1, 30 do m(torch.zeros(1, 6)) end
    m:eval()
    t:assert(math.abs(largest(m.weight) - 1) < 1e-3, largest(m.weight))
    local w = m.weight:detach():clone()
    m(torch.zeros(1, 6))
    t:assert(m.weight:equal(w), 'nothing moves in eval mode')
    m:train()(torch.ones(1, 6)):sum():backward()
  end
  local m = nn.utils.spectral_norm(nn.Linear(6, 4))
  t:eq(keys(m), 'bias weight_orig weight_u weight_v')
  nn.utils.remove_spectral_norm(m)
  t:eq(keys(m), 'weight bias')
  t:eq(keys(parametrizations.spectral_norm(nn.Linear(6, 4)), 0),
    'bias parametrizations.weight.original parametrizations.weight.0._u parametrizations.weight.0._v')
  local c = nn.utils.spectral_norm(nn.ConvTranspose2d(3, 5, 2))
  t:eq(c.weight_u:size(1), 5)
end

function s.orthogonal()
  torch.manual_seed(2)
  for _, map in ipairs { 'matrix_exp', 'cayley', 'householder' } do
    for _, shape in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      for _, trivial in ipairs { true, false } do
        local m = nn.Linear(shape[2], shape[1]):double()
        parametrizations.orthogonal(m, 'weight', map, { use_trivialization = trivial })
        local Q = m.weight
        local I = shape[1] >= shape[2] and Q.mT:matmul(Q) or Q:matmul(Q.mT)
        t:assert(I:allclose(torch.eye(I:size(1), { dtype = 'float64' })), map .. tostring(I))
        local opt = optim.SGD(m:parameters(), { lr = 0.1 })
        m(torch.randn(3, shape[2], { dtype = 'float64' })):pow(2):sum():backward()
        opt:step()
        Q = m.weight
        I = shape[1] >= shape[2] and Q.mT:matmul(Q) or Q:matmul(Q.mT)
        t:assert(I:allclose(torch.eye(I:size(1), { dtype = 'float64' })), map .. ' after a step')
      end
    end
  end
  local m = nn.Linear(3, 3)
  local Q = torch.linalg.qr(torch.randn(3, 3))
  m.weight = nn.Parameter(Q)
  parametrizations.orthogonal(m)
  near(m.weight, Q, 'an orthogonal weight stays')
  t:eq(keys(m, 0), 'bias parametrizations.weight.original parametrizations.weight.0.base')
  t:fails(function() parametrizations.orthogonal(nn.Linear(2, 2), 'bias') end, "'bias' must be a matrix or a stack of them")
  t:fails(function() parametrizations.orthogonal(nn.Linear(2, 2), 'weight', 'qr') end, "'matrix_exp', 'cayley' or 'householder', not 'qr'")
end

local function zeros(w) return w:eq(0):sum():item() end

-- State dicts and results of PyTorch (tests/golden/make_parametrizations.py).
function s.as_pytorch()
  local golden = torch.load((os.getenv 'LUTH_SOURCE' or '.') .. '/tests/golden/parametrizations.safetensors')
  local function check(case, m)
    local state = {}
    for name, value in pairs(golden) do
      local of, key = name:match('^(.-)|(.+)$')
      if of == case then state[key] = value end
    end
    m:load_state_dict(state, { base = 0 })
    t:assert(m:eval()(torch.ones(1, m.in_features)):allclose(golden[case .. '|'], { rtol = 1e-4, atol = 1e-5 }), case)
  end
  for _, map in ipairs { 'matrix_exp', 'cayley', 'householder' } do
    for _, shape in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      for _, trivial in ipairs { true, false } do
        local m = parametrizations.orthogonal(nn.Linear(shape[2], shape[1]), { orthogonal_map = map, use_trivialization = trivial })
        check(('%s %d %d %s'):format(map, shape[1], shape[2], trivial and 'True' or 'False'), m)
      end
    end
  end
  for _, name in ipairs { 'weight_norm', 'spectral_norm' } do
    check(name, nn.utils[name](nn.Linear(3, 4)))
    check('parametrizations.' .. name, parametrizations[name](nn.Linear(3, 4)))
  end
  local m = nn.Linear(6, 4)
  m.weight = nn.Parameter(golden['prune|weight'])
  prune.ln_structured(m, 'weight', 0.5, 2, 1)
  prune.l1_unstructured(m, 'weight', 0.3)
  t:assert(m.weight_mask:equal(golden['prune|mask']))
end

function s.pruning()
  torch.manual_seed(3)
  local m = nn.Linear(5, 4)
  local w = m.weight
  prune.l1_unstructured(m, 'weight', 6)
  t:eq(keys(m), 'bias weight_orig weight_mask')
  t:eq(m.weight_orig, w)
  t:eq(zeros(m.weight), 6)
  local kept, gone = w:abs():masked_select(m.weight_mask:bool()), w:abs():masked_select(m.weight_mask:eq(0))
  t:assert(kept:min():item() >= gone:max():item())
  local x = torch.randn(2, 5)
  near(m(x), F.linear(x, m.weight, m.bias))
  m(x):sum():backward()
  t:assert(w.grad:masked_select(m.weight_mask:eq(0)):eq(0):all())
  t:assert(prune.is_pruned(m) and prune.is_pruned(nn.Sequential(m)) and not prune.is_pruned(nn.Linear(1, 1)))
  prune.random_unstructured(m, 'weight', 0.5)  -- of the 14 that are left
  t:eq(zeros(m.weight), 13)
  local now = m.weight:detach():clone()
  prune.remove(m, 'weight')
  t:eq(keys(m), 'weight bias')
  t:assert(m.weight:equal(now) and m.weight == w and not prune.is_pruned(m))
  t:fails(function() prune.remove(m, 'weight') end, "'weight' of nn.Linear is not pruned")
end

function s.pruning_of_channels()
  local m = nn.Conv2d(3, 4, 2)
  m.weight = nn.Parameter(torch.arange(1, 49, { dtype = 'float32' }):reshape(4, 3, 2, 2))
  prune.ln_structured(m, 'weight', 1, 2, 1)
  t:eq(m.weight_mask:sum { 2, 3, 4 }:int():tolist(), { 0, 12, 12, 12 })
  prune.ln_structured(m, 'weight', 1, 2, 1)
  t:eq(m.weight_mask:sum { 2, 3, 4 }:int():tolist(), { 0, 0, 12, 12 })
  prune.random_structured(m, 'weight', 0.5, -4)
  t:eq(m.weight_mask:sum():item(), 12.)
  t:fails(function() prune.random_structured(m, 'weight', 1, 5) end, 'dim must be from 1 to 4, not 5')
  t:fails(function() prune.random_structured(m, 'bias', 1, 1) end, 'structured pruning needs at least 2 dims')
end

function s.pruning_of_several()
  local a, b = nn.Linear(2, 2), nn.Linear(2, 2)
  a.weight = nn.Parameter(torch.full({ 2, 2 }, 0.1))
  b.weight = nn.Parameter(torch.tensor { { 1., 2. }, { 0.01, 3. } })
  prune.global_unstructured({ { a, 'weight' }, { b, 'weight' } }, prune.l1_unstructured, { amount = 5 })
  t:eq(zeros(a.weight) + zeros(b.weight), 5)
  t:eq(zeros(a.weight), 4)
  local one = nn.Linear(2, 2)
  prune.global_unstructured({ { one, 'weight' } }, { pruning_method = prune.L1Unstructured, amount = 1 })
  t:eq(zeros(one.weight_mask), 1)
  prune.custom_from_mask(b, 'weight', torch.tensor { { 0, 1 }, { 1, 1 } })
  t:eq(b.weight:tolist(), { { 0., 2. }, { 0., 3. } })
  prune.identity(b, 'bias')
  t:eq(zeros(b.bias_mask), 0)
  local c = b:clone()
  prune.remove(c, 'weight')
  t:assert(prune.is_pruned(c) and prune.is_pruned(b))
end

function s.fusing()
  torch.manual_seed(4)
  local function norm(class, n)
    local bn = class(n)
    for _, p in ipairs { bn.weight, bn.bias, bn.running_mean } do p.data = torch.randn(n) end
    bn.running_var.data = torch.rand(n) + 0.5
    return bn:eval()
  end
  local x = torch.randn(2, 3, 6, 6)
  for _, bias in ipairs { true, false } do
    local conv, bn = nn.Conv2d(3, 4, 3, { bias = bias }):eval(), norm(nn.BatchNorm2d, 4)
    near(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)))
    local up, other = nn.ConvTranspose2d(3, 4, 3, { bias = bias }):eval(), norm(nn.BatchNorm2d, 4)
    near(nn.utils.fuse_conv_bn_eval(up, other, true)(x), other(up(x)))
    local linear, bn1 = nn.Linear(6, 5, { bias = bias }):eval(), norm(nn.BatchNorm1d, 5)
    local y = torch.randn(3, 6)
    near(nn.utils.fuse_linear_bn_eval(linear, bn1)(y), bn1(linear(y)))
  end
  t:fails(function() nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)) end, 'both modules must be in eval mode')
  t:fails(function() nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1, 1), nil, torch.zeros(1), 3) end, 'bn_rv must be a tensor, got number')
  t:fails(function() nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3):eval(), nn.BatchNorm1d(2):eval()) end, 'the layer has 3 outputs, the norm 2 channels')
end

function s.skip_init()
  local m = nn.utils.skip_init(nn.BatchNorm1d, 3, { device = 'cpu' })
  t:eq(m.weight.device, torch.device 'cpu')
  t:eq(m.running_mean.device, torch.device 'cpu')
  t:assert(m.weight.requires_grad)
  t:eq(nn.utils.skip_init(nn.Linear, 4, 2)(torch.zeros(1, 4)):size(2), 2)
  t:fails(function() nn.utils.skip_init(3) end, 'skip_init: expects a class of modules, got number')
end

function s.errors()
  local register = parametrize.register_parametrization
  local Wide = nn.class('Wide')
  function Wide:forward(x) return torch.cat { x, x } end
  function Wide:right_inverse(x) return x end
  local m = nn.Linear(2, 3)
  local w = m.weight:detach():clone()
  t:fails(function() register(m, 'wieght', Double()) end, "nn.Linear has no parameter or buffer named 'wieght'")
  t:fails(function() register(3, 'weight', Double()) end, 'expects a module, got number')
  t:fails(function() register(m, 'weight', 3) end, 'parametrization must be a module, got number')
  t:fails(function() register(m, 'weight', Wide()) end, 'the parametrization gives torch.float32 of shape [6, 2]')
  t:assert(m.weight:equal(w) and not parametrize.is_parametrized(m), 'the module stays as it was')
  t:eq(register(m, 'weight', Wide(), { unsafe = true }).weight:size(1), 6)
  t:fails(function() parametrize.remove_parametrizations(m, 'bias') end, "'bias' has no parametrization")
  t:fails(function() m.weight = torch.zeros(7) end, "'weight' cannot become a tensor of shape [7]: its original has shape [3, 2]")
  t:fails(function() m.weight = 3 end, "'weight' takes a tensor, got number")
  t:fails(function() prune.identity(m, 'weight') end, "'weight' is computed from other parameters already")
  t:fails(function() nn.utils.weight_norm(nn.Linear(2, 2), 'weight', 3) end, 'dim must be from 1 to 2 or torch.none, not 3')
  t:fails(function() nn.utils.spectral_norm(nn.Linear(2, 2), { n_power_iterations = 0 }) end, 'n_power_iterations must be an integer from 1, not 0')
  for _, amount in ipairs { -1, 1.5, -0.1, 99 } do
    t:fails(function() prune.l1_unstructured(nn.Linear(2, 2), 'weight', amount) end, 'amount')
  end
  t:fails(function() prune.l1_unstructured(nn.Linear(2, 2), 'weight', 'x') end, 'amount must be a number')
  t:fails(function() prune.custom_from_mask(nn.Linear(2, 2), 'weight', torch.ones(3)) end, 'mask must have the shape [2, 2]')
  t:fails(function() prune.global_unstructured({}, prune.l1_unstructured) end, 'parameters is a list of {module, name}')
  local pruned = prune.identity(nn.Linear(2, 2), 'weight')
  t:fails(function() pruned.weight = torch.zeros(2, 2) end, "'weight' is computed from other parameters; assign those")
end

-- Attention calls no forward of its out_proj, whose hooks compute these.
function s.attention_with_a_computed_projection()
  local x = torch.randn(3, 2, 4)
  for _, change in ipairs {
    function(layer) nn.utils.prune.l1_unstructured(layer, 'weight', 0.5) end,
    function(layer) nn.utils.prune.l1_unstructured(layer, 'bias', 2) end,
    function(layer) nn.utils.parametrizations.weight_norm(layer) end,
  } do
    local plain = nn.MultiheadAttention(4, 2)
    plain.out_proj.bias.data:normal_()
    local changed = plain:clone()
    change(changed.out_proj)
    plain.out_proj.weight.data:copy_(changed.out_proj.weight:detach())
    plain.out_proj.bias.data:copy_(changed.out_proj.bias:detach())
    local got, got_weights = changed(x, x, x)
    local want, want_weights = plain(x, x, x)
    t:assert(torch.allclose(got, want) and torch.equal(got_weights, want_weights))
    got:sum():backward()
    for name, p in changed:named_parameters() do t:ne(p.grad, nil, name) end
  end
end

t:add(s):run()
