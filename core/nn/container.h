// Modules that hold modules: Sequential, ModuleList, ModuleDict, and ParameterList.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

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
class Sequential final : public ListModule {
 public:
  static constexpr const char* name = "Sequential";
  static constexpr const char* brief = "modules called one after the other";
  Sequential() = default;
  explicit Sequential(std::initializer_list<ModuleRef> children);
  std::string type() const override { return name; }
  Values forward(const Values& in) override { return forward_named(in, {}); }
  /// The first child gets the arguments by name.
  Values forward_named(const Values& in, const Named& named) override;
  ModuleRef fresh() const override { return ModuleRef(new Sequential); }
  bool joined = false;  // made by the language's `..`, which spreads it when more is joined
};

class ModuleList final : public ListModule {
 public:
  static constexpr const char* name = "ModuleList";
  static constexpr const char* brief = "a list of modules";
  std::string type() const override { return name; }
  Values forward(const Values& in) override;  // throws: a list has no forward
  ModuleRef fresh() const override { return ModuleRef(new ModuleList); }
  /// Equal neighbours on one line: "(1-3): 3 x ReLU()".
  void print(std::string& out, int indent) const override;
};

class ModuleDict final : public Module {
 public:
  static constexpr const char* name = "ModuleDict";
  static constexpr const char* brief = "modules by name";
  std::string type() const override { return name; }
  Values forward(const Values& in) override;  // throws
  ModuleRef fresh() const override { return ModuleRef(new ModuleDict); }
};

/// Parameters named "1", "2", …
class ParameterList final : public Module {
 public:
  static constexpr const char* name = "ParameterList";
  static constexpr const char* brief = "a list of parameters";
  std::string type() const override { return name; }
  bool positional() const override { return true; }
  Values forward(const Values& in) override;  // throws
  ModuleRef fresh() const override { return ModuleRef(new ParameterList); }
  void append(const Tensor& t);
  /// 0-based.
  void erase(size_t at);
  std::string extra_repr() const override;
};

/// Parameters by name.
class ParameterDict final : public Module {
 public:
  static constexpr const char* name = "ParameterDict";
  static constexpr const char* brief = "parameters by name";
  std::string type() const override { return name; }
  Values forward(const Values& in) override;  // throws
  ModuleRef fresh() const override { return ModuleRef(new ParameterDict); }
  void set(const std::string& key, const Tensor& t);
  std::string extra_repr() const override;
};

/// `nn::sequential({a, b, c})`
inline Ref<Sequential> sequential(std::initializer_list<ModuleRef> children) {
  return Ref<Sequential>(new Sequential(children));
}

}  // namespace luth::nn
