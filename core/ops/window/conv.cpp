#include "core/ops/window/conv.h"

#include "core/dispatch/autocast.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

// Extents of images and filters, which may come without the dim of samples.
int64_t channels(const Shape& s) { return s[s.size() - 3]; }
int64_t extent(const Shape& s, int d) { return s[s.size() - 2 + d]; }
Shape image(const Shape& like, int64_t c, int64_t h, int64_t w) {
  return like.size() == 4 ? Shape{like[0], c, h, w} : Shape{c, h, w};
}

void check_images(const char* what, const Value& v) {
  if (!v.is_tensor() || (v.dim() != 3 && v.dim() != 4))
    throw Error("{} must have 4 dims (N, C, H, W) or 3 (C, H, W), got shape {}", what, to_string(v.shape()));
  for (int i = v.dim() - 3; i < v.dim(); ++i)
    if (v.shape()[i] == 0)
      throw Error("{} of shape {} has no elements in a dim other than the batch's", what, to_string(v.shape()));
}
void check_dtypes(const Inputs& in) {
  for (auto& v : in) {
    if (!v.is_tensor()) continue;
    if (v.dtype() != in[0].dtype())
      throw Error("inputs must have one dtype, got {} and {}; convert one with :to()", name(in[0].dtype()),
                  name(v.dtype()));
    if (v.dtype() == Dtype::boolean) throw Error("there is no convolution of bool; convert with :to() first");
  }
}
void check_weight(const Value& w, int64_t groups) {
  if (!w.is_tensor() || w.dim() != 4)
    throw Error("weight must have 4 dims (O, C / groups, kH, kW), got shape {}", to_string(w.shape()));
  if (w.numel() == 0) throw Error("weight of shape {} has no elements", to_string(w.shape()));
  if (w.shape()[0] % groups) throw Error("the {} filters do not divide into {} groups", w.shape()[0], groups);
}

// PyTorch's rule: channels-last where an input is so and nothing else.
bool channels_last(const Value& v) {
  return v.dim() == 4 && v.tensor().is_channels_last() && !v.tensor().is_contiguous();
}
Spec spec(const Shape& shape, const Inputs& in, bool wanted) {
  Spec s{shape, in[0].dtype()};
  if (wanted && shape.size() == 4) s.strides = channels_last_strides(shape);
  return s;
}

template <class Op>
Op with_window(const ConvWindow& w, Ints size) {
  Op op;
  static_cast<ConvWindow&>(op) = w;
  op.size = size;
  return op;
}
Tensor sum_of_channels(const Tensor& dy) {
  Sum op;
  op.dim = dy.dim() == 4 ? Ints{0, 2, 3} : Ints{1, 2};
  return sum(dy, op);
}
Ints size_of_images(const Value& v) { return {extent(v.shape(), 0), extent(v.shape(), 1)}; }

// A gradient must have the size that the window gives.
void check_size(const ConvWindow& window, const Shape& dy, const Ints& image, const Ints& filter) {
  for (int d = 0; d < 2; ++d)
    if (int64_t n = window.positions(d, image[d], filter[d]); n != extent(dy, d))
      throw Error("a filter of {} over {} has {} positions, and grad has {}", filter[d], image[d], n, extent(dy, d));
}

}  // namespace

void ConvWindow::check() const {
  auto want = [](const char* what, const Ints& v, int64_t least) {
    if (v.size() != 1 && v.size() != 2) throw Error("{} must be one number or two, got {}", what, to_string(v));
    for (int64_t x : v)
      if (x < least || x > INT32_MAX)
        throw Error("{} must be from {} to {}, got {}", what, least, INT32_MAX, to_string(v));
  };
  want("stride", stride, 1);
  want("padding", padding, 0);
  want("dilation", dilation, 1);
  if (groups < 1 || groups > INT32_MAX) throw Error("groups must be from 1 to {}, got {}", INT32_MAX, groups);
}

int64_t ConvWindow::positions(int d, int64_t n, int64_t k) const {
  int64_t span = at_or_all(dilation, d) * (k - 1) + 1, room = n + padded(d);
  if (span > room)
    throw Error("the filter spans {} elements{}, more than the {} of the padded input", span,
                at_or_all(dilation, d) > 1 ? " (with its dilation)" : "", room);
  return (room - span) / at_or_all(stride, d) + 1;
}

// ---- conv2d ----------------------------------------------------------------------------------------------------

Spec Conv2d::infer(const Inputs& in) const {
  check();
  check_images("input", in[0]);
  check_weight(in[1], groups);
  check_dtypes(in);
  Shape x = in[0].shape(), w = in[1].shape();
  if (channels(x) != w[1] * groups)
    throw Error("weight of shape {} with groups = {} wants {} channels, and input of shape {} has {}", to_string(w),
                groups, w[1] * groups, to_string(x), channels(x));
  if (in.size() > 2 && in[2] && (in[2].dim() != 1 || in[2].numel() != w[0]))
    throw Error("bias must have shape [{}], one number for each filter, got {}", w[0], to_string(in[2].shape()));
  Shape y = image(x, w[0], positions(0, extent(x, 0), w[2]), positions(1, extent(x, 1), w[3]));
  return spec(y, in, channels_last(in[0]) || channels_last(in[1]));
}
Tensors Conv2d::vjp(const Call& c, const Tensor& dy) const {
  Tensors grads(c.in.size());
  if (c.wants(0))
    grads[0] = conv2d_grad_input(dy, c.in[1], with_window<Conv2dGradInput>(*this, size_of_images(c.in[0])));
  if (c.wants(1))
    grads[1] = conv2d_grad_weight(dy, c.in[0], with_window<Conv2dGradWeight>(*this, size_of_images(c.in[1])));
  if (grads.size() > 2 && c.wants(2)) grads[2] = sum_of_channels(dy);
  return grads;
}
Cases<Conv2d> Conv2d::samples() {
  return {{{}, {{2, 3, 4, 5}, {4, 3, 3, 2}, {4}}},
          {{{.stride = {2}, .padding = {1}}}, {{2, 2, 5, 5}, {3, 2, 3, 3}}},
          {{{.padding = {2, 1}, .dilation = {2, 1}, .groups = 2}}, {{1, 4, 4, 4}, {2, 2, 2, 3}, {2}}},
          {{{.padding = {1}, .behind = {1, 0}}}, {{3, 4, 4}, {2, 3, 2, 3}, {2}}},
          {{}, {{0, 2, 3, 3}, {2, 2, 2, 2}}}};
}

Spec Conv2dGradInput::infer(const Inputs& in) const {
  check_images("grad", in[0]);
  check_weight(in[1], groups);
  check_dtypes(in);
  Shape dy = in[0].shape(), w = in[1].shape();
  if (channels(dy) != w[0])
    throw Error("the {} channels of {} do not meet the {} filters of {}", channels(dy), to_string(dy), w[0],
                to_string(w));
  check_size(*this, dy, size, size_of_images(in[1]));
  return spec(image(dy, w[1] * groups, size[0], size[1]), in, channels_last(in[0]) || channels_last(in[1]));
}
// With g for the cotangent: the result is linear in grad (its adjoint is conv2d) and in weight.
Tensors Conv2dGradInput::vjp(const Call& c, const Tensor& g) const {
  Conv2d forward{*this};
  return {c.wants(0) ? conv2d(g, c.in[1], {}, forward) : Tensor(),
          c.wants(1) ? conv2d_grad_weight(c.in[0], g, with_window<Conv2dGradWeight>(*this, size_of_images(c.in[1])))
                     : Tensor()};
}
Cases<Conv2dGradInput> Conv2dGradInput::samples() {
  Conv2dGradInput a, b;
  a.size = {4, 5};
  b.size = {5, 6};
  b.stride = {2};
  b.padding = {1};
  b.groups = 2;
  return {{a, {{2, 4, 2, 4}, {4, 3, 3, 2}}}, {b, {{2, 3, 3}, {2, 2, 3, 3}}}};
}

Spec Conv2dGradWeight::infer(const Inputs& in) const {
  check_images("grad", in[0]);
  check_images("input", in[1]);
  check_dtypes(in);
  Shape dy = in[0].shape(), x = in[1].shape();
  check_size(*this, dy, size_of_images(in[1]), size);
  return spec({channels(dy), channels(x) / groups, size[0], size[1]}, in, channels_last(in[0]) || channels_last(in[1]));
}
Tensors Conv2dGradWeight::vjp(const Call& c, const Tensor& g) const {
  Conv2d forward{*this};
  return {c.wants(0) ? conv2d(c.in[1], g, {}, forward) : Tensor(),
          c.wants(1) ? conv2d_grad_input(c.in[0], g, with_window<Conv2dGradInput>(*this, size_of_images(c.in[1])))
                     : Tensor()};
}
Cases<Conv2dGradWeight> Conv2dGradWeight::samples() {
  Conv2dGradWeight a, b;
  a.size = {3, 2};
  b.size = {3, 3};
  b.stride = {2};
  b.padding = {1};
  b.groups = 2;
  return {{a, {{2, 4, 2, 4}, {2, 3, 4, 5}}}, {b, {{2, 3, 3}, {4, 5, 6}}}};
}

// ---- By other names --------------------------------------------------------------------------------------------

namespace {

// The window that 'same' or 'valid' stands for; an odd element of padding goes behind, as in PyTorch.
Conv2d named_window(const Conv2dPadding& op, const Shape& weight) {
  Conv2d c;
  c.stride = op.stride;
  c.dilation = op.dilation;
  c.groups = op.groups;
  c.padding = c.behind = {0, 0};
  if (op.padding == "valid") return c;
  if (op.padding != "same") throw Error("padding '{}' is unknown; it is a number, 'same' or 'valid'", op.padding);
  for (int64_t s : op.stride)
    if (s != 1) throw Error("padding 'same' needs stride 1, got {}", to_string(op.stride));
  for (int d = 0; d < 2; ++d) {
    int64_t total = at_or_all(op.dilation, d) * (extent(weight, d) - 1);
    c.padding[d] = total / 2;
    c.behind[d] = total % 2;
  }
  return c;
}

// One dimension as images of height 1.
void check_sequences(const Value& v, const Value& w) {
  if (!v.is_tensor() || (v.dim() != 2 && v.dim() != 3))
    throw Error("input must have 3 dims (N, C, L) or 2 (C, L), got shape {}", to_string(v.shape()));
  if (!w.is_tensor() || w.dim() != 3) throw Error("weight must have 3 dims, got shape {}", to_string(w.shape()));
}
Tensor flat(const Value& v) { return unsqueeze(v, {-2}); }
Value third(const Inputs& in) { return in.size() > 2 ? in[2] : Value(); }
Ints wide(const char* what, const Ints& v, int64_t height) {
  if (v.size() != 1) throw Error("{} must be one number, got {}", what, to_string(v));
  return {height, v[0]};
}

}  // namespace

Tensor Conv2dPadding::decompose(const Inputs& in) const {
  check_weight(in[1], 1);
  return conv2d(in[0], in[1], third(in), named_window(*this, in[1].shape()));
}
Cases<Conv2dPadding> Conv2dPadding::samples() {
  return {{{.padding = "same", .dilation = {2, 1}}, {{2, 2, 4, 5}, {3, 2, 2, 4}, {3}}},
          {{.stride = {2}, .padding = "valid"}, {{2, 4, 4}, {2, 2, 2, 2}}}};
}

Tensor Conv1d::decompose(const Inputs& in) const {
  check_sequences(in[0], in[1]);
  Conv2d c;
  c.stride = wide("stride", stride, 1);
  c.padding = wide("padding", padding, 0);
  c.dilation = wide("dilation", dilation, 1);
  c.groups = groups;
  return squeeze(conv2d(flat(in[0]), flat(in[1]), third(in), c), {Ints{-2}});
}
Cases<Conv1d> Conv1d::samples() {
  return {{{}, {{2, 3, 6}, {4, 3, 3}, {4}}}, {{{.stride = {2}, .padding = {1}, .groups = 2}}, {{4, 5}, {2, 2, 3}}}};
}
Tensor Conv1dPadding::decompose(const Inputs& in) const {
  check_sequences(in[0], in[1]);
  Conv2dPadding op = *this;
  op.stride = wide("stride", stride, 1);
  op.dilation = wide("dilation", dilation, 1);
  Tensor w = flat(in[1]);
  return squeeze(conv2d(flat(in[0]), w, third(in), named_window(op, w.shape())), {Ints{-2}});
}
Cases<Conv1dPadding> Conv1dPadding::samples() {
  Conv1dPadding op;
  op.padding = "same";
  return {{op, {{2, 2, 5}, {3, 2, 4}, {3}}}};
}

Tensor ConvTranspose2d::decompose(const Inputs& in) const {
  check_images("input", in[0]);
  check_weight(in[1], groups);
  Conv2dGradInput g;
  g.stride = stride;
  g.padding = padding;
  g.dilation = dilation;
  g.groups = groups;
  g.check();
  g.behind = {};
  for (int d = 0; d < 2; ++d) {
    int64_t step = at_or_all(stride, d), more = at_or_all(output_padding, d), spread = at_or_all(dilation, d);
    if (more < 0 || more >= std::max(step, spread))
      throw Error("output_padding must be less than stride or dilation, got {}", to_string(output_padding));
    int64_t n = (extent(in[0].shape(), d) - 1) * step - 2 * at_or_all(padding, d) +
                spread * (extent(in[1].shape(), d) - 1) + more + 1;
    if (n < 1) throw Error("the result would have {} elements in a dim; less padding would leave some", n);
    g.size.push_back(n);
    g.behind.push_back(-more);
  }
  Tensor y = conv2d_grad_input(in[0], in[1], g);
  if (!third(in)) return y;
  if (third(in).dim() != 1 || third(in).numel() != channels(y.shape()))
    throw Error("bias must have shape [{}], got {}", channels(y.shape()), to_string(third(in).shape()));
  return add(y, reshape(third(in), {{-1, 1, 1}}));
}
Cases<ConvTranspose2d> ConvTranspose2d::samples() {
  return {{{}, {{2, 3, 2, 3}, {3, 2, 2, 3}, {2}}},
          {{.stride = {2}, .padding = {1}, .output_padding = {1}, .groups = 2}, {{2, 3, 3}, {2, 2, 3, 3}}}};
}
Tensor ConvTranspose1d::decompose(const Inputs& in) const {
  check_sequences(in[0], in[1]);
  ConvTranspose2d op{wide("stride", stride, 1), wide("padding", padding, 0), wide("output_padding", output_padding, 0),
                     groups, wide("dilation", dilation, 1)};
  return squeeze(conv_transpose2d(flat(in[0]), flat(in[1]), third(in), op), {Ints{-2}});
}
Cases<ConvTranspose1d> ConvTranspose1d::samples() {
  return {{{}, {{2, 3, 4}, {3, 2, 3}, {2}}}, {{{.stride = {3}, .output_padding = {1}}}, {{2, 3}, {2, 2, 2}}}};
}

namespace {
const DefineAll<Conv2d, Conv2dPadding, Conv2dGradInput, Conv2dGradWeight, Conv1d, Conv1dPadding, ConvTranspose2d,
                ConvTranspose1d>
    define_all_;
const AutocastAs<Autocast::lower, Conv2d, Conv2dPadding, Conv1d, Conv1dPadding, ConvTranspose2d, ConvTranspose1d>
    autocast_lower_;
}  // namespace

}  // namespace luth::ops
