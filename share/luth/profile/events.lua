-- What the events of a profile add up to. An event is {kind = "op", "node", "range" or "module", name =, began =, ended =, …}
-- (luth.native.profile_stop); times are microseconds. A node of backward belongs to the operator that made it, by the numbers
-- of nodes that were made while that ran.
local M = {}

-- The nearest event around one that is no module; modules are a way to look at operators, and take no time of their own.
local function outer_of(events, e)
  local i = e.parent
  while i and events[i].kind == 'module' do i = events[i].parent end
  return events[i]
end

-- Number of a node -> the operator that made it: the innermost one, since it begins last.
local function makers(events)
  local maker = {}
  for _, e in ipairs(events) do
    if e.kind == 'op' then
      for s = e.sequence, e.sequence_end - 1 do maker[s] = e end
    end
  end
  return maker
end

--- Adds to each event: time, self, self_memory, self_device, outer (the event around it), module (the innermost one around it, or around the
--- operator that made the node), top (the outermost operator or node), maker (of a node).
function M.prepare(events)
  local maker = makers(events)
  for _, e in ipairs(events) do
    e.time = e.ended - e.began
    e.self, e.self_memory, e.self_device = e.time, e.memory or 0, e.device or 0
    local around = e.parent and events[e.parent]
    e.module = around and (around.kind == 'module' and around or around.module) or nil
    if e.kind == 'node' then
      e.maker = maker[e.sequence]
      e.module = e.maker and e.maker.module or nil
    end
    if e.kind ~= 'module' then
      local outer = outer_of(events, e)
      e.outer = outer
      local inside = outer and outer.top
      e.top = inside or (e.kind == 'op' or e.kind == 'node') and e or nil
      if outer then
        outer.self, outer.self_memory = outer.self - e.time, outer.self_memory - (e.memory or 0)
        outer.self_device = outer.self_device - (e.device or 0)
      end
    end
  end
  return events
end

-- ---- sums ----

local function entry_of(all, list, key)
  local entry = all[key]
  if not entry then
    entry = { key = key, count = 0, cpu_time_total = 0, self_cpu_time_total = 0, device_time_total = 0, self_device_time_total = 0,
              cpu_memory_usage = 0, self_cpu_memory_usage = 0 }
    all[key], list[#list + 1] = entry, entry
  end
  return entry
end

--- Sums over the events of one name, and with `shapes` of one name and shapes, in order of their first event.
function M.by_name(events, shapes)
  local all, list = {}, {}
  for _, e in ipairs(events) do
    if e.kind ~= 'module' then
      local entry = entry_of(all, list, shapes and e.name .. '\0' .. (e.shapes or '') or e.name)
      entry.key, entry.input_shapes = e.name, shapes and e.shapes or nil
      entry.count = entry.count + 1
      entry.cpu_time_total, entry.self_cpu_time_total = entry.cpu_time_total + e.time, entry.self_cpu_time_total + e.self
      entry.device_time_total, entry.self_device_time_total = entry.device_time_total + (e.device or 0), entry.self_device_time_total + e.self_device
      entry.cpu_memory_usage, entry.self_cpu_memory_usage = entry.cpu_memory_usage + (e.memory or 0), entry.self_cpu_memory_usage + e.self_memory
    end
  end
  for _, entry in ipairs(list) do
    entry.cpu_time, entry.device_time = entry.cpu_time_total / entry.count, entry.device_time_total / entry.count
  end
  return list
end

-- An entry of a module or line: calls, and times of forward and backward, on the GPU where there are such times.
local function place_of(all, list, key)
  local entry = all[key]
  if not entry then
    entry = { key = key, count = 0, forward = 0, backward = 0, memory = 0 }
    all[key], list[#list + 1] = entry, entry
  end
  return entry
end

local function by_total(list)
  for _, entry in ipairs(list) do entry.total = entry.forward + entry.backward end
  table.sort(list, function(a, b) return a.total > b.total or a.total == b.total and a.key < b.key end)
  return list
end

local function cost(e) return e.device or e.time end

--- Sums over the calls of each module: what runs in it and in no module within it, forward and backward. The largest first.
function M.by_module(events)
  local all, list = {}, {}
  for _, e in ipairs(events) do
    if e.kind == 'module' then
      local entry = place_of(all, list, e.name)
      entry.count = entry.count + 1
    elseif e.module and e.top == e then
      local entry = place_of(all, list, e.module.name)
      local part = e.kind == 'node' and 'backward' or 'forward'
      entry[part], entry.memory = entry[part] + cost(e), entry.memory + (part == 'forward' and e.memory or 0)
    end
  end
  return by_total(list)
end

--- Sums over the lines of scripts: operators that they call, and the backward of these. The largest first.
function M.by_line(events)
  local all, list = {}, {}
  for _, e in ipairs(events) do
    local source = e.kind == 'node' and (e.maker and e.maker.top) or e
    local inside_backward = e.kind == 'op' and e.outer and e.outer.kind == 'range' and e.outer.name == 'backward'
    if e.top == e and source and source.line and not inside_backward then
      local entry = place_of(all, list, source.line)
      local part = e.kind == 'node' and 'backward' or 'forward'
      entry[part], entry.memory = entry[part] + cost(e), entry.memory + (part == 'forward' and e.memory or 0)
      if part == 'forward' then entry.count = entry.count + 1 end
    end
  end
  return by_total(list)
end

--- {name = {count, time}} of ranges, and the time of all operators and nodes that are within no other.
function M.by_range(events)
  local ranges, working = {}, 0
  for _, e in ipairs(events) do
    if e.kind == 'range' then
      local r = ranges[e.name] or { count = 0, time = 0 }
      r.count, r.time = r.count + 1, r.time + e.time
      ranges[e.name] = r
    elseif e.top == e then
      working = working + e.time
    end
  end
  return ranges, working
end

return M
