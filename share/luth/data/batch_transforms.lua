-- Transforms of whole batches, of torchvision's transforms.v2: t(images, labels) gives as many values. What is random is a
-- function of (seed, epoch, batch) after t:set_batch, else of the generator of the CPU.
local M = {}

local function fail(name, text, ...) error(name .. ': ' .. string.format(text, ...), 3) end

-- The settings of a call by name, with their defaults.
local function settings(name, given, defaults)
  if given ~= nil and type(given) ~= 'table' then fail(name, 'expects its settings in a table, got %s', tostring(given)) end
  local all = {}
  for key, value in pairs(defaults) do all[key] = value ~= torch.none and value or nil end
  for key, value in pairs(given or {}) do
    if defaults[key] == nil then fail(name, "unknown setting '%s'", tostring(key)) end
    all[key] = value
  end
  return all
end

local function check_classes(name, n)
  if n ~= nil and (math.type(n) ~= 'integer' or n < 1) then fail(name, 'num_classes is a number of at least 1, got %s', tostring(n)) end
end

local Batch = {}
Batch.__index = Batch
Batch.__name = 'data.transforms'
Batch.__tostring = function(t) return t.text end

--- What is random in the next call is a function of these alone. Epochs and batches count from 0. Parts have numbers of their own:
--- those by which one of them is chosen would be the first ones that it draws.
function Batch:set_batch(seed, epoch, batch)
  self.generator = self.generator or torch.Generator()
  self.generator:manual_seed(seed * 0x9E3779B97F4A7C15 ~ epoch * 0x3F58476D1CE4E5B9 ~ batch * 0x14D049BB133111EB)
  for k, part in ipairs(self.parts or {}) do
    if getmetatable(part) == Batch then part:set_batch(seed ~ k * 0x1D8E4E27C47D124F, epoch, batch) end
  end
end

-- In [0, 1).
function Batch:uniform() return torch.rand(1, { generator = self.generator or torch.none, dtype = torch.float64 }):item() end

-- 0 … n - 1.
function Batch:integer(n) return math.floor(self:uniform() * n) end

-- A sample of the gamma distribution (Marsaglia and Tsang 2000).
function Batch:gamma(a)
  if a < 1 then return self:gamma(a + 1) * self:uniform() ^ (1 / a) end
  local d = a - 1 / 3
  while true do
    local x = torch.randn(1, { generator = self.generator or torch.none, dtype = torch.float64 }):item()
    local v = (1 + x / math.sqrt(9 * d)) ^ 3
    if v > 0 and math.log(1 - self:uniform()) < x * x / 2 + d - d * v + d * math.log(v) then return d * v end
  end
end

-- A sample of Beta(a, a).
function Batch:share()
  local a = self.alpha
  if a == 1 then return self:uniform() end
  local x, y = self:gamma(a), self:gamma(a)
  return x + y > 0 and x / (x + y) or self:uniform() < 0.5 and 0.0 or 1.0  -- both underflow where a is tiny
end

-- Labels 1 … num_classes as rows of floats; rows stay as they are.
local function rows_of(name, y, num_classes)
  if not torch.is_tensor(y) then fail(name, 'expects labels, a tensor, got %s', tostring(y)) end
  if y.dtype.is_floating_point and y:dim() >= 2 then return y end
  if y.dtype.is_floating_point or y:dim() ~= 1 then
    fail(name, 'labels are integers [N], or probabilities [N, C], got %s%s', tostring(y.dtype):gsub('^torch%.', ''), tostring(y:size()):gsub('^torch%.Size', ''))
  end
  if not num_classes then fail(name, 'num_classes is needed for labels that are integers') end
  return F.one_hot(y:long(), num_classes):to(torch.get_default_dtype())
end

local function made(name, s, call)
  local list = {}
  for key, value in pairs(s) do list[#list + 1] = key .. '=' .. tostring(value) end
  table.sort(list)
  s.text, s.call, s.name = name .. '(' .. table.concat(list, ', ') .. ')', call, name
  return setmetatable(s, Batch)
end

-- A batch is images or other inputs, and labels in last place.
Batch.__call = function(t, ...)
  local values = table.pack(...)
  local _ <close> = torch.no_grad()
  t:call(values)
  return table.unpack(values, 1, values.n)
end

local function mixes(name, given)
  local s = settings(name, given, { alpha = 1.0, num_classes = torch.none })
  if type(s.alpha) ~= 'number' or not (s.alpha > 0) then fail(name, 'alpha is a number above 0, got %s', tostring(s.alpha)) end
  check_classes(name, s.num_classes)
  return s
end

local function check_pair(t, values)
  if values.n ~= 2 then fail(t.name, 'expects images and labels, got %d values', values.n) end
  local x, y = values[1], rows_of(t.name, values[2], t.num_classes)
  if not (torch.is_tensor(x) and x.dtype.is_floating_point and x:dim() >= 2) then
    fail(t.name, 'images are floats [N, …]; it comes after ToTensor')
  end
  if #x ~= #y then fail(t.name, 'there are %d images and %d labels', #x, #y) end
  return x, y
end

-- share * v + (1 - share) * the one before it in the batch
local function blend(v, share) return v:roll(1, 1):mul_(1 - share):add_(v * share) end

--- Each image and its label are mixed with those of the one before it.
function M.MixUp(given)
  return made('MixUp', mixes('MixUp', given), function(t, values)
    local x, y = check_pair(t, values)
    local share = t:share()
    values[1], values[2] = blend(x, share), blend(y, share)
  end)
end

--- A rectangle of each image is that of the one before it; the label is mixed by the areas.
function M.CutMix(given)
  return made('CutMix', mixes('CutMix', given), function(t, values)
    local x, y = check_pair(t, values)
    if x:dim() ~= 4 then fail('CutMix', 'images are [N, C, H, W], got %s', tostring(x:size())) end
    local height, width = x:size(3), x:size(4)
    local half = 0.5 * math.sqrt(1 - t:share())
    local at_x, at_y = t:integer(width), t:integer(height)
    local half_w, half_h = math.floor(half * width), math.floor(half * height)
    local left, right = math.max(0, at_x - half_w), math.min(width, at_x + half_w)
    local top, bottom = math.max(0, at_y - half_h), math.min(height, at_y + half_h)
    local out = x:clone()
    if right > left and bottom > top then
      local box = { {}, {}, { top + 1, bottom }, { left + 1, right } }
      out[box] = x:roll(1, 1)[box]
    end
    values[1], values[2] = out, blend(y, 1 - (right - left) * (bottom - top) / (width * height))
  end)
end

--- Labels 1 … num_classes become rows with a 1.
function M.OneHot(given)
  local s = settings('OneHot', given, { num_classes = torch.none })
  if s.num_classes == nil then fail('OneHot', 'num_classes is needed') end
  check_classes('OneHot', s.num_classes)
  return made('OneHot', s, function(t, values) values[values.n] = rows_of('OneHot', values[values.n], t.num_classes) end)
end

--- Labels become (1 - smoothing) of themselves, and an equal share of all classes.
function M.LabelSmoothing(given)
  local s = settings('LabelSmoothing', given, { smoothing = 0.1, num_classes = torch.none })
  if type(s.smoothing) ~= 'number' or not (s.smoothing >= 0 and s.smoothing <= 1) then
    fail('LabelSmoothing', 'smoothing lies within 0 to 1, got %s', tostring(s.smoothing))
  end
  check_classes('LabelSmoothing', s.num_classes)
  return made('LabelSmoothing', s, function(t, values)
    local y = rows_of('LabelSmoothing', values[values.n], t.num_classes)
    values[values.n] = y * (1 - t.smoothing) + t.smoothing / y:size(-1)
  end)
end

--- One of several, drawn for each batch.
function M.RandomChoice(parts, given)
  local s = settings('RandomChoice', given, { p = torch.none })
  if type(parts) ~= 'table' or #parts == 0 then fail('RandomChoice', 'expects a list of transforms') end
  if s.p and #s.p ~= #parts then fail('RandomChoice', 'there are %d transforms and %d probabilities', #parts, #s.p) end
  local total = 0
  for i = 1, #parts do total = total + (s.p and s.p[i] or 1) end
  local t = made('RandomChoice', {}, function(t, values)
    local left, chosen = t:uniform() * total, #parts
    for i = 1, #parts do
      left = left - (s.p and s.p[i] or 1)
      if left < 0 then
        chosen = i
        break
      end
    end
    local out = table.pack(parts[chosen](table.unpack(values, 1, values.n)))
    for i = 1, values.n do values[i] = out[i] end
  end)
  t.parts = table.move(parts, 1, #parts, 1, {})
  local texts = {}
  for i, part in ipairs(parts) do texts[i] = tostring(part) end
  t.text = 'RandomChoice(' .. table.concat(texts, ', ') .. ')'
  return t
end

return M
