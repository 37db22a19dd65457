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
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 3, 3})};
           }},
          {{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({4, 2})};
           }},
          {{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 4})};
           }},
          {{}, {}, 0, 0, []() -> Inputs {
             return {sample({0, 3, 3})};
           }}};
}
Cases<LapackPermutation> LapackPermutation::samples() {
  return {{{{}, 4}, {}, 0, 0, []() -> Inputs { return {pivots_sample()}; }}};
}
Cases<LapackCholesky> LapackCholesky::samples() {
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {definite_sample({2, 3, 3})};
           }},
          {{{}, true}, {}, 0, 0, []() -> Inputs {
             return {definite_sample({3, 3})};
           }}};
}
Cases<LapackTriangular> LapackTriangular::samples() {
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 3, 3}), sample({2, 3, 2})};
           }},
          {{{}, true},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({3, 3}), sample({3, 1})};
           }},
          {{{}, true, false, true},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({3, 3}), sample({2, 3})};
           }},
          {{{}, false, false, false}, {}, 0, 0, []() -> Inputs {
             return {sample({3, 3}), sample({2, 3})};
           }}};
}
Cases<LapackGeqrf> LapackGeqrf::samples() {
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 4, 3})};
           }},
          {{}, {}, 0, 0, []() -> Inputs {
             return {sample({2, 3})};
           }}};
}
Cases<LapackOrgqr> LapackOrgqr::samples() {
  auto make = []() -> Inputs {
    const Tensors p = qr_packed();
    return {p[0], p[1]};
  };
  return {{{{}, 3}, {}, 0, 0, make}, {{{}, 4}, {}, 0, 0, make}};
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
  return {{{}, {}, 0, 0, left}, {{{}, true, true}, {}, 0, 0, left}, {{{}, false, false}, {}, 0, 0, right}};
}
Cases<LapackSvd> LapackSvd::samples() {
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 3, 3})};
           }},
          {{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({4, 2})};
           }},
          {{},
           {},
           0,
           0,
           []() -> Inputs {
             return {sample({2, 3})};
           }},
          {{}, {}, 0, 0, []() -> Inputs {
             return {sample({0, 2})};
           }}};
}
Cases<LapackSvdvals> LapackSvdvals::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs { return {sample({2, 3, 2})}; }}};
}
Cases<LapackEigh> LapackEigh::samples() {
  return {{{},
           {},
           0,
           0,
           []() -> Inputs {
             return {definite_sample({2, 3, 3})};
           }},
          {{{}, true}, {}, 0, 0, []() -> Inputs {
             return {definite_sample({3, 3})};
           }}};
}
Cases<LapackEigvalsh> LapackEigvalsh::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs { return {definite_sample({2, 3, 3})}; }}};
}
Cases<LapackEig> LapackEig::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs { return {add(definite_sample({2, 3, 3}), mul(sample({2, 3, 3}), 0.25))}; }}};
}
Cases<LapackLstsq> LapackLstsq::samples() {
  auto make = []() -> Inputs { return {sample({2, 4, 3}), sample({2, 4, 2})}; };
  return {{{{}, "gelsy", 1e-10}, {}, 0, 0, make},
          {{{}, "gels"}, {}, 0, 0, make},
          {{{}, "gelsd", 1e-10}, {}, 0, 0, make},
          {{{}, "gelss", 1e-10}, {}, 0, 0, []() -> Inputs {
             return {sample({2, 3}), sample({2, 1})};
           }}};
}
Cases<LapackLdl> LapackLdl::samples() {
  return {{{}, {}, 0, 0, []() -> Inputs { return {definite_sample({2, 3, 3})}; }}};
}
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
