-- What modules and losses do at the edges of shapes and settings, as PyTorch does it.
local t, s = torch.Tester(), torch.TestSuite()
local function list(x) return x:detach():long():reshape(-1):tolist() end

function s.circular_padding_repeats_what_is_not_cut_off()
  local x = torch.arange(4.0):reshape(1, 4)
  t:eq(list(F.pad(x, {-1, 3}, 'circular')), {1, 2, 3, 1, 2, 3})
  t:eq(list(F.pad(x, {2, -1}, {mode = 'circular'})), {1, 2, 0, 1, 2})
  t:eq(list(nn.CircularPad2d {padding = {1, -1, -1, 1}}(torch.arange(6.0):reshape(1, 2, 3))), {4, 3, 4, 4, 3, 4})
  t:fails(function() return F.pad(x, {-2, 3}, 'circular') end, 'more than once')
  local y = x:clone():requires_grad_()
  F.pad(y, {-1, 3}, 'circular'):sum():backward()
  t:eq(list(y.grad), {0, 2, 2, 2})
end

t:add(s):run()
