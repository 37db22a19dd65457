-- Base64 as RFC 4648 has it.
local M = {}

local letters = {}
for i, from in ipairs { 'AZ', 'az', '09' } do
  for code = from:byte(1), from:byte(2) do letters[#letters + 1] = string.char(code) end
end
letters[63], letters[64] = '+', '/'
local pairs_of = {}  -- of 12 bits
for i = 0, 4095 do pairs_of[i] = letters[(i >> 6) + 1] .. letters[(i & 63) + 1] end

function M.encode(bytes)
  local out, whole = {}, #bytes - #bytes % 3
  for i = 1, whole, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local n = a << 16 | b << 8 | c
    out[#out + 1] = pairs_of[n >> 12] .. pairs_of[n & 4095]
  end
  local a, b = bytes:byte(whole + 1, -1)
  if b then out[#out + 1] = pairs_of[a << 4 | b >> 4] .. letters[((b & 15) << 2) + 1] .. '='
  elseif a then out[#out + 1] = pairs_of[a << 4] .. '==' end
  return table.concat(out)
end

return M
