#include "core/optim/schedule.h"

#include <algorithm>

#include "core/base/by_name.h"

namespace luth::optim {
namespace {

std::vector<const ScheduleClass*>& classes_of_schedules() {
  static std::vector<const ScheduleClass*> list;
  return list;
}
const DefineSchedule<LambdaLR> lambda_;
const DefineSchedule<MultiplicativeLR> multiplicative_;
const DefineSchedule<SequentialLR> sequential_;
const DefineSchedule<ChainedScheduler> chained_;

double factor(const std::vector<std::function<double(int64_t)>>& f, size_t group, int64_t epoch, const char* name) {
  if (f.empty()) throw Error("{} needs lr_lambda, a function of the epoch", name);
  if (f.size() > 1 && group >= f.size()) throw Error("{} has {} functions for more groups", name, f.size());
  return f[f.size() == 1 ? 0 : group](epoch);
}

// Schedules inside others may have been made with the optimizer or without.
void attach_all(std::vector<ScheduleRef>& schedules, const OptimizerRef& o, const std::string& name) {
  if (schedules.empty()) throw Error("{} needs at least one schedule", name);
  for (auto& s : schedules) {
    if (!s->attached()) s->attach(o);
    if (&s->optimizer() != o.get()) throw Error("the schedules of {} must all be of its optimizer", name);
  }
}

}  // namespace

Schedule::~Schedule() = default;

Optimizer& Schedule::optimizer() const {
  if (!optimizer_) throw Error("{} has no optimizer yet", type());
  return *optimizer_;
}
double Schedule::lr(size_t i) const { return optimizer_->groups()[i].settings->number("lr"); }
double Schedule::base_lr(size_t i) const {
  if (i < base_lrs_.size()) return base_lrs_[i];
  throw Error("{} knows the initial rates of {} parameter groups, its optimizer has {}", type(), base_lrs_.size(),
              groups());
}
void Schedule::check_state() const {
  if (!optimizer_) return;
  const bool initial = base_lrs_.size() == groups() || !children().empty();  // those made of others have none
  if (!initial || last_lr_.size() != groups())
    throw Error("{} has an optimizer of {} parameter groups, the state has {} initial and {} last rates", type(),
                groups(), base_lrs_.size(), last_lr_.size());
}
void Schedule::note_rates() {
  last_lr_.clear();
  for (size_t i = 0; i < groups(); ++i) last_lr_.push_back(lr(i));
}
// What rounding leaves below 0 is 0.
void Schedule::set_lr(size_t i, double v) {
  optimizer_->groups()[i].settings->set("lr", v < 0 && v > -1e-12 ? 0.0 : v);
}
void Schedule::set_momentum(size_t i, double v) {
  Settings& s = *optimizer_->groups()[i].settings;
  if (s.has("betas")) {
    auto betas = std::get<std::vector<double>>(s.get("betas"));
    betas[0] = v;
    s.set("betas", betas);
  } else if (s.has("momentum")) {
    s.set("momentum", v);
  } else {
    throw Error("{} has no momentum to cycle; use cycle_momentum = false", optimizer_->type());
  }
}

void Schedule::describe_state(Fields& f) {
  f("last_epoch", last_epoch_, "steps taken");
  f("base_lrs", base_lrs_, "initial rates");
  f("last_lr", last_lr_, "present rates");
}

void Schedule::attach(OptimizerRef optimizer) {
  if (optimizer_) throw Error("{} has an optimizer already", type());
  if (optimizer->groups().empty()) throw Error("{} needs an optimizer with parameters", type());
  optimizer_ = std::move(optimizer);
  begin();
  for (size_t i = 0; i < groups(); ++i) {
    auto& g = optimizer_->groups()[i];
    if (!g.initial_lr && last_epoch_ >= 0)
      throw Error(
          "{} goes on after epoch {}, and parameter group {} has no initial_lr: load the state of the optimizer first",
          type(), last_epoch_, shown(int64_t(i)));
    if (!g.initial_lr) g.initial_lr = lr(i);
  }
  for (auto& g : optimizer_->groups()) base_lrs_.push_back(*g.initial_lr);
  ++last_epoch_;
  set_rates();
  starting_ = false;
}

void Schedule::start_after(int64_t last_epoch) {
  if (last_epoch < -1) throw Error("{}: last_epoch is an epoch, or -1 for a new run, not {}", type(), last_epoch);
  if (last_epoch >= 0 && !can_start_after()) throw Error("{} begins at its first epoch", type());
  last_epoch_ = last_epoch;
}

void Schedule::set_rates() {
  std::vector<double> rates;
  for (size_t i = 0; i < groups(); ++i) rates.push_back(rate(i));
  for (size_t i = 0; i < groups(); ++i) set_lr(i, rates[i]);
  last_lr_ = std::move(rates);
}

void Schedule::step() {
  optimizer();
  ++last_epoch_;
  set_rates();
}
void Schedule::step(double) { throw Error("{} follows no metric; call step() without one", type()); }

void Schedule::restart() {
  last_epoch_ = 0;
  for (size_t i = 0; i < groups(); ++i) set_lr(i, base_lr(i));
  set_rates();
}

std::string Schedule::repr() {
  FieldList list;
  describe(list);
  std::string s;
  for (auto& f : list.items) s += (s.empty() ? "" : ", ") + std::string(f.name) + "=" + to_string(f.value);
  return type() + "(" + s + ")";
}

const std::vector<const ScheduleClass*>& schedule_classes() { return classes_of_schedules(); }
const ScheduleClass* find_schedule_class(std::string_view name) { return find_by_name(classes_of_schedules(), name); }
void add_schedule_class(const ScheduleClass* c) { insert_by_name(classes_of_schedules(), c); }

double LambdaLR::rate(size_t i) { return base_lr(i) * factor(f, i, last_epoch_, LambdaLRSpec::name); }
double MultiplicativeLR::rate(size_t i) {
  return starting() ? lr(i) : lr(i) * factor(f, i, last_epoch_, MultiplicativeLRSpec::name);
}

void SequentialLR::attach(OptimizerRef o) {
  if (optimizer_) throw Error("SequentialLR has an optimizer already");
  if (spec.milestones.size() + 1 != schedules.size())
    throw Error("SequentialLR needs one milestone between each two schedules, got {} for {}", spec.milestones.size(),
                schedules.size());
  attach_all(schedules, o, type());
  optimizer_ = std::move(o);
  for (size_t i = 0; i < groups(); ++i) set_lr(i, optimizer_->groups()[i].initial_lr.value_or(lr(i)));
  undo();  // the first steps of all, of which only that of the first counts
  last_epoch_ = 0;
  schedules[0]->step();
  last_lr_ = schedules[0]->last_lr();
}
void SequentialLR::undo() {
  --last_epoch_;
  for (auto& s : schedules) s->undo();
}
void SequentialLR::step() {
  optimizer();
  ++last_epoch_;
  auto& at = spec.milestones;
  size_t i = size_t(std::upper_bound(at.begin(), at.end(), double(last_epoch_)) - at.begin());
  if (i > 0 && at[i - 1] == double(last_epoch_))
    schedules[i]->restart();
  else
    schedules[i]->step();
  last_lr_ = schedules[i]->last_lr();
}

void ChainedScheduler::attach(OptimizerRef o) {
  if (optimizer_) throw Error("ChainedScheduler has an optimizer already");
  attach_all(schedules, o, type());
  optimizer_ = std::move(o);
  last_epoch_ = 0;
  note_rates();
}
void ChainedScheduler::undo() {
  --last_epoch_;
  for (auto& s : schedules) s->undo();
}
void ChainedScheduler::step() {
  optimizer();
  ++last_epoch_;
  for (auto& s : schedules) s->step();
  note_rates();
}

}  // namespace luth::optim
