// The rows of the table that are known only when a recipe has said them. Here is also `require 'luth.command_line'`,
// through which the Lua library uses the same parser and the same texts. A row is {name = 'save_every', value = 'N',
// help =, default =}; names have underscores there.
//   parse(subcommand, rows, words)        {name = text} of what was given by luth's own rows and these, the words that
//                                         none of them took, and the names in order
//   check(subcommand, rows, rest, note?)  refuses them, with the nearest name
//   help(subcommand, recipe, rows)        the text of --help
//   own()                                 {name = help} of luth's own rows
//   manual()                              the text of the manual page
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "cli/table.h"

namespace luth::cli {

struct RecipeOptions {
  std::deque<std::string> texts;  // what the rows point into
  std::vector<Option> rows;
};

/// The options of every recipe (share/luth/train/fields.lua), by name.
RecipeOptions recipe_options();

}  // namespace luth::cli
