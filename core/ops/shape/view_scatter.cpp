#include "core/ops/shape/view_scatter.h"

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/as_strided.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Swapaxes, SelectScatter, SliceScatter, AsStridedScatter, NarrowCopy, Unfold> define_all_;

/// Writes src into a part of `y`; returns y.
Tensor with_part(const Tensor& y, const Tensor& part, const Tensor& src) {
  if (!(part.shape() == src.shape()))
    throw Error("src has shape {}, the part that it replaces {}", to_string(src.shape()), to_string(part.shape()));
  copy.into(part, src);
  return y;
}
Tensor zeros_like_src(const Call& c, const Tensor& dy) { return full(c.in[1].shape(), 0, dy.dtype(), dy.device()); }
Slice slice_of(const SliceScatter& op) { return {op.dim, op.start.value_or(0), op.end.value_or(INT64_MAX), op.step}; }

}  // namespace

Tensor Swapaxes::view(const Tensor& t) const { return Transpose{axis0, axis1}.view(t); }
Tensors Swapaxes::vjp(const Call&, const Tensor& dy) const { return {transpose(dy, {axis0, axis1})}; }

Tensor SelectScatter::decompose(const Inputs& in) const {
  Tensor y = clone(in[0]);
  return with_part(y, select(y, {dim, index}), in[1]);
}
Tensors SelectScatter::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? select_scatter(dy, zeros_like_src(c, dy), *this) : Tensor(),
          c.wants(1) ? cast_to(select(dy, {dim, index}), c.in[1].dtype()) : Tensor()};
}

Tensor SliceScatter::decompose(const Inputs& in) const {
  Tensor y = clone(in[0]);
  return with_part(y, slice(y, slice_of(*this)), in[1]);
}
Tensors SliceScatter::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? slice_scatter(dy, zeros_like_src(c, dy), *this) : Tensor(),
          c.wants(1) ? cast_to(slice(dy, slice_of(*this)), c.in[1].dtype()) : Tensor()};
}

Tensor AsStridedScatter::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  const auto n = int64_t(t.storage()->bytes() / size_of(t.dtype()));
  Tensor memory = clone(Tensor::alias(t.storage(), {n}, {1}, 0, t.dtype()));
  Tensor y = Tensor::alias(memory.storage(), t.shape(), t.strides(), t.offset(), t.dtype());
  return with_part(y, as_strided(memory, {size, stride, storage_offset.value_or(t.offset())}), in[1]);
}
// dy is laid out in memory as the input is.
Tensors AsStridedScatter::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &src = c.in[1];
  const int64_t offset = storage_offset.value_or(x.offset());
  const int64_t n = std::max(reach(x.shape(), x.strides(), x.offset()), reach(size, stride, offset));
  Tensor dx, dsrc, memory = full({n}, 0, dy.dtype(), dy.device());
  copy.into(as_strided(memory, {x.shape(), x.strides(), x.offset()}), dy);
  if (c.wants(1)) dsrc = cast_to(clone(as_strided(memory, {size, stride, offset})), src.dtype());
  if (c.wants(0)) {
    fill.into(as_strided(memory, {size, stride, offset}), 0);
    dx = clone(as_strided(memory, {x.shape(), x.strides(), x.offset()}), {MemoryFormat::contiguous});
  }
  return {dx, dsrc};
}

Tensor NarrowCopy::decompose(const Inputs& in) const {
  return clone(narrow(in[0], {dim, start, length}), {MemoryFormat::contiguous});
}

Tensor Unfold::view(const Tensor& t) const {
  const int d = wrap_dim(dimension, t.dim());
  const int64_t n = t.dim() ? t.shape()[d] : 1;
  if (size < 0 || size > n)
    throw Error("a window of {} positions does not fit dim {} of {} elements", size, shown(d), n);
  if (step < 1) throw Error("the step between windows must be at least 1, got {}", step);
  Shape s = t.shape();
  Strides st = t.strides();
  s.push_back(size);
  st.push_back(t.dim() ? st[d] : 1);
  if (t.dim()) {
    s[d] = (n - size) / step + 1;
    if (__builtin_mul_overflow(st[d], step, &st[d])) st[d] = 1;  // there is one window
  }
  return Tensor::alias(t.storage(), s, st, t.offset(), t.dtype());
}
// Windows may share elements, whose gradients add up.
Tensors Unfold::vjp(const Call& c, const Tensor& dy) const {
  const Shape& s = c.in[0].shape();
  const Tensor plain = Tensor::alias(c.in[0].tensor().storage(), s, contiguous_strides(s), 0, dy.dtype());
  return {restride(dy, {dy.shape(), view(plain).strides(), 0, s, plain.strides(), 0})};
}

}  // namespace luth::ops
