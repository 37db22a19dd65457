-- Patterns of einops against the same computed with permute and reshape, views, gradients, and errors that point into
-- the pattern.
local t, s = torch.Tester(), torch.TestSuite()

local x = torch.arange(2 * 6 * 4, { dtype = 'float64' }):reshape(2, 6, 4)
local image = torch.arange(2 * 3 * 4 * 6, { dtype = 'float64' }):reshape(2, 3, 4, 6)
local unit = x:unsqueeze(2)

-- {function, tensor, pattern, further arguments…}, then what it is by hand.
local cases = {
  { { 'rearrange', x, 'b c t -> b c t' }, x },
  { { 'rearrange', x, 'b c t -> t b c' }, x:permute(3, 1, 2) },
  { { 'rearrange', x, 'b (h d) t -> b h t d', { h = 2 } }, x:reshape(2, 2, 3, 4):permute(1, 2, 4, 3) },
  { { 'rearrange', x, 'b (h d) t -> b t (h d)', { d = 3 } }, x:permute(1, 3, 2) },
  { { 'rearrange', x, 'b (h d) t -> b t (d h)', { d = 3 } }, x:reshape(2, 2, 3, 4):permute(1, 4, 3, 2):reshape(2, 4, 6) },
  { { 'rearrange', x, 'b c t -> (b c t)' }, x:reshape(-1) },
  { { 'rearrange', x, 'b c t -> b (c t) 1' }, x:reshape(2, 24, 1) },
  { { 'rearrange', x, 'b c t -> b () c (t)' }, x:unsqueeze(2) },
  { { 'rearrange', unit, 'b 1 c t -> t c b' }, x:permute(3, 2, 1) },
  { { 'rearrange', unit, 'b () c t -> b c t' }, x },
  { { 'rearrange', image, '... h w -> ... w h' }, image:permute(1, 2, 4, 3) },
  { { 'rearrange', image, 'b ... -> b (...)' }, image:reshape(2, 72) },
  { { 'rearrange', image, 'b … w -> (w …) b' }, image:permute(4, 2, 3, 1):reshape(72, 2) },
  { { 'rearrange', image, '... -> (...)' }, image:reshape(-1) },
  { { 'rearrange', image, 'b c (h h2) (w w2) -> b (c h2 w2) h w', { h2 = 2, w2 = 3 } },
    image:reshape(2, 3, 2, 2, 2, 3):permute(1, 2, 4, 6, 3, 5):reshape(2, 18, 2, 2) },
  { { 'rearrange', { x, x + 1 }, 'n b c t -> b n (c t)' }, torch.stack({ x, x + 1 }, 2):reshape(2, 2, 24) },
  { { 'rearrange', torch.tensor(3.), '-> 1' }, torch.tensor { 3. } },
  { { 'rearrange', torch.zeros(0, 3), 'a b -> b a' }, torch.zeros(3, 0) },
  { { 'einreduce', x, 'b c t -> b t', 'sum' }, x:sum(2) },
  { { 'einreduce', x, 'b c t -> ', 'mean' }, x:mean() },
  { { 'einreduce', x, 'b c t -> t b', 'max' }, x:amax(2):t() },
  { { 'einreduce', x, 'b c t -> () c 1', 'min' }, x:amin { 1, 3 }:reshape(1, 6, 1) },
  { { 'einreduce', x, 'b (c 3) t -> b c t', 'prod' }, x:reshape(2, 2, 3, 4):prod(3) },
  { { 'einreduce', image, 'b c (h h2) (w w2) -> b h w c', 'mean', { h2 = 2, w2 = 2 } },
    image:reshape(2, 3, 2, 2, 3, 2):mean { 4, 6 }:permute(1, 3, 4, 2) },
  { { 'einreduce', image, 'b ... -> b', 'sum' }, image:sum { 2, 3, 4 } },
  { { 'einreduce', image, 'b ... w -> ...', 'max' }, image:amax { 1, 4 } },
  { { 'einreduce', x, 'b c t -> b c', function(y, dims) return y:logsumexp(dims) end }, x:logsumexp(3) },
  { { 'einrepeat', x, 'b c t -> b c t k', { k = 3 } }, x:unsqueeze(4):expand(2, 6, 4, 3) },
  { { 'einrepeat', x, 'b c t -> (k b) c t', { k = 3 } }, torch.cat { x, x, x } },
  { { 'einrepeat', x, 'b c t -> b (c 2) t' }, x:repeat_interleave(2, 2) },
  { { 'einrepeat', x, 'b (h d) t -> b h 2 t d', { h = 3 } },
    x:reshape(2, 3, 2, 4):permute(1, 2, 4, 3):unsqueeze(3):expand(2, 3, 2, 4, 2) },
  { { 'einrepeat', x, '... -> 2 ... 1' }, x:reshape(1, 2, 6, 4, 1):expand(2, 2, 6, 4, 1) },
}

function s.results()
  for _, case in ipairs(cases) do
    local call = case[1]
    local got = torch[call[1]](table.unpack(call, 2))
    t:eq(got:size(), case[2]:size(), call[3])
    t:assert(got:equal(case[2]), call[3])
  end
end

function s.methods()
  t:assert(x:rearrange('b c t -> t b c'):equal(x:permute(3, 1, 2)))
  t:assert(x:einreduce('b c t -> t', 'sum'):equal(x:sum { 1, 2 }))
  t:assert(x:einrepeat('b c t -> 2 b c t'):equal(torch.stack { x, x }))
end

function s.views_copy_nothing()
  local function shares(y) return y:data_ptr() == x:data_ptr() end
  t:assert(shares(x:rearrange('b (h d) t -> b h t d', { h = 2 })))
  t:assert(shares(x:rearrange('b c t -> t 1 (b c)')))
  t:assert(shares(x:einrepeat('b c t -> b c 5 t')))
  t:eq(x:einrepeat('b c t -> b c 5 t'):stride(3), 0)
end

function s.gradients()
  local y = torch.randn(2, 6, 4, { dtype = 'float64', requires_grad = true })
  t:assert(torch.autograd.gradcheck(function(v)
    return v:rearrange('b (h d) t -> t (d b) h', { h = 3 }), v:einreduce('b c (t 2) -> b t', 'max'),
      v:einreduce('b c t -> c', 'prod'), v:einrepeat('b c t -> b (c k) t', { k = 2 })
  end, { y }))
end

-- {function, pattern, further arguments, what the error says}
local mistakes = {
  { 'rearrange', 'b c t', {}, "no -> divides the pattern\n  b c t\n       ^" },
  { 'rearrange', 'b c t -> b -> c', {}, "a second ->" },
  { 'rearrange', 'b (c t -> b c t', {}, "no ) closes this group\n  b (c t -> b c t\n    ^" },
  { 'rearrange', 'b c) t -> b c t', {}, "no ( stands before this )\n  b c) t -> b c t\n     ^" },
  { 'rearrange', 'b ((c) t) -> b c t', {}, 'a group within a group' },
  { 'rearrange', 'b c t -> b t', {}, "axis 'c' is missing on the right; torch.einreduce reduces axes\n  b c t -> b t\n    ^" },
  { 'rearrange', 'b c t -> b c t k', {}, "axis 'k' is missing on the left" },
  { 'rearrange', 'b b t -> b t', {}, "axis 'b' stands twice on this side\n  b b t -> b t\n    ^" },
  { 'rearrange', 'b _c t -> b t _c', {}, "the name '_c' begins or ends with an underscore" },
  { 'rearrange', 'b c t -> b c , t', {}, "',' has no meaning here" },
  { 'rearrange', 'b (h d) t -> b h d t', {}, "the size of 'h' or of 'd' must be given: the dim has extent 6" },
  { 'rearrange', 'b (h d) t -> b h d t', { { h = 4 } }, "extent 6 does not divide by 4\n  b (h d) t -> b h d t\n    ^" },
  { 'rearrange', 'b c t -> b c t', { { c = 5 } }, 'the dim has extent 6, the pattern 5' },
  { 'rearrange', 'b c t -> b c t', { { k = 5 } }, "no axis of 'b c t -> b c t' is named 'k'" },
  { 'rearrange', 'b c t -> b c t', { { c = 0 } }, "the size of axis 'c' must be an integer from 1, not 0" },
  { 'rearrange', 'b c -> c b', {}, 'the left side has 2 axes, the tensor 3: its shape is [2, 6, 4]' },
  { 'rearrange', 'a b c d ... -> a b c d ...', {}, 'the left side has 4 axes beside ..., the tensor 3' },
  { 'rearrange', 'b (...) -> b ...', {}, '... within a group may stand on the right alone' },
  { 'rearrange', 'b 1 t -> b t', {}, 'the dim has extent 6, the pattern 1' },
  { 'rearrange', 'b 2 t -> b t', {}, 'give the axis a name' },
  { 'rearrange', 3, {}, "expects a pattern such as" },
  { 'einreduce', 'b c t -> b', {}, 'the reduction is' },
  { 'einreduce', 'b c t -> b', { 'median' }, "not 'median'" },
  { 'einreduce', 'b c t -> b k', { 'sum' }, "axis 'k' is missing on the left; torch.einrepeat adds axes" },
  { 'einrepeat', 'b c t -> b t', {}, "axis 'c' is missing on the right" },
  { 'einrepeat', 'b c t -> b c t k', {}, "the size of the new axis 'k' must be given\n  b c t -> b c t k\n                 ^" },
}

function s.errors_point_into_the_pattern()
  for _, m in ipairs(mistakes) do
    t:fails(function() torch[m[1]](x, m[2], table.unpack(m[3])) end, m[4])
  end
  t:fails(function() torch.rearrange(3, 'a -> a') end, 'expects a tensor, got')
  t:fails(function() torch.einreduce(torch.arange(3), 'a ->', 'mean') end, 'the mean needs a floating dtype')
end

function s.errors_name_the_line_of_the_script()
  local ok, message = pcall(function() return x:rearrange('b c -> c b') end)
  t:assert(not ok and tostring(message):find('einops.lua:%d+: rearrange: '), message)
end

t:add(s):run()
