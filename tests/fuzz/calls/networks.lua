-- Programs of modules: the cases of tests/golden/nn, some of their settings changed; forward, backward, hooks, state dicts.
local values = require 'values'
local random, one_of, chance = math.random, values.one_of, values.chance
local M = {}

local root = debug.getinfo(1, 'S').source:match('^@(.*)/') .. '/../../..'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'

local cases = {}
for _, family in ipairs {'attention', 'conv', 'loss', 'norm', 'other', 'pool', 'rnn'} do
  local file = read.file(root .. '/tests/golden/nn/modules-' .. family .. '.h5')
  for _, case in ipairs(file.cases) do
    if case.face and rawget(nn, case.face.module) then
      local inputs = {}
      for label, j in values.sorted(case.tensors) do
        if label:find('^in%.') or label:find('^%$') or not label:find('%.') then
          local x = file.tensor(j.tensor)
          inputs[label] = case.kinds[label] == 'index' and torch.where(x:ge(0), x + 1, x):to(x.dtype) or x
        end
      end
      cases[#cases + 1] = {face = case.face, inputs = inputs, count = case.inputs, named = case.face_kwargs or {}}
    end
  end
end
M.cases = cases

-- ---- Construction ----------------------------------------------------------------------------------------------------

local function setting(v, inputs)
  if type(v) == 'string' and v:sub(1, 1) == '$' then return inputs[v:sub(2)] end
  if type(v) == 'table' and v.module then return M.construct(v, inputs, pcall) end
  if random(24) > 1 then return v end
  if type(v) == 'boolean' then return not v end
  if math.type(v) == 'integer' then return values.of_kind(chance(3) and 'ints' or 'integer') end
  if math.type(v) == 'float' then return values.of_kind('number') end
  return values.value()
end

--- The module of a specification, or nil; call makes the calls: pcall, or one that counts.
function M.construct(spec, inputs, call)
  local list, given, named = {}, {}, nil
  for _, child in ipairs(spec.children or {}) do list[#list + 1] = M.construct(child, inputs, pcall) end
  if spec.module == 'ModuleList' and spec.children then list = {list} end
  for _, name in ipairs(spec.required or {}) do
    list[#list + 1], given[name] = setting(spec.args[name], inputs), true
  end
  for name, v in values.sorted(spec.args) do
    if not given[name] then
      named = named or {}
      named[name] = setting(v, inputs)
    end
  end
  list[#list + 1] = named
  local ok, m = call(nn[spec.module], table.unpack(list))
  return ok and m or nil
end

-- ---- What is done with them ------------------------------------------------------------------------------------------

local function input(case, label, dtype)
  local x = case.inputs[label]
  if not x then
    local tuple = {}
    while case.inputs[label .. '.' .. #tuple + 1] do tuple[#tuple + 1] = input(case, label .. '.' .. #tuple + 1, dtype) end
    return tuple
  end
  if chance(24) then return values.value() end
  x = x:is_floating_point() and x:to(dtype) or x:clone()
  if chance(4) then x = values.relaid(x) end
  if x:dim() > 0 and chance(8) then
    local dim = random(x:dim())
    x = x:narrow(dim, 1, random(0, math.min(1, x:size(dim))))
  end
  if x:is_floating_point() and chance(2) then x = x:detach():requires_grad_() end
  return x
end

--- Arguments of the module's call.
function M.inputs(case, dtype)
  local list, named = {}, nil
  for i = 1, case.count do list[i] = input(case, 'in.' .. i, dtype) end
  for name, v in values.sorted(case.named) do
    named = named or {}
    named[name] = setting(v, case.inputs)
  end
  list[case.count + 1] = named
  return list, case.count + (named and 1 or 0)
end

local function call(run, m, case, dtype)
  local list, n = M.inputs(case, dtype)
  for i = 1, n do run:keep(list[i]) end
  return run:call(torch.typename(m), m, table.unpack(list, 1, n))
end

local hook_names = {'register_forward_hook', 'register_forward_pre_hook', 'register_full_backward_hook',
  'register_full_backward_pre_hook', 'register_state_dict_pre_hook', 'register_state_dict_post_hook',
  'register_load_state_dict_pre_hook', 'register_load_state_dict_post_hook'}
local methods = {'parameters', 'buffers', 'children', 'modules', 'named_parameters', 'named_buffers', 'named_modules', 'named_children',
  'zero_grad', 'requires_grad_', 'half', 'double', 'float', 'bfloat16', 'cpu', 'eval', 'train', 'clone', 'reset_parameters', 'extra_repr',
  'get_submodule', 'get_parameter', 'get_buffer', 'add_module', 'register_buffer', 'register_parameter', 'append', 'insert', 'extend', 'pop',
  'type', 'to', 'apply', 'share_memory', 'flatten_parameters', 'all_weights', 'load_state_dict', 'set_extra_state', 'get_extra_state'}
M.methods = methods

-- A state dict, some of whose tensors have another shape, dtype or name.
local function changed_state(state)
  local out = {}
  for name, v in pairs(state) do
    if random(6) > 1 then out[chance(16) and name .. 'x' or name] = chance(12) and values.value() or v end
  end
  return out
end

local utils = {'weight_norm', 'spectral_norm', 'clip_grad_norm_', 'clip_grad_value_', 'parameters_to_vector', 'vector_to_parameters',
  'get_total_norm', 'remove_weight_norm', 'remove_spectral_norm', 'fuse_conv_bn_eval', 'skip_init'}

local steps = {
  function(run, m) run:method(m, one_of(hook_names), values.callback(run.pool)) end,
  function(run, m) run:method(m, chance(2) and 'train' or 'eval') end,
  function(run, m) run:call('tostring', tostring, m) end,
  function(run, m)
    local ok, copy = run:method(m, 'clone')
    if ok then run:call('load_state_dict', function() return m:load_state_dict(copy:state_dict()) end) end
  end,
  function(run, m)
    local ok, state = run:method(m, 'state_dict')
    if ok then run:method(m, 'load_state_dict', changed_state(state), {strict = chance(2)}) end
  end,
  function(run, m) run:method(m, one_of(methods), values.value({torch.float32, {3}})) end,
  function(run, m) run:method(m, 'apply', values.callback(run.pool)) end,
  function(run, m)
    local f = rawget(nn.utils, one_of(utils))
    if f then run:call('nn.utils', f, chance(2) and m or m:parameters(), values.value()) end
  end,
  function(run, m)
    for name, p in pairs(m:state_dict()) do
      if chance(3) then run:call('assign ' .. name, function() m[name] = chance(2) and nn.Parameter(values.tensor()) or values.value() end) end
      run:keep(p)
    end
  end,
  function(run) run:call('harm', values.harm, run.pool) end,
  function(run) run:backward() end,
}

--- A module that a program has made, or nil.
function M.make(run)
  local case = one_of(cases)
  local m = M.construct(case.face, case.inputs, function(f, ...) return run:call(case.face.module, f, ...) end)
  return m, case
end

function M.program(run)
  local m, case = M.make(run)
  if not m then return end
  local dtype = one_of(values.floats)
  if dtype ~= torch.float32 or chance(4) then run:method(m, 'to', dtype) end
  for _ = 1, random(4) do
    if chance(2) then one_of(steps)(run, m) end
    call(run, m, case, dtype)
    if chance(2) then run:backward() end
  end
end

return M
