// Byte-level tokens as GPT-2 has them: characters that stand for bytes, and where words end.
#include "core/text/library/byte_level.h"

#include <array>
#include <unordered_map>

namespace luth::text {
namespace {

enum class Kind : uint8_t { space, letter, number, other };

Kind slow_kind(char32_t c) {
  return is_space(c) ? Kind::space : is_letter(c) ? Kind::letter : is_numeric(c) ? Kind::number : Kind::other;
}
Kind kind_of(char32_t c) {
  static const auto table = [] {
    std::array<Kind, 128> t;
    for (char32_t i = 0; i < 128; ++i) t[i] = slow_kind(i);
    return t;
  }();
  return c < 128 ? table[c] : slow_kind(c);
}

// The end of the characters of that kind from `at` on.
size_t run_end(std::string_view s, size_t at, Kind kind) {
  while (at < s.size()) {
    size_t next = at;
    if (kind_of(next_char(s, next)) != kind) break;
    at = next;
  }
  return at;
}

// The length of 's, 't, 're, 've, 'm, 'll or 'd at `at`, where a ' stands; 0 for none of them.
size_t contraction(std::string_view s, size_t at) {
  const char a = at + 1 < s.size() ? s[at + 1] : ' ', b = at + 2 < s.size() ? s[at + 2] : ' ';
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  return (b == 'e' && (a == 'r' || a == 'v')) || (a == 'l' && b == 'l') ? 3 : 0;
}

// Spaces from `at` on up to `end`: the last one is left to the word behind it, unless it is alone.
size_t spaces_end(std::string_view s, size_t at, size_t end) {
  if (end == s.size()) return end;
  const size_t last = before(s, end);
  return last > at ? last : end;
}

size_t word_end(std::string_view s, size_t at) {
  size_t next = at;
  const char32_t c = next_char(s, next);
  if (c == '\'')
    if (const size_t n = contraction(s, at)) return at + n;
  const Kind kind = kind_of(c);
  if (c == ' ' && next < s.size()) {
    size_t after = next;
    const Kind behind = kind_of(next_char(s, after));
    if (behind != Kind::space) return run_end(s, after, behind);
  }
  const size_t end = run_end(s, next, kind);
  return kind == Kind::space ? spaces_end(s, at, end) : end;
}

std::array<char32_t, 256> characters() {
  std::array<char32_t, 256> all;
  char32_t next = 256;
  for (char32_t b = 0; b < 256; ++b) {
    const bool shows = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || (b >= 0xae);
    all[b] = shows ? b : next++;
  }
  return all;
}

}  // namespace

const std::array<std::string, 256>& byte_characters() {
  static const auto table = [] {
    std::array<std::string, 256> t;
    const auto all = characters();
    for (size_t b = 0; b < 256; ++b) t[b] = to_utf8(all[b]);
    return t;
  }();
  return table;
}

int byte_of(char32_t c) {
  static const auto table = [] {
    std::array<int16_t, 0x144> t;
    t.fill(-1);
    const auto all = characters();
    for (size_t b = 0; b < 256; ++b) t[all[b]] = int16_t(b);
    return t;
  }();
  return c < table.size() ? table[c] : -1;
}

void cut_words(std::string_view s, size_t shift, std::vector<Piece>& out) {
  for (size_t at = 0; at < s.size();) {
    const size_t end = word_end(s, at);
    out.push_back({shift + at, shift + end});
    at = end;
  }
}

}  // namespace luth::text
