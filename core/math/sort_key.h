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

/// The bits of infinity in a type of floats; nan has more.
template <class T>
inline constexpr SortKey<T> infinity_bits = SortKey<T>(std::is_same_v<T, half>       ? 0x7c00
                                                       : std::is_same_v<T, bfloat16> ? 0x7f80
                                                       : sizeof(T) == 4              ? 0x7f800000
                                                                                     : 0x7ff0000000000000);

/// Smaller elements have smaller keys; -0 has that of 0, every nan the largest. Flipped for a descending order.
template <class T>
LUTH_HD inline SortKey<T> sort_key(T v, bool descending) {
  using K = SortKey<T>;
  constexpr K top = K(K(1) << (sizeof(T) * 8 - 1));
  const K flip = K(0 - K(descending));
  // on bits alone, without branches: loops vectorise
  if constexpr (is_float<T>) {
    const K given = std::bit_cast<K>(v), size = K(given & K(~top));
    const K bits = size == K(0) ? K(0) : given;
    const K k = K(bits ^ (bits >> (sizeof(T) * 8 - 1) ? K(~K(0)) : top));
    return K((size > infinity_bits<T> ? K(~K(0)) : k) ^ flip);
  } else if constexpr (std::is_signed_v<T>) {
    return K(K(v) ^ top ^ flip);
  } else {
    return K(K(v) ^ flip);
  }
}

}  // namespace luth
