// The schedules with settings alone. Formulas: PyTorch's documentation of torch.optim.lr_scheduler.
#pragma once
#include "core/optim/schedule.h"

namespace luth::optim {

struct StepLRSpec {
  static constexpr const char* name = "StepLR";
  static constexpr const char* brief = "the rate times gamma every step_size epochs";
  int64_t step_size = 1;
  double gamma = 0.1;
  void describe(auto& field) {
    field("step_size", step_size, "epochs between two decays", as::required);
    field("gamma", gamma, "factor of a decay");
  }
};
class StepLR final : public ScheduleOf<StepLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

struct MultiStepLRSpec {
  static constexpr const char* name = "MultiStepLR";
  static constexpr const char* brief = "the rate times gamma at each milestone";
  std::vector<double> milestones;
  double gamma = 0.1;
  void describe(auto& field) {
    field("milestones", milestones, "epochs of the decays", as::required);
    field("gamma", gamma, "factor of a decay");
  }
};
class MultiStepLR final : public ScheduleOf<MultiStepLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  double rate(size_t i) override;
};

struct ExponentialLRSpec {
  static constexpr const char* name = "ExponentialLR";
  static constexpr const char* brief = "the rate times gamma every epoch";
  double gamma = 0.9;
  void describe(auto& field) { field("gamma", gamma, "factor of a decay", as::required); }
};
class ExponentialLR final : public ScheduleOf<ExponentialLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  double rate(size_t i) override;
};

struct ConstantLRSpec {
  static constexpr const char* name = "ConstantLR";
  static constexpr const char* brief = "the rate times factor for the first epochs";
  double factor = 1.0 / 3;
  int64_t total_iters = 5;
  void describe(auto& field) {
    field("factor", factor, "factor in the beginning");
    field("total_iters", total_iters, "epochs that it lasts");
  }
};
class ConstantLR final : public ScheduleOf<ConstantLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

struct LinearLRSpec {
  static constexpr const char* name = "LinearLR";
  static constexpr const char* brief = "a factor that grows from start_factor to end_factor";
  double start_factor = 1.0 / 3, end_factor = 1;
  int64_t total_iters = 5;
  void describe(auto& field) {
    field("start_factor", start_factor, "factor in the beginning");
    field("end_factor", end_factor, "factor at the end");
    field("total_iters", total_iters, "epochs between them");
  }
};
class LinearLR final : public ScheduleOf<LinearLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

struct PolynomialLRSpec {
  static constexpr const char* name = "PolynomialLR";
  static constexpr const char* brief = "a polynomial decay to 0";
  int64_t total_iters = 5;
  double power = 1;
  void describe(auto& field) {
    field("total_iters", total_iters, "epochs of the decay");
    field("power", power, "power of the polynomial");
  }
};
class PolynomialLR final : public ScheduleOf<PolynomialLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  double rate(size_t i) override;
};

/// Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", without the restarts.
struct CosineAnnealingLRSpec {
  static constexpr const char* name = "CosineAnnealingLR";
  static constexpr const char* brief = "half a cosine from the initial rate to eta_min in T_max epochs";
  int64_t T_max = 0;
  double eta_min = 0;
  void describe(auto& field) {
    field("T_max", T_max, "epochs of half a period", as::required);
    field("eta_min", eta_min, "the lowest rate");
  }
};
class CosineAnnealingLR final : public ScheduleOf<CosineAnnealingLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

struct CosineAnnealingWarmRestartsSpec {
  static constexpr const char* name = "CosineAnnealingWarmRestarts";
  static constexpr const char* brief = "half cosines, each T_mult times as long as the one before";
  int64_t T_0 = 0, T_mult = 1;
  double eta_min = 0;
  void describe(auto& field) {
    field("T_0", T_0, "epochs until the first restart", as::required);
    field("T_mult", T_mult, "growth of the period");
    field("eta_min", eta_min, "the lowest rate");
  }
};
class CosineAnnealingWarmRestarts final : public ScheduleOf<CosineAnnealingWarmRestartsSpec> {
 public:
  using ScheduleOf::ScheduleOf;
  void step() override;
  /// Goes to that epoch, which may have a fraction: epoch + batch / batches.
  void step(double epoch) override;
  void undo() override;
  void restart() override;
  void describe_state(Fields& f) override;

 protected:
  void begin() override;
  double rate(size_t i) override;

 private:
  void advance();       // by an epoch
  double at_ = 0;       // T_cur
  int64_t period_ = 1;  // T_i
};

/// Smith and Topin, "Super-convergence". Steps are batches. The momentum (or the first of betas) goes the other way.
struct OneCycleLRSpec {
  static constexpr const char* name = "OneCycleLR";
  static constexpr const char* brief = "up to max_lr and far down again; steps are batches";
  std::vector<double> max_lr;
  std::optional<int64_t> total_steps, epochs, steps_per_epoch;
  double pct_start = 0.3;
  std::string anneal_strategy = "cos";
  bool cycle_momentum = true;
  std::vector<double> base_momentum{0.85}, max_momentum{0.95};
  double div_factor = 25, final_div_factor = 1e4;
  bool three_phase = false;
  void describe(auto& field) {
    field("max_lr", max_lr, "the highest rate, for all groups or one for each", as::required);
    field("total_steps", total_steps, "steps of the cycle");
    field("epochs", epochs, "with steps_per_epoch: in place of total_steps");
    field("steps_per_epoch", steps_per_epoch, "with epochs: in place of total_steps");
    field("pct_start", pct_start, "share of the steps in which the rate rises");
    field("anneal_strategy", anneal_strategy, "'cos' or 'linear'");
    field("cycle_momentum", cycle_momentum, "whether the momentum goes the other way");
    field("base_momentum", base_momentum, "the lowest momentum");
    field("max_momentum", max_momentum, "the highest momentum");
    field("div_factor", div_factor, "the initial rate is max_lr / div_factor");
    field("final_div_factor", final_div_factor, "the last rate is the initial one / final_div_factor");
    field("three_phase", three_phase, "a third phase goes below the initial rate");
  }
};
class OneCycleLR final : public ScheduleOf<OneCycleLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;
  bool per_batch() const override { return true; }

 protected:
  void begin() override;
  double rate(size_t i) override;

 private:
  struct Phase {
    double end, lr_from, lr_to, momentum_from, momentum_to;
  };
  std::vector<Phase> phases(size_t i) const;
  double between(double from, double to, double share) const;
  int64_t total_ = 0;
};

/// Smith, "Cyclical learning rates for training neural networks". Steps are batches.
struct CyclicLRSpec {
  static constexpr const char* name = "CyclicLR";
  static constexpr const char* brief = "up and down between base_lr and max_lr; steps are batches";
  std::vector<double> base_lr, max_lr;
  int64_t step_size_up = 2000;
  std::optional<int64_t> step_size_down;
  std::string mode = "triangular";
  double gamma = 1;
  bool cycle_momentum = true;
  std::vector<double> base_momentum{0.8}, max_momentum{0.9};
  void describe(auto& field) {
    field("base_lr", base_lr, "the lowest rate, for all groups or one for each", as::required);
    field("max_lr", max_lr, "the highest rate", as::required);
    field("step_size_up", step_size_up, "steps up");
    field("step_size_down", step_size_down, "steps down; as many as up when nil");
    field("mode", mode, "'triangular', 'triangular2' or 'exp_range'");
    field("gamma", gamma, "of exp_range: the range shrinks by gamma every step");
    field("cycle_momentum", cycle_momentum, "whether the momentum goes the other way", as::named);
    field("base_momentum", base_momentum, "the lowest momentum", as::named);
    field("max_momentum", max_momentum, "the highest momentum", as::named);
  }
};
class CyclicLR final : public ScheduleOf<CyclicLRSpec> {
 public:
  using ScheduleOf::ScheduleOf;
  bool per_batch() const override { return true; }
  void attach(OptimizerRef optimizer) override;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

/// From the present rates to those of stochastic weight averaging (Izmailov and others, 2018).
struct SWALRSpec {
  static constexpr const char* name = "SWALR";
  static constexpr const char* brief = "anneals the rates to swa_lr, where they stay";
  std::vector<double> swa_lr;
  int64_t anneal_epochs = 10;
  std::string anneal_strategy = "cos";
  void describe(auto& field) {
    field("swa_lr", swa_lr, "the last rate, for all groups or one for each", as::required);
    field("anneal_epochs", anneal_epochs, "epochs until then");
    field("anneal_strategy", anneal_strategy, "'cos' or 'linear'");
  }
};
class SWALR final : public ScheduleOf<SWALRSpec> {
 public:
  using ScheduleOf::ScheduleOf;

 protected:
  void begin() override;
  double rate(size_t i) override;
};

/// Follows a metric: step(metric) after each epoch.
struct ReduceLROnPlateauSpec {
  static constexpr const char* name = "ReduceLROnPlateau";
  static constexpr const char* brief = "the rate times factor when a metric no longer improves";
  std::string mode = "min";
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  std::string threshold_mode = "rel";
  int64_t cooldown = 0;
  std::vector<double> min_lr{0};
  double eps = 1e-8;
  void describe(auto& field) {
    field("mode", mode, "'min' or 'max': what is better");
    field("factor", factor, "factor of a reduction");
    field("patience", patience, "epochs without improvement that are allowed");
    field("threshold", threshold, "smallest change that counts");
    field("threshold_mode", threshold_mode, "'rel' or 'abs'");
    field("cooldown", cooldown, "epochs to wait after a reduction");
    field("min_lr", min_lr, "the lowest rate, for all groups or one for each");
    field("eps", eps, "smaller changes of the rate are not made");
  }
};
class ReduceLROnPlateau final : public ScheduleOf<ReduceLROnPlateauSpec> {
 public:
  using ScheduleOf::ScheduleOf;
  bool can_start_after() const override { return false; }
  void step() override;  // throws: needs the metric
  void step(double metric) override;
  void describe_state(Fields& f) override;

 protected:
  void begin() override;
  double rate(size_t i) override { return lr(i); }

 private:
  bool better(double metric) const;
  double best_ = 0;
  int64_t bad_epochs_ = 0, cooling_ = 0;
};

}  // namespace luth::optim
