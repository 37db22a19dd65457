-- Calls every operator, as function and as method, with random arguments: no crash, no error but luth's own, and what an
-- operator in place refuses is unchanged. The rounds are the same every time; `fuzz.lua ROUNDS SEED` runs others.
local rounds, seed = tonumber(arg[1]) or 24, tonumber(arg[2]) or 1
math.randomseed(seed)
torch.manual_seed(seed)
local random = math.random
local function one_of(list) return list[random(#list)] end

local dtypes = {torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int64, torch.int32,
  torch.int16, torch.int8, torch.uint8, torch.bool, torch.bool}
local shapes = {{}, {0}, {1}, {3}, {3}, {3, 3}, {3, 3}, {2, 3}, {3, 2}, {2, 3, 3}, {1, 3}, {2, 0, 3}, {1, 2, 3, 3}, {2, 1, 3, 3, 3}}
local integers = {0, 1, 1, 2, 2, 3, -1, -1, -2, 4, 9, -7, 1 << 50, 1 << 62, math.maxinteger, math.mininteger}
local numbers = {0.0, 0.5, 1.0, -1.5, 3.0, 1e300, -0.0, 1 / 0, -1 / 0, 0 / 0}
local texts = {'', 'mean', 'sum', 'none', 'constant', 'reflect', 'bilinear', 'nearest', 'fro', 'nuc', 'ij', 'ij,jk->ik', 'ii->i', 'same',
  'cpu', 'meta', 'float32', 'replicate', 'circular', 'amax', 'prod', 'tanh', 'left', '\0'}
local names = {'dim', 'dim', 'keepdim', 'dtype', 'input', 'other', 'out', 'index', 'size', 'weight', 'bias', 'mode', 'reduction', 'alpha',
  'value', 'min', 'max', 'stride', 'padding', 'kernel_size', 'output_size', 'requires_grad', 'device', 'generator', 'nosuch', 'p', 'eps'}

local plausible  -- {dtype, shape}: of the tensors of a call that is likely to fit; nil: anything goes
local function tensor()
  local dtype, shape = one_of(dtypes), one_of(shapes)
  if plausible and random(5) > 1 then dtype, shape = plausible[1], plausible[2] end
  local x = (torch.rand(shape, {dtype = torch.float64}) * 6 - 2):to(dtype)
  if x:dim() > 1 and random(4) == 1 then x = x:transpose(1, -1) end
  if x:dim() > 0 and random(8) == 1 then x = x:expand_as(x) end
  if x:dim() > 0 and random(8) == 1 then x = x:unsqueeze(1):expand(2, table.unpack(x:size():tolist())) end
  if x:is_floating_point() and random(6) == 1 then x = x:detach():requires_grad_() end
  return x
end

local value
local makers = {
  tensor, tensor, tensor, tensor,
  function() return one_of(integers) end,
  function() return one_of(integers) end,
  function() return random(3) end,
  function() return one_of(numbers) end,
  function() return one_of(texts) end,
  function() return random(2) == 1 end,
  function() return nil end,
  function() return torch.none end,
  function() return one_of(dtypes) end,
  function() local t = {} for i = 1, random(0, 4) do t[i] = one_of(integers) end return t end,
  function() local t = {} for i = 1, random(1, 3) do t[i] = random(3) end return t end,
  function() local t = {} for i = 1, random(0, 3) do t[i] = tensor() end return t end,
  function() local t = {} for i = 1, random(0, 3) do t[i] = value() end return t end,
  function() return print end,
}
local likely = {
  tensor, tensor, tensor,
  function() return random(3) end,
  function() return random(3) end,
  function() return one_of(numbers) end,
  function() return random(2) == 1 end,
  function() return {random(2), random(2)} end,
  function() return {tensor(), tensor()} end,
  function() return torch.randint(1, 4, one_of(shapes)) end,
}
function value() return one_of(plausible and likely or makers)() end

local function arguments(first)
  local list, n = {first}, first and 1 or 0
  for _ = 1, random(0, 4) do
    n = n + 1
    list[n] = value()
  end
  if random(plausible and 6 or 3) == 1 then
    local named = {}
    for _ = 1, random(3) do named[one_of(names)] = value() end
    n = n + 1
    list[n] = named
  end
  return list, n
end

-- Errors that luth did not mean: a C++ exception's own text, a failed assertion.
local function is_foreign(message)
  if type(message) ~= 'string' then return true end
  for _, bad in ipairs {'std::', 'vector::', 'basic_string', 'bad_alloc', 'bad_', '__', 'map::at', 'stoi', 'unknown exception', 'stack overflow'} do
    if message:find(bad, 1, true) then return true end
  end
end

local calls, fits, found = 0, 0, {}
local function same_values(a, b) return torch.equal(a, b) or torch.allclose(a:double(), b:double(), {rtol = 0, atol = 0, equal_nan = true}) end
local function try(name, f, method)
  for round = 1, rounds do
    plausible = round % 2 == 0 and {one_of(dtypes), one_of(shapes)} or nil
    local list, n = arguments((method or random(4) > 1) and tensor() or nil)
    local before = method and name:sub(-1) == '_' and list[1].device.type == 'cpu' and list[1]:detach():clone()
    if os.getenv('LUTH_FUZZ_TRACE') then
      local shown = {}
      for i = 1, n do
        local v = list[i]
        shown[i] = torch.is_tensor(v) and tostring(v.dtype):gsub('torch.', '') .. '[' .. table.concat(v:size():tolist(), ',') .. ']' or tostring(v)
      end
      io.stderr:write(name, '(', table.concat(shown, ', '), ')\n')
    end
    local ok, message = pcall(f, table.unpack(list, 1, n))
    calls = calls + 1
    if ok then fits = fits + 1
    elseif is_foreign(message) then found[#found + 1] = name .. ', round ' .. round .. ': ' .. tostring(message)
    elseif before and not (tostring(before:size()) == tostring(list[1]:size()) and same_values(before, list[1]:detach())) then
      found[#found + 1] = name .. ', round ' .. round .. ': changed the tensor and then refused: ' .. message
    end
  end
end

-- What changes the session, reads or writes files, or asks for devices is no operator.
local function is_operator(name)
  return not (name:match('^set_') or name:match('^use_') or name:match('^get_') or name:match('^is_') or name:match('seed'))
    and not ({save = 1, load = 1, no_grad = 1, enable_grad = 1, inference_mode = 1, autocast = 1, free = 1, cuda = 1, pin_memory = 1,
      Tester = 1, TestSuite = 1, device = 1, Generator = 1, load_state_dict = 1})[name]
end
local function each(t, f)
  local list = {}
  for name, v in pairs(t) do if type(name) == 'string' and type(v) == 'function' and is_operator(name) then list[#list + 1] = name end end
  table.sort(list)
  for _, name in ipairs(list) do f(name, t[name]) end
end
for _, t in ipairs {torch, torch.nn.functional, rawget(torch, 'linalg') or {}, rawget(torch, 'special') or {}} do each(t, try) end
each(torch.Tensor, function(name, f) try(name, f, true) end)

print(string.format('%d calls, %d of them fitted, %d faults', calls, fits, #found))
assert(calls > 1000)
if #found > 0 then error(table.concat(found, '\n', 1, math.min(#found, 40)), 0) end
