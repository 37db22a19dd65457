#include "core/io/names.h"

#include <charconv>

#include "core/base/visible.h"

namespace luth::io {
namespace {

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

bool unescape(std::string_view name, std::string& out) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      out += name[i];
      continue;
    }
    int high = i + 2 < name.size() ? hex_digit(name[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(name[i + 2]);
    if (low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

}  // namespace

std::string to_name(const Key& key) {
  if (auto* number = std::get_if<int64_t>(&key)) return fmt::format("[{}]", *number);
  const std::string& s = std::get<std::string>(key);
  if (s.empty()) return "%";
  std::string name;
  for (size_t i = 0; i < s.size();) {
    size_t n = utf8_length(std::string_view(s).substr(i));
    auto c = static_cast<unsigned char>(s[i]);
    bool escape =
        !n || c < 0x20 || c == 0x7f || c == '/' || c == '%' || (c == '.' && s.size() == 1) || (c == '[' && !i);
    if (!n) n = 1;
    if (escape)
      name += fmt::format("%{:02X}", c);
    else
      name += s.substr(i, n);
    i += n;
  }
  return name;
}

bool from_name(std::string_view name, Key& key) {
  if (name == "%") {
    key = std::string();
  } else if (!name.empty() && name[0] == '[') {
    int64_t number = 0;
    const char* end = name.data() + name.size() - 1;
    auto result = std::from_chars(name.data() + 1, end, number);
    if (name.back() != ']' || result.ec != std::errc() || result.ptr != end) return false;
    key = number;
  } else {
    std::string s;
    if (!unescape(name, s)) return false;
    key = std::move(s);
  }
  return to_name(key) == name;  // each key has one name
}

}  // namespace luth::io
