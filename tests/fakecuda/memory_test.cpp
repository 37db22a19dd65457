// Device memory: who may touch it, what is found when somebody goes too far, and its end.
#include "tests/fakecuda/kernels.h"
#include "tests/fakecuda/util.h"

namespace {

using luth::cuda::launch;

class Memory : public Fake {
 protected:
  void SetUp() override {
    Fake::SetUp();
    fake::print_reports(false);
  }
  static void guarded() {
    fake::Machine machine;
    machine.guards = true;
    fake::reset(machine);
    fake::print_reports(false);
  }
};
using MemoryDeathTest = Memory;

TEST_F(MemoryDeathTest, HostCannotTouchIt) {
  Buffer<float> x(std::vector<float>{1, 2});
  launch(kernels::fill, 1, 2, 0, nullptr, x, 2, 7.0f);
  OK(cudaDeviceSynchronize());
  EXPECT_DEATH(*static_cast<volatile float*>(static_cast<float*>(x)) = 1, "host code touches memory of device 0");
  EXPECT_EQ(x.get()[0], 7);
}

TEST_F(Memory, ProtectionCanBeLeftOut) {
  fake::Machine machine;
  machine.protect = false;
  fake::reset(machine);
  Buffer<float> x(std::vector<float>{1, 2});
  EXPECT_EQ(static_cast<float*>(x)[1], 2);
}

TEST_F(Memory, IsPoisoned) {
  Buffer<float> x(1000);
  for (float v : x.get()) EXPECT_NE(v, v);
}

TEST_F(Memory, WriteBehindTheEnd) {
  guarded();
  Buffer<float> x(100), before(100);
  launch(kernels::write_at, 1, 1, 0, nullptr, x, 99);
  OK(cudaDeviceSynchronize());
  launch(kernels::write_at, 1, 1, 0, nullptr, x, 100);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  std::string report = only_report();
  EXPECT_TRUE(contains(report, "kernel kernels::write_at, block (0, 0, 0), thread (0, 0, 0): illegal write at 0x"))
      << report;
  EXPECT_TRUE(contains(report, ", 0 bytes past the end of 400 bytes")) << report;
}

TEST_F(Memory, ReadBehindTheEnd) {
  guarded();
  Buffer<float> x(100), out(1);
  launch(kernels::read_at, 2, 33, 0, nullptr, x, out, 110);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  std::string report = only_report();
  EXPECT_TRUE(contains(report, "illegal read at 0x") && contains(report, ", 40 bytes past the end of 400 bytes"))
      << report;
}

TEST_F(Memory, UseAfterFree) {
  float* x;
  Buffer<float> out(1);
  OK(cudaMalloc(&x, 400));
  OK(cudaFree(x));
  launch(kernels::read_at, 1, 1, 0, nullptr, x, out, 3);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_TRUE(contains(only_report(), "where device 0 has nothing allocated"));
}

TEST_F(Memory, NullPointer) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the undefined-behaviour sanitizer ends the program first";
#endif
  launch(kernels::write_at, 1, 1, 0, nullptr, nullptr, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_TRUE(contains(only_report(), "illegal write"));
}

TEST_F(Memory, Alignment) {
  guarded();
  for (size_t bytes : {1, 4, 24, 256, 1000, 4096, 5000, 12288}) {
    char* p;
    OK(cudaMalloc(&p, bytes));
    EXPECT_EQ(uintptr_t(p) % 16, 0u);
    EXPECT_LT(4096 - (uintptr_t(p) + bytes - 1) % 4096 - 1, 16u) << bytes;  // ends near the end of a page
  }
  fake::set_guards(false);
  for (size_t bytes : {1, 1000, 5000}) {
    char* p;
    OK(cudaMalloc(&p, bytes));
    EXPECT_EQ(uintptr_t(p) % 256, 0u);
  }
}

TEST_F(Memory, EndsWhenItIsUsedUp) {
  fake::set_memory(0, 10000);
  size_t free = 0, total = 0;
  {
    Buffer<char> x(6000);
    void* p = &free;
    EXPECT_EQ(cudaMalloc(&p, 4001), cudaErrorMemoryAllocation);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not sticky
    OK(cudaMemGetInfo(&free, &total));
    EXPECT_EQ(free, 4000u);
    EXPECT_EQ(total, 10000u);
    Buffer<char> y(4000);
  }
  Buffer<char> all(10000);
  OK(cudaMalloc((void**)&free, 0));
}

TEST_F(Memory, AllocationFailsOnDemand) {
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation, 2, 1);
  void* p;
  OK(cudaMalloc(&p, 8));
  EXPECT_EQ(cudaMalloc(&p, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&p, 8), cudaErrorMemoryAllocation);
  OK(cudaMalloc(&p, 8));
}

TEST_F(Memory, CopiesAreChecked) {
  Buffer<float> x(4);
  float host[8] = {};
  EXPECT_EQ(cudaMemcpy(x, host, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(x, host, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyAsync(host, host + 4, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(x + 1, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(x + 1), cudaErrorInvalidValue);
  OK(cudaMemcpy(x, host, 16, cudaMemcpyDefault));
  OK(cudaMemset(x + 1, 0x3f, 4));
  EXPECT_GT(x.get()[1], 0.7f);
}

TEST_F(Memory, WhatAPointerIs) {
  Buffer<float> x(4);
  float *pinned, pageable;
  OK(cudaHostAlloc(&pinned, 64, cudaHostAllocDefault));
  cudaPointerAttributes a{};
  OK(cudaPointerGetAttributes(&a, x + 2));
  EXPECT_EQ(a.type, cudaMemoryTypeDevice);
  EXPECT_EQ(a.device, 0);
  OK(cudaPointerGetAttributes(&a, pinned + 3));
  EXPECT_EQ(a.type, cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&a, &pageable));
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
  OK(cudaHostRegister(&pageable, 4, cudaHostRegisterDefault));
  OK(cudaPointerGetAttributes(&a, &pageable));
  EXPECT_EQ(a.type, cudaMemoryTypeHost);
  OK(cudaHostUnregister(&pageable));
  OK(cudaFreeHost(pinned));
  EXPECT_EQ(cudaFreeHost(&pageable), cudaErrorInvalidValue);
}

// Kernels reach pinned memory as it is.
TEST_F(Memory, KernelsReachPinnedMemory) {
  float* pinned;
  OK(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
  launch(kernels::fill, 1, 32, 0, nullptr, pinned, 16, 3.0f);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(pinned[15], 3);
  OK(cudaFreeHost(pinned));
}

}  // namespace
