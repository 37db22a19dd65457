// Several index tensors at once: index and index_put.
#include "core/ops/index/index.h"
#include "core/ops/index/index_plan.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// Offsets of all elements of some dims of a tensor, in row-major order of these dims.
struct Offsets {
  int64_t n = 1, step = 0;
  std::vector<int64_t> table;  // empty where element i is simply i * step away

  Offsets(const Tensor& t, const Ints& dims) {
    int64_t next = 0;  // the step that would continue the run
    bool run = true;
    for (int i = dims.size() - 1; i >= 0; --i) {
      const int64_t extent = t.shape()[dims[i]], st = t.strides()[dims[i]];
      n *= extent;
      if (extent == 1) continue;
      if (next == 0)
        step = st;
      else
        run = run && st == next;
      next = st * extent;
    }
    if (run || n == 0) return;
    table.assign(1, 0);
    for (int64_t d : dims) {
      std::vector<int64_t> longer;
      longer.reserve(table.size() * size_t(t.shape()[d]));
      for (int64_t base : table)
        for (int64_t k = 0; k < t.shape()[d]; ++k) longer.push_back(base + k * t.strides()[d]);
      table = std::move(longer);
    }
  }
  int64_t operator[](int64_t i) const { return table.empty() ? i * step : table[size_t(i)]; }
};

/// Where each position of the index tensors lies in `t`, in elements.
std::vector<int64_t> picked_offsets(const IndexPlan& plan, const Tensor& t, int base) {
  std::vector<int64_t> at(size_t(plan.shape.numel()), 0);
  for (auto& p : plan.picks) {
    const Indices index(p.index, t.shape()[p.dim], base, true);
    const int64_t stride = t.strides()[p.dim];
    for (size_t i = 0; i < at.size(); ++i) at[i] += index[int64_t(i)] * stride;
  }
  return at;
}

void index(const ops::Index& op, Tensor& y, const Value& input, const List indices) {
  const Tensor& x = input.tensor();
  const IndexPlan plan = plan_index(x.shape(), indices, op.base);
  const std::vector<int64_t> at = picked_offsets(plan, x, op.base);
  const Offsets before(x, plan.before), after(x, plan.after);
  const int64_t k = int64_t(at.size()), n = after.n;
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    W* out = y.data<W>();
    parallel_for(before.n * k, row_grain(n), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) {
        const W* from = in + before[r / k] + at[size_t(r % k)];
        W* to = out + r * n;
        if (after.table.empty() && after.step == 1)
          copy_bytes(to, from, size_t(n) * sizeof(W));
        else
          for (int64_t j = 0; j < n; ++j) to[j] = from[after[j]];
      }
    });
  });
}

/// Values expanded to the shape that the indices pick, row-major; a single number stays one (`one`).
Tensor expanded_values(const Value& values, const IndexPlan& plan, const Tensor& y, bool& one) {
  one = values.is_scalar() || values.numel() == 1;
  Tensor v = values.is_scalar() ? Tensor::scalar(values.scalar(), y.dtype()) : values.tensor();
  if (v.dim() > plan.result.size() || !(broadcast(v.shape(), plan.result) == plan.result))
    throw Error("values of shape {} do not fit the shape {} that the indices pick", to_string(v.shape()),
                to_string(plan.result));
  if (one) return apart(v, y);
  Strides st(plan.result.size(), 0);
  const int lead = plan.result.size() - v.dim();
  for (int i = 0; i < v.dim(); ++i)
    if (v.shape()[i] != 1) st[lead + i] = v.strides()[i];
  return apart(Tensor::alias(v.storage(), plan.result, st, v.offset(), v.dtype()), y);
}

// out[before, at, after] = (or +=) values, in order of `at`; parallel over columns or blocks, which no two ranges
// share.
template <class T, class F>
void each_put(const Offsets& before, const std::vector<int64_t>& at, const Offsets& after, T* out, const T* in,
              bool one, F join) {
  const int64_t k = int64_t(at.size()), n = after.n;
  auto part = [&](int64_t b0, int64_t b1, int64_t c0, int64_t c1) {
    for (int64_t b = b0; b < b1; ++b)
      for (int64_t i = 0; i < k; ++i) {
        T* to = out + before[b] + at[size_t(i)];
        const T* from = in + (one ? 0 : (b * k + i) * n);
        for (int64_t j = c0; j < c1; ++j) to[after[j]] = join(to[after[j]], from[one ? 0 : j]);
      }
  };
  if (before.n > 1)
    parallel_for(before.n, row_grain(k * n), [&](int64_t b, int64_t e) { part(b, e, 0, n); });
  else if (before.n == 1)
    parallel_for(n, std::max<int64_t>(64, row_grain(k)), [&](int64_t b, int64_t e) { part(0, 1, b, e); });
}

void index_put(const ops::IndexPut& op, Tensor& y, const Value& input, const Value& values, const List indices) {
  const Tensor& x = input.tensor();
  const IndexPlan plan = plan_index(x.shape(), indices, op.base);
  const std::vector<int64_t> at = picked_offsets(plan, y, op.base);
  bool one;
  const Tensor v = expanded_values(values, plan, y, one);
  if (y.raw() != x.raw()) copy_elements(y, x);
  const Offsets before(y, plan.before), after(y, plan.after);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    T* out = y.data<T>();
    const T* in = v.data<T>();
    if (op.accumulate)
      each_put(before, at, after, out, in, one, [](T a, T b) { return plus(a, b); });
    else
      each_put(before, at, after, out, in, one, [](T, T b) { return b; });
  });
}

const Kernel<index> index_;
const Kernel<index_put> index_put_;

}  // namespace
}  // namespace luth::cpu
