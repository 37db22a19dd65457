// What tests run the factorizations and systems of torch.linalg with, and their definition.
#include "core/ops/linalg/factor.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/linalg/norms.h"
#include "core/ops/linalg/solve.h"
#include "core/ops/linalg/spectrum.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
using matrix::definite_sample;
using matrix::sample;

Inputs square() { return {sample({3, 3})}; }
Inputs squares() { return {sample({2, 3, 3})}; }
Inputs tall() { return {sample({4, 2})}; }
Inputs wide() { return {sample({2, 2, 3})}; }
Inputs none() { return {sample({0, 3, 3})}; }
Inputs definite() { return {definite_sample({2, 3, 3})}; }
Inputs system() { return {sample({2, 3, 3}), sample({3, 2})}; }
Inputs right_system() { return {sample({2, 3, 3}), sample({2, 3})}; }
Inputs right_systems() { return {sample({2, 3, 3}), sample({2, 2, 3})}; }
Inputs vector_system() {
  const double b[] = {0.5, -1.25, 2};
  return {sample({3, 3}), Tensor::from({3}, b)};
}
Inputs factored() {
  const Tensors f = lapack_lu(sample({2, 3, 3}));
  return {f[0], f[1], sample({2, 3, 2})};
}
Inputs factored_right() {
  const Tensors f = lapack_lu(sample({3, 3}));
  return {f[0], f[1], sample({2, 3})};
}
Inputs packed() {
  const Tensors f = lapack_lu(sample({4, 3}));
  return {f[0], f[1]};
}
Inputs reflectors() {
  const Tensors f = lapack_geqrf(sample({2, 4, 3}));
  return {f[0], f[1]};
}
Inputs reflectors_and(const Shape& other) {
  const Tensors f = lapack_geqrf(sample({4, 3}));
  return {f[0], f[1], sample(other)};
}

template <class Op>
Case<Op> with(Inputs (*make)(), const Op& op = {}) {
  return {op, {}, 0, 0, make};
}

}  // namespace

Cases<LuFactorEx> LuFactorEx::samples() { return {with<LuFactorEx>(squares), with<LuFactorEx>(wide)}; }
Cases<LuFactor> LuFactor::samples() { return {with<LuFactor>(squares), with<LuFactor>(tall)}; }
Cases<LinalgLu> LinalgLu::samples() { return {with<LinalgLu>(squares), with<LinalgLu>(tall), with<LinalgLu>(wide)}; }
Cases<LuUnpack> LuUnpack::samples() {
  return {with<LuUnpack>(packed), with<LuUnpack>(packed, {false, true}), with<LuUnpack>(packed, {true, false})};
}
Cases<LuSolve> LuSolve::samples() {
  return {with<LuSolve>(factored), with<LuSolve>(factored, {true, true}), with<LuSolve>(factored_right, {false, false}),
          with<LuSolve>(factored_right, {false, true})};
}
Cases<Lu> Lu::samples() { return {with<Lu>(squares), with<Lu>(tall, {true, true})}; }
Cases<LuSolveFor> LuSolveFor::samples() {
  return {with<LuSolveFor>([]() -> Inputs {
    const Inputs f = factored();
    return {f[2], f[0], f[1]};
  })};
}
Cases<CholeskyEx> CholeskyEx::samples() { return {with<CholeskyEx>(definite), with<CholeskyEx>(definite, {true})}; }
Cases<LinalgCholesky> LinalgCholesky::samples() { return {with<LinalgCholesky>(definite), with<LinalgCholesky>(none)}; }
Cases<Cholesky> Cholesky::samples() { return {with<Cholesky>(definite, {true})}; }
Cases<CholeskySolve> CholeskySolve::samples() {
  auto make = []() -> Inputs { return {sample({2, 3, 2}), sample({3, 3})}; };
  return {with<CholeskySolve>(make), with<CholeskySolve>(make, {true})};
}
Cases<CholeskyInverse> CholeskyInverse::samples() {
  return {with<CholeskyInverse>(squares), with<CholeskyInverse>(square, {true})};
}
Cases<LinalgQr> LinalgQr::samples() {
  return {with<LinalgQr>(squares), with<LinalgQr>(tall), with<LinalgQr>(wide), with<LinalgQr>(wide, {"complete"})};
}
Cases<Qr> Qr::samples() { return {with<Qr>(tall), with<Qr>(square, {false})}; }
Cases<Geqrf> Geqrf::samples() { return {with<Geqrf>(tall), with<Geqrf>(wide)}; }
Cases<HouseholderProduct> HouseholderProduct::samples() { return {with<HouseholderProduct>(reflectors)}; }
Cases<Orgqr> Orgqr::samples() { return {with<Orgqr>(reflectors)}; }
Cases<Ormqr> Ormqr::samples() {
  auto left = []() { return reflectors_and({4, 2}); };
  auto right = []() { return reflectors_and({2, 4}); };
  return {with<Ormqr>(left), with<Ormqr>(left, {true, true}), with<Ormqr>(right, {false, false}),
          with<Ormqr>(right, {false, true})};
}
Cases<LdlFactorEx> LdlFactorEx::samples() { return {with<LdlFactorEx>(definite)}; }
Cases<LdlFactor> LdlFactor::samples() { return {with<LdlFactor>(definite)}; }
Cases<LdlSolve> LdlSolve::samples() {
  return {with<LdlSolve>([]() -> Inputs {
    const Tensors f = lapack_ldl(definite_sample({3, 3}));
    return {f[0], f[1], sample({2, 3, 2})};
  })};
}

Cases<SolveLu> SolveLu::samples() {
  return {with<SolveLu>([]() -> Inputs { return {sample({2, 3, 3}), sample({2, 3, 2})}; })};
}
Cases<SolveEx> SolveEx::samples() { return {with<SolveEx>(system), with<SolveEx>(right_systems, {false})}; }
Cases<Solve> Solve::samples() {
  return {with<Solve>(system), with<Solve>(vector_system), with<Solve>(right_systems, {false})};
}
Cases<SolveTriangular> SolveTriangular::samples() {
  return {with<SolveTriangular>(system), with<SolveTriangular>(system, {true}),
          with<SolveTriangular>(right_system, {true, false, true})};
}
Cases<InvEx> InvEx::samples() { return {with<InvEx>(squares)}; }
Cases<LinalgInv> LinalgInv::samples() { return {with<LinalgInv>(squares), with<LinalgInv>(none)}; }
Cases<Inverse> Inverse::samples() { return {with<Inverse>(square)}; }
Cases<LinalgDet> LinalgDet::samples() { return {with<LinalgDet>(squares), with<LinalgDet>(none)}; }
Cases<Det> Det::samples() { return {with<Det>(square)}; }
Cases<LinalgSlogdet> LinalgSlogdet::samples() { return {with<LinalgSlogdet>(squares)}; }
Cases<Slogdet> Slogdet::samples() { return {with<Slogdet>(square)}; }
Cases<Logdet> Logdet::samples() { return {with<Logdet>(definite)}; }
Cases<LstsqMatrix> LstsqMatrix::samples() {
  auto make = []() -> Inputs { return {sample({2, 4, 2}), sample({2, 4, 3})}; };
  return {with<LstsqMatrix>(make, {"gelsd", 1e-10}), with<LstsqMatrix>(make, {"gelsy", 1e-10}),
          with<LstsqMatrix>(
              []() -> Inputs {
                return {sample({2, 3}), sample({2, 1})};
              },
              {"gels"})};
}
Cases<Lstsq> Lstsq::samples() {
  return {with<Lstsq>(vector_system), with<Lstsq>(
                                          []() -> Inputs {
                                            return {sample({4, 2}), sample({4, 3})};
                                          },
                                          {{}, "gelsd"})};
}
Cases<Pinv> Pinv::samples() {
  auto plain = []() -> Inputs { return {sample({2, 3, 2})}; };
  auto given = []() -> Inputs { return {sample({2, 3}), 0.01, 0.001}; };
  return {with<Pinv>(plain), with<Pinv>(given), with<Pinv>(definite, {true})};
}
Cases<Pinverse> Pinverse::samples() { return {with<Pinverse>(tall)}; }
Cases<Tensorinv> Tensorinv::samples() {
  return {with<Tensorinv>([]() -> Inputs {
            return {reshape(sample({4, 4}), {{2, 2, 4}})};
          }),
          with<Tensorinv>(
              []() -> Inputs {
                return {reshape(sample({4, 4}), {{4, 2, 2}})};
              },
              {1})};
}
Cases<Tensorsolve> Tensorsolve::samples() {
  auto make = []() -> Inputs { return {reshape(sample({4, 4}), {{2, 2, 4}}), sample({2, 2})}; };
  auto moved = []() -> Inputs { return {reshape(sample({4, 4}), {{2, 4, 2}}), sample({2, 2})}; };
  return {with<Tensorsolve>(make), with<Tensorsolve>(moved, {Ints{1}})};
}
Cases<LinalgMatrixPower> LinalgMatrixPower::samples() {
  return {with<LinalgMatrixPower>(squares, {3}), with<LinalgMatrixPower>(squares, {-2}),
          with<LinalgMatrixPower>(square, {0}), with<LinalgMatrixPower>(square, {1})};
}
Cases<MatrixExp> MatrixExp::samples() { return {with<MatrixExp>(squares), with<MatrixExp>(none)}; }

Cases<LinalgSvd> LinalgSvd::samples() {
  return {with<LinalgSvd>(squares), with<LinalgSvd>(tall, {false}), with<LinalgSvd>(wide, {false})};
}
Cases<Svd> Svd::samples() { return {with<Svd>(tall), with<Svd>(tall, {true, false})}; }
Cases<Svdvals> Svdvals::samples() { return {with<Svdvals>(squares), with<Svdvals>(wide)}; }
Cases<Eigh> Eigh::samples() { return {with<Eigh>(definite), with<Eigh>(definite, {"U"})}; }
Cases<Eigvalsh> Eigvalsh::samples() { return {with<Eigvalsh>(definite)}; }
Cases<Eig> Eig::samples() { return {with<Eig>(definite)}; }
Cases<Eigvals> Eigvals::samples() { return {with<Eigvals>(definite)}; }
Cases<MatrixRank> MatrixRank::samples() {
  return {with<MatrixRank>(wide), with<MatrixRank>([]() -> Inputs {
            return {sample({2, 3, 3}), 0.5, {}};
          }),
          with<MatrixRank>(definite, {true})};
}
Cases<Cond> Cond::samples() { return {with<Cond>(wide), with<Cond>(squares, {-2}), with<Cond>(squares, {1})}; }
Cases<CondNamed> CondNamed::samples() { return {with<CondNamed>(squares), with<CondNamed>(squares, {"nuc"})}; }
Cases<Polar> Polar::samples() { return {with<Polar>(squares), with<Polar>(tall)}; }
Cases<MatrixSqrth> MatrixSqrth::samples() { return {with<MatrixSqrth>(definite)}; }

namespace {
const DefineAll<LuFactorEx, LuFactor, LinalgLu, LuUnpack, LuSolve, Lu, LuSolveFor, CholeskyEx, LinalgCholesky, Cholesky,
                CholeskySolve, CholeskyInverse, LinalgQr, Qr, Geqrf, HouseholderProduct, Orgqr, Ormqr, LdlFactorEx,
                LdlFactor, LdlSolve>
    define_factors_;
const DefineAll<SolveLu, SolveEx, Solve, SolveTriangular, InvEx, LinalgInv, Inverse, LinalgDet, Det, LinalgSlogdet,
                Slogdet, Logdet, LstsqMatrix, Lstsq, Pinv, Pinverse, Tensorinv, Tensorsolve, LinalgMatrixPower,
                MatrixExp>
    define_systems_;
const DefineAll<LinalgSvd, Svd, Svdvals, Eigh, Eigvalsh, Eig, Eigvals, MatrixRank, Cond, CondNamed, Polar, MatrixSqrth>
    define_spectra_;
}  // namespace

}  // namespace luth::ops
