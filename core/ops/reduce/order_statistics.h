// Order statistics: median, kthvalue, mode, quantile, and those that pass over nan. See op.h for the recipe. nan counts
// as the largest where it is not passed over; of equal elements the first is picked.
#pragma once
#include "core/ops/reduce/reduce.h"

namespace luth::ops {

struct KthValue {
  static constexpr Doc doc{"kthvalue", "input", "The k-th smallest elements along a dim, and where they are.",
                           "values, indices"};
  static constexpr Traits traits{.saves = "input: indices, input.meta", .kernel_required = true};
  int64_t k = 1;  // 1: the smallest
  int64_t dim = -1;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) {
    field("k", k, "which: 1 is the smallest", as::required);
    describe_along_dim(field, dim, keepdim, base);
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const { return gradient_at_indices(c, dy[0], dim, keepdim, base); }
  static Cases<KthValue> samples();
};
/// Of an even number of elements the lower of the two in the middle, as PyTorch has it.
template <bool skip_nan>
struct MedianAlong {
  static constexpr Doc docs[] = {
      {"median.dim", "input",
       "The medians along a dim, and where they are; of an even number the lower of two; nan where one is nan.",
       "values, indices"},
      {"nanmedian.dim", "input", "The medians of what is not nan along a dim, and where they are.", "values, indices"}};
  static constexpr Doc doc = docs[skip_nan];
  static constexpr Traits traits{.saves = "input: indices, input.meta"};
  int64_t dim = 0;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) { describe_along_dim(field, dim, keepdim, base, as::dim | as::required); }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const { return gradient_at_indices(c, dy[0], dim, keepdim, base); }
  static Cases<MedianAlong> samples();
};
using MedianDim = MedianAlong<false>;
using NanMedianDim = MedianAlong<true>;
/// Of all elements. Equal ones share the gradient.
struct MedianAll {
  static constexpr Traits family{.saves = "input: input, result"}, traits = family;
  Tensors vjp(const Call& c, const Tensor& dy) const;
};
struct Median : MedianAll {
  static constexpr Doc doc{"median", "input", "The median of all elements; nan where one is nan."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Median> samples();
};
struct NanMedian : MedianAll {
  static constexpr Doc doc{"nanmedian", "input", "The median of all elements that are not nan."};
  Tensor decompose(const Inputs& in) const;
  static Cases<NanMedian> samples();
};

struct Mode {
  static constexpr Doc doc{"mode", "input",
                           "The elements that come most often along a dim, the smallest of them, and where the last "
                           "of these is.",
                           "values, indices"};
  int64_t dim = -1;
  bool keepdim = false;
  int base = 0;
  void describe(auto& field) { describe_along_dim(field, dim, keepdim, base); }
  Tensors decompose(const Inputs& in) const;
  static Cases<Mode> samples();
};

/// The attributes of quantiles.
struct Quantiles {
  std::optional<int64_t> dim;
  bool keepdim = false;
  std::string interpolation = "linear";
  void describe(auto& field) {
    field("dim", dim, "the dim to reduce; nil: all elements as one dim", as::dim);
    field("keepdim", keepdim, "keep the reduced dim with extent 1");
    field("interpolation", interpolation, "between two elements: 'linear', 'lower', 'higher', 'nearest' or 'midpoint'",
          as::named);
  }
  /// q: of no or one dim; a dim of q comes first in the result.
  Tensor find(const Tensor& input, const Tensor& q, bool skip_nan) const;
};
/// One quantile, whose q is a number.
struct OneQuantile : Quantiles {
  double q = 0;
  void describe(auto& field) {
    field("q", q, "which part of the elements lies below, from 0 to 1", as::required);
    Quantiles::describe(field);
  }
  Tensor find(const Tensor& input, bool skip_nan) const;
};
struct Quantile : OneQuantile {
  static constexpr Doc doc{"quantile", "input", "Where a part q of the elements lies below, along a dim or of all."};
  Tensor decompose(const Inputs& in) const { return find(in[0], false); }
  static Cases<Quantile> samples();
};
struct NanQuantile : OneQuantile {
  static constexpr Doc doc{"nanquantile", "input", "Quantile of what is not nan."};
  Tensor decompose(const Inputs& in) const { return find(in[0], true); }
  static Cases<NanQuantile> samples();
};
/// Several, whose q is a tensor of input's dtype.
struct QuantilesOf : Quantiles {
  Tensor find(const Inputs& in, bool skip_nan) const;
};
struct QuantileTensor : QuantilesOf {
  static constexpr Doc doc{"quantile.tensor", "input, q", "Several quantiles at once: a first dim of the result."};
  Tensor decompose(const Inputs& in) const { return find(in, false); }
  static Cases<QuantileTensor> samples();
};
struct NanQuantileTensor : QuantilesOf {
  static constexpr Doc doc{"nanquantile.tensor", "input, q", "Several quantiles at once of what is not nan."};
  Tensor decompose(const Inputs& in) const { return find(in, true); }
  static Cases<NanQuantileTensor> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::KthValue> kthvalue;
inline constexpr Fn<ops::MedianDim> median_dim;
inline constexpr Fn<ops::NanMedianDim> nanmedian_dim;
inline constexpr Fn<ops::Median> median;
inline constexpr Fn<ops::NanMedian> nanmedian;
inline constexpr Fn<ops::Mode> mode;
inline constexpr Fn<ops::Quantile> quantile;
inline constexpr Fn<ops::QuantileTensor> quantiles;
}  // namespace luth
