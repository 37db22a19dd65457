#include "core/base/visible.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace luth {
namespace {

// The code point of a well-formed sequence of n bytes.
uint32_t code_point(std::string_view s, size_t n) {
  const auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(s[i])); };
  if (n == 1) return byte(0);
  uint32_t c = byte(0) & (0x7fu >> n);
  for (size_t i = 1; i < n; ++i) c = c << 6 | (byte(i) & 0x3f);
  return c;
}

bool hides(uint32_t c) {
  const auto within = [c](uint32_t first, uint32_t last) { return c >= first && c <= last; };
  return c < ' ' || within(0x7f, 0x9f) || c == 0x061c || within(0x200e, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2066, 0x2069);
}

// Moves the first character from `text` to `out`, as an escape where it hides something and is none of `kept`.
void take_visible(std::string_view& text, std::string_view kept, std::string& out) {
  const size_t length = utf8_length(text), n = length ? length : 1;
  const bool plain = length && (!hides(code_point(text, n)) || kept.find(text[0]) != kept.npos);
  if (plain)
    out += text.substr(0, n);
  else
    for (char c : text.substr(0, n)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  text.remove_prefix(n);
}

}  // namespace

size_t utf8_length(std::string_view s) {
  auto at = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  unsigned lead = at(0);
  if (lead < 0x80) return 1;
  size_t n = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < n; ++i, low = 0x80, high = 0xbf)
    if (at(i) < low || at(i) > high) return 0;
  return n;
}

std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) take_visible(text, "\n\t", out);
  return out;
}

std::string foreign(std::string_view text, size_t most) {
  std::string out;
  for (; !text.empty() && most; --most) take_visible(text, "", out);
  return text.empty() ? out : out + "…";
}

void print_error(std::string_view text) {
  const std::string line = (isatty(STDERR_FILENO) ? visible(text) : std::string(text)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace luth
