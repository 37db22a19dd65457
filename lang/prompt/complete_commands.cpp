#include "lang/prompt/complete_commands.h"

#include <algorithm>

#include "core/base/error.h"
#include "lang/prompt/commands.h"

namespace luth::lang {
namespace {

OfferWords of_program;

// The words of a line, of which the last is being typed.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words{""};
  for (char c : line) {
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

void complete_shell(std::string_view line, Completion& result) {
  auto words = words_of(line);
  const std::string typed = words.back();
  words.pop_back();
  result.typed = typed.size();
  if (!words.empty() && words[0] == "luth" && of_program) {
    words.erase(words.begin());
    try {
      result.names = of_program(words);
    } catch (const Error&) {}  // nothing is offered
    std::erase_if(result.names, [&](auto& s) { return !s.starts_with(typed); });
  }
  if (result.names.empty()) add_files(typed, result.names);
}

}  // namespace

void offer_words(OfferWords offer) { of_program = std::move(offer); }

bool complete_command(std::string_view& line, Completion& result) {
  if (line.starts_with('!')) return complete_shell(line.substr(1), result), true;
  if (!line.starts_with(':') || line.starts_with("::")) return false;
  const size_t blank = line.find(' ');
  const std::string_view word = line.substr(1, blank == line.npos ? blank : blank - 1);
  if (blank == line.npos) {
    result.typed = word.size();
    for (auto& name : command_names())
      if (name.starts_with(word)) result.names.push_back(name);
    return true;
  }
  line.remove_prefix(blank + 1);
  if (word != "load" && word != "save" && word != "edit") return false;
  result.typed = line.size();
  add_files(std::string(line), result.names);
  return true;
}

}  // namespace luth::lang
