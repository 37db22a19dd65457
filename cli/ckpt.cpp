// luth ckpt: hands its words and options to the Lua library (share/luth/ckpt.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int ckpt(const Arguments& arguments) {
  return run_with_options("luth.ckpt", arguments, {"tensors", "force"}, {"base", "part"});
}

}  // namespace luth::cli
