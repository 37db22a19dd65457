-- nn.DataParallel: one process, several GPUs. Each call copies the parameters to all of them; the copies are part of the
-- graph, so gradients arrive on the first, added up.
local M = {}
local arguments = require 'luth.torch.arguments'
local parallel = require 'luth.torch.parallel'

local DataParallel = nn.class('DataParallel')
local function fail(...) arguments.fail('DataParallel', ...) end

local function is_plain(value) return type(value) == 'table' and getmetatable(value) == nil end

local function device_of(id) return parallel.gpu_of('DataParallel', id) end

function DataParallel:init(module, options)
  local a = arguments.read('DataParallel', { 'module', 'device_ids', 'output_device', 'dim' }, 1, module, options)
  self.module, self.dim, self.devices = a.module, a.dim or 1, {}
  self:register_load_state_dict_pre_hook(parallel.add_prefix)
  if not torch.cuda.is_available() then return end
  local ids = a.device_ids or {}
  if not a.device_ids then
    for i = 0, torch.cuda.device_count() - 1 do ids[i + 1] = i end
  end
  for i, id in ipairs(ids) do self.devices[i] = device_of(id) end
  if not self.devices[1] then fail('device_ids is empty') end
  self.output_device = a.output_device and device_of(a.output_device) or self.devices[1]
end

-- ---- Parts of the arguments, and whole results -----------------------------------------------------------------------

-- How many parts the tensors of a value make; nothing where there is none.
local function count_parts(value, dim, most)
  if torch.is_tensor(value) then
    if value:dim() == 0 then fail('a tensor without dims cannot be divided; give a number') end
    return #value:chunk(most, dim)
  end
  local count
  if is_plain(value) then
    for _, v in pairs(value) do
      local n = count_parts(v, dim, most)
      count = n and math.min(n, count or n) or count
    end
  end
  return count
end

-- Part i of the tensors of a value, on the device; the rest as it is.
local function part_of(value, dim, most, i, device)
  if torch.is_tensor(value) then return value:chunk(most, dim)[i]:to(device, { non_blocking = true }) end
  if not is_plain(value) then return value end
  local out = {}
  for key, v in pairs(value) do out[key] = part_of(v, dim, most, i, device) end
  return out
end

-- One result of the devices' results. Tensors without dims become a vector.
local function gather(results, dim, device)
  local first, all = results[1], {}
  if torch.is_tensor(first) then
    for i, r in ipairs(results) do all[i] = (r:dim() == 0 and r:unsqueeze(1) or r):to(device) end
    return torch.cat(all, first:dim() == 0 and 1 or dim)
  elseif is_plain(first) then
    for key in pairs(first) do
      local list = {}
      for i, r in ipairs(results) do list[i] = r[key] end
      all[key] = gather(list, dim, device)
    end
    return all
  end
  return first
end

-- ---- A call ----------------------------------------------------------------------------------------------------------

-- The tensors of the module on the device, by name; on the first device they are its own.
local function copies_of(module, device)
  local own = {}
  for name, t in module:named_parameters { remove_duplicate = false } do own[name] = t:to(device, { non_blocking = true }) end
  for name, t in module:named_buffers { remove_duplicate = false } do own[name] = t:to(device, { non_blocking = true }) end
  return own
end

function DataParallel:check_devices()
  for _, list in ipairs { self.module:named_parameters(), self.module:named_buffers() } do
    for name, t in list do
      if t.device ~= self.devices[1] then
        fail("the module is on %s, the first of device_ids, and its '%s' is on %s: call :to('%s')", tostring(self.devices[1]),
          name, tostring(t.device), tostring(self.devices[1]))
      end
    end
  end
end

function DataParallel:forward(...)
  if not self.devices[1] then return self.module(...) end
  self:check_devices()
  local args = { ... }
  local count = count_parts(args, self.dim, #self.devices) or 1
  local results = {}
  for i = 1, count do
    local device = self.devices[i]
    local _ <close> = torch.cuda.device(device)
    local part = part_of(args, self.dim, #self.devices, i, device)
    if i == 1 then
      results[i] = table.pack(self.module(table.unpack(part)))
    else
      results[i] = table.pack(torch.func.functional_call(self.module, copies_of(self.module, device), part))
    end
  end
  local n = results[1].n
  for i = 1, count do results[i].n = nil end
  return table.unpack(gather(results, self.dim, self.output_device), 1, n)
end

function M.DataParallel(...) return DataParallel(...) end

return M
