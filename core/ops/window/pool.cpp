#include "core/ops/window/pool.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/shape/view.h"
#include "core/tensor/batched_device.h"

namespace luth::ops {
namespace {

Spec spec(const Shape& shape, Dtype dtype, const Value& like, int dims) {
  return spatial_spec(shape, dtype, only_nhwc(like, dims));
}

// Throws unless `v` has the spatial extents of the windows: `from`, or `to` for a gradient.
void check_extents(const char* what, const Value& v, const PoolWindows& w, const Ints& extents) {
  refuse_bool("pooling", v);
  const int lead = v.dim() - w.dims();
  if ((lead != 1 && lead != 2) || !(spatial(v.shape(), w.dims()) == extents))
    throw Error("{} of shape {} must have the spatial extents {}", what, to_string(v.shape()), to_string(extents));
  if (w.from.numel() > INT32_MAX) throw Error("channels of {} elements are too large", w.from.numel());
}
void check_indices(const Value& indices, const Shape& shape) {
  if (indices.dtype() != Dtype::i64) throw Error("indices must be int64, got {}", name(indices.dtype()));
  if (!(indices.shape() == shape))
    throw Error("indices of shape {} must have shape {}", to_string(indices.shape()), to_string(shape));
}

PoolWindows windows_of(std::initializer_list<PoolDim> dims) {
  PoolWindows w;
  for (auto& d : dims) w.push_back(d);
  return w;
}

}  // namespace

void PoolWindows::push_back(const PoolDim& d) {
  from.push_back(d.from), to.push_back(d.to), kernel_size.push_back(d.kernel), stride.push_back(d.stride);
  padding.push_back(d.padding), dilation.push_back(d.dilation);
}
PoolDim PoolWindows::dim(int d) const {
  const int k = d - (3 - dims());
  return k < 0 ? PoolDim() : PoolDim{from[k], to[k], kernel_size[k], stride[k], padding[k], dilation[k]};
}

// ---- Operators with kernels --------------------------------------------------------------------------------------

Specs MaxPool::infer(const Inputs& in) const {
  check_extents("input", in[0], windows, windows.from);
  if (!positions && windows.dims() != 1) throw Error("positions may be left out for sequences alone");
  const Shape shape = with_spatial(in[0].shape(), windows.to);
  const Spec indices = positions ? spec(shape, Dtype::i64, in[0], windows.dims()) : Spec{{0}, Dtype::i64};
  return {spec(shape, in[0].dtype(), in[0], windows.dims()), indices};
}
Tensors MaxPool::vjp(const Call& c, const Tensors& dy) const { return {max_pool_grad(dy[0], c.out[1], {*this})}; }

Spec MaxPoolGrad::infer(const Inputs& in) const {
  const PoolWindows& w = forward.windows;
  check_extents("grad", in[0], w, w.to);
  check_indices(in[1], in[0].shape());
  return spec(with_spatial(in[0].shape(), w.from), in[0].dtype(), in[1], w.dims());
}
Tensors MaxPoolGrad::vjp(const Call& c, const Tensor& g) const { return {max_pool_pick(g, c.in[1], {forward}), {}}; }

Spec MaxPoolPick::infer(const Inputs& in) const {
  const PoolWindows& w = forward.windows;
  check_extents("input", in[0], w, w.from);
  const Shape shape = with_spatial(in[0].shape(), w.to);
  check_indices(in[1], shape);
  return spec(shape, in[0].dtype(), in[1], w.dims());
}
Tensors MaxPoolPick::vjp(const Call& c, const Tensor& g) const { return {max_pool_grad(g, c.in[1], {forward}), {}}; }

Spec AvgPool::infer(const Inputs& in) const {
  check_extents("input", in[0], windows, windows.from);
  if (divisor_override && *divisor_override == 0) throw Error("divisor_override must not be 0");
  return spec(with_spatial(in[0].shape(), windows.to), in[0].dtype(), in[0], windows.dims());
}
Tensors AvgPool::vjp(const Call&, const Tensor& dy) const { return {avg_pool_grad(dy, {*this})}; }

Spec AvgPoolGrad::infer(const Inputs& in) const {
  const PoolWindows& w = forward.windows;
  check_extents("grad", in[0], w, w.to);
  return spec(with_spatial(in[0].shape(), w.from), in[0].dtype(), in[0], w.dims());
}
Tensors AvgPoolGrad::vjp(const Call&, const Tensor& g) const { return {avg_pool(g, forward)}; }

namespace {
const PoolWindows over_volume = windows_of({{4, 2, 2, 2}, {3, 2, 0}, {5, 3, 3, 2, 1}}),
                  over_image = windows_of({{5, 3, 2, 2, 1}, {6, 3, 2, 2, 0, 2}}),
                  over_sequence = windows_of({{7, 3, 3, 2}}), small = windows_of({{3, 2, 2}, {4, 2, 2, 2}});
// Positions in small.from, one of them twice.
Tensor sample_indices() {
  int64_t at[] = {5, 3, 5, 11, 0, 6, 9, 6};
  return Tensor::from({2, 2, 2}, at);
}
Tensor sample_plane(const Shape& shape) {
  return sample_of(shape, [](int64_t i) { return double(i % 7) / 4 - 0.6; });
}
}  // namespace
Cases<MaxPool> MaxPool::samples() {
  return {{{over_volume}, {{2, 2, 4, 3, 5}}},
          {{over_image}, {{2, 5, 6}}},
          {{over_sequence}, {{2, 2, 7}}},
          {{over_image}, {{0, 2, 5, 6}}}};
}
Cases<MaxPoolGrad> MaxPoolGrad::samples() {
  return {{{{small}}, {}, 0, 0, [] { return Inputs{sample_plane({2, 2, 2}), sample_indices()}; }}};
}
Cases<MaxPoolPick> MaxPoolPick::samples() {
  return {{{{small}}, {}, 0, 0, [] { return Inputs{sample_plane({2, 3, 4}), sample_indices()}; }}};
}
Cases<AvgPool> AvgPool::samples() {
  return {{{over_volume}, {{2, 2, 4, 3, 5}}},
          {{windows_of({{5, 3, 2, 2, 1}, {6, 6, 2, 1, 1}}), false}, {{2, 5, 6}}},
          {{over_sequence, true, 5}, {{2, 2, 7}}},
          {{small}, {{0, 2, 3, 4}}}};
}
Cases<AvgPoolGrad> AvgPoolGrad::samples() {
  return {
      {{{over_volume}}, {{2, 2, 2, 2, 3}}}, {{{over_sequence, false}}, {{2, 2, 3}}}, {{{small, true, 3}}, {{2, 2, 2}}}};
}

// ---- Windows as they are asked for -------------------------------------------------------------------------------

void PoolWindow::check(int dims) const {
  check_list("kernel_size", kernel_size, dims, 1);
  check_list("padding", padding, dims, 0);
  check_list("dilation", dilation, dims, 1);
  if (stride && !stride->empty()) check_list("stride", *stride, dims, 1);
}

PoolWindows PoolWindow::over(const Value& input, int dims) const {
  check(dims);
  check_spatial("input", input, dims);
  PoolWindows all;
  const Ints extents = spatial(input.shape(), dims);
  for (int d = 0; d < dims; ++d) {
    const int64_t pad = at_or_all(padding, d);
    const WindowDim w{at_or_all(kernel_size, d), step(d), pad, pad, at_or_all(dilation, d)};
    if (pad > w.span() / 2) throw Error("padding of {} is more than half of the window's {} elements", pad, w.span());
    all.push_back({extents[d], w.positions(extents[d], ceil_mode), w.kernel, w.stride, pad, w.dilation});
  }
  return all;
}

namespace {
// As many windows of equal share as asked for; where they have one extent, it is their kernel.
PoolWindows shares(const Value& input, const Ints& output_size, int dims) {
  check_list("output_size", output_size, dims, -1);
  check_spatial("input", input, dims);
  PoolWindows all;
  const Ints extents = spatial(input.shape(), dims);
  for (int d = 0; d < dims; ++d) {
    const int64_t m = extents[d], wanted = at_or_all(output_size, d), n = wanted < 0 ? m : wanted;
    const int64_t each = n > 0 && m % n == 0 ? m / n : 0;
    all.push_back({m, n, each, std::max<int64_t>(each, 1)});
  }
  return all;
}
Tensors maxima(const Tensor& x, const PoolWindows& windows, bool both, int base) {
  Tensors t = max_pool(x, {windows, base});
  return both ? t : Tensors{t[0]};
}
// A sequence's positions cost more than its maxima: they are found where something reads them.
bool needs_positions(const Tensor& x) { return (grad_enabled() && x.requires_grad()) || as_batched(x.device()); }
}  // namespace

template <int n>
Tensors MaxPoolWithIndices<n>::decompose(const Inputs& in) const {
  return maxima(in[0], window.over(in[0], n), true, base);
}
template <int n>
Tensors MaxPoolOf<n>::decompose(const Inputs& in) const {
  const PoolWindows windows = window.over(in[0], n);
  if (n == 1 && !return_indices && !needs_positions(in[0])) return {max_pool(in[0], {windows, base, false})[0]};
  return maxima(in[0], windows, return_indices, base);
}
template <int n>
Tensors AdaptiveMaxPool<n>::decompose(const Inputs& in) const {
  const PoolWindows windows = shares(in[0], output_size, n);
  if (!is_floating(in[0].dtype())) throw_unsupported(in[0].dtype());
  return maxima(in[0], windows, return_indices, base);
}
template <int n>
Tensor AvgPoolOf<n>::decompose(const Inputs& in) const {
  return avg_pool(in[0], {window.over(in[0], n), count_include_pad, divisor_override});
}
template <int n>
Tensor AdaptiveAvgPool<n>::decompose(const Inputs& in) const {
  return avg_pool(in[0], {shares(in[0], output_size, n)});
}

template <int n>
Tensor LpPool<n>::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const double p = norm_type.value();
  check();
  check_floating(x);
  const PoolWindows windows = window.over(x, n);
  if (std::isinf(p)) {
    const Tensor size = p > 0 ? abs(x) : neg(abs(x)), most = max_pool(size, {windows})[0];
    return p > 0 ? most : neg(most);
  }
  const Tensor mean = avg_pool(pow(x, norm_type), {windows});
  return pow(mul(mul(sign(mean), relu(abs(mean))), windows.kernel_size.numel()), 1 / p);
}

namespace {
// The spatial extents of the tensor that was pooled to `x`.
Ints unpooled_extents(const Tensor& x, const PoolWindow& window, const std::optional<Ints>& wanted, int dims) {
  if (wanted && wanted->size() != dims && wanted->size() != dims + 2)
    throw Error("output_size must have {} numbers or {}, got {}", dims, dims + 2, to_string(*wanted));
  Ints extents = spatial(x.shape(), dims);
  for (int d = 0; d < dims; ++d) {
    const int64_t own =
        (extents[d] - 1) * window.step(d) - 2 * at_or_all(window.padding, d) + at_or_all(window.kernel_size, d);
    extents[d] = wanted ? (*wanted)[wanted->size() - dims + d] : own;
    if (extents[d] < 1) throw Error("the result would have {} elements in a dim", extents[d]);
    if (std::abs(extents[d] - own) >= window.step(d))
      throw Error("output_size {} must differ from the {} of dim {} by less than the step {}", to_string(*wanted), own,
                  shown(x.dim() - dims + d), window.step(d));
  }
  return extents;
}
}  // namespace

template <int n>
Tensor MaxUnpool<n>::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &indices = in[1];
  check_spatial("input", x, n);
  window.check(n);
  if (!is_floating(x.dtype())) throw_unsupported(x.dtype());
  check_indices(indices, x.shape());
  const Ints extents = unpooled_extents(x, window, output_size, n);
  int64_t volume = 1;
  for (int64_t m : extents)
    if (__builtin_mul_overflow(volume, m, &volume))
      throw Error("the result of extents {} would have too many elements to count", to_string(extents));
  Shape flat(x.shape().begin(), x.shape().end() - n), from = flat;
  flat.push_back(volume), from.push_back(x.numel() ? -1 : 0);
  Tensor zeros = Tensor::empty(flat, x.dtype(), x.device());
  if (zeros.bytes()) x.device().fill_zero(zeros.raw(), zeros.bytes());
  const Tensor y = scatter(zeros, reshape(indices, {from}), reshape(x, {from}), {.dim = -1, .base = base});
  return reshape(y, {with_spatial(x.shape(), extents)});
}

// ---- Samples -----------------------------------------------------------------------------------------------------

template <>
Cases<MaxPoolWithIndices<2>> MaxPoolWithIndices<2>::samples() {
  return {
      {{{{2}}}, {{2, 2, 4, 5}}}, {{{{3, 2}, Ints{2, 1}, {1}, {1, 2}, true}}, {{2, 5, 6}}}, {{{{2}}}, {{0, 2, 4, 4}}}};
}
template <>
Cases<MaxPoolWithIndices<3>> MaxPoolWithIndices<3>::samples() {
  return {{{{{2}}}, {{1, 2, 4, 2, 4}}}, {{{{3, 2, 2}, Ints{2, 1, 2}, {1}, {1, 2, 1}, true}}, {{2, 4, 3, 3}}}};
}
template <>
Cases<MaxPoolOf<1>> MaxPoolOf<1>::samples() {
  return {{{{{3}, Ints{2}}}, {{2, 2, 7}}}, {{{{3}, Ints{2}}}, {{2, 7}}}};
}
template <>
Cases<MaxPoolOf<2>> MaxPoolOf<2>::samples() {
  return {{{{{2}}}, {{2, 2, 4, 4}}}, {{{{3}, Ints{2}, {1}}}, {{1, 2, 6, 5}}}};
}
template <>
Cases<MaxPoolOf<3>> MaxPoolOf<3>::samples() {
  return {{{{{2}, Ints{1}}}, {{1, 2, 3, 3, 2}}}};
}
template <>
Cases<AdaptiveMaxPool<1>> AdaptiveMaxPool<1>::samples() {
  return {{{{3}, true}, {{2, 2, 5}}}, {{{2}}, {{2, 3}}}};
}
template <>
Cases<AdaptiveMaxPool<2>> AdaptiveMaxPool<2>::samples() {
  return {{{{2, 3}, true}, {{2, 2, 5, 4}}}, {{{4, -1}}, {{2, 3, 2}}}};
}
template <>
Cases<AdaptiveMaxPool<3>> AdaptiveMaxPool<3>::samples() {
  return {{{{2}, true}, {{1, 2, 3, 4, 2}}}};
}
template <>
Cases<AvgPoolOf<1>> AvgPoolOf<1>::samples() {
  return {{{{.kernel_size = {3}, .padding = {1}}}, {{2, 2, 7}}}, {{{.kernel_size = {3}, .padding = {1}}}, {{2, 7}}}};
}
template <>
Cases<AvgPoolOf<2>> AvgPoolOf<2>::samples() {
  const PoolWindow w{{3, 2}, Ints{2}, {1}, {1}, true};
  return {{{{{2}}}, {{2, 2, 4, 5}}}, {{w, false}, {{2, 6, 6}}}, {{w, false, 5}, {{1, 2, 6, 5}}}};
}
template <>
Cases<AvgPoolOf<3>> AvgPoolOf<3>::samples() {
  return {{{{{2}}}, {{1, 2, 4, 2, 4}}},
          {{{{3, 2, 2}, Ints{2, 1, 2}, {1}, {1}, true}, false}, {{2, 4, 3, 3}}},
          {{{{2}}, true, 3}, {{1, 3, 2, 2}}}};
}
template <>
Cases<AdaptiveAvgPool<1>> AdaptiveAvgPool<1>::samples() {
  return {{{{3}}, {{2, 2, 7}}}, {{{2}}, {{2, 5}}}};
}
template <>
Cases<AdaptiveAvgPool<2>> AdaptiveAvgPool<2>::samples() {
  return {{{{1}}, {{2, 2, 3, 4}}}, {{{2, 3}}, {{2, 5, 4}}}, {{{5}}, {{1, 2, 3, 3}}}};
}
template <>
Cases<AdaptiveAvgPool<3>> AdaptiveAvgPool<3>::samples() {
  return {{{{2, 3, 1}}, {{1, 2, 3, 4, 2}}}, {{{3}}, {{2, 3, 2, 4}}}};
}

namespace {
// Of positive numbers: at 0 roots have no gradient.
template <int n>
Cases<LpPool<n>> norm_samples(const Shape& one, const Shape& batch) {
  return {{{2, {{2}}}, {one}, 0.5, 2},
          {{3, {.kernel_size = {2}, .stride = Ints{1}, .ceil_mode = true}}, {batch}, 0.5, 2}};
}
// [1, 2, 2, …] of values, and positions in the result of windows of 2, each in its own window.
template <int n>
Inputs unpool_inputs() {
  Shape s{1, 2};
  for (int d = 0; d < n; ++d) s.push_back(2);
  Tensor x = Tensor::empty(s, Dtype::f64, host()), at = Tensor::empty(s, Dtype::i64, host());
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<double>()[i] = double(i % 5) / 4 - 0.4;
    int64_t position = 0;
    for (int d = 0; d < n; ++d) position = position * 4 + (i >> (n - 1 - d) & 1) * 2 + (i + d) % 2;
    at.data<int64_t>()[i] = position;
  }
  return {x, at};
}
}  // namespace
template <>
Cases<LpPool<1>> LpPool<1>::samples() {
  return norm_samples<1>({2, 5}, {1, 2, 4});
}
template <>
Cases<LpPool<2>> LpPool<2>::samples() {
  return norm_samples<2>({1, 4, 4}, {1, 2, 3, 3});
}
template <>
Cases<LpPool<3>> LpPool<3>::samples() {
  return norm_samples<3>({1, 2, 2, 3}, {1, 1, 2, 3, 2});
}
template <int n>
Cases<MaxUnpool<n>> MaxUnpool<n>::samples() {
  return {{{{{2}}}, {}, 0, 0, unpool_inputs<n>}};
}

namespace {
template <int... n>
struct DefineFor {
  DefineAll<MaxPoolOf<n>..., AdaptiveMaxPool<n>..., AvgPoolOf<n>..., AdaptiveAvgPool<n>..., LpPool<n>...,
            MaxUnpool<n>...>
      all;
};
const DefineFor<1, 2, 3> define_for_;
const DefineAll<MaxPool, MaxPoolGrad, MaxPoolPick, AvgPool, AvgPoolGrad, MaxPoolWithIndices<2>, MaxPoolWithIndices<3>>
    define_all_;
}  // namespace

}  // namespace luth::ops
