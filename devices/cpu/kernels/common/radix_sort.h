// A radix sort of (key, position). Kernel libraries only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/interrupt.h"

namespace luth::cpu {

/// `key` is unsigned.
template <class K>
struct Item {
  K key;
  int32_t at;
};

/// Stable sort of n items by insertion: for few, and for many that are almost in order.
template <class K>
void insertion_sort(Item<K>* items, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const Item<K> x = items[i];
    int64_t j = i;
    for (; j > 0 && items[j - 1].key > x.key; --j) items[j] = items[j - 1];
    items[j] = x;
  }
}

/// Calls visit(i) for 0 <= i < n, and asks now and then whether the user wants to stop.
template <class F>
void for_items(int64_t n, F visit) {
  constexpr int64_t piece = 1 << 18;
  for (int64_t from = 0; from < n; from += piece) {
    if (from > 0) poll_interrupt_in_work();
    for (int64_t i = from; i < std::min(n, from + piece); ++i) visit(i);
  }
}

/// Stable sort by `digits` digits of `bits` bits from bit `first` on, least significant first. Digits that are equal in
/// all keys are skipped. Returns where the items are then: `items` or `other`, which has room for n.
template <int bits, class K, int digits = (int(sizeof(K) * 8) + bits - 1) / bits>
Item<K>* sort_digits(Item<K>* items, Item<K>* other, int64_t n, int first = 0) {
  constexpr uint32_t values = 1u << bits;
  auto digit = [&](K key, int d) { return uint32_t(key >> (first + bits * d)) & (values - 1); };
  uint32_t counts[digits][values] = {};
  for_items(n, [&](int64_t i) {
#pragma GCC unroll 8
    for (int d = 0; d < digits; ++d) ++counts[d][digit(items[i].key, d)];
  });
  for (int d = 0; d < digits; ++d) {
    uint32_t* const count = counts[d];
    if (int64_t(count[digit(items[0].key, d)]) == n) continue;
    uint32_t start = 0;
    for (uint32_t v = 0; v < values; ++v) start += std::exchange(count[v], start);
    for_items(n, [&](int64_t i) {
      const Item<K> x = items[i];
      other[count[digit(x.key, d)]++] = x;
    });
    std::swap(items, other);
  }
  return items;
}

/// Stable sort. Returns where the items are then: `items` or `other`, which has room for n.
template <class K>
Item<K>* radix_sort(Item<K>* items, Item<K>* other, int64_t n) {
  if (n < 96) return insertion_sort(items, n), items;
  // large digits need fewer passes, and counts that are worth it for many items alone
  return n < 20000 ? sort_digits<8>(items, other, n) : sort_digits<11>(items, other, n);
}

}  // namespace luth::cpu
