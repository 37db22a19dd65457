// What every operator has to declare: samples, documentation, a gradient or a reason, attributes that can be written
// out.
#include "tests/registry/cases.h"

namespace luth::test {

TEST(Registry, IsNotEmpty) { EXPECT_GT(operator_names().size(), 100u); }

class Rules : public OperatorTest {};
INSTANTIATE_TEST_SUITE_P(Registry, Rules, testing::ValuesIn(operator_names()), readable);

TEST_P(Rules, HasSamples) {
  ASSERT_TRUE(op().samples) << "give it `static Cases<Op> samples()`";
  EXPECT_FALSE(op().samples().empty());
}

TEST_P(Rules, IsDocumented) {
  EXPECT_FALSE(op().doc.brief.empty()) << "Doc says nothing";
  for (auto& i : op().inputs) EXPECT_FALSE(i.name.empty());
  for (auto& f : op().fields(op().make().get())) {
    EXPECT_STRNE(f.name, "");
    EXPECT_STRNE(f.doc, "") << "attribute " << f.name;
  }
}

TEST_P(Rules, CanRun) {
  bool has_kernel = op().infer && op().kernels[size_t(host().slot())];
  EXPECT_TRUE(has_kernel || op().view || op().decompose) << "no kernel (with infer), no view, no decompose";
}

TEST_P(Rules, HasGradientOrReason) {
  bool differentiable = op().vjp || (op().decompose && !op().infer);
  if (op().inputs.empty()) return;
  EXPECT_TRUE(differentiable || (op().decompose && !op().view) || !op().not_differentiable.empty())
      << "give it vjp, decompose, or `not_differentiable` with the reason";
  EXPECT_FALSE(op().vjp && !op().not_differentiable.empty()) << "vjp and a reason to have none";
}

TEST_P(Rules, AttributesReadBack) {
  for (auto& c : cases(GetParam())) {
    std::string text = write_fields(op().fields(c.op.get()));
    OpValue again = op().make();
    FieldReader reader(text);
    if (op().describe) op().describe(again.get(), reader);
    EXPECT_EQ(write_fields(op().fields(again.get())), text) << c.name;
  }
}

}  // namespace luth::test
