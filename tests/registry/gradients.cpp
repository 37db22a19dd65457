// Every vjp against finite differences in float64, and its own gradient too.
#include "cases.h"
#include "core/gradcheck.h"

namespace luth::test {

class Gradients : public OperatorTest {
 protected:
  // Runs `check` on the function of the floating inputs that each case is.
  template <class F>
  void each_case(F&& check) {
    if (!op().not_differentiable.empty() || uninitialised()) return;
    for (auto& c : cases(GetParam())) {
      SCOPED_TRACE(c.name);
      Tensors leaves;
      for (size_t i : c.floating()) leaves.push_back(copy_of(c.in[i].tensor(), Dtype::f64).set_requires_grad());
      if (leaves.empty()) continue;
      auto f = [&](const Tensors& t) {
        Inputs in = c.in;
        size_t k = 0;
        for (size_t i : c.floating()) in[i] = t[k++];
        return c.run(in);
      };
      EXPECT_EQ(check(f, leaves), "");
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, Gradients, testing::ValuesIn(operator_names()), readable);

TEST_P(Gradients, Match) {
  each_case([](auto& f, auto& leaves) { return gradcheck_report(f, leaves); });
}

TEST_P(Gradients, OfGradientsMatch) {
  each_case([](auto& f, auto& leaves) { return gradgradcheck_report(f, leaves); });
}

// An operator that says it has no gradient gives results that require none.
TEST_P(Gradients, ReasonHolds) {
  if (op().not_differentiable.empty() || op().only_inplace) return;
  for (auto& c : cases(GetParam())) {
    Inputs in =
        each_tensor(c.in, [](const Tensor& t) { return is_floating(t.dtype()) ? copy_of(t).set_requires_grad() : t; });
    for (auto& y : c.run(in)) EXPECT_FALSE(y && y.requires_grad()) << c.name;
  }
}

}  // namespace luth::test
