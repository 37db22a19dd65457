-- Calls that cannot be right: an error on every rank that names call and ranks, and no hang. CTest sets LUTH_DIST_CHECK=1 in some runs.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed

local function x(n, dtype) return torch.zeros(n or 2, { dtype = dtype or torch.float32 }) end
local function list(n, ...)
  local l = {}
  for i = 1, n do l[i] = x(...) end
  return l
end
-- Each call of a group: f(group, n, peer), right but for these two.
local calls = {
  all_reduce = function(g) return dist.all_reduce(x(), 'SUM', g) end,
  broadcast = function(g, n, peer) return dist.broadcast(x(), peer, g) end,
  reduce = function(g, n, peer) return dist.reduce(x(), peer, 'SUM', g) end,
  all_gather = function(g, n) return dist.all_gather(list(n), x(), g) end,
  all_gather_into_tensor = function(g, n) return dist.all_gather_into_tensor(x(2 * n), x(), g) end,
  gather = function(g, n, peer) return dist.gather(x(), { gather_list = list(n), dst = peer, group = g }) end,
  scatter = function(g, n, peer) return dist.scatter(x(), { scatter_list = list(n), src = peer, group = g }) end,
  reduce_scatter = function(g, n) return dist.reduce_scatter(x(), list(n), 'SUM', g) end,
  reduce_scatter_tensor = function(g, n) return dist.reduce_scatter_tensor(x(), x(2 * n), 'SUM', g) end,
  all_to_all = function(g, n) return dist.all_to_all(list(n), list(n), g) end,
  all_to_all_single = function(g, n) return dist.all_to_all_single(x(2 * n), x(2 * n), { group = g }) end,
  send = function(g, n, peer) return dist.send(x(), peer, g) end,
  recv = function(g, n, peer) return dist.recv(x(), peer, g) end,
  isend = function(g, n, peer) return dist.isend(x(), peer, g):wait() end,
  irecv = function(g, n, peer) return dist.irecv(x(), peer, g):wait() end,
  barrier = function(g) return dist.barrier(g) end,
  send_object_list = function(g, n, peer) return dist.send_object_list({ 1 }, peer, g) end,
  recv_object_list = function(g, n, peer) return dist.recv_object_list({}, peer, g) end,
  monitored_barrier = function(g) return dist.monitored_barrier(g) end,
  all_gather_object = function(g) return dist.all_gather_object({}, 1, g) end,
  gather_object = function(g, n, peer) return dist.gather_object(1, { object_gather_list = {}, dst = peer, group = g }) end,
  scatter_object_list = function(g, n, peer) return dist.scatter_object_list({}, list(n), peer, g) end,
  broadcast_object_list = function(g, n, peer) return dist.broadcast_object_list({ 1 }, peer, g) end,
}
-- The error of f, which must have all texts.
local function fails(what, f, ...)
  local fine, message = pcall(f)
  message = tostring(message)
  t:assert(not fine, what .. ' should fail')
  for _, text in ipairs { ... } do t:assert(message:find(text, 1, true), what .. ' says: ' .. message .. '\nwithout: ' .. text) end
end
local function joined(f)
  dist.init_process_group { 'gloo', timeout = 20 }
  f(dist.get_rank(), dist.get_world_size())
  dist.destroy_process_group()
end

function s.beforeAndAfterTheRun()
  for i = 1, 2 do
    for name, f in pairs(calls) do fails(name, function() f(nil, 1, 0) end, name, 'init_process_group first') end
    for _, name in ipairs { 'get_rank', 'get_world_size', 'get_backend', 'new_group', 'new_subgroups' } do
      fails(name, dist[name], name, 'init_process_group first')
    end
    dist.destroy_process_group()  -- of nothing
    joined(function() end)
  end
end

function s.onTheWrongGroup()
  joined(function(_, n)
    local gone = dist.new_group()
    dist.destroy_process_group(gone)
    for name, f in pairs(calls) do
      fails(name, function() f(dist.GroupMember.NON_GROUP_MEMBER, n, 0) end, name, 'not in the group')
      local own = name == 'gather' or name == 'scatter'  -- whose lists are the root's
      local peer = (gone:rank() + (own and 0 or 1)) % n
      if n > 1 then fails(name, function() f(gone, n, peer) end, 'has been destroyed') end
      fails(name, function() f(7, n, 0) end, 'expects a process group, got')
    end
  end)
end

function s.ranksOutOfRange()
  joined(function(_, n)
    for _, name in ipairs { 'broadcast', 'reduce', 'gather', 'scatter', 'send', 'recv', 'isend', 'irecv', 'send_object_list', 'recv_object_list' } do
      fails(name, function() calls[name](nil, n, n) end, 'rank ' .. n .. ' is not in the group', 'whose ranks are 0')
    end
    for _, name in ipairs { 'gather_object', 'broadcast_object_list', 'scatter_object_list' } do
      fails(name, function() calls[name](nil, n, n) end, name, 'is ' .. n .. ", which is no rank of the group '0'", 'its ranks are 0')
    end
  end)
end

function s.listsOfWrongLength()
  joined(function(rank, n)
    for _, name in ipairs { 'all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter' } do
      fails(name, function() calls[name](nil, n + 1, rank) end, name .. ': ', n + 1 .. ' tensors', 'expected ' .. n)
    end
    for _, name in ipairs { 'all_gather_into_tensor', 'reduce_scatter_tensor' } do
      fails(name, function() calls[name](nil, n + 1) end, name .. ': ', 'expected ' .. n .. ' times the elements')
    end
  end)
end

-- What cannot be right is refused before anything is sent, and the group goes on.
function s.argumentsOfOtherKinds()
  joined(function(rank, n)
    local wide = torch.zeros(1):expand(2)
    fails('all_reduce', function() dist.all_reduce(wide) end, 'all_reduce: float32[2] has several elements in one place')
    fails('all_gather', function() dist.all_gather(n == 1 and { wide } or { wide, table.unpack(list(n - 1)) }, x()) end, 'all_gather: ', 'in one place')
    fails('objects', function() dist.all_gather_object(nil, 1) end, 'all_gather_object: object_list expects a list, got nil')
    fails('objects', function() dist.broadcast_object_list(3) end, 'broadcast_object_list: object_list expects a list, got 3')
    if rank == 0 then
      fails('objects', function() dist.gather_object(1) end, 'gather_object: object_gather_list expects a list, got nil')
    end
    fails('objects', function() dist.scatter_object_list(3) end, 'scatter_object_output_list expects a list, got 3')
    fails('messages', function() dist.batch_isend_irecv(3) end, 'batch_isend_irecv: p2p_op_list expects a list, got 3')
    for name, peer in pairs { send = 'dst', isend = 'dst', recv = 'src', irecv = 'src' } do
      fails(name, function() calls[name](nil, n, rank) end, ('%s: rank %d is this process itself'):format(name, rank))
      fails(name, function() calls[name](nil, n, 'one') end, ("%s: %s expects a whole number, got 'one'"):format(name, peer))
    end
    fails('time-out', function() dist.all_reduce(x(), { timeout = '1' }) end, "timeout is in seconds, a number, got string '1'")
    fails('backend', function() dist.new_group { ranks = { rank }, backend = 'glo' } end, "no backend 'glo'", "did you mean 'gloo'?")
    for _, class in ipairs { 'DistributedDataParallel', 'FullyShardedDataParallel' } do
      nn.parallel[class](nn.Linear(2, 1), {})  -- no options
    end
    local own, all = dist.new_subgroups(1, {})
    t:eq({ dist.get_process_group_ranks(own), #all }, { { rank }, n })
    dist.all_reduce(x())
  end)
end

-- Rank 0 calls one thing and the others another; each is told of both.
local differing = {  -- a list: pairs() has another order in every process
  { function() dist.all_reduce(x(3)) end, function() dist.all_reduce(x(4)) end, 'all_reduce(float32[3], SUM)', 'all_reduce(float32[4], SUM)' },
  { function() dist.broadcast(x(3), 0) end, function() dist.broadcast(x(3, torch.int32), 0) end, 'broadcast(float32[3]', 'broadcast(int32[3]' },
  { function() dist.all_reduce(x(), 'MAX') end, function() dist.all_reduce(x(), 'MIN') end, 'MAX', 'MIN' },
  { function() dist.reduce(x(), 0) end, function() dist.reduce(x(), 1) end, 'dst = 0', 'dst = 1' },
  { function() dist.barrier() end, function() dist.broadcast(x(), 0) end, 'barrier()', 'broadcast(' },
}
function s.callsThatDiffer()
  for _, case in ipairs(differing) do
    joined(function(rank, n)
      if n == 1 then return end
      local first, others, a, b = table.unpack(case)
      fails(a, rank == 0 and first or others, 'call 1 of the group', a, b, 'bad_input.lua:')
    end)
  end
end

-- What one rank alone gets wrong, the others learn when it leaves.
function s.anErrorOfOneRank()
  joined(function(rank, n)
    if n == 1 then return end
    if rank == n - 1 then
      fails('broadcast', function() dist.broadcast(x(), n) end, 'rank ' .. n .. ' is not in the group')
    else
      fails('broadcast', function() dist.broadcast(x(), n - 1) end, 'broadcast(', ('rank %d has ended'):format(n - 1))
    end
  end)
end

t:add(s)
t:run()
