// luth data: hands its words and options to the Lua library (share/luth/data.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int data_sets(const Arguments& arguments) {
  return run_with_options("luth.data", arguments, {"force"}, {"dir", "from", "count", "split"});
}

}  // namespace luth::cli
