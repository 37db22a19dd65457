#include "cli/recipe_options.h"

#include <algorithm>

#include "core/base/error.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

std::string field(lua_State* L, const char* name) {
  std::string text;
  if (lua_getfield(L, -1, name) == LUA_TSTRING) text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

}  // namespace

void read_rows(lua_State* L, int i, RecipeOptions& options) {
  auto keep = [&](std::string text) -> std::string_view { return options.texts.emplace_back(std::move(text)); };
  for (lua_Integer k = 1, n = luaL_len(L, i); k <= n; ++k) {
    lua_geti(L, i, k);
    std::string name = "--" + field(L, "name");
    std::replace(name.begin(), name.end(), '_', '-');
    options.rows.push_back({keep(name), keep(field(L, "value")), keep(field(L, "help")), keep(field(L, "default"))});
    lua_pop(L, 1);
  }
}

RecipeOptions recipe_options() {
  lang::Interp interp;
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.train.fields");
  if (interp.call(1, 1)) throw Error("{}", lua_tostring(L, -1));
  lua_getfield(L, -1, "rows");
  if (interp.call(0, 1)) throw Error("{}", lua_tostring(L, -1));
  RecipeOptions options;
  read_rows(L, lua_gettop(L), options);
  return options;
}

}  // namespace luth::cli
