-- The line below a large tensor at the prompt: what it holds, in a few numbers.
local function number(x)
  return type(x) == 'number' and math.type(x) == 'float' and ('%.5g'):format(x) or tostring(x)
end

return function(x)
  if x.device.type == 'meta' then return end
  local _ <close> = torch.no_grad()
  x = x:detach()
  local line = ('%s[%s] on %s'):format(tostring(x.dtype):gsub('^torch%.', ''), table.concat(x:size():tolist(), ', '),
    tostring(x.device))
  if x.dtype == torch.bool then return ('%s: %d true'):format(line, x:sum():item()) end
  if not x.dtype.is_floating_point then
    return ('%s: min %s, max %s, mean %s'):format(line, number(x:min():item()), number(x:max():item()),
      number(x:double():mean():item()))
  end
  local nan = x:isnan()
  local count = nan:sum():item()
  if count == x:numel() then return line .. ': all nan' end
  local known = count == 0 and x or x:masked_select(nan:logical_not())
  return ('%s: min %s, max %s, mean %s, %d nan'):format(line, number(known:min():item()), number(known:max():item()),
    number(known:mean({ dtype = torch.float32 }):item()), count)
end
