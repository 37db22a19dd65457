// Functions of core/math against float64 or the C library: a sample of all floats of either sign, whose step shares no
// factor with 2^32, and what is special: zeros, subnormal numbers, infinities, nan. LUTH_TEST_ALL_FLOATS=1 takes all
// 2^32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/math/bessel.h"
#include "core/math/functions.h"
#include "core/math/gamma.h"
#include "core/math/gelu.h"
#include "core/math/normal.h"
#include "tests/core/base/units.h"

namespace {

using namespace luth;

/// Checks f against `exact`, in double, for floats that `where` takes.
template <class F, class G, class Where>
void check(F f, G exact, double limit, Where where) {
  const uint64_t step = std::getenv("LUTH_TEST_ALL_FLOATS") ? 1 : 99991;
  double worst = 0;
  float at = 0;
  auto look = [&](float x) {
    if (!where(x)) return;
    const double d = test::distance(f(x), exact(double(x)));
    if (d > worst) worst = d, at = x;
  };
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += step) look(std::bit_cast<float>(uint32_t(bits)));
  for (float x : {0.0f, 1e-45f, 1e-40f, 1.17549435e-38f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 3.4e38f, HUGE_VALF, NAN})
    look(x), look(-x);
  EXPECT_LE(worst, limit) << "at " << at;
}
auto all = [](float) { return true; };

TEST(MathAccuracy, Exp) {
  check([](float x) { return math::exp(x); }, [](double x) { return std::exp(x); }, 1, all);
}
TEST(MathAccuracy, Erf) {
  check([](float x) { return math::erf(x); }, [](double x) { return std::erf(x); }, 1.5, all);
}
double normal_cdf(double x) { return 0.5 * std::erfc(x * -0.70710678118654752440); }
TEST(MathAccuracy, Gelu) {
  auto gelu = [](float x) { return math::gelu(x); };
  auto exact = [](double x) { return x * normal_cdf(x); };
  check(gelu, exact, 7, [](float x) {
    return x > -13 || x < -15;  // between them a factor is a subnormal number
  });
  check(gelu, exact, 2.7, [](float x) { return x > 0; });
  check(gelu, exact, 1.7, [](float x) { return std::fabs(x) < 0.6f; });
}
// Its derivative crosses 0, so the error is absolute.
TEST(MathAccuracy, GeluSlope) {
  double worst = 0;
  for (int i = -1000000; i <= 1000000; ++i) {
    const float x = float(i) * 1.5e-5f;
    const double want = normal_cdf(x) + x * std::exp(-0.5 * double(x) * x) * 0.39894228040143267794;
    worst = std::max(worst, std::fabs(math::gelu_slope(x) - want));
  }
  EXPECT_LE(worst, 0x1.2p-23);
  EXPECT_EQ(math::gelu_slope(0.0f), 0.5f);
  EXPECT_EQ(math::gelu_slope(-0.0f), 0.5f);
  EXPECT_EQ(math::gelu_slope(-100.0f), 0.0f);
  EXPECT_EQ(math::gelu_slope(100.0f), 1.0f);
}
// What is computed in double for floats is rounded once, and hardly ever to the neighbour.
TEST(MathAccuracy, Erfinv) {
  check([](float x) { return float(math::erfinv_quick(x)); }, [](double x) { return math::erfinv(x); }, 0.51,
        [](float x) { return std::fabs(x) < 1.0f; });
}
TEST(MathAccuracy, Lgamma) {
  check([](float x) { return float(math::lgamma_quick(x)); }, [](double x) { return math::lgamma(x); }, 0.51,
        [](float x) { return math::is_gamma_quick(x); });
}
TEST(MathAccuracy, Digamma) {
  check([](float x) { return float(math::digamma_quick(x)); }, [](double x) { return math::digamma(x); }, 0.51,
        [](float x) { return math::is_gamma_quick(x); });
}

TEST(MathAccuracy, Ndtr) {
  check([](float x) { return float(math::ndtr_quick(x)); }, [](double x) { return math::ndtr(x); }, 0.51, all);
}
TEST(MathAccuracy, Airy) {
  check([](float x) { return float(math::quick_airy_ai(x)); }, [](double x) { return math::airy_ai(x); }, 0.51,
        [](float x) { return math::is_airy_quick(x, math::quick_airy_ai(x)); });
}
TEST(MathAccuracy, Bessel) {
  auto test = [](auto quick, double (*exact)(double), bool signs) {
    check([=](float x) { return float(quick(x)); }, exact, 0.51,
          [=](float x) { return (signs || x > 0) && math::is_bessel_quick(std::fabs(x), quick(x)); });
  };
  test([](double x) { return math::quick_bessel_j<0>(x); }, ::j0, true);
  test([](double x) { return math::quick_bessel_j<1>(x); }, ::j1, true);
  test([](double x) { return math::quick_bessel_y<0>(x); }, ::y0, false);
  test([](double x) { return math::quick_bessel_y<1>(x); }, ::y1, false);
}

/// Bits of a number whose exponent is a few to the other's: most pairs of random bits are too far apart.
template <class T, class Bits>
T near(Bits x, Bits random) {
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr Bits exponents = Bits(std::bit_cast<Bits>(std::numeric_limits<T>::infinity()));
  const Bits exponent = ((x & exponents) >> digits) - random % 16;
  return std::bit_cast<T>((random & ~exponents) | (exponent << digits & exponents));
}
template <class T, class Bits>
void check_fmod() {
  std::mt19937_64 random(1);
  int64_t taken = 0, different = 0;
  for (int i = 0; i < 200000; ++i) {
    const Bits bits = Bits(random());
    const T x = std::bit_cast<T>(bits), y = i % 8 ? near<T>(bits, Bits(random())) : std::bit_cast<T>(Bits(random()));
    if (!math::is_fmod_quick(x, y)) continue;
    ++taken;
    const T got = math::fmod_quick(x, y), want = std::fmod(x, y);
    different += got != want || std::signbit(got) != std::signbit(want);
  }
  EXPECT_GT(taken, 100000);
  EXPECT_EQ(different, 0);
  constexpr T infinite = std::numeric_limits<T>::infinity();
  for (T x : {T(0), T(1), infinite, T(NAN)})
    for (T y : {T(0), infinite, T(NAN)}) EXPECT_FALSE(math::is_fmod_quick(x, y)) << x << ' ' << y;
}
TEST(MathAccuracy, FmodIsExact) {
  check_fmod<float, uint32_t>();
  check_fmod<double, uint64_t>();
}

}  // namespace
