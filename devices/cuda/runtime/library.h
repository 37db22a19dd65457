// A library of NVIDIA's that no build links, opened on first use: cuBLASLt, cuDNN.
#pragma once
#include <initializer_list>
#include <string>

#include "core/base/error.h"

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

}  // namespace luth::cuda
