-- What modules and losses do at the edges of shapes and settings, as PyTorch does it.
local t, s = torch.Tester(), torch.TestSuite()
local function list(x) return x:detach():long():reshape(-1):tolist() end

function s.circular_padding_repeats_what_is_not_cut_off()
  local x = torch.arange(4.0):reshape(1, 4)
  t:eq(list(F.pad(x, {-1, 3}, 'circular')), {1, 2, 3, 1, 2, 3})
  t:eq(list(F.pad(x, {2, -1}, {mode = 'circular'})), {1, 2, 0, 1, 2})
  t:eq(list(nn.CircularPad2d {padding = {1, -1, -1, 1}}(torch.arange(6.0):reshape(1, 2, 3))), {4, 3, 4, 4, 3, 4})
  t:fails(function() return F.pad(x, {-2, 3}, 'circular') end, 'more than once')
  local y = x:clone():requires_grad_()
  F.pad(y, {-1, 3}, 'circular'):sum():backward()
  t:eq(list(y.grad), {0, 2, 2, 2})
end

function s.batches_without_elements_keep_running_statistics()
  for _, make in ipairs {nn.BatchNorm1d, nn.InstanceNorm1d} do
    for _, shape in ipairs {{0, 2, 3}, {2, 2, 0}} do
      local m = make(2, {affine = true, track_running_stats = true})
      local x = torch.zeros(shape):requires_grad_()
      local y = m(x)
      t:eq(y:size():tolist(), shape)
      y:sum():backward()
      t:eq(list(m.weight.grad), {0, 0})
      t:eq(list(m.running_mean), {0, 0})
      t:eq(list(m.running_var), {1, 1})
    end
  end
  t:fails(function() return nn.BatchNorm1d(2)(torch.zeros(1, 2)) end, 'more than one value')
end

function s.training_wants_eps_above_0()
  local m = nn.BatchNorm1d(2, {eps = 0})
  t:fails(function() return m(torch.randn(3, 2)) end, 'eps must be above 0 in training, not 0')
  t:eq(m:eval()(torch.ones(3, 2)):size():tolist(), {3, 2})
end

function s.norms_want_weights_of_the_inputs_dtype()
  local x, w = torch.randn(2, 3, 4, {dtype = 'float64'}), torch.ones(4)
  t:fails(function() return F.layer_norm(x, {4}, w) end, 'layer_norm', 'must be float64, as input is')
  t:fails(function() return F.layer_norm(x:half(), {4}, w, w:half()) end, 'must be float16, or all float32')
  t:eq(tostring(F.layer_norm(x:half(), {4}, w, w).dtype), 'torch.float16')
  w = torch.ones(3)
  t:fails(function() return F.group_norm(x, 1, w) end, 'must be float64')
  t:fails(function() return F.instance_norm(x, nil, nil, w) end, 'must be float64')
  t:fails(function() return F.batch_norm(x, w, w) end, 'must be float64')
  t:fails(function() return F.batch_norm(x, w, w, nil, nil, true) end, 'must be float64')
  t:fails(function() return F.batch_norm(x, w:double(), nil, nil, nil, true) end, 'both be given, or neither')
end

function s.dims_of_a_number()
  local x = torch.tensor(3.0)
  t:fails(function() return nn.Flatten()(x) end, 'dim 2 is out of range')
  t:eq(nn.Flatten {start_dim = 1}(x):size():tolist(), {1})
  t:eq(x:flatten():size():tolist(), {1})
end

function s.settings_that_pytorch_refuses()
  t:fails(function() return nn.Unflatten(1, {-1, -1})(torch.ones(1, 5)) end, 'only one extent of [-1, -1] may be -1')
  for _, make in ipairs {nn.RNN, nn.LSTM, nn.GRU} do t:fails(function() return make(0, 2) end, 'input_size of at least 1') end
  t:eq(nn.GRUCell(0, 2)(torch.ones(3, 0)):size():tolist(), {3, 2})
end

function s.losses_are_as_many_as_inputs()
  local one, two = torch.tensor(0.5), torch.ones(2)
  t:fails(function() return F.soft_margin_loss(one, two) end, 'target of shape [2] does not fit input of shape []')
  t:fails(function() return F.binary_cross_entropy(one, one, two) end, 'weight of shape [2] does not fit')
  t:fails(function() return F.binary_cross_entropy_with_logits(one, one, two) end, 'weight of shape [2] does not fit')
end

function s.glu_halves_any_dim()
  local x = torch.randn(4, 6, 2, {dtype = torch.float64}):requires_grad_()
  for d = 1, 3 do
    local half = x:size(d) // 2
    local a, gate = x:narrow(d, 1, half), x:narrow(d, half + 1, half)
    local y, expected = F.glu(x, d), a * gate:sigmoid()
    t:assert(torch.allclose(y, expected))
    local by, want = torch.autograd.grad(y:sum(), {x}), torch.autograd.grad(expected:sum(), {x})
    t:assert(torch.allclose(by, want))
  end
  local none = torch.zeros(3, 0):requires_grad_()
  F.glu(none):sum():backward()
  t:eq(none.grad:size():tolist(), {3, 0})
  t:fails(function() return F.glu(torch.zeros(2, 3)) end, 'odd')
end

-- The mean of a long row of equal numbers is this number, and its variance 0.
function s.norms_of_long_rows()
  for _, n in ipairs {2049, 4097, 65537} do
    local x, zeros = torch.full({1, 2, n}, -7.7), torch.zeros(1, 2, n)
    t:eq(F.layer_norm(x, {n}), zeros, 'layer_norm of ' .. n)
    t:eq(F.group_norm(x, 2), zeros, 'group_norm of ' .. n)
    t:eq(F.instance_norm(x), zeros, 'instance_norm of ' .. n)
  end
  local x = torch.randn(2, 1048576)
  local apart = F.layer_norm(x, {1048576}):double() - F.layer_norm(x:double(), {1048576})
  t:assert(apart:abs():max():item() < 1e-6, 'as exact as a short row')
end

function s.second_gradient_of_gelu()
  local function second(x, how)
    local y = F.gelu(x, {approximate = how})
    local slope = torch.autograd.grad(y:sum(), {x}, {create_graph = true})
    return torch.autograd.grad(slope:sum(), {x})
  end
  for _, how in ipairs {'none', 'tanh'} do
    for _, dtype in ipairs {torch.float16, torch.bfloat16} do
      local x = torch.linspace(-12, 12, 999):to(dtype)
      x[1] = 300
      local y = second(x:clone():requires_grad_(), how)
      torch.testing.assert_close(y, second(x:double():requires_grad_(), how):to(dtype))
    end
  end
end

t:add(s):run()
