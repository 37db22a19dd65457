// A row of cli/table.h: an option of the command line.
#pragma once
#include <span>
#include <string_view>

namespace luth::cli {

struct Option {
  std::string_view name;   // "--threads"; of the program itself also "-e"
  std::string_view value;  // what help calls its value; "[FILE]": it may be missing; "": the option takes none
  std::string_view help;
  std::string_view otherwise = {};  // the default, for help
  std::string_view choices = {};    // the values that completion offers, separated by spaces; else files
};

using Options = std::span<const Option>;

}  // namespace luth::cli
