#include "core/nn/init.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/error_function.h"
#include "core/tensor/uninitialised.h"

namespace luth::nn::init {
namespace {

// An in-place operator on a parameter, with its attributes by name, unrecorded.
void run(const char* name, const Tensor& t, std::initializer_list<std::pair<const char*, double>> attributes) {
  NoGrad no_grad;
  const OpInfo& info = find_op(name);
  OpValue op = info.make();
  for (auto& [key, value] : attributes) op.set(key, value);
  apply_inplace(info, op.get(), {t});
}

// What is not there, or has no shape yet, cannot be filled.
const Tensor& shaped(const Tensor& t) {
  if (!t) throw Error("there is no parameter to initialise: it was removed, or is computed from others");
  check_initialised(t, "nn.init");
  return t;
}

// Writes values that were made on the host.
void write(const Tensor& t, const Tensor& values) {
  NoGrad no_grad;
  basic::copy_into(t, values);
}
Tensor host_zeros(const Shape& shape) {
  Tensor v = Tensor::empty(shape, Dtype::f32, host());
  std::fill_n(v.data<float>(), v.numel(), 0.0f);
  return v;
}

}  // namespace

const Tensor& uniform(const Tensor& t, double a, double b) {
  if (shaped(t).numel()) run("uniform", t, {{"from", a}, {"to", b}});
  return t;
}
const Tensor& normal(const Tensor& t, double mean, double std) {
  if (shaped(t).numel()) run("normal", t, {{"mean", mean}, {"std", std}});
  return t;
}
const Tensor& constant(const Tensor& t, double value) {
  NoGrad no_grad;
  basic::fill_into(shaped(t), value);
  return t;
}

// The inverse of the distribution function, on uniform numbers between the bounds' probabilities.
const Tensor& trunc_normal(const Tensor& t, double mean, double std, double a, double b) {
  if (!(std > 0)) throw Error("std must be above 0, got {}", std);
  if (!(a <= b)) throw Error("a must be at most b, got a = {} and b = {}", a, b);
  if (!shaped(t).numel()) return t;
  NoGrad no_grad;
  auto erf_at = [&](double x) { return std::erf((x - mean) / std / std::sqrt(2.0)); };
  Tensor u = Tensor::empty(t.shape(), Dtype::f64, t.device());
  uniform(u, erf_at(a), erf_at(b));
  write(t, clamp(add(mul(erfinv(u), std * std::sqrt(2.0)), mean), a, b));
  return t;
}

const Tensor& eye(const Tensor& t) {
  if (shaped(t).dim() != 2) throw Error("expects a matrix, got shape {}", to_string(t.shape()));
  Tensor v = host_zeros(t.shape());
  for (int64_t i = 0; i < std::min(t.shape(0), t.shape(1)); ++i) v.data<float>()[i * t.shape(1) + i] = 1;
  write(t, v);
  return t;
}

const Tensor& dirac(const Tensor& t, int64_t groups) {
  if (shaped(t).dim() < 3 || t.dim() > 5) throw Error("expects 3, 4 or 5 dims, got shape {}", to_string(t.shape()));
  if (groups < 1 || t.shape(0) % groups) throw Error("{} filters do not divide into {} groups", t.shape(0), groups);
  if (!t.numel()) return t;
  Tensor v = host_zeros(t.shape());
  int64_t each = t.shape(0) / groups, window = 1, middle = 0;
  for (int d = 2; d < t.dim(); ++d) {
    window *= t.shape(d);
    middle = middle * t.shape(d) + t.shape(d) / 2;
  }
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t i = 0; i < std::min(each, t.shape(1)); ++i)
      v.data<float>()[((g * each + i) * t.shape(1) + i) * window + middle] = 1;
  write(t, v);
  return t;
}

Fans fans(const Tensor& t) {
  if (shaped(t).dim() < 2) throw Error("fan_in and fan_out need at least 2 dims, got shape {}", to_string(t.shape()));
  int64_t window = 1;
  for (int d = 2; d < t.dim(); ++d) window *= t.shape(d);
  return {t.shape(1) * window, t.shape(0) * window};
}

double calculate_gain(std::string_view n, std::optional<double> param) {
  for (const char* one :
       {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"})
    if (n == one) return 1;
  if (n == "tanh") return 5.0 / 3;
  if (n == "relu") return std::sqrt(2.0);
  if (n == "selu") return 0.75;
  double slope = param.value_or(0.01);
  if (n == "leaky_relu") return std::sqrt(2 / (1 + slope * slope));
  throw Error("unknown nonlinearity '{}'; known are linear, conv1d to 3d, sigmoid, tanh, relu, leaky_relu and selu", n);
}

const Tensor& xavier_uniform(const Tensor& t, double gain) {
  Fans f = fans(t);
  double bound = gain * std::sqrt(6.0 / double(f.in + f.out));
  return uniform(t, -bound, bound);
}
const Tensor& xavier_normal(const Tensor& t, double gain) {
  Fans f = fans(t);
  return normal(t, 0, gain * std::sqrt(2.0 / double(f.in + f.out)));
}

namespace {
double kaiming_std(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
  if (mode != "fan_in" && mode != "fan_out") throw Error("mode must be 'fan_in' or 'fan_out', got '{}'", mode);
  Fans f = fans(t);
  return calculate_gain(nonlinearity, a) / std::sqrt(double(mode == "fan_in" ? f.in : f.out));
}
}  // namespace

// A layer without inputs has nothing to draw.
const Tensor& kaiming_uniform(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
  if (!shaped(t).numel()) return t;
  double bound = std::sqrt(3.0) * kaiming_std(t, a, mode, nonlinearity);
  return uniform(t, -bound, bound);
}
const Tensor& kaiming_normal(const Tensor& t, double a, std::string_view mode, std::string_view nonlinearity) {
  return shaped(t).numel() ? normal(t, 0, kaiming_std(t, a, mode, nonlinearity)) : t;
}

}  // namespace luth::nn::init
