// Pooling on CUDA beyond the registry's small samples: overlapping windows, large ones, layouts, dtypes, nan, and
// indices that are out of range.
#include "core/ops/window/pool.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/ops/shape/view.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

Tensor numbers(const Shape& shape, Dtype d, bool channels_last, int seed = 1) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 29 + seed * 13 + i / 11) % 61 - 30);
  t = cast_to(t, d);
  return channels_last ? relaid(t, Layout::channels_last) : t;
}

void expect_same(const Tensor& got, const Tensor& want, const char* what, double tolerance = 0) {
  Tensor a = cast_to(home(got), Dtype::f64), b = cast_to(want, Dtype::f64);
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  ASSERT_EQ(to_string(got.strides()), to_string(want.strides())) << what;
  ASSERT_EQ(to_string(a.shape()), to_string(b.shape())) << what;
  a = reshape(a, {{a.numel()}}), b = reshape(b, {{b.numel()}});
  for (int64_t i = 0; i < a.numel(); ++i) {
    const double x = a.data<double>()[i], y = b.data<double>()[i];
    ASSERT_TRUE((x != x && y != y) || x == y || std::abs(x - y) <= tolerance * (1 + std::abs(y)))
        << what << ": element " << i << " is " << x << ", not " << y;
  }
}

double tolerance(Dtype d) { return d == Dtype::f16 ? 2e-3 : d == Dtype::bf16 ? 2e-2 : d == Dtype::f32 ? 1e-6 : 1e-14; }

struct Window {
  Shape x;
  Ints kernel, stride, padding, dilation;
  bool ceil;
};
const Window windows[] = {{{2, 5, 9, 10}, {2}, {2}, {0}, {1}, false},
                          {{2, 3, 11, 8}, {3}, {2}, {1}, {1}, true},
                          {{1, 70, 7, 9}, {3, 2}, {1, 2}, {1, 0}, {2, 1}, false},
                          {{3, 12, 10}, {5, 4}, {1}, {2}, {1}, false},
                          {{2, 3, 9, 9}, {9}, {1}, {0}, {1}, false}};

void expect_maxima(const Window& c, Dtype d, bool last) {
  ops::MaxPool2dWithIndices op;
  op.kernel_size = c.kernel, op.stride = c.stride, op.padding = c.padding, op.dilation = c.dilation,
  op.ceil_mode = c.ceil;
  op.base = 1;
  Tensor x = numbers(c.x, d, last), there = moved(x, gpu());
  const Tensors want = max_pool2d_with_indices(x, op), got = max_pool2d_with_indices(there, op);
  expect_same(got[0], want[0], "maxima");
  expect_same(got[1], want[1], "their places");
  ops::PoolScatter back;
  back.size = {c.x[c.x.size() - 2], c.x[c.x.size() - 1]};
  back.base = 1;
  const Tensor dy = numbers(want[0].shape(), d, last, 2);
  const Tensor dx = pool_scatter(dy, want[1], back);
  expect_same(pool_scatter(moved(dy, gpu()), got[1], back), dx, "gradient by any indices", tolerance(d));
  for (auto* list : {&c.kernel, &c.stride, &c.padding, &c.dilation})
    for (int k = 0; k < 2; ++k) back.window.push_back(at_or_all(*list, k));
  expect_same(pool_scatter(moved(dy, gpu()), got[1], back), dx, "gradient by the window", tolerance(d));
  expect_same(pool_gather(there, got[1], {1}), pool_gather(x, want[1], {1}), "the elements that the places name");
}

void expect_means(const Window& c, Dtype d, bool last, bool count_pad) {
  ops::AvgPool2d op;
  op.kernel_size = c.kernel, op.stride = c.stride, op.ceil_mode = c.ceil, op.count_include_pad = count_pad;
  op.padding = {std::min(at_or_all(c.padding, 0), at_or_all(c.kernel, 0) / 2), 0};
  const Tensor x = numbers(c.x, d, last), want = avg_pool2d(x, op);
  expect_same(avg_pool2d(moved(x, gpu()), op), want, "means", tolerance(d));
  ops::AvgPool2dGrad back;
  static_cast<ops::AvgPool&>(back) = op;
  back.size = {c.x[c.x.size() - 2], c.x[c.x.size() - 1]};
  const Tensor dy = numbers(want.shape(), d, last, 2);
  expect_same(avg_pool2d_grad(moved(dy, gpu()), back), avg_pool2d_grad(dy, back), "gradient of means", tolerance(d));
}

}  // namespace

TEST(CudaPooling, MaximaAndTheirGradients) {
  for (auto& c : windows)
    for (bool last : {false, true})
      if (!last || c.x.size() == 4) expect_maxima(c, Dtype::f32, last);
  for (Dtype d : {Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64})
    expect_maxima(windows[1], d, false);
}

TEST(CudaPooling, MeansAndTheirGradients) {
  for (auto& c : windows)
    for (bool last : {false, true})
      for (bool count_pad : {false, true})
        if (!last || c.x.size() == 4) expect_means(c, Dtype::f32, last, count_pad);
  for (Dtype d : {Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::i16, Dtype::i32, Dtype::i64})
    expect_means(windows[1], d, false, true);
}

TEST(CudaPooling, AdaptiveMeansAndTheirGradients) {
  for (bool last : {false, true})
    for (Ints size : {Ints{1}, Ints{4, 3}, Ints{13, 20}, Ints{9, 1}}) {
      const Tensor x = numbers({2, 5, 9, 10}, Dtype::f32, last), want = adaptive_avg_pool2d(x, {size});
      expect_same(adaptive_avg_pool2d(moved(x, gpu()), {size}), want, "means", 1e-6);
      const Tensor dy = numbers(want.shape(), Dtype::f32, last, 2);
      expect_same(adaptive_avg_pool2d_grad(moved(dy, gpu()), {{9, 10}}), adaptive_avg_pool2d_grad(dy, {{9, 10}}),
                  "gradient", 1e-6);
    }
}

TEST(CudaPooling, NanWinsAndTheLowestHasAPlace) {
  Tensor x = Tensor::empty({1, 1, 4, 4}, Dtype::f32, host());
  for (int i = 0; i < 16; ++i) x.data<float>()[i] = -std::numeric_limits<float>::infinity();
  x.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  x.data<float>()[4] = 7;
  ops::MaxPool2dWithIndices op;
  op.kernel_size = {2};
  const Tensors want = max_pool2d_with_indices(x, op), got = max_pool2d_with_indices(moved(x, gpu()), op);
  expect_same(got[0], want[0], "maxima");
  expect_same(got[1], want[1], "places");
}

TEST(CudaPooling, PlacesOutsideOfAPlaneAreReported) {
  int64_t at[] = {3, 12};
  const Tensor index = moved(Tensor::from({1, 1, 2}, at), gpu()),
               x = moved(numbers({1, 3, 4}, Dtype::f32, false), gpu());
  const Tensor grad = moved(numbers({1, 1, 2}, Dtype::f32, false), gpu());
  pool_gather(x, index, {0});
  EXPECT_THROW(gpu().synchronize(), Error);
  pool_scatter(grad, index, {{3, 4}, 0});
  EXPECT_THROW(gpu().synchronize(), Error);
  gpu().synchronize();
}

}  // namespace luth::test
