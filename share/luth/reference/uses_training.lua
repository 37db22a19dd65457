-- Examples of nn, optim, data and plot (share/luth/reference/uses.lua), as in uses_torch.lua.
return [[
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
nn.LinearCrossEntropyLoss: nn.LinearCrossEntropyLoss(8, 10)(torch.randn(4, 8), torch.tensor {1, 2, 3, 10})
nn.MaxUnpool2d: local y, places = nn.MaxPool2d(2, {return_indices = true})(torch.randn(1, 4, 4)) ;; nn.MaxUnpool2d(2)(y, places)
nn.MaxUnpool3d: local y, places = nn.MaxPool3d(2, {return_indices = true})(torch.randn(1, 4, 4, 4)) ;; nn.MaxUnpool3d(2)(y, places)
nn.Module: torch.isinstance(nn.Linear(2, 2), nn.Module)
nn.NonDynamicallyQuantizableLinear: nn.NonDynamicallyQuantizableLinear(4, 3)(torch.randn(2, 4))
nn.modules: local count = 0 ;; local handle = nn.modules.module.register_module_forward_hook(function() count = count + 1 end) ;; nn.Linear(2, 1)(torch.ones(1, 2)) ;; handle:remove() ;; count
nn.parameter.is_lazy: nn.parameter.is_lazy(nn.LazyLinear(2).weight)
nn.utils.clip_grads_with_norm_: local w = nn.Parameter(torch.ones(2)) ;; w:mul(10):sum():backward() ;; local norm = nn.utils.get_total_norm {w.grad} ;; nn.utils.clip_grads_with_norm_({w}, 1.0, norm) ;; w.grad
nn.utils.fuse_conv_bn_weights: local conv, bn = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2) ;; nn.utils.fuse_conv_bn_weights(conv.weight, conv.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
nn.utils.fuse_linear_bn_eval: local linear, bn = nn.Linear(3, 2), nn.BatchNorm1d(2) ;; linear:eval() bn:eval() ;; nn.utils.fuse_linear_bn_eval(linear, bn)(torch.ones(1, 3))
nn.utils.fuse_linear_bn_weights: local linear, bn = nn.Linear(3, 2), nn.BatchNorm1d(2) ;; nn.utils.fuse_linear_bn_weights(linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
nn.utils.remove_spectral_norm: local m = nn.utils.spectral_norm(nn.Linear(3, 2)) ;; nn.utils.remove_spectral_norm(m) ;; m.weight
nn.utils.remove_weight_norm: local m = nn.utils.weight_norm(nn.Linear(3, 2)) ;; nn.utils.remove_weight_norm(m) ;; m.weight
nn.utils.rnn: nn.utils.rnn.pad_sequence({torch.ones(3), torch.ones(2)}, {batch_first = true})
nn.utils.stateless: local m = nn.Linear(1, 1) ;; nn.utils.stateless.functional_call(m, {weight = torch.ones(1, 1), bias = torch.zeros(1)}, torch.ones(1, 1))
nn.utils.parametrize.cached: local m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)) ;; nn.utils.parametrize.cached(function() return m(torch.ones(1, 3)) end)
nn.utils.parametrize.remove_parametrizations: local m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)) ;; nn.utils.parametrize.remove_parametrizations(m, 'weight') ;; nn.utils.parametrize.is_parametrized(m)
nn.utils.prune.custom_from_mask: local m = nn.utils.prune.custom_from_mask(nn.Linear(2, 1), 'weight', torch.tensor { {1, 0} }) ;; m.weight:ne(0)
nn.utils.prune.global_unstructured: local a, b = nn.Linear(2, 2), nn.Linear(2, 2) ;; nn.utils.prune.global_unstructured({ {a, 'weight'}, {b, 'weight'} }, nn.utils.prune.L1Unstructured, {amount = 3}) ;; (a.weight:eq(0):sum() + b.weight:eq(0):sum()):item()
nn.utils.prune.identity: local m = nn.utils.prune.identity(nn.Linear(2, 2), 'weight') ;; nn.utils.prune.is_pruned(m)
nn.utils.prune.random_structured: local m = nn.utils.prune.random_structured(nn.Linear(2, 4), 'weight', 1, 1) ;; m.weight:eq(0):sum():item()
nn.utils.prune.remove: local m = nn.utils.prune.l1_unstructured(nn.Linear(2, 2), 'weight', 1) ;; nn.utils.prune.remove(m, 'weight') ;; nn.utils.prune.is_pruned(m)
nn.utils.prune.L1Unstructured: = nn.utils.prune.global_unstructured
nn.utils.prune.RandomUnstructured: local a, b = nn.Linear(2, 2), nn.Linear(2, 2) ;; nn.utils.prune.global_unstructured({ {a, 'weight'}, {b, 'weight'} }, nn.utils.prune.RandomUnstructured, {amount = 3}) ;; (a.weight:eq(0):sum() + b.weight:eq(0):sum()):item()
m:add_module: local m = nn.Sequential(nn.Linear(2, 2)) ;; m:add_module('last', nn.ReLU()) ;; #m
m:apply: local m = nn.Sequential(nn.Linear(2, 2), nn.ReLU()) ;; local count = 0 ;; m:apply(function() count = count + 1 end) ;; count
m:bfloat16: nn.Linear(2, 2):bfloat16().weight
m:buffers: #nn.BatchNorm1d(3):buffers()
m:children: #nn.Sequential(nn.Linear(2, 2), nn.ReLU()):children()
m:clone: local m = nn.Linear(2, 2) ;; m:clone().weight:equal(m.weight)
m:cpu: nn.Linear(2, 2):cpu().weight.device
m:cuda: local m = nn.Linear(2, 2) ;; if torch.cuda.is_available() then m:cuda() end ;; m.weight
m:double: nn.Linear(2, 2):double().weight
m:eval: nn.Dropout():eval()(torch.ones(3))
m:float: nn.Linear(2, 2):double():float().weight
m:forward: nn.ReLU():forward(torch.tensor {-1., 1.})
m:get_buffer: nn.BatchNorm1d(3):get_buffer 'running_mean'
m:get_parameter: nn.Sequential(nn.Linear(2, 3)):get_parameter '1.weight'
m:get_submodule: torch.typename(nn.Sequential(nn.Linear(2, 3), nn.ReLU()):get_submodule '2')
m:half: nn.Linear(2, 2):half().weight
Base.init: local Scaled = nn.class('ScaledOfHelp', nn.Linear) ;; function Scaled:init(n, scale) nn.Linear.init(self, n, n) self.scale = scale end ;; function Scaled:forward(x) return nn.Linear.forward(self, x) * self.scale end ;; Scaled(2, 10)(torch.ones(1, 2))
m:load_state_dict: local a, b = nn.Linear(2, 2), nn.Linear(2, 2) ;; a:load_state_dict(b:state_dict()) ;; a.weight:equal(b.weight)
m:modules: #nn.Sequential(nn.Linear(2, 2), nn.ReLU()):modules()
m:named_buffers: local names = {} ;; for name in nn.BatchNorm1d(3):named_buffers() do names[#names + 1] = name end ;; names
m:named_children: local names = {} ;; for name in nn.Sequential(nn.Linear(2, 2), nn.ReLU()):named_children() do names[#names + 1] = name end ;; names
m:named_modules: local names = {} ;; for name in nn.Sequential(nn.Linear(2, 2)):named_modules() do names[#names + 1] = name end ;; names
m:named_parameters: local names = {} ;; for name in nn.Linear(2, 2):named_parameters() do names[#names + 1] = name end ;; names
m:parameters: #nn.Linear(2, 2):parameters()
m:register_buffer: local m = nn.Linear(2, 2) ;; m:register_buffer('mean', torch.zeros(2)) ;; m:state_dict().mean
m:register_forward_hook: local m, shape = nn.Linear(2, 3), nil ;; m:register_forward_hook(function(module, inputs, output) shape = output:size() end) ;; m(torch.ones(4, 2)) ;; shape
m:register_forward_pre_hook: local m = nn.Linear(2, 3) ;; m:register_forward_pre_hook(function(module, inputs) return inputs[1] * 0 end) ;; m(torch.ones(1, 2)):equal(m.bias:unsqueeze(1))
m:register_full_backward_hook: local m, seen = nn.Linear(2, 3), nil ;; m:register_full_backward_hook(function(module, inputs, outputs) seen = outputs[1] end) ;; m(torch.ones(1, 2)):sum():backward() ;; seen
m:register_full_backward_pre_hook: local m, seen = nn.Linear(2, 3), nil ;; m:register_full_backward_pre_hook(function(module, outputs) seen = outputs[1] end) ;; m(torch.ones(1, 2)):sum():backward() ;; seen
m:register_load_state_dict_post_hook: local m, seen = nn.Linear(2, 2), nil ;; m:register_load_state_dict_post_hook(function(module, missing) seen = #missing.missing_keys end) ;; m:load_state_dict(m:state_dict()) ;; seen
m:register_load_state_dict_pre_hook: local m, seen = nn.Linear(2, 2), nil ;; m:register_load_state_dict_pre_hook(function(module, dict) seen = dict.bias end) ;; m:load_state_dict(m:state_dict()) ;; seen
m:register_module: local m = nn.Sequential(nn.Linear(2, 2)) ;; m:register_module('last', nn.ReLU()) ;; #m
m:register_parameter: local m = nn.Linear(2, 2) ;; m:register_parameter('scale', nn.Parameter(torch.ones(1))) ;; #m:parameters()
m:register_state_dict_post_hook: local m = nn.Linear(2, 2) ;; m:register_state_dict_post_hook(function(module, dict) dict.extra = torch.ones(1) end) ;; m:state_dict().extra
m:register_state_dict_pre_hook: local m, count = nn.Linear(2, 2), 0 ;; m:register_state_dict_pre_hook(function() count = count + 1 end) ;; m:state_dict() ;; count
m:requires_grad_: nn.Linear(2, 2):requires_grad_(false).weight.requires_grad
m:reset_parameters: local m = nn.Linear(2, 2) ;; torch.nn.init.zeros_(m.weight) ;; m:reset_parameters() ;; m.weight:eq(0):any()
m:state_dict: nn.Linear(2, 3):state_dict().weight
m:to: nn.Linear(2, 2):to(torch.float64).weight
m:train: nn.Dropout():train(false)(torch.ones(3))
m:zero_grad: local m = nn.Linear(2, 1) ;; m(torch.ones(1, 2)):backward() ;; m:zero_grad() ;; m.weight.grad
p:cpu: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}:cpu().data
p:cuda: local p = nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)} ;; if torch.cuda.is_available() then p = p:cuda() end ;; p.batch_sizes
p:double: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}:double().data
p:float: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}:float().data
p:half: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}:half().data
p:to: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}:to(torch.float64).data
optim.Muon: local model = nn.Linear(3, 2, {bias = false}) ;; local opt = optim.Muon(model:parameters(), {lr = 0.01}) ;; model(torch.ones(4, 3)):sum():backward() ;; opt:step() ;; model.weight
optim.Optimizer: = optim.class
optim.class: local Plain = optim.class 'PlainOfHelp' ;; function Plain:init(params, options) optim.Optimizer.init(self, params, {lr = options.lr}) end ;; function Plain:step() ;;   for _, group in ipairs(self.param_groups) do ;;     for _, p in ipairs(group.params) do p.data:add_(p.grad, {alpha = -group.lr}) end ;;   end ;; end ;; local w = nn.Parameter(torch.ones(2)) ;; local opt = Plain({w}, {lr = 0.5}) ;; w:sum():backward() ;; opt:step() ;; w
optim.adadelta: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.adadelta(feval, torch.tensor {1., 2.}, {})
optim.adagrad: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.adagrad(feval, torch.tensor {1., 2.}, {learningRate = 0.1})
optim.adam: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.adam(feval, torch.tensor {1., 2.}, {learningRate = 0.1})
optim.adamax: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.adamax(feval, torch.tensor {1., 2.}, {learningRate = 0.1})
optim.cg: local function feval(x) return (x * x):sum(), x * 2 end ;; local x = optim.cg(feval, torch.tensor {1., 2.}, {maxIter = 5}) ;; x
optim.lbfgs: local function feval(x) return (x * x):sum(), x * 2 end ;; local x = optim.lbfgs(feval, torch.tensor {1., 2.}, {maxIter = 5}) ;; x
optim.rmsprop: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.rmsprop(feval, torch.tensor {1., 2.}, {learningRate = 0.1})
optim.sgd: local function feval(x) return (x * x):sum(), x * 2 end ;; optim.sgd(feval, torch.tensor {1., 2.}, {learningRate = 0.1})
optim.optimizer: local count = 0 ;; local handle = optim.optimizer.register_optimizer_step_post_hook(function() count = count + 1 end) ;; local w = nn.Parameter(torch.ones(2)) ;; optim.SGD({w}, {lr = 0.1}):step() ;; handle:remove() ;; count
optim.Optimizer.init: = optim.class
optim.SGD.step: local w = nn.Parameter(torch.ones(2)) ;; local opt = optim.SGD({w}, {lr = 0.5}) ;; w:sum():backward() ;; opt:step() ;; w
optim.lr_scheduler.LRScheduler: = optim.lr_scheduler.class
optim.lr_scheduler.class: local Halving = optim.lr_scheduler.class 'HalvingOfHelp' ;; function Halving:get_lr() ;;   local rates = {} ;;   for i, lr in ipairs(self.base_lrs) do rates[i] = lr * 0.5 ^ self.last_epoch end ;;   return rates ;; end ;; local opt = optim.SGD(nn.Linear(2, 1):parameters(), {lr = 0.1}) ;; local schedule = Halving(opt) ;; opt:step() ;; schedule:step() ;; opt.param_groups[1].lr
optim.lr_scheduler.SWALR: optim.lr_scheduler.SWALR(opt, 0.05)
optim.swa_utils.get_ema_avg_fn: local model = nn.Linear(2, 1) ;; local average = optim.swa_utils.AveragedModel(model, {avg_fn = optim.swa_utils.get_ema_avg_fn(0.9)}) ;; average:update_parameters(model) ;; average(torch.ones(1, 2))
optim.swa_utils.get_ema_multi_avg_fn: local model = nn.Linear(2, 1) ;; local average = optim.swa_utils.AveragedModel(model, {multi_avg_fn = optim.swa_utils.get_ema_multi_avg_fn(0.9)}) ;; average:update_parameters(model) ;; average(torch.ones(1, 2))
optim.swa_utils.get_swa_avg_fn: local model = nn.Linear(2, 1) ;; local average = optim.swa_utils.AveragedModel(model, {avg_fn = optim.swa_utils.get_swa_avg_fn()}) ;; average:update_parameters(model) ;; average(torch.ones(1, 2))
optim.swa_utils.get_swa_multi_avg_fn: local model = nn.Linear(2, 1) ;; local average = optim.swa_utils.AveragedModel(model, {multi_avg_fn = optim.swa_utils.get_swa_multi_avg_fn()}) ;; average:update_parameters(model) ;; average(torch.ones(1, 2))
optim.swa_utils.update_bn: local model = nn.BatchNorm1d(2) ;; local loader = data.DataLoader(data.TensorDataset(torch.ones(4, 2)), {batch_size = 2}) ;; optim.swa_utils.update_bn(loader, model) ;; model.running_mean
opt:add_param_group: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; opt:add_param_group {params = {nn.Parameter(torch.ones(3))}, lr = 0.01} ;; #opt.param_groups
opt:load_state_dict: local w = nn.Parameter(torch.ones(2)) ;; local a, b = optim.Adam({w}, {lr = 0.1}), optim.Adam({w}, {lr = 0.5}) ;; b:load_state_dict(a:state_dict()) ;; b.param_groups[1].lr
opt:state_dict: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; opt:state_dict().param_groups[1].lr
opt:register_load_state_dict_post_hook: local opt, count = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}), 0 ;; opt:register_load_state_dict_post_hook(function(optimizer) count = count + 1 end) ;; opt:load_state_dict(opt:state_dict()) ;; count
opt:register_load_state_dict_pre_hook: local opt, count = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}), 0 ;; opt:register_load_state_dict_pre_hook(function(optimizer, state) count = count + 1 end) ;; opt:load_state_dict(opt:state_dict()) ;; count
opt:register_state_dict_post_hook: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; opt:register_state_dict_post_hook(function(optimizer, state) state.note = 'mine' end) ;; opt:state_dict().note
opt:register_state_dict_pre_hook: local opt, count = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}), 0 ;; opt:register_state_dict_pre_hook(function() count = count + 1 end) ;; opt:state_dict() ;; count
opt:register_step_post_hook: local opt, count = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}), 0 ;; opt:register_step_post_hook(function() count = count + 1 end) ;; opt:step() ;; count
opt:register_step_pre_hook: local opt, count = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}), 0 ;; opt:register_step_pre_hook(function() count = count + 1 end) ;; opt:step() ;; count
opt:zero_grad: local w = nn.Parameter(torch.ones(2)) ;; w:sum():backward() ;; optim.SGD({w}, {lr = 0.1}):zero_grad() ;; w.grad
schedule:attach: local schedule = optim.lr_scheduler.StepLR({step_size = 2}) ;; local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; schedule:attach(opt) ;; schedule:get_last_lr()
schedule:get_last_lr: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; optim.lr_scheduler.StepLR(opt, {step_size = 2}):get_last_lr()
schedule:state_dict: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; optim.lr_scheduler.StepLR(opt, {step_size = 2}):state_dict().last_epoch
schedule:load_state_dict: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; local a, b = optim.lr_scheduler.StepLR(opt, {step_size = 2}), optim.lr_scheduler.StepLR(opt, {step_size = 2}) ;; opt:step() ;; a:step() ;; b:load_state_dict(a:state_dict()) ;; b:state_dict().last_epoch
schedule:step: local opt = optim.SGD({nn.Parameter(torch.ones(2))}, {lr = 0.1}) ;; local schedule = optim.lr_scheduler.ExponentialLR(opt, {gamma = 0.5}) ;; opt:step() ;; schedule:step() ;; opt.param_groups[1].lr
data.ArrayFile: local name = os.tmpname() .. '.npz' ;; torch.save({x = torch.randn(4, 2), y = torch.tensor {0, 1, 0, 1}}, name) ;; local x, y = data.ArrayFile(name, {keys = {'x', 'y'}, labels = 'y'}):get(2) ;; os.remove(name) ;; y
data.CIFAR10: -- luth data get cifar10 ;; local found, ds = pcall(data.CIFAR10, {train = false}) ;; if found then print(#ds) end
data.CIFAR100: -- luth data get cifar100 ;; local found, ds = pcall(data.CIFAR100, {train = false}) ;; if found then print(#ds) end
data.mnist: local ds = data.mnist {train = false} ;; local image, label = ds:get(1) ;; image, label
data.CSV: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'size,colour,price\n1,red,10\n2,blue,20\n' ;; file:close() ;; local ds = data.CSV(name, {target = 'price'}) ;; os.remove(name) ;; ds:get(1)
data.JSONLines: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write '{"size": 1, "price": 10}\n{"size": 2, "price": 20}\n' ;; file:close() ;; local ds = data.JSONLines(name, {target = 'price'}) ;; os.remove(name) ;; ds:get(1)
data.SQLite: -- a database that another program has made ;; local found, ds = pcall(data.SQLite, 'houses.db', 'SELECT area, price FROM houses', {target = 'price'}) ;; if found then print(#ds) end
data.DistributedSampler: local ds = data.TensorDataset(torch.arange(5)) ;; #data.DistributedSampler(ds, {num_replicas = 2, rank = 0})
data.ImageFolder: local root = os.tmpname() ;; os.execute('rm ' .. root .. '; mkdir -p ' .. root .. '/cats') ;; data.write_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), root .. '/cats/1.png') ;; local image, label = data.ImageFolder(root):get(1) ;; os.execute('rm -r ' .. root) ;; image, label
data.ImageList: local root = os.tmpname() ;; os.execute('rm ' .. root .. '; mkdir ' .. root) ;; data.write_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), root .. '/a.png') ;; local file = io.open(root .. '/list.csv', 'w') ;; file:write 'file,kind\na.png,cat\na.png,dog\n' ;; file:close() ;; local image, label = data.ImageList(root .. '/list.csv', {path = 'file', target = 'kind'}):get(1) ;; os.execute('rm -r ' .. root) ;; image, label
data.PackCollate: local batch = data.PackCollate() { {torch.ones(3), 1}, {torch.ones(2), 2} } ;; torch.typename(batch)
data.PadCollate: data.PadCollate {padding_value = 0} { {torch.ones(3)}, {torch.ones(2)} }
data.TextDataset: local ds = data.TextDataset({'to be or not to be'}, {tokenizer = data.Tokenizer.bytes(), context = 4}) ;; ds:get(1)
data.TextLines: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'good\tI like it\nbad\tI do not\n' ;; file:close() ;; local ds = data.TextLines(name, {tokenizer = data.Tokenizer.bytes(), label = 'first'}) ;; os.remove(name) ;; ds:get(1)
data.Transformed: data.Transformed(data.TensorDataset(torch.arange(3.0)), function(x) return x * 10 end):get(2)
data.WebDataset: -- tar files of samples: a.jpg a.cls b.jpg b.cls … ;; local found, ds = pcall(data.WebDataset, 'train-{000..012}.tar', {fields = {'jpg', 'cls'}}) ;; if found then print(#ds) end
data.from_module: -- mydata.lua returns a class of data.class or a function that makes a dataset; each worker requires it ;; local found, ds = pcall(data.from_module, 'mydata', 100) ;; if found then print(#ds) end
data.read_image: local name = os.tmpname() .. '.png' ;; data.write_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), name) ;; local image = data.read_image(name, {channels = 1}) ;; os.remove(name) ;; image
data.write_image: = data.read_image
plot.plot: local file = os.tmpname() .. '.svg' ;; plot.plot({1, 4, 9}, {title = 'squares'}, file) ;; os.remove(file)
plot.scatter: local file = os.tmpname() .. '.svg' ;; plot.scatter({1, 2, 3}, {1, 4, 9}, file) ;; os.remove(file)
plot.hist: local file = os.tmpname() .. '.svg' ;; plot.hist(torch.randn(100), {bins = 10}, file) ;; os.remove(file)
plot.imshow: local file = os.tmpname() .. '.png' ;; plot.imshow(torch.rand(3, 8, 8), file) ;; os.remove(file)
plot.heatmap: local file = os.tmpname() .. '.png' ;; plot.heatmap(torch.rand(4, 6), {title = 'weights'}, file) ;; os.remove(file)
data.Tokenizer.bpe: local t = data.Tokenizer.bpe({'low lower lowest'}, {vocab_size = 20}) ;; t:encode('lower').tokens
data.Tokenizer.bytes: data.Tokenizer.bytes():encode('hi').ids
data.Tokenizer.characters: data.Tokenizer.characters {'to be'}:encode('be').ids
data.Tokenizer.from_file: local name = os.tmpname() .. '.json' ;; data.Tokenizer.bytes():save(name) ;; local t = data.Tokenizer.from_file(name) ;; os.remove(name) ;; t:ids 'hi'
data.Tokenizer.from_str: data.Tokenizer.from_str(data.Tokenizer.bytes():to_str()):ids 'hi'
data.Tokenizer.words: data.Tokenizer.words {'to be or not to be'}:encode('not to be').ids
tokenizer:add_special_tokens: data.Tokenizer.bytes():add_special_tokens {'<end>'}
tokenizer:add_tokens: data.Tokenizer.bytes():add_tokens {'luth'}
tokenizer:decode: local t = data.Tokenizer.bytes() ;; t:decode(t:ids 'hi')
tokenizer:decode_batch: local t = data.Tokenizer.bytes() ;; t:decode_batch {t:ids 'hi', t:ids 'ho'}
tokenizer:enable_padding: local t = data.Tokenizer.bytes {special_tokens = {'[PAD]'}} ;; t:enable_padding {pad_id = t:token_to_id '[PAD]'} ;; #t:encode_batch {'hi', 'hello'}[1].ids
tokenizer:enable_truncation: local t = data.Tokenizer.bytes() ;; t:enable_truncation(3) ;; t:encode('hello').ids
tokenizer:encode: data.Tokenizer.bytes():encode('hi').offsets
tokenizer:encode_batch: #data.Tokenizer.bytes():encode_batch {'hi', 'ho'}
tokenizer:get_vocab: data.Tokenizer.bytes():get_vocab()['a']
tokenizer:get_vocab_size: data.Tokenizer.bytes():get_vocab_size()
tokenizer:id_to_token: local t = data.Tokenizer.bytes() ;; t:id_to_token(t:token_to_id 'a')
tokenizer:ids: data.Tokenizer.bytes():ids 'hi'
tokenizer:no_padding: local t = data.Tokenizer.bytes() ;; t:no_padding() ;; #t:encode('hi').ids
tokenizer:no_truncation: local t = data.Tokenizer.bytes() ;; t:enable_truncation(3) ;; t:no_truncation() ;; #t:encode('hello').ids
tokenizer:save: = data.Tokenizer.from_file
tokenizer:to_str: = data.Tokenizer.from_str
tokenizer:token_to_id: data.Tokenizer.bytes():token_to_id 'a'
tokenizer:train: local t = data.Tokenizer.bpe({'low lower'}, {vocab_size = 10}) ;; t:train({'new newer newest'}, {vocab_size = 12}) ;; #t
loader:batches: local loader = data.DataLoader(data.TensorDataset(torch.arange(6)), {batch_size = 2}) ;; local list = {} ;; for x in loader:batches(1) do list[#list + 1] = x end ;; list
loader:left_out: local loader = data.DataLoader(data.TensorDataset(torch.arange(6)), {batch_size = 2, on_error = 'skip'}) ;; for x in loader do end ;; #loader:left_out()
loader:set_epoch: local loader = data.DataLoader(data.TensorDataset(torch.arange(6)), {batch_size = 2, shuffle = true}) ;; loader:set_epoch(3) ;; #loader
dataset:classes: #data.mnist {train = false}:classes()
dataset:features: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'size,colour,price\n1,red,10\n2,blue,20\n' ;; file:close() ;; local ds = data.CSV(name, {target = 'price'}) ;; os.remove(name) ;; table.concat(ds:features(), ' ')
dataset:fit: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'size,price\n1,10\n2,20\n9,30\n' ;; file:close() ;; local ds = data.CSV(name, {target = 'price'}) ;; os.remove(name) ;; ds:fit(data.Subset(ds, {1, 2})) ;; ds:get(1)
dataset:get: data.TensorDataset(torch.arange(6):view(3, 2), torch.tensor {1, 2, 1}):get(2)
dataset:lengths: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'I like it\nI do not\n' ;; file:close() ;; local ds = data.TextLines(name, {tokenizer = data.Tokenizer.bytes()}) ;; os.remove(name) ;; ds:lengths()
dataset:state_dict: = dataset:load_state_dict
dataset:load_state_dict: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'size,price\n1,10\n2,20\n' ;; file:close() ;; local train, test = data.CSV(name, {target = 'price'}), data.CSV(name, {target = 'price'}) ;; os.remove(name) ;; test:load_state_dict(train:state_dict()) ;; #test
dataset:of_files: local root = os.tmpname() ;; os.execute('rm ' .. root .. '; mkdir -p ' .. root .. '/cats') ;; data.write_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), root .. '/cats/1.png') ;; local image = data.ImageFolder(root):of_files {root .. '/cats/1.png'}:get(1) ;; os.execute('rm -r ' .. root) ;; image
dataset:part: local ds = data.TextDataset({'to be or not to be'}, {tokenizer = data.Tokenizer.bytes(), context = 4}) ;; #ds:part(0, 0.5)
dataset:path: local root = os.tmpname() ;; os.execute('rm ' .. root .. '; mkdir -p ' .. root .. '/cats') ;; data.write_image(torch.zeros(3, 8, 8, {dtype = torch.uint8}), root .. '/cats/1.png') ;; local path = data.ImageFolder(root):path(1) ;; os.execute('rm -r ' .. root) ;; path:match '[^/]+$'
dataset:test_part: #data.mnist():test_part()
dataset:text: local name = os.tmpname() ;; local file = io.open(name, 'w') ;; file:write 'I like it\nI do not\n' ;; file:close() ;; local ds = data.TextLines(name, {tokenizer = data.Tokenizer.bytes()}) ;; os.remove(name) ;; ds:text(1)
dataset:tokenizer: local ds = data.TextDataset({'to be or not to be'}, {tokenizer = data.Tokenizer.bytes(), context = 4}) ;; #ds:tokenizer()
dataset:tokens: local ds = data.TextDataset({'to be or not to be'}, {tokenizer = data.Tokenizer.bytes(), context = 4}) ;; ds:tokens()
data.transforms.PadTransform: data.transforms.PadTransform(5, 0)(torch.tensor {1, 2, 3})
data.transforms.RandomChoice: data.transforms.RandomChoice {data.transforms.MixUp {num_classes = 3}, data.transforms.CutMix {num_classes = 3}}(torch.randn(4, 3, 8, 8), torch.tensor {1, 2, 3, 1})
data.transforms.RandomTruncate: data.transforms.RandomTruncate(2)(torch.tensor {1, 2, 3})
data.transforms.Truncate: data.transforms.Truncate(2)(torch.tensor {1, 2, 3})
store:add: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:add('count', 2) ;; local count = store:add('count', 3) ;; os.remove(name) ;; count
store:check: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; local there = store:check {'key'} ;; os.remove(name) ;; there
store:compare_set: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:set('key', 'old') ;; local text = store:compare_set('key', 'old', 'new') ;; os.remove(name) ;; text
store:delete_key: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:set('key', 'text') ;; local was_there = store:delete_key 'key' ;; os.remove(name) ;; was_there
store:get: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:set('key', 'text') ;; local text = store:get 'key' ;; os.remove(name) ;; text
store:num_keys: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:set('key', 'text') ;; local count = store:num_keys() ;; os.remove(name) ;; count
store:port: local store = torch.distributed.TCPStore('127.0.0.1', 0, {world_size = 1, is_master = true}) ;; store:port() > 0
store:set: = store:get
store:set_timeout: local name = os.tmpname() ;; local store = torch.distributed.FileStore(name, 1) ;; store:set_timeout(5) ;; store:set('key', 'text') ;; store:wait {'key'} ;; os.remove(name) ;; store ~= nil
store:wait: = store:set_timeout
nn.utils.rnn.PackedSequence: nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)}.batch_sizes
nn.utils.rnn.invert_permutation: nn.utils.rnn.invert_permutation(torch.tensor {3, 1, 2})
nn.utils.rnn.pack_padded_sequence: local x = torch.randn(3, 2, 4) ;; nn.utils.rnn.pack_padded_sequence(x, {3, 2}).data
nn.utils.rnn.pack_sequence: nn.utils.rnn.pack_sequence({torch.ones(2, 4), torch.ones(3, 4)}, {enforce_sorted = false}).data
nn.utils.rnn.pad_packed_sequence: local packed = nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)} ;; nn.utils.rnn.pad_packed_sequence(packed, {batch_first = true})
nn.utils.rnn.pad_sequence: nn.utils.rnn.pad_sequence({torch.ones(3), torch.ones(2)}, {batch_first = true})
nn.utils.rnn.unpack_sequence: nn.utils.rnn.unpack_sequence(nn.utils.rnn.pack_sequence {torch.ones(3), torch.ones(2)})
nn.utils.rnn.unpad_sequence: nn.utils.rnn.unpad_sequence(torch.ones(3, 2), {3, 2})
nn.modules.module.register_module_forward_hook: local n = 0 ;; local handle = nn.modules.module.register_module_forward_hook(function(module, inputs, output) n = n + 1 end) ;; nn.Sequential(nn.Linear(2, 2), nn.ReLU())(torch.ones(1, 2)) ;; handle:remove() ;; n
nn.modules.module.register_module_forward_pre_hook: local kinds = {} ;; local handle = nn.modules.module.register_module_forward_pre_hook(function(module) kinds[#kinds + 1] = torch.typename(module) end) ;; nn.Linear(2, 2)(torch.ones(1, 2)) ;; handle:remove() ;; kinds[1]
nn.modules.module.register_module_full_backward_hook: local sizes ;; local handle = nn.modules.module.register_module_full_backward_hook(function(module, grad_inputs, grad_outputs) sizes = grad_outputs[1]:size() end) ;; nn.Linear(2, 3)(torch.ones(4, 2)):sum():backward() ;; handle:remove() ;; sizes
nn.modules.module.register_module_full_backward_pre_hook: local sizes ;; local handle = nn.modules.module.register_module_full_backward_pre_hook(function(module, grad_outputs) sizes = grad_outputs[1]:size() end) ;; nn.Linear(2, 3)(torch.ones(4, 2)):sum():backward() ;; handle:remove() ;; sizes
nn.modules.utils.consume_prefix_in_state_dict_if_present: local state = {['module.weight'] = torch.ones(2)} ;; nn.modules.utils.consume_prefix_in_state_dict_if_present(state, 'module.') ;; state.weight
optim.optimizer.register_optimizer_step_post_hook: local n = 0 ;; local handle = optim.optimizer.register_optimizer_step_post_hook(function() n = n + 1 end) ;; optim.SGD(nn.Linear(2, 1):parameters(), {lr = 0.1}):step() ;; handle:remove() ;; n
optim.optimizer.register_optimizer_step_pre_hook: local n = 0 ;; local handle = optim.optimizer.register_optimizer_step_pre_hook(function() n = n + 1 end) ;; optim.SGD(nn.Linear(2, 1):parameters(), {lr = 0.1}):step() ;; handle:remove() ;; n
nn.Sequential.add: local seq = nn.Sequential(nn.Linear(2, 3)) ;; seq:add(nn.ReLU()) ;; #seq
nn.Sequential.append: local seq = nn.Sequential(nn.Linear(2, 3)) ;; seq:append(nn.ReLU()) ;; #seq
nn.Sequential.extend: local seq = nn.Sequential(nn.Linear(2, 3)) ;; seq:extend {nn.ReLU(), nn.Linear(3, 1)} ;; #seq
nn.Sequential.insert: local seq = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)) ;; seq:insert(2, nn.ReLU()) ;; torch.typename(seq[2])
nn.Sequential.pop: local seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU()) ;; torch.typename(seq:pop())
nn.Sequential.remove: local seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU()) ;; torch.typename(seq:remove(1))
nn.AdaptiveLogSoftmaxWithLoss.log_prob: nn.AdaptiveLogSoftmaxWithLoss(4, 10, {2, 5}):log_prob(torch.randn(3, 4))
nn.AdaptiveLogSoftmaxWithLoss.predict: nn.AdaptiveLogSoftmaxWithLoss(4, 10, {2, 5}):predict(torch.randn(3, 4))
nn.Embedding.from_pretrained: nn.Embedding.from_pretrained(torch.randn(5, 3))(torch.tensor {1, 5})
nn.EmbeddingBag.from_pretrained: nn.EmbeddingBag.from_pretrained(torch.randn(5, 3))(torch.tensor { {1, 5}, {2, 2} })
nn.GRU.all_weights: #nn.GRU(2, 3, {num_layers = 2}):all_weights()
nn.GRU.flatten_parameters: local m = nn.GRU(2, 3) ;; m:flatten_parameters() ;; #m:parameters()
nn.ModuleDict.clear: local dict = nn.ModuleDict {a = nn.ReLU()} ;; #dict:clear()
nn.ModuleDict.items: local names = {} ;; for name, module in nn.ModuleDict {a = nn.ReLU(), b = nn.Tanh()}:items() do names[#names + 1] = name end ;; table.concat(names, ' ')
nn.ModuleDict.keys: nn.ModuleDict {a = nn.ReLU(), b = nn.Tanh()}:keys()
nn.ModuleDict.pop: local dict = nn.ModuleDict {a = nn.ReLU(), b = nn.Tanh()} ;; torch.typename(dict:pop 'a')
nn.ModuleDict.update: local dict = nn.ModuleDict {a = nn.ReLU()} ;; #dict:update {b = nn.Tanh()}
nn.ModuleDict.values: #nn.ModuleDict {a = nn.ReLU(), b = nn.Tanh()}:values()
nn.SyncBatchNorm.convert_sync_batchnorm: local net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))) ;; torch.typename(net[2])
nn.Transformer.generate_square_subsequent_mask: nn.Transformer.generate_square_subsequent_mask(3)
]]
