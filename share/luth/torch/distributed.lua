-- torch.distributed: the names and arguments that scripts see, over luth.dist. Ranks count from 0.
local M = {}
local native = require 'luth.dist'
local read = require('luth.torch.arguments').read
local fail = require('luth.torch.arguments').fail
local places = require 'luth.torch.tensor_places'
local dist = torch.distributed

-- The group that a call is for: the run's own without one. Nothing where this process is not in it.
local function group_of(name, group)
  if group == nil then
    if not native.initialized() then
      fail(name, 'there is no process group yet: call torch.distributed.init_process_group first, in a process that a '
        .. 'launcher has started (`luth launch --nproc 2 script.lua`)')
    end
    return native.world()
  end
  if group == dist.GroupMember.NON_GROUP_MEMBER then fail(name, 'this process is not in the group') end
  if type(group) ~= 'userdata' then fail(name, 'expects a process group, got %s', tostring(group)) end
  return group
end

M.group_for = group_of

local function check_list(name, what, list)
  if type(list) ~= 'table' then fail(name, '%s expects a list, got %s', what, tostring(list)) end
end

local numbers = { 'src', 'dst', 'tag' }
-- What is wrong with an argument is said in the name of the function that was called.
local function check_number(name, a, key)
  local value = a[key]
  if value == nil or (math.type(value) and math.tointeger(value)) then return end
  fail(name, '%s expects a whole number, got %s', key, type(value) == 'string' and "'" .. value .. "'" or tostring(value))
end

-- The native call in the group: waits, or hands the work out.
local function call(name, a, run)
  local group = group_of(name, a.group)
  for i = 1, #numbers do check_number(name, a, numbers[i]) end
  local work = run(group)
  if a.async_op then return work end
  work:wait()
end

local function op_of(a) return a.op or dist.ReduceOp.SUM end

-- ---- the run ----

function M.init_process_group(...)
  local a = read('init_process_group', { 'backend', 'init_method', 'timeout', 'world_size', 'rank', 'store' }, 0, ...)
  for _, key in ipairs { 'backend', 'init_method' } do
    local value = a[key]
    if value ~= nil and type(value) ~= 'string' then fail('init_process_group', '%s expects a string, got %s', key, tostring(value)) end
  end
  native.init(a.backend, a.init_method, a.rank, a.world_size, a.timeout, a.store)
end
function M.destroy_process_group(group) native.destroy(group) end
function M.is_initialized() return native.initialized() end
function M.is_available() return true end
for _, name in ipairs { 'gloo', 'nccl', 'mpi' } do
  M['is_' .. name .. '_available'] = function() return native.trouble(name) == '' end
end

function M.get_rank(group)
  if group == dist.GroupMember.NON_GROUP_MEMBER then return -1 end
  return group_of('get_rank', group):rank()
end
function M.get_world_size(group)
  if group == dist.GroupMember.NON_GROUP_MEMBER then return -1 end
  return group_of('get_world_size', group):size()
end
function M.get_backend(group) return native.backend(group_of('get_backend', group)) end
function M.get_process_group_ranks(group) return native.ranks(group_of('get_process_group_ranks', group)) end
function M.get_global_rank(group, rank)
  local ranks = native.ranks(group_of('get_global_rank', group))
  return ranks[rank + 1] or fail('get_global_rank', 'the group has no rank %s', tostring(rank))
end
function M.get_group_rank(group, rank)
  for i, r in ipairs(native.ranks(group_of('get_group_rank', group))) do
    if r == rank then return i - 1 end
  end
  fail('get_group_rank', 'rank %s is not in the group', tostring(rank))
end

function M.new_group(...)
  local a = read('new_group', { 'ranks', 'timeout', 'backend' }, 0, ...)
  local world = group_of('new_group')
  return native.new_group(a.ranks or native.ranks(world), a.backend, a.timeout) or dist.GroupMember.NON_GROUP_MEMBER
end

function M.new_subgroups(...)
  local a = read('new_subgroups', { 'group_size', 'timeout', 'backend' }, 0, ...)
  local world = group_of('new_subgroups')
  local _, _, _, local_size = native.launched()
  local n = world:size()
  local size = a.group_size or (local_size or 0) > 0 and local_size or n  -- 0: the launcher does not say it
  if size < 1 or n % size ~= 0 then fail('new_subgroups', 'group_size %s does not divide the %d ranks', tostring(size), n) end
  local all, own = {}, nil
  for first = 0, n - 1, size do
    local ranks = {}
    for r = first, first + size - 1 do ranks[#ranks + 1] = r end
    local group = M.new_group(ranks, { timeout = a.timeout, backend = a.backend })
    all[#all + 1] = group
    own = group or own
  end
  return own, all
end

-- ---- collectives ----

function M.all_reduce(...)
  local a = read('all_reduce', { 'tensor', 'op', 'group', 'async_op', 'timeout' }, 1, ...)
  return call('all_reduce', a, function(g) return native.all_reduce(g, a.tensor, op_of(a), a.timeout) end)
end
function M.broadcast(...)
  local a = read('broadcast', { 'tensor', 'src', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('broadcast', a, function(g) return native.broadcast(g, a.tensor, a.src, a.timeout) end)
end
function M.reduce(...)
  local a = read('reduce', { 'tensor', 'dst', 'op', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('reduce', a, function(g) return native.reduce(g, a.tensor, a.dst, op_of(a), a.timeout) end)
end
function M.all_gather(...)
  local a = read('all_gather', { 'tensor_list', 'tensor', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('all_gather', a, function(g) return native.all_gather(g, a.tensor_list, a.tensor, a.timeout) end)
end
function M.all_gather_into_tensor(...)
  local a = read('all_gather_into_tensor', { 'output_tensor', 'input_tensor', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('all_gather_into_tensor', a, function(g)
    return native.all_gather_into_tensor(g, a.output_tensor, a.input_tensor, a.timeout)
  end)
end
function M.gather(...)
  local a = read('gather', { 'tensor', 'gather_list', 'dst', 'group', 'async_op', 'timeout' }, 1, ...)
  return call('gather', a, function(g) return native.gather(g, a.tensor, a.gather_list, a.dst or 0, a.timeout) end)
end
function M.scatter(...)
  local a = read('scatter', { 'tensor', 'scatter_list', 'src', 'group', 'async_op', 'timeout' }, 1, ...)
  return call('scatter', a, function(g) return native.scatter(g, a.tensor, a.scatter_list, a.src or 0, a.timeout) end)
end
function M.reduce_scatter(...)
  local a = read('reduce_scatter', { 'output', 'input_list', 'op', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('reduce_scatter', a, function(g) return native.reduce_scatter(g, a.output, a.input_list, op_of(a), a.timeout) end)
end
function M.reduce_scatter_tensor(...)
  local a = read('reduce_scatter_tensor', { 'output', 'input', 'op', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('reduce_scatter_tensor', a, function(g)
    return native.reduce_scatter_tensor(g, a.output, a.input, op_of(a), a.timeout)
  end)
end
function M.all_to_all(...)
  local a = read('all_to_all', { 'output_tensor_list', 'input_tensor_list', 'group', 'async_op', 'timeout' }, 2, ...)
  return call('all_to_all', a, function(g)
    return native.all_to_all(g, a.output_tensor_list, a.input_tensor_list, a.timeout)
  end)
end
function M.all_to_all_single(...)
  local names = { 'output', 'input', 'output_split_sizes', 'input_split_sizes', 'group', 'async_op', 'timeout' }
  local a = read('all_to_all_single', names, 2, ...)
  return call('all_to_all_single', a, function(g)
    return native.all_to_all_single(g, a.output, a.input, a.output_split_sizes, a.input_split_sizes, a.timeout)
  end)
end
function M.barrier(...)
  local a = read('barrier', { 'group', 'async_op', 'timeout' }, 0, ...)
  return call('barrier', a, function(g) return native.barrier(g, a.timeout) end)
end

-- Ranks tell rank 0 through messages, so that it knows who has not come.
function M.monitored_barrier(...)
  local a = read('monitored_barrier', { 'group', 'timeout', 'wait_all_ranks' }, 0, ...)
  local g = group_of('monitored_barrier', a.group)
  local ranks, seconds = native.ranks(g), a.timeout or native.timeout(g)
  if native.device(g) ~= 'cpu' then
    fail('monitored_barrier', "the group has the backend %s alone, and needs one of the CPU, as in 'cpu:gloo,cuda:nccl'",
      native.backend(g))
  end
  local token = torch.zeros(1, { dtype = torch.uint8, device = 'cpu' })
  if g:rank() > 0 then
    native.send(g, token, ranks[1], 0x0fff0000, seconds):wait()
    native.recv(g, token, ranks[1], 0x0fff0001, seconds + 5):wait()
    return
  end
  local missing, works, ended = {}, {}, nil
  for i = 2, #ranks do works[i] = native.recv(g, torch.zeros_like(token), ranks[i], 0x0fff0000, seconds) end
  for i = 2, #ranks do
    local fine, message = pcall(works[i].wait, works[i])
    if not fine then
      missing[#missing + 1] = tostring(ranks[i])
      if not tostring(message):find(' has not ended within ', 1, true) then ended = ended or tostring(message) end
      if not a.wait_all_ranks then break end
    end
  end
  if ended then fail('monitored_barrier', 'rank %s has not come: %s', table.concat(missing, ', '), ended) end
  if missing[1] then fail('monitored_barrier', 'rank %s has not come within %g s', table.concat(missing, ', '), seconds) end
  for i = 2, #ranks do works[i] = native.send(g, token, ranks[i], 0x0fff0001, seconds) end
  for i = 2, #ranks do works[i]:wait() end
end

-- ---- messages ----

local function check_peer(name, rank, g)
  local ranks = native.ranks(g)
  if rank == nil then return end
  for i, r in ipairs(ranks) do
    if r == rank then
      if i == g:rank() + 1 then fail(name, 'rank %d is this process itself', rank) end
      return
    end
  end
  fail(name, "rank %d is not in the group '%s', whose ranks are %s", rank, g:name(), table.concat(ranks, ', '))
end

local function message(name, peer, required, run)
  return function(...)
    local a = read(name, { 'tensor', peer, 'group', 'tag', 'timeout' }, required, ...)
    a.async_op = true
    return call(name, a, function(g)
      check_peer(name, a[peer], g)
      return run(g, a.tensor, a[peer], a.tag or 0, a.timeout)
    end)
  end
end
M.isend = message('isend', 'dst', 2, native.send)
M.irecv = message('irecv', 'src', 1, native.recv)
local begin_send, begin_recv = message('send', 'dst', 2, native.send), message('recv', 'src', 1, native.recv)
function M.send(...) begin_send(...):wait() end
function M.recv(...)
  local work = begin_recv(...)
  work:wait()
  return work:source_rank()
end

local P2POp = { __name = 'torch.distributed.P2POp' }
function M.P2POp(...)
  local a = read('P2POp', { 'op', 'tensor', 'peer', 'group', 'tag' }, 3, ...)
  if a.op ~= dist.isend and a.op ~= dist.irecv then
    fail('P2POp', 'op is torch.distributed.isend or torch.distributed.irecv')
  end
  return setmetatable(a, P2POp)
end
function M.batch_isend_irecv(list)
  check_list('batch_isend_irecv', 'p2p_op_list', list)
  local works = {}
  for i, o in ipairs(list) do
    if getmetatable(o) ~= P2POp then fail('batch_isend_irecv', 'element %d is no torch.distributed.P2POp', i) end
    works[i] = o.op(o.tensor, o.peer, o.group, o.tag)
  end
  return works
end

-- ---- values of Lua ----

-- A value as bytes: the length of the plain one's, these, and those of its tensors.
local function to_bytes(value)
  local tensors = {}
  local plain = native.to_bytes(places.take_out(value, tensors))
  local parts = { torch.tensor({ plain:numel() }, { dtype = torch.int64, device = 'cpu' }):view(torch.uint8), plain }
  for _, t in ipairs(tensors) do parts[#parts + 1] = t:detach():cpu():reshape(-1):view(torch.uint8) end
  return torch.cat(parts)
end
local function from_bytes(bytes)
  local at = 1
  local function fill(t)
    local own = t:view(-1):view(torch.uint8)
    own:copy_(bytes:narrow(1, at, own:numel()))
    at = at + own:numel()
    return t
  end
  local n = fill(torch.zeros(1, { dtype = torch.int64, device = 'cpu' })):item()
  local plain = native.from_bytes(bytes:narrow(1, at, n):clone())
  at = at + n
  local tensors = {}
  places.put_back(plain, function(i, place) tensors[i] = places.room_for(place) end)
  for _, t in ipairs(tensors) do fill(t) end
  return places.put_back(plain, function(i) return tensors[i] end)
end

-- Two messages: how many bytes, and these.
function M.send_object_list(...)
  local a = read('send_object_list', { 'object_list', 'dst', 'group' }, 2, ...)
  check_list('send_object_list', 'object_list', a.object_list)
  local g, bytes = group_of('send_object_list', a.group), to_bytes(a.object_list)
  local device = native.device(g)
  native.send(g, torch.tensor({ bytes:numel() }, { dtype = torch.int64, device = device }), a.dst, 0):wait()
  native.send(g, bytes:to(device), a.dst, 0):wait()
end
function M.recv_object_list(...)
  local a = read('recv_object_list', { 'object_list', 'src', 'group' }, 1, ...)
  check_list('recv_object_list', 'object_list', a.object_list)
  local g = group_of('recv_object_list', a.group)
  local device = native.device(g)
  local size = torch.zeros(1, { dtype = torch.int64, device = device })
  local work = native.recv(g, size, a.src, 0)
  work:wait()
  local bytes = torch.zeros(size:item(), { dtype = torch.uint8, device = device })
  native.recv(g, bytes, work:source_rank(), 0):wait()
  for key, value in pairs(from_bytes(bytes:to 'cpu')) do a.object_list[key] = value end
  return work:source_rank()
end

local function is_rank(g, rank) return native.ranks(g)[g:rank() + 1] == rank end

-- The bytes of all ranks, each as a tensor: on rank dst, or without one on all. Other ranks get none.
local function gather_bytes(g, bytes, dst)
  local n, device, sizes = g:size(), native.device(g), {}
  for i = 1, n do sizes[i] = torch.zeros(1, { dtype = torch.int64, device = device }) end
  native.all_gather(g, sizes, torch.tensor({ bytes:numel() }, { dtype = torch.int64, device = device })):wait()
  local most, parts, here = 1, {}, not dst or is_rank(g, dst)
  for i = 1, n do most = math.max(most, sizes[i]:item()) end
  local padded = torch.zeros(most, { dtype = torch.uint8, device = device })
  padded:narrow(1, 1, bytes:numel()):copy_(bytes)
  for i = 1, here and n or 0 do parts[i] = torch.zeros(most, { dtype = torch.uint8, device = device }) end
  local work = dst and native.gather(g, padded, parts, dst) or native.all_gather(g, parts, padded)
  work:wait()
  for i, part in ipairs(parts) do parts[i] = part:narrow(1, 1, sizes[i]:item()):to('cpu') end
  return parts
end

local function check_member(name, what, g, rank)
  for _, r in ipairs(native.ranks(g)) do
    if r == rank then return end
  end
  fail(name, "%s is %s, which is no rank of the group '%s': its ranks are %s", what, tostring(rank), g:name(),
    table.concat(native.ranks(g), ', '))
end

-- The object itself may be a table with names: these two take it by position.
function M.all_gather_object(object_list, object, ...)
  local a = read('all_gather_object', { 'group' }, 0, ...)
  check_list('all_gather_object', 'object_list', object_list)
  local parts = gather_bytes(group_of('all_gather_object', a.group), to_bytes(object))
  for i, part in ipairs(parts) do object_list[i] = from_bytes(part) end
end
function M.gather_object(object, ...)
  local a = read('gather_object', { 'object_gather_list', 'dst', 'group' }, 0, ...)
  local g = group_of('gather_object', a.group)
  local dst = a.dst or 0
  check_member('gather_object', 'dst', g, dst)
  if is_rank(g, dst) then check_list('gather_object', 'object_gather_list', a.object_gather_list) end
  for i, part in ipairs(gather_bytes(g, to_bytes(object), dst)) do a.object_gather_list[i] = from_bytes(part) end
end

-- The bytes of one rank, on all.
local function spread_bytes(g, bytes, src)
  local device = native.device(g)
  local size = torch.tensor({ bytes and bytes:numel() or 0 }, { dtype = torch.int64, device = device })
  native.broadcast(g, size, src):wait()
  bytes = (bytes or torch.zeros(size:item(), { dtype = torch.uint8, device = device })):to(device)
  native.broadcast(g, bytes, src):wait()
  return bytes:to('cpu')
end

function M.broadcast_object_list(...)
  local a = read('broadcast_object_list', { 'object_list', 'src', 'group' }, 1, ...)
  local g, src = group_of('broadcast_object_list', a.group), a.src or 0
  check_member('broadcast_object_list', 'src', g, src)
  check_list('broadcast_object_list', 'object_list', a.object_list)
  local values = from_bytes(spread_bytes(g, is_rank(g, src) and to_bytes(a.object_list) or nil, src))
  for key, value in pairs(values) do a.object_list[key] = value end
end
function M.scatter_object_list(...)
  local a = read('scatter_object_list',
    { 'scatter_object_output_list', 'scatter_object_input_list', 'src', 'group' }, 1, ...)
  local g, src = group_of('scatter_object_list', a.group), a.src or 0
  check_member('scatter_object_list', 'src', g, src)
  check_list('scatter_object_list', 'scatter_object_output_list', a.scatter_object_output_list)
  local here = is_rank(g, src)
  if here and (type(a.scatter_object_input_list) ~= 'table' or #a.scatter_object_input_list ~= g:size()) then
    fail('scatter_object_list', 'scatter_object_input_list has %d values, one for each rank', g:size())
  end
  local values = from_bytes(spread_bytes(g, here and to_bytes(a.scatter_object_input_list) or nil, src))
  a.scatter_object_output_list[1] = values[g:rank() + 1]
end

-- ---- stores ----

function M.TCPStore(...)
  local a = read('TCPStore', { 'host_name', 'port', 'world_size', 'is_master', 'timeout' }, 2, ...)
  return native.tcp_store(a.host_name, a.port, a.is_master, a.timeout)
end
function M.FileStore(...)
  local a = read('FileStore', { 'file_name', 'world_size', 'timeout' }, 1, ...)
  return native.file_store(a.file_name, a.timeout)
end

return M
