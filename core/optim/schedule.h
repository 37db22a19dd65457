// Schedules of learning rates. PyTorch's recurrences: each step computes the next rate from the present one, so that
// schedules can be chained and rates changed by hand in between. Epochs count from 0.
#pragma once
#include <functional>

#include "core/optim/optimizer.h"

namespace luth::optim {

class Schedule;
using ScheduleRef = Ref<Schedule>;

/// Made without an optimizer, with described settings; `attach` gives it one and sets the first rates.
class Schedule : public Counted {
 public:
  virtual ~Schedule();
  virtual std::string type() const = 0;
  virtual const char* brief() const = 0;
  virtual void describe(Fields&) {}
  /// True where a step is meant for each batch rather than each epoch.
  virtual bool per_batch() const { return false; }
  /// What a resumed run needs beside the rates themselves.
  virtual void describe_state(Fields& f);
  /// The schedules inside (SequentialLR, ChainedScheduler), in order.
  virtual std::vector<ScheduleRef> children() const { return {}; }

  /// Throws for settings that make no sense, when there is an optimizer already, and without the groups' initial_lr
  /// after start_after.
  virtual void attach(OptimizerRef optimizer);
  /// Before `attach`: the schedule goes on after that epoch of an earlier run, whose optimizer's state has been loaded.
  /// -1: a new run.
  void start_after(int64_t last_epoch);
  /// Whether the schedule can: those made of others and those that follow a metric cannot.
  virtual bool can_start_after() const { return true; }
  virtual void step();
  /// The same for schedules that follow a metric, or take a fraction of an epoch; others throw.
  virtual void step(double metric);
  bool attached() const { return bool(optimizer_); }
  Optimizer& optimizer() const;
  const std::vector<double>& last_lr() const { return last_lr_; }
  const std::vector<double>& base_lrs() const { return base_lrs_; }
  /// After a state was read: throws where its rates are not one for each group.
  void check_state() const;
  int64_t last_epoch() const { return last_epoch_; }
  std::string repr();

  // For SequentialLR: takes the first step back, and starts anew from the initial rates.
  virtual void undo() { --last_epoch_; }
  virtual void restart();

 protected:
  /// The rate of group i at last_epoch_.
  virtual double rate(size_t i) = 0;
  /// Once, when the optimizer is there, before its rates become the initial ones.
  virtual void begin() {}
  void set_rates();
  /// Makes the present rates the last ones.
  void note_rates();
  /// The initial rate of group i. Throws for a group that was added after `attach`, or that a loaded state lacks.
  double base_lr(size_t i) const;
  double lr(size_t i) const;  // present, of group i
  void set_lr(size_t i, double v);
  /// Sets the momentum, or the first of betas; throws where there is neither.
  void set_momentum(size_t i, double v);
  size_t groups() const { return optimizer_->groups().size(); }
  /// Whether the rate to compute is that of the start, where recurrences begin with the present one.
  bool starting() const { return starting_ || last_epoch_ == 0; }

  OptimizerRef optimizer_;
  int64_t last_epoch_ = -1;
  std::vector<double> base_lrs_, last_lr_;

 private:
  bool starting_ = true;
};

struct ScheduleClass {
  std::string name, brief;
  ScheduleRef (*make)();
};
const std::vector<const ScheduleClass*>& schedule_classes();  // in order of name
const ScheduleClass* find_schedule_class(std::string_view name);
void add_schedule_class(const ScheduleClass* c);

/// The base of a schedule whose settings are the struct S, with `name`, `brief` and `describe`.
template <class S>
class ScheduleOf : public Schedule {
 public:
  using Spec = S;
  explicit ScheduleOf(S s = {}) : spec(std::move(s)) {}
  S spec;
  std::string type() const override { return S::name; }
  const char* brief() const override { return S::brief; }
  void describe(Fields& f) override { spec.describe(f); }
};
template <class T>
struct DefineSchedule {
  DefineSchedule() {
    static const ScheduleClass c{T::Spec::name, T::Spec::brief, [] { return ScheduleRef(new T()); }};
    add_schedule_class(&c);
  }
};

/// `auto s = optim::schedule<optim::StepLR>(opt, {.step_size = 10});`
template <class T>
Ref<T> schedule(OptimizerRef optimizer, typename T::Spec spec = {}) {
  Ref<T> s(new T(std::move(spec)));
  s->attach(std::move(optimizer));
  return s;
}

struct NoSettings {
  void describe(auto&) {}
};

/// Multiplies the initial rates by f(epoch). The language sets `f`: one function for all groups, or one for each.
struct LambdaLRSpec : NoSettings {
  static constexpr const char* name = "LambdaLR";
  static constexpr const char* brief = "the initial rate times a function of the epoch";
};
class LambdaLR final : public ScheduleOf<LambdaLRSpec> {
 public:
  std::vector<std::function<double(int64_t epoch)>> f;

 protected:
  double rate(size_t i) override;
};
/// Multiplies the present rates by f(epoch), from epoch 1.
struct MultiplicativeLRSpec : NoSettings {
  static constexpr const char* name = "MultiplicativeLR";
  static constexpr const char* brief = "the present rate times a function of the epoch";
};
class MultiplicativeLR final : public ScheduleOf<MultiplicativeLRSpec> {
 public:
  std::vector<std::function<double(int64_t epoch)>> f;

 protected:
  double rate(size_t i) override;
};

/// The base of schedules made of others, which are attached with it.
template <class S>
class ScheduleGroup : public ScheduleOf<S> {
 public:
  using ScheduleOf<S>::ScheduleOf;
  std::vector<ScheduleRef> schedules;
  std::vector<ScheduleRef> children() const override { return schedules; }
  bool can_start_after() const override { return false; }

 protected:
  double rate(size_t) override { return 0; }
};

/// One after the other: schedule i + 1 begins at milestone i.
struct SequentialLRSpec {
  static constexpr const char* name = "SequentialLR";
  static constexpr const char* brief = "schedules one after the other";
  std::vector<double> milestones;
  void describe(auto& field) {
    field("milestones", milestones, "epochs at which the next schedule begins", as::required);
  }
};
class SequentialLR final : public ScheduleGroup<SequentialLRSpec> {
 public:
  using Schedule::step;
  void attach(OptimizerRef optimizer) override;
  void step() override;
  void undo() override;
};
/// Several at once: each multiplies the rates in its turn.
struct ChainedSchedulerSpec : NoSettings {
  static constexpr const char* name = "ChainedScheduler";
  static constexpr const char* brief = "several schedules at once";
};
class ChainedScheduler final : public ScheduleGroup<ChainedSchedulerSpec> {
 public:
  using Schedule::step;
  void attach(OptimizerRef optimizer) override;
  void step() override;
  void undo() override;
};

}  // namespace luth::optim
