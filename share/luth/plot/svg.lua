-- A canvas that writes SVG: one file without references to others.
local base64 = require 'luth.base64'
local colors = require 'luth.plot.colors'

local Canvas = {}
Canvas.__index = Canvas

local function new(width, height)
  return setmetatable({ width = width, height = height, char_w = 6.6, char_h = 16, pad = 8, parts = {}, clips = 0 }, Canvas)
end

local function escaped(text) return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' })) end
local function hex(i) return ('#%02x%02x%02x'):format(table.unpack(colors.of(i))) end

function Canvas:add(...) self.parts[#self.parts + 1] = string.format(...) end
function Canvas:whole(length) return math.floor(length + 0.5) end

function Canvas:text(x, y, text, anchor, color)
  self:add('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y + 4, anchor, color and (' fill="%s"'):format(hex(color)) or '', escaped(text))
end
function Canvas:sample(x, y, color) self:lines({ x, y, x + 10, y }, color) end

function Canvas:clip(x, y, w, h)
  if not x then return self:add '</g>' end
  self.clips = self.clips + 1
  self:add('<clipPath id="area%d"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>', self.clips, x, y, w, h)
  self:add('<g clip-path="url(#area%d)">', self.clips)
end

function Canvas:lines(list, color)
  local places = {}
  for i = 1, #list, 2 do places[#places + 1] = ('%.2f,%.2f'):format(list[i], list[i + 1]) end
  self:add('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round"/>', table.concat(places, ' '), hex(color))
end

function Canvas:marks(list, color)
  local places = {}
  for i = 1, #list, 2 do places[#places + 1] = ('M%.1f %.1fh0'):format(list[i], list[i + 1]) end
  self:add('<path d="%s" stroke="%s" stroke-width="4" stroke-linecap="round"/>', table.concat(places), hex(color))
end

function Canvas:box(x, y, w, h, color)
  self:add('<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" fill-opacity="0.8"/>', x, y, math.max(0.5, w - 0.5), h, hex(color))
end

function Canvas:frame(x0, y0, x1, y1, xs, ys)
  local d = {}
  for _, x in ipairs(xs) do d[#d + 1] = ('M%.1f %.1fv5'):format(x, y1) end
  for _, y in ipairs(ys) do d[#d + 1] = ('M%.1f %.1fh-5'):format(x0, y) end
  self:add('<path d="M%.1f %.1fV%.1fH%.1f%s" fill="none" stroke="#566072"/>', x0, y0, y1, x1, table.concat(d))
end

function Canvas:image(x, y, w, h, picture)
  self:add('<image x="%.1f" y="%.1f" width="%.1f" height="%.1f" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,%s"/>',
           x, y, w, h, base64.encode(data.encode_image(picture, '.png')))
end

function Canvas:finish()
  return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#20242c">\n' ..
          '<rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n'):format(self.width, self.height, self.width, self.height, table.concat(self.parts, '\n'))
end

return { new = new }
