// Kernels: their results, their barriers and warps, their mistakes.
#include "tests/fakecuda/kernels.h"

#include <algorithm>
#include <stdexcept>

#include "tests/fakecuda/util.h"

namespace luth::cuda {
void launch_failed(cudaError_t error, const void*, dim3, dim3, size_t) {
  throw std::runtime_error(cudaGetErrorName(error));
}
}  // namespace luth::cuda

namespace {

using luth::cuda::launch;

class Kernels : public Fake {};

TEST_F(Kernels, SumOfBlocks) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    fake::seed(seed);
    Buffer<float> x(counting<float>(5000)), out(8);
    launch(kernels::block_sum<float>, 8, 256, 0, nullptr, x, out, 5000);
    auto parts = out.get();
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), 5000.0 * 4999 / 2);
  }
}

TEST_F(Kernels, TiledMatmul) {
  constexpr int n = 48;
  std::vector<float> a(n * n), b(n * n), expected(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = float(i % 7 - 3), b[i] = float(i % 5 - 2);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) expected[i * n + j] += a[i * n + k] * b[k * n + j];
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    fake::seed(seed);
    Buffer<float> da(a), db(b), dc(n * n);
    launch(kernels::matmul, dim3(3, 3), dim3(16, 16), 0, nullptr, da, db, dc, n);
    EXPECT_EQ(dc.get(), expected);
  }
}

TEST_F(Kernels, NamesAndCounts) {
  Buffer<float> x(100);
  launch(kernels::fill, 2, 64, 0, nullptr, x, 100, 3.0f);
  launch(kernels::add<float>, 1, 32, 0, nullptr, x, x, x, 100);
  launch(kernels::fill, 0, 64, 0, nullptr, x, 100, 9.0f);  // no blocks: nothing
  EXPECT_EQ(x.get(), std::vector<float>(100, 6.0f));
  EXPECT_EQ(fake::take_kernels(), (std::vector<std::string>{"kernels::fill", "kernels::add<float>"}));
  EXPECT_EQ(fake::counters().launches, 2u);
  EXPECT_EQ(fake::counters().blocks, 3u);
  EXPECT_EQ(fake::counters().host_waits, 1u);
}

TEST_F(Kernels, DynamicSharedMemory) {
  for (size_t threads : {1, 32, 100, 1024}) {
    Buffer<double> x(counting<double>(threads * 3));
    launch(kernels::reverse<double>, 3, unsigned(threads), threads * sizeof(double), nullptr, x, true);
    auto v = x.get();
    for (size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], double(i / threads * threads + threads - 1 - i % threads));
  }
  Buffer<float> x(32);
  EXPECT_THROW(launch(kernels::reverse<float>, 1, 32, 60000, nullptr, x, true), std::runtime_error);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(kernels::reverse<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  launch(kernels::reverse<float>, 1, 32, 60000, nullptr, x, true);
  OK(cudaDeviceSynchronize());
}

// A barrier that is missing shows in nearly every order: what was not written yet reads as poison.
template <class Launch>
int wrong_orders(Launch run) {
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    fake::seed(seed);
    wrong += run();
  }
  return wrong;
}

TEST_F(Kernels, MissingBarrierShows) {
  for (bool with_barrier : {true, false}) {
    int dynamic = wrong_orders([&] {
      Buffer<int> x(counting<int>(256));
      launch(kernels::reverse<int>, 1, 256, 1024, nullptr, x, with_barrier);
      auto v = x.get();
      std::reverse(v.begin(), v.end());
      return v != counting<int>(256);
    });
    int fixed = wrong_orders([&] {
      Buffer<int> x(counting<int>(256));
      launch(kernels::reverse_static, 1, 256, 0, nullptr, x, with_barrier);
      auto v = x.get();
      std::reverse(v.begin(), v.end());
      return v != counting<int>(256);
    });
    if (with_barrier) {
      EXPECT_EQ(dynamic + fixed, 0);
    } else {
      EXPECT_GE(dynamic, 15);
      EXPECT_GE(fixed, 15);
    }
  }
}

TEST_F(Kernels, SharedMemoryIsPoisoned) {
  Buffer<float> out(64);
  for (int run = 0; run < 100; ++run) {
    launch(kernels::uninitialised, 1, 64, 0, nullptr, out);
    auto v = out.get();
    EXPECT_EQ(v[0], 1);
    for (int i = 1; i < 64; ++i) EXPECT_NE(v[i], v[i]);
  }
}

TEST_F(Kernels, WarpOperations) {
  Buffer<int> out(64 * 12);
  launch(kernels::warp_operations, 1, 64, 0, nullptr, out);
  auto v = out.get();
  for (int t = 0; t < 64; ++t) {
    int lane = t % 32;
    const int* mine = &v[size_t(t) * 12];
    EXPECT_EQ(mine[0], 50);
    EXPECT_EQ(mine[1], lane ? lane - 1 : 0);
    EXPECT_EQ(mine[2], lane < 30 ? lane + 2 : lane);
    EXPECT_EQ(mine[3], lane ^ 1);
    EXPECT_EQ(mine[4], lane % 8 < 4 ? lane + 4 : lane);
    EXPECT_EQ(mine[5], 0xf);
    EXPECT_EQ(mine[6], 1);
    EXPECT_EQ(mine[7], 0);
    EXPECT_EQ(mine[8], lane ^ 3);
    EXPECT_EQ(unsigned(mine[9]), 0x11111111u << lane % 4);
    EXPECT_EQ(mine[10], 8 + 31 + 4);
    EXPECT_EQ(mine[11], lane < 8 ? 28 : -1);
  }
}

TEST_F(Kernels, BlockVotes) {
  Buffer<int> out(300);
  launch(kernels::block_votes, 1, 100, 0, nullptr, out);
  auto v = out.get();
  for (int t = 0; t < 100; ++t) {
    EXPECT_EQ(v[t * 3], 34);
    EXPECT_EQ(v[t * 3 + 1], 1);
    EXPECT_EQ(v[t * 3 + 2], 0);
  }
}

TEST_F(Kernels, Atomics) {
  fake::Machine machine;
  machine.two_threads = 1;
  fake::reset(machine);
  Buffer<int> i(std::vector<int>{0}), extremes(std::vector<int>{0, 0});
  Buffer<unsigned long long> u(std::vector<unsigned long long>{0});
  Buffer<float> f(std::vector<float>{0});
  Buffer<double> d(std::vector<double>{0});
  Buffer<unsigned> lock(std::vector<unsigned>{0, 0});
  launch(kernels::atomics, 64, 128, 0, nullptr, i, u, f, d, extremes, lock);
  EXPECT_EQ(i.get()[0], 8192);
  EXPECT_EQ(u.get()[0], 8192ull << 33);
  EXPECT_EQ(f.get()[0], 4096);
  EXPECT_EQ(d.get()[0], 2048);
  EXPECT_EQ(extremes.get(), (std::vector<int>{8191, -8191}));
  EXPECT_EQ(lock.get(), (std::vector<unsigned>{1, 7}));
}

TEST_F(Kernels, LastBlockSums) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    fake::seed(seed);
    Buffer<int> parts(50), out(1);
    Buffer<unsigned> arrived(std::vector<unsigned>{0});
    launch(kernels::last_block, 50, 32, 0, nullptr, parts, arrived, out);
    EXPECT_EQ(out.get()[0], 1225);
  }
}

TEST_F(Kernels, Vectors) {
  static_assert(alignof(float4) == 16 && alignof(double2) == 16 && alignof(longlong2) == 16 && alignof(uchar4) == 4);
  static_assert(sizeof(float3) == 12 && alignof(double4) == 16);
  Buffer<float4> in(std::vector<float4>{{1, 2, 3, 4}, {5, 6, 7, 8}}), out(2);
  launch(kernels::vectors, 1, 2, 0, nullptr, in, out);
  EXPECT_EQ(out.get()[1].x, 8);
  EXPECT_EQ(out.get()[0].w, 1);
}

// ---- mistakes ----

class Mistakes : public Fake {
 protected:
  void SetUp() override {
    Fake::SetUp();
    fake::print_reports(false);
  }
  // The error that the device ends in, and its report.
  std::string after(cudaError_t expected) {
    EXPECT_EQ(cudaDeviceSynchronize(), expected);
    return only_report();
  }
};

TEST_F(Mistakes, DivergentBarrier) {
  Buffer<float> out(32);
  launch(kernels::divergent, dim3(1, 2), 32, 0, nullptr, out);
  std::string report = after(cudaErrorLaunchFailure);
  EXPECT_TRUE(contains(report, "device 0, kernel kernels::divergent, block (0, ")) << report;
  EXPECT_TRUE(contains(report, "divergent barrier: 16 of 32 threads wait at the barrier at kernels.cpp:")) << report;
  EXPECT_TRUE(contains(report, "16 have ended")) << report;
}

TEST_F(Mistakes, TwoBarriersAreNotOne) {
  Buffer<float> out(32);
  launch(kernels::two_barriers, 1, 32, 0, nullptr, out);
  std::string report = after(cudaErrorLaunchFailure);
  EXPECT_TRUE(contains(report, "divergent barrier: waits at kernels.cpp:")) << report;
}

TEST_F(Mistakes, LanesThatNeverCome) {
  Buffer<int> out(32);
  for (uint64_t seed = 1; seed < 10; ++seed) {
    fake::reset();
    fake::print_reports(false);
    fake::seed(seed);
    launch(kernels::half_warp, 1, 32, 0, nullptr, out);
    EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
    std::string report = only_report();
    EXPECT_TRUE(contains(report, "of mask 0xffffffff has ended") || contains(report, "deadlock: 16 wait in")) << report;
  }
}

TEST_F(Mistakes, BehindDynamicSharedMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the program at such a write";
#endif
  Buffer<float> out(32);
  launch(kernels::behind_shared, 1, 32, 128, nullptr, out);
  std::string report = after(cudaErrorIllegalAddress);
  EXPECT_TRUE(contains(report, "behind the end of its 128 bytes of dynamic shared memory")) << report;
}

TEST_F(Mistakes, TrapAndDivision) {
  launch(kernels::give_up, 1, 40, 0, nullptr);
  std::string report = after(cudaErrorLaunchFailure);
  EXPECT_TRUE(contains(report, "__trap at kernels.cpp:")) << report;
  fake::reset();
  fake::print_reports(false);
#ifndef __SANITIZE_ADDRESS__  // the undefined-behaviour sanitizer comes first
  Buffer<int> x(std::vector<int>{5});
  launch(kernels::divide, 1, 1, 0, nullptr, x, 0);
  EXPECT_TRUE(contains(after(cudaErrorLaunchFailure), "division by zero"));
#endif
}

TEST_F(Mistakes, WrongConfigurations) {
  Buffer<float> x(8);
  for (dim3 block : {dim3(1025), dim3(1, 1, 65), dim3(32, 33), dim3(0)}) {
    EXPECT_THROW(launch(kernels::fill, 1, block, 0, nullptr, x, 8, 0.0f), std::runtime_error);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  }
  EXPECT_THROW(launch(kernels::fill, dim3(1, 70000), 1, 0, nullptr, x, 8, 0.0f), std::runtime_error);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Mistakes, HostPointerAsArgument) {
  float host = 0;
  launch(kernels::fill, 1, 1, 0, nullptr, &host, 1, 1.0f);
  EXPECT_TRUE(contains(after(cudaErrorIllegalAddress), "pointer argument 1 leads to pageable host memory"));
  EXPECT_EQ(host, 0);
}

}  // namespace
