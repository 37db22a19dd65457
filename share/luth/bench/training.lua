-- Training steps, inference of one sample, forward and backward of large convolutional networks (cnn16), and the networks of
-- dlbench. One step: gradients dropped, forward, cross entropy, backward, the optimizer, on one fixed batch on the device.
local groups = require 'luth.bench.groups'
local models = require 'luth.bench.models'

local function on_device(model) return model:to(torch.get_default_device()) end

-- Batches: images with one of 10 labels, text with the next of `vocabulary` tokens.
local function images(...)
  local shape = { ... }
  return function() return torch.randn(shape), torch.randint(1, 11, { shape[1] }) end
end
local function text(vocabulary, batch, steps)
  local function tokens() return torch.randint(1, vocabulary + 1, { batch, steps }) end
  return function() return tokens(), tokens() end
end

local function training(add, name, unit, work, model, batch, optimizer, settings, more)
  more = more or {}
  add(groups.with({
    name = name, unit = unit, work = work, steps = true,
    make = function()
      local net = on_device(models[model]())
      local parameters = net:parameters()
      local opt = optim[optimizer](parameters, settings)
      local x, y = batch()
      local labels = y:flatten()
      local bf16 = { dtype = torch.bfloat16, enabled = more.bf16 or false }
      local function loss_of()
        local _ <close> = torch.autocast(x.device.type, bf16)
        local z = net(x)
        return F.cross_entropy(z:view(-1, z:size(-1)), labels)
      end
      return function()
        opt:zero_grad()
        loss_of():backward()
        if more.clip then nn.utils.clip_grad_norm_(parameters, more.clip) end
        opt:step()
      end
    end,
  }, more))
end

local function inference(add, name, ...)
  local shape = { ... }
  add(groups.kernel('infer/' .. name .. '_b1', 'us/step', 1,
                    function() return on_device(models[name]()):eval(), torch.randn(shape) end,
                    function(net, x) return net(x) end, { steps = true }))
end

-- 16 images of 3 x 224 x 224, as in jcjohnson's cnn-benchmarks: forward, then backward to the parameters and the images, from
-- normal gradients of the logits.
local function cnn16(add, name)
  add(groups.both('cnn16/' .. name, 'ms', 1, function()
    return groups.leaf(16, 3, 224, 224), on_device(require('models')[name]())
  end, function(x, net) return net(x) end, 'normal', { slow = true, steps = true }))
end

return function(add)
  training(add, 'train/mlp', 'samples/s', 128, 'mlp', images(128, 784), 'Adam', { lr = 1e-3 })
  training(add, 'train/mlp_b8', 'samples/s', 8, 'mlp', images(8, 784), 'Adam', { lr = 1e-3 })
  training(add, 'train/lenet5', 'samples/s', 128, 'lenet5', images(128, 1, 28, 28), 'SGD', { lr = 0.01, momentum = 0.9 })
  training(add, 'train/char_lstm', 'tokens/s', 32 * 64, 'char_lstm', text(65, 32, 64), 'Adam', { lr = 2e-3 })
  for _, bf16 in ipairs { false, true } do
    local suffix = bf16 and '_bf16' or ''
    training(add, 'train/resnet18_cifar' .. suffix, 'samples/s', 64, 'resnet18_cifar', images(64, 3, 32, 32), 'SGD',
             { lr = 0.1, momentum = 0.9, weight_decay = 5e-4 }, { at_least = 3, bf16 = bf16 })
    training(add, 'train/char_gpt' .. suffix, 'tokens/s', 16 * 128, 'char_gpt', text(65, 16, 128), 'AdamW',
             { lr = 3e-4, betas = { 0.9, 0.95 }, weight_decay = 0.1 }, { bf16 = bf16 })
  end
  inference(add, 'mlp', 1, 784)
  inference(add, 'lenet5', 1, 1, 28, 28)
  inference(add, 'resnet18_cifar', 1, 3, 32, 32)
  for _, name in ipairs { 'alexnet', 'vgg16', 'vgg19', 'resnet18', 'resnet34', 'resnet50', 'resnet101', 'resnet152' } do
    cnn16(add, name)
  end
  -- the settings of dlbench's Torch7 scripts for one device
  local few, settings = { at_least = 3 }, { momentum = 0.9, weight_decay = 1e-4 }
  training(add, 'dlbench/fcn5_mnist', 'samples/s', 4096, 'fcn5', images(4096, 1, 28, 28), 'SGD',
           groups.with({ lr = 0.05 }, settings), few)
  training(add, 'dlbench/alexnet_cifar10', 'samples/s', 1024, 'alexnet_cifar', images(1024, 3, 32, 32), 'SGD',
           groups.with({ lr = 0.01 }, settings), few)
  training(add, 'dlbench/resnet56_cifar10', 'samples/s', 128, 'resnet56_cifar', images(128, 3, 32, 32), 'SGD',
           groups.with({ lr = 0.01 }, settings), few)
  training(add, 'dlbench/lstm_ptb', 'tokens/s', 128 * 32, 'lstm_words', text(10000, 128, 32), 'SGD', { lr = 0.1 },
           { at_least = 3, clip = 5 })
end
