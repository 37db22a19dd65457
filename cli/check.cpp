// luth check: hands its files to the Lua library (share/luth/check.lua).
#include "cli/cli.h"
#include "cli/options.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

int check(int argc, char** argv) {
  CLI::App app(
      "Find in Lua files what Lua accepts silently and nobody means: a tensor as a condition, == between a tensor and "
      "a\n"
      "number, a global assigned by mistake, a scope that is never closed, unknown names of torch, a method called "
      "with a\n"
      "dot. Prints file:line: message, and exits with 1 where it found something, else with 0.",
      "luth check");
  std::vector<std::string> files;
  app.add_option("FILES", files, "the files to look at")->required();
  if (auto done = parse(app, argc, argv)) return *done;
  lang::Interp interp;
  interp.handle_signals();
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.check");
  if (int status = interp.call(1, 1)) return interp.report(status);
  lua_getfield(L, -1, "run");
  lua_createtable(L, int(files.size()), 0);
  for (size_t i = 0; i < files.size(); ++i) {
    lua_pushstring(L, files[i].c_str());
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  if (int status = interp.call(1, 1)) return interp.report(status);
  return lua_tointeger(L, -1) > 0 ? 1 : 0;
}

const Register entry{{"check", "find mistakes that Lua accepts silently", check}};

}  // namespace
}  // namespace luth::cli
