// The loop of elementwise kernels against plain indexing: permuted, expanded, stepped and 1-element operands, results
// in any layout, numbers, sizes around the blocks into which strided operands are packed, and around the parallel
// grain.
#include "devices/cpu/kernels/common/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/tensor/tensor.h"
// Kernel libraries hide their symbols, so the walk comes from its source.
#include "devices/cpu/kernels/common/loops.cpp"

namespace {

using namespace luth;

class Layouts {
 public:
  explicit Layouts(unsigned seed) : random_(seed) {}
  int64_t upto(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random_); }

  /// A tensor of this shape over memory of random values; extents may be expanded (stride 0) where the tensor is read
  /// only.
  template <class T>
  Tensor make(const Shape& shape, bool writable) {
    int n = shape.size();
    int order[max_dims];
    for (int i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order, order + n, random_);
    Strides st = Tensor::empty(shape, dtype_of<T>, host()).strides();
    int64_t size = 1;
    for (int i = n - 1; i >= 0; --i) {
      if (!writable && upto(3) == 0) {
        st[order[i]] = 0;
        continue;
      }
      int64_t step = upto(2) == 0 ? 2 : 1;
      st[order[i]] = size * step;
      size *= step * std::max<int64_t>(1, shape[order[i]]);
    }
    Tensor whole = Tensor::empty({size}, dtype_of<T>, host());
    for (int64_t i = 0; i < size; ++i) whole.data<T>()[i] = T(upto(100));
    return Tensor::alias(whole.storage(), shape, st, 0, dtype_of<T>);
  }
  Shape shape() {
    static const int64_t extents[] = {1, 2, 3, 7, 64, 511, 512, 513, 1100};
    Shape s;
    int64_t numel = 1, dims = upto(4);
    for (int64_t i = 0; i < dims; ++i) {
      int64_t e = extents[upto(8)];
      if (numel * e > 100000) e = 1;
      numel *= e;
      s.push_back(e);
    }
    return s;
  }

 private:
  std::mt19937 random_;
};

template <class T>
T& at(const Tensor& t, int64_t linear) {
  int64_t offset = 0;
  for (int d = t.dim() - 1; d >= 0; --d) {
    offset += linear % t.shape()[d] * t.strides()[d];
    linear /= t.shape()[d];
  }
  return t.data<T>()[offset];
}

TEST(ElementwiseLoop, MatchesPlainIndexing) {
  Layouts layouts(7);
  for (int round = 0; round < 150; ++round) {
    Shape shape = layouts.shape();
    Tensor a = layouts.make<float>(shape, false), b = layouts.make<float>(shape, false);
    Tensor out = layouts.make<double>(shape, true), mask = layouts.make<uint8_t>(shape, false);
    cpu::elementwise_loop<double, float, float>(
        out, [](float x, float y) { return double(x - 2 * y); }, Value(a), Value(b));
    for (int64_t i = 0; i < out.numel(); ++i)
      ASSERT_EQ(at<double>(out, i), at<float>(a, i) - 2 * at<float>(b, i)) << "round " << round << " element " << i;
    cpu::elementwise_loop<double, uint8_t, float, float>(
        out, [](uint8_t m, float x, float y) { return double(m > 50 ? x : y); }, Value(mask), Value(a), Value(3.0));
    for (int64_t i = 0; i < out.numel(); ++i)
      ASSERT_EQ(at<double>(out, i), at<uint8_t>(mask, i) > 50 ? at<float>(a, i) : 3.f) << "round " << round;
  }
}

TEST(ElementwiseLoop, TakesNumbersOnEitherSide) {
  Layouts layouts(8);
  for (int round = 0; round < 100; ++round) {
    Tensor a = layouts.make<int32_t>(layouts.shape(), false), out = layouts.make<int32_t>(a.shape(), true);
    auto minus = [](int32_t x, int32_t y) { return x - y; };
    cpu::elementwise_loop<int32_t, int32_t, int32_t>(out, minus, Value(a), Value(5));
    for (int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(at<int32_t>(out, i), at<int32_t>(a, i) - 5);
    cpu::elementwise_loop<int32_t, int32_t, int32_t>(out, minus, Value(5), Value(a));
    for (int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(at<int32_t>(out, i), 5 - at<int32_t>(a, i));
    cpu::elementwise_loop<int32_t, int32_t, int32_t>(out, minus, Value(9), Value(5));
    for (int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(at<int32_t>(out, i), 4);
  }
}

TEST(ElementwiseLoop, MayWriteIntoAnInput) {
  Layouts layouts(9);
  for (int round = 0; round < 100; ++round) {
    Tensor a = layouts.make<int64_t>(layouts.shape(), true);
    std::vector<int64_t> before;
    for (int64_t i = 0; i < a.numel(); ++i) before.push_back(at<int64_t>(a, i));
    cpu::elementwise_loop<int64_t, int64_t>(
        a, [](int64_t x) { return 3 * x + 1; }, Value(a));
    for (int64_t i = 0; i < a.numel(); ++i) ASSERT_EQ(at<int64_t>(a, i), 3 * before[size_t(i)] + 1);
  }
}

}  // namespace
