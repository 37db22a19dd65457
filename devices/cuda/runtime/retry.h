// A second try for calls that find no memory because luth's cache holds it.
#pragma once
#include "core/base/error.h"
#include "core/device/device.h"

namespace luth::cuda {

/// f(). Where it throws ErrorCode::memory, gives cached memory back to CUDA and calls f() once more.
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
