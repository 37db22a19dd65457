// backward on several streams and devices: each step runs in the stream of its forward, gradients are not used before
// they are there, and the caller's stream sees them. Streams of the fake run late and in any order, so that a missing
// event gives wrong numbers for some of these seeds.
#include "core/device/device_support.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

class In {
 public:
  explicit In(Stream& s) : device_(s.device()), before_(device_.current_stream()) { device_.set_current_stream(&s); }
  ~In() { device_.set_current_stream(before_); }

 private:
  Device& device_;
  Stream* before_;
};
void order(Stream& later, Stream& first) {
  auto event = first.device().new_event(false);
  event->record(first);
  later.wait(*event);
}
Tensor counted(int64_t n) {
  Tensor t = Tensor::empty({n}, Dtype::f32, host());
  for (int64_t i = 0; i < n; ++i) t.data<float>()[i] = float(i % 13) - 6;
  return t;
}

TEST(BackwardStreams, EachStepRunsWhereItsForwardRan) {
  Device& d = gpu();
  Stream *main = d.current_stream(), *a = d.new_stream(0), *b = d.new_stream(0);
  const Tensor values = counted(3000);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    reorder(seed);
    Tensor x = to_device(values, {&d}).set_requires_grad(), y, z;
    order(*a, *main), order(*b, *main);
    {
      In in(*a);
      y = mul(mul(x, x), x);
    }
    {
      In in(*b);
      z = mul(mul(x, 3), x);
    }
    order(*main, *a), order(*main, *b);
    sum(add(y, z)).backward();
    EXPECT_EQ(d.current_stream(), main);
    Tensor g = mul(x.grad(), 1);  // in the caller's stream, without a wait
    Tensor got = home(g);
    for (int64_t i = 0; i < values.numel(); ++i) {
      const float v = values.data<float>()[i];
      ASSERT_EQ(got.data<float>()[i], 3 * v * v + 6 * v) << "element " << i << ", seed " << seed;
    }
  }
}

TEST(BackwardStreams, GradientsPassBetweenDevices) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  Device &one = gpu(0), &two = gpu(1);
  Stream* side = two.new_stream(0);
  const Tensor values = counted(3000);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    reorder(seed);
    Tensor x = to_device(values, {&one}).set_requires_grad(), y;
    {
      In in(*side);
      y = mul(to_device(mul(x, 2), {&two}), 5);
    }
    order(*two.current_stream(), *side);
    sum(mul(y, y)).backward();
    Tensor got = home(x.grad());
    for (int64_t i = 0; i < values.numel(); ++i)
      ASSERT_EQ(got.data<float>()[i], 200 * values.data<float>()[i]) << "element " << i << ", seed " << seed;
  }
}

TEST(BackwardStreams, AnErrorLeavesTheStreamsAsTheyWere) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  Device& d = gpu(1);
  Stream *main = d.current_stream(), *a = d.new_stream(0);
  set_current_device(gpu(0));
  Tensor x = to_device(counted(10), {&d}).set_requires_grad(), y;
  order(*a, *main);
  {
    In in(*a);
    y = mul(x, x);
  }
  int current = -1;
  register_hook(y, [&](const Tensor&) -> Tensor {
    EXPECT_EQ(d.current_stream(), a);
    current = current_device("cuda").index();
    throw Error("stop");
  });
  order(*main, *a);
  EXPECT_THROW(sum(y).backward(), Error);
  EXPECT_EQ(current, 1);
  EXPECT_EQ(d.current_stream(), main);
  EXPECT_EQ(&current_device("cuda"), &gpu(0));
}

}  // namespace
}  // namespace luth::test
