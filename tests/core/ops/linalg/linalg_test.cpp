// Factorizations and systems: what they give is checked by what defines it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/factor.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/linalg/solve.h"
#include "core/ops/linalg/spectrum.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"

namespace luth {
namespace {
using matrix::swapped;

// Numbers in [-1, 1], the same every time.
Tensor numbers(const Shape& shape, Dtype dtype) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < t.numel(); ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    t.data<double>()[i] = double(state >> 11) * 0x1p-52 - 1;
  }
  return cast_to(t, dtype);
}
double distance(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  return a.numel() ? amax(abs(sub(a, b))).item().value() : 0;
}
Tensor ones_like_identity(const Tensor& t, int64_t n) {
  return matrix::with_batch(matrix::identity(n, t), matrix::batch_of(t.shape()));
}
template <class Op, class... In>
Tensors call(const Op& op, const In&... in) {
  return apply(info<Op>(), &op, {in...});
}
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}
template <class F>
void expect_says(const char* text, F&& f) {
  EXPECT_NE(message(f).find(text), std::string::npos) << message(f);
}

struct Size {
  Shape batch;
  int64_t m, n;
};
class Linalg : public testing::TestWithParam<Dtype> {
 protected:
  double tolerance() const { return GetParam() == Dtype::f32 ? 2e-4 : 1e-11; }
  Tensor general(const Size& s) const { return numbers(matrix::with_extents(s.batch, {s.m, s.n}), GetParam()); }
  // Its smallest eigenvalue is at least 1.
  Tensor definite(const Shape& batch, int64_t n) const {
    const Tensor a = general({batch, n, n});
    return add(matmul(a, swapped(a)), matrix::identity(n, a));
  }
  void near(const Tensor& a, const Tensor& b, const char* what) const {
    EXPECT_EQ(name(a.dtype()), name(b.dtype())) << what;
    EXPECT_LE(distance(a, b), tolerance()) << what << " " << to_string(a.shape());
  }
  static std::vector<Size> sizes() {
    return {{{}, 1, 1}, {{}, 5, 5}, {{2, 3}, 4, 4}, {{}, 7, 3}, {{2}, 3, 8}, {{}, 40, 40}, {{}, 33, 20}, {{}, 5, 0}};
  }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, Linalg, testing::Values(Dtype::f32, Dtype::f64),
                         [](auto& p) { return std::string(name(p.param)); });

TEST_P(Linalg, LuIsWhatItSays) {
  for (auto& s : sizes()) {
    const Tensor a = general(s);
    const Tensors f = call(ops::LinalgLu(), a);
    near(matmul(f[0], matmul(f[1], f[2])), a, "P L U");
    near(tril(f[1]), f[1], "L is lower");
    near(triu(f[2]), f[2], "U is upper");
    const Tensors packed = call(ops::LuFactor(), a);
    EXPECT_EQ(name(packed[1].dtype()), name(Dtype::i32));
    EXPECT_TRUE(all(ge(packed[1], 1)).item().to<bool>()) << "pivots count from 1";
    const Tensors unpacked = call(ops::LuUnpack(), packed[0], packed[1]);
    for (size_t i = 0; i < 3; ++i) near(unpacked[i], f[i], "lu_unpack");
  }
}

TEST_P(Linalg, QrIsWhatItSays) {
  for (auto& s : sizes())
    for (const char* mode : {"reduced", "complete"}) {
      const Tensor a = general(s);
      const Tensors f = linalg_qr(a, {mode});
      near(matmul(f[0], f[1]), a, "Q R");
      near(matmul(swapped(f[0]), f[0]), ones_like_identity(a, f[0].shape(-1)), "Q is orthonormal");
      near(triu(f[1]), f[1], "R is upper");
      EXPECT_EQ(f[0].shape(-1), mode[0] == 'c' ? s.m : std::min(s.m, s.n));
    }
}

TEST_P(Linalg, ReflectorsMakeQ) {
  for (auto& s : sizes()) {
    if (s.m < s.n || s.n == 0) continue;
    const Tensor a = general(s);
    const Tensors f = call(ops::Geqrf(), a), whole = linalg_qr(a, {"complete"});
    near(call(ops::HouseholderProduct(), f[0], f[1])[0], linalg_qr(a)[0], "householder_product");
    const Tensor c = general({s.batch, s.m, 3}), d = general({s.batch, 3, s.m});
    near(call(ops::Ormqr{true, false}, f[0], f[1], c)[0], matmul(whole[0], c), "Q c");
    near(call(ops::Ormqr{true, true}, f[0], f[1], c)[0], matmul(swapped(whole[0]), c), "Qt c");
    near(call(ops::Ormqr{false, true}, f[0], f[1], d)[0], matmul(d, swapped(whole[0])), "d Qt");
    const Tensor leaf = f[0].detach().set_requires_grad();  // the way that records
    near(call(ops::Ormqr{false, false}, leaf, f[1], d)[0].detach(), matmul(d, whole[0]), "d Q");
  }
}

TEST_P(Linalg, SvdIsWhatItSays) {
  for (auto& s : sizes())
    for (bool full : {false, true}) {
      const Tensor a = general(s);
      const Tensors f = linalg_svd(a, {full});
      const int64_t k = std::min(s.m, s.n);
      EXPECT_EQ(f[0].shape(-1), full ? s.m : k);
      EXPECT_EQ(f[2].shape(-2), full ? s.n : k);
      near(matmul(matrix::scale_columns(matrix::columns(f[0], 0, k), f[1]), matrix::rows(f[2], 0, k)), a, "U S Vh");
      near(matmul(swapped(f[0]), f[0]), ones_like_identity(a, f[0].shape(-1)), "U is orthonormal");
      near(matmul(f[2], swapped(f[2])), ones_like_identity(a, f[2].shape(-2)), "Vh is orthonormal");
      near(svdvals(a), f[1], "svdvals");
      for (int64_t i = 1; i < k; ++i)
        EXPECT_TRUE(all(le(select(f[1], {-1, i}), select(f[1], {-1, i - 1}))).item().to<bool>()) << "S descends";
    }
}

TEST_P(Linalg, SymmetricOnesAreWhatTheySay) {
  for (auto& s : sizes()) {
    if (s.m != s.n) continue;
    const Tensor a = definite(s.batch, s.n);
    for (bool upper : {false, true}) {
      const Tensor half = upper ? triu(a) : tril(a);  // the other triangle is not read
      const Tensors f = eigh(half, {upper ? "U" : "L"});
      near(div(matmul(matrix::scale_columns(f[1], f[0]), swapped(f[1])), 40.0), div(a, 40.0), "V L Vt");
      const Tensor l = call(ops::LinalgCholesky{upper}, half)[0];
      near(div(upper ? matmul(swapped(l), l) : matmul(l, swapped(l)), 40.0), div(a, 40.0), "L Lt");
      near(upper ? triu(l) : tril(l), l, "triangular");
      const Tensor b = general({s.batch, s.n, 2}), x = cholesky_solve(b, l, {upper});
      near(matmul(a, x), b, "cholesky_solve");
      near(matmul(a, call(ops::CholeskyInverse{upper}, l)[0]), ones_like_identity(a, s.n), "cholesky_inverse");
    }
    const Tensors f = call(ops::LdlFactor(), a);
    const Tensor b = general({s.batch, s.n, 2});
    near(matmul(a, call(ops::LdlSolve(), f[0], f[1], b)[0]), b, "ldl_solve");
    const Tensor root = call(ops::MatrixSqrth(), a)[0];
    near(div(matmul(root, root), 40.0), div(a, 40.0), "matrix_sqrth");
    const Tensors e = call(ops::Eig(), a);
    near(div(matmul(a, e[1]), 40.0), div(matrix::scale_columns(e[1], e[0]), 40.0), "A V = V L");
  }
}

TEST_P(Linalg, SystemsAreSolved) {
  for (auto& s : sizes()) {
    if (s.m != s.n) continue;
    const Tensor a = add(general(s), mul(matrix::identity(s.n, general(s)), double(s.n))),
                 b = general({s.batch, s.n, 3});
    near(matmul(a, solve(a, b)), b, "A X = B");
    near(matmul(solve(a, swapped(b), {.left = false}), a), swapped(b), "X A = B");
    near(matmul(a, inv(a)), ones_like_identity(a, s.n), "inv");
    const Tensors f = call(ops::LuFactor(), a);
    for (bool left : {true, false})
      for (bool adjoint : {true, false}) {
        const Tensor t = adjoint ? swapped(a) : a, rhs = left ? b : swapped(b);
        const Tensor x = lu_solve(f[0], f[1], rhs, {left, adjoint});
        near(left ? matmul(t, x) : matmul(x, t), rhs, "lu_solve");
      }
    if (s.n > 5) continue;
    const Tensors sign_and_size = slogdet(a);
    near(div(mul(sign_and_size[0], exp(sign_and_size[1])), 1e3), div(det(a), 1e3), "slogdet");
    near(div(det(matmul(a, a)), 1e6), div(mul(det(a), det(a)), 1e6), "det of a product");
    near(mul(matrix_exp(a), 0), zeros_of(a), "finite");
  }
}

TEST_P(Linalg, LeastSquaresAreLeast) {
  for (auto& s : {Size{{}, 9, 4}, Size{{2}, 4, 9}, Size{{}, 6, 6}}) {
    const Tensor a = general(s), b = general({s.batch, s.m, 3}), p = pinv(a, {}, {}), want = matmul(p, b);
    near(matmul(a, matmul(p, a)), a, "A P A");
    near(matmul(p, matmul(a, p)), p, "P A P");
    for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
      ops::Lstsq op;
      op.driver = driver;
      const Tensors f = call(op, a, b);
      near(f[0], want, driver);
      const Tensor apart = sub(matmul(a, want), b);
      if (s.m > s.n && op.driver != "gelsy") near(f[1], matrix::sum_over(mul(apart, apart), {-2}), "residuals");
      if (op.driver == "gelsd") near(f[3], svdvals(a), "singular values");
    }
    const Tensor low = matmul(general({s.batch, s.m, 2}), general({s.batch, 2, s.n}));  // rank 2
    ops::Lstsq deficient;
    deficient.rcond = 1e-5;
    for (const char* driver : {"gelsy", "gelsd", "gelss"}) {
      deficient.driver = driver;
      const Tensors f = call(deficient, low, b);
      near(f[0], matmul(pinv(low, {}, 1e-5), b), driver);
      EXPECT_TRUE(all(eq(f[2], 2)).item().to<bool>()) << driver << " rank";
    }
    EXPECT_TRUE(all(eq(call(ops::MatrixRank(), low, Value(), Value(1e-5))[0], 2)).item().to<bool>());
  }
}

TEST_P(Linalg, ExponentialsAreThoseOfEigenvalues) {
  for (double size : {0.01, 1.0, 12.0}) {
    const Tensor a = general({{}, 6, 6}), symmetric = mul(add(a, swapped(a)), size / 2);
    const Tensors f = eigh(symmetric);
    const Tensor want = matmul(matrix::scale_columns(f[1], exp(f[0])), swapped(f[1]));
    const double largest = amax(abs(want)).item().value();
    near(div(matrix_exp(symmetric), largest), div(want, largest), "exp");
  }
}

TEST(LinalgErrors, SayWhichAndWhy) {
  Tensor a = numbers({2, 3, 3}, Dtype::f64);
  fill.into(select(a, {0, 1}), 0);
  expect_says("matrix 1 of the batch is singular: element 0 of the diagonal of its U is 0", [&] { inv(a); });
  expect_says("matrix 1 of the batch is singular", [&] { solve(a, numbers({3, 2}, Dtype::f64)); });
  const Tensors f = inv_ex(a);
  EXPECT_EQ(select(f[1], {0, 0}).item().integer(), 0);
  EXPECT_EQ(select(f[1], {0, 1}).item().integer(), 1);
  Tensor b = matrix::definite_sample({3, 3});
  fill.into(select(select(b, {0, 1}), {0, 1}), -1);
  expect_says("the matrix is not positive definite: its leading minor of order 2",
              [&] { call(ops::LinalgCholesky(), b); });
  const double turn[] = {0, -1, 1, 0};
  const Tensor rotation = Tensor::from({2, 2}, turn);
  expect_says("has the complex eigenvalues 0 ± 1i", [&] { call(ops::Eigvals(), rotation); });
  fill.into(select(select(b, {0, 1}), {0, 1}), NAN);
  for (auto& failing : {+[](const Tensor& t) { linalg_svd(t); }, +[](const Tensor& t) { eigh(t); },
                        +[](const Tensor& t) { call(ops::Eigvals(), t); }})
    expect_says("nan or infinite", [&] { failing(b); });
  expect_says("must be square", [&] { inv(numbers({2, 3}, Dtype::f64)); });
  expect_says("float32 or float64, got int64", [&] { inv(numbers({3, 3}, Dtype::i64)); });
  expect_says("has not full rank", [&] {
    ops::Lstsq op;
    op.driver = "gels";
    const Tensor low = numbers({3, 2}, Dtype::f64);
    fill.into(select(low, {1, 1}), 0);
    call(op, low, numbers({3, 1}, Dtype::f64));
  });
}

TEST(LinalgGradients, OfSingularDeterminants) {
  const double one_zero[] = {1, 2, 3, 2, 4, 6, 1, 0, 1};  // the first two rows are parallel
  const Tensor a = Tensor::from({3, 3}, one_zero).set_requires_grad();
  det(a).backward();
  const double cofactors[] = {4, 4, -4, -2, -2, 2, 0, 0, 0};
  EXPECT_LE(distance(a.grad(), Tensor::from({3, 3}, cofactors)), 1e-12);
}

}  // namespace
}  // namespace luth
