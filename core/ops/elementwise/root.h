// The root of what is at least 0 but for rounding. See with_backward.h for the recipe.
#pragma once
#include "core/ops/elementwise/with_backward.h"

namespace luth::ops {

// clang-format off
/// Of sums of squares that cancellation may have left below 0.
struct SafeRoot : WithBackward<SafeRoot> {
  static constexpr Doc doc{"safe_root", "input", "The square root, and 0 below 0; its gradient is 0 where it is."};
  static constexpr Traits traits = family.with({.internal = true, .inplace = Inplace::none});
  static constexpr std::string_view backward = "safe_root_backward";
  template <class T> LUTH_HD T f(T x) const { return x <= T(0) ? T(0) : math::sqrt(x); }
  template <class T> LUTH_HD T grad(T dy, T x) const { return x <= T(0) ? T(0) : dy / (T(2) * math::sqrt(x)); }
  Tensor bend(const Value& x) const;
  static Cases<SafeRoot> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{}, {{3, 4}}, -2, -0.2}, {{}, {{}}}}; }
};
// clang-format on

using RootOps = Concatenated<Types<SafeRoot>, BackwardsOf<Types<SafeRoot>>>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::SafeRoot> safe_root;
}  // namespace luth
