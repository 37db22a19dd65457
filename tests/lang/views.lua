-- Views: they share memory and version, know their base, and writing through them records gradients.
local t, s = torch.Tester(), torch.TestSuite()
local function grid() return torch.arange(12, {dtype = torch.float64}):reshape(3, 4):clone() end

local makers = {
  view = function(x) return x:view(4, 3) end,
  reshape = function(x) return x:reshape(2, 6) end,
  select = function(x) return x:select(1, 2) end,
  narrow = function(x) return x:narrow(2, 2, 2) end,
  transpose = function(x) return x:t() end,
  swapaxes = function(x) return x:swapaxes(1, 2) end,
  swapdims = function(x) return x:swapdims(1, 2) end,
  movedim = function(x) return x:movedim(1, 2) end,
  moveaxis = function(x) return x:moveaxis(2, 1) end,
  permute = function(x) return x:permute(2, 1) end,
  unsqueeze = function(x) return x:unsqueeze(1) end,
  squeeze = function(x) return x:view(1, 3, 1, 4):squeeze({1, 3}) end,
  flatten = function(x) return x:flatten() end,
  unflatten = function(x) return x:unflatten(2, {2, 2}) end,
  diagonal = function(x) return x:diagonal() end,
  diagonal_below = function(x) return x:diagonal(-1, 1, 2) end,
  unfold = function(x) return x:unfold(2, 2, 2) end,
  as_strided = function(x) return x:as_strided({2, 2}, {4, 2}, 1) end,
  mT = function(x) return x.mT end,
  index = function(x) return x[{{1, 2}, 3}] end,
  split = function(x) return x:split(2, 2)[2] end,
  split_with_sizes = function(x) return x:split_with_sizes({1, 3}, 2)[2] end,
  tensor_split = function(x) return x:tensor_split(2)[1] end,
  hsplit = function(x) return x:hsplit({1, 3})[2] end,
  chunk = function(x) return x:chunk(3)[3] end,
  unbind = function(x) return x:unbind(2)[4] end,
}

function s.share_memory_and_version()
  for name, make in pairs(makers) do
    local x = grid()
    local v = make(x)
    t:eq(v:is_view(), true, name)
    t:eq(v._base == x, true, name)
    t:eq(v:_version(), x:_version(), name)
    local before = x:_version()
    v:fill_(100)
    t:eq(x:eq(100):sum():item(), v:numel(), name)
    t:eq(x:_version(), before + 1, name)
    t:eq(v:_version(), before + 1, name)
  end
  local x = grid()
  t:eq(x:is_view(), false)
  t:eq(x._base, nil)
  t:eq(x:t():diagonal()._base == x, true)  -- a view of a view has the first as base
  t:eq(x:clone():is_view(), false)
  t:eq(x:broadcast_to(2, 3, 4):is_view(), true)
end

-- z = 2 x, the view's elements become 3 v: x's gradient is 2 elsewhere, v's 3.
function s.writing_through_records_gradients()
  for name, make in pairs(makers) do
    local x = grid():requires_grad_()
    local z = x * 2
    local v = torch.ones(make(z):size(), {dtype = torch.float64, requires_grad = true})
    make(z):copy_(v * 3)
    z:sum():backward()
    local mark = torch.full({3, 4}, 2., {dtype = torch.float64})
    make(mark):fill_(0)
    t:eq(x.grad, mark, name)
    t:eq(v.grad, torch.full(v:size(), 3., {dtype = torch.float64}), name)
  end
end

-- The parts of a tensor have one node, whose gradient joins theirs; those without one count as zeros.
function s.parts_have_one_node()
  local ways = {
    SplitBackward0 = {
      function(x) return x:split(3, 2) end, function(x) return x:split({1, 0, 3}, 2) end, function(x) return x:chunk(3) end,
    },
    UnbindBackward0 = {function(x) return x:unbind(2) end},
  }
  for name, list in pairs(ways) do
    for i, parts_of in ipairs(list) do
      local x = grid():requires_grad_()
      local parts = parts_of(x)
      for _, part in ipairs(parts) do t:eq(part.grad_fn:name(), name) end
      t:eq(parts[1].grad_fn == parts[#parts].grad_fn, true, name .. i)
      parts[#parts]:mul(2):sum():backward()
      local mark = torch.zeros(3, 4, {dtype = torch.float64})
      parts_of(mark)[#parts]:fill_(2)
      t:eq(x.grad, mark, name .. i)
      -- after a write into one of them the others have their histories from the base
      local z = x * 2
      parts = parts_of(z)
      parts[1]:fill_(0)
      x.grad = nil
      parts[#parts]:sum():backward()
      t:eq(x.grad, mark, name .. i)
      t:fails(function() parts_of(x)[1]:fill_(0) end, 'leaf')
    end
  end
end

function s.become_views_in_place()
  local x = grid()
  local address = x:data_ptr()
  t:eq(x:t_() == x, true)
  t:eq(x:size(), torch.Size {4, 3})
  t:eq(x, grid():t())
  x:unsqueeze_(1):transpose_(1, 2)
  t:eq(x:size(), torch.Size {4, 1, 3})
  x:squeeze_()
  t:eq(x:size(), torch.Size {4, 3})
  x:swapaxes_(1, 2):swapdims_(1, 2)
  t:eq(x:as_strided_({2, 2}, {4, 1}, 1), torch.tensor({{1., 2.}, {5., 6.}}, {dtype = torch.float64}))
  t:eq(x:data_ptr(), address + 8)
  local w = grid():requires_grad_()
  local y = w * 2
  y:t_()
  t:eq(y.is_leaf, false)
  y:mul(torch.arange(12):reshape(4, 3)):sum():backward()
  t:eq(w.grad, torch.arange(12, {dtype = torch.float64}):reshape(4, 3):t() * 2)
  t:fails(function() w:t_() end, 'leaf')
end

function s.another_dtype()
  local x = torch.tensor({0, 1065353216}, {dtype = torch.int32})
  local f = x:view(torch.float32)
  t:eq(f, torch.tensor {0., 1.})
  t:eq(f:data_ptr(), x:data_ptr())
  t:eq(f._base == x, true)
  f[1] = 2
  t:eq(x:tolist(), {1073741824, 1065353216})
  t:eq(x:view(torch.int16):size(), torch.Size {4})
  t:eq(x:view(torch.int64):size(), torch.Size {1})
  t:eq(x:view {dtype = torch.uint8}:size(), torch.Size {8})
  t:fails(function() return torch.zeros(3):view(torch.float64) end, 'extent', '3')
  t:fails(function() return torch.zeros(4, 4):t():view(torch.float64) end, 'stride')
  t:fails(function() return torch.tensor(1):view(torch.int8) end, 'without dimensions')
  t:eq(torch.ones(2, {requires_grad = true}):view(torch.int32).requires_grad, false)
end

function s.strides_as_asked()
  local x = torch.empty_strided({2, 3}, {1, 2}, {dtype = torch.int16})
  t:eq(x:stride(), {1, 2})
  t:eq(x.dtype, torch.int16)
  t:eq(x:is_contiguous(), false)
  t:eq(x:contiguous():stride(), {3, 1})
  local y = x:new_empty_strided({2, 2}, {4, 1})
  t:eq(y:stride(), {4, 1})
  t:eq(y.dtype, torch.int16)
  t:eq(y:storage_offset(), 0)
  local image = torch.zeros(2, 3, 4, 5)
  local last = image:contiguous {memory_format = torch.channels_last}
  t:eq(last:stride(), {60, 1, 15, 3})
  t:eq(last:is_contiguous(torch.channels_last), true)
  t:eq((last + 1):stride(), {60, 1, 15, 3})  -- kept
  t:eq(last:transpose(2, 3):storage_offset(), 0)
  t:eq(last[2]:storage_offset(), 60)
  t:eq(last[2]:data_ptr(), last:data_ptr() + 240)
end

function s.as_strided_from_an_offset()
  local base = torch.arange(8, {dtype = torch.float64}):requires_grad_()
  local x = (base * 1)[{{4, 7}}]
  local y = x:as_strided({2}, {2}, 3)  -- elements 3 and 5 of the memory
  t:eq(y:tolist(), {3., 5.})
  y:mul(torch.tensor({1., 10.}, {dtype = torch.float64})):sum():backward()
  t:eq(base.grad:tolist(), {0., 0., 0., 1., 0., 10., 0., 0.})
end

-- PyTorch's rule: the same memory in the same way works, a part of it is refused.
function s.results_that_overlap_inputs()
  local x = torch.arange(6):float()
  t:eq(torch.add(x, 1, {out = x}):tolist(), {1., 2., 3., 4., 5., 6.})
  t:eq(x:add_(x):tolist(), {2., 4., 6., 8., 10., 12.})
  t:fails(function() x[{{1, 5}}]:add_(x[{{2, 6}}]) end, 'overlaps')
  t:fails(function() torch.mul(x[{{1, 5}}], 2, {out = x[{{2, 6}}]}) end, 'overlaps')
  t:eq(x:tolist(), {2., 4., 6., 8., 10., 12.})
  t:fails(function() torch.zeros(1):expand(3):add_(1) end, 'expanded')
  t:fails(function() torch.exp(torch.zeros(3), {out = torch.zeros(1):expand(3)}) end, 'expanded')
end

-- PyTorch's rule: the same number everywhere does not depend on how often it is written.
function s.expanded_tensors_are_filled()
  local x = torch.ones(3, 1)
  local wide = x:expand(3, 4)
  t:eq(wide:fill_(7) == wide, true)
  t:eq(x:tolist(), {{7.}, {7.}, {7.}})
  t:eq(wide:sum():item(), 84.)
  x:expand(2, 3, 4):zero_()
  t:eq(x:tolist(), {{0.}, {0.}, {0.}})
  t:eq(torch.zeros(1, 0):expand(3, 0):fill_(1):size():tolist(), {3, 0})
  t:fails(function() x:expand(3, 4):add_(1) end, 'expanded')
  t:fails(function() x:expand(3, 4):fill_(torch.tensor(1.)) end, 'expanded')
  t:fails(function() x:expand(3, 4):copy_(torch.ones(3, 4)) end, 'expanded')
  t:fails(function() torch.fill(x, 1, {out = torch.zeros(1):expand(3, 1)}) end, 'expanded')
  t:eq(x:tolist(), {{0.}, {0.}, {0.}})
end

function s.gradients_of_filled_expanded_views()
  for _, fill in ipairs {function(v) return v:zero_() end, function(v) return v:fill_(5) end} do
    local base = torch.ones(4, 1, {requires_grad = true})
    local y = base * 3
    fill(y[{{1, 2}}]:expand(2, 5))
    y:sum():backward()
    t:eq(base.grad:tolist(), {{0.}, {0.}, {3.}, {3.}})
  end
end

function s.diagonals_in_place()
  t:eq(torch.zeros(3, 2):fill_diagonal_(1), torch.tensor {{1., 0.}, {0., 1.}, {0., 0.}})
  local x = torch.zeros(5, 2)
  t:eq(x:fill_diagonal_(2, {wrap = true}) == x, true)
  t:eq(x, torch.tensor {{2., 0.}, {0., 2.}, {0., 0.}, {2., 0.}, {0., 2.}})
  t:fails(function() return torch.zeros(2, 3, 2):fill_diagonal_(1) end, '[2, 3, 2]')
  t:fails(function() return torch.zeros(3, 1):expand(3, 3):fill_diagonal_(1) end, 'clone()')
  for rows = 0, 13 do
    for columns = 0, 4 do
      local wrapped, plain = torch.zeros(columns, rows):t():fill_diagonal_(1, {wrap = true}), torch.zeros(rows, columns)
      for i = 0, rows * columns - 1, columns + 1 do plain[{i // columns + 1, i % columns + 1}] = 1 end
      t:eq(wrapped, plain)
    end
  end
  local each = torch.vmap(function(m) return m:fill_diagonal_(1) end)(torch.zeros(3, 2, 2))
  t:eq(each, torch.eye(2):expand(3, 2, 2))
  local y = torch.ones(2, 2, {requires_grad = true})
  local z = y * 3
  z:fill_diagonal_(0):sum():backward()
  t:eq(y.grad, torch.tensor {{0., 3.}, {3., 0.}})
  t:eq(y.H:size(), torch.Size {2, 2})
  t:eq(torch.zeros(2, 3, 4).mH:size(), torch.Size {2, 4, 3})
end

function s.several_results()
  local a, b = torch.meshgrid(torch.arange(2), torch.arange(3), {indexing = 'xy'})
  t:eq(a, torch.tensor {{0, 1}, {0, 1}, {0, 1}})
  t:eq(b, torch.tensor {{0, 0}, {1, 1}, {2, 2}})
  local c, d = torch.meshgrid {torch.arange(2), torch.arange(3)}
  t:eq(c:size(), torch.Size {2, 3})
  t:eq(d[2], torch.arange(3))
  local e, f = torch.broadcast_tensors(torch.zeros(2, 1), torch.zeros(3))
  t:eq(e:size(), torch.Size {2, 3})
  t:eq(f:size(), torch.Size {2, 3})
  t:eq(torch.atleast_2d(torch.tensor(1.)):size(), torch.Size {1, 1})
  local r, k = torch.unravel_index(torch.tensor {6, 1, -1}, {2, 3})
  t:eq(r, torch.tensor {2, 1, 2})
  t:eq(k, torch.tensor {3, 1, 3})
  t:eq(torch.broadcast_shapes({2, 1}, torch.Size {3}, 1), torch.Size {2, 3})
  t:fails(function() return torch.broadcast_shapes({2}, {3}) end, '[2]', '[3]')
end

function s.positions_count_from_one()
  t:eq(torch.tril_indices(2, 3), torch.tensor {{1, 2, 2}, {1, 1, 2}})
  t:eq(torch.triu_indices(2, 3, 1), torch.tensor {{1, 1, 2}, {2, 3, 3}})
  for _, shape in ipairs {{0, 0}, {1, 0}, {0, 2}, {1, 1}, {4, 7}, {7, 4}} do
    for offset = -8, 8 do
      local ones = torch.ones(table.unpack(shape))
      for _, f in ipairs {{torch.tril_indices, ones:tril(offset)}, {torch.triu_indices, ones:triu(offset)}} do
        t:eq(f[1](shape[1], shape[2], offset), f[2]:nonzero():t())
        t:eq(f[1](shape[1], shape[2], offset, {dtype = torch.int32}).dtype, torch.int32)
      end
    end
  end
  t:eq(torch.nonzero_static(torch.tensor {0, 5, 7}, {size = 3}), torch.tensor {{2}, {3}, {-1}})
  t:eq(torch.nonzero_static(torch.tensor {0, 5}, {size = 2, fill_value = 1}), torch.tensor {{2}, {1}})
  t:eq(torch.zeros(3):select_scatter(torch.tensor(4.), 1, 3), torch.tensor {0., 0., 4.})
  t:eq(torch.zeros(4):slice_scatter(torch.ones(2), 1, 2, 3), torch.tensor {0., 1., 1., 0.})
  local x = torch.tensor {{3., 1.}, {2., 4.}}
  t:eq(x:take_along_dim(x:argsort(2), 2), torch.tensor {{1., 3.}, {2., 4.}})
  t:eq(x:take_along_dim(torch.tensor {4, 1}), torch.tensor {4., 3.})
  t:eq(torch.zeros(2):scatter_reduce(1, torch.tensor {1, 2, 1}, torch.tensor {1., 2., 3.}, 'mean', {include_self = false}),
    torch.tensor {2., 2.})
  t:eq(torch.zeros(10):tensor_split({1, 3, 4, 5, 6, 7, 8, 9, 10})[2]:size(), torch.Size {2})  -- more parts than dims
  t:eq(#torch.zeros(10):split({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), 10)
end

-- Sizes whose sums and products no integer holds.
function s.sizes_beyond_integers()
  t:fails(function() torch.repeat_interleave(torch.tensor {1 << 62, 1 << 62}) end, 'more positions than there can be')
  t:fails(function() torch.repeat_interleave(torch.tensor {1 << 61}) end, 'repeat_interleave(')
  t:fails(function() torch.unravel_index(torch.tensor(1), {1 << 62, 4}) end, 'more positions than there can be')
  for _, offset in ipairs {math.maxinteger, math.mininteger} do
    t:fails(function() torch.diag_embed(torch.ones(2), offset) end, 'there is no tensor with a diagonal at offset')
    t:fails(function() torch.diag(torch.ones(2), offset) end, 'there is no tensor with a diagonal at offset')
  end
  t:eq(torch.tril_indices(2, 2, math.maxinteger):size(2), 4)
  t:eq(torch.triu_indices(2, 2, math.maxinteger):size(2), 0)
  t:eq(torch.tril_indices(2, 2, math.mininteger):size(2), 0)
  t:eq(torch.triu_indices(2, 2, math.mininteger):size(2), 4)
end

-- Channels that lie last stay last, as in PyTorch.
function s.flips_of_channels_last()
  for _, c in ipairs {1, 2, 3, 4, 5, 33} do
    for _, dtype in ipairs {torch.uint8, torch.float16, torch.float32, torch.float64} do
      local x = torch.arange(2 * c * 6 * 7):reshape(2, c, 6, 7):remainder(251):to(dtype)
      local last = x:to {memory_format = torch.channels_last}
      for _, dims in ipairs {{4}, {3}, {3, 4}, {2}, {1, 2, 3, 4}, {}} do
        local y = torch.flip(last, dims)
        t:assert(y:is_contiguous {memory_format = torch.channels_last})
        t:eq(y:contiguous(), torch.flip(x, dims))
        t:eq(y:narrow(4, 2, 3):contiguous(), torch.flip(x, dims):narrow(4, 2, 3):contiguous())
      end
    end
  end
end

function s.columns_and_repeats_by_index()
  local x = torch.randn(300, 7)
  for _, i in ipairs {1, 4, 7} do
    t:eq(x:index_select(2, torch.tensor {i}), x:narrow(2, i, 1):contiguous())
    t:eq(x:t():index_select(1, torch.tensor {i}), x:narrow(2, i, 1):t():contiguous())
  end
  t:eq(torch.zeros(0, 3):index_select(2, torch.tensor {2}):size(), torch.Size {0, 1})
  for _, counts in ipairs {{0, 0, 0}, {3, 0, 0}, {0, 0, 2}, {0, 1, 0}, {2, 3, 1}} do
    local want = {}
    for i, n in ipairs(counts) do for _ = 1, n do want[#want + 1] = i end end
    local repeats = torch.tensor(counts)
    t:eq(torch.repeat_interleave(repeats):numel(), #want)
    if #want > 0 then t:eq(torch.repeat_interleave(repeats), torch.tensor(want)) end
    t:eq(x:narrow(1, 1, 3):repeat_interleave(repeats:int(), {dim = 1}):size(1), #want)
  end
  t:eq(torch.repeat_interleave(torch.tensor {5, 6}, torch.tensor {2}), torch.tensor {5, 5, 6, 6})
  t:eq(torch.repeat_interleave(torch.tensor({}, {dtype = torch.int64})):numel(), 0)
end

t:add(s):run()
