-- Examples of operators, made from their samples, which tests run: complete Lua code. A sample is taken only if its code
-- runs here; of several samples, the one with the shortest code.
local registry = require 'luth.registry'
local uses = require 'luth.reference.uses'

local M = {}
local most_elements = 24  -- a tensor of more is drawn, not written out

local words = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
    while]]):gmatch('%a+') do
  words[word] = true
end
M.words = words

local function number_text(v)
  if v ~= v then return '0/0' end
  if v == math.huge then return 'math.huge' end
  if v == -math.huge then return '-math.huge' end
  if math.type(v) == 'integer' then return tostring(v) end
  local text = string.format('%.4g', v)
  return text:find('[.en]') and text or text .. '.'
end

local function nested(v)
  if type(v) == 'number' then return number_text(v) end
  if type(v) ~= 'table' then return tostring(v) end
  local parts = {}
  for i, e in ipairs(v) do parts[i] = nested(e) end
  return '{' .. table.concat(parts, ', ') .. '}'
end

local function sizes_text(shape)
  local list = {}
  for i = 1, #shape do list[i] = tostring(shape[i]) end
  return #list == 1 and list[1] or #list > 1 and table.concat(list, ', ') or '{}'
end

-- Code for a tensor of floats in a range.
local function drawn(shape, lo, hi)
  local sizes = sizes_text(shape)
  if lo == 0 and hi == 1 then return 'torch.rand(' .. sizes .. ')' end
  if lo == -2 and hi == 2 then return 'torch.randn(' .. sizes .. ')' end
  return string.format('torch.empty(%s):uniform_(%s, %s)', sizes, number_text(lo), number_text(hi))
end

-- Code for a tensor; `shift` is added to positions (integers that are not negative): samples count from 0.
local function tensor_text(x, shift)
  local name = tostring(x.dtype)
  local floating = x.dtype.is_floating_point
  if floating and x:numel() > most_elements then
    return drawn(x:size(), number_text(x:min():item()) + 0., number_text(x:max():item()) + 0.)
  end
  if shift ~= 0 and not floating and x.dtype ~= torch.bool then x = torch.where(x:ge(0), x + shift, x) end
  if name == 'torch.float64' then name = 'torch.float32' end
  local plain = name == 'torch.float32' or x:numel() > 0 and (name == 'torch.int64' or name == 'torch.bool')
  local options = plain and '' or ', {dtype = ' .. name .. '}'
  if x:numel() == 0 then
    return string.format('torch.zeros({%s}%s)', sizes_text(x:size()):gsub('[{}]', ''), options)
  end
  local value = x:tolist()
  return string.format('torch.tensor(%s%s)', nested(value), options)
end

local function value_text(v)
  if type(v) == 'string' then return "'" .. v:gsub("[\\']", '\\%0') .. "'" end
  if torch.is_tensor(v) then return tensor_text(v, 0) end
  if type(v) == 'userdata' and v == torch.none then return 'torch.none' end
  if type(v) == 'userdata' then
    local text = tostring(v)
    return text:find('^torch%.') and text or "'" .. text .. "'"
  end
  return nested(v)
end
M.value_text = value_text

-- ---- the call ----

local Builder = {}
Builder.__index = Builder

function Builder:variable(name, code)
  self.lines[#self.lines + 1] = string.format('local %s = %s', name, code)
  return name
end

function Builder:input_text(name, v)
  if v == nil or v == false then return nil end
  if type(v) == 'number' then return number_text(v) end
  if type(v) == 'table' then return self:variable(name, drawn(v.shape, v.lo, v.hi)) end
  if torch.is_tensor(v) then return self:variable(name, tensor_text(v, self.shift)) end
  return tostring(v)
end

-- The text of each parameter that the sample gives, in their order; false for the others.
function Builder:texts(params, sample)
  local texts = {}
  for i, p in ipairs(params) do
    local v = nil
    if p.list then
      local parts = {}
      for k = p.at, #sample.inputs do
        parts[#parts + 1] = self:input_text(string.char(96 + #parts + 1), sample.inputs[k]) or 'torch.none'
      end
      texts[i] = '{' .. table.concat(parts, ', ') .. '}'
    elseif p.input then
      texts[i] = self:input_text(words[p.name] and p.name .. '_' or p.name, sample.inputs[p.at]) or false
    else
      v = sample.attributes[p.name]
      texts[i] = v ~= nil and value_text(v) or false
    end
  end
  return texts
end

-- "(input, 2, {keepdim = true})": by position up to the first that is not given, then by name. With `fill` defaults are
-- written out up to the last position that is given, for forms that are told apart by their positions.
function Builder:arguments(form, texts, fill)
  local last = 0
  for i = 1, form.positional do last = texts[i] and i or last end
  for i = 1, fill and last or 0 do texts[i] = texts[i] or form.params[i].default or 'nil' end
  local positions, named = {}, {}
  local by_name = false
  for i, p in ipairs(form.params) do
    by_name = by_name or i > form.positional or not texts[i] or (texts[i] == '{}' and not p.input)
    if texts[i] and by_name then
      named[#named + 1] = (words[p.name] and "['" .. p.name .. "']" or p.name) .. ' = ' .. texts[i]
    elseif texts[i] then
      positions[#positions + 1] = texts[i]
    end
  end
  if #named > 0 then positions[#positions + 1] = '{' .. table.concat(named, ', ') .. '}' end
  return positions
end

local function result_names(form, params)
  if form.several then return { 'list' } end
  if #form.outputs <= 1 then return { 'y' } end
  local taken, names = {}, {}
  for _, p in ipairs(params) do taken[p.name] = true end
  for i, name in ipairs(form.outputs) do names[i] = (taken[name] or words[name]) and name .. '_' or name end
  return names
end

-- The code of a sample: its lines without the names of the results, and those.
function M.code(face, form, sample, shift, fill)
  local builder = setmetatable({ lines = {}, shift = shift }, Builder)
  local args = builder:arguments(form, builder:texts(form.params, sample), fill)
  local call
  if face.prefix ~= 'x:' then
    call = string.format('%s%s(%s)', face.prefix:gsub('^torch%.nn%.functional', 'F'), face.name, table.concat(args, ', '))
  else
    local object = table.remove(args, 1) or 'nothing'
    local name = words[face.name] and string.format("%s['%s'](%s, %s)", object, face.name, object, table.concat(args, ', '))
    call = name or string.format('%s:%s(%s)', object, face.name, table.concat(args, ', '))
  end
  return builder.lines, result_names(form, form.params), call
end

local function shown(v)
  if torch.is_tensor(v) then
    return tostring(v.dtype):gsub('^torch%.', '') .. '[' .. sizes_text(v:size()):gsub('[{}]', '') .. ']'
  elseif type(v) == 'table' then
    local parts = {}
    for i, e in ipairs(v) do parts[i] = shown(e) end
    return '{' .. table.concat(parts, ', ', 1, math.min(#parts, 4)) .. (#parts > 4 and ', …' or '') .. '}'
  end
  return tostring(v)
end

-- Runs code and adds its last line, with what the results are as a comment; false and the error where it fails.
local function run(lines, names, call)
  local chunk, message = load(table.concat(lines, '\n') .. '\nreturn ' .. call, '=example')
  if not chunk then return false, message end
  torch.manual_seed(0)
  local results = table.pack(pcall(chunk))
  if not results[1] then return false, results[2] end
  local count = #names
  while count > 1 and results[count + 1] == nil do count = count - 1 end  -- results that were not asked for
  local texts = {}
  for i = 1, count do texts[i] = shown(results[i + 1]) end
  local left = table.concat(names, ', ', 1, count)
  lines[#lines + 1] = string.format('local %s = %s  -- %s', left, call, table.concat(texts, ', '))
  return true
end

--- The lines of an example of what is no operator, with the value of the last one as a comment; nil and the reason where it does not run,
--- nil alone where there is none. `help`: its text.
function M.of_name(name, help)
  local lines = uses.code(name, help)
  if not lines then return nil end
  local last = lines[#lines]
  local ends = last == 'end' or last:find '^if ' or last:find '^os%.'  -- with a statement
  local before = table.concat(lines, '\n', 1, #lines - 1)
  local chunk, message = load(before .. (ends and '\n' or '\nreturn ') .. last, '=example')
  if not chunk then return nil, message end
  torch.manual_seed(0)
  local results = table.pack(pcall(chunk))
  if not results[1] then return nil, results[2] end
  if ends then return lines end
  local call, texts = table.remove(lines), {}
  for i = 2, results.n do texts[#texts + 1] = shown(results[i]) end
  lines[#lines + 1] = ('print(%s)  -- %s'):format(call, table.concat(texts, ', '))
  return lines
end

local function elements(sample)
  local count, empty = 0, false
  for _, v in ipairs(sample.inputs) do
    local n = 1
    if torch.is_tensor(v) then
      n = v:numel()
    elseif type(v) == 'table' then
      for _, size in ipairs(v.shape) do n = n * size end
    end
    count, empty = count + n + (n == 1 and 30 or 0), empty or n == 0
  end
  return empty and 1e6 or count
end

--- The lines of an example of one overload of a function, with the result as a comment; nil and the reason if there is none.
function M.of(face, number)
  local form = face.forms[number]
  torch.manual_seed(0)
  local samples, why = registry.samples(face.name, number), 'it has no samples'
  for i, sample in ipairs(samples) do sample.cost, sample.order = elements(sample), i end
  table.sort(samples, function(a, b)
    if a.cost ~= b.cost then return a.cost < b.cost end
    return a.order < b.order
  end)
  local ways = form.counts_positions and { { 1 }, { 0 }, { 1, true } } or { { 0 }, { 0, true }, { 1 } }
  for _, way in ipairs(ways) do
    for _, sample in ipairs(samples) do
      local lines, names, call = M.code(face, form, sample, way[1], way[2])
      local ok, message = run(lines, names, call)
      if ok then return lines end
      why = why == 'it has no samples' and message or why
    end
  end
  return nil, why
end

return M
