// Subcommands whose work is done by the Lua library (share/luth).
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "lang/runtime/interp.h"

namespace luth::cli {

/// A list of strings.
void push_words(lua_State* L, const std::vector<std::string>& words);

/// Sets fields of the table on top of the stack: the texts of those of the options (without dashes) that were given.
void set_texts(lua_State* L, const Arguments& arguments, std::initializer_list<const char*> options);

/// require(module)[function](...) in an interpreter of its own; `push` puts the arguments on the stack and returns how
/// many. Returns the exit code: that of an error, 1 if the function returns a number above 0, else 0.
int run_library(const char* module, const char* function, const std::function<int(lua_State*)>& push);

/// require(module).run(words, options): the words of the call, and a table of the options (without dashes): true or
/// false of each of `flags`, the texts of those of `texts` that were given.
int run_with_options(const char* module, const Arguments& arguments, std::initializer_list<const char*> flags,
                     std::initializer_list<const char*> texts);

}  // namespace luth::cli
