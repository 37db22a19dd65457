#include "core/optim/optimizers.h"

#include <algorithm>
#include <cmath>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/ternary.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::optim {
namespace {

template <class... O>
struct DefineOptimizers {
  std::tuple<DefineOptimizer<O>...> all;
};
const DefineOptimizers<SGD, Adam, AdamW, NAdam, RAdam, Adamax, Lion, Adagrad, Adadelta, RMSprop, Rprop, ASGD, LAMB,
                       Muon, Adafactor, LBFGS>
    optimizers_;

void check_one_of(const char* name, const std::optional<std::string>& v, std::initializer_list<const char*> known) {
  if (!v || std::find(known.begin(), known.end(), *v) != known.end()) return;
  std::string all;
  for (const char* k : known) all += std::string(k == *known.begin() ? "" : ", ") + "'" + k + "'";
  throw Error("{} must be nil or one of {}, got '{}'", name, all, *v);
}

/// old ← old + share (target - old).
void approach(const Tensor& old, const Tensor& target, double share) {
  basic::copy_into(old, lerp(old, target, share));
}

}  // namespace

// ---- LAMB ---------------------------------------------------------------------------------------------------------

void LAMB::run(const ops::LambRule& s, const std::vector<Tensor>& params) {
  RuleOptimizer::run(s, params);
  NoGrad no_grad;
  for (auto& p : params) {
    ParameterState& own = state(p);
    const Tensor direction = *own.find("direction"), size = norm(p.detach()), length = norm(direction);
    // 1 where one of the norms is 0; nothing waits for the device
    const Tensor trust = where(gt(mul(size, length), 0.0), div(size, length), 1.0);
    basic::copy_into(p.detach(), sub(p.detach(), mul(mul(direction, trust), s.lr)));
    std::erase_if(own.tensors, [](auto& t) { return t.name == "direction"; });
  }
}

// ---- Muon ---------------------------------------------------------------------------------------------------------

void MuonSpec::check() const {
  ops::check_setting("lr", lr);
  ops::check_setting("weight_decay", weight_decay);
  ops::check_setting("momentum", momentum);
  if (ns_coefficients.size() != 3) throw Error("ns_coefficients must be 3 numbers, got {}", ns_coefficients.size());
  if (ns_steps < 0 || ns_steps >= 100) throw Error("ns_steps must be from 0 to 99, got {}", ns_steps);
  check_one_of("adjust_lr_fn", adjust_lr_fn, {"original", "match_rms_adamw", "spectral_unclamped"});
}

namespace {

// With singular values near 1: rows and columns as those of `g`.
Tensor orthogonalised(const Tensor& g, const MuonSpec& s) {
  const bool tall = g.shape()[0] > g.shape()[1];
  Tensor x = g.dtype() == Dtype::f64 ? g : cast_to(g, Dtype::f32);
  if (tall) x = transpose(x, {0, 1});
  x = div(x, clamp_min(norm(x), s.eps));
  const auto& c = s.ns_coefficients;
  for (int64_t i = 0; i < s.ns_steps; ++i) {
    const Tensor gram = matmul(x, transpose(x, {0, 1}));
    const Tensor polynomial = addmm(gram, gram, gram, {{c[1], c[2]}});
    x = addmm(x, polynomial, x, {{c[0], 1}});
  }
  return cast_to(tall ? transpose(x, {0, 1}) : x, g.dtype());
}

double adjusted_rate(const MuonSpec& s, const Shape& shape) {
  const double rows = double(shape[0]), columns = double(shape[1]);
  const std::string how = s.adjust_lr_fn.value_or("original");
  if (how == "match_rms_adamw") return s.lr * 0.2 * std::sqrt(std::max(rows, columns));
  return s.lr * std::sqrt(how == "original" ? std::max(1.0, rows / columns) : rows / columns);
}

}  // namespace

void Muon::check_parameter(const Tensor& p) {
  if (p.dim() != 2)
    throw Error("Muon steps matrices only, got {}; give the other parameters to an optimizer such as AdamW",
                describe(p));
}

void Muon::run(const MuonSpec& s, const std::vector<Tensor>& params) {
  for (auto& p : params) {
    const Tensor g = p.grad().detach(), w = p.detach(), mean = buffer(state(p), "momentum_buffer", p);
    approach(mean, g, 1 - s.momentum);
    const Tensor direction = orthogonalised(s.nesterov ? lerp(g, mean, s.momentum) : mean, s);
    basic::copy_into(w, sub(mul(w, 1 - s.lr * s.weight_decay), mul(direction, adjusted_rate(s, p.shape()))));
  }
}

// ---- Adafactor ----------------------------------------------------------------------------------------------------

void AdafactorSpec::check() const {
  ops::check_setting("lr", lr);
  if (!(beta2_decay <= 0)) throw Error("beta2_decay must be at most 0, got {}", beta2_decay);
  if (eps.size() != 2) throw Error("eps must be two numbers, got {}", eps.size());
  if (eps[0] != -1) ops::check_setting("the first of eps", eps[0]);
  ops::check_setting("the second of eps", eps[1]);
  if (!(d >= 1)) throw Error("d must be at least 1, got {}", d);
  ops::check_setting("weight_decay", weight_decay);
}

namespace {

double machine_epsilon(Dtype d) {
  return std::ldexp(1.0, d == Dtype::f64 ? -52 : d == Dtype::f32 ? -23 : d == Dtype::f16 ? -10 : -7);
}
Tensor root_mean_square(const Tensor& t) { return div(norm(t), std::sqrt(double(t.numel()))); }

// The estimate of the squared gradient: the product of the means of rows and of columns, or the mean itself.
Tensor variance(ParameterState& state, const Tensor& square, double share, double eps) {
  auto mean = [&](const char* name, const Tensor& target) {
    Tensor& own = state.tensor(name);
    if (!own) own = mul(target, 0.0);
    approach(own, target, share);
    return own;
  };
  if (square.dim() < 2) return mean("variance", square);
  const Tensor rows = mean("row_var", luth::mean(square, {.dim = {{-1}}, .keepdim = true}));
  const Tensor columns = mean("col_var", luth::mean(square, {.dim = {{-2}}, .keepdim = true}));
  return div(matmul(rows, columns), clamp_min(luth::mean(rows, {.dim = {{-2}}, .keepdim = true}), eps));
}

}  // namespace

void Adafactor::run(const AdafactorSpec& s, const std::vector<Tensor>& params) {
  for (auto& p : params) {
    ParameterState& own = state(p);
    const double t = double(++own.step), eps = s.eps[0] < 0 ? machine_epsilon(p.dtype()) : s.eps[0];
    const Tensor w = p.detach(), g = s.flags.maximize ? neg(p.grad().detach()) : p.grad().detach();
    const Tensor length = mul(clamp_min(root_mean_square(w), s.eps[1]), std::min(s.lr, 1 / std::sqrt(t)));
    const Tensor v = variance(own, square(g), std::pow(t, s.beta2_decay), eps);
    const Tensor update = mul(rsqrt(clamp_min(v, eps * eps)), g);
    const Tensor scale = div(length, clamp_min(div(root_mean_square(update), s.d), 1.0));
    basic::copy_into(w, sub(mul(w, 1 - s.lr * s.weight_decay), mul(update, scale)));
  }
}

}  // namespace luth::optim
