// Pooling beyond what the registry and the goldens test: nan, ties, bases of indices, memory formats, errors.
#include "core/ops/window/pool.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/elementwise/copy.h"

namespace {

using luth::Dtype;
using luth::Shape;
using luth::Tensor;
using luth::Tensors;

luth::ops::MaxPool2dWithIndices window(luth::Ints kernel, luth::Ints stride = {}, luth::Ints padding = {0}) {
  luth::ops::MaxPool2dWithIndices op;
  op.kernel_size = kernel;
  if (!stride.empty()) op.stride = stride;
  op.padding = padding;
  return op;
}
Tensor image(const Shape& shape, int seed = 1) {
  Tensor t = Tensor::empty(shape, Dtype::f32, luth::host());
  uint32_t x = uint32_t(seed);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float((x = x * 1664525u + 1013904223u) >> 24);
  return t;
}
Tensor last(const Tensor& t) { return luth::contiguous(t, {luth::MemoryFormat::channels_last}); }
bool same(const Tensor& a, const Tensor& b) {
  Tensor x = luth::contiguous(cast_to(a, Dtype::f64)), y = luth::contiguous(cast_to(b, Dtype::f64));
  if (!(x.shape() == y.shape())) return false;
  for (int64_t i = 0; i < x.numel(); ++i)
    if (x.data<double>()[i] != y.data<double>()[i]) return false;
  return true;
}

TEST(Pool, NansWinAndTiesGoToTheFirst) {
  float nan = std::nanf("");
  for (int64_t k : {2, 3}) {  // the code for pairs and the code for any window
    float tie[] = {1, 5, 5, 5, 5, 5, 0, 0, 0}, lost[] = {1, nan, 3, 2, 9, 9, 9, 9, 9};
    Tensors t = luth::max_pool2d_with_indices(Tensor::from({1, 3, 3}, tie), window({k}));
    EXPECT_EQ(t[0].data<float>()[0], 5);
    EXPECT_EQ(t[1].data<int64_t>()[0], 1);
    Tensors n = luth::max_pool2d_with_indices(Tensor::from({1, 3, 3}, lost), window({k}));
    EXPECT_TRUE(std::isnan(n[0].data<float>()[0]));
    EXPECT_EQ(n[1].data<int64_t>()[0], 1);
  }
  float low[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  Tensors t = luth::max_pool2d_with_indices(Tensor::from({1, 2, 2}, low), window({3}, {1}, {1}));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(t[1].data<int64_t>()[i], 0) << "an index of the plane, though nothing is larger";
}

TEST(Pool, IndicesCountFromTheirBase) {
  auto op = window({2});
  Tensors zero = luth::max_pool2d_with_indices(image({2, 4, 6}), op);
  op.base = 1;
  Tensors one = luth::max_pool2d_with_indices(image({2, 4, 6}), op);
  for (int64_t i = 0; i < one[1].numel(); ++i) EXPECT_EQ(one[1].data<int64_t>()[i], zero[1].data<int64_t>()[i] + 1);
  EXPECT_TRUE(same(luth::pool_scatter(one[0], one[1], {{4, 6}, 1}), luth::pool_scatter(zero[0], zero[1], {{4, 6}, 0})));
  EXPECT_TRUE(same(luth::pool_gather(image({2, 4, 6}), one[1], {1}), zero[0]));
}

TEST(Pool, MemoryFormatsAgree) {
  Tensor x = image({2, 70, 9, 8});
  for (auto& op : {window({2}), window({3}, {2}, {1}), window({3, 2}, {1}), window({5}, {3}, {2})}) {
    Tensors rows = luth::max_pool2d_with_indices(x, op), pixels = luth::max_pool2d_with_indices(last(x), op);
    EXPECT_TRUE(pixels[0].is_channels_last());
    EXPECT_TRUE(same(rows[0], pixels[0]));
    EXPECT_TRUE(same(rows[1], pixels[1]));
    Tensor g = image(rows[0].shape(), 2), a = luth::pool_scatter(g, rows[1], {{9, 8}, 0});
    EXPECT_TRUE(same(a, luth::pool_scatter(last(g), pixels[1], {{9, 8}, 0})));
    EXPECT_TRUE(same(a, luth::pool_scatter(g, pixels[1], {{9, 8}, 0})));
    luth::ops::AvgPool2d mean;
    static_cast<luth::ops::PoolWindow&>(mean) = op;
    EXPECT_TRUE(same(luth::avg_pool2d(x, mean), luth::avg_pool2d(last(x), mean)));
  }
  EXPECT_TRUE(same(luth::adaptive_avg_pool2d(x, {{4, 3}}), luth::adaptive_avg_pool2d(last(x), {{4, 3}})));
}

TEST(Pool, ErrorsSayWhatDoesNotFit) {
  auto expect = [](const std::string& want, auto&& f) {
    std::string got = "no error";
    try {
      f();
    } catch (const luth::Error& e) { got = e.what(); }
    EXPECT_NE(got.find(want), std::string::npos) << got;
  };
  expect("padding of 2 is more than half of the window's 3", [] {
    luth::max_pool2d_with_indices(image({1, 5, 5}), window({3}, {1}, {2}));
  });
  expect("a window of 7 elements is larger than the padded input's 5", [] {
    luth::max_pool2d_with_indices(image({1, 5, 5}), window({7}));
  });
  expect("4 dims (N, C, H, W) or 3 (C, H, W), got shape [5, 5]", [] {
    luth::max_pool2d_with_indices(image({5, 5}), window({2}));
  });
  expect("stride must be at least 1", [] { luth::max_pool2d_with_indices(image({1, 5, 5}), window({2}, {0})); });
  expect("index 24 is outside of a plane of 24 elements", [] {
    int64_t at = 24;
    luth::pool_scatter(image({1, 1, 1}), Tensor::from({1, 1, 1}, &at), {{4, 6}, 0});
  });
}

}  // namespace
