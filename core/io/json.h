// JSON of trees of plain values.
#pragma once
#include <string>
#include <string_view>

#include "core/io/tree.h"

namespace luth::io {

/// On one line. Keys become texts; numbers that are not finite become null; text that is no UTF-8 is replaced. Throws
/// Error for a tensor.
std::string to_json(const Item& item);
/// null is nil. Linear in the text. Throws ErrorCode::usage for what is no JSON, for integers that need more than 63
/// bits, for a key twice in one object and for nesting deeper than `max_depth`.
Item from_json(std::string_view text);

}  // namespace luth::io
