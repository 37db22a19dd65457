// In-place writes and views under autograd: histories rewritten, gradients of what was written, saved values.
#include <cstdio>

#include "core/autograd/gradcheck.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/as_strided.h"
#include "core/ops/shape/view.h"
#include "tests/core/autograd/helpers.h"

namespace luth {

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

TEST(Autograd, ALongChainOfViewsNeedsNoDeepStack) {
  Tensor x = leaf({1, 2}), y = mul(x, 1);
  for (int i = 0; i < very_long / 5; ++i) y = slice(y, {.dim = 0, .start = 0, .end = 2});
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{1, 1}));
}

TEST(Autograd, WritingAtTheEndOfALongChainOfViews) {
  Tensor x = leaf({1, 2, 3, 4}), y = mul(x, 1), part = y;
  for (int i = 0; i < 100'000; ++i) part = view(view(part, {{2, 2}}), {{4}});
  mul.into(slice(part, {.dim = 0, .start = 1, .end = 3}), 5);
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{1, 5, 5, 1}));
}

TEST(Autograd, ChainsOfViewsKeepNothingOfTheirPast) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer keeps freed memory for a while";
#endif
  auto resident = [] {
    long pages = 0, all = 0;
    std::FILE* f = std::fopen("/proc/self/statm", "r");
    if (!f || std::fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
    if (f) std::fclose(f);
    return pages * 4096;
  };
  Tensor x = vec({1, 2, 3, 4});
  long before = resident();
  for (int i = 0; i < 500'000; ++i) x = view(view(x, {{2, 2}}), {{4}});
  EXPECT_LT(resident() - before, 20 << 20);
}

TEST(Autograd, WritingThroughAsStrided) {
  Tensor w = leaf({1, 1, 1, 1}), b = mul(w, 1);
  mul.into(as_strided(b, {{2}, {1}, 0}), 5);
  sum(b).backward();
  EXPECT_EQ(list(w.grad()), (Doubles{5, 5, 1, 1}));
}

// Each number of PyTorch's.
TEST(Autograd, GradientsOfAsStrided) {
  Tensor x = leaf({0, 1, 2, 3, 4, 5});
  sum(mul(as_strided(x, {{3, 2}, {1, 1}, 0}), view(vec({0, 1, 2, 3, 4, 5}), {{3, 2}}))).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{0, 3, 7, 5, 0, 0}));
  Tensor e = leaf({0, 1}), wide = expand(unsqueeze(e, {1}), {{2, 3}});
  sum(mul(as_strided(wide, {{2}, {1}, 0}), vec({1, 2}))).backward();
  EXPECT_NEAR(list(e.grad())[0], 1, 1e-12);
  EXPECT_NEAR(list(e.grad())[1], 2, 1e-12);
}

// The gradient must lie in memory as the base does, or the view cannot be had of it.
TEST(Autograd, WritingThroughAViewThatOnlyTheStridesOfTheBaseAllow) {
  double values[6] = {1, 2, 3, 4, 5, 6};
  Tensor w = Tensor::from<double>({2, 3}, values).set_requires_grad();
  Tensor b = mul(transpose(w, {0, 1}), 1);
  ASSERT_FALSE(b.is_contiguous());
  mul.into(view(transpose(b, {0, 1}), {{6}}), 2);
  sum(b).backward();
  EXPECT_EQ(list(w.grad()), (Doubles{2, 2, 2, 2, 2, 2}));
}

TEST(Autograd, WritingIntoAViewOfABaseWithHoles) {
  Tensor w = leaf({1, 2}), base = slice(vec({1, 2, 3, 4, 5, 6}), {.dim = 0, .start = 1, .end = 6, .step = 2}).detach();
  mul.into(slice(base, {.dim = 0, .start = 1, .end = 3}), w);
  EXPECT_EQ(list(base), (Doubles{2, 4, 12}));
  sum(base).backward();
  EXPECT_EQ(list(w.grad()), (Doubles{4, 6}));
}

TEST(Autograd, ValuesGivenOtherMemoryAreRefused) {
  Tensor w = leaf({1, 1}), h = vec({1, 2}), other = vec({7, 7}), y = mul(w, h);
  h.set_storage(other.storage(), other.shape(), other.strides(), 0);
  std::string e = error_of([&] { sum(y).backward(); });
  EXPECT_TRUE(says(e, "MulBackward") && says(e, "other memory")) << e;
}

TEST(Autograd, AViewMadeOfAConstantStaysOneWhenItBecomesALeaf) {
  Tensor x = vec({1, 2}), part = select(x, {.dim = 0, .index = 0});
  x.set_requires_grad();
  EXPECT_FALSE(part.requires_grad());
}

}  // namespace luth
