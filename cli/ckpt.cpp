// luth ckpt: hands its words and options to the Lua library (share/luth/ckpt.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int ckpt(const Arguments& arguments) {
  return run_library("luth.ckpt", "run", [&](lua_State* L) {
    push_words(L, arguments.rest);
    lua_newtable(L);
    for (const char* flag : {"tensors", "force"}) {
      lua_pushboolean(L, arguments.has(std::string("--") + flag));
      lua_setfield(L, -2, flag);
    }
    set_texts(L, arguments, {"base", "part"});
    return 2;
  });
}

}  // namespace luth::cli
