#include "core/ops/polynomial.h"

#include "core/ops/copy.h"

namespace luth::ops {
namespace {
const DefineAll<Polynomials> define_all_;
}

// Degrees that every dtype holds, so that cutting them is no matter of rounding.
template <class Op>
Cases<Op> degree_samples() {
  return {{{}, {}, 0, 0, [] {
             return Inputs{Tensor::from<double>({4}, std::array{-1.25, -0.5, 0.25, 1.0}.data()),
                           Tensor::from<int64_t>({5, 1}, std::array<int64_t, 5>{0, 1, 2, 5, 11}.data())};
           }}};
}
template Cases<ChebyshevT> degree_samples();
template Cases<ChebyshevU> degree_samples();
template Cases<HermiteH> degree_samples();
template Cases<HermiteHe> degree_samples();
template Cases<LaguerreL> degree_samples();
template Cases<LegendreP> degree_samples();

}  // namespace luth::ops
