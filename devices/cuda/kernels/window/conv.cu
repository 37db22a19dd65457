// Convolutions on CUDA: by cuDNN where it is there and enabled, else by kernels of our own (conv_kernels.cuh).
#include "core/ops/window/conv.h"

#include "core/base/backends.h"
#include "core/op/memory_order.h"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/kernels/window/conv_kernels.cuh"
#include "devices/cuda/libraries/dnn.h"
#include "devices/cuda/runtime/library.h"

namespace luth::cuda {
namespace {

using Kind = DnnConv::Kind;

/// The three operands of a convolution by their role: input, weight and output. One of them is the result.
struct Operands {
  Kind kind;
  const ops::ConvWindow& window;
  Tensor x, w, y, bias;  // bias: null but in forward
  const Tensor& result() const { return kind == Kind::forward ? y : kind == Kind::grad_input ? x : w; }
  const Tensor& first() const { return kind == Kind::forward ? x : y; }
  const Tensor& second() const { return kind == Kind::grad_weight ? x : w; }

  int dims() const { return w.dim() - 2; }
  /// Of spatial dim d: 0 is depth, 1 height, 2 width. Where there are fewer, the first ones have one element.
  int64_t extent(const Tensor& t, int d) const { return d < 3 - dims() ? 1 : t.shape()[t.dim() - 3 + d]; }
  int64_t stride(const Tensor& t, int d) const { return d < 3 - dims() ? 0 : t.strides()[t.dim() - 3 + d]; }
  int64_t area(const Tensor& t) const { return extent(t, 0) * extent(t, 1) * extent(t, 2); }
  ops::WindowDim dim(int d) const {
    return d < 3 - dims() ? ops::WindowDim() : window.dim(d - (3 - dims()), extent(w, d));
  }
  int64_t channels(const Tensor& t) const { return t.shape()[t.dim() - dims() - 1]; }
  int64_t channel_stride(const Tensor& t) const { return t.strides()[t.dim() - dims() - 1]; }
  int64_t samples() const { return x.dim() == dims() + 2 ? x.shape()[0] : 1; }
  int64_t sample_stride(const Tensor& images) const { return images.dim() == dims() + 2 ? images.strides()[0] : 0; }
};

bool channels_lie_together(const Operands& o, const Tensor& images) {
  return o.channel_stride(images) < images.strides().back();
}

// ---- cuDNN -------------------------------------------------------------------------------------------------------

// Finds the padding after the input: as much as before, or as much as the last window needs. False where neither gives
// the result's size: cuDNN cannot express such a convolution (a transposed one with much output padding).
bool find_padding_hi(DnnConv& c) {
  for (int d = 0; d < 3; ++d) {
    const int64_t span = c.dilation[d] * (c.kernel[d] - 1) + 1;
    auto gives = [&](int64_t hi) { return (c.in[d] + c.before[d] + hi - span) / c.stride[d] + 1 == c.out[d]; };
    c.after[d] = c.before[d];
    if (gives(c.after[d])) continue;
    c.after[d] = (c.out[d] - 1) * c.stride[d] + span - c.in[d] - c.before[d];
    if (c.after[d] < 0 || !gives(c.after[d])) return false;
  }
  return true;
}

bool describe_for_dnn(const Operands& o, bool last, DnnConv& c) {
  c = {};
  c.kind = o.kind;
  c.dtype = int64_t(o.x.dtype());
  c.dims = o.dims() == 3 ? 3 : 2;  // sequences are images of height 1: there are engines for images and volumes
  c.n = o.samples(), c.groups = o.window.groups, c.ic = o.channels(o.x), c.oc = o.channels(o.y);
  for (int d = 0; d < 3; ++d) {
    const ops::WindowDim w = o.dim(d);
    c.in[d] = o.extent(o.x, d), c.out[d] = o.extent(o.y, d), c.kernel[d] = w.kernel;
    c.stride[d] = w.stride, c.dilation[d] = w.dilation, c.before[d] = w.padding_lo;
  }
  c.channels_last = last;
  c.tf32 = backends().cudnn_tf32;
  c.deterministic = backends().cudnn_deterministic || backends().deterministic;
  c.benchmark = backends().cudnn_benchmark;
  return find_padding_hi(c);
}

int64_t alignment_of(std::initializer_list<const void*> pointers) {
  uintptr_t all = 16;
  for (const void* p : pointers) all |= reinterpret_cast<uintptr_t>(p);
  return int64_t(all & (~all + 1));
}

void add_bias(const Operands& o, bool last) {
  const Tensor &y = o.y, b = laid(o.bias, false);
  const int64_t channels = o.channels(y), area = o.area(y), together = last ? channels : area;
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    constexpr int n = 16 / sizeof(T);
    const bool vectorized = together % n == 0 && reinterpret_cast<uintptr_t>(y.raw()) % 16 == 0;
    const int64_t vectors = y.numel() / (vectorized ? n : 1);
    start(y, vectorized ? conv_add_bias<T, n> : conv_add_bias<T, 1>, blocks_for(vectors, 256), 256, 0, vectors,
          channels, area, last, b.data<T>(), y.data<T>());
  });
}

// False where our own kernels have to compute it.
bool by_dnn(const Operands& o) {
  const Tensor& result = o.result();
  if (!backends().cudnn_enabled || is_integral(result.dtype()) || !dnn_missing().empty()) return false;
  const bool last = o.dims() == 2 && result.dim() == 4 && result.is_channels_last() &&
                    (!result.is_contiguous() || only_channels_last(o.first()) || only_channels_last(o.second()));
  DnnConv c;
  if ((!last && !result.is_contiguous()) || !describe_for_dnn(o, last, c)) return false;
  const Tensor a = laid(o.first(), last), b = laid(o.second(), last);
  c.alignment = alignment_of({a.raw(), b.raw(), result.raw()});
  Device& device = result.device();
  if (!by_library(device, [&] { return dnn_convolve(c, device, a.raw(), b.raw(), result.raw()); })) return false;
  if (o.bias) add_bias(o, last);
  return true;
}

// ---- Our own kernels ---------------------------------------------------------------------------------------------

constexpr int64_t most = INT32_MAX;

// The largest offset of an element, over dims from `first` on.
int64_t last_offset(const Tensor& t, int first) {
  int64_t r = 0;
  for (int d = first; d < t.dim(); ++d) r += (t.shape()[d] - 1) * t.strides()[d];
  return r;
}
// The samples of one launch, so that offsets and counts fit 31 bits.
int64_t samples_at_once(const Operands& o) {
  if (last_offset(o.w, 0) > most) throw Error("filters of shape {} are too large", to_string(o.w.shape()));
  int64_t n = o.samples();
  for (const Tensor* t : {&o.x, &o.y}) {
    const int64_t one = last_offset(*t, t->dim() - o.dims() - 1), area = o.area(*t);
    if (one > most || area > most / 2)
      throw Error("images of shape {} are too large: one has more than 2^31 elements", to_string(t->shape()));
    n = std::min(n, most / 2 / area);
    n = std::min(n, 1 + (most - one) / std::max<int64_t>(1, o.sample_stride(*t)));
  }
  return std::max<int64_t>(n, 1);
}

// `own`: the images whose positions are walked; the window moves over the others. In grad_input dx is walked and the
// window moves over dy, otherwise y and x.
struct Sides {
  const Tensor &walked, &windowed;
  bool turned;
};
CoordinateList positions(const Operands& o, const Sides& s, int64_t n) {
  CoordinateList p{};
  p.count = uint32_t(n * o.area(s.walked));
  for (int d = 0; d < 3; ++d) {
    const ops::WindowDim w = o.dim(d);
    p.start.at[d] = int(s.turned ? w.padding_lo : -w.padding_lo);
    p.by[2 - d] = Divisor(o.extent(s.walked, d));
    p.step[2 - d].own = int(o.stride(s.walked, d));
    p.step[2 - d].at[d] = s.turned ? 1 : int(w.stride);
  }
  if (n > 1) p.step[3].window = int(o.sample_stride(s.windowed)), p.step[3].own = int(o.sample_stride(s.walked));
  return p;
}
// In the order in which the windowed images lie.
CoordinateList digits(const Operands& o, const Sides& s) {
  CoordinateList p{};
  const int64_t channels = o.channels(s.windowed) / o.window.groups;
  p.count = uint32_t(channels * o.area(o.w));
  const bool together = channels_lie_together(o, s.windowed);
  const int of_channel = together ? 0 : 3;
  p.step[of_channel].window = int(o.channel_stride(s.windowed));
  p.step[of_channel].own = int(o.w.strides()[s.turned ? 0 : 1]);
  if (together) p.by[0] = Divisor(channels);
  for (int d = 0; d < 3; ++d) {
    const int k = 2 - d + (together ? 1 : 0);
    if (k < 3) p.by[k] = Divisor(o.extent(o.w, d));
    p.step[k].own = int(o.stride(o.w, d));
    p.step[k].at[d] = (s.turned ? -1 : 1) * int(o.dim(d).dilation);
  }
  return p;
}

// Parts of the sums, so that a small result with long sums still fills the device.
void choose_splits(ConvProduct& p) {
  const int64_t tiles =
      (int64_t(p.m) + conv_tile - 1) / conv_tile * ((p.free.count + conv_tile - 1) / conv_tile) * p.groups;
  const int64_t wanted = std::max<int64_t>(1, 264 / std::max<int64_t>(1, tiles));
  const int64_t slices = (p.summed.count + conv_depth - 1) / conv_depth;
  const int64_t splits = std::clamp<int64_t>(slices / 16, 1, wanted);
  const int64_t each = (slices + splits - 1) / splits;
  p.per_split = uint32_t(each * conv_depth);
  p.splits = int((slices + each - 1) / each);
}

ConvProduct product(const Operands& o, int64_t n) {
  const bool turned = o.kind == Kind::grad_input, to_filters = o.kind == Kind::grad_weight;
  const Sides s{turned ? o.x : o.y, turned ? o.y : o.x, turned};
  ConvProduct p{};
  p.groups = int(o.window.groups);
  p.m = int(o.channels(s.walked) / p.groups);
  const int images_m = int(o.channel_stride(s.walked)), filters_m = int(o.w.strides()[turned ? 1 : 0]);
  const int images_group = images_m * p.m, filters_group = int(o.w.strides()[0] * (o.w.shape()[0] / p.groups));
  p.summed = to_filters ? positions(o, s, n) : digits(o, s);
  p.free = to_filters ? digits(o, s) : positions(o, s, n);
  p.left_m = to_filters ? images_m : filters_m, p.left_group = to_filters ? images_group : filters_group;
  p.out_m = to_filters ? filters_m : images_m, p.out_group = to_filters ? filters_group : images_group;
  p.window_group = int(o.channel_stride(s.windowed) * (o.channels(s.windowed) / p.groups));
  for (int d = 0; d < 3; ++d) {
    p.extent[d] = int(o.extent(s.windowed, d)), p.distance[d] = int(o.stride(s.windowed, d));
    p.step[d] = Divisor(turned ? o.dim(d).stride : 1);
    p.steps = p.steps || p.step[d].d != 1;
  }
  choose_splits(p);
  return p;
}

// Images of `n` samples from `first` on.
Tensor part(const Operands& o, const Tensor& t, int64_t first, int64_t n) {
  if (t.dim() < o.dims() + 2) return t;
  Shape s = t.shape();
  s[0] = n;
  return Tensor::alias(t.storage(), s, t.strides(), t.offset() + first * t.strides()[0], t.dtype());
}

void direct(const Operands& o, const ConvProduct& p, bool add) {
  const Tensor& out = o.result();
  const bool to_filters = o.kind == Kind::grad_weight;
  const int64_t results = int64_t(p.groups) * p.m * p.free.count;
  const bool whole_block = p.summed.count >= 512 && results < multiprocessors() * 512;
  const unsigned blocks = whole_block ? unsigned(std::min<int64_t>(results, 1 << 20)) : blocks_for(results, 256);
  dispatch_class(Numbers{}, out.dtype(), [&]<class T>(Type<T>) {
    start(out, conv_direct<T>, blocks, 256, 0, p, p.out_m == 1, whole_block, add, Elements<T>(to_filters ? o.y : o.w),
          Elements<T>(o.kind == Kind::grad_input ? o.y : o.x), Elements<T>(o.bias), Elements<T>(out));
  });
}

// One launch; `parts` null: it writes the result.
template <class T>
void tiles(const Operands& o, const ConvProduct& p, compute_t<T>* parts) {
  const bool to_filters = o.kind == Kind::grad_weight;
  const Tensor &left = to_filters ? o.y : o.w, &window = o.kind == Kind::grad_input ? o.y : o.x;
  const bool left_along = p.summed.step[0].own < p.left_m;
  const bool window_along = channels_lie_together(o, window) != to_filters;
  const unsigned high = unsigned((p.m + conv_tile - 1) / conv_tile);
  if (high > 65535) throw Error("{} channels are too many", p.m);
  const dim3 grid((p.free.count + conv_tile - 1) / conv_tile, high, unsigned(std::min(p.groups * p.splits, 65535)));
  start(o.result(), conv_tiles<T>, grid, conv_threads, 0, p, left_along, window_along, left.data<T>(), window.data<T>(),
        o.bias && !parts ? o.bias.data<T>() : nullptr, o.result().data<T>(), parts);
}
template <class T>
void add_parts(const Operands& o, const ConvProduct& p, int splits, const compute_t<T>* parts) {
  start(o.result(), conv_add_parts<T>, blocks_for(int64_t(p.groups) * p.m * p.free.count, 256), 256, 0, p, splits,
        parts, o.bias ? o.bias.data<T>() : nullptr, o.result().data<T>());
}

// f(part, first) for `at_once` samples of `o` after the other; first: the first of the part's samples.
template <class F>
void each_part(const Operands& o, int64_t at_once, F&& f) {
  const int64_t n = o.samples();
  for (int64_t i = 0; i < n; i += at_once) {
    const int64_t count = std::min(at_once, n - i);
    f(Operands{o.kind, o.window, part(o, o.x, i, count), o.w, part(o, o.y, i, count), o.bias}, count);
  }
}

template <class T>
void by_tiles(const Operands& o, int64_t at_once) {
  using C = compute_t<T>;
  // gradients of filters: one sum over the parts of all launches
  const bool one_sum = o.kind == Kind::grad_weight;
  int splits = 0, done = 0;
  if (one_sum) each_part(o, at_once, [&](const Operands& some, int64_t n) { splits += product(some, n).splits; });
  Tensor parts;
  each_part(o, at_once, [&](const Operands& some, int64_t n) {
    const ConvProduct p = product(some, n);
    const int64_t results = int64_t(p.groups) * p.m * p.free.count;
    if (!one_sum) splits = p.splits;
    if (splits > 1 && (!parts || !one_sum)) parts = Tensor::empty({splits * results}, dtype_of<C>, o.result().device());
    tiles<T>(some, p, splits > 1 ? parts.data<C>() + done * results : nullptr);
    if (one_sum) done += p.splits;
    if (splits > 1 && done == (one_sum ? splits : 0)) add_parts<T>(some, p, splits, parts.data<C>());
  });
}

void by_us(Operands o) {
  if (o.bias) o.bias = laid(o.bias, false);
  // a view that reaches far is copied, so that samples need not be taken one by one
  for (Tensor* t : {&o.x, &o.w, &o.y})
    if (!t->same(o.result()) && !is_dense(t->shape(), t->strides()) && t->numel() < most &&
        reach(t->shape(), t->strides(), 0) > most)
      *t = dense_copy(*t);
  const int64_t at_once = samples_at_once(o), m = o.channels(o.kind == Kind::grad_input ? o.x : o.y) / o.window.groups;
  if (m < 8 || is_integral(o.result().dtype())) {
    bool add = false;
    return each_part(o, at_once, [&](const Operands& some, int64_t n) {
      direct(some, product(some, n), add);
      add = o.kind == Kind::grad_weight;
    });
  }
  dispatch(Floats{}, o.result().dtype(), [&]<class T>(Type<T>) { by_tiles<T>(o, at_once); });
}

// ---- Kernels -----------------------------------------------------------------------------------------------------

void convolve(const Operands& o) {
  const Tensor& result = o.result();
  if (result.numel() == 0) return;
  if (o.samples() == 0) return result.device().fill_zero(result.raw(), result.bytes());
  if (!by_dnn(o)) by_us(o);
}

void convolution(const ops::Convolution& op, Tensor& y, const Strided& x, const Strided& w, const Strided& bias) {
  convolve({Kind::forward, op.window, x, w, y, bias});
}
void grad_input(const ops::ConvolutionGradInput& op, Tensor& dx, const Strided& dy, const Strided& w) {
  convolve({Kind::grad_input, op.window, dx, w, dy, {}});
}
void grad_weight(const ops::ConvolutionGradWeight& op, Tensor& dw, const Strided& dy, const Strided& x) {
  convolve({Kind::grad_weight, op.window, x, dw, dy, {}});
}

const Kernel<convolution> convolution_;
const Kernel<grad_input> grad_input_;
const Kernel<grad_weight> grad_weight_;

}  // namespace
}  // namespace luth::cuda
