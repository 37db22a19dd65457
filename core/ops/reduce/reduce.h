// Reductions over all, one or several dims. See op.h for the recipe.
#pragma once
#include "core/op/basics.h"
#include "core/op/define.h"

namespace luth::ops {

/// The dims of a reduction, counted from 0; none given: all.
struct Dims : std::optional<Ints> {
  Dims() = default;
  Dims(std::initializer_list<int64_t> dims) : optional(Ints(dims)) {}
  Dims(const std::optional<Ints>& dims) : optional(dims) {}
  Dims(const Ints& dims) : optional(dims) {}
  uint32_t mask(int n) const { return dim_mask(value_or(Ints()), n); }
  uint32_t mask(const Tensor& t) const { return mask(t.dim()); }
  /// How many elements of `shape` go into one of the result.
  int64_t count(const Shape& shape) const;
  /// The shape after reduction.
  Shape reduced(const Tensor& t, bool keepdim) const;
  /// y of reduced() back to a view of `shape` with the reduced dims expanded.
  Tensor expanded(const Tensor& y, const Shape& shape, bool keepdim) const;
};
void describe_dim(auto& field, Dims& dim) {
  field("dim", static_cast<std::optional<Ints>&>(dim), "the dim or dims to reduce; all of them where nil", as::dim);
}
void describe_keepdim(auto& field, bool& keepdim) { field("keepdim", keepdim, "keep reduced dims with extent 1"); }
void describe_dims(auto& field, Dims& dim, bool& keepdim) {
  describe_dim(field, dim);
  describe_keepdim(field, keepdim);
}
void describe_dtype(auto& field, std::optional<Dtype>& dtype) {
  field("dtype", dtype, "convert to this dtype first", as::named);
}

struct Sum {
  static constexpr Doc doc{"sum", "input", "Sum over dims; integers and bool accumulate in int64."};
  static constexpr Traits traits{.saves = "input: input.meta", .autocast = Autocast::f32, .casts_out = true};
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sum> samples();
};
/// It has a gradient of its own, so that the graph names it.
struct SumToSize {
  static constexpr Doc doc{"sum_to_size", "input", "Sums over the dims along which `size` would be broadcast."};
  static constexpr Traits traits{.offered = Offered::method};
  Ints size;
  void describe(auto& field) { field("size", size, "the shape of the result", as::sizes | as::required); }
  Tensor decompose(const Inputs& in) const;
  static Cases<SumToSize> samples() {
    return {{{{{1, 3}}}, {{2, 3}}}, {{{3}}, {{2, 3}}}, {{{}}, {{2}}}, {{{2}}, {{2}}}};
  }
};
struct Mean {
  static constexpr Doc doc{"mean", "input", "Mean over dims."};
  static constexpr Traits traits{.saves = "input: input.meta", .casts_out = true};
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<Mean> samples();
};
struct Prod {
  static constexpr Doc doc{"prod", "input", "Product over all elements or along one dim."};
  static constexpr Traits traits{.saves = "input: input, result", .autocast = Autocast::f32, .casts_out = true};
  std::optional<int64_t> dim;
  bool keepdim = false;
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce; all where nil", as::dim);
    field("keepdim", keepdim, "keep the reduced dim with extent 1");
    describe_dtype(field, dtype);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Prod> samples();
};

/// Largest or smallest elements over dims; ties share the gradient.
template <bool largest>
struct Extremum {
  static constexpr Doc docs[] = {
      {"amin", "input", "The smallest element over dims; where several are, they share the gradient."},
      {"amax", "input", "The largest element over dims; where several are, they share the gradient."}};
  static constexpr Doc doc = docs[largest];
  static constexpr Traits traits{.saves = "input: input, result"};
  Dims dim;
  bool keepdim = false;
  void describe(auto& field) { describe_dims(field, dim, keepdim); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Extremum> samples();
};
using Amax = Extremum<true>;
using Amin = Extremum<false>;
struct MaxAll {
  static constexpr Doc doc{"max", "input", "The largest element of all."};
  Tensor decompose(const Inputs& in) const;
  static Cases<MaxAll> samples() { return {{{}, {{3, 4}}}, {{}, {{}}}}; }
};
struct MinAll {
  static constexpr Doc doc{"min", "input", "The smallest element of all."};
  Tensor decompose(const Inputs& in) const;
  static Cases<MinAll> samples() { return {{{}, {{3, 4}}}, {{}, {{}}}}; }
};
struct MaxOther {
  static constexpr Doc doc{"max.other", "input, other", "The larger of each pair; as maximum."};
  Tensor decompose(const Inputs& in) const;
  static Cases<MaxOther> samples() { return {{{}, {{3, 4}, {4}}}}; }
};
struct MinOther {
  static constexpr Doc doc{"min.other", "input, other", "The smaller of each pair; as minimum."};
  Tensor decompose(const Inputs& in) const;
  static Cases<MinOther> samples() { return {{{}, {{3, 4}, {4}}}}; }
};

// Operators whose results are elements along one dim and their positions: attributes, results and gradient.
void describe_along_dim(auto& field, int64_t& dim, bool& keepdim, int& base, unsigned dim_as = as::dim) {
  field("dim", dim, "the dim to reduce", dim_as);
  field("keepdim", keepdim, "keep the reduced dim with extent 1");
  field("base", base, "from where indices count", as::base);
}
Specs values_and_indices(const Tensor& t, int64_t dim, bool keepdim);
Tensors gradient_at_indices(const Call& c, const Tensor& dy, int64_t dim, bool keepdim, int base);

template <bool largest>
struct ExtremumDim {
  static constexpr Doc docs[] = {
      {"min.dim", "input", "The smallest elements along a dim, and where the first of them are.", "values, indices"},
      {"max.dim", "input", "The largest elements along a dim, and where the first of them are.", "values, indices"}};
  static constexpr Doc doc = docs[largest];
  static constexpr Traits traits{.saves = "input: indices, input.meta"};
  int64_t dim = 0;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) { describe_along_dim(field, dim, keepdim, base, as::dim | as::required); }
  Specs infer(const Inputs& in) const { return values_and_indices(in[0], dim, keepdim); }
  Tensors vjp(const Call& c, const Tensors& dy) const { return gradient_at_indices(c, dy[0], dim, keepdim, base); }
  static Cases<ExtremumDim> samples();
};
using MaxDim = ExtremumDim<true>;
using MinDim = ExtremumDim<false>;

template <bool largest>
struct ArgExtremum {
  static constexpr Doc docs[] = {{"argmin", "input", "Where the first smallest element is."},
                                 {"argmax", "input", "Where the first largest element is."}};
  static constexpr Doc doc = docs[largest];
  static constexpr Traits traits{.not_differentiable = "its result is a position"};
  std::optional<int64_t> dim{};
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce; nil: the position in the flattened tensor", as::dim);
    field("keepdim", keepdim, "keep the reduced dim with extent 1");
    field("base", base, "from where indices count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ArgExtremum> samples();
};
using Argmax = ArgExtremum<true>;
using Argmin = ArgExtremum<false>;

void describe_variance(auto& field, Dims& dim, std::optional<bool>& unbiased, bool& keepdim,
                       std::optional<Scalar>& correction) {
  describe_dim(field, dim);
  field("unbiased", unbiased, "false: the same as correction 0");
  describe_keepdim(field, keepdim);
  field("correction", correction, "subtracted from the number of elements; nil: 1", as::named);
}
/// The variance, or its root.
template <bool root>
struct Variance {
  static constexpr Doc docs[] = {
      {"var", "input", "Variance over dims: squared distances from the mean over n - correction."},
      {"std", "input", "Standard deviation over dims: the square root of var."}};
  static constexpr Doc doc = docs[root];
  static constexpr Traits traits{.saves = root ? "input: input, result" : "input: input", .casts_out = true};
  Dims dim;
  std::optional<bool> unbiased{};
  bool keepdim = false;
  std::optional<Scalar> correction{};
  void describe(auto& field) { describe_variance(field, dim, unbiased, keepdim, correction); }
  double divisor(const Tensor& t) const;  // n - correction, at least 0
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Variance> samples();
};
using Var = Variance<false>;
using Std = Variance<true>;
struct Norm {
  static constexpr Doc doc{"norm", "input",
                           "The p-norm over dims: the p-th root of the sum of |x|^p; inf: the largest |x|."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Scalar p = 2;
  Dims dim;
  bool keepdim = false;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("p", p, "the exponent; 2 is the Euclidean norm");
    describe_dims(field, dim, keepdim);
    describe_dtype(field, dtype);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Norm> samples();
};

struct EuclideanNorm {
  static constexpr Doc doc{"euclidean_norm", "input", "The square root of the sum of squares over dims."};
  static constexpr Traits traits{.saves = "input: input, result", .internal = true, .autocast = Autocast::f32};
  Dims dim;
  bool keepdim = false;
  void describe(auto& field) { describe_dims(field, dim, keepdim); }
  Spec infer(const Inputs& in) const { return {dim.reduced(in[0], keepdim), in[0].dtype()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<EuclideanNorm> samples();
};

/// Whether all elements are not 0, or any.
template <bool every>
struct Truth {
  static constexpr Doc docs[] = {{"any.dim", "input", "Whether some element is not 0, over dims."},
                                 {"all.dim", "input", "Whether all elements are not 0, over dims."}};
  static constexpr Doc doc = docs[every];
  static constexpr Traits traits{.not_differentiable = "its result is a truth value", .casts_out = true};
  Dims dim;
  bool keepdim = false;
  void describe(auto& field) { describe_dims(field, dim, keepdim); }
  Spec infer(const Inputs& in) const;
  static Cases<Truth> samples();
};
using AllDims = Truth<true>;
using AnyDims = Truth<false>;
struct All {
  static constexpr Doc doc{"all", "input", "Whether all elements are not 0."};
  static constexpr Traits traits{.not_differentiable = "its result is a truth value", .answers = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<All> samples() { return {{{}, {{2, 3}}}, {{}, {{0}}}}; }
};
struct Any {
  static constexpr Doc doc{"any", "input", "Whether some element is not 0."};
  static constexpr Traits traits{.not_differentiable = "its result is a truth value", .answers = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<Any> samples() { return {{{}, {{2, 3}}}, {{}, {{0}}}}; }
};

struct Equal {
  static constexpr Doc doc{"equal", "input, other", "Whether shapes and all elements are the same."};
  static constexpr Traits traits{.not_differentiable = "its result is a truth value", .answers = true};
  Tensor decompose(const Inputs& in) const;
  static Cases<Equal> samples() { return {{{}, {{2, 3}, {2, 3}}}}; }
};
struct Allclose {
  static constexpr Doc doc{"allclose", "input, other", "Whether |input - other| <= atol + rtol |other| everywhere."};
  static constexpr Traits traits{.not_differentiable = "its result is a truth value", .answers = true};
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
  void describe(auto& field) {
    field("rtol", rtol, "relative tolerance");
    field("atol", atol, "absolute tolerance");
    field("equal_nan", equal_nan, "count nan as equal to nan");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Allclose> samples() {
    return {{{}, {{2, 3}, {2, 3}}}, {{.rtol = 10, .atol = 1, .equal_nan = true}, {{3}, {3}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Sum> sum;
inline constexpr Fn<ops::Mean> mean;
inline constexpr Fn<ops::Prod> prod;
inline constexpr Fn<ops::Amax> amax;
inline constexpr Fn<ops::Amin> amin;
inline constexpr Fn<ops::MaxDim> max_dim;
inline constexpr Fn<ops::MinDim> min_dim;
inline constexpr Fn<ops::Argmax> argmax;
inline constexpr Fn<ops::Argmin> argmin;
inline constexpr Fn<ops::Var> var;
inline constexpr Fn<ops::Std> stddev;
inline constexpr Fn<ops::Norm> norm;
inline constexpr Fn<ops::EuclideanNorm> euclidean_norm;
inline constexpr Fn<ops::AllDims> all_dims;
inline constexpr Fn<ops::AnyDims> any_dims;
inline constexpr Fn<ops::All> all;
inline constexpr Fn<ops::Any> any;
inline constexpr Fn<ops::Equal> equal;
}  // namespace luth
