// Calls that need memory of CUDA's while luth's cache may hold all of it.
#pragma once
#include "core/base/error.h"
#include "core/device/device.h"

namespace luth::cuda {

/// f(); once more where it throws ErrorCode::memory, with what is cached given back to CUDA.
template <class F>
auto with_memory(Device& device, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::memory) throw;
  }
  device.empty_cache();
  return f();
}

}  // namespace luth::cuda
