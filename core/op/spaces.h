// Spaces: the tables below torch that have operators of their own.
#pragma once
#include <string_view>
#include <vector>

namespace luth {

/// Their paths below torch: "linalg", "signal.windows".
std::vector<std::string_view> operator_spaces();

}  // namespace luth
