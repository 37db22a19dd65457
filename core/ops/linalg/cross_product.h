// Cross products of two tensors of one shape and dtype, along a dim of 3 elements. See op.h for the recipe.
#pragma once
#include <cmath>

#include "core/op/define.h"

namespace luth::ops {

/// a b - c d, and 0 where both products are the same numbers. Products of float are exact in double; those of double
/// are corrected by what rounding took away (W. Kahan).
template <class T>
LUTH_HD T difference_of_products(T a, T b, T c, T d) {
  if constexpr (std::is_same_v<T, double>) {
    const T second = c * d, rest = std::fma(-c, d, second), first = std::fma(a, b, -second);
    return rest - rest == 0 ? first + rest : first;  // finite
  } else if constexpr (std::is_same_v<T, float>) {
    return T(double(a) * double(b) - double(c) * double(d));
  } else {
    return T(uint64_t(a) * uint64_t(b) - uint64_t(c) * uint64_t(d));
  }
}

struct CrossProduct {
  static constexpr Doc doc{"cross.vectors", "input, other", "The cross products of vectors of 3 elements along a dim."};
  static constexpr Traits traits{.saves = "input: other; other: input", .internal = true};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim of the vectors", as::dim); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<CrossProduct> samples() { return {{{}, {{4, 3}, {4, 3}}}, {{1}, {{2, 3, 2}, {2, 3, 2}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::CrossProduct> cross_product;
}  // namespace luth
