// gradcheck: gradients against central finite differences, for users and tests.
#pragma once
#include <functional>
#include <string>

#include "core/autograd/autograd.h"

namespace luth {

/// PyTorch's settings and defaults: the step of the differences, and the distance that is allowed,
/// |analytic - numerical| ≤ atol + rtol |numerical|.
struct GradcheckOptions {
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
};
/// A function of tensors. It is called many times and has to give the same results for the same inputs, so what is
/// random in it is to be seeded within.
using TensorsFn = std::function<Tensors(const Tensors&)>;

/// Compares the whole Jacobian (every element of every floating result by every element of every input that requires
/// grad) with (f(x + eps) - f(x - eps)) / 2 eps. Returns "" or what differs first: the element of the result, that of
/// the input, and both numbers. Those inputs are leaves of float64 without repeated (expanded) elements, else it
/// throws; their elements are changed in place meanwhile, so on return they are as before. Results of f that require
/// no grad count as constants. Costs two calls per element of the inputs and one backward per element of the results.
std::string gradcheck_report(const TensorsFn& f, const Tensors& inputs, const GradcheckOptions& options = {});
/// The same for the gradients of f: checks d (gradients of f with cotangents `grad_outputs`) by inputs and cotangents.
/// Without `grad_outputs` they are drawn, the same ones every time, one per result that requires grad.
std::string gradgradcheck_report(const TensorsFn& f, const Tensors& inputs, const Tensors& grad_outputs = {},
                                 const GradcheckOptions& options = {});
/// As PyTorch's: throws with the report where there is one.
void gradcheck(const TensorsFn& f, const Tensors& inputs, const GradcheckOptions& options = {});
void gradgradcheck(const TensorsFn& f, const Tensors& inputs, const Tensors& grad_outputs = {},
                   const GradcheckOptions& options = {});

}  // namespace luth
