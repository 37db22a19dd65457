#include "core/ops/common/positions.h"

#include <bit>
#include <cmath>

namespace luth {

void throw_bad_position(std::string_view what, const Shape& index, int64_t flat, int64_t value, int64_t bound, int base,
                        bool wrap) {
  std::string where;
  Shape at(index.size());
  for (int d = index.size() - 1; d >= 0; --d) {
    at[d] = flat % index[d];
    at[d] = base == probabilities ? shown(at[d]) : at[d] + base;
    flat /= index[d];
  }
  if (index.size() == 1)
    where = fmt::format(" at position {}", at[0]);
  else if (index.size() > 1)
    where = " at position " + to_string(at);
  if (base == probabilities) {
    const double v = std::bit_cast<double>(value);
    throw Error("{} holds {}{}; it must be from 0 to 1", what, std::isnan(v) ? std::abs(v) : v, where);
  }
  if (bound == 0) throw Error("{} holds {}{}, but there is nothing to pick from", what, value, where);
  std::string must = fmt::format("it must be from {} to {}", base, bound - 1 + base);
  if (wrap) must += fmt::format(", or from -{} to -1 to count from the end", bound);
  throw Error("{} holds {}{}; {}{}", what, value, where, must,
              value == 0 && base == 1 ? " (luth counts positions from 1)" : "");
}

void check_index_dtype(std::string_view what, Dtype d) {
  if (!is_integral(d)) throw Error("{0} must hold integers (int64, …), but is {1}: say {0}:long()", what, name(d));
}

}  // namespace luth
