// How a reduction walks a tensor of any layout. Kernel libraries only.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>

#include "core/autograd/autograd.h"
#include "core/op/axis.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"
#include "devices/cpu/kernels/common/loops.h"
#include "devices/cpu/kernels/common/rows.h"
#include "devices/cpu/kernels/common/transpose.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {

inline constexpr int64_t tile = 512;

/// A tensor of elements (o, p, i, k), which lie o * apart + p * next + i * step + k from the first; p and i, of `parts`
/// and n, are what is reduced.
struct Slices : Axis {
  int64_t apart, step, parts = 1, next = 0;
  explicit Slices(const Axis& a) : Axis(a), apart(a.n * a.inner), step(a.inner) {}
};
struct Sliced {
  Tensor x;
  Slices a;
};

/// t with its dims as they lie in memory, if the kept ones stay in their order; `mask` goes with them. Dims of stride 0
/// come last, which makes rows: many equal terms are added in lanes there, and one after the other in columns.
inline Tensor in_memory_order(const Tensor& t, uint32_t& mask) {
  if (t.is_contiguous()) return t;
  Ints order;
  for (int i = 0; i < t.dim(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return t.strides()[a] > t.strides()[b]; });
  uint32_t moved = 0;
  int64_t kept = -1;
  for (int i = 0; i < t.dim(); ++i)
    if (mask >> order[i] & 1)
      moved |= 1u << i;
    else if (order[i] < std::exchange(kept, order[i]))
      return t;
  mask = moved;
  NoGrad no_grad;
  return permute(t, {order});
}
/// The slices that t is without a copy. Dims that lie as one count as one: at most two are reduced, and two kept, of
/// which one is innermost.
inline std::optional<Slices> slices_of(const Tensor& t, uint32_t mask) {
  struct Run {
    bool reduced;
    int64_t n, step;
  };
  Run runs[max_dims];  // the innermost first
  int count = 0;
  for (int i = t.dim() - 1; i >= 0; --i) {
    const Run next{bool(mask >> i & 1), t.shape()[i], t.strides()[i]};
    Run* const run = count ? &runs[count - 1] : nullptr;
    if (next.n == 1) continue;
    if (run && run->reduced == next.reduced && next.step == run->n * run->step)
      run->n *= next.n;
    else
      runs[count++] = next;
  }
  if (count && runs[0].step != 1) return {};
  Slices s({1, 1, 1});
  int reduced = 0, outer = 0;
  for (int i = 0; i < count; ++i) {
    const auto [is_reduced, n, step] = runs[i];
    if (is_reduced ? reduced == 2 : outer == 1) return {};
    if (is_reduced)
      reduced++ ? (s.parts = n, s.next = step) : (s.n = n, s.step = step);
    else if (i == 0)
      s.inner = n;
    else
      ++outer, s.outer = n, s.apart = step;
  }
  constexpr int64_t short_part = 16;  // a copy takes less time than shorter parts
  if (s.inner == 1 && s.parts > 1 && s.n < short_part) return {};
  return s;
}
/// Where not `in_parts`, slices of one part.
inline Sliced sliced(const Tensor& t, uint32_t mask, bool in_parts) {
  uint32_t moved = mask;
  Tensor x = in_memory_order(t, moved);
  if (const auto s = slices_of(x, moved); s && (in_parts || s->parts == 1)) return {x, *s};
  const Axis a = reduced_axis(x, moved);
  return {x.is_contiguous() ? x : dense_copy(x), Slices(a)};
}

/// Tiles of up to `tile` neighbouring columns, wide ones where there are enough for several threads, as memory is read
/// best: calls f(offset of the first element in x, in the result, columns) for each. `work`: elements of x that are
/// read for a column.
template <class F>
void for_tiles(const Slices& a, int64_t work, F f) {
  const int64_t width = std::clamp<int64_t>(a.outer * a.inner / 512 * 64, 64, tile);
  const int64_t tiles = (a.inner + width - 1) / width;
  const int64_t elements = std::max<int64_t>(1, work * std::min(a.inner, width));
  parallel_for(a.outer * tiles, std::max<int64_t>(1, grain_elements / elements), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t o = i / tiles, from = i % tiles * width;
      f(o * a.apart + from, o * a.inner + from, std::min(width, a.inner - from));
    }
  });
}

/// Whether rows are read as columns: `n` elements or fewer, beside others.
inline bool short_rows(const Slices& a, int64_t n) {
  return a.inner == 1 && a.parts == 1 && a.apart == a.n && a.n > 0 && a.n <= n && a.outer >= 16;
}
/// Blocks of short rows as columns: calls f(first row, rows, columns, step), where element i of row j of the block is
/// columns[i * step + j].
template <class T, class F>
void for_short_rows(const T* x, const Slices& a, F f) {
  constexpr int64_t most = 4096;  // elements of a block
  const int64_t n = a.n, width = std::min<int64_t>(256, most / n / 16 * 16);
  for_row_blocks(Axis{1, n, a.outer}, width, [&](int64_t first, int64_t w) {
    const Buffer<T> columns(most);
    rows_to_columns(x + first * n, w, n, columns.get(), width);
    f(first, w, static_cast<const T*>(columns.get()), width);
  });
}

/// Calls f(x, a) with the elements of t, a tensor of one of the dtypes in the list, and its slices.
template <class List, class F>
void with_slices(List list, const Tensor& t, uint32_t mask, bool in_parts, F f) {
  const Sliced r = sliced(t, mask, in_parts);
  dispatch(list, r.x.dtype(), [&]<class T>(Type<T>) { f(static_cast<const T*>(r.x.data<T>()), r.a); });
}

}  // namespace luth::cpu
