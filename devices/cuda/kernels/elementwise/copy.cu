// Copies, casts and fills on CUDA.
#include "core/ops/elementwise/copy.h"

#include "core/ops/common/expanded.h"
#include "devices/cuda/kernels/common/copy.h"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

struct Same {
  template <class T>
  LUTH_HD T operator()(T x) const {
    return x;
  }
};

// out = in converted; any layouts, both on this device, or a number.
void convert(Tensor& out, const Value& in) {
  if (in.is_tensor() && in.dtype() == out.dtype()) {
    const Tensor& t = in.tensor();
    if (out.is_contiguous() && t.is_contiguous())
      return luth::copy_bytes(out.raw(), out.device(), t.raw(), t.device(), out.bytes());
    return by_width(out.dtype(), [&]<class W>(Type<W>) { elementwise<W, W>(out, out.dtype(), Same(), in); });
  }
  const Dtype from = in.is_tensor() ? in.dtype() : out.dtype();
  // bool goes with the integers
  dispatch_class(Numbers{}, out.dtype() == Dtype::boolean ? Dtype::u8 : out.dtype(), [&]<class To>(Type<To>) {
    dispatch_class(Numbers{}, from == Dtype::boolean ? Dtype::u8 : from,
                   [&]<class From>(Type<From>) { elementwise<To, From>(out, from, Same(), in); });
  });
}

// The tensor as y's device has it, seen with y's shape: it may have fewer dims, and extents of 1.
Tensor spread(const Tensor& t, const Tensor& y) {
  const Tensor here = &t.device() == &y.device() ? t : to_device(t, {&y.device()});
  return expanded(here, y.shape());
}

void cast_kernel(const ops::Cast&, Tensor& y, const Value& x) { convert(y, x); }
void clone(const ops::Clone&, Tensor& y, const Value& x) { convert(y, x); }
// Memory without holes needs no kernel.
void set_to_zero(Tensor& y) {
  if (!is_dense(y.shape(), y.strides())) return convert(y, Scalar(0));
  if (y.numel()) y.device().fill_zero(y.raw(), y.bytes());
}
bool all_bits_are_zero(const Scalar& v) { return v.value() == 0 && !std::signbit(v.value()); }
void fill(const ops::Fill&, Tensor& y, const Value&, const Value& value) {
  if (value.is_scalar() && all_bits_are_zero(value.scalar())) return set_to_zero(y);
  convert(y, value.is_scalar() ? value : Value(spread(value, y)));
}
void zero(const ops::Zero&, Tensor& y, const Value&) { set_to_zero(y); }
void copy(const ops::Copy&, Tensor& y, const Value&, const Value& src) {
  convert(y, src.is_scalar() ? src : Value(spread(src, y)));
}

const Kernel<cast_kernel> cast_;
const Kernel<clone> clone_;
const Kernel<fill> fill_;
const Kernel<zero> zero_;
const Kernel<copy> copy_;

}  // namespace

void copy_elements(Tensor& out, const Value& in) { convert(out, in); }
Tensor row_major(const Tensor& t) { return t.is_contiguous() ? t : dense_copy(t); }
Tensor apart(const Tensor& t, const Tensor& out) {
  if (!(t.storage() == out.storage())) return t;
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.device());
  copy_elements(copy, t);
  return copy;
}

}  // namespace luth::cuda
