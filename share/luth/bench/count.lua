-- luth count.lua NAME…: runs the statements of these workloads within luth_counted_call, for callgrind to count. Rounds are short, and the
-- collector runs between them: so what they allocate has been free before, and no table grows.
local native = require 'luth.native'
local check = require 'luth.bench.check'
local groups = require 'luth.bench.groups'

local statements = {}
require 'luth.bench.overhead' (function(w) statements[w.name] = w end)
for _, name in ipairs(arg) do
  local loop = groups.loop_of(statements[name])
  loop(2 * check.calls)
  for _ = 1, check.rounds do
    collectgarbage()
    collectgarbage 'stop'
    native.counted(loop, check.calls)
    collectgarbage 'restart'
  end
  native.counted_all()
end
