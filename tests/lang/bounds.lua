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

-- What random programs (tests/fuzz) found.
function s.arguments_that_ended_the_process()
  local empty, one = torch.zeros(0), torch.ones({}):long()
  for _, name in ipairs { 'scatter', 'scatter_add' } do
    t:fails(function() return torch[name](torch.zeros({}), 1, one, empty) end, 'reaches beyond src')
  end
  t:eq(torch.scatter_add(torch.zeros({}), 1, one, torch.ones(1)):item(), 1.0)
  for _, dtype in ipairs { torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8 } do
    local x = torch.full({ 1, 1, 1, 2, 2 }, dtype == torch.uint8 and 255 or torch.iinfo(dtype).min, { dtype = dtype })
    for _, divisor in ipairs { 1 << 62, math.maxinteger, math.mininteger, -1, 255 } do
      t:eq(F.avg_pool3d(x, { 1, 1, 1 }, { divisor_override = divisor }).dtype, dtype)
    end
  end
  for _, f in ipairs { torch.block_diag, torch.linalg.multi_dot, torch.hstack, torch.cat, torch.broadcast_tensors } do
    t:fails(function() return f { torch.ones(1), torch.none } end, 'element 2 of the list is no tensor')
  end
  local padded = nn.Conv1d(3, 4, 3, { padding = 'same', padding_mode = 'circular' })
  padded.weight = nil
  t:fails(function() return padded(torch.randn(2, 3, 7)) end, 'weight')
  for _, name in ipairs { 'cumsum', 'cumprod', 'logcumsumexp', 'cummax' } do  -- 2^53 columns of nothing take no time
    t:eq(torch[name](torch.empty(0, 1 << 53), 1):numel(), 0)
  end
  t:fails(function() return torch.einsum('i,i->', { torch.none, torch.ones(1) }) end, 'element 1 of the list is no tensor')
  t:eq(torch.ones(2, 2):index_put({ torch.none, torch.tensor { 1 } }, torch.tensor(0.0)):tolist(), { { 0.0, 1.0 }, { 0.0, 1.0 } })
  -- bytes that are no bool: whatever is not 0 is true, for the count and for the choice
  local mask = torch.full({ 64 }, -1, { dtype = torch.int64 }):view(torch.bool)
  t:eq({ mask:nonzero():size(1), torch.ones(512):masked_select(mask):size(1) }, { 512, 512 })
  t:eq(torch.zeros(512):masked_scatter(mask, torch.ones(512)):sum():item(), 512.0)
  local q, w = torch.ones(2, 4), { out_proj_weight = torch.ones(4, 4), need_weights = false, out = { torch.zeros(2, 4), torch.zeros(2, 2) } }
  t:fails(function() F.multi_head_attention_forward(q, q, q, 4, 1, torch.ones(12, 4), w) end, 'has no result')
  local opt = optim.SGD({ nn.Parameter(torch.ones(1)) }, { lr = 0.1 })
  t:fails(function() debug.getmetatable(opt).__newindex(true, 'x', 1) end, 'cannot set a field of')
  local values, positions = torch.topk(torch.tensor(3.0), 0)
  t:eq({ values:item(), positions:item() }, { 3.0, 1 })
end

function s.a_bool_that_nothing_set_is_false()
  local n, bool = 1 << 16, {dtype = torch.bool}
  local function dirty() torch.full({n}, -1, {dtype = torch.int8}) end
  for _, make in ipairs {
    function() return torch.empty(n, bool) end,
    function() return torch.empty_like(torch.ones(n, bool)) end,
    function() return torch.empty_strided({n}, {1}, bool) end,
    function() return torch.zeros(1, bool):resize_(n) end,
  } do
    dirty()
    collectgarbage()  -- the memory of -1 is handed out again
    local x = make()
    t:eq({x:view(torch.uint8):max():item(), x:any()}, {0, false})
  end
end

function s.errors_name_the_operator()
  t:fails(function() return torch.arange(3, { out = 4 }) end, 'arange: out= expects')
end

t:add(s):run()
