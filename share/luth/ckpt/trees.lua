-- The content of files as trees of plain tables, and as lists of names and values.
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local unusable, usage = errors.unusable, errors.usage

-- Modules, optimizers and schedules are their state dicts here.
local function plain(value)
  local kind = native.kind(value)
  if kind == 'module' or kind == 'class' or kind == 'optimizer' or kind == 'schedule' then return plain(value:state_dict()) end
  if kind ~= 'table' then return value end
  local copy = {}
  for k, v in pairs(value) do copy[k] = plain(v) end
  return copy
end

--- The file as a tree. `whole`: objects stay objects.
function M.load(path, whole)
  local value = torch.load(path)
  return whole and value or plain(value)
end

-- ---- names in the order in which people count: layer2 before layer10 ----

local function key_of(name)
  return tostring(name):gsub('%d+', function(digits) return ('0'):rep(20 - #digits) .. digits end)
end

local function sorted_keys(t)
  local keys, order = {}, {}
  for k in pairs(t) do
    keys[#keys + 1] = k
    order[k] = key_of(k)
  end
  table.sort(keys, function(a, b)
    if order[a] ~= order[b] then return order[a] < order[b] end
    return type(a) == 'number' and type(b) == 'string'
  end)
  return keys
end

-- A list of a few numbers or strings is one value.
local function is_short_list(t)
  if #t == 0 or #t > 16 then return false end
  for k, v in pairs(t) do
    if math.type(k) ~= 'integer' or type(v) == 'table' or torch.is_tensor(v) then return false end
  end
  return true
end

local function short_list(t)
  local texts = {}
  for i, v in ipairs(t) do texts[i] = tostring(v) end
  return '{' .. table.concat(texts, ', ') .. '}'
end

--- {name =, value =} for each value of the tree, in order of the names, which join keys by dots.
function M.flat(tree)
  local list = {}
  local function walk(value, name)
    if type(value) ~= 'table' then
      list[#list + 1] = { name = name == '' and 'value' or name, value = value }
    elseif is_short_list(value) then
      list[#list + 1] = { name = name == '' and 'value' or name, value = short_list(value) }
    else
      local keys = sorted_keys(value)
      if #keys == 1 and keys[1] == '' then return walk(value[''], name) end  -- the only optimizer of a run
      for _, key in ipairs(keys) do walk(value[key], name == '' and tostring(key) or name .. '.' .. tostring(key)) end
    end
  end
  walk(tree, '')
  return list
end

--- M.flat of a file, with the texts of its metadata.
function M.listed(path)
  local list = M.flat(M.load(path))
  local texts = native.metadata(path)
  for _, key in ipairs(sorted_keys(texts)) do list[#list + 1] = { name = '__metadata__.' .. key, value = texts[key] } end
  return list
end

--- Those of a list of M.flat that have the name, or lie below it.
function M.below(list, name)
  local found = {}
  for _, entry in ipairs(list) do
    if entry.name == name or entry.name:sub(1, #name + 1) == name .. '.' then found[#found + 1] = entry end
  end
  return found
end

--- A table of the tree's tensors by dotted names, for formats that hold nothing else; an error where the tree has more.
function M.tensors_only(tree, from, to)
  local tensors, rest = {}, nil
  for _, entry in ipairs(M.flat(plain(tree))) do
    if torch.is_tensor(entry.value) then tensors[entry.name] = entry.value else rest = rest or entry.name end
  end
  if rest then
    usage("%s has values that %s cannot hold, such as '%s'; `luth ckpt export` writes the weights alone, and .h5 holds all",
          from, to, rest)
  end
  if not next(tensors) then usage('%s has no tensors', from) end
  return tensors
end

-- ---- the weights of a model ----

local function is_weights(t)
  if type(t) ~= 'table' or not next(t) then return false end
  for k, v in pairs(t) do
    if type(k) ~= 'string' or not torch.is_tensor(v) then return false end
  end
  return true
end

local function renamed(weights, f)
  local result = {}
  for name, t in pairs(weights) do result[('.' .. name):gsub('%.(%d+)%f[.\0]', f):sub(2)] = t end
  return result
end

--- The weights with `by` added to all positions in their names.
function M.shifted(weights, by)
  return renamed(weights, function(digits) return '.' .. math.tointeger(tonumber(digits)) + by end)
end

-- Names that count positions from 1 become PyTorch's. Names with a position 0 count from 0 already.
local function renumber(weights, base)
  local from_zero = base == 1
  renamed(weights, function(digits) from_zero = from_zero or digits == '0' end)
  return from_zero and weights or M.shifted(weights, -1)
end

--- The weights in a file: a state dict, a module, or those in a checkpoint of luth train, where averaged ones come first.
--- `o`: base, from where names count; part, "model" or "ema". Returns them, what they are, and whether they lay in a
--- checkpoint of training.
function M.weights(path, o)
  local value = torch.load(path)
  local kind = native.kind(value)
  if kind == 'module' or kind == 'class' then return plain(value:state_dict { base = o.base }), 'the module', false end
  if type(value) == 'table' and not o.part and is_weights(plain(value)) then return renumber(plain(value), o.base), 'the file', false end
  local part = o.part or type(value) == 'table' and value.ema and 'ema' or 'model'
  local found = type(value) == 'table' and value[part]
  kind = native.kind(found)
  if kind == 'module' or kind == 'class' then return plain(found:state_dict { base = o.base }), "'" .. part .. "'", true end
  if not is_weights(plain(found)) then
    unusable("%s has no weights under '%s'; `luth ckpt ls %s` lists its names", path, part, path)
  end
  return renumber(plain(found), o.base), "'" .. part .. "'", true
end

return M
