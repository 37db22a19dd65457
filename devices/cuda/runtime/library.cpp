#include "devices/cuda/runtime/library.h"

#include <dlfcn.h>

#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
      name_ = std::string(folder) + name;
      handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        missing_.clear();
        return;
      }
      const char* why = dlerror();
      if (missing_.empty()) missing_ = why ? why : name_ + " cannot be opened";
    }
}

void* Library::find(const char* name) {
  if (!handle_) return nullptr;
  void* p = dlsym(handle_, name);
  if (!p && missing_.empty())
    missing_ = fmt::format("{} has no function {}; install the version that comes with this CUDA", name_, name);
  return p;
}

bool is_memory_short() {
  size_t unused = 0, total = 0;
  check(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
  return unused < size_t(64) << 20;
}

}  // namespace luth::cuda
