-- Batches of products of small matrices, and tall ones of few columns, beside sums in float64: by size, layout and dtype.
local t, s = torch.Tester(), torch.TestSuite()

local digits = { [torch.float16] = 2 ^ -11, [torch.bfloat16] = 2 ^ -8, [torch.float32] = 2 ^ -23, [torch.float64] = 2 ^ -52,
  [torch.int64] = 0, [torch.int8] = 0 }
local function random(dtype, ...)
  return digits[dtype] == 0 and torch.randint(0, 3, { ... }):to(dtype) or torch.randn(...):to(dtype)
end
local layouts = { function(dtype, b, m, n) return random(dtype, b, m, n) end,
  function(dtype, b, m, n) return random(dtype, b, n, m):transpose(2, 3) end,
  function(dtype, b, m, n) return random(dtype, m, n):expand(b, m, n) end,
  function(dtype, b, m, n) return random(dtype, n, m):t():expand(b, m, n) end,
  function(dtype, b, m, n) return random(dtype, b, m, 2 * n + 1)[{ {}, {}, { 2, -1, 2 } }] end,
  function(dtype, b, m, n) return random(dtype, m, b, n):transpose(1, 2) end }

local function exact(a, b) return (a:to(torch.float64):unsqueeze(-1) * b:to(torch.float64):unsqueeze(-3)):sum(-2) end
-- `grown`: the product of the magnitudes
local function bound(a, b, grown)
  local each = math.min(digits[a.dtype], 2 ^ -23)
  return grown * (a:size(-1) + 4) * each + grown * digits[a.dtype] + (a.dtype == torch.float16 and 2 ^ -24 or 0)
end
local function check(y, a, b, what)
  t:eq(y.dtype, a.dtype)
  local excess = (y:to(torch.float64) - exact(a, b)):abs() - bound(a, b, exact(a:abs(), b:abs()))
  t:assert(excess:max():item() <= 0, what)
end

local sizes = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 17 }
local function each_size(f)
  for i, m in ipairs(sizes) do
    for j, n in ipairs(sizes) do
      for l, k in ipairs(sizes) do f(m, n, k, i + 3 * j + 5 * l) end
    end
  end
end

function s.batches()
  for dtype in pairs(digits) do
    each_size(function(m, n, k, turn)
      if dtype ~= torch.float32 and turn % 5 > 0 then return end
      local a, b = layouts[turn % 6 + 1](dtype, 37, m, k), layouts[turn // 6 % 6 + 1](dtype, 37, k, n)
      check(torch.bmm(a, b), a, b, ('%s, %d x %d x %d, turn %d'):format(dtype, m, n, k, turn))
    end)
  end
end

function s.tall()
  for dtype in pairs(digits) do
    for n = 1, 9 do
      for _, k in ipairs { 1, 3, 16, 17 } do
        local a, b = layouts[n % 2 + 1](dtype, 1, 60 + 13 * n, k), layouts[k % 2 + 1](dtype, 1, k, n)
        check(torch.mm(a[1], b[1]), a[1], b[1], ('%s, %d columns, depth %d'):format(dtype, n, k))
      end
    end
  end
end

function s.what_is_added()
  for _, dtype in ipairs { torch.float32, torch.int64 } do
    for n = 1, 9 do
      local a, b, c = random(dtype, 300, 3, n), random(dtype, 300, n, 3), random(dtype, 300, 3, 3)
      local want = c:to(torch.float64) * 2 + exact(a, b) * 3
      t:assert((torch.baddbmm(c, a, b, { beta = 2, alpha = 3 }) - want):abs():max():item() < 1e-4)
    end
  end
end

function s.empty()
  t:assert(torch.bmm(torch.ones(5, 3, 0), torch.ones(5, 0, 2)):eq(0):all())
  t:assert(torch.mm(torch.ones(100, 0), torch.ones(0, 2)):eq(0):all())
  t:eq(torch.bmm(torch.ones(0, 3, 2), torch.ones(0, 2, 4)):numel(), 0)
end

-- in their rows and columns alone
function s.nan_and_infinity()
  local a, b = torch.rand(9, 3, 5), torch.rand(9, 5, 3)
  a[{ 4, 2, 3 }], b[{ 6, 1, 2 }] = 0 / 0, math.huge
  local y = torch.bmm(a, b)
  t:eq({ y:isnan():sum():item(), y:isinf():sum():item() }, { 3, 3 })
  local tall = torch.rand(100, 3)
  tall[{ 50, 2 }] = 0 / 0
  t:eq(torch.mm(tall, torch.rand(3, 3)):isnan():sum():item(), 3)
end

function s.threads()
  local before = torch.get_num_threads()
  local function both(f)
    torch.set_num_threads(1)
    local one = f()
    torch.set_num_threads(2)
    t:assert(torch.equal(one, f()))
  end
  for _, size in ipairs { { 3, 3, 3 }, { 5, 7, 2 }, { 1, 2, 16 } } do
    local m, n, k = table.unpack(size)
    local a, b = torch.randn(19999, m, k), torch.randn(19999, k, n)
    both(function() return torch.bmm(a, b) end)
  end
  local a, b = torch.randn(9999, 5), torch.randn(5, 3)
  both(function() return torch.mm(a, b) end)
  torch.set_num_threads(before)
end

t:add(s):run()
