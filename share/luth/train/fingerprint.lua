-- Fingerprints of data, which say whether a run goes on with those that it began with: the number of samples, and a sum over a few
-- of them. A dataset in Lua is asked for its length alone, since what it does may be random or take long.
local errors = require 'luth.train.errors'
local streams = require 'luth.data.streams'

local M = {}
local most = 8  -- samples of a part

local function of_text(h, text)
  for _, byte in ipairs { text:byte(1, 256) } do h = (h ~ byte) * 0x100000001b3 end
  return h ~ #text
end

-- The same number for the same bytes: each counts with a weight of its place.
local function of_tensor(h, t)
  h = of_text(h, tostring(t.dtype) .. tostring(t:size()))
  if t:numel() == 0 then return h end
  local bytes = torch.frombuffer(t:cpu():contiguous():tobytes(), { dtype = torch.uint8 }):long()
  return (h ~ (bytes * (torch.arange(1, #bytes + 1) * 0x9E3779B1)):sum():item()) * 0x100000001b3
end

local function of_value(h, value)
  if torch.is_tensor(value) then return of_tensor(h, value) end
  if type(value) ~= 'table' then return of_text(h, type(value) == 'userdata' and 'userdata' or tostring(value)) end
  for _, key in ipairs(errors.keys(value)) do h = of_value(of_text(h, key), value[key]) end
  return h
end

local function of_samples(ds, n)
  local h = 0
  for k = 0, math.min(most, n) - 1 do
    local sample = table.pack(pcall(ds.get, ds, 1 + k * (n - 1) // math.max(1, math.min(most, n) - 1)))
    for i = 1, sample.n do h = of_value(h, sample[i]) end
  end
  return h
end

-- {count =, sum =} of a dataset; the random state stays as it was.
local function of_part(ds)
  local n = streams.count(ds)
  if type(ds) ~= 'userdata' then return { count = n } end
  local state = torch.get_rng_state()
  local sum = of_samples(ds, n)
  torch.set_rng_state(state)
  return { count = n, sum = sum }
end

--- {train = {count =, sum =}, val =, test =} of the data of a run.
function M.of(parts)
  local all = {}
  for name, ds in pairs(parts) do all[name] = of_part(ds) end
  return all
end

--- What differs, in words; nil where nothing does. `before`: those of a checkpoint, or nil. `same_bits`: whether both have the same
--- kernels; samples that others have computed differ in their last bits.
function M.difference(now, before, same_bits)
  for _, name in ipairs(type(before) == 'table' and errors.keys(now) or {}) do
    local new, old = now[name], before[name]
    if type(old) == 'table' and new.count ~= old.count then
      return string.format('the %s data have %s samples, and had %s when it was saved', name, tostring(new.count), tostring(old.count))
    end
    if type(old) == 'table' and same_bits and new.sum ~= old.sum then return string.format('samples of the %s data are others than when it was saved', name) end
  end
end

return M
