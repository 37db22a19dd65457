// The factorizations of core/ops/linalg/lapack.h: LAPACK does the work, in libluth_cpu_libs.so (lapack.h). Triangular
// systems are in triangular.cpp.
#include "core/ops/linalg/lapack.h"

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/libraries/lapack.h"

namespace luth::cpu {
namespace {
using namespace luth::ops;

void lu(const LapackLu&, Tensor& packed, Tensor& pivots, Tensor& info, const Dense& a) {
  lapack().lu(a, packed, pivots, info);
}
void permutation(const LapackPermutation&, Tensor& perm, const Dense& pivots) { lapack().permutation(pivots, perm); }
void cholesky(const LapackCholesky& op, Tensor& l, Tensor& info, const Dense& a) {
  lapack().cholesky(op.upper, a, l, info);
}
void geqrf(const LapackGeqrf&, Tensor& qr, Tensor& tau, const Dense& a) { lapack().geqrf(a, qr, tau); }
void orgqr(const LapackOrgqr&, Tensor& q, const Dense& a, const Dense& tau) { lapack().orgqr(a, tau, q); }
void ormqr(const LapackOrmqr& op, Tensor& y, const Dense& a, const Dense& tau, const Dense& c) {
  lapack().ormqr(op.left, op.transpose, a, tau, c, y);
}
void svd(const LapackSvd&, Tensor& u, Tensor& s, Tensor& vh, const Dense& a) { lapack().svd(a, u, s, vh); }
void svdvals(const LapackSvdvals&, Tensor& s, const Dense& a) { lapack().svd(a, Tensor(), s, Tensor()); }
void eigh(const LapackEigh& op, Tensor& l, Tensor& v, const Dense& a) { lapack().eigh(op.upper, a, l, v); }
void eigvalsh(const LapackEigvalsh& op, Tensor& l, const Dense& a) { lapack().eigh(op.upper, a, l, Tensor()); }
void eig(const LapackEig&, Tensor& l, Tensor& v, const Dense& a) { lapack().eig(a, l, v); }
void lstsq(const LapackLstsq& op, Tensor& x, Tensor& rank, Tensor& s, const Dense& a, const Dense& b) {
  const char driver = op.driver == "gels" ? 's' : op.driver == "gelss" ? 'v' : op.driver == "gelsd" ? 'd' : 'y';
  lapack().lstsq(driver, op.rcond, a, b, x, rank, s);
}
void ldl(const LapackLdl&, Tensor& ld, Tensor& pivots, Tensor& info, const Dense& a) {
  lapack().ldl(a, ld, pivots, info);
}
void ldl_solve(const LapackLdlSolve&, Tensor& x, const Dense& ld, const Dense& pivots, const Dense& b) {
  lapack().ldl_solve(ld, pivots, b, x);
}

const Kernel<lu> lu_;
const Kernel<permutation> permutation_;
const Kernel<cholesky> cholesky_;
const Kernel<geqrf> geqrf_;
const Kernel<orgqr> orgqr_;
const Kernel<ormqr> ormqr_;
const Kernel<svd> svd_;
const Kernel<svdvals> svdvals_;
const Kernel<eigh> eigh_;
const Kernel<eigvalsh> eigvalsh_;
const Kernel<eig> eig_;
const Kernel<lstsq> lstsq_;
const Kernel<ldl> ldl_;
const Kernel<ldl_solve> ldl_solve_;

}  // namespace
}  // namespace luth::cpu
