-- Tables and files of a profile.
local native = require 'luth.native'
local texts = require 'luth.texts'

local M = {}

--- "12.345us", "1.234ms", "2.000s" of microseconds, as PyTorch writes them.
function M.time(us)
  if us >= 1e6 then return string.format('%.3fs', us / 1e6) end
  if us >= 1e3 then return string.format('%.3fms', us / 1e3) end
  return string.format('%.3fus', us)
end

function M.bytes(n) return n < 0 and '-' .. texts.size(-n) or texts.size(n) end

local function percent(part, whole) return whole > 0 and string.format('%.2f%%', 100 * part / whole) or '' end

--- Rows of texts with a line above and below the first one; the first column stands left, the others right.
function M.columns(rows, widest)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do
      if i == 1 and widest and #text > widest then row[1] = text:sub(1, widest - 3) .. '...' end
      widths[i] = math.max(widths[i] or 0, #row[i])
    end
  end
  local rule = {}
  for i, width in ipairs(widths) do rule[i] = ('-'):rep(width) end
  local function add(row)
    local fields = {}
    for i, text in ipairs(row) do
      local pad = (' '):rep(widths[i] - #text)
      fields[i] = i == 1 and text .. pad or pad .. text
    end
    lines[#lines + 1] = (table.concat(fields, '  '):gsub('%s+$', ''))
  end
  add(rule)
  add(rows[1])
  add(rule)
  for i = 2, #rows do add(rows[i]) end
  add(rule)
  return table.concat(lines, '\n')
end

--- Rows of texts in columns that stand left.
function M.left_columns(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i] or 0, #text) end
  end
  for k, row in ipairs(rows) do
    local fields = {}
    for i, text in ipairs(row) do fields[i] = text .. (' '):rep(widths[i] - #text) end
    lines[k] = (table.concat(fields, '  '):gsub('%s+$', ''))
  end
  return table.concat(lines, '\n')
end

-- ---- key_averages():table() ----

--- The table of averages (events.by_name). `o`: sort_by, row_limit, max_name_column_width, header, memory, device.
function M.averages(list, o)
  local whole, device_whole = 0, 0
  for _, a in ipairs(list) do whole, device_whole = whole + a.self_cpu_time_total, device_whole + a.self_device_time_total end
  local shown = table.move(list, 1, #list, 1, {})
  if o.sort_by then table.sort(shown, function(a, b) return a[o.sort_by] > b[o.sort_by] end) end
  local rows = { { 'Name', 'Self CPU %', 'Self CPU', 'CPU total %', 'CPU total', 'CPU time avg' } }
  local function head(...) table.move({ ... }, 1, select('#', ...), #rows[1] + 1, rows[1]) end
  if o.device then head('Self device', 'Self device %', 'Device total', 'Device time avg') end
  if o.memory then head('CPU Mem', 'Self CPU Mem') end
  head '# of Calls'
  if o.shapes then head 'Input Shapes' end
  for i = 1, math.min(#shown, o.row_limit > 0 and o.row_limit or #shown) do
    local a = shown[i]
    local row = { a.key, percent(a.self_cpu_time_total, whole), M.time(a.self_cpu_time_total), percent(a.cpu_time_total, whole),
                  M.time(a.cpu_time_total), M.time(a.cpu_time) }
    local function add(...) table.move({ ... }, 1, select('#', ...), #row + 1, row) end
    if o.device then
      add(M.time(a.self_device_time_total), percent(a.self_device_time_total, device_whole), M.time(a.device_time_total), M.time(a.device_time))
    end
    if o.memory then add(M.bytes(a.cpu_memory_usage), M.bytes(a.self_cpu_memory_usage)) end
    add(tostring(a.count))
    if o.shapes then add(a.input_shapes or '') end
    rows[#rows + 1] = row
  end
  local text = M.columns(rows, o.max_name_column_width) .. '\nSelf CPU time total: ' .. M.time(whole)
  if o.device then text = text .. '\nSelf device time total: ' .. M.time(device_whole) end
  return (o.header and o.header .. '\n' or '') .. text .. '\n'
end

--- The table of modules or lines (events.by_module, by_line), the first `most`.
function M.places(list, name, most, memory)
  local whole = 0
  for _, p in ipairs(list) do whole = whole + p.total end
  local rows = { { name, 'total %', 'total', 'forward', 'backward', memory and 'memory' or nil } }
  rows[1][#rows[1] + 1] = 'calls'
  for i = 1, math.min(#list, most or #list) do
    local p = list[i]
    rows[i + 1] = { p.key, percent(p.total, whole), M.time(p.total), M.time(p.forward), M.time(p.backward), memory and M.bytes(p.memory) or nil }
    table.insert(rows[i + 1], tostring(p.count))
  end
  return M.columns(rows, 60) .. '\n'
end

-- ---- files ----

local categories = { op = 'cpu_op', node = 'cpu_op', range = 'user_annotation', module = 'python_function' }

--- Writes the events for chrome://tracing, Perfetto and TensorBoard's profiler.
function M.write_trace(events, path)
  local lines, process = {}, native.process()
  for i, e in ipairs(events) do
    local args = { ['Ev Idx'] = i - 1, ['Input Dims'] = e.shapes, line = e.line, bytes = e.memory, ['Sequence number'] = e.kind == 'node' and e.sequence or nil,
                   module = e.module and e.module.name or nil, device_us = e.device }
    lines[i] = native.json_encode { ph = 'X', cat = categories[e.kind], name = e.name, pid = process, tid = process, ts = e.began, dur = e.time, args = args }
  end
  table.insert(lines, 1, native.json_encode { ph = 'M', name = 'process_name', pid = process, args = { name = 'luth' } })
  native.replace(path, '{"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": [\n' .. table.concat(lines, ',\n') .. '\n]}\n')
end

--- Writes a line "outer;inner;op 123" for each stack, with its own microseconds, as programs that draw flame graphs read it.
function M.write_stacks(events, path, device)
  local sums, order = {}, {}
  for _, e in ipairs(events) do
    if e.kind ~= 'module' then
      local names, at = {}, e
      while at do
        table.insert(names, 1, (at.name:gsub('[; ]', '_')))
        at = at.parent and events[at.parent]
      end
      if e.line and e.top == e then table.insert(names, 1, (e.line:gsub('[; ]', '_'))) end
      local key = table.concat(names, ';')
      if not sums[key] then order[#order + 1] = key end
      sums[key] = (sums[key] or 0) + (device and e.self_device or e.self)
    end
  end
  for i, key in ipairs(order) do order[i] = string.format('%s %d\n', key, math.floor(sums[key] + 0.5)) end
  native.replace(path, table.concat(order))
end

return M
