-- What modules of one operator do beside the answers of tests/golden/nn: refusals, lists as arguments, random windows.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local t, s = torch.Tester(), torch.TestSuite()

local function near(got, expected, what)
  t:assert((got - torch.tensor(expected)):abs():max():item() < 1e-5, what or 'differs')
end

function s.probabilitiesAreChecked()
  local half = torch.tensor {0.5, 0.5}
  for _, bad in ipairs {1.5, -0.1, 0 / 0, 1 / 0} do
    local x = torch.tensor {0.5, bad}
    t:fails(function() F.binary_cross_entropy(x, half) end, 'input holds', 'at position 2', 'from 0 to 1')
    t:fails(function() nn.BCELoss()(half, x:half():float()) end, 'target holds', 'at position 2', 'from 0 to 1')
  end
  t:fails(function() F.binary_cross_entropy(torch.ones(2, 3):mul(2):t(), torch.ones(3, 2)) end, 'position [1, 1]')
  t:eq(F.binary_cross_entropy(torch.tensor {0.0, 1.0}, torch.tensor {0.0, 1.0}):item(), 0.0)
end

function s.labelsAreIntegers()
  local x = torch.zeros(2, 3)
  t:fails(function() F.cross_entropy(x, torch.ones(2)) end, 'labels are integers', 'target:long()')
  t:fails(function() F.cross_entropy(x, torch.ones(2, 1)) end, 'labels are integers', 'target:long()', '[2, 1]')
  t:fails(function() F.cross_entropy(x[1], torch.tensor(1.0)) end, 'target:long()')
  t:fails(function() F.nll_loss(x, torch.ones(2)) end, 'target:long()')
end

function s.lengthsOfCtcMayBeLists()
  local x, labels = torch.randn(6, 2, 4):log_softmax(3), torch.tensor {{2, 3}, {4, 2}}
  local loss = nn.CTCLoss():clone()
  t:eq(loss(x, labels, {6, 5}, {2, 1}):item(), loss(x, labels, torch.tensor {6, 5}, torch.tensor {2, 1}):item())
  t:fails(function() loss(x, labels, {6, 5.5}, {2, 1}) end, 'input_lengths must be a list of integers')
end

function s.unpoolingTakesAnOutputSize()
  local m, x, at = nn.MaxUnpool1d(2):clone(), torch.ones(1, 3), torch.tensor {{1, 4, 5}}
  t:eq(m(x, at), torch.tensor {{1., 0, 0, 1, 1, 0}})
  t:eq(m(x, at, {7}), m(x, at, {output_size = {7}}))
  t:eq(m(x, at):size(2), 6, 'the size of the call before is forgotten')
  t:fails(function() m(x, at, 7) end, 'output_size must be a list of integers')
end

-- PyTorch's answers for these samples
function s.fractionalPooling()
  local x = (torch.arange(30.) * 7 % 31):reshape(1, 1, 5, 6)
  local y, at = nn.FractionalMaxPool2d(2, {2, 3}, {return_indices = true, _random_samples = torch.tensor {{{0.3, 0.8}}}})(x)
  t:eq(y, torch.tensor {{{{18., 25, 28}, {20, 27, 30}}}})
  t:eq(at, torch.tensor {{{{8, 9, 5}, {26, 27, 23}}}})
  t:eq(x:flatten()[at:flatten()], y:flatten())
  local volume = torch.randn(1, 2, 5, 7, 6)
  local once = F.fractional_max_pool3d(volume, 2, {2, 3, 4}, {generator = torch.Generator():manual_seed(3)})
  t:eq(F.fractional_max_pool3d(volume, 2, {2, 3, 4}, {generator = torch.Generator():manual_seed(3)}), once)
  t:fails(function() nn.FractionalMaxPool2d(2) end, 'output_size or output_ratio')
  t:fails(function() nn.FractionalMaxPool2d(2, {output_ratio = 1.5}) end, 'between 0 and 1')
  t:fails(function() F.fractional_max_pool2d(x, 4, 3) end, '3 windows of 4 elements', 'dim 3')
end

function s.crossMapNorm()
  local x = torch.arange(1., 7.):reshape(1, 6, 1, 1)
  near(nn.CrossMapLRN2d(4, {alpha = 0.5, k = 2})(x):flatten(), {0.484901, 0.742175, 0.807924, 0.812496, 0.787847, 1.087421})
  near(nn.CrossMapLRN2d(3, {alpha = 0.5, k = 2})(x):flatten(), {0.457906, 0.665907, 0.697104, 0.685753, 0.655997, 0.911677})
  t:fails(function() nn.CrossMapLRN2d(3)(x[1]) end, 'needs images')
end

function s.tripletsByAnyDistance()
  local a, p, n = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)
  local function manhattan(x, y) return (x - y):abs():sum(2) end
  local loss = nn.TripletMarginWithDistanceLoss {distance_function = manhattan, margin = 0.5, reduction = 'sum'}
  local expected = (manhattan(a, p) - manhattan(a, n) + 0.5):clamp_min(0):sum()
  near(loss(a, p, n), expected:item())
  near(loss:clone()(a, p, n), expected:item())
  t:fails(function() nn.TripletMarginWithDistanceLoss {margin = 0} end, 'margin must be a number above 0')
end

-- ---- Random modules: the laws of tests/golden/nn/random.json ---------------------------------------------------------

-- A share of p among n independent choices, within six standard deviations.
local function share(count, n, p, what) t:assert(math.abs(count / n - p) < 6 * math.sqrt(p * (1 - p) / n), what) end

-- In training `dropped` in the places of a random mask, `kept` in the others; whole channels of 3 dims and more if
-- `channels`. The gradient is the slope of what is kept, and 0.
local function dropout(name, args, x, channels, kept, dropped, slope)
  local m = nn[name](args)
  x:requires_grad_()
  local y = m(x)
  y:sum():backward()
  local lost = x.grad:eq(0)
  t:assert(torch.where(lost, torch.full_like(y, dropped), kept(x:detach())):allclose(y:detach(), {atol = 1e-5}), name)
  t:assert(torch.where(lost, torch.zeros_like(y), torch.full_like(y, slope)):allclose(x.grad, {atol = 1e-5}), name .. ' gradient')
  if channels then
    lost = lost:flatten(3)
    t:assert(lost:all(3):equal(lost:any(3)), name .. ' whole channels')
    lost = lost:all(3)
  end
  share(lost:sum():item(), lost:numel(), args.p, name)
  t:assert(m:eval()(x):equal(x), name .. ' eval')
  return y
end

local laws = {}
function laws.Dropout(name, args, x)
  dropout(name, args, x, name ~= 'Dropout', function(v) return v / (1 - args.p) end, 0, 1 / (1 - args.p))
end
laws.Dropout1d, laws.Dropout2d, laws.Dropout3d = laws.Dropout, laws.Dropout, laws.Dropout
function laws.AlphaDropout(name, args, x)
  local p, limit = args.p, -1.7580993408473766
  local a = ((1 - p) * (1 + limit ^ 2 * p)) ^ -0.5
  local b = -a * limit * p
  local y = dropout(name, args, x, name ~= 'AlphaDropout', function(v) return a * v + b end, a * limit + b, a)
  t:assert(math.abs(y:mean():item()) < 0.06 and math.abs(y:var():item() - 1) < 0.1, name .. ' mean and variance')
end
laws.FeatureAlphaDropout = laws.AlphaDropout
function laws.RReLU(name, args, x)
  local y = nn[name](args)(x:requires_grad_())
  y:sum():backward()
  local slopes = x.grad[x:lt(0)]
  t:assert((x.grad * x):allclose(y:detach()) and x.grad[x:gt(0)]:eq(1):all(), name)
  t:assert(slopes:ge(args.lower):all() and slopes:le(args.upper):all(), name .. ' bounds')
  local width, n = args.upper - args.lower, slopes:numel()
  t:assert(math.abs(slopes:mean():item() - (args.lower + args.upper) / 2) < 6 * width / math.sqrt(12 * n), name .. ' mean')
  t:assert(slopes:std():item() > 0.9 * width / math.sqrt(12), name .. ' a slope for each element')
end

function s.randomModulesObeyTheirLaws()
  local seen = 0
  for _, case in ipairs(read.json(read.text(root .. '/tests/golden/nn/random.json'))) do
    local law = laws[case.module or '']
    if law then
      seen = seen + 1
      law(case.module, case.args, torch.randn(case.shape))
    end
  end
  t:eq(seen, 7)
end

function s.identityIgnoresItsArguments()
  local x = torch.randn(2)
  t:assert(nn.Identity(54, {unused = true, also = 'this'})(x) == x)
end

function s.settingsAreChecked()
  t:fails(function() nn.Dropout(1.5) end, 'p must be a probability')
  t:fails(function() nn.Dropout2d(-0.5) end, 'p must be a probability')
  t:fails(function() nn.AlphaDropout(2) end, 'p must be a probability')
  t:fails(function() nn.MaxPool2d(0) end, 'kernel_size')
  t:fails(function() nn.AvgPool2d(2, {stride = {1, 2, 3}}) end, 'stride')
  t:fails(function() nn.ZeroPad2d {padding = {1, 2, 3}} end, 'padding must be one number or 4')
  t:fails(function() nn.TripletMarginLoss {margin = 0} end, 'margin must be above 0')
  t:fails(function() nn.MultiMarginLoss(3) end, 'p must be 1 or 2')
  t:fails(function() nn.MSELoss('avg') end, "reduction must be 'mean', 'sum' or 'none'")
  t:fails(function() nn.GELU('foo') end, "approximate is 'none' or 'tanh'")
  t:fails(function() nn.CELU(0) end, 'alpha must not be 0')
  t:fails(function() nn.Hardtanh(2, 1) end, 'min_val (2) is greater than max_val (1)')
  t:fails(function() nn.RReLU(2, 1) end, 'lower (2) is greater')
  t:fails(function() nn.Softshrink(-1) end, 'lambd must not be negative')
  t:fails(function() nn.Unfold(0) end, 'kernel_size must be at least 1')
  t:fails(function() nn.Fold(-4, 2) end, 'output_size must be at least 1')
  t:fails(function() nn.PixelShuffle(0) end, 'upscale_factor must be at least 1, got 0')
  t:fails(function() nn.ChannelShuffle(-2) end, 'groups must be at least 1, got -2')
  t:fails(function() nn.LPPool2d(0, 2) end, 'norm_type must not be 0')
  t:fails(function() nn.AdaptiveAvgPool2d(-3) end, 'output_size')
  t:fails(function() nn.AdaptiveMaxPool2d {output_size = {1, 2, 3}} end, 'output_size')
  t:fails(function() nn.LocalResponseNorm(0) end, 'size must be at least 1')
  t:fails(function() nn.CrossEntropyLoss {label_smoothing = 2} end, 'label_smoothing must be from 0 to 1')
  t:fails(function() nn.HuberLoss('mean', 0) end, 'delta must be above 0')
  t:fails(function() nn.SmoothL1Loss('mean', -1) end, 'beta must be at least 0')
  t:fails(function() nn.Bilinear(0, 2, 3) end, 'in1_features of at least 1')
  t:fails(function() nn.Softmax2d()(torch.zeros(2, 3)) end, 'needs images')
end

t:add(s):run()
