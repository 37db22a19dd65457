// Covariance and correlation, and the trace of a matrix. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Trace {
  static constexpr Doc doc{"trace", "input", "The sum of a matrix's main diagonal."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Trace> samples() { return {{{}, {{3, 4}}}, {{}, {{2, 1}}}, {{}, {{0, 3}}}}; }
};

/// Rows are variables, columns observations.
struct Cov {
  static constexpr Doc doc{"cov", "input, fweights?, aweights?",
                           "The covariances of the variables that are the rows of a matrix."};
  static constexpr Traits traits{.order = "input, *, correction, fweights, aweights"};
  int64_t correction = 1;
  void describe(auto& field) {
    field("correction", correction, "subtracted from the number of observations", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cov> samples();
};
struct Corrcoef {
  static constexpr Doc doc{"corrcoef", "input", "The correlations of the variables that are the rows of a matrix."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Corrcoef> samples() { return {{{}, {{3, 5}}}, {{}, {{4}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Trace> trace;
inline constexpr Fn<ops::Cov> cov;
inline constexpr Fn<ops::Corrcoef> corrcoef;
}  // namespace luth
