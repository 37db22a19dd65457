-- luth bench --check FILE: instructions of small calls, counted by callgrind within the call, beside those in FILE, so that a change
-- that makes an operator's call longer is seen without timing anything. FILE is JSON: compiler, and name -> instructions of a call;
-- --json prints such an object of this build, and does not read FILE. Kernels are those of v3, on one thread, so that counts are the same on every
-- machine with AVX2.
local native = require 'luth.native'
local texts = require 'luth.texts'

local M = { rounds = 8, calls = 50 }  -- of each statement
local tolerance, attempts = 0.02, 3
-- Calls that no library of others takes part in, and the empty loop, which is subtracted.
local names = {
  'loop', 'add10', 'add10_grad', 'add10_scalar', 'add10_inplace', 'add10_out', 'exp10', 'sum10', 'reshape', 'transpose', 'index', 'slice',
  'assign', 'item', 'zeros10', 'matmul8', 'linear8', 'backward10',
}

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read 'a'
  return pipe:close(), text
end

-- Runs count.lua; the folder has a file for each statement then.
local function run_callgrind(folder)
  local words = {
    'valgrind', '--command-line-only=yes',  -- without the options of a .valgrindrc in the current folder
    '--tool=callgrind', '--toggle-collect=luth_counted_call', '--dump-before=luth_counted_all',
    '--callgrind-out-file=' .. folder .. '/out', native.program(), native.share_dir() .. '/luth/bench/count.lua',
  }
  for _, name in ipairs(names) do words[#words + 1] = 'overhead/' .. name end
  for i, word in ipairs(words) do words[i] = texts.shell_word(word) end
  local settings = 'env -u LD_PRELOAD LUTH_CPU_ISA=v3 LUTH_THREADS=1 OMP_NUM_THREADS=1 '
  local ok, text = output_of(settings .. table.concat(words, ' ') .. ' 2>&1')
  if not ok then native.fail(1, '--check: valgrind failed:\n' .. text) end
end

local function total_of(path)
  local file = assert(io.open(path))
  local total = file:read('a'):match '\ntotals: (%d+)'
  file:close()
  return tonumber(total)
end

-- name -> instructions of a call, in this build.
local function count()
  local _, folder = output_of 'mktemp -d'
  folder = folder:gsub('%s+$', '')
  local ok, result = pcall(function()
    run_callgrind(folder)
    local counts, empty = {}, total_of(folder .. '/out.1')
    for i = 2, #names do
      counts['overhead/' .. names[i]] = math.floor((total_of(folder .. '/out.' .. i) - empty) / (M.rounds * M.calls) + 0.5)
    end
    return counts
  end)
  os.execute('rm -rf ' .. texts.shell_word(folder))
  return ok and result or error(result, 0)
end

local function longer(now, before) return before and now > before * (1 + tolerance) end

-- The same; where a call seems longer, the least of several counts, because the seed of Lua's strings moves one by a hundredth.
local function counted(calls)
  local counts = count()
  for _ = 2, attempts do
    local again = false
    for name, n in pairs(counts) do again = again or longer(n, calls[name]) end
    if not again then break end
    for name, n in pairs(count()) do counts[name] = math.min(counts[name], n) end
  end
  return counts
end

local function read_baseline(path)
  local ok, baseline = pcall(native.json_decode, native.read(path, 1 << 20, 2))
  local calls = ok and type(baseline) == 'table' and baseline.calls
  if type(calls) ~= 'table' then native.fail(2, string.format('--check: %s has no object "calls" of name and count', path)) end
  return baseline
end

-- Prints a line for each call. Returns how many are longer than the baseline has them.
local function compare(counts, calls)
  local found = 0
  for i = 2, #names do
    local name = 'overhead/' .. names[i]
    local now, before = counts[name], calls[name]
    local word = not before and 'not in the file' or longer(now, before) and 'LONGER'
      or now < before * (1 - tolerance) and 'shorter: the file may be renewed' or 'as before'
    if word == 'LONGER' then found = found + 1 end
    print(string.format('%-24s %6d instructions, before %6s  %s', name, now, before or '-', word))
  end
  return found
end

-- The text of a file for this build, a line for each call.
local function baseline_of(counts)
  local lines = {}
  for i = 2, #names do lines[i - 1] = string.format('    "overhead/%s": %d', names[i], counts['overhead/' .. names[i]]) end
  return string.format('{\n  "compiler": "%s",\n  "calls": {\n%s\n  }\n}', native.compiler(), table.concat(lines, ',\n'))
end

-- settings: check (the path), json.
function M.run(settings)
  if not output_of 'command -v valgrind' then
    native.fail(2, '--check counts instructions by valgrind, which is not installed (Debian: apt-get install valgrind)')
  end
  if settings.json then return print(baseline_of(count())) end
  local baseline = read_baseline(settings.check)
  local found = compare(counted(baseline.calls), baseline.calls)
  if baseline.compiler ~= native.compiler() then
    print(string.format('Not judged: the file is of %s, this program of %s.', baseline.compiler, native.compiler()))
  elseif found > 0 then
    native.fail(1, string.format('%d calls take over %d %% more instructions than in %s', found, tolerance * 100, settings.check))
  end
end

return M
