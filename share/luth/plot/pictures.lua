-- Pictures on terminals that show them: the protocols of kitty and of sixel.
local base64 = require 'luth.base64'
local native = require 'luth.native'

local M = {}

-- ---- which protocol --------------------------------------------------------------------------------------------------

local asked

-- A question that only kitty's protocol answers, and one that every terminal answers: with 4 in its list where it knows sixel.
local function ask()
  if os.getenv 'TMUX' or os.getenv 'STY' then return 'text' end  -- they pass no pictures on
  local answer = native.ask_terminal('\27_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\27\\\27[c', 0.3)
  if answer:find('\27_Gi=31;OK', 1, true) then return 'kitty' end
  local list = answer:match '\27%[%?([%d;]+)c'
  return list and (';' .. list .. ';'):find(';4;', 1, true) and 'sixel' or 'text'
end

--- 'kitty', 'sixel' or 'text': what LUTH_PLOT says, else what the terminal says, which is asked once.
function M.protocol()
  local given = os.getenv 'LUTH_PLOT'
  if given and given ~= '' then
    if given ~= 'kitty' and given ~= 'sixel' and given ~= 'text' then
      error("LUTH_PLOT is 'text', 'kitty' or 'sixel', got '" .. native.foreign(given, 40) .. "'", 0)
    end
    return given
  end
  local term = os.getenv 'TERM' or ''
  if term == '' or term == 'dumb' or term == 'linux' then return 'text' end
  asked = asked or (native.is_tty(0) and native.is_tty(1) and ask()) or 'text'
  return asked
end

-- ---- kitty -----------------------------------------------------------------------------------------------------------

--- The codes that show a PNG.
function M.kitty(png)
  local text, out = base64.encode(png), {}
  for from = 1, #text, 4096 do
    local more = from + 4096 <= #text and 1 or 0
    out[#out + 1] = ('\27_G%sm=%d;%s\27\\'):format(from == 1 and 'f=100,a=T,q=2,' or '', more, text:sub(from, from + 4095))
  end
  return table.concat(out) .. '\n'
end

-- ---- sixel -----------------------------------------------------------------------------------------------------------

-- One colour of a band of six rows: `bits` by column, as characters with counts of repetition.
local function run_lengths(bits, width)
  local out, before, count = {}, nil, 0
  local function flush()
    if count == 0 then return end
    local char = string.char(63 + before)
    out[#out + 1] = count > 3 and ('!%d%s'):format(count, char) or char:rep(count)
  end
  for column = 1, width do
    local b = bits[column] or 0
    if b == before then count = count + 1 else
      flush()
      before, count = b, 1
    end
  end
  flush()
  return table.concat(out)
end

--- The codes that show bytes [3, H, W], in a cube of 216 colours.
function M.sixel(picture)
  local h, w = picture:size(2), picture:size(3)
  local level = (picture:float() * (5 / 255)):round():long()
  local numbers = (level[1] * 36 + level[2] * 6 + level[3]):tolist()
  local out = { '\27Pq"1;1;', w, ';', h }
  local known = {}
  for top = 1, h, 6 do
    local band, order = {}, {}
    for row = top, math.min(top + 5, h) do
      for column, color in ipairs(numbers[row]) do
        if not band[color] then
          band[color] = {}
          order[#order + 1] = color
        end
        band[color][column] = (band[color][column] or 0) | 1 << (row - top)
      end
    end
    for i, color in ipairs(order) do
      if not known[color] then
        known[color] = true
        out[#out + 1] = ('#%d;2;%d;%d;%d'):format(color, color // 36 * 20, color // 6 % 6 * 20, color % 6 * 20)
      end
      out[#out + 1] = ('%s#%d%s'):format(i > 1 and '$' or '', color, run_lengths(band[color], w))
    end
    out[#out + 1] = '-'
  end
  return table.concat(out) .. '\27\\\n'
end

return M
