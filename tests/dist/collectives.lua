-- Every collective, for dtypes and layouts, against what each rank computes by itself: all ranks know all inputs. Runs with any
-- number of ranks (tests/CMakeLists.txt), with the backend that the argument names.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
local is_nccl = arg[1] == 'nccl'
dist.init_process_group(arg[1] or 'gloo', { timeout = 60 })
if is_nccl then torch.set_default_device('cuda') end
local rank, n = dist.get_rank(), dist.get_world_size()
local integers = { torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64 }
local floats = { torch.float16, torch.bfloat16, torch.float32, torch.float64 }
local dtypes = { torch.bool, table.unpack(integers) }
for _, d in ipairs(floats) do dtypes[#dtypes + 1] = d end

-- What rank r brings: small numbers, so that sums are exact in every dtype.
local function input(r, dtype, shape)
  torch.manual_seed(100 + r)
  return torch.randint(1, 4, shape):to(dtype)
end
-- The same values in another layout. In lists: pairs() has another order in every process.
local layouts = {
  function(x) return x end,
  function(x) return x:t():contiguous():t() end,
  function(x)
    local wide = torch.zeros(x:size(1), 2 * x:size(2), { dtype = x.dtype })
    local view = wide:as_strided(x:size(), { 2 * x:size(2), 2 })
    view:copy_(x)
    return view
  end,
}
local function each(f)
  for _, dtype in ipairs(dtypes) do
    for i, layout in ipairs(layouts) do f(dtype, layout, tostring(dtype) .. ' in layout ' .. i) end
  end
end
local function in_order(map)
  local keys, i = {}, 0
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return function()
    i = i + 1
    return keys[i], map[keys[i]]
  end
end
local function same(got, expected, what) t:assert(torch.equal(got, expected), what or 'differs') end

local function reduced(dtype, shape, f)
  local sum = input(0, dtype, shape)
  for r = 1, n - 1 do sum = f(sum, input(r, dtype, shape)) end
  return sum
end

function s.allReduce()
  each(function(dtype, layout, what)
    if is_nccl and dtype == torch.int16 then
      t:fails(function() dist.all_reduce(torch.zeros(1, { dtype = dtype })) end, 'reduces no int16')
      return
    end
    local x = layout(input(rank, dtype, { 3, 4 }))
    dist.all_reduce(x)
    same(x, reduced(dtype, { 3, 4 }, function(a, b) return a + b end), what)
    for op, f in in_order { MAX = torch.maximum, MIN = torch.minimum } do
      local y = layout(input(rank, dtype, { 3, 4 }))
      dist.all_reduce(y, { op = dist.ReduceOp[op] })
      same(y, reduced(dtype, { 3, 4 }, f), what .. op)
    end
  end)
  if is_nccl then t:fails(function() dist.all_reduce(torch.tensor { 1 }, dist.ReduceOp.BXOR) end, 'has no BXOR of int64') end
  for _, dtype in ipairs(is_nccl and {} or integers) do
    for op, f in in_order { BAND = torch.bitwise_and, BOR = torch.bitwise_or, BXOR = torch.bitwise_xor } do
      local x = input(rank, dtype, { 5 })
      dist.all_reduce(x, dist.ReduceOp[op])
      same(x, reduced(dtype, { 5 }, f), op)
    end
  end
  local x = torch.full({ 1000 }, rank + 1.0)
  dist.all_reduce(x, dist.ReduceOp.AVG)
  same(x, torch.full({ 1000 }, (n + 1) / 2))
  local p = torch.full({ 3 }, 2.0)
  dist.all_reduce(p, dist.ReduceOp.PRODUCT)
  same(p, torch.full({ 3 }, 2.0 ^ n))
  local empty, number = torch.zeros(0), torch.tensor(1.0)
  dist.all_reduce(empty)
  dist.all_reduce(number)
  same(number, torch.tensor(n + 0.0))
end

-- The same calls with tensors of the CPU, by Gloo, and with those of GPUs, by NCCL: f(x, empty) gives results, where x(k) is
-- this rank's k-th random tensor and empty() one to be filled.
local parity = {
  { 'broadcast', function(x) local a = x(1) dist.broadcast(a, n - 1) return { a } end },
  { 'all_gather', function(x, empty)
    local list = {}
    for i = 1, n do list[i] = empty() end
    dist.all_gather(list, x(1))
    return list
  end },
  { 'all_gather_into_tensor', function(x, empty) local a = empty(n) dist.all_gather_into_tensor(a, x(1)) return { a } end },
  { 'gather', function(x, empty)
    local list = {}
    for i = 1, rank == 0 and n or 0 do list[i] = empty() end
    dist.gather(x(1), rank == 0 and list or nil)
    return list
  end },
  { 'scatter', function(x, empty)
    local list, a = {}, empty()
    for i = 1, n do list[i] = x(i) end
    dist.scatter(a, { scatter_list = rank == n - 1 and list or nil, src = n - 1 })
    return { a }
  end },
  { 'all_to_all', function(x, empty)
    local from, to = {}, {}
    for i = 1, n do from[i], to[i] = x(i), empty() end
    dist.all_to_all(to, from)
    return to
  end },
  { 'all_to_all_single', function(x, empty)  -- one row to the first rank, the others to the last
    local function rows_to(r) return (r == 0 and 1 or 0) + (r == n - 1 and 2 or 0) end
    local sent, got = {}, {}
    for i = 1, n do sent[i], got[i] = rows_to(i - 1), rows_to(rank) end
    local a = empty(n * rows_to(rank), 1)
    dist.all_to_all_single(a, x(1), got, sent)
    return { a }
  end },
  { 'messages', function(x, empty)
    if n == 1 then return {} end
    local a = empty()
    local works = dist.batch_isend_irecv { dist.P2POp(dist.isend, x(1), (rank + 1) % n), dist.P2POp(dist.irecv, a, (rank - 1) % n) }
    for _, w in ipairs(works) do w:wait() end
    local b = empty()
    if rank == 0 then dist.send(x(2), 1) elseif rank == 1 then dist.recv(b, 0) end
    return { a, rank == 1 and b or nil }
  end },
}
local reductions = {
  { 'all_reduce', function(x, _, op) local a = x(1) dist.all_reduce(a, op) return { a } end },
  { 'reduce', function(x, _, op) local a = x(1) dist.reduce(a, n - 1, op) return { a } end },
  { 'reduce_scatter', function(x, empty, op)
    local list, a = {}, empty()
    for i = 1, n do list[i] = x(i) end
    dist.reduce_scatter(a, list, op)
    return { a }
  end },
  { 'reduce_scatter_tensor', function(x, empty, op)
    local list, a = {}, empty()
    for i = 1, n do list[i] = x(i) end
    dist.reduce_scatter_tensor(a, torch.cat(list), op)
    return { a }
  end },
}
function s.ncclComputesAsGloo()
  if not is_nccl then return end
  dist.destroy_process_group()
  dist.init_process_group('cpu:gloo,cuda:nccl', { timeout = 60 })
  local shape = { 3, 5 }
  local function on(device, dtype, f, op)
    local function x(k)
      torch.manual_seed(1000 * rank + k)
      return (torch.randn(shape, { device = 'cpu' }) * 3):to(dtype):to(device)
    end
    local function empty(rows, each) return torch.zeros((rows or 1) * (each or shape[1]), shape[2], { dtype = dtype, device = device }) end
    local results = f(x, empty, op)
    for i, a in ipairs(results) do results[i] = a:to 'cpu' end
    return results
  end
  local function compare(what, dtype, f, op)
    local a, b = on('cpu', dtype, f, op), on('cuda', dtype, f, op)
    t:eq(#a, #b)
    local bound = ({ [torch.float16] = 4e-3, [torch.bfloat16] = 3e-2, [torch.float32] = 1e-5, [torch.float64] = 1e-12 })[dtype]
    what = ('%s of %s %s'):format(what, dtype, op or '')
    for i = 1, #a do
      if bound then t:assert(torch.allclose(a[i], b[i], { rtol = bound, atol = bound }), what) else same(a[i], b[i], what) end
    end
  end
  for _, dtype in ipairs(dtypes) do
    for _, case in ipairs(parity) do compare(case[1], dtype, case[2]) end
    local ops = { 'SUM', 'PRODUCT', 'MIN', 'MAX', dtype == torch.bool and 'BAND' or dtype.is_floating_point and 'AVG' or nil }
    for _, case in ipairs(dtype ~= torch.int16 and reductions or {}) do
      for _, op in ipairs(ops) do compare(case[1], dtype, case[2], op) end
    end
  end
  dist.destroy_process_group()
  dist.init_process_group('nccl', { timeout = 60 })
end

-- Sums that are not exact have the same bits on all ranks.
function s.bitsAreEqual()
  torch.manual_seed(rank)
  for _, size in ipairs { 1, 1000, 300000 } do
    local x = torch.randn(size)
    dist.all_reduce(x)
    local first = x:clone()
    dist.broadcast(first, 0)
    same(x, first, 'size ' .. size)
  end
end

function s.broadcast()
  each(function(dtype, layout, what)
    for src = 0, n - 1 do
      local x = layout(input(rank, dtype, { 2, 3 }))
      dist.broadcast(x, src)
      same(x, input(src, dtype, { 2, 3 }), what)
    end
  end)
end

function s.reduce()
  for dst = 0, n - 1 do
    local x = input(rank, torch.float32, { 4 })
    dist.reduce(x, dst)
    same(x, rank == dst and reduced(torch.float32, { 4 }, function(a, b) return a + b end) or input(rank, torch.float32, { 4 }))
  end
end

function s.gathers()
  each(function(dtype, layout, what)
    local list = {}
    for i = 1, n do list[i] = layout(torch.zeros(2, 3):to(dtype)) end
    dist.all_gather(list, layout(input(rank, dtype, { 2, 3 })))
    for i = 1, n do same(list[i], input(i - 1, dtype, { 2, 3 }), what) end
    local all = torch.zeros(n * 2, 3):to(dtype)
    dist.all_gather_into_tensor(all, input(rank, dtype, { 2, 3 }))
    for i = 1, n do same(all:narrow(1, 2 * i - 1, 2), input(i - 1, dtype, { 2, 3 }), what) end
    for dst = 0, n - 1 do
      local here = {}
      for i = 1, n do here[i] = torch.zeros(2, 3):to(dtype) end
      dist.gather(input(rank, dtype, { 2, 3 }), { gather_list = rank == dst and here or nil, dst = dst })
      for i = 1, rank == dst and n or 0 do same(here[i], input(i - 1, dtype, { 2, 3 }), what) end
    end
  end)
end

function s.scatters()
  for src = 0, n - 1 do
    local list = {}
    for i = 1, n do list[i] = torch.full({ 3 }, 10.0 * src + i) end
    local x = torch.zeros(3)
    dist.scatter(x, { scatter_list = rank == src and list or nil, src = src })
    same(x, torch.full({ 3 }, 10.0 * src + rank + 1))
  end
  local out, parts = torch.zeros(2), {}
  for i = 1, n do parts[i] = torch.full({ 2 }, rank + i + 0.0) end
  dist.reduce_scatter(out, parts)
  same(out, torch.full({ 2 }, n * (n - 1) / 2 + n * (rank + 1)))
  dist.reduce_scatter_tensor(out, torch.cat(parts))
  same(out, torch.full({ 2 }, n * (n - 1) / 2 + n * (rank + 1)))
end

function s.allToAll()
  local from, to = {}, {}
  for i = 1, n do from[i], to[i] = torch.full({ i }, rank * 10 + i), torch.zeros(rank + 1, { dtype = torch.int64 }) end
  dist.all_to_all(to, from)
  for i = 1, n do same(to[i], torch.full({ rank + 1 }, (i - 1) * 10 + rank + 1)) end
  local x, y = torch.arange(2 * n) + 100 * rank, torch.zeros(2 * n, { dtype = torch.int64 })
  dist.all_to_all_single(y, x)
  for i = 1, n do same(y:narrow(1, 2 * i - 1, 2), torch.arange(2) + 2 * rank + 100 * (i - 1)) end
end

function s.messages()
  if n == 1 then
    t:fails(function() dist.send(torch.zeros(1), 0) end, 'this process itself')
    return
  end
  local right, left = (rank + 1) % n, (rank - 1) % n
  local got = torch.zeros(100000)
  local works = dist.batch_isend_irecv { dist.P2POp(dist.isend, torch.full({ 100000 }, rank + 0.0), right),
    dist.P2POp(dist.irecv, got, left) }
  for _, w in ipairs(works) do w:wait() end
  same(got, torch.full({ 100000 }, left + 0.0))
  -- tags, and messages of one pair in order
  if rank == 0 then
    for i = 1, 3 do dist.send(torch.tensor { i }, 1) end
    if not is_nccl then dist.send(torch.tensor { 9 }, { dst = 1, tag = 5 }) end
  elseif rank == 1 then
    local a, b = torch.tensor { 0 }, torch.tensor { 0 }
    for i = 1, 3 do
      dist.recv(a, 0)
      t:eq(a:item(), i)
    end
    if not is_nccl then
      t:eq(dist.recv(b, { tag = 5 }), 0)
      t:eq(b:item(), 9)
    end
  end
  dist.barrier()
end

-- Messages of different tags overtake each other, on either side, and may be many.
function s.messagesOfDifferentTags()
  if n == 1 or is_nccl then return end
  local count = 40
  if rank == 0 then
    for tag = 1, count do dist.send(torch.tensor { tag }, 1, { tag = tag }) end
    local works = {}
    for tag = 1, count do works[tag] = dist.isend(torch.tensor { tag }, 1, { tag = tag }) end
    for _, w in ipairs(works) do w:wait() end
  elseif rank == 1 then
    local got, works = {}, {}
    for tag = count, 1, -1 do
      got[tag] = torch.tensor { 0 }
      works[tag] = dist.irecv(got[tag], 0, { tag = tag })
    end
    for tag = 1, count do
      works[tag]:wait()
      t:eq(got[tag]:item(), tag)
    end
    for tag = count, 1, -1 do
      dist.recv(got[tag], 0, { tag = tag })
      t:eq(got[tag]:item(), tag)
    end
  end
  t:fails(function() dist.isend(torch.ones(1), (rank + 1) % n, { tag = 1 << 31 }) end, 'tag is 2147483648')
  dist.barrier()
end

-- A receive that waits holds up no collective; large messages go both ways at once.
function s.messagesBesideCollectives()
  local peer, size = rank ~ 1, 300000
  local got, x = torch.zeros(size), torch.ones(size)
  local receive = peer < n and dist.irecv(got, peer)
  dist.all_reduce(x)
  same(x, torch.full({ size }, n + 0.0))
  if not receive then return end
  local send = dist.isend(torch.full({ size }, rank + 0.0), peer)
  receive:wait()
  send:wait()
  same(got, torch.full({ size }, peer + 0.0))
end

function s.objects()
  local mine = { name = 'rank ' .. rank, list = { rank, 1.5, true } }
  local all = {}
  dist.all_gather_object(all, mine)
  for i = 1, n do
    t:eq(all[i].name, 'rank ' .. i - 1)
    t:eq(all[i].list[1], i - 1)
  end
  local values = rank == n - 1 and { 'a', { b = 2 } } or { false, false }
  dist.broadcast_object_list(values, n - 1)
  t:eq(values[1], 'a')
  t:eq(values[2].b, 2)
  local out, list = {}, {}
  for i = 1, n do list[i] = { i } end
  dist.scatter_object_list(out, rank == 0 and list or nil)
  t:eq(out[1][1], rank + 1)
  local mixed = { half = torch.full({ 2, 3 }, rank + 0.5, { dtype = torch.bfloat16 }), { torch.zeros(0), torch.tensor(rank == 0) } }
  dist.all_gather_object(all, mixed)
  for i = 1, n do
    same(all[i].half, torch.full({ 2, 3 }, i - 0.5, { dtype = torch.bfloat16, device = 'cpu' }))
    t:eq(all[i][1][1]:numel(), 0)
    t:eq(all[i][1][2]:item(), i == 1)
  end
  local cycle = {}
  cycle.own = cycle
  t:fails(function() dist.all_gather_object(all, cycle) end, 'value.own')
  if n == 1 then return end
  if rank == 0 then dist.send_object_list({ 'x', torch.ones(2) }, 1) end
  if rank ~= 1 then return end
  local got = {}
  t:eq(dist.recv_object_list(got, 0), 0)
  t:eq(got[1], 'x')
  same(got[2], torch.ones(2, { device = 'cpu' }))
end

-- Of gather_object, the ranks that are not the destination get nothing, and keep no room for it.
function s.objectsOfOneRank()
  local large, dst = 1 << 20, n - 1
  local object = { rank = rank, text = rank == 0 and string.rep('x', large) or '' }
  collectgarbage()
  torch.reset_peak_memory_stats 'cpu'
  local before, list = torch.memory_stats('cpu').allocated, {}
  dist.gather_object(object, rank == dst and list or nil, dst)
  local most = torch.memory_stats('cpu').peak - before
  for i = 1, rank == dst and n or 0 do
    t:eq(list[i].rank, i - 1)
    t:eq(#list[i].text, i == 1 and large or 0)
  end
  if rank > 0 and rank ~= dst and not is_nccl then t:assert(most < 2 * large, most .. ' bytes') end
  local of_one = {}
  dist.gather_object('a', rank == 0 and of_one or nil)
  t:eq(#of_one, rank == 0 and n or 0)
end

function s.worksGoOnByThemselves()
  local x = torch.ones(1000)
  local work = dist.all_reduce(x, { async_op = true })
  local y = torch.ones(10)
  local second = dist.all_reduce(y, { async_op = true })
  second:wait()
  if is_nccl then dist.barrier() end  -- without it the GPU alone has waited
  t:assert(work:is_completed() and work:is_success() and work:exception() == nil)
  t:assert(work:wait())
  same(x, torch.full({ 1000 }, n + 0.0))
end

function s.groups()
  local even, odd = {}, {}
  for r = 0, n - 1 do table.insert(r % 2 == 0 and even or odd, r) end
  local groups = { dist.new_group(even), odd[1] and dist.new_group(odd) }
  local mine = groups[rank % 2 + 1]
  local x = torch.tensor { rank + 0.0 }
  dist.all_reduce(x, { group = mine })
  local sum = 0
  for _, r in ipairs(rank % 2 == 0 and even or odd) do sum = sum + r end
  same(x, torch.tensor { sum + 0.0 })
  t:eq(dist.get_rank(mine), rank // 2)
  t:eq(dist.get_global_rank(mine, 0), rank % 2)
  if odd[1] then
    local other = groups[2 - rank % 2]
    t:eq(other, dist.GroupMember.NON_GROUP_MEMBER)
    t:eq(dist.get_rank(other), -1)
    t:fails(function() dist.all_reduce(x, { group = other }) end, 'not in the group')
    t:fails(function() dist.broadcast(x, (rank + 1) % 2, mine) end, 'is not in the group')
  end
  if not is_nccl then dist.monitored_barrier() end
end

function s.argumentsThatCannotBeRight()
  local x = torch.zeros(2)
  t:fails(function() dist.broadcast(x, n) end, 'rank ' .. n .. ' is not in the group')
  t:fails(function() dist.broadcast(x, -1) end, 'is not in the group')
  t:fails(function() dist.all_gather({}, x) end, 'has 0 tensors, expected ' .. n)
  t:fails(function() dist.all_gather_into_tensor(torch.zeros(2 * n + 1), x) end, 'times the elements')
  t:fails(function() dist.all_reduce(torch.tensor { 1 }, dist.ReduceOp.AVG) end, 'AVG is for floating dtypes')
  t:fails(function() dist.all_reduce(x, dist.ReduceOp.BAND) end, 'for integers and bools')
  t:fails(function() dist.all_reduce(x, 'SUMM') end, 'op is one of')
  t:fails(function() dist.all_reduce(3) end, 'expects a tensor')
  t:fails(function() dist.all_reduce(x, { grup = 1 }) end, "no argument is named 'grup'")
  t:fails(function() dist.all_reduce(x, { timeout = -1 }) end, 'above 0')
  t:fails(function() dist.all_to_all_single(x, x, { n + 5 }) end, 'expected ' .. n .. ' sizes')
  t:fails(function() dist.new_group { n } end, 'different numbers from 0')
  t:fails(function() dist.init_process_group() end, 'was called before')
  t:fails(function() dist.get_global_rank(nil, n) end, 'has no rank')
end

t:add(s)
t:run()
dist.destroy_process_group()
assert(not dist.is_initialized())
assert(not pcall(dist.barrier))
