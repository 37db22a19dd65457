-- PyTorch's answers through the Lua face: the calls of tests/golden by position, by name, as methods and in place, with
-- dims and indices counted from 1 (tests/golden/onebased.json). Values of every dtype and gradients are compared in C++
-- (tests/registry/golden_test.cpp); here it is the calls that are tested, so one dtype of each kind does.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local golden = root .. '/tests/golden/'
local index = read.json(read.text(golden .. 'ops.json'))
local onebased = read.json(read.text(golden .. 'onebased.json'))

-- Samples that may fail, as the tests in C++ have them: globs of ids.
local may_fail = {}
for line in io.lines(golden .. 'allow.txt') do
  local glob = line:match('^([^#]%S*) ')
  if glob then may_fail[#may_fail + 1] = '^' .. glob:gsub('[%.%-%+]', '%%%0'):gsub('%*', '.*') .. '$' end
end
local function allowed(id)
  for _, pattern in ipairs(may_fail) do if id:find(pattern) then return true end end
end
-- Forms that luth lacks: 'name', 'name_', or the id of a sample; true once it was found to be lacking.
local no_form = {}
for line in io.lines(golden .. 'forms.txt') do
  local name = line:match('^([^#]%S*) ')
  if name then no_form[name] = false end
end
local function lacks(name)
  if no_form[name] == nil then return false end
  no_form[name] = true
  return true
end

local report, counts = {}, {calls = 0, wrong = 0}
local function wrong(id, form, text)
  counts.wrong = counts.wrong + 1
  if counts.wrong <= 40 then report[#report + 1] = id .. ' ' .. form .. ': ' .. text end
end

local function shifted(kind, v)
  if kind == nil or kind == 'end' or kind == 'origin' or v == torch.none then return v end
  if kind == 'dim-lists' and type(v) ~= 'table' then return v end
  if math.type(v) == 'integer' then return v >= 0 and v + 1 or v end
  if torch.is_tensor(v) then
    if v.dtype == torch.bool or v:is_floating_point() then return v end
    return torch.where(v:ge(0), v + 1, v):to(v.dtype)
  elseif type(v) == 'table' then
    local list = {}
    for i, item in ipairs(v) do list[i] = shifted(kind == 'dim-lists' and 'dim' or kind, item) end
    return list
  end
  return v
end

-- What a JSON value is in Lua; `memo` keeps tensors with an id.
local function value(file, j, memo)
  if type(j) ~= 'table' then return j end
  if j.tensor then
    local id = j.tensor.id
    if id and memo[id] then return memo[id] end
    local x = file.tensor(j.tensor)
    if j.tensor.requires_grad then x:requires_grad_() end
    if id then memo[id] = x end
    return x
  end
  if j.dtype then return torch[j.dtype] end
  if j.float then return ({nan = 0 / 0, inf = 1 / 0, ['-inf'] = -1 / 0})[j.float] end
  local list = {}
  for i, item in ipairs(j) do list[i] = value(file, item, memo) end
  return list
end

local function same(got, want, kind, skip_values)
  if torch.is_tensor(want) then
    if not torch.is_tensor(got) then
      if want:dim() == 0 and type(got) ~= 'table' and got == want:item() then return end
      return 'got ' .. tostring(got) .. ', want a tensor'
    end
    if tostring(got:size()) ~= tostring(want:size()) then
      return 'shape ' .. tostring(got:size()) .. ', want ' .. tostring(want:size())
    end
    if got.dtype ~= want.dtype then return tostring(got.dtype) .. ', want ' .. tostring(want.dtype) end
    want = shifted(kind, want)
    if skip_values then return end
    if not torch.allclose(got:detach():double(), want:double(), {rtol = 2e-3, atol = 2e-3, equal_nan = true}) then
      return 'values ' .. tostring(got:reshape(-1):tolist()[1]) .. ' ..., want ' .. tostring(want:reshape(-1):tolist()[1])
    end
  elseif type(want) == 'table' then
    local list = torch.is_tensor(got) and got:tolist() or got
    if type(list) ~= 'table' and type(list) ~= 'userdata' then return 'got ' .. tostring(got) .. ', want a list' end
    for i, w in ipairs(want) do
      if list[i] ~= w then return 'element ' .. i .. ' is ' .. tostring(list[i]) .. ', want ' .. tostring(w) end
    end
  elseif want ~= want then
    if got == got then return 'got ' .. tostring(got) .. ', want nan' end
  elseif got ~= want and not (type(got) == 'number' and type(want) == 'number' and math.abs(got - want) < 1e-4) then
    return 'got ' .. tostring(got) .. ', want ' .. tostring(want)
  end
end

-- Indices are not unique where elements are equal, vectors only up to a sign.
local ties = {sort = 1, topk = 1, median = 1, nanmedian = 1, mode = 1, kthvalue = 1, cummax = 1, cummin = 1, argsort = 1, msort = 1}
local gauge = {svd = 1, ['linalg.svd'] = 1, ['linalg.eigh'] = 1, ['linalg.qr'] = 1, geqrf = 1, ['linalg.polar'] = 1}

local function check(sample, file, form, call)
  counts.calls = counts.calls + 1
  local results = table.pack(pcall(call))
  if not results[1] then return wrong(sample.id, form, tostring(results[2])) end
  table.remove(results, 1)
  local got = results
  if #sample.outs > 1 and type(results[1]) == 'table' or #sample.outs == 0 then got = results[1] end
  if #sample.outs == 1 and type(results[1]) == 'table' and sample.outs[1].tensor then got = results[1] end
  local kinds = (onebased[sample.op] or {}).outs or {}
  for i, j in ipairs(sample.outs) do
    local kind = kinds[tostring(i - 1)] or kinds['*']
    if kind == 'index-if-return_inverse' then
      kind = nil
      for _, pair in ipairs(sample.named) do if pair[1] == 'return_inverse' and pair[2] == true then kind = 'index' end end
    end
    local why = same(got[i], value(file, j, {}), kind, gauge[sample.op] or ties[sample.op] and kind)
    if why then return wrong(sample.id, form, 'result ' .. i .. ': ' .. why) end
  end
end

local function resolve(name)
  local t = torch
  for part in name:gmatch('[^%.]+') do
    local ok, v = pcall(function() return t[part] end)
    if not ok then return nil end
    t = v
  end
  return t
end
local probe = torch.zeros(2, 2)
local function has_method(name) return (pcall(function() return probe[name] end)) end

-- The forms that PyTorch has.
local function check_forms(op, about)
  local names = {op}
  for _, alias in ipairs(about.aliases) do names[#names + 1] = alias:gsub('^torch%.', '') end
  for i, name in ipairs(names) do
    local plain = not name:find('.', 1, true)
    if (i > 1 and (not plain or about['function'])) or i == 1 and about['function'] then
      if resolve(name) == nil and not lacks(name) then wrong(op, 'function', 'no torch.' .. name) end
    end
    if plain and about.method and not has_method(name) and not lacks(name) then wrong(op, 'method', 'no x:' .. name) end
    if plain and about.inplace and not has_method(name:gsub('_$', '') .. '_') and not lacks(name .. '_') then
      wrong(op, 'in place', 'no x:' .. name .. '_')
    end
  end
end

local function run(sample, file)
  local shifts = (onebased[sample.op] or {}).args or {}
  local about = index[sample.op]
  -- fresh values for each call, so that what works in place harms no other
  local function arguments()
    local memo, list = {}, {}
    for i, pair in ipairs(sample.named) do
      local v = value(file, pair[2], memo)
      if pair[1] == 'output_size' and type(v) == 'table' then  -- None is the extent that is there, which luth calls -1
        for k, n in ipairs(v) do v[k] = n == torch.none and -1 or n end
      end
      list[i] = {pair[1], shifted(shifts[pair[1]], v)}
    end
    return list
  end
  local function named(list, from)
    local t = {}
    for i = from, #list do t[list[i][1]] = list[i][2] end
    return next(t) and t or nil
  end
  -- the tensor whose method it is, taken out of the list: `input`, or the first argument
  local function owner(list)
    for i, a in ipairs(list) do
      if a[1] == 'input' then return table.remove(list, i)[2] end
    end
    return table.remove(list, 1)[2]
  end
  local f = about['function'] and resolve(sample.op)
  if sample.form == 'function' and f then
    if sample.star then
      check(sample, file, 'with its list spread', function()
        local list, positions, rest = arguments(), {}, {}
        for _, a in ipairs(list) do
          if a[1] == sample.star then for _, x in ipairs(a[2]) do positions[#positions + 1] = x end
          elseif a[1] == 'equation' then table.insert(positions, 1, a[2])
          else rest[a[1]] = a[2] end
        end
        if next(rest) then positions[#positions + 1] = rest end
        return f(table.unpack(positions))
      end)
    else
      check(sample, file, 'by name', function() return f(named(arguments(), 1)) end)
      if #sample.args > 0 then
        check(sample, file, 'by position', function()
          local list, positions = arguments(), {}
          local n = math.min(#sample.args, #list)
          for i = 1, n do positions[i] = list[i][2] end
          positions[n + 1] = named(list, n + 1)
          return f(table.unpack(positions, 1, n + 1))
        end)
      end
    end
  end
  local first = sample.named[1] and sample.named[1][2]
  for _, pair in ipairs(sample.named) do if pair[1] == 'input' then first = pair[2] end end
  if sample.form == 'property' then
    check(sample, file, 'as property', function() return arguments()[1][2][sample.op] end)
  elseif about.method and type(first) == 'table' and first.tensor then
    check(sample, file, 'as method', function()
      local list = arguments()
      local x = owner(list)
      return x[sample.op](x, named(list, 1))
    end)
  end
  local out = sample.outs[1]
  if about.inplace and type(first) == 'table' and first.tensor and #sample.outs == 1 and out.tensor and not first.tensor.requires_grad
      and out.tensor.dtype == first.tensor.dtype and table.concat(out.tensor.shape, ',') == table.concat(first.tensor.shape, ',')
      and has_method(sample.op .. '_') then
    check(sample, file, 'in place', function()
      local list = arguments()
      local x = owner(list):clone()
      local y = x[sample.op .. '_'](x, named(list, 1))
      assert(y == x, 'gives another tensor')
      return y
    end)
  end
end

local only = arg[1]
local files, order = {}, {}
for op, about in pairs(index) do
  if not only or only == op then
    check_forms(op, about)
    files[about.file] = files[about.file] or {}
    files[about.file][op] = about
  end
end
for name in pairs(files) do order[#order + 1] = name end
table.sort(order)
for _, name in ipairs(order) do
  local file = read.file(golden .. name)
  for _, sample in ipairs(file.samples) do
    local about = files[name][sample.op]
    local dtype = sample.dtype
    local taken = dtype == 'float64' or dtype == 'int64' or dtype == 'bool' or dtype == torch.none
        or about and not (about.samples.float64 or about.samples.int64)
    if about and taken and not allowed(sample.id) and not lacks(sample.id) then run(sample, file) end
  end
end
for name, found in pairs(no_form) do
  if not found and not only then wrong(name, 'form', 'it is there; take it out of tests/golden/forms.txt') end
end
print(counts.calls .. ' calls, ' .. counts.wrong .. ' wrong')
assert(only or counts.calls > 10000, 'goldens were not found')
if counts.wrong > 0 then error(table.concat(report, '\n'), 0) end
