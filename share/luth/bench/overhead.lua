-- Small calls: what a statement costs beside its arithmetic.
return function(add)
  local function statement(name, code, names, operands, unit)
    add { name = 'overhead/' .. name, unit = unit or 'ns/op', work = 1, statement = code, names = names, operands = operands }
  end
  local function x10() return torch.randn(10) end
  local function m25() return torch.randn(2, 5) end
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
  statement('t', 'local _ = m:t()', 'm', m25)
  statement('transpose', 'local _ = m:transpose(1, 2)', 'm', m25)
  statement('index', 'local _ = m[2]', 'm', m25)
  statement('slice', 'local _ = m[{ {}, {2, 3} }]', 'm', m25)
  statement('assign', 'm[2] = 0.0', 'm', m25)
  statement('item', 'local _ = s:item()', 's', function() return torch.tensor(0.5) end)
  statement('zeros10', 'local _ = torch.zeros(10)', '', function() end)
  statement('matmul8', 'local _ = a:matmul(b)', 'a, b', function() return torch.randn(8, 8), torch.randn(8, 8) end)
  statement('linear8', 'local _ = f(x)', 'f, x', function()
    return nn.Linear(8, 8):to(torch.get_default_device()), torch.randn(8, 8)
  end)
  statement('backward10', '(x * y):sum():backward()', 'x, y', function() return x10():requires_grad_(), x10() end)
  statement('mlp_forward', 'local _ = model(x)', 'model, opt, x, y', mlp4, 'us/step')
  statement('mlp_step', 'opt:zero_grad() local loss = F.mse_loss(model(x), y) loss:backward() opt:step()', 'model, opt, x, y',
            mlp4, 'us/step')

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
end
