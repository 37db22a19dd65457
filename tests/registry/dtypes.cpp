// Every operator with every dtype: it agrees with the float64 answer on the same values, or says what it does not take.
#include <cmath>

#include "core/dispatch/generator.h"
#include "core/ops/elementwise/unary.h"
#include "tests/registry/cases.h"

namespace luth::test {

class Dtypes : public OperatorTest {};
INSTANTIATE_TEST_SUITE_P(Registry, Dtypes, testing::ValuesIn(operator_names()), readable);

namespace {

// Relative and absolute distance that one rounding per step of a short composite may cost.
std::pair<double, double> tolerance(Dtype d) {
  switch (d) {
    case Dtype::f16: return {4e-3, 4e-3};
    case Dtype::bf16: return {4e-2, 4e-2};
    case Dtype::f32: return {2e-5, 2e-5};
    default: return {1e-12, 1e-12};
  }
}
double largest(Dtype d) {
  double v = 0;
  dispatch(AllTypes{}, d, [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, half>)
      v = 65504;
    else if constexpr (is_half<T>)
      v = 3.3e38;
    else
      v = double(std::numeric_limits<T>::max());
  });
  return v;
}

// "" or the first element of `got` that the exact answer on the same values does not explain. Integers are compared
// where the exact answer is one of theirs.
std::string explain(const Tensor& got, const Tensor& exact, Dtype inputs) {
  if (!(got.shape() == exact.shape())) return "shape " + to_string(got.shape()) + ", want " + to_string(exact.shape());
  auto [rtol, atol] = tolerance(
      is_floating(got.dtype()) ? std::min(got.dtype(), is_floating(inputs) ? inputs : got.dtype()) : Dtype::f64);
  std::vector<double> a = doubles(got), b = doubles(exact);
  for (size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(b[k]) || std::abs(b[k]) > largest(got.dtype())) continue;
    if (got.dtype() == Dtype::boolean) b[k] = b[k] != 0;
    if (is_integral(got.dtype()) && (b[k] != std::floor(b[k]) || (b[k] < 0 && got.dtype() == Dtype::u8))) continue;
    if (std::abs(a[k] - b[k]) <= atol + rtol * std::abs(b[k])) continue;
    return fmt::format("element {} of {}: got {:.9g}, want {:.9g}", k, describe(got), a[k], b[k]);
  }
  return "";
}

// What an operator may say about a dtype that it does not take.
bool refusal(const std::string& s) {
  for (const char* text : {"not implemented for", "dtype", "float", "bool", "integer", "int64"})
    if (s.find(text) != std::string::npos) return true;
  return false;
}

// Vectors that are unique up to a sign: rounding decides which one a factorization gives.
bool up_to_sign(std::string_view op) {
  for (const char* part : {"eigh", "lapack_eig", "linalg_eig", "svd", "qr"})
    if (op.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace

TEST_P(Dtypes, AgreeOrRefuse) {
  if (uninitialised()) return;
  for (auto& c : cases(GetParam())) {
    if (c.floating().empty()) continue;
    for (int k = 0; k < dtype_count; ++k) {
      Dtype d = Dtype(k);
      SCOPED_TRACE(c.name + " as " + std::string(name(d)));
      auto cast = [&](const Tensor& t) { return is_floating(t.dtype()) ? copy_of(t, d) : t; };
      Inputs narrow = each_tensor(c.in, cast);
      Inputs wide = narrow;
      for (size_t i = 0; i < wide.size(); ++i)
        if (c.in[i].is_tensor() && is_floating(c.in[i].dtype())) wide[i] = copy_of(narrow[i].tensor(), Dtype::f64);
      Tensors got;
      try {
        got = c.run(narrow);
      } catch (const Error& e) {
        EXPECT_NE(d, Dtype::f32) << e.what();
        EXPECT_TRUE(refusal(e.what())) << e.what();
        continue;
      }
      if (d == Dtype::u8 && op().decompose) continue;      // unsigned numbers wrap within composites, in PyTorch too
      bool drew = default_generator(host()).offset() > 0;  // run() starts the stream anew
      if (op().random || drew) continue;                   // numbers of another width are drawn otherwise
      Tensors exact = c.run(wide);
      ASSERT_EQ(got.size(), exact.size());
      for (size_t i = 0; i < got.size(); ++i)
        if (up_to_sign(GetParam()) && got[i]) {
          EXPECT_EQ(explain(abs(got[i]), abs(exact[i]), d), "") << "result " << i;
        } else if (got[i]) {
          EXPECT_EQ(explain(got[i], exact[i], d), "") << "result " << i;
        }
    }
  }
}

}  // namespace luth::test
