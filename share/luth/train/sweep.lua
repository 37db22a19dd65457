-- luth train --sweep: a grid of values, or some of it at random, as runs in one folder. Each run is a process of its own, with its
-- share of the cores; the folder says what has ended, so that a sweep can go on.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local fields = require 'luth.train.fields'
local metrics = require 'luth.train.metrics'
local options = require 'luth.train.options'
local progress = require 'luth.train.progress'
local report = require 'luth.report'
local run_folder = require 'luth.train.run_folder'

local M = {}
local usage, say = errors.usage, progress.say

-- ---- what is tried ----

local of_sweep = { where = function(_, name) return '--' .. name:gsub('_', '-') end }  -- what errors call an option

-- The value of a text in the type of the option; an error for one that it cannot be.
local function check_value(line, name, text)
  if not line.rows[name] then
    usage("--sweep: the recipe has no option '%s'%s", name, errors.did_you_mean(name, errors.keys(line.rows)))
  end
  if line.rows[name].transient then usage("--sweep: --%s is not for runs of a sweep", name) end
  if line.declared[name] ~= nil then return options.convert(name, text, line.declared[name], of_sweep) end
  return fields.of_text(name, text, nil, of_sweep)
end

-- {low, high} of "1e-4..1e-1", nil for anything else.
local function range_of(line, name, text)
  local low, high = text:match '^([^.].-)%.%.(.+)$'
  if not low or not tonumber(low) or not tonumber(high) then return nil end
  low, high = check_value(line, name, low), check_value(line, name, high)
  if low >= high then usage('--sweep: %s=%s is no range; the first number is the smaller one', name, text) end
  return { low = low, high = high }
end

-- {{name =, values = {text, …}} or {name =, range =}, …} of "lr=1e-3,3e-3 batch=32,64".
local function axes_of(line, text)
  local axes, seen = {}, {}
  for part in text:gmatch '%S+' do
    local name, list = part:match '^%-*([%w_%-]+)=(.+)$'
    if not name then usage("--sweep takes 'lr=1e-3,3e-3 batch=32,64', got '%s'", part) end
    name = name:gsub('-', '_')
    if seen[name] then usage("--sweep: '%s' stands there twice", name) end
    seen[name] = true
    local axis = { name = name, values = {}, range = range_of(line, name, list) }
    for value in (axis.range and '' or list):gmatch '[^,]+' do
      check_value(line, name, value)
      axis.values[#axis.values + 1] = value
    end
    axes[#axes + 1] = axis
  end
  if #axes == 0 then usage "--sweep takes 'lr=1e-3,3e-3 batch=32,64', got nothing" end
  return axes
end

-- All combinations, the last axis changing first.
local function grid(axes)
  local all = { {} }
  for _, axis in ipairs(axes) do
    local longer = {}
    for _, one in ipairs(all) do
      for _, value in ipairs(axis.values) do
        longer[#longer + 1] = table.move(one, 1, #one, 1, {})
        table.insert(longer[#longer], value)
      end
    end
    all = longer
  end
  return all
end

-- A number of a range: its logarithm is uniform where the ends are a factor of ten apart.
local function draw(axis, generator)
  local u, low, high = torch.rand(1, { generator = generator, dtype = torch.float64 }):item(), axis.range.low, axis.range.high
  if math.type(low) == 'integer' then return tostring(low + math.floor(u * (high - low + 1))) end
  return string.format('%.3g', low > 0 and high >= 10 * low and low * (high / low) ^ u or low + u * (high - low))
end

-- `count` combinations: of the grid where there are no ranges, each once; else drawn anew.
local function at_random(axes, count, seed)
  local generator, ranges, all = torch.Generator(), false, {}
  generator:manual_seed(seed)
  for _, axis in ipairs(axes) do ranges = ranges or axis.range end
  if not ranges then
    local whole = grid(axes)
    for k, i in ipairs(torch.randperm(#whole, { generator = generator }):tolist()) do if k <= count then all[k] = whole[i] end end
    return all
  end
  for k = 1, count do
    all[k] = {}
    for i, axis in ipairs(axes) do
      all[k][i] = axis.range and draw(axis, generator)
        or axis.values[torch.randint(1, #axis.values + 1, { 1 }, { generator = generator }):item()]
    end
  end
  return all
end

-- {name = of its folder, values = {text, …}} of each run.
local function runs_of(axes, random, seed)
  local count = random and (math.tointeger(tonumber(random)) or 0)
  if count and count < 1 then usage("--random takes a number of runs, got '%s'", random) end
  for _, axis in ipairs(axes) do
    if axis.range and not count then usage('--sweep: a range of %s needs --random N, how many to try', axis.name) end
  end
  local runs, seen, taken = {}, {}, {}
  for _, values in ipairs(count and at_random(axes, count, seed) or grid(axes)) do
    local parts = {}
    for i, axis in ipairs(axes) do parts[i] = axis.name .. '=' .. values[i]:gsub('[^%w.+-]', '_') end
    local plain, whole, n = table.concat(parts, ','), table.concat(values, ','), 1
    local name = plain
    while taken[name] and not seen[whole] do  -- other values with the same name
      n = n + 1
      name = plain .. '-' .. n
    end
    if not seen[whole] then runs[#runs + 1] = { name = name, values = values } end
    seen[whole], taken[name] = true, true
  end
  return runs
end

-- ---- the folder ----

-- The first free one, or with `resume` the last one that is there.
local function default_folder(recipe, resume)
  return run_folder.numbered(recipe:match('([^/]+)$'):gsub('%.lua$', '') .. '-sweep', resume)
end

-- Marks the runs that have ended well, from the lines of done.jsonl.
local function mark_done(runs, path)
  local done = {}
  for text in (native.exists(path) and native.read(path, 1 << 28, 5) or ''):gmatch '[^\n]+' do
    local ok, entry = pcall(native.json_decode, text)
    if ok and type(entry) == 'table' and entry.run then done[entry.run] = entry end
  end
  for _, run in ipairs(runs) do
    local entry = done[run.name]
    run.done = entry and (entry.code == 0 or entry.code == 3) and entry or nil
  end
end

-- ---- the processes ----

-- Who runs at the same time: a GPU each where there are any, else a share of the cores.
local function slots_of(given, device, left)
  local slots, cores = {}, torch.get_num_threads()
  local several = device.type == 'cuda' and not (given.device or ''):find ':'
  local count = device.type == 'cuda' and (several and torch.cuda.device_count() or 1) or cores
  count = math.max(1, math.min(count, left))
  for k = 1, count do
    slots[k] = { threads = math.max(1, cores // count), device = several and string.format('cuda:%d', k - 1) or nil }
  end
  return slots
end

-- The words of a run's process: those of the sweep, then the values, then what a slot adds.
local function words_of(s, run, slot)
  local words = { native.program(), 'train', s.recipe }
  table.move(s.words, 1, #s.words, #words + 1, words)
  for i, axis in ipairs(s.axes) do words[#words + 1] = string.format('--%s=%s', axis.name, run.values[i]) end
  words[#words + 1] = '--dir=' .. s.dir .. '/' .. run.name
  words[#words + 1] = '--threads=' .. slot.threads
  if slot.device then words[#words + 1] = '--device=' .. slot.device end
  if native.exists(s.dir .. '/' .. run.name .. '/ckpt') then words[#words + 1] = '--resume' end
  return words
end

-- The last line of a run's log that is an error.
local function error_in(path)
  local last
  for text in (native.exists(path) and native.read(path, 1 << 28, 5) or ''):gmatch '[^\n]+' do last = text:match '^luth: (.*)' or last end
  return last or 'no reason is known; see ' .. path
end

local function say_done(s, run, code)
  s.finished = s.finished + 1
  local result = code == 0 and '' or code == 3 and '  diverged' or '  failed: ' .. error_in(s.dir .. '/' .. run.name .. '.log')
  say('%d of %d: %s%s  (%.1f s)', s.finished, #s.runs, run.name, result, native.now() - run.began)
end

-- Sends a signal to all that runs, and waits for its end.
local function stop_all(s, running, number)
  local children = {}
  for child in pairs(running) do
    children[#children + 1] = child
    native.signal(child, number)
  end
  while #children > 0 do
    local ended = native.wait(children, 1)
    if native.interrupted() ~= 0 then ended = ended or native.wait(children, 0) end
    for i, child in ipairs(children) do if child == ended then table.remove(children, i) break end end
  end
  local code = number == 15 and 143 or 130
  native.fail(code, string.format('%s: %d of %d runs are done; go on with --resume --dir %s', number == 15 and 'terminated' or 'interrupted',
                                  s.finished, #s.runs, s.dir))
end

-- Runs what is left; returns how many failed.
local function run_all(s, given, device)
  local queue, running, failed = {}, {}, 0
  for _, run in ipairs(s.runs) do if not run.done then queue[#queue + 1] = run end end
  s.finished = #s.runs - #queue
  local free = slots_of(given, device, #queue)
  say('%d runs in %s, %d at a time%s', #s.runs, s.dir, #free, s.finished > 0 and string.format('; %d are done', s.finished) or '')
  native.defer_interrupts(true)
  while #queue > 0 or next(running) do
    while #queue > 0 and #free > 0 do
      local run, slot = table.remove(queue, 1), table.remove(free)
      run.began = native.now()
      running[native.start(words_of(s, run, slot), s.dir .. '/' .. run.name .. '.log')] = { run = run, slot = slot }
    end
    local children = {}
    for child in pairs(running) do children[#children + 1] = child end
    local child, code = native.wait(children, 1)
    if child then
      local one = running[child]
      running[child], free[#free + 1] = nil, one.slot
      native.append(s.dir .. '/done.jsonl', native.json_encode { run = one.run.name, code = code } .. '\n')
      if code ~= 0 and code ~= 3 then failed = failed + 1 end
      say_done(s, one.run, code)
    end
    local signal = native.interrupted()
    if signal ~= 0 then stop_all(s, running, signal) end
  end
  return failed
end

-- ---- the results ----

-- The name in log.jsonl of what runs are compared by, and whether a smaller value is better.
local function score_of(r)
  local list = metrics.make(r.metrics)
  local last = list[#list]
  local held = type(r.data) == 'table' and (r.data.val or r.data.test) or native.kind(r.data) == 'dataset' and r.data.test_part and r.data:test_part()
  if not held then return 'loss', true end
  return 'val_' .. (last and last.name or 'loss'), not last or last.smaller
end

-- Rows of the results, the best run first.
local function table_of(s, runs, score, smaller)
  local rows = {}
  for _, run in ipairs(runs) do
    local results = run.results[score]
    rows[#rows + 1] = { values = run.values, epochs = run.epochs, seconds = run.seconds, name = run.name,
                        best = results and (smaller and results.low or not smaller and results.high) }
  end
  table.sort(rows, function(a, b)
    if a.best == b.best or not a.best or not b.best then return (a.best ~= nil and b.best == nil) or (a.best == b.best and a.name < b.name) end
    if smaller then return a.best < b.best end
    return a.best > b.best
  end)
  local lines = { {} }
  for i, axis in ipairs(s.axes) do lines[1][i] = axis.name end
  table.move({ 'best ' .. score, 'epochs', 'seconds' }, 1, 3, #s.axes + 1, lines[1])
  for k, row in ipairs(rows) do
    lines[k + 1] = table.move(row.values, 1, #row.values, 1, {})
    table.move({ row.best and string.format('%.6g', row.best) or '', tostring(row.epochs), string.format('%.1f', row.seconds) }, 1, 3,
               #s.axes + 1, lines[k + 1])
  end
  return lines
end

local function write_results(s, r)
  local dirs, values = {}, {}
  for _, run in ipairs(s.runs) do
    local dir = s.dir .. '/' .. run.name
    if native.exists(dir .. '/log.jsonl') then
      dirs[#dirs + 1] = dir
      values[dir] = run.values
    end
  end
  if #dirs == 0 then return end
  local runs = report.write(dirs, s.dir .. '/report.html')
  for _, run in ipairs(runs) do run.values = values[run.name] end
  local score, smaller = score_of(r)
  local lines = table_of(s, runs, score, smaller)
  local text = {}
  for k, line in ipairs(lines) do text[k] = table.concat(line, ',') .. '\n' end
  native.replace(s.dir .. '/table.csv', table.concat(text))
  report.print_columns(lines)
  say('wrote %s/table.csv and %s/report.html', s.dir, s.dir)
end

-- ---- the command ----

-- The words of the sweep that each of its runs gets.
local function words_for_runs(line)
  local given, words = line:own_options(), line:kept()
  for name in pairs { sync_bn = true, fsdp = true } do
    if given[name] then usage('--sweep starts runs of one rank each; --%s is for several', name) end
  end
  local list = {}
  for _, word in ipairs(words) do list[#list + 1] = word:gsub('^%-%-device=cuda$', '--device=cuda') end
  return list
end

-- The words of a list that another one has not, as text.
local function others(words, than)
  local there, list = {}, {}
  for _, word in ipairs(than) do there[word] = true end
  for _, word in ipairs(words) do if not there[word] then list[#list + 1] = word end end
  return #list > 0 and table.concat(list, ' ')
end

-- Refuses to go on with the sweep of another recipe or of other words, whose runs cannot be compared.
local function check_same(s)
  local path = s.dir .. '/sweep.json'
  local ok, before = pcall(native.json_decode, native.read(path, 1 << 24, 5))
  if not ok or type(before) ~= 'table' or type(before.words) ~= 'table' then errors.unusable('%s is damaged', path) end
  if before.recipe ~= s.recipe then
    usage('--resume: the sweep in %s is of %s, this one of %s; give another --dir', s.dir, tostring(before.recipe), s.recipe)
  end
  local was, is = others(before.words, s.words), others(s.words, before.words)
  if was or is then
    usage('--resume: the runs in %s were started with %s, this sweep has %s; leave these words as they were, or give another --dir', s.dir,
          was or 'nothing more', is or 'nothing more')
  end
end

--- Runs the sweep `text` of a recipe whose options are in the line. `r`: the recipe as loaded; `given`: dir, resume, device, random.
function M.run(recipe, text, line, r, device, given)
  local axes = axes_of(line, text)
  local s = { recipe = recipe, axes = axes, words = words_for_runs(line), runs = runs_of(axes, given.random, r.seed) }
  s.dir = given.dir or default_folder(recipe, given.resume)
  local there = native.exists(s.dir .. '/sweep.json')
  if there and not given.resume then usage('%s already holds a sweep; pass --resume to go on with it, or another --dir', s.dir) end
  native.mkdirs(s.dir)
  local holder = native.lock(s.dir .. '/.lock')
  if holder then usage('another luth (process %s) works in %s; wait for its end, or give another --dir', holder, s.dir) end
  if there then check_same(s) end
  mark_done(s.runs, s.dir .. '/done.jsonl')
  native.replace(s.dir .. '/sweep.json', native.json_encode { recipe = recipe, sweep = text, random = given.random, words = s.words } .. '\n')
  local failed = run_all(s, given, device)
  native.defer_interrupts(false)
  write_results(s, r)
  if failed > 0 then native.fail(1, string.format('%d of %d runs failed; %s/<run>.log says why, --resume tries them again', failed, #s.runs, s.dir)) end
end

return M
