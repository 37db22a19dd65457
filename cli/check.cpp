// luth check: hands its files to the Lua library (share/luth/check.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int check(const Arguments& arguments) {
  return run_library("luth.check", "run", [&](lua_State* L) { return push_words(L, arguments.rest), 1; });
}

}  // namespace luth::cli
