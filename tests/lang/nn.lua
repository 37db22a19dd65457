-- Modules as scripts see them: classes written in Lua, registration by assignment, containers, state dicts, hooks,
-- errors, printing, initialisation.
local tester = torch.Tester()
local tests = torch.TestSuite()

local function names(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return table.concat(list, ' ')
end
local function keys(dict)
  local list = {}
  for name in pairs(dict) do list[#list + 1] = name end
  return table.concat(list, ' ')
end

local Net = nn.class('Net')
function Net:init(hidden)
  self.features = nn.Linear(3, hidden) .. nn.ReLU()
  self.classifier = nn.Linear(hidden, 2)
  self.scale = nn.Parameter(torch.ones(1))
  self:register_buffer('seen', torch.zeros(1))
  self.note = 'plain'
  self.plain = torch.ones(2)
end
function Net:forward(x)
  return self.classifier(self.features(x)) * self.scale, self.note
end

function tests.classes_register_what_is_assigned()
  local net = Net(4)
  tester:eq(names(net:named_parameters()),
    'scale features.1.weight features.1.bias classifier.weight classifier.bias')
  tester:eq(names(net:named_buffers()), 'seen')
  tester:eq(names(net:named_modules()), ' features features.1 features.2 classifier')
  tester:eq(names(net:named_children()), 'features classifier')
  tester:eq(#net:parameters(), 5)
  tester:eq(#net:children(), 2)
  tester:eq(net.note, 'plain')
  tester:eq(net.unknown, nil)
  tester:eq(net.training, true)
  local y, note = net(torch.randn(5, 3))
  tester:eq(tostring(y:size()), 'torch.Size([5, 2])')
  tester:eq(note, 'plain')
  y:sum():backward()
  tester:assert(net.scale.grad ~= nil and net.features[1].weight.grad ~= nil)
  net:zero_grad()
  tester:eq(net.scale.grad, nil)
end

function tests.assigning_replaces_and_removes()
  local net = Net(4)
  net.classifier = nn.Identity()
  tester:eq(names(net:named_children()), 'features classifier')
  net.classifier = nil
  tester:eq(net.classifier, nil)
  tester:eq(names(net:named_children()), 'features')
  net.scale = nil
  tester:eq(names(net:named_parameters()), 'features.1.weight features.1.bias')
  local linear = nn.Linear(2, 2)
  tester:fails(function() linear.weight = torch.zeros(2, 2) end, 'nn.Parameter')
  linear.bias = nil
  tester:eq(tostring(linear(torch.zeros(1, 2)):tolist()[1][1]), '0.0')
  net.seen = torch.ones(1)  -- a buffer stays one
  tester:eq(names(net:named_buffers()), 'seen')
  net.extra = torch.ones(1)  -- a plain tensor is a plain field
  tester:eq(names(net:named_buffers()), 'seen')
  tester:assert(net.extra ~= nil)
end

function tests.classes_derive()
  local Child = nn.class('Child', Net)
  function Child:init()
    Net.init(self, 2)
    self.more = nn.Linear(2, 1)
  end
  function Child:forward(x) return self.more((Net.forward(self, x))) end
  local child = Child()
  tester:eq(tostring(child(torch.zeros(1, 3)):size()), 'torch.Size([1, 1])')
  tester:assert(torch.isinstance(child, Child) and torch.isinstance(child, Net) and torch.isinstance(child, nn.Module))
  tester:assert(not torch.isinstance(child, nn.Linear))
  tester:eq(torch.typename(nn.Linear(1, 1)), 'nn.Linear')
  tester:eq(torch.typename(child), 'Child')

  local Doubled = nn.class('Doubled', nn.Linear)
  function Doubled:init(n) nn.Linear.init(self, n, n, { bias = false }) end
  function Doubled:forward(x) return nn.Linear.forward(self, x) * 2 end
  local d = Doubled(2)
  nn.init.eye_(d.weight)
  tester:eq(d(torch.ones(1, 2)):tolist()[1][1], 2.0)
  tester:eq(d.in_features, 2)
  tester:eq(tostring(d), 'Doubled(in_features=2, out_features=2, bias=False)')
  tester:assert(torch.isinstance(d, nn.Linear))
  tester:eq(keys((nn.Sequential(d, nn.ReLU())):state_dict()), '1.weight')
end

function tests.containers_count_from_one()
  local seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
  seq:add(nn.Linear(3, 1))
  tester:eq(#seq, 3)
  tester:assert(seq[1] == seq:children()[1] and seq[-1] == seq[3] and seq[4] == nil)
  local count = 0
  for i, m in ipairs(seq) do
    count = count + i
    tester:assert(m == seq[i])
  end
  tester:eq(count, 6)
  seq:insert(2, nn.Tanh())
  tester:eq(names(seq:named_children()), '1 2 3 4')
  tester:eq(torch.typename(seq[2]), 'nn.Tanh')
  seq[2] = nn.Sigmoid()
  tester:eq(torch.typename(seq[2]), 'nn.Sigmoid')
  tester:eq(tostring(nn.Linear(1, 1) .. nn.ReLU() .. nn.Flatten()),
    'Sequential(\n  (1): Linear(in_features=1, out_features=1, bias=True)\n  (2): ReLU()\n  (3): Flatten(start_dim=2, end_dim=-1)\n)')
  local list = nn.ModuleList { nn.ReLU(), nn.ReLU() }
  list:append(nn.Tanh())
  tester:eq(#list, 3)
  tester:eq(tostring(list), 'ModuleList(\n  (1-2): 2 x ReLU()\n  (3): Tanh()\n)')
  tester:fails(function() return list(torch.ones(1)) end, 'no forward')
  local dict = nn.ModuleDict { b = nn.Linear(1, 1), a = nn.ReLU() }
  tester:eq(keys(dict), 'a b')
  tester:eq(keys(dict:state_dict()), 'b.weight b.bias')
  local params = nn.ParameterList { torch.ones(2), torch.zeros(3) }
  tester:eq(names(params:named_parameters()), '1 2')
  tester:eq(#params, 2)
end

function tests.ranges_of_lists()
  local net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2), nn.Tanh())
  local head = net[{ { 1, 2 } }]
  tester:eq(keys(head:state_dict()), '1.weight 1.bias')
  tester:assert(head[1] == net[1] and #head == 2)
  tester:assert(head(torch.ones(1, 2)):equal(F.relu(net[1](torch.ones(1, 2)))))
  tester:eq(keys((net[{ { 3, -1 } }]):state_dict()), '3.weight 3.bias', 'names stay, as in PyTorch')
  tester:eq({ #net[{ { -2, 99 } }], #net[{ {} }], #net[{ { 2 } }], #net[{ { 1, 0 } }], #net[{ { 1, -1, 2 } }] }, { 2, 4, 1, 0, 2 })
  local list = (nn.ModuleList { nn.ReLU(), nn.Tanh(), nn.GELU() })[{ { 2, 3 } }]
  tester:eq(torch.typename(list), 'nn.ModuleList')
  tester:eq(torch.typename(list[1]), 'nn.Tanh')
  tester:fails(function() return net[{ 1, 2 }] end, 'expects a position or a range, Sequential[{ {from, to} }]')
  tester:fails(function() return net[{ { 0, 2 } }] end, 'positions count from 1')
  tester:fails(function() return net[{ { 1, 2, -1 } }] end, "step is at least 1, got -1")
end

function tests.state_dicts_print_their_entries()
  local m = nn.Sequential(nn.Linear(2, 1))
  m[1].weight.data:fill_(0.5)
  m[1].bias.data:zero_()
  tester:eq(tostring(m[1]:state_dict()), '{weight = tensor([[0.5000, 0.5000]]), bias = tensor([0.])}')
  tester:assert(tostring(m:state_dict()):find("['1.bias'] = tensor([0.])", 1, true))
end

function tests.state_dicts_load_all_or_nothing()
  local net, other = Net(4), Net(4)
  local sd = net:state_dict()
  tester:eq(keys(sd), 'scale seen features.1.weight features.1.bias classifier.weight classifier.bias')
  tester:assert(not sd['scale'].requires_grad)
  sd.scale:fill_(3)
  tester:eq(net.scale:item(), 3.0)  -- they share memory
  local result = other:load_state_dict(sd)
  tester:eq(#result.missing_keys + #result.unexpected_keys, 0)
  tester:assert(torch.equal(other.classifier.weight, net.classifier.weight))
  local part = { ['classifier.weight'] = torch.zeros(2, 4), stranger = torch.zeros(1) }
  tester:fails(function() other:load_state_dict(part) end, "missing 'scale'", "unexpected 'stranger'")
  tester:assert(torch.equal(other.classifier.weight, net.classifier.weight))
  result = other:load_state_dict(part, { strict = false })
  tester:eq(result.unexpected_keys[1], 'stranger')
  part = {}
  for i = 1, 9 do part['x' .. (i * 7) % 10] = torch.zeros(1) end
  part = other:load_state_dict(part, { strict = false })
  tester:eq(table.concat(part.unexpected_keys, ' '), 'x1 x2 x3 x4 x5 x6 x7 x8 x9')  -- in the same order in each run
  tester:eq(#result.missing_keys, 5)
  tester:eq(other.classifier.weight:abs():sum():item(), 0.0)
  local pytorch = { ['0.weight'] = torch.ones(2, 2), ['0.bias'] = torch.ones(2) }
  local seq = nn.Sequential(nn.Linear(2, 2))
  seq:load_state_dict(pytorch, { base = 0 })
  tester:eq(seq[1].bias:sum():item(), 2.0)
  tester:eq(keys(seq:state_dict { base = 0 }), '0.weight 0.bias')
end

function tests.modes_conversion_and_copies()
  local net = Net(4)
  tester:assert(net:eval() == net and not net.training and not net.features[1].training)
  net:train()
  tester:assert(net.features.training)
  local weight = net.classifier.weight
  net:double()
  tester:assert(weight.dtype == torch.float64 and net.classifier.weight == weight)
  net:to(torch.float32):to { dtype = 'float64' }
  tester:assert(weight.dtype == torch.float64)
  net:float()
  local copy = net:clone()
  tester:assert(copy ~= net and torch.typename(copy) == 'Net' and copy.note == 'plain')
  copy.scale.data:fill_(9)
  tester:eq(net.scale:item(), 1.0)
  tester:assert(copy(torch.zeros(1, 3)) ~= nil)
  local count = 0
  tester:assert(net:apply(function() count = count + 1 end) == net)
  tester:eq(count, 5)
  net:requires_grad_(false)
  for _, p in ipairs(net:parameters()) do tester:assert(not p.requires_grad) end
  tester:assert(net:get_submodule('features.1') == net.features[1])
  tester:assert(net:get_parameter('features.1.weight') == net.features[1].weight)
end

function tests.hooks_see_and_replace()
  local m = nn.Identity()
  local inputs
  local pre = m:register_forward_pre_hook(function(_, x) inputs = x end)
  local post = m:register_forward_hook(function(module, _, y)
    tester:assert(module == m)
    return y + 1
  end)
  tester:eq(m(torch.ones(1)):item(), 2.0)
  tester:eq(inputs[1]:item(), 1.0)
  pre:remove()
  post:remove()
  tester:eq(m(torch.ones(1)):item(), 1.0)
  local net = Net(2)
  net:register_forward_hook(function(_, _, y) return y[1] * 0 end)
  net.note = nil
  net.forward = function(self, x) return self.classifier(self.features(x)), torch.ones(1) end
  tester:eq(net(torch.ones(1, 3)):abs():sum():item(), 0.0)
end

function tests.errors_name_the_module()
  local net = nn.Sequential(nn.Flatten(), nn.Linear(12, 2))
  tester:fails(function() return net(torch.zeros(2, 5)) end, 'linear(float32[2, 5], float32[2, 12], float32[2])',
    'in module net.2 (Linear(in_features=12, out_features=2, bias=True))')
  local model = Net(4)
  tester:fails(function() return model(torch.zeros(2, 5)) end, 'in module model.features.1 (Linear(')
  local Bad = nn.class('Bad')
  function Bad:init() self.inner = nn.Identity() end
  function Bad:forward(x) return self.inner(x) + torch.zeros(7) end
  local bad = Bad()
  tester:fails(function() return bad(torch.zeros(3)) end, 'in module bad (Bad()')
  tester:fails(function() return nn.Linear(2) end, "argument 'out_features' is required")
  tester:fails(function() return nn.Linear(2, 2, { bais = false }) end, "did you mean 'bias'")
  tester:fails(function() return nn.Linear('a', 2) end, "argument 'in_features' expects an integer")
  tester:fails(function() return nn.Conv2d(1, 1, 3, { padding = 'sane' }) end, 'nn.Conv2d: padding is a number')
  tester:fails(function() return nn.Softmax()(torch.ones(2)) end, "'dim' is required")
  local Empty = nn.class('Empty')
  tester:fails(function() return Empty()(1) end, 'Empty has no forward')
end

function tests.labels_and_dims_count_from_one()
  local scores = torch.tensor { { 5.0, 0.0, 0.0 }, { 0.0, 0.0, 5.0 } }
  local loss = nn.CrossEntropyLoss()(scores, torch.tensor { 1, 3 })
  tester:assert(loss:item() < 0.1)
  tester:fails(function() return nn.CrossEntropyLoss()(scores, torch.tensor { 0, 3 }) end, 'cross_entropy')
  local e = nn.Embedding(3, 2, { padding_idx = 1 })
  tester:eq(e(torch.tensor { 1 }):abs():sum():item(), 0.0)
  tester:assert(torch.equal(e(torch.tensor { 3 })[1], e.weight[3]))
  local sums = nn.Softmax(2)(torch.randn(2, 3)):sum(2)
  tester:close(sums, torch.ones(2))
  tester:eq(tostring(nn.Softmax { dim = 1 }), 'Softmax(dim=1)')
end

function tests.lazy_modules_learn_their_shape()
  local net = nn.LazyConv2d(4, 3) .. nn.Flatten() .. nn.LazyLinear(2)
  tester:eq(tostring(net(torch.zeros(1, 2, 5, 5)):size()), 'torch.Size([1, 2])')
  tester:eq(tostring(net[3]), 'Linear(in_features=36, out_features=2, bias=True)')
end

function tests.training_and_evaluation_differ()
  local drop = nn.Dropout(0.5)
  local x = torch.ones(100, 100)
  local y = drop(x)
  tester:assert(math.abs(y:mean():item() - 1) < 0.1)
  tester:assert(torch.equal(y:eq(0) | y:eq(2), torch.ones(100, 100):eq(1)))
  drop:eval()
  tester:assert(torch.equal(drop(x), x))
  local bn = nn.BatchNorm1d(3)
  bn(torch.randn(10, 3) * 2 + 5)
  tester:eq(bn.num_batches_tracked:item(), 1)
  tester:assert(bn.running_mean:mean():item() > 0.3)
end

function tests.initialisation_and_settings()
  local w = torch.empty(30, 20)
  tester:assert(nn.init.xavier_uniform_(w, { gain = 2 }) == w)
  tester:assert(w:abs():max():item() <= 2 * math.sqrt(6 / 50) + 1e-6)
  tester:assert(nn.init.normal_ {tensor = w, mean = 3, std = 0, generator = torch.Generator()} == w)
  tester:assert(w:eq(3):all())
  tester:eq(nn.init.dirac_ {tensor = torch.ones(4, 1, 1), groups = 4}:sum():item(), 4.0)
  tester:fails(function() nn.init.zeros_ {} end, "argument 'tensor' expects")
  tester:fails(function() nn.init.zeros_ {val = 1} end, "argument 'tensor' expects")
  nn.init.constant_(w, 0.5)
  tester:eq(w:mean():item(), 0.5)
  tester:assert(math.abs(nn.init.calculate_gain('tanh') - 5 / 3) < 1e-12)
  local p = nn.Parameter(torch.zeros(2))
  tester:assert(p.requires_grad and p.is_leaf)
  local conv = nn.Conv2d(1, 2, { 3, 2 }, { padding = 'same', bias = false, dtype = torch.float64 })
  tester:assert(conv.weight.dtype == torch.float64 and conv.bias == nil and conv.padding == 'same')
  tester:eq(tostring(conv(torch.zeros(1, 1, 5, 5, { dtype = torch.float64 })):size()), 'torch.Size([1, 2, 5, 5])')
  local drop = nn.Dropout { p = 0.1 }
  drop.p = 0.25
  tester:eq(tostring(drop), 'Dropout(p=0.25, inplace=False)')
  tester:assert(F.relu ~= nil and nn.functional == F and torch.nn == nn)
end

tester:add(tests)
tester:run()
