-- Pictures of numbers: plot, scatter, hist, imshow, heatmap; on a terminal, or as PNG or SVG where a file is named.
local arguments = require 'luth.torch.arguments'
local axis = require 'luth.plot.axis'
local colors = require 'luth.plot.colors'
local figure = require 'luth.plot.figure'
local given = require 'luth.plot.arguments'
local native = require 'luth.native'
local pictures = require 'luth.plot.pictures'
local points = require 'luth.plot.points'

local M = {}

-- ---- where a figure goes ---------------------------------------------------------------------------------------------

-- How many colours a terminal has: 0, 256 or 2^24.
local function colors_of_terminal()
  local term, no = os.getenv 'TERM' or '', os.getenv 'NO_COLOR'
  if (no and no ~= '') or term == 'dumb' or term == '' or not native.is_tty(1) then return 0 end
  local depth = os.getenv 'COLORTERM' or ''
  return (depth == 'truecolor' or depth == '24bit') and 1 << 24 or 256
end

local function is_unicode()
  for _, name in ipairs { 'LC_ALL', 'LC_CTYPE', 'LANG' } do
    local value = os.getenv(name)
    if value and value ~= '' then return value:lower():gsub('-', ''):find('utf8', 1, true) ~= nil end
  end
  return false
end

local function as_text(fig, options)
  local columns = math.min(native.columns(1), options.width or 100)
  local rows = options.height or 20
  if fig.picture and not fig.x_axis then  -- as many rows as its proportions ask for: a character is two points high
    local h, w = fig.picture:size(2), fig.picture:size(3)
    columns = math.min(columns, options.width or 64)
    rows = math.max(1, math.min(40, math.floor(columns * h / w / 2 + 0.5))) + #fig.notes + (fig.title and 1 or 0)
  end
  local canvas = require 'luth.plot.terminal'.new { columns = columns, rows = rows, unicode = is_unicode(), color = colors_of_terminal() }
  figure.draw(canvas, fig)
  return canvas:finish()
end

local function as_pixels(fig, options, kind)
  local canvas = require('luth.plot.' .. kind).new(options.width or 640, options.height or 400)
  figure.draw(canvas, fig)
  return canvas
end

-- Functions that show a figure in the place of the terminal: the notebook's. The first that returns true has shown it.
M.viewers = {}

local function show(fig, options)
  for _, view in ipairs(M.viewers) do
    if view(function(kind) return as_pixels(fig, options, kind):finish() end) then return end
  end
  local protocol = pictures.protocol()
  if protocol == 'text' then return io.stdout:write(as_text(fig, options)) and nil end
  local canvas = as_pixels(fig, options, 'raster')
  io.stdout:write(protocol == 'kitty' and pictures.kitty(canvas:finish()) or pictures.sixel(canvas:bytes()))
end

local function save(call, fig, options)
  local kind = options.file:match '%.(%a+)$'
  kind = kind and ({ png = 'raster', svg = 'svg' })[kind:lower()]
  if not kind then arguments.fail(call, "a picture's file ends in .png or .svg, got '%s'", native.foreign(options.file, 100)) end
  native.replace(options.file, as_pixels(fig, options, kind):finish())
end

local function finish(call, fig, options)
  fig.title, fig.xlabel, fig.ylabel = options.title, options.xlabel or fig.xlabel, options.ylabel or fig.ylabel
  if options.file then save(call, fig, options) else show(fig, options) end
end

-- ---- figures ---------------------------------------------------------------------------------------------------------

local function axes_of(options)
  local log = options.log or ''
  local function limits(name, is_log)
    local l = options[name]
    if l and is_log and l[1] <= 0 then arguments.fail('plot', '%s begins above 0 on a logarithmic axis', name) end
    return l
  end
  local log_x, log_y = log:find 'x' ~= nil, log:find 'y' ~= nil
  return axis.new(log_x, limits('xlim', log_x)), axis.new(log_y, limits('ylim', log_y))
end

local function left_out_note(count, axes)
  if count == 0 then return nil end
  return ('%d point%s left out: nan%s or inf'):format(count, count == 1 and '' or 's', axes.log and axes.log ~= '' and ', not above 0,' or '')
end

local function draw_series(call, style, ...)
  local series, options = given.series(call, ...)
  local x_axis, y_axis = axes_of(options)
  local left_out, total = 0, 0
  for _, s in ipairs(series) do
    s.style = style
    left_out, total = left_out + points.measure(s, x_axis, y_axis), total + s.n
  end
  if left_out == total then
    arguments.fail(call, 'none of the %d points can be drawn: they are nan%s or inf', total, options.log and ', not above 0,' or '')
  end
  axis.fix(x_axis, 0.02)
  axis.fix(y_axis, 0.05)
  finish(call, { series = series, x_axis = x_axis, y_axis = y_axis, notes = { left_out_note(left_out, options) } }, options)
end

function M.plot(...) draw_series('plot', 'line', ...) end
function M.scatter(...) draw_series('scatter', 'points', ...) end

function M.hist(x, options, file)
  options = given.options('hist', options, file)
  x = given.numbers('hist', x, 'x'):flatten()
  local keep = x:isfinite()
  local kept = keep:sum():item()
  if kept == 0 then arguments.fail('hist', 'none of the %d values is finite', #x) end
  local values = (kept < #x and x:masked_select(keep) or x):double()
  local bins = options.bins or math.max(5, math.min(60, math.ceil(math.sqrt(kept))))
  if bins < 1 or bins > 10000 or bins % 1 ~= 0 then arguments.fail('hist', 'bins is a whole number from 1 to 10,000, got %g', bins) end
  local lo, hi = values:amin():item(), values:amax():item()
  if options.range then lo, hi = options.range[1], options.range[2] end
  if lo == hi then lo, hi = lo - 0.5, hi + 0.5 end
  lo, hi = axis.bounded(lo, hi)
  local counts = torch.histc(values, bins // 1, lo, hi)
  local x_axis, y_axis = axes_of { log = options.log == 'y' and 'y' or nil, xlim = options.xlim, ylim = options.ylim }
  local most = counts:max():item()
  x_axis.limits, y_axis.limits = { lo, hi }, y_axis.log and { -0.3, math.log(math.max(1, most), 10) } or { 0, math.max(1, most) }
  axis.fix(x_axis, 0)
  axis.fix(y_axis, 0)
  local bars = { style = 'bars', y = counts, edges = torch.linspace(lo, hi, bins // 1 + 1, { dtype = torch.float64 }), label = options.label }
  local note = kept < #x and ('%d of %d values left out: nan or inf'):format(#x - kept, #x) or nil
  finish('hist', { series = { bars }, x_axis = x_axis, y_axis = y_axis, notes = { note } }, options)
end

-- Numbers from lo to hi as 0 to 1; constant ones as 0.
local function scaled(x, lo, hi) return (x - lo) / (hi > lo and hi - lo or 1) end

-- Least and greatest finite value, and how many are not finite.
local function limits_of(call, x)
  local keep = x:isfinite()
  local kept = keep:sum():item()
  if kept == 0 then arguments.fail(call, 'none of the %d values is finite', x:numel()) end
  local lo, hi = (kept < x:numel() and x:masked_select(keep) or x):aminmax()
  return lo:item(), hi:item(), x:numel() - kept
end

function M.imshow(x, options, file)
  options = given.options('imshow', options, file)
  x = given.numbers('imshow', x, 'an image')
  if x:dim() == 4 and x:size(1) == 1 then x = x[1] end
  if x:dim() == 2 then x = x:unsqueeze(1) end
  if x:dim() ~= 3 or (x:size(1) ~= 1 and x:size(1) ~= 3) then
    arguments.fail('imshow', 'an image is [H, W], [1, H, W] or [3, H, W], got %s', given.shape(x))
  end
  local notes = {}
  if x.dtype ~= torch.uint8 then
    x = x:float()
    local lo, hi, bad = limits_of('imshow', x)
    local a, b = 0, 1
    if options.range then a, b = options.range[1], options.range[2] elseif lo < 0 or hi > 1 then a, b = lo, hi end
    notes[1] = ('%s values from %.4g to %.4g, shown from %.4g to %.4g'):format(table.concat(x:size(), ' x '), lo, hi, a, b)
    if bad > 0 then notes[2] = ('%d values are nan or inf, shown as 0'):format(bad) end
    x = (torch.where(x:isfinite(), scaled(x, a, b), 0):clamp(0, 1) * 255):round():to(torch.uint8)
  else
    notes[1] = table.concat(x:size(), ' x ') .. ' bytes'
  end
  finish('imshow', { picture = x:expand(3, x:size(2), x:size(3)):contiguous(), notes = notes }, options)
end

function M.heatmap(x, options, file)
  options = given.options('heatmap', options, file)
  x = given.numbers('heatmap', x, 'a heat map', 2):double()
  local lo, hi, bad = limits_of('heatmap', x)
  if options.range then lo, hi = options.range[1], options.range[2] end
  local x_axis, y_axis = axis.new(false, nil), axis.new(false, nil)
  x_axis.limits, y_axis.limits = { 0.5, x:size(2) + 0.5 }, { 0.5, x:size(1) + 0.5 }
  axis.fix(x_axis, 0)
  axis.fix(y_axis, 0)
  local note = bad > 0 and ('%d values are nan or inf, shown in grey'):format(bad) or nil
  finish('heatmap', { picture = colors.ramp(scaled(x, lo, hi)), downwards = true, x_axis = x_axis, y_axis = y_axis,
                      ramp = { ('%.4g'):format(lo), ('%.4g'):format(hi) }, notes = { note } }, options)
end

return M
