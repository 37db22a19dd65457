// Opens `nn`: the classes of C++ by their descriptions, containers, nn.Parameter, nn.init, nn.utils, nn.functional.
#include "lang/nn/nn.h"

#include <algorithm>
#include <mutex>

#include "core/nn/linear.h"
#include "core/nn/transformer.h"
#include "core/optim/clip.h"
#include "core/tensor/uninitialised.h"
#include "lang/binding/bind.h"
#include "lang/hints/hints.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// Upvalue 1: the ModuleClass. Arguments from 2 on. May leave values on the stack.
nn::ModuleRef make_native(lua_State* L) {
  auto* c = static_cast<const nn::ModuleClass*>(lua_touserdata(L, lua_upvalueindex(1)));
  nn::ModuleRef m = c->make();
  const std::string name = "nn." + std::string(c->name);
  try {
    auto* takes = dynamic_cast<nn::TakesModules*>(m.get());
    const int modules = takes ? take_module_settings(L, 2, name, *takes) : 0;
    if (!dynamic_cast<nn::Identity*>(m.get()))  // which takes any arguments and needs none
      read_settings(L, 2 + modules, name, [&](Fields& f) { m->describe(f); });
    std::vector<std::pair<nn::ModuleRef, bool (*)(std::string_view)>> copied;
    if (takes)
      for (auto& s : takes->module_settings())
        if (s.copied && *s.value) copied.emplace_back(*s.value, s.copied);
    m->build();
    for (auto& [from, is_copy] : copied)
      for (auto& below : m->named_modules())
        if (is_copy(below.name)) push_clone(L, from, below.module);
  } catch (Error& e) {
    if (!e.has_context() && !std::string_view(e.what()).starts_with(name)) e.add_context(name + ": ");
    throw;
  }
  return m;
}
int construct(lua_State* L) { return push_module(L, make_native(L)), 1; }
// Linear.init(self, …) of a Lua class that derives from it.
int init(lua_State* L) {
  auto* self = dynamic_cast<ScriptModule*>(&self_module(L));
  if (!self) throw Error("init is for classes made by nn.class");
  self->set_native(make_native(L));
  update_children(L, 1);
  return 0;
}

int parameter(lua_State* L) {
  const Tensor& t = check_tensor(L, 1, "nn.Parameter: argument 'data' expects");
  return push_tensor(L, nn::as_parameter(t, truth_at(L, 2, "nn.Parameter", "requires_grad"))), 1;
}

// ---- nn.utils -----------------------------------------------------------------------------------------------------

// Parameters as a table, one tensor, or a module.
std::vector<Tensor> tensors_at(lua_State* L, int index, const char* function) {
  if (nn::Module* m = to_module(L, index)) return m->parameters();
  Tensors list = check_tensors(L, index, (std::string(function) + ": argument 'parameters' expects").c_str());
  return {list.begin(), list.end()};
}

int clip_norm(lua_State* L) {
  constexpr const char* name = "nn.utils.clip_grad_norm_";
  double max_norm = 0, norm_type = 2;
  bool error_if_nonfinite = false;
  std::optional<bool> foreach;
  auto params = tensors_at(L, 1, name);
  read_settings(L, 2, name, [&](Fields& f) {
    f("max_norm", max_norm, "the largest norm", as::required);
    f("norm_type", norm_type, "p of the norm");
    f("error_if_nonfinite", error_if_nonfinite, "an error for a norm that is nan or infinite");
    f("foreach", foreach, "not used: it is how PyTorch is to do it");
  });
  return push_tensor(L, optim::clip_grad_norm(params, max_norm, norm_type, error_if_nonfinite)), 1;
}
int clip_value(lua_State* L) {
  constexpr const char* name = "nn.utils.clip_grad_value_";
  double value = 0;
  auto params = tensors_at(L, 1, name);
  std::optional<bool> foreach;
  read_settings(L, 2, name, [&](Fields& f) {
    f("clip_value", value, "the largest absolute value", as::required);
    f("foreach", foreach, "not used: it is how PyTorch is to do it");
  });
  return optim::clip_grad_value(params, value), 0;
}
constexpr Row utils_rows[] = {
    {"clip_grad_norm_", guarded<clip_norm>, "nn.utils.clip_grad_norm_(parameters, max_norm, {norm_type = 2})",
     "Scales all gradients by one factor so that their total norm is at most max_norm. Returns the norm before."},
    {"clip_grad_value_", guarded<clip_value>, "nn.utils.clip_grad_value_(parameters, clip_value)",
     "Clips each element of the gradients to [-clip_value, clip_value]."},
};

// True for what a lazy module has until its first input.
int is_lazy(lua_State* L) {
  const Tensor* t = to_tensor(L, 1);
  return lua_pushboolean(L, t && *t && is_uninitialised(*t)), 1;
}
constexpr Row parameter_rows[] = {
    {"is_lazy", guarded<is_lazy>, "nn.parameter.is_lazy(parameter)",
     "Whether it is a parameter or buffer of a lazy module that has no shape yet."},
};

std::string class_help(const void* of) {
  auto* c = static_cast<const nn::ModuleClass*>(of);
  nn::ModuleRef m = c->make();
  return settings_help("nn." + std::string(c->name), std::string(c->brief),
                       [&](Fields& f) { describe_all_settings(*m, f); }) +
         call_help(*m);
}

std::vector<std::string> class_names() {
  std::vector<std::string> list;
  for (auto* c : nn::module_classes())
    if (c->name.find('.') == c->name.npos) list.emplace_back(c->name);  // others are of libraries: nn.mine.Scale
  for (auto& name : container_names()) list.push_back(name);
  return list;
}

// The classes of C++ in the table of all classes, and in nn.
class MadeClasses final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    if (push_container_class(L, name)) return true;
    const nn::ModuleClass* c = nn::find_module_class(name);
    if (!c) return false;
    push_native_class(L, std::string(name), guarded<construct>, guarded<init>, c);
    document(L, -1, class_help, c);
    add_functions(L, -1, functions_of_class(name));
    return true;
  }
  std::vector<std::string> names() const override { return class_names(); }
};
class ClassesOfNn final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    const auto containers = container_names();
    if (!nn::find_module_class(name) && std::find(containers.begin(), containers.end(), name) == containers.end())
      return false;
    push_module_classes(L);
    lua_getfield(L, -1, std::string(name).c_str());
    lua_remove(L, -2);
    return true;
  }
  std::vector<std::string> names() const override { return class_names(); }
};

void set_class_names(lua_State* L, int nn) {
  static const MadeClasses made;
  static const ClassesOfNn classes;
  push_module_classes(L);
  add_late_names(L, -1, made);
  lua_pop(L, 1);
  add_late_names(L, nn, classes);
}

constexpr Row losses_rows[] = {
    {"triplet_margin_with_distance_loss", nullptr,
     "F.triplet_margin_with_distance_loss(anchor, positive, negative, {distance_function = nil, margin = 1.0, swap = "
     "false, reduction = 'mean'})",
     "Like triplet_margin_loss, with the distance function of your choice, a function of two tensors. The default is "
     "F.pairwise_distance."},
};

constexpr Row linear_losses_rows[] = {
    {"linear_cross_entropy", nullptr,
     "F.linear_cross_entropy(input, linear_weight, target, {linear_bias = nil, weight = nil, reduction = 'mean', "
     "ignore_index = nil, label_smoothing = 0.0})",
     "The cross entropy of F.linear(input, linear_weight, linear_bias) and target. linear_weight has shape [C, "
     "in_features], or [C, d1, …, in_features] for a target [N, d1, …]."},
};

// Hints look for a misspelt method among those of nn.Module and of the containers.
void note_methods(lua_State* L, int methods) {
  static std::once_flag once;  // interpreters of other threads have the same
  std::call_once(once, [&] {
    auto& names = module_methods();
    names = container_methods();
    for (lua_pushnil(L); lua_next(L, methods); lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING && lua_isfunction(L, -1)) names.emplace_back(lua_tostring(L, -2));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  });
}

// nn.functional, also known as F: a table of its own, so that a script may add to it.
void open_functional(lua_State* L, int nn) {
  luaL_getsubtable(L, nn, "functional");
  set_functional_names(L, -1);
  add_library(L, -1, "luth.torch.losses", losses_rows);
  add_library(L, -1, "luth.torch.linear_cross_entropy", linear_losses_rows);
  lua_setglobal(L, "F");
}

// Errors in the forward of a module written in Lua do not pass Module::call, so their location is added here.
std::string module_location() {
  const std::string module = nn::Frame::where();
  return module.empty() ? "" : ", in module " + module;
}

void open_nn(lua_State* L) {
  set_error_location(module_location);
  lua_getglobal(L, "torch");
  int torch = lua_gettop(L);
  luaL_getsubtable(L, torch, "nn");
  int nn = lua_gettop(L);
  open_module_class(L, nn);
  int methods = lua_gettop(L);
  open_module_methods(L, nn, methods);
  open_module_state(L, methods);
  set_class_names(L, nn);
  note_methods(L, methods);
  lua_pushcfunction(L, guarded<parameter>);
  document(L, -1,
           "nn.Parameter(data, requires_grad = true)\nA parameter: a tensor that a module registers when it is "
           "assigned to a field.");
  lua_setfield(L, nn, "Parameter");
  lua_newtable(L);
  add_functions(L, -1, utils_rows);
  open_rnn_utils(L, lua_gettop(L));
  lua_setfield(L, nn, "utils");
  open_init(L, nn);
  lua_newtable(L);
  add_functions(L, -1, parameter_rows);
  lua_setfield(L, nn, "parameter");
  open_functional(L, nn);
  lua_pushvalue(L, nn);
  lua_setglobal(L, "nn");
}

const Open opener("nn", Open::modules, open_nn);

}  // namespace
}  // namespace luth::lang
