#include "core/base/paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

namespace luth {
namespace {

// The folder of `path` after its links have been followed, or "".
std::string folder_of(const char* path) {
  char real[PATH_MAX];
  if (!path || !realpath(path, real)) return "";
  std::string folder(real);
  return folder.substr(0, folder.rfind('/'));
}

std::string find_share() {
  if (const char* set = getenv("LUTH_SHARE"); set && *set) return set;
  Dl_info core;
  const bool known = dladdr(reinterpret_cast<void*>(&share_dir), &core);
  const std::string beside_core = (known ? folder_of(core.dli_fname) : "") + "/../share/luth";
  const std::string beside_program = folder_of("/proc/self/exe") + "/../share/luth";
  char real[PATH_MAX];
  for (auto& candidate : {beside_core, beside_program})
    if (realpath(candidate.c_str(), real)) return real;
  return beside_program;
}

}  // namespace

const std::string& share_dir() {
  static const std::string folder = find_share();
  return folder;
}

}  // namespace luth
