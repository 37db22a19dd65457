#include "devices/cuda/probe.h"

#include <cstdlib>

#include "devices/cuda/driver.h"
#include "devices/cuda/runtime.h"

namespace luth::cuda {
namespace {

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// The runtime reads this variable itself; a wrong one only hides devices, so the reason is told here.
std::string visible_devices() {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text ? fmt::format("; CUDA_VISIBLE_DEVICES is '{}'", text) : "";
}

}  // namespace

int count_devices() {
  if (std::string why = open_driver(); !why.empty()) throw Error("no NVIDIA driver: {}", why);
  int driver = 0, runtime = 0, count = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (driver == 0) throw Error("no NVIDIA driver");
  if (driver / 1000 < runtime / 1000)
    throw Error("the NVIDIA driver is too old: it knows CUDA {}, this luth needs {}; install a newer driver",
                dotted(driver), dotted(runtime));
  cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaErrorNoDevice || (e == cudaSuccess && count == 0))
    throw Error("CUDA shows no device{}", visible_devices());
  check(e, "cudaGetDeviceCount");
  return count;
}

std::string driver_version() {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  return "CUDA " + dotted(driver);
}

}  // namespace luth::cuda
