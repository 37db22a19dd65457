// What the generated tests cannot know of elementwise operators: slopes that are drawn, steps between numbers of each
// dtype, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/dispatch/generator.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/gamma.h"
#include "core/ops/elementwise/rectifier.h"
#include "core/ops/elementwise/smooth_activation.h"
#include "core/ops/elementwise/ternary.h"
#include "core/ops/nn/activation.h"
#include "core/ops/reduce/reduce.h"

namespace luth {
namespace {

Tensor doubles(const Shape& s, std::initializer_list<double> v) { return Tensor::from(s, v.begin()); }
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}
::testing::AssertionResult says(const std::string& text, const char* part) {
  if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

TEST(Elementwise, RreluDrawsASlopePerElement) {
  manual_seed(3);
  Tensor x = full({1000}, -1.0, Dtype::f64, host());
  x.set_requires_grad();
  ops::Rrelu op;
  op.low = 0.25, op.high = 0.5, op.training = true;
  Tensor y = rrelu(x, op);
  Tensor dx = grad({sum(y)}, {x}, {}, {})[0];
  double least = 1, most = 0, total = 0;
  for (int i = 0; i < 1000; ++i) {
    const double slope = -y.data<double>()[i];
    EXPECT_EQ(dx.data<double>()[i], slope);
    least = std::min(least, slope), most = std::max(most, slope), total += slope;
  }
  EXPECT_TRUE(least >= 0.25 && least < 0.26 && most <= 0.5 && most > 0.49) << least << " " << most;
  EXPECT_NEAR(total / 1000, 0.375, 0.01);
  op.training = false;
  EXPECT_EQ(rrelu(x, op).data<double>()[7], -0.375);
}

TEST(Elementwise, NextafterStepsByTheDtype) {
  auto next = [](Dtype d, double x, double to) {
    return nextafter(full({1}, x, d, host()), full({1}, to, d, host())).item().value();
  };
  EXPECT_EQ(next(Dtype::f64, 1, 2), 1 + 0x1p-52);
  EXPECT_EQ(next(Dtype::f32, 1, 2), 1 + 0x1p-23);
  EXPECT_EQ(next(Dtype::f16, 1, 2), 1 + 0x1p-10);
  EXPECT_EQ(next(Dtype::bf16, 1, 2), 1 + 0x1p-7);
  EXPECT_EQ(next(Dtype::f16, -1, 2), -1 + 0x1p-11);
  EXPECT_EQ(next(Dtype::f16, 0, -1), -0x1p-24);
  EXPECT_EQ(next(Dtype::f16, 65504, INFINITY), INFINITY);
  EXPECT_EQ(next(Dtype::bf16, 3, 3), 3);
  const double numbers[] = {0, -0.0, 1, -1, 1e-310, 0x1p-1022, 1e-40, 3e38, INFINITY, -INFINITY, NAN};
  for (double x : numbers)
    for (double to : numbers) {
      const double want = std::nextafter(x, to), got = next(Dtype::f64, x, to);
      EXPECT_TRUE(want != want ? got != got : std::bit_cast<int64_t>(got) == std::bit_cast<int64_t>(want)) << x << to;
      const float near = std::nextafter(float(x), float(to)), found = float(next(Dtype::f32, x, to));
      EXPECT_TRUE(near != near ? found != found : std::bit_cast<int>(found) == std::bit_cast<int>(near)) << x << to;
    }
}

TEST(Elementwise, DivisorsOfTheLeastInteger) {
  const int64_t least = INT64_MIN;
  Tensor x = Tensor::from<int64_t>({2}, std::array<int64_t, 2>{least, least}.data());
  Tensor y = Tensor::from<int64_t>({2}, std::array<int64_t, 2>{48, -1}.data());
  Tensor g = Fn<ops::Gcd>()(x, y);
  EXPECT_EQ(g.data<int64_t>()[0], 16);
  EXPECT_EQ(g.data<int64_t>()[1], 1);
}

TEST(Elementwise, RefusesWhatPyTorchRefuses) {
  Tensor x = doubles({2, 3}, {1, 2, 3, 4, 5, 6}), single = full({2, 3}, 1.0, Dtype::f32, host());
  Tensor integers = full({2, 3}, int64_t(2), Dtype::i64, host());
  EXPECT_TRUE(says(error_of([&] { glu(x); }), "cannot be halved"));
  EXPECT_TRUE(says(error_of([&] { glu(full({}, 1.0, Dtype::f32, host())); }), "no halves"));
  EXPECT_TRUE(says(error_of([&] { celu(x, {.alpha = 0}); }), "alpha must not be 0"));
  EXPECT_TRUE(says(error_of([&] { hardtanh(x, {.min_val = 2, .max_val = 1}); }), "greater than max_val"));
  EXPECT_TRUE(says(error_of([&] { softshrink(x, {.lambd = -1}); }), "must not be negative"));
  EXPECT_TRUE(says(error_of([&] { prelu(x, full({2}, 0.5, Dtype::f64, host())); }), "2 weights for 3 channels"));
  EXPECT_TRUE(says(error_of([&] { prelu(x, single); }), "one number or a list"));
  EXPECT_TRUE(says(error_of([&] { lerp(x, single, 0.5); }), "end is float32 and input float64"));
  EXPECT_TRUE(says(error_of([&] { addcdiv(integers, integers, integers); }), "int64"));
  EXPECT_TRUE(says(error_of([&] { isclose(x, single); }), "one dtype"));
  EXPECT_TRUE(says(error_of([&] { isclose(x, x, {.rtol = -1}); }), "rtol must not be negative"));
  EXPECT_TRUE(says(error_of([&] { polygamma(x, {.n = -1}); }), "must not be negative"));
  EXPECT_TRUE(says(error_of([&] { elu(integers); }), "int64"));
}

}  // namespace
}  // namespace luth
