-- Examples of what is no operator: modules by what makes one and what it takes, others as lines of code. Each runs when the reference is
-- made and when its help is shown; the last line is an expression, whose value follows as a comment.
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

-- name: code ;; code
local others = [[
nn.ModuleList: local list = nn.ModuleList {nn.Linear(2, 2), nn.ReLU()} ;; list:append(nn.Linear(2, 3)) ;; #list
nn.ModuleDict: local dict = nn.ModuleDict {first = nn.Linear(2, 2)} ;; dict.first(torch.ones(1, 2))
nn.ParameterList: local list = nn.ParameterList {torch.zeros(2), torch.ones(3)} ;; #list
nn.ParameterDict: local dict = nn.ParameterDict {scale = torch.ones(2)} ;; dict.scale
nn.Parameter: local p = nn.Parameter(torch.zeros(3)) ;; p.requires_grad
nn.class: local Double = nn.class 'Double' ;; function Double:init(n) self.inner = nn.Linear(n, n) end ;; function Double:forward(x) return self.inner(self.inner(x)) end ;; Double(3)(torch.ones(1, 3))
nn.functional.linear_cross_entropy: F.linear_cross_entropy(torch.randn(4, 8), torch.randn(10, 8), torch.tensor {1, 2, 3, 10})
nn.functional.triplet_margin_with_distance_loss: F.triplet_margin_with_distance_loss(torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3))
nn.init.calculate_gain: nn.init.calculate_gain('relu')
nn.init.constant_: nn.init.constant_(torch.empty(2), 0.5)
nn.init.dirac_: nn.init.dirac_(torch.empty(2, 2, 3))
nn.init.eye_: nn.init.eye_(torch.empty(2, 2))
nn.init.kaiming_normal_: nn.init.kaiming_normal_(nn.Linear(4, 3).weight, {nonlinearity = 'relu'})
nn.init.kaiming_uniform_: nn.init.kaiming_uniform_(nn.Linear(4, 3).weight, {nonlinearity = 'relu'})
nn.init.normal_: nn.init.normal_(torch.empty(3), 0, 0.02)
nn.init.ones_: nn.init.ones_(torch.empty(2))
nn.init.orthogonal_: local w = nn.init.orthogonal_(torch.empty(3, 3)) ;; w:matmul(w:t()):allclose(torch.eye(3), {atol = 1e-5})
nn.init.sparse_: nn.init.sparse_(torch.empty(4, 3), 0.5)
nn.init.trunc_normal_: nn.init.trunc_normal_(torch.empty(3), {std = 0.02})
nn.init.uniform_: nn.init.uniform_(torch.empty(3), -1, 1)
nn.init.xavier_normal_: nn.init.xavier_normal_(torch.empty(3, 4))
nn.init.xavier_uniform_: nn.init.xavier_uniform_(torch.empty(3, 4))
nn.init.zeros_: nn.init.zeros_(torch.empty(2))
nn.utils.clip_grad_norm_: local w = nn.Parameter(torch.ones(2)) ;; w:mul(10):sum():backward() ;; local norm = nn.utils.clip_grad_norm_({w}, 1.0) ;; norm
nn.utils.clip_grad_value_: local w = nn.Parameter(torch.ones(2)) ;; w:mul(10):sum():backward() ;; nn.utils.clip_grad_value_({w}, 1.0) ;; w.grad
nn.utils.get_total_norm: nn.utils.get_total_norm {torch.tensor {3., 0.}, torch.tensor {4.}}
nn.utils.parameters_to_vector: nn.utils.parameters_to_vector(nn.Linear(2, 3):parameters())
nn.utils.vector_to_parameters: local m = nn.Linear(1, 1) ;; nn.utils.vector_to_parameters(torch.tensor {2., 3.}, m:parameters()) ;; m(torch.ones(1, 1))
nn.utils.fuse_conv_bn_eval: local conv, bn = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2) ;; conv:eval() bn:eval() ;; nn.utils.fuse_conv_bn_eval(conv, bn)(torch.ones(1, 1, 3, 3))
nn.utils.skip_init: local m = nn.utils.skip_init(nn.Linear, 4, 2) ;; m.weight
nn.utils.weight_norm: local m = nn.utils.weight_norm(nn.Linear(3, 2)) ;; m.weight_g
nn.utils.spectral_norm: local m = nn.utils.spectral_norm(nn.Linear(3, 2)) ;; m(torch.ones(1, 3))
nn.utils.parametrizations.orthogonal: local m = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3)) ;; m.weight:matmul(m.weight:t()):allclose(torch.eye(3), {atol = 1e-5})
nn.utils.parametrizations.spectral_norm: local m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)) ;; m(torch.ones(1, 3))
nn.utils.parametrizations.weight_norm: local m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)) ;; m(torch.ones(1, 3))
nn.utils.parametrize.register_parametrization: local Positive = nn.class 'PositiveOfHelp' ;; function Positive:forward(x) return x:exp() end ;; local m = nn.Linear(2, 2) ;; nn.utils.parametrize.register_parametrization(m, 'weight', Positive()) ;; m.weight:gt(0):all()
nn.utils.parametrize.is_parametrized: nn.utils.parametrize.is_parametrized(nn.Linear(2, 2))
nn.utils.prune.l1_unstructured: local m = nn.utils.prune.l1_unstructured(nn.Linear(4, 2), 'weight', 0.5) ;; m.weight:eq(0):sum():item()
nn.utils.prune.random_unstructured: local m = nn.utils.prune.random_unstructured(nn.Linear(4, 2), 'weight', 3) ;; m.weight:eq(0):sum():item()
nn.utils.prune.ln_structured: local m = nn.utils.prune.ln_structured(nn.Linear(4, 2), 'weight', 1, 2, 1) ;; m.weight
nn.utils.prune.is_pruned: nn.utils.prune.is_pruned(nn.Linear(2, 2))
optim.lr_scheduler.StepLR: optim.lr_scheduler.StepLR(opt, {step_size = 2, gamma = 0.5})
optim.lr_scheduler.MultiStepLR: optim.lr_scheduler.MultiStepLR(opt, {milestones = {2, 4}})
optim.lr_scheduler.ConstantLR: optim.lr_scheduler.ConstantLR(opt, {factor = 0.5, total_iters = 2})
optim.lr_scheduler.LinearLR: optim.lr_scheduler.LinearLR(opt, {start_factor = 0.1, total_iters = 4})
optim.lr_scheduler.ExponentialLR: optim.lr_scheduler.ExponentialLR(opt, {gamma = 0.9})
optim.lr_scheduler.PolynomialLR: optim.lr_scheduler.PolynomialLR(opt, {total_iters = 4})
optim.lr_scheduler.CosineAnnealingLR: optim.lr_scheduler.CosineAnnealingLR(opt, {T_max = 10})
optim.lr_scheduler.CosineAnnealingWarmRestarts: optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, {T_0 = 5})
optim.lr_scheduler.CyclicLR: optim.lr_scheduler.CyclicLR(opt, {base_lr = 0.01, max_lr = 0.1, step_size_up = 4})
optim.lr_scheduler.OneCycleLR: optim.lr_scheduler.OneCycleLR(opt, {max_lr = 0.1, total_steps = 10})
optim.lr_scheduler.LambdaLR: optim.lr_scheduler.LambdaLR(opt, function(epoch) return 0.9 ^ epoch end)
optim.lr_scheduler.MultiplicativeLR: optim.lr_scheduler.MultiplicativeLR(opt, function() return 0.5 end)
optim.lr_scheduler.ReduceLROnPlateau: optim.lr_scheduler.ReduceLROnPlateau(opt, {patience = 2})
optim.lr_scheduler.SequentialLR: optim.lr_scheduler.SequentialLR(opt, {optim.lr_scheduler.LinearLR(opt), optim.lr_scheduler.ExponentialLR(opt, {gamma = 0.9})}, {5})
optim.lr_scheduler.ChainedScheduler: optim.lr_scheduler.ChainedScheduler {optim.lr_scheduler.ConstantLR(opt), optim.lr_scheduler.ExponentialLR(opt, {gamma = 0.9})}
optim.swa_utils.AveragedModel: local model = nn.Linear(2, 1) ;; local average = optim.swa_utils.AveragedModel(model) ;; average:update_parameters(model) ;; average(torch.ones(1, 2))
data.TensorDataset: local ds = data.TensorDataset(torch.arange(6):view(3, 2), torch.tensor {1, 2, 1}) ;; ds:get(2)
data.DataLoader: local ds = data.TensorDataset(torch.randn(5, 2), torch.tensor {1, 2, 1, 2, 1}) ;; local loader = data.DataLoader(ds, {batch_size = 2, shuffle = true}) ;; for x, y in loader do assert(#x == #y) end ;; #loader
data.Subset: #data.Subset(data.TensorDataset(torch.arange(5)), {1, 3})
data.ConcatDataset: local ds = data.TensorDataset(torch.arange(5)) ;; #data.ConcatDataset {ds, ds}
data.StackDataset: local ds = data.TensorDataset(torch.arange(5)) ;; data.StackDataset(ds, ds):get(2)
data.ChainDataset: local ds = data.TensorDataset(torch.arange(5)) ;; #data.ChainDataset {ds, ds}
data.Shuffler: local ds = data.TensorDataset(torch.arange(5)) ;; #data.Shuffler(ds, {buffer_size = 3})
data.random_split: local train, val = data.random_split(data.TensorDataset(torch.arange(10)), {0.8, 0.2}) ;; #train
data.stratified_split: local ds = data.TensorDataset(torch.randn(4, 2), torch.tensor {1, 1, 2, 2}) ;; local a, b = data.stratified_split(ds, {0.5, 0.5}) ;; #a
data.k_fold: #data.k_fold(data.TensorDataset(torch.arange(10)), 5)
data.SequentialSampler: #data.SequentialSampler(data.TensorDataset(torch.arange(5)))
data.RandomSampler: #data.RandomSampler(data.TensorDataset(torch.arange(5)), {replacement = true, num_samples = 8})
data.SubsetRandomSampler: #data.SubsetRandomSampler {1, 3, 5}
data.WeightedRandomSampler: #data.WeightedRandomSampler({0.1, 0.9}, 6)
data.BatchSampler: #data.BatchSampler(data.SequentialSampler(data.TensorDataset(torch.arange(5))), 2)
data.BucketBatchSampler: #data.BucketBatchSampler({3, 9, 4, 8}, 2)
data.class: local Squares = data.class 'SquaresOfHelp' ;; function Squares:init(n) self.n = n end ;; function Squares:len() return self.n end ;; function Squares:get(i) return torch.tensor(i * i) end ;; Squares(4):get(3)
data.default_collate: data.default_collate {{torch.ones(2), 1}, {torch.zeros(2), 2}}
data.encode_image: #data.encode_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), '.png') > 0
data.decode_image: data.decode_image(data.encode_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), '.png'))
data.transforms.Compose: data.transforms.Compose {data.transforms.Resize(8), data.transforms.ToTensor()}
data.transforms.Resize: data.transforms.Resize {8, 10}
data.transforms.CenterCrop: data.transforms.CenterCrop(6)
data.transforms.Pad: data.transforms.Pad(2)
data.transforms.RandomCrop: data.transforms.RandomCrop(6)
data.transforms.RandomResizedCrop: data.transforms.RandomResizedCrop(8)
data.transforms.RandomHorizontalFlip: data.transforms.RandomHorizontalFlip()
data.transforms.RandomVerticalFlip: data.transforms.RandomVerticalFlip()
data.transforms.RandomRotation: data.transforms.RandomRotation(15)
data.transforms.RandomAffine: data.transforms.RandomAffine {degrees = 10}
data.transforms.RandomPerspective: data.transforms.RandomPerspective()
data.transforms.Grayscale: data.transforms.Grayscale()
data.transforms.RandomGrayscale: data.transforms.RandomGrayscale()
data.transforms.ColorJitter: data.transforms.ColorJitter {brightness = 0.2}
data.transforms.GaussianBlur: data.transforms.GaussianBlur(3)
data.transforms.RandomInvert: data.transforms.RandomInvert()
data.transforms.RandomPosterize: data.transforms.RandomPosterize(4)
data.transforms.RandomSolarize: data.transforms.RandomSolarize(128)
data.transforms.RandomAdjustSharpness: data.transforms.RandomAdjustSharpness(2)
data.transforms.RandomAutocontrast: data.transforms.RandomAutocontrast()
data.transforms.RandomEqualize: data.transforms.RandomEqualize()
data.transforms.AutoAugment: data.transforms.AutoAugment()
data.transforms.RandAugment: data.transforms.RandAugment()
data.transforms.TrivialAugmentWide: data.transforms.TrivialAugmentWide()
data.transforms.ToTensor: data.transforms.ToTensor()
data.transforms.ToDtype: data.transforms.ToDtype(torch.float32)
data.transforms.Normalize: local t = data.transforms.Compose {data.transforms.ToTensor(), data.transforms.Normalize({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5})} ;; t(torch.zeros(3, 4, 4, {dtype = torch.uint8}))
data.transforms.RandomErasing: local t = data.transforms.Compose {data.transforms.ToTensor(), data.transforms.RandomErasing()} ;; t(torch.zeros(3, 4, 4, {dtype = torch.uint8}))
data.transforms.MixUp: data.transforms.MixUp {num_classes = 3}(torch.randn(4, 3, 8, 8), torch.tensor {1, 2, 3, 1})
data.transforms.CutMix: data.transforms.CutMix {num_classes = 3}(torch.randn(4, 3, 8, 8), torch.tensor {1, 2, 3, 1})
data.transforms.OneHot: data.transforms.OneHot {num_classes = 3}(torch.randn(2, 4), torch.tensor {1, 3})
data.transforms.LabelSmoothing: data.transforms.LabelSmoothing {num_classes = 3}(torch.randn(2, 4), torch.tensor {1, 3})
torch.tensor: torch.tensor { {1, 2}, {3, 4} }
torch.as_tensor: torch.as_tensor {1, 2}
torch.einsum: torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(3, 4))
torch.rearrange: torch.rearrange(torch.ones(2, 6, 4), 'b (h d) t -> b h t d', {h = 3})
torch.einreduce: torch.einreduce(torch.ones(2, 4), 'a b -> a', 'sum')
torch.einrepeat: torch.einrepeat(torch.ones(2), 'a -> a 3')
torch.where: torch.where(torch.tensor {true, false}, 1.0, 0.0)
torch.manual_seed: torch.manual_seed(3) ;; torch.rand(2):lt(1):all()
torch.no_grad: local x = torch.ones(2, {requires_grad = true}) ;; torch.no_grad(function() return (x * 2).requires_grad end)
torch.enable_grad: torch.enable_grad(function() return torch.is_grad_enabled() end)
torch.inference_mode: torch.inference_mode(function() return torch.ones(2):is_inference() end)
torch.autocast: torch.autocast('cpu', {dtype = torch.bfloat16}, function() return nn.Linear(2, 2)(torch.ones(1, 2)) end)
torch.save: local name = os.tmpname() ;; torch.save({epoch = 3}, name) ;; local epoch = torch.load(name).epoch ;; os.remove(name) ;; epoch
torch.load: local name = os.tmpname() ;; torch.save({epoch = 3}, name) ;; local epoch = torch.load(name).epoch ;; os.remove(name) ;; epoch
torch.device: torch.device('cuda', 1)
torch.Generator: local g = torch.Generator():manual_seed(1) ;; torch.rand(2, {generator = g})
torch.finfo: torch.finfo(torch.float32).eps
torch.iinfo: torch.iinfo(torch.int8).max
torch.is_tensor: torch.is_tensor(torch.ones(1))
torch.isinstance: torch.isinstance(nn.Linear(2, 2), nn.Module)
torch.typename: torch.typename(nn.Linear(2, 2))
torch.numel: torch.numel(torch.ones(2, 3))
torch.promote_types: torch.promote_types(torch.int64, torch.float32)
torch.result_type: torch.result_type(torch.ones(2), 1)
torch.can_cast: torch.can_cast(torch.float32, torch.int32)
torch.get_num_threads: torch.get_num_threads() >= 1
torch.get_default_dtype: torch.get_default_dtype()
torch.vmap: torch.vmap(function(x) return (x * x):sum() end)(torch.ones(3, 2))
torch.pca_lowrank: torch.pca_lowrank(torch.randn(6, 4), {q = 2})
torch.svd_lowrank: torch.svd_lowrank(torch.randn(6, 4), {q = 2})
torch.Tensor.backward: local x = torch.tensor(3., {requires_grad = true}) ;; x:pow(2):backward() ;; x.grad
torch.Tensor.item: torch.tensor {2.5}:item()
torch.Tensor.tolist: #torch.ones(3):tolist()
torch.Tensor.to: torch.ones(2):to(torch.int64)
torch.Tensor.size: torch.ones(2, 3):size(2)
torch.Tensor.dim: torch.ones(2, 3):dim()
torch.Tensor.numel: torch.ones(2, 3):numel()
torch.Tensor.stride: torch.ones(2, 3):stride(1)
torch.Tensor.float: torch.tensor {1, 2}:float()
torch.Tensor.long: torch.tensor {1.5}:long()
torch.Tensor.requires_grad_: torch.ones(2):requires_grad_().requires_grad
torch.Tensor.register_hook: local x = torch.ones(2, {requires_grad = true}) ;; x:register_hook(function(g) return g * 2 end) ;; x:sum():backward() ;; x.grad
torch.Tensor.rearrange: torch.ones(2, 3):rearrange('a b -> b a')
torch.Tensor.is_contiguous: torch.ones(2, 3):t():is_contiguous()
torch.autograd.grad: local x = torch.tensor(2., {requires_grad = true}) ;; torch.autograd.grad(x ^ 3, {x})
torch.autograd.backward: local x = torch.tensor(2., {requires_grad = true}) ;; torch.autograd.backward {x * 3} ;; x.grad
torch.autograd.gradcheck: torch.autograd.gradcheck(function(x) return x:tanh() end, {torch.randn(3, {dtype = torch.float64, requires_grad = true})})
torch.autograd.Function: local Twice = torch.autograd.Function 'TwiceOfHelp' ;; function Twice.forward(ctx, x) return x * 2 end ;; function Twice.backward(ctx, g) return g * 2 end ;; Twice.apply(torch.ones(2))
torch.autograd.functional.jacobian: torch.autograd.functional.jacobian(function(x) return x * x end, torch.tensor {1., 2.})
torch.autograd.functional.hessian: torch.autograd.functional.hessian(function(x) return (x ^ 3):sum() end, torch.tensor {1., 2.})
torch.func.grad: torch.func.grad(function(x) return (x * x):sum() end)(torch.tensor {1., 2.})
torch.func.vmap: torch.func.vmap(torch.sum)(torch.ones(3, 2))
torch.func.jacrev: torch.func.jacrev(function(x) return x * x end)(torch.tensor {1., 2.})
torch.func.jacfwd: torch.func.jacfwd(function(x) return x * x end)(torch.tensor {1., 2.})
torch.func.hessian: torch.func.hessian(function(x) return (x ^ 3):sum() end)(torch.tensor {1., 2.})
torch.func.functional_call: local m = nn.Linear(1, 1) ;; torch.func.functional_call(m, {weight = torch.ones(1, 1), bias = torch.zeros(1)}, torch.ones(1, 1))
torch.testing.assert_close: torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-8) ;; true
torch.testing.make_tensor: torch.testing.make_tensor({2, 3}, {dtype = torch.int64, device = 'cpu'})
torch.utils.summary: torch.utils.summary(nn.Linear(4, 2), {1, 4}).parameters
torch.utils.checkpoint.checkpoint: local m = nn.Linear(3, 3) ;; torch.utils.checkpoint.checkpoint(m, torch.ones(1, 3))
torch.cuda.is_available: torch.cuda.is_available() == (torch.cuda.device_count() > 0)
torch.cuda.device_count: torch.cuda.device_count() >= 0
torch.distributions.Normal: torch.distributions.Normal(0, 1):sample {2}
torch.distributions.Bernoulli: torch.distributions.Bernoulli {probs = 0.3}:sample {4}
torch.distributions.Categorical: torch.distributions.Categorical {probs = torch.tensor {0.2, 0.8}}:sample {4}
torch.distributions.OneHotCategorical: torch.distributions.OneHotCategorical {probs = torch.tensor {0.2, 0.8}}:sample()
torch.distributions.Uniform: torch.distributions.Uniform(0, 2).mean
torch.distributions.Exponential: torch.distributions.Exponential(2.0).mean
torch.distributions.Gamma: torch.distributions.Gamma(2.0, 1.0).variance
torch.distributions.Beta: torch.distributions.Beta(2.0, 3.0).mean
torch.distributions.Dirichlet: torch.distributions.Dirichlet(torch.ones(3)):sample()
torch.distributions.Laplace: torch.distributions.Laplace(0, 1):log_prob(torch.tensor(0.0))
torch.distributions.StudentT: torch.distributions.StudentT(5.0):sample {2}
torch.distributions.Poisson: torch.distributions.Poisson(3.0):sample {4}
torch.distributions.Binomial: torch.distributions.Binomial(10, {probs = 0.5}).mean
torch.distributions.LogNormal: torch.distributions.LogNormal(0, 1):sample {2}
torch.distributions.MultivariateNormal: torch.distributions.MultivariateNormal(torch.zeros(2), {covariance_matrix = torch.eye(2)}):sample()
torch.distributions.Independent: torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3), 1), 1):log_prob(torch.zeros(3))
torch.distributions.TransformedDistribution: torch.distributions.TransformedDistribution(torch.distributions.Normal(0, 1), torch.distributions.ExpTransform()):sample {2}
torch.distributions.AffineTransform: torch.distributions.AffineTransform(1, 2)(torch.ones(2))
torch.distributions.kl_divergence: torch.distributions.kl_divergence(torch.distributions.Normal(0, 1), torch.distributions.Normal(1, 1))
]]

-- ---- by name ---------------------------------------------------------------------------------------------------------

local code = {}
for class, settings, inputs in modules:gmatch '(%w+)(%b()) < ([^\n]*)\n' do
  code['nn.' .. class] = { ('local m = nn.%s%s'):format(class, settings), ('m(%s)'):format(inputs) }
end
local image = "local image = torch.zeros(3, 12, 16, {dtype = torch.uint8})"
for name, text in others:gmatch '([%w_.]+): ([^\n]*)\n' do
  local lines = {}
  for line in (text .. ' ;; '):gmatch '(.-) ;; ' do lines[#lines + 1] = line end
  local last = lines[#lines]
  if name:find '^optim%.lr_scheduler' then
    lines = { 'local opt = optim.SGD(nn.Linear(2, 1):parameters(), {lr = 0.1})', 'local schedule = ' .. last, 'opt:step()',
              name:find 'Plateau' and 'schedule:step(0.5)' or 'schedule:step()', 'opt.param_groups[1].lr' }
  elseif name:find '^data%.transforms' and #lines == 1 and not last:find '%(torch' then
    lines = { 'local t = ' .. last, image, 't(image)' }
  end
  code[name] = lines
end

-- Optimizers are used alike.
local function of_optimizer(name)
  return { 'local model = nn.Linear(3, 1)', ('local opt = %s(model:parameters(), {lr = 0.01})'):format(name),
           'local function closure()', '  opt:zero_grad()', '  local loss = F.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))', '  loss:backward()',
           '  return loss', 'end', 'opt:step(closure)' }
end

--- The lines of an example of a name, nil where there is none. The last one is an expression.
function M.code(name)
  local class = name:match '^optim%.(%u%w+)$'
  if class and class ~= 'Optimizer' and class ~= 'ZeroRedundancyOptimizer' and class ~= 'Muon' then return of_optimizer(name) end
  local lines = code[name]
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
