-- Files of records: length, checksum of the length, bytes, checksum of the bytes. The checksums are CRC-32C, turned by 15 bits
-- and moved by a constant, as TensorFlow's record files have them.
local native = require 'luth.native'

local M = {}

local function checksum(text)
  local c = native.crc32c(text)
  return ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF
end

--- The record of some bytes.
function M.encode(bytes)
  local length = string.pack('<I8', #bytes)
  return length .. string.pack('<I4', checksum(length)) .. bytes .. string.pack('<I4', checksum(bytes))
end

--- Calls f(bytes, from, to) for each whole record of a text, until it returns true; `from` and `to` are its places.
function M.each(text, f)
  local at = 1
  while at + 15 <= #text do
    local n = string.unpack('<I8', text, at)
    local to = at + 15 + n
    if n < 0 or to > #text or string.unpack('<I4', text, at + 8) ~= checksum(text:sub(at, at + 7)) then return end
    if f(text:sub(at + 12, at + 11 + n), at, to) then return end
    at = to + 1
  end
end

return M
