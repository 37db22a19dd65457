// What autograd does beside the rules of operators: accumulation, modes, gradients of gradients, long graphs.
#include "core/device/device.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "tests/core/autograd/helpers.h"

namespace luth {

TEST(Autograd, GradientsAccumulateInLeaves) {
  Tensor x = leaf({1, 2});
  sum(mul(x, x)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{2, 4}));
  sum(mul(x, 3)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{5, 7}));
  EXPECT_FALSE(x.grad().requires_grad());
}

TEST(Autograd, AccumulationDoesNotTouchWhatWasHandedOut) {
  Tensor x = leaf({1, 2}), dy = vec({1, 1});
  Tensor y = add(x, 0);
  y.backward(dy, true);
  y.backward(dy);
  EXPECT_EQ(list(x.grad()), (Doubles{2, 2}));
  EXPECT_EQ(list(dy), (Doubles{1, 1})) << "the caller's gradient was written";
}

TEST(Autograd, TwoLeavesOfOneSumDoNotShareTheirGrads) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4});
  sum(add(a, b)).backward();
  sum(mul(a, 10)).backward();
  EXPECT_EQ(list(a.grad()), (Doubles{11, 11}));
  EXPECT_EQ(list(b.grad()), (Doubles{1, 1}));
}

TEST(Autograd, DiamondsSumTheirBranches) {
  Tensor x = leaf({2});
  Tensor a = mul(x, x), b = add(a, 1), c = mul(a, 3);
  sum(mul(b, c)).backward();  // (x² + 1) 3 x²: 12 x³ + 6 x
  EXPECT_EQ(list(x.grad()), (Doubles{108}));
}

TEST(Autograd, OneTensorInBothPlaces) {
  Tensor x = leaf({3});
  sum(mul(x, x)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{6}));
}

TEST(Autograd, SecondBackwardNeedsRetainGraph) {
  Tensor x = leaf({1, 2}), y = sum(mul(x, x));
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(list(x.grad()), (Doubles{4, 8}));
  std::string e = error_of([&] { y.backward(); });
  EXPECT_TRUE(says(e, "retain_graph")) << e;
  EXPECT_EQ(list(x.grad()), (Doubles{4, 8})) << "a refused backward left something behind";
}

TEST(Autograd, GradOfANonScalarNeedsAGradient) {
  Tensor x = leaf({1, 2});
  std::string e = error_of([&] { mul(x, 2).backward(); });
  EXPECT_TRUE(says(e, "[2]") && says(e, "gradient")) << e;
  EXPECT_TRUE(says(error_of([&] { mul(x, 2).backward(vec({1, 2, 3})); }), "[3]"));
  mul(x, 2).backward(vec({1, 10}));
  EXPECT_EQ(list(x.grad()), (Doubles{2, 20}));
}

TEST(Autograd, BackwardOfAConstantIsRefused) {
  EXPECT_TRUE(says(error_of([] { sum(vec({1, 2})).backward(); }), "does not require grad"));
}

TEST(Autograd, CreateGraphGivesGradientsOfGradients) {
  Tensor x = leaf({2, 3});
  Tensor y = sum(mul(mul(x, x), x));
  Tensor dx = grad({y}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(list(dx), (Doubles{12, 27}));
  Tensor ddx = grad({sum(dx)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(list(ddx), (Doubles{12, 18}));
  EXPECT_EQ(list(grad({sum(ddx)}, {x}, {}, {})[0]), (Doubles{6, 6}));
  EXPECT_FALSE(x.grad()) << "grad() leaves no grad behind";
}

TEST(Autograd, CreateGraphThroughSavedResults) {
  Tensor x = leaf({0.5});
  Tensor dx = grad({exp(x)}, {x}, {}, {.create_graph = true})[0];
  Tensor ddx = grad({dx}, {x}, {}, {})[0];
  EXPECT_NEAR(list(ddx)[0], std::exp(0.5), 1e-12);
}

TEST(Autograd, NoGradRecordsNothing) {
  Tensor x = leaf({1}), y;
  {
    NoGrad no_grad;
    y = mul(x, 2);
    GradMode on(true);
    EXPECT_TRUE(mul(x, 2).requires_grad());
  }
  EXPECT_FALSE(y.requires_grad());
  EXPECT_TRUE(y.is_leaf());
  EXPECT_TRUE(mul(x, 2).requires_grad());
}

TEST(Autograd, DetachCutsAndShares) {
  Tensor x = leaf({1, 2}), y = mul(x, 2), d = y.detach();
  EXPECT_FALSE(d.requires_grad());
  EXPECT_EQ(d.raw(), y.raw());
  sum(add(mul(d, 5), y)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{2, 2}));
}

TEST(Autograd, GradWithUnusedInputs) {
  Tensor x = leaf({1}), other = leaf({1});
  Tensor y = mul(x, 2);
  std::string e = error_of([&] { grad({y}, {x, other}, {}, {.retain_graph = true}); });
  EXPECT_TRUE(says(e, "allow_unused")) << e;
  Tensors g = grad({y}, {x, other}, {}, {.allow_unused = true});
  EXPECT_EQ(list(g[0]), (Doubles{2}));
  EXPECT_FALSE(g[1]);
}

TEST(Autograd, GradByATensorWithinTheGraph) {
  Tensor x = leaf({2}), h = mul(x, x), y = mul(h, 5);
  Tensors g = grad({y}, {h, x}, {}, {});
  EXPECT_EQ(list(g[0]), (Doubles{5}));
  EXPECT_EQ(list(g[1]), (Doubles{20}));
}

TEST(Autograd, BackwardIntoNamedInputsOnly) {
  Tensor a = leaf({1}), b = leaf({2});
  backward({mul(a, b)}, {}, {}, {a});
  EXPECT_EQ(list(a.grad()), (Doubles{2}));
  EXPECT_FALSE(b.grad());
}

TEST(Autograd, SeveralRootsInOnePass) {
  Tensor x = leaf({3});
  backward({mul(x, 2), mul(x, x)}, {}, {});
  EXPECT_EQ(list(x.grad()), (Doubles{8}));
}

TEST(Autograd, OnlyFloatsRequireGrad) {
  int64_t one = 1;
  Tensor i = Tensor::from<int64_t>({1}, &one);
  EXPECT_TRUE(says(error_of([&] { i.set_requires_grad(); }), "int64"));
  Tensor y = mul(leaf({1}), 2);
  EXPECT_TRUE(says(error_of([&] { y.set_requires_grad(false); }), "detach"));
}

TEST(Autograd, IntegerInputsAndComparisonsStayOut) {
  Tensor x = leaf({1, 3});
  Tensor mask = gt(x, 2);
  EXPECT_FALSE(mask.requires_grad());
  sum(mul(x, mask)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{0, 1}));
}

TEST(Autograd, BroadcastAndPromotionGoBack) {
  float f[2] = {1, 2};
  Tensor narrow = Tensor::from<float>({2, 1}, f).set_requires_grad(), wide = leaf({1, 2, 3});
  Tensor y = mul(narrow, wide);
  EXPECT_EQ(y.dtype(), Dtype::f64);
  sum(y).backward();
  EXPECT_EQ(narrow.grad().dtype(), Dtype::f32);
  EXPECT_EQ(to_string(narrow.grad().shape()), "[2, 1]");
  EXPECT_EQ(narrow.grad().data<float>()[1], 6);
  EXPECT_EQ(list(wide.grad()), (Doubles{3, 3, 3}));
}

TEST(Autograd, AMillionAddsNeedNoDeepStack) {
  Tensor x = leaf({0}), y = x;
  for (int i = 0; i < very_long; ++i) y = add(y, 1);
  EXPECT_EQ(list(y), (Doubles{very_long}));
  y.backward(vec({2}));
  EXPECT_EQ(list(x.grad()), (Doubles{2}));
}

TEST(Autograd, ADroppedGraphNeedsNoDeepStack) {
  Tensor x = leaf({1}), y = x;
  for (int i = 0; i < very_long; ++i) y = mul(y, y);  // keeps its inputs
  y = Tensor();
  EXPECT_FALSE(x.grad());
}

TEST(Autograd, GraphsAreFreedAsBackwardConsumesThem) {
  Tensor x = leaf({1, 2});
  Tensor h = exp(x);
  Ref<Storage> kept = h.storage();
  Tensor y = sum(mul(h, h));
  h = Tensor();
  EXPECT_GT(kept->use_count(), 1u);
  y.backward();
  EXPECT_EQ(kept->use_count(), 1u) << "backward kept what it had used";
}

TEST(Autograd, ErrorsWithinBackwardLeaveItUsable) {
  Tensor x = leaf({1}), h = mul(x, 2);
  int64_t id = register_hook(h, [](const Tensor&) -> Tensor { throw Error("stop"); });
  EXPECT_EQ(error_of([&] { h.backward({}, true); }), "stop");
  remove_hook(h, id);
  h.backward();
  EXPECT_EQ(list(x.grad()), (Doubles{2}));
  EXPECT_TRUE(grad_enabled());
}

// tanh has a kernel for its gradient, whose own gradient comes from its meaning in other operators.
TEST(Autograd, HigherGradientsWhereTheGradientDependsOnTheInputs) {
  Tensor x = leaf({0.3, -1.1});
  auto by_x = [&](const Tensor& y, bool create_graph) {
    return grad({sum(y)}, {x}, {}, {.retain_graph = true, .create_graph = create_graph})[0];
  };
  Tensor y = tanh(x), dx = by_x(mul(y, y), true);  // (t²)'' = 2 (1 - t²) (1 - 3 t²)
  Doubles plain = list(by_x(dx, false)), linked = list(by_x(dx, true)),
          third = list(by_x(by_x(by_x(y, true), true), false));
  for (size_t i = 0; i < 2; ++i) {
    double t = std::tanh(list(x)[i]), s = 1 - t * t;
    EXPECT_NEAR(plain[i], 2 * s * (1 - 3 * t * t), 1e-12);
    EXPECT_NEAR(linked[i], 2 * s * (1 - 3 * t * t), 1e-12);
    EXPECT_NEAR(third[i], -2 * s * (1 - 3 * t * t), 1e-12);
  }
}

TEST(Autograd, ReluHasASecondGradientOfZeros) {
  Tensor x = leaf({-1, 2});
  for (bool leaky : {false, true}) {
    Tensor dx = grad({sum(leaky ? leaky_relu(x) : relu(x))}, {x}, {}, {.create_graph = true})[0];
    EXPECT_EQ(list(grad({sum(dx)}, {x}, {}, {})[0]), (Doubles{0, 0}));
  }
}

// The numbers are PyTorch 2.15's.
TEST(Autograd, ClampAtItsBounds) {
  Tensor x = leaf({1, 0, 2, 0.5, 1, 3, 1, 1}), low = leaf({1, 1, 1, 2, 2, 2, 1, 0}),
         high = leaf({1, 1, 1, 1, 1, 1, 2, 1});
  Tensors g = grad({sum(clamp(x, low, high))}, {x, low, high}, {}, {});
  EXPECT_EQ(list(g[0]), (Doubles{1, 0, 0, 0, 0, 0, 0.5, 0.5}));
  EXPECT_EQ(list(g[1]), (Doubles{0, 1, 0, 0, 0, 0, 0.5, 0}));
  EXPECT_EQ(list(g[2]), (Doubles{0, 0, 1, 1, 1, 1, 0, 0.5}));
  x = leaf({-1, 0.5, 0.7, 1, 2});
  EXPECT_EQ(list(grad({sum(clamp(x, 0.5, 1))}, {x}, {}, {})[0]), (Doubles{0, 0, 1, 0, 0}));
  EXPECT_EQ(list(grad({sum(clamp(x, 0.5, {}))}, {x}, {}, {})[0]), (Doubles{0, 0, 1, 1, 1}));
  low = leaf({-1, 0.5, 0.8, 1, 1});
  g = grad({sum(clamp(x, low, {}))}, {x, low}, {}, {});
  EXPECT_EQ(list(g[0]), (Doubles{0.5, 0.5, 0, 0.5, 1}));
  EXPECT_EQ(list(g[1]), (Doubles{0.5, 0.5, 1, 0.5, 0}));
}

TEST(Autograd, BackwardTwiceWhereNothingWasSaved) {
  Tensor x = leaf({1, 2}), y = sum(add(x, 1));
  y.backward();
  y.backward();
  EXPECT_EQ(list(x.grad()), (Doubles{2, 2}));
}

TEST(Autograd, GradsOfNamedInputsAreTheirOwn) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4}), ones = vec({1, 1});
  backward({add(a, b)}, {ones}, {}, {a, b});
  mul.into(a.grad(), 0);
  EXPECT_EQ(list(b.grad()), (Doubles{1, 1}));
  EXPECT_EQ(list(ones), (Doubles{1, 1}));
  backward({sum(b)}, {}, {}, {b});
  mul.into(b.grad(), 3);  // throws where the grad is expanded
  EXPECT_EQ(list(b.grad()), (Doubles{6, 6}));
}

TEST(Autograd, GradientsMustFitWhereTheyArrive) {
  Tensor x = leaf({1, 2}), y = mul(x, 1);
  Tensor elsewhere = Tensor::empty({2}, Dtype::f64, device("meta"));
  EXPECT_TRUE(says(error_of([&] { y.backward(elsewhere); }), "meta"));
  EXPECT_FALSE(x.grad());
  EXPECT_TRUE(says(error_of([&] { x.set_grad(elsewhere); }), "meta"));
}

// A 0-dimensional tensor may stay on the CPU; its gradient is one of the CPU too.
TEST(Autograd, NumbersOnTheCpuAmongTensorsOfAnotherDevice) {
  Tensor a = Tensor::scalar(2.0, Dtype::f64).set_requires_grad();
  Tensor y = mul(a, Tensor::empty({2}, Dtype::f64, device("meta")));
  EXPECT_EQ(y.device().kind(), "meta");
  std::string e = error_of([&] { sum(y).backward(); });
  EXPECT_TRUE(says(e, "no data to copy")) << e;  // PyTorch's answer
  EXPECT_FALSE(a.grad());
}

TEST(Autograd, ListsLongerThanAnyCall) {
  Tensors leaves;
  for (int i = 0; i < 70; ++i) leaves.push_back(leaf({double(i)}));
  sum(mul(cat(leaves), cat(leaves))).backward();
  sum(stack(leaves)).backward();
  for (int i = 0; i < 70; ++i) EXPECT_EQ(list(leaves[size_t(i)].grad()), (Doubles{2.0 * i + 1}));
}

TEST(Autograd, ProductsOfManyElementsWithAZero) {
  Tensor x = full({100'001}, 1, Dtype::f64, host());  // by pairs of elements it would take 80 GB
  x.data<double>()[7] = 0;
  x.set_requires_grad();
  prod(x).backward();
  EXPECT_EQ(x.grad().data<double>()[7], 1);
  EXPECT_EQ(x.grad().data<double>()[8], 0);
}

// Chains of grads of grads end without a deep stack.
TEST(Autograd, LongChainsOfGradsEnd) {
  constexpr int n = very_long / 5;
  Tensor w = leaf({1}), first = leaf({1}), x = first;
  for (int i = 0; i < n; ++i) {
    Tensor y = leaf({1});
    x.set_grad(y);
    x = y;
  }
  first = x = leaf({1});
  for (int i = 0; i < n; ++i) {
    Tensor y = mul(w, 1);
    retain_grad(y);
    x.set_grad(y);
    x = y;
  }
  first = x = leaf({1});
  for (int i = 0; i < n; ++i) {
    Tensor y = leaf({1});
    x.set_grad(view(y, {.shape = {1}}));
    x = y;
  }
  first = x = {};
  EXPECT_EQ(w.impl()->use_count(), 1u);
}

}  // namespace luth
