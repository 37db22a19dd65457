// Convolution on CUDA beyond the registry's small samples: by the fake cuDNN and by our own kernels, which must give
// what the CPU gives for every window, layout and dtype, forwards and backwards.
#include "core/ops/window/conv.h"

#include <gtest/gtest.h>

#include "core/autograd/autograd.h"
#include "core/base/backends.h"
#include "core/ops/shape/view.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

// cuDNN on or off while this lives.
class Dnn {
 public:
  explicit Dnn(bool on) { backends().cudnn_enabled = on; }
  ~Dnn() { backends().cudnn_enabled = true; }
};

// Small whole numbers: exact in every dtype, and so are the sums of their products here.
Tensor numbers(const Shape& shape, Dtype d, int seed, bool channels_last = false) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 7 + seed * 13 + i / 11) % 5 - 2);
  t = cast_to(t, d);
  return channels_last ? relaid(t, Layout::channels_last) : t;
}

std::string first_difference(const Tensor& got, const Tensor& want) {
  Tensor a = cast_to(home(got), Dtype::f64), b = cast_to(want, Dtype::f64);
  if (got.dtype() != want.dtype() || !(a.shape() == b.shape())) return "another kind of tensor";
  if (!(got.strides() == want.strides())) return "another layout";
  a = reshape(a, {{a.numel()}}), b = reshape(b, {{b.numel()}});
  for (int64_t i = 0; i < a.numel(); ++i)
    if (a.data<double>()[i] != b.data<double>()[i])
      return fmt::format("element {}: {} where {} is right", i, a.data<double>()[i], b.data<double>()[i]);
  return "";
}

struct Window {
  const char* what;
  Shape x, w;
  ops::ConvWindow op;
};
// The comment says which of our own kernels does the forward pass, and what is special.
const Window windows[] = {
    {"plain", {2, 5, 9, 10}, {9, 5, 3, 3}, {}},                                                  // a part of one tile
    {"one by one", {3, 12, 5, 7}, {70, 12, 1, 1}, {}},                                           // two tiles of filters
    {"steps", {2, 6, 11, 13}, {8, 6, 3, 2}, {.stride = {2, 3}, .padding = {1, 2}}},              // gradients skip
    {"spread", {2, 6, 12, 9}, {10, 6, 3, 2}, {.padding = {3, 1}, .dilation = {2, 3}}},           //
    {"groups", {2, 12, 6, 5}, {24, 4, 3, 3}, {.padding = {1}, .groups = 3}},                     // tiles per group
    {"depthwise", {2, 10, 7, 8}, {20, 1, 3, 3}, {.stride = {2}, .padding = {1}, .groups = 10}},  // direct
    {"few filters", {2, 40, 6, 6}, {3, 40, 3, 3}, {.padding = {1}}},                             // direct, long sums
    {"long sums", {1, 66, 4, 4}, {16, 66, 3, 3}, {.padding = {1}}},                              // parts of sums
    {"uneven", {2, 8, 6, 7}, {8, 8, 2, 4}, {.padding = {0, 1}, .padding_hi = Ints{1, 2}}},       // cuDNN declines
    {"wide", {1, 8, 1, 150}, {8, 8, 1, 5}, {.stride = {1, 2}, .padding = {0, 2}}},               // two tiles of places
    {"padding alone", {1, 8, 2, 2}, {8, 8, 3, 3}, {.stride = {3}, .padding = {3}}},  // windows without images
    {"one image", {6, 8, 9}, {12, 6, 3, 3}, {.padding = {1}}},                       //
    {"sequences", {3, 6, 40}, {10, 6, 5}, {.stride = {2}, .padding = {2}}},
    {"depthwise sequences", {2, 9, 17}, {9, 1, 3}, {.dilation = {2}, .groups = 9}},
    {"volumes", {2, 5, 4, 5, 6}, {9, 5, 3, 3, 3}, {.padding = {1}}},
    {"steps in volumes", {1, 6, 7, 6, 8}, {18, 3, 2, 3, 2}, {.stride = {2, 1, 3}, .dilation = {2, 1, 1}, .groups = 2}},
    {"one volume", {4, 3, 4, 5}, {9, 4, 2, 1, 3}, {.padding = {1, 0, 1}, .padding_hi = Ints{0, 1, 1}}},
    {"no images", {0, 6, 8, 9}, {12, 6, 3, 3}, {}},
};

struct Results {
  Tensor y, dx, dw, db;
};
Results run(const Window& c, const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& dy) {
  const int dims = w.dim() - 2;
  return {convolution(x, w, bias, {c.op}),
          convolution_grad_input(dy, w, {c.op, ops::spatial(x.shape(), dims)}),
          convolution_grad_weight(dy, x, {c.op, ops::spatial(w.shape(), dims)}),
          {}};
}

void expect_parity(const Window& c, Dtype d, bool last) {
  SCOPED_TRACE(fmt::format("{} {}{}", c.what, name(d), last ? " channels last" : ""));
  if (last && (c.x.size() != 4 || c.w.size() != 4)) return;
  const Tensor x = numbers(c.x, d, 1, last), w = numbers(c.w, d, 2), bias = numbers({c.w[0]}, d, 3);
  const Tensor dy = numbers(convolution(x, w, {}, {c.op}).shape(), d, 4, last);
  const Results want = run(c, x, w, bias, dy);
  const Results got = run(c, moved(x, gpu()), moved(w, gpu()), moved(bias, gpu()), moved(dy, gpu()));
  EXPECT_EQ(first_difference(got.y, want.y), "") << "forward";
  EXPECT_EQ(first_difference(got.dx, want.dx), "") << "gradient of the input";
  EXPECT_EQ(first_difference(got.dw, want.dw), "") << "gradient of the filters";
}

}  // namespace

TEST(CudaConvolution, ByCudnn) {
  for (auto& c : windows)
    for (bool last : {false, true}) expect_parity(c, Dtype::f32, last);
}

TEST(CudaConvolution, ByOurOwnKernels) {
  Dnn off(false);
  for (auto& c : windows)
    for (bool last : {false, true}) expect_parity(c, Dtype::f32, last);
}

TEST(CudaConvolution, AllDtypes) {
  for (bool on : {true, false}) {
    Dnn dnn(on);
    for (Dtype d : {Dtype::f16, Dtype::bf16, Dtype::f64, Dtype::u8, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64})
      for (auto* c : {&windows[2], &windows[5]}) expect_parity(*c, d, false);
  }
}

// Halves of tensors, every other element and one image for all need no copy in our own kernels.
TEST(CudaConvolution, ViewsOfAnyLayout) {
  for (bool on : {true, false}) {
    Dnn dnn(on);
    const Tensor big = numbers({4, 12, 9, 20}, Dtype::f32, 1), w = numbers({16, 6, 3, 3}, Dtype::f32, 2);
    const Tensor filters = transpose(numbers({6, 16, 3, 3}, Dtype::f32, 3), {0, 1});
    auto same = [&](const Tensor& x, const Tensor& k) {
      auto view = [&](const Tensor& t) {
        return Tensor::alias(moved(t, gpu()).storage(), t.shape(), t.strides(), t.offset(), t.dtype());
      };
      EXPECT_EQ(first_difference(conv2d(view(x), view(k), {}), conv2d(x, k, {})), "");
    };
    same(slice(big, {1, 3, 9, 1}), w);
    same(slice(slice(big, {1, 0, 12, 2}), {3, 1, 20, 3}), w);
    same(expand_to(numbers({1, 6, 9, 8}, Dtype::f32, 4), {3, 6, 9, 8}), filters);
    same(transpose(numbers({2, 6, 7, 9}, Dtype::f32, 5), {2, 3}), filters);
  }
}

Tensor fractions(const Shape& shape, int seed) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float((i * 31 + seed) % 97) / 7 - 6;
  return moved(t, gpu());
}
// Whether results and gradients of a convolution with long sums have the same bits four times.
bool gives_the_same_bits(const Window& c, const Shape& results) {
  const Tensor x = fractions(c.x, 1), w = fractions(c.w, 2), dy = fractions(results, 3), bias = fractions({c.w[0]}, 4);
  auto answer = [&] {
    const Results r = run(c, x, w, bias, dy);
    return home(Tensors{r.y, r.dx, r.dw});
  };
  const Tensors once = answer();
  bool same = true;
  for (int i = 0; i < 3; ++i) same = same && other_bits(answer(), once).empty();
  return same;
}

// Sums come in one order, whatever the order of threads and blocks.
TEST(CudaConvolution, OurOwnKernelsGiveTheSameBitsAgain) {
  Dnn off(false);
  EXPECT_TRUE(gives_the_same_bits(windows[7], {1, 16, 4, 4}));
}

TEST(CudaConvolution, DeterministicAlgorithmsGiveTheSameBits) {
  const Window many{"many images", {5, 8, 6, 6}, {8, 8, 3, 3}, {.padding = {1}}};
  setenv("LUTH_FAKE_DNN", "unordered", 1);
  if (counted()) {
    EXPECT_FALSE(gives_the_same_bits(many, {5, 8, 6, 6})) << "the fake keeps its order: what follows shows nothing";
  }
  for (auto* asked : {&backends().deterministic, &backends().cudnn_deterministic}) {
    *asked = true;
    EXPECT_TRUE(gives_the_same_bits(many, {5, 8, 6, 6}));
    *asked = false;
  }
  unsetenv("LUTH_FAKE_DNN");
}

// The gradient's own way: through vjp, and transposed convolutions with room at the end.
TEST(CudaConvolution, TransposedWithOutputPadding) {
  for (bool on : {true, false}) {
    Dnn dnn(on);
    for (int64_t more : {0, 1, 2}) {
      const ops::ConvTranspose<2> op{{.stride = {3}, .padding = {1}}, {more}};
      const Tensor x = numbers({2, 9, 4, 5}, Dtype::f32, 1), w = numbers({9, 8, 3, 2}, Dtype::f32, 2);
      EXPECT_EQ(
          first_difference(conv_transpose2d(moved(x, gpu()), moved(w, gpu()), {}, op), conv_transpose2d(x, w, {}, op)),
          "");
    }
  }
}

TEST(CudaConvolution, LeavesTheHostAlone) {
  const Tensor x = moved(numbers({2, 8, 6, 6}, Dtype::f32, 1), gpu()),
               w = moved(numbers({8, 8, 3, 3}, Dtype::f32, 2), gpu());
  for (bool on : {true, false}) {
    Dnn dnn(on);
    const int64_t before = gpu().host_waits();
    const Tensor y = conv2d(x, w, {});
    EXPECT_EQ(gpu().host_waits(), before);
  }
}

}  // namespace luth::test
