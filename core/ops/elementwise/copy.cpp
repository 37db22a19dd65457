#include "core/ops/elementwise/copy.h"

#include <cmath>
#include <limits>

#include "core/autograd/autograd.h"
#include "core/tensor/record_stream.h"

namespace luth {

Tensor cast_to(const Tensor& t, Dtype dtype) {
  if (t.dtype() == dtype) return t;
  ops::Cast op{dtype};
  return apply(info<ops::Cast>(), &op, {t})[0];
}
bool holds(Dtype d, const Scalar& v) {
  if (d == Dtype::boolean || (d == Dtype::i64 && !v.is_floating())) return true;
  const double x = v.value();
  if (is_floating(d)) {
    const double top = d == Dtype::f16    ? 65504
                       : d == Dtype::bf16 ? 3.3895313892515355e38
                       : d == Dtype::f32  ? double(std::numeric_limits<float>::max())
                                          : std::numeric_limits<double>::max();
    return !(std::isfinite(x) && std::fabs(x) > top);
  }
  bool fits = false;
  dispatch(Integers{}, d, [&]<class T>(Type<T>) {
    using L = std::numeric_limits<T>;
    const double top = double(L::max()), least = std::is_signed_v<T> ? double(L::min()) : -top;
    fits = x >= least && (x < top || (x == top && sizeof(T) < 8));
  });
  return fits;
}

void check_holds(Dtype d, const Value& v) {
  if (!v.is_scalar() || holds(d, v.scalar())) return;
  throw Error("the number {} does not fit into {}", to_string(Attr(v.scalar())), name(d));
}

Tensor dense_copy(const Tensor& t) {
  NoGrad no_grad;
  return clone(t, {MemoryFormat::contiguous});
}

Tensor full(const Shape& shape, const Scalar& value, Dtype dtype, Device& device) {
  Tensor t = Tensor::empty(shape, dtype, device);
  NoGrad no_grad;
  return fill.into(t, value);
}
Tensor zeros_of(const Tensor& t) { return full(t.shape(), 0, t.dtype(), t.device()); }

namespace basic {
Tensor clone(const Tensor& t) { return luth::clone(t); }
Tensor copy_into(const Tensor& to, const Tensor& from) { return copy.into(to, from); }
Tensor fill_into(const Tensor& to, const Scalar& value) { return fill.into(to, value); }
Tensor to_device(const Tensor& t, Device& device, bool non_blocking) {
  return luth::to_device(t, {&device, non_blocking});
}
}  // namespace basic

bool copy_from_elsewhere(const OpInfo& info, const void* op, Inputs& in) {
  if (&info != &luth::info<ops::Copy>() || in.size() < 2 || !in[1].is_tensor()) return false;
  const Tensor &to = in[0].tensor(), &from = in[1].tensor();
  if (&from.device() == &to.device()) return false;
  const bool async = static_cast<const ops::Copy*>(op)->non_blocking;
  const bool recorded = grad_enabled() && (to.requires_grad() || from.requires_grad());
  const bool alike =
      to.shape() == from.shape() && to.dtype() == from.dtype() && to.is_contiguous() && from.is_contiguous();
  if (recorded || !alike || !to.device().has_data() || !from.device().has_data()) {
    in[1] = to_device(from, {&to.device(), async});
    return false;
  }
  record_current_stream(to);
  record_current_stream(from);
  if (to.numel()) copy_bytes(to.raw(), to.device(), from.raw(), from.device(), to.bytes(), async);
  to.storage()->written(&info);
  return true;
}

namespace ops {
namespace {
const DefineAll<Cast, Copy, Clone, Contiguous, Fill, Zero, ToDevice> define_all_;
}

Tensors Cast::vjp(const Call& c, const Tensor& dy) const { return {cast_to(dy, c.in[0].dtype())}; }

Spec Copy::infer(const Inputs& in) const {
  const Tensor& self = in[0];
  if (!(luth::broadcast(self.shape(), in[1].shape()) == self.shape()))
    throw Error("src of shape {} does not broadcast to {}", to_string(in[1].shape()), to_string(self.shape()));
  check_holds(self.dtype(), in[1]);
  return {self.shape(), self.dtype(), strides_like(self.shape(), self.shape(), self.strides()), &self.device()};
}
Tensors Copy::vjp(const Call& c, const Tensor& dy) const {
  Tensor dx = c.wants(0) ? zeros_of(dy) : Tensor();
  if (!c.wants(1)) return {dx, Tensor()};
  const Tensor& src = c.in[1];
  return {dx, cast_to(sum_to(to_device(dy, {&src.device()}), src.shape()), src.dtype())};
}

Spec Clone::infer(const Inputs& in) const {
  const Tensor& t = in[0];
  if (memory_format == MemoryFormat::channels_last) {
    if (t.dim() != 4) throw Error("channels_last needs 4 dimensions, this tensor has {}", t.dim());
    return {t.shape(), t.dtype(), channels_last_strides(t.shape())};
  }
  if (memory_format == MemoryFormat::preserve && is_dense(t.shape(), t.strides()))
    return {t.shape(), t.dtype(), t.strides()};
  if (memory_format == MemoryFormat::preserve)
    return {t.shape(), t.dtype(), strides_like(t.shape(), t.shape(), t.strides())};
  return {t.shape(), t.dtype()};
}

Tensor Contiguous::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  bool is = memory_format == MemoryFormat::channels_last ? t.is_channels_last() : t.is_contiguous();
  return is || memory_format == MemoryFormat::preserve ? t : clone(t, {memory_format});
}

Spec Fill::infer(const Inputs& in) const {
  if (in[1].dim() != 0)
    throw Error("value must be a number or have no dimensions, its shape is {}", to_string(in[1].shape()));
  const Tensor& t = in[0];
  check_holds(t.dtype(), in[1]);
  return {t.shape(), t.dtype(), strides_like(t.shape(), t.shape(), t.strides())};
}
Tensors Fill::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? zeros_of(dy) : Tensor(), c.wants(1) ? sum_to(dy, {}) : Tensor()};
}
Spec Zero::infer(const Inputs& in) const {
  const Tensor& t = in[0];
  return {t.shape(), t.dtype(), strides_like(t.shape(), t.shape(), t.strides())};
}
Tensors Zero::vjp(const Call&, const Tensor& dy) const { return {zeros_of(dy)}; }

Tensor ToDevice::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (!device || &t.device() == device) return t;
  Tensor from = t.is_contiguous() ? t : dense_copy(t);
  Tensor out = Tensor::empty(t.shape(), t.dtype(), *device);
  if (device->has_data() && !t.device().has_data()) throw Error("a meta tensor has no data to copy");
  record_current_stream(from);
  if (device->has_data() && t.numel())
    copy_bytes(out.raw(), *device, from.raw(), t.device(), from.bytes(), non_blocking);
  return out;
}
Tensors ToDevice::vjp(const Call& c, const Tensor& dy) const { return {to_device(dy, {&c.in[0].tensor().device()})}; }
Cases<ToDevice> ToDevice::samples() { return {{{.device = &host()}, {{2, 3}}}}; }

}  // namespace ops
}  // namespace luth
