// torch.autograd.Function: operators with a gradient, written in Lua.
#include "lang/autograd/function.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/reduce.h"
#include "core/tensor/source_mark.h"
#include "lang/autograd/open_autograd.h"
#include "lang/collector/graph_roots.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

class FunctionNode final : public Node, public FreeListed<FunctionNode, 2> {
 public:
  FunctionNode(lua_State* L, int context, ApplicationRef app, const Tensors& inputs, Edges edges)
      : app_(std::move(app)), context_(new_graph_root(L, context)) {
    app_->node = this;
    context_->set_owner(*this);
    context_->saved = {app_, &app_->saved};
    mark = source_mark();
    next = std::move(edges);
    for (auto& t : inputs) inputs_.push_back(t ? grad_spec_of(t) : GradSpec{{}, Dtype::f32, nullptr});
  }
  ~FunctionNode() override {
    app_->node = nullptr;
    forget();
  }
  std::string name() const override { return app_->name + "Backward"; }
  bool release() override {
    if (app_->saved.empty() && !frees_) return false;
    app_->freed = true;
    forget();
    context_.reset();
    return true;
  }
  Tensors backward(const Tensors& dys) override;

 private:
  void forget() {
    Tensors tensors;
    for (auto& s : app_->saved) s.forget(tensors);
    app_->saved.clear();
    Edges none;
    bury(none, tensors);
  }
  void push_gradients(lua_State* L, const Tensors& dys) const;
  Tensors take_gradients(lua_State* L, int first) const;
  Tensor fitted(const Tensor& g, size_t i) const;

  ApplicationRef app_;
  GraphRootRef context_;          // until a backward consumes the node
  bool frees_ = false;            // that this has to free the ctx, whose fields may hold results and with them the node
  std::vector<GradSpec> inputs_;  // no device: that argument of forward was no tensor
};

void FunctionNode::push_gradients(lua_State* L, const Tensors& dys) const {
  for (size_t k = 0; k < dys.size(); ++k) {
    const GradSpec& s = results[k];
    if (dys[k] || !s.device || !app_->materialize)
      push_tensor(L, dys[k]);
    else
      push_tensor(L, full(s.shape, 0, s.dtype, *s.device));
  }
}

// `g` for argument number i: summed where it was broadcast, as PyTorch does.
Tensor FunctionNode::fitted(const Tensor& g, size_t i) const {
  const GradSpec& want = inputs_[i];
  if (!want.device)
    throw Error("{}: backward returned {} as gradient number {}, but that argument of forward was no tensor",
                app_->name, describe(g), i + 1);
  if (g.shape() == want.shape) return g;
  bool fits = g.dim() >= want.shape.size();
  for (int k = 1; fits && k <= want.shape.size(); ++k) {
    const int64_t n = want.shape[want.shape.size() - k];
    fits = n == 1 || n == g.shape()[g.dim() - k];
  }
  if (!fits)
    throw Error("{}: backward returned a gradient of shape {} for argument {} of forward, which has shape {}",
                app_->name, to_string(g.shape()), i + 1, to_string(want.shape));
  return sum_to(g, want.shape);
}

Tensors FunctionNode::take_gradients(lua_State* L, int first) const {
  const size_t given = size_t(lua_gettop(L) - first + 1);
  Tensors dxs(inputs_.size());
  auto wrong_number = [&] {
    throw Error("{}: backward returned {} gradient{}, expected {}: one for each argument of forward", app_->name, given,
                given == 1 ? "" : "s", inputs_.size());
  };
  for (size_t i = given; i < inputs_.size(); ++i)
    if (inputs_[i].device) wrong_number();  // what is no tensor may be left out at the end
  for (size_t i = 0; i < given; ++i) {
    const int at = first + int(i);
    if (is_none(L, at)) continue;
    if (i >= inputs_.size()) wrong_number();
    dxs[i] = fitted(check_tensor(L, at, (app_->name + ": backward returns nil or").c_str()), i);
  }
  return dxs;
}

// Message handler: says in whose backward an error was raised. Upvalue 1: " (in Cube.backward)".
int name_backward(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING) return lua_settop(L, 1), 1;
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_concat(L, 2);
  return 1;
}

Tensors FunctionNode::backward(const Tensors& dys) {
  if (app_->freed)
    throw Error("{}: the graph was freed by an earlier backward; pass {{retain_graph = true}} to that one", name());
  lua_State* L = context_->value.running();
  const int top = lua_gettop(L);
  luaL_checkstack(L, int(dys.size()) + 10, "too many gradients");
  context_->value.push(L);
  lua_pushfstring(L, " (in %s.backward)", app_->name.c_str());
  lua_pushcclosure(L, name_backward, 1);
  lua_getiuservalue(L, top + 1, of_class);
  if (lua_getfield(L, -1, "backward") != LUA_TFUNCTION)
    throw Error("{}: has no backward: define function {}.backward(ctx, ...)", app_->name, app_->name);
  lua_remove(L, -2);
  lua_pushvalue(L, top + 1);
  push_gradients(L, dys);
  if (lua_pcall(L, int(dys.size()) + 1, LUA_MULTRET, top + 2) != LUA_OK) lua_error(L);
  Tensors dxs = take_gradients(L, top + 3);
  frees_ = holds_results(L, top + 1, *this);
  lua_settop(L, top);
  return dxs;
}

std::string class_name(lua_State* L, int index) {
  lua_getfield(L, index, "name");
  std::string name = lua_tostring(L, -1) ? lua_tostring(L, -1) : "Function";
  lua_pop(L, 1);
  return name;
}

// ---- apply ---------------------------------------------------------------------------------------------------------

/// One call of apply(): the class is upvalue 1, the arguments are at 1 to n.
class Apply {
 public:
  explicit Apply(lua_State* L) : L_(L), app_(std::make_shared<Application>()), inputs_(size_t(lua_gettop(L))) {
    app_->name = class_name(L_, lua_upvalueindex(1));
  }

  int run() {
    const int n = lua_gettop(L_);
    push_context(n);
    context_ = lua_gettop(L_);
    record();
    first_ = context_ + 1;
    {
      NoGrad no_grad;
      forward(n);
    }
    std::vector<Tensor> written = noted(dirty), plain = noted(not_differentiable);
    for (auto& t : written) check_returned(t);
    for (int i = first_; i <= lua_gettop(L_); ++i) finish(i, written, plain);
    if (node_) save();
    return lua_gettop(L_) - first_ + 1;
  }

 private:
  void push_context(int n) {
    luaL_checkstack(L_, n + 16, "too many arguments");
    push_box(L_, app_, context_values);
    lua_newtable(L_);
    lua_createtable(L_, n, 0);
    for (int i = 1; i <= n; ++i) {
      if (const Tensor* t = to_tensor(L_, i); t && *t) inputs_[size_t(i - 1)] = *t;
      const Tensor& t = inputs_[size_t(i - 1)];
      const bool needs = t && t.requires_grad();
      wanted_ |= needs;
      lua_pushboolean(L_, needs);
      lua_rawseti(L_, -2, i);
    }
    lua_setfield(L_, -2, "needs_input_grad");
    lua_setiuservalue(L_, -2, fields);
  }

  // The edges come first, because the accumulator of a leaf may be new and must be older than its users.
  void record() {
    if (!wanted_ || !grad_enabled()) return;
    Edges edges;
    for (auto& t : inputs_) edges.push_back(t && t.requires_grad() ? gradient_edge(t) : Edge{});
    lua_pushvalue(L_, lua_upvalueindex(1));
    lua_setiuservalue(L_, context_, of_class);
    node_ = make<FunctionNode>(L_, context_, app_, inputs_, std::move(edges));
    for (auto& t : inputs_)
      if (t && t.storage()->stream()) node_->stream = t.device().current_stream();
    app_->node = nullptr;  // while forward runs
  }

  // forward(ctx, ...); or forward(...) and setup_context(ctx, inputs, output).
  void forward(int n) {
    const bool apart = lua_getfield(L_, lua_upvalueindex(1), "setup_context") == LUA_TFUNCTION;
    lua_pop(L_, 1);
    if (lua_getfield(L_, lua_upvalueindex(1), "forward") != LUA_TFUNCTION)
      throw Error("{}: has no forward: define function {}.forward(ctx, ...)", app_->name, app_->name);
    if (!apart) lua_pushvalue(L_, context_);
    for (int i = 1; i <= n; ++i) lua_pushvalue(L_, i);
    lua_call(L_, n + !apart, LUA_MULTRET);
    luaL_checkstack(L_, 16, "too many results");
    if (apart) set_up(n);
  }
  void set_up(int n) {
    const int last = lua_gettop(L_);
    lua_getfield(L_, lua_upvalueindex(1), "setup_context");
    lua_pushvalue(L_, context_);
    push_table(1, n);
    last == first_ ? lua_pushvalue(L_, first_) : push_table(first_, last);
    lua_call(L_, 3, 0);
  }
  void push_table(int from, int to) {
    lua_createtable(L_, to - from + 1, 0);
    for (int i = from; i <= to; ++i) {
      lua_pushvalue(L_, i);
      lua_rawseti(L_, -2, i - from + 1);
    }
  }

  std::vector<Tensor> noted(ContextValue which) {
    std::vector<Tensor> list;
    if (lua_getiuservalue(L_, context_, which) == LUA_TTABLE)
      for (lua_Integer i = 1, n = lua_Integer(lua_rawlen(L_, -1)); i <= n; ++i) {
        lua_rawgeti(L_, -1, i);
        list.push_back(to_tensor(L_, -1) ? *to_tensor(L_, -1) : Tensor());
        lua_pop(L_, 1);
      }
    lua_pop(L_, 1);
    return list;
  }
  static bool holds(const std::vector<Tensor>& list, const Tensor& t) {
    for (auto& one : list)
      if (one && one.same(t)) return true;
    return false;
  }
  void check_returned(const Tensor& t) {
    for (int i = first_; i <= lua_gettop(L_); ++i)
      if (const Tensor* r = to_tensor(L_, i); r && *r && r->same(t)) return;
    throw Error("{}: forward marked an argument as dirty and did not return it", app_->name);
  }

  // Links the result at stack position i, number i - first_, to the node.
  void finish(int i, const std::vector<Tensor>& written, const std::vector<Tensor>& plain) {
    const Tensor* result = to_tensor(L_, i);
    if (!result || !*result) {
      if (node_) node_->results.push_back({{}, Dtype::f32, nullptr});
      return;
    }
    Tensor t = *result;
    if (node_) node_->results.push_back(grad_spec_of(t));
    const bool is_input = holds({inputs_.begin(), inputs_.end()}, t);
    if (!node_ || !is_floating(t.dtype()) || holds(plain, t)) {
      if (t.requires_grad() && (node_ || is_input)) replace(i, t.detach());
      return;
    }
    if (holds(written, t)) {
      check_written(t);
    } else if (is_input || (t.requires_grad() && t.is_leaf())) {
      t = t.detach();  // the argument itself keeps its history
      replace(i, t);
    }
    set_history(t, node_, i - first_);
  }
  void replace(int i, Tensor t) {
    push_tensor(L_, std::move(t));
    lua_replace(L_, i);
  }
  void check_written(const Tensor& t) {
    try {
      check_inplace(t);
    } catch (const Error& e) { throw Error("{}: {}", app_->name, e.what()); }
    if (t.impl()->view && t.impl()->view->base.requires_grad())
      throw Error("{}: forward wrote into a view of a tensor that requires grad; clone() it before", app_->name);
  }

  void save() {
    app_->node = node_.get();
    for (auto& t : noted(to_save)) {
      if (!t) {
        app_->saved.emplace_back();
      } else if (t.grad_fn() == node_) {
        app_->saved.emplace_back(t.detach(), t.impl()->meta->nr);
      } else {
        app_->saved.emplace_back(t, ~0);
      }
    }
    for (ContextValue which : {to_save, dirty, not_differentiable}) {
      lua_pushnil(L_);
      lua_setiuservalue(L_, context_, which);
    }
  }

  lua_State* L_;
  ApplicationRef app_;
  Tensors inputs_;  // null: no tensor
  bool wanted_ = false;
  Ref<FunctionNode> node_;
  int context_ = 0, first_ = 0;
};

int apply_function(lua_State* L) {
  if (lua_rawequal(L, 1, lua_upvalueindex(1)))
    throw Error("apply is a function, not a method: {0}.apply(x)", class_name(L, 1));
  return Apply(L).run();
}

// ---- The class ------------------------------------------------------------------------------------------------------

// F.apply, F.forward. A missing field is nil, as in any table; a name close to a known one is an error. Upvalue 1: the
// base, or nil.
int class_index(lua_State* L) {
  static const std::vector<std::string> known{"apply", "backward", "forward", "setup_context"};
  const std::string key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (lua_istable(L, lua_upvalueindex(1))) {
    lua_pushvalue(L, 2);
    if (lua_gettable(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  }
  if (std::find(known.begin(), known.end(), key) != known.end()) return lua_pushnil(L), 1;
  if (std::string hint = did_you_mean(key, known); !hint.empty())
    throw Error("{} has no '{}'{}", class_name(L, 1), key, hint);
  return lua_pushnil(L), 1;
}
int call_class(lua_State* L) { throw Error("{0} is a class, not a function: call {0}.apply(...)", class_name(L, 1)); }

int class_text(lua_State* L) {
  lua_getfield(L, 1, "name");
  lua_pushfstring(L, "class %s (torch.autograd.Function)", lua_tostring(L, -1));
  return 1;
}

// Function(name, base?): a table for forward and backward, with apply.
int make_function(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    throw Error("torch.autograd.Function expects the name of the new class, got {}", given_text(L, 1));
  if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2))
    throw Error("torch.autograd.Function: argument 2 (base) expects another Function, got {}", given_text(L, 2));
  lua_settop(L, 2);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "name");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, guarded<apply_function>, 1);
  lua_setfield(L, -2, "apply");
  lua_createtable(L, 0, 3);
  lua_pushcfunction(L, class_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, guarded<call_class>);
  lua_setfield(L, -2, "__call");
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, guarded<class_index>, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  return 1;
}

constexpr Row rows[] = {
    {"Function", guarded<make_function>, "torch.autograd.Function(name, base?)",
     "A new operator: define function F.forward(ctx, ...) and F.backward(ctx, ...), and call F.apply(...). ctx has "
     "save_for_backward, saved_tensors, needs_input_grad, mark_dirty, mark_non_differentiable, set_materialize_grads; "
     "its other fields are free."},
};

}  // namespace

void open_function(lua_State* L, int autograd) {
  open_context(L);
  add_functions(L, autograd, rows);
}

}  // namespace luth::lang
