-- What went otherwise in a run than it should: said at once, and kept in warnings.jsonl of its folder for the report, a line
-- {epoch, step, text} each. A run without warnings has no such file.
local native = require 'luth.native'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'

local M = {}
local most_bytes = 1 << 24

-- The lines of a folder up to a step; one that was cut short is the last one.
local function lines_of(path, step)
  local kept, there = {}, {}
  local text = native.exists(path) and native.read(path, most_bytes, 1) or ''
  for line in text:gmatch('[^\n]*\n') do
    local ok, entry = pcall(native.json_decode, line)
    if ok and type(entry) == 'table' and math.type(entry.step) and entry.step <= step then
      kept[#kept + 1], there[line] = line, true
    end
  end
  return table.concat(kept), there, text
end

-- A full disk does not end a run: the warning has been said.
local function write(t, line)
  if t.warned[line] then return end
  t.warned[line] = true
  pcall(native.append, t.dir .. '/warnings.jsonl', line)
end

--- Begins in the folder of a trainer: drops the lines behind its step, which will be said again, and writes those said before.
function M.begin(t)
  if ranks.rank > 0 then return end
  local path, waiting = t.dir .. '/warnings.jsonl', t.unwritten_warnings or {}
  local kept, there, text = lines_of(path, t.step)
  t.warned = there
  if text ~= kept then
    native.append(path, '')  -- refuses a link and a file of somebody else, which replacing would write through
    native.replace(path, kept)
  end
  for _, line in ipairs(waiting) do write(t, line) end
end

--- Says a warning of a trainer's run, and keeps it.
function M.warn(t, ...)
  progress.say(...)
  if ranks.rank > 0 then return end
  local line = native.json_encode { epoch = t.epoch, step = t.step, text = string.format(...) } .. '\n'
  if t.warned then return write(t, line) end
  t.unwritten_warnings = t.unwritten_warnings or {}
  table.insert(t.unwritten_warnings, line)
end

return M
