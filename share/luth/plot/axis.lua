-- Axes: limits, ticks and their labels. The values of a logarithmic axis are logarithms to base 10.
local M = {}

--- An axis. `limits` collects the least and greatest value; `given` is {lo, hi} of the user or nil.
function M.new(log, given) return { log = log, given = given, limits = {} } end

--- The ends within what can be divided and multiplied: a picture of 1e308 ends at 1e300.
function M.bounded(lo, hi)
  lo, hi = math.max(lo, -1e300), math.min(hi, 1e300)
  if hi - lo < 1e-290 then lo, hi = lo - 1e-290, hi + 1e-290 end
  return lo, hi
end

--- Fixes lo and hi. `margin` is the share that is added at both ends.
function M.fix(axis, margin)
  local lo, hi = axis.limits[1] or 0, axis.limits[2] or 1
  local room = math.min(hi - lo, 1e300) * margin
  if axis.given then
    lo, hi, room = axis.given[1], axis.given[2], 0
    if axis.log then lo, hi = math.log(lo, 10), math.log(hi, 10) end
  elseif hi - lo <= 1e-12 * math.max(math.abs(lo), math.abs(hi)) then
    room = lo == 0 and 1 or math.abs(lo) * 0.1
  end
  axis.lo, axis.hi = M.bounded(lo - room, hi + room)
end

-- The least of 1, 2, 5, 10, 20 … times a power of 10 that gives at most `most` steps.
local function step_of(span, most)
  local rough = span / most
  local power = 10.0 ^ math.floor(math.log(rough, 10))
  for _, k in ipairs { 1, 2, 5, 10 } do
    if k * power >= rough * (1 - 1e-9) then return k * power end
  end
  return 10 * power
end

-- "0.25" of a tick, with the digits that a step needs.
local function label(value, step)
  local largest = math.abs(value)
  if largest >= 1e6 or (step < 1e-4 and step > 0) then
    local digits = largest > 0 and math.max(0, math.floor(math.log(largest, 10) + 1e-9) - math.floor(math.log(step, 10) + 1e-9)) or 0
    return (('%.' .. math.min(digits, 12) .. 'e'):format(value):gsub('e([+-])0*(%d)', 'e%1%2'):gsub('e%+', 'e'))
  end
  local digits = math.max(0, -math.floor(math.log(step, 10) + 1e-9))
  return (('%.' .. digits .. 'f'):format(value):gsub('^%-(0%.?0*)$', '%1'))
end

local function even_ticks(axis, most)
  local step = step_of(axis.hi - axis.lo, most)
  local ticks = {}
  for k = math.ceil(axis.lo / step - 1e-9), math.floor(axis.hi / step + 1e-9) do
    ticks[#ticks + 1] = { at = k * step, text = label(k * step, step) }
  end
  return ticks
end

-- Powers of ten, and 2 and 5 times them where there is room.
local function log_ticks(axis, most)
  local decades = axis.hi - axis.lo
  if decades < 0.7 then  -- of less than a decade the numbers themselves, evenly
    local plain = { lo = 10 ^ axis.lo, hi = 10 ^ axis.hi }
    local ticks = even_ticks(plain, most)
    for _, tick in ipairs(ticks) do tick.at = math.log(tick.at, 10) end
    return ticks
  end
  local every = math.max(1, math.ceil(decades / most))
  local factors = decades * 3 <= most and { 1, 2, 5 } or { 1 }
  local ticks = {}
  for power = math.floor(axis.lo), math.floor(axis.hi + 1e-9) do
    for _, factor in ipairs(factors) do
      local at = power + math.log(factor, 10)
      if power % every == 0 and at >= axis.lo - 1e-9 and at <= axis.hi + 1e-9 then
        ticks[#ticks + 1] = { at = at, text = (('%g'):format(factor * 10.0 ^ power):gsub('e([+-])0*(%d)', 'e%1%2'):gsub('e%+', 'e')) }
      end
    end
  end
  return ticks
end

--- The ticks of an axis with limits: a list of at most about `most` {at =, text =}.
function M.ticks(axis, most)
  most = math.max(1, math.floor(most))
  return axis.log and log_ticks(axis, most) or even_ticks(axis, most)
end

return M
