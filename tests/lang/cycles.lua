-- Cycles between Lua values and objects of C++ are collected, and nothing that is still in use is.
local t, s = torch.Tester(), torch.TestSuite()

local function allocated()
  collectgarbage() collectgarbage()
  return torch.memory_stats().allocated
end
-- Runs make() several times: at most as much memory as one of them takes may stay.
local function leaves_nothing(make)
  make()
  local before = allocated()
  for _ = 1, 5 do make() end
  t:le(allocated() - before, 0)
end
local function big() return torch.zeros(1000, 100) end

-- ---- modules ----

local Net = nn.class('Net')
function Net:init() self.fc = nn.Linear(1000, 100) end
function Net:forward(x) return self.fc(x) end

function s.module_and_closure()
  leaves_nothing(function()
    local net = Net()
    net.act = function(x) return net.fc(x) end
  end)
end
function s.module_and_table()
  leaves_nothing(function()
    local net = Net()
    net.helper = {run = function() return net end}
  end)
end
function s.child_and_parent()
  leaves_nothing(function()
    local net = Net()
    net.fc.parent = {net}
  end)
  leaves_nothing(function()
    local seq = nn.Sequential(nn.Linear(1000, 100), Net())
    seq[1].above, seq[2].above, seq[2].fc.top = {seq}, {seq}, {seq}
    seq.list = {seq[1], seq[2]}
  end)
  leaves_nothing(function()
    local list = nn.ModuleList {}
    list:append(Net())
    list[1].back = {list}
    list:insert(1, Net()):extend({Net(), Net()})
    for i = 1, #list do list[i].back = {list} end
  end)
end
function s.derived_module()
  local Wide = nn.class('Wide', nn.Linear)
  function Wide:init() nn.Linear.init(self, 1000, 100) self.me = {self} end
  leaves_nothing(function() return Wide() and nil end)
end
function s.class_and_instance()
  leaves_nothing(function()
    local C = nn.class('C')
    local it
    function C:init() self.fc = nn.Linear(1000, 100) end
    function C.other() return it end
    it = C()
  end)
end
function s.module_hooks()
  leaves_nothing(function()
    local net = Net()
    net:register_forward_hook(function() return net and nil end)
    net.fc:register_forward_pre_hook(function() return net and nil end)
    net(torch.zeros(1, 1000))
  end)
end
function s.clones()
  leaves_nothing(function()
    local net = Net()
    net.fc.parent = {net}
    net:register_forward_hook(function() return net and nil end)
    local copy = net:clone()
    copy.me = {copy}
  end)
end
function s.removed_child()
  leaves_nothing(function()
    local net = Net()
    local fc = net.fc
    fc.parent = {net}
    net.fc = nil
    net.other, net.kept = nn.Linear(1000, 100), big()
    net.other.parent = {net}
    net.other = nn.Identity()
  end)
end

function s.fields_live_with_the_parent()
  local function field_of(make, get)
    local root = make()
    collectgarbage() collectgarbage()
    t:eq(get(root).note, 'kept')
    t:eq(#get(root).list, 2)
    get(root).list[3] = 3
    collectgarbage() collectgarbage()
    t:eq(#get(root).list, 3)
  end
  local function noted(m) m.note, m.list = 'kept', {1, 2} return m end
  for _, new in ipairs {Net, function() return nn.Linear(2, 2) end} do
    field_of(function() return nn.Sequential(nn.ReLU(), noted(new())) end, function(m) return m[2] end)
    field_of(function() return nn.Sequential(nn.Sequential(noted(new()))) end, function(m) return m[1][1] end)
    field_of(function() return nn.ReLU() .. noted(new()) .. nn.ReLU() end, function(m) return m[2] end)
    field_of(function() return nn.ModuleList {}:append(noted(new())) end, function(m) return m[1] end)
    field_of(function() return nn.ModuleList {noted(new())}:insert(1, nn.ReLU()) end, function(m) return m[2] end)
    field_of(function() return nn.ModuleList {nn.ReLU()}:extend {noted(new())} end, function(m) return m[2] end)
    field_of(function() return nn.ModuleDict {a = noted(new())} end, function(m) return m.a end)
    field_of(function() local m = Net() m.part = noted(new()) return m end, function(m) return m.part end)
    field_of(function() local m = Net() m:add_module('part', noted(new())) return m end, function(m) return m.part end)
    field_of(function()
      local m = nn.Sequential(nn.ReLU(), nn.ReLU(), noted(new()))
      m:remove(1)
      return m
    end, function(m) return m[2] end)
    field_of(function()
      local m = nn.Sequential(nn.ReLU())
      m[1] = noted(new())
      return m
    end, function(m) return m[1] end)
    field_of(function() return nn.Sequential(noted(new())):clone() end, function(m) return m[1] end)
  end
  local Deep = nn.class('Deep', nn.Sequential)
  function Deep:init() nn.Sequential.init(self, noted(Net()), nn.ReLU()) end
  field_of(Deep, function(m) return m[1] end)
  local made = nn.Sequential(nn.Linear(2, 2)):clone()  -- a child that Lua has not seen
  noted(made[1])
  field_of(function() return made end, function(m) return m[1] end)
  local lazy = setmetatable({}, {__len = function() return 3 end, __index = function()
    local m = noted(Net())
    collectgarbage()
    return m
  end})
  field_of(function() return nn.ModuleList(lazy) end, function(m) return m[1] end)
end
function s.calls_from_cpp_find_the_fields()
  local Add = nn.class('Add')
  function Add:init(n) self.n = {n} end
  function Add:forward(x) return x + self.n[1] end
  local seq = nn.Sequential(Add(1), nn.Sequential(Add(2)))
  collectgarbage() collectgarbage()
  t:eq(seq(torch.zeros(1)):item(), 3.)
  local copy = seq:clone()
  seq = nil
  collectgarbage() collectgarbage()
  t:eq(copy(torch.zeros(1)):item(), 3.)
end
function s.hooks_live_with_the_module()
  local n = 0
  local seq = nn.Sequential(nn.ReLU())
  local handle = seq[1]:register_forward_hook(function() n = n + 1 end)
  collectgarbage() collectgarbage()
  seq(torch.zeros(1))
  t:eq(n, 1)
  local copy = seq:clone()
  handle:remove()
  seq(torch.zeros(1))
  t:eq(n, 1)
  seq, handle = nil, nil
  collectgarbage() collectgarbage()
  copy(torch.zeros(1))
  t:eq(n, 2)
end

-- ---- data ----

local function dataset()
  local D = data.class('D')
  function D:init() self.x = big() end
  function D:len() return 4 end
  function D:get(i) return self.x[i], i end
  return D()
end
local function plain() return setmetatable({get = function(_, i) return i end, x = big()}, {__len = function() return 3 end}) end

function s.dataset_and_its_loader()
  for _, make in ipairs {dataset, plain} do
    leaves_nothing(function()
      local d = make()
      d.l = data.DataLoader(d, {batch_size = 2})
      for _ in d.l do end
      for _ in d.l do break end
      d.it = d.l:batches()
      d.it()
    end)
    leaves_nothing(function()
      local d = make()
      d.parts = {data.Subset(d, {1, 2}), data.ConcatDataset {d, d}, data.random_split(d, {1, #d - 1})}
      d.l = data.DataLoader(d.parts[2], {})
      for _ in d.l do end
    end)
  end
end
function s.loader_functions()
  for _, name in ipairs {'collate_fn', 'sampler', 'batch_sampler'} do
    leaves_nothing(function()
      local l
      local gives = {collate_fn = {1}, sampler = {1, 2}, batch_sampler = {{1}, {2}}}
      l = data.DataLoader(data.TensorDataset(big()), {[name] = function() return l and gives[name] end})
      for _ in l do break end
    end)
  end
end
function s.datasets_live_with_their_holders()
  local function check(make, n)
    local l = make()
    collectgarbage() collectgarbage()
    local seen = 0
    for _ in l do seen = seen + 1 collectgarbage() end
    t:eq(seen, n)
    local next_batch = make():batches()
    collectgarbage() collectgarbage()
    t:ne(next_batch(), nil)
  end
  check(function() return data.DataLoader(dataset(), {}) end, 4)
  check(function() return data.DataLoader(data.Subset(dataset(), {4, 1}), {num_workers = 2}) end, 2)
  check(function() return data.DataLoader(data.ConcatDataset {dataset(), plain()}, {collate_fn = function(b) return b end}) end, 7)
  check(function() return data.DataLoader((data.random_split(dataset(), {3, 1})), {sampler = function() return {1, 2} end}) end, 2)
  t:eq(data.DataLoader(dataset(), {}).dataset.x:size(1), 1000)
end

-- ---- schedules ----

function s.schedule_and_function()
  for _, class in ipairs {'LambdaLR', 'MultiplicativeLR'} do
    leaves_nothing(function()
      local o = optim.SGD({nn.Parameter(big())}, {lr = 1})
      local sched
      sched = optim.lr_scheduler[class](o, function() local _ = sched return 1 end)
      sched:step()
    end)
  end
  leaves_nothing(function()
    local o = optim.SGD({nn.Parameter(big())}, {lr = 1})
    local all
    local function f() local _ = all return 1 end
    local parts = {optim.lr_scheduler.LambdaLR(o, {f}), optim.lr_scheduler.LambdaLR {lr_lambda = f}}
    all = optim.lr_scheduler.SequentialLR(o, {schedulers = parts, milestones = {1}})
    all:step() all:step()
  end)
end
function s.functions_live_with_the_schedule()
  local o = optim.SGD({nn.Parameter(torch.zeros(1))}, {lr = 1})
  local L = optim.lr_scheduler
  local function lambda(k) return L.LambdaLR(o, function(e) return k + e end) end
  local sched = L.SequentialLR(o, {schedulers = {lambda(1), lambda(10)}, milestones = {2}})
  local chained = L.ChainedScheduler(o, {schedulers = {L.LambdaLR(o, {function(e) return 1 + e end})}})
  collectgarbage() collectgarbage()
  for _ = 1, 3 do sched:step() chained:step() end
  t:eq(sched:get_last_lr()[1], 11.)
  t:eq(#chained:get_last_lr(), 1)
  t:eq(L.MultiplicativeLR(o, function() return 0.5 end):get_last_lr()[1], o.param_groups[1].lr)
end

-- ---- hooks of tensors ----

local function leaf() return torch.zeros(1000, 100, {requires_grad = true}) end

function s.hook_of_a_leaf()
  leaves_nothing(function()
    local x = leaf()
    x:register_hook(function(g) return g * x end)
    local handle
    handle = x:register_hook(function() return handle and nil end)
    x:sum():backward()
  end)
end
function s.hook_of_a_result()
  leaves_nothing(function()  -- used
    local x = leaf()
    local y = x * 2
    y:register_hook(function(g) return g * y end)
    y:sum():backward()
  end)
  leaves_nothing(function()  -- never used
    local y = leaf() * 2
    y:register_hook(function(g) return g * y end)
  end)
  leaves_nothing(function()  -- by grad
    local x = leaf()
    local y = x * 2
    y:register_hook(function(g) return g * y end)
    torch.autograd.grad(y:sum(), x)
  end)
end
function s.hook_of_a_node()
  leaves_nothing(function()  -- by what the function captures
    local y = leaf() * 2
    y.grad_fn:register_hook(function() return y and nil end)
    local z = (y * 3):exp()
    z.grad_fn:register_prehook(function() return z and nil end)
  end)
  leaves_nothing(function()  -- by the node
    local node = (leaf():exp() * 2).grad_fn
    node:register_hook(function() return node and nil end)
  end)
  leaves_nothing(function()  -- through fields of a module
    local net = Net()
    net.y = net(torch.zeros(2, 1000)):relu()
    net.y.grad_fn.next_functions[1][1]:register_hook(function() return net and nil end)
  end)
end
function s.hooks_of_nodes_in_use_stay()
  local n = 0
  local function make()
    local x = leaf()
    local y = x:exp()
    y.grad_fn:register_hook(function() local _ = y n = n + 1 end)
    return x, y * 2
  end
  local x, z = make()
  collectgarbage() collectgarbage()
  z:sum():backward()
  t:eq(n, 1)
  local w, u = make()
  u = u[1]
  collectgarbage() collectgarbage()
  u:sum():backward()
  t:eq(n, 2)
  local v, node = make()
  node = node.grad_fn.next_functions[1][1]
  collectgarbage() collectgarbage()
  t:ne(node.next_functions[1][1].variable, nil)
  t:eq(rawequal(x, w), rawequal(w, v))
end
function s.hook_of_a_parameter()
  leaves_nothing(function()
    local net = Net()
    net.fc.weight:register_hook(function(g) net.norm = g:norm() end)
    net(torch.ones(1, 1000)):sum():backward()
    t:ne(net.norm, nil)
  end)
end
-- They take no memory of a device that is worth a collection: their number asks for one.
function s.hook_of_a_parameter_and_its_optimizer()
  for _, kind in ipairs {'SGD', 'Adam', 'LBFGS'} do
    leaves_nothing(function()
      local net = nn.Linear(1000, 100)
      local o = optim[kind](net:parameters(), {lr = 0.1})
      local schedule = optim.lr_scheduler.StepLR(o, 2)
      for _, p in ipairs(net:parameters()) do
        p:register_post_accumulate_grad_hook(function() assert(o and net and schedule) end)
      end
      local function loss()
        o:zero_grad()
        local y = net(torch.ones(1, 1000)):sum()
        y:backward()
        return y
      end
      o:step(loss)
      collectgarbage()  -- a collection frees the other userdata of the parameters, and only a later one the cycle
    end)
  end
  local calls, o = 0
  do
    local net = nn.Linear(2, 2)
    o = optim.Adam(net:parameters(), {lr = 0.1})
    net.weight:register_hook(function() calls = calls + (o and 1) end)
  end
  collectgarbage() collectgarbage()
  o.param_groups[1].params[1]:sum():backward()
  t:eq(calls, 1)
  local group = optim.SGD({o.param_groups[1].params[1]}, {lr = 0.1}).param_groups[1]
  o = false
  collectgarbage() collectgarbage()
  t:fails(function() group.params[1]:sum():backward() end, 'arithmetic on a boolean')
end
function s.many_small_hooks_go_by_themselves()
  collectgarbage()
  local first, made = setmetatable({}, {__mode = 'k'}), 0
  repeat
    local x, marker = torch.ones(1, {requires_grad = true}), {}
    made = made + 1
    if made == 1 then first[marker] = true end
    x:register_hook(function() return x and marker and nil end)
  until not next(first) or made == 300000
  t:eq(next(first), nil)
end
function s.hooks_in_use_stay()
  local n = 0
  local function count() n = n + 1 end
  local function backward(y)
    collectgarbage() collectgarbage()
    y:sum():backward()
    collectgarbage() collectgarbage()
  end
  local function of_leaf()
    local x = leaf()
    x:register_hook(function() local _ = x count() end)
    return x * 2
  end
  backward(of_leaf())
  t:eq(n, 1)
  local function of_result()
    local y = leaf() * 2
    y:register_hook(function() local _ = y count() end)
    return y + 1
  end
  backward(of_result())
  t:eq(n, 2)
  local x = leaf()
  x:register_hook(count)
  for _ = 1, 3 do backward(x * 2) end
  t:eq(n, 5)
  local function of_view()
    local z = leaf()
    z:register_hook(function() local _ = z count() end)
    return z[1]
  end
  backward(of_view())
  t:eq(n, 6)
  local net = nn.Sequential(nn.Linear(3, 3))
  net[1].weight:register_hook(function() local _ = net count() end)
  for _ = 1, 2 do backward(net(torch.ones(1, 3))) end
  t:eq(n, 8)
  local parameters = net:parameters()  -- holders beside the module: the userdata here, the optimizer
  local opt = optim.SGD(parameters, {lr = 1})
  net, parameters = nil, nil
  collectgarbage() collectgarbage()
  backward(opt.param_groups[1].params[1])
  t:eq(n, 9)
  local kept = leaf()
  local y = kept * 2
  y:register_hook(count)
  collectgarbage() collectgarbage()
  y:sum():backward(nil, {retain_graph = true})
  y:sum():backward()
  t:eq(n, 11)
end
function s.a_hook_keeps_the_shape()
  local function with(hook)
    local x = torch.ones(3, 4, {requires_grad = true})
    return function()
      x:register_hook(hook)
      x:sum():backward()
    end, function()
      local y = x * 2
      y:register_hook(hook)
      y:sum():backward()
    end
  end
  for _, f in ipairs {with(function(g) return g:sum() end)} do t:fails(f, 'a hook has changed the gradient from float32[3, 4] to float32[]') end
  for _, f in ipairs {with(function(g) return g:double() end)} do t:fails(f, 'to float64[3, 4]') end
end

-- ---- torch.autograd.Function ----

local Keeps = torch.autograd.Function('Keeps')
function Keeps.forward(ctx, x)
  local y = x * 2
  ctx.y = {y}
  return y
end
function Keeps.backward(ctx, dy) return dy * 2 + ctx.y[1]:detach() * 0 end
local Doubles = torch.autograd.Function('Doubles')
function Doubles.forward(ctx, x)
  ctx:mark_dirty(x)
  return x:mul_(2)
end
function Doubles.backward(_, dy) return dy * 2 end

function s.ctx_and_result_dropped()
  leaves_nothing(function() Keeps.apply(leaf()) end)
  leaves_nothing(function() local _ = Keeps.apply(leaf()):sum() end)
  leaves_nothing(function() Keeps.apply(Keeps.apply(Keeps.apply(leaf()) + 1)):sum() end)
  leaves_nothing(function() Doubles.apply(leaf() + 1) end)
  leaves_nothing(function()
    local F = torch.autograd.Function('F')
    function F.forward(ctx, x) ctx.both = {x + 1, x + 2} return ctx.both[1], ctx.both[2] end
    function F.backward(_, a, b) return a + b end
    F.last = {F.apply(leaf())}
  end)
end
function s.many_contexts_go()
  local alive = setmetatable({}, {__mode = 'k'})
  local Own = torch.autograd.Function('Own')
  function Own.forward(ctx, x)
    ctx.y, ctx.self, ctx.marker = x * 2, ctx, {}
    alive[ctx.marker] = true
    return ctx.y
  end
  function Own.backward(_, dy) return dy * 2 end
  local x = torch.ones(3, {requires_grad = true})
  for _ = 1, 1000 do Own.apply(x) end
  collectgarbage() collectgarbage()
  t:eq(next(alive), nil)
end
function s.chains_of_contexts_go()
  local alive, count = setmetatable({}, {__mode = 'k'}), 0
  local Own = torch.autograd.Function('Own')
  function Own.forward(ctx, x)
    ctx:save_for_backward(x)
    ctx.y, ctx.marker = x * 2, {}
    alive[ctx.marker] = true
    return ctx.y
  end
  function Own.backward(_, dy) return dy * 2 end
  local y = torch.ones(3, {requires_grad = true})
  for _ = 1, 1000 do y = Own.apply(y):tanh() end
  collectgarbage()
  for _ in pairs(alive) do count = count + 1 end
  t:eq(count, 1000)
  y = nil
  collectgarbage()
  t:eq(next(alive), nil)
end
function s.ctx_and_result_used()
  leaves_nothing(function() Keeps.apply(leaf()):sum():backward() end)
  leaves_nothing(function() Keeps.apply(leaf()):sum():backward(nil, {retain_graph = true}) end)
end
function s.backward_frees_a_ctx_with_objects()
  local function run() Keeps.apply(leaf()):sum():backward() end
  collectgarbage('generational')
  local before = allocated()
  for _ = 1, 50 do run() end
  for _ = 1, 100 do collectgarbage('step') end  -- no full collection, the only one that looks for cycles
  t:le(torch.memory_stats().allocated - before, 8 << 20)  -- of more than 50 MB; some grow old in minor collections
  collectgarbage('incremental')
  local y = Keeps.apply(leaf())
  y:sum():backward(nil, {retain_graph = true})
  y:sum():backward()
  t:fails(function() y:sum():backward() end, 'KeepsBackward', 'retain_graph')
end
-- Only that takes a second backward away: other fields do not, as in PyTorch.
function s.ctx_with_other_fields_stays()
  local x, plain = leaf(), torch.autograd.Function('Plain')
  function plain.forward(ctx, v, scale)
    ctx.sizes, ctx.how, ctx.input, ctx.f = {v:size(1), {v:size(2)}}, v:size(), {v}, function() return v, scale end
    return v * scale
  end
  function plain.backward(ctx, dy)
    t:eq(ctx.sizes[2][1], 100)
    return dy * select(2, ctx.f())
  end
  local y = plain.apply(x * 1, 3)
  y:backward(torch.ones(1000, 100))
  y:backward(torch.ones(1000, 100))
  t:eq(x.grad[{1, 1}]:item(), 6.)
end
function s.ctx_in_use_stays()
  local x = leaf()
  local function make() return Keeps.apply(Keeps.apply(x) + 1) end
  local y = make()
  collectgarbage() collectgarbage()
  y:sum():backward()
  t:eq(x.grad[{1, 1}]:item(), 4.)
  local z = make()[1]
  collectgarbage() collectgarbage()
  z:sum():backward()
  t:eq(x.grad[{1, 1}]:item(), 8.)
  local loss = make():sum()
  collectgarbage() collectgarbage()
  loss:backward()
  t:eq(x.grad[{1, 1}]:item(), 12.)
end

-- ---- every way back ----

-- Makers of garbage: each gets a new table, to which its cycle leads.
local Holds = torch.autograd.Function('Holds')
function Holds.forward(ctx, x, it) ctx.it = it return x * 2 end
function Holds.backward(_, dy) return dy * 2 end
local Saves = torch.autograd.Function('Saves')
function Saves.forward(ctx, x, it)
  ctx.it = it
  ctx:save_for_backward(x)
  return x * 2
end
function Saves.backward(_, dy) return dy * 2 end
local parameter = torch.ones(3, {requires_grad = true})
local function new_leaf() return torch.ones(3, {requires_grad = true}) end
-- A leaf whose hook captures it and what hold(leaf, it) returns.
local function hooked(hold)
  return function(it)
    local q = new_leaf()
    it.held = hold and hold(q, it)
    q:register_hook(function() return it and q and nil end)
  end
end
local cycles = {
  ctx_and_table = function(it) it.y = Holds.apply(parameter, it) end,
  ctx_and_closure = function(it)
    local y
    y = Holds.apply(parameter, function() return y, it end)
  end,
  ctx_and_metatable = function(it) setmetatable(it, {y = Holds.apply(parameter, it)}) end,
  ctx_and_coroutine = function(it)
    local y = Holds.apply(parameter, it)
    it.co = coroutine.create(function() coroutine.yield(y) end)
    coroutine.resume(it.co)
  end,
  ctx_and_later_results = function(it) it.y = {Holds.apply(parameter, it)[1], Holds.apply(parameter, it):sum():exp()} end,
  ctx_and_saved = function(it) it.y = Saves.apply(Saves.apply(parameter * 1, it), it) end,
  ctx_and_module = function(it)
    local m = nn.Linear(3, 3)
    m.y, m.it = Holds.apply(m.weight, it), it
    it.m = m
  end,
  leaf = hooked(),
  leaf_and_its_graph = hooked(function(q) return (q * q):exp() end),
  leaf_and_view = hooked(function(q) return q[1] end),
  leaf_and_grad = hooked(function(q) q.grad = q * 2 return q.grad end),
  leaf_in_depth = hooked(function(q)
    local t = q
    for _ = 1, 100 do t = {t} end
    return t
  end),
  leaf_in_width = hooked(function(q)
    local t = {}
    for i = 1, 1000 do t[i] = {i} end
    t[#t + 1] = q
    return t
  end),
  leaf_and_coroutine = hooked(function(q)
    local co = coroutine.wrap(function() while true do coroutine.yield(q) end end)
    co()
    return {co, coroutine.create(function() return q end)}
  end),
  leaf_and_finalizer = hooked(function(q) return setmetatable({}, {__gc = function() return q end}) end),
  leaf_and_optimizer = hooked(function(q)
    local o = optim.Adam({q}, {lr = 0.1});
    (q * 2):sum():backward()
    o:step()
    return o
  end),
  leaf_and_packed = hooked(function(q) return nn.utils.rnn.pack_sequence {(q * 2):reshape(3, 1), q[{ {1, 2} }]:reshape(2, 1)} end),
  two_leaves = function(it)
    local a, b = new_leaf(), new_leaf()
    a:register_hook(function() return b and it and nil end)
    b:register_hook(function() return a and it and nil end)
  end,
  accumulated = function(it)
    local q = new_leaf()
    local o = optim.SGD({q}, {lr = 0.1})
    q:register_post_accumulate_grad_hook(function() o:step() return it and nil end);
    (q * 2):sum():backward()
  end,
  parameters = function(it)
    local m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    for _, q in ipairs(m:parameters()) do q:register_hook(function() return it and m and nil end) end
    it.y = m(torch.ones(1, 2))
  end,
  result = function(it)
    it.y = parameter * 2
    it.z = (it.y * 3):exp()
    it.y:register_hook(function() return it and nil end)
  end,
  result_with_grad = function(it)
    it.y = parameter * 2
    it.y:retain_grad()
    it.y:register_hook(function() return it and nil end)
  end,
  written_view = function(it)
    it.x = torch.ones(3, 3) * parameter
    it.x[1]:mul_(parameter)
    it.x:register_hook(function() return it and nil end)
  end,
  node = function(it)
    it.node = (parameter * 2):exp().grad_fn
    it.node:register_prehook(function() return it and nil end)
  end,
  checkpoint = function(it)
    it.y = torch.utils.checkpoint.checkpoint(function(x) return (x * 2):exp(), it.y end, parameter * 1)
  end,
  checkpoints = function(it)
    local inner = torch.utils.checkpoint.checkpoint
    it.y = inner(function(x) return inner(function(z) return z:exp(), it.y end, x * 2) end, parameter * 1)
    it.y = it.y:exp()
  end,
}
-- Runs make() n times. Returns a function that counts the tables that are left.
local function count_left(make, n)
  local alive = setmetatable({}, {__mode = 'k'})
  for _ = 1, n do
    local it = {}
    alive[it] = true
    make(it)
  end
  return function()
    local count = 0
    for _ in pairs(alive) do count = count + 1 end
    return count
  end
end

function s.no_cycle_stays()
  for name, make in pairs(cycles) do
    local count = count_left(make, 50)
    collectgarbage() collectgarbage()
    t:eq(('%s: %d'):format(name, count()), name .. ': 0')
  end
end
-- A bounded number of them is left, however many there were.
function s.cycles_go_by_themselves()
  collectgarbage()
  for _, name in ipairs {'ctx_and_closure', 'leaf', 'checkpoint'} do
    local count = count_left(cycles[name], 40000)
    t:assert(count() < 12000, name .. ': ' .. count() .. ' of 40000 are left')
    collectgarbage()
  end
end
-- Large values: memory of Lua and of the graph counts, too.
function s.large_cycles_go_sooner()
  collectgarbage()
  local before = collectgarbage('count')
  local count = count_left(cycles.leaf_in_width, 1500)
  t:assert(count() < 1300, count() .. ' of 1500 are left')
  t:lt(collectgarbage('count') - before, 100 << 10)
  count = count_left(function(it)
    local y = parameter
    for _ = 1, 300 do y = y + 1 end
    it.y = y
    y:register_hook(function() return it and nil end)
  end, 1500)
  t:assert(count() < 1500, count() .. ' of 1500 are left')
end
-- What is in use stays, wherever it is: hooks run, a ctx and a function of a checkpoint are there.
function s.what_leads_to_a_root_keeps_it()
  local n = 0
  local function hook(q) q:register_hook(function() local _ = q n = n + 1 end) return q end
  local function check(make, expected)
    n = 0
    local run = make()
    for _ = 1, 3 do collectgarbage() end
    run()
    t:eq(n, expected)
  end
  check(function()
    local co = coroutine.wrap(function(q) coroutine.yield(); (q * 2):sum():backward() end)
    co(hook(new_leaf()))
    return co
  end, 1)
  check(function() local y = hook(new_leaf()):exp() return function() y:sum():backward() end end, 1)
  check(function() local v = hook(new_leaf())[1] return function() v:backward() end end, 1)
  check(function() local q = hook(new_leaf()) * 1 return function() hook(q) q:sum():backward() end end, 2)
  check(function()
    local o = optim.SGD({hook(new_leaf())}, {lr = 1})
    return function() o.param_groups[1].params[1]:sum():backward() end
  end, 1)
  check(function()
    local m = nn.Sequential(nn.Linear(2, 2))
    hook(m[1].weight)
    return function() m(torch.ones(1, 2)):sum():backward() end
  end, 1)
  check(function()
    local y = torch.utils.checkpoint.checkpoint(function(x) return hook(x * 2):exp() end, new_leaf())
    return function() y:sum():backward() end
  end, 1)
  check(function()
    local p = nn.utils.rnn.pack_sequence {hook(new_leaf()):reshape(3, 1)}
    return function() p.data:sum():backward() end
  end, 1)
  check(function()
    local x = torch.ones(3, 3) * hook(new_leaf())
    local v = x[1]
    v:mul_(2)
    x = nil
    return function() v:sum():backward() end
  end, 1)
  check(function()
    local node = hook(new_leaf() * 2):exp().grad_fn
    return function()
      t:eq(node.next_functions[1][1]:name(), 'MulBackward0')
      n = n + 1
    end
  end, 1)
end

t:add(s):run()
