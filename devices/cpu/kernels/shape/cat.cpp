// Joining tensors along a dim.
#include "core/ops/shape/cat.h"

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// The same memory with dims in the order in which channels-last memory has them: N, spatial, C.
Tensor channels_at_end(const Tensor& t) {
  Shape shape{t.shape()[0]}, strides{t.strides()[0]};
  for (int i = 2; i < t.dim(); ++i) shape.push_back(t.shape()[i]), strides.push_back(t.strides()[i]);
  shape.push_back(t.shape()[1]), strides.push_back(t.strides()[1]);
  return Tensor::alias(t.storage(), shape, strides, t.offset(), t.dtype());
}

void cat(const ops::CatFew& op, Tensor& result, const List tensors) {
  int dim = wrap_dim(op.dim, result.dim());
  const bool last = !result.is_contiguous();  // then channels-last, as infer said
  if (last) dim = dim == 0 ? 0 : dim == 1 ? result.dim() - 1 : dim - 1;
  const Tensor y = last ? channels_at_end(result) : result;
  const Axis all = axis_of(y.shape(), dim);
  const int64_t row = all.n * all.inner;  // elements of the result per outer block
  by_size(y.dtype(), [&]<class W>(Type<W>) {
    W* out = y.data<W>();
    for (auto& v : tensors) {
      if (v.numel() == 0) continue;
      const Tensor t = Dense(last ? Value(channels_at_end(v.tensor())) : v);
      const int64_t part = t.shape()[dim] * all.inner;
      const W* in = t.data<W>();
      if (part == 1)
        for (int64_t o = 0; o < all.outer; ++o) out[o * row] = in[o];
      else
        parallel_for(all.outer, row_grain(part), [&](int64_t b, int64_t e) {
          for (int64_t o = b; o < e; ++o) copy_bytes(out + o * row, in + o * part, size_t(part) * sizeof(W));
        });
      out += part;
    }
  });
}

const Kernel<cat> cat_;

}  // namespace
}  // namespace luth::cpu
