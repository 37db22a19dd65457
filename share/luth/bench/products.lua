-- Matrix products, convolutions, pooling. GFLOP/s: `work` in units of 10^9 operations.
local groups = require 'luth.bench.groups'
local normal, leaf, kernel, both = groups.normal, groups.leaf, groups.kernel, groups.both

local function products(add)
  local few = { at_least = 5 }
  local function put(name, flops, make, f, more) add(kernel('matmul/' .. name, 'GFLOP/s', flops / 1e9, make, f, more)) end
  local function matmul(a, b) return a:matmul(b) end
  local function square(n, dtype)
    return function() return torch.randn(n, n):to(dtype), torch.randn(n, n):to(dtype) end
  end
  for _, n in ipairs { 64, 256, 512, 1024, 2048, 4096 } do put('sgemm/' .. n, 2 * n ^ 3, square(n, torch.float32), matmul, few) end
  for _, n in ipairs { 1024, 2048 } do put('bf16/' .. n, 2 * n ^ 3, square(n, torch.bfloat16), matmul, few) end
  put('sgemm_tn/1024', 2 * 1024 ^ 3, square(1024, torch.float32), function(a, b) return a:t():matmul(b) end)
  put('batched', 2 * 64 * 128 * 64 * 128, function() return torch.randn(64, 128, 64), torch.randn(64, 64, 128) end, matmul)
  put('gemv/4096', 2 * 4096 ^ 2, function() return torch.randn(4096, 4096), torch.randn(4096) end, matmul, { bytes = 4 * 4096 ^ 2 })
  add(both('matmul/linear_fwdbwd', 'GFLOP/s', 6 * 128 * 1024 * 1024 / 1e9,
           function() return leaf(128, 1024), leaf(1024, 1024), leaf(1024) end, F.linear, 'normal'))
end

local function convolutions(add)
  -- `x`, `w`: the shapes of input and weight; `positions`: of the kernel, of which each takes as many products as w has elements
  local function put(name, x, w, options, positions, more)
    more = groups.with({ at_least = 5 }, more)
    local f = more.f or F.conv2d
    local flops, dtype = 2 * x[1] * positions / 1e9, more.dtype or torch.float32
    for _, extent in ipairs(w) do flops = flops * extent end
    local function inputs()
      return torch.randn(x):to(dtype):requires_grad_(), (torch.randn(w):to(dtype) * 0.05):requires_grad_()
    end
    local function run(a, b) return f(a, b, nil, options) end
    local fields = { at_least = more.at_least, bytes = more.bytes }
    add(kernel('conv/' .. name, 'GFLOP/s', flops, inputs, run, fields))
    add(both('conv/' .. name .. '_fwdbwd', 'GFLOP/s', 3 * flops, inputs, run, 'ones', fields))
  end
  local padded = { padding = 1 }
  put('3x3_64_56', { 32, 64, 56, 56 }, { 64, 64, 3, 3 }, padded, 56 * 56)
  put('3x3_256_14', { 32, 256, 14, 14 }, { 256, 256, 3, 3 }, padded, 14 * 14)
  put('3x3_256_14_bf16', { 32, 256, 14, 14 }, { 256, 256, 3, 3 }, padded, 14 * 14, { dtype = torch.bfloat16 })
  put('1x1_256_64_56', { 32, 256, 56, 56 }, { 64, 256, 1, 1 }, nil, 56 * 56)
  put('stem_7x7_224', { 32, 3, 224, 224 }, { 64, 3, 7, 7 }, { stride = 2, padding = 3 }, 112 * 112)
  put('depthwise_3x3_128_56', { 32, 128, 56, 56 }, { 128, 1, 3, 3 }, { padding = 1, groups = 128 }, 56 * 56,
      { bytes = 8 * 32 * 128 * 56 * 56 })
  put('conv1d_64_128_k5', { 32, 64, 1024 }, { 128, 64, 5 }, { padding = 2 }, 1024, { f = F.conv1d })
  put('transpose_128_64_k4s2', { 32, 128, 14, 14 }, { 128, 64, 4, 4 }, { stride = 2, padding = 1 }, 14 * 14,
      { f = F.conv_transpose2d })
end

local function pooling(add)
  local function put(name, shape, f)
    local n = shape[1] * shape[2] * shape[3] * shape[4]
    add(kernel('pool/' .. name, 'ms', 1, normal(table.unpack(shape)), f, { bytes = 5 * n }))
    add(both('pool/' .. name .. '_fwdbwd', 'ms', 1, function() return leaf(table.unpack(shape)) end, f, 'ones', { bytes = 10 * n }))
  end
  put('max_3x3s2_64_112', { 32, 64, 112, 112 }, function(x) return F.max_pool2d(x, 3, { stride = 2, padding = 1 }) end)
  put('avg_2x2_64_56', { 32, 64, 56, 56 }, function(x) return F.avg_pool2d(x, 2) end)
end

return function(add)
  products(add)
  convolutions(add)
  pooling(add)
end
