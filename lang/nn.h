// Modules in Lua: pushing and checking them, and classes written in Lua. Opened by nn.cpp.
#pragma once
#include <string>

#include "core/nn/module.h"
#include "lang/ref.h"
#include "lang/tensor.h"

namespace luth::lang {

/// A module whose class is written in Lua: `nn.class('Net')`. Containers, hooks and state dicts see a module like any
/// other. Its class may derive from one of C++: then `native` has the settings and the forward, and shares the parts.
class ScriptModule final : public nn::Module {
 public:
  ScriptModule(std::string name, LuaRef klass, LuaRef fields)
      : name_(std::move(name)), class_(std::move(klass)), fields_(std::move(fields)) {}
  std::string type() const override { return name_; }
  void describe(Fields& f) override;
  nn::Values forward(const nn::Values& in) override;
  nn::ModuleRef fresh() const override;
  std::string extra_repr() const override;
  bool positional() const override { return native_ && native_->positional(); }
  bool lazy() const override { return native_ && native_->lazy(); }
  void materialize_like(const nn::StateDict& own) override;
  void reset_parameters() override;

  const LuaRef& klass() const { return class_; }
  const LuaRef& fields() const { return fields_; }  // the plain fields: a table
  const nn::ModuleRef& native() const { return native_; }
  void set_native(nn::ModuleRef m);

 private:
  std::string name_;
  LuaRef class_, fields_;
  nn::ModuleRef native_;
};

/// Pushes a module; nil for null. One module is always the same Lua value, as long as Lua has it.
void push_module(lua_State* L, const nn::ModuleRef& m);
/// The module at `index`, or null for another value.
nn::Module* to_module(lua_State* L, int index);
/// Throws "expects a module, got …".
nn::ModuleRef check_module(lua_State* L, int index, const char* what = "expects");
/// The module of the method's first argument.
nn::Module& self_module(lua_State* L);

/// The arguments from `first` to the top as values: tensors, numbers, booleans, nil. Throws for others, with `what`
/// before the position.
nn::Values check_values(lua_State* L, int first, const char* what);
/// Pushes them and returns their number.
int push_values(lua_State* L, const nn::Values& values);
/// `module(...)`: what a call with the module at 1 and its arguments after it does.
int call_module(lua_State* L);

/// `a .. b`: a Sequential of both; one that `..` has made is spread.
int join_modules(lua_State* L);

// Parts of the opening of nn, each with nn.Module (the table of methods) at `methods`.
void open_module_class(lua_State* L, int nn);  // nn.Module, nn.class; leaves nn.Module on the stack
void open_module_methods(lua_State* L, int methods);
void open_module_state(lua_State* L, int methods);
void open_module_containers(lua_State* L, int nn, int methods);
/// Makes the class table of a C++ class and leaves it on the stack: `construct` gets the class table and the arguments.
void push_native_class(lua_State* L, const std::string& name, lua_CFunction construct, lua_CFunction init,
                       const void* data);
int module_index(lua_State* L);
int module_newindex(lua_State* L);

}  // namespace luth::lang
