// The driver of the fake CUDA run-time is part of it.
#include "devices/cuda/driver.h"

namespace luth::cuda {

std::string open_driver() { return ""; }

}  // namespace luth::cuda
