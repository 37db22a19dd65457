// luth report: hands its words to the Lua library (share/luth/report.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int report(const Arguments& arguments) {
  return run_library("luth.report", "run", [&](lua_State* L) {
    push_words(L, arguments.rest);
    if (auto out = arguments.text("--out"))
      lua_pushstring(L, out->c_str());
    else
      lua_pushnil(L);
    return 2;
  });
}

}  // namespace luth::cli
