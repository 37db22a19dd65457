-- Makes share/doc/reference and share/luth/types/torch.lua anew, from the program that runs this:
--
--   build/release/bin/luth scripts/reference.lua            writes what has changed, and names it
--   build/release/bin/luth scripts/reference.lua --check    only names it; exit code 1 where there is something
local reference = require 'luth.reference'

local share = (arg[0]:match('^(.*)/') or '.') .. '/../share'
local list
if arg[1] == '--check' then list = reference.outdated(share) else list = reference.write(share) end
for _, name in ipairs(list) do print('share/' .. name) end
if arg[1] == '--check' and #list > 0 then os.exit(1, true) end
