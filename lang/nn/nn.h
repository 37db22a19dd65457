// Modules in Lua: pushing and checking them, and classes written in Lua. Opened by nn.cpp.
#pragma once
#include <string>

#include "core/nn/module_settings.h"
#include "core/nn/packed.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// A module whose class is written in Lua: `nn.class('Net')`. Containers, hooks and state dicts treat it like any other
/// module. Its class may derive from a C++ class: then `native` has the settings and the forward, and shares the parts.
/// The metatable of its userdata keeps its class, and the userdata its fields. So a new one must be pushed at once.
class ScriptModule final : public nn::Module {
 public:
  ScriptModule(std::string name, WeakRef klass) : name_(std::move(name)), class_(std::move(klass)) {}
  std::string type() const override { return name_; }
  void describe(Fields& f) override;
  nn::Values forward(const nn::Values& in) override { return forward_named(in, {}); }
  nn::Values forward_named(const nn::Values& in, const nn::Named& named) override;
  bool has_extra_state() const override;
  nn::Argument extra_state() const override;
  void set_extra_state(const nn::Argument& state) override;
  nn::ModuleRef fresh() const override;
  std::string extra_repr() const override;
  bool positional() const override { return native_ && native_->positional(); }
  bool lazy() const override { return native_ && native_->lazy(); }
  void materialize_like(const nn::StateDict& own) override;
  void reset_parameters() override;

  const WeakRef& klass() const { return class_; }
  const nn::ModuleRef& native() const { return native_; }
  void set_native(nn::ModuleRef m);
  bool pushed = false;  // has its only userdata: a second one would lack the fields

 private:
  std::string name_;
  WeakRef class_;
  nn::ModuleRef native_;
};

/// The user values of a module's userdata: tables, or nil while they are empty.
enum ModuleValue : int {
  module_fields = 1,  // plain fields by key
  module_children,    // the userdata of the children, in their order
  module_hooks,       // functions by the id of the hook
  module_values = module_hooks
};

/// Pushes a module, nil for null. A module has one userdata at a time, and while it has it, all its descendants have
/// theirs.
void push_module(lua_State* L, const nn::ModuleRef& m);
/// Pushes the table of all modules that have userdata: address -> userdata, weak.
void push_module_cache(lua_State* L);
/// Pushes the table of C++ classes: name -> class table.
void push_module_classes(lua_State* L);
/// Pushes the table of the classes that nn.class has made, by name; of several of one name it has the last.
void push_named_classes(lua_State* L);
/// Pushes the class table of a module: that of its Lua class, of its C++ class, or nn.Module.
void push_class_of(lua_State* L, const nn::Module& m);
/// Updates module_children of the module at `index`. Call after its children from number `from` (0-based) on changed.
void update_children(lua_State* L, int index, size_t from = 0);
/// Pushes a user value of the module at `index`. If it is nil: makes it with `create`, else returns false and pushes
/// nothing.
bool push_values_of(lua_State* L, int index, ModuleValue which, bool create);
/// The module at `index`, or null for another value.
nn::Module* to_module(lua_State* L, int index);
/// Throws "expects a module, got …".
nn::ModuleRef check_module(lua_State* L, int index, const char* what = "expects");
/// The module of the method's first argument.
nn::Module& self_module(lua_State* L);

/// The value at `index`: tensors, numbers, booleans, nil; a sequence of such values as a list; all else as a value of
/// the language.
nn::Argument to_argument(lua_State* L, int index);
/// The M that `m` is or, if its class is written in Lua, derives from; null for another module.
template <class M>
M* native_as(nn::Module* m) {
  if (auto* script = dynamic_cast<ScriptModule*>(m)) m = script->native().get();
  return dynamic_cast<M*>(m);
}
/// The 0-based place of the position at `index` in a list of n, where a negative one counts from the end. Throws for
/// one outside.
size_t check_position(lua_State* L, int index, size_t n, const nn::Module& m);

/// The arguments from `first` to the top. If `named` is given, it gets those of a last table with string keys.
nn::Values check_values(lua_State* L, int first, nn::Named* named = nullptr);
/// Pushes the values one by one, lists as tables. Returns their number.
int push_values(lua_State* L, const nn::Values& values);
void push_packed(lua_State* L, const nn::PackedRef& p);
/// Null for another value.
nn::PackedRef to_packed(lua_State* L, int index);
/// Pushes a table of the arguments by name.
void push_named(lua_State* L, const nn::Named& named);
/// Takes settings that are modules out of the arguments of a constructor from `first` on, and inserts them there, so
/// that they live until the new module has them; returns how many. Throws for a value that is no module.
int take_module_settings(lua_State* L, int first, const std::string& function, nn::TakesModules& m);
/// The class of modules that call a function, their field `f`.
inline constexpr const char* function_class = "FunctionModule";
void push_function_class(lua_State* L);
/// Shows all settings to a reader that sets none: the described ones and those that are modules.
void describe_all_settings(nn::Module& m, Fields& f);
/// Help on the arguments of a call, if m describes them.
std::string call_help(nn::Module& m);
/// Copies what Lua keeps for `from` and the modules below it, fields and hooks, to its clone; pushes the clone.
void push_clone(lua_State* L, const nn::ModuleRef& from, const nn::ModuleRef& clone);
/// nn.class(name, base?)
int make_class(lua_State* L);
/// `module(...)`: calls the module at 1 with the arguments above it.
int call_module(lua_State* L);

/// The options of the state_dict or load_state_dict that a script has called and that runs: hooks get them.
struct StateOptions {
  bool strict = true, keep_vars = false;
};
inline thread_local StateOptions state_options;

/// Pushes a state dict: a table whose pairs() keeps the order. `apart`: tensors share memory with the module and are
/// others, without a graph.
void push_state_dict(lua_State* L, const nn::StateDict& dict, bool apart = true);
/// The table at `index` as a state dict.
nn::StateDict read_state_dict(lua_State* L, int index);

/// `a .. b`: a Sequential of both. One that `..` has made is flattened.
int join_modules(lua_State* L);

// The parts of nn. `methods` is nn.Module, the table of methods.
void open_module_class(lua_State* L, int nn);  // nn.Module, nn.class; leaves nn.Module on the stack
void open_module_methods(lua_State* L, int nn, int methods);
void open_module_hooks(lua_State* L, int nn, int methods);
void open_module_state(lua_State* L, int methods);
void open_init(lua_State* L, int nn);  // nn.init
/// Makes the class table of a container and pushes it. Pushes nothing and returns false for another name.
bool push_container_class(lua_State* L, std::string_view name);
std::vector<std::string> container_names();
/// The names of their methods.
std::vector<std::string> container_methods();
/// The functions and methods that a C++ class has beside those of all modules.
std::span<const Row> functions_of_class(std::string_view name);
/// Adds `rnn` to the table nn.utils.
void open_rnn_utils(lua_State* L, int utils);
/// Makes the class table of a C++ class and leaves it on the stack. `construct` gets the class table and the arguments.
void push_native_class(lua_State* L, const std::string& name, lua_CFunction construct, lua_CFunction init,
                       const void* data);
int module_index(lua_State* L);
int module_newindex(lua_State* L);

}  // namespace luth::lang
