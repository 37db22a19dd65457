-- Datasets, and the loader: order, batches, workers, loops that nest or end early, collation, errors.
local t, s = torch.Tester(), torch.TestSuite()

function s.datasets_and_loaders()
  local function list(loader)
    local out = {}
    for x in loader do
      for _, v in ipairs(x:flatten():tolist()) do out[#out + 1] = v end
    end
    return out
  end
  local function same(a, b) return table.concat(a, ' ') == table.concat(b, ' ') end

  local ten = data.TensorDataset(torch.arange(10), torch.arange(10):float() * 2)

  -- a dataset
  t:assert(#ten == 10)
  local x, y = ten:get(3)
  t:assert(x:item() == 2 and y:item() == 4)
  t:fails(function() return ten:get(11) end, '11')
  t:fails(function() return ten:get(0) end, '0')

  -- the test data that MNIST brings, and no other dataset
  local test = data.mnist():test_part()
  t:assert(#test == #data.mnist { train = false } and #test < #data.mnist())
  t:assert(test:test_part() == nil and ten:test_part() == nil)

  -- batches in order, the last one short, or dropped
  local loader = data.DataLoader(ten, { batch_size = 4 })
  t:assert(#loader == 3)
  local sizes = {}
  for a, b in loader do
    sizes[#sizes + 1] = a:size(1)
    t:assert(torch.equal(a:float() * 2, b))
  end
  t:assert(same(sizes, { 4, 4, 2 }))
  t:assert(same(list(loader), { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }))
  t:assert(#data.DataLoader(ten, { batch_size = 4, drop_last = true }) == 2)
  t:assert(#list(data.DataLoader(ten, { batch_size = 4, drop_last = true })) == 8)
  t:assert(same(list(data.DataLoader(ten, { batch_size = 64 })), list(loader)))

  -- a shuffled order is a permutation, a function of seed and epoch, whatever the number of workers
  local function shuffled(workers, epoch, seed)
    local l = data.DataLoader(ten, { batch_size = 3, shuffle = true, num_workers = workers, seed = seed or 5 })
    l:set_epoch(epoch)
    return list(l)
  end
  local order = shuffled(0, 0)
  t:assert(not same(order, list(loader)))
  for workers = 1, 3 do t:assert(same(shuffled(workers, 0), order)) end
  t:assert(not same(shuffled(0, 1), order) and not same(shuffled(0, 0, 6), order))
  local sorted = { table.unpack(order) }
  table.sort(sorted)
  t:assert(same(sorted, list(loader)))

  -- ranks share each batch; one of fewer than two samples a rank is whole on all
  local function share(rank) return data.DataLoader(ten, { batch_size = 7, num_replicas = 3, rank = rank }) end
  t:assert(same(list(share(0)), { 0, 3, 6, 7, 8, 9 }) and same(list(share(2)), { 2, 5, 7, 8, 9 }))
  t:assert(#share(1) == 2 and same(list(share(1)), { 1, 4, 7, 8, 9 }))
  t:fails(function() share(3) end, 'rank is 3, expected 0 to 2')

  -- loops nest, may be left early, and start anew
  local pairs_seen = 0
  for a in data.DataLoader(ten, { batch_size = 5 }) do
    for b in loader do
      pairs_seen = pairs_seen + a:numel() * b:numel()
    end
  end
  t:assert(pairs_seen == 100)
  for _ in loader do
    for _ in loader do break end
    break
  end
  t:assert(same(list(loader), { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }))
  local skipped = {}
  for a in loader:batches(2) do skipped[#skipped + 1] = a[1]:item() end
  t:assert(same(skipped, { 8 }))

  -- parts of datasets
  local sub = data.Subset(ten, { 10, 1, 5 })
  t:assert(#sub == 3 and sub:get(1):item() == 9 and sub:get(3):item() == 4)
  t:assert(data.Subset(ten, torch.tensor { 2 }):get(1):item() == 1)
  t:fails(function() return data.Subset(ten, { 11 }):get(1) end, '11')
  local a, b = data.random_split(ten, { 7, 3 })
  t:assert(#a == 7 and #b == 3)
  local both = list(data.DataLoader(data.ConcatDataset { a, b }, { batch_size = 10 }))
  table.sort(both)
  t:assert(same(both, list(loader)))
  t:fails(function() return data.random_split(ten, { 7, 4 }) end, 'add up')

  -- samplers: a list, or a function that gives one
  t:assert(same(list(data.DataLoader(ten, { sampler = { 3, 1 } })), { 2, 0 }))
  t:assert(same(list(data.DataLoader(ten, { sampler = function() return { 10 } end })), { 9 }))
  local by_batch = data.DataLoader(ten, { batch_sampler = { { 1, 2 }, { 9 } } })
  t:assert(#by_batch == 2 and same(list(by_batch), { 0, 1, 8 }))
  t:fails(function() return data.DataLoader(ten, { sampler = { math.mininteger } })() end, 'the dataset has 10')
  t:fails(function() return data.DataLoader(ten, { sampler = { 1 }, shuffle = true }) end, 'exclude each other')
  t:fails(function() return data.DataLoader(ten, { batch_sampler = { { 1 } }, batch_size = 2 }) end, 'drop batch_size')

  -- collation: numbers become tensors; a function sees the samples as tables
  local Words = data.class('Words')
  function Words:init(n) self.n = n end
  function Words:len() return self.n end
  function Words:get(i) return i, i / 2 end
  local numbers, halves = data.DataLoader(Words(4), { batch_size = 4 })(nil, nil)
  t:assert(numbers.dtype == torch.int64 and halves.dtype == torch.float32)
  t:assert(torch.equal(numbers, torch.tensor { 1, 2, 3, 4 }) and halves[4]:item() == 2)
  local collated = data.DataLoader(Words(5), {
    batch_size = 2,
    collate_fn = function(samples) return { n = #samples, first = samples[1][1] } end,
  })
  local firsts = {}
  for batch in collated do firsts[#firsts + 1] = batch.first .. ':' .. batch.n end
  t:assert(same(firsts, { '1:2', '3:2', '5:1' }))
  -- a loop knows its pass by the first value, so that must be an object
  t:fails(function()
    for _ in data.DataLoader(Words(4), { collate_fn = function() return 1 end }) do end
  end, 'first')
  local counted = 0
  for n in data.DataLoader(Words(4), { collate_fn = function() return 1 end }):batches() do counted = counted + n end
  t:assert(counted == 4)

  -- errors name the sample, from workers too
  function Words:get(i)
    if i == 3 then error('no such word') end
    return i
  end
  for workers = 0, 2, 2 do
    t:fails(function() return list(data.DataLoader(Words(4), { batch_size = 2, num_workers = workers })) end, '3')
  end
  local uneven = data.ConcatDataset {
    data.TensorDataset(torch.zeros(2, 3)), data.TensorDataset(torch.zeros(2, 4)),
  }
  for workers = 0, 2, 2 do
    t:fails(function() return list(data.DataLoader(uneven, { batch_size = 4, num_workers = workers })) end, 'sample')
  end

  -- the largest settings are as good as the size of the dataset
  for workers = 0, 2, 2 do
    local count = 0
    for _ in data.DataLoader(ten, { batch_size = 3, num_workers = workers, prefetch_factor = math.maxinteger }) do
      count = count + 1
    end
    t:assert(count == 4)
    local all = list(data.DataLoader(ten, { batch_size = math.maxinteger, num_workers = workers }))
    t:assert(#all == 10)
    t:assert(#data.DataLoader(ten, { batch_size = math.maxinteger, drop_last = true }) == 0)
    local some = { batch_size = math.maxinteger, num_workers = workers, sampler = { 3, 1 } }
    t:assert(same(list(data.DataLoader(ten, some)), { 2, 0 }))
    some.drop_last = true
    t:assert(same(list(data.DataLoader(ten, some)), {}))
  end
  t:fails(function() return data.random_split(data.Subset(ten, {}), { 1e300, 1e300 }) end, 'a size is from 0 to 0')
  t:fails(function() return data.random_split(Words(math.maxinteger), { 0.5, 0.5 }) end, 'random_split')
  t:fails(function() return data.DataLoader(Words(math.maxinteger), { shuffle = true })(nil, nil) end, 'not enough memory')

  -- settings that make no sense
  t:fails(function() return data.DataLoader(ten, { batch_size = 0 }) end, 'batch_size')
  t:fails(function() return data.DataLoader(ten, { num_workers = -1 }) end, 'num_workers')
  t:fails(function() return data.DataLoader(ten, { batch_siz = 2 }) end, 'batch_siz')
  t:fails(function() return data.DataLoader(3) end, 'expects')
  t:assert(#data.DataLoader(data.Subset(ten, {})) == 0)
end

-- A loop that is left has no threads, long before Lua's collector finds its loader.
function s.workers_end_with_the_loop()
  local function threads()
    for line in io.lines('/proc/self/status') do
      local n = line:match('^Threads:%s+(%d+)')
      if n then return tonumber(n) end
    end
  end
  local ten = data.TensorDataset(torch.arange(10))
  local function loader() return data.DataLoader(ten, { num_workers = 2 }) end
  local before, most = threads(), 0
  local function loops(run)
    for i = 1, 400 do
      run()
      if i % 10 == 0 then most = math.max(most, threads()) end
    end
  end
  collectgarbage('stop')
  loops(function() for _ in loader() do break end end)
  loops(function() for _ in loader():batches() do break end end)
  loops(function() pcall(function() for _ in loader() do error('left') end end) end)
  local by_hand = loader():batches()
  by_hand()
  t:assert(most < before + 40, most .. ' threads')
  local start = os.time()
  while threads() > before and os.time() < start + 20 do end
  t:le(threads(), before)
  collectgarbage('restart')
  local count = 1
  for _ in by_hand do count = count + 1 end
  t:eq(count, 10)
end

function s.a_closed_pass_has_no_more_batches()
  for workers = 0, 2, 2 do
    local l = data.DataLoader(data.TensorDataset(torch.arange(10)), { num_workers = workers })
    local next_batch, state, control, pass = l:batches()
    t:assert(next_batch() and state == nil and control == nil)
    do local _ <close> = pass end
    t:eq(next_batch(), nil)
    local outer
    for x in l:batches(8) do outer = x end
    t:eq(outer:item(), 9)
  end
end

function s.samples_that_cannot_be_read()
  local torn = setmetatable({ get = function(_, i)
    if i % 5 == 3 then error('torn page ' .. i) end
    return i
  end }, { __len = function() return 20 end })
  local l = data.DataLoader(torn, { batch_size = 4, on_error = 'skip' })
  local sizes = {}
  for _ = 1, 2 do
    local list = {}
    for x in l do
      list[#list + 1] = table.concat(x:tolist(), ' ')
      sizes[#sizes + 1] = #x
    end
    t:eq(table.concat(list, ' '), '1 2 4 5 6 7 9 10 11 12 14 15 16 17 19 20')
  end
  t:eq(table.concat(sizes, ' '), '3 3 4 3 3 3 3 4 3 3')
  t:eq(l.skipped, 8)
  t:eq(#l:left_out(), 4)
  t:assert(l:left_out()[2]:find('^sample 8 of the dataset: .*torn page 8$'), l:left_out()[2])
  -- batches without a sample that can be read are left out, and count for the place in the pass
  for _, size in ipairs { 1, 2 } do
    local few = data.DataLoader(torn, { batch_size = size, on_error = 'skip' })
    local seen, places = {}, {}
    for x in few do seen[#seen + 1], places[#places + 1] = table.concat(x:tolist(), ' '), few.position end
    t:eq(table.concat(seen, ' '), '1 2 4 5 6 7 9 10 11 12 14 15 16 17 19 20')
    t:eq(few.position, 20 // size)
    if size == 1 then t:eq(table.concat(places, ' '), '1 2 4 5 6 7 9 10 11 12 14 15 16 17 19 20') end
  end
  local none = data.DataLoader(data.Subset(torn, { 3, 8 }), { on_error = 'skip' })
  for _ in none do t:assert(false) end
  t:eq(none.skipped, 2)
  t:fails(function() data.DataLoader(torn, { on_error = 'leave' }) end, "on_error is 'stop' or 'skip', got 'leave'")
end

-- A thousand passes of ten batches need no more memory than a hundred.
function s.memory_of_batches_stays()
  if os.getenv 'LUTH_TEST_SAMPLES' then return end  -- under sanitizers freed memory waits before it is given back
  local function resident()
    local file <close> = io.open('/proc/self/statm')
    return tonumber(file:read('a'):match '^%d+ (%d+)') * 4096
  end
  local ds = data.TensorDataset(torch.randn(40, 64), torch.arange(40))
  local l = data.DataLoader(ds, { batch_size = 4, num_workers = 2, shuffle = true })
  local function passes(n)
    for _ = 1, n do for _ in l:batches() do end end
    collectgarbage()
    return resident()
  end
  local before = passes(100)
  t:lt(passes(1000) - before, 4 << 20)
end

function s.datasets_and_loaders_print_what_they_are()
  local D = data.class 'D'
  function D:len() return 10 end
  function D:get(i) return i end
  t:eq(tostring(D()), 'D of 10 samples')
  t:eq(tostring(data.DataLoader(D(), { batch_size = 4 })), 'DataLoader, batches of 4: D of 10 samples')
  local E = data.class 'E'
  function E:get(i) return i end
  local ok, why = pcall(function() return #data.DataLoader(E()) end)
  t:assert(not ok and why:find('a dataset of the class E has no len(): function E:len() return n end', 1, true), why)
end

function s.collates_bare_values()
  local collate = data.default_collate
  t:eq(collate {torch.ones(2), torch.zeros(2)}, torch.tensor {{1., 1.}, {0., 0.}})
  t:eq(collate {1, 2.5}, torch.tensor {1, 2.5})
  t:eq(collate {'a', 'b'}, {'a', 'b'})
  t:eq(collate {{a = 1}, {a = 2}}, {a = torch.tensor {1, 2}})
  t:fails(function() collate {} end, 'at least one sample')
  t:fails(function() collate {{1}, 2} end, 'others none')
end

t:add(s):run()
