// Functions of PyTorch that are written in Lua (share/luth), read when they are first called.
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

// Pushes the table torch.<a>.<b>, or torch itself.
void push_table(lua_State* L, const char* a = nullptr, const char* b = nullptr) {
  lua_getglobal(L, "torch");
  for (const char* name : {a, b})
    if (name) {
      lua_getfield(L, -1, name);
      lua_remove(L, -2);
    }
}

void open_libraries(lua_State* L) {
  push_table(L);
  add_library(L, -1, "luth.torch.copies", copies);
  add_library(L, -1, "luth.torch.einops", einops);
  push_table(L, "Tensor");
  add_library(L, -1, "luth.torch.einops", einops);
  push_table(L, "nn", "utils");
  add_library(L, -1, "luth.torch.parameters", utils);
  push_table(L, "nn", "init");
  add_library(L, -1, "luth.torch.parameters", init);
  push_table(L, "testing");
  add_library(L, -1, "luth.torch.make_tensor", testing);
  push_table(L);
  luaL_getsubtable(L, -1, "distributions");
  add_library(L, -1, "luth.torch.distributions", distributions);
  document(L, -1, "torch.distributions\n  Probability distributions, maps of them, and their divergences.");
  lua_settop(L, 0);
}
const Open opener("luth.libraries", Open::extras + 10, open_libraries);

}  // namespace
}  // namespace luth::lang
