#include "devices/cuda/runtime/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <string_view>

namespace luth::cuda {

std::string open_driver() {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) return "";
  const char* why = dlerror();
  if (why && !std::string_view(why).ends_with("No such file or directory")) return why;
  return "libcuda.so.1 is not on this machine";
}

bool has_context(int device) {
  using State = int(int device, unsigned* flags, int* active);
  static auto* const state = reinterpret_cast<State*>(dlsym(RTLD_DEFAULT, "cuDevicePrimaryCtxGetState"));
  static std::atomic<uint64_t> known{0};  // a context stays to the end of the process
  const uint64_t bit = uint64_t(1) << (device & 63);
  if (known.load(std::memory_order_relaxed) & bit) return true;
  unsigned flags = 0;
  int active = 0;
  if (!state || state(device, &flags, &active) != 0 || !active) return false;
  known.fetch_or(bit, std::memory_order_relaxed);
  return true;
}

}  // namespace luth::cuda
