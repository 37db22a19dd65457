-- PyTorch's answers for modules through the Lua face: the cases of tests/golden/nn with dims and indices counted from 1.
-- In float64 constructors get their required arguments by position, in float32 all by name. Printed forms are those of
-- repr.json. A case of a class that nn does not have is named, and an error. `luth tests/lang/nn_golden.lua LSTM` runs
-- the cases of one class.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local folder = root .. '/tests/golden/nn/'
local keys = read.json(read.text(folder .. 'keys.json'))
local only = arg[1]
local device = rawget(_G, 'golden_device') or 'cpu' -- cuda_nn_golden.lua sets it

local counts, skipped, report = {run = 0, skipped = 0, wrong = 0}, {}, {}
local function wrong(id, text)
  counts.wrong = counts.wrong + 1
  if counts.wrong <= 40 then report[#report + 1] = id .. ': ' .. text end
end

-- ---- What a case says, in Lua ----------------------------------------------------------------------------------------

-- The classes and functions that a case needs and luth lacks.
local function lacks(spec)
  if type(spec) ~= 'table' then return nil end
  local name = spec['function'] or spec.module
  if name and not rawget(spec.module and nn or F, name) then return name end
  for _, list in ipairs {spec.args or {}, spec.children or {}} do
    for _, part in pairs(list) do
      local missing = lacks(part)
      if missing then return missing end
    end
  end
end

local construct
-- The value of an argument: a module, a tensor by its label, a list or a plain value.
local function value(j, tensors)
  if type(j) == 'string' and j:sub(1, 1) == '$' then return assert(tensors[j:sub(2)], j) end
  if type(j) == 'table' and j.module then return construct(j, tensors) end
  return j
end
local function named(args, tensors, except)
  local out
  for name, j in pairs(args) do
    if not except[name] then
      out = out or {}
      out[name] = value(j, tensors)
    end
  end
  return out
end

function construct(spec, tensors, by_name)
  local list, given = {}, {}
  for _, child in ipairs(spec.children or {}) do list[#list + 1] = construct(child, tensors, by_name) end
  if spec.module == 'ModuleList' and spec.children then list = {list} end
  for _, name in ipairs(by_name and {} or spec.required) do
    list[#list + 1], given[name] = value(spec.args[name], tensors), true
  end
  list[#list + 1] = named(spec.args, tensors, given)
  return nn[spec.module](table.unpack(list))
end

-- The tensors by label, as luth has them: in `dtype`, indices from 1.
local function tensors_of(case, file, dtype)
  local out = {}
  for label, j in pairs(case.tensors) do
    local x = file.tensor(j.tensor)
    local kind = case.kinds[label]
    if x:is_floating_point() then x = x:to(dtype) end
    if kind == 'index' then x = torch.where(x:ge(0), x + 1, x):to(x.dtype) end
    if case.via ~= 'packed' or kind ~= 'int' then x = x:to(device) end -- lengths stay on the CPU
    if kind == 'x' then x:requires_grad_() end
    out[label] = x
  end
  return out
end

-- The tensor of a label, or the table of a tuple's tensors.
local function input(tensors, label)
  if tensors[label] then return tensors[label] end
  local tuple = {}
  while tensors[label .. '.' .. #tuple + 1] do tuple[#tuple + 1] = tensors[label .. '.' .. #tuple + 1] end
  return tuple
end

-- ---- Calls -----------------------------------------------------------------------------------------------------------

local function call_packed(m, case, list)
  local rnn = rawget(nn.utils, 'rnn')
  local batch_first = case.face.args.batch_first
  local x = table.remove(list, 1)
  local lengths = table.remove(list, 1)
  local out = table.pack(m(rnn.pack_padded_sequence(x, lengths, {batch_first = batch_first, enforce_sorted = false}),
    table.unpack(list)))
  local padded, counted = rnn.pad_packed_sequence(out[1], {batch_first = batch_first})
  return table.pack(padded, counted, table.unpack(out, 2, out.n))
end

local function call(m, case, tensors)
  local list = {}
  for i = 1, case.inputs do list[i] = input(tensors, 'in.' .. i) end
  local via = case.via
  if via == 'packed' then return call_packed(m, case, list) end
  if via == 'steps' or via == 'train_eval' then
    for i = 1, #list - 1 do m(list[i]) end
    if via == 'train_eval' then m:eval() end
    return table.pack(m(list[#list]))
  end
  if via == 'log_softmax' then list[1] = torch.log_softmax(list[1], -1) else assert(via == 'call', via) end
  list[#list + 1] = named(case.face_kwargs, tensors, {})
  return table.pack(m(table.unpack(list)))
end

-- ---- Comparing -------------------------------------------------------------------------------------------------------

local tolerances = {[torch.float64] = {1e-9, 1e-11}, [torch.float32] = {1e-4, 1e-5}}
-- PyTorch multiplies the gradient by 1/6 in float32, whatever the dtype.
local inexact = {Hardsigmoid = {1e-7, 1e-11}}

local function differs(got, want, tolerance)
  if not torch.is_tensor(got) then return 'got ' .. tostring(got) .. ', want a tensor' end
  if tostring(got:size()) ~= tostring(want:size()) then
    return 'shape ' .. tostring(got:size()) .. ', want ' .. tostring(want:size())
  end
  if got.dtype ~= want.dtype then return tostring(got.dtype) .. ', want ' .. tostring(want.dtype) end
  if want:numel() == 0 then return end
  local rtol, atol = table.unpack(tolerance)
  got, want = got:detach():cpu():double(), want:detach():cpu():double()
  local size = want:abs()
  local limit = (size + size:max():item()) * rtol + atol
  local fits = (got - want):abs():le(limit) | got:eq(want) | (got:isnan() & want:isnan())
  if not fits:all() then
    local at = fits:reshape(-1):logical_not():nonzero()[1]:item()
    return ('element %d is %.12g, want %.12g'):format(at, got:reshape(-1)[at]:item(), want:reshape(-1)[at]:item())
  end
end

-- Tensors of nested tables by the labels of the case: 'out.2.1'.
local function flat(values, label, into)
  if torch.is_tensor(values) then into[label] = values end
  for i, v in pairs(type(values) == 'table' and values or {}) do
    if i ~= 'n' then flat(v, label .. '.' .. i, into) end
  end
  return into
end

local function with_prefix(tensors, prefix)
  local out = {}
  for label, x in pairs(tensors) do
    if label:sub(1, #prefix) == prefix then out[label:sub(#prefix + 1)] = x end
  end
  return out
end

local function check_results(case, tensors, results, tolerance)
  for label, want in pairs(with_prefix(tensors, 'out.')) do
    local why = differs(results['out.' .. label], want, tolerance)
    if why then return 'out.' .. label .. ': ' .. why end
  end
  for label in pairs(results) do
    if not tensors[label] then return label .. ' came, which PyTorch does not give' end
  end
end

local function check_gradients(m, tensors, results, tolerance)
  local roots, cotangents = {}, {}
  for label, cotangent in pairs(with_prefix(tensors, 'cot.')) do
    roots[#roots + 1], cotangents[#cotangents + 1] = results['out.' .. label], cotangent
  end
  if #roots > 0 then torch.autograd.backward(roots, cotangents) end
  local parameters, state = {}, {}
  if torch.isinstance(m, nn.Module) then
    state = m:state_dict({base = 0})
    for name, p in m:named_parameters() do
      local of_pytorch = ('.' .. name .. '.'):gsub('%.(%d+)%f[.]', function(n) return '.' .. n - 1 end):sub(2, -2)
      parameters[of_pytorch] = p
    end
  end
  for label, want in pairs(with_prefix(tensors, 'grad.')) do
    local of = tensors[label] or assert(parameters[label], label)
    -- an input that the last forward did not see has zeros
    local why = differs(of.grad or tensors[label] and torch.zeros_like(want), want, tolerance)
    if why then return 'grad.' .. label .. ': ' .. why end
  end
  for name, want in pairs(with_prefix(tensors, 'after.')) do
    local why = differs(state[name], want, tolerance)
    if why then return name .. ' after the call: ' .. why end
  end
end

-- ---- Cases -----------------------------------------------------------------------------------------------------------

local function check_keys(m, case)
  local number = tonumber(case.id:match('%.(%d+)$'))
  local want = keys[case.module] and keys[case.module][number] or {face_keys = {}}
  local got = {}
  for name in pairs(m:state_dict()) do got[#got + 1] = name end
  got, want = table.concat(got, ' '), table.concat(want.face_keys, ' ')
  if got ~= want then return 'state dict has ' .. got .. ', want ' .. want end
end

local function check(case, file, dtype)
  local tensors = tensors_of(case, file, dtype)
  local m
  if case['function'] then
    m = F[case['function']]
  else
    m = construct(case.face, tensors, dtype == torch.float32)
    m:train(case.mode == 'train')
    m:to(device)
    local state = with_prefix(tensors, 'state.')
    if next(state) then m:load_state_dict(state, {base = 0}) end
    local why = check_keys(m, case)
    if why then return why end
  end
  local tolerance = dtype == torch.float64 and inexact[case.module] or tolerances[dtype]
  local results = flat(call(m, case, tensors), 'out', {})
  return check_results(case, tensors, results, tolerance) or check_gradients(m, tensors, results, tolerance)
end

local function run(case, file)
  counts.run = counts.run + 1
  for dtype in pairs(tolerances) do
    torch.set_default_dtype(dtype)
    local ok, why = pcall(check, case, file, dtype)
    if not ok or why then wrong(case.id .. ' in ' .. tostring(dtype), tostring(why)) end
  end
end

for _, family in ipairs {'attention', 'conv', 'loss', 'norm', 'other', 'pool', 'rnn'} do
  local file = read.file(folder .. 'modules-' .. family .. '.h5')
  for _, case in ipairs(file.cases) do
    local missing = lacks(case.face) or case.via == 'packed' and not rawget(nn.utils, 'rnn') and 'nn.utils.rnn'
    if only and only ~= (case.module or case['function']) then  -- another class
    elseif missing then
      counts.skipped = counts.skipped + 1
      skipped[missing] = (skipped[missing] or 0) + 1
    else
      run(case, file)
    end
  end
end

-- ---- Printed forms ---------------------------------------------------------------------------------------------------

-- PyTorch's text with positions from 1: names of children and dims.
local function from_one(text)
  text = text:gsub('%((%d+)%): ', function(n) return ('(%d): '):format(n + 1) end)
  text = text:gsub('%((%d+)%-(%d+)%): ', function(a, b) return ('(%d-%d): '):format(a + 1, b + 1) end)
  for _, name in ipairs {'dim', 'start_dim', 'end_dim', 'padding_idx'} do
    text = text:gsub('%f[%w_]' .. name .. '=(%d+)', function(n) return name .. '=' .. n + 1 end)
  end
  return text
end

local function first_difference(got, want)
  local lines, n = {}, 0
  for line in got:gmatch('[^\n]+') do lines[#lines + 1] = line end
  for line in want:gmatch('[^\n]+') do
    n = n + 1
    if line ~= lines[n] then return tostring(lines[n]), line end
  end
  return tostring(lines[n + 1]), 'nothing more'
end

local printed, unprinted = 0, 0
torch.set_default_dtype(torch.float32)
for _, case in ipairs(read.json(read.text(folder .. 'repr.json'))) do
  if only and only ~= case.module then  -- another class
  elseif lacks(case) then
    unprinted = unprinted + 1
  else
    printed = printed + 1
    local _, got = pcall(function() return tostring(construct(case, {}, true)) end)
    local want = from_one(case['repr'])
    if got ~= want then wrong('printing ' .. case.module, ('%s, want %s'):format(first_difference(got, want))) end
  end
end

local names = {}
for name, n in pairs(skipped) do names[#names + 1] = name .. ' ' .. n end
table.sort(names)
print(('%d cases, %d wrong answers; skipped for want of their class: %d'):format(counts.run, counts.wrong, counts.skipped))
print(('%d printed forms; skipped: %d'):format(printed, unprinted))
if #names > 0 then print(table.concat(names, ', ')) end
assert(only or counts.run == 539, 'cases are missing')
if counts.wrong > 0 then error(table.concat(report, '\n'), 0) end
