// Random fills and dropout: numbers from counters (philox.h), the same for any number of threads.
#include "core/ops/random/random.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/philox.h"
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

/// Calls f(Type<T>(), memory) with row-major memory for y's elements, and copies it into y's layout if that differs.
template <class List, class F>
void fill_in_order(List list, Tensor& y, F f) {
  Tensor work = y.is_contiguous() ? y : Tensor::empty(y.shape(), y.dtype(), y.device());
  dispatch(list, y.dtype(), [&]<class T>(Type<T> type) { f(type, work.data<T>()); });
  if (!work.same(y)) copy_elements(y, work);
}

/// out[i] = f(i, the random words of element i) for row-major elements.
template <class T, class F>
void draw_elements(const PhiloxState& state, int64_t n, T* __restrict out, F f) {
  with_words(state, n, words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
    for (int64_t i = b; i < e; ++i) out[i] = f(i, w + (i - b) * words_per<T>);
  });
}
/// Fills y with samples of make(Type<T>()), a distribution of core/math/draw.h.
template <class List, class Op, class Make>
void fill_by(List list, const Op& op, Tensor& y, Make make) {
  fill_in_order(list, y, [&]<class T>(Type<T> type, T* out) {
    const auto draw = make(type);
    draw_elements(op.philox, y.numel(), out, [&](int64_t, const uint32_t* w) { return cast<T>(draw(w)); });
  });
}

void uniform(const ops::UniformFill& op, Tensor& y, const Value&) {
  fill_by(Floats{}, op, y, [&]<class T>(Type<T>) { return draw::Uniform<T>(op.from, op.to); });
}

// Normal samples come in pairs. Separate loops, so that they vectorise.
template <class T, class A = compute_t<T>>
void normal_pairs(const draw::Normal<T>& normal, const uint32_t* w, int64_t pairs, A* __restrict out) {
  constexpr int64_t block = 512;
  A u[block], v[block], x[block], y[block];
  for (int64_t j = 0; j < pairs; ++j) normal.uniforms(w + j * 2 * words_per<T>, u[j], v[j]);
  for (int64_t j = 0; j < pairs; ++j) normal.pair(u[j], v[j], x[j], y[j]);
  for (int64_t j = 0; j < pairs; ++j) out[2 * j] = x[j], out[2 * j + 1] = y[j];
}
void normal(const ops::NormalFill& op, Tensor& y, const Value&) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const draw::Normal<T> normal(op.mean, op.std);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      compute_t<T> z[1024];
      normal_pairs(normal, w, (e - b + 1) / 2, z);
      for (int64_t i = b; i < e; ++i) out[i] = T(normal.shifted(z[i - b]));
    });
  });
}

void exponential(const ops::ExponentialFill& op, Tensor& y, const Value&) {
  fill_by(Floats{}, op, y, [&]<class T>(Type<T>) { return draw::Exponential<T>(op.lambd); });
}

void bernoulli_fill(const ops::BernoulliFill& op, Tensor& y, const Value&) {
  fill_by(AllTypes{}, op, y, [&]<class T>(Type<T>) { return draw::Bernoulli<T>(op.p); });
}
void bernoulli(const ops::Bernoulli& op, Tensor& y, const Dense& p) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const T* in = p.data<T>();
    for (int64_t i = 0; i < p.numel(); ++i)
      if (!(compute_t<T>(in[i]) >= 0 && compute_t<T>(in[i]) <= 1))
        throw Error("input holds {}, which is no probability", double(compute_t<T>(in[i])));
    draw_elements(op.philox, y.numel(), out, [in](int64_t i, const uint32_t* w) {
      return T(compute_t<T>(uniform_float(*w) < compute_t<T>(in[i])));
    });
  });
}

void random_integers(const ops::RandomIntegers& op, Tensor& y, const Value&) {
  fill_by(AllTypes{}, op, y, [&]<class T>(Type<T>) {
    const uint64_t from = uint64_t(op.from), range = uint64_t(op.to.value_or(draw::integers_of<T>())) - from;
    return draw::Integers<T>{from, range};
  });
}

// Keys of elements 0 … n - 1: the last of the `words` random words of each. Room for three more.
void draw_keys(const PhiloxState& state, int64_t n, int words, uint32_t* keys) {
  constexpr int64_t block = 1024;
  parallel_for((n + block - 1) / block, 8, [&](int64_t first, int64_t last) {
    const int64_t begin = first * block, end = std::min(n, last * block);
    const int64_t counter = state.offset + begin * words / 4, counters = ((end - begin) * words + 3) / 4;
    if (words == 2)
      philox_words<true>(state.seed, counter, counters, keys + begin);
    else
      philox_words(state.seed, counter, counters, keys + begin);
  });
}

/// A key above the 31 bits of the position it belongs to: one number, never negative, is compared.
using Drawn = int64_t;
Drawn drawn_at(uint32_t key, int64_t position) { return Drawn(key) << 31 | position; }
int64_t key_of(Drawn x) { return x >> 31; }
int64_t position_of(Drawn x) { return x & INT32_MAX; }

/// Whether x's random words come before y's; of equal ones the position decides. A key is the high word.
bool before(const PhiloxState& state, int words, Drawn x, Drawn y) {
  auto low = [&](Drawn i) { return uint32_t(philox_u64(state.seed, state.offset, position_of(i))); };
  if (words == 2 && key_of(x) == key_of(y) && low(x) != low(y)) return low(x) < low(y);
  return x < y;
}

// Where each of the buckets of the first `bits` bits begins among n keys; then the end of the last.
std::vector<int64_t> bucket_starts(const uint32_t* keys, int64_t n, int bits) {
  std::vector<int64_t> starts((size_t(1) << bits) + 1);
  for (int64_t i = 0; i < n; ++i) ++starts[size_t(uint64_t(keys[i]) >> (32 - bits)) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

// Keys with positions into buckets of the first `bits` bits; next[b]: where the next one of bucket b goes.
void spread(const uint32_t* keys, int64_t n, int bits, int64_t* next, Drawn* drawn) {
  constexpr int64_t ahead = 16;
  auto place = [&](int64_t i) -> int64_t& { return next[uint64_t(keys[i]) >> (32 - bits)]; };
  for (int64_t i = 0; i < n; ++i) {
    __builtin_prefetch(&drawn[place(std::min(i + ahead, n - 1))], 1);
    drawn[place(i)++] = drawn_at(keys[i], i);
  }
}

// Writes the n of a bucket to `sorted` in the order of `bits` bits from bit `first` on; `counts` has 2^bits elements.
void spread_bucket(const Drawn* x, int64_t n, int first, int bits, uint32_t* counts, Drawn* sorted) {
  const uint32_t values = uint32_t(1) << bits;
  auto count = [=](Drawn d) -> uint32_t& { return counts[uint32_t(d >> first) & (values - 1)]; };
  std::fill(counts, counts + values, 0);
  for (int64_t i = 0; i < n; ++i) ++count(x[i]);
  uint32_t start = 0;
  for (uint32_t v = 0; v < values; ++v) start += std::exchange(counts[v], start);
  for (int64_t i = 0; i < n; ++i) sorted[count(x[i])++] = x[i];
}

// Orders neighbours, at even places and at odd ones in turn: groups of up to `rounds` are in order then. No branches.
void order_neighbours(Drawn* x, int64_t n) {
  constexpr int rounds = 6;
  for (int r = 0; r < rounds; ++r)
    for (int64_t i = r % 2; i + 1 < n; i += 2) {
      const Drawn a = x[i], b = x[i + 1];
      x[i] = a < b ? a : b;
      x[i + 1] = a < b ? b : a;
    }
}

// Puts the few of a bucket that are out of order, or have equal keys, into their places.
void mend_order(const PhiloxState& state, int words, Drawn* x, int64_t n) {
  int64_t any = 0;  // as wide as the elements, so that the loop vectorises
  for (int64_t i = 1; i < n; ++i) any |= key_of(x[i - 1]) >= key_of(x[i]);
  if (!any) return;
  for (int64_t i = 1; i < n; ++i) {
    const Drawn d = x[i];
    int64_t j = i;
    for (; j > 0 && key_of(x[j - 1]) >= key_of(d) && before(state, words, d, x[j - 1]); --j) x[j] = x[j - 1];
    x[j] = d;
  }
}

/// Positions in the order of their random words: spread over buckets by the first bits, and each bucket sorted while it
/// is in the first cache, by bits in which few of it are equal.
void randperm(const ops::Randperm& op, Tensor& y) {
  const int64_t n = y.numel();
  if (n >= int64_t(1) << 31) throw Error("cannot permute {} numbers; the most is 2^31 - 1", n);
  const int words = size_of(y.dtype()) == 8 ? 2 : 1;  // of an element
  Buffer<uint32_t> keys(n + 3);
  draw_keys(op.philox, n, words, keys.get());
  // buckets of some 1,000, and as many values of the bits that they are sorted by
  const int high = std::clamp(int(std::bit_width(uint64_t(n))) - 11, 0, 14);
  const int bits = std::max(1, int(std::bit_width(uint64_t(n >> high))) - 1);
  const std::vector<int64_t> starts = bucket_starts(keys.get(), n, high);
  Buffer<Drawn> drawn(n);
  std::vector<int64_t> next = starts;
  spread(keys.get(), n, high, next.data(), drawn.get());
  int64_t most = 0;
  for (size_t i = 1; i < starts.size(); ++i) most = std::max(most, starts[i] - starts[i - 1]);
  parallel_for(int64_t(starts.size()) - 1, 64, [&](int64_t b, int64_t e) {
    Buffer<Drawn> sorted(most);
    Buffer<uint32_t> counts(int64_t(1) << bits);
    for (int64_t i = b; i < e; ++i) {
      const int64_t begin = starts[size_t(i)], count = starts[size_t(i) + 1] - begin;
      spread_bucket(drawn.get() + begin, count, 63 - high - bits, bits, counts.get(), sorted.get());
      order_neighbours(sorted.get(), count);
      mend_order(op.philox, words, sorted.get(), count);
      dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
        T* out = y.data<T>() + begin;
        for (int64_t j = 0; j < count; ++j) out[j] = cast<T>(position_of(sorted[j]) + int64_t(op.base));
      });
    }
  });
}

void dropout(const ops::NativeDropout& op, Tensor& y, const Dense& x) {
  fill_in_order(Floats{}, y, [&]<class T>(Type<T>, T* out) {
    const T* in = x.data<T>();
    const draw::Dropout<compute_t<T>> drop(op.p);
    with_words(op.philox, y.numel(), words_per<T>, [&](int64_t b, int64_t e, const uint32_t* w) {
      map_row(
          e - b, out + b, [=](int64_t i, auto v) { return drop(w + i * words_per<T>, v); }, in + b);
    });
  });
}

const Kernel<uniform> uniform_;
const Kernel<normal> normal_;
const Kernel<exponential> exponential_;
const Kernel<bernoulli_fill> bernoulli_fill_;
const Kernel<bernoulli> bernoulli_;
const Kernel<random_integers> random_integers_;
const Kernel<randperm> randperm_;
const Kernel<dropout> dropout_;

}  // namespace
}  // namespace luth::cpu
