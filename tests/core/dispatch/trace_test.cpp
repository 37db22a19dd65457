// The recorder on its own; that it replays every operator is tested from the registry.
#include "core/dispatch/trace.h"

#include <gtest/gtest.h>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth {
namespace {
Tensor vec(std::initializer_list<double> v) { return Tensor::from<double>({int64_t(v.size())}, v.begin()); }
}  // namespace

TEST(Trace, ReplaysOnOtherInputs) {
  Tensor x = vec({1, 2}), w = vec({3, 4}), constant = vec({10, 10});
  Trace trace({x, w});
  Tensor y = sum(add(mul(x, w), constant));
  trace.finish({y});
  EXPECT_EQ(y.item().value(), 31);
  EXPECT_EQ(trace.replay({vec({2, 2}), vec({1, 1})})[0].item().value(), 24);
  EXPECT_EQ(trace.size(), 3u);
  EXPECT_THROW(trace.replay({x}), Error);
}

TEST(Trace, ReplaysWritesIntoViews) {
  Tensor x = vec({1, 2, 3});
  Trace trace({x});
  Tensor y = mul(x, 1);
  mul.into(slice(y, {.dim = 0, .start = 1, .end = 3}), 10);
  trace.finish({y});
  EXPECT_NE(trace.text().find("mul_("), std::string::npos) << trace.text();
  Tensor again = trace.replay({vec({4, 5, 6})})[0];
  EXPECT_EQ(again.data<double>()[0], 4);
  EXPECT_EQ(again.data<double>()[2], 60);
}

TEST(Trace, ScopesNestAndEnd) {
  Tensor x = vec({1});
  {
    Trace outer({x});
    Trace inner({x});
    Tensor y = exp(x);
    inner.finish({y});
    exp(y);
    EXPECT_EQ(inner.size(), 1u);
    EXPECT_EQ(outer.size(), 2u);
  }
  EXPECT_EQ(observer(), nullptr);
}

}  // namespace luth
