// Rearranged images at sizes that the goldens do not have.
#include "core/ops/window/rearrange.h"

#include <gtest/gtest.h>

#include "core/ops/shape/view.h"

namespace luth::test {
namespace {

Tensor numbers(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float((i * 29 + i / 11) % 61);
  return t;
}

TEST(Vision, PixelShuffleOfLongRows) {
  const int64_t r = 2, c = 3, h = 9, w = 40;
  const Tensor x = numbers({2, c * r * r, h, w}), y = pixel_shuffle(x, {r});
  const float *in = x.data<float>(), *out = y.data<float>();
  for (int64_t i = 0; i < y.numel(); ++i) {
    const int64_t column = i % (w * r), row = i / (w * r) % (h * r), plane = i / (w * r * h * r);
    const int64_t from = plane * r * r + row % r * r + column % r;
    ASSERT_EQ(out[i], in[(from * h + row / r) * w + column / r]) << i;
  }
  const Tensor back = pixel_unshuffle(y, {r});
  for (int64_t i = 0; i < x.numel(); ++i) ASSERT_EQ(back.data<float>()[i], in[i]) << i;
}

}  // namespace
}  // namespace luth::test
