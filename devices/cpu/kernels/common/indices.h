// Index tensors, checked once, and results that are written at indices. Kernel libraries only.
#pragma once
#include <cstring>
#include <utility>

#include "core/ops/common/positions.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/loops.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {

/// Calls f(Type<W>()) with an unsigned integer of the dtype's size: kernels that only move elements need no more.
template <class F>
void by_size(Dtype d, F&& f) {
  switch (size_of(d)) {
    case 1: return f(Type<uint8_t>());
    case 2: return f(Type<uint16_t>());
    case 4: return f(Type<uint32_t>());
    default: return f(Type<uint64_t>());
  }
}

// memcpy and memset do not take the null pointers that empty tensors have.
inline void copy_bytes(void* to, const void* from, size_t n) {
  if (n) std::memcpy(to, from, n);
}
inline void set_zero(Tensor& t) {
  if (t.bytes()) std::memset(t.raw(), 0, t.bytes());
}

/// out = in of the same shape and dtype, if both are row-major and small; returns whether they are.
inline bool copy_small(Tensor& out, const Tensor& in) {
  if (!out.is_contiguous() || !in.is_contiguous() || out.bytes() > 65536) return false;
  if (out.bytes()) std::memmove(out.raw(), in.raw(), out.bytes());
  return true;
}
/// out = in, element by element, for any layouts of one shape and dtype.
inline void copy_elements(Tensor& out, const Tensor& in) {
  if (copy_small(out, in)) return;
  by_size(out.dtype(), [&]<class W>(Type<W>) {
    elementwise_loop<W, W>(
        out, [](W x) { return x; }, Value(in));
  });
}

/// The elements of an index tensor, counted from 0. Throws where one is not within [0, bound).
class Indices {
 public:
  /// `wrap`: negative values count from the end. int64 is read where it lies, unless it wraps: a kernel that writes
  /// while it reads takes care that no result shares its memory.
  Indices(const Tensor& index, int64_t bound, int base, bool wrap = false, std::string_view what = "index")
      : checked_(index.is_contiguous() ? index : dense_copy(index)), size_(index.numel()), base_(base) {
    uint64_t bad = 0;
    if (checked_.dtype() != Dtype::i64 || wrap) {
      bad = count_from_0(bound, wrap);
    } else {
      data_ = checked_.data<int64_t>();
      for (int64_t i = 0; i < size_; ++i) bad |= outside(uint64_t(data_[i]) - uint64_t(base_), bound);
    }
    if (bad >> 63) complain(index, bound, base, wrap, what);
  }
  int64_t size() const { return size_; }
  int64_t operator[](int64_t i) const { return data_[i] - base_; }

 private:
  // The highest bit is set if p is not below `bound`: vectors compare no unsigned integers.
  static uint64_t outside(uint64_t p, int64_t bound) { return p | (uint64_t(bound) - 1 - p); }
  // outside() of all.
  uint64_t count_from_0(int64_t bound, bool wrap) {
    const Tensor t = std::exchange(checked_, Tensor::empty({size_}, Dtype::i64, checked_.device()));
    const int64_t base = std::exchange(base_, 0), n = size_;
    int64_t* __restrict out = checked_.data<int64_t>();
    data_ = out;
    uint64_t bad = 0;
    dispatch(Integers{}, t.dtype(), [&]<class T>(Type<T>) {
      const T* in = t.data<T>();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t v = int64_t(in[i]);
        out[i] = wrap && v < 0 ? v + bound : v < 0 && base ? INT64_MIN : v - base;
        bad |= outside(uint64_t(out[i]), bound);
      }
    });
    return bad;
  }
  [[noreturn]] void complain(const Tensor& index, int64_t bound, int base, bool wrap, std::string_view what) const {
    const Tensor t = index.is_contiguous() ? index : dense_copy(index);
    int64_t i = 0, value = 0;
    while (!(outside(uint64_t(data_[i]) - uint64_t(base_), bound) >> 63)) ++i;
    dispatch(Integers{}, t.dtype(), [&]<class T>(Type<T>) { value = int64_t(t.data<T>()[i]); });
    throw_bad_position(what, index.shape(), i, value, bound, base, wrap);
  }
  Tensor checked_;
  int64_t size_, base_;
  const int64_t* data_;
};

/// The elements of an index tensor a part at a time, counted from 0: for kernels that read each once. What is out of
/// range throws when its part is read.
class IndexParts {
 public:
  IndexParts(const Tensor& index, int64_t bound, int base)
      : index_(index.is_contiguous() ? index : dense_copy(index)), bound_(bound), base_(base) {}
  /// Calls f(j, positions, count) for parts of elements [first, first + n): `count` positions from element first + j
  /// on.
  template <class F>
  void each(int64_t first, int64_t n, F f) const {
    dispatch(Integers{}, index_.dtype(), [&]<class T>(Type<T>) {
      const T* in = index_.data<T>() + first;
      int64_t positions[part];
      for (int64_t j = 0; j < n; j += part) {
        const int64_t m = std::min(part, n - j);
        fetch_ahead(in + j + 3 * part, part);  // while f works, memory would rest
        int bad = 0;
        for (int64_t i = 0; i < m; ++i) {
          positions[i] = int64_t(in[j + i]) - base_;
          bad |= (uint64_t(positions[i]) >= uint64_t(bound_)) | (int64_t(in[j + i]) < 0);
        }
        if (bad) Indices(index_, bound_, base_);  // throws, with the first bad one
        f(j, static_cast<const int64_t*>(positions), m);
      }
    });
  }

 private:
  static constexpr int64_t part = 256;  // 2 KiB: a read waits for a write 4 KiB before it (equal low 12 bits)
  Tensor index_;
  int64_t bound_, base_;
};

/// The result of an operator that changes part of its input: a row-major buffer with the input's elements, which is the
/// result itself if it is row-major; done() copies it into a result of another layout.
class Target {
 public:
  Target(Tensor& out, const Tensor& input) : out_(out) {
    if (out.raw() != input.raw()) copy_elements(out, input);
    work_ = out.is_contiguous() ? out : dense_copy(out);
  }
  template <class T>
  T* data() const {
    return work_.data<T>();
  }
  void done() {
    if (!work_.same(out_)) copy_elements(out_, work_);
  }

 private:
  Tensor& out_;
  Tensor work_;
};

/// `t` in row-major memory that is not that of `out`, which will be written.
inline Tensor apart(const Tensor& t, const Tensor& out) {
  if (!t.is_contiguous()) return dense_copy(t);
  if (!(t.storage() == out.storage())) return t;
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.device());
  copy_elements(copy, t);
  return copy;
}

/// Copies outer * k rows of n elements to out; row (o, i) begins at in[offset(o, i)].
template <class W, class F>
inline void copy_rows(W* out, const W* in, int64_t outer, int64_t k, int64_t n, F offset) {
  parallel_for(outer * k, row_grain(n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin, o = begin / k, last; r < end; r = last, ++o) {  // no division for each row
      const int64_t first = o * k;
      last = std::min(end, first + k);
      if (n == 1)
        for (int64_t j = r; j < last; ++j) out[j] = in[offset(o, j - first)];
      else
        for (int64_t j = r; j < last; ++j) copy_bytes(out + j * n, in + offset(o, j - first), size_t(n) * sizeof(W));
    }
  });
}

/// Sums as index_add makes them: integers wrap, bool is `or`, 16-bit floats add in float.
inline constexpr auto plus = []<class T>(T a, T b) -> T {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return converted<T>(compute_t<T>(computed(a) + computed(b)));
};
inline constexpr auto times = []<class T>(T a, T b) -> T {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else
    return converted<T>(compute_t<T>(computed(a) * computed(b)));
};

/// A number or one-element tensor in the dtype T.
template <class T>
inline T number(const Value& v) {
  if (v.is_scalar()) return v.scalar().to<T>();
  T out{};
  dispatch(AllTypes{}, v.dtype(), [&]<class From>(Type<From>) { out = cast<T>(v.tensor().data<From>()[0]); });
  return out;
}

}  // namespace luth::cpu
