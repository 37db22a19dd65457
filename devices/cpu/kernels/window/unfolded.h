// A convolution as matrix products: what the windows meet, unfolded into columns; or, where a filter meets one channel
// alone, as sums over the image itself. For conv.cpp.
#pragma once
#include <algorithm>
#include <cstring>

#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/packed_gemm.h"
#include "devices/cpu/libraries/libraries.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {

/// The convolution of one group of one sample of NC… memory, in blocks of rows of the result. Rows are counted over all
/// planes. Images are copied between their padding, so that no window needs a bound.
template <class T>
class Unfolded {
 public:
  /// `shared`: products run on several threads; `block`: elements of columns at a time, at least a row's.
  explicit Unfolded(const ConvShape& s, bool shared = false, int64_t block = 1 << 17)
      : s_(s),
        product_(shared ? parallel_gemm<T> : gemm<T>),
        depth_(s.ic / s.groups * s.kernel_area()),
        filters_(s.oc / s.groups),
        area_(s.out_area()),
        width_(s.out[2]),
        rows_(s.out[0] * s.out[1]),
        block_(is_plain(s) ? rows_ : std::clamp<int64_t>(block / std::max<int64_t>(1, depth_ * width_), 1, rows_)),
        plain_(is_plain(s)),
        direct_(is_direct(s)),
        padded_size_(plain_ ? 0 : s.ic / s.groups * extent(0) * extent(1) * extent(2)),
        padded_(padded_size_ + vector),
        columns_(plain_ || (direct_ && s.kind != ConvShape::Kind::grad_input) ? 0 : depth_ * block_ * width_ + vector),
        meets_(depth_),
        starts_(rows_) {
    clear();
    int64_t* meets = meets_.get();
    for (int64_t c = 0; c < s.ic / s.groups; ++c)
      for (int64_t p = 0; p < s.kernel[0]; ++p)
        for (int64_t r = 0; r < s.kernel[1]; ++r)
          for (int64_t q = 0; q < s.kernel[2]; ++q)
            *meets++ = offset(c, p * s.dilation[0], r * s.dilation[1], q * s.dilation[2]);
    for (int64_t i = 0; i < rows_; ++i)
      starts_[i] = offset(0, i / s.out[1] * s.stride[0], i % s.out[1] * s.stride[1], 0);
  }

  /// Whether an image is its columns.
  static bool is_plain(const ConvShape& s) {
    bool steps = true;
    for (int d = 0; d < 3; ++d) steps &= s.stride[d] == 1 && s.lo[d] == 0 && s.in[d] == s.out[d];
    return steps && s.kernel_area() == 1;
  }

  /// Whether results come from the image itself: a product would have one row.
  static bool is_direct(const ConvShape& s) { return s.ic == s.groups && !is_plain(s); }

  void forward(const T* x, const T* w, T* y) {
    pad(x);
    if (direct_)
      return each_filter_row([&](int64_t f, int64_t row) {
        const T* from = padded_.get() + starts_[row];
        T* const to = y + f * area_ + row * width_;
        for (int64_t j = 0; j < width_;) j += filter_part(w + f * depth_, from + j, width_ - j, to + j);
      });
    each_block([&](int64_t row, int64_t n) {
      product_(filters_, n, depth_, 1, {w, depth_, 1}, columns(x, row, n), 0, y + row * width_, area_);
    });
  }
  void grad_input(const T* dy, const T* w, T* dx) {
    clear();
    each_block([&](int64_t row, int64_t n) {
      T* const to = plain_ ? dx + row * width_ : columns_.get();
      product_(depth_, n, filters_, 1, {w, 1, depth_}, result(dy, row), 0, to, plain_ ? area_ : n);
      if (!plain_) fold(row, n);
    });
    if (!plain_)
      each_padded_element(dx, [](T* row, int64_t step, T* padded, int64_t n) {
        for (int64_t i = 0; i < n; ++i) row[i * step] = padded[i];
      });
  }
  /// Adds to dw.
  void grad_weight(const T* dy, const T* x, T* dw) {
    pad(x);
    if (direct_) {
      for (int64_t t = 0; t < filters_ * depth_; ++t)
        dw[t] = T(dw[t] + products(dy + t / depth_ * area_, padded_.get() + meets_[t % depth_]));
      return;
    }
    each_block([&](int64_t row, int64_t n) {
      product_(filters_, depth_, n, 1, result(dy, row), columns(x, row, n).transposed(), 1, dw, depth_);
    });
  }
  /// All columns: [depth][positions].
  Matrix<T> all_columns(const T* x) {
    pad(x);
    return columns(x, 0, area_);
  }

 private:
  static constexpr int64_t vector = 64 / int64_t(sizeof(T));  // elements that are copied at a time

  /// Elements of a padded row whose distance is a step lie together, so that each element of a filter meets neighbours.
  int64_t extent(int d) const {
    const int64_t n = s_.lo[d] + s_.in[d] + s_.hi[d];
    return d < 2 ? n : (n + step() - 1) / step() * step();
  }
  int64_t step() const { return s_.stride[2]; }
  int64_t offset(int64_t c, int64_t z, int64_t h, int64_t v) const {
    return ((c * extent(0) + z) * extent(1) + h) * extent(2) + v % step() * (extent(2) / step()) + v / step();
  }
  void clear() { std::fill(padded_.get(), padded_.get() + padded_size_, T(0)); }
  Matrix<T> result(const T* y, int64_t row) const { return {y + row * width_, area_, 1}; }

  /// Calls f(row, n) for each block, which begins at a row and has n positions.
  template <class F>
  void each_block(F&& f) {
    for (int64_t row = 0; row < rows_; row += block_) f(row, std::min(block_, rows_ - row) * width_);
  }
  /// Calls f(p, step, place, n): of each row, n elements from p on, a step apart, and where they lie in padded_.
  template <class X, class F>
  void each_padded_element(X* image, F&& f) {
    const int64_t* in = s_.in;
    for (int64_t c = 0; c < s_.ic / s_.groups; ++c)
      for (int64_t z = 0; z < in[0]; ++z)
        for (int64_t h = 0; h < in[1]; ++h, image += in[2])
          for (int64_t v = 0; v < std::min(step(), in[2]); ++v)
            f(image + v, step(), padded_.get() + offset(c, s_.lo[0] + z, s_.lo[1] + h, s_.lo[2] + v),
              (in[2] - v + step() - 1) / step());
  }
  void pad(const T* x) {  // between zeros that stay
    if (!plain_)
      each_padded_element(x, [](const T* row, int64_t step, T* padded, int64_t n) {
        if (step == 1) std::memcpy(padded, row, size_t(n) * sizeof(T));
        for (int64_t i = 0; i < n && step > 1; ++i) padded[i] = row[i * step];
      });
  }

  template <class F>
  void each_filter_row(F&& f) {
    for (int64_t i = 0; i < filters_; ++i)
      for (int64_t row = 0; row < rows_; ++row) f(i, row);
  }
  using V = typename Vector<T>::type;
  static constexpr int64_t lanes = Vector<T>::width;
  static const V& at(const T* p) { return *reinterpret_cast<const V*>(p); }
  /// n results of a row, as many as there are but at most N vectors; x: what the first one meets. The last vector may
  /// reach over the image's end. Returns n.
  template <int N = 4>
  int64_t filter_part(const T* w, const T* x, int64_t n, T* y) const {
    if constexpr (N > 1)
      if (n <= (N - 1) * lanes) return filter_part<N - 1>(w, x, n, y);
    V sum[N]{};
    for (int64_t t = 0; t < depth_; ++t) {
      const V factor = w[t] - V{};
#pragma GCC unroll 4
      for (int h = 0; h < N; ++h) sum[h] += factor * at(x + meets_[t] + h * lanes);
    }
    const int64_t rest = n - (N - 1) * lanes;
#pragma GCC unroll 4
    for (int h = 0; h < N; ++h)
      if (h + 1 < N || rest >= lanes)
        *reinterpret_cast<V*>(y + h * lanes) = sum[h];
      else
        store_part(sum[h], rest, y + h * lanes);
    return std::min(n, N * lanes);
  }
  /// The sum of products of all results' gradients with what the first element of their windows is.
  T products(const T* dy, const T* x) const {
    V sum{};
    T all = 0;
    for (int64_t row = 0; row < rows_; ++row, dy += width_) {
      const T* from = x + starts_[row];
      int64_t j = 0;
      for (; j + lanes <= width_; j += lanes) sum += at(dy + j) * at(from + j);
      for (; j < width_; ++j) all = T(all + dy[j] * from[j]);
    }
    for (int64_t l = 0; l < lanes; ++l) all = T(all + sum[l]);
    return all;
  }

  Matrix<T> columns(const T* x, int64_t row, int64_t n) {
    if (plain_) return {x + row * width_, area_, 1};
    unfold(row, n / width_);
    return {columns_.get(), n, 1};
  }
  void unfold(int64_t row, int64_t rows) {
    T* to = columns_.get();
    for (int64_t k = 0; k < depth_; ++k)
      for (int64_t i = row; i < row + rows; ++i, to += width_) {
        const T* from = padded_.get() + meets_[k] + starts_[i];
        // the last vector reaches over the row's end; the next row comes after it
        for (int64_t j = 0; j < width_; j += vector) std::memcpy(to + j, from + j, vector * sizeof(T));
      }
  }
  /// The adjoint: adds columns onto the padded image.
  void fold(int64_t row, int64_t n) {
    const T* from = columns_.get();
    for (int64_t k = 0; k < depth_; ++k)
      for (int64_t i = row; i < row + n / width_; ++i, from += width_) {
        T* to = padded_.get() + meets_[k] + starts_[i];
        for (int64_t j = 0; j < width_; ++j) to[j] += from[j];
      }
  }

  const ConvShape& s_;
  decltype(&gemm<T>) product_;
  const int64_t depth_, filters_, area_, width_, rows_, block_;  // block_: rows at a time
  const bool plain_, direct_;                                    // the image is its columns; columns are not made
  const int64_t padded_size_;
  Buffer<T> padded_, columns_;  // with room for a vector behind
  Buffer<int64_t> meets_;       // element of the filters -> offset in the padded image at the first position
  Buffer<int64_t> starts_;      // row of the result -> what it adds to that offset
};

}  // namespace luth::cpu
