// Convolutions: float through oneDNN, float64 and integers as matrix products of unfolded images, 16-bit floats through
// float. Work is split by samples or filters, gradients of filters into chunks of samples that are added in order; the
// pieces depend on the shape alone.
#include "core/ops/window/conv.h"

#include <algorithm>
#include <cstring>

#include "core/base/threads.h"
#include "core/op/memory_order.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/libraries/libraries.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using Kind = ConvShape::Kind;

ConvShape conv_shape(Kind kind, const ops::ConvWindow& op, const Shape& x, const Shape& w, const Shape& y) {
  auto at = [](const Shape& s, int from_end) { return s[s.size() - from_end]; };
  ConvShape s{};
  s.kind = kind;
  s.n = x.size() == 4 ? x[0] : 1;
  s.groups = op.groups;
  s.ic = at(x, 3), s.ih = at(x, 2), s.iw = at(x, 1);
  s.oc = at(y, 3), s.oh = at(y, 2), s.ow = at(y, 1);
  s.kh = at(w, 2), s.kw = at(w, 1);
  s.stride_h = at_or_all(op.stride, 0), s.stride_w = at_or_all(op.stride, 1);
  s.dilation_h = at_or_all(op.dilation, 0), s.dilation_w = at_or_all(op.dilation, 1);
  s.top = at_or_all(op.padding, 0), s.left = at_or_all(op.padding, 1);
  // what the last positions reach, which may be less than the padding
  s.bottom = std::max<int64_t>((s.oh - 1) * s.stride_h + (s.kh - 1) * s.dilation_h + 1 - s.ih - s.top, 0);
  s.right = std::max<int64_t>((s.ow - 1) * s.stride_w + (s.kw - 1) * s.dilation_w + 1 - s.iw - s.left, 0);
  return s;
}
int64_t input_size(const ConvShape& s) { return s.ic * s.ih * s.iw; }
int64_t output_size(const ConvShape& s) { return s.oc * s.oh * s.ow; }
int64_t filter_size(const ConvShape& s) { return s.oc * s.ic / s.groups * s.kh * s.kw; }
// True where the last rows or columns of the image are not used though a position would fit there: oneDNN has no words
// for it (transposed convolutions with an output padding of a step or more are so).
bool cut_short(const ConvShape& s) {
  auto more = [](int64_t n, int64_t k, int64_t step, int64_t spread, int64_t pad, int64_t positions) {
    return (n + pad - spread * (k - 1) - 1) / step + 1 > positions;
  };
  return more(s.ih, s.kh, s.stride_h, s.dilation_h, s.top + s.bottom, s.oh) ||
         more(s.iw, s.kw, s.stride_w, s.dilation_w, s.left + s.right, s.ow);
}
// multiply-adds of one sample
int64_t work(const ConvShape& s) { return filter_size(s) * s.oh * s.ow; }

// ---- float, by oneDNN --------------------------------------------------------------------------------------------

constexpr int64_t piece_work = 4 << 20;  // multiply-adds: about 0.1 ms

int64_t pieces_of(int64_t n, int64_t each) {
  return std::clamp<int64_t>(n * each / piece_work, 1, std::max<int64_t>(n, 1));
}

// forward and grad_input: pieces of samples, and of filters where there are few samples and much to do
void run_samples(const ConvShape& whole, const float* a, const float* w, const float* bias, float* out) {
  bool forward = whole.kind == Kind::forward;
  int64_t a_step = forward ? input_size(whole) : output_size(whole),
          out_step = forward ? output_size(whole) : input_size(whole);
  int64_t pieces = pieces_of(whole.n, work(whole)), per = (whole.n + pieces - 1) / pieces, parts = 1;
  if (forward && whole.groups == 1 && !whole.channels_last && pieces == whole.n && whole.n < 16)
    while (whole.oc % (parts * 2 * 16) == 0 && whole.n * parts < 32 && work(whole) / parts > 4 * piece_work) parts *= 2;
  pieces = (whole.n + per - 1) / per;
  parallel_for(pieces * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t n = i / parts * per, part = i % parts;
      ConvShape s = whole;
      s.n = std::min(per, whole.n - n);
      s.oc = whole.oc / parts;
      int64_t filter = part * s.oc;
      libs().conv(s, a + n * a_step, w + filter * (filter_size(whole) / whole.oc), bias ? bias + filter : nullptr,
                  out + n * out_step + filter * whole.oh * whole.ow);
    }
  });
}

// Chunks of samples, each into a buffer of its own; the first straight into the result.
int64_t chunks_of(const ConvShape& s) {
  int64_t worth = s.n * s.oh * s.ow / 2048;  // below it, adding the filters costs as much as finding them
  return std::clamp<int64_t>(std::min(worth, s.n * work(s) / (2 * piece_work)), 1, std::min<int64_t>(s.n, 16));
}
template <class T>
void add_chunks(int64_t chunks, int64_t n, const T* parts, T* out) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < chunks; ++c)
      for (int64_t i = begin; i < end; ++i) out[i] += parts[c * n + i];
  });
}
void run_grad_weight(const ConvShape& whole, const float* dy, const float* x, float* dw) {
  int64_t chunks = chunks_of(whole), per = (whole.n + chunks - 1) / chunks, filters = filter_size(whole);
  chunks = (whole.n + per - 1) / per;
  Buffer<float> parts((chunks - 1) * filters);
  parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      ConvShape s = whole;
      s.n = std::min(per, whole.n - c * per);
      libs().conv(s, dy + c * per * output_size(s), x + c * per * input_size(s), nullptr,
                  c ? parts.get() + (c - 1) * filters : dw);
    }
  });
  add_chunks(chunks - 1, filters, parts.get(), dw);
}

template <class T>
void run_unfolded(const ConvShape& s, const T* a, const T* b, const T* bias, T* out);

void run(const ConvShape& s, const float* a, const float* b, const float* bias, float* out) {
  if (cut_short(s)) return run_unfolded(s, a, b, bias, out);
  if (s.kind == Kind::grad_weight)
    run_grad_weight(s, a, b, out);
  else
    run_samples(s, a, b, bias, out);
}

// ---- Other dtypes: images unfolded into columns, NCHW ------------------------------------------------------------

// Rows [row, row + rows) of the result as columns: out[c, r, s][rows * ow]; `image` is one group's.
template <class T>
void unfold(const ConvShape& s, const T* image, int64_t row, int64_t rows, T* out) {
  int64_t c_count = s.ic / s.groups;
  for (int64_t k = 0; k < c_count * s.kh * s.kw; ++k) {
    int64_t c = k / (s.kh * s.kw), r = k / s.kw % s.kh, q = k % s.kw;
    for (int64_t i = 0; i < rows; ++i) {
      int64_t h = (row + i) * s.stride_h - s.top + r * s.dilation_h;
      T* to = out + (k * rows + i) * s.ow;
      for (int64_t j = 0; j < s.ow; ++j) {
        int64_t v = j * s.stride_w - s.left + q * s.dilation_w;
        to[j] = h >= 0 && h < s.ih && v >= 0 && v < s.iw ? image[(c * s.ih + h) * s.iw + v] : T(0);
      }
    }
  }
}
// The adjoint: adds columns onto the image.
template <class T>
void fold(const ConvShape& s, const T* columns, int64_t row, int64_t rows, T* image) {
  int64_t c_count = s.ic / s.groups;
  for (int64_t k = 0; k < c_count * s.kh * s.kw; ++k) {
    int64_t c = k / (s.kh * s.kw), r = k / s.kw % s.kh, q = k % s.kw;
    for (int64_t i = 0; i < rows; ++i) {
      int64_t h = (row + i) * s.stride_h - s.top + r * s.dilation_h;
      if (h < 0 || h >= s.ih) continue;
      for (int64_t j = 0; j < s.ow; ++j) {
        int64_t v = j * s.stride_w - s.left + q * s.dilation_w;
        if (v >= 0 && v < s.iw) image[(c * s.ih + h) * s.iw + v] += columns[(k * rows + i) * s.ow + j];
      }
    }
  }
}

// What one group of one sample adds, over blocks of rows of the result that fit the cache.
template <class T>
struct Unfolded {
  const ConvShape& s;
  int64_t depth = s.ic / s.groups * s.kh * s.kw, filters = s.oc / s.groups, area = s.oh * s.ow;
  int64_t block = std::clamp<int64_t>((1 << 17) / std::max<int64_t>(1, depth* s.ow), 1, s.oh);
  Buffer<T> columns{depth * block * s.ow};

  template <class F>
  void each_block(F&& f) {
    for (int64_t row = 0; row < s.oh; row += block) {
      int64_t rows = std::min(block, s.oh - row);
      f(row, rows, rows * s.ow);
    }
  }
  Matrix<T> slice(const T* y, int64_t row) const { return {y + row * s.ow, area, 1}; }

  void forward(const T* x, const T* w, T* y) {
    each_block([&](int64_t row, int64_t rows, int64_t n) {
      unfold(s, x, row, rows, columns.get());
      gemm<T>(filters, n, depth, 1, {w, depth, 1}, {columns.get(), n, 1}, 0, y + row * s.ow, area);
    });
  }
  void grad_input(const T* dy, const T* w, T* dx) {
    std::memset(static_cast<void*>(dx), 0, size_t(s.ic / s.groups * s.ih * s.iw) * sizeof(T));
    each_block([&](int64_t row, int64_t rows, int64_t n) {
      gemm<T>(depth, n, filters, 1, {w, 1, depth}, slice(dy, row), 0, columns.get(), n);
      fold(s, columns.get(), row, rows, dx);
    });
  }
  void grad_weight(const T* dy, const T* x, T* dw) {
    each_block([&](int64_t row, int64_t rows, int64_t n) {
      unfold(s, x, row, rows, columns.get());
      gemm<T>(filters, depth, n, 1, slice(dy, row), {columns.get(), 1, n}, 1, dw, depth);
    });
  }
};

template <class T>
void run_unfolded(const ConvShape& s, const T* a, const T* b, const T* bias, T* out) {
  int64_t gx = input_size(s) / s.groups, gy = output_size(s) / s.groups, gw = filter_size(s) / s.groups;
  if (s.kind == Kind::grad_weight) {
    int64_t chunks = chunks_of(s), per = (s.n + chunks - 1) / chunks, all = filter_size(s);
    chunks = (s.n + per - 1) / per;
    Buffer<T> parts(chunks * all);
    std::memset(static_cast<void*>(parts.get()), 0, size_t(chunks * all) * sizeof(T));
    std::memset(static_cast<void*>(out), 0, size_t(all) * sizeof(T));
    parallel_for(chunks * s.groups, 1, [&](int64_t begin, int64_t end) {
      Unfolded<T> one{s};
      for (int64_t i = begin; i < end; ++i) {
        int64_t c = i / s.groups, g = i % s.groups;
        for (int64_t n = c * per; n < std::min(s.n, (c + 1) * per); ++n)
          one.grad_weight(a + (n * s.groups + g) * gy, b + (n * s.groups + g) * gx, parts.get() + c * all + g * gw);
      }
    });
    return add_chunks(chunks, all, parts.get(), out);
  }
  int64_t grain = std::max<int64_t>(1, piece_work / 4 / std::max<int64_t>(1, work(s) / s.groups));
  parallel_for(s.n * s.groups, grain, [&](int64_t begin, int64_t end) {
    Unfolded<T> one{s};
    for (int64_t i = begin; i < end; ++i) {
      const T* w = b + i % s.groups * gw;
      if (s.kind == Kind::grad_input) {
        one.grad_input(a + i * gy, w, out + i * gx);
        continue;
      }
      T* y = out + i * gy;
      one.forward(a + i * gx, w, y);
      if (bias)
        for (int64_t k = 0; k < gy; ++k) y[k] += bias[i % s.groups * one.filters + k / one.area];
    }
  });
}

// ---- Kernels ---------------------------------------------------------------------------------------------------

template <class To, class From>
void convert(int64_t n, const From* in, To* out) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = To(in[i]);
  });
}

template <class T>
void run_half(const ConvShape& s, const Tensor& a, const Tensor& b, const Tensor& bias, T* out, int64_t results) {
  Buffer<float> x(a.numel()), w(b.numel()), k(bias ? bias.numel() : 0), y(results);
  convert(a.numel(), a.data<T>(), x.get());
  convert(b.numel(), b.data<T>(), w.get());
  if (bias) convert(bias.numel(), bias.data<T>(), k.get());
  run(s, x.get(), w.get(), bias ? k.get() : nullptr, y.get());
  convert(results, y.get(), out);
}

/// a and b as Libs::conv has them; `result` has the strides that infer chose.
void convolve(ConvShape s, const Tensor& a_in, const Tensor& b_in, const Tensor& bias_in, Tensor& result) {
  if (s.n == 0) {  // no samples: only the gradient of the filters has elements
    if (result.bytes()) std::memset(result.raw(), 0, result.bytes());
    return;
  }
  Dtype d = result.dtype();
  bool last = result.dim() == 4 && result.is_channels_last() && !cut_short(s) &&
              (d == Dtype::f32 || d == Dtype::f16 || d == Dtype::bf16) &&
              (!result.is_contiguous() || only_channels_last(a_in) || only_channels_last(b_in));
  s.channels_last = last;
  s.bias = bool(bias_in);
  Tensor a = laid(a_in, last), b = laid(b_in, last), bias = bias_in ? laid(bias_in, false) : Tensor();
  bool relay = !last && !result.is_contiguous();  // computed in rows, then laid as wanted
  Tensor out = relay ? Tensor::empty(result.shape(), d, result.device()) : result;
  dispatch(Numbers{}, d, [&]<class T>(Type<T>) {
    const T* k = bias ? bias.data<T>() : nullptr;
    if constexpr (std::is_same_v<T, float>)
      run(s, a.data<T>(), b.data<T>(), k, out.data<T>());
    else if constexpr (is_half<T>)
      run_half(s, a, b, bias, out.data<T>(), out.numel());
    else
      run_unfolded(s, a.data<T>(), b.data<T>(), k, out.data<T>());
  });
  if (relay) std::memcpy(result.raw(), laid(out, true).raw(), result.bytes());
}

void conv2d(const ops::Conv2d& op, Tensor& y, const Strided& x, const Strided& w, const Strided& bias) {
  convolve(conv_shape(Kind::forward, op, x.shape(), w.shape(), y.shape()), x, w, bias, y);
}
void grad_input(const ops::Conv2dGradInput& op, Tensor& dx, const Strided& dy, const Strided& w) {
  convolve(conv_shape(Kind::grad_input, op, dx.shape(), w.shape(), dy.shape()), dy, w, {}, dx);
}
void grad_weight(const ops::Conv2dGradWeight& op, Tensor& dw, const Strided& dy, const Strided& x) {
  convolve(conv_shape(Kind::grad_weight, op, x.shape(), dw.shape(), dy.shape()), dy, x, {}, dw);
}

const Kernel<conv2d> conv2d_;
const Kernel<grad_input> grad_input_;
const Kernel<grad_weight> grad_weight_;

}  // namespace
}  // namespace luth::cpu
