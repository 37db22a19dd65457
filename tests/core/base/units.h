// Distances of results from what they should be, in units in the last place.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace luth::test {

/// How far `got` is from `want`, in units in the last place of T; infinite where only one is nan, or an infinity or
/// zero has another sign.
template <class T, class Wide>
double distance(T got, Wide want) {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent - digits;
  const T rounded = T(want);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : never;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : never;
  if (got == 0 && rounded == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : never;
  int exponent;
  std::frexp(want, &exponent);
  return double(std::fabs(Wide(got) - want) / std::ldexp(Wide(1), std::max(exponent - digits, least)));
}

}  // namespace luth::test
