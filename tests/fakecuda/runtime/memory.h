// Device memory: one range of addresses per device, which the host cannot touch except while kernels and copies run.
// Addresses of freed memory are not given out again before the range is used up, so that a late access shows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace fake {

inline constexpr int most_devices = 16;

struct Allocation {
  uintptr_t start;
  size_t bytes;
  uintptr_t pages;  // where its pages start; they are `page_bytes` long, with the guard page
  size_t page_bytes;
  size_t open_bytes;  // without it
};

class Memory {
 public:
  Memory();
  void reset(bool protect);
  /// Null when the range of addresses is used up. Poisoned with ones, up to a size that costs little.
  void* allocate(int device, size_t bytes, bool guard);
  /// The bytes that became free; 0 if nothing starts at the address.
  size_t free(void* start);
  /// The allocation that the address is in or one past the end of; null for none.
  const Allocation* find(const void* address) const;
  /// The device that the address would belong to, or -1.
  int device_of(const void* address) const;

  /// Lets kernels and copies reach the memory of the devices in the mask, and of no others that nobody uses.
  void open(uint32_t devices);
  void close(uint32_t devices);
  /// Protects again what nobody uses.
  void shut() { shut_except(0); }

 private:
  void shut_except(uint32_t devices);
  void change(int device, int protection);
  char* base_;
  bool protect_ = true;
  std::map<uintptr_t, Allocation> allocations_[most_devices];
  uintptr_t cursor_[most_devices];
  int users_[most_devices] = {};
  bool open_[most_devices] = {};
};

}  // namespace fake
