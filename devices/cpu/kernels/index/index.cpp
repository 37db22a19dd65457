// Lists of indices along a dim: index_select, index_add, index_copy, index_fill; flat indices: take, put.
#include "core/ops/index/index.h"

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

void index_select(const ops::IndexSelect& op, Tensor& y, const Dense& x, const Strided& index) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base);
  const int64_t k = at.size(), inner = a.inner;
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    W* out = y.data<W>();
    const W* in = x.data<W>();
    if (k == 1 && inner == 1)  // a column
      return parallel_each(a.outer, grain_elements, [&, from = in + at[0]](int64_t o) { out[o] = from[o * a.n]; });
    copy_rows(out, in, a.outer, k, inner, [&](int64_t o, int64_t i) { return (o * a.n + at[i]) * inner; });
  });
}

// Calls f(target row, source row, first column, columns): rows of `inner` elements, in order of the list, so that
// writes to one element come in order. Parallel over outer blocks or over columns: no two ranges share an element.
template <class F>
void each_listed(const Axis& a, const Indices& at, F f) {
  const int64_t k = at.size();
  auto rows = [&](int64_t o, int64_t first, auto columns) {
    for (int64_t i = 0; i < k; ++i) f(o * a.n + at[i], o * k + i, first, columns);
  };
  if (a.outer > 1)
    parallel_each(a.outer, row_grain(k * a.inner), [&](int64_t o) {
      if (a.inner == 1)
        rows(o, 0, std::integral_constant<int64_t, 1>());
      else
        rows(o, 0, a.inner);
    });
  else if (a.outer == 1)
    parallel_for(a.inner, std::max<int64_t>(512, row_grain(k)), [&](int64_t b, int64_t e) { rows(0, b, e - b); });
}

// y = x with rows changed by those of `source`. by_type(d, f) calls f with the type T of the elements;
// change(Type<T>()) gives the function of (out, in, n) that changes n neighbouring elements of a row.
template <class Op, class ByType, class F>
void change_listed(const Op& op, Tensor& y, const Tensor& x, const Tensor& index, const Tensor& source, ByType by_type,
                   F change) {
  const Axis a = axis(x, op.dim);
  const Indices at(apart(index, y), a.n, op.base);
  const Tensor src = apart(source, y);
  Target target(y, x);
  by_type(y.dtype(), [&]<class T>(Type<T>) {
    const T* in = src.data<T>();
    T* out = target.data<T>();
    const auto change_run = change(Type<T>());
    each_listed(a, at, [&](int64_t to, int64_t from, int64_t first, auto columns) {
      change_run(out + to * a.inner + first, in + from * a.inner + first, columns);
    });
  });
  target.done();
}

void index_add(const ops::IndexAdd& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  auto by_type = [](Dtype d, auto f) { dispatch(AllTypes{}, d, f); };
  change_listed(op, y, x, index, source, by_type, [&]<class T>(Type<T>) {
    const auto alpha = static_cast<compute_t<T>>(op.alpha.to<T>());  // rounded, as PyTorch does
    return [alpha](T* __restrict o, const T* __restrict p, auto n) {
      if constexpr (std::is_same_v<T, half>)
        if (n > 1)
          return map_row(
              n, o, [alpha](int64_t, float a, float b) { return a + alpha * b; }, o, p);
      for (int64_t j = 0; j < n; ++j) {
        if constexpr (std::is_same_v<T, bool>)
          o[j] = o[j] || (p[j] && alpha);
        else
          o[j] = converted<T>(compute_t<T>(computed(o[j]) + compute_t<T>(alpha * computed(p[j]))));
      }
    };
  });
}

void index_copy(const ops::IndexCopy& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  auto by_type = [](Dtype d, auto f) { by_size(d, f); };
  change_listed(op, y, x, index, source, by_type, []<class W>(Type<W>) {
    return [](W* o, const W* p, auto n) { copy_bytes(o, p, size_t(n) * sizeof(W)); };
  });
}

void index_fill(const ops::IndexFill& op, Tensor& y, const Strided& x, const Strided& index, const Value& value) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base, true);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const T v = number<T>(value);  // read before it is overwritten
    Target target(y, x);
    T* out = target.data<T>();
    each_listed(a, at, [&](int64_t to, int64_t, int64_t first, auto columns) {
      T* o = out + to * a.inner + first;
      for (int64_t j = 0; j < columns; ++j) o[j] = v;
    });
    target.done();
  });
}

void take(const ops::Take& op, Tensor& y, const Dense& x, const Strided& index) {
  const Indices at(index, x.numel(), op.base, true);
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    parallel_each(at.size(), grain_elements,
                  [&, in = x.data<W>(), out = y.data<W>()](int64_t i) { out[i] = in[at[i]]; });
  });
}

void put(const ops::Put& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  const Indices at(index, x.numel(), op.base, true);
  const Tensor src = apart(source, y);
  Target target(y, x);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* in = src.data<T>();
    T* out = target.data<T>();
    for (int64_t i = 0; i < at.size(); ++i) out[at[i]] = op.accumulate ? plus(out[at[i]], in[i]) : in[i];
  });
  target.done();
}

const Kernel<index_select> index_select_;
const Kernel<index_add> index_add_;
const Kernel<index_copy> index_copy_;
const Kernel<index_fill> index_fill_;
const Kernel<take> take_;
const Kernel<put> put_;

}  // namespace
}  // namespace luth::cpu
