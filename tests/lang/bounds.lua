-- What must be refused, or work, at the edges of memory: sizes beyond 64 bits, overlapping writes, calls on the wrong object.
local t, s = torch.Tester(), torch.TestSuite()

function s.edges()
  -- extents, strides and offsets that 64 bits cannot multiply
  local five = torch.ones(5)
  t:fails(function() return five:as_strided({ 3 }, { 1 << 61 }, 0) end, 'reaches beyond')
  t:fails(function() return five:as_strided({ 2 }, { 1 }, math.maxinteger) end, 'reaches beyond')
  t:fails(function() return torch.ones(2):set_(five, 0, { 3 }, { 1 << 61 }) end, 'reaches beyond')
  t:fails(function() return torch.ones(1):expand(1 << 40, 1 << 40) end, '2^62')
  t:fails(function() return torch.ones(1 << 20):expand(1 << 44, 1 << 20) end, '2^62')
  t:fails(function() return torch.ones(3):narrow(1, 2, math.maxinteger) end, 'reaches beyond')
  t:fails(function() return torch.ones(4):reshape(1 << 32, 1 << 32, -1) end, '2^62')

  -- disjoint columns may be written from each other; a shared range may not
  local x = torch.arange(8):float():reshape(2, 4)
  x[{ {}, { 1, 2 } }]:add_(x[{ {}, { 3, 4 } }])
  t:assert(torch.equal(x, torch.tensor { { 2., 4, 2, 3 }, { 10, 12, 6, 7 } }))
  x[{ {}, { 1, 3 } }] = x[{ {}, { 2, 4 } }]
  t:assert(torch.equal(x, torch.tensor { { 4., 2, 3, 3 }, { 12, 6, 7, 7 } }))
  local line = torch.arange(4):float()
  t:fails(function() line[{ { 2, 4 } }]:add_(line[{ { 1, 3 } }]) end, 'overlaps an input')

  -- out= takes no tensor with a history, nor the same memory twice
  local w = torch.ones(5, { requires_grad = true })
  t:fails(function() torch.mul(five, 5, { out = w }) end, 'out= does not record')
  local v = torch.zeros(2)
  t:fails(function() torch.max(torch.rand(2, 2), 1, { out = { v, v } }) end, 'share memory')

  -- a dot where a colon belongs
  t:fails(function() (w * 2).grad_fn.name() end, 'a method takes a colon')
  t:fails(function() return debug.getmetatable(torch.float32).__tostring(1) end, 'expects the object')

  -- numbers that the dtype of a tensor cannot hold are refused wherever they are written, as in PyTorch
  local u8 = torch.zeros(2):to(torch.uint8)
  local mask = torch.tensor { true, false }
  t:fails(function() return torch.full({ 2 }, 300, { dtype = torch.uint8 }) end, 'the number 300 does not fit into uint8')
  t:fails(function() return u8:fill_(300) end, 'does not fit')
  t:fails(function() u8[1] = 300 end, 'does not fit')
  t:fails(function() return u8:masked_fill(mask, 300) end, 'does not fit')
  t:fails(function() return torch.full({ 2 }, 3e10, { dtype = torch.int32 }) end, 'does not fit')
  t:fails(function() return torch.full({ 2 }, 0 / 0, { dtype = torch.int32 }) end, 'does not fit')
  t:fails(function() return torch.full({ 2 }, 1e6, { dtype = torch.half }) end, 'does not fit')
  t:assert(torch.equal(u8, torch.zeros(2):to(torch.uint8)))
  t:assert(u8:fill_(-1)[1]:item() == 255)
  t:assert(torch.full({ 1 }, math.huge, { dtype = torch.half }):item() == math.huge)
  t:assert(torch.equal(torch.zeros(2):to(torch.int8):masked_fill(mask, 1.5), torch.tensor({ 1, 0 }, { dtype = torch.int8 })))
end

t:add(s):run()
