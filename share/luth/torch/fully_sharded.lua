-- nn.parallel.FullyShardedDataParallel. The parameters of a unit, which is a submodule or what is left, are one flat
-- parameter, of which each rank keeps a part. A forward fills the unit's modules with views of the whole.
local M = {}
local native = require 'luth.dist'
local place = require('luth.native').place
local arguments = require 'luth.torch.arguments'
local parallel = require 'luth.torch.parallel'
local group_for = require('luth.torch.distributed').group_for
local tensors_of = require('luth.torch.tensor_places').tensors_of
local dist = torch.distributed
local name = 'FullyShardedDataParallel'
local function fail(...) arguments.fail(name, ...) end

local FSDP = nn.class(name)

-- Copies of a value with its floating tensors in a dtype.
local function cast(value, dtype)
  if torch.is_tensor(value) then return value:is_floating_point() and value:to(dtype) or value end
  if type(value) ~= 'table' or getmetatable(value) then return value end
  local out = {}
  for key, v in pairs(value) do out[key] = cast(v, dtype) end
  return out
end

-- ---- Units ----------------------------------------------------------------------------------------------------------

-- parameters: those of the modules, without memory; names: theirs; numbers: theirs in the undivided module; places: where
-- each stands, {module, name}.
-- shard: this rank's part of them, one after the other; version: its, in the last forward. memory: all of them, while they
-- are gathered.
local Unit = {}
Unit.__index = Unit

-- Forwards of this class that run, one within the other.
local depth = 0

function Unit:total() return self.shard:numel() * self.wrapper.process_group:size() end

function Unit:gather_into(all)
  local shard = self.shard:detach():to(all.dtype)
  dist.all_gather_into_tensor(all, shard, { group = self.wrapper.process_group })
  return all
end

function Unit:room(dtype) return torch.empty(self:total(), { dtype = dtype or self.shard.dtype, device = self.shard.device }) end

function Unit:gather()
  local dtype, memory = self.wrapper.mixed_precision.param_dtype or self.shard.dtype, self.memory
  if not memory or memory.dtype ~= dtype or memory.device ~= self.shard.device then
    self.memory = self:room(dtype)
    native.give_back(self.memory)
  end
  self:gather_into(native.take_back(self.memory))
  self.gathered = true
end

function Unit:free()
  if self.gathered then native.give_back(self.memory) end
  self.gathered = false
end

-- Puts tensors into the places of the parameters; without them, empties these.
function Unit:fill(tensors)
  for i, places in ipairs(self.places) do
    for _, at in ipairs(places) do place(at.module, at.name, tensors and tensors[i]) end
  end
end

-- The parameters of the flat one. Their gradients together are its gradient.
local Flat = torch.autograd.Function('FlatParameter')
function Flat.forward(ctx, _, unit)
  ctx.unit = unit
  ctx:set_materialize_grads(false)
  return table.unpack(native.views(unit.memory, unit.parameters))
end
function Flat.backward(ctx, ...) return torch.no_grad(Unit.reduce, ctx.unit, { ... }) end

function Unit:before()
  self.waits = false
  self.version = self.shard:_version()
  self:gather()
  self:fill { Flat.apply(self.shard, self) }
end

-- Frees the memory when the backward that runs has ended; returns whether one runs.
function Unit:free_after_backward()
  self.waits = self.waits or native.after_backward(function()
    self.waits = false
    self:free()
  end)
  return self.waits
end

function Unit:before_backward()
  if self.version ~= self.shard:_version() then
    fail("the parameters '%s' … were written between forward and backward; run forward again", self.names[1])
  end
  if not self.gathered then self:gather() end
  self:free_after_backward()
end

-- What backward needs at once stays: the memory of the outermost unit, and that of a checkpoint's second forward.
function Unit:after(outputs)
  self:fill()
  local recorded = false
  for _, t in ipairs(tensors_of(outputs)) do
    if t.requires_grad then
      recorded = true
      t:register_hook(function() self:before_backward() end)
    end
  end
  local outermost = depth == 1 and self.module == self.wrapper.module
  local stays = outermost or not self.wrapper.reshard_after_forward or self:free_after_backward()
  if not (recorded and stays) then self:free() end
end

-- The gradient of the shard, averaged over the ranks. Nothing within no_sync: then it waits for the next one.
function Unit:reduce(gradients)
  self:free()
  local group, dtype = self.wrapper.process_group, self.wrapper.mixed_precision.reduce_dtype or self.memory.dtype
  local flat = self:room(dtype):zero_()
  for i, view in ipairs(native.views(flat, self.parameters)) do
    if gradients[i] then view:copy_(gradients[i]) end
  end
  flat:div_(group:size())  -- before the sum, which may not fit into a narrow dtype
  if self.pending then flat:add_(self.pending) end
  self.pending = nil
  if not self.wrapper.require_backward_grad_sync then
    self.pending = flat
    return nil
  end
  local own = torch.empty(self.shard:numel(), { dtype = dtype, device = flat.device })
  dist.reduce_scatter_tensor(own, flat, { group = group })
  native.give_back(flat)
  return own:to(self.shard.dtype)
end

-- ---- Making units ---------------------------------------------------------------------------------------------------

local function selects(policy, m)
  if type(policy) == 'function' then return policy(m) end
  for _, class in ipairs(policy) do
    if torch.isinstance(m, class) then return true end
  end
  return false
end

-- The units of a module, the first for what no other has; each with its modules, {path, module}. A submodule that is
-- a FullyShardedDataParallel itself is left to it.
local function divide(module, policy)
  local units, of_path = {}, {}
  for path, m in module:named_modules() do
    local above = of_path[path:match('^(.*)%.') or '']
    local own = path == '' or (above and policy and selects(policy, m))
    if torch.isinstance(m, FSDP) then
      of_path[path] = false
    elseif own then
      of_path[path] = setmetatable({ module = m, modules = {}, parameters = {}, names = {}, places = {} }, Unit)
      units[#units + 1] = of_path[path]
    else
      of_path[path] = above
    end
    if of_path[path] then table.insert(of_path[path].modules, { path, m }) end
  end
  return units
end

local function check_parameter(unit, full_name, p)
  local first = unit.parameters[1] or p
  if p.device.type == 'meta' then
    fail("the parameter '%s' has no memory: it is tied to one within another %s, or lies on the device meta", full_name, name)
  end
  for _, key in ipairs { 'dtype', 'device', 'requires_grad' } do
    if p[key] ~= first[key] then
      fail("a unit's parameters have one %s: that of '%s' is %s and that of '%s' %s; divide the module by auto_wrap_policy, so that they "
        .. 'are in different units', key, unit.names[1], tostring(first[key]), full_name, tostring(p[key]))
    end
  end
end

-- The number of the parameter in the unit. `taken` has unit and number of each, by address.
local function number_of(unit, full_name, p, taken)
  local known = taken[p:data_ptr()]
  if not known or p:numel() == 0 then
    table.insert(unit.parameters, p)
    table.insert(unit.names, full_name)
    table.insert(unit.places, {})
    known = { unit = unit, i = #unit.parameters }
    taken[p:data_ptr()] = known
  elseif known.unit ~= unit then
    fail("the parameters '%s' and '%s' are tied, and lie in different units: choose an auto_wrap_policy that leaves both in one",
      known.unit.names[known.i], full_name)
  end
  return known.i
end

-- Notes the parameters of the unit's modules.
local function collect(unit, taken)
  for _, entry in ipairs(unit.modules) do
    local path, m = table.unpack(entry)
    for key, p in m:named_parameters { recurse = false, remove_duplicate = false } do
      local full_name = path == '' and key or path .. '.' .. key
      check_parameter(unit, full_name, p)
      table.insert(unit.places[number_of(unit, full_name, p, taken)], { module = m, name = key })
    end
  end
end

-- This rank's part of the unit's parameters, which then have no memory any more.
local function shard_of(unit, group)
  local values, total = {}, 0
  for i, p in ipairs(unit.parameters) do
    values[i] = p:detach():reshape(-1)
    total = total + p:numel()
  end
  local size = -(-total // group:size())
  values[#values + 1] = values[1]:new_zeros(size * group:size() - total)
  local shard = torch.cat(values):narrow(1, group:rank() * size + 1, size):clone()
  for _, p in ipairs(unit.parameters) do p.data = torch.empty_like(p, { device = 'meta' }):detach() end
  return nn.Parameter(shard, unit.parameters[1].requires_grad)
end

-- Rank 0's values, on all.
local function share(self, units)
  local list = {}
  for _, unit in ipairs(units) do table.move(unit.parameters, 1, #unit.parameters, #list + 1, list) end
  for _, b in self.module:named_buffers() do list[#list + 1] = b end
  if list[1] then native.broadcast_all(self.process_group, list, native.ranks(self.process_group)[1]) end
end

-- The number of each parameter of the undivided module by its name, and how many there are.
local function number_parameters(module)
  local numbers, n = {}, 0
  for full_name in module:named_parameters() do
    n = n + 1
    numbers[full_name] = n
  end
  return numbers, n
end

local function make_units(self, policy)
  local numbers
  numbers, self.count = number_parameters(self.module)
  local units, taken = divide(self.module, policy), {}
  for _, unit in ipairs(units) do collect(unit, taken) end
  share(self, units)
  self.units = {}
  for _, unit in ipairs(units) do
    if unit.parameters[1] then
      unit.wrapper, unit.numbers = self, {}
      for i, full_name in ipairs(unit.names) do unit.numbers[i] = numbers[full_name] end
      unit.shard = shard_of(unit, self.process_group)
      table.insert(self.units, unit)
      self:register_parameter('flat_param_' .. #self.units, unit.shard)
      unit:fill()
      unit.module:register_forward_pre_hook(function() unit:before() end, { prepend = true })
      unit.module:register_forward_hook(function(_, _, outputs) unit:after(outputs) end, { always_call = true })
    end
  end
end

-- ---- The module -----------------------------------------------------------------------------------------------------

function FSDP:init(module, options)
  local a = arguments.read(name, { 'module', 'process_group', 'auto_wrap_policy', 'mixed_precision', 'reshard_after_forward' }, 1,
    module, options)
  if not torch.isinstance(a.module, nn.Module) then fail('module expects a module, got %s', torch.typename(a.module) or type(a.module)) end
  local policy = a.auto_wrap_policy
  if policy ~= nil and type(policy) ~= 'function' and type(policy) ~= 'table' then
    fail('auto_wrap_policy is a list of classes or a function of a module, got %s', type(policy))
  end
  self.module = a.module
  self.process_group = group_for(name, a.process_group)
  self.mixed_precision = arguments.read('mixed_precision', { 'param_dtype', 'reduce_dtype', 'buffer_dtype' }, 0, a.mixed_precision)
  self.reshard_after_forward = a.reshard_after_forward ~= false
  self.require_backward_grad_sync = true
  self.state_type = { kind = 'full' }
  parallel.check_same(name, self.process_group, a.module)
  make_units(self, policy)
  local dtype = self.mixed_precision.buffer_dtype
  for _, b in a.module:named_buffers() do
    if dtype and b:is_floating_point() then b.data = b:to(dtype) end
  end
  self:hook_states()
end

function FSDP:forward(...)
  depth = depth + 1
  local _ <close> = setmetatable({}, { __close = function() depth = depth - 1 end })
  local dtype = self.mixed_precision.param_dtype
  if not dtype then return self.module(...) end
  local given = table.pack(...)
  return self.module(table.unpack(cast(given, dtype), 1, given.n))
end

-- local _ <close> = fsdp:no_sync()  or  fsdp:no_sync(f, ...)
function FSDP:no_sync(f, ...)
  local all, before = self:wrappers(), {}
  for i, w in ipairs(all) do before[i], w.require_backward_grad_sync = w.require_backward_grad_sync, false end
  return parallel.scope_of(function()
    for i, w in ipairs(all) do w.require_backward_grad_sync = before[i] end
  end, f, ...)
end

-- Scales the gradients so that their norm, over all ranks, is at most max_norm; returns the norm.
function FSDP:clip_grad_norm_(max_norm, norm_type)
  norm_type = norm_type or 2
  local grads, largest = {}, norm_type == math.huge
  for _, p in ipairs(self:parameters()) do grads[#grads + 1] = p.grad end
  local total = torch.zeros({}, { device = self:parameters()[1].device })
  for _, g in ipairs(grads) do
    local part = g:abs():to(torch.float32)
    total = largest and torch.maximum(total, part:max()) or total + part:pow(norm_type):sum()
  end
  dist.all_reduce(total, { op = dist.ReduceOp[largest and 'MAX' or 'SUM'], group = self.process_group })
  if not largest then total = total:pow(1 / norm_type) end
  local factor = (max_norm / (total + 1e-6)):clamp({ max = 1.0 })
  for _, g in ipairs(grads) do g:mul_(factor) end
  return total
end

for method, f in pairs(require 'luth.torch.sharded_state') do FSDP[method] = f end

function M.FullyShardedDataParallel(...) return FSDP(...) end

return M
