// Text as a terminal shows it: characters with their marks, and the columns that they take.
#pragma once
#include <string>
#include <string_view>

namespace luth::lang {

/// One character with the combining marks that follow it, or one byte that is no UTF-8.
struct Glyph {
  size_t bytes = 0;   // 0: the text has ended
  int columns = 0;    // of `shown`
  std::string shown;  // what a terminal gets: control characters as ^C, other bytes as \xff, tabs as spaces
};

/// The glyph at byte `at`. A tab goes to the next multiple of 8 behind `column`. Newlines are glyphs without columns.
Glyph glyph_at(std::string_view text, size_t at, int column = 0);
/// Where the glyph at byte `at` ends, and where the one before it begins.
size_t next_glyph(std::string_view text, size_t at);
size_t previous_glyph(std::string_view text, size_t at);
/// The columns of a line of text without tabs.
int columns_of(std::string_view text);
/// The text with all that a terminal obeys made visible, cut to `columns`.
std::string cut_to(std::string_view text, int columns);

}  // namespace luth::lang
