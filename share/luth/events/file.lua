-- events.out.tfevents…: the file of a run that TensorBoard opens.
local native = require 'luth.native'
local proto = require 'luth.events.protobuf'
local records = require 'luth.events.records'

local File = {}
File.__index = File

local kept = 64 * 1024  -- bytes that wait for flush()

local function event(step, fields, time)
  return records.encode(proto.double(1, time or os.time()) .. (step and proto.integer(2, step) or '') .. fields)
end

--- A new file in a folder, which is made.
function File.new(dir, suffix)
  native.mkdirs(dir)
  local path
  for n = 0, 1000 do
    path = string.format('%s/events.out.tfevents.%010d.luth.%d.%d%s', dir, os.time(), native.process(), n, suffix or '')
    if not native.exists(path) then break end
  end
  return File.at(path)
end

--- The file of that path, to which is added; it begins anew where there is none, or where it is empty.
function File.at(path)
  local file = setmetatable({ path = path, parts = {}, bytes = 0 }, File)
  native.append(path, '')  -- refuses a link and a file of somebody else
  if native.read(path, math.maxinteger, 1) == '' then file:put(event(nil, proto.bytes(3, 'brain.Event:2'))) end
  return file
end

function File:put(bytes)
  self.parts[#self.parts + 1], self.bytes = bytes, self.bytes + #bytes
  if self.bytes >= kept then self:flush() end
end

--- A message Summary of values (luth.events.summary), at a step.
function File:summary(step, values, time) self:put(event(step, proto.bytes(5, values), time)) end
--- The bytes of a graph.
function File:graph(bytes) self:put(event(0, proto.bytes(4, bytes))) end

--- Brings all to the file, and with `sync` to the disk.
function File:flush(sync)
  if #self.parts == 0 and not sync then return end
  native.append(self.path, table.concat(self.parts), not sync)
  self.parts, self.bytes = {}, 0
end

--- The file of that path without the events behind a step (-1: all), which will be written again, and one that was cut short.
function File.from(path, step)
  native.append(path, '')  -- refuses a link and a file of somebody else, which replacing would write through
  local text = native.read(path, math.maxinteger, 1)
  local pieces, from, last = {}, nil, 0
  records.each(text, function(bytes, at, to)
    local ok, own = pcall(proto.read_integer, bytes, 2)
    if ok and (own or 0) <= step then
      from = from or at
      last = to
    elseif from then
      pieces[#pieces + 1] = text:sub(from, last)
      from = nil
    end
  end)
  if from then pieces[#pieces + 1] = text:sub(from, last) end
  local whole = table.concat(pieces)
  if whole ~= text then native.replace(path, whole) end
  return File.at(path)
end

return File
