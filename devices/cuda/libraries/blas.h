// Matrix products by cuBLASLt, which is opened on first use. Tests compute them on the CPU instead
// (tests/fakecuda/libraries/blas.cpp). Kernels call product() of product.h.
#pragma once
#include <string>

#include "core/base/dtype.h"
#include "core/device/device.h"

namespace luth::cuda {

/// What happens to a product before it is stored; gelu is its form with tanh.
enum class Epilogue : uint8_t { none, relu, gelu };

/// An operand: element (i, j) of item b of the batch is data[b * step + i * ld + j], or, where `transposed`,
/// data[b * step + j * ld + i]. ld is at least the length of a contiguous row or column.
struct GemmOperand {
  const void* data;
  int64_t ld, step = 0;
  bool transposed = false;
};

/// y = epilogue(alpha a b + beta y + bias), for `batch` products of [m, k] and [k, n], none of which is empty.
/// y[b * y_step + i * y_ld + j]; it is not read where beta is 0. bias: n elements, added to each row; may be null.
/// All elements are of `dtype`: float32, float64, float16 or bfloat16; the 16-bit ones are computed and summed in
/// float. Pointers are aligned to the elements, also those of the items of a batch.
struct Gemm {
  Dtype dtype;
  int64_t batch, m, n, k;
  GemmOperand a, b;
  void* y;
  int64_t y_ld, y_step = 0;
  double alpha = 1, beta = 0;
  const void* bias = nullptr;
  Epilogue epilogue = Epilogue::none;
  bool tf32 = false;  // float32 inputs may be rounded to 10 bits
};

/// "" where the library is there, else why not; opens it.
std::string blas_missing();
/// 130101 of cuBLASLt 13.1.1; 0 where it is missing. Opens it.
int64_t blas_version();
/// Puts the product into the current stream of `device`, a CUDA device. False, with nothing done, where the library has
/// no algorithm for it. Throws Error where it fails, or is missing; ErrorCode::memory where it found no memory, and
/// then nothing was done. To be called through by_library().
bool blas_gemm(Device& device, const Gemm& g);

}  // namespace luth::cuda
