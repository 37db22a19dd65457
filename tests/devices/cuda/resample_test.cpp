// Maps along dims and their adjoints on CUDA beyond the registry's small samples: many elements, memory formats,
// dtypes.
#include "core/ops/window/resample.h"

#include <gtest/gtest.h>

#include "core/ops/shape/view.h"
#include "core/ops/window/interpolate.h"
#include "core/ops/window/pad.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

Tensor numbers(const Shape& shape, Dtype d, bool channels_last) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 29 + i / 11) % 61 - 30);
  t = cast_to(t, d);
  return channels_last ? relaid(t, Layout::channels_last) : t;
}
void expect_same(const Tensor& got, const Tensor& want, double tolerance) {
  EXPECT_EQ(to_string(got.strides()), to_string(want.strides()));
  EXPECT_EQ(difference(home(got), want, tolerance, tolerance), "");
}

TEST(Resample, PaddingCopiesWholeRuns) {
  for (bool last : {false, true})
    for (Dtype d : {Dtype::f32, Dtype::u8, Dtype::bf16, Dtype::i64})
      for (const char* mode : {"constant", "reflect", "replicate", "circular"}) {
        SCOPED_TRACE(mode);
        const Tensor x = numbers({2, 5, 12, 33}, d, last);
        ops::Pad op{{3, 17, -2, 4}, mode, {}};
        if (op.mode == "constant") op.value = Scalar(5);
        expect_same(pad(moved(x, gpu()), op), pad(x, op), 0);
      }
}

TEST(Resample, InterpolationAndItsAdjoint) {
  for (bool last : {false, true})
    for (Dtype d : {Dtype::f32, Dtype::f16})
      for (const char* mode : {"nearest", "bilinear", "bicubic", "area"}) {
        SCOPED_TRACE(mode);
        ops::Interpolate op;
        op.size = Ints{19, 40}, op.mode = mode;
        const Tensor x = numbers({2, 3, 12, 33}, d, last), there = moved(x, gpu());
        const double t = d == Dtype::f16 ? 2e-3 : 1e-5;
        expect_same(interpolate(there, op), interpolate(x, op), t);
        if (op.mode == "area") continue;
        const ops::Filter filter = op.mode == "bilinear"  ? ops::Filter::linear
                                   : op.mode == "bicubic" ? ops::Filter::cubic
                                                          : ops::Filter::nearest;
        const ops::InterpolateNd back{{2, {30, 20}, {12, 33}, true}, filter, {30 / 12.0, 20 / 33.0}};
        expect_same(interpolate_nd(there, back), interpolate_nd(x, back), t);
      }
}

}  // namespace
}  // namespace luth::test
