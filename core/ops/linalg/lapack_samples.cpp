// What tests run LAPACK's operators with, and their definition.
#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matrix_parts.h"

namespace luth::ops {
namespace {
using matrix::definite_sample;
using matrix::sample;

Tensor pivots_sample() {
  const int32_t p[] = {2, 3, 3};
  return Tensor::from({3}, p);
}
Tensors qr_packed() { return lapack_geqrf(sample({4, 3})); }

}  // namespace

Cases<LapackLu> LapackLu::samples() {
  return Cases<LapackLu>::drawn(sample, {{{}, {{2, 3, 3}}}, {{}, {{4, 2}}}, {{}, {{2, 4}}}, {{}, {{0, 3, 3}}}});
}
Cases<LapackPermutation> LapackPermutation::samples() {
  return {{{.rows = 4}, {}, 0, 0, []() -> Inputs { return {pivots_sample()}; }}};
}
Cases<LapackCholesky> LapackCholesky::samples() {
  return Cases<LapackCholesky>::drawn(definite_sample, {{{}, {{2, 3, 3}}}, {{.upper = true}, {{3, 3}}}});
}
Cases<LapackTriangular> LapackTriangular::samples() {
  return Cases<LapackTriangular>::drawn(sample,
                                        {{{}, {{2, 3, 3}, {2, 3, 2}}},
                                         {{.upper = true}, {{3, 3}, {3, 1}}},
                                         {{.upper = true, .left = false, .unitriangular = true}, {{3, 3}, {2, 3}}},
                                         {{.left = false}, {{3, 3}, {2, 3}}}});
}
Cases<LapackGeqrf> LapackGeqrf::samples() {
  return Cases<LapackGeqrf>::drawn(sample, {{{}, {{2, 4, 3}}}, {{}, {{2, 3}}}});
}
Cases<LapackOrgqr> LapackOrgqr::samples() {
  auto make = []() -> Inputs {
    const Tensors p = qr_packed();
    return {p[0], p[1]};
  };
  return {{{.columns = 3}, {}, 0, 0, make}, {{.columns = 4}, {}, 0, 0, make}};
}
Cases<LapackOrmqr> LapackOrmqr::samples() {
  auto left = []() -> Inputs {
    const Tensors p = qr_packed();
    return {p[0], p[1], sample({4, 2})};
  };
  auto right = []() -> Inputs {
    const Tensors p = qr_packed();
    return {p[0], p[1], sample({2, 4})};
  };
  return {{{}, {}, 0, 0, left}, {{.transpose = true}, {}, 0, 0, left}, {{.left = false}, {}, 0, 0, right}};
}
Cases<LapackSvd> LapackSvd::samples() {
  return Cases<LapackSvd>::drawn(sample, {{{}, {{2, 3, 3}}}, {{}, {{4, 2}}}, {{}, {{2, 3}}}, {{}, {{0, 2}}}});
}
Cases<LapackSvdvals> LapackSvdvals::samples() { return Cases<LapackSvdvals>::drawn(sample, {{{}, {{2, 3, 2}}}}); }
Cases<LapackEigh> LapackEigh::samples() {
  return Cases<LapackEigh>::drawn(definite_sample, {{{}, {{2, 3, 3}}}, {{.upper = true}, {{3, 3}}}});
}
Cases<LapackEigvalsh> LapackEigvalsh::samples() {
  return Cases<LapackEigvalsh>::drawn(definite_sample, {{{}, {{2, 3, 3}}}});
}
Cases<LapackEig> LapackEig::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs { return {add(definite_sample({2, 3, 3}), mul(sample({2, 3, 3}), 0.25))}; }}};
}
Cases<LapackLstsq> LapackLstsq::samples() {
  return Cases<LapackLstsq>::drawn(sample, {{{.driver = "gelsy", .rcond = 1e-10}, {{2, 4, 3}, {2, 4, 2}}},
                                            {{.driver = "gels"}, {{2, 4, 3}, {2, 4, 2}}},
                                            {{.driver = "gelsd", .rcond = 1e-10}, {{2, 4, 3}, {2, 4, 2}}},
                                            {{.driver = "gelss", .rcond = 1e-10}, {{2, 3}, {2, 1}}}});
}
Cases<LapackLdl> LapackLdl::samples() { return Cases<LapackLdl>::drawn(definite_sample, {{{}, {{2, 3, 3}}}}); }
Cases<LapackLdlSolve> LapackLdlSolve::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs {
             const Tensors f = lapack_ldl(definite_sample({3, 3}));
             return {f[0], f[1], sample({3, 2})};
           }}};
}

namespace {
const DefineAll<LapackLu, LapackPermutation, LapackCholesky, LapackTriangular, LapackGeqrf, LapackOrgqr, LapackOrmqr,
                LapackSvd, LapackSvdvals, LapackEigh, LapackEigvalsh, LapackEig, LapackLstsq, LapackLdl, LapackLdlSolve>
    define_all_;
}  // namespace

}  // namespace luth::ops
