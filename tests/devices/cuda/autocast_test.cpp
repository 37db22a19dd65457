// Mixed precision on CUDA: the same dtypes as on the CPU, nothing waits, and each kind of device has a scope of its
// own.
#include "core/dispatch/autocast.h"

#include <gtest/gtest.h>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/loss.h"
#include "core/ops/nn/softmax.h"
#include "core/ops/reduce/reduce.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

Tensor ramp(const Shape& shape, Device& d) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float((i * 7) % 19) / 12 - 0.7f;
  return to_device(t, {&d});
}
Tensor labels(int64_t n, int64_t classes, Device& d) {
  Tensor t = Tensor::empty({n}, Dtype::i64, host());
  for (int64_t i = 0; i < n; ++i) t.data<int64_t>()[i] = i % classes;
  return to_device(t, {&d});
}

// A step of training of two layers; the loss and the gradients, on the host.
Tensors step(Device& d) {
  const Tensor x = ramp({6, 5}, d), y = labels(6, 3, d);
  const Tensor w1 = ramp({4, 5}, d).set_requires_grad(), b1 = ramp({4}, d).set_requires_grad();
  const Tensor w2 = ramp({3, 4}, d).set_requires_grad(), b2 = ramp({3}, d).set_requires_grad();
  const int64_t before = d.host_waits();
  Tensor loss;
  {
    Autocasting scope(d.kind());
    const Tensor h = relu(linear(x, w1, b1));
    EXPECT_EQ(h.dtype(), Dtype::bf16);
    loss = cross_entropy(linear(h, w2, b2), y, Tensor());
  }
  EXPECT_EQ(loss.dtype(), Dtype::f32);
  loss.backward();
  EXPECT_EQ(d.host_waits(), before);
  return home(Tensors{loss, w1.grad(), b1.grad(), w2.grad(), b2.grad()});
}

}  // namespace

TEST(CudaAutocast, TrainsAsOnTheCpu) {
  const Tensors got = step(gpu()), want = step(host());
  for (auto& g : got) EXPECT_EQ(g.dtype(), Dtype::f32);
  EXPECT_EQ(difference(got, want, 1e-2, 1e-2), "");
}

TEST(CudaAutocast, KindsOfDevicesAreApart) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  const Tensor here = ramp({3, 3}, host()), there = ramp({3, 3}, gpu()), second = ramp({3, 3}, gpu(1));
  Autocasting scope("cuda", Dtype::f16);
  EXPECT_EQ(mm(here, here).dtype(), Dtype::f32);
  EXPECT_EQ(mm(there, there).dtype(), Dtype::f16);
  EXPECT_EQ(mm(second, second).dtype(), Dtype::f16);
  EXPECT_EQ(softmax(mm(there, there), {.dim = 1}).dtype(), Dtype::f32);
  Autocasting both("cpu");
  EXPECT_EQ(mm(here, here).dtype(), Dtype::bf16);
  EXPECT_EQ(mm(there, there).dtype(), Dtype::f16);
}

}  // namespace luth::test
