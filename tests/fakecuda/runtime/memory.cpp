#include "tests/fakecuda/runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "tests/fakecuda/runtime/fault.h"

namespace fake {
namespace {

constexpr size_t page = 4096;
constexpr size_t per_device = size_t(64) << 30;  // bytes of addresses
constexpr size_t most_poison = size_t(4) << 20;

size_t rounded(size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

Memory::Memory() {
  void* memory =
      mmap(nullptr, per_device * most_devices, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(memory);
  set_arena(base_, per_device * most_devices, per_device);
  reset(true);
}

void Memory::reset(bool protect) {
  for (int d = 0; d < most_devices; ++d) {
    while (!allocations_[d].empty()) free(reinterpret_cast<void*>(allocations_[d].begin()->second.start));
    cursor_[d] = uintptr_t(base_) + per_device * size_t(d);
    users_[d] = 0;
    open_[d] = !protect;
  }
  protect_ = protect;
}

int Memory::device_of(const void* address) const {
  size_t offset = uintptr_t(address) - uintptr_t(base_);
  return offset < per_device * most_devices ? int(offset / per_device) : -1;
}

void* Memory::allocate(int device, size_t bytes, bool guard) {
  size_t open_bytes = rounded(std::max(bytes, size_t(1))), need = open_bytes + (guard ? page : 0);
  uintptr_t first = uintptr_t(base_) + per_device * size_t(device), last = first + per_device, at = cursor_[device];
  auto& mine = allocations_[device];
  // the first gap from the cursor on; after the end, from the start, once
  for (bool again = false;;) {
    auto next = mine.lower_bound(at);
    uintptr_t limit = next == mine.end() ? last : next->first;
    if (at + need <= limit) break;
    at = limit == last ? first : limit + next->second.page_bytes;
    if (limit == last && std::exchange(again, true)) return nullptr;
  }
  cursor_[device] = at + need;
  mprotect(reinterpret_cast<void*>(at), open_bytes, PROT_READ | PROT_WRITE);
  std::memset(reinterpret_cast<void*>(at), 0xff, std::min(open_bytes, most_poison));
  if (!open_[device]) mprotect(reinterpret_cast<void*>(at), open_bytes, PROT_NONE);
  // With a guard the end lies at the page's end, as far as an alignment of at least 16 bytes allows.
  size_t shift = 0;
  if (guard) {
    size_t align = std::clamp(bytes & -bytes, size_t(16), size_t(256));
    shift = (open_bytes - bytes) / align * align;
  }
  mine[at] = {at + shift, bytes, at, need, open_bytes};
  return reinterpret_cast<void*>(at + shift);
}

size_t Memory::free(void* start) {
  const Allocation* a = find(start);
  if (!a || a->start != uintptr_t(start)) return 0;
  size_t bytes = a->open_bytes;
  // new pages instead of the old ones: what was there is gone, and nobody may touch them
  mmap(reinterpret_cast<void*>(a->pages), a->page_bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  allocations_[device_of(start)].erase(a->pages);
  return bytes;
}

const Allocation* Memory::find(const void* address) const {
  int device = device_of(address);
  if (device < 0) return nullptr;
  auto next = allocations_[device].upper_bound(uintptr_t(address));
  // one past the end may be where the next one starts: that one is meant
  if (next == allocations_[device].begin()) return nullptr;
  const Allocation& a = std::prev(next)->second;
  return uintptr_t(address) >= a.start && uintptr_t(address) <= a.start + a.bytes ? &a : nullptr;
}

// Neighbours without a guard between them are changed together.
void Memory::change(int device, int protection) {
  const auto& mine = allocations_[device];
  for (auto it = mine.begin(); it != mine.end();) {
    uintptr_t start = it->second.pages, end = start;
    for (; it != mine.end() && it->second.pages == end; ++it) {
      end += it->second.open_bytes;
      if (it->second.open_bytes != it->second.page_bytes) {
        ++it;
        break;
      }
    }
    mprotect(reinterpret_cast<void*>(start), end - start, protection);
  }
}

void Memory::open(uint32_t devices) {
  shut_except(devices);
  for (int d = 0; d < most_devices; ++d) {
    if (!(devices >> d & 1)) continue;
    ++users_[d];
    if (open_[d]) continue;
    change(d, PROT_READ | PROT_WRITE);
    open_[d] = true;
  }
}

void Memory::close(uint32_t devices) {
  for (int d = 0; d < most_devices; ++d)
    if (devices >> d & 1) --users_[d];
}

void Memory::shut_except(uint32_t devices) {
  if (!protect_) return;
  for (int d = 0; d < most_devices; ++d) {
    if (!open_[d] || users_[d] > 0 || (devices >> d & 1)) continue;
    change(d, PROT_NONE);
    open_[d] = false;
  }
}

}  // namespace fake
