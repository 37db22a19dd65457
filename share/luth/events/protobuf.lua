-- Messages of protocol buffers (https://protobuf.dev/programming-guides/encoding), as far as TensorBoard's events need them. A
-- message is the concatenation of its fields; each function makes one field.
local M = {}

local function varint(n)
  local bytes = {}
  while n > 127 or n < 0 do
    bytes[#bytes + 1] = string.char(n & 127 | 128)
    n = n >> 7
  end
  return table.concat(bytes) .. string.char(n)
end

function M.integer(field, n) return varint(field << 3) .. varint(n) end
function M.double(field, x) return varint(field << 3 | 1) .. string.pack('<d', x) end
function M.float(field, x) return varint(field << 3 | 5) .. string.pack('<f', x) end
--- A string, bytes, or another message.
function M.bytes(field, text) return varint(field << 3 | 2) .. varint(#text) .. text end
function M.doubles(field, list)
  local parts = {}
  for i, x in ipairs(list) do parts[i] = string.pack('<d', x) end
  return M.bytes(field, table.concat(parts))
end

--- The value of the first integer field of that number in a message, or nil. Throws for what is no message.
function M.read_integer(message, wanted)
  local at = 1
  local function number()
    local n, shift = 0, 0
    while true do
      local byte = message:byte(at) or error 'the message is cut short'
      at, n, shift = at + 1, n | (byte & 127) << shift, shift + 7
      if byte < 128 then return n end
    end
  end
  while at <= #message do
    local key = number()
    local kind = key & 7
    if kind == 0 then
      local n = number()
      if key >> 3 == wanted then return n end
    elseif kind == 1 then at = at + 8
    elseif kind == 5 then at = at + 4
    elseif kind == 2 then
      local n = number()
      at = at + n
    else error 'it is no message' end
  end
end

return M
