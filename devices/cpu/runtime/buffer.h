// Scratch memory of a kernel. It comes from the caching allocator, so it costs little.
#pragma once
#include <cstdint>
#include <utility>

#include "core/device/device.h"

namespace luth::cpu {

/// n elements, uninitialised, aligned to 64 bytes.
template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t n) : bytes_(size_t(n) * sizeof(T)), p_(bytes_ ? host().allocate(bytes_, nullptr) : nullptr) {}
  ~Buffer() {
    if (p_) host().free(p_, bytes_, nullptr);
  }
  Buffer(Buffer&& o) noexcept : bytes_(o.bytes_), p_(std::exchange(o.p_, nullptr)) {}
  T* get() const { return static_cast<T*>(p_); }
  T& operator[](int64_t i) const { return get()[i]; }

 private:
  size_t bytes_;
  void* p_;
};

}  // namespace luth::cpu
