-- nn.parallel: modules on several devices and processes.
local M = {}
local native = require 'luth.dist'
local read = require('luth.torch.arguments').read
local fail = require('luth.torch.arguments').fail
local tensors_of = require('luth.torch.tensor_places').tensors_of

local DDP = nn.class('DistributedDataParallel')

-- Parameters that require gradients, each once, and their names.
local function parameters_of(module)
  local list, names = {}, {}
  for name, p in module:named_parameters() do
    if p.requires_grad then list[#list + 1], names[#names + 1] = p, name end
  end
  return list, names
end

-- Shapes, dtypes and what is trained as text: they must be the same on all ranks before anything is sent.
function M.check_same(name, group, module)
  local text = {}
  local function add(what, t, more) text[#text + 1] = ('%s %s %s%s'):format(what, t.dtype, t:size(), more) end
  for what, p in module:named_parameters() do add(what, p, p.requires_grad and '' or ' without a gradient') end
  for what, b in module:named_buffers() do add(what, b, ' (a buffer)') end
  local all = {}
  for i = 1, group:size() do all[i] = false end
  torch.distributed.all_gather_object(all, text, { group = group })
  for r = 2, #all do
    for i = 1, math.max(#all[1], #all[r]) do
      if all[1][i] ~= all[r][i] then
        fail(name, 'the modules differ: tensor %d is %s on rank 0 of the group and %s on rank %d', i,
          all[1][i] or 'missing', all[r][i] or 'missing', r - 1)
      end
    end
  end
end

-- A state dict of the module alone gets the names that it has below a wrapper, whose field `module` it is.
function M.add_prefix(wrapper, dict, prefix)
  local own, inner, names = prefix .. 'module.', wrapper.module, {}
  while inner.module do own, inner = own .. 'module.', inner.module end
  for name in pairs(dict) do
    if name:sub(1, #own) == own then return end
    if name:sub(1, #prefix) == prefix then names[#names + 1] = name end
  end
  for _, name in ipairs(names) do
    dict[prefix .. 'module.' .. name:sub(#prefix + 1)], dict[name] = dict[name], nil
  end
end

-- GPU 0, 'cuda:0' or torch.device('cuda', 0).
function M.gpu_of(name, id)
  local device = math.type(id) == 'integer' and torch.device('cuda', id) or torch.device(id)
  if device.type ~= 'cuda' then fail(name, 'device_ids and output_device are GPUs, got %s', tostring(id)) end
  return device
end

-- The one GPU of device_ids, where the module is; nil without it.
local function device_of(a)
  if a.device_ids == nil or #a.device_ids == 0 then return nil end
  if #a.device_ids ~= 1 then
    fail('DistributedDataParallel', 'device_ids has %d GPUs; a process has one, and nn.DataParallel is for several', #a.device_ids)
  end
  local device = M.gpu_of('DistributedDataParallel', a.device_ids[1])
  for name, p in a.module:named_parameters() do
    if p.device ~= device then
      fail('DistributedDataParallel', "device_ids is for a module on that GPU, %s, and its '%s' is on %s", device, name, p.device)
    end
  end
  return device
end

-- The arguments of a call on the device.
local function moved(value, device)
  if torch.is_tensor(value) then return value:to(device, { non_blocking = true }) end
  if type(value) ~= 'table' or getmetatable(value) then return value end
  local out = {}
  for key, v in pairs(value) do out[key] = moved(v, device) end
  return out
end

function DDP:init(module, options)
  local names = { 'module', 'device_ids', 'output_device', 'broadcast_buffers', 'process_group', 'bucket_cap_mb',
    'find_unused_parameters', 'gradient_as_bucket_view', 'static_graph' }
  local a = read('DistributedDataParallel', names, 1, module, options)
  if not torch.isinstance(a.module, nn.Module) then
    fail('DistributedDataParallel', 'module expects a module, got %s', torch.typename(a.module) or type(a.module))
  end
  if not torch.distributed.is_initialized() then
    fail('DistributedDataParallel', 'there is no process group yet: call torch.distributed.init_process_group first')
  end
  self.module, self.device = a.module, device_of(a)
  self.process_group = a.process_group or native.world()
  self.broadcast_buffers = a.broadcast_buffers ~= false
  self.find_unused_parameters = a.find_unused_parameters or false
  self.require_backward_grad_sync = true
  M.check_same('DistributedDataParallel', self.process_group, a.module)
  self:share(true)
  self.list, names = parameters_of(a.module)
  self.reducer = native.reducer(self.process_group, self.list, names, { bucket_cap_mb = a.bucket_cap_mb,
    find_unused_parameters = a.find_unused_parameters, gradient_as_bucket_view = a.gradient_as_bucket_view,
    static_graph = a.static_graph })
  self:register_load_state_dict_pre_hook(M.add_prefix)
end

-- Copies buffers of one rank of the run, the group's first, to all; with `all` parameters too.
function DDP:share(all, src)
  local list = {}
  if all then
    for _, p in self.module:named_parameters() do list[#list + 1] = p end
  end
  for _, b in self.module:named_buffers() do list[#list + 1] = b end
  if list[1] then native.broadcast_all(self.process_group, list, src or native.ranks(self.process_group)[1]) end
end

function DDP:forward(...)
  local grads = torch.is_grad_enabled()
  if grads then self.reducer:expect() end
  local sync = grads and self.require_backward_grad_sync
  local buffers = sync and self.broadcast_buffers and self.training
  local turn = self.joining and self:take_turn(true, sync, buffers) or {}
  if buffers then self:share(false, turn.first) end
  local given = table.pack(...)
  if self.device then given = moved(given, self.device) end
  local results = table.pack(self.module(table.unpack(given, 1, given.n)))
  if sync then
    local outputs = self.find_unused_parameters and tensors_of { table.unpack(results, 1, results.n) } or nil
    self.reducer:prepare(outputs, turn.first, turn.divisor)
  elseif grads then
    self.reducer:rest()
  end
  return table.unpack(results, 1, results.n)
end

-- A scope for a block (`local _ <close> = …`), or around f. close(error) is called at its end.
function M.scope_of(close, f, ...)
  local scope = setmetatable({}, { __close = function(_, e) close(e) end })
  if not f then return scope end
  local _ <close> = scope
  return f(...)
end
local scope_of = M.scope_of

function DDP:no_sync(f, ...)
  local before = self.require_backward_grad_sync
  self.require_backward_grad_sync = false
  return scope_of(function() self.require_backward_grad_sync = before end, f, ...)
end

-- ---- Uneven inputs -----------------------------------------------------------------------------------------------------

-- What the ranks agree on before each forward: who has inputs (`active`), and whether these share buffers and average.
function DDP:take_turn(active, sync, buffers)
  local group, ranks = self.process_group, native.ranks(self.process_group)
  local n, votes = #ranks, torch.zeros(#ranks + 2, { dtype = torch.int32, device = native.device(group) })
  if active then votes[group:rank() + 1] = 1 end
  votes[n + 1], votes[n + 2] = sync and 1 or 0, buffers and 1 or 0
  native.all_reduce(group, votes, 'SUM'):wait()
  votes = votes:tolist()
  local here, gone = {}, {}
  for i, rank in ipairs(ranks) do table.insert(votes[i] > 0 and here or gone, rank) end
  if votes[n + 1] % math.max(1, #here) ~= 0 then
    fail('join', 'some ranks are in no_sync(), and others are not')
  end
  if self.joining.throw and here[1] and gone[1] then
    fail('join', 'rank %s has no more inputs, and throw_on_early_termination is set', table.concat(gone, ', '))
  end
  self.joining.first = here[1] or self.joining.first
  return { first = here[1], divisor = self.joining.divide and n or #here, sync = votes[n + 1] > 0, buffers = votes[n + 2] > 0 }
end

-- Takes part in what the others do until none has inputs; then all get the state of a rank that was among the last.
function DDP:shadow_others()
  while true do
    local turn = self:take_turn(false)
    if not turn.first then break end
    if turn.buffers then self:share(false, turn.first) end
    if turn.sync then self.reducer:shadow(turn.first, turn.divisor) end
  end
  self:share(true, self.joining.first)
end

-- ddp:join({settings}?, f?, …)
function DDP:join(...)
  local given, f = { ... }, 1
  local a = {}
  if type(given[1]) == 'table' then
    f = 2
    a = next(given[1]) and read('join', { 'divide_by_initial_world_size', 'enable', 'throw_on_early_termination' }, 0, given[1]) or a
  end
  if a.enable == false then return scope_of(function() end, select(f, ...)) end
  if self.joining then fail('join', 'this module is in join() already') end
  self.joining = { divide = a.divide_by_initial_world_size ~= false, throw = a.throw_on_early_termination }
  return scope_of(function(e)
    local _ <close> = scope_of(function() self.joining = nil end)
    if e == nil then self:shadow_others() end
  end, select(f, ...))
end

-- ---- Communication hooks -----------------------------------------------------------------------------------------------

local GradBucket = { __name = 'torch.distributed.GradBucket' }
GradBucket.__index = GradBucket
function GradBucket:index() return self.number end
function GradBucket:buffer() return self.flat end
function GradBucket:gradients() return self.views end
function GradBucket:parameters() return self.list end
function GradBucket:is_last() return self.last end
function GradBucket:set_buffer(tensor) self.flat = tensor end

local function bucket_of(ddp, i)
  local numbers, flat, views = ddp.reducer:bucket(i)
  local list = {}
  for k, number in ipairs(numbers) do list[k] = ddp.list[number] end
  return setmetatable({ number = i, flat = flat, numel = flat:numel(), views = views, list = list,
    last = not ddp.reducer:bucket(i + 1), process_group = ddp.process_group }, GradBucket)
end

-- What the hook has returned for a bucket: its averages, or a function that waits for them.
local function averages(result, bucket)
  if type(result) == 'function' then result = result() end
  if not torch.is_tensor(result) or result:numel() ~= bucket.numel then
    fail('register_comm_hook', 'the hook gave %s for bucket %d; it returns a tensor of %d elements, or a function that does',
      torch.is_tensor(result) and 'a tensor of ' .. result:numel() or 'a ' .. type(result), bucket.number, bucket.numel)
  end
  return result:reshape(-1)
end

function DDP:register_comm_hook(state, hook)
  if type(hook) ~= 'function' then fail('register_comm_hook', 'hook is a function(state, bucket), got a %s', type(hook)) end
  if self.hooked then fail('register_comm_hook', 'this module has a hook already') end
  self.hooked = true
  local pending = {}
  self.reducer:set_hook(function(i, ends)
    if ends then
      local p = pending[i]
      pending[i] = nil
      return averages(p.result, p.bucket)
    end
    local bucket = bucket_of(self, i)
    pending[i] = { result = hook(state, bucket), bucket = bucket }
  end)
end

function M.DistributedDataParallel(...) return DDP(...) end

function M.consume_prefix_in_state_dict_if_present(dict, prefix)
  local names = {}
  for name in pairs(dict) do
    if name:sub(1, #prefix) == prefix then names[#names + 1] = name end
  end
  for _, name in ipairs(names) do dict[name:sub(#prefix + 1)], dict[name] = dict[name], nil end
end

return M
