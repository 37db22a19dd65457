// Elementwise arithmetic and logic on the CPU: from the operators' scalar functions.
#include "core/ops/elementwise/arith.h"

#include "core/ops/elementwise/select.h"
#include "devices/cpu/kernels/common/elementwise.h"

namespace luth::cpu {
namespace {

// The index of the first 0 of t, into `at`, whose dims before `dim` are given. A dim of stride 0 is searched once.
template <class T>
bool find_zero(const Tensor& t, const T* p, int dim, Shape& at) {
  if (dim == t.dim()) return *p == T(0);
  int64_t n = t.strides()[dim] ? t.shape()[dim] : 1, step = t.strides()[dim];
  if (dim + 1 == t.dim()) {
    int64_t zeros = 0;
    for (int64_t i = 0; i < n; ++i) zeros += p[i * step] == T(0);
    if (!zeros) return false;
  }
  for (int64_t i = 0; i < n; ++i) {
    at[dim] = i;
    if (find_zero(t, p + i * step, dim + 1, at)) return true;
  }
  return false;
}

/// x^(twice / 2) of float, computed in double and rounded once: products of x, and for odd `twice` its root, which is
/// s + (x - s^2) / (2 s) for the float s nearest to it. So x^n sqrt(x) = s x^(n - 1) (x + (x - s^2) / 2).
template <int twice>
struct HalfPower {
  static constexpr int whole = std::abs(twice) / 2;
  static constexpr bool root = twice % 2 != 0;
  double operator()(double v) const { return math::own::half_power<twice>(v); }
  float operator()(float v) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if constexpr (root) v += 0.0f;  // -0 as 0
    const float s = root ? std::sqrt(v) : 0.0f;
    const double x = v;
    if constexpr (twice == -1) {  // a step of Newton's from the float nearest to 1 / s
      const float near = 1.0f / s;
      const float power = float(near * (1.5 - 0.5 * (x * near) * near));
      return v == 0 ? infinity : std::fabs(v) == infinity ? 0.0f : power;
    }
    double power = root ? s * (x + 0.5 * (x - double(s) * s)) : x;
#pragma GCC unroll 4
    for (int n = 1; n < whole; ++n) power *= x;
    const float result = float(twice < 0 ? 1 / power : power);
    return root && std::fabs(v) == infinity ? (twice < 0 ? 0.0f : infinity) : result;
  }
};

template <class T, int... twice>
bool half_power(Tensor& y, const Value& x, double exponent) {
  return ((exponent == 0.5 * twice && (elementwise_loop<T, T>(y, HalfPower<twice>(), x), true)) || ...);
}

/// x^exponent where it is x, or products, roots and quotients, as if rounded once; false for other exponents. Results
/// for zeros, infinities and nan are those of pow.
template <class T>
bool simple_power(Tensor& y, const Value& x, double exponent) {
  using C = compute_t<T>;
  constexpr C infinity = std::numeric_limits<C>::infinity();
  if (exponent == 1)
    elementwise_loop<T, T>(
        y, [](C v) { return v; }, x);
  else if (exponent == 2)
    elementwise_loop<T, T>(
        y, [](C v) { return v * v; }, x);
  else if (exponent == 0.5)
    elementwise_loop<T, T>(
        y, [](C v) { return v == -infinity ? infinity : math::sqrt(v + C(0)); }, x);
  else if (exponent == -1)
    elementwise_loop<T, T>(
        y, [](C v) { return C(1) / v; }, x);
  else if constexpr (std::is_same_v<C, float> || math::has_fma)
    return half_power<T, -8, -7, -6, -5, -4, -3, -1, 3, 5, 6, 7, 8>(y, x, exponent);
  else
    return false;
  return true;
}

}  // namespace

template <>
void binary<ops::Pow>(const ops::Pow& op, Tensor& y, const Value& a, const Value& b) {
  bool done = false;
  if (a.is_tensor() && b.is_scalar() && is_floating(y.dtype()) && a.dtype() == y.dtype())
    dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) { done = simple_power<T>(y, a, b.scalar().value()); });
  if (!done) apply_elementwise(op, y, a, b);
}

namespace {

const BinaryKernels<ops::ArithOps> kernels_;

void where(const ops::Where&, Tensor& y, const Value& condition, const Value& a, const Value& b) {
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    using E = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;  // of the same memory
    elementwise_loop<E, bool, E, E>(y, ops::WhereFunctor(), condition, a, b);
  });
}
const Kernel<where> where_;

}  // namespace

void check_divisor(const Tensor& y, const Value& b) {
  if (y.numel() == 0) return;
  if (b.is_scalar() && b.scalar().value() == 0) throw Error("integers cannot be divided by 0");
  if (!b.is_tensor()) return;
  const Tensor& t = b.tensor();
  Shape at(size_t(t.dim()));
  dispatch(Integers{}, t.dtype(), [&]<class T>(Type<T>) {
    if (!find_zero(t, t.data<T>(), 0, at)) return;
    for (auto& i : at) i = shown(i);
    throw Error("integers cannot be divided by 0, which other holds at {}", to_string(at));
  });
}

}  // namespace luth::cpu
