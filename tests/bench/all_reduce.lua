-- Seconds of all_reduce by bytes; tests/bench/all_reduce.py runs it beside PyTorch and compares.
--
--     luth launch --nproc N all_reduce.lua
local now = require('luth.native').now
local dist = torch.distributed
dist.init_process_group()

-- The median of at least 8 calls, and more of small ones.
local function measure(bytes)
  local x, list = torch.ones(bytes // 4), {}
  for i = 1, math.max(8, math.min(2000, (1 << 28) // bytes)) do
    local began = now()
    dist.all_reduce(x)
    list[i] = now() - began
  end
  table.sort(list)
  return list[#list // 2 + 1]
end

for _, bytes in ipairs { 4, 1 << 20, 1 << 26 } do
  dist.barrier()
  local seconds = measure(bytes)
  if dist.get_rank() == 0 then print(string.format('%d %.9f', bytes, seconds)) end
end
