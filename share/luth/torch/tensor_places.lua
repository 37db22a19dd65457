-- A value as a plain one and its tensors, which travel apart: each leaves a place, {place, shape, dtype}.
local M = {}

-- All tensors of a value: tensors and tables of these.
function M.tensors_of(value, list)
  list = list or {}
  if torch.is_tensor(value) then
    list[#list + 1] = value
  elseif type(value) == 'table' then
    for _, v in pairs(value) do M.tensors_of(v, list) end
  end
  return list
end

local deepest = 100  -- a file holds no deeper tables (core/io/tree.h), nor those that contain themselves

-- The value with places for its tensors, which join the list.
function M.take_out(value, tensors, depth)
  depth = depth or 0
  if torch.is_tensor(value) then
    tensors[#tensors + 1] = value
    return { luth_place = #tensors, shape = { table.unpack(value.shape) }, dtype = tostring(value.dtype):gsub('^torch%.', '') }
  elseif type(value) ~= 'table' or depth > deepest then
    return value
  end
  local plain = {}
  for key, v in pairs(value) do plain[key] = M.take_out(v, tensors, depth + 1) end
  return plain
end

-- The value again: tensor_of(i, place) gives the tensor of each place.
function M.put_back(plain, tensor_of)
  if type(plain) ~= 'table' then return plain end
  if plain.luth_place then return tensor_of(plain.luth_place, plain) end
  local value = {}
  for key, v in pairs(plain) do value[key] = M.put_back(v, tensor_of) end
  return value
end

-- An empty tensor for a place.
function M.room_for(place, device) return torch.empty(place.shape, { dtype = torch[place.dtype], device = device or 'cpu' }) end

return M
