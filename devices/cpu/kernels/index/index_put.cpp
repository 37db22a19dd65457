// Several index tensors at once: index and index_put.
#include "core/ops/common/expanded.h"
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
      if (extent == 1) continue;
      if (n == 1)
        step = st;
      else
        run = run && st == next;
      next = st * extent;
      n *= extent;
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
  /// Whether element i is i away.
  bool neighbours() const { return n == 1 || (table.empty() && step == 1); }
  int64_t operator[](int64_t i) const { return table.empty() ? i * step : table[size_t(i)]; }
};

/// The offset in `t` that each element of the broadcast index tensors stands for.
std::vector<int64_t> picked_offsets(const IndexPlan& plan, const Tensor& t, int base) {
  std::vector<int64_t> at(size_t(plan.shape.numel()), 0);
  for (auto& p : plan.picks) {
    const Indices index(p.index, t.shape()[p.dim], base, true);
    const int64_t stride = t.strides()[p.dim];
    for (size_t i = 0; i < at.size(); ++i) at[i] += index[int64_t(i)] * stride;
  }
  return at;
}

/// The elements of t that a list of index tensors selects: element (b, i, a) is at before[b] + at[i] + after[a].
struct Selected {
  IndexPlan plan;
  std::vector<int64_t> at;
  Offsets before, after;

  Selected(const Tensor& t, const List& indices, int base)
      : plan(plan_index(t.shape(), indices, base)),
        at(picked_offsets(plan, t, base)),
        before(t, plan.before),
        after(t, plan.after) {}
};

void index(const ops::Index& op, Tensor& y, const Value& input, const List indices) {
  const Tensor& x = input.tensor();
  const Selected s(x, indices, op.base);
  const int64_t k = int64_t(s.at.size()), n = s.after.n;
  auto start = [&](int64_t o, int64_t i) { return s.before[o] + s.at[size_t(i)]; };
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    W* out = y.data<W>();
    if (s.after.neighbours()) return copy_rows(out, in, s.before.n, k, n, start);
    parallel_each(s.before.n * k, row_grain(n), [&](int64_t r) {
      const W* from = in + start(r / k, r % k);
      for (int64_t j = 0; j < n; ++j) out[r * n + j] = from[s.after[j]];
    });
  });
}

/// Values expanded to the shape of the selected elements, row-major; a single number stays one (`one`).
Tensor expanded_values(const Value& values, const IndexPlan& plan, const Tensor& y, bool& one) {
  one = values.is_scalar() || values.numel() == 1;
  Tensor v = values.is_scalar() ? Tensor::scalar(values.scalar(), y.dtype()) : values.tensor();
  if (v.dim() > plan.result.size() || !(broadcast(v.shape(), plan.result) == plan.result))
    throw Error("values of shape {} do not fit the shape {} that the indices pick", to_string(v.shape()),
                to_string(plan.result));
  if (one) return apart(v, y);
  return apart(expanded(v, plan.result), y);
}

// Selected elements of out = (or +=) values, in order of `at`. Parallel over columns or blocks: no two ranges share an
// element.
template <class T, class F>
void each_put(const Selected& s, T* out, const T* in, bool one, F join) {
  const int64_t k = int64_t(s.at.size()), n = s.after.n;
  auto part = [&](int64_t b0, int64_t b1, int64_t c0, int64_t c1) {
    for (int64_t b = b0; b < b1; ++b)
      for (int64_t i = 0; i < k; ++i) {
        T* to = out + s.before[b] + s.at[size_t(i)];
        const T* from = in + (one ? 0 : (b * k + i) * n);
        if (!s.after.neighbours())
          for (int64_t j = c0; j < c1; ++j) to[s.after[j]] = join(to[s.after[j]], from[one ? 0 : j]);
        else if (one)
          for (int64_t j = c0; j < c1; ++j) to[j] = join(to[j], *from);
        else
#pragma GCC ivdep
          for (int64_t j = c0; j < c1; ++j) to[j] = join(to[j], from[j]);
      }
  };
  if (s.before.n > 1)
    parallel_for(s.before.n, row_grain(k * n), [&](int64_t b, int64_t e) { part(b, e, 0, n); });
  else if (s.before.n == 1)
    parallel_for(n, std::max<int64_t>(64, row_grain(k)), [&](int64_t b, int64_t e) { part(0, 1, b, e); });
}

void index_put(const ops::IndexPut& op, Tensor& y, const Value& input, const Value& values, const List indices) {
  const Selected s(y, indices, op.base);
  bool one;
  const Tensor v = expanded_values(values, s.plan, y, one);
  if (y.raw() != input.tensor().raw()) copy_elements(y, input.tensor());
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    if (op.accumulate)
      each_put(s, y.data<T>(), v.data<T>(), one, plus);
    else
      each_put(s, y.data<T>(), v.data<T>(), one, [](T, T b) { return b; });
  });
}

const Kernel<index> index_;
const Kernel<index_put> index_put_;

}  // namespace
}  // namespace luth::cpu
