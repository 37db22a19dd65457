// Softmax, norms and losses on CUDA against the CPU, for lengths of rows that the registry's samples do not reach: of
// parts of a warp, of several warps, above what registers hold, off the 16-byte boundaries, and none at all.
#include <gtest/gtest.h>

#include <limits>

#include "core/nn/norm.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/norm.h"
#include "core/ops/nn/softmax.h"
#include "tests/devices/cuda/gpu.h"

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

// ---- losses --------------------------------------------------------------------------------------------------------

Tensor labels(const Shape& shape, int64_t classes, Dtype d) {
  Tensor t = Tensor::empty(shape, Dtype::i64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<int64_t>()[i] = i % 5 == 3 ? 1 : (i * 7919 + 5) % classes;
  return copy_of(t, d);
}
constexpr const char* reductions[] = {"mean", "sum", "none"};

void check_losses(const Shape& s, Dtype d, bool weighted, double smoothing, Dtype label_dtype) {
  Shape rows = s;
  rows.erase(s.size() == 1 ? 0 : 1);
  const int64_t classes = s[s.size() == 1 ? 0 : 1];
  const Tensor w = weighted ? numbers({classes}, d, 5, 0, 0.2, 2) : Tensor();
  const Tensor target = labels(rows, classes, label_dtype);
  for (const char* reduction : reductions) {
    SCOPED_TRACE(
        fmt::format("{} {} {} weighted {} smoothing {}", to_string(s), name(d), reduction, weighted, smoothing));
    const double larger = d == Dtype::f32 && s.numel() > 10000 ? 10 : 3;  // sums of many
    expect_same(
        {numbers(s, d), target, w},
        [&](const Inputs& in) {
          return cross_entropy_labels(in[0], in[1], in[2], {1, reduction, smoothing, 0});
        },
        larger);
    if (smoothing == 0)
      expect_same(
          {numbers(s, d), target, w},
          [&](const Inputs& in) {
            return nll_loss_labels(in[0], in[1], in[2], {1, reduction, 0});
          },
          larger);
  }
  const Dtype wide = d == Dtype::f64 ? d : Dtype::f32;
  expect_same({numbers(rows, wide, 3, 0, 0.1, 1), numbers(s, d), numbers(rows, wide, 4, 0, 0, 5), target, w},
              [&](const Inputs& in) {
                return Tensors{cross_entropy_backward(in[0], in[1], in[2], in[3], in[4], {1, smoothing, 0})};
              });
  expect_same({numbers(rows, wide, 3), target}, [&](const Inputs& in) {
    return Tensors{nll_loss_backward(in[0], in[1], {s, 1, 0})};
  });
}
TEST(Loss, RowsOfAnyLength) {
  for (const int64_t n : lengths)
    for (const Dtype d : dtypes) check_losses({n > 5000 ? 3 : 13, n}, d, n % 2 == 0, n % 3 == 0 ? 0.1 : 0, Dtype::i64);
  for (const double smoothing : {0.0, 0.2})
    for (const bool weighted : {false, true}) check_losses({5, 300}, Dtype::f32, weighted, smoothing, Dtype::i16);
  check_losses({70}, Dtype::f32, true, 0.1, Dtype::i32);
}
TEST(Loss, RowsThatAreColumns) {
  for (const Dtype d : dtypes) check_losses({2, 21, 5, 9}, d, true, 0.1, Dtype::u8);
  check_losses({1, 3, 1000}, Dtype::f32, false, 0, Dtype::i8);
  check_losses({2, 300, 40}, Dtype::f32, true, 0, Dtype::i64);
}
// More than a block sums up.
TEST(Loss, ManyLabels) {
  check_losses({20001, 3}, Dtype::f32, true, 0, Dtype::i64);
  check_losses({0, 3}, Dtype::f32, true, 0, Dtype::i64);
}
// Their logarithms of sums, in float, have lost digits of the losses.
TEST(Loss, OfLargeLogits) {
  const Tensor target = labels({13}, 300, Dtype::i64);
  for (const double smoothing : {0.0, 0.1})
    expect_same({numbers({13, 300}, Dtype::f32, 1, 0, 19990, 20010), target}, [&](const Inputs& in) {
      const Tensors y = cross_entropy_labels(in[0], in[1], Value(), {-100, "none", smoothing, 0});
      return Tensors{y[0], cross_entropy_backward(y[2], in[0], y[1], in[1], Value(), {-100, smoothing, 0})};
    });
}
TEST(Loss, LabelOutOfRangeIsAnErrorOfTheNextWait) {
  const Tensor x = moved(numbers({6, 10}, Dtype::f32), gpu());
  Tensor target = labels({6}, 10, Dtype::i64);
  for (const int base : {0, 1}) {
    for (int i = 0; i < 6; ++i) target.data<int64_t>()[i] = i + base;  // one is wrong: of several any may be reported
    target.data<int64_t>()[4] = 10 + base;
    const Tensor there = moved(target, gpu());
    cross_entropy_labels(x, there, Value(), {-100, "mean", 0, base});
    try {
      gpu().synchronize();
      FAIL() << "nothing was said";
    } catch (const Error& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find(fmt::format("target holds {} at position {}", 10 + base, 4 + base)), std::string::npos)
          << what;
    }
    gpu().synchronize();  // once
  }
}

// ---- norms ---------------------------------------------------------------------------------------------------------

void check_layer_norm(int64_t rows, int64_t n, Dtype d, Dtype weights, int64_t offset) {
  SCOPED_TRACE(fmt::format("{} rows of {} {} with {} at {}", rows, n, name(d), name(weights), offset));
  const Dtype wide = d == Dtype::f64 ? d : Dtype::f32;
  const Tensor x = numbers({rows, n}, d, 1, offset, 3, 5), w = numbers({n}, weights, 2), b = numbers({n}, weights, 3);
  expect_same(
      {x, w, b},
      [](const Inputs& in) {
        return native_layer_norm(in[0], in[1], in[2], {1, 1e-5});
      },
      10);
  expect_same(
      {x},
      [](const Inputs& in) {
        return native_layer_norm(in[0], Value(), Value(), {1, 1e-5});
      },
      10);
  expect_same(
      {numbers({rows, n}, d, 4, offset), x, w, numbers({rows, 1}, wide, 5, 0, 3.9, 4.1),
       numbers({rows, 1}, wide, 6, 0, 1, 2)},
      [](const Inputs& in) {
        return layer_norm_backward(in[0], in[1], in[2], in[3], in[4], {1, true});
      },
      20);
}
TEST(LayerNorm, RowsOfAnyLength) {
  for (const int64_t n : lengths)
    for (const Dtype d : dtypes)
      for (const int64_t offset : {0, 3}) check_layer_norm(n > 5000 ? 3 : 20, n, d, d, offset);
  for (const Dtype d : {Dtype::f16, Dtype::bf16}) check_layer_norm(9, 768, d, Dtype::f32, 0);
  check_layer_norm(9, 768, Dtype::f16, Dtype::bf16, 0);
  check_layer_norm(0, 40, Dtype::f32, Dtype::f32, 0);
  check_layer_norm(3000, 72, Dtype::f32, Dtype::f32, 0);  // gradients of weights in parts
  check_layer_norm(3000, 7, Dtype::f16, Dtype::f16, 0);
}
// A large mean costs no digits of the variance.
TEST(LayerNorm, VarianceFarFromZero) {
  expect_same(
      {numbers({4, 3000}, Dtype::f32, 1, 0, 10000, 10001)},
      [](const Inputs& in) {
        return native_layer_norm(in[0], Value(), Value(), {1, 1e-5});
      },
      1000);
}

Tensor channels_last(const Tensor& t) {
  const Strides st = channels_last_strides(t.shape());
  Tensor out = Tensor::empty(t.shape(), t.dtype(), host(), &st);
  copy.into(out, t);
  return out;
}
void check_batch_norm(const Shape& s, Dtype d, Dtype weights, bool last) {
  SCOPED_TRACE(fmt::format("{} {} with {}, channels last {}", to_string(s), name(d), name(weights), last));
  const Dtype wide = d == Dtype::f64 ? d : Dtype::f32;
  const int64_t c = s[1];
  auto laid = [&](const Tensor& t) { return last ? channels_last(t) : t; };
  const Tensor x = laid(numbers(s, d, 1, 0, 2, 5)), grad = laid(numbers(s, d, 4, 0, -1, 2));
  const Tensor w = numbers({c}, weights, 2), b = numbers({c}, weights, 3);
  const Tensor mean = numbers({c}, wide, 5, 0, 3, 4), var = numbers({c}, wide, 6, 0, 0.5, 1);
  expect_same(
      {x, w, b}, [](const Inputs& in) { return batch_norm_train(in[0], in[1], in[2], {1e-5}); }, 10);
  expect_same(
      {x}, [](const Inputs& in) { return batch_norm_train(in[0], Value(), Value(), {1e-5}); }, 10);
  expect_same(
      {x, mean, w, b},
      [](const Inputs& in) {
        return Tensors{channel_affine(in[0], in[1], in[2], in[3]), channel_affine(in[0], Value(), in[2], Value())};
      },
      3);
  // sums of many numbers, whose rounding goes with their size rather than with the sum's
  const double larger = d == Dtype::f32 ? 3 * std::max(10.0, double(s.numel() / c) / 50) : 20;
  expect_same(
      {grad, x, w, mean, var},
      [](const Inputs& in) { return batch_norm_backward(in[0], in[1], in[2], in[3], in[4], {1e-5}); }, larger);
}
TEST(BatchNorm, ChannelsOfAnySize) {
  for (const Shape& s : {Shape{4, 3, 7, 7}, Shape{33, 5, 1, 1}, Shape{2, 1, 100, 90}, Shape{3, 70, 9},
                         Shape{70, 2, 33, 5}, Shape{1, 2, 200, 203}, Shape{64, 40}, Shape{3, 16, 8, 8}})
    for (const Dtype d : dtypes)
      for (const bool last : {false, true})
        if (!last || s.size() == 4) check_batch_norm(s, d, d, last);
  for (const bool last : {false, true}) {
    check_batch_norm({4, 24, 5, 5}, Dtype::f16, Dtype::f32, last);
    check_batch_norm({4, 24, 5, 5}, Dtype::bf16, Dtype::f16, last);
    check_batch_norm({20, 8, 40, 41}, Dtype::f32, Dtype::f32, last);  // in parts
  }
}
// Running statistics move on the device, also as the mean over all batches.
TEST(BatchNorm, TrainsWithoutAWait) {
  for (const std::optional<double> momentum : {std::optional<double>(0.3), std::optional<double>()}) {
    nn::BatchNorm2d::Spec spec;
    spec.num_features = 3;
    spec.momentum = momentum;
    auto here = nn::create<nn::BatchNorm2d>(spec), there = nn::create<nn::BatchNorm2d>(spec);
    there->to({}, &gpu());
    for (int step = 0; step < 3; ++step) {
      const Tensor x = numbers({4, 3, 5, 5}, Dtype::f32, step), far = moved(x, gpu());
      gpu().synchronize();
      const int64_t waits = gpu().host_waits();
      const Tensor y = (*there)(far);
      EXPECT_EQ(gpu().host_waits(), waits);
      EXPECT_EQ(difference(home(y), (*here)(x), 1e-5, 1e-5), "");
    }
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(difference(home(there->buffer(i)), here->buffer(i), 1e-5, 1e-5), "") << "buffer " << i;
  }
}
TEST(BatchNorm, VarianceFarFromZero) {
  for (const bool last : {false, true}) {
    SCOPED_TRACE(last ? "channels last" : "row-major");
    const Tensor x = numbers({8, 4, 40, 50}, Dtype::f32, 1, 0, 10000, 10001);
    expect_same(
        {last ? channels_last(x) : x},
        [](const Inputs& in) { return batch_norm_train(in[0], Value(), Value(), {1e-5}); }, 1000);
  }
}

}  // namespace
}  // namespace luth::test
