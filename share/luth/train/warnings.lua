-- What went otherwise in a run than it should: said at once, and kept in warnings.jsonl of its folder for the report, a line
-- {epoch, step, text} each; warnings of luth itself and the names of samples that were left out, too. A run without warnings has
-- no such file.
local native = require 'luth.native'
local files = require 'luth.train.files'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local run_folder = require 'luth.train.run_folder'

local M = {}
local most_bytes = 1 << 24

-- The lines of a folder up to a step; one that was cut short is the last one.
local function lines_of(path, step)
  local kept, there = {}, {}
  local text = files.read(path, most_bytes) or ''
  for line in text:gmatch('[^\n]*\n') do
    local ok, entry = pcall(native.json_decode, line)
    if ok and type(entry) == 'table' and math.type(entry.step) and entry.step <= step then
      kept[#kept + 1], there[line] = line, true
      if type(entry.text) == 'string' then there[entry.text] = true end
    end
  end
  return table.concat(kept), there, text
end

-- A full disk does not end a run: the warning has been said.
local function write(t, line)
  if t.warned[line] then return end
  t.warned[line] = true
  if not run_folder.is_taken(t.dir) then pcall(native.append, t.dir .. '/warnings.jsonl', line) end
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
  M.gather(t)
end

-- Behind the last epoch `epoch` is already that of the next one.
local function line_of(t, text)
  local epoch = t.over and t.batch == 0 and math.max(1, t.epoch - 1) or t.epoch
  return native.json_encode { epoch = epoch, step = t.step, text = text } .. '\n'
end

-- Keeps a text that has been said, or stands for a thing that is said as a number, unless the run has it already.
local function keep(t, text)
  text = native.visible(text)
  if t.warned[text] then return end
  t.warned[text] = true
  write(t, line_of(t, text))
end

--- Keeps why samples could not be read and were left out by a loader of the run.
function M.left_out(t, loader)
  if ranks.rank > 0 or not t.warned or (loader.skipped or 0) == 0 then return end
  for _, why in ipairs(loader:left_out()) do keep(t, 'left out: ' .. why) end
end

--- Keeps the warnings that luth has said since the last time, and what the loader of the training data left out.
function M.gather(t)
  if ranks.rank > 0 then return end
  local said = native.warnings(t.heard or 0)
  t.heard = (t.heard or 0) + #said
  for _, text in ipairs(said) do keep(t, text) end
  M.left_out(t, t.loader)
end

--- Says a warning of a trainer's run, and keeps it.
function M.warn(t, ...)
  progress.say(...)
  if ranks.rank > 0 then return end
  local line = line_of(t, string.format(...))
  if t.warned then return write(t, line) end
  t.unwritten_warnings = t.unwritten_warnings or {}
  table.insert(t.unwritten_warnings, line)
end

return M
