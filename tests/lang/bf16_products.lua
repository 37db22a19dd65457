-- Products and convolutions of bfloat16 beside those of the same numbers in float64: the sums are of float, and rounded once. Run again with
-- ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 and =AVX2 (bf16_products.sh), where a processor has more.
local t, s = torch.Tester(), torch.TestSuite()
local F = torch.nn.functional
local bf16, f64 = torch.bfloat16, torch.float64

-- y: a bfloat16 result; f: computes it of any dtype; the sum of magnitudes bounds what float loses.
local function near(what, f, ...)
  local inputs = table.pack(...)
  local function each(g)
    local out = {}
    for i = 1, inputs.n do out[i] = g(inputs[i]) end
    return table.unpack(out, 1, inputs.n)
  end
  local y, exact = f(...), f(each(function(x) return x:to(f64) end))
  local magnitudes = f(each(function(x) return x:to(f64):abs() end)):abs()
  t:eq(y.dtype, bf16)
  -- half a unit of the last of 8 bits
  local bound = exact:abs() * (2 ^ -8 * (1 + 2 ^ -8)) + magnitudes * 2 ^ -20
  local excess = ((y:to(f64) - exact):abs() - bound):max():item()
  t:assert(excess <= 0, what .. ': beyond half a unit by ' .. excess)
end

local function random(...) return torch.randn(...):to(bf16) end
local function transposed(m, n) return random(n, m):t() end
local function strided(m, n) return random(m, 2 * n + 1)[{ {}, { 2, -1, 2 } }] end
local layouts = { dense = random, transposed = transposed, strided = strided }

-- below and above what oneDNN takes, whole and broken panels, a depth that is divided
local shapes = { { 5, 7, 9 }, { 64, 64, 64 }, { 1, 256, 256 }, { 33, 70, 65 }, { 300, 130, 257 }, { 17, 1000, 31 },
  { 128, 1, 512 }, { 70, 300, 2500 }, { 600, 40, 1025 } }

function s.layouts()
  for _, shape in ipairs(shapes) do
    local m, n, k = table.unpack(shape)
    for left, a in pairs(layouts) do
      for right, b in pairs(layouts) do
        near(('%d x %d x %d, %s, %s'):format(m, n, k, left, right), torch.matmul, a(m, k), b(k, n))
      end
    end
  end
end

function s.what_is_added()
  for _, shape in ipairs(shapes) do
    local m, n, k = table.unpack(shape)
    local c, row, a, b = random(m, n), random(n), random(m, k), random(k, n)
    near('addmm', function(x, y, z) return torch.addmm(x, y, z) end, c, a, b)
    near('addmm of a row', function(x, y, z) return torch.addmm(x, y, z) end, row, a, b)
    near('addmm, factors', function(x, y, z) return torch.addmm(x, y, z, { beta = 0.5, alpha = 1.25 }) end, c, a, b)
    near('linear', F.linear, random(2, m, k), random(n, k), row)
  end
end

function s.batches()
  for _, shape in ipairs(shapes) do
    local m, n, k = table.unpack(shape)
    near('bmm', torch.bmm, random(3, m, k), random(3, k, n))
    near('bmm, transposed', torch.bmm, random(3, k, m):transpose(2, 3), random(3, n, k):transpose(2, 3))
    near('bmm, one B', torch.matmul, random(3, 2, m, k), random(k, n))
    near('bmm, B expanded', torch.bmm, random(3, m, k), random(1, k, n):expand(3, k, n))
    near('baddbmm', function(x, y, z) return torch.baddbmm(x, y, z, { beta = 2 }) end, random(3, m, n), random(3, m, k),
      random(3, k, n))
  end
  near('many', torch.bmm, random(40, 20, 64), random(40, 64, 33))
end

-- Functions of the tensors of `inputs`; the gradients of those are tested too.
local function convolves(what, f, inputs)
  local g = random(f(table.unpack(inputs)):size())
  near(what, f, table.unpack(inputs))
  for i = 1, 2 do
    near(what .. ', gradient ' .. i, function(dy, ...)
      local leaves = { ... }
      for j, x in ipairs(leaves) do leaves[j] = x:detach():requires_grad_() end
      f(table.unpack(leaves)):backward(dy)
      return leaves[i].grad
    end, g, table.unpack(inputs))
  end
end

function s.convolutions()
  local padded = { padding = 1 }
  -- samples, channels and filters, groups, extents, kernel, options
  local cases = {
    { 2, 32, 48, 1, { 9, 7 }, { 3, 3 }, padded },
    { 1, 3, 16, 1, { 12, 12 }, { 5, 5 }, { stride = 2, padding = 2 } },
    { 3, 64, 32, 1, { 6, 6 }, { 1, 1 } },
    { 2, 32, 64, 1, { 6, 6 }, { 1, 1 }, { stride = 2 } },
    { 2, 20, 12, 2, { 8, 9 }, { 3, 2 }, { dilation = 2 } },
    { 2, 24, 24, 24, { 8, 8 }, { 3, 3 }, padded },
    { 40, 64, 64, 1, { 14, 14 }, { 3, 3 }, padded },  -- divided
    { 2, 16, 33, 1, { 50 }, { 5 }, { padding = 2 } },
    { 1, 16, 8, 1, { 5, 6, 7 }, { 3, 3, 3 }, padded },
    { 2, 1, 1, 1, { 6, 6 }, { 3, 3 } },
  }
  for i, case in ipairs(cases) do
    local n, input, out, groups, extents, kernel, options = table.unpack(case)
    local f = F['conv' .. #extents .. 'd']
    options = options or {}
    options.groups = groups
    local x, w = random { n, input, table.unpack(extents) }, random { out, input // groups, table.unpack(kernel) }
    local function run(a, b, bias) return f(a, b, bias, options) end
    convolves('convolution ' .. i, run, { x, w })
    convolves('convolution with bias ' .. i, run, { x, w, random(out) })
    if #extents == 2 then
      convolves('channels last ' .. i, run, { x:to { memory_format = torch.channels_last }, w, random(out) })
    end
  end
  convolves('transposed', function(x, w) return F.conv_transpose2d(x, w, nil, { stride = 2, padding = 1 }) end,
    { random(2, 32, 7, 7), random(32, 16, 4, 4) })
  -- fewer positions than fit: the float way
  convolves('transposed, longer', function(x, w) return F.conv_transpose2d(x, w, nil, { stride = 2, output_padding = 1 }) end,
    { random(2, 32, 7, 7), random(32, 16, 3, 3) })
end

function s.bits_do_not_depend_on_threads()
  local before = torch.get_num_threads()
  for _, shape in ipairs { { 700, 300, 1100 }, { 130, 257, 96 }, { 2000, 65, 192 } } do
    local m, n, k = table.unpack(shape)
    local a, b, c = random(m, k), random(n, k):t(), random(m, n)
    local x, y = random(9, 70, 65), random(9, 65, 130)
    local image, filters = random(8, 64, 14, 14):requires_grad_(), random(64, 64, 3, 3):requires_grad_()
    local seen = {}
    for _, threads in ipairs { 1, 2, 3 } do
      torch.set_num_threads(threads)
      image.grad, filters.grad = nil, nil
      local z = F.conv2d(image, filters, nil, { padding = 1 })
      z:backward(z:detach())
      seen[threads] = { a:matmul(b), torch.addmm(c, a, b, { alpha = 0.3, beta = 0.7 }), x:bmm(y), z, image.grad, filters.grad }
    end
    for i = 1, 6 do
      t:assert(torch.equal(seen[1][i], seen[2][i]))
      t:assert(torch.equal(seen[1][i], seen[3][i]))
    end
  end
  torch.set_num_threads(before)
end

function s.what_is_not_finite()
  for _, k in ipairs { 96, 1100 } do
    local a, b = random(64, k), random(k, 64)
    a[{ 3, 5 }], b[{ 7, 9 }] = math.huge, 0 / 0
    local y = a:matmul(b)
    t:assert(y[{ {}, 9 }]:isnan():all())
    t:assert(not y[3]:isfinite():any())
    y[3], y[{ {}, 9 }] = 0, 0
    t:assert(y:isfinite():all())
    -- what C was does not count where beta is 0
    t:assert(torch.addmm(torch.full({ 64, 64 }, 0 / 0, { dtype = bf16 }), random(64, k), random(k, 64), { beta = 0 }):isfinite():all())
  end
end

-- oneDNN's kernels of bfloat16 for these gave something else.
function s.gradients_of_dilated_and_of_narrow_convolutions()
  local function gradients(settings, wanted)
    return function(x, w, dy)
      x, w = x:detach():requires_grad_(), w:detach():requires_grad_()
      local y = F['conv' .. x:dim() - 2 .. 'd'](x, w, nil, table.unpack(settings))
      return torch.autograd.grad(y, { wanted == 'x' and x or w }, { grad_outputs = { dy } })[1]
    end
  end
  local dilated = { 1, 0, { 2, 1 }, 2 }
  near('dilated', gradients(dilated, 'w'), random(1, 2, 32, 32), random(2, 1, 2, 2), random(1, 2, 30, 31))
  near('dilated', gradients(dilated, 'x'), random(1, 2, 32, 32), random(2, 1, 2, 2), random(1, 2, 30, 31))
  for _, channels in ipairs { { 3, 17 }, { 8, 17 }, { 10, 17 }, { 16, 20 }, { 17, 33 }, { 33, 8 } } do
    local from, to = table.unpack(channels)
    for _, length in ipairs { 64, 685 } do
      local x, w, dy = random(1, from, length), random(to, from, 1), random(1, to, length)
      near(('%d to %d'):format(from, to), F.conv1d, x, w)
      near(('%d to %d, x'):format(from, to), gradients({}, 'x'), x, w, dy)
      near(('%d to %d, w'):format(from, to), gradients({}, 'w'), x, w, dy)
    end
  end
end

t:add(s):run()
