// The CPU as a device: memory, copies, properties.
#include <cstring>

#include "core/base/limits.h"
#include "core/base/threads.h"
#include "devices/cpu/runtime/allocator.h"

#ifndef LUTH_CPU_ISA
#define LUTH_CPU_ISA "generic"
#endif

namespace luth::cpu {
namespace {

// A single thread does not fill the memory bus; below this, starting a second costs more than it brings.
constexpr int64_t copy_grain = 1 << 20;

bool overlap(const void* a, const void* b, size_t bytes) {
  auto* p = static_cast<const char*>(a);
  auto* q = static_cast<const char*>(b);
  return p < q + bytes && q < p + bytes;
}

class Cpu final : public Device {
 public:
  Cpu() : Device("cpu", 0) {}

  void* allocate(size_t bytes, Stream*) override { return allocator_.allocate(bytes); }
  void free(void* p, size_t bytes, Stream*) noexcept override { allocator_.free(p, bytes); }
  void copy(void* dst, Device&, const void* src, Device&, size_t bytes, bool) override {
    if (bytes <= size_t(copy_grain) || overlap(dst, src, bytes)) {
      std::memmove(dst, src, bytes);
      return;
    }
    parallel_for(int64_t(bytes), copy_grain, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin, size_t(end - begin));
    });
  }
  void fill_zero(void* dst, size_t bytes) override {
    parallel_for(int64_t(bytes), copy_grain, [&](int64_t begin, int64_t end) {
      std::memset(static_cast<char*>(dst) + begin, 0, size_t(end - begin));
    });
  }
  MemoryStats memory() const override { return allocator_.stats(); }
  void reset_peak() override { allocator_.reset_peak(); }
  void empty_cache() override { allocator_.empty_cache(); }
  DeviceProperties properties() const override { return {processor_name(), luth::total_memory(), LUTH_CPU_ISA}; }
  bool on_host() const override { return true; }

 private:
  mutable Allocator allocator_;
};

}  // namespace
}  // namespace luth::cpu

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
__attribute__((visibility("default"))) void luth_open() { luth::add_device(new luth::cpu::Cpu); }
}
