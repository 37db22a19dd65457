-- Losses that call a function of the script, of nn.functional.
local M = {}

local known = { anchor = 1, positive = 2, negative = 3, distance_function = 4, margin = 4, swap = 4, reduction = 4 }

-- An error at the line of the script; the function that it is for was called through C.
local function fail(text, ...)
  error(string.format('triplet_margin_with_distance_loss: ' .. text, ...), 4)
end

local function arguments(...)
  local given, named = { ... }, {}
  local last = given[#given]
  if type(last) == 'table' and getmetatable(last) == nil then
    named = table.remove(given)
  end
  for i, name in ipairs { 'anchor', 'positive', 'negative' } do
    if given[i] ~= nil and named[name] ~= nil then fail("argument '%s' is given by position and by name", name) end
    given[i] = given[i] or named[name]
    if not torch.is_tensor(given[i]) then fail("argument '%s' expects a tensor, got %s", name, type(given[i])) end
  end
  for name in pairs(named) do
    if not known[name] then
      fail("no argument is named '%s'; by name it has distance_function, margin, swap and reduction", tostring(name))
    end
  end
  if #given > 3 then fail('too many arguments; distance_function, margin, swap and reduction are given by name') end
  return given[1], given[2], given[3], named
end

function M.triplet_margin_with_distance_loss(...)
  local anchor, positive, negative, named = arguments(...)
  local distance = named.distance_function or nn.functional.pairwise_distance
  local margin, reduction = named.margin or 1, named.reduction or 'mean'
  if reduction ~= 'mean' and reduction ~= 'sum' and reduction ~= 'none' then
    fail("reduction must be 'none', 'mean' or 'sum', not '%s'", tostring(reduction))
  end
  if type(margin) ~= 'number' or not (margin > 0) then fail('margin must be a number above 0, not %s', tostring(margin)) end
  if anchor:dim() ~= positive:dim() or anchor:dim() ~= negative:dim() then
    fail('anchor, positive and negative must have as many dims, got %d, %d and %d', anchor:dim(), positive:dim(), negative:dim())
  end
  local near, far = distance(anchor, positive), distance(anchor, negative)
  if named.swap then far = torch.minimum(far, distance(positive, negative)) end
  local loss = (near + margin - far):clamp_min(0)
  if reduction == 'none' then return loss end
  return reduction == 'sum' and loss:sum() or loss:mean()
end

return M
