-- What operators do at the edges of dtypes, shapes and ranges, as PyTorch does it.
local t, s = torch.Tester(), torch.TestSuite()
local inf, nan = math.huge, 0 / 0
local function of(dtype, list) return torch.tensor(list, {dtype = torch.float64}):to(torch[dtype]) end
local function ints(list) return torch.tensor(list, {dtype = torch.int64}) end
local function bools(list) return torch.tensor(list) end
local function empty(dtype, ...) return torch.zeros({...}, {dtype = torch[dtype]}) end
-- dtype, shape and elements; nan equals nan, and zeros have signs
local function same(got, want, what)
  t:eq(tostring(got.dtype), tostring(want.dtype), what)
  t:eq(got:size():tolist(), want:size():tolist(), what)
  local a, b = got:double():reshape(-1):tolist(), want:double():reshape(-1):tolist()
  for i, v in ipairs(b) do
    t:assert(a[i] == v and 1 / a[i] == 1 / v or a[i] ~= a[i] and v ~= v, (what or '') .. ': ' .. tostring(a[i]) .. ' is not ' .. tostring(v))
  end
end
local function close(got, want, what) t:assert(math.abs(got - want) <= 1e-12 * math.abs(want), what .. ': ' .. got .. ' is not ' .. want) end

-- More elements than a block of the search has.
function s.topk_of_none()
  local values, indices = torch.arange(200):topk(0)
  t:eq(values:size(), torch.Size({0}))
  t:eq(indices:size(), torch.Size({0}))
end

function s.names_are_no_part_of_a_list()
  local a = torch.ones(1, 2)
  for _, f in ipairs {function() return torch.cat {a, a, dim = 2} end, function() return torch.ones {2, dtype = torch.int64} end,
    function() return a:sum {1, keepdim = true} end, function() return a:reshape {2, foo = 1} end} do
    t:fails(f, 'named arguments go into a table of their own')
  end
  t:eq(torch.cat({a, a}, {dim = 2}):size():tolist(), {1, 4})
end

function s.round_to_places_beyond_the_range()
  for _, places in ipairs {400, -400, 1 << 50, math.mininteger} do
    same(of('float32', {1.5, inf}):round {decimals = places}, of('float32', {nan, nan}))
  end
end

function s.clamp_beyond_the_range()
  local u, i = of('uint8', {1, 200}), of('int8', {-100, 100})
  same(u:clamp(-1, 300), u)
  same(u:clamp(-1, 100), of('uint8', {1, 100}))
  same(i:clamp(-500, 300), i)
  same(i:clamp {max = 300}, i)
  same(u:clamp(-(1 << 40), 1 << 40), u)
  same(u:clamp_min(-1), u)
  same(u:clamp_max(300), u)
  same(u:clone():clamp_(-1, 300), u)
  same(empty('uint8', 0):clamp(-1, 300), empty('uint8', 0))
  for _, f in ipairs {function() return u:clamp(300) end, function() return u:clamp(300, 400) end, function() return u:clamp_min(300) end} do
    t:fails(f, 'uint8 holds nothing above 255')
  end
  for _, f in ipairs {function() return u:clamp(nil, -1) end, function() return u:clamp(-9, -1) end, function() return u:clamp_max(-1) end} do
    t:fails(f, 'uint8 holds nothing below 0')
  end
  same(torch.clamp(of('float32', {1, 2}), nan, 3), of('float32', {nan, nan}))
  same(torch.clamp(of('float32', {1, 2}), 0, nan), of('float32', {nan, nan}))
end

function s.ldexp_of_large_exponents()
  local function f(dtype, x, e) return torch.ldexp(of(dtype, x), ints(e)) end
  same(f('float64', {0.5, 0, -0.0, inf, 5e-324, 3, 1, -2}, {1024, 2000, 1024, -2000, 1024, -1075, 1024, -1075}),
    of('float64', {2 ^ 1023, 0, -0.0, inf, 2.0 ^ -50, 2 * 5e-324, inf, -5e-324}))
  same(f('float32', {0.5, 0, 2.0 ^ -126, inf, 3, 1}, {128, 200, 130, -150, -150, 128}), of('float32', {2 ^ 127, 0, 16, inf, 2.0 ^ -148, inf}))
  same(f('float16', {2.0 ^ -10, 1}, {20, 20}), of('float16', {1024, inf}))
  close(torch.ldexp(of('float64', {1}), of('float64', {1.5})):item(), 2 ^ 1.5, 'a fraction')
end

function s.trapezoid_of_integers_and_of_nothing()
  same(torch.trapezoid(of('uint8', {200, 200, 3})), torch.tensor(301.5))
  same(torch.trapezoid(ints {1, 2, 3}, {dx = 2}), torch.tensor(8.))
  same(torch.trapezoid(empty('int64', 0)), torch.tensor(0))
  same(torch.trapezoid(empty('int32', 2, 0)), empty('int32', 2))
  same(torch.cumulative_trapezoid(empty('int64', 0)), empty('float32', 0))
  same(torch.cumulative_trapezoid(ints {1, 1 << 62, 1 << 62}, {dx = 2}), of('float32', {2 ^ 62, -(2 ^ 62)}))
end

function s.nansum_in_another_dtype()
  local x = of('float32', {1, nan, 0})
  same(torch.nansum(x, {dtype = torch.bool}), torch.tensor(true))
  same(torch.nansum(of('float32', {nan}), {dtype = torch.bool}), torch.tensor(false))
  same(torch.nansum(x, {dtype = torch.int32}), of('int32', {1}):reshape({}))
end

function s.medians_of_nothing()
  for _, name in ipairs {'median', 'nanmedian'} do
    local f = torch[name]
    t:eq(f(empty('int64', 0)):item(), math.mininteger, name)
    t:eq(f(empty('int32', 0, 3)):item(), -(1 << 31), name)
    for _, d in ipairs {'uint8', 'int8', 'int16'} do t:eq(f(empty(d, 0)):item(), 0, name) end
    same(f(empty('bool', 0)), torch.tensor(true), name)
    t:fails(function() return f(empty('bool', 0, 2), 2) end, 'bool', name)
  end
end

function s.softmax_of_no_integers()
  for _, f in ipairs {torch.softmax, torch.log_softmax, F.softmin} do
    same(f(empty('int64', 0), 1), empty('int64', 0))
    same(f(empty('int32', 2, 0), 1), empty('int32', 2, 0))
    same(f(empty('float32', 0), 1, {dtype = torch.int64}), empty('int64', 0))
    t:fails(function() return f(ints {1, 2}, 1) end, 'floating')
  end
end

function s.means_of_halves_and_in_integers()
  same(of('float16', {60000, 60000}):mean(), of('float16', {60000}):reshape({}))
  same(torch.std_mean(of('float16', {60000, 60000})), of('float16', {0}):reshape({}))
  for _, x in ipairs {of('float32', {1, 2}), ints {1, 2}} do
    for _, d in ipairs {'int64', 'int32', 'bool'} do
      t:fails(function() return x:mean {dtype = torch[d]} end, 'floating')
      t:fails(function() return torch.nanmean(x, {dtype = torch[d]}) end, 'floating')
    end
  end
  t:fails(function() return torch.nanmean(ints {1, 2}, {dtype = torch.float64}) end, 'floating')
  same(ints({1, 2}):mean {dtype = torch.float64}, torch.tensor(1.5, {dtype = torch.float64}))
end

function s.differences_of_bools()
  local b, i, f = bools {true, false}, ints {1, 2}, of('float32', {1, 2})
  for _, call in ipairs {function() return b - 1 end, function() return 1 - b end, function() return b - 1.5 end, function() return i - b end,
    function() return b - f end, function() return f - b end, function() return torch.sub(i, true) end, function() return torch.sub(f, true) end,
    function() return torch.rsub(b, 1) end, function() return torch.rsub(f, b) end, function() return i:clone():sub_(b) end} do
    t:fails(call, 'a bool operand cannot be subtracted')
  end
  t:fails(function() return b - b end, 'two bool operands cannot be subtracted; use logical_xor')
  t:fails(function() return torch.rsub(b, b) end, 'two bool operands')
  t:fails(function() return torch.sub(i, i, {alpha = true}) end, 'alpha is a boolean')
  t:fails(function() return torch.add(of('uint8', {1}), of('uint8', {1}), {alpha = 300}) end, 'does not fit')
  same(torch.add(of('uint8', {1}), of('uint8', {1}), {alpha = -1}), of('uint8', {0}))
end

function s.results_in_place_keep_the_dtype()
  for _, d in ipairs {'float32', 'float16', 'int64'} do
    local x = of(d, {2, 3})
    t:fails(function() x:float_power_(2) end, 'float64 and cannot be written into ' .. d)
    same(x, of(d, {2, 3}))
    for _, name in ipairs {'cumsum_', 'cumprod_'} do
      t:fails(function() x[name](x, 1, {dtype = torch.int32}) end, 'stays ' .. d)
      same(x, of(d, {2, 3}))
      same(x:clone()[name](x:clone(), 1, {dtype = torch[d]}), of(d, name == 'cumsum_' and {2, 5} or {2, 6}))
    end
  end
  same(of('float64', {2}):float_power_(2), of('float64', {4}))
  same(of('int32', {2, 3}):cumsum_(1), of('int32', {2, 5}))
  t:fails(function() torch.cumsum(ints {1, 2}, 1, {dtype = torch.bool}) end, 'bool')
end

function s.activations_of_integers()
  for _, name in ipairs {'gelu', 'leaky_relu', 'elu', 'selu', 'celu', 'silu', 'mish', 'softplus', 'hardswish', 'hardsigmoid', 'logsigmoid',
    'hardshrink', 'softshrink'} do
    for _, x in ipairs {ints {1, 2}, of('uint8', {1, 2}), bools {true, false}} do
      t:fails(function() return F[name](x) end, 'not implemented for ' .. tostring(x.dtype):gsub('torch.', ''), name)
    end
  end
  for _, name in ipairs {'softsign', 'tanhshrink'} do
    t:eq(tostring(F[name](ints {1, 2}).dtype), 'torch.float32', name)
    t:fails(function() return F[name](bools {true}) end, 'not implemented for bool', name)
  end
  for _, name in ipairs {'relu', 'relu6', 'hardtanh'} do same(F[name](ints {-1, 1}), ints {name == 'hardtanh' and -1 or 0, 1}, name) end
  t:fails(function() return F.smooth_l1_loss(ints {1, 2}, ints {1, 3}) end, 'floating')
end

function s.bools_are_not_ranked()
  local b = bools {true, false, true}
  for _, name in ipairs {'argmax', 'argmin', 'median', 'nanmedian'} do
    t:fails(function() return torch[name](b) end, 'bool', name)
    t:fails(function() return torch[name](b, 1) end, 'bool', name)
  end
  for _, name in ipairs {'topk', 'kthvalue'} do t:fails(function() return torch[name](b, 1) end, 'bool', name) end
  t:fails(function() return torch.trace(bools {{true, false}, {false, true}}) end, 'bool')
  t:fails(function() return torch.searchsorted(b, b) end, 'bool')
  t:fails(function() return torch.isin(b, b) end, 'bool')
  local v, i = b:sort()
  same(v, bools {false, true, true})
  same(i, ints {2, 1, 3})
  t:eq(torch.allclose(b, b), true)
  t:eq(torch.allclose(b, bools {true, true, true}), false)
end

function s.numbers_that_do_not_fit()
  local u, m = of('uint8', {1, 2}), bools {true, false}
  for _, v in ipairs {300, -1, 256, 1e10, nan, inf} do
    t:fails(function() return F.pad(u, {1, 1}, {value = v}) end, 'does not fit')
  end
  t:fails(function() return F.pad(of('float16', {1}), {1, 1}, {value = 1e6}) end, 'does not fit')
  same(F.pad(u, {1, 0}, {value = 1.5}), of('uint8', {1, 1, 2}))
  same(F.pad(u, {0, -1}, {value = 300}), of('uint8', {1}))
  same(F.pad(of('float16', {1}), {1, 0}, {value = -inf}), of('float16', {-inf, 1}))
  for _, v in ipairs {300, 256, -256, 1 << 40} do
    t:fails(function() return torch.where(m, u, v) end, 'does not fit')
    t:fails(function() return torch.where(m, v, u) end, 'does not fit')
  end
  same(torch.where(m, u, -1), of('uint8', {1, 255}))
  same(torch.where(m, u, 1.5), of('float32', {1, 1.5}))
  same(torch.where(m, of('float16', {1, 2}), 1e6), of('float16', {1, inf}))
  t:fails(function() return torch.where(m, of('float32', {1, 2}), 1e300) end, 'does not fit')
  t:fails(function() return u:pow(300) end, 'does not fit')
  t:fails(function() return F.threshold(u, 1, 300) end, 'does not fit')
  t:fails(function() return torch.addcmul(u, u, u, {value = 300}) end, 'does not fit')
end

function s.roll_without_dims()
  local x = torch.tensor(1.)
  t:fails(function() return torch.roll(x, 1, 1) end, 'without dims')
  t:fails(function() return torch.roll(x, {1, 2}, {1, 1}) end, 'without dims')
  same(torch.roll(x, 1), x)
  same(torch.roll(empty('float32', 0, 2), 1, 6), empty('float32', 0, 2))
  same(torch.roll(ints {1, 2, 3}, math.maxinteger, 1), ints {3, 1, 2})
end

function s.functions_at_the_ends_of_their_ranges()
  local sp = torch.special
  local function at(f, x) return f(of('float64', {x})):item() end
  close(at(sp.i0e, 1e308), 3.989422804014327e-155, 'i0e')
  close(at(sp.i1e, -1e308), -3.989422804014327e-155, 'i1e')
  same(sp.i1e(of('float64', {-inf})), of('float64', {-0.0}))
  t:eq(at(torch.digamma, -5e-324), inf)
  close(at(torch.digamma, -1e-5), 99999.42276788561, 'digamma')
  close(at(sp.ndtri, 5e-324), -38.467405617144344, 'ndtri')
  close(at(sp.ndtri, 1e-300), -37.0470962993612, 'ndtri')
  same(sp.ndtri(of('float64', {0.5})), of('float64', {0}))
  close(at(sp.ndtri, 0.5 + 2.0 ^ -40), 2.2797651350911112e-12, 'ndtri')
  same(torch.relu(of('float32', {-0.0, nan, -1, 2})), of('float32', {-0.0, nan, 0, 2}))
  same(F.softshrink(of('float32', {-0.5, 0.25, nan})), of('float32', {0, 0, nan}))
end

function s.arange_of_integers_takes_whole_steps()
  for _, d in ipairs {'int64', 'int32', 'uint8'} do
    same(torch.arange(0, 3, 0.5, {dtype = torch[d]}), of(d, {0, 0, 0, 0, 0, 0}))
    same(torch.arange(1.5, 4, 1.5, {dtype = torch[d]}), of(d, {1, 2}))
    same(torch.arange(0.9, 4, 1, {dtype = torch[d]}), of(d, {0, 1, 2, 3}))
  end
  for _, f in ipairs {torch.linspace, torch.logspace} do
    t:fails(function() return f(0, 1, 3, {dtype = torch.bool}) end, 'bool')
  end
end

function s.masked_fill_casts_the_value()
  local m = bools {true, false}
  same(ints({1, 2}):masked_fill(m, torch.tensor(2.7)), ints {2, 2})
  same(bools({true, false}):masked_fill(m, torch.tensor(0.)), bools {false, false})
  same(of('uint8', {1, 2}):masked_fill_(m, torch.tensor(7.9)), of('uint8', {7, 2}))
end

function s.take_along_dim_counts_from_the_end()
  local x = of('float32', {5, 6, 7, 8})
  same(torch.take_along_dim(x, ints {-1, -4, 4}, 1), of('float32', {8, 5, 8}))
  same(torch.take_along_dim(x:reshape(2, 2), ints({-1, -2}):reshape(2, 1), 2), of('float32', {6, 7}):reshape(2, 1))
  for _, i in ipairs {0, 5, -5} do t:fails(function() return torch.take_along_dim(x, ints {i}, 1) end, 'from 1 to 4') end
  t:fails(function() return torch.take_along_dim(x, ints {-1}) end, 'from 1 to 4')
end

function s.max_unpool_takes_the_whole_size()
  local x, i = torch.ones(1, 2, 2), ints({1, 3, 7, 9}):reshape(1, 2, 2)
  t:eq(F.max_unpool2d(x, i, 2, {output_size = {1, 1, 5, 5}}):size():tolist(), {1, 5, 5})
  t:fails(function() return F.max_unpool2d(x, i, 2, {output_size = {1, 5, 5}}) end, 'must have 2 numbers or 4')
end

function s.unique_of_no_dims()
  for _, f in ipairs {torch.unique, torch.unique_consecutive} do
    for _, d in ipairs {1, -1} do t:fails(function() return f(torch.tensor(1), {dim = d}) end, '0-dimensional') end
    same(f(torch.tensor(1)), ints {1})
  end
end

function s.cross_wants_one_dtype()
  local i, f, b = ints {1, 2, 3}, of('float32', {1, 2, 3}), bools {true, false, true}
  for _, g in ipairs {torch.cross, torch.linalg.cross} do
    t:fails(function() return g(i, f) end, 'one dtype')
    t:fails(function() return g(b, b) end, 'other than bool')
    same(g(i, i), ints {0, 0, 0})
  end
end

function s.questions_answer_with_booleans()
  for _, dtype in ipairs {torch.uint8, torch.bool, torch.float32} do
    local x = torch.tensor({0, 1}, {dtype = dtype})
    t:eq({x:all(), x:any(), torch.all(x), torch.any(x)}, {false, true, false, true})
  end
end

function s.polynomials_at_the_ends()
  local inf, special = math.huge, torch.special
  local x = torch.tensor({-inf, -1e250, 1e250, inf}, {dtype = torch.float64})
  for _, name in ipairs {'chebyshev_polynomial_t', 'chebyshev_polynomial_u', 'hermite_polynomial_h',
    'hermite_polynomial_he', 'legendre_polynomial_p'} do
    for n = 2, 7 do t:eq(special[name](x, n):tolist(), {n % 2 == 0 and inf or -inf, n % 2 == 0 and inf or -inf, inf, inf}) end
  end
  for n = 2, 7 do t:eq(special.laguerre_polynomial_l(x, n):tolist()[4], n % 2 == 0 and inf or -inf) end
  local y = special.hermite_polynomial_h(torch.tensor({1e60, -1e60}, {dtype = torch.float64}), 5)
  t:assert(torch.allclose(y / 3.2e301, torch.tensor({1., -1.}, {dtype = torch.float64})))
end

function s.attention_of_queries_without_elements()
  local v = torch.arange(10.):view(5, 2)
  local y = F.scaled_dot_product_attention(torch.zeros(3, 0), torch.zeros(5, 0), v)
  t:eq(y, v:mean(1, true):expand(3, 2):clone())
end

function s.triangles_at_the_ends_of_the_range()
  local all, none = torch.ones(3, 2), torch.zeros(3, 2)
  for _, d in ipairs {math.maxinteger, math.maxinteger - 1, 3} do
    t:eq({torch.tril(all, d), torch.triu(all, d)}, {all, none}, 'diagonal ' .. d)
  end
  for _, d in ipairs {math.mininteger, math.mininteger + 1, -3} do
    t:eq({torch.tril(all, d), torch.triu(all, d)}, {none, all}, 'diagonal ' .. d)
  end
end

function s.gradients_of_saturated_gates()
  local x, w = torch.tensor({{1., 20.}}):requires_grad_(), torch.tensor({{3.}}):requires_grad_()
  local slope = torch.autograd.grad((F.glu(x) * w):sum(), x, {create_graph = true}):select(2, 2)
  local by_w = torch.autograd.grad(slope:sum(), w)
  t:assert(by_w:item() > 2.0611e-9 and by_w:item() < 2.0613e-9)  -- e^-20
  t:assert(math.abs(slope:item() / by_w:item() - 3) < 1e-6)
end

function s.products_that_reach_0()
  local small = torch.full({100000}, 0.5)
  t:eq(small:prod():item(), 0.0)
  small[90000] = inf
  t:assert(small:prod():isnan():item())
  t:assert(small:view(-1, 2):prod(1):isnan():any())
end

function s.reductions_of_slices()
  local x = torch.arange(2 * 70 * 90.):view(2, 70, 90)
  for _, part in ipairs {x:narrow(3, 5, 64), x:narrow(2, 3, 40), x:select(2, 7), x:transpose(1, 3)} do
    for dim = 1, part:dim() do
      local dense = part:clone({memory_format = torch.contiguous_format})
      for _, f in ipairs {'sum', 'amax', 'var'} do t:assert(torch.allclose(part[f](part, dim), dense[f](dense, dim)), f) end
    end
  end
end

t:add(s):run()
