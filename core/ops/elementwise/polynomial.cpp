#include "core/ops/elementwise/polynomial.h"

#include <cmath>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"

namespace luth::ops {
namespace {
const DefineAll<PolynomialOps> define_all_;
const DefineAll<ChebyshevV, ChebyshevW, ShiftedChebyshevT, ShiftedChebyshevU, ShiftedChebyshevV, ShiftedChebyshevW>
    define_composed_;

constexpr Fn<ChebyshevT> chebyshev_t;
constexpr Fn<ChebyshevU> chebyshev_u;

/// n - 1, of n cut to an integer.
Value below(const Value& n) {
  if (!n.is_tensor()) return Scalar(std::trunc(n.scalar().value()) - 1);
  return sub(is_floating(n.dtype()) ? trunc_divide(n, 1) : cast_to(n, Dtype::i64), 1);
}
Value shifted(const Value& x) {
  if (!x.is_tensor()) return Scalar(2 * x.scalar().value() - 1);
  return sub(mul(is_floating(x.dtype()) ? x.tensor() : cast_to(x, default_dtype()), 2), 1);
}
Tensor chebyshev_v(const Value& x, const Value& n) { return sub(chebyshev_u(x, n), chebyshev_u(x, below(n))); }
Tensor chebyshev_w(const Value& x, const Value& n) { return add(chebyshev_u(x, n), chebyshev_u(x, below(n))); }
}  // namespace

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
template Cases<ChebyshevV> degree_samples();
template Cases<ChebyshevW> degree_samples();
template Cases<ShiftedChebyshevT> degree_samples();
template Cases<ShiftedChebyshevU> degree_samples();
template Cases<ShiftedChebyshevV> degree_samples();
template Cases<ShiftedChebyshevW> degree_samples();

Tensor ChebyshevV::decompose(const Inputs& in) const { return chebyshev_v(in[0], in[1]); }
Tensor ChebyshevW::decompose(const Inputs& in) const { return chebyshev_w(in[0], in[1]); }
Tensor ShiftedChebyshevT::decompose(const Inputs& in) const { return chebyshev_t(shifted(in[0]), in[1]); }
Tensor ShiftedChebyshevU::decompose(const Inputs& in) const { return chebyshev_u(shifted(in[0]), in[1]); }
Tensor ShiftedChebyshevV::decompose(const Inputs& in) const { return chebyshev_v(shifted(in[0]), in[1]); }
Tensor ShiftedChebyshevW::decompose(const Inputs& in) const { return chebyshev_w(shifted(in[0]), in[1]); }

}  // namespace luth::ops
