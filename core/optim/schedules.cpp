#include "core/optim/schedules.h"

#include <algorithm>
#include <cmath>

namespace luth::optim {
namespace {

const DefineSchedule<StepLR> step_;
const DefineSchedule<MultiStepLR> multi_step_;
const DefineSchedule<ExponentialLR> exponential_;
const DefineSchedule<ConstantLR> constant_;
const DefineSchedule<LinearLR> linear_;
const DefineSchedule<PolynomialLR> polynomial_;
const DefineSchedule<CosineAnnealingLR> cosine_;
const DefineSchedule<CosineAnnealingWarmRestarts> warm_restarts_;
const DefineSchedule<OneCycleLR> one_cycle_;
const DefineSchedule<CyclicLR> cyclic_;
const DefineSchedule<SWALR> swa_;
const DefineSchedule<ReduceLROnPlateau> plateau_;

constexpr double pi = 3.14159265358979323846;

void need_positive(const char* schedule, const char* name, int64_t v) {
  if (v < 1) throw Error("{} needs {} of at least 1, got {}", schedule, name, v);
}
void need_share(const char* schedule, const char* name, double v) {
  if (!(v >= 0 && v <= 1)) throw Error("{} needs {} between 0 and 1, got {}", schedule, name, v);
}
void need_one_of(const char* schedule, const char* name, const std::string& v,
                 std::initializer_list<const char*> known) {
  std::string all;
  for (const char* k : known) {
    if (v == k) return;
    all += (all.empty() ? "'" : " or '") + std::string(k) + "'";
  }
  throw Error("{}: {} must be {}, got '{}'", schedule, name, all, v);
}
// One number for all groups, or one for each.
double of_group(const std::vector<double>& v, size_t i, size_t groups, const char* name) {
  if (v.size() != 1 && v.size() != groups)
    throw Error("{} needs one number, or one for each of the {} parameter groups, got {}", name, groups, v.size());
  return v[v.size() == 1 ? 0 : i];
}

}  // namespace

void StepLR::begin() { need_positive("StepLR", "step_size", spec.step_size); }
double StepLR::rate(size_t i) { return last_epoch_ == 0 || last_epoch_ % spec.step_size ? lr(i) : lr(i) * spec.gamma; }

double MultiStepLR::rate(size_t i) {
  auto n = std::count(spec.milestones.begin(), spec.milestones.end(), double(last_epoch_));
  return lr(i) * std::pow(spec.gamma, double(n));
}

double ExponentialLR::rate(size_t i) { return starting() ? lr(i) : lr(i) * spec.gamma; }

void ConstantLR::begin() { need_share("ConstantLR", "factor", spec.factor); }
double ConstantLR::rate(size_t i) {
  if (last_epoch_ == 0) return lr(i) * spec.factor;
  return last_epoch_ == spec.total_iters ? lr(i) * (1 / spec.factor) : lr(i);
}

void LinearLR::begin() {
  if (!(spec.start_factor > 0 && spec.start_factor <= 1))
    throw Error("LinearLR needs start_factor above 0 and at most 1, got {}", spec.start_factor);
  need_share("LinearLR", "end_factor", spec.end_factor);
}
double LinearLR::rate(size_t i) {
  if (last_epoch_ == 0) return lr(i) * spec.start_factor;
  if (starting() || last_epoch_ > spec.total_iters) return lr(i);
  double rise = spec.end_factor - spec.start_factor;
  return lr(i) * (1 + rise / (double(spec.total_iters) * spec.start_factor + double(last_epoch_ - 1) * rise));
}

double PolynomialLR::rate(size_t i) {
  if (starting() || last_epoch_ > spec.total_iters) return lr(i);
  double n = double(spec.total_iters), t = double(last_epoch_);
  return lr(i) * std::pow((1 - t / n) / (1 - (t - 1) / n), spec.power);
}

void CosineAnnealingLR::begin() { need_positive("CosineAnnealingLR", "T_max", spec.T_max); }
double CosineAnnealingLR::rate(size_t i) {
  double n = double(spec.T_max), t = double(last_epoch_), low = spec.eta_min;
  if (starting()) return lr(i);
  if ((last_epoch_ - 1 - spec.T_max) % (2 * spec.T_max) == 0)  // the denominator below would be 0
    return lr(i) + (base_lr(i) - low) * (1 - std::cos(pi / n)) / 2;
  return (1 + std::cos(pi * t / n)) / (1 + std::cos(pi * (t - 1) / n)) * (lr(i) - low) + low;
}

void CosineAnnealingWarmRestarts::begin() {
  need_positive("CosineAnnealingWarmRestarts", "T_0", spec.T_0);
  need_positive("CosineAnnealingWarmRestarts", "T_mult", spec.T_mult);
  period_ = spec.T_0;
  at_ = double(last_epoch_);
  advance();
}
double CosineAnnealingWarmRestarts::rate(size_t i) {
  double share = at_ / double(period_);
  return spec.eta_min + (base_lr(i) - spec.eta_min) * (1 + std::cos(pi * share)) / 2;
}
void CosineAnnealingWarmRestarts::advance() {
  if (++at_ >= double(period_)) {
    at_ = std::fmod(at_, double(period_));
    period_ *= spec.T_mult;
  }
}
void CosineAnnealingWarmRestarts::step() {
  advance();
  Schedule::step();
}
void CosineAnnealingWarmRestarts::step(double epoch) {
  optimizer();
  if (!(epoch >= 0)) throw Error("CosineAnnealingWarmRestarts: step(epoch) needs an epoch from 0, got {}", epoch);
  const double first = double(spec.T_0), growth = double(spec.T_mult);
  if (epoch < first || spec.T_mult == 1) {
    at_ = std::fmod(epoch, first);
    period_ = spec.T_0;
  } else {
    const auto restarts = std::floor(std::log(epoch / first * (growth - 1) + 1) / std::log(growth));
    const double longer = std::pow(growth, restarts);
    at_ = epoch - first * (longer - 1) / (growth - 1);
    period_ = int64_t(first * longer);
  }
  last_epoch_ = int64_t(epoch);
  set_rates();
}
void CosineAnnealingWarmRestarts::undo() {
  --at_;
  Schedule::undo();
}
void CosineAnnealingWarmRestarts::restart() {
  at_ = 0;
  period_ = spec.T_0;
  Schedule::restart();
}
void CosineAnnealingWarmRestarts::describe_state(Fields& f) {
  Schedule::describe_state(f);
  f("T_cur", at_, "epochs since the restart");
  f("T_i", period_, "epochs of this period");
}

// ---- OneCycleLR ---------------------------------------------------------------------------------------------------

void OneCycleLR::begin() {
  need_one_of("OneCycleLR", "anneal_strategy", spec.anneal_strategy, {"cos", "linear"});
  if (spec.total_steps)
    total_ = *spec.total_steps;
  else if (spec.epochs && spec.steps_per_epoch)
    total_ = *spec.epochs * *spec.steps_per_epoch;
  else
    throw Error("OneCycleLR needs total_steps, or epochs and steps_per_epoch");
  need_positive("OneCycleLR", "total_steps", total_);
  need_share("OneCycleLR", "pct_start", spec.pct_start);
  for (size_t i = 0; i < groups(); ++i) {
    const double first = of_group(spec.max_lr, i, groups(), "max_lr") / spec.div_factor;
    if (last_epoch_ < 0) optimizer_->groups()[i].initial_lr = first;
    if (spec.cycle_momentum) set_momentum(i, of_group(spec.max_momentum, i, groups(), "max_momentum"));
  }
}

std::vector<OneCycleLR::Phase> OneCycleLR::phases(size_t i) const {
  double top = of_group(spec.max_lr, i, groups(), "max_lr"), first = top / spec.div_factor;
  double last = first / spec.final_div_factor, n = double(total_), rise = spec.pct_start * n;
  double low = of_group(spec.base_momentum, i, groups(), "base_momentum");
  double high = of_group(spec.max_momentum, i, groups(), "max_momentum");
  if (spec.three_phase)
    return {{rise - 1, first, top, high, low}, {2 * rise - 2, top, first, low, high}, {n - 1, first, last, high, high}};
  return {{rise - 1, first, top, high, low}, {n - 1, top, last, low, high}};
}

double OneCycleLR::between(double from, double to, double share) const {
  if (spec.anneal_strategy == "linear") return (to - from) * share + from;
  return to + (from - to) / 2 * (std::cos(pi * share) + 1);
}

double OneCycleLR::rate(size_t i) {
  if (last_epoch_ > total_) throw Error("OneCycleLR was stepped {} times, its cycle has {} steps", last_epoch_, total_);
  auto list = phases(i);
  double begin = 0, t = double(last_epoch_);
  size_t k = 0;
  while (k + 1 < list.size() && t > list[k].end) begin = list[k++].end;
  const Phase& p = list[k];
  double share = p.end > begin ? (t - begin) / (p.end - begin) : 1;  // a phase of no steps is over at once
  if (spec.cycle_momentum) set_momentum(i, between(p.momentum_from, p.momentum_to, share));
  return between(p.lr_from, p.lr_to, share);
}

// ---- CyclicLR -----------------------------------------------------------------------------------------------------

void CyclicLR::begin() {
  need_one_of("CyclicLR", "mode", spec.mode, {"triangular", "triangular2", "exp_range"});
  need_positive("CyclicLR", "step_size_up", spec.step_size_up);
  for (size_t i = 0; i < groups(); ++i) {
    const double first = of_group(spec.base_lr, i, groups(), "base_lr");
    if (last_epoch_ < 0) set_lr(i, first);
    if (spec.cycle_momentum) set_momentum(i, of_group(spec.base_momentum, i, groups(), "base_momentum"));
  }
}

// As in PyTorch, the first rate is that which an earlier schedule began with, if there is one; later ones are its own.
void CyclicLR::attach(OptimizerRef optimizer) {
  Schedule::attach(std::move(optimizer));
  for (size_t i = 0; i < groups(); ++i) base_lrs_[i] = of_group(spec.base_lr, i, groups(), "base_lr");
}

double CyclicLR::rate(size_t i) {
  double up = double(spec.step_size_up), down = double(spec.step_size_down.value_or(spec.step_size_up));
  double total = up + down, rising = up / total, t = double(last_epoch_);
  double cycle = std::floor(1 + t / total), x = 1 + t / total - cycle;
  double height = x <= rising ? x / rising : (x - 1) / (rising - 1);
  double scale = spec.mode == "triangular2" ? std::pow(2.0, -(cycle - 1))
                 : spec.mode == "exp_range" ? std::pow(spec.gamma, t)
                                            : 1;
  if (spec.cycle_momentum) {
    double low = of_group(spec.base_momentum, i, groups(), "base_momentum");
    double high = of_group(spec.max_momentum, i, groups(), "max_momentum");
    set_momentum(i, high - (high - low) * height * scale);
  }
  double low = base_lr(i), high = of_group(spec.max_lr, i, groups(), "max_lr");
  return low + (high - low) * height * scale;
}

// ---- SWALR --------------------------------------------------------------------------------------------------------

void SWALR::begin() {
  need_one_of("SWALR", "anneal_strategy", spec.anneal_strategy, {"cos", "linear"});
  if (spec.anneal_epochs < 0) throw Error("SWALR needs anneal_epochs of at least 0, got {}", spec.anneal_epochs);
}
// The share of swa_lr in the present rate is taken back, and that of this step put in.
double SWALR::rate(size_t i) {
  const double target = of_group(spec.swa_lr, i, groups(), "swa_lr"),
               n = double(std::max<int64_t>(1, spec.anneal_epochs));
  const double t = double(spec.anneal_epochs == 0 ? std::max<int64_t>(1, last_epoch_) : last_epoch_);
  auto share = [&](double epochs) {
    const double x = std::clamp(epochs / n, 0.0, 1.0);
    return spec.anneal_strategy == "cos" ? (1 - std::cos(pi * x)) / 2 : x;
  };
  const double before = share(t - 1), now = share(t);
  const double first = before == 1 ? target : (lr(i) - before * target) / (1 - before);
  return target * now + first * (1 - now);
}

// ---- ReduceLROnPlateau --------------------------------------------------------------------------------------------

void ReduceLROnPlateau::begin() {
  need_one_of("ReduceLROnPlateau", "mode", spec.mode, {"min", "max"});
  need_one_of("ReduceLROnPlateau", "threshold_mode", spec.threshold_mode, {"rel", "abs"});
  if (!(spec.factor < 1)) throw Error("ReduceLROnPlateau needs a factor below 1, got {}", spec.factor);
  best_ = spec.mode == "min" ? INFINITY : -INFINITY;
}
bool ReduceLROnPlateau::better(double v) const {
  double sign = spec.mode == "min" ? -1 : 1;
  if (spec.threshold_mode == "abs") return sign * v > sign * best_ + spec.threshold;
  return spec.mode == "min" ? v < best_ * (1 - spec.threshold) : v > best_ * (1 + spec.threshold);
}
void ReduceLROnPlateau::step() { throw Error("ReduceLROnPlateau follows a metric: call step(metric)"); }
void ReduceLROnPlateau::step(double metric) {
  optimizer();
  ++last_epoch_;
  if (better(metric)) {
    best_ = metric;
    bad_epochs_ = 0;
  } else {
    ++bad_epochs_;
  }
  if (cooling_ > 0) {
    --cooling_;
    bad_epochs_ = 0;
  }
  if (bad_epochs_ > spec.patience) {
    for (size_t i = 0; i < groups(); ++i) {
      double next = std::max(lr(i) * spec.factor, of_group(spec.min_lr, i, groups(), "min_lr"));
      if (lr(i) - next > spec.eps) set_lr(i, next);
    }
    cooling_ = spec.cooldown;
    bad_epochs_ = 0;
  }
  note_rates();
}
void ReduceLROnPlateau::describe_state(Fields& f) {
  Schedule::describe_state(f);
  f("best", best_, "the best metric so far");
  f("num_bad_epochs", bad_epochs_, "epochs without improvement");
  f("cooldown_counter", cooling_, "epochs still to wait");
}

}  // namespace luth::optim
