// Inputs that are views give what contiguous ones give, gradients too.
#include "tests/registry/cases.h"

namespace luth::test {

class Layouts : public OperatorTest {
 protected:
  // Reads memory, not elements.
  bool reads_storage() const { return op().lua_name.starts_with("as_strided"); }
  struct Answer {
    Tensors results, gradients;
    std::string error;
  };
  // Results and gradients, or the error.
  Answer answer(const TestCase& c, const Inputs& in) {
    Answer a;
    Tensors leaves;
    Inputs with = in;
    for (size_t i : c.floating()) {
      if (!in[i].is_tensor()) continue;
      leaves.push_back(in[i].tensor().detach().set_requires_grad());
      with[i] = leaves.back();
    }
    try {
      a.results = c.run(with);
      if (op().traits.not_differentiable.empty()) a.gradients = gradients(a.results, leaves);
    } catch (const Error& e) { a.error = e.what(); }
    return a;
  }
  void expect_same(const TestCase& c, const Inputs& in, const Answer& want, const char* what) {
    SCOPED_TRACE(what);
    Answer got = answer(c, in);
    // `view` and its like may refuse strides, and say so.
    if (op().view && want.error.empty() && got.error.find("stride") != std::string::npos) return;
    EXPECT_EQ(got.error.empty(), want.error.empty()) << got.error << want.error;
    if (!got.error.empty() || !want.error.empty() || uninitialised()) return;
    EXPECT_EQ(difference(got.results, want.results, 1e-12, 1e-12), "");
    EXPECT_EQ(difference(got.gradients, want.gradients, 1e-10, 1e-10), "") << "gradients";
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, Layouts, testing::ValuesIn(operator_names()), readable);

TEST_P(Layouts, StridedInputsGiveTheSame) {
  if (only_writes() || reads_storage()) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    Answer want = answer(c, c.in);
    ASSERT_EQ(want.error, "");
    auto with = [&](Layout layout) { return each_tensor(c.in, [&](auto& t) { return relaid(t, layout); }); };
    expect_same(c, with(Layout::transposed), want, "transposed");
    expect_same(c, with(Layout::narrowed), want, "narrowed");
    expect_same(c, with(Layout::channels_last), want, "channels last");
    for (size_t i = 0; i < c.in.size(); ++i) {  // and one input alone
      Inputs one = c.in;
      if (one[i].is_tensor()) one[i] = relaid(one[i].tensor(), Layout::transposed);
      expect_same(c, one, want, "one transposed");
    }
  }
}

TEST_P(Layouts, ExpandedInputsGiveTheSame) {
  if (only_inplace() || only_writes() || reads_storage()) return;
  for (auto& c : cases(GetParam()))
    for (int dim : {0, -1}) {
      SCOPED_TRACE(c.name);
      Inputs wide = each_tensor(c.in, [dim](auto& t) { return expanded(t, dim); });
      Answer want = answer(c, each_tensor(wide, [](auto& t) { return copy_of(t); }));
      if (!want.error.empty()) continue;  // the samples' values mattered
      expect_same(c, wide, want, dim ? "last dim expanded" : "first dim expanded");
    }
}

// The elements again and again, in 16 rows of 24.
Tensor repeated(const Tensor& t) {
  const std::vector<double> values = doubles(t);
  Tensor all = Tensor::empty({16, 24}, Dtype::f64, host());
  for (int64_t i = 0; i < all.numel(); ++i)
    all.data<double>()[i] = values.empty() ? 1 : values[size_t(i) % values.size()];
  return copy_of(all, t.dtype());
}

// Kernels read transposed operands in tiles of 8 by 8, which samples are too small for. Each input alone is transposed,
// beside tensors and beside each other input as a number.
TEST_P(Layouts, TransposedTilesBesideNumbersGiveTheSame) {
  if (!op().traits.elementwise || only_writes()) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    const Inputs large = each_tensor(c.in, repeated);
    for (size_t i = 0; i < large.size(); ++i)
      for (size_t number = 0; number <= large.size(); ++number) {
        Inputs in = large;
        if (number == i || !in[i].is_tensor() || in[i].dim() < 2) continue;
        if (number < in.size()) {
          if (!in[number].is_tensor() || !op().inputs[number].number) continue;
          in[number] = Scalar(doubles(in[number].tensor())[0]);
        }
        const Answer want = answer(c, in);
        in[i] = relaid(in[i].tensor(), Layout::transposed);
        expect_same(c, in, want, number < in.size() ? "beside a number" : "beside tensors");
      }
  }
}

}  // namespace luth::test
