// Numbers that compare as elements do when they are sorted.
#pragma once
#include <bit>

#include "core/base/dtype.h"

namespace luth {

/// Unsigned numbers as wide as T.
template <class T>
using SortKey = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

/// Smaller elements have smaller keys; -0 has that of 0, every nan the largest. Flipped for a descending order.
template <class T>
LUTH_HD inline SortKey<T> sort_key(T v, bool descending) {
  using K = SortKey<T>;
  constexpr K top = K(K(1) << (sizeof(T) * 8 - 1));
  K k;
  if constexpr (is_float<T>) {
    const compute_t<T> c = compute_t<T>(v);
    const K bits = c == compute_t<T>(0) ? K(0) : std::bit_cast<K>(v);
    k = bits & top ? K(~bits) : K(bits | top);
    if (c != c) k = K(~K(0));
  } else if constexpr (std::is_signed_v<T>) {
    k = K(K(v) ^ top);
  } else {
    k = K(v);
  }
  return descending ? K(~k) : k;
}

}  // namespace luth
