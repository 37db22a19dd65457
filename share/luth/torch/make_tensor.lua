-- torch.testing.make_tensor: tensors of any dtype for tests.
local arguments = require 'luth.torch.arguments'

local names = { 'shape', 'dtype', 'device', 'low', 'high', 'requires_grad', 'noncontiguous', 'exclude_zero', 'memory_format' }

-- Sizes as separate numbers become a list of them.
local function gathered(...)
  local given, sizes = { ... }, {}
  while math.type(given[#sizes + 1]) == 'integer' do sizes[#sizes + 1] = given[#sizes + 1] end
  if #sizes == 0 then return ... end
  return sizes, table.unpack(given, #sizes + 1)
end

local function bounds(a, floating)
  local bool, unsigned = a.dtype == torch.bool, a.dtype == torch.uint8
  local low = a.low or (bool or unsigned) and 0 or -9
  local high = a.high or bool and 2 or floating and 9 or 10
  if low ~= low or high ~= high or low >= high and not (floating and low == high) then
    arguments.fail('make_tensor', 'low must be less than high, but they are %s and %s', tostring(low), tostring(high))
  end
  local least, most = 0, 2
  if not bool then
    local info = floating and torch.finfo(a.dtype) or torch.iinfo(a.dtype)
    least, most = info.min, info.max + (floating and 0 or a.dtype == torch.int64 and 0 or 1)
  end
  low, high = math.max(low, least), math.min(high, most)
  if floating then return low, high end
  return math.ceil(low), math.ceil(high)
end

return {
  make_tensor = function(...)
    local a = arguments.read('make_tensor', names, 3, gathered(...))
    if a.noncontiguous and a.memory_format then
      arguments.fail('make_tensor', 'noncontiguous and memory_format exclude each other')
    end
    local floating = a.dtype.is_floating_point
    if a.requires_grad and not floating then arguments.fail('make_tensor', 'only floating dtypes require grad, not %s', tostring(a.dtype)) end
    local low, high = bounds(a, floating)
    local shape, count = {}, 1
    for i = 1, #a.shape do shape[i], count = a.shape[i], count * a.shape[i] end
    local spread = a.noncontiguous and count > 1
    if spread then shape[#shape] = 2 * shape[#shape] end
    local x
    if floating then
      x = torch.empty(shape, { dtype = a.dtype, device = a.device }):uniform_(low, high)
    else
      x = torch.randint(low, high, shape, { dtype = a.dtype, device = a.device })
    end
    if spread then
      x = x[{ '...', { 2, -1, 2 } }]
    elseif a.memory_format then
      x = x:clone { memory_format = a.memory_format }
    end
    if a.exclude_zero then x:masked_fill_(x:eq(0), floating and torch.finfo(a.dtype).tiny or 1) end
    return floating and x:requires_grad_(a.requires_grad or false) or x
  end,
}
