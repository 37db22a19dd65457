#include "core/ops/window/conv.h"

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

Value third(const Inputs& in) { return in.size() > 2 ? in[2] : Value(); }
int64_t channels(const Shape& s, int dims) { return s[s.size() - dims - 1]; }
// Channels and spatial extents `inner`, with the samples of `like` where it has some.
Shape images(const Shape& like, int64_t channels, const Ints& inner) {
  Shape s;
  if (like.size() == inner.size() + 2) s.push_back(like[0]);
  s.push_back(channels);
  for (int64_t n : inner) s.push_back(n);
  return s;
}

void check_dtypes(const Inputs& in) {
  check_one_dtype(in, [](const Value& v) { refuse_bool("convolution", v); });
}
void check_filters(const Value& w, int dims) {
  constexpr const char* layouts[] = {"3 dims (O, C / groups, k)", "4 dims (O, C / groups, kH, kW)",
                                     "5 dims (O, C / groups, kD, kH, kW)"};
  if (!w.is_tensor() || w.dim() != dims + 2)
    throw Error("weight must have {}, got shape {}", layouts[dims - 1], to_string(w.shape()));
  if (w.numel() == 0) throw Error("weight of shape {} has no elements", to_string(w.shape()));
}
// Filters of 1 to 3 spatial dims that divide into groups; returns how many dims.
int check_filters(const Value& w, const ConvWindow& window) {
  const int dims = w.dim() - 2;
  if (dims < 1 || dims > 3) throw Error("weight must have 3 to 5 dims, got shape {}", to_string(w.shape()));
  check_filters(w, dims);
  window.check(dims);
  if (w.shape()[0] % window.groups)
    throw Error("the {} filters do not divide into {} groups", w.shape()[0], window.groups);
  return dims;
}
void check_bias(const Value& bias, int64_t n) {
  if (bias && (bias.dim() != 1 || bias.numel() != n))
    throw Error("bias must have shape [{}], one number for each channel of the result, got {}", n,
                to_string(bias.shape()));
}
// A gradient must have the extents that the window gives.
void check_size(const ConvWindow& window, const Ints& dy, const Ints& image, const Ints& filter) {
  for (int d = 0; d < dy.size(); ++d)
    if (int64_t n = window.dim(d, filter[d]).positions(image[d]); n != dy[d])
      throw Error("a filter of {} over {} has {} positions, and grad has {}", filter[d], image[d], n, dy[d]);
}

Ints filter_size(const Value& w) { return spatial(w.shape(), w.dim() - 2); }
// PyTorch's rule: NHWC where an input is so and nothing else.
Spec spec(const Shape& shape, const Inputs& in, int dims) {
  return spatial_spec(shape, in[0].dtype(), only_nhwc(in[0], dims) || only_nhwc(in[1], dims));
}

// The sum over all dims but that of the channels. The samples are added first: all dims at once would be brought
// together by a copy. A sum of 16-bit floats is rounded once, so it stays in one piece.
Tensor sum_of_channels(const Tensor& dy, int dims) {
  const int channel = dy.dim() - dims - 1;
  Ints samples, positions;
  for (int d = 0; d < channel; ++d) samples.push_back(d);
  for (int d = channel + 1; d < dy.dim(); ++d) positions.push_back(d);
  if (channel && size_of(dy.dtype()) > 2 && dy.is_contiguous()) {
    for (auto& d : positions) --d;
    return sum(sum(dy, {.dim = samples}), {.dim = positions});
  }
  Ints others = samples;
  for (int64_t d : positions) others.push_back(d);
  return sum(dy, {.dim = others});
}

}  // namespace

void ConvWindow::check(int dims) const {
  check_list("stride", stride, dims, 1);
  check_list("padding", padding, dims, 0);
  check_list("dilation", dilation, dims, 1);
  if (groups < 1 || groups > INT32_MAX) throw Error("groups must be from 1 to {}, got {}", INT32_MAX, groups);
}
// An odd element of padding goes to the end, as in PyTorch.
void ConvWindow::pad_as(std::string_view word, const Ints& kernel) {
  padding = {0}, padding_hi.reset();
  if (word == "valid") return;
  if (word != "same") throw Error("padding '{}' is unknown; it is a number, 'same' or 'valid'", word);
  for (int64_t s : stride)
    if (s != 1) throw Error("padding 'same' needs stride 1, got {}", to_string(stride));
  padding = {}, padding_hi.emplace();
  for (int d = 0; d < kernel.size(); ++d) {
    const int64_t total = at_or_all(dilation, d) * (kernel[d] - 1);
    padding.push_back(total / 2);
    padding_hi->push_back(total - total / 2);
  }
}
WindowDim ConvWindow::dim(int d, int64_t kernel) const {
  const int64_t lo = at_or_all(padding, d);
  return {kernel, at_or_all(stride, d), lo, padding_hi ? at_or_all(*padding_hi, d) : lo, at_or_all(dilation, d)};
}

// ---- The operator and its gradients ------------------------------------------------------------------------------

// Checks filters, which are in[1], and in[0], which `what` names; returns how many spatial dims they have.
static int check_inputs(const char* what, const Inputs& in, const ConvWindow& window) {
  const int dims = check_filters(in[1], window);
  check_spatial(what, in[0], dims);
  check_dtypes(in);
  return dims;
}
Spec Convolution::infer(const Inputs& in) const {
  const int dims = check_inputs("input", in, window);
  const Shape x = in[0].shape(), w = in[1].shape();
  if (channels(x, dims) != w[1] * window.groups)
    throw Error("weight of shape {} with groups = {} wants {} channels, and input of shape {} has {}", to_string(w),
                window.groups, w[1] * window.groups, to_string(x), channels(x, dims));
  check_bias(third(in), w[0]);
  Ints size = spatial(x, dims);
  for (int d = 0; d < dims; ++d) size[d] = window.dim(d, w[2 + d]).positions(size[d]);
  return spec(images(x, w[0], size), in, dims);
}
Tensors Convolution::vjp(const Call& c, const Tensor& dy) const {
  const int dims = c.in[1].dim() - 2;
  Tensors grads(c.in.size());
  if (c.wants(0)) grads[0] = convolution_grad_input(dy, c.in[1], {window, spatial(c.in[0].shape(), dims)});
  if (c.wants(1)) grads[1] = convolution_grad_weight(dy, c.in[0], {window, filter_size(c.in[1])});
  if (grads.size() > 2 && c.wants(2)) grads[2] = sum_of_channels(dy, dims);
  return grads;
}
Cases<Convolution> Convolution::samples() {
  return {{{}, {{2, 3, 4, 5}, {4, 3, 3, 2}, {4}}},
          {{{.padding = {1}, .padding_hi = Ints{2, 1}}}, {{3, 4, 4}, {2, 3, 2, 3}, {2}}},
          {{{.stride = {2}, .dilation = {3}}}, {{2, 2, 9}, {4, 2, 3}}},
          {{{.stride = {2, 1, 1}, .padding = {1}, .groups = 2, .padding_hi = Ints{0, 1, 2}}},
           {{2, 2, 4, 2, 3}, {2, 1, 2, 3, 2}, {2}}},
          {{}, {{0, 2, 3, 3}, {2, 2, 2, 2}}}};
}

Spec ConvolutionGradInput::infer(const Inputs& in) const {
  const int dims = check_inputs("grad", in, window);
  const Shape dy = in[0].shape(), w = in[1].shape();
  if (channels(dy, dims) != w[0])
    throw Error("the {} channels of {} do not meet the {} filters of {}", channels(dy, dims), to_string(dy), w[0],
                to_string(w));
  check_size(window, spatial(dy, dims), size, filter_size(in[1]));
  return spec(images(dy, w[1] * window.groups, size), in, dims);
}
// With g for the cotangent: the result is linear in grad (its adjoint is convolution) and in weight.
Tensors ConvolutionGradInput::vjp(const Call& c, const Tensor& g) const {
  return {c.wants(0) ? convolution(g, c.in[1], {}, {window}) : Tensor(),
          c.wants(1) ? convolution_grad_weight(c.in[0], g, {window, filter_size(c.in[1])}) : Tensor()};
}
namespace {
// Convolutions whose gradients are tested: the window, and the shapes of result, input and weight.
struct GradientCase {
  ConvWindow window;
  Shape y, x, w;
};
const GradientCase gradient_cases[] = {
    {{}, {2, 4, 2, 4}, {2, 3, 4, 5}, {4, 3, 3, 2}},
    {{.stride = {2}, .padding = {1}, .groups = 2}, {2, 3, 3}, {4, 5, 6}, {2, 2, 3, 3}},
    {{.stride = {2}, .padding = {1}}, {2, 3, 2}, {2, 2, 4}, {3, 2, 4}},
    {{.stride = {1, 2, 1}, .groups = 2}, {4, 2, 2, 1}, {2, 3, 4, 2}, {4, 1, 2, 2, 2}}};
// The gradient by `sized`, whose spatial extents are settings, of y and `other`.
template <class Op>
Cases<Op> gradient_samples(Shape GradientCase::*sized, Shape GradientCase::*other) {
  Cases<Op> all;
  for (auto& c : gradient_cases) all.push_back({{c.window, spatial(c.*sized, c.w.size() - 2)}, {c.y, c.*other}});
  return all;
}
}  // namespace
Cases<ConvolutionGradInput> ConvolutionGradInput::samples() {
  return gradient_samples<ConvolutionGradInput>(&GradientCase::x, &GradientCase::w);
}

Spec ConvolutionGradWeight::infer(const Inputs& in) const {
  const int dims = size.size();
  if (dims < 1 || dims > 3) throw Error("size must have 1 to 3 numbers, got {}", to_string(size));
  window.check(dims);
  check_spatial("grad", in[0], dims);
  check_spatial("input", in[1], dims);
  check_dtypes(in);
  const Shape dy = in[0].shape(), x = in[1].shape();
  check_size(window, spatial(dy, dims), spatial(x, dims), size);
  Shape w{channels(dy, dims), channels(x, dims) / window.groups};
  for (int64_t n : size) w.push_back(n);
  return spec(w, in, dims);
}
Tensors ConvolutionGradWeight::vjp(const Call& c, const Tensor& g) const {
  return {c.wants(0) ? convolution(c.in[1], g, {}, {window}) : Tensor(),
          c.wants(1) ? convolution_grad_input(c.in[0], g, {window, spatial(c.in[1].shape(), size.size())}) : Tensor()};
}
Cases<ConvolutionGradWeight> ConvolutionGradWeight::samples() {
  return gradient_samples<ConvolutionGradWeight>(&GradientCase::w, &GradientCase::x);
}

// ---- By the number of spatial dims -------------------------------------------------------------------------------

template <int n>
Tensor Conv<n>::decompose(const Inputs& in) const {
  check_filters(in[1], n);
  return convolution(in[0], in[1], third(in), {window});
}

template <int n>
Tensor ConvPadding<n>::decompose(const Inputs& in) const {
  check_filters(in[1], n);
  Convolution op{{.stride = stride, .dilation = dilation, .groups = groups}};
  op.window.check(n);
  op.window.pad_as(padding, filter_size(in[1]));
  return convolution(in[0], in[1], third(in), op);
}

template <int n>
Tensor ConvTranspose<n>::decompose(const Inputs& in) const {
  check_filters(in[1], n);
  check_spatial("input", in[0], n);
  window.check(n);
  check_list("output_padding", output_padding, n, 0);
  ConvolutionGradInput op{window, {}};
  op.window.padding_hi.emplace();
  for (int d = 0; d < n; ++d) {
    const WindowDim w = window.dim(d, in[1].shape()[2 + d]);
    const int64_t more = at_or_all(output_padding, d);
    if (more >= std::max(w.stride, w.dilation))
      throw Error("output_padding must be less than stride or dilation, got {}", to_string(output_padding));
    const int64_t positions = spatial(in[0].shape(), n)[d];
    const int64_t extent = (positions - 1) * w.stride - 2 * w.padding_lo + w.span() + more;
    if (extent < 1) throw Error("the result would have {} elements in a dim; less padding would leave some", extent);
    op.size.push_back(extent);
    op.window.padding_hi->push_back(w.padding_hi - more);
  }
  const Tensor y = convolution_grad_input(in[0], in[1], op);
  if (!third(in)) return y;
  check_bias(third(in), channels(y.shape(), n));
  Shape each{-1};
  for (int d = 0; d < n; ++d) each.push_back(1);
  return add(y, reshape(third(in), {each}));
}

template <>
Cases<Conv1d> Conv1d::samples() {
  return {{{}, {{2, 3, 6}, {4, 3, 3}, {4}}}, {{{.stride = {2}, .padding = {1}, .groups = 2}}, {{4, 5}, {2, 2, 3}}}};
}
template <>
Cases<Conv2d> Conv2d::samples() {
  return {{{}, {{2, 3, 4, 5}, {4, 3, 3, 2}, {4}}},
          {{{.stride = {2}, .padding = {1}}}, {{2, 2, 5, 5}, {3, 2, 3, 3}}},
          {{{.padding = {2, 1}, .dilation = {2, 1}, .groups = 2}}, {{1, 4, 4, 4}, {2, 2, 2, 3}, {2}}},
          {{}, {{0, 2, 3, 3}, {2, 2, 2, 2}}}};
}
template <>
Cases<Conv3d> Conv3d::samples() {
  return {{{}, {{2, 2, 3, 3, 4}, {3, 2, 2, 2, 3}, {3}}},
          {{{.stride = {1, 2, 1}, .padding = {1, 0, 1}, .dilation = {2, 1, 1}, .groups = 2}},
           {{4, 4, 4, 3}, {2, 2, 2, 2, 2}}}};
}

template <>
Cases<ConvPadding<1>> ConvPadding<1>::samples() {
  return {{{.padding = "same"}, {{2, 2, 5}, {3, 2, 4}, {3}}}};
}
template <>
Cases<ConvPadding<2>> ConvPadding<2>::samples() {
  return {{{.padding = "same", .dilation = {2, 1}}, {{2, 2, 4, 5}, {3, 2, 2, 4}, {3}}},
          {{.stride = {2}, .padding = "valid"}, {{2, 4, 4}, {2, 2, 2, 2}}}};
}
template <>
Cases<ConvPadding<3>> ConvPadding<3>::samples() {
  return {{{.padding = "same", .dilation = {1, 1, 2}}, {{1, 2, 3, 3, 3}, {2, 2, 2, 1, 2}, {2}}}};
}

template <>
Cases<ConvTranspose<1>> ConvTranspose<1>::samples() {
  return {{{}, {{2, 3, 4}, {3, 2, 3}, {2}}}, {{{.stride = {3}}, {1}}, {{2, 3}, {2, 2, 2}}}};
}
template <>
Cases<ConvTranspose<2>> ConvTranspose<2>::samples() {
  return {{{}, {{2, 3, 2, 3}, {3, 2, 2, 3}, {2}}},
          {{{.stride = {2}, .padding = {1}, .groups = 2}, {1}}, {{2, 3, 3}, {2, 2, 3, 3}}}};
}
template <>
Cases<ConvTranspose<3>> ConvTranspose<3>::samples() {
  return {{{}, {{2, 2, 2, 2, 3}, {2, 3, 2, 1, 2}, {3}}},
          {{{.stride = {2}, .padding = {1, 0, 1}, .groups = 2}, {1, 0, 1}}, {{2, 2, 3, 2}, {2, 1, 3, 2, 2}}}};
}

namespace {
const DefineAll<Convolution, ConvolutionGradInput, ConvolutionGradWeight, Conv<1>, Conv<2>, Conv<3>, ConvPadding<1>,
                ConvPadding<2>, ConvPadding<3>, ConvTranspose<1>, ConvTranspose<2>, ConvTranspose<3>>
    define_all_;
}  // namespace

}  // namespace luth::ops
