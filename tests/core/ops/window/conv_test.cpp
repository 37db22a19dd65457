// Convolution beyond what the registry tests: oneDNN's code against the float64 loops, memory formats, threads, errors.
#include "core/ops/window/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/threads.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"

namespace {

using luth::Dtype;
using luth::Shape;
using luth::Tensor;

Tensor numbers(const Shape& shape, int seed) {
  Tensor t = Tensor::empty(shape, Dtype::f32, luth::host());
  uint32_t x = uint32_t(seed) * 2654435761u + 1;
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<float>()[i] = float((x = x * 1664525u + 1013904223u) >> 8) / float(1 << 23) - 1;
  return t;
}
Tensor channels_last(const Tensor& t) { return luth::contiguous(t, {luth::MemoryFormat::channels_last}); }
void expect_close(const Tensor& a, const Tensor& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  Tensor x = luth::contiguous(cast_to(a, Dtype::f64)), y = luth::contiguous(cast_to(b, Dtype::f64));
  for (int64_t i = 0; i < x.numel(); ++i)
    ASSERT_NEAR(x.data<double>()[i], y.data<double>()[i], tolerance) << what << ", element " << i;
}

struct Setting {
  Shape x, w;
  luth::ops::ConvWindow window;
};
const Setting settings[] = {{{5, 1, 9, 8}, {6, 1, 5, 5}, {.padding = {2}}},
                            {{3, 6, 14, 14}, {16, 6, 5, 5}, {}},
                            {{2, 16, 10, 7}, {32, 16, 3, 3}, {.stride = {2, 1}, .padding = {1}}},
                            {{2, 8, 9, 9}, {8, 4, 3, 3}, {.padding = {2}, .dilation = {2}, .groups = 2}},
                            {{2, 12, 8, 8}, {12, 1, 3, 3}, {.padding = {1}, .groups = 12}},
                            {{40, 20, 12, 12}, {24, 20, 1, 1}, {}},
                            {{1, 64, 40, 40}, {64, 64, 3, 3}, {.padding = {1}}},
                            {{23, 96, 6, 6}, {160, 96, 3, 3}, {.padding = {1}}},  // the last piece is smaller
                            {{9, 256, 4, 4}, {512, 256, 3, 3}, {.padding = {1}}},
                            {{1, 96, 9, 5}, {80, 96, 3, 3}, {.stride = {2}, .padding = {1}}},  // few positions
                            {{1, 128, 8, 8}, {72, 128, 3, 3}, {.padding = {1}}},
                            {{9, 3, 12, 30}, {5, 3, 3, 3}, {.stride = {2, 1}, .padding = {1, 2}}},  // few filters
                            {{3, 2, 9, 41}, {20, 2, 3, 3}, {.stride = {2}, .padding = {1}}},        // few channels
                            {{2, 20, 7, 9}, {3, 20, 1, 1}, {}},
                            {{2, 2, 5, 6, 7}, {7, 2, 2, 3, 2}, {.padding = {1}, .dilation = {1, 2, 1}}},
                            {{3, 3, 11, 11}, {8, 3, 4, 2}, {.stride = {3}, .padding = {1, 0}, .dilation = {1, 2}}},
                            {{3, 8, 50}, {16, 8, 3}, {.padding = {1}}},
                            {{2, 6, 31}, {9, 2, 4}, {.stride = {3}, .padding = {2}, .dilation = {2}, .groups = 3}},
                            {{2, 3, 8, 9, 10}, {16, 3, 3, 3, 3}, {.padding = {1}}},
                            {{1, 32, 6, 12, 12}, {32, 32, 3, 3, 3}, {.stride = {2, 1, 2}, .padding = {1}}},
                            {{2, 8, 7, 6, 5}, {8, 4, 2, 3, 1}, {.dilation = {3, 1, 2}, .groups = 2}}};

// The three operators on one setting, in `dtype` and memory format.
std::vector<Tensor> three(const Setting& s, Dtype dtype, bool last) {
  auto make = [&](const Shape& shape, int seed) {
    Tensor t = cast_to(numbers(shape, seed), dtype);
    return last ? channels_last(t) : t;
  };
  const int dims = s.w.size() - 2;
  Tensor x = make(s.x, 1), w = make(s.w, 2), b = cast_to(numbers({s.w[0]}, 3), dtype);
  Tensor y = luth::convolution(x, w, b, {s.window});
  Tensor dy = make(y.shape(), 4);
  return {y, luth::convolution_grad_input(dy, w, {s.window, luth::ops::spatial(s.x, dims)}),
          luth::convolution_grad_weight(dy, x, {s.window, luth::ops::spatial(s.w, dims)})};
}

TEST(Conv, LibraryAgreesWithLoopsInEveryFormatAndDtype) {
  for (auto& s : settings) {
    auto exact = three(s, Dtype::f64, false);
    for (Dtype d : {Dtype::f32, Dtype::bf16, Dtype::f64})
      for (bool last : {false, true}) {
        if (last && s.x.size() != 4) continue;
        auto found = three(s, d, last);
        for (size_t i = 0; i < 3; ++i) {
          const int64_t filter = s.w.numel() / s.w[0], positions = exact[0].numel() / s.w[0];
          double scale = std::sqrt(double(i == 2 ? positions : filter * s.window.groups + s.w[0]));
          expect_close(found[i], exact[i], scale * (d == Dtype::bf16 ? 0.05 : 1e-5),
                       fmt::format("{} of {} and {}, {} {}", i, luth::to_string(s.x), luth::to_string(s.w),
                                   luth::name(d), last ? "channels-last" : ""));
          EXPECT_EQ(found[i].dtype(), d);
          // images of one channel that lie in rows count as rows
          if (last && s.x[1] > 1) { EXPECT_TRUE(found[i].is_channels_last()); }
          if (!last) { EXPECT_TRUE(found[i].is_contiguous()); }
        }
      }
  }
}

// By the definition: every position, every element of the filter.
TEST(Conv, LoopsAgreeWithTheDefinition) {
  const Setting s{{2, 4, 5, 6, 7},
                  {6, 2, 2, 3, 2},
                  {.stride = {2, 1, 3}, .padding = {1, 2, 0}, .dilation = {1, 2, 3}, .groups = 2}};
  const Tensor x = cast_to(numbers(s.x, 1), Dtype::f64), w = cast_to(numbers(s.w, 2), Dtype::f64),
               y = luth::conv3d(x, w, {}, {s.window});
  for (int64_t i = 0; i < y.numel(); ++i) {
    const Shape& to = y.shape();
    const int64_t at[] = {i / (to[3] * to[4]) % to[2], i / to[4] % to[3], i % to[4]};
    const int64_t filter = i / (to[2] * to[3] * to[4]) % to[1], sample = i / (to[1] * to[2] * to[3] * to[4]);
    double sum = 0;
    for (int64_t k = 0; k < w.numel() / s.w[0]; ++k) {
      int64_t e = k, from = (sample * s.x[1] + filter / 3 * 2 + k / (s.w[2] * s.w[3] * s.w[4])), inside = 1;
      int64_t r[3];
      for (int d = 2; d >= 0; --d) r[d] = e % s.w[2 + d], e /= s.w[2 + d];
      for (int d = 0; d < 3; ++d) {
        const int64_t v = at[d] * s.window.stride[d] - s.window.padding[d] + r[d] * s.window.dilation[d];
        inside &= v >= 0 && v < s.x[2 + d];
        from = from * s.x[2 + d] + v;
      }
      if (inside) sum += x.data<double>()[from] * w.data<double>()[filter * (w.numel() / s.w[0]) + k];
    }
    ASSERT_NEAR(y.data<double>()[i], sum, 1e-12) << i;
  }
}

TEST(Conv, BitsDoNotDependOnThreads) {
  int before = luth::num_threads();
  std::vector<Tensor> one;
  for (int threads : {1, 2, 3}) {
    luth::set_num_threads(threads);
    std::vector<Tensor> all;
    for (auto& s : settings)
      for (Tensor& t : three(s, Dtype::f32, false)) all.push_back(t);
    const Setting many{{64, 16, 16, 16}, {16, 16, 3, 3}, {.padding = {1}}};  // several chunks
    for (Dtype d : {Dtype::f32, Dtype::f64})
      for (Tensor& t : three(many, d, false)) all.push_back(t);
    if (one.empty()) one = all;
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(std::memcmp(one[i].raw(), all[i].raw(), all[i].bytes()), 0) << i << " with " << threads << " threads";
  }
  luth::set_num_threads(before);
}

TEST(Conv, ViewsAndEmptyBatchesWork) {
  Tensor x = luth::transpose(numbers({2, 9, 8, 3}, 1), {1, 3}), w = numbers({4, 3, 3, 3}, 2);
  expect_close(luth::conv2d(x, w, {}), luth::conv2d(luth::contiguous(x), w, {}), 0, "a permuted view");
  EXPECT_EQ(luth::conv2d(numbers({0, 3, 9, 8}, 1), w, {}).shape(), (Shape{0, 4, 7, 6}));
  Tensor dw = luth::convolution_grad_weight(numbers({0, 4, 7, 6}, 1), numbers({0, 3, 9, 8}, 1), {{}, {3, 3}});
  expect_close(dw, luth::zeros_of(w), 0, "no samples");
}

TEST(Conv, ErrorsSayWhatDoesNotFit) {
  auto text = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const luth::Error& e) { return e.what(); }
    return "no error";
  };
  auto expect = [&](const std::string& want, auto&& f) { EXPECT_NE(text(f).find(want), std::string::npos) << text(f); };
  expect("wants 2 channels, and input of shape [1, 3, 5, 5] has 3", [] {
    luth::conv2d(numbers({1, 3, 5, 5}, 1), numbers({4, 2, 3, 3}, 1), {});
  });
  expect("a window of 6 elements is larger than the padded input's 5", [] {
    luth::conv2d(numbers({1, 3, 5, 5}, 1), numbers({4, 3, 6, 3}, 1), {});
  });
  expect("4 dims (N, C, H, W) or 3 (C, H, W), got shape [5, 5]", [] {
    luth::conv2d(numbers({5, 5}, 1), numbers({4, 3, 3, 3}, 1), {});
  });
  expect("bias must have shape [4]", [] {
    luth::conv2d(numbers({3, 5, 5}, 1), numbers({4, 3, 3, 3}, 1), numbers({3}, 1));
  });
  expect("one dtype", [] { luth::conv2d(numbers({3, 5, 5}, 1), cast_to(numbers({4, 3, 3, 3}, 1), Dtype::f64), {}); });
  expect("do not divide into 3 groups", [] {
    luth::conv2d(numbers({3, 5, 5}, 1), numbers({4, 1, 3, 3}, 1), {}, {{.groups = 3}});
  });
}

}  // namespace
