-- How samples of any kind become a batch.
local M = {}

local function all(values, n, test)
  for i = 1, n do if not test(values[i]) then return false end end
  return true
end

local function is_number(v) return type(v) == 'number' end
local function is_boolean(v) return type(v) == 'boolean' end

local collate_tables

-- One value of all samples: tensors are stacked, numbers and booleans become a tensor, of tables each entry, and the rest is a list.
local function column(values, n, place)
  local first = values[1]
  if torch.is_tensor(first) then
    if not all(values, n, torch.is_tensor) then error(place .. ' of some samples is a tensor, and of others none', 0) end
    local ok, stacked = pcall(torch.stack, values)
    if not ok then error(string.format('%s cannot be stacked: %s; pass a collate_fn for uneven samples', place, stacked), 0) end
    return stacked
  end
  if is_number(first) and all(values, n, is_number) or is_boolean(first) and all(values, n, is_boolean) then
    return torch.tensor(values)
  end
  if type(first) == 'table' and getmetatable(first) == nil and all(values, n, function(v) return type(v) == 'table' end) then
    return collate_tables(values, n, place)
  end
  return values
end

-- A table with the entries of the first, each of all samples; lists of other lengths stay as they are.
function collate_tables(values, n, place)
  local first = values[1]
  for _, v in ipairs(values) do
    for key in pairs(first) do if v[key] == nil then return values end end
    if #v ~= #first then return values end
  end
  local out = {}
  for key in pairs(first) do
    local list = {}
    for i = 1, n do list[i] = values[i][key] end
    out[key] = column(list, n, string.format('%s.%s', place, tostring(key)))
  end
  return out
end

--- The values of a batch: of a list of samples, each a list of values. A sample that is no list is its only value.
function M.default_collate(samples)
  local first = samples[1]
  if first == nil then error('a batch has at least one sample', 0) end
  if type(first) ~= 'table' or #first == 0 and next(first) ~= nil then return column(samples, #samples, 'the value') end
  local columns, count = {}, #first
  for k = 1, count do
    local list = {}
    for i, sample in ipairs(samples) do
      if type(sample) ~= 'table' then error('some samples are lists of values, and others none', 0) end
      if #sample ~= count then error(string.format('a sample has %d values, the first of its batch has %d', #sample, count), 0) end
      list[i] = sample[k]
    end
    columns[k] = column(list, #samples, 'value ' .. k)
  end
  return table.unpack(columns, 1, count)
end

-- ---- sequences of different lengths ----

-- Calls f(sequences, lengths) for value k of all samples where these are tensors with dims, and collates the others.
local function with_sequences(samples, f)
  local columns = {}
  for k = 1, #samples[1] do
    local list, lengths = {}, {}
    for i, sample in ipairs(samples) do
      list[i] = sample[k]
      if torch.is_tensor(sample[k]) and sample[k]:dim() > 0 then lengths[#lengths + 1] = sample[k]:size(1) end
    end
    if #lengths == #samples then
      for _, value in ipairs { f(list, torch.tensor(lengths)) } do columns[#columns + 1] = value end
    else
      columns[#columns + 1] = column(list, #samples, 'value ' .. k)
    end
  end
  return table.unpack(columns)
end

local function settings(name, given, known)
  for key in pairs(given or {}) do
    if known[key] == nil then error(string.format("%s: unknown argument '%s'", name, tostring(key)), 3) end
  end
  return setmetatable(given or {}, { __index = known })
end

--- A collate_fn that makes sequences as long as the longest of the batch.
function M.PadCollate(options)
  local o = settings('PadCollate', options, { padding_value = 0, padding_side = 'right', lengths = false })
  return function(samples)
    return with_sequences(samples, function(list, lengths)
      local padded = nn.utils.rnn.pad_sequence(list, { batch_first = true, padding_value = o.padding_value, padding_side = o.padding_side })
      if o.lengths then return padded, lengths end
      return padded
    end)
  end
end

--- A collate_fn that puts sequences one behind the other, without padding.
function M.PackCollate(options)
  settings('PackCollate', options, {})
  return function(samples)
    return with_sequences(samples, function(list, lengths) return torch.cat(list), lengths end)
  end
end

return M
