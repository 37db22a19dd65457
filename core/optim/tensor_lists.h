// Lists of tensors as the operators of core/ops/nn/optim.h want them. Internal to core/optim.
#pragma once
#include <vector>

#include "core/nn/module.h"

namespace luth::optim {

/// Gathers {param, grad, buffers…} of each parameter in one dense layout, runs an operator that writes into some of
/// them, and brings back what had to be copied. Bumps the versions of what was written.
class MultiTensor {
 public:
  /// `t` has the shape and dtype of the parameter that was added last with `head`.
  void head(const Tensor& param);  // written
  void add(const Tensor& t, bool written);
  bool empty() const { return list_.empty(); }
  void run(const OpInfo& info, const void* op);

 private:
  struct Copied {
    Tensor original, copy;
  };
  Tensor laid_out(const Tensor& t, bool written);
  Inputs list_;
  Tensor head_;
  std::vector<Tensor> written_;
  std::vector<Copied> copied_;
};

}  // namespace luth::optim
