// The step of an optimizer as an operator: one pass over all tensors of a list. An update rule (core/ops/nn/rules.h) is
// a struct with the settings of the optimizer and a function of one element; Step<Rule> is its operator, whose kernels
// each device compiles from that function. core/optim calls it, scripts do not.
#pragma once
#include <array>
#include <cmath>
#include <optional>

#include "core/op/define.h"

namespace luth::ops {

inline constexpr const char* step_help = "one step of an optimizer over all parameters, in place";

/// Where in its run a parameter is. `numbers` are those that its rule keeps, as they were before this step.
struct StepMoment {
  int64_t step = 1;    // number of this step, from 1
  bool first = false;  // the state is new
  std::vector<double> numbers;
  bool operator==(const StepMoment&) const = default;
};

/// The names of a rule's state tensors: few, so no memory of their own.
class StateNames {
 public:
  constexpr StateNames(std::initializer_list<const char*> names) {
    for (const char* name : names) names_[size_++] = name;
  }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const char* operator[](size_t i) const { return names_[i]; }
  constexpr void push_back(const char* name) { names_[size_++] = name; }

 private:
  std::array<const char*, 4> names_{};
  size_t size_ = 0;
};

/// Settings of PyTorch's optimizers that choose between its implementations. luth has one; they are kept and have no
/// effect, but `differentiable`, which is refused.
struct StepFlags {
  std::optional<bool> foreach, fused;
  bool maximize = false, capturable = false, differentiable = false;

  /// `positional`: whether foreach may be given by position.
  void foreach_field(auto& field, bool positional = false) {
    field("foreach", foreach, "no effect: luth steps all tensors at once", positional ? as::plain : as::named);
  }
  void fused_field(auto& field) { field("fused", fused, "no effect: the step is one kernel", as::named); }
  void maximize_field(auto& field, unsigned mark = as::named) {
    field("maximize", maximize, "ascend instead of descend", mark);
  }
  void capturable_field(auto& field, unsigned mark = as::named) {
    field("capturable", capturable, "no effect: steps never wait for the device", mark);
  }
  void differentiable_field(auto& field, unsigned mark = as::named) {
    field("differentiable", differentiable, "must be false: steps are not recorded", mark);
  }
  void check() const {
    if (differentiable)
      throw Error(
          "differentiable = true is not in luth: a step changes its parameters in place and records nothing; compute "
          "the update with operators instead");
  }
  template <class C>
  C sign() const {
    return maximize ? C(-1) : C(1);
  }
};

/// Throws "lr must be at least 0, got -1" unless v ≥ 0 (and v < below).
inline void check_setting(const char* name, double v, double below = INFINITY) {
  if (!(v >= 0)) throw Error("{} must be at least 0, got {}", name, v);
  if (!(v < below) && below != INFINITY) throw Error("{} must be below {}, got {}", name, below, v);
}
inline void check_betas(const std::pair<double, double>& betas) {
  check_setting("the first of betas", betas.first, 1);
  check_setting("the second of betas", betas.second, 1);
}

/// Throws unless `in` is groups of n tensors of one floating dtype and one dense layout.
void check_groups(const Inputs& in, size_t n);

/// tensors = {param, grad, state…} for each parameter in turn, all of its dtype and in its dense layout. A rule has
///   name, brief            the optimizer, what it is
///   doc                    the operator
///   least, most            how many tensors a parameter has
///   variants()             settings for the operator's samples
///   state()                the names of its state tensors, of which there are most - 2 or fewer
///   Update<C>              a function of the elements v[0 … n - 1] in the type C, which changes all but v[1]
template <class Rule>
struct Step : Rule {
  static constexpr Traits traits{
      .not_differentiable = "it updates parameters in place", .internal = true, .kernel_required = true};
  StepMoment moment;
  void describe(auto& field) {
    Rule::describe(field);
    field("step", moment.step, "number of this step, from 1");
    field("first", moment.first, "the state is new");
    field("numbers", moment.numbers, "the numbers that the rule keeps, before this step");
  }
  Specs infer(const Inputs& in) const { return check_groups(in, tensors()), Specs{}; }
  /// How many tensors a parameter has with these settings.
  size_t tensors() const { return 2 + this->state().size(); }
  /// Calls f(v) with an array v of as many elements, for which Update is compiled.
  template <class F>
  void with_tensors(F&& f) const {
    with_count<Rule::least>(f);
  }
  static Cases<Step> samples();

 private:
  template <int n>
  void with_count(auto& f) const {
    if constexpr (n < Rule::most)
      if (tensors() != size_t(n)) return with_count<n + 1>(f);
    f(std::integral_constant<int, n>());
  }
};

template <class Rule>
Cases<Step<Rule>> Step<Rule>::samples() {
  Cases<Step> all;
  for (Rule& rule : Rule::variants())
    for (bool first : {true, false}) {
      Case<Step> c{};
      static_cast<Rule&>(c.op) = rule;
      c.op.moment = {first ? 1 : 7, first, {}};
      if constexpr (requires { Rule::number_names; }) c.op.moment.numbers = rule.first_numbers();
      for (const Shape& shape : {Shape{3, 2}, Shape{5}}) c.shapes.insert(c.shapes.end(), c.op.tensors(), shape);
      c.lo = 0.1;
      c.hi = 1;
      all.push_back(c);
    }
  return all;
}

}  // namespace luth::ops
