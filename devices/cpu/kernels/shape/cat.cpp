// Joining tensors along a dim.
#include "core/ops/shape/cat_layout.h"

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

void cat(const ops::CatFew& op, Tensor& result, const List tensors) {
  const ops::CatLayout all(op, result);
  const int64_t inner = all.axis.inner, row = all.axis.n * inner;  // row: elements of the result per outer block
  by_size(all.y.dtype(), [&]<class W>(Type<W>) {
    W* out = all.y.data<W>();
    for (auto& v : tensors) {
      if (v.numel() == 0) continue;
      const Tensor t = Dense(Value(all.view(v.tensor())));
      const int64_t part = t.shape()[all.dim] * inner;
      const W* in = t.data<W>();
      if (part == 1)
        for (int64_t o = 0; o < all.axis.outer; ++o) out[o * row] = in[o];
      else
        parallel_each(all.axis.outer, row_grain(part),
                      [&](int64_t o) { copy_bytes(out + o * row, in + o * part, size_t(part) * sizeof(W)); });
      out += part;
    }
  });
}

const Kernel<cat> cat_;

}  // namespace
}  // namespace luth::cpu
