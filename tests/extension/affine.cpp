#include "affine.h"

#include "core/device/device_support.h"

namespace mine {

luth::Spec Affine::infer(const luth::Inputs& in) const {
  if (in[0].dtype() != luth::Dtype::f32 && in[0].dtype() != luth::Dtype::f64)
    throw luth::Error("input must be float32 or float64, got {}", luth::name(in[0].dtype()));
  return {in[0].shape(), in[0].dtype()};
}
luth::Tensors Affine::vjp(const luth::Call&, const luth::Tensor& dy) const { return {affine(dy, {.a = a})}; }

const luth::Define<Affine> affine_;

namespace {

template <class T>
void loop(const Affine& op, luth::Tensor& y, const luth::Dense& x) {
  for (int64_t i = 0; i < x.numel(); ++i) y.data<T>()[i] = T(op.a) * x.data<T>()[i] + T(op.b);
}
void on_cpu(const Affine& op, luth::Tensor& y, const luth::Dense& x) {
  x.dtype() == luth::Dtype::f64 ? loop<double>(op, y, x) : loop<float>(op, y, x);
}
const luth::Bind<on_cpu> on_cpu_("cpu");

}  // namespace

#ifdef LUTH_LIBRARY_CUDA
void start_affine(const float* x, float* y, int64_t n, double a, double b, int device, void* stream);  // affine.cu
void start_affine(const double* x, double* y, int64_t n, double a, double b, int device, void* stream);

namespace {

void on_cuda(const Affine& op, luth::Tensor& y, const luth::Dense& x) {
  void* stream = luth::native_stream(x.device());
  auto start = [&](auto type) {
    using T = decltype(type);
    start_affine(x.data<T>(), y.data<T>(), x.numel(), op.a, op.b, x.device().index(), stream);
  };
  x.dtype() == luth::Dtype::f64 ? start(double()) : start(float());
}
const luth::Bind<on_cuda> on_cuda_("cuda");

}  // namespace
#endif

}  // namespace mine
