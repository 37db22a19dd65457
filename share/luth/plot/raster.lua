-- A canvas of pixels, for PNG: drawn at twice the size and averaged, so that lines are smooth.
local colors = require 'luth.plot.colors'
local font = require 'luth.plot.font'
local F = nn.functional

local Canvas = {}
Canvas.__index = Canvas

local black = { 32, 36, 44 }
local axis_color = { 86, 96, 114 }

local function new(width, height)
  return setmetatable({ width = width, height = height, char_w = 6, char_h = 13, pad = 8, pixels = {},
                        picture = torch.full({ 3, 2 * height, 2 * width }, 255, { dtype = torch.uint8 }) }, Canvas)
end

function Canvas:whole(length) return math.floor(length + 0.5) end

-- Fills pixels of the doubled picture, as tensors can.
function Canvas:fill(x, y, w, h, rgb)
  local x0, y0 = math.max(0, math.floor(2 * x + 0.5)), math.max(0, math.floor(2 * y + 0.5))
  local x1, y1 = math.min(2 * self.width, math.floor(2 * (x + w) + 0.5)), math.min(2 * self.height, math.floor(2 * (y + h) + 0.5))
  if x1 <= x0 or y1 <= y0 then return end
  for c = 1, 3 do self.picture[{ c, { y0 + 1, y1 }, { x0 + 1, x1 } }] = rgb[c] end
end

-- A square pen at a place of the doubled picture. What is drawn is put into the picture at once, at the end.
function Canvas:pen(x, y, size, color)
  local clip = self.limits
  for px = x, x + size - 1 do
    for py = y, y + size - 1 do
      if px >= clip[1] and px < clip[3] and py >= clip[2] and py < clip[4] then self.pixels[py * 2 * self.width + px] = color end
    end
  end
end

function Canvas:all() return { 0, 0, 2 * self.width, 2 * self.height } end

function Canvas:clip(x, y, w, h) self.limits = x and { 2 * x, 2 * y, 2 * (x + w), 2 * (y + h) } or nil end

-- A line of the doubled picture.
function Canvas:stroke(x0, y0, x1, y1, size, color)
  local clip = self.limits
  self.limits = clip or self:all()
  local steps = math.max(1, math.ceil(math.max(math.abs(x1 - x0), math.abs(y1 - y0))))
  for k = 0, math.min(steps, 100000) do
    self:pen(math.floor(x0 + (x1 - x0) * k / steps - size / 2 + 0.5), math.floor(y0 + (y1 - y0) * k / steps - size / 2 + 0.5), size, color)
  end
  self.limits = clip
end

function Canvas:text(x, y, text, anchor, color)
  local letters = {}
  for _, code in utf8.codes(text, true) do letters[#letters + 1] = code end
  local width = #letters * self.char_w
  if anchor == 'middle' then x = x - width / 2 elseif anchor == 'end' then x = x - width end
  local rgb = color and colors.of(color) or black
  x, y = math.floor(x + 0.5), math.floor(y - 3.5)
  self.limits = self:all()
  for i, code in ipairs(letters) do
    for row, bits in ipairs(font.rows(code)) do
      for column = 0, 4 do
        if bits >> (4 - column) & 1 == 1 then self:pen(2 * (x + (i - 1) * 6 + column), 2 * (y + row - 1), 2, rgb) end
      end
    end
  end
  self.limits = nil
end
function Canvas:sample(x, y, color) self:lines({ x, y, x + 10, y }, color) end

function Canvas:lines(list, color)
  local rgb = colors.of(color)
  for i = 1, #list - 3, 2 do self:stroke(2 * list[i], 2 * list[i + 1], 2 * list[i + 2], 2 * list[i + 3], 3, rgb) end
end

function Canvas:marks(list, color)
  local rgb = colors.of(color)
  self.limits = self:all()
  for i = 1, #list, 2 do self:pen(math.floor(2 * list[i] - 3), math.floor(2 * list[i + 1] - 3), 6, rgb) end
  self.limits = nil
end

function Canvas:box(x, y, w, h, color) self:fill(x, y, math.max(0.5, w - 0.5), h, colors.of(color)) end

function Canvas:frame(x0, y0, x1, y1, xs, ys)
  self:fill(x0 - 1, y0, 1, y1 - y0 + 1, axis_color)
  self:fill(x0 - 1, y1, x1 - x0 + 1, 1, axis_color)
  for _, x in ipairs(xs) do self:fill(x - 0.5, y1, 1, 5, axis_color) end
  for _, y in ipairs(ys) do self:fill(x0 - 5, y - 0.5, 5, 1, axis_color) end
end

function Canvas:image(x, y, w, h, picture)
  local smaller = 2 * w < picture:size(3) or 2 * h < picture:size(2)
  local sized = F.interpolate(picture:unsqueeze(1):float(), { size = { 2 * h, 2 * w }, mode = smaller and 'area' or 'nearest' })[1]
  x, y = 2 * math.floor(x + 0.5), 2 * math.floor(y + 0.5)
  self.picture[{ {}, { y + 1, y + 2 * h }, { x + 1, x + 2 * w } }] = sized:round():to(torch.uint8)
end

--- The picture as bytes [3, H, W].
function Canvas:bytes()
  local places, values = {}, { {}, {}, {} }
  for at, rgb in pairs(self.pixels) do
    places[#places + 1] = at + 1
    for c = 1, 3 do values[c][#places] = rgb[c] end
  end
  if #places > 0 then
    local index = torch.tensor(places)
    for c = 1, 3 do self.picture[c]:flatten():index_copy_(1, index, torch.tensor(values[c], { dtype = torch.uint8 })) end
  end
  return F.avg_pool2d(self.picture:unsqueeze(1):float(), 2)[1]:round():to(torch.uint8)
end

function Canvas:finish() return data.encode_image(self:bytes(), '.png') end

return { new = new }
