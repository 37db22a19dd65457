// Optimizers whose step is an update rule of core/ops/nn/rules.h: one operator call steps all parameters of a group
// that stand at the same point of their run, usually all.
#pragma once
#include <algorithm>

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
    const ops::StateNames names = op.state();
    const bool keeps = counts || !names.empty();
    std::vector<std::pair<ops::StepMoment, MultiTensor>> lists;
    for (auto& p : params) {
      ParameterState* s = keeps ? &this->state(p) : nullptr;
      const ops::StepMoment at = s ? advance(op, *s, names) : ops::StepMoment();
      auto it = std::find_if(lists.begin(), lists.end(), [&](auto& list) { return list.first == at; });
      MultiTensor& list = it != lists.end() ? it->second : lists.emplace_back(at, MultiTensor()).second;
      list.head(p);
      list.add(p.grad(), false);
      for (size_t k = 0; k < names.size(); ++k) list.add(this->buffer(*s, names[k], p, first_value(op, k)), true);
    }
    for (auto& [at, list] : lists) {
      op.moment = at;
      list.run(info<ops::Step<Rule>>(), &op);
    }
  }

 private:
  // Where the parameter is; its step and numbers go on.
  static ops::StepMoment advance(const Rule& rule, ParameterState& s, const ops::StateNames& names) {
    ops::StepMoment at;
    at.first = !names.empty() && !s.find(names[0]);
    if (counts) at.step = ++s.step;
    if constexpr (requires { Rule::number_names; }) {
      at.numbers = s.numbers_of(Rule::number_names, rule.first_numbers());
      s.set_numbers(Rule::number_names, rule.next_numbers(at));
    }
    return at;
  }
  // Of the elements of state tensor k.
  static double first_value(const Rule& rule, size_t k) {
    if constexpr (requires { rule.first_value(k); }) return rule.first_value(k);
    return 0;
  }
};

}  // namespace luth::optim
