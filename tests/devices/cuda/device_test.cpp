// The CUDA device: memory, streams, events, copies, and what it says where memory ends.
#include "core/ops/elementwise/arith.h"
#include "tests/devices/cuda/gpu.h"

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
}

TEST(Device, CopiesToAnotherDevice) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  Tensor t = numbers(1000), second = to_device(to_device(t, {&gpu()}), {&gpu(1)});
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

// A block that another stream still reads is not handed out before that stream is done with it.
TEST(Device, RecordedStreamsKeepMemory) {
  Device& d = gpu();
  d.synchronize();
  d.empty_cache();
  Stream &first = *d.current_stream(), &second = *d.new_stream(0);
  void* p = d.allocate(4096, &first);
  auto filled = d.new_event(false);
  std::vector<char> bytes(4096, 3);
  copy_bytes(p, d, bytes.data(), host(), 4096);
  filled->record(first);
  second.wait(*filled);
  void* copied = d.allocate(4096, &second);
  d.set_current_stream(&second);
  copy_bytes(copied, d, p, d, 4096);
  d.set_current_stream(nullptr);
  d.record_stream(p, &second);
  d.free(p, 4096, &first);
  void* next = d.allocate(4096, &first);
  d.fill_zero(next, 4096);
  d.synchronize();
  std::vector<char> got(4096);
  copy_bytes(got.data(), host(), copied, d, 4096);
  EXPECT_EQ(got, bytes);
  d.free(next, 4096, &first);
  d.free(copied, 4096, &second);
}

// Nor is one that an operator works with in another stream, though nobody has said so.
TEST(Device, OperatorsKeepMemoryOfOtherStreams) {
  Device& d = gpu();
  d.synchronize();
  d.empty_cache();
  Stream &first = *d.current_stream(), &second = *d.new_stream(0);
  const Tensor t = numbers(3000);
  for (int i = 0; i < 20; ++i) {
    Tensor x = to_device(t, {&d});
    auto filled = d.new_event(false);
    filled->record(first);
    second.wait(*filled);
    d.set_current_stream(&second);
    Tensor y = add(x, x);
    d.set_current_stream(nullptr);
    x = Tensor();
    Tensor next = Tensor::empty({3000}, Dtype::f32, d);
    d.fill_zero(next.raw(), next.bytes());
    d.synchronize();
    EXPECT_EQ(difference(home(y), add(t, t)), "");
  }
}

TEST(Device, EventsOrderStreamsAndMeasure) {
  Device& d = gpu();
  auto begin = d.new_event(true), end = d.new_event(true);
  begin->record(*d.current_stream());
  Tensor x = to_device(numbers(100000), {&d});
  Tensor y = add(x, x);
  end->record(*d.current_stream());
  end->synchronize();
  EXPECT_TRUE(begin->done());
  EXPECT_GE(begin->elapsed(*end), 0);
}

TEST(Device, EventsBelongToTheirDevice) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  auto event = gpu(1).new_event(false);
  EXPECT_THROW(event->record(*gpu().current_stream()), Error);
}

// Each device has streams and memory of its own; a tensor that moves is waited for where it is read.
TEST(Device, TwoDevicesWorkTogether) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  for (int i = 0; i < 20; ++i) {
    Tensor x = to_device(numbers(5000), {&gpu(0)});
    Tensor doubled = add(x, x);
    Tensor there = to_device(doubled, {&gpu(1)});
    Tensor back = to_device(add(there, there), {&gpu(0)});
    EXPECT_EQ(difference(home(back), home(add(doubled, doubled))), "");
  }
  EXPECT_THROW(add(to_device(numbers(3), {&gpu(0)}), to_device(numbers(3), {&gpu(1)})), Error);
}

TEST(Device, PinnedMemoryIsCopiedLater) {
  Device& d = gpu();
  d.synchronize();
  const int64_t before = d.host_waits();
  auto* p = static_cast<float*>(d.allocate_pinned(4000));
  for (int i = 0; i < 1000; ++i) p[i] = float(i);
  Tensor x = Tensor::empty({1000}, Dtype::f32, d);
  copy_bytes(x.raw(), d, p, host(), 4000, true);
  d.free_pinned(p, 4000);
  auto* q = static_cast<float*>(d.allocate_pinned(4000));  // must not be the memory that the copy may still read
  for (int i = 0; i < 1000; ++i) q[i] = -1;
  EXPECT_EQ(d.host_waits(), before);
  Tensor got = home(x);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(got.data<float>()[i], float(i));
  EXPECT_EQ(d.host_waits(), before + 1);
  d.free_pinned(q, 4000);
}

// What is cached is given back before an allocation fails, and the device goes on after a failure.
TEST(Device, OutOfMemoryIsAnErrorAndNoMore) {
  Device& d = gpu();
  d.synchronize();
  d.empty_cache();
  const int64_t retries = d.memory().retries;
  const int64_t mib = int64_t(1) << 20, large_bytes = limit_memory(64 * mib) / mib * 3 / 4 * mib;  // 48 of 64 MiB
  auto room = [&](int64_t bytes) { return Tensor::empty({bytes}, Dtype::u8, d); };
  std::vector<Tensor> held;
  for (int i = 0; i < 4; ++i) held.push_back(room(large_bytes / 4));
  held.clear();  // kept as 4 segments
  Tensor large = room(large_bytes);
  EXPECT_GT(d.memory().retries, retries);
  try {
    room(large_bytes);
    ADD_FAILURE() << "there was no memory for it";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::memory);
    EXPECT_NE(std::string(e.what()).find(LUTH_REAL_GPU ? "iB" : "48.0 MiB"), std::string::npos) << e.what();
  }
  large = {};
  Tensor x = to_device(numbers(1000), {&d});
  EXPECT_EQ(difference(home(add(x, x)), add(numbers(1000), numbers(1000))), "");
  d.empty_cache();
  limit_memory(1024 * mib);
}

}  // namespace
}  // namespace luth::test
