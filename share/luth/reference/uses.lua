-- Examples of what is no operator: modules by what makes one and what it takes, others as lines of code. Each runs when the reference is
-- made and when its help is shown; the last line is an expression, whose value follows as a comment. Here are modules; uses_torch,
-- uses_training and uses_distributed have the others.
local M = {}

-- Class(settings) < inputs
local modules = [[
AdaptiveAvgPool1d(1) < torch.randn(2, 2, 7)
AdaptiveAvgPool2d(1) < torch.randn(2, 2, 5, 6)
AdaptiveAvgPool3d(1) < torch.randn(2, 2, 3, 4, 3)
AdaptiveLogSoftmaxWithLoss(4, 9, {3, 6}, {div_value = 2.0}) < torch.randn(5, 4), torch.tensor {1, 9, 5, 3, 6}
AdaptiveMaxPool1d(3) < torch.randn(2, 2, 7)
AdaptiveMaxPool2d(3) < torch.randn(2, 2, 5, 6)
AdaptiveMaxPool3d(3) < torch.randn(2, 2, 3, 4, 3)
AlphaDropout({p = 0.3}) < torch.randn(2, 5)
AvgPool1d(2) < torch.randn(2, 2, 7)
AvgPool2d(2) < torch.randn(2, 2, 5, 6)
AvgPool3d(2) < torch.randn(2, 2, 3, 4, 3)
BCELoss() < torch.rand(2, 4), torch.tensor { {0., 1., 1., 0.}, {1., 0., 0., 1.} }
BCEWithLogitsLoss() < torch.randn(2, 4), torch.tensor { {0., 1., 1., 0.}, {1., 0., 0., 1.} }
BatchNorm1d(3) < torch.randn(3, 3, 7)
BatchNorm2d(3) < torch.randn(3, 3, 5, 6)
BatchNorm3d(3) < torch.randn(3, 3, 3, 4, 3)
Bilinear(4, 3, 5) < torch.randn(2, 4), torch.randn(2, 3)
CAddTable() < {torch.ones(2), torch.ones(2)}
CELU() < torch.randn(2, 3, 5)
CMulTable() < {torch.ones(2), torch.ones(2)}
CTCLoss() < torch.randn(10, 2, 5):log_softmax(3), torch.tensor { {2, 3}, {4, 5} }, torch.tensor {10, 10}, torch.tensor {2, 2}
ChannelShuffle(2) < torch.randn(2, 6, 3, 2)
CircularPad1d(1) < torch.randn(2, 2, 7)
CircularPad2d(1) < torch.randn(2, 2, 5, 6)
CircularPad3d(1) < torch.randn(2, 2, 3, 4, 3)
Concat(2, nn.Linear(3, 2), nn.Linear(3, 4)) < torch.randn(5, 3)
ConcatTable(nn.Linear(3, 2), nn.Identity()) < torch.randn(5, 3)
ConstantPad1d(1, 1.5) < torch.randn(2, 2, 7)
ConstantPad2d(1, 1.5) < torch.randn(2, 2, 5, 6)
ConstantPad3d(1, 1.5) < torch.randn(2, 2, 3, 4, 3)
Conv1d(3, 4, 3) < torch.randn(2, 3, 7)
Conv2d(3, 4, 3) < torch.randn(2, 3, 5, 6)
Conv3d(3, 4, 3) < torch.randn(2, 3, 3, 4, 3)
ConvTranspose1d(3, 4, 3) < torch.randn(2, 3, 7)
ConvTranspose2d(3, 4, 3) < torch.randn(2, 3, 5, 6)
ConvTranspose3d(3, 4, 3) < torch.randn(2, 3, 3, 4, 3)
CosineEmbeddingLoss() < torch.randn(2, 4), torch.randn(2, 4), torch.tensor {1., -1.}
CosineSimilarity() < torch.randn(2, 4), torch.randn(2, 4)
CrossEntropyLoss() < torch.randn(2, 4), torch.tensor {1, 4}
CrossMapLRN2d(2) < torch.randn(2, 4, 3, 3)
DataParallel(nn.Linear(3, 2)) < torch.randn(4, 3)
Dropout({p = 0.3}) < torch.randn(2, 5)
Dropout1d({p = 0.3}) < torch.randn(2, 3, 4)
Dropout2d({p = 0.3}) < torch.randn(2, 3, 2, 2)
Dropout3d({p = 0.3}) < torch.randn(2, 2, 2, 2, 2)
ELU() < torch.randn(2, 3, 5)
Embedding(7, 3) < torch.tensor { {7, 3, 6, 3}, {6, 5, 2, 3} }
EmbeddingBag(7, 3, {mode = 'sum'}) < torch.tensor {2, 3, 5, 6, 5, 4, 3}, torch.tensor {1, 4, 4, 6}
FeatureAlphaDropout({p = 0.3}) < torch.randn(2, 3, 4)
Flatten() < torch.randn(2, 3, 4)
Fold({4, 5}, 2) < torch.randn(2, 8, 12)
FractionalMaxPool2d(2, {output_size = 3}) < torch.randn(1, 2, 7, 7)
FractionalMaxPool3d(2, {output_size = 2}) < torch.randn(1, 2, 5, 5, 5)
GELU() < torch.randn(2, 3, 5)
GLU() < torch.randn(2, 3, 6)
GRU(3, 4) < torch.randn(4, 2, 3)
GRUCell(3, 4) < torch.randn(2, 3)
GaussianNLLLoss({full = true}) < torch.rand(2, 4), torch.rand(2, 4), torch.rand(2, 1)
GroupNorm(2, 6) < torch.randn(2, 6, 4)
Hardshrink() < torch.randn(2, 3, 5)
Hardsigmoid() < torch.randn(2, 3, 5)
Hardswish() < torch.randn(2, 3, 5)
Hardtanh() < torch.randn(2, 3, 5)
HingeEmbeddingLoss() < torch.rand(4), torch.tensor {1., -1., 1., -1.}
HuberLoss({delta = 0.5}) < torch.randn(2, 4), torch.randn(2, 4)
Identity() < torch.randn(2, 4)
InstanceNorm1d(3) < torch.randn(3, 3, 7)
InstanceNorm2d(3) < torch.randn(3, 3, 5, 6)
InstanceNorm3d(3) < torch.randn(3, 3, 3, 4, 3)
JoinTable(1) < {torch.ones(2), torch.zeros(3)}
KLDivLoss({reduction = 'batchmean'}) < torch.randn(2, 4):log_softmax(2), torch.rand(2, 4):softmax(2)
L1Loss() < torch.randn(2, 4), torch.randn(2, 4)
LPPool1d(2, 2) < torch.randn(2, 2, 7)
LPPool2d(2, 2) < torch.randn(2, 2, 5, 6)
LPPool3d(2, 2) < torch.randn(2, 2, 3, 4, 3)
LSTM(3, 4) < torch.randn(4, 2, 3)
LSTMCell(3, 4) < torch.randn(2, 3)
LayerNorm(6) < torch.randn(2, 3, 6)
LazyBatchNorm1d() < torch.randn(3, 3, 7)
LazyBatchNorm2d() < torch.randn(3, 3, 5, 6)
LazyBatchNorm3d() < torch.randn(3, 3, 3, 4, 3)
LazyConv1d(4, 3, {padding = 1}) < torch.randn(2, 3, 7)
LazyConv2d(4, 3, {padding = 1}) < torch.randn(2, 3, 5, 6)
LazyConv3d(4, 3, {padding = 1}) < torch.randn(2, 3, 3, 4, 3)
LazyConvTranspose1d(4, 2) < torch.randn(2, 3, 7)
LazyConvTranspose2d(4, 2) < torch.randn(2, 3, 5, 6)
LazyConvTranspose3d(4, 2) < torch.randn(2, 3, 3, 4, 3)
LazyInstanceNorm1d() < torch.randn(2, 3, 7)
LazyInstanceNorm2d() < torch.randn(2, 3, 5, 6)
LazyInstanceNorm3d() < torch.randn(2, 3, 3, 4, 3)
LazyLinear(3) < torch.randn(2, 4)
LeakyReLU() < torch.randn(2, 3, 5)
Linear(4, 3) < torch.randn(2, 4)
LocalResponseNorm(2) < torch.randn(2, 4, 3, 2)
LogSigmoid() < torch.randn(2, 3, 5)
LogSoftmax({dim = 2}) < torch.randn(2, 4, 3)
MSELoss() < torch.randn(2, 4), torch.randn(2, 4)
MarginRankingLoss({margin = 0.5}) < torch.randn(4), torch.randn(4), torch.tensor {1., -1., 1., -1.}
MaxPool1d(2) < torch.randn(2, 2, 7)
MaxPool2d(2) < torch.randn(2, 2, 5, 6)
MaxPool3d(2) < torch.randn(2, 2, 3, 4, 3)
MaxUnpool1d(2) < torch.randn(2, 2, 3), torch.tensor { {{2, 3, 6}, {2, 4, 5}}, {{1, 4, 5}, {2, 4, 6}} }
Mish() < torch.randn(2, 3, 5)
MultiLabelMarginLoss({reduction = 'sum'}) < torch.randn(2, 4), torch.tensor { {3, 1, -1, 2}, {4, -1, 1, 1} }
MultiLabelSoftMarginLoss({reduction = 'sum'}) < torch.randn(2, 4), torch.randn(2, 4)
MultiMarginLoss() < torch.randn(2, 4), torch.tensor {1, 3}
MultiheadAttention(4, 2) < torch.randn(3, 2, 4), torch.randn(4, 2, 4), torch.randn(4, 2, 4)
NLLLoss() < torch.randn(2, 4):log_softmax(2), torch.tensor {1, 4}
PReLU() < torch.randn(2, 3, 5)
PairwiseDistance() < torch.randn(2, 4), torch.randn(2, 4)
ParallelTable(nn.Linear(3, 2), nn.Linear(4, 2)) < {torch.randn(5, 3), torch.randn(5, 4)}
PixelShuffle(2) < torch.randn(2, 8, 2, 3)
PixelUnshuffle(2) < torch.randn(2, 2, 4, 6)
PoissonNLLLoss({reduction = 'sum'}) < torch.rand(2, 4), torch.rand(2, 4)
RMSNorm(6) < torch.randn(2, 3, 6)
RNN(3, 4) < torch.randn(4, 2, 3)
RNNCell(3, 4) < torch.randn(2, 3)
RReLU() < torch.randn(2, 9)
ReLU() < torch.randn(2, 3, 5)
ReLU6() < torch.randn(2, 3, 5)
ReflectionPad1d(1) < torch.randn(2, 2, 7)
ReflectionPad2d(1) < torch.randn(2, 2, 5, 6)
ReflectionPad3d(1) < torch.randn(2, 2, 3, 4, 3)
ReplicationPad1d(1) < torch.randn(2, 2, 7)
ReplicationPad2d(1) < torch.randn(2, 2, 5, 6)
ReplicationPad3d(1) < torch.randn(2, 2, 3, 4, 3)
SELU() < torch.randn(2, 3, 5)
SelectTable(2) < {torch.ones(2), torch.zeros(3)}
Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)) < torch.randn(5, 3)
SiLU() < torch.randn(2, 3, 5)
Sigmoid() < torch.randn(2, 3, 5)
SmoothL1Loss({beta = 0.5}) < torch.randn(2, 4), torch.randn(2, 4)
SoftMarginLoss() < torch.randn(4), torch.tensor {1., -1., 1., -1.}
Softmax({dim = 2}) < torch.randn(2, 4, 3)
Softmax2d() < torch.randn(2, 3, 2, 4)
Softmin({dim = 2}) < torch.randn(2, 5)
Softplus() < torch.randn(2, 3, 5)
Softshrink() < torch.randn(2, 3, 5)
Softsign() < torch.randn(2, 3, 5)
SplitTable(1) < torch.randn(2, 3)
SyncBatchNorm(3) < torch.randn(4, 3)
Tanh() < torch.randn(2, 3, 5)
Tanhshrink() < torch.randn(2, 3, 5)
Threshold(0.5, -3.0) < torch.randn(2, 9)
Transformer({d_model = 4, dim_feedforward = 4, dropout = 0.0, nhead = 2, num_decoder_layers = 1, num_encoder_layers = 1}) < torch.randn(4, 2, 4), torch.randn(3, 2, 4)
TransformerDecoder(nn.TransformerDecoderLayer(8, 2, {dim_feedforward = 16}), 2) < torch.randn(4, 3, 8), torch.randn(5, 3, 8)
TransformerDecoderLayer(4, 2, {dim_feedforward = 5, dropout = 0.0}) < torch.randn(3, 2, 4), torch.randn(4, 2, 4)
TransformerEncoder(nn.TransformerEncoderLayer(8, 2, {dim_feedforward = 16}), 2) < torch.randn(5, 3, 8)
TransformerEncoderLayer(4, 2, {dim_feedforward = 5, dropout = 0.0}) < torch.randn(3, 2, 4)
TripletMarginLoss({reduction = 'sum'}) < torch.randn(2, 4), torch.randn(2, 4), torch.randn(2, 4)
TripletMarginWithDistanceLoss({margin = 2.0}) < torch.randn(2, 4), torch.randn(2, 4), torch.randn(2, 4)
Unflatten(2, {2, 3}) < torch.randn(2, 6)
Unfold(3) < torch.randn(2, 2, 5, 6)
Upsample({mode = 'linear', size = {9}}) < torch.randn(1, 2, 7)
UpsamplingBilinear2d({size = {5, 4}}) < torch.randn(1, 2, 2, 3)
UpsamplingNearest2d({scale_factor = 2}) < torch.randn(1, 2, 2, 3)
ZeroPad1d(1) < torch.randn(2, 2, 7)
ZeroPad2d(1) < torch.randn(2, 2, 5, 6)
ZeroPad3d(1) < torch.randn(2, 2, 3, 4, 3)
]]

-- ---- by name ---------------------------------------------------------------------------------------------------------

local code = {}
for class, settings, inputs in modules:gmatch '(%w+)(%b()) < ([^\n]*)\n' do
  code['nn.' .. class] = { ('local m = nn.%s%s'):format(class, settings), ('m(%s)'):format(inputs) }
end
local image = "local image = torch.zeros(3, 12, 16, {dtype = torch.uint8})"
local others = require 'luth.reference.uses_torch' .. require 'luth.reference.uses_training' .. require 'luth.reference.uses_distributed'
for name, text in others:gmatch '([%w_.:]+): ([^\n]*)\n' do
  local lines = {}
  for line in (text .. ' ;; '):gmatch '(.-) ;; ' do lines[#lines + 1] = line end
  local last = lines[#lines]
  if name:find '^optim%.lr_scheduler' and #lines == 1 and not last:find '^=' then
    lines = { 'local opt = optim.SGD(nn.Linear(2, 1):parameters(), {lr = 0.1})', 'local schedule = ' .. last, 'opt:step()',
              name:find 'Plateau' and 'schedule:step(0.5)' or 'schedule:step()', 'opt.param_groups[1].lr' }
  elseif name:find '^data%.transforms' and #lines == 1 and not last:find '%(torch' then
    lines = { 'local t = ' .. last, image, 't(image)' }
  end
  code[name] = lines
end
for name, lines in pairs(code) do code[name] = code[lines[1]:match '^= (.*)'] or lines end

-- Optimizers are used alike.
local function of_optimizer(name)
  return { 'local model = nn.Linear(3, 1)', ('local opt = %s(model:parameters(), {lr = 0.01})'):format(name),
           'local function closure()', '  opt:zero_grad()', '  local loss = F.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))', '  loss:backward()',
           '  return loss', 'end', 'opt:step(closure)' }
end

--- What the first line of a help text calls: "x:free", "torch.no_grad" of "local _ <close> = torch.no_grad()".
function M.called(help) return help:gsub('^local _ <close> = ', ''):gsub('^[%w, ]+ = ', ''):match '^[%w_.:]+' or '' end

--- The lines of an example of a name, or of what its help explains; nil where there is none. The last one is an expression, or ends a statement.
function M.code(name, help)
  local class = name:match '^optim%.(%u%w+)$'
  if class and class ~= 'Optimizer' and class ~= 'ZeroRedundancyOptimizer' and class ~= 'Muon' then return of_optimizer(name) end
  local called = M.called(help)
  local lines = code[name] or code[called] or code[called:gsub('^x:', 'torch.Tensor.')]
  return lines and table.move(lines, 1, #lines, 1, {})
end

--- All names with an example of their own.
function M.names()
  local names = {}
  for name in pairs(code) do names[#names + 1] = name end
  table.sort(names)
  return names
end

return M
