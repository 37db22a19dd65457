-- The arguments of plot and scatter: which numbers are a series, which are options.
local arguments = require 'luth.torch.arguments'
local native = require 'luth.native'

local M = {}

--- The options of every picture, with what they must be.
local kinds = { title = 'string', xlabel = 'string', ylabel = 'string', label = 'string', labels = 'table', log = 'string', xlim = 'table',
                ylim = 'table', file = 'string', width = 'number', height = 'number', bins = 'number', range = 'table' }
local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)

--- Fails where an option is of another kind or of no known name. What a terminal would obey in texts, and XML does not take,
--- becomes escapes.
function M.check(call, options)
  for name, value in pairs(options) do
    if not kinds[name] then
      local nearest = native.nearest(tostring(name), names)
      arguments.fail(call, "no option is named '%s'%s; there are %s", tostring(name), nearest ~= '' and "; did you mean '" .. nearest .. "'?" or '',
                     table.concat(names, ', '))
    end
    if type(value) ~= kinds[name] then arguments.fail(call, '%s is a %s, got a %s', name, kinds[name], type(value)) end
    if type(value) == 'string' and name ~= 'file' then options[name] = native.visible(value) end
  end
  for _, name in ipairs { 'width', 'height' } do
    if options[name] and (options[name] < 4 or options[name] > 10000) then arguments.fail(call, '%s is 4 to 10,000, got %g', name, options[name]) end
  end
  for _, name in ipairs { 'xlim', 'ylim', 'range' } do
    local l = options[name]
    if l and not (type(l[1]) == 'number' and type(l[2]) == 'number' and l[1] < l[2]) then arguments.fail(call, '%s is {least, greatest}', name) end
  end
  if options.log and not (' x y xy '):find(' ' .. options.log .. ' ', 1, true) then
    arguments.fail(call, "log is 'x', 'y' or 'xy', got '%s'", options.log)
  end
end

--- Whether a value is numbers: a tensor, or a list that begins with a number.
function M.is_numbers(v) return torch.is_tensor(v) or (type(v) == 'table' and type(v[1]) == 'number') end

--- "[3, 4]", as errors write shapes.
function M.shape(x) return '[' .. table.concat(x:size():tolist(), ', ') .. ']' end

--- A tensor of `dims` dims on the CPU.
function M.numbers(call, v, what, dims)
  if not torch.is_tensor(v) then
    if type(v) ~= 'table' then arguments.fail(call, '%s is a tensor or a list of numbers, got %s', what, v == nil and 'nil' or 'a ' .. type(v)) end
    v = torch.tensor(v, { dtype = torch.float64 })
  end
  v = v:detach():cpu()
  if v:dim() == 0 then v = v:reshape(1) end
  if dims and v:dim() ~= dims then arguments.fail(call, '%s has %d dim%s, got %s', what, dims, dims > 1 and 's' or '', M.shape(v)) end
  if v:numel() == 0 then arguments.fail(call, '%s has no elements', what) end
  return v
end

-- Adds a series, or one for each column of a matrix.
local function add(call, list, x, y, label, labels)
  if label then label = native.visible(tostring(label)) end
  y = M.numbers(call, y, 'y')
  if y:dim() > 2 then arguments.fail(call, 'y has 1 dim, or 2 with a series in each column, got %s', M.shape(y)) end
  if x then
    x = M.numbers(call, x, 'x', 1)
    if #x ~= y:size(1) then arguments.fail(call, 'x has %d elements and y has %d', #x, y:size(1)) end
  end
  if y:dim() == 1 then
    list[#list + 1] = { x = x, y = y, n = #y, label = label }
    return
  end
  for column = 1, y:size(2) do
    list[#list + 1] = { x = x, y = y:select(2, column), n = y:size(1), label = labels and labels[column] and native.visible(tostring(labels[column])) }
  end
end

-- Values by position: y; or x, y; or tables {x, y, label = } of series.
local function by_position(call, list, values, label, labels)
  if #values > 0 and type(values[1]) == 'table' and not M.is_numbers(values[1]) then
    for _, one in ipairs(values) do
      if type(one) ~= 'table' then arguments.fail(call, 'a series is a table {x, y, label = name}, got a %s', type(one)) end
      by_position(call, list, torch.is_tensor(one) and { one } or { one[1], one[2] }, not torch.is_tensor(one) and one.label or nil)
    end
  elseif #values == 1 then add(call, list, nil, values[1], label, labels)
  elseif #values == 2 then add(call, list, values[1], values[2], label, labels)
  elseif #values > 2 then arguments.fail(call, 'takes y, or x and y, or tables {x, y, label = name}; got %d values', #values) end
end

--- Series and options of a call: f(y), f(x, y), f{x, y}, f{{x, y, label = }, …}, f{train = y1, val = y2}, each with options by
--- name, and a file's name in last place.
function M.series(call, ...)
  local given, n, values, options, series = { ... }, select('#', ...), {}, {}, {}
  if n > 0 and type(given[n]) == 'string' then options.file, n = given[n], n - 1 end
  for i = 1, n do
    local v = given[i]
    if type(v) == 'table' and not M.is_numbers(v) then
      for k, part in ipairs(v) do values[#values + 1] = part end
      for name, value in pairs(v) do
        if type(name) == 'string' then options[name] = value end
      end
    elseif v ~= nil then values[#values + 1] = v end
  end
  local named = {}
  for name, value in pairs(options) do
    if not kinds[name] and M.is_numbers(value) then named[#named + 1] = name end
  end
  table.sort(named)
  by_position(call, series, values, options.label, options.labels)
  for _, name in ipairs(named) do
    add(call, series, nil, options[name], name)
    options[name] = nil
  end
  M.check(call, options)
  if #series == 0 then arguments.fail(call, 'there is nothing to draw: give y, or x and y') end
  return series, options
end

--- The options of a call f(x [, options] [, file]).
function M.options(call, options, file)
  if type(options) == 'string' then options, file = nil, options end
  if options ~= nil and type(options) ~= 'table' then arguments.fail(call, 'options are a table, got a %s', type(options)) end
  local copy = {}
  for name, value in pairs(options or {}) do copy[name] = value end
  copy.file = file or copy.file
  M.check(call, copy)
  return copy
end

return M
