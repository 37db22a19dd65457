-- Elementwise operators, reductions, normalization, random numbers.
local groups = require 'luth.bench.groups'
local Ki, Mi, normal, leaf, kernel, both = groups.Ki, groups.Mi, groups.normal, groups.leaf, groups.kernel, groups.both

local functions = {
  mul_scalar = function(x) return x * 1.5 end,
  exp = function(x) return x:exp() end,
  tanh = function(x) return x:tanh() end,
  sigmoid = function(x) return x:sigmoid() end,
  gelu = function(x) return F.gelu(x) end,
  relu = function(x) return x:relu() end,
  ['pow2.5'] = function(x) return x ^ 2.5 end,
  dropout = function(x) return F.dropout(x, 0.5) end,
  to_bf16 = function(x) return x:to(torch.bfloat16) end,
  chain5 = function(x) return (x * 1.5 + 0.5):tanh() * 2.0 + 0.25 end,
}
local order = { 'mul_scalar', 'exp', 'tanh', 'sigmoid', 'gelu', 'relu', 'pow2.5', 'dropout', 'to_bf16', 'chain5' }

-- The workloads over vectors of n elements.
local function elementwise(add, label, n)
  local side = math.tointeger(n ^ 0.5)
  -- `bytes`: of one element
  local function put(name, bytes, make, f)
    add(kernel('elementwise/' .. name .. '/' .. label, 'ns/elem', n, make, f, { bytes = bytes * n }))
  end
  local function two() return torch.randn(n), torch.randn(n) end
  put('add', 12, two, function(x, y) return x + y end)
  for _, name in ipairs(order) do
    local make = name == 'pow2.5' and function() return torch.randn(n):abs() end or normal(n)
    put(name, name == 'to_bf16' and 6 or 8, make, functions[name])
  end
  put('where', 13, function()
    local x = torch.randn(n)
    return x:gt(0), x, torch.randn(n)
  end, function(c, x, y) return torch.where(c, x, y) end)
  put('add_transposed', 12, function() return torch.randn(side, side), torch.randn(side, side) end,
      function(x, y) return x:t() + y end)
  put('add_row', 8, function() return torch.randn(side, side), torch.randn(side) end, function(x, b) return x + b end)
  put('add_out', 12, function() return torch.randn(n), torch.randn(n), torch.randn(n) end,
      function(x, y, z) return torch.add(x, y, { out = z }) end)
  for _, name in ipairs { 'exp', 'tanh', 'sigmoid' } do
    local f = torch[name]
    put(name .. '_out', 8, two, function(x, z) return f(x, { out = z }) end)
  end
  add(both('elementwise/gelu_fwdbwd/' .. label, 'ns/elem', n, function() return leaf(n) end, functions.gelu, 'normal',
           { bytes = 20 * n }))
end

local function reductions(add)
  -- `bytes`: of one element of the input
  local function put(name, bytes, f, ...)
    local n = 1
    for _, extent in ipairs { ... } do n = n * extent end
    add(kernel('reduce/' .. name, 'ms', 1, normal(...), f, { bytes = bytes * n }))
  end
  put('sum_all', 4, function(x) return x:sum() end, 4096, 4096)
  put('sum_dim0', 4, function(x) return x:sum(1) end, 4096, 4096)
  put('sum_dim1', 4, function(x) return x:sum(2) end, 4096, 4096)
  put('max_dim1', 4, function(x) return x:max(2) end, 4096, 4096)
  put('argmax_dim1', 4, function(x) return x:argmax(2) end, 4096, 4096)
  put('argmax_dim0', 4, function(x) return x:argmax(1) end, 4096, 4096)
  put('var_dim1', 4, function(x) return x:var(2) end, 4096, 4096)
  put('cumsum_dim1', 8, function(x) return x:cumsum(2) end, 4096, 4096)
  put('topk10', 4, function(x) return x:topk(10, 2) end, 4096, 1000)
  put('sort_1Mi', 4, function(x) return x:sort() end, Mi)
  put('softmax', 8, function(x) return x:softmax(2) end, 4096, 1000)
  put('log_softmax', 8, function(x) return x:log_softmax(2) end, 4096, 1000)
  add(both('reduce/cross_entropy_fwdbwd', 'ms', 1, function() return leaf(4096, 1000), torch.randint(1, 1001, { 4096 }) end,
           function(x, y) return F.cross_entropy(x, y) end, nil, { bytes = 8 * 4096 * 1000 }))
end

local function norms(add)
  -- `forward`, `backward`: bytes of one element of x
  local function put(name, elements, make, f, forward, backward)
    add(kernel('norm/' .. name, 'ms', 1, make, f, { bytes = forward * elements }))
    add(both('norm/' .. name .. '_fwdbwd', 'ms', 1, make, f, 'normal', { bytes = backward * elements }))
  end
  put('layer_norm', 4 * Mi, function() return leaf(4096, 1024), leaf(1024), leaf(1024) end,
      function(x, w, b) return F.layer_norm(x, { 1024 }, w, b) end, 8, 20)
  put('batch_norm2d', 4 * Mi, function() return leaf(64, 64, 32, 32), leaf(64), leaf(64), torch.zeros(64), torch.ones(64) end,
      function(x, w, b, mean, var) return F.batch_norm(x, mean, var, w, b, true, 0.1, 1e-5) end, 12, 32)
end

local function random(add)
  local function put(name, n, bytes, make, f) add(kernel('random/' .. name, 'ns/elem', n, make, f, { bytes = bytes * n })) end
  local function fill() return torch.empty(16 * Mi) end
  put('normal_16Mi', 16 * Mi, 4, fill, function(x) return x:normal_() end)
  put('uniform_16Mi', 16 * Mi, 4, fill, function(x) return x:uniform_() end)
  put('bernoulli_16Mi', 16 * Mi, 4, fill, function(x) return x:bernoulli_(0.5) end)
  put('randn_16Mi', 16 * Mi, 4, function() end, function() return torch.randn(16 * Mi) end)
  put('randn_1Ki', Ki, 4, function() end, function() return torch.randn(Ki) end)
  put('randperm_1Mi', Mi, 8, function() end, function() return torch.randperm(Mi) end)
end

return function(add)
  for _, size in ipairs { { '64Ki', 64 * Ki }, { '1Mi', Mi }, { '16Mi', 16 * Mi } } do elementwise(add, size[1], size[2]) end
  reductions(add)
  norms(add)
  random(add)
end
