-- Backwards and finalizers that meet what is being used, or has gone.
local t, s = torch.Tester(), torch.TestSuite()
local checkpoint = torch.utils.checkpoint.checkpoint

function s.a_hook_that_frees_its_own_node()
  local w = torch.ones(3, {requires_grad = true})
  local y = w:exp()
  local z, once = y:sum(), nil
  y:register_hook(function()
    if not once then
      once = true
      z:backward()
    end
  end)
  t:fails(function() z:backward() end, 'freed by an earlier backward')
end

function s.a_checkpoint_whose_node_is_freed_while_it_runs_again()
  local w = torch.ones(3, {requires_grad = true})
  local second, runs = nil, 0
  local a = checkpoint(function(x)
    runs = runs + 1
    local y = (x * 2):sin()
    if runs == 2 then second:backward() end
    return y
  end, w)
  local first = a:sum()
  second = (a * 3):sum()
  t:fails(function() first:backward() end, 'freed by an earlier backward')
end

function s.finalizers_meet_what_was_collected()
  local said
  local function cycle()
    local o = setmetatable({}, {__gc = function(o) said = select(2, pcall(function() return o.g:seed() end)) end})
    o.g = torch.Generator()
  end
  cycle()
  collectgarbage()
  collectgarbage()
  t:assert(tostring(said):find('has been collected', 1, true) or math.type(said), tostring(said))
end

-- At the end of the program: made before anything that refers to Lua, so that it runs after them.
local last = setmetatable({}, {__gc = function()
  collectgarbage()
  local x = torch.ones(2, {requires_grad = true})
  x:register_hook(print)
end})
do
  local y = torch.ones(2, {requires_grad = true})
  y:register_hook(print)
end

function s.tensors_without_elements_can_be_written()
  t:eq(torch.zeros(1, 0):expand(3, 0):add_(1):size():tolist(), {3, 0})
  local w = torch.randn(2, 0, 3):requires_grad_()
  local x, rows = w * 2, {torch.tensor {1, 2}}
  local y = x[rows]
  x[rows] = y * 3
  x:sum():backward()
  t:eq(w.grad:size():tolist(), {2, 0, 3})
end

t:add(s)
t:run()
assert(last)
