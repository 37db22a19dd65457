// Functions of float64 that are luth's own against long double: in kernels, of each instruction set in a run of its
// own, and on the host.
#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <vector>

#include "core/math/bessel.h"
#include "core/math/gamma.h"
#include "core/math/normal.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/bessel.h"
#include "core/ops/elementwise/error_function.h"
#include "core/ops/elementwise/gamma.h"
#include "core/ops/elementwise/unary.h"
#include "tests/core/base/units.h"

namespace {

using namespace luth;

using Wide = long double;
constexpr Wide pi = std::numbers::pi_v<Wide>, half_root = 0.5L * std::numbers::sqrt2_v<Wide>;

Wide erfcx(Wide x) {
  if (x < 50) return std::exp(x * x) * std::erfc(x);
  const Wide z = 1 / (2 * x * x);
  return (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)))) / (x * std::sqrt(pi));
}
Wide ndtr(Wide x) { return std::erfc(-x * half_root) / 2; }
Wide log_ndtr(Wide x) {
  return x < -1 ? std::log(erfcx(-x * half_root) / 2) - x * x / 2 : std::log1p(-std::erfc(x * half_root) / 2);
}
/// By Newton's steps from `near`, on the logarithm of the smaller side.
Wide ndtri(Wide p, Wide near) {
  if (p == 0.5L || !(std::fabs(near) < HUGE_VALL)) return near;
  const Wide sign = p < 0.5L ? 1 : -1, side = p < 0.5L ? p : 1 - p;
  Wide x = sign * near;
  for (int k = 0; k < 3; ++k) x -= (log_ndtr(x) - std::log(side)) * erfcx(-x * half_root) * std::sqrt(pi / 2);
  return sign * x;
}
Wide erfinv(Wide y, Wide near) {
  if (y == 0 || !(std::fabs(near) < HUGE_VALL)) return near;
  for (int k = 0; k < 3; ++k) {
    const Wide error =
        y < 0.5L ? y < -0.5L ? std::erfc(-near) - (1 + y) : std::erf(near) - y : (1 - y) - std::erfc(near);
    near -= error * std::sqrt(pi) / 2 * std::exp(near * near);
  }
  return near;
}
/// DLMF 5.15.5, 5.15.8, 5.15.6.
Wide trigamma(Wide x) {
  if (x < 0) {
    const Wide r = x - std::nearbyint(x), sine = std::sin(pi * r);
    return r == 0 ? HUGE_VALL : pi * pi / (sine * sine) - trigamma(1 - x);
  }
  Wide sum = 0;
  for (; x < 20; ++x) sum += 1 / (x * x);
  const Wide z = 1 / (x * x);
  Wide s = 7 / 6.0L;
  for (Wide b : {-691 / 2730.0L, 5 / 66.0L, -1 / 30.0L, 1 / 42.0L, -1 / 30.0L, 1 / 6.0L}) s = s * z + b;
  return sum + (1 / x + z * (0.5L + s / x));
}
/// e^-|x| I_n(x): DLMF 10.25.2 and 10.40.1; K_n(x) e^x: 10.32.9, and 10.31.1 and 10.31.2 near 0.
template <int n>
Wide bessel_ie(Wide x) {
  const Wide a = std::fabs(x), sign = n == 1 && x < 0 ? -1 : 1;
  Wide sum = 1, term = 1;
  if (a < 40) {
    for (int k = 1; term > sum * 0x1p-70L; ++k) sum += term *= a * a / 4 / (Wide(k) * (k + n));
    return sign * (n ? a / 2 : 1) * sum * std::exp(-a);
  }
  for (int k = 1; k < 30; ++k) sum += term *= ((2 * k - 1) * Wide(2 * k - 1) - 4 * n) / (8 * k * a);
  return sign * sum / std::sqrt(2 * pi * a);
}
template <int n>
Wide bessel_i(Wide x) {
  return x > 11000 ? HUGE_VALL : x < -11000 ? (n ? -HUGE_VALL : HUGE_VALL) : bessel_ie<n>(x) * std::exp(std::fabs(x));
}
template <int n>
Wide bessel_ke(Wide x) {
  if (!(x > 0)) return x == 0 ? HUGE_VALL : NAN;
  if (x > 1e300) return std::sqrt(pi / 2 / x);
  Wide sum = 0;
  if (x < 1) {
    const Wide log = std::log(x / 2) + 0.577215664901532860606512090082L;
    Wide term = 1, harmonic = 0;
    for (int k = 0; k < 25; ++k) {
      sum += term * (n == 0 ? harmonic - log : log - harmonic - 0.5L / (k + 1));
      harmonic += 1.0L / (k + 1);
      term *= x * x / 4 / (Wide(k + 1) * (k + 1 + n));
    }
    return (n == 0 ? sum : 1 / x + x / 2 * sum) * std::exp(x);
  }
  const Wide h = 0.2L / std::max<Wide>(1, std::sqrt(x / 4));
  sum = 0.5L;
  for (int k = 1; k < 100; ++k) {
    const Wide s = std::sinh(h * k / 2);
    sum += std::exp(-2 * x * s * s) * std::cosh(n * h * k);
  }
  return h * sum;
}
template <int n>
Wide bessel_k(Wide x) {
  return x > 0 ? bessel_ke<n>(x) * std::exp(-x) : bessel_ke<n>(x);
}

struct Function {
  const char* name;
  Tensor (*kernel)(const Tensor&);
  double (*host)(double);
  Wide (*exact)(Wide);
  double far, limit;  // beyond ±far there is little to see; in units in the last place, tanh and erf without fma
  int step = 1;       // takes every step-th argument
};
const Function functions[] = {
    // clang-format off
    {"exp", [](const Tensor& x) { return luth::exp(x); }, math::exp, std::exp, 746, 0.54},
    {"expm1", [](const Tensor& x) { return luth::expm1(x); }, math::expm1, std::expm1, 40, 0.65},
    {"tanh", [](const Tensor& x) { return luth::tanh(x); }, math::tanh, std::tanh, 20, 1.1},
    {"log", [](const Tensor& x) { return luth::log(x); }, math::log, std::log, 4, 0.55},
    {"log1p", [](const Tensor& x) { return luth::log1p(x); }, math::log1p, std::log1p, 4, 0.55},
    {"erf", [](const Tensor& x) { return luth::erf(x); }, math::erf, std::erf, 6.5, 1.5},
    {"erfc", [](const Tensor& x) { return luth::erfc(x); }, math::complement, std::erfc, 28, 3.8},  // libm's; own: 2.7
    {"erfcx", [](const Tensor& x) { return luth::erfcx(x); }, math::erfcx, erfcx, 27, 4, 4},
    {"ndtr", [](const Tensor& x) { return luth::ndtr(x); }, math::ndtr, ndtr, 39, 4, 4},
    {"log_ndtr", [](const Tensor& x) { return luth::log_ndtr(x); }, math::log_ndtr, log_ndtr, 39, 4, 4},
    {"erfinv", [](const Tensor& x) { return luth::erfinv(x); }, math::erfinv, [](Wide x) { return erfinv(x, math::erfinv(double(x))); }, 1, 1.8, 4},
    {"ndtri", [](const Tensor& x) { return luth::ndtri(x); }, math::ndtri, [](Wide x) { return ndtri(x, math::ndtri(double(x))); }, 1, 2.1, 4},
    {"trigamma", [](const Tensor& x) { return luth::polygamma(x, {.n = 1}); }, math::trigamma, trigamma, 30, 5.3, 4},
    {"i0", [](const Tensor& x) { return luth::i0(x); }, math::bessel_i<0>, bessel_i<0>, 720, 4, 8},
    {"i0e", [](const Tensor& x) { return luth::i0e(x); }, math::bessel_ie<0>, bessel_ie<0>, 60, 4, 8},
    {"i1", [](const Tensor& x) { return luth::i1(x); }, math::bessel_i<1>, bessel_i<1>, 720, 4, 8},
    {"i1e", [](const Tensor& x) { return luth::i1e(x); }, math::bessel_ie<1>, bessel_ie<1>, 60, 4, 8},
    {"k0", [](const Tensor& x) { return luth::modified_bessel_k0(x); }, math::bessel_k<0>, bessel_k<0>, 40, 4, 64},
    {"k0e", [](const Tensor& x) { return luth::scaled_modified_bessel_k0(x); }, math::bessel_ke<0>, bessel_ke<0>, 40, 4, 64},
    {"k1", [](const Tensor& x) { return luth::modified_bessel_k1(x); }, math::bessel_k<1>, bessel_k<1>, 40, 4, 64},
    {"k1e", [](const Tensor& x) { return luth::scaled_modified_bessel_k1(x); }, math::bessel_ke<1>, bessel_ke<1>, 40, 4, 64},
    // clang-format on
};

/// Numbers of all exponents, between -far and far, around 0 and 1, and what is special.
std::vector<double> arguments(double far, int step) {
  std::mt19937_64 random(1);
  auto from_to = [&](double from, double to) { return from + (to - from) * double(random() >> 11) * 0x1p-53; };
  std::vector<double> x;
  for (int i = 0; i < 100000; i += step) {
    x.push_back(std::bit_cast<double>(random()));
    x.push_back(from_to(-far, far));
    x.push_back(from_to(-1, 1) * std::ldexp(1.0, -(i % 60)));
    x.push_back(1 + x.back());
  }
  for (double v : {0.0, 5e-324, 1e-310, 0x1p-1022, 0x1p-54, 1.0, 1418.0, 1e300, HUGE_VAL, double(NAN)})
    x.push_back(v), x.push_back(-v);
  return x;
}

TEST(Float64, FunctionsAreNearlyExact) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double";
  for (const Function& f : functions) {
    const std::vector<double> x = arguments(f.far, f.step);
    Tensor in = Tensor::empty({int64_t(x.size())}, Dtype::f64, host());
    std::copy(x.begin(), x.end(), in.data<double>());
    const Tensor out = f.kernel(in);
    double worst = 0, at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const long double want = f.exact(x[i]);
      const double twice = std::fabs(want) < std::numeric_limits<double>::min() ? 0.25 : 0;  // subnormal: rounded twice
      for (double got : {out.data<double>()[i], f.host(x[i])})
        if (const double d = test::distance(got, want) - twice; d > worst) worst = d, at = x[i];
    }
    EXPECT_LE(worst, f.limit) << f.name << " at " << at;
  }
}

}  // namespace
