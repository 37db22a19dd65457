// A library of NVIDIA's that no build links, opened on first use: cuBLASLt, cuDNN, NCCL; and how its functions are
// called.
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
  /// "" if it is open and had every function that was looked up, else why not.
  const std::string& missing() const { return missing_; }
  /// The address of a function; null if the library lacks it.
  void* find(const char* name);

 private:
  void* handle_ = nullptr;
  std::string name_, missing_;
};

/// A function of type F of a library, called like one.
template <class F>
class LibraryFunction {
 public:
  LibraryFunction(Library& library, const char* name)
      : address_(reinterpret_cast<F*>(library.find(name))), name_(name) {}
  operator F*() const { return address_; }
  const char* name() const { return name_; }

 private:
  F* address_;
  const char* name_;
};

/// Whether the current device has hardly any memory that is neither used nor cached. Then errors of a library ("not
/// initialized", "execution failed") mean a lack of memory. Throws where the device is lost.
bool is_memory_short();

/// f(), which gives work to a library and returns whether the library took it. False also where memory is still lacking
/// after a second try: our own kernels, which need none, then do the work.
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
