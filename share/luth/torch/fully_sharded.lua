-- nn.parallel.FullyShardedDataParallel. The parameters of a unit, which is a submodule or what is left, are one flat
-- parameter, of which each rank keeps a part. A forward fills the unit's modules with views of the whole.
local M = {}
local native = require 'luth.dist'
local place = require('luth.native').place
local arguments = require 'luth.torch.arguments'
local parallel = require 'luth.torch.parallel'
local group_for = require('luth.torch.distributed').group_for
local dist = torch.distributed
local name = 'FullyShardedDataParallel'
local function fail(...) arguments.fail(name, ...) end

local FSDP = nn.class(name)

-- Calls f with every tensor of a value: tensors and tables of these.
local function each_tensor(value, f)
  if torch.is_tensor(value) then
    f(value)
  elseif type(value) == 'table' then
    for _, v in pairs(value) do each_tensor(v, f) end
  end
end

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
  each_tensor(outputs, function(t)
    if not t.requires_grad then return end
    recorded = true
    t:register_hook(function() self:before_backward() end)
  end)
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

-- This module and those of its kind within it.
local function wrappers(self)
  local list = {}
  for _, m in self:named_modules() do
    if torch.isinstance(m, FSDP) then list[#list + 1] = m end
  end
  return list
end

-- local _ <close> = fsdp:no_sync()  or  fsdp:no_sync(f, ...)
function FSDP:no_sync(f, ...)
  local all, before = wrappers(self), {}
  for i, w in ipairs(all) do before[i], w.require_backward_grad_sync = w.require_backward_grad_sync, false end
  local scope = setmetatable({}, { __close = function()
    for i, w in ipairs(all) do w.require_backward_grad_sync = before[i] end
  end })
  if not f then return scope end
  local _ <close> = scope
  return f(...)
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

-- ---- State dicts ----------------------------------------------------------------------------------------------------

-- kind: 'full', the entries of the module itself, on all ranks or with {rank0_only = true} on rank 0; or 'sharded', this
-- rank's parts, for as many ranks and the same units.
function FSDP:set_state_dict_type(kind, options)
  if kind ~= 'full' and kind ~= 'sharded' then
    arguments.fail('set_state_dict_type', "expects 'full' or 'sharded', got %s", tostring(kind))
  end
  local a = arguments.read('set_state_dict_type', { 'rank0_only' }, 0, options)
  for _, w in ipairs(wrappers(self)) do w.state_type = { kind = kind, rank0_only = a.rank0_only } end
end

-- Puts the whole parameters into their places, in memory of their own.
local function show(self)
  for _, unit in ipairs(self.units) do
    unit.whole = torch.no_grad(unit.gather_into, unit, unit:room())
    unit:fill(native.views(unit.whole, unit.parameters))
  end
end
-- Empties them, and with `keep` takes what they have become.
local function hide(self, keep)
  for _, unit in ipairs(self.units) do
    unit:fill()
    if keep then unit.shard:detach():copy_(unit.whole:chunk(self.process_group:size())[self.process_group:rank() + 1]) end
    unit.whole = nil
  end
end

-- The names of the module's own entries in place of those below this one; `rename` gives nil to drop an entry.
local function rename_entries(dict, prefix, rename)
  local order, renamed = {}, {}
  for key, value in pairs(dict) do
    local new = key
    if key:sub(1, #prefix) == prefix then new = rename(key:sub(#prefix + 1)) end
    if new and new ~= key then new = prefix .. new end
    if new then order[#order + 1], renamed[new] = new, value end
    dict[key] = nil
  end
  for key, value in pairs(renamed) do dict[key] = value end
  getmetatable(dict).order = order
end

local function save_entries(self, dict, prefix)
  local t = self.state_type
  rename_entries(dict, prefix, function(key)
    if key:find('^flat_param_%d+$') or (t.rank0_only and self.process_group:rank() > 0) then return nil end
    return (key:gsub('^module%.', '', 1))
  end)
end

function FSDP:hook_states()
  self:register_state_dict_pre_hook(function(m)
    if m.state_type.kind == 'full' then show(m) end
  end)
  self:register_state_dict_post_hook(function(m, dict, prefix)
    if m.state_type.kind ~= 'full' then return end
    hide(m)
    save_entries(m, dict, prefix)
  end)
  self:register_load_state_dict_pre_hook(function(m, dict, prefix, _, strict)
    if m.state_type.kind ~= 'full' then return end
    show(m)
    m.strict = strict
    rename_entries(dict, prefix, function(key) return 'module.' .. key end)
    for i, unit in ipairs(m.units) do dict[prefix .. 'flat_param_' .. i] = unit.shard:detach() end
  end)
  self:register_load_state_dict_post_hook(function(m, result)
    if m.state_type.kind ~= 'full' then return end
    hide(m, not m.strict or (#result.missing_keys == 0 and #result.unexpected_keys == 0))
  end)
end

function FSDP:load_state_dict(...)
  local results = table.pack(pcall(nn.Module.load_state_dict, self, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  for _, w in ipairs(wrappers(self)) do hide(w) end
  error(results[2], 0)
end

-- ---- State of an optimizer ------------------------------------------------------------------------------------------

-- The one group of an optimizer of `parameters()`, for `count` parameters.
local function groups_for(call, self, o, dict, count)
  if #dict.param_groups ~= 1 or #o.param_groups[1].params ~= #self.units then
    arguments.fail(call, 'expects an optimizer of `fsdp:parameters()`, in one group')
  end
  local group = {}
  for key, value in pairs(dict.param_groups[1]) do group[key] = value end
  group.params = {}
  for i = 1, count do group.params[i] = i end
  return { group }
end

-- Whether a value has a number for each element of the flat parameter; a count is equal on all ranks.
local function is_elementwise(key, value, unit)
  if not torch.is_tensor(value) then return false end
  if value:numel() == unit.shard:numel() then return true end
  arguments.fail('optim_state_dict', "the optimizer's state '%s' is no number for each element of a parameter", key)
end

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- What the state_dict() of an optimizer of the module itself would be. All ranks call it.
function FSDP:optim_state_dict(o)
  local dict, state = o:state_dict(), {}
  for k, unit in ipairs(self.units) do
    local own = dict.state[k]
    for _, number in ipairs(own and unit.numbers or {}) do state[number] = {} end
    for _, key in ipairs(own and sorted_keys(own) or {}) do
      local value, views = own[key], nil
      if is_elementwise(key, value, unit) then
        local whole = unit:room(value.dtype)
        dist.all_gather_into_tensor(whole, value, { group = self.process_group })
        views = native.views(whole, unit.parameters)
      end
      for i, number in ipairs(unit.numbers) do state[number][key] = views and views[i] or value end
    end
  end
  return { state = state, param_groups = groups_for('optim_state_dict', self, o, dict, self.count) }
end

-- Loads such a state into an optimizer of `parameters()`, on any number of ranks.
function FSDP:load_optim_state_dict(o, dict)
  local state, group = {}, self.process_group
  for k, unit in ipairs(self.units) do
    local first = dict.state[unit.numbers[1]]
    state[k] = first and {}
    for key, value in pairs(first or {}) do
      if torch.is_tensor(value) then
        local whole = unit:room(value.dtype):zero_()
        for i, view in ipairs(native.views(whole, unit.parameters)) do view:copy_(dict.state[unit.numbers[i]][key]) end
        value = whole:chunk(group:size())[group:rank() + 1]:clone()
      end
      state[k][key] = value
    end
  end
  o:load_state_dict { state = state, param_groups = groups_for('load_optim_state_dict', self, o, dict, #self.units) }
end

function M.FullyShardedDataParallel(...) return FSDP(...) end

return M
