-- The calls of programs: each is counted, and its error or results are held against the rules.
local values = require 'values'

local Run = {}
Run.__index = Run
local M = {}

--- A run of programs. show: print each call before it is made.
function M.new(show)
  return setmetatable({show = show, calls = 0, fits = 0, faults = {}, without_name = {}, seed = 0, area = '',
    pool = {}}, Run)
end

-- Errors that luth did not mean: a C++ exception's own text, a failed assertion.
local foreign = {'std::', 'vector::', 'basic_string', 'bad_alloc', 'bad_cast', 'bad_any', 'bad_function', 'bad_variant', 'bad_optional', '__', 'map::at', 'stoi', 'unknown exception', 'stack overflow'}
function M.is_foreign(message)
  if type(message) ~= 'string' then return true end
  for _, bad in ipairs(foreign) do
    if message:find(bad, 1, true) then return true end
  end
end

local function shown(v, deep)
  if torch.is_tensor(v) then
    local ok, text = pcall(function()
      return tostring(v.dtype):gsub('torch.', '') .. '[' .. table.concat(v:size():tolist(), ',') .. ']' ..
        (v:is_contiguous() and '' or '/' .. table.concat(v:stride(), ',')) .. (v.requires_grad and '*' or '')
    end)
    return ok and text or 'tensor(?)'
  elseif type(v) == 'table' and not getmetatable(v) and not deep then
    local parts = {}
    for k, e in pairs(v) do parts[#parts + 1] = (type(k) == 'string' and k .. ' = ' or '') .. shown(e, true) end
    return '{' .. table.concat(parts, ', ') .. '}'
  end
  return type(v) == 'string' and ('%q'):format(v) or (tostring(v):gsub('\n%s*', ' '))
end
function M.arguments_text(list, n)
  local parts = {}
  for i = 1, n do parts[i] = shown(list[i]) end
  return table.concat(parts, ', ')
end

function Run:fault(text)
  local line = ('seed %d, %s: %s'):format(self.seed, self.area, (text:gsub('\n', '\n  ')))
  self.faults[#self.faults + 1] = line
  io.stdout:write('fault: ', line, '\n')
  io.stdout:flush()
end

-- An error that does not say what failed: one line a name.
function Run:nameless(name, message)
  if self.without_name[name] then return end
  self.without_name[name] = message
  self:fault('an error without the name of ' .. name .. ': ' .. message)
end

-- Keeps tensors for later calls, as long as they are small.
function Run:keep(v)
  if torch.is_tensor(v) then
    local ok, n = pcall(v.numel, v)
    if not ok or n > values.most_elements then return end
    local pool = self.pool
    if #pool < 8 then pool[#pool + 1] = v else pool[math.random(8)] = v end
  elseif type(v) == 'table' and not getmetatable(v) then
    for i = 1, math.min(#v, 3) do self:keep(v[i]) end
  end
end

-- What a call returned, after pcall's answer.
function Run:finish(name, ok, ...)
  if ok then
    self.fits = self.fits + 1
    for i = 1, math.min(select('#', ...), 4) do self:keep((select(i, ...))) end
  elseif type((...)) == 'string' and M.is_foreign((...)) then
    self:fault(name .. ' says: ' .. (...))
  end
  if self.show then io.stderr:write('  ', ok and '-> ' or '!! ', M.arguments_text({...}, select('#', ...)), '\n') end
  return ok, ...
end

--- pcall(f, …) as a call of the program: true and the results, or false and the error.
function Run:call(name, f, ...)
  self.calls = self.calls + 1
  if self.show then io.stderr:write(name, '(', M.arguments_text({...}, select('#', ...)), ')\n') end
  return self:finish(name, pcall(f, ...))
end

--- The method of an object as a call.
function Run:method(object, name, ...)
  return self:call(':' .. name, function(...) return object[name](object, ...) end, ...)
end

--- Backward of what the program has made, sometimes twice.
function Run:backward()
  local roots = {}
  for _, x in ipairs(self.pool) do
    local ok, wanted = pcall(function() return x.requires_grad and x:is_floating_point() end)
    if ok and wanted then roots[#roots + 1] = x end
  end
  if #roots == 0 then return end
  local y = values.one_of(roots)
  if values.chance(2) then return self:call('backward', function() y:sum():backward() end) end
  local x = values.one_of(roots)
  local ok, g = self:call('grad', torch.autograd.grad, y, {x},
    {grad_outputs = {torch.randn_like(y)}, create_graph = true, allow_unused = true})
  if ok and torch.is_tensor(g) and g.requires_grad then self:call('second backward', function() g:sum():backward() end) end
end

return M
