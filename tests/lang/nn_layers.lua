-- Layers with parameters as scripts see them: lazy forms before and after their first input, tables of vectors, the
-- adaptive softmax, SyncBatchNorm, what constructors and calls refuse, and the laws of nn.init that draw matrices.
local tester = torch.Tester()
local tests = torch.TestSuite()

local function refuses(text, f, ...)
  local ok, message = pcall(f, ...)
  tester:assert(not ok, 'refused: ' .. text)
  tester:assert(not ok and tostring(message):find(text, 1, true) ~= nil, tostring(message) .. '\nlacks ' .. text)
end

local function lazy_net()
  return nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
end

function tests.uninitialised_parameters_are_refused()
  local net = lazy_net()
  local p = net[1].weight
  tester:eq(tostring(p), '<UninitializedParameter>')
  tester:eq(tostring(net:state_dict()['2.running_mean']), '<UninitializedBuffer>')
  tester:assert(p.dtype == torch.float32 and p.requires_grad and tostring(p.device) == 'cpu')
  local uses = {
    sum = function() return p:sum() end, numel = function() return p:numel() end, shape = function() return p.shape end,
    ['#x'] = function() return #p end, t = function() return p:t() end, add = function() return p + 1 end,
    cat = function() return torch.cat({p, p}) end, size = function() return p:size() end,
    ['x[...]'] = function() return p[1] end, tolist = function() return p:tolist() end,
    zeros_like = function() return torch.zeros_like(p) end, copy = function() return p:copy_(torch.ones(2)) end,
    ['nn.init'] = function() return nn.init.kaiming_uniform_(p) end, dim = function() return p:dim() end,
  }
  for name, use in pairs(uses) do refuses(name .. ': this parameter of a lazy module has no shape yet', use) end
end

function tests.lazy_modules_become_plain_ones()
  local net = lazy_net()
  local p = net[4].weight
  local opt = optim.SGD(net:parameters(), {lr = 0.1})
  local copy = net:clone()
  net:double()
  copy:load_state_dict(net:state_dict())
  opt:zero_grad()
  opt:step()
  tester:eq(torch.typename(net[1]), 'nn.LazyConv2d')
  tester:assert(torch.isinstance(net[4], nn.Linear) and torch.isinstance(net[4], nn.LazyLinear))
  tester:assert(nn.parameter.is_lazy(p) and nn.parameter.is_lazy(net[2].running_mean))
  local before
  net[4]:register_forward_hook(function() before = p:clone() end)
  net(torch.randn(2, 3, 6, 6, {dtype = torch.float64})):square():sum():backward()
  tester:eq(torch.typename(net[1]), 'nn.Conv2d')
  tester:assert(not nn.parameter.is_lazy(p))
  tester:assert(torch.isinstance(net[4], nn.Linear) and net[4].in_features == 64)
  tester:assert(net[4].weight == p and p.dtype == torch.float64 and p:numel() == 128)
  opt:step()
  tester:assert(not torch.equal(p, before), 'the optimizer has the tensor')
  copy:load_state_dict(net:state_dict())
  tester:eq(tostring(copy), tostring(net))
  refuses("expects in_channels = 3 in dim 2, got shape [2, 1, 6, 6], in module Sequential.1 (Conv2d(3, 4",
    net, torch.randn(2, 1, 6, 6, {dtype = torch.float64}))
  refuses('expects an input [N, C, H, W] or [C, H, W], got shape [6]', lazy_net(), torch.ones(6))
  refuses('in_channels divisible by groups = 2, got 3', nn.LazyConv1d(4, 1, {groups = 2}), torch.ones(1, 3, 5))
end

function tests.lazy_modules_save_and_load()
  local path = os.tmpname() .. '.h5'
  torch.save(lazy_net():state_dict(), path)
  local net = lazy_net()
  net:load_state_dict(torch.load(path))
  tester:eq(torch.typename(net[4]), 'nn.LazyLinear')
  net(torch.ones(2, 3, 6, 6))
  torch.save(net:state_dict(), path)
  local other = lazy_net()
  other:load_state_dict(torch.load(path))
  tester:eq(torch.typename(other[4]), 'nn.Linear')
  refuses("'1.weight' has shape unknown yet", other.load_state_dict, other, lazy_net():state_dict())
  os.remove(path)
end

function tests.tables_of_vectors()
  local rows = torch.randn(4, 3)
  local e = nn.Embedding.from_pretrained(rows)
  tester:assert(not e.weight.requires_grad and e.weight:data_ptr() == rows:data_ptr())
  local bag = nn.EmbeddingBag.from_pretrained(rows, false, {mode = 'sum', padding_idx = 2})
  tester:eq(tostring(bag), "EmbeddingBag(4, 3, mode='sum', padding_idx=2)")
  tester:assert(bag.weight.requires_grad)
  torch.testing.assert_close(bag(torch.tensor {1, 2, 4}, torch.tensor {1, 3}), rows[torch.tensor {1, 4}])
  refuses('embeddings must be a matrix, got shape [3]', nn.Embedding.from_pretrained, torch.randn(3))
  local normed = nn.Embedding(4, 3, {max_norm = 0.1})
  local version = normed.weight:_version()
  normed(torch.tensor {1, 3})
  tester:assert(normed.weight:_version() > version)
  tester:assert(normed.weight:norm(2, 2)[torch.tensor {1, 3}]:le(0.1001):all())
  refuses('holds 5 at position 2; it must be from 1 to 4', normed, torch.tensor {1, 5})
end

function tests.adaptive_softmax()
  local m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, {4, 10}, {div_value = 2})
  local x, target = torch.randn(5, 8), torch.tensor {1, 5, 20, 11, 4}
  local output, loss = m(x, target)
  local all = m:log_prob(x)
  torch.testing.assert_close(all:gather(2, target:unsqueeze(2)):squeeze(2), output)
  torch.testing.assert_close(-output:mean(), loss)
  torch.testing.assert_close(all:exp():sum(2), torch.ones(5))
  tester:assert(torch.equal(m:predict(x), all:argmax(2)))
  local one, its_loss = m(x[3], target[3])
  torch.testing.assert_close(one, output[3])
  torch.testing.assert_close(its_loss, -output[3])
  refuses('target holds class 21; n_classes is 20, so it must be from 1 to 20', m, x, torch.tensor {1, 5, 21, 11, 4})
  refuses('target holds class 0', m, x, torch.tensor {1, 5, 0, 11, 4})
  for _, cutoffs in ipairs {{4, 4}, {4, 20}, {0, 2}, {5, 3}} do
    refuses('cutoffs must ascend from 1 to at most n_classes - 1 = 19', nn.AdaptiveLogSoftmaxWithLoss, 8, 20, cutoffs)
  end
end

function tests.batch_norms_become_synchronised()
  local net = nn.Sequential(nn.BatchNorm2d(2), nn.Sequential(nn.BatchNorm1d(3)))
  local weight = net[2][1].weight
  tester:assert(nn.SyncBatchNorm.convert_sync_batchnorm(net) == net)
  tester:eq(torch.typename(net[1]) .. ' ' .. torch.typename(net[2][1]), 'nn.SyncBatchNorm nn.SyncBatchNorm')
  tester:assert(net[2][1].weight == weight)
end

function tests.transposed_convolutions_take_a_size()
  local m = nn.ConvTranspose2d(3, 4, 3, {stride = 2, padding = 1})
  local x = torch.randn(2, 3, 5, 6)
  tester:eq(tostring(m(x, {10, 12}):size()), 'torch.Size([2, 4, 10, 12])')
  tester:eq(tostring(m(x, {output_size = {2, 4, 9, 12}}):size()), 'torch.Size([2, 4, 9, 12])')
  refuses('number 2 must be from 11 to 12', m, x, {10, 13})
  refuses('output_size has 3 numbers, expected 2', m, x, {10, 12, 1})
  refuses('output_size expects a table of numbers, got a number', m, x, 10)
end

function tests.impossible_settings_are_refused()
  local huge = 1 << 62
  for _, case in ipairs {
    {'in_channels divisible by groups = 2, got 3', nn.Conv2d, 3, 4, 3, {groups = 2}},
    {'out_channels divisible by groups = 2, got 3', nn.Conv1d, 4, 3, 3, {groups = 2}},
    {'groups of at least 1, got 0', nn.ConvTranspose2d, 3, 4, 3, {groups = 0}},
    {'groups of at least 1, got -1', nn.Conv3d, 3, 4, 3, {groups = -1}},
    {'in_channels of at least 0, got -3', nn.Conv2d, -3, 4, 3}, {'kernel_size must be at least 1', nn.Conv2d, 3, 4, 0},
    {'stride must be at least 1', nn.Conv2d, 3, 4, 3, {stride = 0}},
    {'dilation must be at least 1', nn.ConvTranspose1d, 3, 4, 3, {dilation = 0}},
    {'padding must be at least 0', nn.Conv2d, 3, 4, 3, {padding = -1}},
    {"'same' or 'valid', got 'sam'", nn.Conv2d, 3, 4, 3, {padding = 'sam'}},
    {'output_padding must be at least 0', nn.ConvTranspose1d, 3, 4, 3, {output_padding = -1}},
    {"a padding_mode of 'zeros', got 'reflect'", nn.ConvTranspose1d, 3, 4, 3, {padding_mode = 'reflect'}},
    {'more than 2^62 bytes', nn.Conv2d, huge, 4, 3}, {'more than 2^62 bytes', nn.Linear, huge, huge},
    {'num_channels divisible by num_groups = 4, got 6', nn.GroupNorm, 4, 6},
    {'num_groups of at least 1, got 0', nn.GroupNorm, 0, 6}, {'num_features of at least 0, got -1', nn.BatchNorm2d, -1},
    {'eps of at least 0, got -1', nn.InstanceNorm1d, 3, {eps = -1}},
    {'normalized_shape, got [2, -1]', nn.LayerNorm, {2, -1}}, {'at least one dim', nn.RMSNorm, {}},
    {'embedding_dim of at least 0, got -3', nn.Embedding, 4, -3},
    {'padding_idx 5', nn.EmbeddingBag, 4, 3, {padding_idx = 5}},
    {"a mode of 'sum', 'mean' or 'max', got 'min'", nn.EmbeddingBag, 4, 3, {mode = 'min'}},
    {'groups must be from 1', F.conv_transpose1d, torch.ones(1, 3, 5), torch.ones(3, 4, 3), {groups = 0}},
    {'groups must be from 1', F.conv2d, torch.ones(1, 3, 5, 5), torch.ones(3, 4, 3, 3), {groups = -2}},
    {'nn.init.trunc_normal_: std must be above 0, got 0', nn.init.trunc_normal_, torch.ones(3), {std = 0}},
    {'nn.init.dirac_: 3 filters do not divide into 0 groups', nn.init.dirac_, torch.ones(3, 3, 3), 0},
  } do
    refuses(table.unpack(case))
  end
  for _, sizes in ipairs {{0, 3, 3}, {3, 0, 3}, {3, 3, 0}} do
    local t = torch.empty(sizes)
    tester:assert(rawequal(nn.init.dirac_(t), t))
  end
end

function tests.calls_are_refused_by_what_they_expect()
  for _, case in ipairs {
    {'x:unsqueeze(2) makes it a batch of one channel', nn.Conv2d(1, 4, 3), torch.ones(64, 28, 28)},
    {'got float64 and float32', nn.Conv2d(3, 4, 3), torch.ones(2, 3, 5, 5, {dtype = torch.float64})},
    {'if the batch is missing, x:unsqueeze(1)', nn.BatchNorm2d(3), torch.ones(3, 5, 5)},
    {'expects num_features = 3 in dim 2, got shape [2, 4, 5, 5]', nn.BatchNorm2d(3), torch.ones(2, 4, 5, 5)},
    {'expects float32, the dtype of its parameters, got float64', nn.LayerNorm(5), torch.ones(2, 5):double()},
    {'expects num_channels = 6 in dim 2', nn.GroupNorm(3, 6), torch.ones(2, 5, 4)},
    {'does not end in normalized_shape [3]', nn.RMSNorm(3), torch.ones(2, 4)},
  } do
    refuses(table.unpack(case))
  end
end

function tests.matrices_are_drawn_by_their_laws()
  local generator = torch.Generator()
  for _, case in ipairs {{{6, 4}, 1}, {{4, 6}, 2}, {{4, 3, 2}, 1}} do
    local w = torch.empty(case[1], {dtype = torch.float64})
    generator:manual_seed(3)
    nn.init.orthogonal_(w, {gain = case[2], generator = generator})
    local flat = w:reshape(w:size(1), -1) / case[2]
    local small = flat:size(1) <= flat:size(2) and flat:mm(flat:t()) or flat:t():mm(flat)
    torch.testing.assert_close(small, torch.eye(small:size(1), {dtype = torch.float64}))
    generator:manual_seed(3)
    tester:assert(torch.equal(nn.init.orthogonal_(torch.empty_like(w), {gain = case[2], generator = generator}), w))
  end
  for _, case in ipairs {{{20, 10}, 0.3, 0.01, 6}, {{7, 10}, 0.5, 1.0, 4}} do
    local w = nn.init.sparse_(torch.empty(case[1]), case[2], case[3], {generator = generator})
    tester:assert(w:eq(0):sum(1):eq(case[4]):all())
    tester:assert(w:abs():max():item() < 6 * case[3] and w:std():item() > 0.3 * case[3])
  end
  refuses('at least 2 dims', nn.init.orthogonal_, torch.ones(3))
  refuses('expects a matrix', nn.init.sparse_, torch.ones(3), 0.5)
  refuses('sparsity', nn.init.sparse_, torch.ones(3, 3), 1.5)
  refuses('sparsity', nn.init.sparse_, torch.ones(3, 3), -1)
end

tester:add(tests)
tester:run()
