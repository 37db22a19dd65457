// Opens libluth_cpu_libs.so, which is in the folder of the core.
#include <dlfcn.h>

#include "core/device/device.h"
#include "devices/cpu/libraries/lapack.h"
#include "devices/cpu/libraries/libraries.h"

namespace luth::cpu {
namespace {

const Libs& open() {
  std::string path = library_dir() + "libluth_cpu_libs.so";
  void* h = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!h) throw Error("cannot open OpenBLAS and oneDNN: {}; reinstall luth or its dependencies", dlerror());
  auto* abi = static_cast<const int*>(dlsym(h, "luth_abi"));
  if (!abi || *abi != abi_version) throw Error("{} belongs to another version of luth; reinstall luth", path);
  auto table = reinterpret_cast<const Libs* (*)()>(dlsym(h, "luth_cpu_libs"));
  if (!table) throw Error("{} is not luth's; reinstall luth", path);
  return *table();
}

}  // namespace

const Libs& libs() {
  static const Libs& table = open();
  return table;
}

const Lapack& lapack() { return *libs().lapack; }

}  // namespace luth::cpu
