// Matrix products beyond what the registry tests: sizes that reach each code path, layouts, dtypes, threads.
#include "core/ops/linalg/matmul.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "core/base/threads.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"

namespace {

using luth::Dtype;
using luth::Shape;
using luth::Tensor;

// Small integers, so that products are exact in every dtype but the narrowest.
Tensor numbers(const Shape& shape, Dtype dtype = Dtype::f32, int seed = 1) {
  Tensor t = Tensor::empty(shape, Dtype::f32, luth::host());
  uint32_t x = uint32_t(seed) * 2654435761u;
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float(int((x = x * 1664525u + 1013904223u) >> 29) - 3);
  return cast_to(t, dtype);
}
double at(const Tensor& t, std::initializer_list<int64_t> index) {
  int64_t offset = t.offset(), d = 0;
  for (int64_t i : index) offset += i * t.strides()[d++];
  return Tensor::alias(t.storage(), {}, {}, offset, t.dtype()).item().value();
}
void expect_product(const Tensor& a, const Tensor& b, const Tensor& y) {
  ASSERT_EQ(y.shape(), (Shape{a.shape(0), b.shape(1)}));
  for (int64_t i = 0; i < y.shape(0); i += 1 + y.shape(0) / 7)
    for (int64_t j = 0; j < y.shape(1); j += 1 + y.shape(1) / 7) {
      double sum = 0;
      for (int64_t k = 0; k < a.shape(1); ++k) sum += at(a, {i, k}) * at(b, {k, j});
      ASSERT_EQ(at(y, {i, j}), sum) << i << ", " << j << " of " << to_string(y.shape());
    }
}

TEST(Matmul, EverySizeAndLayoutIsExact) {
  struct Size {
    int64_t m, n, k;
  };
  for (Size s :
       {Size{1, 1, 1}, {3, 5, 0}, {7, 17, 9}, {1, 300, 40}, {300, 1, 40}, {40, 50, 60}, {130, 70, 200}, {500, 300, 64}})
    for (int layout = 0; layout < 8; ++layout) {
      auto operand = [&](int64_t rows, int64_t cols, int kind) {
        if (kind == 1) return Tensor(luth::transpose(numbers({cols, rows}), {0, 1}));
        if (kind == 2) return Tensor(luth::slice(numbers({rows, 2 * cols + 1}), {1, 0, 2 * cols, 2}));
        return numbers({rows, cols});
      };
      Tensor a = operand(s.m, s.k, layout % 3), b = operand(s.k, s.n, layout / 3);
      expect_product(a, b, luth::mm(a, b));
    }
}

// Few rows with a transposed matrix have loops of their own.
TEST(Matmul, FewRowsOfEveryDepth) {
  for (int64_t m : {1, 2, 3, 4, 5, 7, 16, 31, 32, 33})
    for (int64_t k : {1, 4, 15, 16, 17, 100, 130, 2047, 2048, 2049, 5000})
      for (int64_t n : {1, 3, 4, 9}) {
        Tensor a = numbers({m, k}), b = luth::transpose(numbers({n, k}, Dtype::f32, 2), {0, 1}), c = numbers({m, n});
        expect_product(a, b, luth::mm(a, b));
        Tensor y = luth::addmm(c, a, b, {{.beta = 2, .alpha = 3}});
        EXPECT_EQ(at(y, {m - 1, n - 1}), 3 * at(luth::mm(a, b), {m - 1, n - 1}) + 2 * at(c, {m - 1, n - 1}));
      }
}
TEST(Matmul, LongSumsKeepTheirDigits) {
  const int64_t k = 1000000;
  Tensor a = Tensor::empty({2, k}, Dtype::f32, luth::host());
  for (int64_t i = 0; i < a.numel(); ++i) a.data<float>()[i] = 0.1f;
  Tensor b = Tensor::empty({3, k}, Dtype::f32, luth::host());
  for (int64_t i = 0; i < b.numel(); ++i) b.data<float>()[i] = 1;
  EXPECT_NEAR(at(luth::mm(a, luth::transpose(b, {0, 1})), {1, 2}) / (0.1f * double(k)), 1, 1e-4);
}

TEST(Matmul, EveryDtype) {
  for (Dtype d :
       {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::u8, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64}) {
    Tensor a = numbers({9, 5}, Dtype::f32), b = numbers({5, 20}, Dtype::f32, 2);
    if (d == Dtype::u8) a = luth::fill(a, 3), b = luth::fill(b, 2);
    a = cast_to(a, d);
    b = cast_to(b, d);
    Tensor y = luth::mm(a, b);
    EXPECT_EQ(y.dtype(), d);
    expect_product(a, b, y);
    Tensor v = luth::mv(a, luth::select(b, {1, 3}));
    for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(at(v, {i}), at(y, {i, 3}));
    EXPECT_EQ(luth::dot(luth::select(a, {0, 2}), luth::select(b, {1, 3})).item().value(), at(y, {2, 3}));
    Tensor added = luth::addmm(y, a, b, {{.beta = 2, .alpha = 3}});
    EXPECT_EQ(at(added, {4, 7}), at(cast_to(Tensor::scalar(5 * at(y, {4, 7}), Dtype::f64), d), {}));
  }
}

TEST(Matmul, BatchesMayBeStridedOrRepeated) {
  Tensor a = luth::transpose(numbers({30, 6, 40}), {0, 1}), b = luth::expand(numbers({40, 25}), {{6, 40, 25}});
  Tensor y = luth::bmm(a, b);
  for (int64_t i = 0; i < 6; ++i)
    expect_product(luth::select(a, {0, i}), luth::select(b, {0, i}), luth::select(y, {0, i}));
}

// Numbers whose sums are rounded.
Tensor rounded(const Shape& shape, Dtype dtype = Dtype::f32) {
  Tensor t = numbers(shape);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] *= 0.1f + float(i % 13) / 7;
  return cast_to(t, dtype);
}
void expect_same_bits_with_threads(const std::function<std::vector<Tensor>()>& all) {
  const int before = luth::num_threads();
  luth::set_num_threads(1);
  const auto one = all();
  for (int threads : {2, 3, 7}) {
    luth::set_num_threads(threads);
    const auto many = all();
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(std::memcmp(one[i].raw(), many[i].raw(), one[i].bytes()), 0) << i << " with " << threads << " threads";
  }
  luth::set_num_threads(before);
}

TEST(Matmul, BitsDoNotDependOnThreads) {
  Tensor a = rounded({700, 300}), b = rounded({300, 500}), x = rounded({8, 64, 100}), w = rounded({100, 900});
  expect_same_bits_with_threads([&]() -> std::vector<Tensor> {
    return {luth::mm(a, b), luth::matmul(x, w), luth::mv(a, luth::select(b, {1, 0})),
            luth::linear(a, luth::transpose(b, {0, 1}), {})};
  });
}

// Tiles of all heights and widths round alike what they add.
TEST(Matmul, BitsDoNotDependOnRows) {
  for (int64_t n : {5, 8, 9, 16, 20, 32, 33}) {
    const Tensor a = rounded({28, 8}), b = rounded({8, n}), c = rounded({28, n});
    auto of = [&](int64_t rows) {
      auto first = [&](const Tensor& t) { return luth::slice(t, {.dim = 0, .start = 0, .end = rows}); };
      return luth::addmm(first(c), first(a), b, {{.beta = 0.3, .alpha = 1.7}});
    };
    const Tensor whole = of(28);
    for (int64_t rows = 4; rows < 28; ++rows) {
      const Tensor part = of(rows);
      EXPECT_EQ(std::memcmp(part.raw(), whole.raw(), part.bytes()), 0) << rows << " rows of " << n;
    }
  }
}

// Sizes that are shared among threads, by each of the loops for products.
TEST(Matmul, BitsOfLargeProductsDoNotDependOnThreads) {
  struct Product {
    Tensor a, b, c;
  };
  std::vector<Product> products;
  using Size = std::array<int64_t, 3>;
  for (Dtype d : {Dtype::f32, Dtype::f64})
    for (auto [m, n, k] : {Size{1, 5003, 900}, {3, 3001, 500}, {17, 1003, 300}, {5003, 1, 900}, {130, 2100, 300}})
      for (int layout = 0; layout < 4; ++layout) {
        auto operand = [&](int64_t rows, int64_t cols, bool turned) {
          return turned ? Tensor(luth::transpose(rounded({cols, rows}, d), {0, 1})) : rounded({rows, cols}, d);
        };
        products.push_back({operand(m, k, layout & 1), operand(k, n, layout & 2), rounded({m, n}, d)});
      }
  expect_same_bits_with_threads([&] {
    std::vector<Tensor> results;
    for (const Product& p : products) results.push_back(luth::addmm(p.c, p.a, p.b, {{.beta = 2, .alpha = 3}}));
    return results;
  });
}

TEST(Matmul, BetaOfZeroIgnoresInput) {
  Tensor nan = luth::full({4}, std::nan(""), Dtype::f32, luth::host());
  Tensor y = luth::addmm(nan, numbers({3, 5}), numbers({5, 4}), {{.beta = 0}});
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(y.data<float>()[i], y.data<float>()[i]);
  EXPECT_EQ(at(luth::addmm(numbers({4}), numbers({3, 0}), numbers({0, 4})), {2, 1}), at(numbers({4}), {1}));
}

TEST(Matmul, ErrorsSayWhatDoesNotFit) {
  auto text = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const luth::Error& e) { return e.what(); }
    return "no error";
  };
  EXPECT_EQ(text([] {
              luth::mm(numbers({2, 3}), numbers({4, 5}));
            }),
            "mm(float32[2, 3], float32[4, 5]): shapes [2, 3] and [4, 5] cannot be multiplied: rows of the first have 3 "
            "elements, columns of the second 4");
  EXPECT_NE(text([] {
              luth::mm(numbers({2, 3}), numbers({3}));
            }).find("mat2 must be a matrix, got shape [3]"),
            std::string::npos);
  EXPECT_NE(text([] {
              luth::mm(numbers({2, 3}), numbers({3, 2}, Dtype::f64));
            }).find("one dtype, got float32 and float64"),
            std::string::npos);
  EXPECT_NE(text([] {
              luth::linear(numbers({2, 3}), numbers({5, 4}), {});
            }).find("weight of shape [5, 4] wants 4"),
            std::string::npos);
  EXPECT_NE(text([] { luth::matmul(numbers({}), numbers({3})); }).find("at least one dim"), std::string::npos);
  EXPECT_NE(text([] {
              luth::addmm(numbers({3}), numbers({2, 3}), numbers({3, 4}));
            }).find("does not broadcast to [2, 4]"),
            std::string::npos);
}

}  // namespace
