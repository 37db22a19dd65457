#include "core/memory/immortal.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace luth {
namespace {

// An open-addressing hash set that only grows, so it needs no lock. Once it holds `most_used` addresses, further ones
// are not added: their attributes are copied.
constexpr size_t bits = 12, table_slots = size_t(1) << bits, most_used = table_slots / 2;
std::array<std::atomic<const void*>, table_slots> table{};
std::atomic<size_t> used{0};

size_t slot_of(const void* op) {
  return uint64_t(reinterpret_cast<uintptr_t>(op)) * 0x9E3779B97F4A7C15u >> (64 - bits);
}

}  // namespace

void set_immortal(const void* op) {
  if (used.fetch_add(1, std::memory_order_relaxed) >= most_used) return;
  for (size_t i = slot_of(op);; i = (i + 1) % table_slots) {
    const void* there = nullptr;
    if (table[i].compare_exchange_strong(there, op, std::memory_order_relaxed) || there == op) return;
  }
}

bool is_immortal(const void* op) {
  for (size_t i = slot_of(op);; i = (i + 1) % table_slots) {
    const void* there = table[i].load(std::memory_order_relaxed);
    if (there == op) return true;
    if (!there) return false;
  }
}

}  // namespace luth
