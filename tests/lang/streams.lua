-- Datasets with iter(): chains, shuffle buffers, loaders of them, their places within an epoch.
local streams = require 'luth.data.streams'
local t, s = torch.Tester(), torch.TestSuite()

-- 1 … n; `opened` counts how often a sample has been made.
local made = 0
local Count = data.class 'Count'
function Count:init(n, says) self.n, self.says = n, says end
function Count:iter()
  local at, n = 0, self.n
  local function following()
    if at >= n then return nil end
    at, made = at + 1, made + 1
    return torch.tensor { at }, at
  end
  if not self.says then return following end
  return setmetatable({ state_dict = function() return { at = at } end, load_state_dict = function(_, state) at = state.at end },
                      { __call = following })
end
local Numbers = data.class 'Numbers'
function Numbers:init(n) self.n = n end
function Numbers:len() return self.n end
function Numbers:get(i) made = made + 1 return torch.tensor { i }, i end

local function numbers_of(loader, from)
  local list = {}
  for _, y in loader:batches(from) do table.move(y:tolist(), 1, #y, #list + 1, list) end
  return list
end
local function text(list) return table.concat(list, ' ') end
local function sorted(list)
  table.sort(list)
  return text(list)
end

function s.batches()
  t:eq(text(numbers_of(data.DataLoader(Count(7), { batch_size = 3 }))), '1 2 3 4 5 6 7')
  t:eq(text(numbers_of(data.DataLoader(Count(7), { batch_size = 3, drop_last = true }))), '1 2 3 4 5 6')
  t:eq(text(numbers_of(data.DataLoader(Count(7), { batch_size = 3 }), 2)), '7')
  local list = {}
  local loader = data.DataLoader(Count(5), { batch_size = 2 })
  for x, y in loader do  -- nested loops
    for _, z in loader do list[#list + 1] = y[1]:item() * 10 + z[1]:item() end
    t:eq(x:dim(), 2)
  end
  t:eq(text(list), '11 13 15 31 33 35 51 53 55')
  t:eq(text(numbers_of(data.DataLoader(data.ChainDataset { Count(2), Numbers(3), Count(1) }))), '1 2 1 2 3 1')
  t:eq(#data.ChainDataset { Numbers(3), Numbers(2) }, 5)
  t:eq(#data.DataLoader(data.Shuffler(Numbers(5)), { batch_size = 2 }), 3)
end

function s.shuffled()
  local loader = data.DataLoader(data.Shuffler(Count(200), { buffer_size = 20 }), { batch_size = 7, seed = 5 })
  local first, second = numbers_of(loader), numbers_of(loader)
  t:assert(text(first) ~= text(second))
  loader:set_epoch(0)
  t:eq(text(numbers_of(loader)), text(first))
  for i, n in ipairs(first) do t:assert(n < i + 20, 'no sample comes earlier than the buffer lets it') end
  t:eq(sorted(first), text(numbers_of(data.DataLoader(Count(200)))))
  local other = data.DataLoader(data.Shuffler(Count(200), { buffer_size = 20, seed = 6 }), { batch_size = 7 })
  t:assert(text(numbers_of(other)) ~= text(second))
  -- every place is about as likely
  local sums = torch.zeros(10)
  for epoch = 0, 399 do
    loader = data.DataLoader(data.Shuffler(Numbers(10), { buffer_size = 10 }), { batch_size = 10, seed = 1 })
    loader:set_epoch(epoch)
    sums:add_(torch.tensor(numbers_of(loader)))
  end
  t:assert((sums / 400 - 5.5):abs():max():item() < 0.7, tostring(sums / 400))
end

-- A loader that goes on where another was, by a state that a file can hold, gives the rest of the epoch and the same later ones.
function s.places()
  local function sets()
    return { Count(50), Count(50, true), Numbers(50), data.ChainDataset { Count(9, true), Numbers(30), Count(11) },
             data.Shuffler(Count(50, true), { buffer_size = 8 }), data.Shuffler(Numbers(50), { buffer_size = 8 }),
             data.Shuffler(data.ChainDataset { Count(20), Numbers(30) }, { buffer_size = 60 }) }
  end
  local path = os.tmpname() .. '.h5'
  for k in ipairs(sets()) do
    if streams.is_stream(sets()[k]) then
      for _, from in ipairs { 1, 3, 12 } do
        local options = { batch_size = 4, seed = 3 }
        local whole = data.DataLoader(sets()[k], options)
        whole:set_epoch(2)
        local all, later = numbers_of(whole), numbers_of(whole)
        local stopped = data.DataLoader(sets()[k], options)
        stopped:set_epoch(2)
        local following, head = stopped:batches(0), {}
        for _ = 1, from do
          local _, y = following()
          table.move(y:tolist(), 1, #y, #head + 1, head)
        end
        torch.save(stopped:state_dict(), path)
        local resumed = data.DataLoader(sets()[k], options)
        resumed:load_state_dict(torch.load(path))
        made = 0
        table.move(numbers_of(resumed, from), 1, 50, #head + 1, head)
        t:eq(text(head), text(all))
        local replays = k == 1 or k == 7 or k == 4
        t:assert(replays or made == 50 - 4 * from or k == 5 and made <= 50 - 4 * from, string.format('%d: %d made', k, made))
        t:eq(text(numbers_of(resumed)), text(later))
        local again = data.DataLoader(sets()[k], options)  -- without a state
        again:set_epoch(2)
        local rest = numbers_of(again, from)
        t:eq(text(rest), text(table.move(all, 4 * from + 1, 50, 1, {})))
      end
    end
  end
  os.remove(path)
end

function s.ranks()
  local parts = {}
  for rank = 0, 2 do parts[rank] = numbers_of(data.DataLoader(Count(26), { batch_size = 12, num_replicas = 3, rank = rank })) end
  t:eq(text(parts[0]), '1 4 7 10 13 16 19 22 25 26')  -- of the last batch, which is smaller than two for each, all
  t:eq(text(parts[1]), '2 5 8 11 14 17 20 23 25 26')
  t:eq(text(parts[2]), '3 6 9 12 15 18 21 24 25 26')
end

function s.wrong_use()
  local bad = data.class 'Bad'
  function bad:iter()
    local n = 0
    return function()
      n = n + 1
      if n == 5 then error('torn page') end
      return n
    end
  end
  t:fails(function() for _ in data.DataLoader(bad(), { batch_size = 2 }) do end end, 'batch 3 (sample 5 of the stream): ')
  t:fails(function() return #data.DataLoader(bad()) end, 'the dataset has no length')
  t:fails(function() data.DataLoader(bad(), { shuffle = true }) end, 'data.Shuffler')
  t:fails(function() data.DataLoader(bad(), { sampler = { 1 } }) end, 'no numbered samples for a sampler')
  t:fails(function() data.DataLoader(bad(), { batch = 3 }) end, "unknown argument 'batch'")
  t:fails(function() data.Shuffler(bad(), { buffer_size = 0 }) end, 'buffer_size is a number of at least 1')
  t:fails(function() data.ChainDataset {} end, 'expects a list of datasets')
  local none = data.class 'None'
  function none:iter() return 3 end
  t:fails(function() for _ in data.DataLoader(none()) do end end, 'iter returned number; it must return a function')
end

t:add(s):run()
