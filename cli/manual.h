// The manual page luth(1), made from the table.
#pragma once
#include <string>

namespace luth::cli {

/// In roff, for `man`.
std::string manual();

}  // namespace luth::cli
