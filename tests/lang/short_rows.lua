-- Reductions have several ways through memory: rows, columns, several runs of reduced dims, short rows as columns. A layout does not
-- change what they find, nor the bits of what rows of one lane have.
local t, s = torch.Tester(), torch.TestSuite()
local extents = { 1, 3, 4, 5, 8, 16, 17, 31, 33, 60, 63, 64, 100, 128, 255, 256 }
local dtypes = { torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int16, torch.uint8 }

local function numbers(dtype, ...) return torch.randint(0, 40, { ... }):to(dtype) end
local function same(what, got, want)
  got, want = got:double(), want:double()
  t:assert(got:eq(want):logical_or(got:isnan():logical_and(want:isnan())):all(), what)
end
-- of x, which has rows, and of the same elements in columns
local function check(what, x, f, ...)
  local got, want = table.pack(f(x, 2, ...)), table.pack(f(x:t():contiguous(), 1, ...))
  for i = 1, got.n do same(what .. ' ' .. tostring(x.dtype) .. ' ' .. x:size(2), got[i], want[i]) end
end

function s.extremes()
  for _, dtype in ipairs(dtypes) do
    for _, n in ipairs(extents) do
      local x = numbers(dtype, 70, n)
      for _, name in ipairs { 'amax', 'amin', 'max', 'min' } do check(name, x, torch[name]) end
      if x:is_floating_point() then
        for i = 1, math.min(n, 70) do x[{ i, i }] = 0 / 0 end
        for _, name in ipairs { 'amax', 'amin', 'max', 'min' } do check(name .. ' of nan', x, torch[name]) end
      end
    end
  end
end

function s.exponentials()
  for _, dtype in ipairs { torch.float32, torch.float64, torch.bfloat16 } do
    for _, n in ipairs(extents) do
      local x = torch.randn(70, n):to(dtype)
      for _, f in ipairs { torch.softmax, torch.log_softmax } do
        if n < 64 then same('beside columns', f(x, 2), f(x:t():contiguous(), 1):t()) end
      end
      local beside = x:double():logsumexp(2)
      t:assert(x:logsumexp(2):double():allclose(beside, { rtol = dtype == torch.bfloat16 and 1e-2 or 1e-5, atol = 1e-5 }), 'logsumexp')
    end
  end
  local x = torch.full({ 20, 5 }, -1 / 0)
  t:assert(x:logsumexp(2):eq(-1 / 0):all() and x:t():contiguous():logsumexp(1):eq(-1 / 0):all(), 'of -inf')
end

function s.order()
  for _, dtype in ipairs(dtypes) do
    for _, n in ipairs { 1, 2, 7, 16, 17 } do
      local x = numbers(dtype, 70, n)
      for _, largest in ipairs { true, false } do
        local v, i = x:topk((n + 1) // 2, 2, largest)
        local w, j = x:t():contiguous():topk((n + 1) // 2, 1, largest)
        same('topk', w:t(), v)
        same('positions of topk', j:t(), i)
        v, i = x:sort(2, largest)
        w, j = x:t():contiguous():sort(1, largest)
        same('sort', w:t(), v)
        same('positions of sort', j:t(), i)
      end
    end
  end
end

function s.slices()
  for _, dtype in ipairs(dtypes) do
    local x = numbers(dtype, 9, 40, 11, 80):remainder(3)
    local views = {
      x[{ {}, {}, {}, { 2, 61 } }], x[{ { 1, 9, 2 } }], x[{ {}, { 3, 20 }, { 2, 9 } }], x:transpose(2, 4), x:permute { 3, 1, 4, 2 },
      x[{ {}, { 1, 1 } }]:expand(9, 40, 11, 80), x[{ {}, {}, {}, { 1, 1 } }]:expand(9, 40, 11, 80), x[{ {}, {}, {}, { 1, 0 } }],
    }
    for k, view in ipairs(views) do
      for _, dims in ipairs { { 1 }, { 4 }, { 1, 3 }, { 2, 4 }, { 1, 2 }, { 1, 3, 4 }, { 1, 2, 3, 4 } } do
        same('sum ' .. k, view:sum(dims), view:double():contiguous():sum(dims):to(view:sum(dims).dtype))
        if view:numel() > 0 then same('amax ' .. k, view:amax(dims), view:contiguous():amax(dims)) end
      end
    end
  end
end

t:add(s):run()
