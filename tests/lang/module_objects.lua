-- Containers, hooks, named arguments, tables, state and files of whole modules, as scripts see them.
local tester = torch.Tester()
local tests = torch.TestSuite()
local one = torch.ones(1, 2)

local function saved(value)
  local file = os.tmpname()
  torch.save(value, file)
  local back = torch.load(file)
  os.remove(file)
  return back
end

function tests.positions_of_lists()
  local s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh())
  for _, i in ipairs { 0, 4, 5, -4 } do
    tester:fails(function() s[i] = nn.ReLU() end, 'is outside of 1 to 3 (positions count from 1)')
  end
  s[2], s[-1] = nn.GELU(), nn.ELU()
  tester:eq(torch.typename(s[2]) .. torch.typename(s[3]), 'nn.GELUnn.ELU')
  s[1] = nil
  tester:eq(tostring(s), "Sequential(\n  (1): GELU(approximate='none')\n  (2): ELU(alpha=1.0)\n)")
  tester:fails(function() s:insert(9, nn.ReLU()) end, '1 to 3')
  tester:fails(function() nn.ModuleList {}:pop() end, 'an empty list')
  tester:fails(function() nn.Sequential(nn.ReLU(), 3) end, 'nn.Sequential: argument 2 expects a module')
  tester:fails(function() nn.Sequential(nn.ReLU) end, 'argument 1 expects a module, got the class ReLU (call it to make one)')
  tester:fails(function() nn.Sequential { conv = nn.ReLU() } end, "conv = … has a name", "write {{'conv', module}, …}")
  local behind = { nn.ReLU() }
  behind[4] = nn.ReLU()
  tester:fails(function() nn.ModuleList(behind) end, 'nn.ModuleList: element 2 is nil')
  tester:fails(function() nn.Sequential { nn.ReLU(), 'x' } end, 'element 2')
  tester:eq(torch.typename(s:pop()) .. #s, 'nn.ELU1')
end

function tests.dicts()
  local d = nn.ModuleDict { b = nn.ReLU(), a = nn.Tanh() }
  d:update { { 'z', nn.GELU() }, { 'c', nn.ELU() } }
  tester:eq(table.concat(d:keys(), ' '), 'a b z c')
  local names = {}
  for name, m in d:items() do names[#names + 1] = name .. torch.typename(m) end
  tester:eq(table.concat(names, ' '), 'ann.Tanh bnn.ReLU znn.GELU cnn.ELU')
  tester:eq(torch.typename(d:pop('a')) .. #d .. #d:values(), 'nn.Tanh33')
  tester:fails(function() d:pop('zz') end, "did you mean 'z'?")
  tester:eq(#d:clear(), 0)
  local p = nn.ParameterDict { w = torch.ones(2, 3), v = nn.Parameter(torch.ones(2)) }
  p.q = torch.zeros(1)
  tester:eq(#p, 3)
  tester:assert(torch.isinstance(p.q, nn.Parameter) and #p:parameters() == 3)
  tester:assert(tostring(p):find('(w): Parameter containing: [torch.FloatTensor of size 2x3]', 1, true))
  p:pop('w')
  tester:eq(table.concat(p:keys(), ' '), 'v q')
  local l = nn.ParameterList { torch.ones(1), torch.ones(2) }
  l:extend { torch.ones(3) }
  l[2] = torch.ones(5)
  l:pop(1)
  tester:eq(#l .. ' ' .. l[1]:numel() .. ' ' .. l['2']:numel(), '2 5 3')
end

function tests.table_modules()
  tester:eq(nn.Concat(2, nn.Linear(2, 1), nn.Linear(2, 2))(one):size(), torch.Size { 1, 3 })
  local net = nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Identity()),
    nn.ParallelTable(nn.Identity(), nn.Threshold(5, 7)), nn.CMulTable())
  tester:assert(torch.equal(net(one), one * 7))
  local x = torch.ones(1, { requires_grad = true })
  nn.CAddTable()({ x, x * 3, x }):backward()
  tester:eq(x.grad:item(), 5.0)
  tester:assert(torch.equal(nn.JoinTable(1, 1)({ one, one }), torch.ones(1, 4)))
  tester:eq(#nn.SplitTable(2)(one), 2)
  tester:assert(nn.SelectTable(-1)({ one, x }) == x)
  tester:fails(function() nn.SelectTable(3)({ one }) end, 'position 3 is outside of a table of 1')
  tester:fails(function() nn.ParallelTable(nn.ReLU())({ one, one }) end, 'has 1 modules, and got a table of 2')
  tester:fails(function() nn.Linear(2, 2)({ one, one }) end, 'must be a tensor, got a table of 2')
end

-- Values of Lua pass through containers of C++ and through hooks.
function tests.any_value_passes()
  local A, B = nn.class('PassA'), nn.class('PassB')
  function A:forward(x) return { x, 'text', k = 2 } end
  function B:forward(t, more) return t[1] * t.k, t[2], more end
  local seen
  local b = B()
  b:register_forward_hook(function(_, inputs, output) seen = inputs[1][2] .. #output end)
  local y, text = nn.Sequential(A(), b)(one)
  tester:assert(torch.equal(y, one * 2) and text == 'text')
  tester:eq(seen, 'text2')
end

function tests.arguments_by_name()
  local l = nn.Linear(2, 2)
  tester:assert(torch.equal(l { input = one }, l(one)))
  tester:fails(function() l { inptu = one } end, "has no argument 'inptu'; did you mean 'input'?")
  tester:fails(function() l(one, { input = one }) end, "'input' is given twice")
  tester:assert(torch.equal(nn.MSELoss()(one, { target = one }), torch.tensor(0.0)))
  tester:assert(torch.equal(nn.Sequential(l)({ input = one }), l(one)))
end

function tests.forward_hooks()
  local l, log = nn.Linear(2, 2), {}
  local h = l:register_forward_pre_hook(function(_, inputs, named)
    log[#log + 1] = 'pre' .. #inputs
    return { named.input * 2 }, {}
  end, { with_kwargs = true })
  l:register_forward_hook(function(_, inputs) log[#log + 1] = 'post' .. #inputs end)
  l:register_forward_hook(function() log[#log + 1] = 'first' end, { prepend = true })
  l:register_forward_hook(function(_, _, y) log[#log + 1] = 'always ' .. tostring(y == nil) end, { always_call = true })
  l { input = one }
  tester:eq(table.concat(log, ','), 'pre0,first,post1,always false')
  tester:fails(function() l:register_forward_pre_hook(print, { always_call = true }) end, 'always_call')
  h:remove()
  log = {}
  tester:fails(function() l(torch.ones(1, 7)) end, 'linear')
  tester:eq(table.concat(log, ','), 'always true')
  local Broken = nn.class('Broken')
  function Broken:forward() error('in Lua') end
  local broken = Broken()
  log = {}
  broken:register_forward_hook(function() log[#log + 1] = 'ran' end, { always_call = true })
  tester:fails(function() broken(one) end, 'in Lua')
  tester:eq(table.concat(log, ','), 'ran')
end

function tests.hooks_of_all_modules()
  local log = {}
  local m = nn.modules.module
  local handles = {
    m.register_module_forward_pre_hook(function(x) log[#log + 1] = 'pre ' .. torch.typename(x) end),
    m.register_module_forward_hook(function(x) log[#log + 1] = torch.typename(x) end),
    m.register_module_full_backward_hook(function(x) log[#log + 1] = 'back ' .. torch.typename(x) end),
  }
  nn.Sequential(nn.Linear(2, 1))(one):sum():backward()
  for _, h in ipairs(handles) do h:remove() end
  nn.Sequential(nn.Linear(2, 1))(one)
  tester:eq(table.concat(log, ','),
    'pre nn.Sequential,pre nn.Linear,nn.Linear,nn.Sequential,back nn.Sequential,back nn.Linear')
end

function tests.state_hooks_and_extra_state()
  local Net = nn.class('StateNet')
  function Net:init(n) self.l, self.n = nn.Linear(2, 2), n end
  function Net:forward(x) return self.l(x) end
  function Net:get_extra_state() return { n = self.n } end
  function Net:set_extra_state(state) self.n = state.n end
  local a, b = nn.Sequential(Net(1)), nn.Sequential(Net(2))
  local dict = saved(a:state_dict())
  tester:eq(dict['1._extra_state'].n, 1)
  b:load_state_dict(dict)
  tester:eq(b[1].n, 1)
  dict['1._extra_state'] = nil
  tester:fails(function() b:load_state_dict(dict) end, "missing '1._extra_state'")

  local l, log = nn.Linear(2, 2), {}
  l:register_state_dict_pre_hook(function(_, prefix, keep) log[#log + 1] = 'pre' .. prefix .. tostring(keep) end)
  l:register_state_dict_post_hook(function(_, d, prefix)
    d[prefix .. 'old'], d[prefix .. 'bias'] = d[prefix .. 'bias'], nil
  end)
  l:register_load_state_dict_pre_hook(function(_, d, prefix, _, strict)
    log[#log + 1] = tostring(strict)
    d[prefix .. 'bias'], d[prefix .. 'old'] = d[prefix .. 'old'], nil
  end)
  l:register_load_state_dict_post_hook(function(_, incompatible)
    log[#log + 1] = 'loaded ' .. #incompatible.missing_keys .. #incompatible.unexpected_keys
  end)
  local net = nn.Sequential(l)
  dict = net:state_dict()
  tester:assert(dict['1.old'] and not dict['1.bias'])
  torch.no_grad(function() l.bias:fill_(9) end)
  net:load_state_dict(dict, { strict = false })
  tester:assert(dict['1.old']) -- the caller's dict stays
  tester:eq(table.concat(log, ','), 'pre1.false,false,loaded 00')
  -- A hook may forgive what is missing; where it does not, nothing is loaded.
  local m = nn.Linear(2, 2)
  local before = m.weight:clone()
  local forgive = false
  m:register_load_state_dict_post_hook(function(_, i) if forgive then i.missing_keys = {} end end)
  tester:fails(function() m:load_state_dict { weight = torch.zeros(2, 2) } end, "missing 'bias'")
  tester:assert(torch.equal(m.weight, before))
  forgive = true
  m:load_state_dict { weight = torch.zeros(2, 2) }
  tester:assert(torch.equal(m.weight, torch.zeros(2, 2)))
end

function tests.clones_are_deep()
  local Net = nn.class('CloneNet')
  function Net:init()
    self.l = nn.Linear(2, 2)
    self.list = { self.l, k = { torch.ones(1), self.l.weight } }
    self.list.me = self.list
    self.own = nn.ReLU
    self.free = { nn.Linear(1, 1) }
  end
  local a = Net()
  local b = a:clone()
  tester:assert(b.l ~= a.l and b.list[1] == b.l and b.list.me == b.list and b.list.k[2] == b.l.weight)
  tester:assert(b.free[1] ~= a.free[1] and b.own == nn.ReLU and #b:parameters() == 2)
  b.list.k[1]:add_(1)
  tester:eq(a.list.k[1]:item(), 1.0)
  local s = nn.Sequential(nn.ReLU(), nn.ReLU())
  s['4'] = nn.Tanh()
  s:append(nn.GELU())
  tester:eq(torch.typename(s[3]) .. torch.typename(s[4]), 'nn.Tanhnn.GELU')
end

function tests.functional_call()
  local m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
  m[2].weight = m[1].weight
  local w = torch.zeros(2, 2, { requires_grad = true })
  local y = torch.func.functional_call(m, { ['1.weight'] = w }, one) -- for both: they are tied
  tester:assert(torch.equal(y, m[2].bias:reshape(1, 2)))
  y:sum():backward()
  tester:assert(w.grad ~= nil and m[1].weight.grad == nil and m[1].weight ~= w)
  tester:fails(function() torch.func.functional_call(m, { ['1.wieght'] = w }, one) end, "did you mean '1.weight'?")
  tester:fails(function() torch.func.functional_call(m, {}, one, nil, { strict = true }) end, 'is not given')
  local before = m[1].weight
  tester:fails(function() torch.func.functional_call(m, { ['1.weight'] = w }, torch.ones(1, 7)) end, 'linear')
  tester:assert(m[1].weight == before)
  local Net = nn.class('FunctionalNet')
  function Net:init() self.w = nn.Parameter(torch.ones(2)) end
  function Net:forward(x, named) return x * self.w * named.k end
  tester:assert(torch.equal(nn.utils.stateless.functional_call(Net(), { { w = one }, { w = one * 5 } }, { one }, { k = 2 }),
    one * 10))
end

function tests.walks()
  local m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
  m[2].weight = m[1].weight
  local names = {}
  for name in m:named_parameters { remove_duplicate = false } do names[#names + 1] = name end
  for name in m:named_modules('net', { memo = { m[1] } }) do names[#names + 1] = name end
  tester:eq(table.concat(names, ' '), '1.weight 1.bias 2.weight 2.bias net net.2')
end

-- Mistakes that Lua would pass over.
function tests.mistakes()
  local A, B, C = nn.class('MistakeA'), nn.class('MistakeB'), nn.class('MistakeC')
  function A:__init() end
  function B.forward(x) return x end
  function C.init(n) return n end
  tester:fails(function() A() end, 'the constructor is function MistakeA:init')
  tester:fails(function() B()(one) end, 'with a colon')
  tester:fails(function() C(3) end, 'with a colon')
  tester:fails(function() return torch.zeros(2, { dtype = float }) end, "the global 'float' is nil")
end

function tests.printing_is_linear()
  local m = nn.ReLU()
  for _ = 1, 300 do m = nn.Sequential(m) end
  local text = tostring(m)
  tester:eq(select(2, text:gsub('\n', '')), 600)
end

function tests.files_of_objects()
  local Net = nn.class('FileNet')
  function Net:init()
    self.l, self.act, self.names, self.inner = nn.Linear(2, 2), F.relu, { 'a', k = { 1.5, true } }, { nn.Linear(1, 1) }
    self:register_buffer('tmp', torch.ones(1), { persistent = false })
  end
  function Net:forward(x) return self.act(self.l(x)) end
  local net = nn.Sequential(Net(), nn.Conv2d(1, 2, 3, { padding = 'same' }), nn.CrossEntropyLoss { weight = one[1] },
    nn.BatchNorm1d(2))
  net[4]:eval()
  local opt = optim.Adam(net[1]:parameters(), { lr = 0.1 })
  local lr = optim.lr_scheduler
  local schedule = lr.SequentialLR(opt, { schedulers = { lr.LinearLR(opt, { total_iters = 3 }),
    lr.CosineAnnealingLR(opt, { T_max = 10 }) }, milestones = { 3 } })
  local function train(m, o, s)
    o:zero_grad()
    m[1](one):sum():backward()
    o:step()
    s:step()
  end
  for _ = 1, 5 do train(net, opt, schedule) end
  local back = saved { net = net, opt = opt, schedule = schedule }
  tester:eq(tostring(back.net), tostring(net))
  tester:eq(back.net[1].names.k[1] .. tostring(back.net[1].act == F.relu) .. tostring(back.net[4].training), '1.5truefalse')
  tester:eq(tostring(back.net[1].inner[1]), tostring(net[1].inner[1]))
  tester:assert(back.net[1].l.weight == back.opt.param_groups[1].params[1])
  tester:assert(not back.net:state_dict()['1.tmp'] and torch.equal(back.net[3].weight, one[1]))
  for _ = 1, 3 do
    train(net, opt, schedule)
    train(back.net, back.opt, back.schedule)
  end
  tester:assert(torch.equal(back.net[1].l.weight, net[1].l.weight))
  tester:eq(back.schedule:get_last_lr()[1], schedule:get_last_lr()[1])
  net[1].callback = function() end
  tester:fails(function() saved(net) end, 'callback is a function, which has no form in a file')
  tester:fails(function() saved(lr.LambdaLR(opt, function() return 1 end)) end, 'save its state_dict()')
  tester:fails(function() torch.save(net[4], '/tmp/x.safetensors') end, 'use .h5')
end

-- A file whose activation is torch.save would write files when the model runs.
function tests.files_name_functions_of_tensors_alone()
  for _, f in ipairs { F.relu, torch.tanh, torch.adjoint } do
    tester:assert(saved(nn.TransformerEncoderLayer(2, 1, { activation = f })).activation.f == f)
  end
  for _, f in ipairs { torch.save, torch.load, torch.set_num_threads, print } do
    tester:fails(function() saved(nn.TransformerEncoderLayer(2, 1, { activation = f })) end, 'no form in a file')
  end
  local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
  tester:fails(function() torch.load(root .. '/tests/data/names_load.h5') end,
               "names the function 'torch.load', which is none of luth's for tensors")
end

-- What luth prints for a script, warnings and errors too.
local function output_of(script)
  local path = os.tmpname()
  local f = assert(io.open(path, 'w'))
  f:write(script)
  f:close()
  local pipe <close> = assert(io.popen(("'%s' '%s' 2>&1"):format(os.getenv('LUTH_PROGRAM'), path)))
  local text = pipe:read('a')
  os.remove(path)
  return text
end

local two_classes = [[
local function define(file, v)
  return assert(load(("local C = nn.class('Shared') function C:forward(x) return x + %d end return C"):format(v), file))()
end
local function saved(m) torch.save(m, path) return torch.load(path) end
]]

function tests.two_classes_of_one_name()
  local start = ("local path = '%s'\n"):format(os.tmpname()) .. two_classes
  local got = output_of(start .. [[
    local A, B = define('@a.lua', 1), define('@b.lua', 2)
    print(pcall(saved, nn.Sequential(A(), B())))
    print(saved(A())(torch.zeros(1)):item())]])
  tester:assert(got:find("two classes of modules have the name 'Shared', that of a.lua:1 and that of b.lua:1", 1, true), got)
  tester:assert(got:find("warning: [^\n]* two classes have the name 'Shared', that of a.lua:1 and that of b.lua:1"), got)
  tester:assert(got:find('\n2.0\n', 1, true), got)
  -- a definition that is run again is one class
  tester:eq(output_of(start .. [[
    local old = define('@a.lua', 1)
    print(old ~= define('@a.lua', 1), saved(old())(torch.zeros(1)):item())]]), 'true\t1.0\n')
end

function tests.two_optimizers_of_one_name()
  local got = output_of([[
    local path = os.tmpname()
    for i = 1, 2 do load("optim.class('Mine', optim.SGD)", '@' .. i .. '.lua')() end
    local p = nn.Parameter(torch.ones(1))
    torch.save(optim.class('Other', optim.SGD) { p }, path)
    torch.load(path)
    load("Mine = optim.class('Mine', optim.SGD)", '@3.lua')()
    torch.save(Mine { p }, path)
    torch.load(path)]])
  tester:assert(got:find("^luth: warning: [^\n]* the name 'Mine', that of 2.lua:1 and that of 3.lua:1[^\n]*\n$"), got)
end

-- In a process that has used none of luth's classes written in Lua.
function tests.files_that_name_classes_of_luth()
  local u, path = nn.utils.parametrizations, os.tmpname()
  local m = nn.Sequential(u.weight_norm(nn.Linear(2, 3)), u.spectral_norm(nn.Linear(3, 3)), u.orthogonal(nn.Linear(3, 3)),
    optim.swa_utils.AveragedModel(nn.Linear(3, 784)), nn.Unflatten(2, { 1, 28, 28 }), require('models').lenet()):eval()
  torch.save(m, path)
  tester:eq(output_of(("torch.save(torch.load('%s')(torch.ones(1, 2)), '%s.y')"):format(path, path)), '')
  tester:assert(torch.allclose(torch.load(path .. '.y'), m(one)), 'the loaded model computes something else')
end

tester:add(tests)
tester:run()
