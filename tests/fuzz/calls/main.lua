-- Random programs in this process, one for each seed: `luth main.lua --seed N [--programs K] [--seconds S] [--progress FILE] [--show]`
-- ../README.md says what they must not do. calls.sh runs this in processes of their own.
package.path = arg[0]:match('^(.*)/') .. '/?.lua;' .. package.path
local options = {seed = 1, programs = 1, seconds = 1e9}
do
  local i = 1
  while arg[i] do
    local name = assert(arg[i]:match('^%-%-(%a+)$'), 'an option, not ' .. arg[i])
    if name == 'show' then options.show, i = true, i + 1
    else options[name], i = tonumber(arg[i + 1]) or arg[i + 1], i + 2 end
  end
end

local runs = require 'run'
local areas = require 'areas'
local values = require 'values'
local run = runs.new(options.show)
local progress = options.progress and assert(io.open(options.progress, 'w'))

local total = 0
for _, area in ipairs(areas) do total = total + area.weight end
local function area_of(seed)
  math.randomseed(seed)
  if options.area then
    for _, area in ipairs(areas) do if area.name == options.area then return area end end
    error('no area ' .. options.area)
  end
  local at = math.random(total)
  for _, area in ipairs(areas) do
    at = at - area.weight
    if at <= 0 then return area end
  end
end

local function resident()  -- bytes
  for line in io.lines('/proc/self/status') do
    local kb = line:match('^VmRSS:%s+(%d+)')
    if kb then return tonumber(kb) * 1024 end
  end
end

-- What programs may change and the next must find as it was.
local function begin(seed)
  torch.manual_seed(seed)
  torch.set_default_dtype(torch.float32)
  run.seed, run.pool = seed, {}
end

local function program(area)
  run.area = area.name
  area.programs, area.cut = (area.programs or 0) + 1, area.cut or 0
  local calls, fits = run.calls, run.fits
  local thread = coroutine.wrap(function() return pcall(area.program, run) end)  -- a harm may yield
  local ok, why
  repeat ok, why = thread() until type(ok) == 'boolean'
  if not ok then
    area.cut = area.cut + 1
    if options.show then io.stderr:write('cut short: ', tostring(why), '\n') end
    if type(why) == 'string' and runs.is_foreign(why) then run:fault(why) end
  end
  area.calls, area.fits = (area.calls or 0) + run.calls - calls, (area.fits or 0) + run.fits - fits
end

local memory = {}
local function note_memory()
  run.pool = {}
  collectgarbage() collectgarbage()
  torch.empty_cache('cpu')  -- what the allocator keeps for later tensors is bounded
  memory[#memory + 1] = {programs = memory.programs, tensors = torch.memory_stats().allocated, lua = collectgarbage('count') * 1024, resident = resident()}
end

-- What is alive after a full collection does not grow with the programs, but by what the hooks of a few keep.
local most = {tensors = 4 << 20, lua = 8 << 20, resident = 64 << 20}
local function check_memory()
  local first, last = memory[2], memory[#memory]
  for what, bound in values.sorted(first and most or {}) do
    if last[what] - first[what] > bound then
      run:fault(('memory grows (%s): %d bytes after %d programs, %d after %d'):format(what, first[what], first.programs, last[what], last.programs))
    end
  end
end

local start = os.time()
memory.programs = 0
for seed = options.seed, options.seed + options.programs - 1 do
  local area = area_of(seed)
  begin(seed)
  if progress then
    progress:seek('set')
    progress:write(('%20d %12d %12d\n'):format(seed, run.calls, run.fits))
    progress:flush()
  end
  program(area)
  memory.programs = memory.programs + 1
  if memory.programs % 2000 == 0 then note_memory() end
  if os.time() - start >= options.seconds then break end
end

check_memory()
for _, area in ipairs(areas) do
  if area.programs then print(('area %s %d %d %d %d'):format(area.name, area.programs, area.calls, area.fits, area.cut)) end
end
for _, m in ipairs(memory) do
  print(('memory %d programs: tensors %d, lua %d, resident %d'):format(m.programs, m.tensors, m.lua, m.resident))
end
os.exit(#run.faults == 0 and 0 or 1, true)
