// A call of a module with other tensors in the place of its parameters and buffers.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

struct FunctionalOptions {
  bool tie_weights = true;  // a tensor given for one of tied ones replaces all of them
  bool strict = false;      // every parameter and buffer must be given
};

/// Puts tensors, by their dotted paths, in the place of parameters and buffers, until it ends. Throws for a name that
/// the module does not have, and where tied tensors get several values.
class Replaced {
 public:
  Replaced(Module& m, const StateDict& tensors, const FunctionalOptions& options = {});
  ~Replaced();
  Replaced(const Replaced&) = delete;

 private:
  struct Place {
    ModuleRef module;
    bool is_buffer;
    size_t i;
    Tensor own;
    Tensor& value() const;
  };
  std::vector<Place> places_;
};

/// `m` called with these tensors: torch.func.functional_call.
Values functional_call(Module& m, const StateDict& tensors, const Values& in, const Named& named = {},
                       const FunctionalOptions& options = {});

}  // namespace luth::nn
