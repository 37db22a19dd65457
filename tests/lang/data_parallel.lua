-- nn.DataParallel without a GPU: it calls the module.
local t, s = torch.Tester(), torch.TestSuite()

function s.callsTheModule()
  local m = nn.Linear(3, 2)
  local dp = nn.DataParallel(m, { device_ids = { 0, 1 } })
  local x = torch.randn(4, 3)
  t:assert(torch.equal(dp(x), m(x)))
  dp(x):sum():backward()
  t:assert(m.weight.grad ~= nil and dp.module == m)
  dp:load_state_dict(m:state_dict())
end

t:add(s)
t:run()
