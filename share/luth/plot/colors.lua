-- Colours of series, and the ramp of heat maps from dark blue over green to yellow, in which lightness rises evenly.
local M = {}

--- Of series, as red, green, blue from 0 to 255; told apart also by who sees no red or no green.
M.series = { { 0, 114, 178 }, { 213, 94, 0 }, { 0, 158, 115 }, { 204, 121, 167 }, { 230, 159, 0 }, { 86, 180, 233 } }
--- The same as numbers of a terminal's own colours.
M.terminal = { 34, 31, 32, 35, 33, 36 }

function M.of(i) return M.series[(i - 1) % #M.series + 1] end
function M.in_terminal(i) return M.terminal[(i - 1) % #M.terminal + 1] end

local stops = { { 62, 12, 92 }, { 58, 62, 140 }, { 42, 106, 142 }, { 30, 146, 140 }, { 64, 184, 112 }, { 150, 214, 62 }, { 250, 230, 50 } }

-- 256 rows of red, green, blue.
local function table_of()
  local position = torch.linspace(0, #stops - 1, 256)
  local below = position:floor():clamp(0, #stops - 2)
  local share = (position - below):unsqueeze(2)
  local all = torch.tensor(stops, { dtype = torch.float32 })
  local first = below:long() + 1
  return (all:index_select(1, first) * (1 - share) + all:index_select(1, first + 1) * share):round():to(torch.uint8)
end

--- Bytes [3, H, W] for numbers [H, W] from 0 to 1; nan is grey.
function M.ramp(x)
  local known = x:isfinite()
  local at = (torch.where(known, x, 0) * 255):round():clamp(0, 255):long() + 1
  local rgb = table_of():index_select(1, at:flatten()):view(x:size(1), x:size(2), 3):permute(3, 1, 2)
  return torch.where(known, rgb, torch.full({}, 160, { dtype = torch.uint8 }))
end

--- The ramp itself, [3, 1, 256].
function M.strip() return table_of():t():unsqueeze(2) end

return M
