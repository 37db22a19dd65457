-- What a chapter on building models shows, as a user writes it: own blocks, parameters by name and by path,
-- initialisers, tied parameters, deferred initialisation, own layers, files.
local tester = torch.Tester()
local tests = torch.TestSuite()

local folder = os.tmpname()
os.remove(folder)
local function path(name) return folder .. '-' .. name end
local function saved(value, name)
  local file = path(name)
  torch.save(value, file)
  local back = torch.load(file)
  os.remove(file)
  return back
end
local function equal(a, b) return torch.equal(a, b) end

-- ---- blocks --------------------------------------------------------------------------------------------------------

local MLP = nn.class('MLP')
function MLP:init()
  self.hidden = nn.Linear(20, 256)
  self.out = nn.Linear(256, 10)
end
function MLP:forward(x) return self.out(F.relu(self.hidden(x))) end

local MySequential = nn.class('MySequential')
function MySequential:init(...)
  for i, module in ipairs { ... } do self:add_module(tostring(i), module) end
end
function MySequential:forward(x)
  for _, module in ipairs(self:children()) do x = module(x) end
  return x
end

local FixedHidden = nn.class('FixedHidden')
function FixedHidden:init()
  self.constant = torch.rand(20, 20) -- no parameter: it has no gradient and stays as it is
  self.linear = nn.Linear(20, 20)
end
function FixedHidden:forward(x)
  x = self.linear(x)
  x = F.relu(torch.matmul(x, self.constant) + 1)
  x = self.linear(x) -- the same layer: shared parameters
  while x:abs():sum() > 1 do x = x / 2 end
  return x:sum()
end

local Nest = nn.class('Nest')
function Nest:init()
  self.net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
  self.linear = nn.Linear(32, 16)
end
function Nest:forward(x) return self.linear(self.net(x)) end

function tests.own_blocks()
  local x = torch.rand(2, 20)
  tester:eq(MLP()(x):size(), torch.Size { 2, 10 })
  local net = MySequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
  tester:eq(net(x):size(), torch.Size { 2, 10 })
  tester:eq(#net:parameters(), 4)
end

function tests.control_flow_and_constants()
  local net, x = FixedHidden(), torch.rand(2, 20)
  local constant = net.constant:clone()
  local y = net(x)
  y:backward()
  tester:assert(math.abs(y:item()) <= 1 and net.linear.weight.grad ~= nil)
  tester:assert(net.constant.grad == nil and equal(net.constant, constant))
  tester:eq(#net:parameters(), 2)
end

function tests.nested_containers()
  local net = nn.Sequential(Nest(), nn.Linear(16, 20), FixedHidden())
  tester:eq(net(torch.rand(2, 20)):dim(), 0)
  tester:assert(tostring(net):find('    (net): Sequential(\n      (1): Linear(in_features=20', 1, true))
end

-- ---- parameters ----------------------------------------------------------------------------------------------------

function tests.parameters_by_name_and_by_path()
  local function block() return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU()) end
  local net = nn.Sequential()
  for i = 1, 4 do net:add_module('block ' .. i, block()) end
  net:append(nn.Linear(4, 1))
  tester:eq(net(torch.rand(2, 4)):size(), torch.Size { 2, 1 })
  tester:assert(net[1][3].bias == net:get_parameter('block 1.3.bias'))
  tester:assert(equal(net:state_dict()['block 2.1.weight'], net[2][1].weight))
  tester:assert(torch.isinstance(net[5].bias, nn.Parameter) and net[5].weight.grad == nil)
  local names = {}
  for name in net[5]:named_parameters() do names[#names + 1] = name end
  tester:eq(table.concat(names, ' '), 'weight bias')
  tester:eq(net:get_submodule('block 4.1').in_features, 4)
end

function tests.initialisers()
  local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
  net:apply(function(m)
    if not torch.isinstance(m, nn.Linear) then return end
    nn.init.normal_(m.weight, 0, 0.01)
    nn.init.zeros_(m.bias)
  end)
  tester:assert(net[1].weight:abs():max():item() < 0.1 and equal(net[1].bias, torch.zeros(8)))
  net[1]:apply(function(m) nn.init.xavier_uniform_(m.weight) end)
  net[3]:apply(function(m) nn.init.constant_(m.weight, 42) end)
  tester:assert(equal(net[3].weight, torch.full({ 1, 8 }, 42)))
  torch.no_grad(function()
    net[1].weight:add_(1)
    net[1].weight[{ 1, 1 }] = 42
  end)
  tester:eq(net[1].weight[1][1]:item(), 42.0)
end

function tests.tied_parameters()
  local shared = nn.Linear(8, 8)
  local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), shared, nn.ReLU(), nn.Linear(8, 1))
  local x = torch.rand(2, 4)
  tester:eq(#net:parameters(), 6)
  tester:assert(net[3].weight == net[5].weight)
  torch.no_grad(function() net[3].weight[{ 1, 1 }] = 100 end)
  tester:eq(net[5].weight[1][1]:item(), 100.0)

  -- The gradient is the sum of those of both places.
  local apart = net:clone()
  apart[5] = apart[3]:clone()
  net(x):sum():backward()
  apart(x):sum():backward()
  torch.testing.assert_close(net[3].weight.grad, apart[3].weight.grad + apart[5].weight.grad)

  local dict = saved(net:state_dict(), 'tied.h5')
  tester:assert(dict['3.weight'] == dict['5.weight'] or dict['3.weight']:data_ptr() == dict['5.weight']:data_ptr())
  local back = saved(net, 'tied-net.h5')
  tester:assert(back[3] == back[5] and #back:parameters() == 6 and equal(back(x), net(x)))
  local tied = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
  tied[2].weight = tied[1].weight
  back = saved(tied, 'tied-weights.h5')
  tester:assert(back[1] ~= back[2] and back[1].weight == back[2].weight and back[1].bias ~= back[2].bias)
end

-- ---- deferred initialisation ---------------------------------------------------------------------------------------

function tests.deferred_initialisation()
  local net = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))
  tester:assert(tostring(net):find('LazyLinear(in_features=0, out_features=256, bias=True)', 1, true))
  tester:eq(tostring(net[1].weight), '<UninitializedParameter>')
  net(torch.rand(2, 20))
  tester:eq(net[1].weight:size(), torch.Size { 256, 20 })
  tester:eq(torch.typename(net[1]), 'nn.Linear')
  tester:assert(tostring(net):find('(3): Linear(in_features=256', 1, true))
  local lazy = saved(nn.Sequential(nn.LazyLinear(3)), 'lazy.h5')
  tester:eq(tostring(lazy[1].weight), '<UninitializedParameter>')
  tester:eq(lazy(torch.ones(2, 5)):size(), torch.Size { 2, 3 })
end

-- ---- own layers ----------------------------------------------------------------------------------------------------

local Centered = nn.class('Centered')
function Centered:forward(x) return x - x:mean() end

local MyLinear = nn.class('MyLinear')
function MyLinear:init(in_units, units)
  self.in_units, self.units = in_units, units
  self.weight = nn.Parameter(torch.randn(in_units, units))
  self.bias = nn.Parameter(torch.randn(units))
end
function MyLinear:forward(x) return F.relu(torch.matmul(x, self.weight) + self.bias) end
function MyLinear:extra_repr() return self.in_units .. ', ' .. self.units end

function tests.own_layers()
  tester:assert(equal(Centered()(torch.tensor { 1., 2, 3, 4, 5 }), torch.tensor { -2., -1, 0, 1, 2 }))
  local net = nn.Sequential(nn.Linear(8, 128), Centered())
  tester:assert(math.abs(net(torch.rand(4, 8)):mean():item()) < 1e-6)
  net = nn.Sequential(MyLinear(64, 8), MyLinear(8, 1))
  tester:eq(net(torch.rand(2, 64)):size(), torch.Size { 2, 1 })
  tester:eq(tostring(net[1]), 'MyLinear(64, 8)')
end

-- ---- files ---------------------------------------------------------------------------------------------------------

function tests.tensors_lists_and_dictionaries()
  local x, y = torch.arange(4), torch.zeros(4)
  tester:assert(equal(saved(x, 'x'), x))
  local list = saved({ x, y }, 'list')
  tester:assert(#list == 2 and equal(list[1], x) and equal(list[2], y))
  local dict = saved({ x = x, y = y, epoch = 3, name = 'run' }, 'dict')
  tester:assert(equal(dict.x, x) and equal(dict.y, y) and dict.epoch == 3 and dict.name == 'run')
end

function tests.models()
  local net, x = MLP(), torch.randn(2, 20)
  local y = net(x)
  local clone = MLP()
  clone:load_state_dict(saved(net:state_dict(), 'mlp.params'))
  clone:eval()
  tester:assert(equal(clone(x), y))
  local whole = saved(nn.Sequential(Nest(), MyLinear(16, 20), net), 'whole.h5')
  tester:assert(equal(whole[3](x), y) and whole[2].units == 20 and torch.isinstance(whole[1], Nest))
end

function tests.loading_reports_differences()
  local net = MLP()
  local dict = net:state_dict()
  local wrong = { ['hiden.weight'] = dict['hidden.weight'], ['hidden.bias'] = dict['hidden.bias'],
    ['out.weight'] = torch.zeros(3, 256), extra = torch.zeros(1) }
  local before = net.hidden.bias:clone()
  local ok, message = pcall(net.load_state_dict, net, wrong)
  tester:assert(not ok)
  for _, part in ipairs { 'does not fit MLP, nothing was loaded', "missing 'hidden.weight' (the dict has 'hiden.weight')",
    "'out.bias'", "unexpected 'extra', 'hiden.weight' (the module has 'hidden.weight')",
    "'out.weight' has shape [3, 256], the module's is [10, 256]" } do
    tester:assert(message:find(part, 1, true), part .. ' in ' .. message)
  end
  tester:assert(equal(net.hidden.bias, before))
  local result = net:load_state_dict({ ['hidden.bias'] = torch.zeros(256) }, { strict = false })
  tester:eq(#result.missing_keys, 3)
  local seq = nn.Sequential(nn.Linear(1, 1))
  tester:fails(function() seq:load_state_dict(seq:state_dict { base = 0 }) end, 'load them with {base = 0}')
end

function tests.a_class_that_nobody_has_defined()
  local file = path('unknown.h5')
  torch.save(nn.Sequential(MLP()), file)
  local program = os.getenv('LUTH_PROGRAM')
  local pipe <close> = assert(io.popen(("'%s' -e \"print(pcall(torch.load, '%s'))\" 2>&1"):format(program, file)))
  local text = pipe:read('a')
  os.remove(file)
  tester:assert(text:find("class 'MLP'", 1, true) and text:find('first require the file', 1, true), text)
end

tester:add(tests)
tester:run()
