// luth lsp: a language server for editors (share/luth/lsp.lua).
#include "cli/library.h"
#include "cli/subcommands.h"

namespace luth::cli {

int lsp(const Arguments&) {
  return run_library("luth.lsp", "run", [](lua_State*) { return 0; });
}

}  // namespace luth::cli
