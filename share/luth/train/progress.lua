-- The output of a run: lines on stderr, and at a terminal one line that changes. Rank 0 speaks for all.
local native = require 'luth.native'
local ranks = require 'luth.train.ranks'

local M = {}

local function at_terminal() return ranks.rank == 0 and native.is_tty(2) end

function M.say(...)
  if ranks.rank == 0 then io.stderr:write(string.format(...), '\n') end
end

-- A function that shows a text in place of the one before, ten times a second at most; '' takes it away.
function M.line()
  if not at_terminal() then return function() end end
  local last, shown = 0, false
  return function(text)
    if text == '' then
      if shown then io.stderr:write('\r\27[K') end
      shown = false
      return
    end
    if native.now() - last < 0.1 then return end
    last, shown = native.now(), true
    io.stderr:write('\r\27[K', text)
    io.stderr:flush()
  end
end

-- Where the epoch of a trainer is: `n` batches in all, `seen` samples since `started`.
function M.show(trainer, n, seen, started)
  if not at_terminal() then return end
  local filled = trainer.batch * 20 // n
  local rate = seen / math.max(1e-9, native.now() - started)
  trainer.progress(string.format('epoch %d/%d [%s%s] %d/%d  %.0f samples/s', trainer.epoch, trainer.recipe.epochs,
                                 ('#'):rep(filled), (' '):rep(20 - filled), trainer.batch, n, rate))
end

return M
