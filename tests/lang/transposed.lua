-- Elementwise operators of transposed operands, of numbers in the place of tensors, and of rows: beside those of copies in order.
torch.manual_seed(1)
for _, dt in ipairs { 'float32', 'float64', 'int64', 'int16', 'uint8', 'bfloat16' } do
  local a, b = torch.randn(40, 24):mul(10):to(torch[dt]), torch.randn(24, 40):mul(10):to(torch[dt])
  local c = torch.randn(24, 40):gt(0)
  for name, f in pairs {
    where_else_number = function(m, x) return torch.where(m, x, 0) end,
    where_number = function(m, x) return torch.where(m, 2, x) end,
    where = function(m, x, y) return torch.where(m, x, y) end,
    addcmul = function(_, x, y) return x.dtype.is_floating_point and torch.addcmul(x, y, y) or x end,
    lerp = function(_, x, y) return x.dtype.is_floating_point and torch.lerp(x, y, 0.3) or x end,
    clamp = function(_, x) return x:clamp(0, 3) end,
    masked_fill = function(m, x) return x:masked_fill(m, 1) end,
    add = function(_, x, y) return x + y end,
    mul = function(_, x) return x * 2 end,
    row = function(_, x, y) return x + y[1] end,
    alpha = function(_, x, y) return x:add(y, { alpha = 2 }) end,
  } do
    local at = a:t()
    local r = f(c, at, b)
    local e = f(c:contiguous(), at:contiguous(), b:contiguous())
    local r2 = f(c:t():contiguous():t(), at, b)
    assert(torch.equal(r, e) and torch.equal(r2, e), dt .. ' ' .. name)
  end
end
-- Of all sizes: parts of tiles, and what is too large for a cache.
for _, size in ipairs { { 8, 9 }, { 33, 70 }, { 300, 257 }, { 1100, 1101 } } do
  local n, m = table.unpack(size)
  for _, dt in ipairs { 'float32', 'float64', 'int16', 'uint8' } do
    local want = ((torch.arange(0, m):view(m, 1) + torch.arange(0, n) * m) % 101):to(torch[dt])
    local x = (torch.arange(0, n * m) % 101):to(torch[dt]):view(n, m)
    assert(torch.equal(x:t():contiguous(), want), dt .. ' of ' .. n .. ' x ' .. m)
    assert(torch.equal(x:t() + want, want * 2), 'sum of ' .. dt .. ', ' .. n .. ' x ' .. m)
  end
end
print 'ok'
