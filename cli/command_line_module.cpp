// require 'luth.command_line': the Lua library uses the same parser and the same texts as the program. A row is
// {name = 'save_every', value = 'N', help =, default =}; names have underscores there.
//   parse(subcommand, rows, words, only)  {name = text} of what was given by luth's own rows and these, the words that
//                                         none of them took, and the names in order; only: {name = true} of the own
//                                         rows that count, nil for all
//   check(subcommand, rows, rest, note?)  refuses them, with the nearest name; returns those that are further arguments
//   help(subcommand, recipe, rows)        the text of --help
//   own()                                 {name = help} of luth's own rows
//   subcommands()                         {name = brief} of all
//   manual()                              the text of the manual page
#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"
#include "cli/library.h"
#include "cli/manual.h"
#include "cli/recipe_options.h"
#include "core/base/error.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

const Subcommand& subcommand_at(lua_State* L, int i) {
  const Subcommand* command = find_subcommand(luaL_checkstring(L, i));
  return command ? *command : throw Error("there is no such subcommand");
}

// "save_every" for "--save-every".
std::string lua_name(std::string_view option) {
  std::string name(option.substr(2));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Luth's own rows behind those of the list at `i`, which come instead of own ones of their names.
// `only`: the index of a table of the own ones that count, or of nil.
RecipeOptions rows_at(lua_State* L, int i, const Subcommand& command, int only = 0) {
  RecipeOptions options;
  read_rows(L, i, options);
  const std::vector<Option> declared = options.rows;
  for (auto& row : command.options) {
    bool counts = !find_option(declared, row.name);
    if (counts && only && lua_istable(L, only)) {
      counts = lua_getfield(L, only, lua_name(row.name).c_str()) != LUA_TNIL;
      lua_pop(L, 1);
    }
    if (counts) options.rows.push_back(row);
  }
  return options;
}

std::vector<std::string> words_at(lua_State* L, int i) {
  std::vector<std::string> words;
  for (lua_Integer k = 1, n = luaL_len(L, i); k <= n; ++k) {
    lua_geti(L, i, k);
    words.emplace_back(luaL_checkstring(L, -1));
    lua_pop(L, 1);
  }
  return words;
}

int parse_words(lua_State* L) {
  const Arguments arguments = parse(rows_at(L, 2, subcommand_at(L, 1), 4).rows, words_at(L, 3));
  std::vector<std::string> names;
  lua_newtable(L);
  for (auto& [option, text, in_rest] : arguments.given) {
    names.push_back(lua_name(option));
    lua_pushlstring(L, text.data(), text.size());
    lua_setfield(L, -2, names.back().c_str());
  }
  push_words(L, arguments.rest);
  push_words(L, names);
  return 3;
}

int check_words(lua_State* L) {
  const Subcommand& command = subcommand_at(L, 1);
  const std::string where = fmt::format("luth {} RECIPE", command.name);
  push_words(
      L, positional(rows_at(L, 2, command).rows, words_at(L, 3), command.most - 1, where, luaL_optstring(L, 4, "")));
  return 1;
}

int help_text(lua_State* L) {
  RecipeOptions declared;
  read_rows(L, 3, declared);
  const std::string text = recipe_help(subcommand_at(L, 1), luaL_checkstring(L, 2), declared.rows);
  return lua_pushlstring(L, text.data(), text.size()), 1;
}

int all_subcommands(lua_State* L) {
  lua_newtable(L);
  for (auto& command : subcommands()) {
    lua_pushlstring(L, command.brief.data(), command.brief.size());
    lua_setfield(L, -2, std::string(command.name).c_str());
  }
  return 1;
}
int own_names(lua_State* L) {
  lua_newtable(L);
  for (auto subcommand : {"train", "eval"})
    for (auto& row : find_subcommand(subcommand)->options) {
      lua_pushlstring(L, row.help.data(), row.help.size());
      lua_setfield(L, -2, lua_name(row.name).c_str());
    }
  return 1;
}

int manual_text(lua_State* L) {
  const std::string text = manual();
  return lua_pushlstring(L, text.data(), text.size()), 1;
}

// Errors are about what the user typed: they name no place in Lua.
template <lua_CFunction F>
int unplaced(lua_State* L) {
  try {
    return F(L);
  } catch (const Error& e) { lang::raise(L, e.code(), e.what(), false); }
}
template <lua_CFunction F>
constexpr lua_CFunction bridged = lang::guarded<unplaced<F>>;

void open_command_line(lua_State* L) {
  constexpr luaL_Reg functions[] = {{"parse", bridged<parse_words>},
                                    {"check", bridged<check_words>},
                                    {"help", bridged<help_text>},
                                    {"own", bridged<own_names>},
                                    {"subcommands", bridged<all_subcommands>},
                                    {"manual", bridged<manual_text>},
                                    {nullptr, nullptr}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "luth.command_line");
}
const lang::Open opener("luth.command_line", lang::Open::extras, open_command_line);

}  // namespace
}  // namespace luth::cli
