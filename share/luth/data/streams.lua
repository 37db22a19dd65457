-- Datasets without numbered samples: an object with iter(), which returns a function that gives the values of the next sample, and
-- nothing at the end. A stream's position is a table that a checkpoint can hold.
local collate = require 'luth.data.collate'

local M = {}

local function fail(name, text, ...) error(name .. ': ' .. string.format(text, ...), 3) end

--- Whether a value is such a dataset.
function M.is_stream(ds)
  return type(ds) == 'table' and type(ds.iter) == 'function'
end

--- How many samples there are; nil where that is not known.
function M.count(ds)
  if not M.is_stream(ds) then return #ds end
  return type(ds.len) == 'function' and ds:len() or nil
end

-- ---- readers: next() gives a packed sample or nil, state() and load(state) the position ----

local function packed(...) if (...) ~= nil then return table.pack(...) end end

-- Of a dataset with numbered samples.
local function numbered(ds)
  local at = 0
  return {
    next = function()
      if at >= #ds then return nil end
      at = at + 1
      return packed(ds:get(at))
    end,
    state = function() return { at = at } end,
    load = function(state) at = state.at end,
  }
end

-- Of an iterator of a script. One with state_dict() and load_state_dict(state) says where it is; of another one, as many samples are
-- drawn again.
local function of_iterator(ds)
  local it, drawn = ds:iter(), 0
  if type(it) ~= 'function' and not (getmetatable(it) or {}).__call then
    error(string.format('iter returned %s; it must return a function that gives the next sample', type(it)), 0)
  end
  local says = type(it) == 'table' and it.state_dict and it.load_state_dict
  local function following()
    local sample = packed(it())
    if sample then drawn = drawn + 1 end
    return sample
  end
  return {
    next = following,
    state = function() return { drawn = drawn, own = says and it:state_dict() or nil } end,
    load = function(state)
      if says and state.own ~= nil then
        it:load_state_dict(state.own)
        drawn = state.drawn
      else
        while drawn < state.drawn and following() do end
      end
    end,
  }
end

-- A reader of an epoch of a dataset, from its beginning.
local function reader(ds, seed, epoch)
  if not M.is_stream(ds) then return numbered(ds) end
  if ds.set_epoch then ds:set_epoch(epoch) end
  if ds.reader then return ds:reader(seed, epoch) end
  return of_iterator(ds)
end

local function to_function(r)
  return function()
    local sample = r.next()
    if sample then return table.unpack(sample, 1, sample.n) end
  end
end

-- A class of streams of luth's own: `reader(seed, epoch)` reads an epoch.
local function stream_class()
  local class = {}
  class.__index = class
  class.__len = function(self) return self:len() or error('the dataset has no length', 2) end
  function class:iter() return to_function(self:reader(self.seed or torch.initial_seed(), self.epoch or 0)) end
  function class:set_epoch(epoch) self.epoch = epoch end
  return class
end

-- ---- several, one after the other ----

local Chain = stream_class()

function Chain:len()
  local sum = 0
  for _, ds in ipairs(self.parts) do
    local n = M.count(ds)
    if not n then return nil end
    sum = sum + n
  end
  return sum
end

function Chain:reader(seed, epoch)
  local part, now = 1, nil
  local function current()
    now = now or reader(self.parts[part], seed, epoch)
    return now
  end
  return {
    next = function()
      while part <= #self.parts do
        local sample = current().next()
        if sample then return sample end
        part, now = part + 1, nil
      end
    end,
    state = function() return { part = part, inner = part <= #self.parts and current().state() or nil } end,
    load = function(state)
      part, now = state.part, nil
      if state.inner then current().load(state.inner) end
    end,
  }
end

function M.ChainDataset(parts)
  if type(parts) ~= 'table' or #parts == 0 then fail('ChainDataset', 'expects a list of datasets') end
  local tables = {}  -- and folders of images: what may have learned of its data
  for _, part in ipairs(parts) do if type(part) == 'userdata' then tables[#tables + 1] = part end end
  return setmetatable({ parts = table.move(parts, 1, #parts, 1, {}), learned = tables[1] and data.ConcatDataset(tables) }, Chain)
end

function Chain:state_dict() return self.learned and self.learned:state_dict() end
function Chain:load_state_dict(state) self.learned:load_state_dict(state) end

-- ---- a buffer from which samples are drawn at random ----

-- A number 0 … n - 1: a function of its arguments (the finalizer of SplitMix64).
local function drawn(seed, epoch, count, n)
  local h = seed * 0x9E3779B97F4A7C15 + (epoch + 1) * 0x3C6EF372FE94F82B + count * 0x2545F4914F6CDD1D
  h = (h ~ (h >> 30)) * 0xBF58476D1CE4E5B9
  h = (h ~ (h >> 27)) * 0x94D049BB133111EB
  return math.tointeger(((h ~ (h >> 31)) >> 1) % n)
end

local Shuffler = stream_class()
function Shuffler:len() return M.count(self.source) end
function Shuffler:state_dict() return self.source.state_dict and self.source:state_dict() end
function Shuffler:load_state_dict(state) self.source:load_state_dict(state) end

-- Of numbered samples the buffer has the numbers, which are read when they are drawn.
local function numbers(ds)
  local at = 0
  return {
    next = function()
      if at >= #ds then return nil end
      at = at + 1
      return { at, n = 1 }
    end,
    state = function() return { at = at } end,
    load = function(state) at = state.at end,
  }
end

function Shuffler:reader(seed, epoch)
  seed = self.seed or seed
  local by_number = not M.is_stream(self.source)
  local source = by_number and numbers(self.source) or reader(self.source, seed, epoch)
  local buffer, count = {}, 0
  return {
    next = function()
      while #buffer < self.buffer_size do
        local sample = source.next()
        if not sample then break end
        buffer[#buffer + 1] = sample
      end
      if #buffer == 0 then return nil end
      local k = drawn(seed, epoch, count, #buffer) + 1
      local sample = buffer[k]
      buffer[k] = buffer[#buffer]
      buffer[#buffer] = nil
      count = count + 1
      return by_number and packed(self.source:get(sample[1])) or sample
    end,
    state = function() return { count = count, buffer = table.move(buffer, 1, #buffer, 1, {}), inner = source.state() } end,
    load = function(state)
      count, buffer = state.count, {}
      for i, sample in ipairs(state.buffer) do
        buffer[i] = table.move(sample, 1, #sample, 1, { n = #sample })
      end
      source.load(state.inner)
    end,
  }
end

function M.Shuffler(source, options)
  local o = options or {}
  for key in pairs(o) do
    if key ~= 'buffer_size' and key ~= 'seed' then fail('Shuffler', "unknown setting '%s'; it has buffer_size, seed", tostring(key)) end
  end
  local size = o.buffer_size or 1000
  if math.type(size) ~= 'integer' or size < 1 then fail('Shuffler', 'buffer_size is a number of at least 1, got %s', tostring(size)) end
  return setmetatable({ source = source, buffer_size = size, seed = o.seed }, Shuffler)
end

--- The first `most` samples as a dataset of numbered ones.
function M.first(ds, most)
  local samples, source = {}, reader(ds, 0, 0)
  while #samples < most do
    local sample = source.next()
    if not sample then break end
    samples[#samples + 1] = sample
  end
  return setmetatable({ get = function(_, i) return table.unpack(samples[i], 1, samples[i].n) end },
                      { __len = function() return #samples end })
end

-- ---- loaders ----

local Loader = {}
Loader.__name = 'data.DataLoader'
Loader.__index = Loader

local defaults = { batch_size = 1, drop_last = false, num_workers = 0, prefetch_factor = 2, pin_memory = false, num_replicas = 1, rank = 0, on_error = 'stop' }
local others = { collate_fn = true, seed = true, shuffle = true, sampler = true, batch_sampler = true }

local function check_loader(l)
  for _, name in ipairs { 'sampler', 'batch_sampler' } do
    if l[name] then fail('DataLoader', 'a dataset with iter has no numbered samples for a %s', name) end
  end
  for name, least in pairs { batch_size = 1, num_workers = 0, num_replicas = 1, rank = 0 } do
    if math.type(l[name]) ~= 'integer' or l[name] < least then
      fail('DataLoader', '%s must be at least %d, got %s', name, least, tostring(l[name]))
    end
  end
  if l.on_error ~= 'stop' then fail('DataLoader', "on_error = '%s' is for numbered samples; iter can leave out samples itself", l.on_error) end
  if l.rank >= l.num_replicas then fail('DataLoader', 'rank is %d, expected 0 to %d', l.rank, l.num_replicas - 1) end
end

--- A DataLoader of a dataset with iter(). `shuffle` must be a Shuffler's.
function M.loader(ds, options)
  local l = { dataset = ds, epoch = 0, passes = setmetatable({}, { __mode = 'k' }) }
  for name, value in pairs(defaults) do l[name] = value end
  for name, value in pairs(options or {}) do
    if defaults[name] == nil and not others[name] then fail('DataLoader', "unknown argument '%s'", tostring(name)) end
    l[name] = value
  end
  check_loader(l)
  if l.shuffle then fail('DataLoader', 'a dataset with iter is shuffled by data.Shuffler(dataset, {buffer_size = 1000})') end
  l.seed = l.seed or torch.initial_seed()
  return setmetatable(l, Loader)
end

function Loader:set_epoch(epoch)
  if math.type(epoch) ~= 'integer' or epoch < 0 then fail('set_epoch', 'epochs count from 0, got %s', tostring(epoch)) end
  self.epoch = epoch
end

function Loader:__len()
  local n = M.count(self.dataset) or fail('DataLoader', 'the dataset has no length')
  return self.drop_last and n // self.batch_size or (n + self.batch_size - 1) // self.batch_size
end

-- This rank's part of a batch of all ranks, as loaders of numbered samples divide it.
local function own_part(samples, ranks, rank)
  if ranks == 1 or #samples < 2 * ranks then return samples end
  local own = {}
  for i = rank + 1, #samples, ranks do own[#own + 1] = samples[i] end
  return own
end

-- The samples of the next batch; nil at the end.
local function draw(l, pass)
  local samples = {}
  for i = 1, l.batch_size do
    local ok, sample = pcall(pass.reader.next)
    if not ok then error(string.format('batch %d (sample %d of the stream): %s', pass.at + 1, pass.at * l.batch_size + i, tostring(sample)), 0) end
    if not sample then break end
    samples[i] = sample
  end
  if #samples == 0 or (l.drop_last and #samples < l.batch_size) then return nil end
  pass.at = pass.at + 1
  return samples
end

local function give(l, pass)
  local samples = draw(l, pass)
  if not samples then return nil end
  l.last_size, l.now = #samples, pass
  local values = table.pack((l.collate_fn or collate.default_collate)(own_part(samples, l.num_replicas, l.rank)))
  if values[1] == nil then error(string.format('batch %d: collate_fn returned nothing', pass.at), 0) end
  if l.pin_memory then
    for i = 1, values.n do if torch.is_tensor(values[i]) then values[i] = values[i]:pin_memory() end end
  end
  return values
end

-- A pass at batch `from`: at the place that a state says, or behind as many batches, which are read once more.
local function start(l, from)
  local epoch = l.epoch
  l.epoch = epoch + 1
  local pass = { reader = reader(l.dataset, l.seed, epoch), at = 0, epoch = epoch }
  local state = l.state
  l.state = nil
  if state and state.batches == from and state.epoch == epoch and from > 0 then
    pass.reader.load(state.source)
    pass.at = from
  end
  while pass.at < from and draw(l, pass) do end
  l.now = pass
  return pass
end

--- An iterator over one epoch without its first `from` batches.
function Loader:batches(from)
  local pass = start(self, from or 0)
  return function()
    local values = give(self, pass)
    if values then return table.unpack(values, 1, values.n) end
  end
end

-- One step of a generic for: its control value, the first of the batch before, tells to which loop a call belongs.
function Loader:__call(_, control)
  local pass = control == nil and start(self, 0) or self.passes[control]
  if not pass then fail('DataLoader', 'this loop is over; start another one') end
  local values = give(self, pass)
  if not values then return nil end
  self.passes[values[1]] = pass
  return table.unpack(values, 1, values.n)
end

--- Where the last pass is, for load_state_dict of another loader of the same data.
function Loader:state_dict()
  local pass = self.now
  return pass and { epoch = pass.epoch, batches = pass.at, source = pass.reader.state() } or {}
end

function Loader:load_state_dict(state)
  if state.batches then
    self.state, self.epoch = state, state.epoch
  end
end

return M
