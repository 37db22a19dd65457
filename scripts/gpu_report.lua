-- The table of scripts/gpu_check.sh: luth's benchmark beside a peer's, from DIR/bench-*.log and DIR/peer-*.log, which hold
-- one JSON object a line. Of several rounds the fastest median counts.
--   luth scripts/gpu_report.lua DIR
local dir = arg[1] or error 'which folder? luth scripts/gpu_report.lua DIR'

-- name -> { seconds = …, value = …, unit = … }, and the names in order
local function read(prefix)
  local found, order = {}, {}
  for round = 1, 9 do
    local file = io.open(string.format('%s/%s-%d.log', dir, prefix, round))
    if not file then break end
    for line in file:lines() do
      local name, seconds = line:match '"name": ?"([^"]+)"', tonumber(line:match '"median": ?([%d.e+-]+)')
      if name and seconds and not line:match '"error"' then
        if not found[name] then order[#order + 1] = name end
        if not found[name] or seconds < found[name].seconds then
          found[name] = {
            seconds = seconds, value = tonumber(line:match '"value": ?([%d.e+-]+)'), unit = line:match '"unit": ?"([^"]+)"',
          }
        end
      end
    end
    file:close()
  end
  return found, order
end

local ours, order = read 'bench'
local theirs = read 'peer'
print '\n| workload | luth | unit | peer | luth is faster by |\n| --- | ---: | --- | ---: | ---: |'
for _, name in ipairs(order) do
  local a, b = ours[name], theirs[name]
  print(string.format('| %s | %.4g | %s | %s | %s |', name, a.value, a.unit, b and string.format('%.4g', b.value) or '',
                      b and string.format('%.2f', b.seconds / a.seconds) or ''))
end
