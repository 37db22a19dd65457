// Patterns: a text, or a regular expression with Unicode's classes.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/library/normalized.h"

namespace luth::text {

class Pattern {
 public:
  virtual ~Pattern();
  /// All of the text: matches and what is between them.
  virtual std::vector<Match> find(std::string_view text) const = 0;
};
using PatternPtr = std::shared_ptr<const Pattern>;

PatternPtr literal_pattern(std::string text);
/// Throws for a text that is no regular expression, and where `find` takes too many steps.
PatternPtr regex_pattern(const std::string& text);
/// Characters of which `f` holds, each a match.
using IsChar = bool (*)(char32_t);
std::vector<Match> find_chars(std::string_view text, IsChar f);

/// What becomes of the matches that cut a text: SplitDelimiterBehavior of PyPI's tokenizers.
enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
/// The pieces that are not empty. `invert`: what is between matches counts as a match.
std::vector<Piece> cut(std::vector<Match> matches, Behavior behavior, bool invert = false);

}  // namespace luth::text
