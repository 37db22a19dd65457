-- nn.functional.linear beside float64: the product adds the bias itself, in whole and broken panels, at each depth that is divided.
local t, s = torch.Tester(), torch.TestSuite()
local F = torch.nn.functional

local function near(x, w, b)
  local function wide(v) return v:to(torch.float64) end
  local exact = torch.matmul(wide(x), wide(w):t()) + wide(b)
  local error = (wide(F.linear(x, w, b)) - exact):abs():max():item()
  t:assert(error <= 1e-4, ('%d x %d x %d: off by %g'):format(x:size(1), w:size(1), x:size(2), error))
end

function s.bias()
  for _, shape in ipairs { { 1, 5, 7 }, { 3, 300, 40 }, { 16, 33, 300 }, { 130, 64, 64 }, { 129, 70, 513 }, { 300, 1, 20 }, { 40, 90, 0 } } do
    local m, n, k = table.unpack(shape)
    local x, w = torch.randn(m, k), torch.randn(n, k)
    near(x, w, torch.randn(n))
    near(x, w, torch.randn(2 * n)[{ { 1, -1, 2 } }])
    near(torch.randn(k, m):t(), torch.randn(k, n):t(), torch.randn(n))
    t:eq(F.linear(x:to(torch.int32), w:to(torch.int32), torch.ones(n, { dtype = torch.int32 })),
         torch.matmul(x:to(torch.int32), w:to(torch.int32):t()) + 1)
  end
end

-- The row is added once, whichever threads compute which part.
function s.threads()
  local x, w, b = torch.randn(300, 700), torch.randn(200, 700), torch.randn(200)
  local before, results = torch.get_num_threads(), {}
  for n = 1, 3 do
    torch.set_num_threads(n)
    results[n] = F.linear(x, w, b)
  end
  torch.set_num_threads(before)
  t:eq(results[2], results[1])
  t:eq(results[3], results[1])
end

t:add(s):run()
