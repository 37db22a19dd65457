-- A canvas of characters: points of braille, eight to a character, or of ASCII, two to a character; pictures of half blocks.
local colors = require 'luth.plot.colors'
local F = nn.functional

local Canvas = {}
Canvas.__index = Canvas

-- Bits of the points of a braille character, by row and column.
local braille = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } }
local ascii = { [0] = ' ', [1] = "'", [2] = '.', [3] = ':' }

--- `options`: columns, rows; unicode: braille and blocks may be used; color: 0 none, 256, or 2^24.
local function new(options)
  local self = setmetatable({ columns = options.columns, rows = options.rows, unicode = options.unicode, color = options.color }, Canvas)
  self.char_w, self.char_h = options.unicode and 2 or 1, options.unicode and 4 or 2
  self.pad = 0
  self.width, self.height = self.columns * self.char_w, self.rows * self.char_h
  self.bits, self.chars, self.colors = {}, {}, {}
  return self
end

--- A length in whole characters: pictures and frames begin there.
function Canvas:whole(length, direction)
  local unit = direction == 'x' and self.char_w or self.char_h
  return math.floor(length / unit + 0.5) * unit
end

function Canvas:cell(column, row)
  if column < 0 or row < 0 or column >= self.columns or row >= self.rows then return nil end
  return row * self.columns + column
end

function Canvas:put(column, row, char, color)
  local cell = self:cell(column, row)
  if cell then self.chars[cell], self.colors[cell] = char, color end
end

function Canvas:text(x, y, text, anchor, color)
  local letters = {}
  for _, code in utf8.codes(text, true) do letters[#letters + 1] = utf8.char(code) end
  local column = math.floor(x / self.char_w + 0.5)
  if anchor == 'middle' then column = column - #letters // 2 elseif anchor == 'end' then column = column - #letters end
  column = math.max(0, math.min(column, self.columns - #letters))
  for i, letter in ipairs(letters) do self:put(column + i - 1, math.floor(y / self.char_h), letter, color and colors.in_terminal(color)) end
end

--- How the series looks, in the legend.
function Canvas:sample(x, y, color)
  self:text(x, y, self.unicode and '▬' or ('abcdefghij'):sub(color, color), 'start', color)
end

function Canvas:clip(x, y, w, h) self.limits = x and { x, y, x + w, y + h } or nil end

function Canvas:point(x, y, color)
  local clip = self.limits
  if clip and (x < clip[1] or x > clip[3] or y < clip[2] or y > clip[4]) then return end
  if clip then x, y = math.min(x, clip[3] - 1), math.min(y, clip[4] - 1) end
  local px, py = math.floor(x), math.floor(y)
  local cell = self:cell(px // self.char_w, py // self.char_h)
  if not cell then return end
  local bit = self.unicode and braille[py % 4 + 1][px % 2 + 1] or (py % 2 + 1)
  self.bits[cell] = (self.bits[cell] or 0) | bit
  self.colors[cell] = colors.in_terminal(color)
end

-- The part of a segment within the area that is clipped to, as shares of its length; nil where it misses it.
local function inside(clip, x0, y0, dx, dy)
  local from, to = 0, 1
  for _, side in ipairs { { -dx, x0 - clip[1] }, { dx, clip[3] - x0 }, { -dy, y0 - clip[2] }, { dy, clip[4] - y0 } } do
    local p, q = side[1], side[2]
    if p == 0 and q < 0 then return nil end
    if p < 0 then from = math.max(from, q / p) elseif p > 0 then to = math.min(to, q / p) end
  end
  return from, to
end

function Canvas:lines(list, color)
  local clip = self.limits or { 0, 0, self.width, self.height }
  for i = 1, #list - 3, 2 do
    local x0, y0, dx, dy = list[i], list[i + 1], list[i + 2] - list[i], list[i + 3] - list[i + 1]
    local from, to = inside(clip, x0, y0, dx, dy)
    if from and from <= to then
      local steps = math.max(1, math.ceil(math.max(math.abs(dx), math.abs(dy)) * (to - from)))
      for k = 0, steps do
        local t = from + (to - from) * k / steps
        self:point(x0 + t * dx, y0 + t * dy, color)
      end
    end
  end
end

function Canvas:marks(list, color)
  for i = 1, #list, 2 do self:point(list[i], list[i + 1], color) end
end

function Canvas:box(x, y, w, h, color)
  for px = math.floor(x + 0.5), math.floor(x + w - 0.5) do
    for py = math.floor(y + 0.5), math.floor(y + h - 0.5) do self:point(px, py, color) end
  end
end

function Canvas:frame(x0, y0, x1, y1, xs, ys)
  local u = self.unicode
  local left, bottom = x0 // self.char_w - 1, y1 // self.char_h
  for row = y0 // self.char_h, bottom - 1 do self:put(left, row, u and '│' or '|') end
  for column = left + 1, x1 // self.char_w do self:put(column, bottom, u and '─' or '-') end
  self:put(left, bottom, u and '└' or '+')
  for _, y in ipairs(ys) do
    local row = math.floor(y / self.char_h)
    self:put(left, row, u and (row == bottom and '┴' or '┤') or '+')
  end
  for _, x in ipairs(xs) do self:put(math.floor(x / self.char_w + 0.5), bottom, u and '┬' or '+') end
end

-- ---- pictures --------------------------------------------------------------------------------------------------------

-- Bytes [3, H, W] as rows of a picture of h × w: means where it is smaller, repeated where it is larger.
local function resized(x, h, w)
  return F.adaptive_avg_pool2d(x:unsqueeze(1):float(), { h, w })[1]:round():permute(2, 3, 1):tolist()
end

local function code_of(rgb, depth, layer)
  local r, g, b = rgb[1] // 1, rgb[2] // 1, rgb[3] // 1
  if depth > 256 then return ('%d;2;%d;%d;%d'):format(layer, r, g, b) end
  local function level(v) return (v * 5 + 127) // 255 end
  return ('%d;5;%d'):format(layer, 16 + 36 * level(r) + 6 * level(g) + level(b))
end

local shades = { unicode = { ' ', '░', '▒', '▓', '█' }, ascii = { ' ', '.', ':', '-', '=', '+', '*', '#', '%', '@' } }

-- Lightness by shades, for terminals without colours.
local function shaded(self, x, column, row, h, w)
  local list = self.unicode and shades.unicode or shades.ascii
  for r, line in ipairs(resized(x, h, w)) do
    for c, rgb in ipairs(line) do
      local light = (0.3 * rgb[1] + 0.59 * rgb[2] + 0.11 * rgb[3]) / 255
      self:put(column + c - 1, row + r - 1, list[math.min(#list, math.floor(light * #list) + 1)])
    end
  end
end

function Canvas:image(x, y, w, h, picture)
  local column, row = math.floor(x / self.char_w + 0.5), math.floor(y / self.char_h + 0.5)
  local across, down = math.max(1, math.floor(w / self.char_w + 0.5)), math.max(1, math.floor(h / self.char_h + 0.5))
  if self.color == 0 or not self.unicode then return shaded(self, picture, column, row, down, across) end
  local lines = resized(picture, 2 * down, across)
  for r = 1, down do
    for c = 1, across do
      local code = code_of(lines[2 * r - 1][c], self.color, 38) .. ';' .. code_of(lines[2 * r][c], self.color, 48)
      self:put(column + c - 1, row + r - 1, '▀', code)
    end
  end
end

-- ---- the text --------------------------------------------------------------------------------------------------------

function Canvas:char(cell)
  local bits = self.bits[cell]
  if self.chars[cell] then return self.chars[cell] end
  if not bits then return ' ' end
  return self.unicode and utf8.char(0x2800 + bits) or ascii[bits]
end

--- The lines as text, with codes of colours where there are some.
function Canvas:finish()
  local out = {}
  for row = 0, self.rows - 1 do
    local line, now = {}, nil
    for column = 0, self.columns - 1 do
      local cell = row * self.columns + column
      local char = self:char(cell)
      local color = self.color > 0 and char ~= ' ' and self.colors[cell] or nil
      if color ~= now then
        line[#line + 1] = color and ('\27[0;%sm'):format(color) or '\27[0m'
        now = color
      end
      line[#line + 1] = char
    end
    if now then line[#line + 1] = '\27[0m' end
    out[#out + 1] = (table.concat(line):gsub(' +$', ''))
  end
  return table.concat(out, '\n') .. '\n'
end

return { new = new }
