// luth kernel: registers luth with Jupyter (share/luth/kernelspec.lua), and serves notebooks.
#include "lang/notebook/kernel.h"
#include "cli/common_options.h"
#include "cli/library.h"
#include "cli/subcommands.h"
#include "core/base/error.h"

namespace luth::cli {
namespace {

int serve(const Arguments& arguments, const std::string& file) {
  use_device(arguments);
  lang::Interp interp;
  interp.handle_signals();
  if (const int code = interp.run_init()) return code;
  return lang::serve_notebook(interp, file);
}

int install(const Arguments& arguments) {
  return run_library("luth.kernelspec", "install", [&](lua_State* L) {
    lua_newtable(L);
    set_texts(L, arguments, {"user", "prefix", "name"});
    return 1;
  });
}

}  // namespace

int kernel(const Arguments& arguments) {
  const std::string& action = arguments.rest[0];
  if (action == "run") {
    if (arguments.rest.size() == 2) return serve(arguments, arguments.rest[1]);
    throw Error(ErrorCode::usage, "luth kernel run expects a connection file, which a front end of Jupyter gives it");
  }
  if (action != "install") throw Error(ErrorCode::usage, "luth kernel expects install or run, got '{}'", action);
  if (arguments.rest.size() > 1)
    throw Error(ErrorCode::usage, "luth kernel install takes no argument, got '{}'", arguments.rest[1]);
  return install(arguments);
}

}  // namespace luth::cli
