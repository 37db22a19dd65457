#include "lang/prompt/glyphs.h"

#include <fmt/format.h>
#include <wchar.h>

#include "core/base/visible.h"

namespace luth::lang {
namespace {

constexpr int tab = 8;
constexpr wchar_t joiner = 0x200d;

// The character at `at`: its bytes, and its code point; 0 bytes where there is no UTF-8.
size_t decode(std::string_view text, size_t at, wchar_t& c) {
  const size_t n = utf8_length(text.substr(at));
  const auto lead = static_cast<unsigned char>(text[at]);
  c = n < 2 ? lead : lead & (0x7f >> n);
  for (size_t i = 1; i < n; ++i) c = wchar_t(c << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f));
  return n;
}

// Marks, joiners and what is joined: all that belongs to the character before `at`.
size_t end_of_marks(std::string_view text, size_t at) {
  for (wchar_t c; at < text.size();) {
    const size_t n = decode(text, at, c);
    if (n < 2 || wcwidth(c) != 0) break;
    at += n;
    if (c == joiner && at < text.size()) {
      const size_t joined = decode(text, at, c);
      if (joined > 1) at += joined;
    }
  }
  return at;
}

std::string escape(std::string_view bytes) {
  std::string s;
  for (char c : bytes) s += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return s;
}

}  // namespace

Glyph glyph_at(std::string_view text, size_t at, int column) {
  if (at >= text.size()) return {};
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead == '\n') return {1, 0, ""};
  if (lead == '\t') return {1, tab - column % tab, std::string(size_t(tab - column % tab), ' ')};
  if (lead < ' ') return {1, 2, {'^', char(lead + '@')}};
  wchar_t c;
  const size_t n = decode(text, at, c);
  const int columns = n ? wcwidth(c) : -1;
  const std::string_view own = text.substr(at, n ? n : 1);
  if (columns < 0 || visible(own) != own) {
    const std::string shown = lead == 0x7f ? "^?" : escape(own);
    return {own.size(), int(shown.size()), shown};
  }
  const size_t end = end_of_marks(text, at + n);
  std::string shown(text.substr(at, end - at));
  if (columns == 0) return {end - at, 1, " " + shown};  // a mark without a character
  return {end - at, columns, std::move(shown)};
}

size_t next_glyph(std::string_view text, size_t at) { return at + glyph_at(text, at).bytes; }

size_t previous_glyph(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
  if (newline + 1 == at && at > 0) return newline;
  size_t from = newline == text.npos ? 0 : newline + 1;
  if (at - from > 400) {  // a long line: no glyph is that long
    from = at - 200;
    while ((static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
  }
  for (size_t end; from < at; from = end)
    if ((end = next_glyph(text, from)) >= at) return from;
  return from;
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (size_t at = 0; at < text.size(); at = next_glyph(text, at)) columns += glyph_at(text, at, columns).columns;
  return columns;
}

std::string cut_to(std::string_view text, int columns) {
  std::string s;
  for (size_t at = 0; at < text.size();) {
    Glyph g = glyph_at(text, at);
    if ((columns -= g.columns) < 0) break;
    s += g.shown;
    at += g.bytes;
  }
  return s;
}

}  // namespace luth::lang
