-- A font of 5 × 7 pixels for the printing characters of ASCII; of others a frame is drawn.
local M = {}

-- Seven rows for each character from the space on; a row is a digit to base 32, its highest bit at the left.
local packed = [[
00000004444404aaa0000aavavaa4fke5u4op248j3cik8lidc4800002488842842224804lel40044v4400000c48000v00000000cc01248g0
ehjlphe4c4444eeh1248vv2421he26aiv22vgu11he68guhhev124888ehhehheehhf12c0cc0cc00cc0c48248g84200v0v008421248eh12404
eh1dlleehhvhhhuhhuhhuehggghesihhhisvgguggvvggugggehgnhhfhhhvhhhe44444e72222ichikokihggggggvhrllhhhhhpljhhehhhhhe
uhhugggehhhliduhhukihfgge11uv444444hhhhhhehhhhha4hhhlllahha4ahhhhha444v1248gve88888e0g84210e22222e4ah0000000000v
842000000e1fhfggmphhu00egghe11djhhf00ehvge698s8880fhhf1eggmphhh40c444e20622icggikokic44444e00qllhh00mphhh00ehhhe
00uhugg00djf1100mpggg00ege1u88s889600hhhjd00hhha400hhlla00ha4ah00hhf1e00v248v244844244444448442448008l200
]]
packed = packed:gsub('%s', '')

local frame = { 31, 17, 17, 17, 17, 17, 31 }
local made = {}

--- The rows of a character as seven numbers of five bits.
function M.rows(code)
  if code < 32 or code > 126 then return frame end
  if not made[code] then
    local rows = {}
    for i = 1, 7 do rows[i] = tonumber(packed:sub((code - 32) * 7 + i, (code - 32) * 7 + i), 32) end
    made[code] = rows
  end
  return made[code]
end

return M
