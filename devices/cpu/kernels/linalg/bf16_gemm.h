// Products of bfloat16 by the processor's own instructions, through oneDNN.
#pragma once
#include "core/base/dtype.h"
#include "devices/cpu/kernels/common/matrix.h"

namespace luth::cpu {

/// `batch` products C[m,n] = alpha A[m,k] B[k,n] + beta C. A and B have any strides and lie a_step and b_step apart; C
/// is dense [batch, m, n].
struct Bf16Products {
  int64_t batch, m, n, k;
  float alpha;
  Matrix<bfloat16> a, b;
  int64_t a_step, b_step;
  float beta;
  bfloat16* c;
};

/// Computes them on several threads, with sums in float that are rounded once. False, and nothing done, where the
/// processor has no such instructions or the products are too small to be worth them. The bits of the result depend on
/// shapes and strides alone.
bool bf16_gemm(const Bf16Products& s);

}  // namespace luth::cpu
