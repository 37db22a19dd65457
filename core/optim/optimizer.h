// Optimizers: parameter groups with described settings, state per parameter, one pass over all parameters per step.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/module.h"

namespace luth::optim {

/// The settings of one group, erased.
class Settings {
 public:
  virtual ~Settings();
  virtual void describe(Fields& f) = 0;
  virtual std::unique_ptr<Settings> copy() const = 0;
  /// Throws for values that make no sense.
  virtual void check() const = 0;

  bool has(std::string_view name);
  /// Throw for an unknown name; `set` takes an alternative of the field's kind (a number also for a list of numbers).
  Attr get(std::string_view name);
  void set(std::string_view name, const Attr& value);
  double number(std::string_view name);
  std::vector<FieldDoc> fields();
};

struct Group {
  std::vector<Tensor> params;
  std::unique_ptr<Settings> settings;
  std::optional<double> initial_lr;  // of the schedule that attached first
  std::map<std::string, Attr> own;   // what the user keeps with the group: a name, a factor
};

/// What is kept for one parameter: "exp_avg" and the like, and how many steps it has taken.
struct ParameterState {
  int64_t step = 0;
  std::vector<nn::NamedTensor> tensors;
  std::vector<std::pair<std::string, double>> numbers;            // "mu_product"
  std::deque<std::pair<std::string, std::vector<Tensor>>> lists;  // "old_dirs"
  /// Null where there is none.
  Tensor* find(std::string_view name);
  double* find_number(std::string_view name);
  /// The one of that name, made when new.
  Tensor& tensor(std::string_view name);
  double& number(std::string_view name);
  std::vector<Tensor>& list(std::string_view name);

  /// Several numbers at once, `otherwise` where they are new.
  template <size_t n>
  std::vector<double> numbers_of(const std::array<const char*, n>& names, std::vector<double> otherwise) {
    for (size_t i = 0; i < n; ++i)
      if (double* v = find_number(names[i]))
        otherwise[i] = *v;
      else if (Tensor* t = find(names[i]))  // of a parameter without dims, as PyTorch keeps it
        otherwise[i] = t->item().value();
    return otherwise;
  }
  template <size_t n>
  void set_numbers(const std::array<const char*, n>& names, const std::vector<double>& values) {
    for (size_t i = 0; i < n; ++i) {
      std::erase_if(tensors, [&](auto& t) { return t.name == names[i]; });
      number(names[i]) = values[i];
    }
  }
};

/// A copy of all that a resumed run needs, apart from the parameters: their number in the groups names them.
struct OptimizerState {
  struct Group {
    std::vector<FieldDoc> settings;
    std::optional<double> initial_lr;
    std::vector<int64_t> params;  // places, from 0, counted over all groups
    std::map<std::string, Attr> own;
  };
  std::vector<Group> groups;
  std::map<int64_t, ParameterState> state;
};

class Optimizer : public Counted {
 public:
  explicit Optimizer(std::unique_ptr<Settings> defaults) : defaults_(std::move(defaults)) {}
  virtual ~Optimizer();
  /// "AdamW"
  virtual std::string type() const = 0;
  virtual const char* brief() const = 0;

  /// Adds a group with these settings (none: the defaults). Throws for no parameters, a result of an operator, a
  /// parameter of another group, or settings that make no sense.
  Group& add_group(std::vector<Tensor> params, std::unique_ptr<Settings> settings = nullptr);
  std::vector<Group>& groups() { return groups_; }
  Settings& defaults() { return *defaults_; }

  /// Computes the gradients anew and returns the loss.
  using Closure = std::function<double()>;
  /// One step with the present gradients; a parameter without gradient is left alone. Throws without groups.
  void step();
  /// The same with the gradients of `closure`, which records.
  virtual void step(const Closure& closure);
  /// Whether only step(closure) works.
  virtual bool needs_closure() const { return false; }
  /// Drops the gradients of all parameters, or fills them with zeros.
  void zero_grad(bool set_to_none = true);
  /// Null where the parameter has not been stepped.
  ParameterState* state_of(const Tensor& param);
  /// For the steps of optimizers: the state of a parameter, made when new, and a tensor of it, filled with `value`
  /// when new. Throws where it lies on another device than the parameter.
  ParameterState& state(const Tensor& param);
  static Tensor& buffer(ParameterState& s, const char* name, const Tensor& like, double value = 0);

  /// Shares tensors with the optimizer; loading copies, into the dtype and device of each parameter.
  OptimizerState state_dict();
  void load_state_dict(const OptimizerState& state);
  std::string repr();

 protected:
  /// Steps `params`, which all have gradients, of one device.
  virtual void step_group(Settings& settings, const std::vector<Tensor>& params) = 0;
  /// Throws for a parameter that this optimizer cannot step.
  virtual void check_parameter(const Tensor&) {}
  /// Whether each tensor of the state has the shape of its parameter. Otherwise load_state_dict takes any.
  virtual bool shaped_like_parameters() const { return true; }

 private:
  Tensor loaded(const Tensor& p, const std::string& name, const Tensor& value, int64_t place) const;
  struct ByAddress {
    bool operator()(const Ref<TensorImpl>& a, const Ref<TensorImpl>& b) const { return a.get() < b.get(); }
  };
  std::unique_ptr<Settings> defaults_;
  std::vector<Group> groups_;
  std::map<Ref<TensorImpl>, ParameterState, ByAddress> state_;
};
using OptimizerRef = Ref<Optimizer>;

/// A class of optimizers that can be made by name; without groups.
struct OptimizerClass {
  std::string name, brief;
  OptimizerRef (*make)();
};
const std::vector<const OptimizerClass*>& optimizer_classes();  // in order of name
const OptimizerClass* find_optimizer_class(std::string_view name);
void add_optimizer_class(const OptimizerClass* c);

template <class S>
class SettingsOf final : public Settings {
 public:
  explicit SettingsOf(S s = {}) : value(std::move(s)) {}
  S value;
  void describe(Fields& f) override { value.describe(f); }
  std::unique_ptr<Settings> copy() const override { return std::make_unique<SettingsOf>(value); }
  void check() const override { value.check(); }
};

/// The base of an optimizer whose settings are the struct S, which has `name`, `brief`, `describe` and `check`.
template <class S>
class OptimizerOf : public Optimizer {
 public:
  using Spec = S;
  explicit OptimizerOf(S defaults = {}) : Optimizer(std::make_unique<SettingsOf<S>>(std::move(defaults))) {}
  OptimizerOf(std::vector<Tensor> params, S settings) : OptimizerOf(std::move(settings)) {
    add_group(std::move(params));
  }
  std::string type() const override { return S::name; }
  const char* brief() const override { return S::brief; }
  S& settings(size_t group) { return static_cast<SettingsOf<S>&>(*groups()[group].settings).value; }

 protected:
  virtual void run(const S& settings, const std::vector<Tensor>& params) = 0;
  void step_group(Settings& s, const std::vector<Tensor>& params) final {
    run(static_cast<SettingsOf<S>&>(s).value, params);
  }
};
template <class O>
struct DefineOptimizer {
  DefineOptimizer() {
    static const OptimizerClass c{O::Spec::name, O::Spec::brief, [] { return OptimizerRef(new O()); }};
    add_optimizer_class(&c);
  }
};

/// `auto opt = optim::create<optim::SGD>(net->parameters(), {.lr = 0.1});`
template <class O>
Ref<O> create(std::vector<Tensor> params, typename O::Spec spec = {}) {
  return Ref<O>(new O(std::move(params), std::move(spec)));
}

}  // namespace luth::optim
