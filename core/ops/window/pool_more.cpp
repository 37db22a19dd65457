#include "core/ops/window/pool_more.h"

#include <cmath>

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/resample.h"

namespace luth::ops {
namespace {

const char* const layouts[] = {"3 dims (N, C, L) or 2 (C, L)", "4 dims (N, C, H, W) or 3 (C, H, W)",
                               "5 dims (N, C, D, H, W) or 4 (C, D, H, W)"};

void check_input(const Tensor& x, int dims) {
  if (x.dim() != dims + 1 && x.dim() != dims + 2)
    throw Error("input must have {}, got shape {}", layouts[dims - 1], to_string(x.shape()));
  for (int d = x.dim() - dims - 1; d < x.dim(); ++d)
    if (x.shape()[d] == 0)
      throw Error("input of shape {} has no elements in a dim other than the batch's", to_string(x.shape()));
  if (x.dtype() == Dtype::boolean) throw Error("there is no pooling of bool; convert with :to() first");
}
void check_list(const char* what, const Ints& v, int dims, int64_t least) {
  if (v.size() != 1 && v.size() != dims) throw Error("{} must be one number or {}, got {}", what, dims, to_string(v));
  for (int64_t n : v)
    if (n < least || n > INT32_MAX) throw Error("{} must be at least {}, got {}", what, least, to_string(v));
}
void check_window(const PoolWindow& w, int dims) {
  check_list("kernel_size", w.kernel_size, dims, 1);
  check_list("padding", w.padding, dims, 0);
  if (w.stride && !w.stride->empty()) check_list("stride", *w.stride, dims, 1);
}
// The extents that an adaptive pooling gives.
Ints wanted_extents(const Tensor& x, const Ints& output_size, int dims) {
  check_input(x, dims);
  check_list("output_size", output_size, dims, -1);
  Ints n;
  for (int d = 0; d < dims; ++d) {
    const int64_t m = at_or_all(output_size, d);
    n.push_back(m < 0 ? x.shape()[x.dim() - dims + d] : m);
  }
  return n;
}

/// Values, and their positions in the dims that have been pooled.
struct Pooled {
  Tensor values, positions;
};
// The windows that step over the whole input: their elements lie in the padding on both sides of it.
std::vector<bool> windows_outside(const WindowArgmax& op, int64_t n) {
  std::vector<bool> outside;
  if (op.kernel == 0 || op.dilation <= n) return outside;  // every window meets the input
  bool any = false;
  for (int64_t i = 0; i < op.size; ++i) {
    int64_t begin = i * op.stride - op.padding;
    if (begin < 0) begin += (op.dilation - 1 - begin) / op.dilation * op.dilation;
    outside.push_back(begin >= n);
    any = any || begin >= n;
  }
  if (!any) outside.clear();
  return outside;
}
// values with the lowest number where `outside` says so, along dim (< 0).
Tensor lowest_outside(const Tensor& values, const std::vector<bool>& outside, int64_t dim) {
  Shape s{int64_t(outside.size())};
  for (int64_t d = dim; d < -1; ++d) s.push_back(1);
  Tensor mask = Tensor::empty(s, Dtype::boolean, host());
  for (size_t i = 0; i < outside.size(); ++i) mask.data<bool>()[i] = outside[i];
  Scalar lowest = 0;
  dispatch(Numbers{}, values.dtype(), [&]<class T>(Type<T>) { lowest = lowest_of<T>(); });
  return masked_fill(values, to_device(mask, {&values.device()}), lowest);
}

// Pools one more dim, of `inner` elements of the volume for each step; `p.positions` null: the first. A window outside
// of the input has the lowest value and a position past the input's last, as in PyTorch.
void pool_dim(Pooled& p, const WindowArgmax& op, int64_t inner) {
  const int64_t n = p.values.shape()[p.values.dim() + int(op.dim)];
  const std::vector<bool> outside = windows_outside(op, n);
  const Tensor at = window_argmax(p.values, op), from = outside.empty() ? at : clamp_max(at, n - 1);
  Gather along;
  along.dim = op.dim;
  const Tensor here = inner == 1 ? at : mul(at, inner);
  p.positions = p.positions ? add(gather(p.positions, from, along), here) : here;
  p.values = gather(p.values, from, along);
  if (!outside.empty()) p.values = lowest_outside(p.values, outside, op.dim);
}
Tensors results(const Pooled& p, bool both, int base) {
  if (!both) return {p.values};
  return {p.values, base ? add(p.positions, int64_t(base)) : p.positions};
}

}  // namespace

// ---- Largest elements ----------------------------------------------------------------------------------------------

Spec WindowArgmax::infer(const Inputs& in) const {
  Shape s = in[0].shape();
  const int d = wrap_dim(dim, s.size());
  if (size < 0 || kernel < 0 || stride < 1 || padding < 0 || dilation < 1) throw Error("there is no such window");
  if (in[0].dtype() == Dtype::boolean) throw Error("there is no pooling of bool; convert with :to() first");
  if (s.size() == 0 || s[d] == 0) throw Error("shape {} has no elements along the dim", to_string(s));
  if (kernel && (size - 1) * stride - padding >= s[d]) throw Error("the last window begins outside of the input");
  if (kernel && dilation * (kernel - 1) < padding) throw Error("the first window lies outside of the input");
  s[d] = size;
  return {s, Dtype::i64};
}
Cases<WindowArgmax> WindowArgmax::samples() {
  return {{{0, 3}, {{5, 4}}},
          {{-1, 3, 3, 2, 1}, {{2, 6}}},
          {{1, 2, 2, 1, 0, 2}, {{2, 5, 3}}},
          {{0, 7}, {{3}}},
          {{0, 1, 2, 1, 1, 2}, {{1, 3}}}};
}

Tensors MaxPool3dWithIndices::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  check_input(x, 3);
  check_window(*this, 3);
  check_list("dilation", dilation, 3, 1);
  const int64_t depth = x.shape()[x.dim() - 3], spread = at_or_all(dilation, 0);
  const WindowArgmax down{-3,      positions(0, depth, spread), at_or_all(kernel_size, 0),
                          step(0), at_or_all(padding, 0),       spread};
  MaxPool2dWithIndices flat;
  flat.kernel_size = {at_or_all(kernel_size, 1), at_or_all(kernel_size, 2)};
  flat.stride = Ints{step(1), step(2)};
  flat.padding = {at_or_all(padding, 1), at_or_all(padding, 2)};
  flat.dilation = {at_or_all(dilation, 1), at_or_all(dilation, 2)};
  flat.ceil_mode = ceil_mode;
  // planes as images: [N C, D, H, W], or [C, D, H, W] as it is
  const Shape s = x.shape();
  const Tensors planes =
      max_pool2d_with_indices(s.size() == 5 ? reshape(x, {{s[0] * s[1], s[2], s[3], s[4]}}) : x, flat);
  Pooled p{planes[0], planes[1]};
  pool_dim(p, down, s[s.size() - 1] * s[s.size() - 2]);
  if (s.size() == 5)
    for (Tensor* t : {&p.values, &p.positions}) {
      const Shape& n = t->shape();
      *t = reshape(*t, {{s[0], s[1], n[1], n[2], n[3]}});
    }
  return results(p, true, base);
}
Cases<MaxPool3dWithIndices> MaxPool3dWithIndices::samples() {
  MaxPool3dWithIndices a, b;
  a.kernel_size = {2};
  b.kernel_size = {3, 2, 2}, b.stride = Ints{2, 1, 2}, b.padding = {1}, b.dilation = {1, 2, 1}, b.ceil_mode = true;
  return {{a, {{1, 2, 4, 2, 4}}}, {b, {{2, 4, 3, 3}}}};
}
Tensors MaxPool3d::decompose(const Inputs& in) const {
  MaxPool3dWithIndices op;
  static_cast<PoolWindow&>(op) = *this;
  op.dilation = dilation;
  op.base = base;
  const Tensors both = max_pool3d_with_indices(in[0], op);
  return return_indices ? both : Tensors{both[0]};
}
Cases<MaxPool3d> MaxPool3d::samples() {
  MaxPool3d a;
  a.kernel_size = {2}, a.stride = Ints{1};
  return {{a, {{1, 2, 3, 3, 2}}}};
}

Tensors AdaptiveMaxPool::pooled(const Tensor& x, int dims) const {
  const Ints to = wanted_extents(x, output_size, dims);
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  Pooled p{x, {}};
  int64_t inner = 1;
  for (int d = dims - 1; d >= 0; --d) {
    pool_dim(p, WindowArgmax{d - dims, to[d]}, inner);
    inner *= x.shape()[x.dim() - dims + d];
  }
  return results(p, return_indices, base);
}
namespace {
template <class Op>
Op adaptive(Ints size, bool return_indices) {
  Op op;
  op.output_size = size, op.return_indices = return_indices;
  return op;
}
}  // namespace
Cases<AdaptiveMaxPool1d> AdaptiveMaxPool1d::samples() {
  return {{adaptive<AdaptiveMaxPool1d>({3}, true), {{2, 2, 5}}}, {adaptive<AdaptiveMaxPool1d>({2}, false), {{2, 3}}}};
}
Cases<AdaptiveMaxPool2d> AdaptiveMaxPool2d::samples() {
  return {{adaptive<AdaptiveMaxPool2d>({2, 3}, true), {{2, 2, 5, 4}}},
          {adaptive<AdaptiveMaxPool2d>({4, -1}, false), {{2, 3, 2}}}};
}
Cases<AdaptiveMaxPool3d> AdaptiveMaxPool3d::samples() {
  return {{adaptive<AdaptiveMaxPool3d>({2}, true), {{1, 2, 3, 4, 2}}}};
}

// ---- Means ---------------------------------------------------------------------------------------------------------

Tensor AvgPool3d::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  check_input(x, 3);
  check_window(*this, 3);
  if (divisor_override && *divisor_override == 0) throw Error("divisor_override must not be 0");
  const bool whole = !is_floating(x.dtype());
  if (whole && x.dtype() != Dtype::i64) throw_unsupported(x.dtype());
  Resample r;
  r.kind = "mean", r.dim = -3, r.count_include_pad = count_include_pad;
  r.divide = !divisor_override && !whole;
  r.kernel = r.stride = r.padding = {};
  for (int d = 0; d < 3; ++d) {
    r.from.push_back(x.shape()[x.dim() - 3 + d]);
    r.to.push_back(positions(d, r.from[d]));
    r.kernel.push_back(at_or_all(kernel_size, d));
    r.stride.push_back(step(d));
    r.padding.push_back(at_or_all(padding, d));
  }
  const Tensor y = resample(x, r);
  if (r.divide) return y;
  if (divisor_override) return whole ? trunc_divide(y, *divisor_override) : div(y, *divisor_override);
  // integers: the sums of windows of ones are what padding leaves of them
  Shape shape = r.to;
  Tensor sizes = Tensor::empty(shape, Dtype::i64, host());
  for (int64_t i = 0; i < sizes.numel(); ++i) {
    int64_t size = 1, rest = i;
    for (int d = 2; d >= 0; --d) {
      const int64_t begin = rest % r.to[d] * r.stride[d] - r.padding[d], m = r.from[d];
      rest /= r.to[d];
      const int64_t end = std::min(begin + r.kernel[d], m + r.padding[d]);
      size *= count_include_pad ? end - begin : std::min(end, m) - std::max<int64_t>(begin, 0);
    }
    sizes.data<int64_t>()[i] = std::max<int64_t>(size, 1);
  }
  return trunc_divide(y, to_device(sizes, {&y.device()}));
}
template <class Mean, class Max>
Tensor LpPool::pooled(const Tensor& x, int dims) const {
  const double p = norm_type.value();
  if (p == 0) throw Error("norm_type must not be 0");
  check_floating(x);
  auto window = [this](auto op) {
    op.kernel_size = kernel_size, op.stride = stride, op.ceil_mode = ceil_mode;
    return op;
  };
  if (std::isinf(p)) {
    const Tensor size = p > 0 ? abs(x) : neg(abs(x)), most = Fn<Max>()(size, window(Max()))[0];
    return p > 0 ? most : neg(most);
  }
  int64_t elements = 1;
  for (int d = 0; d < dims; ++d) elements *= at_or_all(kernel_size, d);
  const Tensor mean = Fn<Mean>()(pow(x, norm_type), window(Mean()));
  return pow(mul(mul(sign(mean), relu(abs(mean))), elements), 1 / p);
}
Tensor LpPool1d::decompose(const Inputs& in) const { return pooled<AvgPool1d, MaxPool1d>(in[0], 1); }
Tensor LpPool2d::decompose(const Inputs& in) const { return pooled<AvgPool2d, MaxPool2d>(in[0], 2); }
Tensor LpPool3d::decompose(const Inputs& in) const { return pooled<AvgPool3d, MaxPool3d>(in[0], 3); }

namespace {
// Of positive numbers: at 0 roots have no gradient.
template <class Op>
Cases<Op> norm_samples(const Shape& one, const Shape& batch) {
  Op a, b;
  a.kernel_size = {2};
  b.norm_type = 3, b.kernel_size = {2}, b.stride = Ints{1}, b.ceil_mode = true;
  return {{a, {one}, 0.5, 2}, {b, {batch}, 0.5, 2}};
}
}  // namespace
Cases<LpPool1d> LpPool1d::samples() { return norm_samples<LpPool1d>({2, 5}, {1, 2, 4}); }
Cases<LpPool2d> LpPool2d::samples() { return norm_samples<LpPool2d>({1, 4, 4}, {1, 2, 3, 3}); }
Cases<LpPool3d> LpPool3d::samples() { return norm_samples<LpPool3d>({1, 2, 2, 3}, {1, 1, 2, 3, 2}); }

Cases<AvgPool3d> AvgPool3d::samples() {
  AvgPool3d a, b, c;
  a.kernel_size = {2};
  b.kernel_size = {3, 2, 2}, b.stride = Ints{2, 1, 2}, b.padding = {1}, b.ceil_mode = true, b.count_include_pad = false;
  c.kernel_size = {2}, c.divisor_override = 3;
  return {{a, {{1, 2, 4, 2, 4}}}, {b, {{2, 4, 3, 3}}}, {c, {{1, 3, 2, 2}}}};
}
Tensor AdaptiveAvgPool3d::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  Resample r;
  r.kind = "area", r.dim = -3;
  r.to = wanted_extents(x, output_size, 3);
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  if (r.to == Ints{1, 1, 1}) {
    Mean all;
    all.dim = {-3, -2, -1}, all.keepdim = true;
    return mean(x, all);
  }
  for (int d = 0; d < 3; ++d) r.from.push_back(x.shape()[x.dim() - 3 + d]);
  return resample(x, r);
}
Cases<AdaptiveAvgPool3d> AdaptiveAvgPool3d::samples() {
  return {{{{2, 3, 1}}, {{1, 2, 3, 4, 2}}}, {{{3}}, {{2, 3, 2, 4}}}};
}

// ---- Back to where elements came from
// --------------------------------------------------------------------------------

Tensor MaxUnpool::unpooled(const Inputs& in, int dims) const {
  const Tensor &x = in[0], &indices = in[1];
  check_input(x, dims);
  PoolWindow window{kernel_size, stride, padding};
  check_window(window, dims);
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  if (indices.dtype() != Dtype::i64) throw Error("indices must be int64, got {}", name(indices.dtype()));
  if (!(indices.shape() == x.shape()))
    throw Error("indices of shape {} must have input's shape {}", to_string(indices.shape()), to_string(x.shape()));
  Shape full = x.shape(), flat;
  const int lead = x.dim() - dims;
  for (int d = 0; d < dims; ++d) {
    const int64_t own =
        (x.shape()[lead + d] - 1) * window.step(d) - 2 * at_or_all(padding, d) + at_or_all(kernel_size, d);
    full[lead + d] = own;
    if (!output_size) continue;
    if (output_size->size() != dims && output_size->size() != dims + 2)
      throw Error("output_size must have {} numbers or {}, got {}", dims, dims + 2, to_string(*output_size));
    full[lead + d] = (*output_size)[output_size->size() - dims + d];
    if (full[lead + d] < 1) throw Error("the result would have {} elements in a dim", full[lead + d]);
    if (std::abs(full[lead + d] - own) >= window.step(d))
      throw Error("output_size {} must differ from the {} of dim {} by less than the step {}", to_string(*output_size),
                  own, shown(lead + d), window.step(d));
  }
  int64_t volume = 1;
  for (int d = 0; d < lead; ++d) flat.push_back(x.shape()[d]);
  for (int d = 0; d < dims; ++d) {
    if (full[lead + d] < 1) throw Error("the result would have {} elements in a dim", full[lead + d]);
    if (__builtin_mul_overflow(volume, full[lead + d], &volume))
      throw Error("the result of shape {} would have too many elements to count", to_string(full));
  }
  Shape from = flat;
  from.push_back(-1), flat.push_back(volume);
  if (x.numel() == 0) from[lead] = 0;
  Tensor zeros = Tensor::empty(flat, x.dtype(), x.device());
  if (zeros.bytes()) x.device().fill_zero(zeros.raw(), zeros.bytes());
  Scatter op;
  op.dim = -1, op.base = base;
  return reshape(scatter(zeros, reshape(indices, {from}), reshape(x, {from}), op), {full});
}
namespace {
template <class Op>
Op unpool(Ints kernel) {
  Op op;
  op.kernel_size = kernel;
  return op;
}
// [1, 2, 2, …] of values, and positions in the result of windows of 2, each in its own window.
Inputs unpool_inputs(int dims) {
  Shape s{1};
  for (int d = 0; d <= dims; ++d) s.push_back(2);
  Tensor x = Tensor::empty(s, Dtype::f64, host()), at = Tensor::empty(s, Dtype::i64, host());
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<double>()[i] = double(i % 5) / 4 - 0.4;
    int64_t position = 0;
    for (int d = 0; d < dims; ++d) position = position * 4 + (i >> (dims - 1 - d) & 1) * 2 + (i + d) % 2;
    at.data<int64_t>()[i] = position;
  }
  return {x, at};
}
}  // namespace
Cases<MaxUnpool1d> MaxUnpool1d::samples() {
  return {{unpool<MaxUnpool1d>({2}), {}, 0, 0, [] { return unpool_inputs(1); }}};
}
Cases<MaxUnpool2d> MaxUnpool2d::samples() {
  return {{unpool<MaxUnpool2d>({2}), {}, 0, 0, [] { return unpool_inputs(2); }}};
}
Cases<MaxUnpool3d> MaxUnpool3d::samples() {
  return {{unpool<MaxUnpool3d>({2}), {}, 0, 0, [] { return unpool_inputs(3); }}};
}

namespace {
const DefineAll<WindowArgmax, MaxPool3dWithIndices, MaxPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d,
                LpPool1d, LpPool2d, LpPool3d, AvgPool3d, AdaptiveAvgPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d>
    define_all_;
}

}  // namespace luth::ops
