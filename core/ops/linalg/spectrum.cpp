#include "core/ops/linalg/spectrum.h"

#include <cmath>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/linalg/solve.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
using namespace matrix;
namespace {

void check_driver(const std::optional<std::string>& driver, const Tensor& a) {
  if (!driver) return;
  if (*driver != "gesvd" && *driver != "gesvdj" && *driver != "gesvda")
    throw Error("driver is 'gesvd', 'gesvdj', 'gesvda' or nil, got '{}'", *driver);
  if (a.device().kind() == "cpu") throw Error("driver is chosen for tensors on a GPU; leave it out on the CPU");
}
Tensor values_of(const Tensor& a) { return recorded({a}) ? lapack_svd(a)[1] : lapack_svdvals(a); }

}  // namespace

Tensors LinalgSvd::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  check_driver(driver, in[0]);
  return lapack_svd(in[0], {.full_matrices = full_matrices});
}
Tensors Svd::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  const Tensor& a = in[0];
  const int64_t m = a.shape(-2), n = a.shape(-1);
  if (!compute_uv) {
    auto zeros = [&](int64_t k) { return full(with_extents(batch_of(a.shape()), {k, k}), 0, a.dtype(), a.device()); };
    return {zeros(m), values_of(a), zeros(n)};
  }
  const Tensors f = lapack_svd(a, {.full_matrices = !some});
  return {f[0], f[1], swapped(f[2])};
}
Tensor Svdvals::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  check_driver(driver, in[0]);
  return values_of(in[0]);
}

bool Uplo::upper() const {
  if (UPLO != "L" && UPLO != "U" && UPLO != "l" && UPLO != "u") throw Error("UPLO is 'L' or 'U', got '{}'", UPLO);
  return UPLO == "U" || UPLO == "u";
}
Tensors Eigh::decompose(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return lapack_eigh(in[0], {.upper = upper()});
}
Tensor Eigvalsh::decompose(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return recorded(in) ? lapack_eigh(in[0], {.upper = upper()})[0] : lapack_eigvalsh(in[0], {.upper = upper()});
}
Tensors Eig::decompose(const Inputs& in) const {
  need_square(in[0], "the matrix");
  return lapack_eig(in[0]);
}
Tensor Eigvals::decompose(const Inputs& in) const { return Eig{}.decompose(in)[0]; }

Tensor MatrixRank::decompose(const Inputs& in) const {
  hermitian ? need_square(in[0], "input") : need_matrix(in[0], "input");
  const Tensor a = in[0].tensor().detach();
  if (a.numel() == 0) return full(batch_of(a.shape()), 0, Dtype::i64, a.device());
  const Tensor values = hermitian ? abs(lapack_eigvalsh(a)) : lapack_svdvals(a);
  const Tensor least = cutoff(in[1], in[2], amax(values, {.dim = {-1}}), std::max(a.shape(-1), a.shape(-2)));
  return sum_over(gt(values, unsqueeze(least, {-1})), {-1});
}

Tensors Polar::decompose(const Inputs& in) const {
  need_matrix(in[0], "A");
  const Tensor& a = in[0];
  if (a.shape(-2) < a.shape(-1))
    throw Error("A must have at least as many rows as columns, got shape {}", to_string(a.shape()));
  const Tensors f = lapack_svd(a);
  return {matmul(f[0], f[2]), matmul(swapped(f[2]), scale_rows(f[2], f[1]))};
}
Tensor MatrixSqrth::decompose(const Inputs& in) const {
  need_square(in[0], "input");
  const Tensors f = lapack_eigh(in[0]);
  return matmul(scale_columns(f[1], sqrt(f[0])), swapped(f[1]));
}

}  // namespace luth::ops
