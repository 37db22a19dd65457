// Checks of index tensors: their dtype, and the error for a position out of bounds.
#pragma once
#include <string_view>

#include "core/tensor/tensor.h"

namespace luth {

/// Throws for element `flat` of the index tensor `index`, whose value (as the user gave it, counted from `base`) does
/// not name one of `bound` positions: "index holds 7 at position [2, 3]; it must be from 1 to 5". `wrap`: negative
/// values count from the end. With `base` probabilities, `index` holds numbers that must be from 0 to 1, and `value`
/// is the bits of one (a double) that is not.
[[noreturn]] void throw_bad_position(std::string_view what, const Shape& index, int64_t flat, int64_t value,
                                     int64_t bound, int base, bool wrap);
inline constexpr int probabilities = -1;
/// Throws unless `t` has an integer dtype (bool is none).
void check_index_dtype(std::string_view what, Dtype d);

}  // namespace luth
