#include "core/ops/window/pool.h"

#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

int64_t extent(const Shape& s, int d) { return s[s.size() - 2 + d]; }
Ints plane(const Value& v) { return {extent(v.shape(), 0), extent(v.shape(), 1)}; }
Shape with_plane(Shape s, int64_t h, int64_t w) {
  s[s.size() - 2] = h;
  s[s.size() - 1] = w;
  return s;
}

void check_images(const char* what, const Value& v) {
  if (!v.is_tensor() || (v.dim() != 3 && v.dim() != 4))
    throw Error("{} must have 4 dims (N, C, H, W) or 3 (C, H, W), got shape {}", what, to_string(v.shape()));
  for (int i = v.dim() - 3; i < v.dim(); ++i)
    if (v.shape()[i] == 0)
      throw Error("{} of shape {} has no elements in a dim other than the batch's", what, to_string(v.shape()));
  if (v.dtype() == Dtype::boolean) throw Error("there is no pooling of bool; convert with :to() first");
}
void check_sequences(const Value& v) {
  if (!v.is_tensor() || (v.dim() != 2 && v.dim() != 3))
    throw Error("input must have 3 dims (N, C, L) or 2 (C, L), got shape {}", to_string(v.shape()));
}
void check_size(const char* what, const Ints& v) {
  if (v.size() != 1 && v.size() != 2) throw Error("{} must be one number or two, got {}", what, to_string(v));
  for (int64_t n : v)
    if (n < 0 || n > INT32_MAX) throw Error("{} must be from 0 to {}, got {}", what, INT32_MAX, to_string(v));
}
Spec spec(const Shape& shape, Dtype dtype, const Value& like) {
  Spec s{shape, dtype};
  if (like.dim() == 4 && like.tensor().is_channels_last() && !like.tensor().is_contiguous())
    s.strides = channels_last_strides(shape);
  return s;
}

// A sequence as an image of height 1.
Ints wide(const char* what, const Ints& v, int64_t height) {
  if (v.size() != 1) throw Error("{} must be one number, got {}", what, to_string(v));
  return {height, v[0]};
}
void widen(const PoolWindow& from, PoolWindow& to) {
  to.kernel_size = wide("kernel_size", from.kernel_size, 1);
  if (from.stride && !from.stride->empty()) to.stride = wide("stride", *from.stride, 1);
  to.padding = wide("padding", from.padding, 0);
  to.ceil_mode = from.ceil_mode;
}
template <class F>
Tensor as_image(const Value& input, F&& f) {
  check_sequences(input);
  return squeeze(f(unsqueeze(input, {-2})), {Ints{-2}});
}

}  // namespace

void PoolWindow::check() const {
  auto want = [](const char* what, const Ints& v, int64_t least) {
    check_size(what, v);
    for (int64_t n : v)
      if (n < least) throw Error("{} must be at least {}, got {}", what, least, to_string(v));
  };
  want("kernel_size", kernel_size, 1);
  want("padding", padding, 0);
  if (stride && !stride->empty()) want("stride", *stride, 1);
}

int64_t PoolWindow::positions(int d, int64_t n, int64_t dilation) const {
  int64_t k = at_or_all(kernel_size, d), pad = at_or_all(padding, d), s = step(d), span = dilation * (k - 1) + 1;
  if (dilation < 1) throw Error("dilation must be at least 1, got {}", dilation);
  if (pad > span / 2) throw Error("padding of {} is more than half of the window's {} elements", pad, span);
  int64_t room = n + 2 * pad - span;
  if (room < 0 && !(ceil_mode && room + s - 1 >= 0))
    throw Error("a window of {} elements is larger than the padded input's {}", span, n + 2 * pad);
  int64_t count = (room + (ceil_mode ? s - 1 : 0)) / s + 1;
  if (ceil_mode && (count - 1) * s >= n + pad) --count;  // the last window must begin inside
  return count;
}

Shape PoolWindow::pooled(const Value& input, const Ints& dilation) const {
  check();
  check_size("dilation", dilation);
  check_images("input", input);
  Shape s = input.shape();
  return with_plane(s, positions(0, extent(s, 0), at_or_all(dilation, 0)),
                    positions(1, extent(s, 1), at_or_all(dilation, 1)));
}

// ---- Largest elements ------------------------------------------------------------------------------------------

Specs MaxPool2dWithIndices::infer(const Inputs& in) const {
  Shape shape = pooled(in[0], dilation);
  return {spec(shape, in[0].dtype(), in[0]), spec(shape, Dtype::i64, in[0])};
}
Tensors MaxPool2dWithIndices::vjp(const Call& c, const Tensors& dy) const {
  Ints window;
  for (int d = 0; d < 2; ++d) window.push_back(at_or_all(kernel_size, d));
  for (int d = 0; d < 2; ++d) window.push_back(step(d));
  for (int d = 0; d < 2; ++d) window.push_back(at_or_all(padding, d));
  for (int d = 0; d < 2; ++d) window.push_back(at_or_all(dilation, d));
  return {pool_scatter(dy[0], c.out[1], {plane(c.in[0]), base, window})};
}
Cases<MaxPool2dWithIndices> MaxPool2dWithIndices::samples() {
  MaxPool2dWithIndices a, b;
  a.kernel_size = {2};
  b.kernel_size = {3, 2};
  b.stride = Ints{2, 1};
  b.padding = {1};
  b.dilation = {1, 2};
  b.ceil_mode = true;
  return {{a, {{2, 2, 4, 5}}}, {b, {{2, 5, 6}}}, {a, {{0, 2, 4, 4}}}};
}

Tensors MaxPool2d::decompose(const Inputs& in) const {
  MaxPool2dWithIndices op;
  static_cast<PoolWindow&>(op) = *this;
  op.dilation = dilation;
  op.base = base;
  Tensors both = max_pool2d_with_indices(in[0], op);
  return return_indices ? both : Tensors{both[0]};
}
Cases<MaxPool2d> MaxPool2d::samples() {
  MaxPool2d a, b;
  a.kernel_size = {2};
  b.kernel_size = {3};
  b.stride = Ints{2};
  b.padding = {1};
  return {{a, {{2, 2, 4, 4}}}, {b, {{1, 2, 6, 5}}}};
}
Tensors MaxPool1d::decompose(const Inputs& in) const {
  check_sequences(in[0]);
  MaxPool2d op = *this;
  widen(*this, op);
  op.dilation = wide("dilation", dilation, 1);
  Tensors out = Fn<MaxPool2d>()(unsqueeze(in[0], {-2}), op);
  for (Tensor& t : out) t = squeeze(t, {Ints{-2}});
  return out;
}
Cases<MaxPool1d> MaxPool1d::samples() {
  MaxPool1d a;
  a.kernel_size = {3};
  a.stride = Ints{2};
  return {{a, {{2, 2, 7}}}, {a, {{2, 7}}}};
}

Spec PoolGather::infer(const Inputs& in) const { return spec(in[1].shape(), in[0].dtype(), in[1]); }
Tensors PoolGather::vjp(const Call& c, const Tensor& dy) const {
  return {pool_scatter(dy, c.in[1], {plane(c.in[0]), base, window}), {}};
}
Spec PoolScatter::infer(const Inputs& in) const {
  return spec(with_plane(in[0].shape(), size[0], size[1]), in[0].dtype(), in[1]);
}
Tensors PoolScatter::vjp(const Call& c, const Tensor& dy) const {
  return {pool_gather(dy, c.in[1], {base, window}), {}};
}

namespace {
// Positions in a plane of 3 x 4, one of them twice.
Tensor sample_indices() {
  int64_t at[] = {0, 5, 5, 11, 3, 6, 10, 1};
  return Tensor::from({2, 2, 2}, at);
}
Tensor sample_plane(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double(i % 7) / 4 - 0.6;
  return t;
}
}  // namespace
Cases<PoolGather> PoolGather::samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{sample_plane({2, 3, 4}), sample_indices()}; }}};
}
Cases<PoolScatter> PoolScatter::samples() {
  return {{{.size = {3, 4}}, {}, 0, 0, [] { return Inputs{sample_plane({2, 2, 2}), sample_indices()}; }}};
}

// ---- Means -----------------------------------------------------------------------------------------------------

namespace {
void check_divisor(const AvgPool& op) {
  if (op.divisor_override && *op.divisor_override == 0) throw Error("divisor_override must not be 0");
}
}  // namespace

Spec AvgPool2d::infer(const Inputs& in) const {
  check_divisor(*this);
  return spec(pooled(in[0], {1}), in[0].dtype(), in[0]);
}
Tensors AvgPool2d::vjp(const Call& c, const Tensor& dy) const {
  AvgPool2dGrad op;
  static_cast<AvgPool&>(op) = *this;
  op.size = plane(c.in[0]);
  return {avg_pool2d_grad(dy, op)};
}
Cases<AvgPool2d> AvgPool2d::samples() {
  AvgPool2d a, b, d;
  a.kernel_size = {2};
  b.kernel_size = {3, 2};
  b.stride = Ints{2};
  b.padding = {1};
  b.ceil_mode = true;
  b.count_include_pad = false;
  d = b;
  d.divisor_override = 5;
  return {{a, {{2, 2, 4, 5}}}, {b, {{2, 6, 6}}}, {d, {{1, 2, 6, 5}}}};
}
Spec AvgPool2dGrad::infer(const Inputs& in) const {
  check_images("grad", in[0]);
  return spec(with_plane(in[0].shape(), size[0], size[1]), in[0].dtype(), in[0]);
}
Tensors AvgPool2dGrad::vjp(const Call&, const Tensor& dy) const {
  AvgPool2d op;
  static_cast<AvgPool&>(op) = *this;
  return {avg_pool2d(dy, op)};
}
Cases<AvgPool2dGrad> AvgPool2dGrad::samples() {
  AvgPool2dGrad a;
  a.kernel_size = {3};
  a.stride = Ints{2};
  a.padding = {1};
  a.size = {5, 6};
  return {{a, {{2, 3, 3}}}};
}
Tensor AvgPool1d::decompose(const Inputs& in) const {
  AvgPool2d op;
  widen(*this, op);
  op.count_include_pad = count_include_pad;
  return as_image(in[0], [&](const Tensor& t) { return avg_pool2d(t, op); });
}
Cases<AvgPool1d> AvgPool1d::samples() {
  AvgPool1d a;
  a.kernel_size = {3};
  a.padding = {1};
  return {{a, {{2, 2, 7}}}, {a, {{2, 7}}}};
}

Spec AdaptiveAvgPool2d::infer(const Inputs& in) const {
  if (output_size.size() != 1 && output_size.size() != 2)
    throw Error("output_size must be one number or two, got {}", to_string(output_size));
  check_images("input", in[0]);
  Ints size = plane(in[0]);
  for (int d = 0; d < 2; ++d)
    if (int64_t n = at_or_all(output_size, d); n >= 0) size[d] = n;
  return spec(with_plane(in[0].shape(), size[0], size[1]), in[0].dtype(), in[0]);
}
Tensors AdaptiveAvgPool2d::vjp(const Call& c, const Tensor& dy) const {
  return {adaptive_avg_pool2d_grad(dy, {plane(c.in[0])})};
}
Cases<AdaptiveAvgPool2d> AdaptiveAvgPool2d::samples() {
  return {{{{1}}, {{2, 2, 3, 4}}}, {{{2, 3}}, {{2, 5, 4}}}, {{{5}}, {{1, 2, 3, 3}}}};
}
Spec AdaptiveAvgPool2dGrad::infer(const Inputs& in) const {
  return spec(with_plane(in[0].shape(), size[0], size[1]), in[0].dtype(), in[0]);
}
Tensors AdaptiveAvgPool2dGrad::vjp(const Call& c, const Tensor& dy) const {
  return {adaptive_avg_pool2d(dy, {plane(c.in[0])})};
}
Cases<AdaptiveAvgPool2dGrad> AdaptiveAvgPool2dGrad::samples() { return {{{{5, 4}}, {{2, 2, 3}}}}; }
Tensor AdaptiveAvgPool1d::decompose(const Inputs& in) const {
  Ints size = wide("output_size", output_size, 1);
  return as_image(in[0], [&](const Tensor& t) { return adaptive_avg_pool2d(t, {size}); });
}
Cases<AdaptiveAvgPool1d> AdaptiveAvgPool1d::samples() { return {{{{3}}, {{2, 2, 7}}}, {{{2}}, {{2, 5}}}}; }

namespace {
const DefineAll<MaxPool2dWithIndices, MaxPool2d, MaxPool1d, PoolGather, PoolScatter, AvgPool2d, AvgPool2dGrad,
                AvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool2dGrad, AdaptiveAvgPool1d>
    define_all_;
}

}  // namespace luth::ops
