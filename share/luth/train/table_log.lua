-- metrics.csv: a line for every so many steps and for each validation, with empty fields where nothing was measured.
local native = require 'luth.native'

local Log = {}
Log.__index = Log

local function text_of(value)
  if value == nil then return '' end
  return math.type(value) == 'integer' and tostring(value) or string.format('%.9g', value)
end

--- `path`: the file. `columns`: the names behind step and epoch.
function Log.new(path, columns)
  return setmetatable({ path = path, columns = columns, lines = {} }, Log)
end

function Log:header() return 'step,epoch,' .. table.concat(self.columns, ',') .. '\n' end

--- Drops the lines behind a step, which will be written again, and one that was cut short.
function Log:forget_after(step)
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

--- Adds a line, which write() brings to the disk. A value may be a tensor that is read then.
function Log:add(step, epoch, values)
  self.lines[#self.lines + 1] = { step = step, epoch = epoch, values = values }
end

function Log:write()
  if #self.lines == 0 then return end
  local texts = {}
  for i, line in ipairs(self.lines) do
    local fields = { line.step, line.epoch }
    for k, name in ipairs(self.columns) do
      local value = line.values[name]
      fields[k + 2] = text_of(torch.is_tensor(value) and value:item() or value)
    end
    texts[i] = table.concat(fields, ',') .. '\n'
  end
  native.append(self.path, table.concat(texts))
  self.lines = {}
end

return Log
