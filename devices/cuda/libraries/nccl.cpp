#include "devices/cuda/libraries/nccl.h"

namespace luth::cuda {

namespace nccl {
const Functions& functions() {
  static const Functions& f = *new Functions;
  return f;
}
}  // namespace nccl

std::string nccl_missing() {
  const std::string& why = nccl::functions().library.missing();
  if (why.empty()) return "";
  return why +
         "; install NCCL 2.14 or later (NVIDIA's package libnccl2, or PyPI's nvidia-nccl-cu13 with its folder "
         "nvidia/nccl/lib in LD_LIBRARY_PATH)";
}

int64_t nccl_version() {
  int version = 0;
  if (!nccl_missing().empty() || nccl::functions().version(&version) != nccl::Result::success) return 0;
  return version;
}

}  // namespace luth::cuda
