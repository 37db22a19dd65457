-- What the collector costs, on the cases that lang/collector/pacer.cpp was tuned for. Run: luth tests/bench/collector.lua
--   small    additions of 10 elements: time per call, tensors alive at the end
--   large    3,000 temporaries of 4 MB: seconds, peak memory
--   medium   chains of temporaries of 256 KB, of which all live to the end of their chain: time per call, peak memory
--   beside   small and large again with a million Lua tables alive
local function peak() return torch.memory_stats().peak / 2 ^ 20 end

local function small(label)
  local x, n = torch.ones(10), 1000000
  for _ = 1, 10000 do local _ = x + x end
  local start = os.clock()
  for _ = 1, n do local _ = x + x end
  print(string.format('%-28s %6.0f ns per call', 'small' .. label, (os.clock() - start) / n * 1e9))
end

local function recorded(label)
  local x, n = torch.ones(10, {requires_grad = true}), 500000
  for _ = 1, 10000 do local _ = x + x end
  local start = os.clock()
  for _ = 1, n do local _ = x + x end
  print(string.format('%-28s %6.0f ns per call', 'small, recorded' .. label, (os.clock() - start) / n * 1e9))
end

local function large(label)
  collectgarbage()
  torch.reset_peak_memory_stats()
  local start = os.clock()
  for _ = 1, 3000 do local _ = torch.empty(1024, 1024) end
  print(string.format('%-28s %6.3f s, peak %.0f MB', 'large' .. label, os.clock() - start, peak()))
end

local function medium(links)
  collectgarbage()
  torch.reset_peak_memory_stats()
  local x, chains = torch.randn(65536), 20000 // links
  local start = os.clock()
  for _ = 1, chains do
    local chain = {[0] = x}
    for i = 1, links do chain[i] = chain[i - 1] + 1 end
  end
  local time = (os.clock() - start) / chains / links * 1e6
  print(string.format('%-28s %6.1f us per call, peak %.0f MB', 'medium, of ' .. links, time, peak()))
end

small '' recorded '' large ''
for _, links in ipairs {1, 2, 4, 8, 16} do medium(links) end
local big = {}
for i = 1, 1000000 do big[i] = {i} end
small ', beside 1M tables' recorded ', beside 1M tables' large ', beside 1M tables'
assert(#big == 1000000)
