// The arithmetic of optimizers for one element, for kernels of every device. C is the compute type of the parameter.
#pragma once
#include <cmath>

#include "core/ops/nn/optim.h"

namespace luth::ops {

template <class C>
struct SgdRule {
  C lr, momentum, keep, decay, sign;
  bool nesterov, first;
  explicit SgdRule(const SgdStep& op)
      : lr(C(op.lr)),
        momentum(C(op.momentum)),
        keep(C(1 - op.dampening)),
        decay(C(op.weight_decay)),
        sign(op.maximize ? C(-1) : C(1)),
        nesterov(op.nesterov),
        first(op.first) {}
  /// The parameter after the step.
  LUTH_HD C step(C w, C grad) const { return w - lr * (sign * grad + decay * w); }
  LUTH_HD C step(C w, C grad, C& buffer) const {
    const C g = sign * grad + decay * w;
    buffer = first ? g : momentum * buffer + keep * g;
    return w - lr * (nesterov ? g + momentum * buffer : buffer);
  }
};

/// Kingma and Ba, "Adam: a method for stochastic optimization"; Loshchilov and Hutter for the decoupled decay; Reddi
/// and others for amsgrad. eps is added after the bias correction.
template <class C>
struct AdamRule {
  C decay, shrink, sign, b1, b2, c2, size, root, eps;
  explicit AdamRule(const AdamStep& op)
      : decay(C(op.decoupled ? 0 : op.weight_decay)),
        shrink(C(op.decoupled ? 1 - op.lr * op.weight_decay : 1)),
        sign(op.maximize ? C(-1) : C(1)),
        b1(C(1 - op.beta1)),
        b2(C(op.beta2)),
        c2(C(1 - op.beta2)),
        size(C(op.lr / (1 - std::pow(op.beta1, double(op.step))))),
        root(C(1 / std::sqrt(1 - std::pow(op.beta2, double(op.step))))),
        eps(C(op.eps)) {}
  /// The parameter after the step; `largest` is null without amsgrad.
  LUTH_HD C step(C w, C grad, C& mean, C& square, C* largest) const {
    w = w * shrink;
    const C g = sign * grad + decay * w;
    mean += b1 * (g - mean);
    square = b2 * square + c2 * g * g;
    C top = square;
    if (largest) top = *largest = *largest < square ? square : *largest;
    return w - size * (mean / (std::sqrt(top) * root + eps));
  }
};

}  // namespace luth::ops
