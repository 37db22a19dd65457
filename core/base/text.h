// Small text helpers for messages: the nearest name to a mistyped one.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace luth {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment; bytes, upper and lower case alike).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be, or "" when none is near: at most a third of the letters differ.
/// Of equally near ones the first in `names` is taken.
std::string nearest(std::string_view word, std::span<const std::string> names);

/// Whether `s` is a number in decimal digits.
bool is_number(std::string_view s);
/// The number that the whole text is, with the point of C whatever the program's locale has; nothing for other texts.
std::optional<double> to_double(std::string_view text);

/// "; did you mean 'softmax'?" or "": the end of a message about an unknown name.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

/// Names prepared for searches that follow each other: one among a thousand names takes a few microseconds.
class NameIndex {
 public:
  void add(std::string_view name);
  /// did_you_mean() among the names. Of equally near ones the first in the order of bytes is taken.
  std::string did_you_mean(std::string_view word) const;
  /// The first name that differs from the word in case and underscores alone, "group_norm" for "GroupNorm"; or "".
  /// `at_end`: whether one that ends with an underscore counts.
  std::string_view alike(std::string_view word, bool at_end = true) const;

 private:
  struct Name {
    uint64_t letters;      // which the name has, as bits
    size_t begin, length;  // in text_
  };
  std::string_view name(size_t i) const { return std::string_view(text_).substr(names_[i].begin, names_[i].length); }
  std::vector<Name> names_;
  std::string text_;
};

}  // namespace luth
