-- Names, keywords and answers that a user of PyTorch looks for; the numbers are PyTorch's.
local t, s = torch.Tester(), torch.TestSuite()
local T = torch.tensor
local function near(a, b, eps) t:assert(torch.allclose(a, b, {rtol = 0, atol = eps or 1e-4}), tostring(a)) end

-- ---- indices ----

function s.index_fill_counts_from_the_end()
  local x, v = torch.arange(12.):reshape(3, 4):requires_grad_(), T(5., {requires_grad = true})
  local y = x:index_fill(2, T {-1, 1}, v)
  t:eq(y:tolist(), {{5., 1., 2., 5.}, {5., 5., 6., 5.}, {5., 9., 10., 5.}})
  y:sum():backward()
  t:eq(x.grad[1]:tolist(), {0., 1., 1., 0.})
  t:eq(v.grad:item(), 6.)
  t:eq(torch.zeros(2, 3):index_fill_(1, T {-2}, 7):tolist(), {{7., 7., 7.}, {0., 0., 0.}})
  t:fails(function() return torch.zeros(3):index_fill(1, T {-4}, 1) end, '-4')
  t:fails(function() return torch.zeros(3):index_fill(1, T {0}, 1) end, '0')
  t:fails(function() return torch.zeros(3):index_copy(1, T {-1}, torch.ones(1)) end, '-1')
end

function s.searches_across_dtypes()
  t:eq(torch.bucketize(T {1, 2, 3}, T {1.5, 2.5}):tolist(), {1, 2, 3})
  t:eq(torch.bucketize(T {1., 2., 3.}, T {1, 2}):tolist(), {1, 2, 3})
  t:eq(torch.bucketize(T({1., 2., 3.}, {dtype = torch.float64}), T {1., 2.}):tolist(), {1, 2, 3})
  t:eq(torch.bucketize(2.2, T {1, 2, 3}):item(), 3)
  t:eq(torch.searchsorted(T {1, 2, 3}, T {2.2}):tolist(), {3})
  t:eq(torch.searchsorted(T {1., 2., 3.}, T {2}):tolist(), {2})
  t:eq(torch.searchsorted(T({1, 2, 3}, {dtype = torch.int32}), T {2}):tolist(), {2})
end

function s.hard_samples_choose_one_of_equals()
  local y = F.gumbel_softmax(torch.tensor {{1e30, 1e30, 0.}}, {hard = true})  -- the noise is lost: both are as likely
  t:eq(y:tolist(), {{1., 0., 0.}})
end

function s.offsets_of_bags_ascend()
  local w, i = torch.arange(10.):reshape(5, 2), T {1, 2, 3, 4}
  for _, mode in ipairs {'sum', 'mean', 'max'} do
    t:fails(function() return F.embedding_bag(i, w, T {1, 4, 3}, {mode = mode}) end, 'offsets', 'from 4 to 3')
    t:fails(function() return F.embedding_bag(i, w, T {1, 3, 6, 4}, {mode = mode}) end, 'offsets')
    t:fails(function() return F.embedding_bag(i, w, T {1, 3, -1, 4}, {mode = mode}) end, 'offsets')
    t:fails(function() return F.embedding_bag(i, w, T {1, 6}, {mode = mode}) end, 'beyond the 4 positions')
    t:fails(function() return F.embedding_bag(i, w, T {2, 3}, {mode = mode}) end, 'begin with 1')
    t:eq(F.embedding_bag(i, w, T {1, 5}, {mode = mode})[2]:tolist(), {0., 0.})
  end
  local weight = T({{1., 5.}, {3., 2.}, {3., 0.}, {9., 9.}}, {requires_grad = true})
  local y = F.embedding_bag(T {1, 2, 3, 4, 2}, weight, T {1, 4, 4}, {mode = 'max'})
  t:eq(y:tolist(), {{3., 5.}, {0., 0.}, {9., 9.}})
  y:sum():backward()
  t:eq(weight.grad:tolist(), {{0., 1.}, {1., 0.}, {0., 0.}, {1., 1.}})  -- the first of equal ones
end

function s.embedding_shortens_and_scales()
  local function weight() return T({{3., 4.}, {1., 0.}, {0., 2.}}, {requires_grad = true}) end
  local w = weight()
  local y = F.embedding(T {1, 3, 1}, w, {max_norm = 1.})
  near(w:detach(), T {{0.6, 0.8}, {1., 0.}, {0., 1.}})
  near(y:detach(), T {{0.6, 0.8}, {0., 1.}, {0.6, 0.8}})
  y:sum():backward()
  t:eq(w.grad:tolist(), {{2., 2.}, {0., 0.}, {1., 1.}})
  w = weight()
  F.embedding(T {1, 3, 1}, w, {scale_grad_by_freq = true, padding_idx = 3}):sum():backward()
  t:eq(w.grad:tolist(), {{1., 1.}, {0., 0.}, {0., 0.}})
  w = weight()
  F.embedding(T {1, 3, 1}, w, nil, 1., 1., false, false)
  near(w:detach()[1], T {3 / 7, 4 / 7})
  t:fails(function() return F.embedding(T {1}, w, {sparse = true}) end, 'sparse')
  t:fails(function() return F.embedding(T {4}, w, {max_norm = 1.}) end, '4')
end

-- ---- shapes and products ----

function s.integer_matrices_have_powers()
  local m = T {{1, 2}, {3, 4}}
  t:eq(torch.matrix_power(m, 3):tolist(), {{37, 54}, {81, 118}})
  t:eq(m:matrix_power(3):tolist(), {{37, 54}, {81, 118}})
  t:eq(torch.linalg.matrix_power(m, 0):tolist(), {{1, 0}, {0, 1}})
  t:eq(m:byte():matrix_power(5):tolist(), {{45, 22}, {33, 78}})
  t:eq(m:half():matrix_power(2):tolist(), {{7., 10.}, {15., 22.}})
  near(m:double():matrix_power(-1), T({{-2, 1}, {1.5, -0.5}}, {dtype = torch.float64}))
  t:fails(function() return m:matrix_power(-1) end, 'float')
  t:fails(function() return m:bool():matrix_power(2) end, 'bool')
  t:fails(function() return torch.ones(2, 3):matrix_power(2) end, 'square')
end

function s.axes_by_name()
  local y = torch.zeros(2, 3)
  t:eq(y:swapaxes {axis0 = 1, axis1 = 2}:size(), torch.Size {3, 2})
  t:eq(torch.swapaxes(y, {axis0 = 1, axis1 = -1}):size(), torch.Size {3, 2})
  t:eq(y:swapdims {dim0 = 1, dim1 = 2}:size(), torch.Size {3, 2})
  t:eq(y:moveaxis {source = 1, destination = 2}:size(), torch.Size {3, 2})
  t:eq(y:movedim {source = 1, destination = 2}:size(), torch.Size {3, 2})
  t:eq(y:swapaxes(1, 2)._base == y, true)
  t:eq(torch.zeros(2, 3):swapaxes_ {axis0 = 1, axis1 = 2}:size(), torch.Size {3, 2})
  t:eq(torch.zeros(2, 3):swapdims_ {dim0 = 1, dim1 = 2}:size(), torch.Size {3, 2})
end

function s.kron_of_many_dims()
  local y = torch.kron(torch.arange(4.):reshape(2, 1, 2, 1, 1), torch.arange(6.):reshape(1, 1, 2, 1, 3))
  t:eq(y:size(), torch.Size {2, 1, 4, 1, 3})
  t:eq(y:flatten():tolist(), {0., 0., 0., 0., 0., 0., 0., 1., 2., 3., 4., 5., 0., 2., 4., 6., 8., 10., 0., 3., 6., 9., 12., 15.})
  local a, b = torch.rand(2, 3), torch.rand(3, 2)
  t:eq(torch.kron(a:reshape(2, 1, 3, 1, 1), b:reshape(3, 1, 2, 1, 1)):reshape(6, 6), torch.kron(a, b))
end

-- Operands that are only expanded do not turn the result's dims around.
function s.layout_of_expanded_operands()
  local row, column = torch.rand(3), torch.rand(4, 1)
  t:eq((row * column):stride(), {3, 1})
  t:eq((torch.rand(2, 1, 3, 1) * torch.rand(1, 4, 1, 5)):stride(), {60, 15, 5, 1})
  t:eq((torch.rand(3, 4):t() * row):stride(), {1, 4})
end

function s.einsum_with_lists_of_labels()
  local a, b = torch.arange(6.):reshape(2, 3), torch.arange(12.):reshape(3, 4)
  local product = a:matmul(b)
  t:eq(torch.einsum(a, {1, 2}, b, {2, 3}, {1, 3}), product)
  t:eq(torch.einsum(a, {30, 1}, b, {1, 2}), product:t())  -- in order of the numbers
  t:eq(torch.einsum(a, {0, 1}, {1, 0}), a:t())
  t:eq(torch.einsum(a, {'...', 1}, b, {1, 2}, {'...', 2}), product)
  t:eq(torch.einsum('ij,jk->ik', a, b), product)
  t:eq(torch.einsum('ij,jk->ik', {a, b}), product)
  t:fails(function() return torch.einsum(a, b) end, "einsum('ij,jk->ik', a, b)")
  t:fails(function() return torch.einsum(a, {1, 60}, b, {60, 2}) end, '0 to 51', '60')
  t:fails(function() return torch.einsum(a) end, 'labels')
end

function s.lu_by_older_names()
  local a, b = T {{1., 2.}, {3., 4.}}, T {{5.}, {6.}}
  local lu, pivots, none = torch.lu(a)
  near(lu, T {{3., 4.}, {1 / 3, 2 / 3}})
  t:eq(pivots:tolist(), {2, 2})
  t:eq(none, nil)
  local _, _, info = a:lu {get_infos = true}
  t:eq(info:item(), 0)
  near(torch.lu_solve(b, lu, pivots), T {{-4.}, {4.5}})
  near(b:lu_solve(a:lu()), T {{-4.}, {4.5}})
  t:eq(a.is_sparse or a.is_quantized, false)
end

function s.vander()
  t:eq(torch.vander(T {1, 2, 3}):tolist(), {{1, 1, 1}, {4, 2, 1}, {9, 3, 1}})
  t:eq(torch.vander(T {1, 2, 3}, 2, true):tolist(), {{1, 1}, {1, 2}, {1, 3}})
  t:eq(torch.vander(T {1., 2.}, {N = 4}):tolist(), {{1., 1., 1., 1.}, {8., 4., 2., 1.}})
  t:eq(torch.vander(T {1, 2, 3}, {N = 0}):size(), torch.Size {3, 0})
  t:eq(torch.vander(T {true}):tolist(), {{1}})
  t:fails(function() return torch.vander(T {{1}}) end, 'one dim')
end

-- ---- networks ----

function s.pooling_by_norms()
  local x = torch.arange(1., 10.):reshape(1, 3, 3)
  near(F.lp_pool2d(x, 2, 2, 1), T {{{6.7823, 8.6023}, {12.4097, 14.3527}}})
  near(F.lp_pool1d(T {{1., 2., 3., 4., 5.}}, 3, 2, {ceil_mode = true}), T {{2.0801, 4.4979, 6.2996}})
  t:fails(function() return F.lp_pool1d(torch.arange(7):reshape(1, 1, 7), 2, 2) end, 'floating')
  t:eq(F.lp_pool3d(torch.arange(8.):reshape(1, 2, 2, 2), math.huge, 2):tolist(), {{{{7.}}}})
  t:fails(function() return F.lp_pool2d(x, 0, 2) end, 'norm_type')
end

function s.triplets_by_another_distance()
  local a, p, n = T {{1., 2.}}, T {{1., 0.}}, T {{0., 1.}}
  local function manhattan(x, y) return (x - y):abs():sum(-1) end
  local loss = F.triplet_margin_with_distance_loss
  t:eq(loss(a, p, n, {distance_function = manhattan, swap = true}):item(), 1.)
  near(loss(a, p, n), F.triplet_margin_loss(a, p, n))
  t:eq(loss(torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3) * 3, {swap = true, margin = 0.5, reduction = 'none'}):tolist(), {0., 0.})
  t:fails(function() return loss(a, p, n, {margin = -0.5}) end, 'margin')
  t:fails(function() return loss(a, p, n, {reduction = 'x'}) end, 'reduction')
  t:fails(function() return loss(a, p, n, {distance = manhattan}) end, 'distance')
end

function s.polynomials_of_chebyshev()
  local special = torch.special
  near(special.chebyshev_polynomial_v(T {-1.5, .3, 1.}, T {3., 12., 0.}), T {-29., -1.2317, 1.})
  near(special.chebyshev_polynomial_w(2, T {3, 0}), T {71., 1.})
  near(special.chebyshev_polynomial_v(T {1, 2}, T {3, 2}), T {1., 11.})
  near(special.chebyshev_polynomial_v(T {.5, .5}, T {2.9, .9}), T {-1., 1.})
  near(special.shifted_chebyshev_polynomial_t(T {.3, 1.}, 3), T {.944, 1.})
  near(special.shifted_chebyshev_polynomial_u(T {.3, 1.}, 3), T {1.088, 4.})
  near(special.shifted_chebyshev_polynomial_v(T {.3, 2.}, 3), T {1.448, 169.}, 1e-3)
  near(special.shifted_chebyshev_polynomial_w(T {.3, 2.}, 3), T {.728, 239.}, 1e-3)
end

-- ---- random ----

function s.binomial()
  local n = 20000
  for _, case in ipairs {{7, .3}, {40, .05}, {300, .3}, {50, .9}, {1000, .5}} do
    torch.manual_seed(5)
    local count, p = case[1], case[2]
    local x = torch.binomial(torch.full({n}, count, {dtype = torch.float64}), torch.full({n}, p, {dtype = torch.float64}))
    local variance = count * p * (1 - p)
    t:assert(math.abs(x:mean():item() - count * p) < 5 * math.sqrt(variance / n), 'mean of ' .. count)
    t:assert(math.abs(x:var():item() / variance - 1) < 0.06, 'variance of ' .. count)
    t:eq(x:floor():equal(x) and x:min():item() >= 0 and x:max():item() <= count, true)
  end
  torch.manual_seed(6)  -- P(X <= 90) and P(X <= 80) of 300 trials with chance 0.3
  local x = torch.binomial(torch.full({n}, 300.), torch.tensor(0.3))
  t:assert(math.abs(x:le(90):float():mean():item() - 0.5284) < 0.015)
  t:assert(math.abs(x:le(80):float():mean():item() - 0.1151) < 0.01)
  t:eq(torch.binomial(T {10.7, 4., -1., 5.}, T {1., 0., .1, 2.}):tolist(), {T(10.7):item(), 0., 0., 5.})
  t:eq(torch.binomial(T {10.}, T {0 / 0}):isnan():item(), true)
  t:eq(torch.binomial(torch.ones(2, 1), torch.ones(3)):size(), torch.Size {2, 3})
  t:fails(function() return torch.binomial(T {10}, T {.5}) end, 'int64')
  t:fails(function() return torch.binomial(T {10.}, T({.5}, {dtype = torch.float64})) end, 'one dtype')
  local many = torch.full({100}, 20.)
  local g = torch.Generator():manual_seed(3)
  local first = torch.binomial(many, T(.4), {generator = g})
  t:eq(torch.equal(first, torch.binomial(many, T(.4), {generator = g})), false)
  t:eq(torch.equal(first, torch.binomial(many, T(.4), {generator = g:manual_seed(3)})), true)
end

-- ---- what is the same thing without complex numbers, devices, processes ----

function s.real_numbers_stay()
  local x = T {1., -2.}
  t:eq(rawequal(torch.real(x), x) and rawequal(x:conj(), x) and rawequal(x.real, x) and rawequal(torch.conj(x), x), true)
  t:eq(rawequal(torch.resolve_conj(x), x) and rawequal(torch.resolve_neg(x), x) and rawequal(torch.conj_physical(x), x), true)
  t:eq(x:is_conj() or torch.is_neg(x), false)
  t:eq(torch.adjoint(torch.zeros(2, 3, 4)):size(), torch.Size {2, 4, 3})
  t:eq(torch.zeros(2, 3):adjoint():size(), torch.Size {3, 2})
  t:fails(function() return torch.adjoint(x) end, 'matrix')
  t:eq(torch.is_signed(x) and not T({true}):is_signed() and not torch.is_signed(x:byte()), true)
  t:eq(rawequal(x:share_memory_(), x), true)
  t:eq(x:is_shared(), false)
end

function s.functions_that_work_in_place()
  local x = T {1., 2.}
  t:eq(torch.zero_(x) == x and x:tolist()[1] == 0, true)
  local y = T({1.}, {requires_grad = true}) * 2
  t:eq(torch.detach_(y).requires_grad, false)
  t:eq(torch.get_device(x), x:get_device())
end

function s.constants()
  t:eq(torch.pi, math.pi)
  t:eq(torch.inf, math.huge)
  t:eq(torch.e, math.exp(1))
  t:eq(torch.nan ~= torch.nan, true)
end

function s.as_arrays()
  local x = T({1., 2.}, {requires_grad = true})
  t:eq(rawequal(torch.asarray(x), x) and rawequal(torch.as_tensor(x), x), true)
  t:eq(torch.asarray {1, 2}:tolist(), {1, 2})
  t:eq(torch.asarray(3):item(), 3)
  t:eq(torch.asarray(x * 2, {dtype = torch.float64}).requires_grad, true)
  t:eq(torch.asarray(x, {copy = true}):data_ptr() ~= x:data_ptr(), true)
  t:eq(torch.asarray(x, {copy = false}):data_ptr(), x:data_ptr())
  t:eq(torch.asarray({1.}, {requires_grad = true}).requires_grad, true)
  t:eq(torch.asarray('ab'):tolist(), {97, 98})
  t:fails(function() return torch.asarray(x, {copy = false, dtype = torch.float64}) end, 'copy')
  t:fails(function() return torch.asarray({1.}, {copy = false}) end, 'copy')
  t:fails(function() return torch.asarray(x, {copies = true}) end, 'copies')
end

function s.precision_of_products()
  t:eq(torch.get_float32_matmul_precision(), 'highest')
  for _, p in ipairs {'high', 'medium', 'highest'} do
    torch.set_float32_matmul_precision(p)
    t:eq(torch.get_float32_matmul_precision(), p)
    t:eq(torch.backends.cuda.matmul.allow_tf32, p ~= 'highest')
  end
  t:fails(function() torch.set_float32_matmul_precision('low') end, 'highest')
end

function s.settings_of_new_tensors()
  t:fails(function() return torch.zeros(2, {requires_grad = 'x'}) end, 'requires_grad', 'true or false')
  t:fails(function() return torch.zeros(2, {requires_grad = 1}) end, 'requires_grad')
  t:fails(function() return F.relu(torch.zeros(2), {inplace = 1}) end, 'inplace')
  t:eq(torch.zeros(2, {dtype = 'float64'}).dtype, torch.float64)
  t:fails(function() return torch.zeros(2, {dtype = 'flaot32'}) end, 'flaot32', 'float32')
end

function s.functions_of_the_script_on_elements()
  local x = T {{1., 2.}, {3., 4.}}
  t:eq(x:t():apply_(function(v) return v * 10 end)._base == x, true)
  t:eq(x:tolist(), {{10., 20.}, {30., 40.}})
  t:eq(x:map_(T {1., 2.}, function(a, b) return a + b end):tolist(), {{11., 22.}, {31., 42.}})
  t:eq(T {1, 2}:apply_(function(v) return -v end):tolist(), {-1, -2})
  t:fails(function() x:requires_grad_():apply_(function(v) return v end) end, 'detach')
  t:fails(function() T {1.}:apply_(3) end, 'function')
end

function s.low_rank_factors()
  torch.manual_seed(2)
  local options = {dtype = torch.float64}
  for _, shape in ipairs {{9, 5}, {5, 9}, {2, 7, 7}} do
    local A = torch.randn(shape, options)
    A = A:narrow(-1, 1, 3):matmul(torch.randn(3, shape[#shape], options))  -- of rank 3
    local U, S, V = torch.svd_lowrank(A, 4)
    near((U * S:unsqueeze(-2)):matmul(V.mT), A, 1e-9)
    near(S, torch.linalg.svdvals(A):narrow(-1, 1, 4), 1e-9)
    U, S, V = torch.pca_lowrank(A, {q = 3, niter = 3})
    near((U * S:unsqueeze(-2)):matmul(V.mT), A - A:mean(-2, true), 1e-9)
    t:eq(select('#', torch.pca_lowrank(A, nil, false)), 3)
  end
  t:fails(function() torch.svd_lowrank(torch.ones(3, 2), 3) end, 'q must be')
  t:fails(function() torch.pca_lowrank(torch.ones(3, 2), {k = 1}) end, "'k'")
  for _, f in ipairs {torch.svd_lowrank, torch.pca_lowrank} do
    t:fails(function() f(torch.ones(3, 2), {niter = 1 << 50}) end, 'niter must be an integer from 0 to 1000, not 1125899906842624')
  end
end

-- ---- arguments ----

function s.arguments_of_matrices()
  local A = T {{4., 2.}, {2., 3.}}
  local L, b = torch.linalg.cholesky(A), T {{1.}, {2.}}
  near(torch.cholesky_solve {B = b, L = L}, torch.linalg.solve(A, b))
  near(torch.cholesky_solve {input = b, input2 = L}, torch.linalg.solve(A, b))
  near((torch.linalg.lstsq(A, {B = b})), (torch.linalg.lstsq(A, {b = b})))
  t:eq(torch.linalg.vector_norm {x = T {3., 4.}}:item(), torch.linalg.vector_norm {input = T {3., 4.}}:item())
  t:fails(function() torch.linalg.svd(A, {driver = 'gesvd'}) end, 'linalg.svd', 'GPU')
  t:fails(function() torch.linalg.svdvals(A, {driver = 'gelsd'}) end, 'gesvdj')
  t:eq(torch.linalg.matrix_rank(A, {rtol = 0.5}):item(), 1)
  t:fails(function() torch.linalg.matrix_rank(A, 0.5) end, 'too many arguments')
  t:fails(function() torch.linalg.pinv(A, 0.5) end, 'too many arguments')
end

function s.arguments_of_others()
  local x = torch.arange(6.)
  t:eq(torch.searchsorted(x, {values = T {2.5}}):tolist(), {4})
  t:fails(function() torch.searchsorted(x, x, T {1, 2, 3, 4, 5, 6}) end, 'too many arguments')
  t:fails(function() return x:diff(x) end, 'argument 1 (n)')
  t:eq(#torch.tensor_split(x, {indices_or_sections = 3}), 3)
  t:eq(torch.divide(T {7}, 2, {rounding_mode = 'floor'}):tolist(), {3})
  t:eq(x:clone():divide_(2, {rounding_mode = 'trunc'}):tolist(), {0., 0., 1., 1., 2., 2.})
  t:eq(x:swapaxes {axis0 = 1, axis1 = -1}:tolist(), x:tolist())
  t:eq(#x:hsplit {indices_or_sections = {2, 4}}, 3)
  t:eq(#x:split {split_size = 2}, 3)
  t:eq(torch.cat({x, x}, {axis = 1}):numel(), 12)
  t:eq(torch.histogram(x):numel(), 100)
  t:eq(select(2, torch.histogramdd(torch.zeros(2, 1), {2}, {-1., 1.})):tolist(), {-1., 0., 1.})
  t:fails(function() return x:sum {[''] = 1} end, "no argument is named ''")
end

function s.losses_with_weights()
  local x, y, w = T({1., 2., -3.}, {requires_grad = true}), T {0., 4., 1.}, T {1., 2., .5}
  for name, want in pairs {
    mse_loss = {17 / 3.5, 17., {1., 8., 8.}}, l1_loss = {2., 7., {1., 4., 2.}}, huber_loss = {5.25 / 3, 5.25, {.5, 3., 1.75}},
  } do
    near(F[name](x, y, {weight = w}), T(want[1]))
    near(F[name](x, y, {weight = w, reduction = 'sum'}), T(want[2]))
    t:eq(F[name](x, y, {weight = w, reduction = 'none'}):tolist(), want[3])
    t:fails(function() return F[name](x, y, {weight = T {1.}}) end, 'weight')
    t:fails(function() return F[name](x, y, w) end, 'reduction')
  end
  near(torch.autograd.grad(F.mse_loss(x, y, {weight = w}), {x}), T {2., -8., -4.} / 3.5)
end

-- ---- what is written in Lua ----

function s.copies_of_views()
  local x = torch.arange(6.):reshape(2, 3):requires_grad_()
  t:eq(torch.permute_copy(x, {2, 1}):tolist(), {{0., 3.}, {1., 4.}, {2., 5.}})
  t:eq(torch.t_copy(x):is_contiguous() and torch.t_copy(x)._base == nil, true)
  t:eq(torch.slice_copy(x, 2, 2, 3):tolist(), {{1., 2.}, {4., 5.}})
  t:eq(torch.slice_copy(x, {dim = -1, step = 2}):tolist(), {{0., 2.}, {3., 5.}})
  t:eq(torch.unbind_copy(x)[2]:tolist(), {3., 4., 5.})
  t:eq(torch.expand_copy(x[1], {2, 3}):stride(), {3, 1})
  t:eq(torch.alias_copy(x):data_ptr() ~= x:data_ptr(), true)
  torch.diagonal_copy(x):sum():backward()
  t:eq(x.grad:tolist(), {{1., 0., 0.}, {0., 1., 0.}})
  t:fails(function() torch.slice_copy(x, 3) end, 'slice_copy', 'dim 3')
  t:fails(function() torch.alias_copy() end, "'input' is missing")
end

function s.vectors_of_parameters()
  local m = nn.Linear(3, 2)
  local v = nn.utils.parameters_to_vector(m:parameters())
  t:eq(v:tolist(), torch.cat {m.weight:reshape(-1), m.bias}:tolist())
  nn.utils.vector_to_parameters(torch.arange(8.), m:parameters())
  t:eq(m.weight:tolist(), {{0., 1., 2.}, {3., 4., 5.}})
  t:eq(m.bias:tolist(), {6., 7.})
  t:fails(function() nn.utils.vector_to_parameters(torch.arange(7.), m:parameters()) end, '8 elements')
  t:fails(function() nn.utils.parameters_to_vector(3) end, 'number')
  m.weight.grad, m.bias.grad = torch.full({2, 3}, 2.), torch.zeros(2)
  local norm = nn.utils.get_total_norm {m.weight.grad, m.bias.grad}
  near(norm, T(24 ^ 0.5))
  nn.utils.clip_grads_with_norm_(m:parameters(), 1, norm)
  near(m.weight.grad:norm(), T(1.))
end

function s.initial_values()
  torch.manual_seed(4)
  for _, shape in ipairs {{3, 5}, {5, 3}, {4, 2, 3}} do
    local w = nn.Parameter(torch.empty(shape))
    t:eq(rawequal(nn.init.orthogonal_(w, 2), w), true)
    local a = w.data:reshape(shape[1], -1)
    if a:size(1) > a:size(2) then a = a:t() end
    near(a:matmul(a:t()), 4 * torch.eye(#a))
  end
  for _, name in ipairs {'uniform_', 'normal_', 'trunc_normal_', 'xavier_uniform_', 'kaiming_normal_', 'orthogonal_'} do
    local function draw() return nn.init[name](torch.empty(3, 2), {generator = torch.Generator():manual_seed(7)}) end
    t:eq(draw():tolist(), draw():tolist())
  end
  local g = torch.Generator():manual_seed(7)
  t:assert(nn.init.uniform_(torch.empty(50), {a = 5, b = 6, generator = g}):min():item() >= 5)
  t:fails(function() nn.init.uniform_(torch.empty(2), {generator = 3}) end, 'torch.Generator')
  t:eq(nn.init.sparse_(torch.empty(5, 4), 0.3):eq(0):sum(1):tolist(), {2, 2, 2, 2})
  t:fails(function() nn.init.orthogonal_(torch.ones(2)) end, '2 dims')
  t:fails(function() nn.init.sparse_(torch.ones(2, 2)) end, "'sparsity' is missing")
end

function s.tensors_for_tests()
  local make = torch.testing.make_tensor
  for _, dtype in ipairs {torch.float32, torch.float64, torch.float16, torch.int64, torch.int8, torch.uint8, torch.bool} do
    local x = make(30, 4, {dtype = dtype, device = 'cpu', noncontiguous = true})
    t:eq({x.dtype, x:size(), x:is_contiguous()}, {dtype, torch.Size {30, 4}, false})
    local low, high = x:double():min():item(), x:double():max():item()
    t:assert(low >= (x:is_signed() and -9 or 0) and high <= 9 and high > low, tostring(dtype))
  end
  t:eq(make({50}, {dtype = torch.int64, device = 'cpu', low = 0, high = 2, exclude_zero = true}):unique():tolist(), {1})
  t:eq(make({2}, {dtype = torch.float32, device = 'cpu', requires_grad = true}).requires_grad, true)
  t:fails(function() make({2}, {dtype = torch.int64, device = 'cpu', requires_grad = true}) end, 'int64')
  t:fails(function() make({2}, {dtype = torch.int64, device = 'cpu', low = 2, high = 1}) end, 'low')
  t:fails(function() make({2}, {device = 'cpu'}) end, "'dtype' is missing")
  t:fails(function() make({2}, {dtypes = torch.int64}) end, 'dtypes')
end

t:add(s):run()
