// What autograd does beside the rules of operators: accumulation, modes, hooks, in-place writes, views, long graphs.
#include "core/autograd.h"

#include <gtest/gtest.h>

#include "core/gradcheck.h"
#include "core/ops/arith.h"
#include "core/ops/copy.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace luth {
namespace {

Tensor vec(std::initializer_list<double> v) { return Tensor::from<double>({int64_t(v.size())}, v.begin()); }
Tensor leaf(std::initializer_list<double> v) { return vec(v).set_requires_grad(); }
std::vector<double> list(const Tensor& t) {
  Tensor c = clone(t.detach(), {.memory_format = MemoryFormat::contiguous});
  return {c.data<double>(), c.data<double>() + c.numel()};
}
using Doubles = std::vector<double>;

// The text of the error that f throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}
bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

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

TEST(Autograd, InPlaceOnALeafIsRefused) {
  Tensor x = leaf({1, 2});
  std::string e = error_of([&] { add.into(x, 1); });
  EXPECT_TRUE(says(e, "leaf") && says(e, "no_grad")) << e;
  EXPECT_EQ(list(x), (Doubles{1, 2}));
  e = error_of([&] { add.into(select(x, {.dim = 0, .index = 0}), 1); });
  EXPECT_TRUE(says(e, "view of a leaf")) << e;
  NoGrad no_grad;
  add.into(x, 1);
  EXPECT_EQ(list(x), (Doubles{2, 3}));
}

TEST(Autograd, InPlaceOnAResultIsRecorded) {
  Tensor x = leaf({1, 2}), y = mul(x, 2);
  mul.into(y, 10);
  add.into(y, x);
  EXPECT_EQ(list(y), (Doubles{21, 42}));
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{21, 21}));
}

TEST(Autograd, InPlaceOnAConstantTakesUpTheGraph) {
  Tensor x = leaf({1, 2}), y = vec({10, 20});
  mul.into(y, x);
  EXPECT_TRUE(y.requires_grad());
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{10, 20}));
}

TEST(Autograd, WritingIntoAViewRewritesTheBase) {
  Tensor x = leaf({1, 2, 3}), base = mul(x, 1);
  Tensor part = slice(base, {.dim = 0, .start = 1, .end = 3});
  mul.into(part, 10);
  EXPECT_EQ(list(base), (Doubles{1, 20, 30}));
  sum(base).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{1, 10, 10}));
}

TEST(Autograd, ViewsMadeBeforeSeeTheWrite) {
  Tensor x = leaf({1, 2, 3}), base = mul(x, 1);
  Tensor before = slice(base, {.dim = 0, .start = 0, .end = 2});
  Tensor written = slice(base, {.dim = 0, .start = 1, .end = 3});
  mul.into(written, 10);
  EXPECT_EQ(list(before), (Doubles{1, 20}));
  EXPECT_NE(before.grad_fn()->name(), "");
  sum(before).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{1, 10, 0}));
}

TEST(Autograd, ViewsMadeBeforeSeeAWriteIntoTheBase) {
  Tensor x = leaf({1, 2}), base = mul(x, 1), view = select(base, {.dim = 0, .index = 1});
  mul.into(base, 5);
  view.backward();
  EXPECT_EQ(list(x.grad()), (Doubles{0, 5}));
}

TEST(Autograd, WritingAViewOfAViewOfAConstant) {
  double zeros[6] = {};
  Tensor base = Tensor::from<double>({2, 3}, zeros), x = leaf({5});
  Tensor row = select(base, {.dim = 0, .index = 1});
  Tensor cell = select(row, {.dim = 0, .index = 2});
  add.into(cell, sum(mul(x, x)));
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(row.requires_grad());
  sum(mul(base, 3)).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{30}));
}

TEST(Autograd, CopyIntoAViewStopsTheOldGradient) {
  Tensor x = leaf({1, 2}), w = leaf({7});
  Tensor base = mul(x, 2);
  copy.into(slice(base, {.dim = 0, .start = 0, .end = 1}), w);
  sum(mul(base, vec({3, 5}))).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{0, 10}));
  EXPECT_EQ(list(w.grad()), (Doubles{3}));
}

TEST(Autograd, GradientsOfInPlaceWritesIntoViewsAreRight) {
  double values[6] = {1, -2, 3, 0.5, -1, 2};
  Tensor x = Tensor::from<double>({2, 3}, values).set_requires_grad(), w = leaf({2, -1});
  auto f = [](const Tensors& in) -> Tensors {
    Tensor base = mul(in[0], in[0]);
    Tensor column = select(base, {.dim = 1, .index = 1});
    mul.into(column, in[1]);
    Tensor other = transpose(base, {.dim0 = 0, .dim1 = 1});
    exp.into(select(other, {.dim = 0, .index = 0}));
    return {mul(base, base), column};
  };
  EXPECT_EQ(gradcheck_report(f, {x, w}), "");
  EXPECT_EQ(gradgradcheck_report(f, {x, w}), "");
}

TEST(Autograd, ViewsUnderNoGradAreNotWrittenWithGradients) {
  Tensor x = leaf({1, 2}), base = mul(x, 1), view;
  {
    NoGrad no_grad;
    view = select(base, {.dim = 0, .index = 0});
  }
  std::string e = error_of([&] { mul.into(view, x); });
  EXPECT_TRUE(says(e, "no_grad")) << e;
}

TEST(Autograd, OverwrittenValuesNameBothOperators) {
  Tensor x = leaf({1, 2}), y = exp(x);
  mul.into(y, 2);
  std::string e = error_of([&] { sum(y).backward(); });
  EXPECT_TRUE(says(e, "ExpBackward") && says(e, "mul_")) << e;
}

TEST(Autograd, WritesBeforeSavingDoNoHarm) {
  Tensor x = leaf({1, 2}), a = mul(x, 1);
  add.into(a, 1);
  Tensor y = mul(a, a);
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{4, 6}));
}

TEST(Autograd, AWriteThatBackwardDoesNotNeedIsFine) {
  Tensor x = leaf({1, 2}), y = add(x, 1);
  mul.into(y, 2);
  Tensor z = add(y, 3);
  mul.into(y, 0);
  sum(z).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{2, 2}));
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
  for (int i = 0; i < 1'000'000; ++i) y = add(y, 1);
  EXPECT_EQ(list(y), (Doubles{1e6}));
  y.backward(vec({2}));
  EXPECT_EQ(list(x.grad()), (Doubles{2}));
}

TEST(Autograd, ADroppedGraphNeedsNoDeepStack) {
  Tensor x = leaf({1}), y = x;
  for (int i = 0; i < 1'000'000; ++i) y = mul(y, y);  // keeps its inputs
  y = Tensor();
  EXPECT_FALSE(x.grad());
}

TEST(Autograd, ALongChainOfViewsNeedsNoDeepStack) {
  Tensor x = leaf({1, 2}), y = mul(x, 1);
  for (int i = 0; i < 200'000; ++i) y = slice(y, {.dim = 0, .start = 0, .end = 2});
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{1, 1}));
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
