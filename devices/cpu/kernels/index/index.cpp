// Lists of positions along a dim: index_select, index_add, index_copy, index_fill; and flat positions: take, put.
#include "core/ops/index/index.h"

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

Axis axis(const Tensor& t, int64_t dim) { return axis_of(t.shape(), wrap_dim(dim, t.dim())); }

void index_select(const ops::IndexSelect& op, Tensor& y, const Dense& x, const Strided& index) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base);
  const int64_t k = at.size(), inner = a.inner;
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    W* out = y.data<W>();
    parallel_for(a.outer * k, row_grain(inner), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const W* from = in + (r / k * a.n + at[r % k]) * inner;
        if (inner == 1)
          out[r] = *from;
        else
          copy_bytes(out + r * inner, from, size_t(inner) * sizeof(W));
      }
    });
  });
}

// Calls f(target row, source row, first column, columns): rows of `inner` elements in order of the list, so that
// several writes to one place come in order; parallel over outer blocks or columns, which no two ranges share.
template <class F>
void each_listed(const Axis& a, const Indices& at, F f) {
  const int64_t k = at.size();
  auto rows = [&](int64_t o, int64_t first, int64_t columns) {
    for (int64_t i = 0; i < k; ++i) f(o * a.n + at[i], o * k + i, first, columns);
  };
  if (a.outer > 1)
    parallel_for(a.outer, row_grain(k * a.inner), [&](int64_t b, int64_t e) {
      for (int64_t o = b; o < e; ++o) rows(o, 0, a.inner);
    });
  else if (a.outer == 1)
    parallel_for(a.inner, std::max<int64_t>(64, row_grain(k)), [&](int64_t b, int64_t e) { rows(0, b, e - b); });
}

void index_add(const ops::IndexAdd& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base);
  const Tensor src = apart(source, y);
  Target target(y, x);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const auto alpha = static_cast<compute_t<T>>(op.alpha.to<T>());  // rounded, as PyTorch does
    const T* in = src.data<T>();
    T* out = target.data<T>();
    each_listed(a, at, [&](int64_t to, int64_t from, int64_t first, int64_t columns) {
      T* __restrict o = out + to * a.inner + first;
      const T* __restrict p = in + from * a.inner + first;
      for (int64_t j = 0; j < columns; ++j) {
        if constexpr (std::is_same_v<T, bool>)
          o[j] = o[j] || (p[j] && alpha);
        else
          o[j] = cast<T>(compute_t<T>(compute_t<T>(o[j]) + compute_t<T>(alpha * compute_t<T>(p[j]))));
      }
    });
  });
  target.done();
}

void index_copy(const ops::IndexCopy& op, Tensor& y, const Strided& x, const Strided& index, const Strided& source) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base);
  const Tensor src = apart(source, y);
  Target target(y, x);
  by_size(y.dtype(), [&]<class W>(Type<W>) {
    const W* in = src.data<W>();
    W* out = target.data<W>();
    each_listed(a, at, [&](int64_t to, int64_t from, int64_t first, int64_t columns) {
      copy_bytes(out + to * a.inner + first, in + from * a.inner + first, size_t(columns) * sizeof(W));
    });
  });
  target.done();
}

void index_fill(const ops::IndexFill& op, Tensor& y, const Strided& x, const Strided& index, const Value& value) {
  const Axis a = axis(x, op.dim);
  const Indices at(index, a.n, op.base, true);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const T v = number<T>(value);  // read before it is overwritten
    Target target(y, x);
    T* out = target.data<T>();
    each_listed(a, at, [&](int64_t to, int64_t, int64_t first, int64_t columns) {
      T* o = out + to * a.inner + first;
      for (int64_t j = 0; j < columns; ++j) o[j] = v;
    });
    target.done();
  });
}

void take(const ops::Take& op, Tensor& y, const Dense& x, const Strided& index) {
  const Indices at(index, x.numel(), op.base, true);
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    W* out = y.data<W>();
    parallel_for(at.size(), grain_elements, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) out[i] = in[at[i]];
    });
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
