// Rearranged images and windows by maxima at sizes that the goldens do not have: long rows, many windows.
#include "core/ops/window/rearrange.h"

#include <gtest/gtest.h>

#include "core/ops/shape/view.h"
#include "core/ops/window/pool_more.h"

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

// [outer, n, inner] by the definition.
void expect_maxima(const Tensor& x, const ops::WindowArgmax& op) {
  const Axis a = axis_of(x.shape(), wrap_dim(op.dim, x.dim()));
  const Tensor y = window_argmax(x, op);
  for (int64_t i = 0; i < y.numel(); ++i) {
    const int64_t inner = i % a.inner, window = i / a.inner % op.size, outer = i / a.inner / op.size;
    int64_t begin = window * a.n / op.size, end = ((window + 1) * a.n + op.size - 1) / op.size, best = -1;
    if (op.kernel) begin = window * op.stride - op.padding, end = begin + (op.kernel - 1) * op.dilation + 1;
    auto at = [&](int64_t k) { return x.data<float>()[(outer * a.n + k) * a.inner + inner]; };
    for (int64_t k = begin; k < end; k += op.kernel ? op.dilation : 1)
      if (k >= 0 && k < a.n && (best < 0 || at(k) > at(best))) best = k;
    ASSERT_EQ(y.data<int64_t>()[i], best) << i;
  }
}
TEST(Vision, MaximaOfManyWindows) {
  expect_maxima(numbers({37, 56}), {-1, 7});     // pieces of rows
  expect_maxima(numbers({37, 56}), {-1, 9});     // windows that overlap
  expect_maxima(numbers({3, 20, 150}), {1, 4});  // blocks of neighbours
  expect_maxima(numbers({3, 20, 70}), {1, 9, 4, 2, 1, 1});
  expect_maxima(numbers({3, 20, 70}), {1, 7, 3, 3, 2, 2});
  expect_maxima(numbers({2, 31}), {1, 10, 3, 3, 1, 2});
}

}  // namespace
}  // namespace luth::test
