// luth new: hands its words and options to the Lua library (share/luth/new.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int new_recipe(const Arguments& arguments) {
  return run_library("luth.new", "run", [&](lua_State* L) {
    push_words(L, arguments.rest);
    lua_newtable(L);
    lua_pushboolean(L, arguments.has("--force"));
    lua_setfield(L, -2, "force");
    set_texts(L, arguments, {"kind", "data"});
    return 2;
  });
}

}  // namespace luth::cli
