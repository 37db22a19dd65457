// Histograms, and binary search in sorted rows.
#include "core/ops/reduce/histogram.h"

#include <algorithm>

#include "core/ops/common/positions.h"
#include "core/ops/index/search.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

// Long inputs have a histogram for each of several parts, which depend on the shape alone.
void count_positions(const ops::CountPositions& op, Tensor& y, const Dense& x) {
  const int64_t n = x.numel(), bins = op.bins;
  const int64_t* in = x.data<int64_t>();
  int64_t* out = y.data<int64_t>();
  set_zero(y);
  auto count = [&](int64_t begin, int64_t end, int64_t* to) {
    for (int64_t i = begin; i < end; ++i)
      if (uint64_t(in[i]) < uint64_t(bins)) ++to[in[i]];
  };
  const int64_t parts = std::min<int64_t>(16, n / std::max<int64_t>(65536, 4 * bins));
  if (parts < 2) return count(0, n, out);
  std::vector<int64_t> own(size_t(parts * bins), 0);
  const int64_t part = (n + parts - 1) / parts;
  parallel_for(parts, 1, [&](int64_t b, int64_t e) {
    for (int64_t p = b; p < e; ++p) count(p * part, std::min(n, (p + 1) * part), own.data() + p * bins);
  });
  for (int64_t p = 0; p < parts; ++p)
    for (int64_t i = 0; i < bins; ++i) out[i] += own[size_t(p * bins + i)];
}

/// Binary search in n sorted elements at(k), for `count` values side by side: each step halves the elements for all of
/// them, and none waits for another. It has no branch, which would be mispredicted every second time. out: how many
/// elements are before(element, value).
template <class T, class At, class Before>
void count_before(int64_t n, At at, const T* values, int64_t count, int64_t* out, Before before) {
  std::fill_n(out, count, 0);
  for (int64_t left = n; left > 0;) {
    const int64_t half = (left + 1) / 2;
    for (int64_t k = 0; k < count; ++k) out[k] += half & -int64_t(before(at(out[k] + half - 1), values[k]));
    left -= half;
  }
}

void search_same(const ops::SearchSame& op, Tensor& y, const Dense& rows, const Dense& x, const Dense& sorter) {
  if (x.numel() == 0) return;
  const int64_t n = rows.shape(-1), per_row = rows.dim() > 1 ? x.shape(-1) : x.numel();
  const int64_t* order = sorter ? sorter.data<int64_t>() : nullptr;
  if (order)
    for (int64_t i = 0; i < sorter.numel(); ++i)
      if (uint64_t(order[i] - op.base) >= uint64_t(n))
        throw_bad_position("sorter", sorter.shape(), i, order[i], n, op.base, false);
  dispatch(Types<float, double, int64_t>{}, x.dtype(), [&]<class T>(Type<T>) {
    const T *in = x.data<T>(), *all = rows.data<T>();
    int64_t* out = y.data<int64_t>();
    constexpr int64_t block = 256;
    const int64_t blocks = (per_row + block - 1) / block;
    parallel_each(x.numel() / per_row * blocks, 2048 / block, [&](int64_t i) {
      const int64_t start = i / blocks * n, begin = i % blocks * block, first = i / blocks * per_row + begin;
      const int64_t count = std::min(block, per_row - begin);
      const T* row = all + start;
      const auto find = [&](auto at) {  // a value that is nan comes last
        if (op.right)
          count_before(n, at, in + first, count, out + first, [](T middle, T v) { return !(middle > v); });
        else
          count_before(n, at, in + first, count, out + first, [](T middle, T v) { return !(middle >= v); });
      };
      if (order)
        find([&](int64_t k) { return row[order[start + k] - op.base]; });
      else
        find([&](int64_t k) { return row[k]; });
      for (int64_t k = first; k < first + count; ++k) out[k] += op.base;
    });
  });
}

const Kernel<count_positions> count_positions_;
const Kernel<search_same> search_same_;

}  // namespace
}  // namespace luth::cpu
