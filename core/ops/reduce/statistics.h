// Statistics made of reductions: counts, sums without nan, spread with mean, covariance. See op.h for the recipe.
#pragma once
#include "core/ops/reduce/reduce.h"

namespace luth::ops {

struct NonzeroCounts {
  static constexpr Doc doc{"count_nonzero", "input", "How many elements are not 0, over dims."};
  static constexpr Traits traits{.not_differentiable = "its result is a count"};
  std::optional<Ints> dim;
  void describe(auto& field) { field("dim", dim, "the dim or dims to count over; all of them where nil", as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<NonzeroCounts> samples();
};

/// The sum of a floating tensor's elements that are not nan.
struct SumOfNumbers {
  static constexpr Doc doc{"nansum.floating", "input",
                           "Sum over dims of the elements of a floating tensor that are not nan."};
  static constexpr Traits traits{.saves = "input: input", .internal = true};
  Dims dim;
  bool keepdim = false;
  void describe(auto& field) { describe_dims(field, dim, keepdim); }
  Spec infer(const Inputs& in) const { return {dim.reduced(in[0], keepdim), in[0].dtype()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<SumOfNumbers> samples();
};
struct NanSum {
  static constexpr Doc doc{"nansum", "input", "Sum over dims of what is not nan; integers and bool as sum."};
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NanSum> samples();
};
struct NanMean {
  static constexpr Doc doc{"nanmean", "input", "Mean over dims of what is not nan; nan where all are."};
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NanMean> samples();
};

/// The variance or its root, and the mean.
template <bool root>
struct VarianceMean {
  static constexpr Doc docs[] = {{"var_mean", "input", "Variance and mean over dims.", "var, mean"},
                                 {"std_mean", "input", "Standard deviation and mean over dims.", "std, mean"}};
  static constexpr Doc doc = docs[root];
  static constexpr Traits traits{.offered = Offered::function};
  Dims dim;
  std::optional<bool> unbiased{};
  bool keepdim = false;
  std::optional<Scalar> correction{};
  void describe(auto& field) { describe_variance(field, dim, unbiased, keepdim, correction); }
  Tensors decompose(const Inputs& in) const;
  static Cases<VarianceMean> samples();
};
using StdMean = VarianceMean<true>;
using VarMean = VarianceMean<false>;

/// PyTorch's form with that one argument, for all elements.
struct Unbiased {
  bool unbiased = true;
  void describe(auto& field) {
    field("unbiased", unbiased, "divide by the number of elements less 1; false: by their number", as::required);
  }
};
struct StdUnbiased : Unbiased {
  static constexpr Doc doc{"std.unbiased", "input", "The standard deviation of all elements."};
  Tensor decompose(const Inputs& in) const;
  static Cases<StdUnbiased> samples() { return {{{false}, {{3, 4}}}}; }
};
struct VarUnbiased : Unbiased {
  static constexpr Doc doc{"var.unbiased", "input", "The variance of all elements."};
  Tensor decompose(const Inputs& in) const;
  static Cases<VarUnbiased> samples() { return {{{false}, {{3, 4}}}}; }
};
struct StdMeanUnbiased : Unbiased {
  static constexpr Doc doc{"std_mean.unbiased", "input", "Standard deviation and mean of all elements.", "std, mean"};
  static constexpr Traits traits{.offered = Offered::function};
  Tensors decompose(const Inputs& in) const;
  static Cases<StdMeanUnbiased> samples() { return {{{false}, {{3, 4}}}}; }
};
struct VarMeanUnbiased : Unbiased {
  static constexpr Doc doc{"var_mean.unbiased", "input", "Variance and mean of all elements.", "var, mean"};
  static constexpr Traits traits{.offered = Offered::function};
  Tensors decompose(const Inputs& in) const;
  static Cases<VarMeanUnbiased> samples() { return {{{false}, {{3, 4}}}}; }
};

struct Aminmax {
  static constexpr Doc doc{"aminmax", "input", "The smallest and the largest element, of all or along a dim.",
                           "min, max"};
  std::optional<int64_t> dim;
  bool keepdim = false;
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce; all where nil", as::dim | as::named);
    field("keepdim", keepdim, "keep the reduced dim with extent 1", as::named);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Aminmax> samples() {
    return {{{}, {{3, 4}}}, {{1, false}, {{3, 4}}}, {{0, true}, {{3, 4}}}, {{}, {{}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::NonzeroCounts> count_nonzero;
inline constexpr Fn<ops::SumOfNumbers> sum_of_numbers;
inline constexpr Fn<ops::NanSum> nansum;
inline constexpr Fn<ops::NanMean> nanmean;
inline constexpr Fn<ops::StdMean> std_mean;
inline constexpr Fn<ops::VarMean> var_mean;
inline constexpr Fn<ops::Aminmax> aminmax;
}  // namespace luth
