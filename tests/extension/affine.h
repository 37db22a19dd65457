// An operator of a library: y = a x + b.
#pragma once
#include "core/op/define.h"

namespace mine {

struct Affine {
  static constexpr luth::Doc doc{"mine::affine", "input", "a times input, plus b; of float32 and float64."};
  static constexpr luth::Traits traits{.inplace = luth::Inplace::also};
  double a = 1, b = 0;
  void describe(auto& field) {
    field("a", a, "the factor");
    field("b", b, "the summand");
  }
  luth::Spec infer(const luth::Inputs& in) const;
  luth::Tensors vjp(const luth::Call& c, const luth::Tensor& dy) const;
  static luth::Cases<Affine> samples() { return {{{}, {{3, 4}}}, {{.a = 2, .b = -1}, {{5}}}, {{.a = 0.5}, {{}}}}; }
};
inline constexpr luth::Fn<Affine> affine;

}  // namespace mine
