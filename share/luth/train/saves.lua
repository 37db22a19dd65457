-- Checkpoints of a run, which are written beside the loop, and the log that they need. A save that fails is said at once; the
-- run goes on, and its exit code tells.
local native = require 'luth.native'
local checkpoint = require 'luth.train.checkpoint'
local progress = require 'luth.train.progress'
local ranks = require 'luth.train.ranks'
local run_folder = require 'luth.train.run_folder'

local Saves = {}
Saves.__index = Saves

--- Of a trainer that has its folder.
function Saves.new(t)
  return setmetatable({ t = t, at = native.now(), pending = {}, begun = 0, failed = 0, unlogged = {}, paths = {}, removals = {} }, Saves)
end

--- The next save writes this file too, before last.h5, and then removes another one.
function Saves:also(path, removed)
  self.paths[#self.paths + 1] = path
  self.removals[#self.removals + 1] = removed
end

--- Adds the line of an epoch to log.jsonl.
function Saves:log(entry) self.unlogged[#self.unlogged + 1] = entry end

-- Says that something could not be written.
function Saves:note_failure(why)
  self.failed, self.last_failure = self.failed + 1, why
  self.t.line:clear()
  local last = self.t.run.last
  progress.say('saving failed, and the run goes on: %s%s', why, native.exists(last) and '; ' .. last .. ' is the one before' or '')
end

-- Brings the log to the disk: a checkpoint behind which lines are missing would leave a gap. False where it cannot; then the
-- lines stay for the next time.
function Saves:write_log()
  local ok, why = pcall(function()
    while self.unlogged[1] do
      run_folder.log(self.t.run, self.unlogged[1])
      table.remove(self.unlogged, 1)
    end
    if self.t.table then self.t.table:write(true) end
  end)
  if ok then return true end
  if native.code(why) ~= 1 then error(why, 0) end
  self:note_failure(why)
  return false
end

-- The last save that has ended, as all ranks know of it: {step, problem}, or nil.
function Saves:outcomes(wait)
  local function own()
    local list = {}
    for i, outcome in ipairs(native.saved(wait)) do
      list[i] = { step = self.pending[outcome.number], problem = outcome.problem }
      self.pending[outcome.number] = nil
    end
    return list
  end
  return ranks.of_first(own)
end

--- Tells of saves that have ended; with `wait`, of all. Several ranks do this together, so it is for the places where all wait.
function Saves:settle(wait)
  if ranks.size > 1 and not wait then return end
  for _, outcome in ipairs(self:outcomes(wait)) do
    if outcome.problem then
      self:note_failure(outcome.problem)
    else
      self.t.events:fire('on_save', self.t, self.t.run.last, outcome.step)
    end
  end
end

--- Saves the state of the run as it is now: copies it, and writes while the run goes on. Waits for the save before. All ranks call it.
function Saves:begin()
  local state = checkpoint.state(self.t)
  self:settle(true)
  self.at, self.begun = native.now(), self.begun + 1
  local paths, removals = self.paths, self.removals
  self.paths, self.removals = {}, {}
  if ranks.rank > 0 then return end
  if not self:write_log() then return end
  paths[#paths + 1] = self.t.run.last
  self.pending[native.save_later(state, paths, removals)] = self.t.step
end

--- The end of a run that was told of each failure: its exit code.
function Saves:conclude()
  self:settle(true)
  local failed = ranks.of_first(function() return self.failed end)
  if failed == 0 then return end
  ranks.fail(0, 1, string.format('%d of %d saves failed; the last time: %s', failed, self.begun, tostring(self.last_failure)))
end

return Saves
