-- x:rearrange('b (h d) t -> b h t d', {h = 8}), einreduce and einrepeat: the patterns of einops.
--
-- A pattern is parsed once. A call splits the dims into the axes of the left side (a view), reduces, permutes (a view),
-- adds the new axes (a view) and merges the groups of the right side (a view where the layout allows one).
local arguments = require 'luth.torch.arguments'

local M = {}

-- ---- Patterns -------------------------------------------------------------------------------------------------------

local function refuse(p, at, text, ...)
  arguments.fail(p.name, '%s\n  %s\n  %s^', text:format(...), p.text, (' '):rep(at - 1))
end

-- One side: a list of groups, each a list of axes {name = 'h'}, {size = 3} or {name = '...'}, with their column `at`.
-- `by_name` has the axes with a name.
local function read_side(p, first, last)
  local side, group, opened, at = { by_name = {}, at = first }, nil, nil, first
  local function add(axis)
    axis.at = at
    if axis.name and side.by_name[axis.name] then refuse(p, at, "axis '%s' stands twice on this side", axis.name) end
    if axis.name then side.by_name[axis.name] = axis end
    if group then group[#group + 1] = axis else side[#side + 1] = { axis, at = at, bare = true } end
  end
  while at <= last do
    local word = p.text:match('^[%a_][%w_]*', at) or p.text:match('^%d+', at) or p.text:match('^%.%.%.', at)
      or p.text:match('^…', at) or p.text:match('^%s+', at)
      or p.text:match('^' .. utf8.charpattern, at)
    if word == '(' then
      if group then refuse(p, at, 'a group within a group') end
      group, opened = { at = at }, at
    elseif word == ')' then
      if not group then refuse(p, at, 'no ( stands before this )') end
      side[#side + 1] = group
      group = nil
    elseif word:find('^%d') then
      local size = math.tointeger(tonumber(word))
      if not size or size < 1 then refuse(p, at, 'an extent is an integer from 1') end
      if size > 1 or not group then add { size = size } end
    elseif word == '...' or word == '…' then
      if group then p.grouped_ellipsis = at end
      add { name = '...' }
    elseif word:find('^[%a_]') then
      if word:find '^_' or word:find '_$' then refuse(p, at, "the name '%s' begins or ends with an underscore", word) end
      add { name = word }
    elseif not word:find('^%s') then
      refuse(p, at, "'%s' has no meaning here; a pattern has names, numbers, parentheses and ...", word)
    end
    at = at + #word
  end
  if group then refuse(p, opened, 'no ) closes this group') end
  return side
end

local function each_axis(side, f)
  for _, group in ipairs(side) do
    for _, axis in ipairs(group) do f(axis) end
  end
end

-- Which axes may stand on one side alone: those that vanish (einreduce) or come up (einrepeat).
local function check_sides(p, left, right)
  each_axis(left, function(axis)
    if p.name == 'einreduce' then return end
    if axis.name and not right.by_name[axis.name] then
      refuse(p, axis.at, "axis '%s' is missing on the right; torch.einreduce reduces axes", axis.name)
    end
    if axis.size and axis.size > 1 then refuse(p, axis.at, 'a number above 1 stands here; give the axis a name') end
  end)
  each_axis(right, function(axis)
    if p.name == 'einrepeat' and axis.name ~= '...' then return end
    if axis.name and not left.by_name[axis.name] then
      refuse(p, axis.at, "axis '%s' is missing on the left; torch.einrepeat adds axes", axis.name)
    end
    if axis.size and axis.size > 1 then refuse(p, axis.at, 'a number above 1 stands here; torch.einrepeat adds axes') end
  end)
end

local function parse(name, text)
  local p = { name = name, text = text, plans = {} }
  local first, last = text:find('->', 1, true)
  if not first then refuse(p, #text + 1, 'no -> divides the pattern') end
  local second = text:find('->', last + 1, true)
  if second then refuse(p, second, 'a second -> in the pattern') end
  p.left = read_side(p, 1, first - 1)
  if p.grouped_ellipsis then refuse(p, p.grouped_ellipsis, '... within a group may stand on the right alone') end
  p.right = read_side(p, last + 1, #text)
  check_sides(p, p.left, p.right)
  return p
end

local parsed = { rearrange = {}, einreduce = {}, einrepeat = {} }
local function pattern(name, text)
  if type(text) ~= 'string' then
    arguments.fail(name, "expects a pattern such as 'b c h w -> b (h w) c', got %s", torch.typename(text) or type(text))
  end
  local p = parsed[name][text]
  if not p then
    p = parse(name, text)
    parsed[name][text] = p
  end
  return p
end

-- ---- A call ---------------------------------------------------------------------------------------------------------

local function check_sizes(p, sizes)
  for axis, size in pairs(sizes) do
    if axis == '...' or not (p.left.by_name[axis] or p.right.by_name[axis]) then
      arguments.fail(p.name, "no axis of '%s' is named '%s'", p.text, tostring(axis))
    end
    if math.type(size) ~= 'integer' or size < 1 then
      arguments.fail(p.name, "the size of axis '%s' must be an integer from 1, not %s", axis, tostring(size))
    end
  end
end

-- The groups with ... replaced by one group for each of its `n` dims, or by `n` axes where it stands within a group.
local function expanded(side, n)
  local out = {}
  for _, group in ipairs(side) do
    local list = { at = group.at }
    for _, axis in ipairs(group) do
      if axis.name == '...' then
        for i = 1, n do list[#list + 1] = { name = '...' .. i, at = axis.at } end
      else
        list[#list + 1] = axis
      end
    end
    if group.bare and group[1].name == '...' then
      for _, axis in ipairs(list) do out[#out + 1] = { axis, at = group.at } end
    else
      out[#out + 1] = list
    end
  end
  return out
end

-- The extents of one group's axes; at most one of them is unknown and follows from the dim's extent.
local function split(p, group, extent, sizes)
  local known, unknown = 1, nil
  for _, axis in ipairs(group) do
    local size = axis.size or sizes[axis.name]
    if size then
      known = known * size
    elseif unknown then
      refuse(p, axis.at, "the size of '%s' or of '%s' must be given: the dim has extent %d", unknown.name, axis.name, extent)
    else
      unknown = axis
    end
  end
  if unknown then
    if extent % known ~= 0 then refuse(p, group.at, 'extent %d does not divide by %d', extent, known) end
    sizes[unknown.name] = extent // known
  elseif known ~= extent then
    refuse(p, group.at, 'the dim has extent %d, the pattern %d', extent, known)
  end
end

local function reshaped(x, shape)
  local same = x:dim() == #shape
  for d = 1, same and #shape or 0 do same = same and x:size(d) == shape[d] end
  return same and x or x:reshape(shape)
end

-- What a pattern is for a tensor with `n` dims in the place of ...: the groups of both sides with their axes one by one,
-- the dims of the left side that vanish (`gone`), and where the right side takes the others from (`order`, or nil where
-- that is their order already). `new` has the places of axes on the right that the left side has not.
local function plan(p, n)
  local left, right = expanded(p.left, n), expanded(p.right, n)
  local out = { left = left, right = right, left_axes = {}, right_axes = {}, gone = {}, new = {} }
  each_axis(left, function(axis) out.left_axes[#out.left_axes + 1] = axis end)
  each_axis(right, function(axis) out.right_axes[#out.right_axes + 1] = axis end)
  local wanted, at, kept, order, sorted = {}, {}, 0, {}, true
  for _, axis in ipairs(out.right_axes) do
    if axis.name then wanted[axis.name] = true end
  end
  for d, axis in ipairs(out.left_axes) do
    if wanted[axis.name or false] then
      kept = kept + 1
      at[axis.name] = kept
    else
      out.gone[#out.gone + 1] = d
    end
  end
  for place, axis in ipairs(out.right_axes) do
    local from = at[axis.name or false]
    if from then
      order[#order + 1] = from
      sorted = sorted and from == #order
    else
      out.new[#out.new + 1] = place
    end
  end
  out.order = not sorted and order or nil
  return out
end

-- x with a dim for each axis of the left side, and the sizes by name.
local function decomposed(p, x, steps, given)
  if x:dim() ~= #steps.left then
    refuse(p, p.left.at, 'the left side has %d axes, the tensor %d: its shape is %s', #steps.left, x:dim(), tostring(x:size()):match('%[.*%]'))
  end
  local sizes, shape = {}, {}
  for axis, size in pairs(given) do sizes[axis] = size end
  for d, group in ipairs(steps.left) do split(p, group, x:size(d), sizes) end
  for d, axis in ipairs(steps.left_axes) do shape[d] = axis.size or sizes[axis.name] end
  return reshaped(x, shape), sizes
end

local reductions = { mean = 'mean', sum = 'sum', min = 'amin', max = 'amax', prod = 'prod' }
local function reduced(p, x, dims, how)
  if #dims == 0 then return x end
  if type(how) == 'function' then return how(x, dims) end
  if how == 'mean' and not x:is_floating_point() then
    arguments.fail(p.name, 'the mean needs a floating dtype, not %s', tostring(x.dtype))
  end
  if how ~= 'prod' then return x[reductions[how]](x, dims) end
  for i = #dims, 1, -1 do x = x:prod(dims[i]) end
  return x
end

-- Adds the axes that only the right side has, and merges its groups.
local function composed(p, x, steps, sizes)
  local shape, merged, repeated = {}, {}, false
  for d, axis in ipairs(steps.right_axes) do
    shape[d] = axis.size or sizes[axis.name] or refuse(p, axis.at, "the size of the new axis '%s' must be given", axis.name)
  end
  for _, place in ipairs(steps.new) do
    x = x:unsqueeze(place)
    repeated = repeated or shape[place] > 1
  end
  if repeated then x = x:expand(shape) end
  local at = 0
  for g, group in ipairs(steps.right) do
    merged[g] = 1
    for i = 1, #group do merged[g] = merged[g] * shape[at + i] end
    at = at + #group
  end
  return reshaped(x, merged)
end

local function run(name, x, text, how, sizes)
  if type(x) == 'table' and torch.is_tensor(x[1]) then x = torch.stack(x, 1) end
  if not torch.is_tensor(x) then arguments.fail(name, 'expects a tensor, got %s', torch.typename(x) or type(x)) end
  if sizes ~= nil and type(sizes) ~= 'table' then
    arguments.fail(name, 'the sizes of axes are a table, {h = 8}, not %s', type(sizes))
  end
  local p = pattern(name, text)
  check_sizes(p, sizes or {})
  local n = p.left.by_name['...'] and x:dim() - #p.left + 1 or 0
  if n < 0 then refuse(p, p.left.at, 'the left side has %d axes beside ..., the tensor %d', #p.left - 1, x:dim()) end
  local steps = p.plans[n] or plan(p, n)
  p.plans[n] = steps
  local y, all = decomposed(p, x, steps, sizes or {})
  y = how and reduced(p, y, steps.gone, how) or #steps.gone > 0 and y:squeeze(steps.gone) or y
  return composed(p, steps.order and y:permute(steps.order) or y, steps, all)
end

function M.rearrange(x, text, sizes) return run('rearrange', x, text, nil, sizes) end
function M.einrepeat(x, text, sizes) return run('einrepeat', x, text, nil, sizes) end
function M.einreduce(x, text, how, sizes)
  if type(how) ~= 'function' and not reductions[how] then
    arguments.fail('einreduce', "the reduction is 'mean', 'sum', 'min', 'max', 'prod' or a function of tensor and dims, not %s",
      type(how) == 'string' and "'" .. how .. "'" or type(how))
  end
  return run('einreduce', x, text, how, sizes)
end

return M
