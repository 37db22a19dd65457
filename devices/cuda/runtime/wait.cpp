#include "devices/cuda/runtime/wait.h"

#include <array>

namespace luth::cuda {

std::atomic<int64_t>& host_waits(int device) {
  static constinit std::array<std::atomic<int64_t>, 64> counts{};
  return counts[size_t(device) % counts.size()];
}

}  // namespace luth::cuda
