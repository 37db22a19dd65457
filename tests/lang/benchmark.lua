-- torch.utils.clock and torch.utils.benchmark.
local start = torch.utils.clock()
assert(math.type(start) == 'float' and torch.utils.clock() >= start)

local calls, setups = 0, 0
local t = torch.utils.benchmark.Timer { stmt = function() calls = calls + 1 end, setup = function() setups = setups + 1 end }
local m = t:timeit(100)
assert(calls == 102 and setups == 2, calls)
assert(m.number_per_run == 100 and #m.times == 1 and m.mean == m.times[1] and m.mean == m.median and m.std == 0)
assert(tostring(m):find '^stmt\n  %S+ %a+\n  1 measurement, 100 runs per measurement, 1 thread$', tostring(m))

local text = torch.utils.benchmark.Timer { stmt = 'seen = x + y', globals = { x = 2, seen = 0 }, label = 'sum' }
y = 3
m = text:blocked_autorange { min_run_time = 0.01 }
assert(#m.times >= 1 and m.iqr >= 0 and tostring(m):find '^sum\n', tostring(m))

m = setmetatable({ times = { 1, 2, 3, 4 } }, getmetatable(m))
assert(m.median == 2.5 and m.iqr == 1.5 and m.mean == 2.5 and math.abs(m.std - 1.2909944487) < 1e-9)

local before = torch.get_num_threads()
torch.utils.benchmark.Timer { stmt = function() assert(torch.get_num_threads() == 2) end, num_threads = 2 }:timeit(1)
assert(torch.get_num_threads() == before)

local function refuses(pattern, f, ...)
  local ok, e = pcall(f, ...)
  assert(not ok and tostring(e):find(pattern), tostring(e))
end
refuses('unknown argument .number.', torch.utils.benchmark.Timer, { stmt = print, number = 1 })
refuses('stmt is a function or Lua text, got nil', torch.utils.benchmark.Timer, {})
refuses('unexpected symbol', torch.utils.benchmark.Timer, { stmt = 'x = = 1' })
refuses('expects a table', torch.utils.benchmark.Timer, 'x')
