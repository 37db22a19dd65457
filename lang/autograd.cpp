// The Lua face of autograd: backward, grad, grad modes as scopes, hooks, nodes, gradcheck.
#include "core/autograd.h"

#include "core/gradcheck.h"
#include "lang/bridge.h"
#include "lang/scope.h"
#include "lang/tensor_class.h"
#include "lang/tensor_hooks.h"

namespace luth::lang {
namespace {

// ---- backward and grad ----

// A tensor or nil at `index` as a list of one; a list as it is, with torch.none for an absent one.
Tensors optional_tensors(lua_State* L, int index, const char* what) {
  if (is_none(L, index)) return {};
  if (to_tensor(L, index)) return {check_tensor(L, index, what)};
  if (!lua_istable(L, index)) throw Error("{} a list of tensors, got {}", what, given_text(L, index));
  Tensors list;
  index = lua_absindex(L, index);
  for (lua_Integer k = 1, n = luaL_len(L, index); k <= n; ++k) {
    lua_geti(L, index, k);
    list.push_back(is_none(L, lua_gettop(L)) ? Tensor() : check_tensor(L, lua_gettop(L), what));
    lua_pop(L, 1);
  }
  return list;
}

struct BackwardArguments {
  Tensors gradients, inputs;
  BackwardOptions options;
};

// (gradient, retain_graph, create_graph, {names}) from position 2 on; `gradient` is the name of the first.
BackwardArguments read_backward(lua_State* L, const char* function, const char* gradient) {
  BackwardArguments a;
  int n = lua_gettop(L);
  while (n > 1 && lua_isnil(L, n)) --n;
  int positions = n > 1 && is_named(L, n) ? n - 1 : n;
  Options o(L, positions < n ? n : 0, function);
  std::string what = fmt::format("{}: argument '{}' expects", function, gradient);
  bool given = false;
  if (int i = o.get(gradient)) a.gradients = optional_tensors(L, i, what.c_str()), given = true;
  if (int i = o.get("inputs")) {
    a.inputs = check_tensors(L, i, fmt::format("{}: argument 'inputs' expects", function).c_str());
    if (a.inputs.empty()) throw Error("{}: inputs must not be empty", function);
  }
  a.options.create_graph = o.flag("create_graph", false);
  a.options.retain_graph = o.flag("retain_graph", a.options.create_graph);
  o.done();
  if (positions > 4) throw Error("{}: too many arguments", function);
  if (positions >= 2 && !given) a.gradients = optional_tensors(L, 2, what.c_str());
  for (int i = 3; i <= positions; ++i) {
    if (lua_isnil(L, i)) continue;
    if (!lua_isboolean(L, i))
      throw Error("{}: argument {} expects true or false, got {}", function, i - 1, given_text(L, i));
    (i == 3 ? a.options.retain_graph : a.options.create_graph) = lua_toboolean(L, i);
  }
  return a;
}

int backward(lua_State* L) {
  const Tensor& t = self(L);
  BackwardArguments a = read_backward(L, "backward", "gradient");
  luth::backward({t}, a.gradients, a.options, a.inputs);
  return 0;
}
int backward_of_list(lua_State* L) {
  Tensors roots = check_tensors(L, 1, "torch.autograd.backward expects");
  BackwardArguments a = read_backward(L, "torch.autograd.backward", "grad_tensors");
  luth::backward(roots, a.gradients, a.options, a.inputs);
  return 0;
}

int grad(lua_State* L) {
  constexpr const char* name = "torch.autograd.grad";
  Tensors roots = check_tensors(L, 1, "torch.autograd.grad: argument 1 (outputs) expects");
  Tensors inputs = check_tensors(L, 2, "torch.autograd.grad: argument 2 (inputs) expects");
  if (inputs.empty()) throw Error("{}: inputs must not be empty", name);
  bool named = is_named(L, 3);
  Tensors gradients =
      named ? Tensors() : optional_tensors(L, 3, "torch.autograd.grad: argument 3 (grad_outputs) expects");
  Options o(L, named ? 3 : 4, name);
  if (int i = o.get("grad_outputs"))
    gradients = optional_tensors(L, i, "torch.autograd.grad: argument 'grad_outputs' expects");
  BackwardOptions options;
  options.create_graph = o.flag("create_graph", false);
  options.retain_graph = o.flag("retain_graph", options.create_graph);
  options.allow_unused = o.flag("allow_unused", false);
  o.done();
  Tensors grads = luth::grad(roots, inputs, gradients, options);
  luaL_checkstack(L, int(grads.size()) + 4, "too many gradients");
  for (auto& g : grads) push_tensor(L, g);
  return int(grads.size());
}

// ---- grad modes ----

struct GradModeBefore {
  bool enabled = true;
  void operator()() const { set_grad_enabled(enabled); }
};

// Sets the mode; then a scope, or with a function at `first`, the results of calling it.
int with_mode(lua_State* L, bool on, int first, bool warns) {
  if (lua_isnoneornil(L, first)) {
    auto& scope = push_scope<GradModeBefore>(L, "a grad mode", warns ? "torch.no_grad()" : nullptr);
    scope.restore = {set_grad_enabled(on)};
    scope.open = true;
    return 1;
  }
  if (lua_type(L, first) != LUA_TFUNCTION)
    throw Error("expects a function to call in this mode or nothing, got {}", given_text(L, first));
  GradMode mode(on);
  lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
  return lua_gettop(L) - first + 1;
}
int no_grad(lua_State* L) { return with_mode(L, false, 1, true); }
int enable_grad(lua_State* L) { return with_mode(L, true, 1, true); }
int inference_mode(lua_State* L) {
  if (lua_isboolean(L, 1)) return with_mode(L, lua_toboolean(L, 1) ? false : grad_enabled(), 2, true);
  return with_mode(L, false, 1, true);
}
int set_enabled(lua_State* L) {
  if (!lua_isboolean(L, 1)) throw Error("set_grad_enabled expects true or false, got {}", given_text(L, 1));
  return with_mode(L, lua_toboolean(L, 1), 2, false);
}
int is_enabled(lua_State* L) { return lua_pushboolean(L, grad_enabled()), 1; }

// ---- nodes ----

using NodeRef = Ref<Node>;

int node_name(lua_State* L) { return lua_pushstring(L, own<NodeRef>(L)->name().c_str()), 1; }
int node_text(lua_State* L) { return lua_pushstring(L, ("<" + own<NodeRef>(L)->name() + ">").c_str()), 1; }
int node_equal(lua_State* L) {
  auto *a = to_box<NodeRef>(L, 1), *b = to_box<NodeRef>(L, 2);
  return lua_pushboolean(L, a && b && *a == *b), 1;
}
int node_index(lua_State* L) {
  const NodeRef& node = own<NodeRef>(L);
  std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "name") return lua_pushcfunction(L, guarded<node_name>), 1;
  if (key != "next_functions") throw Error("a grad_fn has no field '{}'; it has name() and next_functions", key);
  lua_createtable(L, int(node->next.size()), 0);
  for (size_t i = 0; i < node->next.size(); ++i) {
    lua_createtable(L, 2, 0);
    push_grad_fn(L, node->next[i].node);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, node->next[i].nr);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  return 1;
}

// ---- hooks ----

// The tensor's userdata is its user value: null again once the hook was removed.
struct HookHandle {
  int64_t id = 0;
};

int remove_handle(lua_State* L) {
  if (!to_box<HookHandle>(L, 1)) throw Error("remove expects a hook's handle, got {}", given_text(L, 1));
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  if (const Tensor* t = to_tensor(L, 2); t && *t) remove_hook(*t, to_box<HookHandle>(L, 1)->id);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

int add_hook(lua_State* L) {
  self(L);
  if (lua_type(L, 2) != LUA_TFUNCTION) throw Error("register_hook expects a function, got {}", given_text(L, 2));
  push_box(L, HookHandle{add_tensor_hook(L, 1, 2)}, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

int retain(lua_State* L) { return retain_grad(self(L)), 0; }
int set_requires(lua_State* L) {
  const Tensor& t = self(L);
  bool on = lua_isnoneornil(L, 2) || lua_toboolean(L, 2);
  if (lua_istable(L, 2)) {
    Options o(L, 2, "requires_grad_");
    on = o.flag("requires_grad", true);
    o.done();
  }
  t.set_requires_grad(on);
  return lua_settop(L, 1), 1;
}
int detach_in_place(lua_State* L) {
  const Tensor& t = self(L);
  if (t.impl()->view) throw Error("detach_: a view cannot be detached in place; use detach()");
  if (auto& m = t.impl()->meta) m->node = {}, m->nr = 0, m->requires_grad = false;
  return lua_settop(L, 1), 1;
}

// ---- gradcheck ----

// A Lua function at stack position 1 as a function of tensors.
TensorsFn function_of(lua_State* L) {
  if (lua_type(L, 1) != LUA_TFUNCTION) throw Error("gradcheck expects a function first, got {}", given_text(L, 1));
  return [L](const Tensors& inputs) {
    int top = lua_gettop(L);
    luaL_checkstack(L, int(inputs.size()) + 4, nullptr);
    lua_pushvalue(L, 1);
    for (auto& t : inputs) push_tensor(L, t);
    lua_call(L, int(inputs.size()), LUA_MULTRET);
    Tensors out;
    for (int i = top + 1; i <= lua_gettop(L); ++i)
      for (auto& t : check_tensors(L, i, "gradcheck: the function returns")) out.push_back(t);
    lua_settop(L, top);
    return out;
  };
}

template <bool second>
int check(lua_State* L) {
  constexpr const char* name = second ? "gradgradcheck" : "gradcheck";
  TensorsFn f = function_of(L);
  Tensors inputs = check_tensors(L, 2, "gradcheck expects");
  Options o(L, 3, name);
  GradcheckOptions options{o.number("eps", 1e-6), o.number("atol", 1e-5), o.number("rtol", 1e-3)};
  bool raises = o.flag("raise_exception", true);
  Tensors cotangents;
  if (second)
    if (int i = o.get("grad_outputs")) cotangents = check_tensors(L, i, "gradgradcheck: grad_outputs expects");
  o.done();
  GradMode mode(true);  // inside no_grad there would be nothing to compare
  std::string report =
      second ? gradgradcheck_report(f, inputs, cotangents, options) : gradcheck_report(f, inputs, options);
  if (!report.empty() && raises) throw Error("{}: {}", name, report);
  return lua_pushboolean(L, report.empty()), 1;
}

constexpr Row method_rows[] = {
    {"backward", guarded<backward>, "x:backward(gradient?, {retain_graph = false, create_graph = false, inputs})",
     "Accumulates the gradient of x into the grad of every leaf, or of `inputs` alone."},
    {"register_hook", guarded<add_hook>, "x:register_hook(f)",
     "f sees the gradient of x and may return another one; the handle's remove() undoes it."},
    {"retain_grad", guarded<retain>, "x:retain_grad()", "Keeps the gradient of a tensor that is no leaf in its grad."},
    {"requires_grad_", guarded<set_requires>, "x:requires_grad_(requires_grad = true)",
     "Makes operators on x record gradients."},
    {"detach_", guarded<detach_in_place>, "x:detach_()", "Forgets how x was made: it becomes a leaf."},
};
constexpr Row autograd_rows[] = {
    {"grad", guarded<grad>,
     "torch.autograd.grad(outputs, inputs, {grad_outputs, retain_graph = false, create_graph = false, allow_unused = "
     "false})",
     "The gradients of outputs by inputs, as several values; leaves no grad behind."},
    {"backward", guarded<backward_of_list>,
     "torch.autograd.backward(tensors, grad_tensors?, {retain_graph, create_graph, inputs})",
     "Backward from several tensors at once."},
    {"gradcheck", guarded<check<false>>,
     "torch.autograd.gradcheck(f, inputs, {eps = 1e-6, atol = 1e-5, rtol = 1e-3, raise_exception = true})",
     "Compares gradients with finite differences, in float64: true, or an error that says where they differ."},
    {"gradgradcheck", guarded<check<true>>,
     "torch.autograd.gradgradcheck(f, inputs, {grad_outputs, eps, atol, rtol, raise_exception})",
     "The same for the gradients of gradients."},
};
constexpr Row torch_rows[] = {
    {"no_grad", guarded<no_grad>, "local _ <close> = torch.no_grad()  or  torch.no_grad(f, ...)",
     "Nothing is recorded for gradients while the scope is open, or while f runs."},
    {"enable_grad", guarded<enable_grad>, "local _ <close> = torch.enable_grad()  or  torch.enable_grad(f, ...)",
     "Records gradients again, inside no_grad."},
    {"inference_mode", guarded<inference_mode>,
     "local _ <close> = torch.inference_mode()  or  torch.inference_mode(f, ...)",
     "The same as no_grad: results are ordinary tensors, which may take part in recorded operators later."},
    {"set_grad_enabled", guarded<set_enabled>, "torch.set_grad_enabled(on, f?, ...)",
     "Sets the mode, until the scope that it returns is closed, or while f runs."},
    {"is_grad_enabled", guarded<is_enabled>, "torch.is_grad_enabled()", "Whether operators record gradients."},
};

void open_nodes(lua_State* L) {
  open_box<NodeRef>(L, "torch.autograd.Node");
  const luaL_Reg events[] = {{"__index", guarded<node_index>},
                             {"__tostring", guarded<node_text>},
                             {"__eq", guarded<node_equal>},
                             {"__gc", destroy_box<NodeRef>},
                             {nullptr, nullptr}};
  luaL_setfuncs(L, events, 0);
  open_box<HookHandle>(L, "torch.hook");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded<remove_handle>);
  lua_setfield(L, -2, "remove");
  lua_setfield(L, -2, "__index");
  lua_pop(L, 2);
}

}  // namespace

void push_grad_fn(lua_State* L, const Ref<Node>& node) {
  node ? static_cast<void>(push_box<NodeRef>(L, node)) : lua_pushnil(L);
}

void open_autograd(lua_State* L, int torch, int methods) {
  open_scopes<GradModeBefore>(L, "torch.scope");
  open_nodes(L);
  add_functions(L, methods, method_rows);
  add_functions(L, torch, torch_rows);
  lua_newtable(L);
  add_functions(L, -1, autograd_rows);
  lua_setfield(L, torch, "autograd");
}

}  // namespace luth::lang
