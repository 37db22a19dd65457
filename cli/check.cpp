// luth check: hands its files to the Lua library (share/luth/check.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int check(const Arguments& arguments) {
  return run_library("luth.check", "run", [&](lua_State* L) {
    push_words(L, arguments.rest);
    lua_pushboolean(L, arguments.has("--json"));
    return 2;
  });
}

}  // namespace luth::cli
