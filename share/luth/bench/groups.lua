-- What the groups of workloads share: how a workload is made of a name, inputs and a function. `add` takes each as a table:
-- name, unit, work per call (for rates), bytes that a call must at least read and write (for GB/s), and one of
--   statement, names, operands   a line of Lua, its local operands and the function that makes them
--   make                         makes the inputs and returns the function to time; it is given `work`
--   runs                         measures itself: returns a list of seconds, and further fields of its line
-- at_least: samples where 7 take too long. slow: a call takes many seconds, so it is warmed up once and sampled twice.
-- gpu_work: work per call on a GPU, where it is another. steps: a call waits for the device at its end, as a training
-- step that is timed by the clock. gpu: too large for a CPU, so left out there; cpu: says nothing about a GPU, left out there.
-- Tensors are made on the default device, which the benchmark has set.
local M = {}
M.Ki, M.Mi = 1024, 1024 * 1024

function M.normal(...)
  local shape = { ... }
  return function() return torch.randn(shape) end
end
function M.leaf(...) return torch.randn({ ... }):requires_grad_() end

-- A workload of `f(inputs…)` without gradients. `more`: further fields.
function M.kernel(name, unit, work, make, f, more)
  local function build()
    local inputs = table.pack(make())
    return function()
      local _ <close> = torch.no_grad()
      f(table.unpack(inputs, 1, inputs.n))
    end
  end
  return M.with({ name = name, unit = unit, work = work, make = build }, more)
end

-- `f()` and backward to the leaves, whose gradients are dropped before. g: the result's gradient; nil for a scalar loss.
function M.pass(f, leaves, g)
  return function()
    for _, leaf in ipairs(leaves) do leaf.grad = nil end
    f():backward(g)
  end
end

-- A workload of `f(inputs…)` and backward to the inputs that want a gradient, and to the parameters of those that are
-- modules. `g`: the result's gradient, nil for a scalar loss, 'ones', or 'normal'.
function M.both(name, unit, work, make, f, g, more)
  local function build()
    local inputs, leaves = table.pack(make()), {}
    for i = 1, inputs.n do
      local input = inputs[i]
      if not torch.is_tensor(input) then
        table.move(input:parameters(), 1, #input:parameters(), #leaves + 1, leaves)
      elseif input.requires_grad then
        leaves[#leaves + 1] = input
      end
    end
    local function run()
      local y = f(table.unpack(inputs, 1, inputs.n))
      return y
    end
    local y = g and run()
    return M.pass(run, leaves, g == 'ones' and torch.ones_like(y) or g == 'normal' and torch.randn_like(y) or nil)
  end
  return M.with({ name = name, unit = unit, work = work, make = build }, more)
end

-- The statement inline in a loop over its operands: a function of how often.
function M.loop_of(w)
  local source = string.format('local %s = ... return function(n) for _ = 1, n do %s end end',
                               w.names ~= '' and w.names or '_', w.statement)
  return assert(load(source, '=' .. w.name))(w.operands())
end

function M.with(workload, more)
  for key, value in pairs(more or {}) do workload[key] = value end
  return workload
end

return M
