// A module around one operator, from which it has settings, help, checks and call:
// `using LeakyReLU = OperatorModule<ops::LeakyRelu, "LeakyReLU", Beside{.inplace = Inplace::printed_if_set}>;`
//
// The settings are the operator's attributes, all by position, but for two: `training` is the module's mode, and
// `dtype` stays at its default. A module of several inputs (a loss) prints none of them, as in PyTorch. `Beside` says
// what differs.
#pragma once
#include <string_view>

#include "core/nn/module.h"
#include "core/op/define.h"

namespace luth::nn {

/// A short text as argument of a template.
struct Text {
  char chars[80]{};
  consteval Text(const char* s = "") {
    for (int i = 0; s[i]; ++i) chars[i] = s[i];
  }
  constexpr bool empty() const { return !chars[0]; }
  constexpr operator std::string_view() const { return chars; }
};

/// Whether the module has the setting `inplace`, and when it prints it.
enum class Inplace { absent, unprinted, printed_if_set, printed };

/// What PyTorch's module has beside the operator's attributes.
struct Beside {
  Inplace inplace = Inplace::absent;
  /// Help for the operator's first optional inputs, which are settings, and buffers of the built module. The first of
  /// them comes by position, and then all other settings by name.
  Text buffers[2]{};
  /// The settings in another order, all by position, with `base` where the operator has it; those that are not named
  /// stay at their defaults.
  Text order{};
  /// The settings that are printed, where not all are ("none": none is), or where a module of several inputs prints
  /// some.
  Text prints{};
  /// Of these: without their names, where they are given, as tuples.
  Text bare{}, if_set{}, tuple{};
  constexpr size_t count() const { return size_t(!buffers[0].empty()) + size_t(!buffers[1].empty()); }
};

/// The integers of a list. Throws for another argument, which `name` names.
Ints integers_of(const Argument& list, const char* name);

/// OperatorModule without its types.
class AroundOperator : public Module {
 public:
  std::string type() const override { return class_.name; }
  void describe(Fields& f) override;
  void build() override;
  std::vector<std::string> argument_names() const override;

  bool inplace = false;  // write the result into the first input

 protected:
  struct Class {
    const char* name;
    const OpInfo& op;
    const Beside& beside;
    size_t inputs;  // that a call must give; the buffers come after them
  };
  /// `op` is the operator's struct, in the class that derives from this one.
  AroundOperator(const Class& c, void* op) : class_(c), op_(op), tensors_(c.beside.count()) {}
  static size_t required_inputs(const OpInfo& op);
  Values apply_to(const Values& in, bool write);

 private:
  void describe_buffer(Fields& f, size_t i);
  void describe_all(Fields& f);

  const Class& class_;
  void* op_;
  std::vector<Tensor> tensors_;  // settings that the built module has as buffers
};

template <class Op, Text class_name, Beside beside = {}>
class OperatorModule : public AroundOperator {
 public:
  using Spec = Op;
  static constexpr const char* name = class_name.chars;
  static constexpr std::string_view brief = Op::doc.brief;
  OperatorModule() : AroundOperator(own_class(), &spec) {}
  explicit OperatorModule(Op op) : AroundOperator(own_class(), &spec), spec(std::move(op)) {}
  Op spec{};

  void build() override {
    if constexpr (requires { spec.check(); }) spec.check();
    AroundOperator::build();
  }
  ModuleRef fresh() const override {
    auto* m = new OperatorModule(spec);
    m->inplace = inplace;
    return ModuleRef(m);
  }
  Values forward(const Values& in) override {
    if constexpr (requires { spec.training; }) spec.training = training();
    bool write = inplace;
    if constexpr (requires { spec.identity(); }) write = inplace && !spec.identity();
    return apply_to(in, write);
  }

 private:
  static const Class& own_class() {
    static constexpr Beside own = beside;
    static const Class c{name, info<Op>(), own, required_inputs(info<Op>())};
    return c;
  }
};

}  // namespace luth::nn
