// Hooks on tensors, retained grads, and backward into named tensors.
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"
#include "tests/core/autograd/helpers.h"

namespace luth {

TEST(Autograd, HooksSeeAndReplace) {
  Tensor x = leaf({1, 2}), h = mul(x, 3);
  int seen = 0;
  register_hook(h, [&](const Tensor& g) {
    ++seen;
    EXPECT_EQ(list(g), (Doubles{1, 1}));
    return mul(g, 10);
  });
  int64_t id = register_hook(x, [&](const Tensor& g) {
    ++seen;
    EXPECT_EQ(list(g), (Doubles{30, 30}));
    return Tensor();
  });
  Tensor y = sum(h);
  y.backward({}, true);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(list(x.grad()), (Doubles{30, 30}));
  remove_hook(x, id);
  y.backward();
  EXPECT_EQ(seen, 3) << "a removed hook ran";
  EXPECT_THROW(register_hook(vec({1}), [](const Tensor&) { return Tensor(); }), Error);
}

TEST(Autograd, HooksSeeTheWholeGradient) {
  Tensor x = leaf({1}), h = mul(x, 1);
  std::vector<double> seen;
  register_hook(h, [&](const Tensor& g) {
    seen.push_back(list(g)[0]);
    return Tensor();
  });
  sum(add(mul(h, 2), mul(h, 3))).backward();
  EXPECT_EQ(seen, (Doubles{5}));
}

TEST(Autograd, RetainGradKeepsTheGradientOfAResult) {
  Tensor x = leaf({2}), h = mul(x, x);
  EXPECT_FALSE(h.grad());
  retain_grad(h);
  retain_grad(h);
  mul(h, 7).backward();
  EXPECT_EQ(list(h.grad()), (Doubles{7}));
  EXPECT_EQ(list(x.grad()), (Doubles{28}));
}

// w·w at 1 has the gradient 2.
TEST(Hooks, OfALeafRunForEveryWayToAskForItsGradient) {
  Tensor w = leaf({1});
  register_hook(w, [](const Tensor& g) { return mul(g, 10); });
  EXPECT_EQ(list(grad({mul(w, w)}, {w}, {}, {})[0]), (Doubles{20}));
  backward({mul(w, w)}, {}, {}, {w});
  EXPECT_EQ(list(w.grad()), (Doubles{20}));
  mul(w, w).backward();
  EXPECT_EQ(list(w.grad()), (Doubles{40}));
}

// As in PyTorch: what is asked for has passed the hooks, unless the graph goes on from there.
TEST(Hooks, OfAResultThatIsAskedFor) {
  Tensor w = leaf({1}), h = mul(w, 2);
  register_hook(h, [](const Tensor& g) { return mul(g, 10); });
  EXPECT_EQ(list(grad({mul(h, h)}, {h}, {}, {})[0]), (Doubles{40}));
  Tensors both = grad({mul(h, h)}, {h, w}, {}, {.retain_graph = true});
  EXPECT_EQ(list(both[0]), (Doubles{4}));
  EXPECT_EQ(list(both[1]), (Doubles{80}));
}

TEST(Hooks, BackwardIntoAResult) {
  Tensor w = leaf({1}), h = mul(w, 2);
  register_hook(h, [](const Tensor& g) { return mul(g, 10); });
  backward({mul(h, h)}, {}, {.retain_graph = true}, {h});
  EXPECT_EQ(list(h.grad()), (Doubles{40}));
  EXPECT_FALSE(w.grad());
  backward({mul(h, h)}, {}, {}, {h, w});
  EXPECT_EQ(list(h.grad()), (Doubles{80}));
  EXPECT_EQ(list(w.grad()), (Doubles{80}));
}

TEST(Hooks, MayChangeValuesOnly) {
  Tensor w = leaf({1, 2}), h = mul(w, 1);
  int64_t id = register_hook(h, [](const Tensor&) { return vec({1, 1, 1, 1, 1}); });
  EXPECT_TRUE(says(error_of([&] { sum(h).backward(); }), "hook has changed"));
  remove_hook(h, id);
  register_hook(w, [](const Tensor& g) { return cast_to(g, Dtype::f32); });
  EXPECT_TRUE(says(error_of([&] { sum(h).backward(); }), "hook has changed"));
  EXPECT_FALSE(w.grad());
}

TEST(Hooks, RetainedGradsAccumulateAndCanBeCleared) {
  Tensor w = leaf({1}), h = mul(w, 2);
  retain_grad(h);
  mul(h, 7).backward();
  mul(h, 7).backward();
  EXPECT_EQ(list(h.grad()), (Doubles{14}));
  h.set_grad({});
  EXPECT_FALSE(h.grad());
  mul(h, 7).backward();
  EXPECT_EQ(list(h.grad()), (Doubles{7}));
}

TEST(Hooks, RetainedGradsAreOfWhatTheTensorIsNow) {
  Tensor w = leaf({1, 2}), h = mul(w, 1), base = mul(w, 1), part = select(base, {.dim = 0, .index = 1});
  retain_grad(h);
  retain_grad(part);
  mul.into(h, 3);
  mul.into(part, 3);
  add(sum(mul(h, 7)), sum(mul(base, 5))).backward();
  EXPECT_EQ(list(h.grad()), (Doubles{7, 7}));
  EXPECT_FALSE(part.grad()) << "the sum went around the part";
  mul(part, 5).backward();
  EXPECT_EQ(list(part.grad()), (Doubles{5}));
}

TEST(Hooks, RetainedGradsComeAfterTheHooks) {
  Tensor w = leaf({1}), h = mul(w, 1);
  retain_grad(h);
  register_hook(h, [](const Tensor& g) { return mul(g, 10); });
  mul(h, 7).backward();
  EXPECT_EQ(list(h.grad()), (Doubles{70}));
}

}  // namespace luth
