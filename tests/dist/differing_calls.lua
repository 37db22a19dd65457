-- Ranks that call different things, without LUTH_DIST_CHECK: an error on all that names both calls, and no numbers. Ranks
-- that are late, ahead or in another group differ in nothing.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed

local function x(n, dtype) return torch.ones(n or 2, { dtype = dtype or torch.float32 }) end
local function joined(f)
  dist.init_process_group { timeout = 60 }
  local n = dist.get_world_size()
  if n > 1 then f(dist.get_rank(), n) end
  dist.destroy_process_group()
end
-- The error of f, which must have all texts.
local function fails(f, ...)
  local fine, message = pcall(f)
  message = tostring(message)
  t:assert(not fine, 'should fail: ' .. table.concat({ ... }, '; '))
  for _, text in ipairs { ... } do t:assert(message:find(text, 1, true), 'the error is: ' .. message .. '\nwithout: ' .. text) end
end
local function pause(seconds) os.execute('sleep ' .. seconds) end

-- One call, another one, and what the error says of the two.
local int = torch.int32
local function splits(n, k)  -- all_to_all_single of k rows for rank 0 and one for each other
  local sizes = {}
  for i = 1, n do sizes[i] = i == 1 and k or 1 end
  return sizes
end
local collectives = {  -- a list: pairs() has another order in every process
  { function() dist.all_reduce(x(3)) end, function() dist.all_reduce(x(4)) end, 'all_reduce(float32[3], SUM)', 'all_reduce(float32[4], SUM)' },
  { function() dist.all_reduce(x(2)) end, function() dist.all_reduce(x(2, int)) end, 'float32[2]', 'int32[2]' },
  { function() dist.all_reduce(x(), 'SUM') end, function() dist.all_reduce(x(), 'MAX') end, 'SUM', 'MAX' },
  { function() dist.all_reduce(x(6)) end, function() dist.all_reduce(x(6):view(2, 3)) end, 'float32[6]', 'float32[2, 3]' },
  { function() dist.broadcast(x(2), 0) end, function() dist.broadcast(x(3), 0) end, 'broadcast(float32[2]', 'broadcast(float32[3]' },
  { function() dist.broadcast(x(2), 0) end, function() dist.broadcast(x(2), 1) end, 'src = 0', 'src = 1' },
  { function() dist.reduce(x(), 0) end, function() dist.reduce(x(), 1) end, 'dst = 0', 'dst = 1' },
  { function() dist.barrier() end, function() dist.all_reduce(x(1, torch.uint8), 'MAX') end, 'barrier()', 'all_reduce(uint8[1]' },
  { function() dist.all_reduce(x(0)) end, function() dist.all_reduce(x(3)) end, 'float32[0]', 'float32[3]' },
}
-- Rank `one` calls something else than the others. What follows belongs to the error too: a rank whose own part was done
-- learns it there.
local function differ(first, second, one, ...)
  local texts = { ... }
  joined(function(rank, n)
    fails(function()
      if rank == one % n then first() else second() end
      dist.barrier()
    end, "call 1 of the group '0' differs: rank ", 'differing_calls.lua:', table.unpack(texts))
    fails(function() dist.all_reduce(x()) end, 'differs')
  end)
end
function s.collectivesThatDiffer()
  for _, case in ipairs(collectives) do
    for _, one in ipairs { 0, -1 } do differ(case[1], case[2], one, case[3], case[4]) end
  end
end

function s.countsThatDiffer()
  joined(function(rank, n)
    fails(function()  -- rank 0 expects 2 of each, and gets 1
      local mine = x(n, int)
      local room = rank == 0 and x(2 * n - 1, int) or mine:clone()
      local sizes = splits(n, 1)
      if rank == 0 then
        for i = 2, n do sizes[i] = 2 end
      end
      dist.all_to_all_single(room, mine, { output_split_sizes = sizes })
      dist.barrier()
    end, 'gives 1 elements to rank 0, which expects 2')
  end)
end

local messages = { { x(3), x(5) }, { x(5), x(3) }, { x(3), x(3, int) }, { x(3), x(6, torch.float16) }, { x(3), x(0) } }
local function text(y) return tostring(y.dtype):match '%w+$' .. '[' .. y:numel() .. ']' end
function s.messagesThatDiffer()
  for _, case in ipairs(messages) do
    for _, src in ipairs { 0, 'any' } do
      joined(function(rank)
        local sent, received = case[1], case[2]
        fails(function()
          if rank == 0 then dist.send(x(2), 1) end
          if rank == 0 then dist.send(sent, 1) end
          if rank == 1 then dist.recv(x(2), 0) end
          if rank == 1 then dist.recv(received, src ~= 'any' and src or nil) end
          dist.barrier()
        end, 'message 2 from rank 0 to rank 1 differs: rank 0 calls send(' .. text(sent), 'rank 1 calls recv(' .. text(received),
          'differing_calls.lua:', 'and rank 1')
      end)
    end
  end
end

-- A receive of any rank: an error where no rank can send what it expects.
function s.messagesOfAnyRankThatDiffer()
  joined(function(rank)
    fails(function()
      if rank == 0 then dist.recv(x(5)) else dist.send(x(3), 0) end
    end, 'rank 0 calls recv(float32[5]', 'calls send(float32[3], dst = 0)')
  end)
end

-- ---- what is right ----

function s.ranksThatAreLate()
  joined(function(rank, n)
    for i = 1, 3 do
      if rank == i % n then pause(0.2) end
      local y = x(i)
      dist.all_reduce(y)
      t:eq(y, x(i) * n)
      dist.broadcast(y, 0)  -- where the root is ahead
      dist.barrier()
    end
  end)
end

function s.messagesAheadOfTheirReceives()
  joined(function(rank, n)
    local works = {}
    if rank == 0 then
      for i = 1, 4 do works[i] = dist.isend(x(i) * i, 1, { tag = i % 2 }) end
      works[5] = dist.isend(x(3, int), 1, { tag = 7 })
    elseif rank == 1 then
      local last = x(3, int)
      works[1] = dist.irecv(last, 0, { tag = 7 })
      for _, i in ipairs { 2, 1, 4, 3 } do
        pause(0.1)
        local y = x(i)
        dist.recv(y, 0, { tag = i % 2 })
        t:eq(y, x(i) * i)
      end
    end
    for _, w in ipairs(works) do w:wait() end
    -- the same place in the order, with another length, by turns from any rank
    for round = 1, 2 do
      if rank == 0 then
        for _ = 2, n do
          local y = x(round)
          local from = dist.recv(y)
          t:eq(y, x(round) * from)
        end
      else
        pause(0.1 * rank)
        dist.send(x(round) * rank, 0)
      end
    end
  end)
end

function s.groupsOfTheirOwn()
  joined(function(rank, n)
    local pairs_of = {}
    for r = 0, n - 1 do pairs_of[r] = dist.new_group { r, (r + 1) % n } end
    local alone = dist.new_group { 0 }
    if rank == 0 then
      pause(0.2)
      dist.all_reduce(x(9), 'SUM', alone)
    end
    for r = 0, n - 1 do
      if rank == r or rank == (r + 1) % n then dist.all_reduce(x(r + 1), 'MAX', pairs_of[r]) end
    end
    dist.all_reduce(x(3))
  end)
end

t:add(s)
t:run()
