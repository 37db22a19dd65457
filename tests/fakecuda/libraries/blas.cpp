// cuBLASLt on the CPU: the product is a kernel of one thread in the stream, and its arguments are checked as the
// library would. LUTH_FAKE_BLAS=none: there is no such library; declines: it has no algorithm for anything; plain: none
// with bias or activation; full: it finds memory of its own only while nothing is cached; faults: its kernels fail.
#include "devices/cuda/libraries/blas.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/tensor/tensor.h"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

template <class T>
using sum_t = std::conditional_t<std::is_same_v<T, double>, long double, double>;

float without_low_bits(float x) {  // as TF32 has it, toward zero
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & ~uint32_t(0x1fff));
}

template <class T>
__global__ void gemm_kernel(Gemm g, unsigned char* workspace, int64_t workspace_bytes, bool faults) {
  using C = sum_t<T>;
  if (faults) __trap();
  for (int64_t i = 0; i < workspace_bytes; ++i) workspace[i] = 0xa5;  // nobody else may count on it
  auto value = [&](const GemmOperand& o, int64_t item, int64_t i, int64_t j) {
    T v = static_cast<const T*>(o.data)[item * o.step + (o.transposed ? j * o.ld + i : i * o.ld + j)];
    if constexpr (std::is_same_v<T, float>)
      if (g.tf32) v = without_low_bits(v);
    return C(compute_t<T>(v));
  };
  for (int64_t item = 0; item < g.batch; ++item)
    for (int64_t i = 0; i < g.m; ++i)
      for (int64_t j = 0; j < g.n; ++j) {
        C sum = 0;
        for (int64_t z = 0; z < g.k; ++z) sum += value(g.a, item, i, z) * value(g.b, item, z, j);
        T& y = static_cast<T*>(g.y)[item * g.y_step + i * g.y_ld + j];
        C x = C(g.alpha) * sum;
        if (g.beta != 0) x += C(g.beta) * C(compute_t<T>(y));
        if (g.bias) x += C(compute_t<T>(static_cast<const T*>(g.bias)[j]));
        if (g.epilogue == Epilogue::relu) x = x < 0 ? C(0) : x;
        if (g.epilogue == Epilogue::gelu)
          x = C(0.5) * x * (1 + std::tanh(C(0.7978845608028654) * (x + C(0.044715) * x * x * x)));
        y = T(compute_t<T>(x));
      }
}

void require(bool holds, const char* what) {
  if (!holds) throw Error("fake cuBLASLt: {}", what);
}

void check_operand(const Gemm& g, const GemmOperand& o, int64_t rows, int64_t cols) {
  const size_t size = size_of(g.dtype);
  require(o.data != nullptr, "an operand is null");
  require(reinterpret_cast<uintptr_t>(o.data) % size == 0, "an operand is not aligned to its elements");
  require(o.ld >= (o.transposed ? rows : cols), "ld is less than the length of what lies together");
  require(o.step >= 0, "the step between items is negative");
}

void check(const Gemm& g) {
  require(is_floating(g.dtype), "there are products of floats alone");
  require(g.m > 0 && g.n > 0 && g.k > 0 && g.batch > 0 && g.batch <= INT32_MAX, "an extent is out of range");
  check_operand(g, g.a, g.m, g.k);
  check_operand(g, g.b, g.k, g.n);
  check_operand(g, {g.y, g.y_ld, g.y_step}, g.m, g.n);
  require(g.batch == 1 || g.y_step >= (g.m - 1) * g.y_ld + g.n, "the results overlap");
  require(reinterpret_cast<uintptr_t>(g.bias) % size_of(g.dtype) == 0, "bias is not aligned to its elements");
  require(!g.tf32 || g.dtype == Dtype::f32, "TF32 is for float32 alone");
}

bool is_set_to(const char* value) {
  const char* wanted = std::getenv("LUTH_FAKE_BLAS");
  return wanted && !std::strcmp(wanted, value);
}

}  // namespace

std::string blas_missing() { return is_set_to("none") ? "libcublasLt.so.13: cannot open shared object file" : ""; }
int64_t blas_version() { return is_set_to("none") ? 0 : 130101; }

bool blas_gemm(Device& device, const Gemm& g) {
  check(g);
  if (is_set_to("declines") || (is_set_to("plain") && (g.bias || g.epilogue != Epilogue::none))) return false;
  if (is_set_to("full") && device.memory().reserved > device.memory().allocated)
    throw Error(ErrorCode::memory, "fake cuBLASLt: no memory for a kernel");
  const Tensor workspace = Tensor::empty({512}, Dtype::u8, device);
  OnDevice on(device.index());
  dispatch(Floats{}, g.dtype, [&]<class T>(Type<T>) {
    launch(gemm_kernel<T>, 1, 1, 0, stream_of(device), g, workspace.data<unsigned char>(), workspace.numel(),
           is_set_to("faults"));
  });
  return true;
}

}  // namespace luth::cuda
