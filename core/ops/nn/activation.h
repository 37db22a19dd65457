// Activations that are made of others: prelu, rrelu, glu. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

// clang-format off
/// weight: one number, or one for each channel (dim 1).
struct Prelu {
  static constexpr Doc doc{"prelu", "input, weight", "Each element, times weight where it is negative; one weight, or one per channel."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Prelu> samples() { return {{{}, {{2, 3, 4}, {3}}, 0.2, 2}, {{}, {{3}, {1}}, -2, -0.2}, {{}, {{}, {}}, -2, -0.2}}; }
};
/// Random slopes in training, their mean otherwise. Xu et al., "Empirical evaluation of rectified activations", 2015.
struct Rrelu {
  static constexpr Doc doc{"rrelu", "input", "Each element, times a slope from [lower, upper] where it is negative."};
  static constexpr Traits traits{.offered = Offered::function, .inplace = Inplace::also};
  double low = 1.0 / 8, high = 1.0 / 3;
  bool training = false;
  void describe(auto& field) {
    field("lower", low, "the least slope");
    field("upper", high, "the greatest slope");
    field("training", training, "draw a slope for each element; otherwise all take the mean");
  }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<Rrelu> samples() { return {{{}, {{3, 4}}, 0.2, 2}, {{.low = 0.1, .high = 0.4}, {{3}}, -2, -0.2}}; }
};
struct Glu {
  static constexpr Doc doc{"glu", "input", "The first half along a dim times the sigmoid of the second."};
  static constexpr Traits traits{.offered = Offered::functional};
  int64_t dim = -1;
  void describe(auto& field) { field("dim", dim, "the dim that is halved", as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Glu> samples() { return {{{}, {{3, 4}}}, {{.dim = 0}, {{4, 3}}}, {{.dim = 1}, {{2, 2, 3}}}}; }
};
// clang-format on

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Prelu> prelu;
inline constexpr Fn<ops::Rrelu> rrelu;
inline constexpr Fn<ops::Glu> glu;
}  // namespace luth
