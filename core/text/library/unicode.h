// Characters: their classes, their forms, and UTF-8 that is known to be well-formed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace luth::text {

/// Characters from first to last.
struct CharRange {
  char32_t first, last;
};
inline bool is_in(char32_t c, std::initializer_list<CharRange> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [c](CharRange r) { return c >= r.first && c <= r.last; });
}

/// The character at byte `at`, which moves behind it.
inline char32_t next_char(std::string_view s, size_t& at) {
  const auto lead = static_cast<unsigned char>(s[at++]);
  if (lead < 0x80) return lead;
  const auto more = [&](char32_t c) { return c << 6 | (static_cast<unsigned char>(s[at++]) & 0x3f); };
  if (lead < 0xe0) return more(lead & 0x1f);
  if (lead < 0xf0) {
    const char32_t c = more(lead & 0x0f);
    return more(c);
  }
  const char32_t c = more(lead & 0x07), d = more(c);
  return more(d);
}
/// Where the character before byte `at` begins.
inline size_t before(std::string_view s, size_t at) {
  do --at;
  while (at > 0 && (s[at] & 0xc0) == 0x80);
  return at;
}
inline size_t bytes_of(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
void append(std::string& s, char32_t c);
std::string to_utf8(char32_t c);
size_t count_chars(std::string_view s);
bool is_ascii(std::string_view s);

bool is_letter(char32_t c);
/// Nd, Nl, No.
bool is_numeric(char32_t c);
bool is_space(char32_t c);
/// P.
bool is_punctuation(char32_t c);
bool is_ascii_punctuation(char32_t c);
/// Mn.
bool is_accent(char32_t c);
/// M.
bool is_mark(char32_t c);
/// \w of Unicode's regular expressions.
bool is_word(char32_t c);
/// C without Cn: control, format, private use. What a newer Unicode has given a meaning stays text.
bool is_other(char32_t c);

/// The lower case of one character, independent of its neighbours: one or two characters.
std::u32string lower_case(char32_t c);

/// A character and how many characters of the text before stand behind it: 0, it takes the place of one; 1, it is new;
/// -n, it takes the place of one, and the n behind that are gone.
struct Change {
  char32_t c;
  int32_t by;
};
enum class Form { nfc, nfd, nfkc, nfkd };
/// The text in a normal form.
std::vector<Change> normal_form(std::string_view text, Form form);

}  // namespace luth::text
