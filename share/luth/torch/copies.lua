-- torch.permute_copy(x, dims) and its like: copies of views, in row-major order.
local arguments = require 'luth.torch.arguments'

local function copied(result)
  if type(result) == 'table' then
    for i, part in ipairs(result) do result[i] = copied(part) end
    return result
  end
  return result:clone { memory_format = torch.contiguous_format }
end

local M = {}
for name in ([[as_strided detach diagonal expand permute select split split_with_sizes squeeze t transpose unbind unfold
    unsqueeze view]]):gmatch('%S+') do
  local view = torch.Tensor[name]
  M[name .. '_copy'] = function(...) return copied(view(...)) end
end

function M.alias_copy(...)
  local a = arguments.read('alias_copy', { 'input' }, 1, ...)
  return copied(a.input)
end

function M.slice_copy(...)
  local a = arguments.read('slice_copy', { 'input', 'dim', 'start', 'end', 'step' }, 1, ...)
  local dim = a.dim or 1
  local ranges = {}
  for d = 1, a.input:dim() do ranges[d] = {} end
  if dim < 0 then dim = dim + #ranges + 1 end
  if not ranges[dim] then arguments.fail('slice_copy', 'dim %d of a tensor of %d dims', a.dim, #ranges) end
  ranges[dim] = { a.start or 1, a['end'] or -1, a.step or 1 }
  return copied(a.input[ranges])
end

return M
