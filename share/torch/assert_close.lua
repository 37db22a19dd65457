-- torch.testing.assert_close: why two values are not close, in PyTorch's words; nil where they are. Positions in the text
-- count from 1.
local tolerances = {  -- rtol, atol by dtype; 0, 0 for all others
  ['torch.float16'] = { 1e-3, 1e-5 }, ['torch.bfloat16'] = { 1.6e-2, 1e-5 }, ['torch.float32'] = { 1.3e-6, 1e-5 },
  ['torch.float64'] = { 1e-7, 1e-7 },
}
local arguments = { 'rtol', 'atol', 'equal_nan', 'check_device', 'check_dtype', 'check_stride', 'check_layout', 'msg' }

-- A number as Python writes it: the shortest text that reads back the same.
local function number(v)
  if math.type(v) == 'integer' then return tostring(v) end
  if v ~= v then return 'nan' end
  if v == math.huge or v == -math.huge then return v > 0 and 'inf' or '-inf' end
  for digits = 1, 17 do
    local text = string.format('%.' .. digits .. 'g', v)
    if tonumber(text) == v then return text:find('[.e]') and text or text .. '.0' end
  end
end

local function allowed(v) return v and string.format(' (up to %s allowed)', number(v)) or '' end

local function attribute(name, a, b)
  return string.format("The values for attribute '%s' do not match: %s != %s.", name, tostring(a), tostring(b))
end

-- The position, from 1, of the element of a flat position.
local function position(shape, flat)
  local at, rest = {}, flat - 1
  for i = #shape, 1, -1 do
    at[i] = tostring(rest % shape[i] + 1)
    rest = rest // shape[i]
  end
  return '(' .. table.concat(at, ', ') .. (#at == 1 and ',' or '') .. ')'
end

local function tolerances_for(options, a, b)
  if options.rtol then return options.rtol, options.atol end
  local x, y = tolerances[a] or { 0., 0. }, tolerances[b] or { 0., 0. }
  return math.max(x[1], y[1]), math.max(x[2], y[2])
end

-- Two tensors of one shape, dtype and device.
local function values(a, b, rtol, atol, equal_nan)
  if a.dtype == torch.bool then a, b = a:long(), b:long() end
  local matches = a:eq(b)
  local distance = (a - b):abs()
  if a.dtype.is_floating_point then
    local near = distance:le(b:abs() * rtol + atol)
    matches = matches:logical_or(near:logical_and(a:isfinite():logical_and(b:isfinite())))
    if equal_nan then matches = matches:logical_or(a:isnan():logical_and(b:isnan())) end
  elseif rtol > 0 or atol > 0 then
    matches = matches:logical_or(distance:double():le(b:double():abs() * rtol + atol))
  end
  if matches:all() then return nil end
  local exact = rtol == 0 and atol == 0
  distance = distance:masked_fill(matches, 0)
  local relative = (distance / b:abs()):masked_fill(matches, 0)
  local kind = exact and 'equal' or 'close'
  local most_rtol, most_atol = not exact and rtol or nil, not exact and atol or nil
  if a:dim() == 0 then
    return string.format('Scalars are not %s!\n\nExpected %s but got %s.\nAbsolute difference: %s%s\nRelative difference: %s%s',
                         kind, number(b:item()), number(a:item()), number(distance:item()), allowed(most_atol),
                         number(relative:item()), allowed(most_rtol))
  end
  local function greatest(name, x, most)
    local value, at = x:flatten():max(1)
    return string.format('Greatest %s difference: %s at index %s%s', name, number(value:item()),
                         position(a:size(), at:item()), allowed(most))
  end
  local wrong = a:numel() - matches:sum():item()
  return string.format('Tensor-likes are not %s!\n\nMismatched elements: %d / %d (%.1f%%)\n%s\n%s', kind, wrong, a:numel(),
                       100 * wrong / a:numel(), greatest('absolute', distance, most_atol),
                       greatest('relative', relative, most_rtol))
end

local function tensors(a, b, options)
  if a:size() ~= b:size() then return attribute('shape', a:size(), b:size()) end
  if options.check_device ~= false and a.device ~= b.device then return attribute('device', a.device, b.device) end
  if options.check_dtype ~= false and a.dtype ~= b.dtype then return attribute('dtype', a.dtype, b.dtype) end
  if options.check_stride then
    local x, y = table.concat(a:stride(), ', '), table.concat(b:stride(), ', ')
    if x ~= y then return attribute('stride()', '(' .. x .. ')', '(' .. y .. ')') end
  end
  local rtol, atol = tolerances_for(options, tostring(a.dtype), tostring(b.dtype))
  local dtype = torch.promote_types(a.dtype, b.dtype)
  if a.device ~= b.device then a, b = a:cpu(), b:cpu() end
  return values(a:detach():to(dtype), b:detach():to(dtype), rtol, atol, options.equal_nan)
end

local function numbers(a, b, options)
  local kind_a, kind_b = math.type(a), math.type(b)
  if options.check_dtype ~= false and kind_a ~= kind_b then
    return string.format('The (d)types do not match: %s != %s.', kind_a, kind_b)
  end
  local name = function(kind) return kind == 'float' and 'torch.float64' or 'torch.int64' end
  local rtol, atol = tolerances_for(options, name(kind_a), name(kind_b))
  local dtype = (kind_a == 'float' or kind_b == 'float') and torch.float64 or torch.int64
  local x, y = torch.tensor(a, { dtype = dtype }), torch.tensor(b, { dtype = dtype })
  return values(x, y, rtol, atol, options.equal_nan)
end

local function sorted_keys(t, without)
  local keys = {}
  for k in pairs(t) do
    if without[k] == nil then keys[#keys + 1] = type(k) == 'string' and "'" .. k .. "'" or tostring(k) end
  end
  table.sort(keys)
  return keys
end

local compare

local function tables(a, b, options)
  if #a ~= #b then return string.format('The length of the sequences mismatch: %d != %d', #a, #b) end
  local missing, additional = sorted_keys(b, a), sorted_keys(a, b)
  if #missing + #additional > 0 then
    local text = 'The keys of the mappings do not match:'
    if #missing > 0 then text = text .. '\nMissing keys in the actual mapping: [' .. table.concat(missing, ', ') .. ']' end
    if #additional > 0 then text = text .. '\nAdditional keys in the actual mapping: [' .. table.concat(additional, ', ') .. ']' end
    return text
  end
  local keys = {}
  for k in pairs(b) do keys[#keys + 1] = k end
  table.sort(keys, function(x, y) return math.type(x) and math.type(y) and x < y or tostring(x) < tostring(y) end)
  for _, k in ipairs(keys) do
    local why, path = compare(a[k], b[k], options)
    if why then return why, string.format(type(k) == 'string' and "['%s']" or '[%s]', k) .. (path or '') end
  end
end

-- Why, and where in nested tables.
function compare(a, b, options)
  if torch.is_tensor(a) and torch.is_tensor(b) then return tensors(a, b, options) end
  if type(a) == 'number' and type(b) == 'number' then return numbers(a, b, options) end
  if type(a) == 'boolean' and type(b) == 'boolean' then
    return a ~= b and string.format('Booleans mismatch: %s is not %s', a, b) or nil
  end
  if a == nil or b == nil then return a ~= b and string.format('None mismatch: %s is not %s', a, b) or nil end
  if type(a) == 'table' and type(b) == 'table' then return tables(a, b, options) end
  error(string.format('torch.testing.assert_close compares tensors, numbers, booleans and tables of them, got %s and %s',
                      torch.typename(a) or type(a), torch.typename(b) or type(b)), 0)
end

return function(actual, expected, options)
  options = options or {}
  for name in pairs(options) do
    local known = false
    for _, argument in ipairs(arguments) do known = known or argument == name end
    if not known then error(string.format("torch.testing.assert_close: no argument is named '%s'", name), 0) end
  end
  if (options.rtol == nil) ~= (options.atol == nil) then
    error("torch.testing.assert_close: give both rtol and atol, or none of them", 0)
  end
  local why, path = compare(actual, expected, options)
  if not why then return nil end
  if path then why = why .. '\n\nThe failure occurred for item ' .. path end
  if type(options.msg) == 'function' then return tostring(options.msg(why)) end
  return options.msg or why
end
