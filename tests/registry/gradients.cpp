// Every vjp against finite differences in float64, its own gradient, and the gradient of that. The last lines printed
// count operators and samples by what was checked, and name those without a gradient by reason.
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "core/autograd/gradcheck.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"
#include "tests/registry/cases.h"

namespace luth::test {
namespace {

// The sum of all elements, or of their squares, each times a number of its own. Null where none requires grad.
Tensor total(const Tensors& list, bool squared) {
  Tensor all;
  for (auto& y : list) {
    if (!y || !y.requires_grad()) continue;
    Tensor c = Tensor::empty(y.shape(), Dtype::f64, host());
    for (int64_t k = 0; k < c.numel(); ++k) c.data<double>()[k] = double((29 * k + 17) % 53 - 20) / 32;
    Tensor t = sum(mul(squared ? mul(y, y) : y, copy_of(c, y.dtype())));
    all = all ? add(all, t) : t;
  }
  return all;
}
Tensors gradients_of(const Tensor& y, const Tensors& x, bool create_graph) {
  if (!y) return Tensors(x.size());
  return grad({y}, x, {}, {.retain_graph = true, .create_graph = create_graph, .allow_unused = true});
}

// What the checks of one order covered.
struct Coverage {
  int operators = 0;
  std::map<std::string, int> samples;  // by kind
};
std::map<std::string, Coverage> checked;                           // by test
std::map<std::string, std::vector<std::string>> without_gradient;  // names by reason

class Totals : public testing::Environment {
 public:
  void TearDown() override {
    for (auto& [test, n] : checked)
      fmt::print("Gradients.{}: {} operators pass, samples {}\n", test, n.operators, n.samples);
    for (auto& [reason, names] : without_gradient)
      fmt::print("no gradient, {}: {} ({})\n", reason, names.size(), fmt::join(names, " "));
    std::fflush(stdout);
  }
};
const auto* environment = testing::AddGlobalTestEnvironment(new Totals);

}  // namespace

class Gradients : public OperatorTest {
 protected:
  // Why no case of this operator is checked, or "".
  std::string reason_for_none() const {
    if (!op().traits.not_differentiable.empty()) return std::string(op().traits.not_differentiable);
    if (uninitialised()) return "its elements are whatever was in memory";
    if (op().lua_name.starts_with("lapack_ldl")) return "its backward refuses every input, as PyTorch's does";
    return "";
  }
  // Operators on symmetric matrices read one triangle, and their gradients are those of functions of symmetric ones, as
  // PyTorch's: each differs from the derivative by a single element. Compared is the function of x + xᵀ.
  bool of_symmetric(const TestCase& c) const {
    static const std::set<std::string> names{"lapack_cholesky", "lapack_eigh",        "cholesky",
                                             "linalg_cholesky", "linalg_cholesky_ex", "linalg_eigh",
                                             "linalg_eigvalsh", "linalg_matrix_sqrth"};
    return names.count(GetParam()) || c.name.find("hermitian=true") != std::string::npos;
  }

  // The same for factors of symmetric matrices, of which one triangle is read.
  static bool upper_triangle(const TestCase& c) { return c.name.find("upper=true") != std::string::npos; }
  // The case as a function of its floating inputs.
  Tensors run(const TestCase& c, const Tensors& floating) const {
    Inputs in = c.in;
    size_t k = 0;
    for (size_t i : c.floating()) in[i] = floating[k++];
    if (GetParam() == "cholesky_solve" || GetParam() == "cholesky_inverse")
      in[in.size() - 1] = upper_triangle(c) ? triu(in[in.size() - 1]) : tril(in[in.size() - 1]);
    if (of_symmetric(c)) in[0] = add(in[0], transpose(in[0], {-2, -1}));
    return c.run(in);
  }
  // Runs `check` on the function that each case is, and each of its variants.
  template <class F>
  void each_case(F&& check, bool with_variants = true) {
    if (!reason_for_none().empty()) return;
    std::map<std::string, int> samples;
    for (auto& given : cases(GetParam()))
      for (auto& [kind, c] : with_variants ? variants(given) : std::vector<Variant>{{"as given", given}}) {
        SCOPED_TRACE(c.name);
        Tensors leaves;
        for (size_t i : c.floating()) leaves.push_back(copy_of(c.in[i].tensor(), Dtype::f64).set_requires_grad());
        if (leaves.empty()) continue;
        ++samples[kind];
        EXPECT_EQ(check([&](const Tensors& t) { return run(c, t); }, leaves), "");
      }
    EXPECT_TRUE(!samples.empty() || !op().vjp) << "it has a gradient, and no sample has a floating input";
    if (samples.empty() || HasFailure()) return;
    std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    Coverage& n = checked[test.substr(0, test.find('/'))];
    n.operators += 1;
    for (auto& [kind, count] : samples) n.samples[kind] += count;
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, Gradients, testing::ValuesIn(operator_names()), readable);

TEST_P(Gradients, Match) {
  each_case([](auto f, auto& leaves) { return gradcheck_report(f, leaves); });
}

TEST_P(Gradients, OfGradientsMatch) {
  each_case([](auto f, auto& leaves) { return gradgradcheck_report(f, leaves); });
}

// Where one input alone requires grad, nothing is saved for the others: a vjp that does not ask `c.wants` reads null.
TEST_P(Gradients, OfEachInputAloneMatch) {
  each_case(
      [](auto f, auto& leaves) -> std::string {
        if (leaves.size() < 2) return "";
        const Tensors all = gradients_of(total(f(leaves), false), leaves, false);
        for (size_t i = 0; i < leaves.size(); ++i) {
          Tensors x;
          for (size_t k = 0; k < leaves.size(); ++k) x.push_back(k == i ? leaves[k] : leaves[k].detach());
          const Tensors alone = gradients_of(total(f(x), false), {x[i]}, false);
          const std::string report = difference({all[i]}, alone, 1e-12, 1e-12);
          if (!report.empty()) return fmt::format("the gradient of input {} alone: {}", i + 1, report);
        }
        return "";
      },
      false);
}

// In the gradient of f(x)² what arrives at f depends on x too: each path counts once, whoever asks for the graph.
TEST_P(Gradients, OfHigherOrderMatch) {
  each_case(
      [](auto f, auto& leaves) {
        auto second = [&](const Tensors& x, bool create_graph) {
          Tensors dx = gradients_of(total(f(x), true), x, true);
          return gradients_of(total(dx, false), x, create_graph);
        };
        std::string report = difference(second(leaves, true), second(leaves, false), 1e-10, 1e-12);
        if (!report.empty()) return "second gradient with create_graph: " + report;
        return gradcheck_report([&](const Tensors& x) { return second(x, true); }, leaves);
      },
      false);
}

// An operator that says it has no gradient gives results that require none.
TEST_P(Gradients, ReasonHolds) {
  if (std::string reason = reason_for_none(); !reason.empty()) without_gradient[reason].push_back(GetParam());
  if (op().traits.not_differentiable.empty() || only_inplace()) return;
  for (auto& c : cases(GetParam())) {
    Inputs in =
        each_tensor(c.in, [](const Tensor& t) { return is_floating(t.dtype()) ? copy_of(t).set_requires_grad() : t; });
    for (auto& y : c.run(in)) EXPECT_FALSE(y && y.requires_grad()) << c.name;
  }
}

}  // namespace luth::test
