// `luth completion bash|zsh|fish`: a completion script for the shell, made from the table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "cli/recipe_options.h"
#include "cli/subcommands.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

constexpr const char* bash_script = R"sh(# bash completion for luth: eval "$(luth completion bash)"
_luth() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} names="@NAMES@" options words
  COMPREPLY=()
  case $before in
@VALUES@  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  case ${COMP_WORDS[1]} in
@OPTIONS@  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -X '!*.lua' -- "$word") $(compgen -d -S / -- "$word"))
  elif [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -o nospace -F _luth luth
)sh";

constexpr const char* zsh_script = R"sh(#compdef luth
# zsh completion for luth: luth completion zsh > a folder of $fpath, as _luth; or eval "$(luth completion zsh)"
_luth() {
  local -a names options values
  names=(@NAMES@)
  case ${words[CURRENT-1]} in
@VALUES@  esac
  if (( $#values )); then compadd -a values; return; fi
  case ${words[2]} in
@OPTIONS@  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif (( CURRENT == 2 )); then
    _describe subcommand names
    _files -g '*.lua'
  elif (( $#values )); then
    compadd -a values
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_luth" ]; then _luth "$@"; else compdef _luth luth; fi
)sh";

constexpr const char* fish_script = R"sh(# fish completion for luth: luth completion fish | source
@NAMES@complete -c luth -n '__fish_is_first_token' -k -xa '(__fish_complete_suffix .lua)'
@OPTIONS@)sh";

// The script with its @WORDS@ filled in.
std::string filled(std::string script, std::initializer_list<std::pair<std::string, std::string>> texts) {
  for (auto& [word, text] : texts) script.replace(script.find(word), word.size(), text);
  return script;
}

// In single quotes, for any of the shells.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// The words that may stand behind the subcommand's name; "": files.
std::string choices(const Subcommand& command) {
  return command.run == help ? joined(subcommand_names()) : std::string(command.choices);
}

// The completions of one subcommand, or of the program itself.
struct Rows {
  std::string pattern;  // of the first word
  std::string choices;
  std::vector<Option> options;
};

std::vector<Rows> all_rows(Options of_recipes) {
  std::vector<Rows> list;
  for (auto& c : subcommands()) {
    Rows rows{std::string(c.name), choices(c), {c.options.begin(), c.options.end()}};
    if (c.extended) rows.options.insert(rows.options.end(), of_recipes.begin(), of_recipes.end());
    list.push_back(std::move(rows));
  }
  Rows program{"-*", "", {}};
  for (auto& o : program_options())
    if (o.name != "-" && o.name != "--") program.options.push_back(o);
  list.push_back(std::move(program));
  return list;
}

// "    --device) words='auto cpu cuda' ;;" for each option with known values.
std::string value_cases(const std::vector<Rows>& all, const char* form) {
  std::vector<std::string_view> seen;
  std::string text;
  for (auto& rows : all)
    for (auto& o : rows.options) {
      if (o.choices.empty() || std::find(seen.begin(), seen.end(), o.name) != seen.end()) continue;
      seen.push_back(o.name);
      text += fmt::format(fmt::runtime(form), o.name, o.choices);
    }
  return text;
}

// A line of `form` for each first word, with its options as `shown` and its arguments.
std::string option_cases(const std::vector<Rows>& all, const char* form, std::string (*shown)(const Option&)) {
  std::string text;
  for (auto& rows : all) {
    std::vector<std::string> list;
    for (auto& o : rows.options) list.push_back(shown(o));
    text += fmt::format(fmt::runtime(form), rows.pattern, joined(list), rows.choices);
  }
  return text;
}

std::string bash(const std::vector<Rows>& all) {
  const auto name = [](const Option& o) { return std::string(o.name); };
  return filled(bash_script, {{"@NAMES@", joined(subcommand_names())},
                              {"@VALUES@", value_cases(all, "    {}) words='{}' ;;\n")},
                              {"@OPTIONS@", option_cases(all, "    {}) options='{}' words='{}' ;;\n", name)}});
}

std::string zsh(const std::vector<Rows>& all) {
  const auto described = [](const Option& o) { return quoted(fmt::format("{}:{}", o.name, o.help)); };
  std::vector<std::string> names;
  for (auto& c : subcommands()) names.push_back(quoted(fmt::format("{}:{}", c.name, c.brief)));
  return filled(zsh_script, {{"@NAMES@", joined(names)},
                             {"@VALUES@", value_cases(all, "    {}) values=({}) ;;\n")},
                             {"@OPTIONS@", option_cases(all, "    {}) options=({}) values=({}) ;;\n", described)}});
}

std::string fish_line(const std::string& condition, const Option& o) {
  const bool full = o.name.starts_with("--");
  std::string line = fmt::format("complete -c luth -n '{}' {} {} -d {}", condition, full ? "-l" : "-s",
                                 o.name.substr(full ? 2 : 1), quoted(o.help));
  if (!o.choices.empty()) return fmt::format("{} -xa '{}'\n", line, o.choices);
  return line + (o.value.empty() || value_may_be_missing(o) ? "\n" : " -r\n");
}

std::string fish(const std::vector<Rows>& all) {
  std::string names, options;
  for (auto& c : subcommands())
    names += fmt::format("complete -c luth -n '__fish_is_first_token' -xa '{}' -d {}\n", c.name, quoted(c.brief));
  for (auto& rows : all) {
    const std::string condition =
        rows.pattern == "-*" ? "__fish_is_first_token" : "__fish_seen_subcommand_from " + rows.pattern;
    for (auto& o : rows.options) options += fish_line(condition, o);
    if (!rows.choices.empty()) options += fmt::format("complete -c luth -n '{}' -xa '{}'\n", condition, rows.choices);
  }
  return filled(fish_script, {{"@NAMES@", names}, {"@OPTIONS@", options}});
}

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> list;
  for (size_t at = 0, end; at < words.size(); at = end + 1) {
    end = std::min(words.find(' ', at), words.size());
    if (end > at) list.emplace_back(words.substr(at, end - at));
  }
  return list;
}

}  // namespace

std::vector<std::string> words_behind(const std::vector<std::string>& before) {
  if (before.empty()) return subcommand_names();
  const RecipeOptions of_recipes = recipe_options();
  for (auto& rows : all_rows(of_recipes.rows)) {
    if (rows.pattern != before[0]) continue;
    if (auto* o = find_option(rows.options, before.back()); o && !o->choices.empty()) return split(o->choices);
    std::vector<std::string> words = split(rows.choices);
    for (auto& o : rows.options) words.emplace_back(o.name);
    return words;
  }
  return {};
}

int completion(const Arguments& arguments) {
  const std::string& shell = arguments.rest[0];
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  if (std::find(shells.begin(), shells.end(), shell) == shells.end())
    throw Error(ErrorCode::usage, "no completion for '{}': expected bash, zsh or fish{}", shell,
                did_you_mean(shell, shells));
  const RecipeOptions of_recipes = recipe_options();
  const std::vector<Rows> all = all_rows(of_recipes.rows);
  const std::string script = shell == "bash" ? bash(all) : shell == "zsh" ? zsh(all) : fish(all);
  return fputs(script.c_str(), stdout), 0;
}

}  // namespace luth::cli
