#include "devices/cuda/runtime/driver.h"

#include <dlfcn.h>

namespace luth::cuda {

std::string open_driver() {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) return "";
  const char* why = dlerror();
  return why ? why : "libcuda.so.1 cannot be opened";
}

}  // namespace luth::cuda
