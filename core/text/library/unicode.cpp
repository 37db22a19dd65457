#include "core/text/library/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace luth::text {
namespace {

enum Class : uint16_t {
  letter = 1,
  numeric = 2,
  space = 4,
  punctuation = 8,
  accent = 16,
  word = 32,
  other = 64,
  mark = 128,
};

bool is_white_space(char32_t c) {
  return is_in(c, {{9, 13},
                   {' ', ' '},
                   {0x85, 0x85},
                   {0xa0, 0xa0},
                   {0x1680, 0x1680},
                   {0x2000, 0x200a},
                   {0x2028, 0x2029},
                   {0x202f, 0x202f},
                   {0x205f, 0x205f},
                   {0x3000, 0x3000}});
}

// Symbols that are letters in circles and squares, and the two joiners, are of words.
bool is_odd_word(char32_t c) {
  return is_in(c, {{0x24b6, 0x24e9}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}, {0x200c, 0x200d}});
}

uint16_t classes_of(char32_t c) {
  uint16_t all = is_white_space(c) ? space : 0;
  if (is_odd_word(c)) all |= word;
  switch (utf8proc_category(utf8proc_int32_t(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return all | letter | word;
    case UTF8PROC_CATEGORY_MN: return all | accent | mark | word;
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return all | mark | word;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL: return all | numeric | word;
    case UTF8PROC_CATEGORY_NO: return all | numeric;
    case UTF8PROC_CATEGORY_PC: return all | punctuation | word;
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return all | punctuation;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO: return all | other;
    default: return all;
  }
}

// Classes of the first plane's first half, where nearly all text is; of others they are asked for each time.
uint16_t classes(char32_t c) {
  static const auto table = [] {
    std::array<uint16_t, 0x3400> t;
    for (char32_t i = 0; i < t.size(); ++i) t[i] = classes_of(i);
    return t;
  }();
  return c < table.size() ? table[c] : classes_of(c);
}

// What a character consists of, appended. The first stands for it, the others are new.
void decompose(char32_t c, bool compatible, std::vector<Change>& out) {
  std::array<utf8proc_int32_t, 32> parts;
  int boundary = 0;
  const auto options = utf8proc_option_t(UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  const auto n = utf8proc_decompose_char(utf8proc_int32_t(c), parts.data(), parts.size(), options, &boundary);
  if (n < 1 || n > utf8proc_ssize_t(parts.size())) return out.push_back({c, 0});
  for (utf8proc_ssize_t i = 0; i < n; ++i) out.push_back({char32_t(parts[size_t(i)]), i > 0});
}

int class_of(char32_t c) { return c < 0x300 ? 0 : utf8proc_get_property(utf8proc_int32_t(c))->combining_class; }

// The character that the two make, or 0.
char32_t compose(char32_t a, char32_t b) {
  if (b < 0x300) return 0;
  std::array<utf8proc_int32_t, 2> pair{utf8proc_int32_t(a), utf8proc_int32_t(b)};
  return utf8proc_normalize_utf32(pair.data(), 2, utf8proc_option_t(UTF8PROC_COMPOSE | UTF8PROC_STABLE)) == 1
             ? char32_t(pair[0])
             : 0;
}

// Marks in the order of their classes, those of one class as they were.
void put_in_order(std::vector<Change>& all) {
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && class_of(all[end].c)) ++end;
    std::stable_sort(all.begin() + int64_t(i), all.begin() + int64_t(end),
                     [](const Change& a, const Change& b) { return class_of(a.c) < class_of(b.c); });
    i = end + 1;
  }
}

std::vector<Change> composed(const std::vector<Change>& all) {
  std::vector<Change> out;
  size_t starter = SIZE_MAX;  // in `out`: what marks join
  int last = -1;              // the class of the last character behind it that did not join; -1: there is none
  for (const Change& x : all) {
    const int k = class_of(x.c);
    const bool free = starter != SIZE_MAX && (last == -1 || (last < k && last != 0));
    const char32_t one = free ? compose(out[starter].c, x.c) : 0;
    if (one) {
      out[starter] = {one, out[starter].by + x.by - 1};
      continue;
    }
    out.push_back(x);
    if (k == 0)
      starter = out.size() - 1, last = -1;
    else
      last = k;
  }
  return out;
}

}  // namespace

void append(std::string& s, char32_t c) {
  const auto tail = [&](int shift) { s += char(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return void(s += char(c));
  if (c < 0x800) return s += char(0xc0 | c >> 6), tail(0);
  if (c < 0x10000) return s += char(0xe0 | c >> 12), tail(6), tail(0);
  s += char(0xf0 | c >> 18), tail(12), tail(6), tail(0);
}
std::string to_utf8(char32_t c) {
  std::string s;
  append(s, c);
  return s;
}
size_t count_chars(std::string_view s) {
  return size_t(std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}
bool is_ascii(std::string_view s) {
  return std::none_of(s.begin(), s.end(), [](char c) { return (c & 0x80) != 0; });
}

bool is_letter(char32_t c) { return classes(c) & letter; }
bool is_numeric(char32_t c) { return classes(c) & numeric; }
bool is_space(char32_t c) { return classes(c) & space; }
bool is_punctuation(char32_t c) { return classes(c) & punctuation; }
bool is_ascii_punctuation(char32_t c) {
  return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
}
bool is_accent(char32_t c) { return classes(c) & accent; }
bool is_mark(char32_t c) { return classes(c) & mark; }
bool is_word(char32_t c) { return classes(c) & word; }
bool is_other(char32_t c) { return classes(c) & other; }

std::u32string lower_case(char32_t c) {
  if (c == 0x130) return U"i\u0307";
  return {char32_t(utf8proc_tolower(utf8proc_int32_t(c)))};
}

std::vector<Change> normal_form(std::string_view text, Form form) {
  const bool compatible = form == Form::nfkc || form == Form::nfkd;
  std::vector<Change> all;
  all.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_char(text, at);
    c < 0xa0 ? all.push_back({c, 0}) : decompose(c, compatible, all);
  }
  put_in_order(all);
  return form == Form::nfc || form == Form::nfkc ? composed(all) : all;
}

}  // namespace luth::text
