// The texts of --help, made from the table.
#pragma once
#include <string>
#include <string_view>

#include "cli/table.h"

namespace luth::cli {

/// The text of `luth --help`.
std::string program_help();

/// The text of `luth SUBCOMMAND --help`; of train and eval with the options that every recipe has.
std::string subcommand_help(const Subcommand& command);

/// The text of `luth train RECIPE --help`: `declared` are the options of the recipe, of which luth's own are no part.
std::string recipe_help(const Subcommand& command, std::string_view recipe, Options declared);

}  // namespace luth::cli
