// Small text helpers for messages: the nearest name to a mistyped one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace luth {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment; bytes, upper and lower case alike).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be, or "" when none is near: at most a third of the letters differ.
/// Of equally near ones the first in `names` is taken.
std::string nearest(std::string_view word, std::span<const std::string> names);

/// Whether `s` is a number in decimal digits.
bool is_number(std::string_view s);

/// "; did you mean 'softmax'?" or "": the end of a message about an unknown name.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace luth
