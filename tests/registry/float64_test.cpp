// Functions of float64 that are luth's own against long double: in kernels, of each instruction set in a run of its
// own, and on the host.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "core/math/bessel.h"
#include "core/math/gamma.h"
#include "core/math/normal.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/bessel.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/error_function.h"
#include "core/ops/elementwise/gamma.h"
#include "core/ops/elementwise/trig.h"
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
  double far;             // beyond ±far there is little to see
  double limit, unfused;  // in units in the last place, with and without fused multiply-add
  int step = 1;           // takes every step-th argument
};
template <class Op>
Tensor apply(const Tensor& x) {
  return Fn<Op>()(x);
}
const Function functions[] = {
    // clang-format off
    {"exp", apply<ops::Exp>, math::exp, std::exp, 746, 0.54, 0.54},
    {"exp2", apply<ops::Exp2>, math::exp2, std::exp2, 1076, 0.54, 0.52},
    {"expm1", apply<ops::Expm1>, math::expm1, std::expm1, 40, 0.65, 0.65},
    {"tanh", apply<ops::Tanh>, math::tanh, std::tanh, 20, 0.58, 1.1},
    {"log", apply<ops::Log>, math::log, std::log, 4, 0.55, 0.55},
    {"log2", apply<ops::Log2>, math::log2, std::log2, 4, 0.53, 0.56},
    {"log10", apply<ops::Log10>, math::log10, std::log10, 4, 0.53, 1.7},
    {"log1p", apply<ops::Log1p>, math::log1p, std::log1p, 4, 0.55, 0.55},
    {"erf", apply<ops::Erf>, math::erf, std::erf, 6.5, 0.98, 1.5},
    {"sin", apply<ops::Sin>, math::sin, std::sin, 100, 0.58, 0.58},
    {"cos", apply<ops::Cos>, math::cos, std::cos, 100, 0.58, 0.58},
    {"tan", apply<ops::Tan>, math::tan, std::tan, 100, 0.6, 0.7},
    {"asin", apply<ops::Asin>, math::asin, std::asin, 1, 0.61, 0.55},
    {"acos", apply<ops::Acos>, math::acos, std::acos, 1, 0.61, 0.55},
    {"atan", apply<ops::Atan>, math::atan, std::atan, 10, 0.62, 0.55},
    {"sinh", apply<ops::Sinh>, math::sinh, std::sinh, 711, 0.57, 2.1},
    {"cosh", apply<ops::Cosh>, math::cosh, std::cosh, 711, 0.54, 1.8},
    {"asinh", apply<ops::Asinh>, math::asinh, std::asinh, 1000, 0.57, 1.9},
    {"acosh", apply<ops::Acosh>, math::acosh, std::acosh, 10, 0.54, 2.3},
    {"atanh", apply<ops::Atanh>, math::atanh, std::atanh, 1, 0.54, 1.9},
    {"erfc", apply<ops::Erfc>, math::complement, std::erfc, 28, 2.7, 3.8},
    {"erfcx", apply<ops::Erfcx>, math::erfcx, erfcx, 27, 4, 4, 4},
    {"ndtr", apply<ops::Ndtr>, math::ndtr, ndtr, 39, 4, 4, 4},
    {"log_ndtr", apply<ops::LogNdtr>, math::log_ndtr, log_ndtr, 39, 4, 4, 4},
    {"erfinv", apply<ops::Erfinv>, math::erfinv, [](Wide x) { return erfinv(x, math::erfinv(double(x))); }, 1, 1.8, 1.8, 4},
    {"ndtri", apply<ops::Ndtri>, math::ndtri, [](Wide x) { return ndtri(x, math::ndtri(double(x))); }, 1, 2.1, 2.2, 4},
    {"trigamma", [](const Tensor& x) { return luth::polygamma(x, {.n = 1}); }, math::trigamma, trigamma, 30, 5.3, 5.3, 4},
    {"i0", apply<ops::I0>, math::bessel_i<0>, bessel_i<0>, 720, 4, 4, 8},
    {"i0e", apply<ops::I0e>, math::bessel_ie<0>, bessel_ie<0>, 60, 4, 4, 8},
    {"i1", apply<ops::I1>, math::bessel_i<1>, bessel_i<1>, 720, 4, 4, 8},
    {"i1e", apply<ops::I1e>, math::bessel_ie<1>, bessel_ie<1>, 60, 4, 4, 8},
    {"k0", apply<ops::ModifiedBesselK0>, math::bessel_k<0>, bessel_k<0>, 40, 4, 4, 64},
    {"k0e", apply<ops::ScaledModifiedBesselK0>, math::bessel_ke<0>, bessel_ke<0>, 40, 4, 4, 64},
    {"k1", apply<ops::ModifiedBesselK1>, math::bessel_k<1>, bessel_k<1>, 40, 4, 4, 64},
    {"k1e", apply<ops::ScaledModifiedBesselK1>, math::bessel_ke<1>, bessel_ke<1>, 40, 4, 4, 64},
    // clang-format on
};

/// The largest distance in units in the last place, and where it is.
struct Worst {
  double distance = 0;
  std::string at;
  template <class... X>
  void see(double got, long double want, X... x) {
    const double twice = std::fabs(want) < std::numeric_limits<double>::min() ? 0.25 : 0;  // subnormal: rounded twice
    if (const double d = test::distance(got, want) - twice; d > distance) {
      distance = d;
      at = fmt::format("{} for{}", got, (fmt::format(" {}", x) + ...));
    }
  }
};
bool kernels_fuse() { return host().properties().capability >= "v3"; }
Tensor tensor_of(const std::vector<double>& x) { return Tensor::from<double>({int64_t(x.size())}, x.data()); }

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
    const Tensor out = f.kernel(tensor_of(x));
    Worst kernel, host;
    for (size_t i = 0; i < x.size(); ++i) {
      const long double want = f.exact(x[i]);
      kernel.see(out.data<double>()[i], want, x[i]);
      host.see(f.host(x[i]), want, x[i]);
    }
    EXPECT_LE(kernel.distance, kernels_fuse() ? f.limit : f.unfused) << f.name << ", " << kernel.at;
    EXPECT_LE(host.distance, math::has_fma ? f.limit : f.unfused) << f.name << " on the host, " << host.at;
  }
}

/// Pairs of like and of unlike sizes, and all pairs of special numbers.
void pairs(std::vector<double>& x, std::vector<double>& y) {
  x = arguments(10, 1);
  for (size_t i = 0; i < x.size(); ++i) y.push_back(i % 3 ? x[i * 7 % x.size()] : x[i] * (0.125 + double(i % 64)));
  const double infinity = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, 1.0, 5e-324, 1e-308, 1e308, infinity, double(NAN), -0.0, -1.0, -5e-324, -infinity};
  for (double a : special)
    for (double b : special) x.push_back(a), y.push_back(b);
}

TEST(Float64, FunctionsOfTwoAreNearlyExact) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double";
  std::vector<double> x, y;
  pairs(x, y);
  const Tensor first = tensor_of(x), second = tensor_of(y);
  const Tensor angle = Fn<ops::Atan2>()(first, second), length = luth::hypot(first, second);
  const Tensor power = luth::pow(first, second);
  Worst angles, tiny, lengths, powers;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double want = std::atan2((long double)x[i], (long double)y[i]);
    (want != 0 && std::fabs(want) < 1e-300L ? tiny : angles).see(angle.data<double>()[i], want, x[i], y[i]);
    lengths.see(length.data<double>()[i], std::hypot((long double)x[i], (long double)y[i]), x[i], y[i]);
    powers.see(power.data<double>()[i], std::pow((long double)x[i], (long double)y[i]), x[i], y[i]);
  }
  EXPECT_LE(angles.distance, kernels_fuse() ? 0.62 : 0.55) << angles.at;
  EXPECT_LE(tiny.distance, kernels_fuse() ? 0.8 : 0.55) << tiny.at;
  EXPECT_LE(lengths.distance, kernels_fuse() ? 0.52 : 1) << lengths.at;
  EXPECT_LE(powers.distance, 0.55) << powers.at;
}

TEST(Float64, PowersAreNearlyExact) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double";
  std::vector<double> x = arguments(10, 1);
  x.erase(x.begin(), x.end() - 40000);
  for (double exponent :
       {-4.5, -4.0, -3.5, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0}) {
    const Tensor out = luth::pow(tensor_of(x), exponent);
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i)
      worst.see(out.data<double>()[i], std::pow((long double)x[i], (long double)exponent), x[i]);
    EXPECT_LE(worst.distance, 0.55) << "^" << exponent << ", " << worst.at;
  }
}

}  // namespace
