// A device for tests: two of them, whose memory keeps every byte inverted, so that whoever reads it without copying
// reads nonsense. It has a kernel for one operator. Opened from lib-test by tests/core/device/device_library_test.cpp.
#include <cstdlib>
#include <cstring>

#include "core/op/define.h"
#include "core/ops/elementwise/unary.h"

namespace luth::tiny {
namespace {

void inverted(void* dst, const void* src, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(dst)[i] = ~static_cast<const unsigned char*>(src)[i];
}

class Tiny final : public Device {
 public:
  explicit Tiny(int index) : Device("tiny", index) {}
  void* allocate(size_t bytes, Stream*) override {
    if (bytes > size_t(1) << 30) throw Error(ErrorCode::memory, "{} has no {} bytes", name(), bytes);
    allocated_ += int64_t(bytes);
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  }
  void free(void* p, size_t bytes, Stream*) noexcept override {
    allocated_ -= int64_t(bytes);
    std::free(p);
  }
  void copy(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool) override {
    if (from.kind() == to.kind())
      std::memmove(dst, src, bytes);
    else
      inverted(dst, src, bytes);  // to or from the host
  }
  void fill_zero(void* dst, size_t bytes) override { std::memset(dst, 0xff, bytes); }
  MemoryStats memory() const override { return {allocated_, allocated_, allocated_, 0}; }

 private:
  int64_t allocated_ = 0;
};

void neg(const ops::Neg&, Tensor& y, const Dense& x) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    float v;
    inverted(&v, x.data<float>() + i, sizeof v);
    v = -v;
    inverted(y.data<float>() + i, &v, sizeof v);
  }
}
const Bind<neg> neg_("tiny");

}  // namespace
}  // namespace luth::tiny

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
__attribute__((visibility("default"))) void luth_open() {
  for (int i = 0; i < 2; ++i) luth::add_device(new luth::tiny::Tiny(i));
}
}
