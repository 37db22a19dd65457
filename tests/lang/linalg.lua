-- What the tests of the registry cannot know of einsum, tensordot and torch.linalg: how Lua calls them, what counts
-- from 1, and what errors say.
local t, s = torch.Tester(), torch.TestSuite()

function s.einsum_takes_tensors_or_a_table()
  local a, b = torch.rand(2, 3, 4), torch.rand(2, 4, 5)
  t:eq(torch.einsum('bij,bjk->bik', a, b):size(), torch.Size {2, 3, 5})
  t:eq(torch.einsum('bij,bjk->bik', {a, b}), torch.einsum('bij,bjk->bik', a, b))
end

function s.einsum_points_into_the_equation()
  local a, b = torch.rand(2, 3), torch.rand(3, 4)
  t:fails(function() torch.einsum('ij,jk->ix', a, b) end,
    "label 'x' is in the output and in no operand\n  ij,jk->ix\n          ^")
  t:fails(function() torch.einsum('ij,kj', a, b) end, "label 'j' is 4 here and 3 before\n  ij,kj\n      ^")
end

function s.tensordot_takes_pairs_of_dims_from_1()
  local a, b = torch.rand(2, 3, 4), torch.rand(4, 5, 3)
  t:eq(torch.tensordot(a, b, {{2, 3}, {3, 1}}):size(), torch.Size {2, 5})
  t:eq(torch.tensordot(a, b, {{3}, {1}}):size(), torch.Size {2, 3, 5, 3})
  t:fails(function() torch.tensordot(a, b, {{1, 2}, {3}}) end, 'as many dims of the one as of the other, got 2 and 1')
end

function s.errors_count_from_1()
  local a = torch.stack {torch.eye(3), torch.eye(3)}
  a[{2, 3, 3}] = 0
  t:fails(function() torch.linalg.inv(a) end, 'matrix 2 of the batch is singular: element 3 of the diagonal')
end

function s.tolerances_have_names()
  local a = torch.tensor {{2., 0.}, {0., 1e-3}}
  t:eq(torch.linalg.matrix_rank(a, {atol = 0.01}):item(), 1)
  t:eq(torch.linalg.matrix_rank(a):item(), 2)
  t:eq(torch.linalg.pinv(a, {rtol = 0.1})[{2, 2}]:item(), 0.)
end

function s.norms_have_names_and_numbers()
  local a = torch.tensor {{3., 0.}, {0., -4.}}
  t:eq(torch.linalg.norm(a):item(), 5.)
  t:eq(torch.linalg.norm(a, 'nuc'):item(), 7.)
  t:eq(torch.linalg.matrix_norm(a, 2):item(), 4.)
  t:eq(torch.linalg.vector_norm(a, math.huge):item(), 4.)
  t:eq(a:norm('nuc'):item(), 7.)
end

-- The kernel works in blocks of 64 by 32 rows and 128 elements, its gradient in 64, 8 or single elements.
local function far(a, b, p)
  local d = (a:unsqueeze(2) - b:unsqueeze(1)):abs()
  if p == math.huge then return d:amax(3) end
  return (d ^ p):sum(3) ^ (1 / p)
end
local function slopes(f, x)
  local y = f(table.unpack(x))
  local weights = torch.linspace(1, 2, y:numel(), {dtype = y.dtype}):reshape(y:size())
  return y, {torch.autograd.grad(y, x, {grad_outputs = weights})}
end
local function close(got, expected, what)
  local bound = got.dtype == torch.float64 and 1e-11 or 2e-5
  t:assert(torch.allclose(got, expected, {rtol = bound, atol = bound}), what)
end

function s.distances_in_blocks()
  for _, size in ipairs {{1, 1, 1}, {65, 33, 129}, {3, 70, 11}, {130, 31, 3}, {2, 2, 74}} do
    for _, dtype in ipairs {torch.float32, torch.float64} do
      local n, m, k = table.unpack(size)
      local a = torch.randn(2, n, k, {dtype = dtype}):requires_grad_()
      local b = torch.randn(1, m, k, {dtype = dtype}):requires_grad_()
      for _, p in ipairs {1, 2, 3, 2.5, math.huge} do
        local what = ('p = %g, %d, %d, %d'):format(p, n, m, k)
        local y, by = slopes(function(u, v) return torch.cdist(u, v, p, 'donot_use_mm_for_euclid_dist') end, {a, b})
        local expected, want = slopes(function(u, v)
          return torch.stack {far(u[1], v[1], p), far(u[2], v[1], p)}
        end, {a, b})
        close(y, expected, what)
        for i = 1, 2 do close(by[i], want[i], 'gradient ' .. i .. ', ' .. what) end
      end
    end
  end
end

-- Samples of which one side has a single matrix, and those of which none has.
function s.distances_of_samples()
  for _, shapes in ipairs {{{5, 3}, {2, 4, 3}}, {{2, 4, 3}, {1, 5, 3}}, {{2, 1, 4, 3}, {3, 5, 3}}, {{0, 4, 3}, {5, 3}}} do
    local a = torch.randn(table.unpack(shapes[1])):requires_grad_()
    local b = torch.randn(table.unpack(shapes[2])):requires_grad_()
    local y, by = slopes(function(u, v) return torch.cdist(u, v, 1) end, {a, b})
    local expected, want = slopes(function(u, v) return (u:unsqueeze(-2) - v:unsqueeze(-3)):abs():sum(-1) end, {a, b})
    close(y, expected, 'distances of ' .. tostring(y:size()))
    t:assert(y:is_contiguous())
    for i = 1, 2 do close(by[i], want[i], 'gradient ' .. i) end
  end
end

function s.distances_of_pairs()
  for _, size in ipairs {{2, 1}, {70, 129}, {100, 3}} do
    local n, k = table.unpack(size)
    local x = torch.randn(k, n, {dtype = torch.float64}):t():requires_grad_()
    local at = torch.triu_indices(n, n, 1)
    for _, p in ipairs {1, 2, 3, 2.5, math.huge} do
      local y, by = slopes(function(u) return nn.functional.pdist(u, p) end, {x})
      local expected, want = slopes(function(u)
        return (u:index_select(1, at[1]) - u:index_select(1, at[2])):norm {p = p, dim = 2}
      end, {x})
      close(y, expected, 'p = ' .. p)
      close(by[1], want[1], 'gradient, p = ' .. p)
    end
  end
  t:eq(nn.functional.pdist(torch.zeros(0, 3)):numel(), 0)
end

function s.distances_of_rows_without_elements()
  local samples = torch.zeros(2, 3, 0, {requires_grad = true})
  local rows, others = samples[1], torch.zeros(4, 0)
  for _, p in ipairs {0, 1, 2, 2.5, math.huge} do
    for _, y in ipairs {torch.cdist(rows, others, p), torch.cdist(others, rows, p), torch.cdist(samples, others, p),
      torch.cdist(rows, others, p, 'use_mm_for_euclid_dist'), nn.functional.pdist(rows, p)} do
      t:assert(y.requires_grad, 'recorded, p = ' .. p)
      t:eq(y, torch.zeros(y:size()))
      t:eq(torch.autograd.grad(y:sum(), {samples}), torch.zeros(2, 3, 0))
    end
    local mapped = torch.vmap(function(x) return torch.cdist(x, others, p) end)(samples)
    t:eq(mapped, torch.zeros(2, 3, 4), 'vmap, p = ' .. p)
  end
end

function s.distances_at_edges()
  local nan, inf = 0 / 0, math.huge
  local a = torch.tensor {{1., 1., 1.}, {nan, 1., 1.}, {inf, 0., 0.}, {-inf, 0., 0.}}
  local b = torch.tensor {{1., 1., 1.}, {inf, 0., 0.}}
  for _, p in ipairs {1, 2, 3, 2.5, inf} do
    local y = torch.cdist(a, b, p)
    t:eq(y:isnan(), torch.tensor {{false, false}, {true, true}, {false, true}, {false, false}}, 'nan, p = ' .. p)
    t:eq(y:isinf(), torch.tensor {{false, true}, {false, false}, {true, false}, {true, true}}, 'inf, p = ' .. p)
    local x = torch.ones(2, 3):requires_grad_()
    torch.cdist(x, torch.ones(1, 3), p):sum():backward()
    t:eq(x.grad, torch.zeros(2, 3), 'no distance, no slope, p = ' .. p)
    local poisoned = a:clone():requires_grad_()
    torch.cdist(poisoned, b[{{1, 1}}], p):sum():backward()
    t:assert(p == 1 or poisoned.grad[2]:isnan():any(), 'the gradient of nan, p = ' .. p)
    t:assert(not poisoned.grad[1]:isnan():any(), 'that of others, p = ' .. p)
    t:eq(torch.cdist(torch.zeros(2, 3, 4), torch.zeros(2, 0, 4), p):size(), torch.Size {2, 3, 0})
    t:eq(torch.cdist(torch.zeros(0, 4), torch.zeros(3, 4), p):size(), torch.Size {0, 3})
  end
  local ties = torch.tensor {{3., -3., 1.}}:requires_grad_()
  torch.cdist(ties, torch.zeros(1, 3), inf):sum():backward()
  t:eq(ties.grad, torch.tensor {{0.5, -0.5, 0.}}, 'the largest share the gradient')
  local tiny = torch.full({1, 4}, 1e-30):requires_grad_()
  torch.cdist(tiny, torch.zeros(1, 4), 2):sum():backward()
  t:eq(tiny.grad, torch.full({1, 4}, 0.5), 'squares that float32 does not hold')
  local near = torch.full({1, 4}, 1e-18):requires_grad_()
  torch.sum(torch.cdist(near, torch.zeros(1, 4), 2) * 1e25):backward()
  t:assert(torch.allclose(near.grad, torch.full({1, 4}, 0.5e25)), 'quotients that float32 does not hold')
  local half = torch.randn(5, 7):half()
  t:eq(torch.cdist(half, half, 1), torch.cdist(half:float(), half:float(), 1):half())
  t:eq(torch.cdist(a, a, 0), torch.tensor {{0., 1., 3., 3.}, {1., 1., 3., 3.}, {3., 3., 1., 1.}, {3., 3., 1., 1.}})
end

-- By a product: what cancellation leaves below 0 counts as 0, also in the gradient.
function s.distances_by_a_product()
  local x = torch.randn(40, 5):requires_grad_()
  local y = torch.cdist(x, x)
  t:assert(not y:isnan():any())
  torch.autograd.backward(y:diagonal():sum())
  t:assert(x.grad:isfinite():all())
end

function s.cross_products()
  for _, name in ipairs {'float32', 'float64', 'float16', 'bfloat16', 'int8', 'int64'} do
    local a = (torch.randn(7, 3, 5, {dtype = torch.float64}) * 9):to(torch[name])
    local b = (torch.randn(7, 3, 5, {dtype = torch.float64}) * 9):to(torch[name])
    local along = torch.linalg.cross(a, b, {dim = 2})
    local rows = torch.linalg.cross(a:transpose(2, 3), b:transpose(2, 3))
    t:eq(along, rows:transpose(2, 3), name)
    t:eq(torch.linalg.cross(a, a, {dim = 2}), torch.zeros_like(a), 'of the same, ' .. name)
    local a1, a2, a3, b1, b2, b3 = a[{{}, 1}], a[{{}, 2}], a[{{}, 3}], b[{{}, 1}], b[{{}, 2}], b[{{}, 3}]
    local expected = torch.stack({a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1}, 2)
    if name:find 'int' then
      t:eq(along, expected, name)
    elseif name == 'float32' or name == 'float64' then
      t:assert(torch.allclose(along, expected, {rtol = 1e-4, atol = 1e-4}), name)
    end
  end
  local inf = math.huge
  local y = torch.linalg.cross(torch.tensor {{inf, 0., 1.}}:double(), torch.tensor {{1., 2., 3.}}:double())
  t:eq(y, torch.tensor {{-2., -inf, inf}}:double())
  local huge = torch.linalg.cross(torch.tensor {{1., 1., 1e200}}:double(), torch.tensor {{1., 1e200, 1.}}:double())
  t:eq(huge[1][1]:item(), -inf, 'a product beyond float64')
  t:eq(torch.linalg.cross(torch.zeros(0, 3), torch.ones(1, 3)):size(), torch.Size {0, 3})
  t:eq(torch.linalg.cross(torch.ones(2, 1, 3), torch.ones(4, 3)[{{1, 1}}]:unsqueeze(1)):size(), torch.Size {2, 1, 3})
end

-- What a nan stands in has no finite solution, and is not positive definite.
function s.matrices_with_nan()
  local linalg = torch.linalg
  for _, dtype in ipairs {torch.float32, torch.float64} do
    for _, n in ipairs {2, 3, 10, 100} do
      for _, place in ipairs {{1, 1}, {1, n}, {n, 1}, {n, n}} do
        local a = torch.eye(n, {dtype = dtype}) * n + 1
        a[place] = 0 / 0
        local x = linalg.solve(a, torch.ones(n, 1, {dtype = dtype}))
        t:assert(x:isnan():all(), 'solve ' .. n)
        t:assert(linalg.inv(a):isnan():all(), 'inv ' .. n)
        if place[1] >= place[2] then
          t:fails(function() return linalg.cholesky(a) end, 'not positive definite')
        end
      end
    end
  end
end

function s.edges_of_linalg()
  for _, ord in ipairs {1, 2, math.huge} do
    t:eq(torch.linalg.matrix_norm(torch.zeros(3, 0, 0), ord), torch.zeros(3))
  end
  t:fails(function() return torch.linalg.matrix_norm(torch.zeros(3, 0, 0), -2) end, 'no largest or smallest')
  t:fails(function() return torch.cholesky_inverse(torch.tensor {{1., 0.}, {1., 0.}}) end, 'cholesky_inverse',
          '0 in its diagonal')
end

-- of every form; blocks of the kernels have 32 rows
function s.triangular_systems()
  for _, n in ipairs { 1, 3, 8, 31, 32, 33, 70 } do
    for _, k in ipairs { 1, 5, 40 } do
      for form = 0, 7 do
        local upper, left, unit = form & 1 > 0, form & 2 > 0, form & 4 > 0
        local a = torch.randn(3, n, n):to(torch.float64) / n
        local b = torch.randn(3, left and n or k, left and k or n):to(torch.float64)
        local ones = torch.eye(n):to(torch.float64)
        a = a * (1 - ones) + ones * 2
        local triangle = (upper and a:triu() or a:tril()) - (unit and ones or 0)
        local how = { upper = upper, left = left, unitriangular = unit }
        local x = torch.linalg.solve_triangular(a, b, how)
        local what = ('%d rows, %d, form %d'):format(n, k, form)
        close(left and triangle:matmul(x) or x:matmul(triangle), b, what)
        close(torch.linalg.solve_triangular(a[2], b[2], how), x[2], what .. ', one')
      end
    end
  end
end

-- small ones are factored without LAPACK
function s.factors_of_all_sizes()
  for n = 1, 18 do
    for _, m in ipairs { n, n + 2, math.max(n - 2, 1) } do
      local a = torch.randn(4, m, n):to(torch.float64)
      local p, l, u = torch.linalg.lu(a)
      close(p:matmul(l):matmul(u), a, ('lu, %d x %d'):format(m, n))
    end
    local a = torch.randn(4, n, n):to(torch.float64)
    a = a:matmul(a.mT) + torch.eye(n):to(torch.float64)
    for _, upper in ipairs { false, true } do
      local c = torch.linalg.cholesky(a, { upper = upper })
      t:eq(c, upper and c:triu() or c:tril())
      close(upper and c.mT:matmul(c) or c:matmul(c.mT), a, 'cholesky of ' .. n)
    end
    a[{ 2, n, n }], a[{ 3, 1, 1 }] = -1, 0 / 0
    local _, info = torch.linalg.cholesky_ex(a)
    t:eq(info, torch.tensor({ 0, n, 1, 0 }):int())
  end
end

t:add(s):run()
