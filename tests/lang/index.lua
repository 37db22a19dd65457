-- x[key] and x[key] = value.
local t, s = torch.Tester(), torch.TestSuite()
local function grid() return torch.arange(12):reshape(3, 4):float() end  -- rows 0 1 2 3, 4 5 6 7, 8 9 10 11

function s.positions()
  local x = grid()
  t:eq(x[2], torch.tensor {4., 5., 6., 7.})
  t:eq(x[-1], torch.tensor {8., 9., 10., 11.})
  t:eq(x[{2, 3}]:item(), 6.)
  t:eq(x[{2, -1}]:item(), 7.)
  t:eq(x[2][3]:dim(), 0)
  t:eq(x[torch.tensor(2)], x[2])
  t:fails(function() return x[0] end, 'count from 1')
  t:fails(function() return x[4] end, 'index 4', 'dim 1', 'extent 3')
  t:fails(function() return x[-4] end, 'index -4')
  t:fails(function() return x[{1, 5}] end, 'dim 2')
  t:fails(function() return x[{1, 1, 1}] end, 'too many indices')
  t:fails(function() return x[1.5] end, 'number 1.5')
  t:fails(function() return x[true] end, 'true')
  t:fails(function() return torch.tensor(1)[1] end, 'without dims')
end

function s.ranges()
  local x = grid()
  t:eq(x[{{1, 2}}], torch.tensor {{0., 1., 2., 3.}, {4., 5., 6., 7.}})
  t:eq(x[{{}, {2, 3}}], torch.tensor {{1., 2.}, {5., 6.}, {9., 10.}})
  t:eq(x[{{}, {1, -1, 2}}], torch.tensor {{0., 2.}, {4., 6.}, {8., 10.}})
  t:eq(x[{2, {3, -1}}], torch.tensor {6., 7.})
  t:eq(x[{{-2, -1}, 1}], torch.tensor {4., 8.})
  t:eq(x[{{2}}], x[{{2, 2}}])
  t:eq(x[{{2, 9}}]:size(), torch.Size {2, 4})
  t:eq(x[{{1, 0}}]:size(), torch.Size {0, 4})
  t:eq(x[{{}}], x)
  t:eq(x[{}], x)
  t:fails(function() return x[{{0, 2}}] end, 'count from 1')
  t:fails(function() return x[{{1, 3, -1}}] end, 'step')
  t:fails(function() return x[{{1, 2, 3, 4}}] end, 'torch.tensor')
  t:fails(function() return x[{{'a', 2}}] end, 'range')
end

function s.ellipsis_and_newaxis()
  local x = grid()
  t:eq(x['...'], x)
  t:eq(x[{'...', 1}], torch.tensor {0., 4., 8.})
  t:eq(x[{1, '...'}], x[1])
  t:eq(x[torch.newaxis]:size(), torch.Size {1, 3, 4})
  t:eq(x[{{}, torch.newaxis, 2}]:size(), torch.Size {3, 1})
  t:eq(x[{'...', torch.newaxis}]:size(), torch.Size {3, 4, 1})
  t:fails(function() return x[{'...', '...'}] end, 'once')
end

function s.views_share_memory()
  local x = grid()
  local row = x[2]
  row:fill_(0)
  t:eq(x[{2, 1}]:item(), 0.)
  x[{{}, 1}]:add_(100)
  t:eq(x[{3, 1}]:item(), 108.)
  local copy = x[torch.tensor {1}]
  copy:fill_(7)
  t:eq(x[{1, 2}]:item(), 1.)
end

function s.masks_and_index_tensors()
  local x = grid()
  t:eq(x[x:gt(8)], torch.tensor {9., 10., 11.})
  t:eq(x[torch.tensor {true, false, true}], x[torch.tensor {1, 3}])
  t:eq(x[torch.tensor {3, 1}], torch.tensor {{8., 9., 10., 11.}, {0., 1., 2., 3.}})
  t:eq(x[torch.tensor {-1}][1], x[3])
  t:eq(x[{{}, torch.tensor {4, 1}}], torch.tensor {{3., 0.}, {7., 4.}, {11., 8.}})
  t:eq(x[{torch.tensor {1, 3}, torch.tensor {2, 4}}], torch.tensor {1., 11.})
  t:eq(x[{2, torch.tensor {1, 2}}], torch.tensor {4., 5.})
  t:eq(x[{torch.tensor {{1}, {3}}, torch.tensor {{2, 4}}}], torch.tensor {{1., 3.}, {9., 11.}})
  t:eq(x[torch.tensor({1, 1}, {dtype = torch.uint8})], x[torch.tensor {1, 1}])
  t:eq(x[{{}, torch.tensor {true, false, false, true}}], torch.tensor {{0., 3.}, {4., 7.}, {8., 11.}})
  t:fails(function() return x[torch.tensor {0}] end, '1')
  t:fails(function() return x[torch.tensor {4}] end, '4')
  t:fails(function() return x[torch.tensor {1.5}] end, 'float32')
  t:fails(function() return x[torch.tensor {true, false}] end, 'mask', '[2]', '[3, 4]')
end

function s.masks_without_dims_add_a_dim()
  local x = grid()
  local yes, no = torch.tensor(true), torch.tensor(false)
  t:eq(x[yes]:size(), torch.Size {1, 3, 4})
  t:eq(x[no]:size(), torch.Size {0, 3, 4})
  t:eq(x[{2, yes}], x[{{2}}])
  t:eq(x[{{}, yes, 1}]:size(), torch.Size {3, 1})
  t:eq(x[{yes, torch.tensor {1, 3}, torch.tensor {2, 4}}], torch.tensor {1., 11.})
  t:eq(x[{torch.newaxis, no, '...', torch.newaxis}]:size(), torch.Size {1, 0, 3, 4, 1})
  x[{1, yes}] = 5
  x[{2, no}] = 7
  t:eq(x[{{}, 1}], torch.tensor {5., 4., 8.})
end

function s.index_tensors_apart_come_first()
  local x = torch.arange(24):reshape(2, 3, 4)
  local i, j = torch.tensor {1, 2, 1}, torch.tensor {4, 1, 2}
  t:eq(x[{i, {}, j}]:size(), torch.Size {3, 3})  -- PyTorch's order of dims
  t:eq(x[{i, {}, j}][2], torch.tensor {12, 16, 20})
  t:eq(x[{{}, j:sub(1):clamp(1, 3), j}]:size(), torch.Size {2, 3})
  t:eq(x[{i, torch.newaxis, j:clamp(1, 3)}]:size(), torch.Size {3, 1, 4})
  t:eq(x[{{}, torch.newaxis, torch.tensor {{1}, {3}}, j}]:size(), torch.Size {2, 1, 2, 3})
  t:eq(x[{x:gt(20), torch.newaxis}]:size(), torch.Size {3, 1})
end

function s.assigned_values_drop_leading_ones()
  local x = torch.zeros(2, 2)
  x[x:eq(0)] = torch.tensor {{1., 2., 3., 4.}}  -- 1 x 4 where four elements are picked
  t:eq(x, torch.tensor {{1., 2.}, {3., 4.}})
  x[torch.tensor {2}] = torch.tensor {{{7., 8.}}}
  t:eq(x[2], torch.tensor {7., 8.})
  local v = torch.ones(1, 1, 2, {requires_grad = true})
  local y = torch.zeros(2, 2)
  y[{torch.tensor {2, 1}, torch.tensor {1, 2}}] = v
  y:mul(torch.tensor {{1., 2.}, {3., 4.}}):sum():backward()
  t:eq(v.grad, torch.tensor {{{3., 2.}}})
end

function s.nothing_picked_records_nothing()
  local x = torch.ones(1, 3, {requires_grad = true})
  local y = x * 2
  local v = torch.zeros(0, 2, {requires_grad = true})
  y[{{2, 1, 3}, {2, 3}}] = v  -- empty, and its place is beyond the memory
  y:sum():backward()
  t:eq(x.grad, torch.full({1, 3}, 2.))
  t:eq(v.grad:size(), torch.Size {0, 2})
end

function s.index_put()
  local x = torch.zeros(3, 2)
  x:index_put_({torch.tensor {1, 1, 3}, torch.tensor {2, 2, 1}}, torch.tensor {1., 2., 4.}, true)
  t:eq(x, torch.tensor {{0., 3.}, {0., 0.}, {4., 0.}})
  t:eq(torch.zeros(3):index_put({torch.tensor {-1}}, torch.tensor(5.)), torch.tensor {0., 0., 5.})
  t:eq(torch.zeros(2, 2):index_put({torch.tensor {true, false}}, torch.tensor {1., 2.}), torch.tensor {{1., 2.}, {0., 0.}})
  local v = torch.ones(2, {requires_grad = true})
  local y = torch.zeros(2):index_put({torch.tensor {1, 1}}, v, {accumulate = true})
  y:mul(torch.tensor {3., 1.}):sum():backward()
  t:eq(v.grad, torch.tensor {3., 3.})
end

function s.assignment()
  local x = torch.zeros(3, 4)
  x[1] = 1
  x[{2, {2, 3}}] = torch.tensor {5., 6.}
  x[{3, '...'}] = {1, 2, 3, 4}
  t:eq(x, torch.tensor {{1., 1., 1., 1.}, {0., 5., 6., 0.}, {1., 2., 3., 4.}})
  x[{{}, 1}] = torch.tensor {{7.}}  -- leading extents of 1 are dropped, the rest broadcasts
  t:eq(x[{{}, 1}], torch.tensor {7., 7., 7.})
  x[x:gt(4)] = 0
  t:eq(x:max():item(), 4.)
  x[torch.tensor {1, 3}] = -1
  t:eq(x[{{}, 4}], torch.tensor {-1., 0., -1.})
  x[{torch.tensor {1, 2}, torch.tensor {1, 2}}] = torch.tensor {8., 9.}
  t:eq(x[{1, 1}]:item() + x[{2, 2}]:item(), 17.)
  x[{{}}] = 2
  t:eq(x, torch.full({3, 4}, 2.))
  x['...'] = 3
  t:eq(x, torch.full({3, 4}, 3.))
  x[-1] = true
  t:eq(x[3], torch.ones(4))
  local n = torch.zeros(2, {dtype = torch.int64})
  n[1] = 2.9
  t:eq(n:tolist(), {2, 0})
  t:fails(function() x[4] = 1 end, 'index 4')
  t:fails(function() x[1] = 'a' end, "string 'a'")
  t:fails(function() x[1] = torch.ones(3) end, '[3]')
  t:fails(function() x[1] = nil end, 'nil')
end

function s.gradients_flow()
  local x = torch.ones(3, 4, {requires_grad = true})
  local y = x[2]:sum() + x[{{}, {1, 2}}]:sum() * 2 + x[torch.tensor {1, 1}]:sum()
  y:backward()
  t:eq(x.grad, torch.tensor {{4., 4., 2., 2.}, {3., 3., 1., 1.}, {2., 2., 0., 0.}})
  local w = torch.ones(2, {requires_grad = true})
  y = torch.zeros(4)
  y[{{2, 3}}] = w * 3
  y[1] = w[1]
  y:sum():backward()
  t:eq(w.grad, torch.tensor {4., 3.})
  t:fails(function() w[1] = 5 end, 'leaf')
end

function s.ipairs_over_tensors()
  local seen = {}
  for i, row in ipairs(grid()) do seen[i] = row[1]:item() end
  t:eq(seen, {0., 4., 8.})
  seen = {}
  for i, v in ipairs({5, 6}) do seen[i] = v end
  t:eq(seen, {5, 6})
  t:fails(function() for _ in ipairs(torch.tensor(1)) do end end, 'without dims')
end

-- Rows that lie in one place, before and behind the dim that is indexed.
function s.index_tensors_on_expanded()
  local one = torch.tensor {1}
  local x = torch.arange(8):reshape(8, 1, 1):expand(8, 3, 17)
  t:eq(x[{{}, {}, one}], x:contiguous()[{{}, {}, one}])
  local y = torch.arange(3):reshape(1, 3, 1):expand(2, 3, 2)
  t:eq(y[one], y:contiguous()[one])
end

-- More rows than the CPU joins at once.
function s.cat_of_many_rows()
  local parts, width = {}, 0
  for i, columns in ipairs {1, 7, 0, 64, 3} do parts[i], width = torch.randn(3001, columns), width + columns end
  local joined, at = torch.cat(parts, 2), 1
  t:eq(joined:size(2), width)
  for _, part in ipairs(parts) do
    t:assert(torch.equal(joined:narrow(2, at, part:size(2)), part))
    at = at + part:size(2)
  end
end

t:add(s):run()
