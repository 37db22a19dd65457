-- Steps of optimizers over the trunk of ResNet-18. luth has one implementation, which answers for the peer's default one and
-- for its fused one.
local trunk = require 'luth.bench.trunk'

return function(add)
  -- `words`: how many floats a step reads and writes for each parameter
  local function put(name, words, make)
    add { name = 'optim/' .. name, unit = 'ms', work = 1, bytes = 4 * words * trunk.elements, make = make }
  end
  local function optimizer(name, words, class, settings)
    for _, suffix in ipairs { '', '_fused' } do
      put(name .. suffix, words, function()
        local opt = optim[class](trunk.parameters(), settings)
        return function() opt:step() end
      end)
    end
  end
  optimizer('sgd_momentum', 5, 'SGD', { lr = 1e-4, momentum = 0.9 })
  optimizer('adam', 7, 'Adam', { lr = 1e-4 })
  optimizer('adamw', 7, 'AdamW', { lr = 1e-4 })
  put('clip_grad_norm', 3, function()
    local list = trunk.parameters()
    return function() nn.utils.clip_grad_norm_(list, 1.0) end
  end)
  put('zero_grad_in_place', 1, function()
    local opt = optim.SGD(trunk.parameters(), { lr = 0.1 })
    return function() opt:zero_grad(false) end
  end)
end
