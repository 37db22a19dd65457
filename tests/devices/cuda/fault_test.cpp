// Faults of the device and lack of memory, as a GPU shows them: at the call after, inside of a library, at a kernel's
// first launch. Each test that loses the device runs in a process of its own.
#include <algorithm>
#include <cstdlib>

#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/window/conv.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

std::string text_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}
Tensor ones(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  std::fill_n(t.data<float>(), t.numel(), 1.0f);
  return moved(t, gpu());
}

// `body` loses the device and returns an error's text, which must hold `part`.
template <class F>
void expect_lost(F body, const std::string& part = "") {
  if (LUTH_REAL_GPU) GTEST_SKIP() << "no kernel of ours loses a real GPU";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto process = [&] {
    const std::string text = text_of(body);
    fprintf(stderr, "%s\n", text.c_str());
    const bool told = text.find("the device is lost to this process") != text.npos && text.find(part) != text.npos;
    _exit(told ? 0 : 1);
  };
  EXPECT_EXIT(process(), testing::ExitedWithCode(0), "");
}

TEST(CudaFaultDeathTest, ALostDeviceIsExplained) {
  for (int error : {700, 220, 226, 717, 718})
    expect_lost([error] {
      const Tensor x = ones({12});
      lose_gpu(error);
      add(x, x);
      gpu().synchronize();
    });
}

// Nobody waits: the fault of one kernel is what CUDA answers to the launch of another.
TEST(CudaFaultDeathTest, ALostDeviceIsExplainedAtTheNextLaunch) {
  expect_lost(
      [] {
        const Tensor x = ones({12});
        lose_gpu();
        for (int i = 0; i < 1000; ++i) add(x, x);
      },
      "cudaLaunchKernel");
}

// LUTH_CUDA_SYNC=1: the error comes from the call that made it, be it a kernel's, a library's, a copy or a fill.
void expect_exact(const char* part, void (*f)(const Tensor&)) {
  expect_lost(
      [f] {
        setenv("LUTH_CUDA_SYNC", "1", 1);
        const Tensor x = ones({1, 1, 64, 64});
        lose_gpu();
        f(x);
        _exit(2);  // what comes after would be blamed
      },
      part);
}
TEST(CudaFaultDeathTest, SyncNamesAKernel) {
  expect_exact("add(", [](const Tensor& x) { add(x, x); });
}
TEST(CudaFaultDeathTest, SyncNamesACall) {
  expect_exact("", [](const Tensor& x) { gpu().fill_zero(x.raw(), x.bytes()); });
  expect_exact("", [](const Tensor& x) { copy_bytes(x.raw(), gpu(), x.data<float>() + 64, gpu(), 64); });
}
TEST(CudaFaultDeathTest, SyncNamesAConvolution) {
  expect_exact("conv2d(", [](const Tensor& x) { conv2d(x, x, Tensor()); });
}
TEST(CudaFaultDeathTest, SyncNamesAProduct) {
  expect_lost(
      [] {
        setenv("LUTH_CUDA_SYNC", "1", 1);
        setenv("LUTH_FAKE_BLAS", "faults", 1);
        const Tensor x = ones({8, 8});
        mm(x, x);
        _exit(2);
      },
      "mm(");
}

TEST(CudaMemory, AKernelGetsTheMemoryThatIsCached) {
  const Tensor x = ones({12});
  Tensor::empty({30 << 20}, Dtype::u8, gpu());  // kept, once it is freed
  const int64_t before = gpu().memory().reserved;
  const bool refused = refuse_launch();
  const Tensor y = add(x, x);
  EXPECT_EQ(difference(home(y), add(home(x), home(x))), "");
  if (refused) { EXPECT_LT(gpu().memory().reserved, before); }
}

TEST(CudaMemory, AConvolutionGetsTheMemoryThatIsCached) {
  setenv("LUTH_FAKE_DNN", "full", 1);
  const Tensor x = ones({1, 2, 9, 9}), w = ones({3, 2, 3, 3});
  Tensor::empty({30 << 20}, Dtype::u8, gpu());
  const int64_t before = gpu().memory().reserved;
  const Tensor y = conv2d(x, w, Tensor());
  unsetenv("LUTH_FAKE_DNN");
  EXPECT_EQ(difference(home(y), conv2d(home(x), home(w), Tensor())), "");
  if (!LUTH_REAL_GPU) { EXPECT_LT(gpu().memory().reserved, before); }
}

// Who works on cuda:1 alone leaves cuda:0 alone: a context is half a gigabyte, and another's GPU may refuse one.
TEST(CudaContextDeathTest, OnlyWhereThereIsWork) {
  if (LUTH_REAL_GPU) GTEST_SKIP() << "a real one does not say";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto process = [] {
    Device& d = gpu(1);
    const bool none = !has_context(0) && !has_context(1);
    Tensor host_ones = Tensor::empty({100}, Dtype::f32, host());
    std::fill_n(host_ones.data<float>(), 100, 1.0f);
    const Tensor x = moved(host_ones, d);
    const Tensor y = add(x, x);
    const bool right = home(y).data<float>()[99] == 2.0f;
    d.free_pinned(d.allocate_pinned(100), 100);
    d.new_event(false)->record(*d.new_stream(0));
    d.synchronize();
    for (Device* each : open_devices()) each->empty_cache(), each->synchronize();
    _exit(none && right && has_context(1) && !has_context(0) ? 0 : 1);
  };
  EXPECT_EXIT(process(), testing::ExitedWithCode(0), "");
}

// What is copied is the source as it was at the call, however late the copy runs: some drivers let the GPU read
// pageable memory by itself.
TEST(CudaCopies, ThePageableSourceMayChangeAtOnce) {
  const size_t bytes = size_t(LUTH_REAL_GPU ? 256 : 6) << 20;
  for (size_t size : {size_t(12), size_t(70'000), bytes}) {
    std::vector<unsigned char> source(size, 7), got(size);
    const Tensor there = Tensor::empty({int64_t(size)}, Dtype::u8, gpu());
    Tensor work = ones({LUTH_REAL_GPU ? 64 << 20 : 1000});
    for (int i = 0; i < 200; ++i) work = add(work, work);  // some 50 ms of a GPU
    copy_bytes(there.raw(), gpu(), source.data(), host(), size, true);
    std::fill(source.begin(), source.end(), 9);
    copy_bytes(got.data(), host(), there.raw(), gpu(), size);
    EXPECT_EQ(got, std::vector<unsigned char>(size, 7)) << size << " bytes";
  }
}
TEST(CudaCopiesDeathTest, ThePageableSourceMayChangeAtOnceWhereItIsReadLate) {
  if (LUTH_REAL_GPU) GTEST_SKIP() << "a real one is what it is";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto process = [] {
    setenv("FAKECUDA_LATE_READS", "1", 1);
    bool right = true;
    for (size_t size : {size_t(12), size_t(6) << 20})
      for (int i = 0; i < 20; ++i) {
        std::vector<unsigned char> source(size, 7), got(size);
        const Tensor there = Tensor::empty({int64_t(size)}, Dtype::u8, gpu());
        copy_bytes(there.raw(), gpu(), source.data(), host(), size, true);
        std::fill(source.begin(), source.end(), 9);
        copy_bytes(got.data(), host(), there.raw(), gpu(), size);
        right = right && got == std::vector<unsigned char>(size, 7);
      }
    _exit(right ? 0 : 1);
  };
  EXPECT_EXIT(process(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace luth::test
