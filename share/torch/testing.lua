-- torch.TestSuite and torch.Tester, as Torch7 has them:
--
--   local suite, tester = torch.TestSuite(), torch.Tester()
--   function suite.adds() tester:eq(torch.ones(2) + 1, torch.tensor{2., 2.}) end
--   tester:add(suite):run()
--
-- A failed check is noted with its line and the test goes on; an error ends its test. run() raises an error when something
-- failed, so a script of tests exits with 1. Torch7's names (assertTensorEq, assertlt, …) are there too.

-- Names in their order in the list part; the tests lie behind it, so that a second one of a name is seen.
local function make_suite()
  local tests = {}
  return setmetatable({}, {
    __index = tests,
    __newindex = function(suite, name, test)
      if tests[name] then error('a test named ' .. tostring(name) .. ' is in the suite already', 2) end
      rawset(suite, #suite + 1, name)
      tests[name] = test
    end,
  })
end

local Tester = {}
Tester.__index = Tester

local function show(v)
  local text = type(v) == 'string' and string.format('%q', v) or tostring(v)
  return #text > 300 and text:sub(1, 300) .. '...' or text
end

-- Why `got` is not `want`, within `precision` for numbers and tensors; nil when it is.
local function difference(got, want, precision)
  if torch.is_tensor(got) and torch.is_tensor(want) then
    if got.dtype ~= want.dtype then return 'dtype ' .. tostring(got.dtype) .. ' is not ' .. tostring(want.dtype) end
    if got:size() ~= want:size() then return 'shape ' .. tostring(got:size()) .. ' is not ' .. tostring(want:size()) end
    if torch.equal(got, want) then return nil end
    if torch.allclose(got:double(), want:double(), {rtol = 0, atol = precision, equal_nan = true}) then return nil end
  elseif type(got) == 'table' and type(want) == 'table' then
    for k, v in pairs(want) do
      local why = difference(got[k], v, precision)
      if why then return 'at key ' .. tostring(k) .. ': ' .. why end
    end
    for k in pairs(got) do
      if want[k] == nil then return 'key ' .. tostring(k) .. ' is not expected' end
    end
    return nil
  elseif type(got) == 'number' and type(want) == 'number' then
    if got == want and math.type(got) == math.type(want) or math.abs(got - want) <= precision and precision > 0 then return nil end
    if got ~= got and want ~= want then return nil end
  elseif got == want then
    return nil
  end
  return show(got) .. ' is not ' .. show(want)
end

function Tester:note(ok, text, label)
  self.checks = self.checks + 1
  if ok then return true end
  local at = ''
  for level = 2, 12 do  -- the first line that is not in this file
    local info = debug.getinfo(level, 'Sl')
    if not info then break end
    if info.currentline > 0 and not info.short_src:find('torch/testing.lua', 1, true) then
      at = info.short_src .. ':' .. info.currentline .. ': '
      break
    end
  end
  self.failures[#self.failures + 1] = string.format('%s: %s%s%s', self.running, at, label and label .. ': ' or '', text)
  return false
end

function Tester:assert(condition, label) return self:note(condition, 'condition is ' .. show(condition), label) end
function Tester:eq(got, want, precision, label)
  if type(precision) == 'string' then precision, label = 0, precision end
  local why = difference(got, want, precision or 0)
  return self:note(not why, why, label)
end
function Tester:ne(got, want, label) return self:note(difference(got, want, 0), 'both are ' .. show(got), label) end
function Tester:lt(a, b, label) return self:note(a < b, show(a) .. ' is not below ' .. show(b), label) end
function Tester:le(a, b, label) return self:note(a <= b, show(a) .. ' is above ' .. show(b), label) end
function Tester:gt(a, b, label) return self:lt(b, a, label) end
function Tester:ge(a, b, label) return self:le(b, a, label) end

--- torch.testing.assert_close as a check; `options` as there.
function Tester:close(got, want, options, label)
  local ok, why = pcall(torch.testing.assert_close, got, want, options)
  return self:note(ok, tostring(why):gsub('^[^\n]-:%d+: ', ''), label)
end
--- |got - want| <= precision for every element, 1e-16 if none is given.
function Tester:almosteq(got, want, precision, label)
  return self:close(got, want, { rtol = 0, atol = precision or 1e-16 }, label)
end

function Tester:assertNoError(f, label)
  local ok, why = pcall(f)
  return self:note(ok, 'the error ' .. show(why), label)
end
function Tester:assertError(f, label) return self:note(not pcall(f), 'no error was raised', label) end
--- The error's text must contain every given text, literally.
function Tester:fails(f, ...)
  local ok, message = pcall(f)
  if ok then return self:note(false, 'no error was raised') end
  for _, part in ipairs {...} do
    if not tostring(message):find(part, 1, true) then
      return self:note(false, 'the error ' .. show(message) .. ' does not contain ' .. show(part))
    end
  end
  return self:note(true)
end
function Tester:assertErrorPattern(f, pattern, label)
  local ok, message = pcall(f)
  return self:note(not ok and tostring(message):find(pattern), 'no error that matches ' .. pattern .. ': ' .. show(message), label)
end

--- The error's text is this one, without its place.
function Tester:assertErrorMsg(f, message, label)
  local ok, why = pcall(f)
  why = tostring(why):gsub('^[^\n]-:%d+: ', '')
  return self:note(not ok and why == message, 'the error is ' .. show(why) .. ', not ' .. show(message), label)
end

-- Torch7's names.
for name, own in pairs {
  assertTensorEq = 'almosteq', assertTensorNe = 'ne', assertTableEq = 'eq', assertTableNe = 'ne', assertGeneralEq = 'eq',
  assertGeneralNe = 'ne', asserteq = 'eq', assertne = 'ne', assertlt = 'lt', assertle = 'le', assertgt = 'gt', assertge = 'ge',
  assertalmosteq = 'almosteq', assertErrorPat = 'assertErrorPattern', eqError = 'assertErrorMsg',
} do
  Tester[name] = Tester[own]
end

function Tester:countTests() return #self.tests end

function Tester:add(suite, name)
  if type(suite) == 'function' then
    self.tests[#self.tests + 1] = {name or 'test ' .. #self.tests + 1, suite}
  else
    for _, key in ipairs(suite) do self.tests[#self.tests + 1] = {key, suite[key]} end
  end
  return self
end

--- Runs all tests, or those whose name is given; prints a line of totals and raises an error when something failed.
function Tester:run(only)
  local count = 0
  for _, test in ipairs(self.tests) do
    if not only or only == test[1] then
      count, self.running = count + 1, test[1]
      local ok, message = xpcall(test[2], debug.traceback)
      if not ok then self.failures[#self.failures + 1] = test[1] .. ': ' .. tostring(message) end
    end
  end
  for _, failure in ipairs(self.failures) do io.stderr:write('FAILED ', failure, '\n') end
  print(string.format('%d tests, %d checks, %d failed', count, self.checks, #self.failures))
  if count == 0 then error('no test ran', 0) end
  if #self.failures > 0 then error(#self.failures .. ' checks failed', 0) end
end

return {
  TestSuite = make_suite,
  Tester = function() return setmetatable({tests = {}, failures = {}, checks = 0, running = '?'}, Tester) end,
}
