#include "core/ops/shape/as_strided.h"

#include <algorithm>

#include "core/op/basics.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"

namespace luth {

Tensor basic::as_strided(const Tensor& t, const Shape& size, const Strides& stride, int64_t offset) {
  return luth::as_strided(t, {size, stride, offset});
}

namespace ops {
namespace {

const DefineAll<AsStrided, Restride> define_all_;

// Whether elements may share memory: they do not if each stride is longer than all that smaller strides reach.
bool overlaps(const Shape& s, const Strides& st) {
  int order[max_dims], n = 0;
  for (int i = 0; i < s.size(); ++i) {
    if (s[i] == 0) return false;
    if (s[i] > 1) order[n++] = i;
  }
  std::sort(order, order + n, [&](int a, int b) { return st[a] < st[b]; });
  int64_t reached = 0;
  for (int k = 0; k < n; ++k) {
    if (st[order[k]] <= reached) return true;
    reached += st[order[k]] * (s[order[k]] - 1);
  }
  return false;
}

// The offset of each element in the storage, row-major.
Tensor positions(const Shape& s, const Strides& st, int64_t offset, Device& device) {
  Tensor at = full({}, offset, Dtype::i64, device);
  for (int i = 0; i < s.size(); ++i) at = add(unsqueeze(at, {-1}), mul(counting(s[i], device), st[i]));
  return reshape(at, {Shape{s.numel()}});
}

// Adds the elements of `t` to `memory` where they lie.
void lay_out(const Tensor& memory, const Tensor& t, const Shape& s, const Strides& st, int64_t offset) {
  if (t.numel() == 0) return;
  if (!overlaps(s, st))
    copy.into(as_strided(memory, {s, st, offset}), t);
  else
    basic::index_add_into(memory, positions(s, st, offset, t.device()), reshape(t, {Shape{t.numel()}}));
}

}  // namespace

Tensor AsStrided::view(const Tensor& t) const {
  if (size.size() != stride.size()) throw Error("{} extents and {} strides", size.size(), stride.size());
  Tensor v = Tensor::alias(t.storage(), {}, {}, t.offset(), t.dtype());
  v.set_storage(t.storage(), size, stride, storage_offset.value_or(t.offset()));
  return v;
}
Tensors AsStrided::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  return {restride(dy, {size, stride, storage_offset.value_or(x.offset()), x.shape(), x.strides(), x.offset()})};
}

Tensor Restride::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (!is_floating(t.dtype())) throw Error("needs a floating point tensor, not {}", name(t.dtype()));
  int64_t low = std::min(offset, to_offset);
  int64_t high = std::max(reach(size, stride, offset), reach(to_size, to_stride, to_offset));
  Tensor memory = full({high - low}, 0, t.dtype(), t.device());
  lay_out(memory, t, size, stride, offset - low);
  const Shape &s = shared_to ? to_size : size, &st = shared_to ? to_stride : stride;
  if (overlaps(s, st)) {
    Tensor count = full({high - low}, 0, t.dtype(), t.device());
    lay_out(count, full(s, 1, t.dtype(), t.device()), s, st, (shared_to ? to_offset : offset) - low);
    memory = div(memory, maximum(count, 1));
  }
  Tensor y = as_strided(memory, {to_size, to_stride, to_offset - low});
  return is_dense(to_size, to_stride) ? y.detach() : clone(y, {MemoryFormat::contiguous});
}
Tensors Restride::vjp(const Call&, const Tensor& dy) const {
  return {restride(dy, {to_size, to_stride, to_offset, size, stride, offset, !shared_to})};
}

}  // namespace ops
}  // namespace luth
