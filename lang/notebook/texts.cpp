#include "lang/notebook/texts.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "core/base/version.h"

namespace luth::lang {
namespace {

bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool in_path(char c) { return in_name(c) || c == '.' || c == ':'; }

}  // namespace

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == text.npos ? "" : std::string(text.substr(first, last - first + 1));
}

size_t byte_at(std::string_view text, size_t letter) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_letter(text[at]) && letter-- == 0) break;
  return at;
}

size_t letters_in(std::string_view text, size_t byte) {
  return size_t(std::count_if(text.begin(), text.begin() + long(std::min(byte, text.size())), begins_letter));
}

std::string name_at(std::string_view text, size_t byte) {
  size_t from = std::min(byte, text.size()), to = from;
  while (from > 0 && text[from - 1] == '(') --from, to = from;  // behind the bracket of a call
  while (from > 0 && in_path(text[from - 1])) --from;
  while (to < text.size() && in_name(text[to])) ++to;
  std::string name(text.substr(from, to - from));
  while (!name.empty() && !in_name(name.back())) name.pop_back();
  return name;
}

bool matches(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

Json kernel_info() {
  return {{"status", "ok"},
          {"protocol_version", "5.3"},
          {"implementation", "luth"},
          {"implementation_version", version},
          {"banner", std::string("luth ") + version},
          {"help_links", Json::array()},
          {"language_info",
           {{"name", "lua"},
            {"version", "5.4"},
            {"mimetype", "text/x-lua"},
            {"file_extension", ".lua"},
            {"pygments_lexer", "lua"},
            {"codemirror_mode", "lua"}}}};
}

Json error_of(const std::string& text) {
  const size_t heading = text.find("\nstack traceback:");
  Json lines = Json::array();
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return {{"ename", "Error"}, {"evalue", text.substr(0, heading)}, {"traceback", lines}};
}

}  // namespace luth::lang
