// Functions of Lua for autograd: backward, grad, grad modes as scopes, gradcheck.
#include "core/autograd/autograd.h"

#include "core/autograd/gradcheck.h"
#include "core/ops/shape/view.h"
#include "core/tensor/storage.h"
#include "lang/autograd/open_autograd.h"
#include "lang/binding/invoke.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/scope.h"
#include "lang/tensor/tensor_class.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

// ---- backward and grad ----

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
  NamedArguments o(L, positions < n ? n : 0, function);
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

// One backward for each position of the first dim of the gradients; the results are stacked.
Tensors batched_grad(const Tensors& roots, const Tensors& inputs, const Tensors& gradients, BackwardOptions options) {
  if (gradients.empty() || !gradients[0] || gradients[0].dim() == 0)
    throw Error("torch.autograd.grad: is_grads_batched needs grad_outputs with a first dim, the batch");
  const int64_t n = gradients[0].shape()[0];
  const bool retain = options.retain_graph;
  std::vector<Tensors> parts(inputs.size());
  for (int64_t k = 0; k < n; ++k) {
    Tensors at;
    for (auto& g : gradients) at.push_back(g ? luth::select(g, {.dim = 0, .index = k}) : g);
    options.retain_graph = retain || k + 1 < n;
    Tensors found = luth::grad(roots, inputs, at, options);
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i]) parts[i].push_back(found[i]);
  }
  Tensors out;
  for (auto& p : parts) out.push_back(p.empty() ? Tensor() : Invoke("stack")(Inputs(p.begin(), p.end()))[0]);
  return out;
}

int grad(lua_State* L) {
  constexpr const char* name = "torch.autograd.grad";
  Tensors roots = check_tensors(L, 1, "torch.autograd.grad: argument 1 (outputs) expects");
  Tensors inputs = check_tensors(L, 2, "torch.autograd.grad: argument 2 (inputs) expects");
  if (inputs.empty()) throw Error("{}: inputs must not be empty", name);
  bool named = is_named(L, 3);
  Tensors gradients =
      named ? Tensors() : optional_tensors(L, 3, "torch.autograd.grad: argument 3 (grad_outputs) expects");
  NamedArguments o(L, named ? 3 : 4, name);
  if (int i = o.get("grad_outputs"))
    gradients = optional_tensors(L, i, "torch.autograd.grad: argument 'grad_outputs' expects");
  BackwardOptions options;
  options.create_graph = o.flag("create_graph", false);
  options.retain_graph = o.flag("retain_graph", options.create_graph);
  options.materialize = o.flag("materialize_grads", false);
  options.allow_unused = o.flag("allow_unused", options.materialize);
  const bool batched = o.flag("is_grads_batched", false);
  o.done();
  if (options.materialize && !options.allow_unused)
    throw Error("{}: materialize_grads gives zeros for what is unused, so allow_unused cannot be false", name);
  Tensors grads =
      batched ? batched_grad(roots, inputs, gradients, options) : luth::grad(roots, inputs, gradients, options);
  luaL_checkstack(L, int(grads.size()) + 4, "too many gradients");
  for (auto& g : grads) push_tensor(L, g);
  return int(grads.size());
}

// ---- grad modes ----

struct GradModeBefore {
  bool enabled = true, inference = false;
  void operator()() const {
    set_grad_enabled(enabled);
    set_inference_mode(inference);
  }
};

// A mode that set() sets; set() returns the mode before, whose call sets it again. Without a function at `first`:
// pushes a scope. With one: calls it with the values above it and returns its results. `what` and `advice` are the
// scope's.
template <class Set>
int in_mode(lua_State* L, Set set, int first, const char* what, const char* advice) {
  using Before = decltype(set());
  if (lua_isnoneornil(L, first)) {
    auto& scope = push_scope<Before>(L, what, advice);
    scope.restore = set();
    scope.open = true;
    return 1;
  }
  if (lua_type(L, first) != LUA_TFUNCTION)
    throw Error("expects a function to call in this mode or nothing, got {}", given_text(L, first));
  struct Back {
    Before before;
    ~Back() { before(); }
  } back{set()};
  lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
  return lua_gettop(L) - first + 1;
}

// `advice`: how to write a scope that is closed; null: it may be left open.
int with_modes(lua_State* L, GradModeBefore modes, int first, const char* advice) {
  auto set = [&] { return GradModeBefore{set_grad_enabled(modes.enabled), set_inference_mode(modes.inference)}; };
  return in_mode(L, set, first, "a grad mode", advice);
}
// Inference mode stays as it is, and in it nothing is recorded.
int with_mode(lua_State* L, bool on, int first, const char* advice) {
  const bool inference = luth::inference_mode();
  return with_modes(L, {on && !inference, inference}, first, advice);
}
int no_grad(lua_State* L) { return with_mode(L, false, 1, "torch.no_grad()"); }
int enable_grad(lua_State* L) { return with_mode(L, true, 1, "torch.enable_grad()"); }
// (mode?, f?, ...): the mode by position or by name. As in PyTorch, false records gradients again.
int inference_mode(lua_State* L) {
  const bool given = lua_isboolean(L, 1) || lua_istable(L, 1);
  const bool on = flag_at(L, given ? 1 : lua_gettop(L) + 1, "inference_mode", "mode");
  return with_modes(L, {!on, on}, given ? 2 : 1, "torch.inference_mode()");
}
int set_enabled(lua_State* L) {
  if (!lua_isboolean(L, 1)) throw Error("set_grad_enabled expects true or false, got {}", given_text(L, 1));
  return with_mode(L, lua_toboolean(L, 1), 2, nullptr);
}
int is_enabled(lua_State* L) { return lua_pushboolean(L, grad_enabled()), 1; }
int is_inferring(lua_State* L) { return lua_pushboolean(L, luth::inference_mode()), 1; }

// ---- anomaly mode ----

struct AnomalyBefore {
  AnomalyMode mode;
  void operator()() const { set_anomaly_mode(mode); }
};

int with_anomaly(lua_State* L, AnomalyMode mode, int first, bool warns) {
  auto set = [&] { return AnomalyBefore{set_anomaly_mode(mode)}; };
  return in_mode(L, set, first, "anomaly detection", warns ? "torch.autograd.detect_anomaly()" : nullptr);
}
// (check_nan?, f?, ...): the flag by position or by name.
int detect_anomaly(lua_State* L) {
  const bool flag = lua_isboolean(L, 1) || lua_istable(L, 1);
  const bool check = flag_at(L, flag ? 1 : lua_gettop(L) + 1, "detect_anomaly", "check_nan");
  return with_anomaly(L, {true, check}, flag ? 2 : 1, true);
}
int set_detect_anomaly(lua_State* L) {
  if (!lua_isboolean(L, 1)) throw Error("set_detect_anomaly expects true or false, got {}", given_text(L, 1));
  const bool flag = lua_isboolean(L, 2) || lua_istable(L, 2);
  const bool check = flag_at(L, flag ? 2 : lua_gettop(L) + 1, "set_detect_anomaly", "check_nan");
  return with_anomaly(L, {bool(lua_toboolean(L, 1)), check}, flag ? 3 : 2, false);
}
int set_anomaly(lua_State* L) {
  if (!lua_isboolean(L, 1)) throw Error("set_anomaly_enabled expects true or false, got {}", given_text(L, 1));
  set_anomaly_mode({bool(lua_toboolean(L, 1)), flag_at(L, 2, "set_anomaly_enabled", "check_nan")});
  return 0;
}
int detects_anomaly(lua_State* L) { return lua_pushboolean(L, anomaly_mode().on), 1; }
int checks_nan(lua_State* L) { return lua_pushboolean(L, anomaly_mode().on && anomaly_mode().check_nan), 1; }

// ---- tensors ----

int retain(lua_State* L) { return retain_grad(self(L)), 0; }
int set_requires(lua_State* L) {
  self(L).set_requires_grad(flag_at(L, 2, "requires_grad_", "requires_grad"));
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
  NamedArguments o(L, 3, name);
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

int variable(lua_State* L) {
  const Tensor& t = check_tensor(L, 1, "torch.autograd.Variable expects");
  if (!lua_isnoneornil(L, 2)) t.set_requires_grad(flag_at(L, 2, "Variable", "requires_grad"));
  return lua_settop(L, 1), 1;
}

constexpr Row method_rows[] = {
    {"backward", guarded<backward>, "x:backward(gradient?, {retain_graph = false, create_graph = false, inputs})",
     "Computes the gradient of x and adds it to the grad of every leaf, or only to those of `inputs`."},
    {"retain_grad", guarded<retain>, "x:retain_grad()",
     "Backward will store the gradient of x in x.grad, although x is no leaf."},
    {"requires_grad_", guarded<set_requires>, "x:requires_grad_(requires_grad = true)",
     "Makes operators on x record gradients."},
    {"detach_", guarded<detach_in_place>, "x:detach_()", "Removes x from its graph: it becomes a leaf."},
};
constexpr Row autograd_rows[] = {
    {"grad", guarded<grad>,
     "torch.autograd.grad(outputs, inputs, {grad_outputs, retain_graph = false, create_graph = false, allow_unused = "
     "false, materialize_grads = false, is_grads_batched = false})",
     "The gradients of outputs with respect to inputs, as several values; the field grad of tensors does not change. "
     "An unused input is an error; with allow_unused its gradient is nil, with materialize_grads zeros."},
    {"backward", guarded<backward_of_list>,
     "torch.autograd.backward(tensors, grad_tensors?, {retain_graph, create_graph, inputs})",
     "Runs backward from several tensors at once."},
    {"gradcheck", guarded<check<false>>,
     "torch.autograd.gradcheck(f, inputs, {eps = 1e-6, atol = 1e-5, rtol = 1e-3, raise_exception = true})",
     "Compares gradients with finite differences, in float64. Returns true, or raises an error that says where they "
     "differ."},
    {"gradgradcheck", guarded<check<true>>,
     "torch.autograd.gradgradcheck(f, inputs, {grad_outputs, eps, atol, rtol, raise_exception})",
     "The same for the gradients of gradients."},
    {"Variable", guarded<variable>, "torch.autograd.Variable(x, requires_grad?)",
     "Returns x itself. Variables of old versions of PyTorch are tensors today."},
    {"detect_anomaly", guarded<detect_anomaly>,
     "local _ <close> = torch.autograd.detect_anomaly(check_nan = true)  or  detect_anomaly(f, ...)",
     "While the scope is open, a gradient that becomes nan is an error, which names the line of the operator."},
    {"set_detect_anomaly", guarded<set_detect_anomaly>, "torch.autograd.set_detect_anomaly(mode, check_nan = true)",
     "Sets anomaly mode. Closing the scope that it returns restores the mode before."},
};
constexpr Row functional_rows[] = {
    {"vjp", nullptr, "torch.autograd.functional.vjp(f, inputs, v?, {create_graph = false, strict = false})",
     "Two values: f(inputs), and v times its Jacobian. v may be missing if f gives one number. Several inputs or "
     "results are tables."},
    {"jvp", nullptr, "torch.autograd.functional.jvp(f, inputs, v?, {create_graph = false, strict = false})",
     "Two values: f(inputs), and its Jacobian times v, by two backward passes."},
    {"jacobian", nullptr, "torch.autograd.functional.jacobian(f, inputs, {create_graph = false, strict = false})",
     "The derivatives of f's results with respect to its inputs. Their shape is that of the result, then that of the "
     "input. Several results or inputs give several values."},
    {"hessian", nullptr, "torch.autograd.functional.hessian(f, inputs, {create_graph = false, strict = false})",
     "The second derivatives of f, which must give one number."},
    {"vhp", nullptr, "torch.autograd.functional.vhp(f, inputs, v?, {create_graph = false, strict = false})",
     "Two values: f(inputs), and v times its Hessian."},
    {"hvp", nullptr, "torch.autograd.functional.hvp(f, inputs, v?, {create_graph = false, strict = false})",
     "Two values: f(inputs), and its Hessian times v, by two backward passes."},
};
constexpr Row torch_rows[] = {
    {"no_grad", guarded<no_grad>, "local _ <close> = torch.no_grad()  or  torch.no_grad(f, ...)",
     "Nothing is recorded for gradients while the scope is open, or while f runs."},
    {"enable_grad", guarded<enable_grad>, "local _ <close> = torch.enable_grad()  or  torch.enable_grad(f, ...)",
     "Records gradients again, inside no_grad."},
    {"inference_mode", guarded<inference_mode>,
     "local _ <close> = torch.inference_mode(mode = true)  or  torch.inference_mode(f, ...)",
     "Like no_grad. Besides, tensors made in it are inference tensors: recorded operators cannot keep them for "
     "backward, and outside they cannot be written in place. clone() gives an ordinary tensor."},
    {"is_inference_mode_enabled", guarded<is_inferring>, "torch.is_inference_mode_enabled()",
     "Whether inference mode is on."},
    {"set_grad_enabled", guarded<set_enabled>, "torch.set_grad_enabled(on, f?, ...)",
     "Turns recording of gradients on or off, while f runs, or until the scope that it returns is closed."},
    {"is_grad_enabled", guarded<is_enabled>, "torch.is_grad_enabled()", "Whether operators record gradients."},
    {"set_anomaly_enabled", guarded<set_anomaly>, "torch.set_anomaly_enabled(enabled, check_nan = true)",
     "Sets anomaly mode: torch.autograd.set_detect_anomaly without a scope."},
    {"is_anomaly_enabled", guarded<detects_anomaly>, "torch.is_anomaly_enabled()", "Whether anomaly mode is on."},
    {"is_anomaly_check_nan_enabled", guarded<checks_nan>, "torch.is_anomaly_check_nan_enabled()",
     "Whether anomaly mode looks for nan."},
};

}  // namespace

void open_autograd(lua_State* L, int torch, int methods) {
  open_scopes<GradModeBefore>(L, "torch.scope");
  open_scopes<AnomalyBefore>(L, "torch.autograd.scope");
  open_graph_nodes(L, methods);
  add_functions(L, methods, method_rows);
  add_functions(L, torch, torch_rows);
  lua_newtable(L);
  add_functions(L, -1, autograd_rows);
  open_function(L, lua_gettop(L));
  for (const char* name : {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode"}) {
    lua_getfield(L, torch, name);
    lua_setfield(L, -2, name);
  }
  lua_newtable(L);
  add_library(L, -1, "luth.torch.functional", functional_rows);
  lua_setfield(L, -2, "functional");
  lua_setfield(L, torch, "autograd");
}

}  // namespace luth::lang
