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
  ops::PoolWindow window;
  int dims;
};
const Window windows[] = {{{2, 5, 9, 10}, {{2}}, 2},
                          {{2, 3, 11, 8}, {{3}, Ints{2}, {1}, {1}, true}, 2},
                          {{1, 70, 7, 9}, {{3, 2}, Ints{1, 2}, {1, 0}, {2, 1}}, 2},
                          {{3, 12, 10}, {{5, 4}, Ints{1}, {2}}, 2},
                          {{2, 3, 9, 9}, {{9}, Ints{1}}, 2},
                          {{2, 3, 40}, {{5}, Ints{2}, {2}, {1}, true}, 1},
                          {{2, 3, 6, 7, 8}, {{2, 3, 2}, Ints{2, 1, 3}, {1, 1, 0}, {1, 2, 1}}, 3},
                          {{2, 5, 6, 7}, {{3, 6, 5}, Ints{1}, {1}}, 3},
                          {{1, 2, 1, 6}, {{2, 3}, Ints{1}, {1}, {2, 1}}, 2}};  // windows outside of the input

void expect_maxima(const ops::MaxPool& op, const Shape& shape, Dtype d, bool last) {
  Tensor x = numbers(shape, d, last), there = moved(x, gpu());
  const Tensors want = max_pool(x, op), got = max_pool(there, op);
  expect_same(got[0], want[0], "maxima");
  expect_same(got[1], want[1], "their positions");
  const Tensor dy = numbers(want[0].shape(), d, last, 2);
  expect_same(max_pool_grad(moved(dy, gpu()), got[1], {op}), max_pool_grad(dy, want[1], {op}), "gradient",
              tolerance(d));
  expect_same(max_pool_pick(there, got[1], {op}), max_pool_pick(x, want[1], {op}), "the elements at the indices");
}
void expect_maxima(const Window& c, Dtype d, bool last) {
  expect_maxima({c.window.over(numbers(c.x, d, false), c.dims), 1}, c.x, d, last);
}

void expect_means(const ops::AvgPool& op, const Shape& shape, Dtype d, bool last) {
  const Tensor x = numbers(shape, d, last), want = avg_pool(x, op);
  expect_same(avg_pool(moved(x, gpu()), op), want, "means", tolerance(d));
  const Tensor dy = numbers(want.shape(), d, last, 2);
  expect_same(avg_pool_grad(moved(dy, gpu()), {op}), avg_pool_grad(dy, {op}), "gradient of means", tolerance(d));
}
void expect_means(const Window& c, Dtype d, bool last, bool count_pad) {
  ops::PoolWindow w = c.window;
  w.dilation = {1}, w.padding = {0};
  for (int k = 0; k < c.dims; ++k)
    if (at_or_all(w.kernel_size, k) > 1 && k == 0) w.padding = Ints(size_t(c.dims), 0), w.padding[0] = 1;
  expect_means({w.over(numbers(c.x, d, false), c.dims), count_pad}, c.x, d, last);
}

// Windows of equal share over the last dims.
ops::PoolWindows shares(std::initializer_list<std::pair<int64_t, int64_t>> dims) {
  ops::PoolWindows w;
  for (auto [m, n] : dims) w.push_back({m, n, 0});
  return w;
}

}  // namespace

TEST(CudaPooling, MaximaAndTheirGradients) {
  for (auto& c : windows)
    for (bool last : {false, true})
      if (!last || (c.dims == 2 && c.x.size() == 4)) expect_maxima(c, Dtype::f32, last);
  for (Dtype d : {Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64})
    expect_maxima(windows[1], d, false);
}

TEST(CudaPooling, MeansAndTheirGradients) {
  for (auto& c : windows)
    for (bool last : {false, true})
      for (bool count_pad : {false, true})
        if (!last || (c.dims == 2 && c.x.size() == 4)) expect_means(c, Dtype::f32, last, count_pad);
  for (Dtype d : {Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::i16, Dtype::i32, Dtype::i64})
    expect_means(windows[1], d, false, true);
}

TEST(CudaPooling, WindowsOfEqualShare) {
  for (bool last : {false, true})
    for (auto& w : {shares({{9, 1}, {10, 1}}), shares({{9, 4}, {10, 3}}), shares({{9, 13}, {10, 20}}),
                    shares({{9, 9}, {10, 1}})}) {
      expect_means({w}, {2, 5, 9, 10}, Dtype::f32, last);
      expect_maxima({w}, {2, 5, 9, 10}, Dtype::f32, last);
    }
  expect_means({shares({{7, 3}, {4, 6}, {5, 2}})}, {2, 3, 7, 4, 5}, Dtype::f32, false);
  expect_maxima({shares({{7, 3}, {4, 6}, {5, 2}})}, {2, 3, 7, 4, 5}, Dtype::f32, false);
}

TEST(CudaPooling, NanWinsAndTheLowestHasAPlace) {
  Tensor x = Tensor::empty({1, 1, 4, 4}, Dtype::f32, host());
  for (int i = 0; i < 16; ++i) x.data<float>()[i] = -std::numeric_limits<float>::infinity();
  x.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  x.data<float>()[4] = 7;
  const ops::MaxPool2dWithIndices op{{{2}}};
  const Tensors want = max_pool2d_with_indices(x, op), got = max_pool2d_with_indices(moved(x, gpu()), op);
  expect_same(got[0], want[0], "maxima");
  expect_same(got[1], want[1], "places");
}

// As on the CPU: they name no element.
TEST(CudaPooling, IndicesOutsideOfTheInputCountForNothing) {
  int64_t at[] = {3, 12, -1, 5};
  const Tensor index = Tensor::from({1, 2, 2}, at), x = numbers({1, 4, 4}, Dtype::f32, false),
               grad = numbers({1, 2, 2}, Dtype::f32, false);
  const ops::MaxPoolPick pick{{ops::PoolWindow{{2}}.over(x, 2)}};
  expect_same(max_pool_pick(moved(x, gpu()), moved(index, gpu()), pick), max_pool_pick(x, index, pick), "elements");
  int64_t inside[] = {1, 3, 8, 1000};
  const Tensor some = Tensor::from({1, 2, 2}, inside);
  const ops::MaxPoolGrad back{pick.forward};
  expect_same(max_pool_grad(moved(grad, gpu()), moved(some, gpu()), back), max_pool_grad(grad, some, back), "gradient");
  gpu().synchronize();
}

}  // namespace luth::test
