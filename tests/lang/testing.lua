-- torch.testing.assert_close, torch.Tester and torch.TestSuite.
local t, s = torch.Tester(), torch.TestSuite()
local close = torch.testing.assert_close

-- The message of assert_close, without its place.
local function message(...)
  local ok, text = pcall(close, ...)
  return ok and 'close' or (tostring(text):gsub('^[^\n]-:%d+: ', ''))
end

-- PyTorch's own texts, but for positions, which count from 1.
function s.messages()
  local T = torch.tensor
  t:eq(message(T { 1., 2., 3. }, T { 1., 2., 4. }), 'Tensor-likes are not close!\n\nMismatched elements: 1 / 3 (33.3%)\n' ..
    'Greatest absolute difference: 1.0 at index (3,) (up to 1e-05 allowed)\n' ..
    'Greatest relative difference: 0.25 at index (3,) (up to 1.3e-06 allowed)')
  t:eq(message(T { { 1., 2. }, { 3., 4. } }, T { { 1., 2.5 }, { 3., 4. } }), 'Tensor-likes are not close!\n\n' ..
    'Mismatched elements: 1 / 4 (25.0%)\nGreatest absolute difference: 0.5 at index (1, 2) (up to 1e-05 allowed)\n' ..
    'Greatest relative difference: 0.20000000298023224 at index (1, 2) (up to 1.3e-06 allowed)')
  t:eq(message(T { 1, 2, 3 }, T { 1, 2, 4 }), 'Tensor-likes are not equal!\n\nMismatched elements: 1 / 3 (33.3%)\n' ..
    'Greatest absolute difference: 1 at index (3,)\nGreatest relative difference: 0.25 at index (3,)')
  t:eq(message(T(1.), T(2.)), 'Scalars are not close!\n\nExpected 2.0 but got 1.0.\n' ..
    'Absolute difference: 1.0 (up to 1e-05 allowed)\nRelative difference: 0.5 (up to 1.3e-06 allowed)')
  t:eq(message(1., 2.), 'Scalars are not close!\n\nExpected 2.0 but got 1.0.\n' ..
    'Absolute difference: 1.0 (up to 1e-07 allowed)\nRelative difference: 0.5 (up to 1e-07 allowed)')
  t:eq(message(1, 2), 'Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5')
  t:eq(message(1, 1.), 'The (d)types do not match: integer != float.')
  t:eq(message(true, false), 'Booleans mismatch: true is not false')
  t:eq(message(T { 1. }, T({ 1. }, { dtype = torch.float64 })),
       "The values for attribute 'dtype' do not match: torch.float32 != torch.float64.")
  t:eq(message(T { 1. }, T { 1., 2. }), "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2]).")
  t:eq(message({ 1, 2 }, { 1, 2, 3 }), 'The length of the sequences mismatch: 2 != 3')
  t:eq(message({ a = 1, b = 2 }, { a = 1, c = 2 }), 'The keys of the mappings do not match:\n' ..
    "Missing keys in the actual mapping: ['c']\nAdditional keys in the actual mapping: ['b']")
  t:assert(message({ T { 1. }, x = { T { 2. } } }, { T { 1. }, x = { T { 3. } } })
    :find("\n\nThe failure occurred for item ['x'][1]", 1, true))
  t:eq(message(nil, 1), 'None mismatch: nil is not 1')
  t:assert(message(T { math.huge }, T { 1. }):find('difference: inf at index (1,)', 1, true))
  t:assert(message(T { true, false }, T { true, true }):find('Greatest absolute difference: 1 at index (2,)', 1, true))
  t:assert(message(T { { 1, 2 } }:t(), T { { 1 }, { 2 } }, { check_stride = true }):find('stride()', 1, true))
end

function s.tolerances()
  local x = torch.ones(3)
  close(x, x + 1e-6)
  close(x:double(), x:double() + 1e-8)
  close(x:half(), (x + 0.001):half())
  close(torch.zeros(2), torch.zeros(2) + 1e-6)
  t:fails(function() close(x, x + 1e-4) end, 'not close')
  t:fails(function() close(x:double(), x:double() + 1e-6) end, 'not close')
  t:fails(function() close(x:bfloat16(), (x + 0.05):bfloat16()) end, 'not close')
  close(x, x + 0.5, { rtol = 0, atol = 0.6 })
  close(torch.tensor { 10, 20 }, torch.tensor { 11, 20 }, { rtol = 0, atol = 1 })
  close(x, x:double(), { check_dtype = false })
  t:fails(function() close(x, x + 1, { rtol = 1 }) end, 'both rtol and atol')
  t:fails(function() close(x, x, { tolerance = 1 }) end, "'tolerance'")
  t:fails(function() close(x) end, 'two values')
  t:fails(function() close('a', 'b') end, 'string')
  t:fails(function() close(x, 1) end, 'torch.FloatTensor and number')
end

function s.edges()
  local nan = torch.tensor { 0 / 0, 1. }
  t:fails(function() close(nan, nan) end, 'nan at index (1,)')
  close(nan, nan, { equal_nan = true })
  close(torch.tensor { math.huge, -math.huge }, torch.tensor { math.huge, -math.huge })
  t:fails(function() close(torch.tensor { math.huge }, torch.tensor { -math.huge }) end, 'not close')
  close(torch.zeros({ 0, 3 }), torch.zeros({ 0, 3 }))
  close(nil, nil)
  close({}, {})
  close(torch.ones(2, { requires_grad = true }), torch.ones(2))
  t:eq(message(torch.ones(1), torch.zeros(1), { msg = 'mine' }), 'mine')
  t:eq(message(1, 2, { msg = function(text) return text:sub(1, 7) .. '!' end }), 'Scalars!')
  local _, text = pcall(function() close(1, 2) end)
  t:assert(tostring(text):find('testing.lua:%d+: Scalars'), 'the place is the caller\'s: ' .. tostring(text))
end

-- What a tester notes, run on a suite of its own with its output held back.
local function run_quietly(tests)
  local inner, suite = torch.Tester(), torch.TestSuite()
  for name, test in pairs(tests) do suite[name] = function() test(inner) end end
  local before, err = print, io.stderr
  _G.print, io.stderr = function() end, { write = function() end }
  local ok = pcall(function() inner:add(suite):run() end)
  _G.print, io.stderr = before, err
  return ok, inner
end

function s.tester_checks()
  local x = torch.tensor { 1., 2. }
  local ok, inner = run_quietly {
    passes = function(i)
      i:eq(x, x:clone())
      i:ne(x, x + 1)
      i:close(x, x + 1e-7)
      i:almosteq(x, x + 0.01, 0.1)
      i:assertTensorEq(x, x:clone(), 0)
      i:assertTensorNe(x, x + 1)
      i:assertlt(1, 2)
      i:assertge(2, 2)
      i:assertTableEq({ 1, { 2 } }, { 1, { 2 } })
      i:assertError(function() error('x') end)
      i:assertNoError(function() end)
      i:assertErrorMsg(function() error('boo') end, 'boo')
      i:assertErrorPattern(function() error('boo') end, 'b.o')
    end,
  }
  t:assert(ok, table.concat(inner.failures, '\n'))
  t:eq(inner.checks, 13)
  t:eq(inner:countTests(), 1)
  local failing = {
    function(i) i:eq(x, x + 1) end, function(i) i:ne(x, x) end, function(i) i:close(x, x + 0.1) end,
    function(i) i:almosteq(x, x + 0.1, 0.01) end, function(i) i:lt(2, 1) end, function(i) i:assertError(function() end) end,
    function(i) i:assertNoError(error) end, function(i) i:assertErrorMsg(function() error('a') end, 'b') end,
    function(i) i:fails(function() error('a', 0) end, 'b') end, function(i) i:assert(false) end, function() error('stop') end,
  }
  for number, test in ipairs(failing) do
    local passed, tester = run_quietly { test = test }
    t:eq(passed, false, 'number ' .. number)
    t:eq(#tester.failures, 1)
    t:assert(tester.failures[1]:find('testing.lua:%d'), tester.failures[1])
  end
end

function s.suites()
  local suite = torch.TestSuite()
  suite.b = function() end
  suite.a = function() end
  t:eq(suite[1], 'b')
  t:fails(function() suite.a = function() end end, 'in the suite already')
  t:fails(function() torch.Tester():run() end, 'no test ran')
end

t:add(s):run()
