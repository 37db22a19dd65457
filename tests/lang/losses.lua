-- Losses, norms and attention as scripts call them: labels, offsets and dims count from 1, what is left out, and errors.
local t, s = torch.Tester(), torch.TestSuite()

local function near(got, expected, what)
  t:assert((got - expected):abs():max():item() < 1e-5, what or 'differs')
end

function s.labelsCountFromOne()
  local x = torch.tensor {{0.1, 0.5, 0.2}, {0.9, 0.3, 0.4}}
  -- the mean over classes of max(0, 1 - x[label] + x), the label's own left out
  near(F.multi_margin_loss(x, torch.tensor {2, 1}, {reduction = 'none'}),
    torch.tensor {(0.6 + 0.7) / 3, (0.4 + 0.5) / 3})
  near(F.multi_margin_loss(x, torch.tensor {2, 1}, 2, 1, torch.tensor {2.0, 1.0, 1.0}, 'sum'),
    torch.tensor((0.36 + 0.49) / 3 + 2 * (0.16 + 0.25) / 3))
  t:fails(function() F.multi_margin_loss(x, torch.tensor {0, 1}) end, 'from 1 to 3')
  t:fails(function() F.multi_margin_loss(x, torch.tensor {4, 1}) end, 'from 1 to 3')
  t:fails(function() F.multi_margin_loss(x, torch.tensor {1, 1}, 3) end, 'p must be 1 or 2')
end

function s.errorsNameWhatWasGiven()
  local x = torch.zeros(3)
  t:fails(function() F.mse_loss(x, torch.zeros(4)) end, 'mse_loss(float32[3], float32[4]): ')
  t:fails(function() F.layer_norm(x, {4}, nil, x) end, 'layer_norm(float32[3], nil, float32[3]): ')
end

function s.labelsEndWithANegativeNumber()
  local x = torch.tensor {0.1, 0.2, 0.4, 0.8}
  local expected = 0.25 * ((1 - (0.1 - 0.2)) + (1 - (0.1 - 0.4)) + (1 - (0.8 - 0.2)) + (1 - (0.8 - 0.4)))
  near(F.multilabel_margin_loss(x, torch.tensor {4, 1, -1, 2}), torch.tensor(expected))
  near(F.multilabel_margin_loss(x, torch.tensor {-1, 1, 2, 3}), torch.tensor(0.0))
  t:fails(function() F.multilabel_margin_loss(x, torch.tensor {0, 1, -1, -1}) end, 'from 1 to 4')
end

-- One sequence of three steps whose target is one label: all alignments by hand.
function s.ctcLoss()
  local p = torch.tensor {{0.5, 0.3, 0.2}, {0.4, 0.4, 0.2}, {0.6, 0.1, 0.3}}
  local log_probs = p:log():unsqueeze(2)
  local total = 0  -- a run of label 2 with blanks (1) around it
  for first = 1, 3 do
    for last = first, 3 do
      local product = 1
      for step = 1, 3 do product = product * p[{step, step >= first and step <= last and 2 or 1}]:item() end
      total = total + product
    end
  end
  local expected = torch.tensor(-math.log(total))
  near(F.ctc_loss(log_probs, torch.tensor {{2}}, {3}, {1}), expected)
  near(F.ctc_loss(log_probs, torch.tensor {2}, torch.tensor {3}, torch.tensor {1}, {reduction = 'sum'}), expected)
  near(F.ctc_loss(log_probs:squeeze(2), torch.tensor {2}, {3}, {1}, {reduction = 'none'}), expected)
  -- the blank may be another class: the label 1 with blank 2 in swapped columns
  near(F.ctc_loss(log_probs:index_select(3, torch.tensor {2, 1, 3}), torch.tensor {{1}}, {3}, {1}, 2), expected)
  -- no label at all: blanks alone
  near(F.ctc_loss(log_probs, torch.zeros(1, 0, {dtype = torch.int64}), {3}, {0}, {reduction = 'sum'}),
    torch.tensor(-math.log(0.5 * 0.4 * 0.6)))
  -- two equal labels need a blank between them: two steps are too few
  local short = F.ctc_loss(log_probs, torch.tensor {{2, 2}}, {2}, {2}, {reduction = 'sum'})
  t:eq(short:item(), math.huge)
  local x = p:log():unsqueeze(2):requires_grad_()
  local zero = F.ctc_loss(x, torch.tensor {{2, 2}}, {2}, {2}, {zero_infinity = true})
  zero:backward()
  t:eq({zero:item(), x.grad:abs():max():item()}, {0.0, 0.0})
  t:fails(function() F.ctc_loss(log_probs, torch.tensor {{4}}, {3}, {1}) end, 'from 1 to 3')
  t:fails(function() F.ctc_loss(log_probs, torch.tensor {{2}}, {4}, {1}) end, 'input_lengths')
  t:fails(function() F.ctc_loss(log_probs, torch.tensor {{2}}, {3}, {1}, 4) end, 'blank')
end

-- The gradient by logits is softmax less the share of each class at each step, whatever the shape of targets.
function s.ctcGradient()
  torch.manual_seed(2)
  local logits = torch.randn(6, 2, 4, {dtype = torch.float64}):requires_grad_()
  local function loss() return F.ctc_loss(logits:log_softmax(3), torch.tensor {2, 3, 3, 4}, {6, 5}, {3, 1}, {reduction = 'sum'}) end
  loss():backward()
  t:assert(logits.grad:sum(3):abs():max():item() < 1e-12, 'shares sum to 1')
  t:eq(logits.grad[{6, 2}]:abs():max():item(), 0.0)  -- behind the end of the second sequence
  local at = logits.grad[{1, 1, 2}]:item()
  local eps, before = 1e-6, logits.data[{1, 1, 2}]:item()
  logits.data[{1, 1, 2}] = before + eps
  local up = loss():item()
  logits.data[{1, 1, 2}] = before - eps
  local slope = (up - loss():item()) / (2 * eps)
  t:assert(math.abs(slope - at) < 1e-6, string.format('%g, expected %g', at, slope))
end

function s.embeddingBag()
  local w = torch.tensor {{1.0, 10.0}, {2.0, 20.0}, {3.0, 30.0}}
  local flat, offsets = torch.tensor {1, 3, 2, 3}, torch.tensor {1, 3, 3}
  near(F.embedding_bag(flat, w, offsets), torch.tensor {{2.0, 20.0}, {0.0, 0.0}, {2.5, 25.0}})
  near(F.embedding_bag(flat, w, offsets, {mode = 'sum'}), torch.tensor {{4.0, 40.0}, {0.0, 0.0}, {5.0, 50.0}})
  near(F.embedding_bag(flat, w, offsets, {mode = 'max'}), torch.tensor {{3.0, 30.0}, {0.0, 0.0}, {3.0, 30.0}})
  near(F.embedding_bag(flat, w, torch.tensor {1, 3, 5}, {mode = 'sum', include_last_offset = true}),
    torch.tensor {{4.0, 40.0}, {5.0, 50.0}})
  near(F.embedding_bag(flat, w, offsets, {padding_idx = 3}), torch.tensor {{1.0, 10.0}, {0.0, 0.0}, {2.0, 20.0}})
  t:fails(function() return F.embedding_bag(torch.tensor {1, 2, 9}, w, torch.tensor {1, 2}, {mode = 'max'}) end,
    'position 3')
  near(F.embedding_bag(flat, w, offsets, {mode = 'max', padding_idx = 3}),
    torch.tensor {{1.0, 10.0}, {0.0, 0.0}, {2.0, 20.0}})
  near(F.embedding_bag(torch.tensor {{1, 3}}, w, {mode = 'sum', per_sample_weights = torch.tensor {{2.0, -1.0}}}),
    torch.tensor {{-1.0, -10.0}})
  local v = w:clone():requires_grad_()
  F.embedding_bag(torch.tensor {{1, 3}, {3, 3}}, v, {mode = 'sum', scale_grad_by_freq = true}):sum():backward()
  near(v.grad, torch.tensor {{1.0, 1.0}, {0.0, 0.0}, {1.0, 1.0}})
  local long = torch.tensor {{3.0, 4.0}, {30.0, 40.0}, {0.1, 0.1}}
  F.embedding_bag(torch.tensor {{1, 3}}, long, {max_norm = 1})
  near(long, torch.tensor {{0.6, 0.8}, {30.0, 40.0}, {0.1, 0.1}})
  t:fails(function() F.embedding_bag(flat, w, torch.tensor {0, 2}) end, 'begin with 1')
  t:fails(function() F.embedding_bag(torch.tensor {0}, w, torch.tensor {1}) end, 'from 1 to 3')
  t:fails(function() F.embedding_bag(flat, w) end, 'offsets are needed')
end

-- Bags of a flat input give what each gives as the one row of a matrix, and the same gradients.
function s.bags_of_a_flat_input()
  local w, flat = torch.randn(9, 70), torch.tensor {1, 3, 9, 3, 2, 2, 5, 9, 1, 7, 4}
  local long = torch.cat {torch.tensor {1, 2, 3, 4}, torch.tensor {4, 4, 5, 5, 5, 5}, torch.arange(6, 12)}
  for _, offsets in ipairs {torch.tensor {1, 4, 4, 6, 12}, torch.tensor {1, 2, 9}, torch.tensor {1}, long} do
    for _, mode in ipairs {'sum', 'mean', 'max'} do
      for _, ended in ipairs {false, true} do
        for _, padding_idx in ipairs {0, 9} do
          local options = {mode = mode, padding_idx = padding_idx > 0 and padding_idx or nil}
          local a, b = w:clone():requires_grad_(), w:clone():requires_grad_()
          local rows, bags = {}, offsets:numel() - (ended and 1 or 0)
          for i = 1, bags do
            local first, last = offsets[i]:item(), i < offsets:numel() and offsets[i + 1]:item() or 12
            if last > first then
              rows[i] = F.embedding_bag(flat:narrow(1, first, last - first):unsqueeze(1), b, options)
            else
              rows[i] = b:narrow(1, 1, 1) * 0
            end
          end
          options.include_last_offset = ended
          local y = F.embedding_bag(flat, a, offsets, options)
          t:eq(y:size(), torch.Size {bags, 70})
          y:square():sum():backward()
          if bags > 0 then
            near(y:detach(), torch.cat(rows):detach())
            torch.cat(rows):square():sum():backward()
            near(a.grad, b.grad)
          else
            t:eq(a.grad, torch.zeros(9, 70))
          end
        end
      end
    end
  end
end

function s.bags_of_nothing_and_padding_that_is_no_number()
  for _, mode in ipairs {'sum', 'mean', 'max'} do
    local w, none = torch.ones(3, 2):requires_grad_(), torch.zeros(0, {dtype = torch.int64})
    for _, input in ipairs {none, none:reshape(2, 0), none:reshape(0, 2)} do
      w.grad = nil
      local y = F.embedding_bag(input, w, input:dim() == 1 and torch.tensor {1, 1} or nil, {mode = mode})
      t:eq(y:detach(), torch.zeros(input:dim() == 1 and 2 or input:size(1), 2))
      y:sum():backward()
      t:eq(w.grad, torch.zeros(3, 2))
    end
    local odd = torch.tensor {{1., 2.}, {1 / 0, 0 / 0}, {3., 1.}}
    local y = F.embedding_bag(torch.tensor {1, 2, 3, 2}, odd, torch.tensor {1, 4}, {mode = mode, padding_idx = 2})
    local want = {sum = {4., 3.}, mean = {2., 1.5}, max = {3., 2.}}
    t:eq(y, torch.tensor {want[mode], {0., 0.}})
  end
  local w, share = torch.randn(4, 3), torch.tensor {0.5, 2., -1., 3.}:requires_grad_()
  local y = F.embedding_bag(torch.tensor {1, 4, 2, 4}, w, torch.tensor {1, 3},
    {mode = 'sum', per_sample_weights = share, padding_idx = 4})
  near(y:detach(), torch.stack {w[1] * 0.5, w[2] * -1})
  y:sum():backward()
  near(share.grad, torch.tensor {w[1]:sum():item(), 0., w[2]:sum():item(), 0.})
  local half = torch.full({2, 1}, 0.1):half()  -- 16-bit floats add up as float32
  local many = F.embedding_bag(torch.ones(3000):long(), half, torch.tensor {1}, {mode = 'sum'})
  t:eq(many, (half[1]:float() * 3000):half():reshape(1, 1))
end

function s.bool_targets()
  local x, target = torch.tensor {0.5, 2., -1.}:requires_grad_(), torch.tensor {true, false, true}
  t:eq(F.mse_loss(x, target):item(), 2.75)
  t:eq(F.smooth_l1_loss(x, target, {reduction = 'none'}):detach(), torch.tensor {0.125, 1.5, 1.5})
  F.mse_loss(x, target, {reduction = 'sum'}):backward()
  t:eq(x.grad, torch.tensor {-1., 4., -4.})
  t:eq(F.mse_loss(target, x:detach()):item(), 2.75)
  t:fails(function() F.mse_loss(target, target) end, 'bool')
  t:fails(function() F.l1_loss(x, target) end, 'bool')
end

function s.attention()
  torch.manual_seed(5)
  local q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
  local plain = torch.matmul(torch.softmax(torch.matmul(q, k:transpose(2, 3)) / 2, 3), v)
  near(F.scaled_dot_product_attention(q, k, v), plain)
  near(F.scaled_dot_product_attention(q * 4, k, v, {scale = 0.125}), plain)
  local mask = torch.ones(3, 5, {dtype = torch.bool}):tril()
  local causal = F.scaled_dot_product_attention(q, k, v, nil, 0, true)
  near(causal, F.scaled_dot_product_attention(q, k, v, mask))
  near(causal:select(2, 1), v:select(2, 1))  -- the first query sees the first key alone
  near(causal, F.scaled_dot_product_attention(q, k, v, torch.zeros(3, 5):masked_fill(~mask, -math.huge)))
  -- nothing to look at: zeros, and no nan in any gradient
  mask[2] = false
  q:requires_grad_()
  local y = F.scaled_dot_product_attention(q, k, v, mask)
  t:eq(y:select(2, 2):abs():max():item(), 0.0)
  y:sum():backward()
  t:assert(not q.grad:isnan():any(), 'nan')
  local heads = F.scaled_dot_product_attention(torch.ones(1, 4, 2, 3), torch.ones(1, 2, 5, 3), torch.randn(1, 2, 5, 3),
    {enable_gqa = true})
  t:eq(heads:size(), torch.Size {1, 4, 2, 3})
  near(heads:select(2, 1), heads:select(2, 2))
  t:fails(function() F.scaled_dot_product_attention(q, k, v, mask, 0, true) end, 'is_causal')
end

function s.norms()
  torch.manual_seed(6)
  local x = torch.randn(2, 6, 5, {dtype = torch.float64})
  local w, b = torch.randn(6, {dtype = torch.float64}), torch.randn(6, {dtype = torch.float64})
  local rows = x:reshape(2, 3, 10)
  local centred = rows - rows:mean(3, true)
  local expected = (centred / (centred:square():mean(3, true) + 1e-5):sqrt()):reshape(2, 6, 5)
  near(F.group_norm(x, 3), expected)
  near(torch.group_norm(x, 3, w, b), expected * w:reshape(6, 1) + b:reshape(6, 1))
  near(F.instance_norm(x), F.group_norm(x, 6))
  near(F.rms_norm(x, {5}, torch.ones(5, {dtype = torch.float64}) * 2, 0.1),
    x * 2 / (x:square():mean(3, true) + 0.1):sqrt())
  near(F.normalize(x, 2, 3):norm(2, 3), torch.ones(2, 6, {dtype = torch.float64}))
  near(F.normalize(x):norm(2, 2), torch.ones(2, 5, {dtype = torch.float64}))
  local slices = x:renorm(2, 2, 1.5)
  t:assert(slices:transpose(1, 2):reshape(6, 10):norm(2, 2):max():item() < 1.5 + 1e-6)
  local mean, var = torch.zeros(6, {dtype = torch.float64}), torch.ones(6, {dtype = torch.float64})
  F.instance_norm(x, mean, var, {momentum = 1})
  near(mean, x:mean {dim = {1, 3}})
  near(var, x:var(3):mean(1))
  t:fails(function() F.group_norm(x, 4) end, 'divide the 6 channels')
  t:fails(function() x:renorm(2, 0, 1) end, 'count from 1')
end

-- Losses and gradients of float32 logits that are large beside their differences, and those of the same logits in
-- float64.
function s.cross_entropy_of_large_logits()
  for _, middle in ipairs { 0, -300, 20000, -3e6 } do
    local logits = (torch.randn(64, 10) * 4 + middle):round { decimals = 0 }
    local target = torch.randint(1, 11, { 64 })
    for _, smoothing in ipairs { 0, 0.1 } do
      local function of(x)
        x:requires_grad_()
        local each = F.cross_entropy(x, target, { reduction = 'none', label_smoothing = smoothing })
        each:sum():backward()
        return each:detach(), x.grad
      end
      local loss, grad = of(logits:clone())
      local exact, exact_grad = of(logits:double())
      t:assert(((loss - exact):abs() / (exact:abs() + 0.1)):max():item() < 2e-6, 'losses near ' .. middle)
      t:assert((grad - exact_grad):abs():max():item() < 1e-6, 'gradients near ' .. middle)
    end
  end
end

-- PyTorch's values.
function s.linear_cross_entropy()
  local function close(got, want) t:assert(torch.allclose(got, torch.tensor(want, { dtype = 'float64' }), { rtol = 1e-6, atol = 1e-7 }), tostring(got)) end
  local x = (torch.arange(8.):reshape(2, 4) / 4 - 1):double():requires_grad_()
  local w, b = torch.arange(24.):sin():reshape(6, 4):double(), torch.arange(6.):cos():double()
  local f = F.linear_cross_entropy
  close(f(x, w, torch.tensor { 6, 2 }), 2.7811376328589477)
  local loss = f(x, w, torch.tensor { 6, 2 }, { linear_bias = b, weight = torch.arange(1., 7.):double(), label_smoothing = 0.1 })
  close(loss, 2.9461718398206136)
  loss:backward()
  close(x.grad[2], { 0.13503171992058025, 0.31784167733591107, 0.2084294600069304, -0.09261183750641039 })
  close(f(x, w, torch.tensor { 3, -100 }, { reduction = 'sum' }), 3.0601857565160113)
  local w3, b3 = w:reshape(3, 2, 4), b:reshape(3, 2)
  close(f(x, w3, torch.tensor { { 1, 3 }, { 2, 2 } }, { linear_bias = b3, reduction = 'none' }),
    { { 1.2809936503047985, 3.1104068603050194 }, { 3.199729648500325, 1.2601920891776817 } })
  close(f(x, w3, torch.arange(12.):reshape(2, 3, 2):double():softmax(2)), 1.6946836475976017)
  close(f(x[1], w, torch.tensor(4)), 2.7201747558827716)
  t:fails(function() f(x, w, torch.ones(2, 6):double(), { ignore_index = 3 }) end, 'ignore_index is for labels')
  t:fails(function() f(x[1], w3, torch.tensor { 1, 1 }) end, 'needs a batch [N, 4]')
  t:fails(function() f(x, w:t(), torch.tensor { 1, 1 }) end, 'the last dims', '4 and 6')
  t:fails(function() f(x, w, torch.tensor { 1, 1 }, { linear_bias = b3 }) end, 'linear_bias must have shape [6], got [3, 2]')
  t:fails(function() f(x, w, torch.tensor { 1, 1 }, { options = {} }) end, 'chunks')
end

function s.linear_cross_entropy_as_a_module()
  local m = nn.LinearCrossEntropyLoss(4, 3, { out_features = { 2 }, bias = true, weight = torch.ones(3), reduction = 'sum' })
  t:eq(tostring(m), [[
LinearCrossEntropyLoss(
  in_features=4, num_classes=3, out_features=(2,), bias=True, reduction=sum, ignore_index=None, label_smoothing=0.0, options=None
  (linear): Linear(in_features=4, out_features=6, bias=True)
)]])
  local keys = {}
  for key in pairs(m:state_dict()) do keys[#keys + 1] = key end
  t:eq(table.concat(keys, ' '), 'weight linear.weight linear.bias')
  local x, target = torch.randn(5, 4), torch.randint(1, 4, { 5, 2 })
  local want = F.cross_entropy(m.linear(x):reshape(5, 3, 2), target, { reduction = 'sum' })
  t:assert(torch.allclose(m(x, target), want))
  local path = os.tmpname()
  torch.save(m, path)
  t:assert(torch.allclose(torch.load(path)(x, target), want))
  t:fails(function() nn.LinearCrossEntropyLoss(4, 3, { weight = torch.ones(2) }) end, 'weight must have shape [3]')
  t:fails(function() nn.LinearCrossEntropyLoss(4, 3, { label_smoothing = 2 }) end, 'between 0 and 1')
end

-- log(1 + e^-20) and its slope, which differences with 20 and 1 would lose
function s.far_logits()
  local x = torch.tensor({20.0, -20, 50, -50}, {requires_grad = true})
  local loss = F.binary_cross_entropy_with_logits(x, torch.tensor {1, 0, 1, 0}, {reduction = 'none'})
  loss:sum():backward()
  for i, far in ipairs {20, 20, 50, 50} do
    t:assert(math.abs(loss[i]:item() / math.exp(-far) - 1) < 1e-6, tostring(loss))
    t:assert(math.abs(x.grad[i]:item() / math.exp(-far) * (i % 2 == 1 and -1 or 1) - 1) < 1e-6, tostring(x.grad))
  end
  local y = torch.tensor({90.0, -90}, {requires_grad = true})
  F.logsigmoid(y):sum():backward()
  t:assert(math.abs(y.grad[1]:item() / math.exp(-90) - 1) < 1e-5 and y.grad[2]:item() == 1, tostring(y.grad))
end

-- beyond delta the slope is delta, however far away the target is
function s.the_slope_of_huber_at_infinity()
  for _, f in ipairs { F.huber_loss, F.smooth_l1_loss } do
    local x = torch.tensor({0.5, math.huge, -math.huge}, {requires_grad = true})
    f(x, torch.zeros(3), {reduction = 'sum'}):backward()
    t:eq(x.grad:tolist(), {0.5, 1.0, -1.0})
  end
end

-- what is left of a product that half has no room for
function s.a_large_beta_in_half()
  local x = torch.tensor({400, -50000, 3}, {dtype = torch.half})
  t:eq(F.smooth_l1_loss(x, torch.zeros_like(x), {beta = 256, reduction = 'none'}):tolist(), {272.0, 49856.0, 0.017578125})
end

-- also where input is target: their second derivative is that of half the square
function s.the_curvature_of_huber()
  for _, f in ipairs { F.huber_loss, F.smooth_l1_loss } do
    local x = torch.tensor({0.0, 0.5, 2}, {requires_grad = true})
    local slope = torch.autograd.grad(f(x, torch.zeros(3), {reduction = 'sum'}), x, {create_graph = true})
    t:eq(torch.autograd.grad(slope:sum(), x):tolist(), {1.0, 1.0, 0.0})
  end
end

t:add(s):run()
