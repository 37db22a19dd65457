// Joining tensors along a dim.
#include "core/ops/shape/cat_layout.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// The distance of neighbouring rows of t, each of all elements of the dims from `dim` on; 0 where rows are not
/// contiguous or not equally far apart.
int64_t row_step(const Tensor& t, int dim) {
  int64_t step = -1, next = 1;  // next: the stride that continues what comes after
  for (int i = t.dim() - 1; i >= 0; --i) {
    const int64_t n = t.shape()[i], stride = t.strides()[i];
    if (n == 1) continue;
    if (i < dim && step < 0) step = next = stride;
    if (stride != next) return 0;
    next = stride * n;
  }
  return step < 0 ? 1 : step;
}

void cat(const ops::CatFew& op, Tensor& result, const List tensors) {
  const ops::CatLayout all(op, result);
  const int64_t inner = all.axis.inner, row = all.axis.n * inner;  // row: elements of the result per outer block
  by_size(all.y.dtype(), [&]<class W>(Type<W>) {
    struct Part {
      Tensor t;  // keeps the elements alive
      const W* in;
      W* out;
      int64_t size, step;  // of a row, and to the next one
    };
    const int64_t outer = all.axis.outer;
    // of a single row: threads share it, and memcpy of 1 MiB goes around the caches, which took 1.7 times as long
    constexpr int64_t piece = 262144 / int64_t(sizeof(W));
    std::vector<Part> parts;
    W* out = all.y.data<W>();
    for (auto& v : tensors) {
      if (v.numel() == 0) continue;
      const Tensor view = all.view(v.tensor()), t = row_step(view, all.dim) ? view : dense_copy(view);
      const int64_t size = t.shape()[all.dim] * inner, most = outer == 1 ? piece : size, step = row_step(t, all.dim);
      for (int64_t from = 0; from < size; from += most)
        parts.push_back({t, t.data<W>() + from, out + from, std::min(most, size - from), step});
      out += size;
    }
    const auto count = int64_t(parts.size());
    if (outer == 1)
      return parallel_each(count, row_grain(row / std::max<int64_t>(1, count)), [&](int64_t i) {
        const Part& p = parts[size_t(i)];
        copy_bytes(p.out, p.in, size_t(p.size) * sizeof(W));
      });
    // blocks of rows, which stay in the cache until they are whole
    const int64_t rows = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, row * int64_t(sizeof(W))));
    parallel_each((outer + rows - 1) / rows, row_grain(rows * row), [&](int64_t block) {
      const int64_t first = block * rows, last = std::min(outer, first + rows);
      for (const Part& p : parts) {
        if (last < outer && p.step == p.size)
          fetch_ahead(p.in + last * p.size, rows * p.size);  // no processor foresees many inputs
        if (p.size == 1)  // what the loop reads is its own: a store of bytes may change all else
          for (auto [o, in, out, step] = std::tuple(first, p.in, p.out, p.step); o < last; ++o)
            out[o * row] = in[o * step];
        else
          for (int64_t o = first; o < last; ++o)
            copy_bytes(p.out + o * row, p.in + o * p.step, size_t(p.size) * sizeof(W));
      }
    });
  });
}

const Kernel<cat> cat_;

}  // namespace
}  // namespace luth::cpu
