// Convolutions: float32 by oneDNN, and bfloat16 where the processor has instructions for it; float64, integers and
// narrow ones of float32 as matrix products of unfolded inputs; other 16-bit floats converted to float32. Work is split
// by samples or filters. Gradients of filters are split into chunks of samples, which are added in order. The pieces
// depend on the shape alone.
#include "core/ops/window/conv.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/threads.h"
#include "core/op/memory_order.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/vector.h"
#include "devices/cpu/kernels/window/unfolded.h"
#include "devices/cpu/libraries/libraries.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using Kind = ConvShape::Kind;

ConvShape conv_shape(Kind kind, const ops::ConvWindow& window, const Shape& x, const Shape& w, const Shape& y) {
  const int dims = w.size() - 2;
  ConvShape s{};
  s.kind = kind;
  s.dims = dims;
  s.n = x.size() == dims + 2 ? x[0] : 1;
  s.groups = window.groups;
  s.ic = x[x.size() - dims - 1], s.oc = y[y.size() - dims - 1];
  for (int d = 0; d < 3; ++d) {
    const int given = d - (3 - dims);
    s.in[d] = given < 0 ? 1 : x[x.size() - 3 + d];
    s.out[d] = given < 0 ? 1 : y[y.size() - 3 + d];
    const ops::WindowDim a = given < 0 ? ops::WindowDim() : window.dim(given, w[2 + given]);
    s.kernel[d] = a.kernel, s.stride[d] = a.stride, s.dilation[d] = a.dilation, s.lo[d] = a.padding_lo;
    // up to the last element that a window reaches: may be less than the padding
    s.hi[d] = std::max<int64_t>(a.begin(s.out[d] - 1) + a.span() - s.in[d], 0);
  }
  return s;
}
int64_t input_size(const ConvShape& s) { return s.ic * s.in_area(); }
int64_t output_size(const ConvShape& s) { return s.oc * s.out_area(); }
int64_t filter_size(const ConvShape& s) { return s.oc * s.ic / s.groups * s.kernel_area(); }
// Whether a dim has fewer positions than fit its input, so that the last elements are not used: oneDNN cannot describe
// that. Transposed convolutions with an output padding of a step or more are such.
bool cut_short(const ConvShape& s) {
  for (int d = 0; d < 3; ++d)
    if (ops::WindowDim{s.kernel[d], s.stride[d], s.lo[d], s.hi[d], s.dilation[d]}.positions(s.in[d]) > s.out[d])
      return true;
  return false;
}
// multiply-adds of one sample
int64_t work(const ConvShape& s) { return filter_size(s) * s.out_area(); }

// ---- float and bfloat16, by oneDNN --------------------------------------------------------------------------------

constexpr int64_t piece_work = 4 << 20;  // multiply-adds of float: about 0.1 ms
// A bfloat16 piece does more in that time, where there are instructions for it.
int64_t piece_work_of(const ConvShape& s) { return s.bf16 ? 8 * piece_work : piece_work; }

// How many samples a piece of forward or grad_input has: enough to be worth a call and, since each piece reads all
// filters, to use them for some positions.
int64_t samples_of(const ConvShape& s) {
  const auto ratio = [](int64_t a, int64_t b) { return (a + b - 1) / std::max<int64_t>(b, 1); };
  const int64_t least = std::max(ratio(piece_work_of(s) / 4, work(s)), ratio(128, s.out_area()));
  return ratio(s.n, std::max<int64_t>(s.n / std::max<int64_t>(least, 1), 1));
}

// One piece, on the calling thread: by oneDNN, or otherwise if oneDNN has no code for the shape. T: of a and b, and Out
// of the result. `filters`: those of b as oneDNN wants them, or null.
template <class T, class Out>
void run_piece(const ConvShape& s, const T* a, const T* b, const T* bias, Out* out, const ConvFilters* filters);

// forward and grad_input, split by samples, and by filters too if there are few samples and much work
template <class T>
void run_samples(const ConvShape& whole, const T* a, const T* w, const T* bias, T* out) {
  const bool forward = whole.kind == Kind::forward;
  const int64_t a_step = forward ? input_size(whole) : output_size(whole),
                out_step = forward ? output_size(whole) : input_size(whole);
  const int64_t per = samples_of(whole), pieces = (whole.n + per - 1) / per;
  int64_t parts = 1;
  if (forward && whole.groups == 1 && !whole.channels_last && per == 1 && whole.n < 16)
    while (whole.oc % (parts * 2 * 16) == 0 && whole.n * parts < 32 && work(whole) / parts > 4 * piece_work_of(whole))
      parts *= 2;
  const auto piece_of = [&](int64_t n) {
    ConvShape s = whole;
    s.n = std::min(per, whole.n - n);
    s.oc = whole.oc / parts;
    return s;
  };
  const Libs* library = pieces > 1 && parts == 1 ? libs_where_they_fit() : nullptr;
  const auto filters = library ? library->conv_filters(piece_of(0), w) : nullptr;
  parallel_for(pieces * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t n = i / parts * per, part = i % parts;
      const ConvShape s = piece_of(n);
      int64_t filter = part * s.oc;
      run_piece(s, a + n * a_step, w + filter * (filter_size(whole) / whole.oc), bias ? bias + filter : nullptr,
                out + n * out_step + filter * whole.out_area(), filters.get());
    }
  });
}

// How many chunks of samples grad_weight has. Each has its own buffer; the first one is the result itself.
int64_t chunks_of(const ConvShape& s) {
  int64_t worth = s.n * s.out_area() / 2048;  // with more chunks, adding them costs as much as computing them
  return std::clamp<int64_t>(std::min(worth, s.n * work(s) / piece_work_of(s)), 1, std::min<int64_t>(s.n, 16));
}
template <class T>
void add_chunks(int64_t chunks, int64_t n, const T* parts, T* out) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < chunks; ++c)
      for (int64_t i = begin; i < end; ++i) out[i] += parts[c * n + i];
  });
}
template <class T>
void run_grad_weight(const ConvShape& whole, const T* dy, const T* x, float* dw) {
  int64_t chunks = chunks_of(whole), per = (whole.n + chunks - 1) / chunks, filters = filter_size(whole);
  chunks = (whole.n + per - 1) / per;
  Buffer<float> parts((chunks - 1) * filters);
  parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      ConvShape s = whole;
      s.n = std::min(per, whole.n - c * per);
      run_piece<T, float>(s, dy + c * per * output_size(s), x + c * per * input_size(s), nullptr,
                          c ? parts.get() + (c - 1) * filters : dw, nullptr);
    }
  });
  add_chunks(chunks - 1, filters, parts.get(), dw);
}

template <class T>
void run_unfolded(const ConvShape& s, const T* a, const T* b, const T* bias, T* out);

// Images that are their columns, and few channels: oneDNN would bring them into its order and back, which takes as long
// as the product.
// Few filters, and gradients of few channels: oneDNN computes as many as fill a register. To unfold costs little where
// filters are small, and where rows of positions fill a register. Measured on AVX2 and AVX-512. Padding is multiplied
// as zeros there, so an infinite weight gives nan where it meets some.
bool narrow(const ConvShape& s) {
  constexpr int64_t lanes = vector_bytes / int64_t(sizeof(float));
  if (s.groups > 1 || s.channels_last) return false;
  if (Unfolded<float>::is_plain(s)) return filter_size(s) <= 1 << 16 && s.out_area() >= 256;
  if (s.out[2] < lanes) return false;
  if (s.kind == Kind::grad_input) return 2 * s.ic <= lanes;
  return filter_size(s) <= 128 * s.oc && s.oc < lanes && s.stride[2] == 1;
}
// Filters of one channel each: oneDNN has code for those of images alone.
bool depthwise(const ConvShape& s) { return s.dims != 2 && s.groups > 1 && Unfolded<float>::is_direct(s); }
// Filters that meet few positions: to pack them would take longer than the product.
bool few_positions(const ConvShape& s) {
  return s.kind == Kind::forward && s.n == 1 && s.groups == 1 && !s.channels_last && s.out_area() <= 64 &&
         filter_size(s) >= 1 << 16;
}
void run_few_positions(const ConvShape& s, const float* x, const float* w, const float* bias, float* y);

void run(const ConvShape& s, const float* a, const float* b, const float* bias, float* out) {
  if (cut_short(s) || narrow(s) || depthwise(s)) return run_unfolded(s, a, b, bias, out);
  if (few_positions(s)) return run_few_positions(s, a, b, bias, out);
  if (s.kind == Kind::grad_weight)
    run_grad_weight(s, a, b, out);
  else
    run_samples(s, a, b, bias, out);
}

// ---- Other dtypes, and narrow convolutions: inputs unfolded into columns, NC… --------------------------------------

// y += bias, for n results of whole channels
template <class T>
void add_bias(const ConvShape& s, const T* bias, int64_t n, T* y) {
  const int64_t area = s.out_area();
  for (int64_t first = 0; first < n; first += area, ++bias)
    for (int64_t i = 0; i < area; ++i) y[first + i] += *bias;
}

// The input's gradient of steps of 1, as the convolution that it is: of the results' gradient with the filters turned
// round.
std::optional<ConvShape> turned_round(const ConvShape& s) {
  if (s.kind != Kind::grad_input || s.oc != s.groups || !Unfolded<float>::is_direct(s)) return {};
  ConvShape t = s;
  t.kind = Kind::forward;
  for (int d = 0; d < 3; ++d) {
    t.in[d] = s.out[d], t.out[d] = s.in[d];
    t.lo[d] = s.dilation[d] * (s.kernel[d] - 1) - s.lo[d];
    t.hi[d] = std::max<int64_t>(0, s.in[d] + s.lo[d] - s.out[d]);
    if (s.stride[d] != 1 || t.lo[d] < 0) return {};
  }
  return t;
}

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
  if (const auto turned = turned_round(s)) {
    const int64_t taps = s.kernel_area();
    Buffer<T> w(s.oc * taps);
    for (int64_t f = 0; f < s.oc; ++f) std::reverse_copy(b + f * taps, b + (f + 1) * taps, w.get() + f * taps);
    return run_unfolded<T>(*turned, a, w.get(), nullptr, out);
  }
  int64_t grain = std::max<int64_t>(1, piece_work / 4 / std::max<int64_t>(1, work(s) / s.groups));
  const bool few = Unfolded<T>::is_plain(s) && s.n * s.groups < num_threads();  // each is shared, with the same bits
  const auto range = [&](int64_t begin, int64_t end) {
    Unfolded<T> one{s, few};
    for (int64_t i = begin; i < end; ++i) {
      const T* w = b + i % s.groups * gw;
      if (s.kind == Kind::grad_input) {
        one.grad_input(a + i * gy, w, out + i * gx);
        continue;
      }
      T* y = out + i * gy;
      one.forward(a + i * gx, w, y);
      if (bias) add_bias(s, bias + i % s.groups * (s.oc / s.groups), gy, y);
    }
  };
  if (few)
    range(0, s.n * s.groups);
  else
    parallel_for(s.n * s.groups, grain, range);
}

void run_few_positions(const ConvShape& s, const float* x, const float* w, const float* bias, float* y) {
  const int64_t depth = filter_size(s) / s.oc, area = s.out_area();
  Unfolded<float> one(s, false, depth * area);
  parallel_gemm<float>(s.oc, area, depth, 1, {w, depth, 1}, one.all_columns(x), 0, y, area);
  if (bias) add_bias(s, bias, s.oc * area, y);
}

// out[i][c][r] = in[i][r][c]
void swap_last(int64_t n, int64_t rows, int64_t cols, const float* in, float* out) {
  for (int64_t i = 0; i < n; ++i, in += rows * cols, out += rows * cols)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) out[c * rows + r] = in[r * cols + c];
}

// float, where oneDNN has no code
void run_otherwise(const ConvShape& s, const float* a, const float* b, const float* bias, float* out) {
  if (!s.channels_last) return run_unfolded(s, a, b, bias, out);
  struct Part {
    int64_t n, area, channels;
    int64_t numel() const { return n * area * channels; }
  };
  const Part x{s.n, s.in_area(), s.ic}, y{s.n, s.out_area(), s.oc}, w{s.oc, s.kernel_area(), s.ic / s.groups};
  const Part &of_a = s.kind == Kind::forward ? x : y, &of_b = s.kind == Kind::grad_weight ? x : w,
             &of_out = s.kind == Kind::forward      ? y
                       : s.kind == Kind::grad_input ? x
                                                    : w;
  Buffer<float> rows_a(of_a.numel()), rows_b(of_b.numel()), rows_out(of_out.numel());
  swap_last(of_a.n, of_a.area, of_a.channels, a, rows_a.get());
  swap_last(of_b.n, of_b.area, of_b.channels, b, rows_b.get());
  ConvShape rows = s;
  rows.channels_last = 0;
  run_unfolded(rows, rows_a.get(), rows_b.get(), bias, rows_out.get());
  swap_last(of_out.n, of_out.channels, of_out.area, rows_out.get(), out);
}

template <class To, class From>
void convert(int64_t n, const From* in, To* out) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = To(in[i]);
  });
}

template <class T, class Out>
void run_piece(const ConvShape& s, const T* a, const T* b, const T* bias, Out* out, const ConvFilters* filters) {
  if (const Libs* library = libs_where_they_fit(); library && library->conv(s, a, b, bias, out, filters)) return;
  if constexpr (std::is_same_v<T, float>) {
    run_otherwise(s, a, b, bias, out);
  } else {
    const bool forward = s.kind == Kind::forward, weight = s.kind == Kind::grad_weight;
    const int64_t of_a = s.n * (forward ? input_size(s) : output_size(s)),
                  of_b = weight ? s.n * input_size(s) : filter_size(s),
                  results = weight ? filter_size(s) : s.n * (forward ? output_size(s) : input_size(s));
    Buffer<float> x(of_a), w(of_b), k(bias ? s.oc : 0), y(results);
    convert(of_a, a, x.get()), convert(of_b, b, w.get());
    if (bias) convert(s.oc, bias, k.get());
    ConvShape wide = s;
    wide.bf16 = 0;
    run_piece<float, float>(wide, x.get(), w.get(), bias ? k.get() : nullptr, y.get(), nullptr);
    convert(results, y.get(), out);
  }
}

// ---- Kernels ---------------------------------------------------------------------------------------------------

// Whether the processor computes it in bfloat16.
bool has_bf16(const ConvShape& s) {
  const Libs* library = cut_short(s) || depthwise(s) ? nullptr : libs_where_they_fit();
  return library && library->has_bf16();
}
void run_bf16(ConvShape s, const bfloat16* a, const bfloat16* b, const bfloat16* bias, bfloat16* out) {
  s.bf16 = 1;
  if (s.kind != Kind::grad_weight) return run_samples(s, a, b, bias, out);
  Buffer<float> sums(filter_size(s));
  run_grad_weight(s, a, b, sums.get());
  convert(filter_size(s), sums.get(), out);
}

template <class T>
void run_half(const ConvShape& s, const Tensor& a, const Tensor& b, const Tensor& bias, T* out, int64_t results) {
  if constexpr (std::is_same_v<T, bfloat16>)
    if (has_bf16(s)) return run_bf16(s, a.data<T>(), b.data<T>(), bias ? bias.data<T>() : nullptr, out);
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
  bool last = s.dims == 2 && result.dim() == 4 && result.is_channels_last() && !cut_short(s) &&
              (d == Dtype::f32 || d == Dtype::f16 || d == Dtype::bf16) &&
              (!result.is_contiguous() || only_channels_last(a_in) || only_channels_last(b_in));
  s.channels_last = last;
  s.bias = bool(bias_in);
  Tensor a = laid(a_in, last), b = laid(b_in, last), bias = bias_in ? laid(bias_in, false) : Tensor();
  bool relay = !last && !result.is_contiguous();  // computed in row-major memory, then copied into the wanted layout
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

void convolution(const ops::Convolution& op, Tensor& y, const Strided& x, const Strided& w, const Strided& bias) {
  convolve(conv_shape(Kind::forward, op.window, x.shape(), w.shape(), y.shape()), x, w, bias, y);
}
void grad_input(const ops::ConvolutionGradInput& op, Tensor& dx, const Strided& dy, const Strided& w) {
  convolve(conv_shape(Kind::grad_input, op.window, dx.shape(), w.shape(), dy.shape()), dy, w, {}, dx);
}
void grad_weight(const ops::ConvolutionGradWeight& op, Tensor& dw, const Strided& dy, const Strided& x) {
  convolve(conv_shape(Kind::grad_weight, op.window, x.shape(), dw.shape(), dy.shape()), dy, x, {}, dw);
}

const Kernel<convolution> convolution_;
const Kernel<grad_input> grad_input_;
const Kernel<grad_weight> grad_weight_;

}  // namespace
}  // namespace luth::cpu
