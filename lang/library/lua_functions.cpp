// Functions of PyTorch that are written in Lua (share/luth), read when they are first called.
#include <algorithm>

#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr const char* copy_help = "Like the view of that name, but the result is a copy in row-major order.";
constexpr Row copies[] = {
    {"alias_copy", nullptr, "torch.alias_copy(input)", copy_help},
    {"as_strided_copy", nullptr, "torch.as_strided_copy(input, size, stride, storage_offset = nil)", copy_help},
    {"detach_copy", nullptr, "torch.detach_copy(input)", copy_help},
    {"diagonal_copy", nullptr, "torch.diagonal_copy(input, offset = 0, dim1 = 1, dim2 = 2)", copy_help},
    {"expand_copy", nullptr, "torch.expand_copy(input, size)", copy_help},
    {"permute_copy", nullptr, "torch.permute_copy(input, dims)", copy_help},
    {"select_copy", nullptr, "torch.select_copy(input, dim, index)", copy_help},
    {"slice_copy", nullptr, "torch.slice_copy(input, dim = 1, start = 1, end = -1, step = 1)",
     "A copy of the positions from start to end; end is included."},
    {"split_copy", nullptr, "torch.split_copy(input, split_size, dim = 1)", copy_help},
    {"split_with_sizes_copy", nullptr, "torch.split_with_sizes_copy(input, split_sizes, dim = 1)", copy_help},
    {"squeeze_copy", nullptr, "torch.squeeze_copy(input, dim = nil)", copy_help},
    {"t_copy", nullptr, "torch.t_copy(input)", copy_help},
    {"transpose_copy", nullptr, "torch.transpose_copy(input, dim0, dim1)", copy_help},
    {"unbind_copy", nullptr, "torch.unbind_copy(input, dim = 1)", copy_help},
    {"unfold_copy", nullptr, "torch.unfold_copy(input, dimension, size, step)", copy_help},
    {"unsqueeze_copy", nullptr, "torch.unsqueeze_copy(input, dim)", copy_help},
    {"view_copy", nullptr, "torch.view_copy(input, size or dtype)", copy_help},
};
constexpr Row utils[] = {
    {"parameters_to_vector", nullptr, "nn.utils.parameters_to_vector(parameters)",
     "One vector with the elements of all parameters, one parameter after the other."},
    {"vector_to_parameters", nullptr, "nn.utils.vector_to_parameters(vec, parameters)",
     "Makes each parameter a view of its part of the vector."},
    {"get_total_norm", nullptr, "nn.utils.get_total_norm(tensors, norm_type = 2.0, error_if_nonfinite = false)",
     "The norm of all elements of several tensors."},
    {"clip_grads_with_norm_", nullptr, "nn.utils.clip_grads_with_norm_(parameters, max_norm, total_norm)",
     "Scales gradients of norm total_norm so that their norm is at most max_norm."},
    {"skip_init", nullptr, "nn.utils.skip_init(class, …)",
     "Makes a module without drawing its parameters, whose contents are arbitrary: nn.utils.skip_init(nn.Linear, 4, 2, "
     "{device = 'cuda'})."},
};
constexpr Row norms_of_weights[] = {
    {"weight_norm", nullptr, "nn.utils.weight_norm(module, name = 'weight', dim = 1)",
     "Replaces a parameter by its norm (weight_g) for each position in dim, and its direction (weight_v). "
     "nn.utils.parametrizations.weight_norm is newer."},
    {"remove_weight_norm", nullptr, "nn.utils.remove_weight_norm(module, name = 'weight')",
     "Makes the product of norm and direction a parameter again."},
    {"spectral_norm", nullptr,
     "nn.utils.spectral_norm(module, name = 'weight', n_power_iterations = 1, eps = 1e-12, dim = nil)",
     "Divides a parameter by its largest singular value, which a step of power iteration follows in each forward of "
     "training. nn.utils.parametrizations.spectral_norm is newer."},
    {"remove_spectral_norm", nullptr, "nn.utils.remove_spectral_norm(module, name = 'weight')",
     "Makes the divided weight a parameter again."},
};
constexpr Row fuse[] = {
    {"fuse_conv_bn_eval", nullptr, "nn.utils.fuse_conv_bn_eval(conv, bn, transpose = false)",
     "A convolution that computes what conv and then bn compute, both in eval mode."},
    {"fuse_conv_bn_weights", nullptr,
     "nn.utils.fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose = false)",
     "Weight and bias of that convolution."},
    {"fuse_linear_bn_eval", nullptr, "nn.utils.fuse_linear_bn_eval(linear, bn)",
     "A linear layer that computes what linear and then bn compute, both in eval mode."},
    {"fuse_linear_bn_weights", nullptr,
     "nn.utils.fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)",
     "Weight and bias of that linear layer."},
};
constexpr Row parametrize[] = {
    {"register_parametrization", nullptr,
     "nn.utils.parametrize.register_parametrization(module, tensor_name, parametrization, {unsafe = false})",
     "module[tensor_name] becomes parametrization(original), computed when it is read. The parametrization is a "
     "module; "
     "its method right_inverse gives the original for a value. Further ones apply to the result."},
    {"remove_parametrizations", nullptr,
     "nn.utils.parametrize.remove_parametrizations(module, tensor_name, leave_parametrized = true)",
     "Makes module[tensor_name] a parameter again: with its present value, or with that of the original."},
    {"is_parametrized", nullptr, "nn.utils.parametrize.is_parametrized(module, tensor_name = nil)",
     "Whether the tensor, or any one of the module, has a parametrization."},
    {"cached", nullptr, "nn.utils.parametrize.cached(f = nil, …)",
     "A scope, or with a function: each parametrized tensor is computed once in it."},
};
constexpr Row parametrizations[] = {
    {"weight_norm", nullptr, "nn.utils.parametrizations.weight_norm(module, name = 'weight', dim = 1)",
     "The weight is a direction (original1) times a norm for each position in dim (original0)."},
    {"spectral_norm", nullptr,
     "nn.utils.parametrizations.spectral_norm(module, name = 'weight', n_power_iterations = 1, eps = 1e-12, dim = nil)",
     "The weight is divided by its largest singular value, which a step of power iteration follows while training."},
    {"orthogonal", nullptr,
     "nn.utils.parametrizations.orthogonal(module, name = 'weight', orthogonal_map = nil, {use_trivialization = true})",
     "The weight has orthonormal columns, or rows where it is wide. orthogonal_map is 'matrix_exp', 'cayley' or "
     "'householder'."},
};
constexpr Row prune[] = {
    {"identity", nullptr, "nn.utils.prune.identity(module, name)",
     "Makes module[name] the product of the parameter <name>_orig and the buffer <name>_mask, which is 1."},
    {"random_unstructured", nullptr, "nn.utils.prune.random_unstructured(module, name, amount)",
     "Sets random elements to 0: amount is how many, or a float, which share of those that are left."},
    {"l1_unstructured", nullptr, "nn.utils.prune.l1_unstructured(module, name, amount, importance_scores = nil)",
     "Sets the elements of least magnitude to 0, or of least importance."},
    {"RandomUnstructured", nullptr, "nn.utils.prune.RandomUnstructured(module, name, amount)",
     "Is random_unstructured by the name of PyTorch's class, as global_unstructured takes it."},
    {"L1Unstructured", nullptr, "nn.utils.prune.L1Unstructured(module, name, amount, importance_scores = nil)",
     "Is l1_unstructured by the name of PyTorch's class, as global_unstructured takes it."},
    {"random_structured", nullptr, "nn.utils.prune.random_structured(module, name, amount, dim)",
     "Sets random channels along dim to 0."},
    {"ln_structured", nullptr, "nn.utils.prune.ln_structured(module, name, amount, n, dim, importance_scores = nil)",
     "Sets the channels along dim with the least n-norm to 0."},
    {"global_unstructured", nullptr,
     "nn.utils.prune.global_unstructured(parameters, pruning_method, {importance_scores = nil, amount})",
     "Prunes a list of {module, name} as one tensor; pruning_method is prune.l1_unstructured or "
     "prune.random_unstructured."},
    {"custom_from_mask", nullptr, "nn.utils.prune.custom_from_mask(module, name, mask)",
     "Sets the elements to 0 where the mask is 0."},
    {"remove", nullptr, "nn.utils.prune.remove(module, name)", "Makes the pruned tensor a parameter again."},
    {"is_pruned", nullptr, "nn.utils.prune.is_pruned(module)",
     "Whether the module, or one below it, has pruned tensors."},
};
constexpr Row init[] = {
    {"orthogonal_", nullptr, "nn.init.orthogonal_(tensor, gain = 1, {generator = nil})",
     "Fills the tensor with orthonormal rows (or columns, if there are fewer), times gain. All dims after the first "
     "count as one."},
    {"sparse_", nullptr, "nn.init.sparse_(tensor, sparsity, std = 0.01, {generator = nil})",
     "Fills a matrix with normal numbers; in each column the share `sparsity` is set to 0."},
};
constexpr Row testing[] = {
    {"make_tensor", nullptr,
     "torch.testing.make_tensor(shape, {dtype, device, low = nil, high = nil, requires_grad = false, noncontiguous = "
     "false, exclude_zero = false, memory_format = nil})",
     "Uniform numbers from low to high; high is excluded. The defaults are -9 to 9 for floats, and below 10 for "
     "integers."},
};
constexpr Row samplers[] = {
    {"SequentialSampler", nullptr, "data.SequentialSampler(dataset)", "The positions of a dataset in order."},
    {"RandomSampler", nullptr, "data.RandomSampler(dataset, {replacement = false, num_samples = nil, generator = nil})",
     "Positions of a dataset in random order, or drawn with replacement."},
    {"SubsetRandomSampler", nullptr, "data.SubsetRandomSampler(indices, {generator = nil})",
     "Given positions in random order."},
    {"WeightedRandomSampler", nullptr,
     "data.WeightedRandomSampler(weights, num_samples = #weights, {replacement = true, generator = nil})",
     "Positions drawn with probabilities in proportion to the weights, one for each sample."},
    {"BatchSampler", nullptr, "data.BatchSampler(sampler, batch_size, drop_last = false)",
     "Batches of the positions of a sampler, for {batch_sampler = }."},
    {"BucketBatchSampler", nullptr,
     "data.BucketBatchSampler(lengths, batch_size, {shuffle = true, drop_last = false, generator = nil})",
     "Batches of samples of similar lengths, in random order, for {batch_sampler = }."},
    {"k_fold", nullptr, "data.k_fold(dataset, k, {shuffle = true, seed = nil})",
     "A list of k tables {train, val}: each sample is in one val."},
    {"stratified_split", nullptr, "data.stratified_split(dataset, shares, {labels = nil, seed = nil})",
     "Random parts in which labels are as frequent as in the whole, several values. Without labels, the last value of "
     "each sample is its label."},
    {"StackDataset", nullptr, "data.StackDataset(dataset, ...)",
     "A dataset whose samples are those of several, one behind the other."},
};
constexpr Row streams[] = {
    {"ChainDataset", nullptr, "data.ChainDataset{dataset, ...}",
     "Datasets one after the other, of which some have iter() in place of numbered samples."},
    {"Shuffler", nullptr, "data.Shuffler(dataset, {buffer_size = 1000, seed = nil})",
     "A dataset with iter(), whose samples are drawn at random from the next buffer_size ones of another. The order is "
     "a "
     "function of (seed, epoch)."},
};
constexpr Row collation[] = {
    {"default_collate", nullptr, "data.default_collate(samples)",
     "The values of a batch, of a list of samples, each a list of values: tensors are stacked, numbers become a "
     "tensor, "
     "strings a list, and of tables each entry. Loaders use it for samples that are no mere tensors and numbers."},
    {"PadCollate", nullptr, "data.PadCollate{padding_value = 0, padding_side = 'right', lengths = false}",
     "A collate_fn for sequences of different lengths: they become [batch, longest, …]. With lengths = true each is "
     "followed by int64[batch], how long each was. Other values are stacked."},
    {"PackCollate", nullptr, "data.PackCollate()",
     "The same without padding: sequences one behind the other, [sum of lengths, …], and their lengths, int64[batch]."},
};
constexpr Row batch_transforms[] = {
    {"MixUp", nullptr, "data.transforms.MixUp{alpha = 1.0, num_classes = nil}",
     "t(images, labels) mixes each image of a batch, float[N, …], and its label with those of the one before it, by a "
     "share of Beta(alpha, alpha). Labels, 1 to num_classes or rows of probabilities, become rows of probabilities. "
     "t:set_batch(seed, epoch, batch) makes what is random a function of these. It is for the field augment of "
     "recipes."},
    {"CutMix", nullptr, "data.transforms.CutMix{alpha = 1.0, num_classes = nil}",
     "t(images, labels) replaces a random rectangle of each image of a batch, float[N, C, H, W], by that of the one "
     "before it, and mixes the labels by the areas, as MixUp does."},
    {"OneHot", nullptr, "data.transforms.OneHot{num_classes}",
     "t(…, labels) makes rows of floats of a batch's labels, which are its last value."},
    {"LabelSmoothing", nullptr, "data.transforms.LabelSmoothing{smoothing = 0.1, num_classes = nil}",
     "t(…, labels) gives the share `smoothing` of a batch's labels to all classes alike."},
    {"RandomChoice", nullptr, "data.transforms.RandomChoice(transforms, {p = nil})",
     "One of several transforms of batches, such as MixUp and CutMix, drawn for each batch; p are their "
     "probabilities."},
};
constexpr Row summaries[] = {
    {"summary", nullptr, "torch.utils.summary(model, input)",
     "The tree of a model with shapes, parameters and multiply-adds, which prints; fields rows, parameters, trainable, "
     "madds, activation_bytes, step_bytes. input is a tensor, its sizes {1, 3, 224, 224}, or a list of tensors. The "
     "pass is on the device meta and computes nothing."},
};
constexpr Row clocks[] = {
    {"clock", nullptr, "torch.utils.clock()",
     "Seconds of a clock that never goes back, from an arbitrary start. Differences are times; os.clock() counts the "
     "processor time of all threads instead."},
};
constexpr Row debugging[] = {
    {"breakpoint", nullptr, "breakpoint()",
     "Stops and asks for commands: step, next, finish, continue, up, down, where, locals, any Lua in the call where it "
     "stands, breakpoints by file and line; help lists them. `luth --debug script.lua` stops at the first line and at "
     "errors."},
};
constexpr Row benchmark[] = {
    {"Timer", nullptr,
     "torch.utils.benchmark.Timer{stmt, setup = nil, globals = nil, num_threads = 1, label = nil, sub_label = nil, "
     "description = nil}",
     "Measures a function, or Lua text that sees `globals`: t:timeit(number) once, t:blocked_autorange{min_run_time = "
     "0.2} as often as that takes. Both wait for GPUs and give a measurement, which prints and has the fields times, "
     "mean, median, std, iqr in seconds, and number_per_run."},
};
constexpr Row tensorboard[] = {
    {"SummaryWriter", nullptr, "torch.utils.tensorboard.SummaryWriter(log_dir = 'runs/<date>', {filename_suffix = ''})",
     "Writes a file that TensorBoard opens: w:add_scalar(tag, value, step), add_scalars(tag, {name = value}, step), "
     "add_histogram(tag, tensor, step), add_image(tag, tensor, step, {dataformats = 'CHW'}), add_images, add_text(tag, "
     "text, step), add_hparams(settings, metrics), add_graph(model, input), flush(), close()."},
};
constexpr Row profiler[] = {
    {"profile", nullptr,
     "torch.profiler.profile({activities, schedule, on_trace_ready, record_shapes = false, profile_memory = false, "
     "with_modules = true}, f = nil)",
     "Records the operators of this thread, from p:start() to p:stop(), or while f(p) runs: p:key_averages("
     "{group_by_input_shape = false}):table{sort_by = 'self_cpu_time_total', row_limit = 100}, p:by_module() and "
     "p:by_line() (lists of {key, count, forward, backward, total, memory}), p:export_chrome_trace(path), "
     "p:export_stacks(path, metric), p:events(); p:step() ends a step of a schedule. A local variable <close> stops "
     "it."},
    {"record_function", nullptr, "torch.profiler.record_function(name, f = nil, ...)",
     "A range of this name in a profile: a scope, or while f(...) runs."},
    {"schedule", nullptr, "torch.profiler.schedule{wait = 0, warmup = 0, active = 1, ['repeat'] = 0, skip_first = 0}",
     "What a profile does at each step: of every wait + warmup + active steps it records the last ones, and calls "
     "on_trace_ready(profile) behind them."},
    {"tensorboard_trace_handler", nullptr, "torch.profiler.tensorboard_trace_handler(dir, worker_name = nil)",
     "A function for on_trace_ready that writes each trace into a folder."},
};
constexpr Row einops[] = {
    {"rearrange", nullptr, "x:rearrange(pattern, {axis = size, …})",
     "Splits, permutes and merges dims as a pattern of einops says: x:rearrange('b (h d) t -> b h t d', {h = 8}). ... "
     "stands for any dims, 1 and () for a dim of extent 1. A view where the layout allows one. A table of tensors is "
     "stacked first."},
    {"einreduce", nullptr, "x:einreduce(pattern, reduction, {axis = size, …})",
     "Reduces the axes that the right side of the pattern has not, by 'mean', 'sum', 'min', 'max', 'prod' or a "
     "function "
     "of tensor and dims: x:einreduce('b c (h 2) (w 2) -> b c h w', 'max'). It is einops' reduce."},
    {"einrepeat", nullptr, "x:einrepeat(pattern, {axis = size, …})",
     "Repeats along the axes that only the right side of the pattern has: x:einrepeat('h w -> h (w 2) c', {c = 3}). It "
     "is einops' repeat."},
};

constexpr Row distributions[] = {
    {"Normal", nullptr, "torch.distributions.Normal(loc, scale)",
     "The normal distribution of mean loc and standard deviation scale. A distribution d has d:sample(shape), "
     "d:rsample(shape) (with gradients), d:log_prob(x), d:cdf(x), d:icdf(p), d:entropy(), d:expand(shape), and the "
     "fields mean, variance, stddev, mode, batch_shape, event_shape. {validate_args = false} drops the checks."},
    {"MultivariateNormal", nullptr,
     "torch.distributions.MultivariateNormal(loc, {covariance_matrix or precision_matrix or scale_tril})",
     "The normal distribution of vectors."},
    {"Bernoulli", nullptr, "torch.distributions.Bernoulli{probs or logits}", "1 with probability probs, else 0."},
    {"Categorical", nullptr, "torch.distributions.Categorical{probs or logits}",
     "Labels from 1 to n with the probabilities along the last dim of probs."},
    {"OneHotCategorical", nullptr, "torch.distributions.OneHotCategorical{probs or logits}",
     "Vectors with a 1 at the label that Categorical would give, and else 0."},
    {"Uniform", nullptr, "torch.distributions.Uniform(low, high)", "Numbers from low to high, all equally likely."},
    {"Exponential", nullptr, "torch.distributions.Exponential(rate)", "The density rate exp(-rate x) for x from 0."},
    {"Gamma", nullptr, "torch.distributions.Gamma(concentration, rate)",
     "The gamma distribution; its mean is concentration / rate."},
    {"Beta", nullptr, "torch.distributions.Beta(concentration1, concentration0)",
     "The beta distribution on 0 to 1; its mean is concentration1 / (concentration1 + concentration0)."},
    {"Dirichlet", nullptr, "torch.distributions.Dirichlet(concentration)",
     "Vectors of numbers from 0 whose sum is 1; the mean is concentration over its sum."},
    {"Laplace", nullptr, "torch.distributions.Laplace(loc, scale)", "The density exp(-|x - loc| / scale) / (2 scale)."},
    {"StudentT", nullptr, "torch.distributions.StudentT(df, loc = 0, scale = 1)",
     "Student's distribution of df degrees of freedom, times scale, plus loc."},
    {"Poisson", nullptr, "torch.distributions.Poisson(rate)", "Counts of mean rate."},
    {"Binomial", nullptr, "torch.distributions.Binomial(total_count = 1, {probs or logits})",
     "How many of total_count trials succeed, each with probability probs."},
    {"LogNormal", nullptr, "torch.distributions.LogNormal(loc, scale)",
     "Numbers whose logarithm is normal with mean loc and standard deviation scale."},
    {"Independent", nullptr, "torch.distributions.Independent(base_distribution, reinterpreted_batch_ndims)",
     "The same distribution with the last dims of batch_shape as part of the event: log_prob is summed over them."},
    {"TransformedDistribution", nullptr, "torch.distributions.TransformedDistribution(base_distribution, transforms)",
     "What transforms, one or a list, make of a sample of base_distribution."},
    {"ExpTransform", nullptr, "torch.distributions.ExpTransform()",
     "y = exp(x). A transform t has t(x), t.inv(y), t:log_abs_det_jacobian(x, y)."},
    {"PowerTransform", nullptr, "torch.distributions.PowerTransform(exponent)", "y = x ^ exponent, for x above 0."},
    {"SigmoidTransform", nullptr, "torch.distributions.SigmoidTransform()", "y = 1 / (1 + exp(-x))."},
    {"TanhTransform", nullptr, "torch.distributions.TanhTransform()", "y = tanh(x)."},
    {"SoftplusTransform", nullptr, "torch.distributions.SoftplusTransform()", "y = log(1 + exp(x))."},
    {"AbsTransform", nullptr, "torch.distributions.AbsTransform()", "y = |x|; it has no inverse but x = y."},
    {"AffineTransform", nullptr, "torch.distributions.AffineTransform(loc, scale, event_dim = 0)",
     "y = loc + scale * x. The last event_dim dims are one event."},
    {"SoftmaxTransform", nullptr, "torch.distributions.SoftmaxTransform()", "The softmax of the last dim."},
    {"ComposeTransform", nullptr, "torch.distributions.ComposeTransform(parts)", "One transform after the other."},
    {"kl_divergence", nullptr, "torch.distributions.kl_divergence(p, q)",
     "The mean of log p - log q under p, for distributions of one class and usual pairs of classes."},
    {"register_kl", nullptr, "torch.distributions.register_kl(type_p, type_q, f)",
     "Lets kl_divergence use f(p, q) for these two classes."},
};

// Tables by their paths, "" the globals, with the module and the rows of the functions that they get.
struct Library {
  std::string_view path;
  const char* module;
  std::span<const Row> rows;
};
constexpr Library libraries[] = {
    {"torch", "luth.torch.copies", copies},
    {"torch", "luth.torch.einops", einops},
    {"torch.Tensor", "luth.torch.einops", einops},
    {"torch.testing", "luth.torch.make_tensor", testing},
    {"torch.distributions", "luth.torch.distributions", distributions},
    {"torch.profiler", "luth.torch.profiler", profiler},
    {"torch.utils", "luth.torch.summary", summaries},
    {"torch.utils", "luth.torch.benchmark", clocks},
    {"torch.utils.benchmark", "luth.torch.benchmark", benchmark},
    {"torch.utils.tensorboard", "luth.torch.tensorboard", tensorboard},
    {"nn.init", "luth.torch.parameters", init},
    {"nn.utils", "luth.torch.parameters", utils},
    {"nn.utils", "luth.torch.norms_of_weights", norms_of_weights},
    {"nn.utils", "luth.torch.fuse", fuse},
    {"nn.utils.parametrize", "luth.torch.parametrize", parametrize},
    {"nn.utils.parametrizations", "luth.torch.parametrizations", parametrizations},
    {"nn.utils.prune", "luth.torch.prune", prune},
    {"data", "luth.data.samplers", samplers},
    {"data", "luth.data.collate", collation},
    {"data", "luth.data.streams", streams},
    {"data.transforms", "luth.data.batch_transforms", batch_transforms},
    {"", "luth.prompt.debugger", debugging},
};

// Pushes the table at a path; the last one is made where it is not there.
void push_table(lua_State* L, std::string_view path) {
  lua_pushglobaltable(L);
  while (!path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    luaL_getsubtable(L, -1, name.c_str());
    lua_remove(L, -2);
  }
}

void open_libraries(lua_State* L) {
  for (const Library& library : libraries) {
    push_table(L, library.path);
    add_library(L, -1, library.module, library.rows);
    lua_pop(L, 1);
  }
  push_table(L, "torch.profiler.ProfilerActivity");
  for (const char* name : {"CPU", "CUDA"}) {
    lua_pushstring(L, name);
    lua_setfield(L, -2, name);
  }
  lua_settop(L, 0);
}
const Open opener("luth.libraries", Open::extras + 10, open_libraries);

}  // namespace
}  // namespace luth::lang
