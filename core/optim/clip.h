// Clipping of gradients.
#pragma once
#include <vector>

#include "core/tensor/tensor.h"

namespace luth::optim {

/// Scales the gradients of `params` together so that their norm is at most max_norm; returns the norm before, a
/// 0-dimensional tensor (0 where there are no gradients). Does not wait for the device. With error_if_nonfinite it
/// does, and throws for a norm that is nan or infinite, before anything is scaled.
Tensor clip_grad_norm(const std::vector<Tensor>& params, double max_norm, double norm_type = 2,
                      bool error_if_nonfinite = false);
/// Brings each element of the gradients into [-clip_value, clip_value].
void clip_grad_value(const std::vector<Tensor>& params, double clip_value);

}  // namespace luth::optim
