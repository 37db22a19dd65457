-- Examples of torch (share/luth/reference/uses.lua), name: code ;; code, or name: = other name. Methods go by the names of their help: x:free.
return [[
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
torch.Tensor.gcd_: torch.tensor {4, 6}:gcd_(torch.tensor {6, 4})
torch.Tensor.lcm_: torch.tensor {4, 6}:lcm_(torch.tensor {6, 4})
torch.Tensor.float_power_: torch.ones(2, {dtype = torch.float64}):float_power_(2)
torch.Tensor.polygamma_: torch.ones(2):polygamma_(1)
torch.ops.load_library: local file = io.open './libmyops.so' ;; if file then torch.ops.load_library './libmyops.so' end
torch.backends.cudnn.is_available: type(torch.backends.cudnn.is_available())
torch.backends.cudnn.version: local version = torch.backends.cudnn.version() ;; version == nil or math.type(version) == 'integer'
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
torch.Size: #torch.ones(2, 3):size()
torch.TestSuite: local suite, tester = torch.TestSuite(), torch.Tester() ;; function suite.adds() tester:eq(1 + 1, 2) end ;; tester:add(suite) ;; tester ~= nil
torch.Tester: local suite, tester = torch.TestSuite(), torch.Tester() ;; function suite.adds() tester:eq(1 + 1, 2) end ;; tester:add(suite) ;; tester ~= nil
torch.adjoint: torch.adjoint(torch.ones(2, 3))
torch.alias_copy: torch.alias_copy(torch.ones(2))
torch.are_deterministic_algorithms_enabled: torch.are_deterministic_algorithms_enabled()
torch.as_strided_copy: torch.as_strided_copy(torch.arange(6), {2, 2}, {3, 1})
torch.asarray: torch.asarray({1, 2}, {dtype = torch.float32})
torch.bfloat16: torch.ones(2, {dtype = torch.bfloat16})
torch.bool: torch.tensor {true, false}.dtype == torch.bool
torch.float16: torch.ones(2, {dtype = torch.float16})
torch.float32: torch.ones(2).dtype == torch.float32
torch.float64: torch.ones(2, {dtype = torch.float64})
torch.int8: torch.ones(2, {dtype = torch.int8})
torch.int16: torch.ones(2, {dtype = torch.int16})
torch.int32: torch.ones(2, {dtype = torch.int32})
torch.int64: torch.arange(3).dtype == torch.int64
torch.uint8: torch.zeros(3, 4, 4, {dtype = torch.uint8})
torch.channels_last: local x = torch.ones(1, 3, 4, 4):to {memory_format = torch.channels_last} ;; x:stride(2)
torch.contiguous_format: torch.ones(2, 3):t():contiguous {memory_format = torch.contiguous_format}:is_contiguous()
torch.preserve_format: torch.ones(2, 3):t():clone {memory_format = torch.preserve_format}:is_contiguous()
torch.broadcast_shapes: torch.broadcast_shapes({2, 1}, {3})
torch.clear_autocast_cache: torch.clear_autocast_cache() ;; true
torch.conj: torch.conj(torch.ones(2))
torch.conj_physical: torch.conj_physical(torch.ones(2))
torch.conj_physical_: torch.conj_physical_(torch.ones(2))
torch.detach_copy: torch.detach_copy(torch.ones(2))
torch.diagonal_copy: torch.diagonal_copy(torch.ones(3, 3))
torch.empty_cache: torch.empty_cache() ;; true
torch.expand_copy: torch.expand_copy(torch.ones(2, 1), {2, 3})
torch.frombuffer: torch.frombuffer('\1\2\3', {dtype = torch.uint8})
torch.get_autocast_dtype: torch.get_autocast_dtype('cpu')
torch.get_default_device: torch.get_default_device()
torch.get_float32_matmul_precision: torch.get_float32_matmul_precision()
torch.get_rng_state: local state = torch.get_rng_state() ;; local x = torch.rand(2) ;; torch.set_rng_state(state) ;; torch.rand(2):equal(x)
torch.set_rng_state: local state = torch.get_rng_state() ;; local x = torch.rand(2) ;; torch.set_rng_state(state) ;; torch.rand(2):equal(x)
torch.initial_seed: torch.manual_seed(3) ;; torch.initial_seed()
torch.seed: math.type(torch.seed())
torch.is_anomaly_check_nan_enabled: torch.is_anomaly_check_nan_enabled()
torch.is_anomaly_enabled: torch.is_anomaly_enabled()
torch.is_autocast_cache_enabled: torch.is_autocast_cache_enabled()
torch.is_autocast_enabled: torch.autocast('cpu', function() return torch.is_autocast_enabled('cpu') end)
torch.is_complex: torch.is_complex(torch.ones(2))
torch.is_conj: torch.is_conj(torch.ones(2))
torch.is_floating_point: torch.is_floating_point(torch.ones(2))
torch.is_grad_enabled: torch.no_grad(function() return torch.is_grad_enabled() end)
torch.is_inference: torch.is_inference(torch.ones(2))
torch.is_inference_mode_enabled: torch.inference_mode(function() return torch.is_inference_mode_enabled() end)
torch.is_neg: torch.is_neg(torch.ones(2))
torch.is_nonzero: torch.is_nonzero(torch.tensor {3})
torch.is_same_size: torch.is_same_size(torch.ones(2), torch.zeros(2))
torch.is_signed: torch.is_signed(torch.zeros(2, {dtype = torch.uint8}))
torch.memory_stats: type(torch.memory_stats())
torch.none: torch.ones(2, 3)[{ {}, torch.newaxis }]
torch.ops: type(torch.ops)
torch.permute_copy: torch.permute_copy(torch.ones(2, 3), {2, 1})
torch.real: torch.real(torch.ones(2))
torch.reset_peak_memory_stats: torch.reset_peak_memory_stats() ;; true
torch.resize_as_: torch.resize_as_(torch.ones(2), torch.ones(3, 1))
torch.resolve_conj: torch.resolve_conj(torch.ones(2))
torch.resolve_neg: torch.resolve_neg(torch.ones(2))
torch.select_copy: torch.select_copy(torch.ones(2, 3), 1, 2)
torch.set_anomaly_enabled: torch.set_anomaly_enabled(true) ;; torch.set_anomaly_enabled(false) ;; torch.is_anomaly_enabled()
torch.set_default_device: torch.set_default_device('cpu') ;; torch.ones(2).device
torch.set_default_dtype: torch.set_default_dtype(torch.float64) ;; local x = torch.ones(2) ;; torch.set_default_dtype(torch.float32) ;; x.dtype
torch.set_float32_matmul_precision: torch.set_float32_matmul_precision('highest') ;; torch.get_float32_matmul_precision()
torch.set_grad_enabled: torch.set_grad_enabled(false, function() return torch.is_grad_enabled() end)
torch.set_log_device_placement: torch.set_log_device_placement(false) ;; torch.ones(2)
torch.set_num_threads: torch.set_num_threads(torch.get_num_threads()) ;; torch.get_num_threads() >= 1
torch.set_printoptions: torch.set_printoptions {precision = 2} ;; local text = tostring(torch.tensor {1 / 3}) ;; torch.set_printoptions {profile = 'default'} ;; text
torch.slice_copy: torch.slice_copy(torch.arange(6), 1, 2, 5)
torch.split_copy: torch.split_copy(torch.arange(6), 2)
torch.split_with_sizes_copy: torch.split_with_sizes_copy(torch.arange(6), {2, 4})
torch.squeeze_copy: torch.squeeze_copy(torch.ones(2, 1))
torch.t_copy: torch.t_copy(torch.ones(2, 3))
torch.transpose_copy: torch.transpose_copy(torch.ones(2, 3), 1, 2)
torch.unbind_copy: torch.unbind_copy(torch.ones(2, 3))
torch.unfold_copy: torch.unfold_copy(torch.arange(6), 1, 2, 2)
torch.unsqueeze_copy: torch.unsqueeze_copy(torch.ones(2), 1)
torch.use_deterministic_algorithms: torch.use_deterministic_algorithms(true) ;; local on = torch.are_deterministic_algorithms_enabled() ;; torch.use_deterministic_algorithms(false) ;; on
torch.view_copy: torch.view_copy(torch.ones(2, 3), {6})
x:_is_view: torch.ones(4):view(2, 2):_is_view()
x:_version: local x = torch.ones(2) ;; x:add_(1) ;; x:_version()
x:adjoint: torch.ones(2, 3):adjoint()
x:apply_: torch.tensor {1., 2.}:apply_(function(v) return v * 10 end)
x:bfloat16: torch.ones(2):bfloat16()
x:bool: torch.tensor {0, 2}:bool()
x:byte: torch.tensor {1., 2.}:byte()
x:char: torch.tensor {1., 2.}:char()
x:conj: torch.ones(2):conj()
x:conj_physical: torch.ones(2):conj_physical()
x:conj_physical_: torch.ones(2):conj_physical_()
x:cpu: torch.ones(2):cpu().device
x:cuda: local x = torch.ones(2) ;; if torch.cuda.is_available() then x = x:cuda() end ;; #x
x:data_ptr: local x = torch.ones(2) ;; x:data_ptr() == x:view(2, 1):data_ptr()
x:detach_: local x = torch.ones(2, {requires_grad = true}) * 2 ;; x:detach_() ;; x.requires_grad
x:double: torch.ones(2):double()
x:einreduce: torch.ones(2, 4):einreduce('a b -> a', 'mean')
x:einrepeat: torch.ones(2):einrepeat('a -> a k', {k = 3})
x:element_size: torch.ones(2):element_size()
x:free: local x = torch.ones(1000) ;; x:free() ;; true
x:get_device: torch.ones(2):get_device()
x:half: torch.ones(2):half()
x:int: torch.tensor {1.5}:int()
x:is_complex: torch.ones(2):is_complex()
x:is_conj: torch.ones(2):is_conj()
x:is_floating_point: torch.arange(2):is_floating_point()
x:is_inference: torch.ones(2):is_inference()
x:is_neg: torch.ones(2):is_neg()
x:is_nonzero: torch.tensor {3}:is_nonzero()
x:is_pinned: torch.ones(2):is_pinned()
x:is_same_size: torch.ones(2):is_same_size(torch.zeros(2))
x:is_set_to: local x = torch.ones(2) ;; x:is_set_to(x)
x:is_shared: torch.ones(2):is_shared()
x:is_signed: torch.ones(2):is_signed()
x:is_view: torch.ones(4)[{ {1, 2} }]:is_view()
x:map_: torch.tensor {1., 2.}:map_(torch.tensor {3., 4.}, function(a, b) return a * b end)
x:nbytes: torch.ones(2, 3):nbytes()
x:ndimension: torch.ones(2, 3):ndimension()
x:nelement: torch.ones(2, 3):nelement()
x:new_tensor: torch.ones(2, {dtype = torch.float64}):new_tensor {1, 2}
x:pin_memory: local x = torch.ones(2) ;; if torch.cuda.is_available() then x = x:pin_memory():cuda {non_blocking = true} end ;; #x
x:record_stream: if torch.cuda.is_available() then ;;   local s, x = torch.cuda.Stream(), torch.ones(2):cuda() ;;   torch.cuda.stream(s, function() x:mul_(2) end) ;;   x:record_stream(s) ;; end
x:register_post_accumulate_grad_hook: local w, seen = torch.ones(2, {requires_grad = true}), nil ;; w:register_post_accumulate_grad_hook(function(p) seen = p.grad end) ;; w:sum():backward() ;; seen
x:resize_: torch.ones(2):resize_(3, 2):size()
x:resize_as_: torch.ones(2):resize_as_(torch.ones(3, 1)):size()
x:resolve_conj: torch.ones(2):resolve_conj()
x:resolve_neg: torch.ones(2):resolve_neg()
x:retain_grad: local x = torch.ones(2, {requires_grad = true}) ;; local y = x * 2 ;; y:retain_grad() ;; y:sum():backward() ;; y.grad
x:set_: local x, y = torch.zeros(1), torch.ones(3) ;; x:set_(y) ;; x
x:share_memory_: torch.ones(2):share_memory_()
x:short: torch.tensor {1.5}:short()
x:storage_offset: torch.arange(5)[{ {3, 5} }]:storage_offset()
x:tobytes: #torch.ones(2):tobytes()
x:type: torch.ones(2):type('torch.DoubleTensor')
x:type_as: torch.ones(2):type_as(torch.arange(2))
x:where: torch.tensor {1., -1.}:where(torch.tensor {true, false}, torch.zeros(2))
torch.autograd.Variable: torch.autograd.Variable(torch.ones(2), true).requires_grad
torch.autograd.detect_anomaly: torch.autograd.detect_anomaly(function() return torch.is_anomaly_enabled() end)
torch.autograd.gradgradcheck: torch.autograd.gradgradcheck(function(x) return x:tanh() end, {torch.randn(3, {dtype = torch.float64, requires_grad = true})})
torch.autograd.set_detect_anomaly: torch.autograd.set_detect_anomaly(true) ;; local on = torch.is_anomaly_enabled() ;; torch.autograd.set_detect_anomaly(false) ;; on
torch.autograd.functional.hvp: torch.autograd.functional.hvp(function(x) return (x ^ 3):sum() end, torch.tensor {1., 2.}, torch.ones(2))
torch.autograd.functional.jvp: torch.autograd.functional.jvp(function(x) return x * x end, torch.tensor {1., 2.}, torch.ones(2))
torch.autograd.functional.vhp: torch.autograd.functional.vhp(function(x) return (x ^ 3):sum() end, torch.tensor {1., 2.}, torch.ones(2))
torch.autograd.functional.vjp: torch.autograd.functional.vjp(function(x) return x * x end, torch.tensor {1., 2.}, torch.ones(2))
torch.func.grad_and_value: torch.func.grad_and_value(function(x) return (x * x):sum() end)(torch.tensor {1., 2.})
torch.func.jvp: torch.func.jvp(torch.sin, {torch.zeros(2)}, {torch.ones(2)})
torch.func.vjp: local y, back = torch.func.vjp(torch.sin, torch.zeros(2)) ;; back(torch.ones(2))
torch.func.stack_module_state: local parameters = torch.func.stack_module_state {nn.Linear(2, 1), nn.Linear(2, 1)} ;; parameters.weight
torch.cuda.Event: if torch.cuda.is_available() then ;;   local from, to = torch.cuda.Event {enable_timing = true}, torch.cuda.Event {enable_timing = true} ;;   from:record() ;;   torch.ones(1000, 1000, {device = 'cuda'}):sum() ;;   to:record() ;;   to:synchronize() ;;   print(from:elapsed_time(to)) ;; end
torch.cuda.Stream: if torch.cuda.is_available() then ;;   local s = torch.cuda.Stream() ;;   torch.cuda.stream(s, function() return torch.ones(2, {device = 'cuda'}) end) ;;   s:synchronize() ;; end
torch.cuda.current_device: if torch.cuda.is_available() then print(torch.cuda.current_device()) end
torch.cuda.current_stream: if torch.cuda.is_available() then torch.cuda.current_stream():synchronize() end
torch.cuda.default_stream: if torch.cuda.is_available() then torch.cuda.default_stream():synchronize() end
torch.cuda.device: if torch.cuda.device_count() > 1 then ;;   print(torch.cuda.device(1, function() return torch.ones(2, {device = 'cuda'}).device end)) ;; end
torch.cuda.empty_cache: torch.cuda.empty_cache() ;; true
torch.cuda.get_device_capability: if torch.cuda.is_available() then print(torch.cuda.get_device_capability()) end
torch.cuda.get_device_name: if torch.cuda.is_available() then print(torch.cuda.get_device_name()) end
torch.cuda.get_device_properties: if torch.cuda.is_available() then print(torch.cuda.get_device_properties(0).total_memory) end
torch.cuda.get_rng_state: if torch.cuda.is_available() then torch.cuda.set_rng_state(torch.cuda.get_rng_state()) end
torch.cuda.set_rng_state: if torch.cuda.is_available() then torch.cuda.set_rng_state(torch.cuda.get_rng_state()) end
torch.cuda.host_waits: if torch.cuda.is_available() then ;;   local before = torch.cuda.host_waits() ;;   torch.ones(2, {device = 'cuda'}):sum():item() ;;   print(torch.cuda.host_waits() - before) ;; end
torch.cuda.is_bf16_supported: if torch.cuda.is_available() then print(torch.cuda.is_bf16_supported()) end
torch.cuda.is_initialized: type(torch.cuda.is_initialized())
torch.cuda.manual_seed: torch.cuda.manual_seed(3) ;; true
torch.cuda.manual_seed_all: torch.cuda.manual_seed_all(3) ;; true
torch.cuda.max_memory_allocated: torch.cuda.max_memory_allocated() >= 0
torch.cuda.max_memory_reserved: torch.cuda.max_memory_reserved() >= 0
torch.cuda.mem_get_info: if torch.cuda.is_available() then print(torch.cuda.mem_get_info()) end
torch.cuda.memory_allocated: torch.cuda.memory_allocated() >= 0
torch.cuda.memory_reserved: torch.cuda.memory_reserved() >= 0
torch.cuda.memory_stats: if torch.cuda.is_available() then print(next(torch.cuda.memory_stats())) end
torch.cuda.memory_summary: if torch.cuda.is_available() then print(torch.cuda.memory_summary()) end
torch.cuda.reset_peak_memory_stats: if torch.cuda.is_available() then torch.cuda.reset_peak_memory_stats() end
torch.cuda.set_device: if torch.cuda.is_available() then torch.cuda.set_device(0) end
torch.cuda.set_stream: if torch.cuda.is_available() then torch.cuda.set_stream(torch.cuda.default_stream()) end
torch.cuda.set_visible_devices: -- before anything uses a GPU ;; if not torch.cuda.is_initialized() and torch.cuda.device_count() > 1 then torch.cuda.set_visible_devices('0,1') end
torch.cuda.stream: if torch.cuda.is_available() then ;;   local s = torch.cuda.Stream() ;;   torch.cuda.stream(s, function() return torch.ones(2, {device = 'cuda'}) end) ;;   torch.cuda.current_stream():wait_stream(s) ;; end
torch.cuda.synchronize: if torch.cuda.is_available() then torch.cuda.synchronize() end
torch.backends.cuda: torch.backends.cuda.matmul.allow_tf32
torch.backends.cudnn: type(torch.backends.cudnn.benchmark)
torch.distributions.AbsTransform: torch.distributions.AbsTransform()(torch.tensor {-1., 2.})
torch.distributions.ComposeTransform: torch.distributions.ComposeTransform {torch.distributions.AffineTransform(1, 2), torch.distributions.ExpTransform()}(torch.zeros(2))
torch.distributions.ExpTransform: torch.distributions.ExpTransform()(torch.zeros(2))
torch.distributions.PowerTransform: torch.distributions.PowerTransform(2.0)(torch.tensor {1., 3.})
torch.distributions.SigmoidTransform: torch.distributions.SigmoidTransform()(torch.zeros(2))
torch.distributions.SoftmaxTransform: torch.distributions.SoftmaxTransform()(torch.zeros(2))
torch.distributions.SoftplusTransform: torch.distributions.SoftplusTransform()(torch.zeros(2))
torch.distributions.TanhTransform: torch.distributions.TanhTransform()(torch.zeros(2))
torch.distributions.register_kl: local d = torch.distributions ;; d.register_kl(d.Uniform, d.Laplace, function(p, q) return (p.mean - q.mean):abs() end) ;; d.kl_divergence(d.Uniform(0, 2), d.Laplace(0, 1))
torch.profiler.profile: local p = torch.profiler.profile({record_shapes = true}, function() return torch.ones(2):add(1) end) ;; type(p:key_averages():table {row_limit = 3})
torch.profiler.record_function: torch.profiler.record_function('my part', function() return torch.ones(2) end)
torch.profiler.schedule: type(torch.profiler.schedule {wait = 1, warmup = 1, active = 3})
torch.profiler.tensorboard_trace_handler: type(torch.profiler.tensorboard_trace_handler 'traces')
torch.utils.clock: local from = torch.utils.clock() ;; torch.utils.clock() - from >= 0
torch.utils.benchmark.Timer: local t = torch.utils.benchmark.Timer {stmt = 'x:add(1)', globals = {x = torch.ones(3)}} ;; t:timeit(10).mean > 0
torch.utils.checkpoint.checkpoint_sequential: local net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)) ;; torch.utils.checkpoint.checkpoint_sequential(net, 2, torch.ones(3, 2))
torch.utils.tensorboard.SummaryWriter: local folder = os.tmpname() ;; os.remove(folder) ;; local w = torch.utils.tensorboard.SummaryWriter(folder) ;; w:add_scalar('loss', 0.5, 1) ;; w:close() ;; os.execute('rm -r ' .. folder)
g:get_state: local g = torch.Generator():manual_seed(1) ;; local state = g:get_state() ;; local x = torch.rand(2, {generator = g}) ;; g:set_state(state) ;; torch.rand(2, {generator = g}):equal(x)
g:set_state: local g = torch.Generator():manual_seed(1) ;; local state = g:get_state() ;; local x = torch.rand(2, {generator = g}) ;; g:set_state(state) ;; torch.rand(2, {generator = g}):equal(x)
g:initial_seed: torch.Generator():manual_seed(3):initial_seed()
g:manual_seed: local g = torch.Generator():manual_seed(3) ;; torch.rand(2, {generator = g})
g:seed: math.type(torch.Generator():seed())
scope:close: local scope = torch.no_grad() ;; local recorded = (torch.ones(1, {requires_grad = true}) * 2).requires_grad ;; scope:close() ;; recorded
node:name: (torch.ones(1, {requires_grad = true}) ^ 2).grad_fn:name()
node:register_hook: local x, seen = torch.ones(1, {requires_grad = true}), nil ;; local y = x * 3 ;; y.grad_fn:register_hook(function(inputs, outputs) seen = inputs[1] end) ;; y:backward() ;; seen
node:register_prehook: local x, seen = torch.ones(1, {requires_grad = true}), nil ;; local y = x * 3 ;; y.grad_fn:register_prehook(function(outputs) seen = outputs[1] end) ;; y:backward() ;; seen
handle:remove: local x = torch.ones(1, {requires_grad = true}) ;; local handle = x:register_hook(function(g) return g * 10 end) ;; handle:remove() ;; x:sum():backward() ;; x.grad
ctx:save_for_backward: local Square = torch.autograd.Function 'SquareOfHelp' ;; function Square.forward(ctx, x) ctx:save_for_backward(x) return x * x end ;; function Square.backward(ctx, g) return 2 * ctx.saved_tensors[1] * g end ;; local x = torch.tensor(3., {requires_grad = true}) ;; Square.apply(x):backward() ;; x.grad
ctx:mark_dirty: local Add = torch.autograd.Function 'AddOfHelp' ;; function Add.forward(ctx, x) ctx:mark_dirty(x) return x:add_(1) end ;; function Add.backward(ctx, g) return g end ;; Add.apply(torch.ones(2, {requires_grad = true}) * 2)
ctx:mark_non_differentiable: local Top = torch.autograd.Function 'TopOfHelp' ;; function Top.forward(ctx, x) local y, i = x:max(1) ctx:mark_non_differentiable(i) return y, i end ;; function Top.backward(ctx, g) return g:expand(3) end ;; Top.apply(torch.arange(3.0))
ctx:set_materialize_grads: local Id = torch.autograd.Function 'IdOfHelp' ;; function Id.forward(ctx, x) ctx:set_materialize_grads(false) return x * 1 end ;; function Id.backward(ctx, g) return g end ;; Id.apply(torch.ones(2))
e:elapsed_time: = torch.cuda.Event
e:query: if torch.cuda.is_available() then ;;   local e = torch.cuda.Event() ;;   e:record() ;;   print(e:query()) ;; end
e:record: = torch.cuda.Event
e:synchronize: = torch.cuda.Event
e:wait: if torch.cuda.is_available() then ;;   local e, s = torch.cuda.Event(), torch.cuda.Stream() ;;   e:record() ;;   e:wait(s) ;; end
s:query: if torch.cuda.is_available() then print(torch.cuda.current_stream():query()) end
s:record_event: if torch.cuda.is_available() then torch.cuda.current_stream():record_event():synchronize() end
s:synchronize: = torch.cuda.Stream
s:wait_event: if torch.cuda.is_available() then torch.cuda.Stream():wait_event(torch.cuda.current_stream():record_event()) end
s:wait_stream: = torch.cuda.stream
]]
