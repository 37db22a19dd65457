#include "core/device/device_names.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/device/device.h"

namespace luth {
namespace {

// Libraries that are no devices.
bool is_other(const std::string& stem) {
  for (const char* name : {"core", "gloo", "images", "notebook", "sqlite", "text"})
    if (stem == name) return true;
  return stem.starts_with("cpu_") || stem.starts_with("mpi_");
}

}  // namespace

std::vector<std::string> device_names() {
  std::set<std::string> names{"cpu"};
  for (auto& path : library_folders()) {
    DIR* folder = opendir(path.c_str());
    if (!folder) continue;
    while (auto* entry = readdir(folder)) {
      const std::string name(entry->d_name);
      if (!name.starts_with("libluth_") || !name.ends_with(".so")) continue;
      const std::string stem = name.substr(8, name.size() - 11);
      if (!is_other(stem)) names.insert(stem);
    }
    closedir(folder);
  }
  return {names.begin(), names.end()};
}

}  // namespace luth
