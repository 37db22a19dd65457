-- The table of scripts/compare.sh: luth's benchmark beside a peer's, from logs that hold one JSON object a line; of several rounds
-- the fastest sample counts. Worst ratio first.
--   luth scripts/compare.lua TARGETS OUR-LOG… -- PEER-LOG… -- LIMIT-LOG…
local native = require 'luth.native'

-- name -> the line with the fastest sample; the others' peak of memory is of no interest.
local function read(path, into)
  local file = io.open(path)
  if not file then return end  -- the pattern of a shell, where nothing was measured
  for text in file:lines() do
    local ok, line = pcall(native.json_decode, text)
    local before = ok and type(line) == 'table' and into[line.name]
    if ok and line.name and (not before or (line.min or math.huge) < (before.min or math.huge)) then into[line.name] = line end
  end
  file:close()
end

local sides, side = { {}, {}, {} }, 1  -- ours, the peer's, limits
for i = 2, #arg do
  if arg[i] == '--' then side = side + 1 else read(arg[i], sides[side]) end
end
local ours, theirs, limits = table.unpack(sides)

-- ---- Targets and limits -----------------------------------------------------------------------------------------------

local targets = {}
for line in io.lines(arg[1]) do
  local pattern, ratio = line:match '^([^#].-)%s%s+(%S+)'
  if pattern then targets[#targets + 1] = { '^(' .. pattern .. ')$', tonumber(ratio) } end
end
local function target_of(name)
  for _, target in ipairs(targets) do
    if #native.matching({ name }, target[1]) > 0 then return target[2] end
  end
end

-- What reads memory or writes it alone; all else does both.
local kinds = { ['reduce/sum_'] = 'read', ['reduce/max_'] = 'read', ['reduce/argmax_'] = 'read', ['reduce/var_'] = 'read',
                ['optim/clip_grad_norm'] = 'read', ['optim/zero_grad'] = 'fill' }
local function kind_of(name)
  for start, kind in pairs(kinds) do
    if name:sub(1, #start) == start then return kind end
  end
  return 'triad'
end

-- Seconds that the machine needs at least: a library called directly, or the memory for the bytes that must be moved.
local function limit_of(name, line)
  local direct = limits['limit/' .. name]
  if direct then return direct.min end
  local rate = line['GB/s']
  if not rate then return end
  local bytes = rate * line.median * 1e9
  local size = bytes <= 2 ^ 20 and '64Ki' or bytes <= 2 ^ 25 and '1Mi' or '16Mi'
  local memory = limits['limit/' .. kind_of(name) .. '/' .. size]
  return memory and bytes / memory.best / 1e9
end

-- ---- The table --------------------------------------------------------------------------------------------------------

local function seconds(t)
  for _, unit in ipairs { { 1, 's' }, { 1e-3, 'ms' }, { 1e-6, 'us' } } do
    if t >= unit[1] then return string.format('%.3g %s', t / unit[1], unit[2]) end
  end
  return string.format('%.3g ns', t * 1e9)
end
local function megabytes(n) return string.format('%.4g MB', n) end

-- A row: name, text of both sides, ratio, text of the limit.
local rows, others = {}, {}
-- How near a time must come to the limit for that to take the target's place: libraries, called directly, are nearer than memory.
local function share_of_limit(name) return (name:find '^matmul/' or name:find '^conv/') and 0.95 or 0.9 end
local function compare(name, a, b, show, limit)
  rows[#rows + 1] = { name = name, ours = show(a), theirs = show(b), ratio = b / a, target = target_of(name),
                      at_limit = limit and limit >= a * share_of_limit(name),
                      limit = limit and string.format('%s (%.0f %%)', show(limit), 100 * limit / a) or '' }
end
for name, a in pairs(ours) do
  local b = theirs[name]
  if a.missing then
    others[#others + 1] = name .. ': ' .. a.missing
  elseif a.error or not b or b.error then
    others[#others + 1] = name .. ': ' .. (a.error or b and 'the peer failed: ' .. b.error or 'the peer has no result')
  elseif a.unit == 'MB' then
    compare(name, a.value, b.value, megabytes)
  else
    compare(name, a.min, b.min, seconds, limit_of(name, a))
    if a.rss_mb and b.rss_mb and name:find 'first_add' then compare(name .. ' memory', a.rss_mb, b.rss_mb, megabytes) end
  end
end
for name in pairs(theirs) do
  if not ours[name] then others[#others + 1] = name .. ': luth has no result' end
end
table.sort(rows, function(a, b) return a.ratio < b.ratio end)
table.sort(others)

local with_target, reached, at_limit = 0, 0, 0
print '| workload | luth | peer | peer / luth | target | | limit (limit / luth) |\n| --- | ---: | ---: | ---: | ---: | --- | ---: |'
for _, row in ipairs(rows) do
  local verdict = ''
  if row.target then
    with_target = with_target + 1
    if row.ratio >= row.target then
      reached, verdict = reached + 1, 'reached'
    elseif row.at_limit then
      at_limit, verdict = at_limit + 1, 'at the limit'
    else
      verdict = 'missed'
    end
  end
  print(string.format('| %s | %s | %s | %.2f | %s | %s | %s |', row.name, row.ours, row.theirs, row.ratio, row.target or '', verdict,
                      row.limit))
end
print(string.format('\n%d workloads compared; %d of %d targets reached%s.', #rows, reached, with_target,
                    at_limit > 0 and string.format(', %d more are at the limit of the machine', at_limit) or ''))

-- ms of forward and backward in Torch7 on two Xeon E5-2630 v3, 32 threads: https://github.com/jcjohnson/cnn-benchmarks
local torch7 = { vgg16 = 8495, vgg19 = 9849, resnet18 = 2196, resnet34 = 3965, resnet50 = 6627, resnet101 = 11306, resnet152 = 16873 }
local published = {}
for _, row in ipairs(rows) do
  local ms = torch7[row.name:match '^cnn16/(.*)$']
  if ms then published[#published + 1] = string.format('%s %d ms (luth: %s)', row.name, ms, row.ours) end
end
if #published > 0 then
  print('\nPublished for Torch7 on two Xeon E5-2630 v3 with 32 threads: ' .. table.concat(published, ', ') .. '.')
end
if #others > 0 then print('\nNot compared:\n\n- ' .. table.concat(others, '\n- ')) end
