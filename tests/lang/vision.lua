-- Padding, interpolation, windows and pooling as scripts call them: names, positions from 1, errors.
local t, s = torch.Tester(), torch.TestSuite()

-- Windows of two elements side by side have a loop of their own; those that ceil_mode adds do not.
function s.volumes_pool_by_pairs()
  for _, shape in ipairs {{2, 3, 4, 6, 8}, {1, 2, 5, 7, 9}, {1, 1, 2, 2, 70}} do
    local x = torch.randint(-3, 3, shape):float()
    x[{1, 1, 1, 1, 1}] = 0 / 0
    x[{1, 1, 2, 2, 2}] = -math.huge
    local y, at = F.max_pool3d(x, 2, {return_indices = true})
    local d, h, w = y.shape[3], y.shape[4], y.shape[5]
    local even = x[{{}, {}, {1, 2 * d}, {1, 2 * h}, {1, 2 * w}}]
    local largest = even:reshape(shape[1], shape[2], d, 2, h, 2, w, 2):amax({4, 6, 8})
    t:eq(y:nan_to_num(9), largest:nan_to_num(9))
    t:eq(x:flatten(3):gather(3, at:flatten(3)):nan_to_num(9), y:flatten(3):nan_to_num(9))
    local more, there = F.max_pool3d(x, 2, {ceil_mode = true, return_indices = true})
    local part = {{}, {}, {1, d}, {1, h}, {1, w}}
    t:eq(more[part]:nan_to_num(9), y:nan_to_num(9))
    t:eq(there[part], at)
  end
end

function s.padding()
  local x = torch.arange(4):float():reshape(1, 4)
  t:eq(F.pad(x, {1, 2}), torch.tensor {{0., 0., 1., 2., 3., 0., 0.}})
  t:eq(F.pad(x, {1, 0}, 'constant', 7), torch.tensor {{7., 0., 1., 2., 3.}})
  t:eq(F.pad(x, {-1, -1}), torch.tensor {{1., 2.}})
  t:eq(F.pad(x, {2, 1}, {mode = 'reflect'}), torch.tensor {{2., 1., 0., 1., 2., 3., 2.}})
  t:eq(F.pad(x, {1, 2}, {mode = 'replicate'}), torch.tensor {{0., 0., 1., 2., 3., 3., 3.}})
  t:eq(F.pad(x, {1, 1}, {mode = 'circular'}), torch.tensor {{3., 0., 1., 2., 3., 0.}})
  t:eq(torch.constant_pad_nd(x, {0, 1}, 9), torch.tensor {{0., 1., 2., 3., 9.}})
  t:eq(F.pad(torch.ones(2, 3), {1, 0, 0, 1}):size(), torch.Size {3, 4})
  t:fails(function() F.pad(x, {1}) end, 'two numbers for each dim')
  t:fails(function() F.pad(x, {4, 0}, 'reflect') end, 'smaller than the 4 elements')
  t:fails(function() F.pad(x, {1, 1}, 'mirror') end, "'mirror' is unknown", 'circular')
  t:fails(function() F.pad(x, {-5, 0}) end, 'padding of -5')
end

function s.interpolation()
  local x = torch.tensor {{{1., 2., 3.}}}
  t:eq(F.interpolate(x, 6), torch.tensor {{{1., 1., 2., 2., 3., 3.}}})
  t:eq(F.interpolate(x, {scale_factor = 2}), F.interpolate(x, 6))
  t:eq(F.interpolate(x, {size = 5, mode = 'linear', align_corners = true}), torch.tensor {{{1., 1.5, 2., 2.5, 3.}}})
  t:eq(F.upsample_nearest(x, 6), F.interpolate(x, 6))
  t:eq(torch.pixel_shuffle(torch.arange(4):reshape(1, 4, 1, 1), 2), torch.tensor {{{{0, 1}, {2, 3}}}})
  t:fails(function() F.interpolate(x) end, 'either size or scale_factor')
  t:fails(function() F.interpolate(x, {scale_factor = 1 / 0}) end, 'at most 2147483647')
  t:fails(function() F.interpolate(x, {scale_factor = 0 / 0}) end, 'at most 2147483647')
  t:fails(function() F.interpolate(x, {size = 3, mode = 'bilinear'}) end, 'wants input of 4 dims')
  t:fails(function() F.interpolate(x, {size = 3, align_corners = true}) end, 'align_corners')
end

-- F.unfold takes windows of images, x:unfold those along one dim.
function s.windows()
  local x = torch.arange(9):float():reshape(1, 1, 3, 3)
  local columns = F.unfold(x, 2)
  t:eq(columns:size(), torch.Size {1, 4, 4})
  t:eq(columns[1]:t()[1], torch.tensor {0., 1., 3., 4.})
  t:eq(F.fold(columns, {3, 3}, 2)[1][1][2][2]:item(), 4 * 4.)
  t:fails(function() F.unfold(x, 4) end, 'larger than the padded input')
end

function s.positions_count_from_1()
  local x = torch.tensor {{{{1., 5.}, {2., 3.}}}}
  local y, at = F.max_pool2d(x, 2, {return_indices = true})
  t:eq(at:item(), 2)
  t:eq(F.max_unpool2d(y, at, 2), torch.tensor {{{{0., 5.}, {0., 0.}}}})
  y, at = F.adaptive_max_pool2d(x, 1, {return_indices = true})
  t:eq({y:item(), at:item()}, {5., 2})
  y, at = F.max_pool3d(x, 2, {stride = 1, padding = {1, 0, 0}, return_indices = true})
  t:eq(at:flatten(), torch.tensor {2, 2})
  t:eq(F.adaptive_avg_pool3d(x, {-1, 1, 1}):item(), 11 / 4)
  t:eq(F.adaptive_avg_pool3d(x, {torch.none, 1, 1}):item(), 11 / 4)
  t:eq(F.adaptive_max_pool2d(x, {1, torch.none}):flatten(), torch.tensor {2., 5.})
  t:fails(function() F.adaptive_avg_pool2d(x, {nil, 1}) end, 'element 1 is nil', 'torch.none')
  t:fails(function() F.max_unpool2d(y[1], torch.tensor {{{{9}}}}, 2) end)
end

function s.volumes()
  local x = torch.ones(1, 1, 3, 3, 3)
  t:eq(F.conv3d(x, torch.ones(1, 1, 3, 3, 3)):item(), 27.)
  t:eq(F.conv3d(x, torch.ones(1, 1, 3, 3, 3), {padding = 'same'})[1][1][1][1][1]:item(), 8.)
  t:eq(F.conv_transpose3d(torch.ones(1, 1, 1, 1, 1), torch.ones(1, 1, 2, 2, 2)):sum():item(), 8.)
  t:fails(function() F.conv3d(x, torch.ones(1, 2, 3, 3, 3)) end, 'wants 2 channels')
end

function s.windows_that_step_over_the_input()
  local x = torch.zeros(1, 1, 1, 3, 3):requires_grad_()
  local y, at = F.max_pool3d(x, {2, 1, 1}, {stride = 1, padding = {1, 0, 0}, dilation = {2, 1, 1}, return_indices = true})
  t:eq(y:detach(), torch.full({1, 1, 1, 3, 3}, -math.huge))
  t:eq(at:flatten()[1]:item(), 10)  -- past the input's last, as in PyTorch
  y:sum():backward()
  t:eq(x.grad, torch.zeros(1, 1, 1, 3, 3))
  t:fails(function()
    F.max_unpool2d(torch.zeros(1, 1, 3, 3), torch.ones(1, 1, 3, 3):long(), 2, {stride = 2147483647})
  end, 'too many elements')
end

function s.gradients_reach_grids()
  local x = torch.arange(4):float():reshape(1, 1, 2, 2)
  local theta = torch.tensor {{{1., 0., 0.}, {0., 1., 0.}}}:requires_grad_()
  local grid = F.affine_grid(theta, {1, 1, 2, 2}, false)
  local y = F.grid_sample(x, grid, {align_corners = false})
  t:eq(y:detach(), x)
  y:sum():backward()
  t:eq(theta.grad:size(), torch.Size {1, 2, 3})
end

-- All modes give the same of any layout of the input, and of 16-bit floats what float32 gives, rounded once.
function s.grid_samples_of_layouts_and_narrow_floats()
  local image, deep = torch.randn(2, 5, 6, 7), torch.randn(2, 3, 4, 5, 6)
  local flat, volume = torch.rand(2, 15, 13, 2) * 2.6 - 1.3, torch.rand(2, 3, 5, 9, 3) * 2.6 - 1.3
  local function gradients(x, grid, mode, padding_mode)
    local a, b = x:detach():requires_grad_(), grid:detach():requires_grad_()
    local y = F.grid_sample(a, b, {mode = mode, padding_mode = padding_mode, align_corners = false})
    y:backward(torch.cos(torch.arange(y:numel())):reshape(y:size()):to(y.dtype))
    return y:detach(), a.grad, b.grad
  end
  for _, padding_mode in ipairs {'zeros', 'border', 'reflection'} do
    for _, mode in ipairs {'bilinear', 'nearest', 'bicubic'} do
      local y, dx, dgrid = gradients(image, flat, mode, padding_mode)
      local function expect_same(x, grid)
        local z, dz, dg = gradients(x, grid, mode, padding_mode)
        t:assert(torch.equal(y, z) and torch.equal(dx, dz) and torch.equal(dgrid, dg), mode .. ' ' .. padding_mode)
      end
      expect_same(image:to {memory_format = torch.channels_last}, flat)
      expect_same(image:transpose(3, 4):contiguous():transpose(3, 4), flat:transpose(2, 3):contiguous():transpose(2, 3))
      local half, places = image:half(), flat:half()
      local h, dh, dp = gradients(half, places, mode, padding_mode)
      y, dx, dgrid = gradients(half:float(), places:float(), mode, padding_mode)
      t:assert(torch.equal(h, y:half()), 'half ' .. mode)
      t:assert(torch.allclose(dh:float(), dx, {rtol = 1e-2, atol = 1e-2}) and
           torch.allclose(dp:float(), dgrid, {rtol = 1e-2, atol = 5e-2}), 'gradients of half ' .. mode)
      if mode ~= 'bicubic' then
        local all = {gradients(deep, volume, mode, padding_mode)}
        local double = {gradients(deep:double(), volume:double(), mode, padding_mode)}
        for i = 1, 3 do t:assert(torch.allclose(all[i]:double(), double[i], {rtol = 1e-4, atol = 2e-4}), mode .. ' 3d') end
      end
    end
  end
end

-- What lies outside counts as 0 even where the first element, which is read in its place, is no number; as PyTorch.
function s.grid_samples_outside_of_the_input()
  local x = torch.arange(16):float():reshape(1, 1, 4, 4):expand(1, 4, 4, 4):clone()
  x[1][1][1][1], x[1][3][1][1] = math.huge, 0 / 0
  local grid = torch.tensor {{5., 0.}, {-1e30, 0.}, {0.25, 0.25}, {-1.5, 0.25}}:reshape(1, 1, 4, 2)
  local y = F.grid_sample(x, grid, {align_corners = false})
  for c = 1, 4 do t:eq(y[1][c][1], torch.tensor {0., 0., 10., 0.}) end
  y = F.grid_sample(x, torch.tensor {{1., 1.}, {-1., 0.}}:reshape(1, 1, 2, 2), {mode = 'bicubic', align_corners = true})
  t:eq(y[1][2][1][1]:item(), 15.)
  local far = torch.tensor {{math.huge, 0.}, {-math.huge, 0.}, {5., 0.}}:reshape(1, 1, 3, 2)
  y = F.grid_sample(x, far, {mode = 'nearest', padding_mode = 'border', align_corners = false})
  t:eq(y[1][2][1], torch.tensor {11., 8., 11.})
  t:eq(F.grid_sample(x, far / 0 * 0, {mode = 'nearest', align_corners = false}), torch.zeros(1, 4, 1, 3))
  -- the border counts as outside for the gradient
  local corner = torch.tensor {{-1., -1.}, {0.5, 0.5}}:reshape(1, 1, 2, 2):requires_grad_()
  F.grid_sample(x:narrow(2, 2, 1), corner, {padding_mode = 'border', align_corners = true}):sum():backward()
  t:eq(corner.grad, torch.tensor {{0., 0.}, {1.5, 6.}}:reshape(1, 1, 2, 2))
end

function s.grid_samples_of_nothing()
  for _, n in ipairs {{0, 3, 2}, {2, 0, 2}, {2, 3, 0}} do
    local x, grid = torch.ones(n[1], n[2], 4, 5):requires_grad_(), torch.zeros(n[1], n[3], 3, 2):requires_grad_()
    local y = F.grid_sample(x, grid, {align_corners = false})
    t:eq(y:size(), torch.Size {n[1], n[2], n[3], 3})
    y:sum():backward()
    t:eq(x.grad, torch.zeros(n[1], n[2], 4, 5))
    t:eq(grid.grad, torch.zeros(n[1], n[3], 3, 2))
  end
  t:fails(function() F.grid_sample(torch.ones(1, 1, 0, 3), torch.ones(1, 1, 1, 2)) end, 'no elements in a spatial dim')
  local x, g = torch.ones(2, 0, 4, 4):requires_grad_(), torch.zeros(2, 3, 3, 2):requires_grad_()
  local dx, dg = torch.autograd.grad(F.grid_sample(x, g, {align_corners = false}):sum(), {x, g}, {create_graph = true})
  torch.add(dx:sum(), dg:sum()):backward()
  t:eq(g.grad, torch.zeros(2, 3, 3, 2), 'no channels, no slopes')
end

t:add(s):run()
