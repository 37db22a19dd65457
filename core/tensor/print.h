// Tensors as text, exactly as PyTorch writes them.
#pragma once
#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace luth {

/// What torch.set_printoptions changes.
struct PrintOptions {
  int precision = 4;                  // digits after the point
  int64_t threshold = 1000;           // more elements than this are summarised
  int edgeitems = 3;                  // elements at each end of a dim in a summary
  int linewidth = 80;                 // characters per line
  std::optional<bool> sci_mode = {};  // empty: decided by the values
};
PrintOptions print_options();
void set_print_options(const PrintOptions& options);

/// "tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float64)": values, then dtype, device, grad_fn or requires_grad
/// where they are not the ordinary ones. Never more than the summary of print_options(). A meta tensor prints "...".
std::string to_string(const Tensor& t);
/// "torch.Size([2, 3])"
std::string size_string(const Shape& s);

}  // namespace luth
