// Functions of float64 that are luth's own against long double: in kernels, of each instruction set in a run of its
// own, and on the host.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/math/functions.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/unary.h"
#include "tests/core/base/units.h"

namespace {

using namespace luth;

struct Function {
  const char* name;
  Tensor (*kernel)(const Tensor&);
  double (*host)(double);
  long double (*exact)(long double);
  double far, limit;  // beyond ±far there is little to see; in units in the last place, tanh and erf without fma
};
const Function functions[] = {
    // clang-format off
    {"exp", [](const Tensor& x) { return luth::exp(x); }, math::exp, std::exp, 746, 0.54},
    {"expm1", [](const Tensor& x) { return luth::expm1(x); }, math::expm1, std::expm1, 40, 0.65},
    {"tanh", [](const Tensor& x) { return luth::tanh(x); }, math::tanh, std::tanh, 20, 1.1},
    {"log", [](const Tensor& x) { return luth::log(x); }, math::log, std::log, 4, 0.55},
    {"log1p", [](const Tensor& x) { return luth::log1p(x); }, math::log1p, std::log1p, 4, 0.55},
    {"erf", [](const Tensor& x) { return luth::erf(x); }, math::erf, std::erf, 6.5, 1.5},
    // clang-format on
};

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
