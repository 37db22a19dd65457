// What the generated tests cannot know of the operators for losses, norms, indexing, order and random numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/autograd/autograd.h"
#include "core/base/threads.h"
#include "core/dispatch/generator.h"
#include "core/math/philox.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/sort.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/norm.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/random/random.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth {
namespace {

Tensor floats(const Shape& s, std::initializer_list<float> v) { return Tensor::from(s, v.begin()); }
Tensor longs(const Shape& s, std::initializer_list<int64_t> v) { return Tensor::from(s, v.begin()); }
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}
bool same_bytes(const Tensor& a, const Tensor& b) {
  Tensor x = dense_copy(a), y = dense_copy(b);
  return x.bytes() == y.bytes() && std::memcmp(x.raw(), y.raw(), x.bytes()) == 0;
}
/// N x C x H x W in channels-last memory.
Tensor channels_last(const Tensor& t) { return clone(t, {MemoryFormat::channels_last}); }

struct Threads {
  int before = num_threads();
  ~Threads() { set_num_threads(before); }
};

TEST(Indexing, ErrorsNamePositionValueAndBoundAsCounted) {
  Tensor x = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  std::string zero = error_of([&] { index_select(x, longs({2}, {1, 0}), {.dim = 0, .base = 1}); });
  EXPECT_NE(zero.find("index holds 0 at position 2; it must be from 1 to 3 (luth counts"), std::string::npos) << zero;
  std::string beyond = error_of([&] { gather(x, longs({1, 2}, {0, 3}), {.dim = 0}); });
  EXPECT_NE(beyond.find("index holds 3 at position [0, 1]; it must be from 0 to 2"), std::string::npos) << beyond;
  std::string negative = error_of([&] { index_select(x, longs({1}, {-1}), {.dim = 0, .base = 1}); });
  EXPECT_NE(negative.find("index holds -1 at position 1; it must be from 1 to 3"), std::string::npos) << negative;
  EXPECT_EQ(index(x, {longs({1}, {-1})}, {.base = 1}).data<float>()[0], 5);
  std::string wrapped = error_of([&] { index(x, {longs({1}, {0})}, {.base = 1}); });
  EXPECT_NE(wrapped.find("or from -3 to -1"), std::string::npos) << wrapped;
}

TEST(Indexing, WritesInPlaceIntoViewsWithoutACopyOfTheBase) {
  Tensor x = Tensor::empty({4, 3}, Dtype::f32, host());
  fill.into(x, 0);
  Tensor columns = transpose(x, {0, 1});  // 3 x 4, not contiguous
  index_add.into(columns, longs({2}, {1, 1}), floats({2, 4}, {1, 2, 3, 4, 1, 2, 3, 4}), {.dim = 0});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x.data<float>()[i * 3 + 1], 2 * float(i + 1));
  const void* memory = x.raw();
  index_fill.into(x, longs({1}, {2}), 7, {.dim = 1});
  EXPECT_EQ(x.raw(), memory);
  EXPECT_EQ(x.data<float>()[11], 7);
  // the source is the tensor that is written
  Tensor y = floats({3}, {1, 2, 3});
  index_copy.into(y, longs({3}, {2, 1, 0}), y, {.dim = 0});
  EXPECT_TRUE(same_bytes(y, floats({3}, {3, 2, 1})));
}

TEST(Indexing, DimsOfIndexTensorsGoWhereTheyReplaceOrFirst) {
  Tensor x = Tensor::empty({2, 3, 4, 5}, Dtype::f32, host());
  for (int i = 0; i < 120; ++i) x.data<float>()[i] = float(i);
  Tensor i = longs({7, 1}, {0, 1, 2, 0, 1, 2, 0}), j = longs({6}, {0, 1, 2, 3, 0, 1});
  EXPECT_EQ(index(x, {Tensor(), i, j}).shape(), (Shape{2, 7, 6, 5}));
  EXPECT_EQ(index(x, {longs({}, {1}), Tensor(), j}).shape(), (Shape{6, 3, 5}));
  EXPECT_EQ(index(x, {Tensor(), i, Tensor(), longs({}, {4})}).shape(), (Shape{7, 1, 2, 4}));
  Tensor y = index(x, {Tensor(), i, j});
  EXPECT_EQ(y.data<float>()[((1 * 7 + 2) * 6 + 3) * 5 + 4], float(((1 * 3 + 2) * 4 + 3) * 5 + 4));
  EXPECT_NE(error_of([&] { index(x, {i, i, i, i, i}); }).find("too many indices"), std::string::npos);
}

TEST(Cat, JoinsMoreTensorsThanACallCanTellApart) {
  Tensors parts;
  Tensor x = floats({1, 2}, {1, 2}).set_requires_grad();
  for (int i = 0; i < 70; ++i) parts.push_back(mul(x, i));
  Tensor y = stack(parts);
  EXPECT_EQ(y.shape(), (Shape{70, 1, 2}));
  sum(y).backward();
  EXPECT_EQ(x.grad().data<float>()[0], 69 * 70 / 2);
}

TEST(Cat, KeepsChannelsLast) {
  Tensor a = randn({2, 3, 4, 5}), b = randn({2, 2, 4, 5});
  Tensor y = cat({channels_last(a), channels_last(b)}, {.dim = 1});
  EXPECT_TRUE(y.is_channels_last());
  EXPECT_TRUE(same_bytes(y, cat({a, b}, {.dim = 1})));
}

TEST(Loss, LabelsOutOfRangeAreNamed) {
  Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  std::string text = error_of([&] { cross_entropy(x, longs({2}, {1, 4}), Value(), {.base = 1}); });
  EXPECT_NE(text.find("target holds 4 at position 2; it must be from 1 to 3"), std::string::npos) << text;
  text = error_of([&] { cross_entropy(x, longs({2}, {0, 1}), Value(), {.ignore_index = -1, .base = 1}); });
  EXPECT_NE(text.find("target holds 0"), std::string::npos) << text;
  EXPECT_NO_THROW(cross_entropy(x, longs({2}, {-100, 3}), Value(), {.base = 1}));
  EXPECT_TRUE(std::isnan(cross_entropy(x, longs({2}, {-100, -100}), Value()).item().value()));
}

TEST(Loss, LargeLogitsNeitherOverflowNorLoseTheGradient) {
  Tensor x = floats({1, 3}, {1000, -1000, 0}).set_requires_grad();
  Tensor y = cross_entropy(x, longs({1}, {1}), Value());
  EXPECT_EQ(y.item().value(), 2000);
  y.backward();
  EXPECT_TRUE(same_bytes(x.grad(), floats({1, 3}, {1, -1, 0})));
  Tensor p = floats({2}, {0, 1}).set_requires_grad();  // saturated probabilities
  binary_cross_entropy(p, floats({2}, {0, 1}), Value()).backward();
  EXPECT_TRUE(same_bytes(p.grad(), floats({2}, {0, 0})));
}

TEST(BatchNorm, MovesRunningStatisticsInPlaceByTheUnbiasedVariance) {
  Tensor x = floats({4, 1}, {1, 2, 3, 6}), mean = floats({1}, {0}), var = floats({1}, {1});
  batch_norm(x, mean, var, Value(), Value(), {.training = true, .momentum = 0.5});
  EXPECT_FLOAT_EQ(mean.data<float>()[0], 1.5f);
  EXPECT_FLOAT_EQ(var.data<float>()[0], 0.5f + 0.5f * 14.0f / 3.0f);
  Tensor y = batch_norm(x, mean, var, Value(), Value());
  EXPECT_FLOAT_EQ(y.data<float>()[0], (1 - 1.5f) / std::sqrt(0.5f + 7.0f / 3.0f + 1e-5f));
}

TEST(BatchNorm, ChannelsLastGivesTheSameInItsOwnOrder) {
  Tensor x = randn({8, 5, 7, 9}), w = randn({5}), b = randn({5}), g = randn({8, 5, 7, 9});
  auto run = [&](const Tensor& input, const Tensor& cotangent, Tensor& dx) {
    Tensor leaf = input.detach().set_requires_grad();
    Tensor y = batch_norm(leaf, Value(), Value(), w, b, {.training = true});
    y.backward(cotangent);
    dx = leaf.grad();
    return y.detach();
  };
  Tensor dx, dz, y = run(x, g, dx), z = run(channels_last(x), g, dz);
  EXPECT_TRUE(z.is_channels_last() && !z.is_contiguous());
  EXPECT_LT(amax(sub(y, z)).item().value(), 1e-5);
  EXPECT_LT(amax(sub(dx, dz)).item().value(), 1e-5);
}

TEST(Random, WordsAreThoseOfPhiloxWhateverTheThreads) {
  Threads keep;
  manual_seed(7);
  Tensor reference;
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    manual_seed(7);
    Tensor u = rand({100003}), z = randn({70001}), d = rand({1001}, Dtype::f64), p = randperm({{}, {}, 5000});
    for (int64_t i : {0, 1, 5, 1023, 1024, 65537, 100002}) {
      uint32_t word = philox(7, i / 4).w[i % 4];
      EXPECT_EQ(u.data<float>()[i], uniform_float(word)) << i;
    }
    Tensor all = cat({cast_to(u, Dtype::f64), cast_to(z, Dtype::f64), d, cast_to(p, Dtype::f64)});
    if (reference) { EXPECT_TRUE(same_bytes(all, reference)) << threads; }
    reference = all;
  }
}

TEST(Random, DistributionsHaveTheirMoments) {
  manual_seed(1);
  auto moments = [](const Tensor& t, double mean, double std) {
    Tensor x = cast_to(t, Dtype::f64);
    EXPECT_NEAR(luth::mean(x).item().value(), mean, 5 * std / std::sqrt(double(x.numel())));
    EXPECT_NEAR(stddev(x).item().value(), std, 0.02 * std);
  };
  moments(rand({200000}), 0.5, std::sqrt(1.0 / 12));
  moments(randn({200000}), 0, 1);
  moments(randn({200001}, Dtype::f64), 0, 1);
  moments(randint(-3, 7, {200000}), 1.5, std::sqrt(99.0 / 12));
  ops::ExponentialFill e;
  e.lambd = 2;
  moments(exponential.into(Tensor::empty({200000}, Dtype::f32, host()), e), 0.5, 0.5);
  ops::BernoulliFill b;
  b.p = 0.3;
  moments(bernoulli_fill.into(Tensor::empty({200000}, Dtype::i32, host()), b), 0.3, std::sqrt(0.21));
  Tensor order = sort(randperm({{}, {}, 1000}))[0];
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(order.data<int64_t>()[i], i);
}

TEST(Dropout, GradientUsesTheSameMask) {
  Tensor x = fill.into(Tensor::empty({4096}, Dtype::f32, host()), 1).set_requires_grad();
  Tensor y = dropout(x, {.p = 0.25});
  sum(y).backward();
  EXPECT_TRUE(same_bytes(y.detach(), x.grad()));  // the input is all ones
  double kept = sum(ne(y.detach(), 0)).item().value() / 4096;
  EXPECT_NEAR(kept, 0.75, 0.04);
  EXPECT_TRUE(dropout(x, {.p = 0.5, .training = false}).same(x));
}

TEST(Sort, LongRowsOfEveryKind) {
  manual_seed(3);
  Tensor x = randn({2, 3000});
  x.data<float>()[17] = NAN;
  x.data<float>()[18] = -0.0f;
  for (bool descending : {false, true}) {
    Tensors t = sort(x, {.descending = descending});
    const float* v = t[0].data<float>();
    EXPECT_TRUE(std::isnan(descending ? v[0] : v[2999]));
    for (int i = 2; i < 2999; ++i) EXPECT_TRUE(descending ? v[i - 1] >= v[i] : v[i - 1] <= v[i]);
    EXPECT_TRUE(same_bytes(gather(x, t[1], {.dim = 1}), t[0]));
    Tensors top = topk(x, {.k = 100, .largest = descending});
    EXPECT_TRUE(same_bytes(top[1], dense_copy(narrow(t[1], {1, 0, 100}))));
  }
  Tensor few = randint(0, 3, {5000});  // equal elements keep their order
  Tensors t = sort(few, {.stable = true});
  for (int i = 1; i < 5000; ++i)
    if (t[0].data<int64_t>()[i] == t[0].data<int64_t>()[i - 1]) {
      EXPECT_LT(t[1].data<int64_t>()[i - 1], t[1].data<int64_t>()[i]);
    }
}

TEST(Masks, AcrossChunks) {
  manual_seed(5);
  Tensor x = randn({50000}), m = gt(x, 0.3), picked = masked_select(x, m), at = nonzero(m);
  int64_t k = 0;
  for (int64_t i = 0; i < 50000; ++i)
    if (x.data<float>()[i] > 0.3f) {
      ASSERT_EQ(picked.data<float>()[k], x.data<float>()[i]);
      ASSERT_EQ(at.data<int64_t>()[k], i);
      ++k;
    }
  EXPECT_EQ(picked.numel(), k);
  Tensor back = masked_scatter(zeros_of(x), m, picked);
  EXPECT_TRUE(same_bytes(back, masked_fill(x, logical_not(m), 0)));
}

TEST(Softmax, AxesAndDtypesAgree) {
  manual_seed(9);
  Tensor x = randn({37, 50, 19});
  Tensor moved = transpose(softmax(transpose(x, {1, 2}), {.dim = 2}), {1, 2});
  EXPECT_LT(amax(abs(sub(softmax(x, {.dim = 1}), moved))).item().value(), 1e-7);
  Tensor h = softmax(cast_to(x, Dtype::bf16), {.dim = 1});
  EXPECT_LT(amax(abs(sub(h, moved))).item().value(), 4e-3);
}

}  // namespace
}  // namespace luth
