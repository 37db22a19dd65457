-- Methods of FullyShardedDataParallel for states, its own and its optimizer's: that of the undivided module, or this
-- rank's parts.
local M = {}
local native = require 'luth.dist'
local arguments = require 'luth.torch.arguments'
local dist = torch.distributed

-- This module and those of its kind within it.
function M:wrappers()
  local list = {}
  for _, m in self:named_modules() do
    if m.hook_states == M.hook_states then list[#list + 1] = m end
  end
  return list
end

-- ---- State dicts ----------------------------------------------------------------------------------------------------

-- kind: 'full', the entries of the module itself, on all ranks or with {rank0_only = true} on rank 0; or 'sharded', this
-- rank's parts, for as many ranks and the same units.
function M:set_state_dict_type(kind, options)
  if kind ~= 'full' and kind ~= 'sharded' then
    arguments.fail('set_state_dict_type', "expects 'full' or 'sharded', got %s", tostring(kind))
  end
  local a = arguments.read('set_state_dict_type', { 'rank0_only' }, 0, options)
  for _, w in ipairs(self:wrappers()) do w.state_type = { kind = kind, rank0_only = a.rank0_only } end
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

function M:hook_states()
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

function M:load_state_dict(...)
  local results = table.pack(pcall(nn.Module.load_state_dict, self, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  for _, w in ipairs(self:wrappers()) do hide(w) end
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
function M:optim_state_dict(o)
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
function M:load_optim_state_dict(o, dict)
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

return M
