// Text of others on a terminal: names in files, lines of programs, answers of other ranks.
#pragma once
#include <string>
#include <string_view>

namespace luth {

/// The length of the well-formed UTF-8 sequence at the start of `s` (Unicode, table 3-7); 0 where there is none.
size_t utf8_length(std::string_view s);

/// The text with all that a terminal obeys, or that shows it in another order, as `\x1b`: control characters but for
/// newline and tab, marks of direction, and bytes that are no UTF-8.
std::string visible(std::string_view text);

/// A text that somebody else chose, such as a name in a file, for a message: one line, newlines and tabs as escapes
/// too, of at most `most` characters, then "…".
std::string foreign(std::string_view text, size_t most = 100);

/// Writes the text and a newline on stderr, as visible() has it where that is a terminal.
void print_error(std::string_view text);

}  // namespace luth
