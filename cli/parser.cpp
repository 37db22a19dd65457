#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>

#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

// "--no-wide" for "--wide".
std::string negation(const Option& option) { return "--no-" + std::string(option.name.substr(2)); }

// The table as CLI11 knows it. Every row is an option of its own, --help too; a negation is a flag.
void add_rows(CLI::App& app, Options options) {
  app.set_help_flag();
  app.allow_extras();
  for (auto& row : options) {
    const std::string name(row.name);
    if (row.value.empty()) {
      app.add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      continue;
    }
    auto* option = app.add_option(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->expected(value_may_be_missing(row) ? 0 : 1, 1)->default_str("true");
    if (!value_may_be_missing(row) || find_option(options, negation(row))) continue;
    app.add_flag(negation(row))->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

bool looks_like_option(std::string_view word) {
  return word == "-h" || (word.size() > 2 && word.starts_with("--") && isalpha(static_cast<unsigned char>(word[2])));
}

// "--save_every" is "--save-every" where that is a row.
std::string known_spelling(Options options, std::string name) {
  if (name == "-h") return "--help";
  const std::string before = name;
  std::replace(name.begin(), name.end(), '_', '-');
  const bool negated = name.starts_with("--no-") && find_option(options, "--" + name.substr(5));
  return negated || find_option(options, name) ? name : before;
}

// The words in the one spelling that CLI11 reads without a doubt: to it "--name=" has no value, and a word that looks
// like an option is one even as a value that must be there.
std::vector<std::string> plain(Options options, const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      out.insert(out.end(), words.begin() + long(i), words.end());
      break;
    }
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string name = known_spelling(options, words[i].substr(0, equals));
    const Option* row = find_option(options, name);
    const bool joined = equals != std::string::npos;
    if (row && joined && !row->value.empty() && equals + 1 == words[i].size()) {
      out.insert(out.end(), {name, ""});
      continue;
    }
    out.push_back(joined ? name + words[i].substr(equals) : name);
    if (!row || joined || row->value.empty() || value_may_be_missing(*row)) continue;
    if (++i == words.size() || looks_like_option(words[i])) throw Error(ErrorCode::usage, "{} needs a value", name);
    out.push_back(words[i]);
  }
  return out;
}

// The index of the first word that is no option and no value of one, or of the `--` before it.
size_t first_argument(Options options, const std::vector<std::string>& words) {
  size_t first = 0;
  for (; first < words.size() && words[first].starts_with('-') && words[first] != "--"; ++first) {
    const Option* row = find_option(options, known_spelling(options, words[first]));  // null where its value is joined
    if (row && !row->value.empty() && !value_may_be_missing(*row)) ++first;
  }
  return std::min(first, words.size());
}

}  // namespace

void Arguments::give(const std::string& name, const std::string& text, bool in_rest) {
  std::erase_if(given, [&](auto& g) { return g.name == name; });
  given.push_back({name, text, in_rest});
}
std::optional<std::string> Arguments::text(std::string_view option) const {
  for (auto& g : given)
    if (g.name == option) return g.text;
  return std::nullopt;
}
bool Arguments::has(std::string_view option) const { return text(option).value_or("false") != "false"; }
std::vector<std::string> Arguments::words() const {
  std::vector<std::string> list;
  for (auto& g : given)
    if (!g.in_rest) list.push_back(g.name + "=" + g.text);
  return list;
}

Arguments parse(Options options, const std::vector<std::string>& words) {
  CLI::App app;
  add_rows(app, options);
  std::vector<std::string> backwards = plain(options, words);  // as CLI11 wants them
  std::reverse(backwards.begin(), backwards.end());
  try {
    app.parse(std::move(backwards));
  } catch (const CLI::ParseError& e) { throw Error(ErrorCode::usage, "{}", e.what()); }
  Arguments arguments;
  arguments.rest = app.remaining();
  std::map<const CLI::Option*, size_t> read;
  for (const CLI::Option* o : app.parse_order()) {
    const std::string name = o->get_name(), text = o->results().at(read[o]++);
    const Option* row = find_option(options, name);
    if ((!row || row->value.empty()) && text != "true" && text != "false")
      throw Error(ErrorCode::usage, "{} takes no value, got '{}'", name, text);
    if (row)
      arguments.give(name, text);
    else
      arguments.give("--" + name.substr(5), text == "false" ? "true" : "false");
  }
  return arguments;
}

Arguments parse_before(Options options, const std::vector<std::string>& words) {
  size_t first = first_argument(options, words);
  Arguments arguments = parse(options, {words.begin(), words.begin() + long(first)});
  positional(options, arguments.rest, 0, "luth launch");
  if (first < words.size() && words[first] == "--") ++first;
  arguments.rest.assign(words.begin() + long(first), words.end());
  return arguments;
}

Arguments parse_around(Options options, Options common, const std::vector<std::string>& words) {
  const auto first = words.begin() + long(first_argument(options, words));
  Arguments arguments = parse(options, {words.begin(), first});
  for (auto& g : parse(common, {first, words.end()}).given) arguments.give(g.name, g.text, true);
  arguments.rest.insert(arguments.rest.end(), first, words.end());
  return arguments;
}

std::vector<std::string> positional(Options options, const std::vector<std::string>& rest, int most,
                                    std::string_view where, std::string_view note) {
  std::vector<std::string> known, arguments;
  for (auto& row : options) known.emplace_back(row.name);
  bool options_end = false;
  for (auto& word : rest) {
    const std::string name = word.substr(0, word.find('='));
    if (!options_end && looks_like_option(word))
      throw Error(ErrorCode::usage, "unknown option '{}'{} (`{} --help` lists them){}", name, note, where,
                  did_you_mean(name, known));
    if (!options_end && word == "--")
      options_end = true;
    else if ((!options_end && word.size() > 1 && word[0] == '-') || int(arguments.size()) == most)
      throw Error(ErrorCode::usage, "unexpected argument '{}' (`{} --help` says what it takes)", word, where);
    else
      arguments.push_back(word);
  }
  return arguments;
}

}  // namespace luth::cli
