// Dividing by a norm: of vectors, of neighbouring channels, of slices that are too long. See op.h for the recipe;
// written in other operators.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Normalize {
  static constexpr Doc doc{"normalize", "input",
                           "Vectors along a dim over their p-norm, which counts as eps below it."};
  static constexpr Traits traits{.offered = Offered::functional};
  double p = 2;
  Ints dim{1};
  double eps = 1e-12;
  void describe(auto& field) {
    field("p", p, "the exponent of the norm");
    field("dim", dim, "the dim or dims that hold a vector", as::dim);
    field("eps", eps, "the least to divide by");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Normalize> samples();
};
/// input: N x C x …; over (k + alpha * the mean of squares of `size` neighbouring channels)^beta.
struct LocalResponseNorm {
  static constexpr Doc doc{"local_response_norm", "input", "Each element over a power of its neighbouring channels."};
  static constexpr Traits traits{.offered = Offered::functional};
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, k = 1;
  void describe(auto& field) {
    field("size", size, "how many channels count as neighbours", as::required);
    field("alpha", alpha, "multiplies the mean of squares");
    field("beta", beta, "the exponent");
    field("k", k, "added before the power");
  }
  void check() const;  // throws for settings that make no sense
  Tensor decompose(const Inputs& in) const;
  static Cases<LocalResponseNorm> samples();
};
struct Renorm {
  static constexpr Doc doc{"renorm", "input", "Slices along a dim whose p-norm is above maxnorm, brought down to it."};
  static constexpr Traits traits{.inplace = Inplace::also};
  Scalar p = 2;
  int64_t dim = 0;
  Scalar maxnorm = 1;
  void describe(auto& field) {
    field("p", p, "the exponent of the norm, above 0", as::required);
    field("dim", dim, "the dim whose positions are the slices", as::dim | as::required);
    field("maxnorm", maxnorm, "the largest norm", as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Renorm> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Renorm> renorm;
}
