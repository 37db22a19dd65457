// Modules that hold modules: Sequential, ModuleList, ModuleDict, and ParameterList.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// The base of containers: Self has `name`, `brief`, and is made without settings.
template <class Self, class Base = Module>
class Container : public Base {
 public:
  using Base::Base;
  std::string type() const override { return Self::name; }
  ModuleRef fresh() const override { return ModuleRef(new Self); }
};

/// Children in a list, named "1", "2", … (Sequential's may have names too).
class ListModule : public Module {
 public:
  bool positional() const override { return true; }
  size_t size() const { return parts_->children.size(); }
  /// 0-based.
  const ModuleRef& at(size_t i) const { return parts_->children[i].module; }
  void append(ModuleRef m);
  void insert(size_t at, ModuleRef m);
  void replace(size_t at, ModuleRef m);
  void erase(size_t at);

 private:
  void renumber();
};

/// Calls its children one after the other: the results of one are the arguments of the next.
class Sequential final : public Container<Sequential, ListModule> {
 public:
  static constexpr const char* name = "Sequential";
  static constexpr const char* brief = "modules called one after the other";
  Sequential() = default;
  explicit Sequential(std::initializer_list<ModuleRef> children);
  Values forward(const Values& in) override { return forward_named(in, {}); }
  /// The first child gets the arguments by name.
  Values forward_named(const Values& in, const Named& named) override;
  bool joined = false;  // made by the language's `..`, which spreads it when more is joined
};

class ModuleList final : public Container<ModuleList, ListModule> {
 public:
  static constexpr const char* name = "ModuleList";
  static constexpr const char* brief = "a list of modules";
  Values forward(const Values& in) override;  // throws: a list has no forward
  /// Equal neighbours on one line: "(1-3): 3 x ReLU()".
  void print(std::string& out, int indent) const override;
};

class ModuleDict final : public Container<ModuleDict> {
 public:
  static constexpr const char* name = "ModuleDict";
  static constexpr const char* brief = "modules by name";
  Values forward(const Values& in) override;  // throws
};

/// Parameters named "1", "2", …
class ParameterList final : public Container<ParameterList> {
 public:
  static constexpr const char* name = "ParameterList";
  static constexpr const char* brief = "a list of parameters";
  bool positional() const override { return true; }
  Values forward(const Values& in) override;  // throws
  void append(const Tensor& t);
  /// 0-based.
  void erase(size_t at);
  std::string extra_repr() const override;
};

/// Parameters by name.
class ParameterDict final : public Container<ParameterDict> {
 public:
  static constexpr const char* name = "ParameterDict";
  static constexpr const char* brief = "parameters by name";
  Values forward(const Values& in) override;  // throws
  void set(const std::string& key, const Tensor& t);
  std::string extra_repr() const override;
};

/// `nn::sequential({a, b, c})`
inline Ref<Sequential> sequential(std::initializer_list<ModuleRef> children) {
  return Ref<Sequential>(new Sequential(children));
}

}  // namespace luth::nn
