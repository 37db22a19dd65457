// Reductions over all, one or several dims. See op.h for the recipe.
#pragma once
#include "core/op/basics.h"
#include "core/op/define.h"

namespace luth::ops {

/// The attributes of a reduction over several dims. C++ counts dims from 0; none given: all.
struct Dims {
  std::optional<Ints> dim;
  bool keepdim = false;
  void describe_dims(auto& field) {
    field("dim", dim, "the dim or dims to reduce; all of them where nil", as::dim);
    field("keepdim", keepdim, "keep reduced dims with extent 1");
  }
  /// How many elements of `shape` go into one of the result.
  int64_t count(const Shape& shape) const;
  uint32_t mask(const Tensor& t) const { return dim_mask(dim.value_or(Ints()), t.dim()); }
  /// The shape after reduction.
  Shape reduced(const Tensor& t) const;
  /// y of reduced() back to a view of t's shape with the reduced dims expanded.
  Tensor expanded(const Tensor& y, const Shape& shape) const;
};

struct Sum : Dims {
  static constexpr Doc doc{"sum", "input", "Sum over dims; integers and bool accumulate in int64."};
  static constexpr Traits traits{.saves = "input: input.meta", .autocast = Autocast::f32, .casts_out = true};
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    describe_dims(field);
    field("dtype", dtype, "convert to this dtype first", as::named);
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
struct Mean : Dims {
  static constexpr Doc doc{"mean", "input", "Mean over dims."};
  static constexpr Traits traits{.saves = "input: input.meta", .casts_out = true};
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    describe_dims(field);
    field("dtype", dtype, "convert to this dtype first", as::named);
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
    field("dtype", dtype, "convert to this dtype first", as::named);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Prod> samples();
};

/// Largest or smallest elements over dims; ties share the gradient.
struct Extremum : Dims {
  static constexpr Traits family{.saves = "input: input, result"}, traits = family;
  void describe(auto& field) { describe_dims(field); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
};
struct Amax : Extremum {
  static constexpr Doc doc{"amax", "input",
                           "The largest element over dims; where several are, they share the gradient."};
  static Cases<Amax> samples();
};
struct Amin : Extremum {
  static constexpr Doc doc{"amin", "input",
                           "The smallest element over dims; where several are, they share the gradient."};
  static Cases<Amin> samples();
};
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

/// Values and their first positions along one dim.
struct AlongDim {
  static constexpr Traits family{.saves = "input: indices, input.meta"}, traits = family;
  int64_t dim = 0;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce", as::dim | as::required);
    field("keepdim", keepdim, "keep the reduced dim with extent 1");
    field("base", base, "from where indices count", as::base);
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
};
struct MaxDim : AlongDim {
  static constexpr Doc doc{"max.dim", "input", "The largest elements along a dim, and where the first of them are.",
                           "values, indices"};
  static Cases<MaxDim> samples();
};
struct MinDim : AlongDim {
  static constexpr Doc doc{"min.dim", "input", "The smallest elements along a dim, and where the first of them are.",
                           "values, indices"};
  static Cases<MinDim> samples();
};

struct ArgExtremum {
  static constexpr Traits family{.not_differentiable = "its result is a position"}, traits = family;
  std::optional<int64_t> dim;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce; nil: the position in the flattened tensor", as::dim);
    field("keepdim", keepdim, "keep the reduced dim with extent 1");
    field("base", base, "from where indices count", as::base);
  }
  Tensor find(const Tensor& t, bool largest) const;
};
struct Argmax : ArgExtremum {
  static constexpr Doc doc{"argmax", "input", "Where the first largest element is."};
  Tensor decompose(const Inputs& in) const { return find(in[0], true); }
  static Cases<Argmax> samples();
};
struct Argmin : ArgExtremum {
  static constexpr Doc doc{"argmin", "input", "Where the first smallest element is."};
  Tensor decompose(const Inputs& in) const { return find(in[0], false); }
  static Cases<Argmin> samples();
};

struct Var : Dims {
  static constexpr Doc doc{"var", "input", "Variance over dims: squared distances from the mean over n - correction."};
  static constexpr Traits traits{.saves = "input: input", .casts_out = true};
  std::optional<bool> unbiased;
  std::optional<Scalar> correction;
  void describe(auto& field) {
    field("dim", dim, "the dim or dims to reduce; all of them where nil", as::dim);
    field("unbiased", unbiased, "false: the same as correction 0");
    field("keepdim", keepdim, "keep reduced dims with extent 1");
    field("correction", correction, "subtracted from the number of elements; nil: 1", as::named);
  }
  double divisor(const Tensor& t) const;  // n - correction, at least 0
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Var> samples();
};
struct Std : Var {
  static constexpr Doc doc{"std", "input", "Standard deviation over dims: the square root of var."};
  static constexpr Traits traits{.saves = "input: input, result", .casts_out = true};
  Spec infer(const Inputs& in) const { return Var::infer(in); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Std> samples();
};
struct Norm : Dims {
  static constexpr Doc doc{"norm", "input",
                           "The p-norm over dims: the p-th root of the sum of |x|^p; inf: the largest |x|."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Scalar p = 2;
  std::optional<Dtype> dtype;
  void describe(auto& field) {
    field("p", p, "the exponent; 2 is the Euclidean norm");
    describe_dims(field);
    field("dtype", dtype, "convert to this dtype first", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Norm> samples();
};

struct EuclideanNorm : Dims {
  static constexpr Doc doc{"euclidean_norm", "input", "The square root of the sum of squares over dims."};
  static constexpr Traits traits{.saves = "input: input, result", .internal = true, .autocast = Autocast::f32};
  void describe(auto& field) { describe_dims(field); }
  Spec infer(const Inputs& in) const { return {reduced(in[0]), in[0].dtype()}; }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<EuclideanNorm> samples();
};

struct Truth : Dims {
  static constexpr Traits family{.not_differentiable = "its result is a truth value"}, traits = family;
  void describe(auto& field) { describe_dims(field); }
  Spec infer(const Inputs& in) const;
};
struct AllDims : Truth {
  static constexpr Doc doc{"all.dim", "input", "Whether all elements are not 0, over dims."};
  static constexpr Traits traits = family.with({.casts_out = true});
  static Cases<AllDims> samples();
};
struct AnyDims : Truth {
  static constexpr Doc doc{"any.dim", "input", "Whether some element is not 0, over dims."};
  static constexpr Traits traits = family.with({.casts_out = true});
  static Cases<AnyDims> samples();
};
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

/// The attributes of a sum over `dims`.
ops::Sum over(const Ints& dims, bool keepdim = false);
}  // namespace luth
