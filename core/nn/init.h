// Initial values of parameters: PyTorch's distributions. All write into `t`, which may be a leaf that requires grad,
// and return it. Formulas: Glorot and Bengio 2010 (xavier), He and others 2015 (kaiming).
#pragma once
#include <optional>
#include <string_view>

#include "core/tensor/tensor.h"

namespace luth::nn::init {

/// From [a, b).
const Tensor& uniform(const Tensor& t, double a = 0, double b = 1);
const Tensor& normal(const Tensor& t, double mean = 0, double std = 1);
/// Normal, drawn anew outside of [a, b].
const Tensor& trunc_normal(const Tensor& t, double mean = 0, double std = 1, double a = -2, double b = 2);
const Tensor& constant(const Tensor& t, double value);
/// Ones on the diagonal of a matrix.
const Tensor& eye(const Tensor& t);
/// Filters [out, in, …] that pass each channel on: 1 in the middle of filter i for channel i, per group of outputs.
const Tensor& dirac(const Tensor& t, int64_t groups = 1);

// fan_in: inputs that reach one output, shape[1] times the window; fan_out: shape[0] times the window.
struct Fans {
  int64_t in, out;
};
/// Throws for fewer than 2 dims.
Fans fans(const Tensor& t);
/// The recommended factor for what follows the layer: "linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu"
/// (param: its slope, 0.01), "selu", …; throws for others.
double calculate_gain(std::string_view nonlinearity, std::optional<double> param = {});

/// Bound gain √(6 / (fan_in + fan_out)); std gain √(2 / (fan_in + fan_out)).
const Tensor& xavier_uniform(const Tensor& t, double gain = 1);
const Tensor& xavier_normal(const Tensor& t, double gain = 1);
/// Bound √3 gain / √fan; std gain / √fan; mode "fan_in" or "fan_out"; `a` is the slope of leaky_relu.
const Tensor& kaiming_uniform(const Tensor& t, double a = 0, std::string_view mode = "fan_in",
                              std::string_view nonlinearity = "leaky_relu");
const Tensor& kaiming_normal(const Tensor& t, double a = 0, std::string_view mode = "fan_in",
                             std::string_view nonlinearity = "leaky_relu");

}  // namespace luth::nn::init
