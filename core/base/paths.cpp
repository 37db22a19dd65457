#include "core/base/paths.h"

#include <limits.h>
#include <link.h>
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

// The search of dl_iterate_phdr for the object that an address lies in.
struct Object {
  uintptr_t address;
  std::string path;
};
int compare_object(dl_phdr_info* info, size_t, void* data) {
  auto* wanted = static_cast<Object*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || wanted->address - info->dlpi_addr - segment.p_vaddr >= segment.p_memsz) continue;
    wanted->path = info->dlpi_name;
    return 1;
  }
  return 0;
}

std::string find_share() {
  if (const char* set = getenv("LUTH_SHARE"); set && *set) return set;
  const std::string beside_core = folder_of(core_library().c_str()) + "/../share/luth";
  const std::string beside_program = folder_of("/proc/self/exe") + "/../share/luth";
  char real[PATH_MAX];
  for (auto& candidate : {beside_core, beside_program})
    if (realpath(candidate.c_str(), real)) return real;
  return beside_program;
}

}  // namespace

const std::string& core_library() {
  static const std::string path = [] {  // dladdr would walk all symbols
    Object core{reinterpret_cast<uintptr_t>(&share_dir), ""};
    dl_iterate_phdr(compare_object, &core);
    if (core.path.empty()) core.path = "/proc/self/exe";
    char real[PATH_MAX];
    return realpath(core.path.c_str(), real) ? std::string(real) : core.path;
  }();
  return path;
}
// A relative path, as LD_LIBRARY_PATH may give it, is one of the folder where the program began. Another folder that it
// goes to later has no part of the installation.
[[maybe_unused]] const std::string& found_at_start = core_library();

const std::string& share_dir() {
  static const std::string folder = find_share();
  return folder;
}

}  // namespace luth
