// The rows of the table that are known only when a recipe has said them.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "cli/table.h"

struct lua_State;

namespace luth::cli {

struct RecipeOptions {
  std::deque<std::string> texts;  // what the rows point into
  std::vector<Option> rows;
};

/// Adds the rows of the Lua list at `i`: {name = 'save_every', value = 'N', help =, default =}.
void read_rows(lua_State* L, int i, RecipeOptions& options);

/// The options of every recipe (share/luth/train/fields.lua), by name.
RecipeOptions recipe_options();

}  // namespace luth::cli
