// Optimizers whose step is an update rule of core/ops/nn/rules.h: one operator call steps all parameters of a group
// that stand at the same point of their run, usually all.
#pragma once
#include <tuple>

#include "core/ops/nn/rules.h"
#include "core/optim/optimizer.h"
#include "core/optim/tensor_lists.h"

namespace luth::optim {

/// The rule of settings that are no rule themselves (AdamW's: rule()), or the settings.
template <class S>
auto rule_of(const S& settings) {
  if constexpr (requires { settings.rule(); })
    return settings.rule();
  else
    return settings;
}

/// State: the tensors that the rule's state() names, the numbers of number_names, and step where the rule counts.
template <class S>
class RuleOptimizer : public OptimizerOf<S> {
 public:
  using OptimizerOf<S>::OptimizerOf;

 protected:
  using Rule = decltype(rule_of(std::declval<const S&>()));
  static constexpr bool counts = !requires { Rule::counts; };

  void run(const S& settings, const std::vector<Tensor>& params) override {
    ops::Step<Rule> op{rule_of(settings), {}};
    const std::vector<const char*> names = op.state();
    std::map<std::tuple<int64_t, bool, std::vector<double>>, MultiTensor> lists;
    for (auto& p : params) {
      const ops::StepMoment at = advance(op, p, names);
      MultiTensor& list = lists[{at.step, at.first, at.numbers}];
      list.head(p);
      list.add(p.grad(), false);
      for (size_t k = 0; k < names.size(); ++k) list.add(tensor(op, p, names, k), true);
    }
    for (auto& [at, list] : lists) {
      std::tie(op.moment.step, op.moment.first, op.moment.numbers) = at;
      list.run(info<ops::Step<Rule>>(), &op);
    }
  }

 private:
  // Where the parameter is; its step and numbers go on.
  ops::StepMoment advance(const Rule& rule, const Tensor& p, const std::vector<const char*>& names) {
    ops::StepMoment at;
    if (!counts && names.empty()) return at;  // keeps nothing
    ParameterState& s = this->state(p);
    at.first = !names.empty() && !s.find(names[0]);
    if (counts) at.step = ++s.step;
    if constexpr (requires { Rule::number_names; }) {
      at.numbers = s.numbers_of(Rule::number_names, rule.first_numbers());
      s.set_numbers(Rule::number_names, rule.next_numbers(at));
    }
    return at;
  }
  Tensor tensor(const Rule& rule, const Tensor& p, const std::vector<const char*>& names, size_t k) {
    double value = 0;
    if constexpr (requires { rule.first_value(k); }) value = rule.first_value(k);
    return this->buffer(this->state(p), names[k], p, value);
  }
};

}  // namespace luth::optim
