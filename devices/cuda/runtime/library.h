// A library of NVIDIA's that no build links, opened on first use: cuBLASLt, cuDNN; and how its functions are called.
#pragma once
#include <initializer_list>
#include <string>

#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/retry.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {

class Library {
 public:
  /// Opens the first of the sonames that there is, newest first; in the toolkit's usual folder too.
  explicit Library(std::initializer_list<const char*> names);
  /// "" once it is open, else why not.
  const std::string& missing() const { return missing_; }
  /// Throws for a function that the library lacks.
  template <class F>
  void find(F*& to, const char* name) const {
    to = reinterpret_cast<F*>(address(name));
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
  std::string name_, missing_;
};

/// Whether the current device has hardly any memory left that is neither used nor cached: what a library then says of
/// itself ("not initialized", "execution failed") is a lack of memory. Throws where the device is lost.
bool is_memory_short();

/// f(), which gives work to a library and says whether it has. False also where memory is lacking to the end: then our
/// own kernels, which need none, do it.
template <class F>
bool by_library(Device& device, F&& f) try {
  if (!with_memory(device, f)) return false;
  wait_if_exact(device);
  return true;
} catch (const Error& e) {
  if (e.code() != ErrorCode::memory) throw;
  return false;
}

}  // namespace luth::cuda
