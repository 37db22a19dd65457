// luth new: hands its words and options to the Lua library (share/luth/new.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int new_recipe(const Arguments& arguments) {
  return run_with_options("luth.new", arguments, {"force"}, {"kind", "data", "target"});
}

}  // namespace luth::cli
