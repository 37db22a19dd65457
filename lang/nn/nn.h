// Modules in Lua: pushing and checking them, and classes written in Lua. Opened by nn.cpp.
#pragma once
#include <string>

#include "core/nn/module.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// A module whose class is written in Lua: `nn.class('Net')`. Containers, hooks and state dicts see a module like any
/// other. Its class may derive from one of C++: then `native` has the settings and the forward, and shares the parts.
/// Its class hangs on its userdata's metatable, its fields on the userdata: push one that is new at once.
class ScriptModule final : public nn::Module {
 public:
  ScriptModule(std::string name, WeakRef klass) : name_(std::move(name)), class_(std::move(klass)) {}
  std::string type() const override { return name_; }
  void describe(Fields& f) override;
  nn::Values forward(const nn::Values& in) override;
  nn::ModuleRef fresh() const override;
  std::string extra_repr() const override;
  bool positional() const override { return native_ && native_->positional(); }
  bool lazy() const override { return native_ && native_->lazy(); }
  void materialize_like(const nn::StateDict& own) override;
  void reset_parameters() override;

  const WeakRef& klass() const { return class_; }
  const nn::ModuleRef& native() const { return native_; }
  void set_native(nn::ModuleRef m);
  bool pushed = false;  // has its userdata; never another one, without its fields

 private:
  std::string name_;
  WeakRef class_;
  nn::ModuleRef native_;
};

/// The user values of a module's userdata: tables, or nil while there is nothing in them.
enum ModuleValue : int {
  module_fields = 1,  // plain fields by key
  module_children,    // the userdata of the children, in their order: they keep what is theirs
  module_hooks,       // functions by the id of the hook
  module_values = module_hooks
};

/// Pushes a module; nil for null. One module is always the same Lua value, as long as Lua has it. Where there is a
/// userdata of a module, there are those of all modules below.
void push_module(lua_State* L, const nn::ModuleRef& m);
/// Pushes the table of all modules that Lua has: address -> userdata, weak.
void push_module_cache(lua_State* L);
/// Pushes the table of C++ classes: name -> class table.
void push_module_classes(lua_State* L);
/// Pushes the class table of a module: that of its Lua class, of its C++ class, or nn.Module.
void push_class_of(lua_State* L, const nn::Module& m);
/// Call after children of the module at `index` have changed, from number `from` (0-based) on.
void hold_children(lua_State* L, int index, size_t from = 0);
/// Pushes a table of the module at `index`; makes it where it is nil, or else pushes nothing and returns false.
bool push_values_of(lua_State* L, int index, ModuleValue which, bool create);
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
void open_module_hooks(lua_State* L, int methods);
void open_module_state(lua_State* L, int methods);
void open_module_containers(lua_State* L, int nn, int methods);
/// Makes the class table of a C++ class and leaves it on the stack: `construct` gets the class table and the arguments.
void push_native_class(lua_State* L, const std::string& name, lua_CFunction construct, lua_CFunction init,
                       const void* data);
int module_index(lua_State* L);
int module_newindex(lua_State* L);

}  // namespace luth::lang
