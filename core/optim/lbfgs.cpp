// LBFGS: directions from the last steps and changes of the gradient; a line search for the strong Wolfe conditions.
#include <algorithm>
#include <cmath>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/optim/optimizers.h"

namespace luth::optim {

void LBFGSSpec::check() const {
  ops::check_setting("lr", lr);
  for (auto [name, v] : {std::pair{"max_iter", max_iter}, std::pair{"max_eval", max_eval.value_or(1)},
                         std::pair{"history_size", history_size}})
    if (v < 1) throw Error("{} must be at least 1, got {}", name, v);
  if (line_search_fn && *line_search_fn != "strong_wolfe")
    throw Error("line_search_fn must be 'strong_wolfe' or nil, got '{}'", *line_search_fn);
}

namespace {

double number(const Tensor& t) { return t.item().value(); }
double product(const Tensor& a, const Tensor& b) { return number(dot(a, b)); }
double largest(const Tensor& t) { return t.numel() ? number(amax(abs(t))) : 0; }
Tensor scaled_sum(const Tensor& a, const Tensor& b, double factor) { return add(a, mul(b, factor)); }

/// A point on the line: how far, the loss there, its gradient, and its slope along the line.
struct Point {
  double t = 0, loss = 0;
  Tensor grad;
  double slope = 0;
};

/// The parameters as one vector, and the loss along lines from them.
class Problem {
 public:
  Problem(const std::vector<Tensor>& params, const Optimizer::Closure& closure, bool maximize)
      : params_(params), closure_(closure), sign_(maximize ? -1 : 1) {}
  double loss() {
    ++calls;
    GradMode on(true);
    return sign_ * closure_();
  }
  Tensor gradient() const {
    Tensors flat;
    for (auto& p : params_) {
      const Tensor g = p.grad() ? p.grad().detach() : mul(p.detach(), 0.0);
      flat.push_back(reshape(g, {{p.numel()}}));
    }
    const Tensor all = cat(flat);
    return sign_ < 0 ? neg(all) : basic::clone(all);
  }
  void move(double t, const Tensor& direction) const {
    int64_t at = 0;
    for (auto& p : params_) {
      const Tensor part = reshape(narrow(direction, {.dim = 0, .start = at, .length = p.numel()}), {p.shape()});
      basic::copy_into(p.detach(), scaled_sum(p.detach(), part, t));
      at += p.numel();
    }
  }
  Point at(double t, const Tensor& direction) {
    std::vector<Tensor> before;
    for (auto& p : params_) before.push_back(basic::clone(p.detach()));
    move(t, direction);
    Point x{t, loss(), gradient()};
    for (size_t i = 0; i < params_.size(); ++i) basic::copy_into(params_[i].detach(), before[i]);
    x.slope = product(x.grad, direction);
    return x;
  }
  int64_t calls = 0;

 private:
  const std::vector<Tensor>& params_;
  const Optimizer::Closure& closure_;
  double sign_;
};

/// The minimum, between low and high, of the cubic with the losses and slopes of two points.
double cubic_minimum(const Point& a, const Point& b, double low, double high) {
  const Point &x = a.t <= b.t ? a : b, &y = a.t <= b.t ? b : a;
  const double d1 = x.slope + y.slope - 3 * (x.loss - y.loss) / (x.t - y.t), square = d1 * d1 - x.slope * y.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square), t = y.t - (y.t - x.t) * ((y.slope + d2 - d1) / (y.slope - x.slope + 2 * d2));
  return std::min(std::max(t, low), high);
}

/// Nocedal and Wright, algorithm 3.5 (bracketing) and 3.6 (zoom).
class StrongWolfe {
 public:
  StrongWolfe(Problem& problem, const Tensor& direction, const Point& start, double tolerance, int64_t most)
      : problem_(problem), direction_(direction), start_(start), tolerance_(tolerance), most_(most) {}
  Point search(double t) {
    const bool found = bracket(t);
    if (!found && rounds_ < most_) zoom();
    return points_[low_];
  }

 private:
  bool falls_too_little(const Point& x) const { return x.loss > start_.loss + 1e-4 * x.t * start_.slope; }
  bool is_flat(const Point& x) const { return std::abs(x.slope) <= -0.9 * start_.slope; }
  void order() { low_ = points_[0].loss <= points_.back().loss ? 0 : points_.size() - 1; }

  // An interval that holds an acceptable point; true where an end of it is one.
  bool bracket(double t) {
    Point previous = start_, x = problem_.at(t, direction_);
    for (; rounds_ < most_; ++rounds_) {
      if (falls_too_little(x) || (rounds_ > 1 && x.loss >= previous.loss)) return enclose(previous, x);
      if (is_flat(x)) return points_ = {x}, low_ = 0, true;
      if (x.slope >= 0) return enclose(previous, x);
      const double next = cubic_minimum(previous, x, x.t + 0.01 * (x.t - previous.t), x.t * 10);
      previous = std::move(x);
      x = problem_.at(next, direction_);
    }
    return enclose(start_, x);
  }
  bool enclose(const Point& a, const Point& b) { return points_ = {a, b}, order(), false; }

  // A trial point inside; one tenth of the interval from its ends where the cubic's minimum lies nearer twice.
  double trial(bool& near) {
    const double low = std::min(points_[0].t, points_[1].t), high = std::max(points_[0].t, points_[1].t);
    const double margin = 0.1 * (high - low), t = cubic_minimum(points_[0], points_[1], low, high);
    if (!(std::min(high - t, t - low) < margin)) return near = false, t;
    if (!near && t < high && t > low) return near = true, t;
    near = false;
    return std::abs(t - high) < std::abs(t - low) ? high - margin : low + margin;
  }
  void zoom() {
    const double size = largest(direction_);
    for (bool near = false, done = false; !done && rounds_ < most_; ++rounds_) {
      if (std::abs(points_[1].t - points_[0].t) * size < tolerance_) return;
      const Point x = problem_.at(trial(near), direction_);
      const size_t high = 1 - low_;
      if (falls_too_little(x) || x.loss >= points_[low_].loss) {
        points_[high] = x;
        order();
        continue;
      }
      done = is_flat(x);
      if (!done && x.slope * (points_[high].t - points_[low_].t) >= 0) points_[high] = points_[low_];
      points_[low_] = x;
    }
  }

  Problem& problem_;
  const Tensor& direction_;
  const Point start_;
  double tolerance_;
  int64_t most_, rounds_ = 0;
  std::vector<Point> points_;
  size_t low_ = 0;
};

// A state may come from a file, or from other parameters.
void check_history(ParameterState& s, const Tensor& grad) {
  const auto &changes = s.list("old_dirs"), &steps = s.list("old_stps"), &ro = s.list("ro");
  bool fits = changes.size() == steps.size() && steps.size() == ro.size();
  for (auto* list : {&changes, &steps})
    for (auto& t : *list) fits = fits && t && t.shape() == grad.shape();
  for (auto& t : ro) fits = fits && t && t.numel() == 1;
  if (!fits) throw Error("LBFGS: old_dirs, old_stps and ro of its state do not fit each other and the parameters");
}

/// The new direction: minus the gradient, times the inverse Hessian that the last steps and changes approximate.
Tensor direction(ParameterState& s, const Tensor& grad, int64_t history) {
  if (s.number("n_iter") == 1) return s.number("H_diag") = 1, neg(grad);
  check_history(s, grad);
  auto &changes = s.list("old_dirs"), &steps = s.list("old_stps"), &ro = s.list("ro");
  const Tensor y = sub(grad, s.tensor("prev_flat_grad")), step = mul(s.tensor("d"), s.number("t"));
  const double ys = product(y, step);
  if (ys > 1e-10) {
    if (int64_t(steps.size()) >= history)
      for (auto* list : {&changes, &steps, &ro}) list->erase(list->begin());
    changes.push_back(y);
    steps.push_back(step);
    ro.push_back(Tensor::scalar(1 / ys, grad.dtype()));
    s.number("H_diag") = ys / product(y, y);
  }
  std::vector<double> share(steps.size());
  Tensor q = neg(grad);
  for (size_t i = steps.size(); i-- > 0;) {
    share[i] = product(steps[i], q) * number(ro[i]);
    q = scaled_sum(q, changes[i], -share[i]);
  }
  q = mul(q, s.number("H_diag"));
  for (size_t i = 0; i < steps.size(); ++i)
    q = scaled_sum(q, steps[i], share[i] - product(changes[i], q) * number(ro[i]));
  return q;
}

}  // namespace

void LBFGS::run(const LBFGSSpec&, const std::vector<Tensor>&) {
  throw Error("LBFGS needs a closure, which computes loss and gradients: opt:step(function() … return loss end)");
}

void LBFGS::check_parameter(const Tensor&) {
  if (!groups().empty()) throw Error("LBFGS takes one parameter group only: its steps are common to all parameters");
}

void LBFGS::step(const Closure& closure) {
  if (groups().empty()) throw Error("LBFGS has no parameters yet; give it some with add_param_group");
  NoGrad no_grad;
  groups()[0].settings->check();
  const LBFGSSpec& spec = settings(0);
  const std::vector<Tensor>& params = groups()[0].params;
  Problem problem(params, closure, spec.maximize);
  const double func_evals = state(params[0]).number("func_evals");
  Point here{0, problem.loss(), problem.gradient()};
  const int64_t most = spec.max_eval.value_or(spec.max_iter * 5 / 4);
  for (int64_t i = 1; i <= spec.max_iter && largest(here.grad) > spec.tolerance_grad; ++i) {
    ParameterState& s = state(params[0]);  // until the closure runs, which may load another
    ++s.number("n_iter");
    const Tensor d = direction(s, here.grad, spec.history_size);
    const double previous = here.loss;
    s.tensor("d") = d;
    s.tensor("prev_flat_grad") = here.grad;
    s.number("prev_loss") = previous;
    const bool first = s.number("n_iter") == 1;
    double t = s.number("t") = first ? std::min(1.0, 1 / number(sum(abs(here.grad)))) * spec.lr : spec.lr;
    here = {0, here.loss, here.grad, product(here.grad, d)};
    if (here.slope > -spec.tolerance_change) break;
    if (spec.line_search_fn) {
      here = StrongWolfe(problem, d, here, spec.tolerance_change, most - problem.calls).search(t);
      t = state(params[0]).number("t") = here.t;
      problem.move(t, d);
    } else {
      problem.move(t, d);
      if (i < spec.max_iter) here = {t, problem.loss(), problem.gradient()};
    }
    if (problem.calls >= most || largest(d) * t <= spec.tolerance_change) break;
    if (std::abs(here.loss - previous) < spec.tolerance_change) break;
  }
  state(params[0]).number("func_evals") = func_evals + double(problem.calls);
}

}  // namespace luth::optim
