-- luth check: what it finds, and what it leaves alone.
local check = require 'luth.check'
local t, s = torch.Tester(), torch.TestSuite()

-- Each line that ends in `--! text` must have a finding that contains the text; no other line may have one.
local function expect(code)
  local expected, found = {}, {}
  local n = 0
  for line in (code .. '\n'):gmatch('(.-)\n') do
    n = n + 1
    expected[n] = line:match('%-%-! (.*)$')
  end
  for _, finding in ipairs(check.text(code)) do
    local want = expected[finding.line]
    t:assert(want and finding.text:find(want, 1, true), string.format('line %d: %s', finding.line, finding.text))
    found[finding.line] = true
  end
  for line, text in pairs(expected) do
    t:assert(found[line], string.format('line %d: nothing found, expected %s', line, text))
  end
end

function s.conditions()
  expect [[
local x, y = torch.ones(3), torch.zeros(3)
if x:gt(0) then print(1) end --! a tensor is always true
if x then print(1) end --! x:item()
while (y + 1) do break end --! while
repeat local mask = x:lt(0) until mask --! until
if not x:gt(0) then print(1) end --! not of a tensor
if not (x == y) then print(1) end
if not x == y then print(1) end --! write a ~= b
local a = x:gt(0) and x:lt(1) --! torch.logical_and
]]
end

function s.joined_comparisons()
  expect [[
local function f(x, y, n)
  local mask = x:gt(0) and y:lt(1) --! a & b
end
]]
end

-- A tensor on the left of `and` and `or` is true, whatever stands on the right.
function s.tensors_before_and_or()
  expect [[
local x, y, n = torch.randn(3), torch.randn(3), 0
local a = x:sum() and 1 --! x:sum() is a tensor, which is always true, so 'and' gives what follows it
local b = x:sum() or 0 --! so 'or' never gives what follows it
local c = x or y --! between tensors
local d = torch.sigmoid(x) or n --! torch.sigmoid(…) is a tensor
local e = not x --! not of a tensor
local t = {x, n = (x:mean()) and 1} --! x:mean() is a tensor
print(x:sum() == 3 and 'ok' or 'bad') --! == between a tensor and a number
print(x:sum() > 0 and 'ok' or 'bad', n > 0 and x or y, x:gt(0):any() and 1 or 2, x:sum():item() and 1)
return x and 1 --! x is a tensor
]]
end

function s.asserts()
  expect [[
local x = torch.ones(3)
assert(x:eq(1)) --! assert x:eq(…): a tensor is always true
assert(x:sum() == 3, 'sum') --! between a tensor and a number
assert(x:eq(1):all() and x:dim() == 1, 'one')
local y = assert(torch.load('x.h5'))
]]
end

-- Results after the first, rows, what may be nil, and what is surely a tensor though its origin is not known.
function s.what_is_a_tensor()
  expect [[
local x = torch.arange(6):reshape(2, 3)
local most, where = x:max(1)
if most == 1 then print(1) end --! == between
if where == 1 then print(1) end --! == between
local _, index = torch.topk(x, 2)
if index then print(1) end --! always true
local one, none = x:sum(), 1
if none == 1 then print(one) end
for i, row in ipairs(x) do
  if row == 0 then print(i) end --! == between
  if i == 0 then print(i) end
end
for i, row in ipairs {1, 2} do
  if row == 0 then print(i) end
end
local best
for i = 1, 2 do
  if best then print(best) end
  if best == 0 then print(i) end --! == between
  best = x[i]:sum()
end
local function f(net, v)
  if net(v):argmax(2) == 1 then print(1) end --! == between
  if v:gt(0):all(1) then print(1) end --! always true
  if v:gt(0):all() then print(1) end
  if net.items:max() == 1 then print(1) end
end
local loss = x:float():mean()
if loss ~= loss then print('nan') end --! loss:isnan():any()
if loss == math.huge then print(1) end --! between a tensor and a number
if loss == math.floor(3.5) then print(1) end --! between a tensor and a number
if loss == tostring(1) then print(1) end --! between a tensor and a string
local count
count = count + 1
if count == 1 then print(1) end
]]
end

-- Scripts in which all is as it is meant.
function s.nothing_to_tell()
  expect [[
local Net = nn.class('Net')
function Net:init(hidden) self.fc, self.out = nn.Linear(2, hidden), nn.Linear(hidden, 1) end
function Net:forward(x, mask)
  local h = self.fc(x):relu()
  if mask then h = h * mask end
  return mask and self.out(h) * mask or self.out(h)
end
local net, best, total = Net(4), math.huge, 0
local opt = optim.SGD(net:parameters(), {lr = 0.1})
for x, y in data.DataLoader(data.TensorDataset(torch.ones(4, 2), torch.ones(4)), {batch_size = 2}) do
  local loss = F.mse_loss(net(x), y)
  if loss:isnan():any() or loss > 1e3 then break end
  opt:zero_grad()
  loss:backward()
  opt:step()
  if loss < best then best = loss:item() end
  total = total + loss:item()
  if total == 0 then print(total) end
end
local function accuracy(x, y)
  local _ <close> = torch.no_grad()
  local right = net(x):argmax(2):eq(y):sum():item()
  return right == #y and 1 or right / #y
end
local state = torch.load and {best = best} or nil
if state and state.best == best then print(accuracy(torch.ones(1, 2), torch.ones(1))) end
local ok, message = pcall(function() return net(torch.ones(1, 3)) end)
if not ok and message then print(message) end
print(torch.equal(torch.ones(1), torch.ones(1)) and torch.is_tensor(net) or torch.ones(1):is_contiguous())
]]
end

function s.conditions_that_are_meant()
  expect [[
local function f(x, opt)
  local loss
  for i = 1, 3 do
    if loss then print(loss) end
    loss = x:sum()
  end
  if x then x = x:sum() end
  local y = torch.ones(2)
  local w = opt.w or torch.ones(2)
  if w then print(w) end
  if y:gt(0):all() and y:item() > 0 and y:size(1) == 2 and y:dim() == 1 then print(1) end
  if torch.equal(x, y) or y:any() or torch.is_tensor(x) then print(2) end
  local maybe = torch.ones(1)
  maybe = nil
  if maybe then print(3) end
  if y.requires_grad then print(4) end
  return not opt.x and y or x, #y == 2, "if y:gt(0) then", 'x = 1' --[=[ y == 1 ]=]
end
]]
end

function s.equality()
  expect [[
local x = torch.ones(3)
local count = 0
if x == 1 then print(1) end --! == between a tensor and a number
print(x:sum() ~= count) --! always true
print(1 == x[2]) --! x:eq(y)
print(x:sum():item() == 3, x == x, #x == 3, x.shape == torch.Size{3})
print(x:all() == true, x == nil)
if x.dtype == 'float32' then print(1) end --! x.dtype == torch.float32
if x.device ~= 'cpu' then print(1) end --! x.device.type
print(x.dtype == torch.float32, x.device == torch.device('cpu'), x.device.type == 'cpu', tostring(x.dtype) == 'torch.int64')
local e = not x.grad == 1 --! not a == b is (not a) == b
]]
end

function s.globals()
  expect [[
count = 0 --! 'count' is a global
count = count + 1
local total = 0
function helper() end
local function f()
  totl = total --! 'totl' is a global
  total = 1
  function inner() end --! 'inner' is a global
  _G.meant = 1
end
print = f --! of Lua or luth
for i = 1, 2 do last = i end --! 'last'
F.mine, torch.extra = f, f
print(F.mine, torch.extra)
]]
end

function s.scopes()
  expect [[
torch.no_grad() --! never closed
local _ = torch.no_grad() --! local _ <close> = torch.no_grad()
local unused = torch.autocast('cpu', {dtype = torch.bfloat16}) --! never closed
torch.inference_mode(true) --! never closed
torch.device('cpu'):scope() --! never closed
local _ <close> = torch.no_grad()
local scope = torch.no_grad()
scope:close()
torch.no_grad(function() return 1 end)
torch.autocast('cpu', print, 1)
torch.set_grad_enabled(false)
local function open() return torch.no_grad() end
]]
end

function s.names()
  expect [[
local x = torch.zeors(3) --! did you mean 'zeros'
local n = nn.Liner(1, 2) --! did you mean 'Linear'
local c = nn.SpatialConvolution(1, 1, 3) --! nn.Conv2d
local y = torch.ones(1):expandAs(x) --! x:expand_as(y)
print(torch.float23) --! did you mean 'float32'
local torch = { zeors = 1 }
print(torch.zeors)
]]
end

function s.dots_and_colons()
  expect [[
local x = torch.ones(3)
local model = nn.Linear(3, 1) .. nn.ReLU()
local opt = optim.SGD(model:parameters(), {lr = 0.1})
print(x.sum()) --! x:sum()
print(torch.Tensor.sum(x), x.sum(x))
model.zero_grad() --! model:zero_grad()
opt.step() --! opt:step()
local function train(loss, t)
  loss.backward() --! loss:backward()
  t.run(1)
end
print(torch:ones(3)) --! torch.ones(
print(x:shape()) --! shape is a field
]]
end

function s.syntax_errors()
  local findings = check.text('local x = 1\nx += 1\n')
  t:eq(#findings, 1)
  t:eq(findings[1].line, 2)
  t:assert(findings[1].text:find('x = x + 1', 1, true))
  t:eq(check.text('#!/usr/bin/env luth\nlocal x = 1\nprint(x)'), {})
  t:eq(check.text('\xEF\xBB\xBFreturn 1'), {})
  t:eq(check.text(''), {})
end

function s.names_within_lists()
  expect [[
local x = torch.zeros {3, dtype = torch.int64} --! torch.zeros: the list has the key 'dtype'
local y = torch.cat {x, x, dim = 1} --! named arguments go into a table of their own: {dim = …}
local z = x:sum {1, keepdim = true} --! sum: the list has the key 'keepdim'
print(torch.cat({x, x}, {dim = 1}), x:sum {dim = 1}, torch.zeros {3, 4}, y, z)
local model = nn.Sequential {nn.Linear(1, 1), name = 2}
print(model, {x, n = 1})
]]
end

-- All of Lua's grammar passes the parser, with lines counted through strings and comments.
function s.grammar()
  expect [===[
local a <const>, b, f, t = 0x1p4, 1e-3 .. 0xFp-2 .. .5
goto out
do local t = {1, [2] = 3; x = 4, f 'a', f {1}, f [[long
string]], -2 ^ -3, not nil == false, ~5 ~ 6, 7 // 8 >> 1 << 2 & 3 | 4, 0x1e+5, ...} end
::out::
local function f(a, ...) return select('#', ...), (...) end
function t.a.b:c(x) return self, x end
for k, v in pairs {} do if k then break elseif v then else end end
--[==[ if torch.ones(1) then end ]=] ]]==]
local s = "\"--" .. '\'' .. [=[ ]] ]=] ; local z = torch.ones(2)
if z then end --! always true
]===]
end

-- Each part of a chain is looked at once: where it was looked at once more for each part behind it, these took minutes.
function s.long_chains()
  for _, part in ipairs { '.b', ':b()', '.b(x)', ' + x', ' and x' } do
    t:eq(check.text('local x = 1\nlocal a = x' .. part:rep(20000) .. '\nif a then return x' .. part:rep(20000) .. ' end'), {})
  end
end

function s.deep_nests()
  local findings = check.text('return ' .. ('('):rep(300) .. '1' .. (')'):rep(300))
  t:assert(#findings == 1 and findings[1].text:find('overflow', 1, true) and not findings[1].text:find('\n', 1, true))
  findings = check.text('return x' .. ('.b'):rep(200000))
  t:assert(#findings == 1 and findings[1].text:find('too many parts', 1, true))
end

function s.globals_that_nothing_sets()
  expect [[
print(undefined_name) --! the global 'undefined_name' is nil: nothing sets it
print(pint) --! did you mean 'print'?
if jit then print(jit.version) end
local x = maybe or 1
y = 2 --! 'y' is a global
print(y, arg[1], _VERSION, other == nil, other)
]]
end

function s.positions_and_iteration()
  expect [[
local x, list = torch.ones(3), { 1, 2 }
print(x[0], list[0]) --! positions count from 1
print(x[{ {}, 0 }]) --! positions count from 1
for i in list do print(i) end --! write ipairs(…)
for row in x do print(row) end --! write ipairs(…) for its rows
for i in pairs(list) do print(i) end
]]
end

function s.named_arguments()
  expect [[
local x = torch.ones(3)
local a = nn.Linear(2, 3, { bais = false }) --! nn.Linear has no argument 'bais'; did you mean 'bias'?
local b = x:sum(1, { keepdims = true }) --! did you mean 'keepdim'?
local c = F.relu(x, { inplace = true })
local d = optim.SGD(a:parameters(), { lr = 0.1, momentun = 0.9 }) --! did you mean 'momentum'?
local e = data.DataLoader(d, { batch_size = 2, [1] = 2 })
return a(x), b, c, e, torch.save(x, 'x'), { any = 1 }
]]
end

function s.dropped_results()
  expect [[
local x = torch.ones(3)
x:add(1) --! x:add gives a new tensor, which is dropped here: write local y = x:add(…), or x:add_(…)
torch.exp(x) --! torch.exp gives a new tensor
x:to('cuda') --! x:to gives a new tensor, which is dropped here: write local y = x:to(…)
x:float() --! dropped here
x:view(-1) --! dropped here
nn.Linear(1, 1):to('cpu')
x:add_(1)
F.embedding(torch.tensor {1}, torch.ones(2, 2), nil, 1.)
x:requires_grad_()
torch.exp(x, { out = x })
torch.randn(3)
pcall(function() x:add(1) end)
x:backward()
]]
end

-- What looks like a mistake and is none.
function s.objects_of_the_users()
  expect [[
local stack = setmetatable({}, { __call = next })
for k in stack do print(k) end
local account = setmetatable({}, { __index = { add = print, to = print, __init = print } })
account:add(3)
account:to(4)
local zero = { [0] = 'a', 'b' }
print(zero[0]);
(print)('x')
local Maker = {}
function Maker:__init() end
function Maker.forward(x) return x end
local a, b, y = nn.Linear(2, 2), nn.Linear(2, 2), torch.tensor { 1, 2 }
local both = optim.SGD({ { params = a:parameters() }, { params = b:parameters(), lr = 0.1 } }, { lr = 0.2 })
for i, p in ipairs(a:parameters()) do print(i, p, both) end
print(nn.Sequential(b, nn.ReLU())(a(torch.ones(2))), Maker, F.cross_entropy(a(y:float()), y))
function torch.Tensor.twice(x) return x * 2 end
print(y:twice(), optim.cg(print, y, { maxIter = 3 }))
]]
  expect [[
torch.ops.load_library 'libmine.so'
print(nn.mine.Rescale(1), torch.ones(1):mine_affine())
]]
end

function s.a_line_that_goes_on()
  expect [[
local f = print
(f or error)('x') --! goes on with the line above
f(
  'x')
]]
end

function s.classes_of_torch7()
  expect [[
local Net, Parent = nn.class('Net')
function Net:__init() end --! the constructor of a class is Net:init
function Net.forward(x) return x end --! write function Net:forward(x)
function Net.helper(x) return x end
return Net
]]
end

function s.training()
  expect [[
local x, labels = torch.ones(2, 3), torch.tensor { 1.0, 2.0 }
local loss = nn.CrossEntropyLoss()(x, labels) --! the labels are floats
loss = F.cross_entropy(x, torch.tensor { 1, 2 })
loss = F.cross_entropy(x, torch.tensor({ 1, 2 }):float()) --! the labels are floats
loss = F.nll_loss(x, torch.tensor({ 1, 2 }, { dtype = torch.float32 })) --! the labels are floats
loss = F.nll_loss(x, torch.tensor({ 1, 2 }, { dtype = torch.int32 }))
loss = F.cross_entropy(x, torch.ones(2, 3)) + F.cross_entropy(x, torch.tensor { { 0.5, 0.5, 0 }, { 1, 0, 0 } })
local used, other = nn.Linear(3, 3), nn.Linear(3, 3)
local opt = optim.SGD(other:parameters()) --! nothing calls 'other'
local right = optim.SGD(used:parameters())
return used(x), opt, right, loss
]]
end

-- All that is found in the tests of the language is meant to be a mistake, and is caught there: outside of such calls are so many.
function s.the_tests_themselves()
  local meant = { ['benchmark.lua'] = 1, ['binding.lua'] = 1, ['checkpoint.lua'] = 1, ['cuda.lua'] = 1, ['cycles.lua'] = 1, ['face.lua'] = 1, ['module_objects.lua'] = 3,
                  ['profiler.lua'] = 1, ['pytorch_edges.lua'] = 4 }
  local folder = arg[0]:match '^(.*)/' or '.'
  local list, count = io.popen(("ls '%s'"):format(folder)), 0
  for name in list:lines() do
    if name:find '%.lua$' and name ~= 'hints.lua' then  -- which has little else
      local file = assert(io.open(folder .. '/' .. name))
      local text = file:read 'a'
      file:close()
      local lines, found = {}, {}
      for line in (text .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = line end
      for _, finding in ipairs((check.text(text))) do
        if not lines[finding.line]:find 'fails%(' and not lines[finding.line]:find 'pcall%(' then
          found[#found + 1] = ('%s:%d: %s'):format(name, finding.line, finding.text)
        end
      end
      count = count + 1
      t:eq(#found, meant[name] or 0, table.concat(found, '\n'))
    end
  end
  list:close()
  t:assert(count > 50)
end

t:add(s):run()
