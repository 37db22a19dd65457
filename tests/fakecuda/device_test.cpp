// Devices: how many there are and why there are none, several at a time, errors that stick.
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/fakecuda/kernels.h"
#include "tests/fakecuda/util.h"

namespace {

using luth::cuda::launch;

class Devices : public Fake {
 protected:
  static void with(int devices, int driver = -1) {
    fake::Machine machine;
    machine.devices = devices;
    machine.driver = driver;
    fake::reset(machine);
    fake::print_reports(false);
  }
  static int count() {
    int n = -1;
    cudaError_t error = cudaGetDeviceCount(&n);
    cudaGetLastError();
    return error == cudaSuccess || error == cudaErrorNoDevice ? n : -int(error);
  }
  void TearDown() override {
    unsetenv("CUDA_VISIBLE_DEVICES");
    Fake::TearDown();
  }
};

TEST_F(Devices, WithoutADriver) {
  for (int driver : {0, 12040}) {
    with(1, driver);
    int n = 77, version = -1;
    EXPECT_EQ(cudaGetDeviceCount(&n), cudaErrorInsufficientDriver);
    EXPECT_EQ(n, 77);
    OK(cudaDriverGetVersion(&version));
    EXPECT_EQ(version, driver);
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 8), cudaErrorInsufficientDriver);
    EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorInsufficientDriver");
  }
}

TEST_F(Devices, Visible) {
  with(0);
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorNoDevice);
  struct Case {
    const char* text;
    int devices;
    const char* first;
  };
  for (Case c : {Case{"", 0, ""},
                 {"-1", 0, ""},
                 {"0, 2", 2, "Fake GPU 0"},
                 {"2,1", 2, "Fake GPU 2"},
                 {"1,9,0", 1, "Fake GPU 1"},
                 {"no", 0, ""},
                 {"0,0", 0, ""},
                 {"3", 1, "Fake GPU 3"}}) {
    setenv("CUDA_VISIBLE_DEVICES", c.text, 1);
    with(4);
    EXPECT_EQ(count(), c.devices) << c.text;
    cudaDeviceProp p{};
    if (c.devices) OK(cudaGetDeviceProperties(&p, 0));
    EXPECT_STREQ(p.name, c.first) << c.text;
  }
}

TEST_F(Devices, Properties) {
  with(2);
  fake::properties(1).major = 7;
  fake::properties(1).minor = 5;
  int value = 0;
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 1));
  EXPECT_EQ(value, 7);
  char id[32];
  OK(cudaDeviceGetPCIBusId(id, sizeof id, 1));
  EXPECT_STREQ(id, "0000:02:00.0");
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, 5, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1), cudaErrorInvalidDevice);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::fill, 256, 0));
  EXPECT_EQ(blocks, 8);
}

TEST_F(Devices, EachThreadHasItsOwn) {
  with(2);
  OK(cudaSetDevice(1));
  int other = -1, mine = -1;
  std::thread([&] { OK(cudaGetDevice(&other)); }).join();
  OK(cudaGetDevice(&mine));
  EXPECT_EQ(other, 0);
  EXPECT_EQ(mine, 1);
}

TEST_F(Devices, PeerCopies) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    with(2);
    fake::seed(seed);
    Buffer<float> x(64);
    cudaStream_t s0, s1;
    cudaEvent_t filled;
    OK(cudaStreamCreate(&s0));
    OK(cudaEventCreate(&filled));
    launch(kernels::fill, 1, 64, 0, s0, x, 64, 4.0f);
    OK(cudaEventRecord(filled, s0));
    OK(cudaSetDevice(1));
    OK(cudaStreamCreate(&s1));
    Buffer<float> y(64);
    OK(cudaStreamWaitEvent(s1, filled));
    OK(cudaMemcpyPeerAsync(y, 1, x, 0, 256, s1));
    OK(cudaStreamSynchronize(s1));
    EXPECT_EQ(y.get(), std::vector<float>(64, 4.0f));
    EXPECT_EQ(cudaMemcpyPeerAsync(y, 0, x, 1, 256, s1), cudaErrorInvalidValue);
    cudaPointerAttributes a{};
    OK(cudaPointerGetAttributes(&a, y));
    EXPECT_EQ(a.device, 1);
    EXPECT_EQ(cudaEventRecord(filled, s1), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
  }
}

TEST_F(Devices, AStreamOfAnotherDevice) {
  with(2);
  cudaStream_t s0;
  OK(cudaStreamCreate(&s0));
  OK(cudaSetDevice(1));
  Buffer<float> x(1);
  EXPECT_THROW(launch(kernels::fill, 1, 1, 0, s0, x, 1, 0.0f), std::runtime_error);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(Devices, PeerAccess) {
  for (bool enabled : {false, true}) {
    with(2);
    Buffer<float> x(4);
    OK(cudaSetDevice(1));
    int can = 0;
    OK(cudaDeviceCanAccessPeer(&can, 1, 0));
    EXPECT_EQ(can, 1);
    if (enabled) {
      OK(cudaDeviceEnablePeerAccess(0, 0));
      EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    }
    launch(kernels::fill, 1, 4, 0, nullptr, x, 4, 1.0f);
    EXPECT_EQ(cudaDeviceSynchronize(), enabled ? cudaSuccess : cudaErrorIllegalAddress);
    std::string report = only_report();
    EXPECT_EQ(contains(report, "in memory of device 0 that device 1 may not touch"), !enabled) << report;
    OK(cudaSetDevice(0));
    OK(cudaDeviceSynchronize());  // the other device is well
  }
}

TEST_F(Devices, FaultsStick) {
  with(1);
  Buffer<float> x(4);
  fake::fail_when_run(0, cudaErrorECCUncorrectable);
  launch(kernels::fill, 1, 4, 0, nullptr, x, 4, 1.0f);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaGetLastError(), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaGetLastError(), cudaErrorECCUncorrectable);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), cudaErrorECCUncorrectable);
  EXPECT_THROW(launch(kernels::fill, 1, 4, 0, nullptr, x, 4, 1.0f), std::runtime_error);
  int version = 0;
  OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, CUDART_VERSION);
  EXPECT_FALSE(only_report().empty());
}

TEST_F(Devices, CallsFailOnDemand) {
  with(1);
  Buffer<float> x(4);
  fake::fail("cudaLaunchKernel", cudaErrorNoKernelImageForDevice);
  EXPECT_THROW(launch(kernels::fill, 1, 4, 0, nullptr, x, 4, 1.0f), std::runtime_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  launch(kernels::fill, 1, 4, 0, nullptr, x, 4, 1.0f);
  EXPECT_EQ(x.get()[3], 1);
}

}  // namespace
