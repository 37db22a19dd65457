#include "devices/cuda/runtime/probe.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {
namespace {

// The first driver that reads kernels as nvcc compresses them from 12.8 on, see LuthCuda.cmake.
constexpr int compressed_from = 12040;

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// The runtime reads this variable itself; a wrong one only hides devices, so the reason is told here.
std::string visible_devices() {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text ? fmt::format(
                    " that it may use: CUDA_VISIBLE_DEVICES is '{}'; it lists numbers of devices, as 0,1, and all that "
                    "follows a wrong one is hidden",
                    text)
              : "";
}

// "580.65.06", from the kernel module; "" where it does not say.
std::string module_version() {
  FILE* f = fopen("/proc/driver/nvidia/version", "re");
  if (!f) return "";
  char line[256] = "";
  const bool read = fgets(line, sizeof line, f);
  fclose(f);
  std::string_view text(read ? line : "");
  for (size_t at = text.find("  "); at != text.npos; at = text.find("  ", at)) {
    at = text.find_first_not_of(' ', at);
    if (at == text.npos) break;
    const std::string_view word = text.substr(at, text.find(' ', at) - at);
    if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return std::string(word);
  }
  return "";
}

// What helps where the driver does not fit; "" for all else.
const char* remedy(cudaError_t e) {
  switch (int(e)) {
    case 802:  // cudaErrorSystemNotReady
      return "a part of the system is not running yet: on a machine with NVSwitch, nvidia-fabricmanager; start it "
             "(systemctl start nvidia-fabricmanager) and try again";
    case 803:  // cudaErrorSystemDriverMismatch
      return "the NVIDIA driver's kernel module and its libraries are of different versions, as after an update: "
             "restart "
             "the machine, or, in a container, give it the libraries of the host's driver";
    case 804:  // cudaErrorCompatNotSupportedOnDevice
      return "CUDA's forward compatibility libraries (cuda-compat) do not serve this GPU: take their folder out of "
             "LD_LIBRARY_PATH, or install a newer driver";
    default: return "";
  }
}

}  // namespace

int count_devices() {
  if (std::string why = open_driver(); !why.empty())
    throw Error("no NVIDIA driver: {}; install one, or start the container with the host's (--gpus all)", why);
  int driver = 0, runtime = 0, count = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (driver == 0) throw Error("no NVIDIA driver is running; install one");
  const int least = std::max(runtime / 1000 * 1000, runtime >= 12080 ? compressed_from : 0);
  if (driver < least)
    throw Error("the NVIDIA driver is too old: it knows CUDA {}, this luth needs {}; install a newer driver",
                dotted(driver), dotted(least));
  cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaErrorNoDevice || (e == cudaSuccess && count == 0))
    throw Error("CUDA shows no device{}", visible_devices());
  if (const char* next = remedy(e); *next)
    throw Error("CUDA cannot start: {} ({}); {}", cudaGetErrorString(e), cudaGetErrorName(e), next);
  check(e, "cudaGetDeviceCount");
  return count;
}

std::string driver_version() {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  const std::string module = module_version(), cuda = "CUDA " + dotted(driver);
  return module.empty() ? cuda : module + " (" + cuda + ")";
}

}  // namespace luth::cuda
