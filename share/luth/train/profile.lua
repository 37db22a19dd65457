-- luth train --profile: some steps of a run are recorded, and what they say is in the folder of the run, with a table of what to
-- look at first. Everything hangs on the one trainer, so a run without it pays nothing.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local analysis = require 'luth.profile.events'
local files = require 'luth.profile.texts'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'

local M = {}

local usual_steps, warmup = 20, 3

--- The number of steps that a text of the command line asks for.
function M.steps(text)
  if text == nil or text == 'false' then return nil end
  local n = text == 'true' and usual_steps or math.tointeger(tonumber(text))
  if not n or n < 1 then errors.usage("--profile takes a number of steps, or nothing, got '%s'", text) end
  if ranks.size > 1 then errors.usage('--profile is for one rank') end
  return n
end

-- ---- recording ----

-- Makes calls of a method of the trainer ranges of this name.
local function watch(t, method, name)
  local before = t[method]
  t[method] = function(...) return torch.profiler.record_function(name, before, ...) end
end

-- The loader, whose waiting is a range.
local function watched_loader(loader)
  local own = {}
  function own.batches(_, from)
    local nextbatch = loader:batches(from)
    return function() return torch.profiler.record_function('data', nextbatch) end
  end
  return setmetatable(own, {
    __index = function(_, name)
      local value = loader[name]
      if type(value) ~= 'function' then return value end
      return function(_, ...) return value(loader, ...) end
    end,
    __len = function() return #loader end,
  })
end

-- ---- what to look at first ----

local function add(rows, share, what, hint)
  if share >= 0.02 then rows[#rows + 1] = { share = share, what = what, hint = hint } end
end

local function about_data(rows, t, share)
  local hint = t.recipe.workers == 0 and '--workers 4 loads in advance' or 'more --workers, or less to do for each sample'
  add(rows, share, 'waiting for data', share > 0.05 and hint or '')
end

local products = { mm = true, addmm = true, bmm = true, baddbmm = true, linear = true, convolution = true, matmul = true,
                   convolution_grad_weight = true, convolution_grad_input = true }

-- The operators that take most of their own time, each with the module where it takes most.
local function about_operators(rows, t, events, whole)
  local sums, list = {}, {}
  for _, e in ipairs(events) do
    if e.kind == 'op' then
      local s = sums[e.name]
      if not s then
        s = { name = e.name, time = 0, places = {} }
        sums[e.name], list[#list + 1] = s, s
      end
      local top = e.top and e.top.module or e.module
      s.time = s.time + e.self
      if top then s.places[top.name] = (s.places[top.name] or 0) + e.self end
    end
  end
  table.sort(list, function(a, b) return a.time > b.time end)
  for i = 1, math.min(4, #list) do
    local s, most = list[i], nil
    for _, name in ipairs(errors.keys(s.places)) do if not most or s.places[name] > s.places[most] then most = name end end
    local hint = most and string.format('%.0f%% of it in %s', 100 * s.places[most] / s.time, most) or ''
    if products[s.name] and not t.amp then hint = hint .. (hint ~= '' and '; ' or '') .. '--amp bf16 halves what it reads' end
    add(rows, s.time / whole, 'operator ' .. s.name, hint)
  end
end

-- What a profile of a trainer says, the largest share first. `waits`: how often the host waited for the device in a step.
local function findings(t, events, steps, waits)
  local rows, whole = {}, events[#events].ended
  for _, e in ipairs(events) do whole = math.max(whole, e.ended) end
  local ranges, working = analysis.by_range(events)
  local function time(name) return ranges[name] and ranges[name].time or 0 end
  about_data(rows, t, time 'data' / whole)
  about_operators(rows, t, events, whole)
  local between = (time 'step' - working) / whole
  add(rows, between, 'between operators', between > 0.2 and 'many small calls: a larger --batch, or fewer operators' or 'Lua, and the calls themselves')
  local share = time 'optimizer' / whole
  add(rows, share, 'the optimizer', share > 0.15 and 'a larger --batch or --accumulate steps less often' or '')
  add(rows, time 'validation' / whole, 'validation', '--val-every, --limit-val')
  add(rows, time 'saving' / whole, 'saving', '--save-every')
  local modules, lines = analysis.by_module(events), analysis.by_line(events)
  if modules[1] then add(rows, modules[1].total / whole, 'module ' .. modules[1].key, 'the slowest module, forward and backward') end
  if lines[1] then add(rows, lines[1].total / whole, lines[1].key, 'the slowest line, forward and backward') end
  table.sort(rows, function(a, b) return a.share > b.share end)
  if waits >= 1 then
    rows[#rows + 1] = { share = 0, what = string.format('%.1f waits for the GPU in a step', waits), hint = 'item(), print and copies to the CPU wait' }
  end
  local text = { { 'share', 'look first at', '' } }
  for i, row in ipairs(rows) do text[i + 1] = { row.share > 0 and string.format('%.1f%%', 100 * row.share) or '', row.what, row.hint } end
  return string.format('%d steps of %s\n%s\n', steps, files.time(whole / steps), files.left_columns(text))
end

-- ---- the files ----

local function finish(p, t)
  p:stop()
  local events = p:events()
  local dir = t.run.dir .. '/profile'
  native.mkdirs(dir)
  local steps = math.max(1, (analysis.by_range(events)).step and analysis.by_range(events).step.count or 1)
  local text = findings(t, events, steps, (t.device.type == 'cuda' and torch.cuda.host_waits() - p.waits or 0) / steps)
  native.replace(dir .. '/first.txt', text)
  native.replace(dir .. '/operators.txt', p:key_averages():table { sort_by = 'self_cpu_time_total', row_limit = -1 })
  native.replace(dir .. '/modules.txt', files.places(p:by_module(), 'module', nil, true))
  native.replace(dir .. '/lines.txt', files.places(p:by_line(), 'line', nil, true))
  p:export_chrome_trace(dir .. '/trace.json')
  t.line:clear()
  progress.say('%s%s has tables by operator, module and line, and trace.json for chrome://tracing or Perfetto', text, dir)
end

--- Lets a trainer record so many steps of its run, behind a few that warm up.
function M.attach(t, steps)
  local p = torch.profiler.profile { profile_memory = true }
  local count, state = 0, 'before'
  for method, name in pairs { forward = 'forward', update = 'optimizer', validate = 'validation', save = 'saving', run_batch = 'step' } do
    watch(t, method, name)
  end
  t.loader = watched_loader(t.loader)
  local step, train = t.run_batch, t.train
  -- a step of the profile begins where its batch is asked for: at the end of the one before
  t.run_batch = function(...)
    local results = table.pack(step(...))
    count = count + 1
    if state == 'on' and count == warmup + steps then
      state = 'after'
      finish(p, t)
    elseif state == 'before' and count == warmup then
      state = 'on'
      p.waits = t.device.type == 'cuda' and torch.cuda.host_waits() or 0
      p:start()
    end
    return table.unpack(results, 1, results.n)
  end
  t.train = function(...)
    train(...)
    if state == 'on' then finish(p, t) end
    if state == 'before' then progress.say('--profile: the run ended within the %d steps that warm up', warmup) end
  end
end

return M
