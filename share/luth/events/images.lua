-- Pictures of TensorBoard's events.
local summary = require 'luth.events.summary'

local M = {}

local orders = { CHW = { 1, 2, 3 }, HWC = { 3, 1, 2 } }

--- uint8 [C, H, W] of numbers 0 to 1, or of bytes; nil where it has another number of channels than 1 or 3.
function M.to_bytes(x, format)
  x = x:detach():cpu()
  if format == 'HW' then x, format = x:unsqueeze(1), 'CHW' end
  if not orders[format] then error("dataformats is 'CHW', 'HWC' or 'HW', got '" .. tostring(format) .. "'", 0) end
  if x:dim() ~= 3 then return nil end
  x = x:permute(table.unpack(orders[format]))
  if x:size(1) ~= 1 and x:size(1) ~= 3 then return nil end
  return x.dtype == torch.uint8 and x or (x:float() * 255):clamp(0, 255):to(torch.uint8)
end

--- The summary of a uint8 [C, H, W].
function M.summary(tag, x)
  return summary.image(tag, data.encode_image(x:contiguous(), '.png'), x:size(2), x:size(3), x:size(1))
end

--- Images [N, C, H, W] side by side, eight in a row: [C, H', W'].
function M.grid(images)
  local n, c, h, w = images:size(1), images:size(2), images:size(3), images:size(4)
  local across = math.min(n, 8)
  local grid = torch.zeros(c, (n + across - 1) // across * h, across * w, { dtype = images.dtype })
  for i = 0, n - 1 do
    local top, left = i // across * h, i % across * w
    grid[{ {}, { top + 1, top + h }, { left + 1, left + w } }] = images[i + 1]:detach():cpu()
  end
  return grid
end

return M
