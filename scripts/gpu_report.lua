-- The table of scripts/gpu_check.sh: luth's benchmark beside a peer's, from logs that hold one JSON object a line. Of several
-- rounds the fastest median counts. GB/s are of the traffic that cannot be avoided, as the peer counts it, and stand beside
-- the best that a copy reaches here.
--   luth scripts/gpu_report.lua WORKLOADS OUR-LOG… -- PEER-LOG…
local names = arg[1] or error 'luth scripts/gpu_report.lua WORKLOADS OUR-LOG… -- PEER-LOG…'
local ours, theirs = {}, {}  -- name -> { seconds = …, value = …, unit = …, rate = … }, rate in GB/s

local function read(path, into)
  local file = io.open(path)
  if not file then return end  -- the pattern of a shell, where nothing was measured
  for line in file:lines() do
    local function number(key) return tonumber(line:match('"' .. key .. '": ?([%d.e+-]+)')) end
    local name, seconds = line:match '"name": ?"([^"]+)"', number 'median'
    if name and seconds and not line:match '"error"' and seconds < (into[name] or { seconds = math.huge }).seconds then
      into[name] = { seconds = seconds, value = number 'value', unit = line:match '"unit": ?"([^"]+)"', rate = number 'GB/s' }
    end
  end
  file:close()
end

local into = ours
for i = 2, #arg do
  if arg[i] == '--' then into = theirs else read(arg[i], into) end
end

local ceiling = ours['gpu/copy_256MB'] and ours['gpu/copy_256MB'].value
-- GB/s of luth, by its own count or the peer's of the same work.
local function rate(a, b)
  if a.unit == 'GB/s' then return a.value end
  return b and b.rate and b.rate * b.seconds / a.seconds
end

local function shown(format, value) return value and string.format(format, value) or '' end
print '\n| workload | luth | unit | peer | luth is faster by | GB/s | of a copy |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |'
local missing = {}
for name in io.lines(names) do
  local a, b = ours[name], theirs[name]
  if a then
    local r = rate(a, b)
    print(string.format('| %s | %.4g | %s | %s | %s | %s | %s |', name, a.value, a.unit, shown('%.4g', b and b.value),
                        shown('%.2f', b and b.seconds / a.seconds), shown('%.0f', r), shown('%.0f %%', r and ceiling and 100 * r / ceiling)))
  else
    missing[#missing + 1] = name
  end
end
if #missing > 0 then print('\nNot measured: ' .. table.concat(missing, ' ')) end
