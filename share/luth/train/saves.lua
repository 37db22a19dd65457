-- Checkpoints of a run, which are written beside the loop, and the log that they need. A save that fails is said at once; the
-- run goes on, and its exit code tells.
local native = require 'luth.native'
local checkpoint = require 'luth.train.checkpoint'
local ranks = require 'luth.train.ranks'
local run_folder = require 'luth.train.run_folder'
local warnings = require 'luth.train.warnings'

local Saves = {}
Saves.__index = Saves

--- Of a trainer that has its folder.
function Saves.new(t)
  return setmetatable({ t = t, at = native.now(), pending = {}, begun = 0, failed = 0, unlogged = {}, also_next = {}, writing = {}, removals = {} }, Saves)
end

--- The next save writes this file too, before last.h5, and then removes another one. undo() is called where it could not be
--- written, on all ranks, before the next save.
function Saves:also(path, removed, undo)
  self.also_next[#self.also_next + 1] = { path = path, removed = removed, undo = undo }
end

--- Adds the line of an epoch to log.jsonl.
function Saves:log(entry) self.unlogged[#self.unlogged + 1] = entry end

-- Says that something could not be written; `last_is_new`: last.h5 could.
function Saves:note_failure(why, last_is_new)
  self.failed, self.last_failure = self.failed + 1, why
  self.t.line:clear()
  local last = self.t.run.last
  local seen, there = pcall(native.exists, last)  -- the folder may be one that cannot be looked into
  warnings.warn(self.t, 'saving failed, and the run goes on: %s%s', why,
               not last_is_new and seen and there and '; ' .. last .. ' is the one before' or '')
end

-- A save has ended: files that it could not write ({path = true}) are undone, and what it did not remove is left to the next one.
function Saves:end_one(failed)
  if not next(failed) then self.removals = {} end
  for _, one in ipairs(self.writing) do
    if failed[one.path] then
      one.undo()
    elseif next(failed) then
      self.removals[#self.removals + 1] = one.removed
    end
  end
  self.writing = {}
  self.outdated = next(failed) ~= nil and not failed[self.t.run.last]
end

-- Brings the log to the disk: a checkpoint behind which lines are missing would leave a gap. Returns why it cannot, and then
-- the lines stay for the next time; else false.
function Saves:write_log()
  local ok, why = pcall(function()
    local gone = run_folder.still_there(self.t.run)
    if gone then warnings.warn(self.t, '%s', gone) end
    while self.unlogged[1] do
      run_folder.log(self.t.run, self.unlogged[1])
      table.remove(self.unlogged, 1)
    end
    if self.t.table then self.t.table:write(true) end
  end)
  if not ok and native.code(why) ~= 1 then error(why, 0) end
  return not ok and why
end

-- The saves that have ended, as all ranks know of them: a list {step, problem, failed = paths}.
function Saves:outcomes(wait)
  local function own()
    local list = {}
    for i, outcome in ipairs(native.saved(wait)) do
      list[i] = { step = self.pending[outcome.number], problem = outcome.problem, failed = outcome.failed }
      self.pending[outcome.number] = nil
    end
    return list
  end
  return ranks.of_first(own)
end

--- Tells of saves that have ended; with `wait`, of all. Several ranks do this together, so it is for the places where all wait.
function Saves:settle(wait)
  if not wait and (ranks.size > 1 or not next(self.pending)) then return end
  for _, outcome in ipairs(self:outcomes(wait)) do
    local failed = {}
    for _, path in ipairs(outcome.failed) do failed[path] = true end
    self:end_one(failed)
    local last = self.t.run.last
    if outcome.problem then self:note_failure(outcome.problem, not failed[last]) end
    if not failed[last] then self.t.events:fire('on_save', self.t, last, outcome.step) end
  end
end

--- Waits for all saves. A last.h5 that tells of files that could not be written is written once more.
function Saves:finish()
  self:settle(true)
  if not self.outdated then return end
  self:begin()
  self:settle(true)
end

--- Saves the state of the run as it is now: copies it, and writes while the run goes on. Waits for the save before. All ranks call it.
function Saves:begin()
  self:settle(true)
  warnings.gather(self.t)
  local state = checkpoint.state(self.t)
  self.at, self.begun = native.now(), self.begun + 1
  self.writing, self.also_next = self.also_next, {}
  local paths, removals = {}, table.move(self.removals, 1, #self.removals, 1, {})
  for i, one in ipairs(self.writing) do
    paths[i] = one.path
    removals[#removals + 1] = one.removed
  end
  paths[#paths + 1] = self.t.run.last
  local problem = ranks.of_first(function() return self:write_log() end)
  if problem then
    self:note_failure(problem)
    local failed = {}
    for _, path in ipairs(paths) do failed[path] = true end
    return self:end_one(failed)
  end
  if ranks.rank > 0 then return end
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
