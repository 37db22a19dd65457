-- The workloads of luth bench, under the names that a peer's benchmark can share. `add` takes each as a table: name, unit,
-- work per call (for rates), and one of
--   statement, names, operands   a line of Lua, its local operands and the function that makes them
--   make                         makes the inputs and returns the function to time; it is given `work`
-- gpu_work: work per call on a GPU, where it is another.
-- Tensors are made on the default device, which the benchmark has set. `steps`: a call waits for the device at its end, as
-- a training step that is timed by the clock. `gpu`: too large for a CPU, so left out there.
local Ki, Mi = 1024, 1024 * 1024

return function(add)
  -- ---- overhead -----------------------------------------------------------------------------------------------------

  local function statement(name, code, names, operands, unit)
    add { name = 'overhead/' .. name, unit = unit or 'ns/op', work = 1, statement = code, names = names, operands = operands }
  end
  local function x10() return torch.randn(10) end
  local function mlp4()
    local model = nn.Linear(4, 8) .. nn.Tanh() .. nn.Linear(8, 1)
    model:to(torch.get_default_device())
    return model, optim.SGD(model:parameters(), { lr = 0.01 }), torch.randn(8, 4), torch.randn(8, 1)
  end

  statement('loop', '', '', function() end)
  statement('add10', 'local _ = x + y', 'x, y', function() return x10(), x10() end)
  statement('add10_grad', 'local _ = x + y', 'x, y', function() return x10():requires_grad_(), x10() end)
  statement('add10_scalar', 'local _ = x + 1.0', 'x', x10)
  statement('add10_inplace', 'x:add_(1)', 'x', x10)
  statement('add10_out', 'torch.add(x, y, {out = z})', 'x, y, z', function() return x10(), x10(), x10() end)
  statement('exp10', 'local _ = x:exp()', 'x', x10)
  statement('sum10', 'local _ = x:sum()', 'x', x10)
  statement('reshape', 'local _ = x:reshape(2, 5)', 'x', x10)
  statement('t', 'local _ = m:t()', 'm', function() return torch.randn(2, 5) end)
  statement('transpose', 'local _ = m:transpose(1, 2)', 'm', function() return torch.randn(2, 5) end)
  statement('index', 'local _ = m[2]', 'm', function() return torch.randn(2, 5) end)
  statement('slice', 'local _ = m[{ {}, {2, 3} }]', 'm', function() return torch.randn(2, 5) end)
  statement('assign', 'm[2] = 0.0', 'm', function() return torch.randn(2, 5) end)
  statement('item', 'local _ = s:item()', 's', function() return torch.tensor(0.5) end)
  statement('zeros10', 'local _ = torch.zeros(10)', '', function() end)
  statement('matmul8', 'local _ = a:matmul(b)', 'a, b', function() return torch.randn(8, 8), torch.randn(8, 8) end)
  statement('linear8', 'local _ = f(x)', 'f, x', function() return nn.Linear(8, 8), torch.randn(8, 8) end)
  statement('backward10', '(x * y):sum():backward()', 'x, y', function() return x10():requires_grad_(), x10() end)
  -- One link of a long chain of recorded operators: forward, backward and the release of the graph.
  add {
    name = 'overhead/chain', unit = 'ns/elem', work = 1000000, gpu_work = 20000,
    make = function(links)
      local x = torch.zeros(1):requires_grad_()
      return function()
        local y = x
        for _ = 1, links do y = y + 1 end
        y:backward()
      end
    end,
  }
  -- The same through a torch.autograd.Function, whose contexts Lua keeps.
  add {
    name = 'overhead/function_chain', unit = 'ns/elem', work = 100000, gpu_work = 20000,
    make = function(links)
      local Same = torch.autograd.Function('Same')
      function Same.forward(ctx, x) ctx:save_for_backward(x) return x:clone() end
      function Same.backward(_, dy) return dy end
      local x = torch.zeros(1):requires_grad_()
      return function()
        local y = x
        for _ = 1, links do y = Same.apply(y) end
        y:backward()
      end
    end,
  }
  statement('mlp_forward', 'local _ = model(x)', 'model, opt, x, y', mlp4, 'us/step')
  statement('mlp_step', 'opt:zero_grad() local loss = F.mse_loss(model(x), y) loss:backward() opt:step()', 'model, opt, x, y',
            mlp4, 'us/step')

  -- ---- kernels ------------------------------------------------------------------------------------------------------

  -- `f(inputs...)` without gradients.
  local function kernel(name, unit, work, make, f, gpu)
    add {
      name = name, unit = unit, work = work, gpu = gpu,
      make = function()
        local inputs = table.pack(make())
        return function()
          local _ <close> = torch.no_grad()
          f(table.unpack(inputs, 1, inputs.n))
        end
      end,
    }
  end
  -- `f(inputs...)` and backward to `leaves`, which are the inputs that want a gradient; `g`: the result's gradient, nil
  -- for a scalar loss, 'ones', or 'normal'.
  local function both(name, unit, work, make, f, g)
    add {
      name = name, unit = unit, work = work,
      make = function()
        local inputs = table.pack(make())
        local leaves = {}
        for i = 1, inputs.n do
          if inputs[i].requires_grad then leaves[#leaves + 1] = inputs[i] end
        end
        local y = f(table.unpack(inputs, 1, inputs.n))
        local gradient = g == 'ones' and torch.ones_like(y) or g == 'normal' and torch.randn_like(y) or nil
        return function()
          for _, leaf in ipairs(leaves) do leaf.grad = nil end
          f(table.unpack(inputs, 1, inputs.n)):backward(gradient)
        end
      end,
    }
  end
  local function normal(...)
    local shape = { ... }
    return function() return torch.randn(shape) end
  end
  local function leaf(...) return torch.randn({ ... }):requires_grad_() end

  for _, size in ipairs { { '64Ki', 64 * Ki }, { '1Mi', Mi }, { '16Mi', 16 * Mi } } do
    local label, n = size[1], size[2]
    local function elementwise(name, make, f) kernel('elementwise/' .. name .. '/' .. label, 'ns/elem', n, make, f) end
    elementwise('add', function() return torch.randn(n), torch.randn(n) end, function(x, y) return x + y end)
    elementwise('mul_scalar', normal(n), function(x) return x * 1.5 end)
    for _, name in ipairs { 'exp', 'tanh', 'sigmoid', 'relu' } do
      elementwise(name, normal(n), function(x) return x[name](x) end)
    end
    elementwise('gelu', normal(n), function(x) return F.gelu(x) end)
    elementwise('pow2.5', function() return torch.randn(n):abs() end, function(x) return x ^ 2.5 end)
    elementwise('dropout', normal(n), function(x) return F.dropout(x, 0.5) end)
    elementwise('to_bf16', normal(n), function(x) return x:to(torch.bfloat16) end)
    elementwise('where', function()
      local x = torch.randn(n)
      return x:gt(0), x, torch.randn(n)
    end, function(c, x, y) return torch.where(c, x, y) end)
    local side = math.tointeger(n ^ 0.5)
    elementwise('add_transposed', function() return torch.randn(side, side), torch.randn(side, side) end,
                function(x, y) return x:t() + y end)
    elementwise('add_row', function() return torch.randn(side, side), torch.randn(side) end, function(x, b) return x + b end)
    elementwise('add_out', function() return torch.randn(n), torch.randn(n), torch.empty(n) end,
                function(x, y, z) return torch.add(x, y, { out = z }) end)
    both('elementwise/gelu_fwdbwd/' .. label, 'ns/elem', n, function() return leaf(n) end, function(x) return F.gelu(x) end, 'normal')
  end

  local function reduce(name, f, ...) kernel('reduce/' .. name, 'ms', 1, normal(...), f) end
  reduce('sum_all', function(x) return x:sum() end, 4096, 4096)
  reduce('sum_dim0', function(x) return x:sum(1) end, 4096, 4096)
  reduce('sum_dim1', function(x) return x:sum(2) end, 4096, 4096)
  reduce('max_dim1', function(x) return x:max(2) end, 4096, 4096)
  reduce('argmax_dim1', function(x) return x:argmax(2) end, 4096, 4096)
  reduce('argmax_dim0', function(x) return x:argmax(1) end, 4096, 4096)
  reduce('var_dim1', function(x) return x:var(2) end, 4096, 4096)
  reduce('cumsum_dim1', function(x) return x:cumsum(2) end, 4096, 4096)
  reduce('topk10', function(x) return x:topk(10, 2) end, 4096, 1000)
  reduce('sort_1Mi', function(x) return x:sort() end, Mi)
  reduce('softmax', function(x) return x:softmax(2) end, 4096, 1000)
  reduce('log_softmax', function(x) return x:log_softmax(2) end, 4096, 1000)
  both('reduce/cross_entropy_fwdbwd', 'ms', 1, function() return leaf(4096, 1000), torch.randint(1, 1001, { 4096 }) end,
       function(x, y) return F.cross_entropy(x, y) end)

  local function layer_norm(x, w, b) return F.layer_norm(x, { 1024 }, w, b) end
  local function ln_inputs() return leaf(4096, 1024), torch.ones(1024):requires_grad_(), torch.zeros(1024):requires_grad_() end
  kernel('norm/layer_norm', 'ms', 1, ln_inputs, layer_norm)
  both('norm/layer_norm_fwdbwd', 'ms', 1, ln_inputs, layer_norm, 'normal')
  local function batch_norm(x, w, b, m, v) return F.batch_norm(x, m, v, w, b, true) end
  local function bn_inputs()
    return leaf(64, 64, 32, 32), torch.ones(64):requires_grad_(), torch.zeros(64):requires_grad_(), torch.zeros(64), torch.ones(64)
  end
  kernel('norm/batch_norm2d', 'ms', 1, bn_inputs, batch_norm)
  both('norm/batch_norm2d_fwdbwd', 'ms', 1, bn_inputs, batch_norm, 'normal')

  -- A recurrent layer over `steps` of `batch` inputs of its own size; leaves: the input and the parameters.
  local function recurrent(name, class, steps, batch, size)
    local function make()
      local m = nn[class](size, size):to(torch.get_default_device())
      return leaf(steps, batch, size), m
    end
    kernel('rnn/' .. name, 'ms', 1, make, function(x, m) return m(x) end)
    add {
      name = 'rnn/' .. name .. '_fwdbwd', unit = 'ms', work = 1,
      make = function()
        local x, m = make()
        local g = torch.randn(steps, batch, size)
        return function()
          x.grad = nil
          m:zero_grad()
          local y = m(x)
          y:backward(g)
        end
      end,
    }
  end
  for _, class in ipairs { 'LSTM', 'GRU' } do
    recurrent(class:lower(), class, 64, 32, 256)
    recurrent(class:lower() .. '_650', class, 35, 20, 650)
  end

  local function random(name, f) kernel('random/' .. name .. '_16Mi', 'ns/elem', 16 * Mi, normal(16 * Mi), f) end
  random('normal', function(x) return x:normal_() end)
  random('uniform', function(x) return x:uniform_() end)
  random('bernoulli', function(x) return x:bernoulli_(0.5) end)
  kernel('random/randn_1Ki', 'ns/elem', Ki, function() end, function() return torch.randn(Ki) end)
  kernel('random/randperm_1Mi', 'ns/elem', Mi, function() end, function() return torch.randperm(Mi) end)

  -- GFLOP/s: `work` in units of 10^9 operations
  local function product(name, n, dtype)
    kernel('matmul/' .. name .. '/' .. n, 'GFLOP/s', 2 * n ^ 3 / 1e9,
           function() return torch.randn(n, n):to(dtype), torch.randn(n, n):to(dtype) end,
           function(a, b) return a:matmul(b) end)
  end
  for _, n in ipairs { 64, 256, 512, 1024, 2048, 4096 } do product('sgemm', n, torch.float32) end
  for _, n in ipairs { 1024, 2048 } do product('bf16', n, torch.bfloat16) end
  kernel('matmul/batched', 'GFLOP/s', 2 * 64 * 128 * 64 * 128 / 1e9,
         function() return torch.randn(64, 128, 64), torch.randn(64, 64, 128) end, function(a, b) return a:matmul(b) end)
  both('matmul/linear_fwdbwd', 'GFLOP/s', 6 * 128 * 1024 * 1024 / 1e9,
       function() return leaf(128, 1024), leaf(1024, 1024), leaf(1024) end, F.linear, 'normal')

  local function conv(name, x, w, options, flops)
    local function inputs() return leaf(table.unpack(x)), (torch.randn(w) * 0.05):requires_grad_() end
    local function run(a, b) return F.conv2d(a, b, nil, options) end
    kernel('conv/' .. name, 'GFLOP/s', flops / 1e9, inputs, run)
    both('conv/' .. name .. '_fwdbwd', 'GFLOP/s', 3 * flops / 1e9, inputs, run, 'ones')
  end
  conv('3x3_64_56', { 32, 64, 56, 56 }, { 64, 64, 3, 3 }, { padding = 1 }, 2 * 32 * 64 * 56 * 56 * 64 * 9)
  conv('3x3_256_14', { 32, 256, 14, 14 }, { 256, 256, 3, 3 }, { padding = 1 }, 2 * 32 * 256 * 14 * 14 * 256 * 9)
  conv('1x1_256_64_56', { 32, 256, 56, 56 }, { 64, 256, 1, 1 }, nil, 2 * 32 * 64 * 56 * 56 * 256)
  conv('stem_7x7_224', { 32, 3, 224, 224 }, { 64, 3, 7, 7 }, { stride = 2, padding = 3 }, 2 * 32 * 64 * 112 * 112 * 3 * 49)
  conv('depthwise_3x3_128_56', { 32, 128, 56, 56 }, { 128, 1, 3, 3 }, { padding = 1, groups = 128 }, 2 * 32 * 128 * 56 * 56 * 9)

  local function max_pool(x) return F.max_pool2d(x, 3, { stride = 2, padding = 1 }) end
  kernel('pool/max_3x3s2_64_112', 'ms', 1, normal(32, 64, 112, 112), max_pool)
  both('pool/max_3x3s2_64_112_fwdbwd', 'ms', 1, function() return leaf(32, 64, 112, 112) end, max_pool, 'ones')
  local function avg_pool(x) return F.avg_pool2d(x, 2) end
  kernel('pool/avg_2x2_64_56', 'ms', 1, normal(32, 64, 56, 56), avg_pool)
  both('pool/avg_2x2_64_56_fwdbwd', 'ms', 1, function() return leaf(32, 64, 56, 56) end, avg_pool, 'ones')

  local function index(name, make, f) kernel('index/' .. name, 'ms', 1, make, f) end
  local function rows() return torch.randn(4096, 1024), torch.randint(1, 4097, { 4096 }) end
  index('gather_dim1', function() return torch.randn(4096, 1024), torch.randint(1, 1025, { 4096, 1024 }) end,
        function(x, i) return x:gather(2, i) end)
  index('index_select', rows, function(x, i) return x:index_select(1, i) end)
  index('masked_select', function()
    local x = torch.randn(4096, 1024)
    return x, x:gt(0)
  end, function(x, m) return x[m] end)
  index('transpose_copy_4096', normal(4096, 4096), function(x) return x:t():contiguous() end)
  both('index/embedding_fwdbwd', 'ms', 1, function() return leaf(50000, 256), torch.randint(1, 50001, { 4096 }) end,
       function(w, i) return F.embedding(i, w) end, 'normal')

  -- ---- attention ----------------------------------------------------------------------------------------------------

  local function qkv() return leaf(4, 8, 512, 64), leaf(4, 8, 512, 64), leaf(4, 8, 512, 64) end
  local function sdpa(q, k, v) return F.scaled_dot_product_attention(q, k, v, { is_causal = true }) end
  kernel('attention/sdpa_causal', 'ms', 1, qkv, sdpa)
  both('attention/sdpa_causal_fwdbwd', 'ms', 1, qkv, sdpa, 'normal')
  local layer
  both('attention/encoder_layer_fwdbwd', 'ms', 1, function()
    layer = nn.TransformerEncoderLayer(512, 8, { batch_first = true }):to(torch.get_default_device())
    return leaf(8, 128, 512), table.unpack(layer:parameters())
  end, function(x) return layer(x) end, 'normal')

  -- ---- optimizers ---------------------------------------------------------------------------------------------------

  -- The trunk of ResNet-18 with a 3x3 stem: convolutions, and weight and bias of each batch norm.
  local function trunk_shapes()
    local shapes = {}
    local function conv_bn(out, input, k)
      shapes[#shapes + 1] = { out, input, k, k }
      shapes[#shapes + 1] = { out }
      shapes[#shapes + 1] = { out }
    end
    conv_bn(64, 3, 3)
    local width = 64
    for _, out in ipairs { 64, 128, 256, 512 } do
      for block = 1, 2 do
        conv_bn(out, width, 3)
        conv_bn(out, out, 3)
        if block == 1 and out ~= width then conv_bn(out, width, 1) end
        width = out
      end
    end
    return shapes
  end
  local function parameters()
    local list = {}
    for i, shape in ipairs(trunk_shapes()) do
      list[i] = torch.randn(shape):requires_grad_()
      list[i].grad = torch.randn(shape) * 1e-3
    end
    return list
  end
  local function optimizer(name, make)
    add {
      name = 'optim/' .. name, unit = 'ms', work = 1,
      make = function()
        local opt = make(parameters())
        return function() opt:step() end
      end,
    }
  end
  optimizer('sgd_momentum', function(p) return optim.SGD(p, { lr = 1e-4, momentum = 0.9 }) end)
  optimizer('adam', function(p) return optim.Adam(p, { lr = 1e-4 }) end)
  optimizer('adamw', function(p) return optim.AdamW(p, { lr = 1e-4 }) end)
  add {
    name = 'optim/clip_grad_norm', unit = 'ms', work = 1,
    make = function()
      local list = parameters()
      return function() nn.utils.clip_grad_norm_(list, 1.0) end
    end,
  }

  -- ---- a large GPU's memory and tensor cores --------------------------------------------------------------------------

  -- float32 tensors of 256 MB; GB/s of what must be read and written, each once.
  local function memory(name, transfers, make, f)
    kernel('gpu/' .. name .. '_256MB', 'GB/s', transfers * 256 * Mi / 1e9, make, f, true)
  end
  local wide = normal(64 * Ki, Ki)
  memory('copy', 2, wide, function(x) return x:clone() end)
  memory('add', 3, function() return torch.randn(64 * Mi), torch.randn(64 * Mi) end, function(x, y) return x + y end)
  memory('gelu', 2, wide, function(x) return F.gelu(x) end)
  memory('softmax', 2, wide, function(x) return x:softmax(2) end)
  memory('layer_norm', 2, wide, function(x) return F.layer_norm(x, { Ki }) end)
  memory('sum', 1, wide, function(x) return x:sum() end)
  memory('adam', 7, function()
    local x = torch.randn(64 * Mi):requires_grad_()
    x.grad = torch.randn(64 * Mi)
    return optim.Adam({ x }, { lr = 1e-4 })
  end, function(opt) opt:step() end)
  kernel('gpu/bf16_8192', 'GFLOP/s', 2 * 8192 ^ 3 / 1e9, function()
    return torch.randn(8192, 8192):to(torch.bfloat16), torch.randn(8192, 8192):to(torch.bfloat16)
  end, function(a, b) return a:matmul(b) end, true)

  -- ---- train --------------------------------------------------------------------------------------------------------

  local function training(name, make, shape, make_optimizer)
    add {
      name = 'train/' .. name, unit = 'samples/s', work = shape[1], steps = true,
      make = function()
        local model = make():to(torch.get_default_device())
        local opt = make_optimizer(model:parameters())
        local x, y = torch.randn(shape), torch.randint(1, 11, { shape[1] })
        return function()
          opt:zero_grad()
          local loss = F.cross_entropy(model(x), y)
          loss:backward()
          opt:step()
        end
      end,
    }
  end
  local function mlp()
    return nn.Linear(784, 512) .. nn.ReLU() .. nn.Linear(512, 512) .. nn.ReLU() .. nn.Linear(512, 10)
  end
  local function lenet5()
    return nn.Conv2d(1, 6, 5, { padding = 2 }) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Conv2d(6, 16, 5) .. nn.ReLU()
      .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.Linear(400, 120) .. nn.ReLU() .. nn.Linear(120, 84) .. nn.ReLU()
      .. nn.Linear(84, 10)
  end
  local function conv_bn(input, out, k, stride)
    return nn.Conv2d(input, out, k, { stride = stride, padding = k // 2, bias = false }) .. nn.BatchNorm2d(out)
  end
  local Block = nn.class 'Block'
  function Block:init(input, out, stride)
    self.body = conv_bn(input, out, 3, stride) .. nn.ReLU() .. conv_bn(out, out, 3, 1)
    if stride ~= 1 or input ~= out then self.shortcut = conv_bn(input, out, 1, stride) end
  end
  function Block:forward(x) return F.relu(self.body(x) + (self.shortcut and self.shortcut(x) or x)) end
  local GlobalMean = nn.class 'GlobalMean'
  function GlobalMean:forward(x) return x:mean { 3, 4 } end
  local function resnet18()
    local model, width = conv_bn(3, 64, 3, 1) .. nn.ReLU(), 64
    for stage, out in ipairs { 64, 128, 256, 512 } do
      model = model .. Block(width, out, stage == 1 and 1 or 2) .. Block(out, out, 1)
      width = out
    end
    return model .. GlobalMean() .. nn.Linear(512, 10)
  end
  local function adam(p) return optim.Adam(p, { lr = 1e-3 }) end

  training('mlp', mlp, { 128, 784 }, adam)
  training('mlp_b8', mlp, { 8, 784 }, adam)
  training('lenet5', lenet5, { 128, 1, 28, 28 }, function(p) return optim.SGD(p, { lr = 0.01, momentum = 0.9 }) end)
  training('resnet18_cifar', resnet18, { 64, 3, 32, 32 },
           function(p) return optim.SGD(p, { lr = 0.1, momentum = 0.9, weight_decay = 5e-4 }) end)
end
