-- Seconds of loading a file; tests/bench/load.py runs it beside PyTorch and compares.
--
--     luth load.lua FILE ROUNDS [trusted]     the median, after one load that is not counted
--     luth load.lua FILE make MB              a file of 61 random tensors of MB megabytes together
local now = require('luth.native').now
local path, what, more = arg[1], arg[2], arg[3]

if what == 'make' then
  local each = tonumber(more) * 1000000 // 4 // 61
  local tensors = {}
  for i = 1, 61 do tensors['layer' .. i] = torch.randn(each) end
  torch.save(tensors, path)
  os.exit()
end

local list = {}
for i = 0, tonumber(what) do
  collectgarbage()
  local began = now()
  local loaded = torch.load(path, { trusted = more == 'trusted' })
  for _, x in pairs(loaded) do x:view(-1)[1]:item() end
  list[i] = now() - began
end
table.sort(list)
print(string.format('%.6f', list[#list // 2 + 1]))
