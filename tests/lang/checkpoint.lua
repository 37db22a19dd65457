-- torch.utils.checkpoint: parts of the forward that backward computes again.
local t, s = torch.Tester(), torch.TestSuite()
local checkpoint = torch.utils.checkpoint.checkpoint

-- Gradients of inputs and parameters by plain and by checkpointed calls.
local function gradients(call, f, inputs, parameters)
  local leaves = {}
  for i, x in ipairs(inputs) do leaves[i] = x:detach():clone():requires_grad_() end
  for _, p in ipairs(parameters) do leaves[#leaves + 1] = p end
  torch.manual_seed(5)
  local y = call(f, table.unpack(leaves, 1, #inputs))
  return { torch.autograd.grad((y * y):sum(), leaves) }
end
local function plain(f, ...) return f(...) end

local function same(f, inputs, parameters)
  local want, got = gradients(plain, f, inputs, parameters), gradients(checkpoint, f, inputs, parameters)
  for i = 1, #want do t:assert(torch.equal(want[i], got[i]), 'gradient ' .. i) end
end

function s.equals_the_plain_call()
  local net = nn.Linear(4, 8) .. nn.Tanh() .. nn.Linear(8, 4) .. nn.Dropout(0.5)
  same(net, {torch.randn(3, 4)}, net:parameters())
  same(function(a, b) return (a * b):tanh():exp() * a:sigmoid() end, {torch.randn(5), torch.randn(5)}, {})
  same(function(x)
    local y = net(x)
    return checkpoint(function(z) return checkpoint(net, z:tanh()) * z end, y) + y
  end, {torch.randn(3, 4)}, net:parameters())
end

function s.runs_again_once()
  local runs = 0
  local f = function(x)
    runs = runs + 1
    return x:exp():exp():tanh()
  end
  local x = torch.rand(3, {requires_grad = true})
  checkpoint(f, x):sum():backward()
  t:eq(runs, 2)
  torch.no_grad(checkpoint, f, x)
  t:eq(runs, 3)
  t:eq(torch.utils.checkpoint(f, x):requires_grad_() ~= nil, true)
end

function s.random_state()
  local x = torch.ones(1000, {requires_grad = true})
  local f = function(v) return F.dropout(v, 0.5):exp() end
  local y = checkpoint(f, x)
  local state = torch.get_rng_state()
  y:sum():backward()
  t:assert(torch.equal(torch.get_rng_state(), state))
  t:assert(torch.equal(x.grad:eq(0), y:detach():eq(1)))
end

function s.higher_orders()
  local x = torch.rand(4, {dtype = torch.float64, requires_grad = true})
  local f = function(a) return checkpoint(function(v) return (v * 2):exp() * v:sin() end, a) end
  t:assert(torch.autograd.gradcheck(f, {x}))
  t:assert(torch.autograd.gradgradcheck(f, {x}))
  local deeper = function(a) return checkpoint(function(v) return v:tanh() * v end, a * a) end
  t:assert(torch.autograd.gradgradcheck(deeper, {x}))
end

function s.saves_memory()
  local function peak(call)
    local x = torch.ones(100000, {requires_grad = true})
    local f = function(v)
      for _ = 1, 5 do v = v:tanh() end
      return v
    end
    local y = x
    collectgarbage()
    torch.reset_peak_memory_stats()
    local before = torch.memory_stats().allocated
    for _ = 1, 8 do y = call(f, y) end
    collectgarbage()
    local kept = torch.memory_stats().allocated - before
    y:sum():backward()
    return kept
  end
  local with, without = peak(checkpoint), peak(plain)
  t:assert(with < without / 3, with .. ' and ' .. without)
end

function s.sequential()
  local net = nn.Linear(4, 8) .. nn.Tanh() .. nn.Linear(8, 8) .. nn.Tanh() .. nn.Linear(8, 4)
  local x = torch.randn(3, 4)
  local want = gradients(plain, net, {x}, net:parameters())
  for segments = 1, 5 do
    local got = gradients(function(f, v) return torch.utils.checkpoint.checkpoint_sequential(f, segments, v) end, net, {x}, net:parameters())
    for i = 1, #want do t:assert(torch.equal(want[i], got[i])) end
  end
  t:fails(function() torch.utils.checkpoint.checkpoint_sequential(net, 6, x) end, 'segments')
end

function s.functions_with_several_results_and_settings()
  local a = torch.rand(3, {requires_grad = true})
  local p, q, word = checkpoint(function(x, o) return x * o.k, x:exp(), 'w' end, a, {k = 2}, {use_reentrant = false, preserve_rng_state = false})
  t:eq(word, 'w');
  (p + q):sum():backward()
  t:eq(a.grad, a:detach():exp() + 2, 1e-6)
end

function s.help_shows_how_it_is_called()
  local print_, text = print, nil
  print = function(v) text = v end
  help(torch.utils.checkpoint)
  print = print_
  t:assert(text:find('torch.utils.checkpoint(f, ..., {preserve_rng_state = true})', 1, true), text)
  t:assert(text:find('checkpoint_sequential', 1, true), text)
end

function s.functions_that_change()
  local x = torch.rand(3, {requires_grad = true})
  local runs = 0
  local function f(v)
    runs = runs + 1
    return runs % 2 == 1 and v:exp():tanh() or v:exp()
  end
  t:fails(function() checkpoint(f, x):sum():backward() end, 'checkpoint')
  t:fails(function() checkpoint(3, x) end, 'function')
  t:eq(torch.is_grad_enabled(), true)
  local y = x * 1
  t:fails(function()
    checkpoint(function(v)
      local w = v:exp()
      w:add_(1)
      return w
    end, y):sum():backward()
  end, 'overwritten')
end

t:add(s):run()
