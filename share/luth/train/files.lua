-- Files of a run that may not be there yet.
local native = require 'luth.native'

local M = {}

--- The text of a file, of at most `most` bytes (nil: any number); nil only where there is none, since a run goes on without it then.
function M.read(path, most)
  if not native.exists(path) then return nil end
  return native.read(path, most or math.maxinteger, 1)
end

return M
