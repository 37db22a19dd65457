// Mixed precision: which dtype each kind of operator computes in, the cache of cast weights, gradients, nesting.
#include "core/dispatch/autocast.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/norm.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/window/conv.h"

namespace luth {
namespace {

Tensor ramp(const Shape& shape, Dtype d = Dtype::f32) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float(i % 17 + 1) / 16;
  return cast_to(t, d);
}

TEST(Autocast, ProductsAreLowAndWhatNeedsRangeIsFloat32) {
  Autocasting scope("cpu");
  const Tensor x = ramp({4, 4});
  for (const Tensor& y :
       {mm(x, x), matmul(x, x), linear(x, x, Tensor()), addmm(x, x, x), mv(x, ramp({4})),
        bmm(ramp({2, 3, 3}), ramp({2, 3, 3})), inner(x, x), conv2d(ramp({1, 1, 4, 4}), ramp({1, 1, 2, 2}), Tensor())})
    EXPECT_EQ(y.dtype(), Dtype::bf16);
  const Tensor low = ramp({4, 4}, Dtype::bf16);
  for (const Tensor& y :
       {exp(low), log(low), pow(low, 2), softmax(low, {.dim = 1}), log_softmax(low, {.dim = 1}), sum(low),
        layer_norm(low, Tensor(), Tensor(), {.normalized_shape = {4}}), mse_loss(low, x), reciprocal(low)})
    EXPECT_EQ(y.dtype(), Dtype::f32);
  // the rest computes in what it gets, made of what it may be
  for (const Tensor& y : {relu(low), tanh(low), gelu(low), mean(low), add(low, low), mul(low, 2)})
    EXPECT_EQ(y.dtype(), Dtype::bf16);
  EXPECT_EQ(add(low, x).dtype(), Dtype::f32);
  EXPECT_EQ(cat({low, x}, {.dim = 0}).dtype(), Dtype::f32);
  EXPECT_EQ(dot(ramp({3}), ramp({3}, Dtype::bf16)).dtype(), Dtype::f32);
  EXPECT_EQ(dot(ramp({3}, Dtype::f16), ramp({3}, Dtype::bf16)).dtype(), Dtype::bf16);
}

TEST(Autocast, LeavesFloat64IntegersInPlaceAndGivenResultsAlone) {
  Autocasting scope("cpu");
  const Tensor wide = ramp({3, 3}, Dtype::f64), x = div(ramp({3, 3}), 3);  // no numbers of bfloat16
  EXPECT_EQ(mm(wide, wide).dtype(), Dtype::f64);
  EXPECT_EQ(exp(wide).dtype(), Dtype::f64);
  EXPECT_EQ(sum(ramp({3}, Dtype::i32)).dtype(), Dtype::i64);
  Tensor y = ramp({3, 3});
  EXPECT_EQ(addmm.into(y, x, x).dtype(), Dtype::f32);
  Tensor want;
  {
    Autocasting off("cpu", Dtype::bf16, false);
    want = addmm(ramp({3, 3}), x, x);
  }
  for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(y.data<float>()[i], want.data<float>()[i]);
  const Tensor out = Tensor::empty({3, 3}, Dtype::f32, host());
  apply_out(info<ops::Mm>(), nullptr, {x, x}, {out});
  EXPECT_NE(out.data<float>()[0], cast_to(mm(x, x), Dtype::f32).data<float>()[0]);  // it was not rounded
}

TEST(Autocast, ScopesNestAndEnd) {
  const Tensor x = ramp({2, 2});
  EXPECT_FALSE(autocast_enabled("cpu"));
  {
    Autocasting outer("cpu");
    EXPECT_TRUE(autocast_enabled("cpu"));
    {
      Autocasting off("cpu", Dtype::bf16, false);
      EXPECT_FALSE(autocast_enabled("cpu"));
      EXPECT_EQ(mm(x, x).dtype(), Dtype::f32);
      Autocasting half("cpu", Dtype::f16);
      EXPECT_EQ(mm(x, x).dtype(), Dtype::f16);
    }
    EXPECT_EQ(autocast_dtype("cpu"), Dtype::bf16);
    EXPECT_EQ(mm(x, x).dtype(), Dtype::bf16);
    Autocasting other("cuda", Dtype::f16);  // of another kind of device
    EXPECT_EQ(mm(x, x).dtype(), Dtype::bf16);
    std::thread([&] { EXPECT_EQ(mm(x, x).dtype(), Dtype::f32); }).join();
  }
  EXPECT_EQ(mm(x, x).dtype(), Dtype::f32);
  EXPECT_THROW(Autocasting("cpu", Dtype::f32), Error);
  EXPECT_FALSE(autocast_enabled());
}

// How many casts are made of f()'s calls.
template <class F>
int casts(F f) {
  struct Count : Observer {
    int n = 0;
    void called(const Call& call) override { n += call.info->name == "cast"; }
  } count;
  Observer* before = set_observer(&count);
  f();
  set_observer(before);
  return count.n;
}

TEST(Autocast, CastsWeightsOnce) {
  const Tensor x = ramp({2, 3}, Dtype::bf16), w = ramp({4, 3}).set_requires_grad();
  auto product = [&] { linear(x, w, Tensor()); };
  {
    Autocasting scope("cpu");
    EXPECT_EQ(casts(product), 1);
    EXPECT_EQ(casts(product), 0);
    {
      Autocasting inner("cpu");
      EXPECT_EQ(casts(product), 0);
    }
    EXPECT_EQ(casts(product), 0);  // only the end of the outermost scope forgets
    {
      NoGrad no_grad;
      EXPECT_EQ(casts(product), 1);  // one without history serves no other mode
      mul.into(w, 2);
      EXPECT_EQ(casts(product), 1);  // the weight has changed
    }
    EXPECT_TRUE(linear(x, w, Tensor()).requires_grad());
    clear_autocast_cache();
    EXPECT_EQ(casts(product), 1);
    Autocasting uncached("cpu", Dtype::bf16, true, false);
    EXPECT_EQ(casts(product), 1);
  }
  Autocasting scope("cpu");
  EXPECT_EQ(casts(product), 1);
  const Tensor activation = ramp({2, 3});
  auto twice = [&] { linear(activation, x, Tensor()), linear(activation, x, Tensor()); };
  EXPECT_EQ(casts(twice), 2);
}

TEST(Autocast, GradientsHaveTheDtypesOfForward) {
  const Tensor x = ramp({5, 3}).set_requires_grad(), w = ramp({2, 3}).set_requires_grad(),
               b = ramp({2}).set_requires_grad();
  const Tensor loss = [&] {
    Autocasting scope("cpu");
    const Tensor y = linear(x, w, b), again = linear(x, w, b);
    EXPECT_EQ(y.dtype(), Dtype::bf16);
    return sum(mul(add(y, again), y));
  }();
  EXPECT_EQ(loss.dtype(), Dtype::f32);
  loss.backward();
  for (const Tensor& t : {x, w, b}) EXPECT_EQ(t.grad().dtype(), Dtype::f32);
  Tensor outside = w.grad();
  w.set_grad({}), x.set_grad({}), b.set_grad({});
  {  // backward inside the scope gives the same bits
    Autocasting scope("cpu");
    const Tensor y = linear(x, w, b), again = linear(x, w, b);
    sum(mul(add(y, again), y)).backward();
  }
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(w.grad().data<float>()[i], outside.data<float>()[i]);
}

TEST(Autocast, RefusesCrossEntropyOfLowProbabilities) {
  Autocasting scope("cpu");
  const Tensor p = ramp({3}, Dtype::bf16), target = ramp({3});
  try {
    binary_cross_entropy(p, target, Tensor());
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("binary_cross_entropy_with_logits"), std::string::npos) << e.what();
  }
  EXPECT_EQ(binary_cross_entropy(sigmoid(ramp({3})), target, Tensor()).dtype(), Dtype::f32);
}

}  // namespace
}  // namespace luth
