#include "lang/prompt/keys.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "core/base/visible.h"

namespace luth::lang {
namespace {

constexpr char esc = '\x1b';
// A terminal's answer about pictures, which may come after plot has ceased to wait for it.
constexpr std::string_view answer_begins = "\x1b_G", answer_ends = "\x1b\\";
constexpr std::string_view paste_begins = "\x1b[200~", paste_ends = "\x1b[201~";

// The bytes that a character beginning so has; 1 for those that begin none.
size_t promised_length(unsigned char lead) {
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}

const char* name_of_letter(char c) {
  switch (c) {
    case 'A': return "up";
    case 'B': return "down";
    case 'C': return "right";
    case 'D': return "left";
    case 'H': return "home";
    case 'F': return "end";
    case 'M': return "enter";
    case 'Z': return "S-tab";
    default: return "unknown";
  }
}

const char* name_of_number(int n) {
  switch (n) {
    case 1:
    case 7: return "home";
    case 2: return "insert";
    case 3: return "delete";
    case 4:
    case 8: return "end";
    case 5: return "page up";
    case 6: return "page down";
    default: return "unknown";
  }
}

// xterm's: 1 and the sum of 1 (shift), 2 (alt), 4 (control).
std::string modifiers(int n) {
  const int bits = n > 0 ? n - 1 : 0;
  return std::string(bits & 4 ? "C-" : "") + (bits & 2 ? "M-" : "") + (bits & 1 ? "S-" : "");
}

// A terminal sends Return for each newline of a paste.
std::string with_newlines(std::string_view text) {
  std::string s;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\r') {
      s += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      s += text[i];
    }
  return s;
}

}  // namespace

bool KeyDecoder::next(Key& key, bool pause) {
  key.kind = Key::Kind::command;
  return !bytes_.empty() && decode(key, pause);
}

bool KeyDecoder::decode(Key& key, bool pause) {
  const auto c = static_cast<unsigned char>(bytes_[0]);
  if (c == esc) return escape(key, pause);
  if (c < ' ' || c == 0x7f) return control(key, c, pause);
  // the plain text that has come is one key, so that fast input is painted once
  size_t end = 0;
  while (end < bytes_.size()) {
    const auto lead = static_cast<unsigned char>(bytes_[end]);
    if (lead < ' ' || lead == 0x7f) break;
    size_t n = utf8_length(std::string_view(bytes_).substr(end));
    if (!n) {
      if (!pause && end + promised_length(lead) > bytes_.size()) break;
      n = 1;
    }
    end += n;
  }
  if (!end) return false;
  key = {Key::Kind::text, bytes_.substr(0, end)};
  return take(end), true;
}

bool KeyDecoder::control(Key& key, unsigned char c, bool pause) {
  if (c == '\r' || c == '\n') {
    key.value = "enter";
  } else if (c == '\t') {
    key.value = "tab";
  } else if (c == 0x7f || c == 0x08) {
    key.value = "backspace";
  } else if (c == 0x18) {
    if (bytes_.size() < 2 && !pause) return false;
    const auto second = static_cast<unsigned char>(bytes_.size() < 2 ? 0 : bytes_[1]);
    key.value = second > 0 && second < ' ' ? std::string("C-x C-") + char(tolower(second + '@')) : "unknown";
    return take(bytes_.size() < 2 ? 1 : 2), true;
  } else {
    key.value = std::string("C-") + char(tolower(c + '@'));
  }
  return take(1), true;
}

bool KeyDecoder::escape(Key& key, bool pause) {
  if (bytes_.starts_with(paste_begins)) return paste(key, pause);
  if (bytes_.starts_with(answer_begins) || (bytes_ == "\x1b_" && !pause)) return answer(key, pause);
  if (bytes_.size() == 1) return pause ? (key.value = "escape", take(1), true) : false;
  const char second = bytes_[1];
  if (second == '[' || second == 'O') {
    if (sequence(key)) return true;
    if (!pause) return false;
    key.value = "unknown";
    return take(bytes_.size()), true;
  }
  take(1);
  if (!decode(key, pause)) return bytes_.insert(0, 1, esc), false;
  if (key.kind == Key::Kind::text) {  // the first character alone is pressed with Alt
    const size_t n = std::max<size_t>(1, utf8_length(key.value));
    bytes_.insert(0, key.value.substr(n));
    key = {Key::Kind::command, key.value.substr(0, n)};
  }
  if (key.kind == Key::Kind::command) key.value.insert(0, "M-");
  return true;
}

// ESC [ parameters letter, ESC O letter.
bool KeyDecoder::sequence(Key& key) {
  size_t end = 2;
  while (end < bytes_.size() && bytes_[end] >= 0x20 && bytes_[end] < 0x40) ++end;
  if (end >= bytes_.size()) return false;
  const char last = bytes_[end];
  if (last < 0x40 || last > 0x7e) {  // something else came within
    key.value = "unknown";
    return take(end), true;
  }
  const std::string parameters = bytes_.substr(2, end - 2);
  const size_t semicolon = parameters.find(';');
  const int first = atoi(parameters.c_str());
  const int second = semicolon == parameters.npos ? 1 : atoi(parameters.c_str() + semicolon + 1);
  const std::string name = last == '~' ? name_of_number(first) : name_of_letter(last);
  key.value = name == "unknown" ? name : modifiers(second) + name;
  return take(end + 1), true;
}

bool KeyDecoder::paste(Key& key, bool pause) {
  const size_t end = bytes_.find(paste_ends, paste_begins.size());
  if (end == bytes_.npos && !pause) return false;
  key = {Key::Kind::paste, with_newlines(std::string_view(bytes_).substr(
                               paste_begins.size(), end == bytes_.npos ? end : end - paste_begins.size()))};
  take(end == bytes_.npos ? bytes_.size() : end + paste_ends.size());
  return true;
}

// ESC _ G text ESC \.
bool KeyDecoder::answer(Key& key, bool pause) {
  const size_t end = bytes_.find(answer_ends, 2);
  if (end == bytes_.npos && !pause) return false;
  key.value = "unknown";
  return take(end == bytes_.npos ? bytes_.size() : end + answer_ends.size()), true;
}

bool KeyDecoder::take_interrupt() {
  const size_t pastes = bytes_.find(paste_begins);
  std::string typed = bytes_.substr(0, pastes);
  if (!std::erase(typed, '\x03')) return false;
  bytes_ = typed + (pastes == bytes_.npos ? "" : bytes_.substr(pastes));
  return true;
}

}  // namespace luth::lang
