// gradcheck itself: what it finds, says and refuses.
#include "core/autograd/gradcheck.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "tests/core/autograd/helpers.h"

namespace luth {

TEST(Gradcheck, NamesTheElementAndBothNumbers) {
  Tensor x = leaf({1, 2, 3});
  auto wrong = [](const Tensors& in) -> Tensors { return {mul(in[0], in[0].detach())}; };  // half of the gradient
  std::string s = gradcheck_report(wrong, {x});
  EXPECT_TRUE(says(s, "result 0 at [0] by input 0 at [0]")) << s;
  EXPECT_TRUE(says(s, "backward says 1") && says(s, "finite differences say 2")) << s;
  EXPECT_EQ(list(x), (Doubles{1, 2, 3})) << "the input was changed";
  EXPECT_THROW(gradcheck(wrong, {x}), Error);
}

TEST(Gradcheck, RefusesWhatItCannotJudge) {
  float f[1] = {1};
  auto id = [](const Tensors& in) -> Tensors { return {mul(in[0], 2)}; };
  EXPECT_TRUE(says(error_of([&] { gradcheck(id, {Tensor::from<float>({1}, f).set_requires_grad()}); }), "float64"));
  EXPECT_TRUE(says(error_of([&] { gradcheck(id, {vec({1})}); }), "requires grad"));
}

TEST(Gradcheck, PassesSeveralResultsAndConstants) {
  auto f = [](const Tensors& in) -> Tensors {
    return {mul(in[0], in[1]), sum(exp(in[0])), in[1].detach(), gt(in[0], 0)};
  };
  // the detached result does depend on in[1]: only finite differences see it
  EXPECT_TRUE(says(gradcheck_report(f, {leaf({1, 2}), leaf({3, 4})}), "result 2"));
  EXPECT_EQ(gradcheck_report(f, {leaf({1, 2}), vec({3, 4})}), "");
  EXPECT_EQ(gradgradcheck_report(f, {leaf({1, 2}), vec({3, 4})}), "");
}

}  // namespace luth
