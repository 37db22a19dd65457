-- metrics.csv, a line for every so many steps and for each epoch, with empty fields where nothing was measured; and the same
-- numbers in events.out.tfevents.luth, which TensorBoard opens.
local native = require 'luth.native'
local File = require 'luth.events.file'
local summary = require 'luth.events.summary'

local Log = {}
Log.__index = Log

local function text_of(value)
  if value == nil then return '' end
  return math.type(value) == 'integer' and tostring(value) or string.format('%.9g', value)
end

--- `dir`: the folder of the run. `columns`: the names behind step and epoch.
function Log.new(dir, columns)
  return setmetatable({ path = dir .. '/metrics.csv', dir = dir, columns = columns, lines = {}, text = '', written = native.now() }, Log)
end

-- "val/accuracy" of "val_accuracy", "train/loss" of "loss"; of an epoch, "train/epoch_loss".
local function tag_of(name, ends)
  local held = name:match '^val_(.*)'
  return held and 'val/' .. held or 'train/' .. (ends and name == 'loss' and 'epoch_' or '') .. name
end

function Log:header() return 'step,epoch,' .. table.concat(self.columns, ',') .. '\n' end

--- Begins at a step: drops the lines behind it, which will be written again, and one that was cut short.
function Log:begin(step)
  self.events = File.from(self.dir .. '/events.out.tfevents.luth', step)
  local old = native.exists(self.path) and native.read(self.path, math.maxinteger, 1) or ''
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
  if self.text ~= '' or sync then native.append(self.path, self.text, not sync) end
  self.text, self.written = '', native.now()
end

--- The same without waiting for the disk, once in a second at most.
function Log:write_some()
  if native.now() - self.written >= 1 then self:write() end
end

-- Makes text and events of the lines.
function Log:take_lines()
  local texts = {}
  for i, line in ipairs(self.lines) do
    local fields = { line.step, line.epoch }
    for k, name in ipairs(self.columns) do
      local value = line.values[name]
      if torch.is_tensor(value) then value = value:item() end
      fields[k + 2] = text_of(value)
      if value and not (line.ends and name == 'lr') then  -- it is in the line of the step
        self.events:summary(line.step, summary.scalar(tag_of(name, line.ends), value), line.time)
      end
    end
    texts[i] = table.concat(fields, ',') .. '\n'
  end
  self.lines = {}
  self.text = self.text .. table.concat(texts)
end

return Log
