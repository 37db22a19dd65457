// The CUDA device on the fake run-time: memory, streams, events, copies, and what it says where there is none.
#include <fakecuda.h>

#include "gpu.h"

namespace luth::test {
namespace {

Tensor numbers(int64_t n) {
  Tensor t = Tensor::empty({n}, Dtype::f32, host());
  for (int64_t i = 0; i < n; ++i) t.data<float>()[i] = float(i % 97) - 40;
  return t;
}
TEST(Device, CopiesThereAndBack) {
  Tensor t = numbers(1000), there = to_device(t, {&gpu()});
  EXPECT_EQ(there.device().name(), "cuda:0");
  EXPECT_EQ(difference(home(there), t), "");
  Tensor second = to_device(there, {&gpu(1)});
  EXPECT_EQ(second.device().name(), "cuda:1");
  EXPECT_EQ(difference(home(second), t), "");
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
}  // namespace luth::test
