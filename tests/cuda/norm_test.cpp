// Softmax, norms and losses on CUDA against the CPU, for lengths of rows that the registry's samples do not reach: of
// parts of a warp, of several warps, above what registers hold, off the 16-byte boundaries, and none at all.
#include <gtest/gtest.h>

#include <limits>

#include "core/ops/norm.h"
#include "core/ops/softmax.h"
#include "gpu.h"

namespace luth::test {
namespace {

/// Numbers from -2 to 2 that repeat late; `offset`: elements of the storage before the first.
Tensor numbers(const Shape& shape, Dtype d, int seed = 1, int64_t offset = 0, double low = -2, double high = 2) {
  int64_t n = shape.numel();
  Tensor t = Tensor::empty({n + offset}, Dtype::f64, host());
  uint32_t s = uint32_t(seed) * 2654435761u + 1;
  for (int64_t i = 0; i < n + offset; ++i) {
    s = s * 1664525u + 1013904223u;
    t.data<double>()[i] = low + (high - low) * double(s >> 8) / double(1 << 24);
  }
  t = copy_of(t, d);
  return Tensor::alias(t.storage(), shape, contiguous_strides(shape), offset, d);
}
double tolerance(Dtype d) { return d == Dtype::f16 ? 4e-3 : d == Dtype::bf16 ? 3e-2 : d == Dtype::f32 ? 1e-5 : 1e-11; }
/// f(inputs) on the GPU is what it is on the CPU.
template <class F>
void expect_same(const Inputs& in, F f, double times = 1) {
  Inputs there;
  for (auto& v : in) there.push_back(v.is_tensor() ? Value(moved(v.tensor(), gpu())) : v);
  const Tensors want = f(in), got = home(f(there));
  double t = 0;
  for (auto& y : want) t = std::max(t, tolerance(y.dtype()));
  EXPECT_EQ(difference(got, want, times * t, times * t), "");
}

constexpr int64_t lengths[] = {1, 31, 33, 128, 1000, 1025, 4099, 50257};
constexpr Dtype dtypes[] = {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16};

TEST(Softmax, RowsOfAnyLength) {
  for (const int64_t n : lengths)
    for (const Dtype d : dtypes)
      for (const int64_t offset : {0, 1}) {
        SCOPED_TRACE(fmt::format("{} rows of {} {} at {}", n > 5000 ? 2 : 5, n, name(d), offset));
        const Shape s{n > 5000 ? 2 : 5, n};
        expect_same({numbers(s, d, 1, offset)}, [](const Inputs& in) {
          return Tensors{softmax(in[0], {.dim = 1}), log_softmax(in[0], {.dim = 1}), logsumexp(in[0], {.dim = {1}})};
        });
        expect_same(
            {numbers(s, d, 2, offset), numbers(s, d, 3)},
            [](const Inputs& in) {
              return Tensors{softmax_backward(in[0], in[1], {.dim = 1}),
                             log_softmax_backward(in[0], in[1], {.dim = 1})};
            },
            20);
      }
}
TEST(Softmax, RowsThatAreColumns) {
  for (const Shape& s :
       {Shape{2, 5, 3}, Shape{3, 1000, 1, 7}, Shape{1, 33, 1000}, Shape{4, 1, 31}, Shape{2, 1025, 300}})
    for (const Dtype d : dtypes) {
      SCOPED_TRACE(fmt::format("{} {}", to_string(s), name(d)));
      expect_same({numbers(s, d)}, [](const Inputs& in) {
        return Tensors{softmax(in[0], {.dim = 1}), log_softmax(in[0], {.dim = 1}), logsumexp(in[0], {.dim = {1}})};
      });
      expect_same(
          {numbers(s, d, 2), numbers(s, d, 3)},
          [](const Inputs& in) {
            return Tensors{softmax_backward(in[0], in[1], {.dim = 1}), log_softmax_backward(in[0], in[1], {.dim = 1})};
          },
          20);
    }
}
TEST(Softmax, NothingAndInfinities) {
  auto all = [](const Inputs& in) {
    return Tensors{softmax(in[0], {.dim = 1}), log_softmax(in[0], {.dim = 1}), logsumexp(in[0], {.dim = {1}})};
  };
  for (const Shape& s : {Shape{0, 4}, Shape{4, 0}, Shape{2, 0, 3}}) expect_same({numbers(s, Dtype::f32)}, all);
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t n : {7, 40, 9001})
    for (const int64_t inner : {1, 3}) {
      SCOPED_TRACE(fmt::format("{} {}", n, inner));
      Tensor x = numbers({6, n, inner}, Dtype::f32);
      auto put = [&](int64_t row, int64_t i, float v) { x.data<float>()[(row * n + i) * inner] = v; };
      for (int64_t i = 0; i < n; ++i) put(0, i, -inf);
      put(1, n - 1, inf);
      put(2, n - 2, nan);
      put(3, n - 3, inf), put(3, n - 1, nan);
      put(4, 0, -inf), put(4, n - 1, 88);
      put(5, 0, -3e38f), put(5, n - 1, -3e38f);
      expect_same({x}, all);
    }
}

}  // namespace
}  // namespace luth::test
