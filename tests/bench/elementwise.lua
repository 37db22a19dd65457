-- Nanoseconds per element of every elementwise operator, for each dtype that it takes: the first sample of its
-- description with 64 Ki elements, processor time, best of several runs, one thread.
--   LUTH_CPU_ISA=v3 luth tests/bench/elementwise.lua [pattern of names]
local registry = require 'luth.registry'
torch.set_num_threads(1)
local n, dtypes = 65536, { 'float32', 'bfloat16', 'float64', 'uint8', 'int32', 'int64', 'bool' }
local pattern = arg and arg[1] or '.'

-- An input of `n` elements: a sample's own values again and again, or drawn between its bounds. Numbers stay.
local function input(given, dtype)
  if type(given) ~= 'table' or not given.shape then
    if not torch.is_tensor(given) or given:numel() == 0 then return given end
    given = given:flatten()
    return given:tile(math.ceil(n / given:numel())):narrow(1, 1, n):to(dtype):contiguous()
  end
  local x = torch.rand(n, { dtype = torch.float64 }) * (given.hi - given.lo) + given.lo
  if not dtype.is_floating_point then x = (x * 10):abs() + 1 end
  return x:to(dtype)
end

local function best_time(f)
  local best = math.huge
  for _ = 1, 5 do
    local start = os.clock()
    for _ = 1, 4 do f() end
    best = math.min(best, (os.clock() - start) / 4)
  end
  return best / n * 1e9
end

local function measure(name, f, sample)
  local row = {}
  for i, dtype in ipairs(dtypes) do
    local called, time = pcall(function()
      local inputs = {}
      for k, given in ipairs(sample.inputs) do inputs[k] = input(given, torch[dtype]) end
      if next(sample.attributes) then inputs[#inputs + 1] = sample.attributes end
      local _ <close> = torch.no_grad()
      return best_time(function() f(table.unpack(inputs)) end)
    end)
    row[i] = called and ('%9.2f'):format(time) or ('%9s'):format('-')
  end
  print(('%-32s'):format(name) .. table.concat(row))
end

local function find(path)
  local value = _G
  for part in path:gmatch('[^.]+') do value = value and value[part] end
  return value
end

print(('%-32s'):format('ns per element') .. (('%9s'):rep(#dtypes)):format(table.unpack(dtypes)))
for _, face in ipairs(registry.faces()) do
  local form = face.forms[1]
  local f = not face.inplace and form.elementwise and not form.view and face.name:find(pattern) and face.is_function and
    find((face.prefix .. face.name):gsub('x:', 'torch.'):gsub('^F%.', 'F.'))
  local sample = f and registry.samples(face.name, 1)[1]
  if sample then measure(face.name, f, sample) end
end
