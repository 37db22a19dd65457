-- The points of a series: those that can be drawn, their limits, and what of them a picture of some width shows. Series of
-- any length are read in pieces, so 10^8 points need no more memory than 10^6.
--
-- A series is {x = tensor or nil (1, 2, … n), y = tensor, n = number of points}; an axis has `log`, and lo and hi once limits
-- are known.
local M = {}

local piece = 1 << 20

-- Calls f(x, y, first) with pieces of the points that are finite on both axes, in float64; of logarithmic axes the
-- logarithms. Returns how many points are left out.
local function each(series, x_axis, y_axis, f)
  local left_out = 0
  for from = 1, series.n, piece do
    local to = math.min(series.n, from + piece - 1)
    local x = series.x and series.x[{ { from, to } }]:double() or torch.arange(from, to + 1, { dtype = torch.float64 })
    local y = series.y[{ { from, to } }]:double()
    if x_axis.log then x = x:log10() end
    if y_axis.log then y = y:log10() end
    local keep = (x + y):isfinite()
    local kept = keep:sum():item()
    if kept < y:numel() then
      left_out = left_out + y:numel() - kept
      x, y = x:masked_select(keep), y:masked_select(keep)
    end
    if kept > 0 then f(x, y) end
  end
  return left_out
end

-- Widens [lo, hi] so that it holds the values; nil stands for none yet.
local function widen(limits, values)
  local lo, hi = values:aminmax()
  lo, hi = lo:item(), hi:item()
  limits[1], limits[2] = math.min(limits[1] or lo, lo), math.max(limits[2] or hi, hi)
end

--- Looks through all points: widens the limits of both axes, and notes whether x never falls. Returns how many are left out.
function M.measure(series, x_axis, y_axis)
  local last = -math.huge
  series.sorted = true
  return each(series, x_axis, y_axis, function(x, y)
    widen(x_axis.limits, x)
    widen(y_axis.limits, y)
    if not series.sorted or not series.x then return end
    series.sorted = x[1]:item() >= last and (#x < 2 or (x:diff():amin():item() >= 0))
    last = x[-1]:item()
  end)
end

-- Places of values on `size` units, from 0 to size.
local function places(axis, values, size) return (values - axis.lo) * (size / (axis.hi - axis.lo)) end

-- Points as a flat list x1, y1, x2, y2 …, appended to `list`.
local function append(list, x, y)
  x, y = x:tolist(), y:tolist()
  for i = 1, #x do list[#list + 1], list[#list + 2] = x[i], y[i] end
end

-- What a line through many points with rising x covers: in each column of the picture from the least to the greatest y.
local function covered(series, x_axis, y_axis, width, height)
  local low = torch.full({ width }, math.huge, { dtype = torch.float64 })
  local high = -low
  each(series, x_axis, y_axis, function(x, y)
    local inside = places(x_axis, x, width):floor():clamp(0, width - 1):long() + 1
    local at = places(y_axis, y, height)
    low:scatter_reduce_(1, inside, at, 'amin')
    high:scatter_reduce_(1, inside, at, 'amax')
  end)
  local list, before = {}, nil
  low, high = low:tolist(), high:tolist()
  for column = 1, width do
    local a, b = low[column], high[column]
    if a <= b then
      if before and math.abs(before - b) < math.abs(before - a) then a, b = b, a end
      list[#list + 1], list[#list + 2], list[#list + 3], list[#list + 4] = column - 0.5, a, column - 0.5, b
      before = b
    end
  end
  return list
end

-- Numbers of the cells, in rows of `width`, in which points are.
local function cells(series, x_axis, y_axis, width, height, f)
  each(series, x_axis, y_axis, function(x, y)
    x, y = places(x_axis, x, width):floor(), places(y_axis, y, height):floor()
    local inside = x:ge(0) & x:le(width) & y:ge(0) & y:le(height)
    f((y:clamp(0, height - 1) * width + x:clamp(0, width - 1)):masked_select(inside):long())
  end)
end

-- Centres of cells as a flat list.
local function centres(numbers, width)
  local list = {}
  for _, n in ipairs(numbers) do list[#list + 1], list[#list + 2] = n % width + 0.5, n // width + 0.5 end
  return list
end

--- The marks of single points as a flat list of places on width × height units, one for each cell that has a point.
function M.marks(series, x_axis, y_axis, width, height)
  local taken = torch.zeros(width * height, { dtype = torch.bool })
  cells(series, x_axis, y_axis, width, height, function(numbers) taken[numbers + 1] = true end)
  return centres((taken:nonzero():flatten() - 1):tolist(), width)
end

--- The line through the points as a flat list of places on width × height units, y upwards. Of many points only what the
--- picture shows is in it; a line that goes back and forth through very many becomes marks, which is the second result.
function M.line(series, x_axis, y_axis, width, height)
  if series.n <= 4 * width then
    local list = {}
    each(series, x_axis, y_axis, function(x, y) append(list, places(x_axis, x, width), places(y_axis, y, height)) end)
    return list
  end
  if series.sorted then return covered(series, x_axis, y_axis, width, height) end
  if series.n > 200000 then return M.marks(series, x_axis, y_axis, width, height), true end
  local numbers = {}
  cells(series, x_axis, y_axis, width, height, function(part)
    for _, n in ipairs((torch.unique_consecutive(part)):tolist()) do numbers[#numbers + 1] = n end
  end)
  return centres(numbers, width)
end

return M
