-- luth report: one HTML file that compares runs of luth train, without network, and a table of them at the terminal. Runs nothing
-- of the recipes.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local files = require 'luth.profile.texts'
local page = require 'luth.report.page'

local M = {}

local most_bytes = 1 << 28  -- of a file of a run
local most_points = 1000    -- of a curve: a page of a million steps stays small
local all_points = 20000    -- of the curves of one name, in so far as each keeps
local least_points = 50     -- so many

-- In a folder of somebody else a link would bring another file into the page, or have the page written over one.
local function refuse_link(path)
  if native.is_link(path) then errors.usage('%s is a symbolic link, which luth report does not follow; remove it', path) end
end

local function read(path)
  refuse_link(path)
  return native.exists(path) and native.read(path, most_bytes, 5) or nil
end

local function decode(path, text)
  local ok, value = pcall(native.json_decode, text)
  return ok and type(value) == 'table' and value or errors.unusable('%s is damaged: it is no JSON of a table', path)
end

-- ---- a run as a table ----

-- The lines of log.jsonl or warnings.jsonl; one that was cut short is the last one.
local function lines_of(path)
  local entries = {}
  for line in (read(path) or ''):gmatch '[^\n]+' do
    local ok, entry = pcall(native.json_decode, line)
    if ok and type(entry) == 'table' then entries[#entries + 1] = entry end
  end
  return entries
end

local function split(line)
  local fields = {}
  for field in (line .. ','):gmatch '([^,]*),' do fields[#fields + 1] = field end
  return fields
end

-- At most so many points of a list: the mean of each of equal parts, so that no part of a curve is left out.
local function thinned(points, most)
  local n = #points
  if n <= most then return points end
  local out = {}
  for k = 1, most do
    local first, last, x, y = (k - 1) * n // most + 1, k * n // most, 0, 0
    for i = first, last do x, y = x + points[i][1], y + points[i][2] end
    local count = last - first + 1
    out[k] = { x / count, y / count }
  end
  return out
end

-- The curves of metrics.csv, each of at most so many points: {name = {{step, value}, …}}. The loss of steps is "loss", that of epochs
-- "epoch loss".
local function curves_of(dir, most)
  local curves, columns = {}, nil
  for line in (read(dir .. '/metrics.csv') or ''):gmatch '[^\n]+' do
    local fields = split(line)
    if not columns then
      columns = fields
    else
      local step, ends = tonumber(fields[1]), fields[5] ~= '' and columns[5] == 'samples_per_second'
      for i = 3, #columns do
        local value = tonumber(fields[i])
        local name = columns[i] == 'loss' and ends and 'epoch loss' or columns[i]
        local again = ends and name == 'lr'  -- it is in the line of the step
        if step and value and not again and value == value and math.abs(value) < math.huge then
          curves[name] = curves[name] or {}
          table.insert(curves[name], { step, value })
        end
      end
    end
  end
  for name, points in pairs(curves) do curves[name] = thinned(points, most) end
  return curves
end

-- {name = text} of a table of plain values.
local function texts(t)
  local out = {}
  for key, value in pairs(type(t) == 'table' and t or {}) do out[tostring(key)] = type(value) == 'table' and native.json_encode(value) or tostring(value) end
  return out
end

-- The last value and the best one of each metric.
local function results_of(entries)
  local results = {}
  for _, entry in ipairs(entries) do
    for name, value in pairs(entry) do
      if type(value) == 'number' and name ~= 'epoch' and name ~= 'step' and name ~= 'seconds' then
        local r = results[name] or { low = value, high = value }
        r.last, r.low, r.high = value, math.min(r.low, value), math.max(r.high, value)
        results[name] = r
      end
    end
  end
  return results
end

-- The run of a folder; `most`: points of a curve.
local function run_of(dir, most)
  dir = dir:gsub('(.)/+$', '%1')
  if not native.exists(dir .. '/options.json') then errors.usage("'%s' is no folder of a run: it has no options.json", dir) end
  local options, entries = decode(dir .. '/options.json', read(dir .. '/options.json')), lines_of(dir .. '/log.jsonl')
  local environment = read(dir .. '/env.json')
  local last = entries[#entries] or {}
  local seconds = 0
  for _, entry in ipairs(entries) do seconds = seconds + (tonumber(entry.seconds) or 0) end
  return {
    name = dir, recipe = options.recipe, settings = options.options or {}, environment = environment and texts(decode(dir .. '/env.json', environment)) or {},
    epochs = tonumber(last.epoch) or 0, steps = tonumber(last.step) or 0, seconds = seconds, results = results_of(entries), curves = curves_of(dir, most),
    warnings = lines_of(dir .. '/warnings.jsonl'), modules = read(dir .. '/modules.txt') or '',
    examples = read(dir .. '/examples.json') and decode(dir .. '/examples.json', read(dir .. '/examples.json')) or nil,
  }
end

-- ---- the table at the terminal ----

local function number(x) return x and string.format('%.6g', x) or '' end

--- Prints rows of texts in columns. A terminal obeys nothing in them.
function M.print_columns(rows)
  local shown = {}
  for i, row in ipairs(rows) do
    shown[i] = {}
    for k, text in ipairs(row) do shown[i][k] = native.foreign(text) end
  end
  print(files.left_columns(shown))
end

local function print_table(runs)
  local names, seen = {}, {}
  for _, run in ipairs(runs) do
    for _, name in ipairs(errors.keys(run.results)) do
      if not seen[name] and name ~= 'lr' then names[#names + 1], seen[name] = name, true end
    end
  end
  table.sort(names)
  local rows = { { 'run', 'epochs', 'steps', 'seconds', table.unpack(names) } }
  for _, run in ipairs(runs) do
    local row = { run.name, tostring(run.epochs), tostring(run.steps), string.format('%.1f', run.seconds) }
    for _, name in ipairs(names) do row[#row + 1] = number((run.results[name] or {}).last) end
    rows[#rows + 1] = row
  end
  M.print_columns(rows)
end

-- ---- the command ----

--- Writes the report of some folders to a path.
function M.write(dirs, path)
  local runs, most = {}, math.max(least_points, math.min(most_points, all_points // math.max(1, #dirs)))
  for i, dir in ipairs(dirs) do runs[i] = run_of(dir, most) end
  native.replace(path, page(runs))
  return runs
end

-- The folders of runs: those of a sweep in the place of its own.
local function expanded(dirs)
  local all = {}
  for _, dir in ipairs(dirs) do
    local path, seen = dir:gsub('(.)/+$', '%1'), {}
    if not native.exists(path .. '/sweep.json') then all[#all + 1] = path end
    for line in (native.exists(path .. '/sweep.json') and read(path .. '/done.jsonl') or ''):gmatch '[^\n]+' do
      local run = decode(path .. '/done.jsonl', line).run
      local folder = type(run) == 'string' and not run:find '/' and path .. '/' .. run
      if folder and not seen[folder] and native.exists(folder .. '/log.jsonl') then all[#all + 1], seen[folder] = folder, true end
    end
  end
  return all
end

--- luth report RUN… [--out FILE]. One run's report goes into its folder, that of several to report.html.
function M.run(dirs, out)
  if not out then
    out = #dirs == 1 and dirs[1]:gsub('(.)/+$', '%1') .. '/report.html' or 'report.html'
    refuse_link(out)
  end
  print_table(M.write(expanded(dirs), out))
  io.stderr:write('wrote ', out, '\n')
end

return M
