// Streams, events and host functions: what is ordered stays so, and what is not comes in any order.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "tests/fakecuda/kernels.h"
#include "tests/fakecuda/util.h"

namespace {

using luth::cuda::launch;

class Streams : public Fake {
 protected:
  void SetUp() override {
    Fake::SetUp();
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  }
  cudaStream_t a{}, b{};
};

// Stream b reads what stream a writes; the results over many seeds.
std::set<float> handed_over(cudaStream_t a, cudaStream_t b, bool with_event) {
  std::set<float> seen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    fake::seed(seed);
    Buffer<float> x(std::vector<float>{1}), y(1);
    cudaEvent_t written;
    OK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
    launch(kernels::fill, 1, 32, 0, a, x, 1, 2.0f);
    OK(cudaEventRecord(written, a));
    if (with_event) OK(cudaStreamWaitEvent(b, written));
    launch(kernels::add<float>, 1, 32, 0, b, x, x, y, 1);
    OK(cudaEventDestroy(written));
    OK(cudaStreamSynchronize(b));
    seen.insert(y.get()[0]);
  }
  return seen;
}

TEST_F(Streams, EventsOrderStreams) { EXPECT_EQ(handed_over(a, b, true), (std::set<float>{4})); }
TEST_F(Streams, MissingEventShows) { EXPECT_EQ(handed_over(a, b, false), (std::set<float>{2, 4})); }
TEST_F(Streams, OneStreamIsInOrder) { EXPECT_EQ(handed_over(a, a, false), (std::set<float>{4})); }
TEST_F(Streams, DefaultStreamIgnoresNonBlockingOnes) {
  EXPECT_EQ(handed_over(a, nullptr, false), (std::set<float>{2, 4}));
}
TEST_F(Streams, DefaultStreamOrdersBlockingOnes) {
  cudaStream_t blocking;
  OK(cudaStreamCreate(&blocking));
  EXPECT_EQ(handed_over(blocking, nullptr, false), (std::set<float>{4}));
  EXPECT_EQ(handed_over(nullptr, blocking, false), (std::set<float>{4}));
}

TEST_F(Streams, WaitForAnEventThatWasNeverRecorded) {
  cudaEvent_t never;
  OK(cudaEventCreate(&never));
  OK(cudaStreamWaitEvent(a, never));
  OK(cudaStreamSynchronize(a));
  OK(cudaEventSynchronize(never));
  OK(cudaEventQuery(never));
}

TEST_F(Streams, WorkRunsLate) {
  fake::Machine machine;
  machine.eagerness = 0;
  fake::reset(machine);
  OK(cudaStreamCreate(&a));
  Buffer<float> x(1);
  launch(kernels::fill, 1, 1, 0, a, x, 1, 1.0f);
  EXPECT_EQ(fake::counters().launches, 0u);
  int turns = 0;
  while (cudaStreamQuery(a) == cudaErrorNotReady) ASSERT_LT(++turns, 1000);
  EXPECT_EQ(fake::counters().launches, 1u);
  EXPECT_EQ(fake::counters().host_waits, 0u);
  EXPECT_EQ(cudaGetLastError(), turns ? cudaErrorNotReady : cudaSuccess);
}

// A copy from pinned memory reads it when it runs; one from pageable memory has read it when the call returns.
TEST_F(Streams, PinnedCopiesRunLate) {
  std::set<float> pinned_seen, pageable_seen;
  float* pinned;
  OK(cudaHostAlloc(&pinned, sizeof(float), cudaHostAllocDefault));
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    fake::seed(seed);
    Buffer<float> x(2);
    float pageable = 1;
    *pinned = 1;
    OK(cudaMemcpyAsync(x, pinned, 4, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(x + 1, &pageable, 4, cudaMemcpyHostToDevice, a));
    *pinned = pageable = 2;
    OK(cudaStreamSynchronize(a));
    auto v = x.get();
    pinned_seen.insert(v[0]);
    pageable_seen.insert(v[1]);
  }
  EXPECT_EQ(pinned_seen, (std::set<float>{1, 2}));
  EXPECT_EQ(pageable_seen, (std::set<float>{1}));
  OK(cudaFreeHost(pinned));
}

TEST_F(Streams, WaitsAreCounted) {
  float* pinned;
  OK(cudaHostAlloc(&pinned, 4, cudaHostAllocDefault));
  Buffer<float> x(1), y(1);
  fake::reset_counters();
  float pageable = 1;
  OK(cudaMemcpyAsync(x, pinned, 4, cudaMemcpyHostToDevice, a));
  OK(cudaMemcpyAsync(pinned, x, 4, cudaMemcpyDeviceToHost, a));
  OK(cudaMemcpyAsync(x, &pageable, 4, cudaMemcpyHostToDevice, a));
  OK(cudaMemcpy(y, x, 4, cudaMemcpyDeviceToDevice));
  OK(cudaMemsetAsync(x, 0, 4, a));
  EXPECT_EQ(fake::counters().host_waits, 0u);
  EXPECT_EQ(fake::counters().copies, 4u);
  OK(cudaMemcpyAsync(&pageable, x, 4, cudaMemcpyDeviceToHost, a));
  EXPECT_EQ(pageable, 0);
  OK(cudaMemcpy(&pageable, x, 4, cudaMemcpyDeviceToHost));
  OK(cudaStreamSynchronize(a));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(fake::counters().host_waits, 4u);
}

TEST_F(Streams, ElapsedTime) {
  cudaEvent_t start, end, quick;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventCreateWithFlags(&quick, cudaEventDisableTiming));
  Buffer<float> out(64);
  OK(cudaEventRecord(start, a));
  launch(kernels::barriers, 1, 64, 0, a, out, 100);
  OK(cudaEventRecord(end, a));
  OK(cudaEventRecord(quick, a));
  OK(cudaEventSynchronize(end));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, start, end));
  EXPECT_GT(ms, 0);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, quick), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, InvalidHandles) {
  cudaStream_t gone = b;
  OK(cudaStreamDestroy(b));
  EXPECT_EQ(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(reinterpret_cast<cudaEvent_t>(&gone), a), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, ADestroyedStreamDoesItsWork) {
  Buffer<float> x(1);
  launch(kernels::fill, 1, 1, 0, b, x, 1, 5.0f);
  OK(cudaStreamDestroy(b));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(x.get()[0], 5);
}

TEST_F(Streams, HostFunctions) {
  static std::atomic<int> order;
  static std::thread::id ran_on;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    fake::seed(seed);
    order = 0;
    auto times_ten_plus = [](void* digit) {
      ran_on = std::this_thread::get_id();
      order = order * 10 + int(reinterpret_cast<intptr_t>(digit));
    };
    for (intptr_t i = 1; i <= 3; ++i) OK(cudaLaunchHostFunc(a, times_ten_plus, reinterpret_cast<void*>(i)));
    OK(cudaStreamSynchronize(a));
    EXPECT_EQ(order, 123);
    EXPECT_NE(ran_on, std::this_thread::get_id());
  }
}

// As a loader does: the host waits for the function by means of its own.
TEST_F(Streams, HostFunctionsComeByThemselves) {
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  } signal;
  Buffer<float> x(1);
  launch(kernels::fill, 1, 1, 0, a, x, 1, 5.0f);
  auto tell = [](void* p) {
    auto& s = *static_cast<Signal*>(p);
    std::lock_guard lock(s.mutex);
    s.done = true;
    s.changed.notify_all();
  };
  OK(cudaLaunchHostFunc(a, tell, &signal));
  std::unique_lock lock(signal.mutex);
  EXPECT_TRUE(signal.changed.wait_for(lock, std::chrono::seconds(60), [&] { return signal.done; }));
}

TEST_F(Streams, TwoHostThreads) {
  auto work = [](cudaStream_t stream) {
    for (int i = 0; i < 20; ++i) {
      Buffer<float> x(300);
      launch(kernels::fill, 2, 160, 0, stream, x, 300, float(i));
      OK(cudaStreamSynchronize(stream));
      EXPECT_EQ(x.get(), std::vector<float>(300, float(i)));
    }
  };
  std::thread other(work, a);
  work(b);
  other.join();
}

TEST_F(Streams, TheSeedDecides) {
  auto trace = [](uint64_t seed) {
    fake::Machine machine;
    machine.seed = seed;
    fake::reset(machine);
    std::vector<cudaStream_t> streams(4);
    for (auto& s : streams) OK(cudaStreamCreate(&s));
    Buffer<float> x(4);
    Buffer<int> order(1);
    for (int i = 0; i < 12; ++i) {
      if (i % 2)
        launch(kernels::fill, 1, 1, 0, streams[i % 4], x + i % 4, 1, float(i));
      else
        launch(kernels::add<float>, 1, 1, 0, streams[i % 4], x + i % 4, x + i % 4, x + i % 4, 1);
    }
    OK(cudaDeviceSynchronize());
    return fake::take_kernels();
  };
  EXPECT_EQ(trace(5), trace(5));
  std::set<std::vector<std::string>> different;
  for (uint64_t seed = 1; seed <= 10; ++seed) different.insert(trace(seed));
  EXPECT_GT(different.size(), 5u);
}

}  // namespace
