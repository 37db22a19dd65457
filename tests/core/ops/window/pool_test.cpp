// Pooling beyond what the registry and the goldens test: nan, ties, bases of indices, memory formats, errors.
#include "core/ops/window/pool.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/sign.h"

namespace {

using luth::Dtype;
using luth::Shape;
using luth::Tensor;
using luth::Tensors;

using luth::ops::PoolWindow;

PoolWindow window(luth::Ints kernel, luth::Ints stride = {}, luth::Ints padding = {0}) {
  return {kernel, stride, padding};
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
    Tensors t = luth::max_pool2d_with_indices(Tensor::from({1, 3, 3}, tie), {window({k})});
    EXPECT_EQ(t[0].data<float>()[0], 5);
    EXPECT_EQ(t[1].data<int64_t>()[0], 1);
    Tensors n = luth::max_pool2d_with_indices(Tensor::from({1, 3, 3}, lost), {window({k})});
    EXPECT_TRUE(std::isnan(n[0].data<float>()[0]));
    EXPECT_EQ(n[1].data<int64_t>()[0], 1);
  }
  float low[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  Tensors t = luth::max_pool2d_with_indices(Tensor::from({1, 2, 2}, low), {window({3}, {1}, {1})});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(t[1].data<int64_t>()[i], 0) << "an index of the plane, though nothing is larger";
}

// Short rows are pooled with planes as channels: the same of each plane as of it alone, in every layout.
TEST(Pool, SmallPlanesAreEachPooledAlone) {
  for (auto [h, w, oh, ow] :
       {std::array<int64_t, 4>{7, 7, 7, 7}, {7, 7, 2, 3}, {7, 7, 1, 1}, {6, 5, 4, 4}, {1, 9, 1, 2}}) {
    Tensor x = image({5, 9, h, w});
    x.data<float>()[3] = x.data<float>()[h * w + 1] = std::nanf("");
    const Tensors all = luth::Fn<luth::ops::AdaptiveMaxPool<2>>()(x, {{oh, ow}, true});
    for (const Tensor& t : {last(x), luth::contiguous(luth::cast_to(x, Dtype::f64))}) {
      const Tensors other = luth::Fn<luth::ops::AdaptiveMaxPool<2>>()(t, {{oh, ow}, true});
      for (int64_t i = 0; i < all[0].numel(); ++i) {
        const float a = all[0].data<float>()[i];
        const Tensor o = luth::contiguous(luth::cast_to(other[0], Dtype::f32)), at = luth::contiguous(other[1]);
        EXPECT_TRUE(o.data<float>()[i] == a || (a != a && o.data<float>()[i] != o.data<float>()[i])) << i;
        EXPECT_EQ(at.data<int64_t>()[i], all[1].data<int64_t>()[i]) << i;
      }
    }
    for (int64_t plane : {0, 1, 17, 44}) {
      const Tensor one = Tensor::alias(x.storage(), {1, h, w}, {h * w, w, 1}, plane * h * w, Dtype::f32);
      const Tensors alone = luth::Fn<luth::ops::AdaptiveMaxPool<2>>()(one, {{oh, ow}, true});
      for (int64_t i = 0; i < oh * ow; ++i) {
        const float a = alone[0].data<float>()[i], b = all[0].data<float>()[plane * oh * ow + i];
        EXPECT_TRUE(a == b || (a != a && b != b)) << plane;
        EXPECT_EQ(alone[1].data<int64_t>()[i], all[1].data<int64_t>()[plane * oh * ow + i]) << plane;
      }
    }
  }
  // a volume without samples, whose strides are those of channels-last images, has depth where these have height
  Tensor volume = last(image({1, 20, 3, 4}));
  const Tensor from_volume = luth::Fn<luth::ops::AdaptiveMaxPool<3>>()(volume, {{1, 1, 1}})[0];
  EXPECT_TRUE(same(from_volume, luth::Fn<luth::ops::AdaptiveMaxPool<3>>()(luth::contiguous(volume), {{1, 1, 1}})[0]));
}

// Where nothing reads the positions of a sequence's maxima, they are not found.
TEST(Pool, SequencesWithoutPositionsHaveTheSameMaxima) {
  for (Dtype d : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::i32})
    for (int64_t n : {1, 2, 5, 70})
      for (int64_t k : {1, 2, 3, 5})
        for (int64_t stride : {1, 2, 3, 4})
          for (int64_t dilation : {1, 3})
            for (bool ceil_mode : {false, true}) {
              PoolWindow w{{k}, {{stride}}, {(dilation * (k - 1) + 1) / 2}, {dilation}, ceil_mode};
              Tensor x = image({2, 3, n}, int(n));
              if (n > 4) x.data<float>()[3] = std::nanf(""), x.data<float>()[8] = -INFINITY;
              if (d == Dtype::i32) x = image({2, 3, n}, int(n));
              x = luth::cast_to(x, d);
              if (w.padding[0] > k / 2 + (dilation - 1) * k) continue;
              const Tensors with = luth::Fn<luth::ops::MaxPool1d>()(x, {w, true});
              const Tensors alone = luth::Fn<luth::ops::MaxPool1d>()(x, {w});
              const Tensor a = luth::cast_to(with[0], Dtype::f64), b = luth::cast_to(alone[0], Dtype::f64);
              ASSERT_EQ(a.numel(), b.numel());
              for (int64_t i = 0; i < a.numel(); ++i) {
                const double u = a.data<double>()[i], v = b.data<double>()[i];
                EXPECT_TRUE(u == v || (u != u && v != v)) << n << " " << k << " " << stride << " " << dilation;
              }
            }
}

TEST(Pool, IndicesCountFromTheirBase) {
  const Tensor x = image({2, 4, 6});
  const luth::ops::MaxPool from_0{window({2}).over(x, 2), 0}, from_1{from_0.windows, 1};
  const Tensors zero = luth::max_pool(x, from_0), one = luth::max_pool(x, from_1);
  for (int64_t i = 0; i < one[1].numel(); ++i) EXPECT_EQ(one[1].data<int64_t>()[i], zero[1].data<int64_t>()[i] + 1);
  EXPECT_TRUE(same(luth::max_pool_grad(one[0], one[1], {from_1}), luth::max_pool_grad(zero[0], zero[1], {from_0})));
  EXPECT_TRUE(same(luth::max_pool_pick(x, one[1], {from_1}), zero[0]));
}

TEST(Pool, MemoryFormatsAgree) {
  Tensor x = image({2, 70, 9, 8});
  for (auto& w : {window({2}), window({3}, {2}, {1}), window({3, 2}, {1}), window({5}, {3}, {2})}) {
    const luth::ops::MaxPool op{w.over(x, 2)};
    Tensors rows = luth::max_pool(x, op), pixels = luth::max_pool(last(x), op);
    EXPECT_TRUE(pixels[0].is_channels_last());
    EXPECT_TRUE(same(rows[0], pixels[0]));
    EXPECT_TRUE(same(rows[1], pixels[1]));
    Tensor g = image(rows[0].shape(), 2), a = luth::max_pool_grad(g, rows[1], {op});
    EXPECT_TRUE(same(a, luth::max_pool_grad(last(g), pixels[1], {op})));
    EXPECT_TRUE(same(a, luth::max_pool_grad(g, pixels[1], {op})));
    EXPECT_TRUE(same(luth::max_pool_pick(x, rows[1], {op}), luth::max_pool_pick(last(x), pixels[1], {op})));
    EXPECT_TRUE(same(luth::avg_pool2d(x, {w}), luth::avg_pool2d(last(x), {w})));
  }
  EXPECT_TRUE(same(luth::adaptive_avg_pool2d(x, {{4, 3}}), luth::adaptive_avg_pool2d(last(x), {{4, 3}})));
}

// Squares side by side are computed as vectors, the last few of a row too.
TEST(Pool, SquaresOfAnyNumberInARow) {
  for (int64_t width = 2; width < 40; ++width) {
    Tensor x = image({2, 3, 6, width}, int(width));
    x.data<float>()[3 * width - 1] = std::nanf("");  // in the last square where the width is even
    const luth::ops::MaxPool op{window({2}).over(x, 2)};
    Tensors rows = luth::max_pool(x, op), pixels = luth::max_pool(last(x), op);
    EXPECT_TRUE(same(rows[1], pixels[1])) << width;
    EXPECT_TRUE(same(luth::nan_to_num(rows[0]), luth::nan_to_num(pixels[0]))) << width;
  }
}

// By the definition: every element of every window, in order.
void expect_pooled(const Tensor& x, const luth::ops::PoolWindows& w) {
  const luth::ops::PoolDim z = w.dim(0), h = w.dim(1), v = w.dim(2);
  const Tensors found = luth::max_pool(x, {w});
  const Tensor mean = luth::avg_pool(x, {w, false});
  const Shape to{z.to, h.to, v.to};
  for (int64_t i = 0; i < found[0].numel(); ++i) {
    const int64_t a = i / (h.to * v.to) % z.to, b = i / v.to % h.to, c = i % v.to;
    const float* plane = x.data<float>() + i / to.numel() * w.from.numel();
    int64_t best = -1, count = 0;
    double sum = 0;
    for (int64_t p = z.begin(a); p < z.end(a); p += z.dilation)
      for (int64_t q = h.begin(b); q < h.end(b); q += h.dilation)
        for (int64_t r = v.begin(c); r < v.end(c); r += v.dilation) {
          if (p < 0 || p >= z.from || q < 0 || q >= h.from || r < 0 || r >= v.from) continue;
          const int64_t at = (p * h.from + q) * v.from + r;
          if (best < 0 || plane[at] > plane[best]) best = at;
          sum += plane[at], ++count;
        }
    ASSERT_EQ(found[1].data<int64_t>()[i], best) << i;
    ASSERT_EQ(found[0].data<float>()[i], plane[best]) << i;
    if (z.dilation == 1 && h.dilation == 1 && v.dilation == 1) {
      ASSERT_NEAR(mean.data<float>()[i], sum / double(count), 1e-4) << i;
    }
  }
}
TEST(Pool, WindowsOfEveryRankFollowTheDefinition) {
  const Tensor volume = image({2, 3, 7, 11, 13}), plane = image({3, 20, 70}), row = image({2, 3, 150});
  auto over = [](const Tensor& x, PoolWindow w, int dims) { expect_pooled(x, w.over(x, dims)); };
  over(volume, {{2}}, 3);
  over(volume, {{3, 2, 2}, luth::Ints{1, 2, 3}, {1, 0, 1}, {1}, true}, 3);
  over(volume, {{2, 3, 2}, luth::Ints{2}, {1}, {3, 1, 2}}, 3);
  over(plane, {{1, 9}, luth::Ints{1, 4}}, 2);
  over(row, {{5}, luth::Ints{3}, {2}, {2}, true}, 1);
  luth::ops::PoolWindows shares;
  for (auto [m, n] : {std::pair{7, 3}, {11, 11}, {13, 20}}) shares.push_back({m, n, 0});
  expect_pooled(volume, shares);
}

// Where the dilation steps over a dim: the lowest value, no gradient, an index that names nothing inside.
TEST(Pool, WindowsOutsideOfTheInputPassNothingOn) {
  const Tensor x = image({1, 1, 4});
  const PoolWindow w{{2, 1}, luth::Ints{1}, {1, 0}, {2, 1}};
  const luth::ops::MaxPool op{w.over(x, 2)};
  const Tensors found = luth::max_pool(x, op);
  EXPECT_EQ(found[0].data<float>()[0], -INFINITY);
  EXPECT_EQ(found[1].data<int64_t>()[0], 4);
  EXPECT_TRUE(same(luth::max_pool_grad(x, found[1], {op}), luth::zeros_of(x)));
  EXPECT_TRUE(same(luth::max_pool_pick(x, found[1], {op}), luth::zeros_of(x)));
  int64_t at[] = {-1, 4, 2, 1000};  // nor does an index that somebody has written
  const luth::ops::MaxPool alone{window({1}).over(x, 2)};
  const Tensor picked = luth::max_pool_pick(x, Tensor::from({1, 1, 4}, at), {alone});
  for (int i : {0, 1, 3}) EXPECT_EQ(picked.data<float>()[i], 0);
  EXPECT_EQ(picked.data<float>()[2], x.data<float>()[2]);
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
    luth::max_pool2d_with_indices(image({1, 5, 5}), {window({3}, {1}, {2})});
  });
  expect("a window of 7 elements is larger than the padded input's 5", [] {
    luth::max_pool2d_with_indices(image({1, 5, 5}), {window({7})});
  });
  expect("4 dims (N, C, H, W) or 3 (C, H, W), got shape [5, 5]", [] {
    luth::max_pool2d_with_indices(image({5, 5}), {window({2})});
  });
  expect("stride must be at least 1", [] { luth::max_pool2d_with_indices(image({1, 5, 5}), {window({2}, {0})}); });
}

}  // namespace
