// The largest and smallest elements so far along a dim, and the logarithm of the sum of exponentials. See op.h for the
// recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// The largest or smallest element so far, and where it is: of equal ones the last; nan stays.
template <bool largest>
struct CumExtremum {
  static constexpr Doc docs[] = {
      {"cummin", "input", "The smallest element so far along a dim, and where the last such one is.",
       "values, indices"},
      {"cummax", "input", "The largest element so far along a dim, and where the last such one is.",
       "values, indices"}};
  static constexpr Doc doc = docs[largest];
  static constexpr Traits traits{.saves = "input: indices, input.meta", .kernel_required = true};
  int64_t dim = 0;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to go along", as::dim | as::required);
    field("base", base, "from where indices count", as::base);
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<CumExtremum> samples();
};
using Cummax = CumExtremum<true>;
using Cummin = CumExtremum<false>;
struct LogCumsumExp {
  static constexpr Doc doc{"logcumsumexp", "input", "The logarithm of the sum of the exponentials so far along a dim."};
  static constexpr Traits traits{.saves = "input: input, result", .autocast = Autocast::f32, .kernel_required = true};
  int64_t dim = 0;
  bool backwards = false;  // from the end, for the gradient
  void describe(auto& field) {
    field("dim", dim, "the dim to sum along", as::dim | as::required);
    field("backwards", backwards, "sum from the end", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<LogCumsumExp> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Cummax> cummax;
inline constexpr Fn<ops::Cummin> cummin;
inline constexpr Fn<ops::LogCumsumExp> logcumsumexp;
}  // namespace luth
