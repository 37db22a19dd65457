// masked_fill, masked_select and masked replacement; nonzero and its count.
#include "core/ops/index/mask.h"

#include <numeric>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

constexpr int64_t chunk = 16384;
int64_t chunks(int64_t n) { return (n + chunk - 1) / chunk; }

void masked_fill(const ops::MaskedFill&, Tensor& y, const Value& x, const Value& mask, const Value& value) {
  if (y.numel() == 0) return;
  uint64_t bytes = 0;  // the value in y's dtype, in the first bytes
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const T v = number<T>(value);
    std::memcpy(&bytes, &v, sizeof v);
  });
  by_size(y.dtype(), [&]<class W>(Type<W>) {
    W bits;
    std::memcpy(&bits, &bytes, sizeof bits);
    elementwise_loop<W, W, bool>(
        y, [bits](W a, bool m) { return m ? bits : a; }, x, mask);
  });
}

/// The bytes of a mask. Memory that was never written, or that other dtypes share, holds others than 0 and 1: every
/// count and every choice here takes what is not 0 as true, so that they agree.
const uint8_t* bytes_of(const Tensor& mask) { return static_cast<const uint8_t*>(mask.raw()); }

/// How many elements are true.
int64_t count_true(const uint8_t* m, int64_t n) {
  int64_t total = 0;
  // up to 128 ones fit a byte: the inner loop adds vectors of bytes
  for (int64_t i = 0; i < n; i += 128) {
    const int64_t e = std::min<int64_t>(n, i + 128);
    uint8_t part = 0;
    for (int64_t j = i; j < e; ++j) part = uint8_t(part + (m[j] != 0));
    total += part;
  }
  return total;
}

/// Exclusive prefix sum of the counts of true elements per chunk of 16 Ki elements; the total comes last.
std::vector<int64_t> starts(const uint8_t* m, int64_t n) {
  std::vector<int64_t> at(size_t(chunks(n) + 1), 0);
  parallel_for(chunks(n), 4, [&](int64_t b, int64_t e) {
    for (int64_t c = b; c < e; ++c) at[size_t(c) + 1] = count_true(m + c * chunk, std::min(chunk, n - c * chunk));
  });
  std::partial_sum(at.begin(), at.end(), at.begin());
  return at;
}

/// `t` as a mask: itself, or whether its elements are not 0.
Tensor as_mask(const Tensor& t) {
  if (t.dtype() == Dtype::boolean) return t;
  Tensor m = Tensor::empty(t.shape(), Dtype::boolean, t.device());
  dispatch(AllTypes{}, t.dtype(), [&]<class T>(Type<T>) {
    const T* in = t.data<T>();
    bool* out = m.data<bool>();
    parallel_for(t.numel(), grain_elements, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) out[i] = compute_t<T>(in[i]) != compute_t<T>(0);
    });
  });
  return m;
}

/// Writes value(i) to `out` for each i of [begin, end) where m is true, in order.
// Branchless: each value is written, and overwritten by the next one if m is false. What is last ends the loop, so that
// nothing is written past it.
template <class K, class V>
void compact_chunk(const uint8_t* m, int64_t begin, int64_t end, V value, K* __restrict out) {
  while (end > begin && !m[end - 1]) --end;
  int64_t k = 0;
  for (int64_t i = begin; i < end; ++i) {
    out[k] = value(i);
    k += m[i] != 0;
  }
}
/// Calls write(begin, end, at, count) for each chunk of elements [begin, end), `count` of which are true; `at` true
/// ones came in earlier chunks.
template <class F>
void each_chunk(const uint8_t* m, int64_t n, F write) {
  const std::vector<int64_t> at = starts(m, n);
  parallel_for(chunks(n), 1, [&](int64_t b, int64_t e) {
    for (int64_t c = b; c < e; ++c)
      write(c * chunk, std::min(n, (c + 1) * chunk), at[size_t(c)], at[size_t(c) + 1] - at[size_t(c)]);
  });
}

void masked_select(const ops::MaskedSelect&, Tensor& y, const Dense& x, const Dense& mask) {
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    const uint8_t* m = bytes_of(mask);
    each_chunk(m, x.numel(), [=, out = y.data<W>()](int64_t begin, int64_t end, int64_t at, int64_t) {
      compact_chunk(
          m, begin, end, [in](int64_t i) { return in[i]; }, out + at);
    });
  });
}

void masked_replace(const ops::MaskedReplace&, Tensor& y, const Strided& x, const Dense& mask, const Strided& source) {
  const int64_t n = y.numel();
  const uint8_t* m = bytes_of(mask);
  const std::vector<int64_t> at = starts(m, n);
  if (at.back() > source.numel())
    throw Error("mask is true at {} places, but source has {} elements", at.back(), source.numel());
  const Tensor src = apart(source, y);
  Target target(y, x);
  by_size(y.dtype(), [&]<class W>(Type<W>) {
    const W* in = src.data<W>();
    W* out = target.data<W>();
    parallel_for(chunks(n), 1, [&](int64_t b, int64_t e) {
      for (int64_t c = b; c < e; ++c) {
        int64_t k = at[size_t(c)];
        for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i)
          if (m[i]) out[i] = in[k++];
      }
    });
  });
  target.done();
}

void count_nonzero(const ops::CountNonzero&, Tensor& y, const Dense& x) {
  Tensor m = as_mask(x);
  y.data<int64_t>()[0] = starts(bytes_of(m), m.numel()).back();
}

void nonzero(const ops::Nonzero& op, Tensor& y, const Dense& x) {
  const Tensor mask = as_mask(x);
  const int64_t dims = x.dim();
  int64_t* out = y.data<int64_t>();
  const uint8_t* m = bytes_of(mask);
  each_chunk(m, x.numel(), [&](int64_t begin, int64_t end, int64_t at, int64_t k) {
    Buffer<int64_t> kept(k);
    compact_chunk(
        m, begin, end, [](int64_t i) { return i; }, kept.get());
    // dim by dim from the last one on: what rises a little needs no division to find the multiple of an extent below it
    for (int64_t d = dims - 1; d >= 0 && k > 0; --d) {
      const int64_t n = x.shape()[d];
      int64_t* to = out + at * dims + d;
      int64_t multiple = kept[0] / n;
      for (int64_t j = 0, start = multiple * n; j < k; ++j, to += dims) {
        if (kept[j] >= start + 8 * n) multiple = kept[j] / n, start = multiple * n;
        for (; kept[j] >= start + n; start += n) ++multiple;
        *to = kept[j] - start + op.base;
        kept[j] = multiple;
      }
    }
  });
}

const Kernel<masked_fill> masked_fill_;
const Kernel<masked_select> masked_select_;
const Kernel<masked_replace> masked_replace_;
const Kernel<count_nonzero> count_nonzero_;
const Kernel<nonzero> nonzero_;

}  // namespace
}  // namespace luth::cpu
