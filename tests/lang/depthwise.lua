-- Convolutions whose filters meet one channel each, beside dense ones in float64 whose other weights are 0.
local t, s = torch.Tester(), torch.TestSuite()
local F = torch.nn.functional

local function dense(w, channels)
  local filters = w:size(1)
  local all = torch.zeros(filters, channels, table.unpack(w.shape, 3)):to(torch.float64)
  for f = 1, filters do all[f][(f - 1) // (filters // channels) + 1] = w[f][1]:to(torch.float64) end
  return all
end

local sizes = { { 9 }, { 40 }, { 131 }, { 5, 7 }, { 6, 33 }, { 4, 5, 6 }, { 3, 6, 17 } }
local windows = { { 1, 0, 1 }, { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 2 }, { 1, 4, 1 }, { 3, 0, 1 } }  -- step, padding, dilation
local digits = { [torch.float32] = 1e-5, [torch.float64] = 1e-12, [torch.float16] = 0.02, [torch.bfloat16] = 0.1 }

local function near(y, want, dtype, what)
  t:eq(y.dtype, dtype)
  t:assert((y:to(torch.float64) - want):abs():max():item() <= digits[dtype] * math.max(1, want:abs():max():item()), what)
end

function s.by_size_and_window()
  for i, size in ipairs(sizes) do
    local conv = F['conv' .. #size .. 'd']
    for j, window in ipairs(windows) do
      for dtype in pairs(digits) do
        for times = 1, 2 do
          local kernel = #size == 3 and { 2, 1, 3 } or { 2, 3 }
          kernel = { table.unpack(kernel, #kernel - math.min(#size, #kernel) + 1) }
          local x = torch.randn(3, 4, table.unpack(size)):to(dtype)
          local w = torch.randn(4 * times, 1, table.unpack(kernel)):to(dtype)
          local bias = torch.randn(4 * times):to(dtype)
          local exact = { x:to(torch.float64), dense(w, 4), bias:to(torch.float64) }
          for _, p in ipairs { x, w, exact[1], exact[2] } do p:requires_grad_(true) end
          local step, padding, dilation = table.unpack(window)
          local y = conv(x, w, bias, step, padding, dilation, 4)
          local want = conv(exact[1], exact[2], exact[3], step, padding, dilation)
          local what = ('size %d, window %d, %s, %d times'):format(i, j, dtype, times)
          near(y:detach(), want:detach(), dtype, what)
          local g = torch.randn(table.unpack(y.shape)):to(dtype)
          y:backward(g)
          want:backward(g:to(torch.float64))
          near(x.grad, exact[1].grad, dtype, what .. ', x')
          for f = 1, 4 * times do near(w.grad[f][1], exact[2].grad[f][(f - 1) // times + 1], dtype, what .. ', w') end
        end
      end
    end
  end
end

-- next to what is not finite, in another row, channel or image
function s.not_finite()
  local x, w = torch.rand(2, 3, 4, 5, 19), torch.rand(3, 1, 1, 1, 3)
  x[{ 1, 2, 3, 4, 1 }] = math.huge
  t:eq(F.conv3d(x, w, nil, 1, { 0, 0, 1 }, 1, 3):isinf():sum():item(), 2)
  local g = torch.rand(3, 2, 21)
  w = torch.rand(2, 1, 3):requires_grad_(true)
  x = torch.rand(3, 2, 23)
  x[{ 2, 1, 1 }] = math.huge
  F.conv1d(x, w, nil, 1, 0, 1, 2):backward(g)
  t:eq(w.grad:isinf():sum():item(), 1)
end

function s.threads()
  local before, x, w = torch.get_num_threads(), torch.randn(8, 64, 1000), torch.randn(64, 1, 3)
  local all = {}
  for n = 1, 2 do
    torch.set_num_threads(n)
    local a, b = x:clone():requires_grad_(true), w:clone():requires_grad_(true)
    local y = F.conv1d(a, b, nil, 1, 1, 1, 64)
    y:backward(x)
    all[n] = { y:detach(), a.grad, b.grad }
  end
  torch.set_num_threads(before)
  for i = 1, 3 do t:assert(torch.equal(all[1][i], all[2][i])) end
end

t:add(s):run()
