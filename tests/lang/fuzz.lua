-- Calls every operator, as function and as method, with random arguments: no crash, no error but luth's own, and what an
-- operator in place refuses is unchanged. The rounds are the same every time; `fuzz.lua ROUNDS SEED` runs others.
-- tests/fuzz/calls has the calls, and programs made of them.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/fuzz/calls/?.lua;' .. package.path
local names = require 'names'
local rounds, seed = tonumber(arg[1]) or 24, tonumber(arg[2]) or 1
math.randomseed(seed)
torch.manual_seed(seed)

local run = require('run').new(os.getenv('LUTH_FUZZ_TRACE'))
for _, entry in ipairs(names.entries) do
  for round = 1, rounds do names.step(run, entry, round % 2 == 0) end
end

print(string.format('%d calls, %d of them fitted, %d faults', run.calls, run.fits, #run.faults))
assert(run.calls > 1000)
if #run.faults > 0 then error(table.concat(run.faults, '\n', 1, math.min(#run.faults, 40)), 0) end
