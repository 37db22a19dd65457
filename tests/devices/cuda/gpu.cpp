#include "tests/devices/cuda/gpu.h"

#if !LUTH_REAL_GPU
#include <fakecuda.h>
#endif

#include <algorithm>
#include <cstdlib>

namespace luth::test {

namespace {

// Without a GPU nothing can be said about one.
class NeedsGpu : public testing::Environment {
  void SetUp() override {
    try {
      gpu();
    } catch (const Error& e) { GTEST_SKIP() << e.what(); }
  }
};
[[maybe_unused]] const auto* const needs_gpu_ =
    LUTH_REAL_GPU ? testing::AddGlobalTestEnvironment(new NeedsGpu) : nullptr;

// What one test cached must not stay: the fake run-time changes the protection of all device memory around every
// kernel.
class GivesBack : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    for (Device* d : open_devices()) d->empty_cache();
  }
};
[[maybe_unused]] const bool gives_back_ = (testing::UnitTest::GetInstance()->listeners().Append(new GivesBack), true);

}  // namespace

Device& gpu(int i) {
  static const bool ready = [] {
    if (LUTH_REAL_GPU) return true;
    setenv("LUTH_DEVICE_PATH", LUTH_BINARY_DIR "/lib-test", 1);
    setenv("FAKECUDA_DEVICES", "2", 0);
    return true;
  }();
  static_cast<void>(ready);
  return device("cuda:" + std::to_string(i));
}

bool two_gpus() {
  const auto all = (gpu(), open_devices());
  return std::any_of(all.begin(), all.end(), [](Device* d) { return d->name() == "cuda:1"; });
}

#if LUTH_REAL_GPU
void reorder(uint64_t /*seed*/) {}
std::optional<Counts> counted() { return std::nullopt; }
int64_t limit_memory(int64_t /*bytes*/) { return gpu().properties().total_memory; }
bool lose_gpu(int /*error*/) { return false; }
bool refuse_launch() { return false; }
bool has_context(int /*i*/) { return false; }
#else
void reorder(uint64_t seed) { fake::seed(seed); }
std::optional<Counts> counted() {
  const fake::Counters c = fake::counters();
  return Counts{int64_t(c.launches), int64_t(c.host_waits)};
}
int64_t limit_memory(int64_t bytes) {
  fake::set_memory(0, size_t(bytes));
  return bytes;
}
bool lose_gpu(int error) {
  fake::fail_when_run(0, cudaError_t(error));
  return true;
}
bool refuse_launch() {
  fake::fail("cudaLaunchKernel", cudaErrorMemoryAllocation);
  return true;
}
bool has_context(int i) { return fake::has_context(i); }
#endif

Tensor moved(const Tensor& t, Device& d) {
  const int64_t elements = int64_t(t.storage()->bytes() / size_of(t.dtype()));
  Tensor whole = Tensor::alias(t.storage(), {elements}, {1}, 0, t.dtype());
  Tensor there = Tensor::empty({elements}, t.dtype(), d);
  copy_bytes(there.raw(), d, whole.raw(), t.device(), whole.bytes());
  return Tensor::alias(there.storage(), t.shape(), t.strides(), t.offset(), t.dtype());
}

Tensor home(const Tensor& t) { return t ? to_device(t.detach(), {&host()}) : t; }
Tensors home(const Tensors& all) {
  Tensors out;
  for (auto& t : all) out.push_back(home(t));
  return out;
}

}  // namespace luth::test
