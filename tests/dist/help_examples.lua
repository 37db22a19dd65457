-- The examples of help on messages, which take two processes: each runs, and says what it received.
local dist = torch.distributed
local uses = require 'luth.reference.uses'

local count = 0
for _, name in ipairs(uses.names()) do
  local code = table.concat(uses.code(name, ''), '\n')
  if code:find("os.getenv 'WORLD_SIZE' == '2'", 1, true) then
    assert(load(code, '=' .. name))()
    assert(not dist.is_initialized(), name .. ' leaves the run')
    count = count + 1
  end
end
assert(count >= 8, count)
