// The words of a command line, parsed by the table (cli/table.h). CLI11 parses them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace luth::cli {

struct Option;

struct Arguments {
  struct Given {
    std::string name, text;
    bool in_rest = false;
  };
  /// The options that were given, in order; of several of one name the last. The text of a flag is "true", that of
  /// `--no-wide` is "false" for "--wide".
  std::vector<Given> given;
  /// The words that no option took, in order.
  std::vector<std::string> rest;

  void give(const std::string& name, const std::string& text, bool in_rest = false);
  bool has(std::string_view option) const;
  std::optional<std::string> text(std::string_view option) const;
  /// Those that do not stand in `rest`, as words: "--threads=2".
  std::vector<std::string> words() const;
};

/// Reads words by the rows of `options`. Throws luth::Error (usage) where a value is missing.
Arguments parse(std::span<const Option> options, const std::vector<std::string>& words);

/// The same for words whose first argument begins another command line: from there on they are `rest` as they are.
/// Throws luth::Error (usage) for an unknown option before it.
Arguments parse_before(std::span<const Option> options, const std::vector<std::string>& words);

/// The same for a subcommand whose first argument, a recipe, declares more options behind it: words before it are read
/// by the rows of `options`, those behind it stay in `rest` as they are, though options of `common` are given, too.
Arguments parse_around(std::span<const Option> options, std::span<const Option> common,
                       const std::vector<std::string>& words);

/// The arguments in `rest`: without the `--` before words that are none, whatever they look like. Throws luth::Error
/// (usage) for an option, which no row knows, with the nearest one, and for more than `most` arguments.
/// `where`: "luth bench", whose --help lists them; `note` follows the option.
std::vector<std::string> positional(std::span<const Option> options, const std::vector<std::string>& rest, int most,
                                    std::string_view where, std::string_view note = "");

}  // namespace luth::cli
