// Functions of float64 that are luth's own against long double: in kernels, of each instruction set in a run of its
// own, and on the host.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/math/functions.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/trig.h"
#include "core/ops/elementwise/unary.h"
#include "tests/core/base/units.h"

namespace {

using namespace luth;

struct Function {
  const char* name;
  Tensor (*kernel)(const Tensor&);
  double (*host)(double);
  long double (*exact)(long double);
  double far;             // beyond ±far there is little to see
  double limit, unfused;  // in units in the last place, with and without fused multiply-add
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
std::vector<double> arguments(double far) {
  std::mt19937_64 random(1);
  auto from_to = [&](double from, double to) { return from + (to - from) * double(random() >> 11) * 0x1p-53; };
  std::vector<double> x;
  for (int i = 0; i < 100000; ++i) {
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
    const std::vector<double> x = arguments(f.far);
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
  x = arguments(10);
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
  Worst angles, lengths, powers;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double want = std::atan2((long double)x[i], (long double)y[i]);
    if (!(std::fabs(want) < 1e-290L && want != 0)) angles.see(angle.data<double>()[i], want, x[i], y[i]);
    lengths.see(length.data<double>()[i], std::hypot((long double)x[i], (long double)y[i]), x[i], y[i]);
    powers.see(power.data<double>()[i], std::pow((long double)x[i], (long double)y[i]), x[i], y[i]);
  }
  EXPECT_LE(angles.distance, kernels_fuse() ? 0.62 : 0.55) << angles.at;
  EXPECT_LE(lengths.distance, kernels_fuse() ? 0.52 : 1) << lengths.at;
  EXPECT_LE(powers.distance, 0.55) << powers.at;
}

TEST(Float64, PowersAreNearlyExact) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double";
  const std::vector<double> x = arguments(10);
  for (double exponent = -4.5; exponent <= 4.5; exponent += 0.25) {
    const Tensor out = luth::pow(tensor_of(x), exponent);
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i)
      worst.see(out.data<double>()[i], std::pow((long double)x[i], (long double)exponent), x[i]);
    EXPECT_LE(worst.distance, 0.55) << "^" << exponent << ", " << worst.at;
  }
}

}  // namespace
