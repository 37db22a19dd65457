// The versions of the libraries, as the kernels have opened them.
#include "core/device/device_support.h"
#include "devices/cuda/libraries/blas.h"
#include "devices/cuda/libraries/dnn.h"
#include "devices/cuda/libraries/nccl.h"

namespace luth::cuda {
namespace {
// All count as 9 * 10000 + 19 * 100 + 1 does for 9.19.1.
DeviceLibrary described(const char* name, int64_t v, std::string missing) {
  if (v == 0) return {name, 0, std::move(missing)};
  return {name, v, fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100)};
}
}  // namespace
}  // namespace luth::cuda

extern "C" __attribute__((visibility("default"))) void luth_libraries(std::vector<luth::DeviceLibrary>& list) {
  using namespace luth::cuda;
  list.push_back(described("cuBLASLt", blas_version(), blas_missing()));
  list.push_back(described("cuDNN", dnn_version(), dnn_missing()));
  list.push_back(described("NCCL", nccl_version(), nccl_missing()));
}
