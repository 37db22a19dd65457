// Softmax and its kin: exponentials along a dim, scaled, in logarithms, or summed. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// The result of softmax and its like: input's shape, in `dtype` or input's dtype. Throws for a dtype that is not
/// floating, unless there are no elements, as PyTorch does.
Spec softmax_spec(const Inputs& in, int64_t dim, const std::optional<Dtype>& dtype);
struct Softmax {
  static constexpr Doc doc{"softmax", "input", "Exponentials along a dim, scaled to sum to one."};
  static constexpr Traits traits{
      .saves = "input: result", .aliases = "special.softmax", .autocast = Autocast::f32, .kernel_required = true};
  int64_t dim = -1;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("dim", dim, "the dim that sums to one", as::dim | as::required);
    field("dtype", dtype, "convert to this dtype first");
  }
  Spec infer(const Inputs& in) const { return softmax_spec(in, dim, dtype); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Softmax> samples();
};
struct LogSoftmax {
  static constexpr Doc doc{"log_softmax", "input", "The logarithm of softmax, computed without underflow."};
  static constexpr Traits traits{
      .saves = "input: result", .aliases = "special.log_softmax", .autocast = Autocast::f32, .kernel_required = true};
  int64_t dim = -1;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("dim", dim, "the dim that sums to one", as::dim | as::required);
    field("dtype", dtype, "convert to this dtype first");
  }
  Spec infer(const Inputs& in) const { return softmax_spec(in, dim, dtype); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogSoftmax> samples();
};
struct Softmin {
  static constexpr Doc doc{"softmin", "input", "Softmax of the negated input."};
  static constexpr Traits traits{.offered = Offered::functional, .autocast = Autocast::f32};
  int64_t dim = -1;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("dim", dim, "the dim that sums to one", as::dim | as::required);
    field("dtype", dtype, "convert to this dtype first");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Softmin> samples();
};

struct SoftmaxBackward {
  static constexpr Doc doc{"softmax_backward", "grad, result", "result * (grad - sum(grad * result))", "input_grad"};
  static constexpr Traits traits{.saves = "*: grad, result", .internal = true, .kernel_required = true};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim of the softmax", as::dim); }
  Spec infer(const Inputs& in) const { return {in[1].shape(), in[1].dtype()}; }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<SoftmaxBackward> samples();
};
struct LogSoftmaxBackward {
  static constexpr Doc doc{"log_softmax_backward", "grad, result", "grad - exp(result) * sum(grad)", "input_grad"};
  static constexpr Traits traits{.saves = "*: grad, result", .internal = true, .kernel_required = true};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim of the softmax", as::dim); }
  Spec infer(const Inputs& in) const { return {in[1].shape(), in[1].dtype()}; }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogSoftmaxBackward> samples();
};

struct LogSumExp {
  static constexpr Doc doc{"logsumexp", "input", "The logarithm of the sum of exponentials over dims."};
  static constexpr Traits traits{.saves = "input: input, result",
                                 .aliases = "special.logsumexp",
                                 .promote = Promote::floating,
                                 .autocast = Autocast::f32,
                                 .casts_out = true};
  Ints dim;
  bool keepdim = false;
  void describe(auto& field) {
    field("dim", dim, "the dim or dims to reduce", as::dim | as::required);
    field("keepdim", keepdim, "keep reduced dims with extent 1");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogSumExp> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Softmax> softmax;
inline constexpr Fn<ops::LogSoftmax> log_softmax;
inline constexpr Fn<ops::SoftmaxBackward> softmax_backward;
inline constexpr Fn<ops::LogSoftmaxBackward> log_softmax_backward;
inline constexpr Fn<ops::LogSumExp> logsumexp;
}  // namespace luth
