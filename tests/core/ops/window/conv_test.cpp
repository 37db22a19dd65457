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
  int64_t n, ic, h, w, oc, kh, kw;
  luth::Ints stride, padding, dilation;
  int64_t groups;
};
const Setting settings[] = {
    {5, 1, 9, 8, 6, 5, 5, {1}, {2}, {1}, 1},       {3, 6, 14, 14, 16, 5, 5, {1}, {0}, {1}, 1},
    {2, 16, 10, 7, 32, 3, 3, {2, 1}, {1}, {1}, 1}, {2, 8, 9, 9, 8, 3, 3, {1}, {2}, {2}, 2},
    {2, 12, 8, 8, 12, 3, 3, {1}, {1}, {1}, 12},    {40, 20, 12, 12, 24, 1, 1, {1}, {0}, {1}, 1},
    {1, 64, 40, 40, 64, 3, 3, {1}, {1}, {1}, 1},   {3, 3, 11, 11, 8, 4, 2, {3}, {1, 0}, {1, 2}, 1}};

// The three operators on one setting, in `dtype` and memory format.
std::vector<Tensor> three(const Setting& s, Dtype dtype, bool last) {
  auto make = [&](const Shape& shape, int seed) {
    Tensor t = cast_to(numbers(shape, seed), dtype);
    return last ? channels_last(t) : t;
  };
  luth::ops::ConvWindow window{s.stride, s.padding, s.dilation, s.groups};
  Tensor x = make({s.n, s.ic, s.h, s.w}, 1), w = make({s.oc, s.ic / s.groups, s.kh, s.kw}, 2),
         b = cast_to(numbers({s.oc}, 3), dtype);
  Tensor y = luth::conv2d(x, w, b, {window});
  Tensor dy = make(y.shape(), 4);
  return {y, luth::conv2d_grad_input(dy, w, {window, {s.h, s.w}}),
          luth::conv2d_grad_weight(dy, x, {window, {s.kh, s.kw}})};
}

TEST(Conv, LibraryAgreesWithLoopsInEveryFormatAndDtype) {
  for (auto& s : settings) {
    auto exact = three(s, Dtype::f64, false);
    for (Dtype d : {Dtype::f32, Dtype::bf16, Dtype::f64})
      for (bool last : {false, true}) {
        auto found = three(s, d, last);
        for (size_t i = 0; i < 3; ++i) {
          double scale =
              std::sqrt(double(i == 2 ? s.n * exact[0].shape(2) * exact[0].shape(3) : s.ic * s.kh * s.kw + s.oc));
          expect_close(found[i], exact[i], scale * (d == Dtype::bf16 ? 0.05 : 1e-5),
                       fmt::format("{} of {} channels, {} {}", i, s.ic, luth::name(d), last ? "channels-last" : ""));
          EXPECT_EQ(found[i].dtype(), d);
          // images of one channel that lie in rows count as rows
          if (last && s.ic > 1) { EXPECT_TRUE(found[i].is_channels_last()); }
          if (!last) { EXPECT_TRUE(found[i].is_contiguous()); }
        }
      }
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
    Setting many{64, 16, 16, 16, 16, 3, 3, {1}, {1}, {1}, 1};  // several chunks
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
  Tensor dw = luth::conv2d_grad_weight(numbers({0, 4, 7, 6}, 1), numbers({0, 3, 9, 8}, 1), {{}, {3, 3}});
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
  expect("the filter spans 6 elements, more than the 5 of the padded input", [] {
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
