-- The layout of a figure on a canvas: title, axes, ticks, series, legend, picture, notes.
--
-- A canvas has width, height, char_w and char_h in its own units (points of braille, pixels), y downwards, and draws:
-- text(x, y, text, anchor, color), lines(list, color), marks(list, color), box(x, y, w, h, color),
-- frame(x0, y0, x1, y1, x_places, y_places), image(x, y, w, h, bytes [3, H, W]). Colours are numbers of series, or nil for
-- that of text.
local axis = require 'luth.plot.axis'
local colors = require 'luth.plot.colors'
local points = require 'luth.plot.points'

local M = {}

local function width_of(canvas, text) return (utf8.len(text) or #text) * canvas.char_w end

-- The lines above the area: title; name of the y axis and legend. Returns the height that they take.
local function above(canvas, figure)
  local y = canvas.pad
  if figure.title then
    canvas:text(canvas.width / 2, y + canvas.char_h / 2, figure.title, 'middle')
    y = y + canvas.char_h
  end
  local named = {}
  for i, s in ipairs(figure.series or {}) do
    if s.label then named[#named + 1] = { i, s.label } end
  end
  if not figure.ylabel and #named == 0 then return y end
  local x = canvas.pad
  if figure.ylabel then
    canvas:text(x, y + canvas.char_h / 2, figure.ylabel, 'start')
    x = x + width_of(canvas, figure.ylabel) + 3 * canvas.char_w
  end
  for _, entry in ipairs(named) do  -- a new line where the next name does not fit
    local room = width_of(canvas, entry[2]) + 4 * canvas.char_w
    if x + room > canvas.width and x > canvas.pad then x, y = canvas.pad, y + canvas.char_h end
    canvas:sample(x, y + canvas.char_h / 2, entry[1])
    canvas:text(x + 2 * canvas.char_w, y + canvas.char_h / 2, entry[2], 'start')
    x = x + room
  end
  return y + canvas.char_h
end

-- The lines below the area, from the bottom up. Returns the height that they take.
local function below(canvas, figure)
  local y = canvas.height - canvas.pad
  for i = #figure.notes, 1, -1 do
    canvas:text(canvas.pad, y - canvas.char_h / 2, figure.notes[i], 'start')
    y = y - canvas.char_h
  end
  if figure.xlabel then
    canvas:text(canvas.width / 2, y - canvas.char_h / 2, figure.xlabel, 'middle')
    y = y - canvas.char_h
  end
  return canvas.height - y
end

-- The place of the area between axes, {x, y, w, h}, with ticks and frame drawn.
local function axes(canvas, figure, top, bottom)
  local x_axis, y_axis = figure.x_axis, figure.y_axis
  local y = canvas:whole(top + canvas.pad, 'y')
  local h = math.max(canvas.char_h, canvas:whole(canvas.height - y - bottom - 2 * canvas.char_h, 'y'))
  local y_ticks = axis.ticks(y_axis, math.min(10, h / canvas.char_h / 2))
  local widest = 0
  for _, tick in ipairs(y_ticks) do widest = math.max(widest, width_of(canvas, tick.text)) end
  local left = canvas.pad + widest + 2 * canvas.char_w
  local w = math.max(4 * canvas.char_w, canvas.width - left - canvas.pad - 2 * canvas.char_w)
  local x_ticks = axis.ticks(x_axis, math.min(10, w / canvas.char_w / 9))
  local area = { x = canvas:whole(left, 'x'), y = y, w = canvas:whole(w, 'x'), h = h }
  local xs, ys = {}, {}
  for i, tick in ipairs(x_ticks) do
    xs[i] = area.x + (tick.at - x_axis.lo) / (x_axis.hi - x_axis.lo) * area.w
    canvas:text(xs[i], area.y + area.h + canvas.char_h * 1.5, tick.text, 'middle')
  end
  for i, tick in ipairs(y_ticks) do
    local share = (tick.at - y_axis.lo) / (y_axis.hi - y_axis.lo)
    ys[i] = area.y + (figure.downwards and share or 1 - share) * area.h
    canvas:text(area.x - canvas.char_w * 1.5, ys[i], tick.text, 'end')
  end
  canvas:frame(area.x, area.y, area.x + area.w, area.y + area.h, xs, ys)
  return area
end

-- Places of the area, y upwards, as places of the canvas.
local function moved(list, area)
  for i = 1, #list, 2 do list[i], list[i + 1] = area.x + list[i], area.y + area.h - list[i + 1] end
  return list
end

local function draw_bars(canvas, figure, series, area, color)
  local y_axis, x_axis = figure.y_axis, figure.x_axis
  local edges, counts = series.edges:tolist(), series.y:tolist()
  local function place(v) return (v - x_axis.lo) / (x_axis.hi - x_axis.lo) * area.w end
  for i, count in ipairs(counts) do
    local value = y_axis.log and math.log(count, 10) or count
    local tall = (value - y_axis.lo) / (y_axis.hi - y_axis.lo) * area.h
    local from, to = place(edges[i]), place(edges[i + 1])
    if tall > 0 then canvas:box(area.x + from, area.y + area.h - tall, to - from, tall, color) end
  end
end

local function draw_series(canvas, figure, series, area, color)
  local w, h = math.floor(area.w), math.floor(area.h)
  if series.style == 'bars' then return draw_bars(canvas, figure, series, area, color) end
  if series.style == 'points' then
    return canvas:marks(moved(points.marks(series, figure.x_axis, figure.y_axis, w, h), area), color)
  end
  local list, many = points.line(series, figure.x_axis, figure.y_axis, w, h)
  moved(list, area)
  if many or #list == 2 then return canvas:marks(list, color) end
  canvas:clip(area.x, area.y, area.w, area.h)
  canvas:lines(list, color)
  canvas:clip()
end

-- A picture in its place: as large as fits, with its own proportions.
local function draw_picture(canvas, figure, area)
  local h, w = figure.picture:size(2), figure.picture:size(3)
  local scale = math.min(area.w / w, area.h / h)
  local across, down = canvas:whole(math.max(1, w * scale), 'x'), canvas:whole(math.max(1, h * scale), 'y')
  canvas:image(area.x, area.y, across, down, figure.picture)
end

-- The colours of a heat map with the values at both ends, in the last line.
local function draw_ramp(canvas, figure, bottom)
  local y, x, room = canvas.height - bottom - canvas.char_h, canvas.pad, canvas.char_w
  canvas:text(x, y + canvas.char_h / 2, figure.ramp[1], 'start')
  x = canvas:whole(x + width_of(canvas, figure.ramp[1]) + room, 'x')
  local w = canvas:whole(canvas.width / 3, 'x')
  canvas:image(x, canvas:whole(y, 'y'), w, canvas.char_h, colors.strip())
  canvas:text(x + w + room, y + canvas.char_h / 2, figure.ramp[2], 'start')
  return bottom + canvas.char_h + canvas.pad
end

--- Draws the figure: {series, x_axis, y_axis (fixed), title, xlabel, ylabel, notes} or {picture [3, H, W], notes}, also with axes.
function M.draw(canvas, figure)
  local bottom, top = below(canvas, figure), above(canvas, figure)
  if figure.ramp then bottom = draw_ramp(canvas, figure, bottom) end
  if not figure.x_axis then
    local room = { x = canvas.pad, y = top, w = canvas.width - 2 * canvas.pad, h = canvas.height - top - bottom }
    return draw_picture(canvas, figure, room)
  end
  local area = axes(canvas, figure, top, bottom)
  if figure.picture then return canvas:image(area.x, area.y, area.w, area.h, figure.picture) end
  for i, s in ipairs(figure.series) do draw_series(canvas, figure, s, area, i) end
end

return M
