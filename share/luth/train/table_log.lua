-- metrics.csv, a line for every so many steps and for each epoch, with empty fields where nothing was measured; and the same
-- numbers in events.out.tfevents.luth, which TensorBoard opens, with what run_events.lua adds there.
local native = require 'luth.native'
local File = require 'luth.events.file'
local files = require 'luth.train.files'
local summary = require 'luth.events.summary'
local run_folder = require 'luth.train.run_folder'

local Log = {}
Log.__index = Log

local function text_of(value)
  if value == nil then return '' end
  return math.type(value) == 'integer' and tostring(value) or string.format('%.9g', value)
end

--- `dir`: the folder of the run. `columns`: the names behind step and epoch.
function Log.new(dir, columns)
  return setmetatable({ path = dir .. '/metrics.csv', dir = dir, columns = columns, lines = {}, texts = {}, written = native.now() }, Log)
end

-- "val/accuracy" of "val_accuracy", "train/loss" of "loss"; of an epoch, "train/epoch_loss".
local function tag_of(name, ends)
  local held = name:match '^val_(.*)'
  return held and 'val/' .. held or 'train/' .. (ends and name == 'loss' and 'epoch_' or '') .. name
end

--- The tags of what is measured on the validation data.
function Log:tags()
  local tags = {}
  for _, name in ipairs(self.columns) do if name:match '^val_' then tags[tag_of(name)] = true end end
  return tags
end

function Log:header() return 'step,epoch,' .. table.concat(self.columns, ',') .. '\n' end

--- Begins at a step: drops the lines behind it, which will be written again, and one that was cut short.
function Log:begin(step)
  self.events = File.from(self.dir .. '/events.out.tfevents.luth', step > 0 and step or -1)  -- what stands at step 0 is written at each begin
  local old = files.read(self.path) or ''
  local kept = { self:header() }
  for line in old:gmatch('[^\n]*\n') do
    local at = math.tointeger(tonumber(line:match '^(%d+),'))
    if at and at <= step then kept[#kept + 1] = line end
  end
  native.append(self.path, '')  -- refuses a link and a file of somebody else, which replacing would write through
  local text = table.concat(kept)
  if text ~= old then native.replace(self.path, text) end
end

--- Adds a line, which write() brings to the disk. A value may be a tensor that is read then. `ends`: it is that of an epoch.
function Log:add(step, epoch, values, ends)
  self.lines[#self.lines + 1] = { step = step, epoch = epoch, values = values, ends = ends, time = os.time() }
end

--- `sync`: until the disk has it.
function Log:write(sync)
  self:take_lines()
  self.events:flush(sync)
  if self.texts[1] or sync then native.append(self.path, table.concat(self.texts), not sync) end
  self.texts, self.written = {}, native.now()
end

--- The same without waiting for the disk, once in a second at most.
function Log:write_some()
  if native.now() - self.written >= 1 and not run_folder.is_taken(self.dir) then self:write() end
end

--- Adds a summary (luth.events.summary) to the events alone, in the order of the lines.
function Log:event(step, values) self.lines[#self.lines + 1] = { step = step, event = values, time = os.time() } end
--- The graph of a model, from its bytes.
function Log:graph(bytes) self.lines[#self.lines + 1] = { graph = bytes } end

-- Makes text and events of the lines.
function Log:take_lines()
  for _, line in ipairs(self.lines) do
    if line.event then self.events:summary(line.step, line.event, line.time)
    elseif line.graph then self.events:graph(line.graph)
    else self:take_numbers(line) end
  end
  self.lines = {}
end

function Log:take_numbers(line)
  local fields = { line.step, line.epoch }
  for k, name in ipairs(self.columns) do
    local value = line.values[name]
    if torch.is_tensor(value) then value = value:item() end
    fields[k + 2] = text_of(value)
    if value and not (line.ends and name == 'lr') then  -- it is in the line of the step
      self.events:summary(line.step, summary.scalar(tag_of(name, line.ends), value), line.time)
    end
  end
  self.texts[#self.texts + 1] = table.concat(fields, ',') .. '\n'
end

return Log
