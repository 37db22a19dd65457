// The CUDA device on the fake run-time: memory, streams, events, copies, and what it says where there is none.
#include <fakecuda.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/device.h"
#include "core/ops/arith.h"
#include "core/ops/copy.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace luth {
namespace {

Device& gpu(int i = 0) {
  static const bool set = [] {
    setenv("LUTH_DEVICE_PATH", (std::string(LUTH_BINARY_DIR) + "/lib-test").c_str(), 1);
    setenv("FAKECUDA_DEVICES", "2", 1);
    return true;
  }();
  static_cast<void>(set);
  return device("cuda:" + std::to_string(i));
}
Tensor numbers(int64_t n) {
  Tensor t = Tensor::empty({n}, Dtype::f32, host());
  for (int64_t i = 0; i < n; ++i) t.data<float>()[i] = float(i % 97) - 40;
  return t;
}
void expect_same(const Tensor& a, const Tensor& b) {
  Tensor x = to_device(a, {&host()}), y = to_device(b, {&host()});
  ASSERT_EQ(to_string(x.shape()), to_string(y.shape()));
  ASSERT_EQ(x.dtype(), y.dtype());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Tensor p = reshape(x, {Shape{x.numel()}}), q = reshape(y, {Shape{y.numel()}});
    ASSERT_EQ(select(p, {0, i}).item().value(), select(q, {0, i}).item().value()) << i;
  }
}

TEST(Device, CopiesThereAndBack) {
  Tensor t = numbers(1000), there = to_device(t, {&gpu()});
  EXPECT_EQ(there.device().name(), "cuda:0");
  expect_same(there, t);
  expect_same(to_device(there, {&gpu(1)}), t);
}

TEST(Device, MemoryIsKeptForItsStream) {
  Device& d = gpu();
  d.synchronize();
  d.empty_cache();
  const MemoryStats before = d.memory();
  void* p = d.allocate(5000, d.current_stream());
  EXPECT_EQ(d.memory().allocated - before.allocated, 5120);
  d.free(p, 5000, d.current_stream());
  EXPECT_EQ(d.memory().allocated, before.allocated);
  void* again = d.allocate(5000, d.current_stream());
  EXPECT_EQ(again, p);
  Stream* other = d.new_stream(0);
  void* apart = d.allocate(5000, other);
  EXPECT_NE(apart, p);
  d.free(again, 5000, d.current_stream());
  EXPECT_NE(d.allocate(5000, other), p);
}

}  // namespace
}  // namespace luth
