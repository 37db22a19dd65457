// Extremes with their positions.
#include <bit>
#include <tuple>

#include "core/ops/reduce/reduce.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/reduce/totals.h"

namespace luth::cpu {
namespace {

// Values and first positions. A row: the extremum first, which vectorises, then the first element equal to it. Columns:
// value and position side by side, selected without branches.
template <class R, class C, class T>
void find_row(const T* x, int64_t n, T* value, int64_t* index) {
  const C best = C(reduce_row<R, C>(x, n));
  auto found = [&](int64_t i) {
    const C v = static_cast<C>(x[i]);
    return (v == best) | ((best != best) & (v != v));
  };
  int64_t i = 0;
  constexpr int64_t part = 128, line = 64 / int64_t(sizeof(T));
  for (int any = 0; i + part <= n; i += part) {  // whether it is in there, and where, by loops that vectorise
    for (int64_t k = 0; k < part; k += line) __builtin_prefetch(x + n + i + k);  // memory goes on with the next row
    for (int64_t k = 0; k < part; ++k) any |= found(i + k);
    if (!any) continue;
    int first = part;
    for (int k = 0; k < part; ++k) first = std::min(first, found(i + k) ? k : int(part));
    i += first;
    break;
  }
  while (!found(i)) ++i;
  *value = x[i];
  *index = i;
}
// Rows are counted within a block, by numbers as wide as elements, so that a register holds as many.
template <class R, class C, class T>
void find_columns(const T* x, int64_t n, int64_t stride, int64_t width, T* value, int64_t* index) {
  using Row = std::tuple_element_t<std::countr_zero(sizeof(C)), std::tuple<int8_t, int16_t, int32_t, int64_t>>;
  constexpr int64_t few = 128, line = 64 / int64_t(sizeof(T));
  for (int64_t b = 0; b < n; b += few) {
    C best[tile];
    Row at[tile];
    for (int64_t k = 0; k < width; ++k) best[k] = static_cast<C>(x[b * stride + k]), at[k] = 0;
    for (int64_t i = 1; i < std::min(few, n - b); ++i) {
      const T* p = x + (b + i) * stride;
      for (int64_t k = 0; k < width; k += line) __builtin_prefetch(p + 4 * stride + k);
      for (int64_t k = 0; k < width; ++k) {
        const C v = static_cast<C>(p[k]);
        const bool better = R::beats(best[k], v);
        best[k] = better ? v : best[k];
        at[k] = better ? Row(i) : at[k];
      }
    }
    for (int64_t k = 0; k < width; ++k)
      if (b == 0 || R::beats(static_cast<C>(value[k]), best[k])) value[k] = cast<T>(best[k]), index[k] = b + at[k];
  }
}
template <template <class> class R>
void find(const auto& op, Tensor& values, Tensor& indices, const Tensor& x) {
  const Slices a(axis_of(x.shape(), wrap_dim(op.dim, x.dim())));
  dispatch(AllTypes{}, x.dtype(), [&]<class T>(Type<T>) {
    using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, compute_t<T>>;
    const T* data = x.data<T>();
    T* value = values.data<T>();
    int64_t* index = indices.data<int64_t>();
    if (short_rows(a, std::min<int64_t>(64 * sizeof(T), 256) - 1))  // wide elements take longer in rows
      return for_short_rows(data, a, [&](int64_t first, int64_t w, const T* columns, int64_t step) {
        find_columns<R<C>, C>(columns, a.n, step, w, value + first, index + first);
        for (int64_t k = 0; k < w; ++k) index[first + k] += op.base;
      });
    for_tiles(a, a.n, [&](int64_t from, int64_t to, int64_t width) {
      if (a.inner == 1)
        find_row<R<C>, C>(data + from, a.n, value + to, index + to);
      else
        find_columns<R<C>, C>(data + from, a.n, a.inner, width, value + to, index + to);
      for (int64_t k = 0; k < width; ++k) index[to + k] += op.base;
    });
  });
}
void max_dim(const ops::MaxDim& op, Tensor& v, Tensor& i, const Dense& x) { find<Largest>(op, v, i, x); }
void min_dim(const ops::MinDim& op, Tensor& v, Tensor& i, const Dense& x) { find<Smallest>(op, v, i, x); }

const Kernel<max_dim> max_dim_;
const Kernel<min_dim> min_dim_;

}  // namespace
}  // namespace luth::cpu
