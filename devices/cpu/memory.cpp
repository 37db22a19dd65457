// The CPU as a device: memory, copies, properties.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "devices/cpu/cpu.h"

namespace luth::cpu {
namespace {

class Cpu final : public Device {
 public:
  Cpu() : Device("cpu", 0) {}

  void* allocate(size_t bytes, Stream*) override {
    void* p = bytes ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
    if (bytes && !p) throw Error(ErrorCode::memory, "cannot allocate {} bytes", bytes);
    return p;
  }
  void free(void* p, size_t, Stream*) noexcept override { std::free(p); }
  void copy(void* dst, const void* src, size_t bytes, Device& from, Stream* stream, bool async) override {
    if (!bytes) return;
    if (from.on_host())
      std::memmove(dst, src, bytes);
    else  // the other side knows how to reach its memory
      from.copy(dst, src, bytes, *this, stream, async);
  }
  void fill_zero(void* dst, size_t bytes, Stream*) override {
    if (bytes) std::memset(dst, 0, bytes);
  }
  bool on_host() const override { return true; }
};

}  // namespace
}  // namespace luth::cpu

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
__attribute__((visibility("default"))) void luth_open() { luth::add_device(new luth::cpu::Cpu); }
}
