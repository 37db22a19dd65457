-- The Tensor class: fields, methods, values, torch.tensor, metamethods, functions of torch that are no operators.
local t, s = torch.Tester(), torch.TestSuite()

function s.tensor_from_values()
  t:eq(torch.tensor({1, 2}).dtype, torch.int64)
  t:eq(torch.tensor({1, 2.5}).dtype, torch.float32)
  t:eq(torch.tensor({true, false}).dtype, torch.bool)
  t:eq(torch.tensor({true, 2}).dtype, torch.int64)
  t:eq(torch.tensor({}).dtype, torch.float32)
  t:eq(torch.tensor({}):size(), torch.Size {0})
  t:eq(torch.tensor({{}, {}}):size(), torch.Size {2, 0})
  t:eq(torch.tensor(3):dim(), 0)
  t:eq(torch.tensor({{{1}}}):size(), torch.Size {1, 1, 1})
  t:eq(torch.tensor({1, 2}, {dtype = torch.float64}).dtype, torch.float64)
  t:eq(torch.tensor({-1}, {dtype = 'uint8'}):item(), 255)
  t:eq(torch.tensor({torch.tensor(1), 2}):tolist(), {1, 2})
  t:eq(torch.tensor(torch.Size {2, 3}):tolist(), {2, 3})
  t:eq(torch.tensor({1.}, {requires_grad = true}).requires_grad, true)
  t:fails(function() torch.tensor {{1, 2}, {3}} end, 'element [2]', 'a list of 1', 'lists of 2')
  t:fails(function() torch.tensor {{1, 2}, 3} end, 'element [2]', 'number 3')
  t:fails(function() torch.tensor {1, {2}} end, 'element [2]')
  t:fails(function() torch.tensor {{1, 'a'}} end, "element [1][2] is string 'a'")
  t:fails(function() torch.tensor {1, 2, dtype = torch.int8} end, "'dtype'")
  t:fails(function() torch.tensor({1}, {dtyp = 1}) end, "did you mean 'dtype'")
end

function s.torch7_constructor()
  t:eq(torch.Tensor(2, 3):size(), torch.Size {2, 3})
  t:eq(torch.Tensor({1, 2}), torch.tensor {1., 2.})
  t:eq(torch.Tensor(torch.Size {4}):size(), torch.Size {4})
  t:eq(torch.Tensor():numel(), 0)
end

function s.lists()
  local nested = {{1.5, 2.5}, {3.5, 4.5}}
  t:eq(torch.tensor(nested):tolist(), nested)
  t:eq(torch.tensor(nested):t():tolist(), {{1.5, 3.5}, {2.5, 4.5}})
  t:eq(torch.tensor(7):tolist(), 7)
  t:eq(torch.tensor({true}):tolist(), {true})
  t:eq(torch.zeros(2, 0):tolist(), {{}, {}})
end

function s.item_kinds()
  t:eq(math.type(torch.tensor(3):item()), 'integer')
  t:eq(math.type(torch.tensor(3.):item()), 'float')
  t:eq(torch.tensor(true):item(), true)
  t:fails(function() torch.zeros(2):item() end, 'one element', '[2]')
end

function s.bytes()
  t:eq(torch.tensor('abc'), torch.tensor({97, 98, 99}, {dtype = torch.uint8}))
  t:eq(torch.tensor(''):numel(), 0)
  t:eq(torch.tensor('a', {dtype = torch.float32}), torch.tensor {97.})
  local x = torch.tensor {{1, 2}, {3, 4}}
  t:eq(torch.frombuffer(x:t():tobytes(), {dtype = torch.int64}), torch.tensor {1, 3, 2, 4})
  t:eq(#torch.zeros(0):tobytes(), 0)
  t:eq(torch.frombuffer('xxabyy', {dtype = torch.uint8, offset = 2, count = 2}), torch.tensor('ab'))
  t:eq(torch.frombuffer('\0\1\2', {dtype = torch.bool}), torch.tensor {false, true, true})
  t:fails(function() torch.frombuffer('abc', {dtype = torch.int32}) end, '3 bytes', 'int32')
  t:fails(function() torch.frombuffer('abcd', {dtype = torch.int32, count = 2}) end, '2 elements', 'the buffer has 4')
  t:fails(function() torch.frombuffer('abcd', {offset = 5}) end, 'offset 5')
  t:fails(function() torch.frombuffer({1}) end, 'a string of bytes')
  t:fails(function() torch.tensor {{1, 2}, {3}} end, '[2]')
  t:fails(function() torch.tensor {{{1}}, {{2, 3}}} end, '[2][1]')
end

function s.fields()
  local x = torch.zeros(2, 3)
  t:eq(x.shape, torch.Size {2, 3})
  t:eq(x.dtype, torch.float32)
  t:eq(tostring(x.device), 'cpu')
  t:eq(x.device, torch.device('cpu'))
  t:eq(x.grad, nil)
  t:eq(x.grad_fn, nil)
  t:eq(x.is_leaf, true)
  t:eq(x.requires_grad, false)
  t:eq(x.is_cuda, false)
  t:eq(x.T:size(), torch.Size {3, 2})
  t:eq(torch.zeros(4, 2, 3).mT:size(), torch.Size {4, 3, 2})
  x.requires_grad = true
  t:eq(x.requires_grad, true)
  x.grad = torch.ones(2, 3)
  t:eq(x.grad, torch.ones(2, 3))
  x.grad = nil
  t:eq(x.grad, nil)
  t:eq(x.data.requires_grad, false)
  x.data = torch.ones(3)
  t:eq(x:size(), torch.Size {3})
  t:fails(function() return x.shap end, "did you mean 'shape'")
  t:fails(function() x.shape = 3 end, "field 'shape' cannot be set")
  t:fails(function() x.grad = torch.ones(7) end, 'grad')
  t:fails(function() torch.zeros(2, {dtype = torch.int64}).requires_grad = true end, 'floating point')
end

function s.methods()
  local x = torch.zeros(2, 3)
  t:eq(x:size(1), 2)
  t:eq(x:size(-1), 3)
  t:eq(x:dim(), 2)
  t:eq(x:numel(), 6)
  t:eq(x:nelement(), 6)
  t:eq(x:stride(), {3, 1})
  t:eq(x:stride(1), 3)
  t:eq(x:element_size(), 4)
  t:eq(x:is_contiguous(), true)
  t:eq(x:t():is_contiguous(), false)
  t:eq(x:storage_offset(), 0)
  t:eq(math.type(x:data_ptr()), 'integer')
  t:eq(x:is_floating_point(), true)
  t:eq(x:type(), 'torch.FloatTensor')
  t:fails(function() x:size(0) end, 'dims count from 1')
  t:fails(function() x:size(3) end, 'dim 3 is out of range')
  t:eq(x:resize_(3, 3):size(), torch.Size {3, 3})
  t:eq(x:resize_as_(torch.zeros(1)):size(), torch.Size {1})
  local a, b = torch.ones(4), torch.zeros(2)
  local v = b:view(2)
  b:set_(a)
  t:eq(b, a)
  t:eq(v, torch.zeros(2))
  b:set_(a, 1, {3}, {1})
  b:fill_(5)
  t:eq(a, torch.tensor {1., 5., 5., 5.})
end

function s.conversion()
  local x = torch.tensor {1.7, -1.7}
  t:eq(x:long(), torch.tensor {1, -1})
  t:eq(x:to(torch.float64).dtype, torch.float64)
  t:eq(x:to('float16').dtype, torch.float16)
  t:eq(x:to(torch.tensor(1)).dtype, torch.int64)
  t:eq(x:to('cpu', torch.bfloat16).dtype, torch.bfloat16)
  t:eq(x:to {dtype = torch.int8}.dtype, torch.int8)
  t:assert(rawequal(x:to(torch.float32), x))
  t:assert(not rawequal(x:to(torch.float32, {copy = true}), x))
  t:eq(x:double():type_as(x).dtype, torch.float32)
  t:eq(x:type('torch.LongTensor').dtype, torch.int64)
  t:eq(torch.tensor({0 / 0}):long():item(), 0)
  t:eq(x:to('meta').device, torch.device('meta'))
  t:fails(function() x:to('float23') end, 'float23')
  t:fails(function() x:to(3) end, 'to: argument 1')
  if not torch.cuda.is_available() then
    t:fails(function() x:cuda() end, "device 'cuda' is not available")
    t:eq(torch.cuda.device_count(), 0)
  end
end

function s.size_is_a_tuple()
  local n = torch.zeros(4, 3):size()
  t:eq(n[1], 4)
  t:eq(n[-1], 3)
  t:eq(n[3], nil)
  t:eq(#n, 2)
  t:eq({table.unpack(n)}, {4, 3})
  t:eq(n:numel(), 12)
  t:eq(tostring(n), 'torch.Size([4, 3])')
  t:assert(n == torch.Size {4, 3} and n ~= torch.Size {4})
  t:assert(n == torch.Size(4, 3))
  local seen = {}
  for i, v in ipairs(n) do seen[i] = v end
  t:eq(seen, {4, 3})
end

function s.small_values()
  t:eq(tostring(torch.float32), 'torch.float32')
  t:assert(torch.float == torch.float32 and torch.float ~= torch.double and torch.long == torch.int64)
  t:eq(({[torch.float32] = 1})[torch.zeros(1).dtype], 1)
  t:eq(tostring(torch.device('cuda', 1)), 'cuda:1')
  t:eq(torch.device('cuda:1'), torch.device('cuda', 1))
  t:eq(torch.device('cuda:1').index, 1)
  t:eq(torch.device('cpu').type, 'cpu')
  t:fails(function() torch.device('a b') end, 'no device')
  t:eq(tostring(torch.channels_last), 'torch.channels_last')
  t:eq(tostring(torch.none), 'torch.none')
  t:eq(torch.promote_types(torch.int8, torch.float16), torch.float16)
  t:eq(torch.result_type(torch.tensor {1}, 1.5), torch.float32)
  t:eq(torch.finfo(torch.float32).eps, 2 ^ -23)
  t:eq(torch.finfo('float64').max, math.maxinteger and 0x1.fffffffffffffp1023)
  t:eq(torch.iinfo(torch.int8).min, -128)
  t:fails(function() torch.iinfo(torch.float32) end, 'finfo')
  t:eq(torch.get_default_dtype(), torch.float32)
  torch.set_default_dtype(torch.float64)
  t:eq(torch.tensor({1.5}).dtype, torch.float64)
  torch.set_default_dtype(torch.float32)
end

function s.identity_and_comparison()
  local x, y = torch.tensor {1., 2.}, torch.tensor {1., 2.}
  t:assert(x == x and x ~= y)
  x.requires_grad = true
  x.grad = y
  t:assert(x.grad == x.grad and x.grad == y)
  t:eq(#x, 2)
  t:assert(torch.tensor(1) < 2 and 1 <= torch.tensor {1.} and torch.tensor(3) > torch.tensor(2.5))
  t:assert(not (torch.tensor(0 / 0) < 1))
  t:fails(function() return y < 1 end, 'x:lt(y)')
  t:fails(function() return y <= 1 end, 'x:le(y)')
  t:fails(function() return y < 'a' end, "string 'a'")
  t:fails(function() return #torch.tensor(1) end, 'without dims')
  t:fails(function() return 'x' .. y end, 'torch.cat')
end

function s.identification()
  t:eq(torch.is_tensor(torch.zeros(1)), true)
  t:eq(torch.is_tensor({}), false)
  t:eq(torch.typename(torch.zeros(1)), 'torch.FloatTensor')
  t:eq(torch.typename(torch.zeros(1):long()), 'torch.LongTensor')
  t:eq(torch.typename(3), nil)
  t:eq(torch.isinstance(torch.zeros(1), torch.Tensor), true)
  t:eq(torch.isinstance({}, torch.Tensor), false)
  function torch.Tensor.twice(x) return x * 2 end
  t:eq(torch.ones(1):twice(), torch.tensor {2.})
  torch.Tensor.twice = nil
end

function s.random_state()
  torch.manual_seed(3)
  local a = torch.rand(5)
  local state = torch.get_rng_state()
  local b = torch.rand(5)
  torch.set_rng_state(state)
  t:eq(torch.rand(5), b)
  torch.manual_seed(3)
  t:eq(torch.rand(5), a)
  t:eq(torch.initial_seed(), 3)
  t:fails(function() torch.set_rng_state(torch.zeros(2)) end, 'get_rng_state')
end

function s.threads()
  local n = torch.get_num_threads()
  torch.set_num_threads(1)
  t:eq(torch.get_num_threads(), 1)
  torch.set_num_threads(n)
  t:fails(function() torch.set_num_threads(0) end, '1 or more, and 4096')
end

function s.softmax_of_no_rows()
  for _, f in ipairs { torch.softmax, torch.log_softmax } do
    t:eq(f(torch.zeros(2, 0), 1):size(), torch.Size { 2, 0 })
    t:eq(f(torch.zeros(0, 2), 1):size(), torch.Size { 0, 2 })
  end
  t:eq(torch.logsumexp(torch.zeros(2, 0), 1):size(), torch.Size { 0 })
end

function s.require_gives_the_same_table()
  t:assert(require 'torch' == torch)
end

t:add(s):run()
