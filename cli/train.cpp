// luth train and luth eval: hand their words to the Lua library (share/luth/train.lua), which runs the recipe.
#include <cstdio>
#include <cstring>

#include "cli/cli.h"
#include "lang/interp.h"

namespace luth::cli {
namespace {

constexpr char train_usage[] =
    "Usage: luth train RECIPE [--option value ...] [--dir DIR] [--resume] [--device auto|cpu|cuda]\n\n"
    "Trains what the recipe says. `luth train RECIPE --help` lists its options.\n"
    "Writes ckpt/last.h5 and ckpt/best.h5 below DIR (default: runs/<recipe>-<n>).\n";
constexpr char eval_usage[] =
    "Usage: luth eval CHECKPOINT [--option value ...]\n"
    "       luth eval RECIPE --checkpoint FILE [--option value ...]\n\n"
    "Prints loss and metrics of a checkpoint over the test data, a name and a number in each line.\n";

// require('luth.train')[function](argv[1], {argv[2], …})
int run(const char* function, const char* usage, int argc, char** argv) {
  if (argc < 2 || !std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h")) {
    std::fputs(usage, argc < 2 ? stderr : stdout);
    return argc < 2 ? int(ErrorCode::usage) : 0;
  }
  lang::Interp interp;
  interp.handle_signals();
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.train");
  if (int status = interp.call(1, 1)) return interp.report(status);
  lua_getfield(L, -1, function);
  lua_pushstring(L, argv[1]);
  lua_createtable(L, argc - 2, 0);
  for (int i = 2; i < argc; ++i) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  int status = interp.call(2, 0);
  return status ? interp.report(status) : 0;
}

int train(int argc, char** argv) { return run("train", train_usage, argc, argv); }
int eval(int argc, char** argv) { return run("eval", eval_usage, argc, argv); }

const Register train_{{"train", "train what a recipe says", train}};
const Register eval_{{"eval", "evaluate a checkpoint", eval}};

}  // namespace
}  // namespace luth::cli
