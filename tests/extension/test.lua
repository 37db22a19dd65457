-- The library as scripts see it; the path of libmine.so is the first argument.
local t, s = torch.Tester(), torch.TestSuite()
local folder = arg[1]
package.cpath = folder .. '/?.so;' .. package.cpath
local mine = require 'mine'
torch.ops.load_library(folder .. '/libmine.so') -- a second time changes nothing

function s.functions_and_methods()
  local x = torch.ones(2, 3)
  t:assert(mine == torch.ops.mine and torch.equal(mine.affine(x, 3, { b = 1 }), x * 4))
  t:assert(torch.equal(x:mine_affine { a = 2 }, x * 2) and torch.equal(x, torch.ones(2, 3)))
  x:mine_affine_(5)
  t:assert(torch.equal(x, torch.full({ 2, 3 }, 5)))
  t:assert(torch.equal(torch.ops.mine.affine(x:t(), 2), x:t() * 2))
end

function s.errors()
  t:fails(function() mine.affine('x') end, 'affine', "string 'x'")
  t:fails(function() mine.affine(torch.ones(2), { c = 1 }) end, "'c'")
  t:fails(function() mine.affine(torch.ones(2):long()) end, 'ops.mine.affine(int64[2])', 'float32 or float64')
  t:fails(function() nn.mine.Rescale(0) end, 'features')
end

function s.gradients()
  local x = torch.randn(3, 2, { dtype = 'float64', requires_grad = true })
  t:assert(torch.autograd.gradcheck(function(v) return mine.affine(v, 3, 1) end, { x }))
  t:assert(torch.autograd.gradgradcheck(function(v) return mine.affine(v * v, 3, 1) end, { x }))
end

function s.modules()
  local net = nn.Sequential(nn.Linear(2, 3), nn.mine.Rescale(3, { a = 2 }))
  t:eq(tostring(net[2]), 'mine.Rescale(features=3, a=2.0, b=0.0)')
  net(torch.ones(1, 2)):sum():backward()
  t:assert(net[2].weight.grad ~= nil)
  t:assert(net:state_dict()['2.weight'] ~= nil)
  local file = os.tmpname()
  torch.save(net, file)
  local back = torch.load(file)
  os.remove(file)
  t:assert(torch.equal(back(torch.ones(1, 2)), net(torch.ones(1, 2))) and torch.isinstance(back[2], nn.mine.Rescale))
end

if torch.cuda.is_available() then
  function s.cuda()
    local x = torch.randn(1000)
    t:assert(torch.equal(mine.affine(x:cuda(), 2, 1):cpu(), mine.affine(x, 2, 1)))
  end
end

t:add(s)
t:run()
