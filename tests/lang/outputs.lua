-- Results given by out=: of the right dtype, device and shape, or an error that changes nothing.
local t, s = torch.Tester(), torch.TestSuite()

function s.positions_and_products_want_their_dtype()
  local x = torch.tensor { { 3., 1, 2 }, { 4, 6, 5 } }
  local cases = {
    { torch.mm, { x, x:t() }, torch.empty(0, { dtype = torch.float64 }), 'float64 and the result float32' },
    { torch.argmax, { x, 2 }, torch.empty(0), 'float32 and the result int64' },
    { torch.nonzero, { x }, torch.empty(0, { dtype = torch.int32 }), 'int32 and the result int64' },
    { torch.sort, { x, 2 }, { torch.empty(0), torch.empty(0) }, 'float32 and the result int64' },
    { torch.max, { x, 2 }, { torch.empty(0, { dtype = torch.float64 }), torch.empty(0, { dtype = torch.int64 }) },
      'float64 and the result float32' },
    { torch.gather, { x, 2, torch.tensor { { 1 }, { 2 } } }, torch.empty(0, { dtype = torch.float16 }), 'float16' },
  }
  for _, c in ipairs(cases) do
    local args = { table.unpack(c[2]) }
    args[#args + 1] = { out = c[3] }
    t:fails(function() c[1](table.unpack(args)) end, c[4])
  end
end

function s.sums_and_elementwise_results_are_converted()
  local x = torch.tensor { { 3., 1 }, { 4, 6 } }
  for _, dtype in ipairs { torch.float64, torch.float16 } do
    local function out() return torch.empty(0, { dtype = dtype }) end
    t:eq(torch.sum(x, 2, { out = out() }):tolist(), { 4., 10. })
    t:eq(torch.mean(x, 2, { out = out() }).dtype, dtype)
    t:eq(torch.cumsum(x, 2, { out = out() }):tolist(), { { 3., 4. }, { 4., 10. } })
    t:eq(torch.cat({ x, x }, { out = out() }).dtype, dtype)
    t:eq(torch.add(x, 1, { out = out() }).dtype, dtype)
    t:eq(torch.arange(3, { out = out() }):tolist(), { 0., 1., 2. })
  end
  t:fails(function() torch.mean(x, 2, { out = torch.empty(0, { dtype = torch.int64 }) }) end, 'cannot be written')
end

function s.an_error_changes_none_of_several()
  local values = torch.zeros(5)
  t:fails(function() torch.sort(torch.tensor { 3., 1, 2 }, { out = { values, torch.zeros(3, { dtype = torch.bool }) } }) end, 'bool')
  t:eq(values:tolist(), { 0., 0., 0., 0., 0. })
end

function s.what_shares_memory_is_not_resized()
  local x = torch.arange(5):float()
  t:fails(function() torch.add(x, 1, { out = x[{ { 1, 3 } }] }) end, 'shares memory with an input')
  t:fails(function() torch.cumsum(x:reshape(5, 1), 1, { out = x }) end, 'shares memory')
  t:eq(x:tolist(), { 0., 1., 2., 3., 4. })
end

function s.they_lie_on_the_results_device()
  local x = torch.ones(3)
  t:fails(function() torch.add(x, 1, { out = torch.empty(2, { device = 'meta' }) }) end, 'out= is on meta and the result on cpu')
  t:fails(function() torch.cumsum(x, 1, { out = torch.empty(3, { device = 'meta' }) }) end, 'out= is on meta')
end

t:add(s):run()
