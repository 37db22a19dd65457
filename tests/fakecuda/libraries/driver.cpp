// The driver of the fake CUDA run-time is part of it, unless the environment says otherwise.
#include "devices/cuda/runtime/driver.h"

#include <cstdlib>
#include <string_view>

#include "fakecuda.h"

namespace luth::cuda {

// FAKECUDA_DRIVER=none: a machine without the driver's library.
std::string open_driver() {
  const char* driver = std::getenv("FAKECUDA_DRIVER");
  return driver && driver == std::string_view("none") ? "libcuda.so.1: cannot open shared object file" : "";
}

bool has_context(int device) { return fake::has_context(device); }

}  // namespace luth::cuda
