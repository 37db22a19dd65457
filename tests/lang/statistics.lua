-- Medians, quantiles, running extrema, histograms, sets: several results, positions from 1, nan.
local t, s = torch.Tester(), torch.TestSuite()
local nan = 0 / 0
local function ints(list) return torch.tensor(list, {dtype = torch.int64}) end

function s.ranks()
  local x = torch.tensor {{3., 1., 2., 5.}, {9., 7., 8., 7.}}
  local v, i = x:median(2)
  t:eq(v, torch.tensor {2., 7.})
  t:eq(i, ints {3, 2})
  t:eq(x:median():item(), 5.)
  v, i = x:kthvalue(1, 2, true)
  t:eq(v, torch.tensor {{1.}, {7.}})
  t:eq(i, ints {{2}, {2}})
  t:fails(function() x:kthvalue(5) end, 'k must be from 1 to the extent 4 of dim -1')
  v, i = torch.mode(ints {4, 1, 1, 4, 2}, 1)
  t:eq(v:item(), 1)
  t:eq(i:item(), 3)
  local broken = torch.tensor {1., nan, 3.}
  v, i = torch.median(broken, {dim = 1})
  t:eq(v:isnan():item(), true)
  t:eq(i:item(), 2)
  v, i = broken:nanmedian(1)
  t:eq(v:item(), 1.)
  t:eq(i:item(), 1)
  t:eq(broken:median():isnan():item(), true)
  t:eq(torch.tensor({}):median():isnan():item(), true)
end

-- The first of equal extrema and the first nan, over a dim whose elements lie apart as over one of neighbours.
function s.positions_along_columns()
  for _, dtype in ipairs {torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int16, torch.uint8} do
    for _, rows in ipairs {1, 2, 129, 300} do
      local x = torch.randint(0, 9, {rows, 37}):to(dtype)
      if dtype.is_floating_point and rows > 2 then
        x[rows][1], x[rows // 2][2], x[rows][2], x[rows // 3][3], x[rows][4] = nan, nan, nan, 1 / 0, -1 / 0
      end
      local by_rows = x:t():contiguous()
      t:eq(x:argmax(1), by_rows:argmax(2))
      t:eq(x:argmin(1), by_rows:argmin(2))
    end
  end
end

-- A nan makes its row nan wherever it stands, and beside -inf alone too.
function s.nan_in_exponentials()
  for _, n in ipairs {2, 70, 200} do
    for _, other in ipairs {0., 1 / 0, -1 / 0} do
      local x = torch.full({2, n}, other)
      x[1][n] = nan
      t:assert(x:logsumexp(2)[1]:isnan():item() and x:softmax(2)[1]:isnan():all())
      t:assert(x:log_softmax(2)[1]:isnan():all())
      t:assert(not x:logsumexp(2)[2]:isnan():item())
    end
  end
end

function s.quantiles()
  local x = torch.tensor {1., 2., 3., 4., 5.}
  t:eq(x:quantile(0.375):item(), 2.5)
  t:eq(torch.quantile(x, torch.tensor {0., 0.5, 1.}), torch.tensor {1., 3., 5.})
  t:eq(torch.quantile(x, 0.3, {interpolation = 'higher'}):item(), 3.)
  t:eq(torch.quantile(torch.tensor {1., nan}, 0.5):isnan():item(), true)
  t:eq(torch.nanquantile(torch.tensor {1., nan}, 0.5):item(), 1.)
  t:eq(x:reshape(5, 1):quantile(0.5, 1, true):size():tolist(), {1, 1})
  t:fails(function() x:quantile(1.5) end, 'from 0 to 1')
end

function s.running()
  local v, i = torch.tensor({1., 3., 2., 3.}):cummax(1)
  t:eq(v, torch.tensor {1., 3., 3., 3.})
  t:eq(i, ints {1, 2, 2, 4})
  v, i = torch.cummin(torch.tensor {2., nan, 1.}, 1)
  t:eq(i, ints {1, 2, 2})
  local x = torch.tensor({0., 100., -200.}, {requires_grad = true})
  x:logcumsumexp(1):sum():backward()
  t:eq(x.grad:ge(0):all(), true)
  t:eq(math.abs(x.grad:sum():item() - 3) < 1e-4, true)
end

function s.sets()
  local x = ints {3, 1, 3, 2, 1}
  t:eq(torch.unique(x), ints {1, 2, 3})
  local u, inverse, counts = x:unique {return_inverse = true, return_counts = true}
  t:eq(u[inverse], x)
  t:eq(counts, ints {2, 1, 2})
  local _, only = x:unique {return_counts = true}
  t:eq(only, counts)
  u, inverse = torch.unique(torch.tensor {{2., 1.}, {1., 5.}, {2., 1.}}, {return_inverse = true, dim = 1})
  t:eq(u, torch.tensor {{1., 5.}, {2., 1.}})
  t:eq(inverse, ints {2, 1, 2})
  u, inverse, counts = torch.unique_consecutive(ints {1, 1, 2, 1}, {return_inverse = true, return_counts = true})
  t:eq(u, ints {1, 2, 1})
  t:eq(inverse, ints {1, 1, 2, 3})
  t:eq(counts, ints {2, 1, 1})
  t:eq(torch.isin(x, ints {1, 2}), torch.tensor {false, true, false, true, true})
  t:eq(torch.isin(x, torch.arange(2, 40)):logical_not(), x:eq(1))
  t:eq(torch.isin(x, 3, {invert = true}), x:ne(3))
end

function s.bins()
  t:eq(torch.bincount(ints {1, 3, 3}), ints {1, 0, 2})
  t:eq(torch.bincount(ints {1, 3, 3}, {minlength = 5}), ints {1, 0, 2, 0, 0})
  t:fails(function() torch.bincount(ints {0, 1}) end, 'it must be at least 1')
  t:eq(torch.histc(torch.tensor {1., 2., 1.}, 4, 0, 3), torch.tensor {0., 2., 1., 0.})
  local h, edges = torch.histogram(torch.tensor {1., 2., 4.}, 3, {range = {1, 4}})
  t:eq(h, torch.tensor {1., 1., 1.})
  t:eq(edges, torch.tensor {1., 2., 3., 4.})
  local hist, rows, columns = torch.histogramdd(torch.tensor {{0., 1.}, {1., 0.}}, {2, 2})
  t:eq(hist, torch.tensor {{0., 1.}, {1., 0.}})
  t:eq(#rows, 3)
  t:eq(#columns, 3)
  local sorted = torch.tensor {1., 3., 5.}
  t:eq(torch.searchsorted(sorted, torch.tensor {0., 3., 6.}), ints {1, 2, 4})
  t:eq(torch.searchsorted(sorted, torch.tensor {0., 3., 6.}, {side = 'right'}), ints {1, 3, 4})
  t:eq(torch.searchsorted(torch.tensor {5., 1., 3.}, 3.5, {sorter = ints {2, 3, 1}}):item(), 3)
  t:fails(function() torch.searchsorted(sorted, 1., {sorter = ints {0, 1, 2}}) end, 'sorter', '0')
  t:eq(torch.bucketize(torch.tensor {2., 5.}, sorted, {right = true}), ints {2, 4})
end

function s.samples()
  local y = torch.tensor {1., 4., 9., 16.}
  t:eq(y:diff(), torch.tensor {3., 5., 7.})
  t:eq(torch.trapz(y):item(), 21.5)
  t:eq(torch.trapezoid(y, {dx = 2}):item(), 43.)
  t:eq(torch.gradient(y)[1], torch.tensor {3., 4., 6., 7.})
  t:eq(torch.gradient(y, {spacing = {torch.tensor {0., 2., 4., 6.}}})[1], torch.tensor {1.5, 2., 3., 3.5})
  local low, high = y:aminmax()
  t:eq(low:item(), 1.)
  t:eq(high:item(), 16.)
  local d, m = torch.std_mean(y)
  t:eq(d:item(), y:std():item())
  t:eq(m:item(), 7.5)
  t:eq(y:std(false):item(), y:std {correction = 0}:item())
  t:eq(y:var {correction = 0}:item(), y:var {unbiased = false}:item())
  t:eq(torch.tensor({{1., nan}, {2., 3.}}):nansum(2), torch.tensor {1., 5.})
  t:eq(torch.tensor({0, 2, 0}):count_nonzero():item(), 1)
  t:eq(torch.eye(3):trace():item(), 3.)
end

-- A mask over all elements is picked without a list of places.
function s.masks()
  local x = torch.arange(6.):reshape(2, 3):requires_grad_()
  local y = x[x:gt(2)]
  t:eq(y, torch.tensor {3., 4., 5.})
  y:sum():backward()
  t:eq(x.grad, torch.tensor {{0., 0., 0.}, {1., 1., 1.}})
  t:fails(function() return x[torch.ones(3, 2):gt(0)] end, 'a mask of shape')
end

local function near(t, got, want)
  if not torch.allclose(got, torch.tensor(want, {dtype = got.dtype}), 1e-5, 0, true) then
    error('got ' .. tostring(got) .. ', want ' .. tostring(torch.tensor(want)), 0)
  end
end

-- Small gradients beside large ones, of both signs.
function s.gradient_of_logcumsumexp()
  local x = torch.zeros(3, {requires_grad = true})
  x:logcumsumexp(1):backward(torch.tensor {1e4, 1e-3, 1e-3})
  near(t, x.grad:narrow(1, 2, 2), {1e-3 / 2 + 1e-3 / 3, 1e-3 / 3})
  x.grad = nil
  x:logcumsumexp(1):backward(torch.tensor {1e3, -1e-3, 0.})
  near(t, x.grad, {1e3 - 5e-4, -5e-4, 0})
end

function s.bins_of_a_wide_range()
  near(t, torch.tensor({0, 1e38, 2e38}):histc(10), {1, 0, 0, 0, 0, 1, 0, 0, 0, 1})
  near(t, torch.tensor({3e38, -3e38, 1.5e38}):histc(3), {1, 0, 2})
  local h, edges = torch.tensor({3e38, -3e38}):histogram(4)
  near(t, h, {1, 0, 0, 1})
  near(t, edges, {-3e38, -1.5e38, 0, 1.5e38, 3e38})
  h, edges = torch.tensor({3e38, -3e38}):histogram(1)
  near(t, h, {2})
  near(t, edges, {-3e38, 3e38})
  near(t, torch.tensor({0, 1e308, -1e308}, {dtype = torch.float64}):histc(3), {1, 1, 1})
end

-- Ranks beyond the integers that float32 has.
function s.quantiles_of_many()
  local n = (1 << 24) + 4
  local x = torch.zeros(n)
  x[n] = 1
  t:eq(x:quantile(1):item(), 1.)
  t:eq(x:quantile(torch.tensor {0.5, 1}):tolist(), {0., 1.})
  t:eq(x:nanquantile(1 - 1 / (n - 1), {interpolation = 'nearest'}):item(), 0.)
end

-- PyTorch's older positions: dim, unbiased, keepdim.
function s.forms_of_spread()
  local x = torch.tensor {{1., 3.}, {2., 6.}}
  near(t, x:std(2, false, true), {{1.}, {2.}})
  near(t, torch.var(x, 2, true), {2., 8.})
  t:eq(x:var {correction = torch.none}:item(), x:var():item())
  t:eq(x:std(1, {correction = torch.none}), x:std(1))
end

-- The first extremum of rows of many lengths, with ties and nan, against a plain loop.
function s.extrema_of_rows()
  for _, n in ipairs { 1, 31, 127, 128, 129, 300, 1000, 20000 } do
    local x = torch.randint(-50, 50, { 9, n }):float()
    for r = 3, 9, 3 do x[r][(r * 37) % n + 1] = nan end
    local most, at = x:max(2)
    local least, where = x:min(2)
    for r, row in ipairs(x:tolist()) do
      local high, low = 1, 1
      for k = 2, n do
        local v = row[k]
        if row[high] == row[high] and not (v <= row[high]) then high = k end
        if row[low] == row[low] and not (v >= row[low]) then low = k end
      end
      t:eq({ at[r]:item(), where[r]:item() }, { high, low })
      t:eq(tostring(most[r]:item()), tostring(row[high]))
      t:eq(least[r]:isnan():item(), row[low] ~= row[low])
    end
    t:eq(x:amax(2):isnan(), most:isnan())
    t:eq(x:amin(2):nan_to_num(), least:nan_to_num())
  end
end

-- Many lanes, blocks, and dims that are no rows.
function s.sums_of_numbers()
  local nan, inf = 0 / 0, math.huge
  for _, name in ipairs {'float32', 'float64', 'float16', 'bfloat16'} do
    local x = torch.randn(3, 700, 5, {dtype = torch[name]})
    local holes = torch.rand(3, 700, 5):lt(0.3)
    local y, filled = x:masked_fill(holes, nan), x:masked_fill(holes, 0)
    for _, dims in ipairs {{1}, {2}, {3}, {1, 3}, {1, 2, 3}} do t:eq(torch.nansum(y, dims), filled:sum(dims), name) end
    t:eq(torch.nansum(y:transpose(1, 3), 2, true), filled:transpose(1, 3):sum(2, true), name)
    y:requires_grad_()
    y:nansum(2):sum():backward()
    t:eq(y.grad, holes:logical_not():to(y.dtype), 'gradient, ' .. name)
  end
  t:eq(torch.tensor {nan, inf, 1}:nansum():item(), inf)
  t:assert(torch.tensor {nan, inf, -inf}:nansum():isnan():item())
  t:eq(torch.tensor {nan, nan}:nansum():item(), 0.)
  t:eq(torch.zeros(0, 2):nansum(1), torch.zeros(2))
  t:eq(torch.tensor({1e4, nan}):half():nansum({dtype = torch.float64}):item(), 10000.)
  t:eq(torch.tensor {{nan, nan}, {1, nan}}:nanmean(2):isnan(), torch.tensor {true, false})
end

function s.trapezoids_of_few_samples()
  local nan, inf = 0 / 0, math.huge
  t:eq(torch.trapezoid(torch.tensor {3.}), torch.tensor(0.))
  t:eq(torch.trapezoid(torch.tensor {3}, {dx = 2}), torch.tensor(0.))
  t:eq(torch.trapezoid(torch.tensor {3., 5.}, {dx = 0.5}), torch.tensor(2.))
  t:eq(torch.trapezoid(torch.tensor {inf, 1., 2.}), torch.tensor(inf))
  t:assert(torch.trapezoid(torch.tensor {0., nan, 2.}):isnan():item())
  t:eq(torch.trapezoid(torch.tensor({100, 100}, {dtype = torch.int8})), torch.tensor(100.))
  t:fails(function() return torch.trapezoid(torch.tensor {true, false}) end, 'bool')
  t:fails(function() return torch.trapezoid(torch.tensor(1.)) end, 'dim')
  local y = torch.randn(4, 5, 6, {dtype = torch.float64}):requires_grad_()
  for d = 1, 3 do
    local n = y:size(d)
    local expected = (y:narrow(d, 1, n - 1) + y:narrow(d, 2, n - 1)):sum(d) * 1.5
    local got = torch.trapezoid(y, {dx = 3, dim = d})
    t:assert(torch.allclose(got, expected))
    t:eq((torch.autograd.grad(got:sum(), {y})), (torch.autograd.grad(expected:sum(), {y})))
  end
end

t:add(s):run()
