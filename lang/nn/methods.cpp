// Methods that all modules have, but for hooks.
#include "core/autograd/autograd.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/devices.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

int self_again(lua_State* L) { return lua_settop(L, 1), 1; }

// ---- Walks --------------------------------------------------------------------------------------------------------

// Pushes an iterator over the pairs in the table on top of the stack: {key, value, key, value, …}.
int next_pair(lua_State* L) {
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
  lua_pushinteger(L, i + 2);
  lua_replace(L, lua_upvalueindex(2));
  if (lua_rawgeti(L, lua_upvalueindex(1), i) == LUA_TNIL) return 1;
  lua_rawgeti(L, lua_upvalueindex(1), i + 1);
  return 2;
}
int push_iterator(lua_State* L) {
  lua_pushinteger(L, 1);
  lua_pushcclosure(L, next_pair, 2);
  return 1;
}

template <class List, class Push>
int iterate(lua_State* L, const List& list, Push push) {
  lua_createtable(L, int(list.size()) * 2, 0);
  lua_Integer i = 0;
  for (auto& e : list) {
    lua_pushlstring(L, e.name.data(), e.name.size());
    lua_rawseti(L, -2, ++i);
    push(e);
    lua_rawseti(L, -2, ++i);
  }
  return push_iterator(L);
}

bool recurse(lua_State* L, int index, const char* function) { return flag_at(L, index, function, "recurse"); }

// Arguments of the walks, each by name, the first two by position too.
struct Walk {
  std::string prefix;
  bool recurse = true, all = false;
  nn::Module::Seen seen;
};
std::string check_prefix(lua_State* L, int i, const char* function) {
  if (lua_type(L, i) != LUA_TSTRING)
    throw Error("{}: argument 'prefix' expects a string, got {}", function, given_text(L, i));
  return lua_tostring(L, i);
}
Walk read_walk(lua_State* L, const char* function, bool of_modules = false) {
  Walk w;
  const bool named = is_named(L, 2);
  if (!named && !lua_isnoneornil(L, 2)) w.prefix = check_prefix(L, 2, function);
  const int rest = named ? 2 : 3;
  if (!lua_istable(L, rest)) return w.recurse = flag_at(L, rest, function, "recurse"), w;
  NamedArguments o(L, rest, function);
  if (int i = o.get("prefix")) w.prefix = check_prefix(L, i, function);
  if (!of_modules) w.recurse = o.flag("recurse", true);
  w.all = !o.flag("remove_duplicate", true);
  if (int memo = of_modules ? o.get("memo") : 0)  // a set: its keys and its elements are modules
    for (lua_pushnil(L); lua_next(L, memo); lua_pop(L, 1))
      for (int i : {-1, -2})
        if (nn::Module* m = to_module(L, i)) w.seen.insert(m);
  o.done();
  return w;
}

int push_tensors(lua_State* L, const std::vector<nn::NamedTensor>& list) {
  return push_items(L, list, [&](auto& t) { push_tensor(L, t.value); });
}
int push_modules(lua_State* L, const std::vector<nn::NamedModule>& list) {
  return push_items(L, list, [&](auto& m) { push_module(L, m.module); });
}

int parameters(lua_State* L) { return push_tensors(L, self_module(L).named_parameters(recurse(L, 2, "parameters"))); }
int buffers(lua_State* L) { return push_tensors(L, self_module(L).named_buffers(recurse(L, 2, "buffers"))); }
int children(lua_State* L) { return push_modules(L, self_module(L).parts().children); }
int modules(lua_State* L) { return push_modules(L, self_module(L).named_modules()); }

int push_named(lua_State* L, const std::vector<nn::NamedTensor>& list) {
  return iterate(L, list, [&](auto& t) { push_tensor(L, t.value); });
}
int push_named(lua_State* L, const std::vector<nn::NamedModule>& list) {
  return iterate(L, list, [&](auto& m) { push_module(L, m.module); });
}
int named_parameters(lua_State* L) {
  Walk w = read_walk(L, "named_parameters");
  return push_named(L, self_module(L).named_parameters(w.recurse, w.prefix, w.all));
}
int named_buffers(lua_State* L) {
  Walk w = read_walk(L, "named_buffers");
  return push_named(L, self_module(L).named_buffers(w.recurse, w.prefix, w.all));
}
int named_modules(lua_State* L) {
  Walk w = read_walk(L, "named_modules", true);
  return push_named(L, self_module(L).named_modules(w.prefix, w.all, &w.seen));
}
int named_children(lua_State* L) { return push_named(L, self_module(L).parts().children); }

// ---- Modes and conversion -----------------------------------------------------------------------------------------

int train(lua_State* L) {
  self_module(L).train(flag_at(L, 2, "train", "mode"));
  return self_again(L);
}
int eval(lua_State* L) { return self_module(L).eval(), self_again(L); }
int zero_grad(lua_State* L) { return self_module(L).zero_grad(flag_at(L, 2, "zero_grad", "set_to_none")), 0; }
int requires_grad(lua_State* L) {
  self_module(L).requires_grad(flag_at(L, 2, "requires_grad_", "requires_grad"));
  return self_again(L);
}

bool names_dtype(lua_State* L, int i) {
  if (to_box<Dtype>(L, i)) return true;
  if (lua_type(L, i) != LUA_TSTRING) return false;
  std::string_view s = lua_tostring(L, i);
  return s.starts_with("torch.") || s.find("float") != s.npos || s == "half" || s == "double";
}
// A device, a dtype, a tensor to be like, in any order, or by name.
int to(lua_State* L) {
  nn::Module& m = self_module(L);
  std::optional<Dtype> dtype;
  Device* device = nullptr;
  int n = lua_gettop(L);
  if (n > 1 && is_named(L, n)) {
    NamedArguments o(L, n--, "to");
    if (int i = o.get("dtype")) dtype = check_dtype(L, i);
    if (int i = o.get("device")) device = &check_device(L, i);
    o.flag("non_blocking", false);
    o.done();
  }
  for (int i = 2; i <= n; ++i) {
    if (lua_isnil(L, i) || lua_isboolean(L, i)) continue;  // true and false: non_blocking
    if (to_tensor(L, i))
      dtype = check_tensor(L, i).dtype(), device = &check_tensor(L, i).device();
    else if (names_dtype(L, i))
      dtype = check_dtype(L, i);
    else
      device = &check_device(L, i);
  }
  m.to(dtype, device);
  return self_again(L);
}
template <Dtype d>
int to_dtype(lua_State* L) {
  return self_module(L).to(d), self_again(L);
}
int to_cpu(lua_State* L) { return self_module(L).to({}, &host()), self_again(L); }
int to_cuda(lua_State* L) { return self_module(L).to({}, &cuda_at(L, 2, "cuda")), self_again(L); }

int apply_function(lua_State* L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  self_module(L).apply([&](nn::Module& m) {
    lua_pushvalue(L, 2);
    push_module(L, nn::ModuleRef(&m));
    lua_call(L, 1, 0);
  });
  return self_again(L);
}
// Replaces the value on top of the stack by a deep copy. `memo` is the index of a table from what was copied, tensors
// by address, to the copies. Modules that are not in it are cloned; functions and objects are shared.
void copy_deeply(lua_State* L, int memo) {
  luaL_checkstack(L, 12, "too many nested tables");
  const int value = lua_gettop(L);
  const Tensor* t = to_tensor(L, value);
  const bool tensor = t && *t, module = to_module(L, value);
  const bool plain = lua_istable(L, value) && !lua_getmetatable(L, value);
  lua_settop(L, value);
  if (!tensor && !module && !plain) return;
  tensor ? lua_rawgetp(L, memo, t->impl()) : (lua_pushvalue(L, value), lua_rawget(L, memo));
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    if (tensor) {
      Tensor copy = nn::duplicate(*t);
      copy.impl()->parameter = t->impl()->parameter;
      if (t->requires_grad() && t->is_leaf()) copy.set_requires_grad(true);
      push_tensor(L, copy);
      lua_pushvalue(L, -1);
      lua_rawsetp(L, memo, t->impl());
    } else if (module) {
      lua_getfield(L, value, "clone");
      lua_pushvalue(L, value);
      lua_call(L, 1, 1);
    } else {
      lua_newtable(L);
      lua_pushvalue(L, value);
      lua_pushvalue(L, -2);
      lua_rawset(L, memo);
      for (lua_pushnil(L); lua_next(L, value);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        copy_deeply(L, memo);
        lua_rawset(L, value + 1);
      }
    }
  }
  lua_replace(L, value);
}
// Copies the table `which` of the module at `from` to that at `to`.
void copy_values(lua_State* L, int from, int to, ModuleValue which, int memo) {
  if (!push_values_of(L, from, which, false)) return;
  push_values_of(L, to, which, true);
  for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    copy_deeply(L, memo);
    lua_rawset(L, -5);
  }
  lua_pop(L, 2);
}
int clone(lua_State* L) {
  nn::ModuleRef m = check_module(L, 1);
  return push_clone(L, m, m->clone()), 1;
}
int reset_parameters(lua_State* L) { return self_module(L).reset_parameters(), 0; }

// The forward of a C++ class, for calls by name and from overriding methods.
int forward(lua_State* L) {
  nn::Module* m = &self_module(L);
  if (auto* script = dynamic_cast<ScriptModule*>(m)) {
    if (!script->native()) throw Error("{} has no forward: define function {}:forward(x)", m->type(), m->type());
    m = script->native().get();
  }
  nn::Named named;
  nn::Values in = check_values(L, 2, &named);
  nn::Frame frame(*m);
  try {
    return push_values(L, m->forward_named(in, named));
  } catch (Error& e) {
    if (!e.has_module()) e.add_module(", in module " + nn::Frame::where());
    throw;
  }
}

// ---- Parts --------------------------------------------------------------------------------------------------------

int add_module(lua_State* L) {
  self_module(L).add_module(luaL_checkstring(L, 2), check_module(L, 3, "add_module: argument 2 expects"));
  return update_children(L, 1), 0;
}
int register_parameter(lua_State* L) {
  Tensor t = is_none(L, 3) ? Tensor() : check_tensor(L, 3, "register_parameter: argument 2 expects");
  if (t && !t.impl()->parameter)
    throw Error("register_parameter: '{}' is no parameter; use nn.Parameter(t)", luaL_checkstring(L, 2));
  self_module(L).register_parameter(luaL_checkstring(L, 2), t);
  return 0;
}
int register_buffer(lua_State* L) {
  const bool persistent = truth_at(L, 4, "register_buffer", "persistent");
  Tensor t = is_none(L, 3) ? Tensor() : check_tensor(L, 3, "register_buffer: argument 2 expects");
  self_module(L).register_buffer(luaL_checkstring(L, 2), t, persistent);
  return 0;
}

int get_submodule(lua_State* L) { return push_module(L, self_module(L).submodule(luaL_checkstring(L, 2))), 1; }
template <bool buffer>
int get_tensor(lua_State* L) {
  std::string path = luaL_checkstring(L, 2);
  size_t dot = path.rfind('.');
  nn::ModuleRef m = self_module(L).submodule(dot == path.npos ? "" : path.substr(0, dot));
  std::string name = dot == path.npos ? path : path.substr(dot + 1);
  const nn::NamedTensor* t = buffer ? m->find_buffer(name) : m->find_parameter(name);
  if (!t || !t->value) throw Error("{} has no {} '{}'", self_module(L).type(), buffer ? "buffer" : "parameter", path);
  return push_tensor(L, t->value), 1;
}

constexpr Row rows[] = {
    {"forward", guarded<forward>, "m:forward(…)", "Computes the module's output. The call m(…) also runs hooks."},
    {"parameters", guarded<parameters>, "m:parameters({recurse = true})", "All parameters, each once."},
    {"buffers", guarded<buffers>, "m:buffers({recurse = true})", "All buffers, each once."},
    {"children", guarded<children>, "m:children()", "The modules directly in this one."},
    {"modules", guarded<modules>, "m:modules()", "This module and all modules below it, each once."},
    {"named_parameters", guarded<named_parameters>,
     "m:named_parameters(prefix = '', recurse = true, {remove_duplicate = true})",
     "Iterates over names and parameters."},
    {"named_buffers", guarded<named_buffers>, "m:named_buffers(prefix = '', recurse = true, {remove_duplicate = true})",
     "Iterates over names and buffers."},
    {"named_modules", guarded<named_modules>, "m:named_modules(prefix = '', {memo, remove_duplicate = true})",
     "Iterates over paths and modules; this module comes first. Those in memo, a table of modules, are left out."},
    {"named_children", guarded<named_children>, "m:named_children()", "Iterates over names and children."},
    {"train", guarded<train>, "m:train(mode = true)", "Sets training mode; with false, evaluation mode."},
    {"eval", guarded<eval>, "m:eval()", "Sets evaluation mode."},
    {"zero_grad", guarded<zero_grad>, "m:zero_grad({set_to_none = true})",
     "Removes the gradients of all parameters; with set_to_none = false, fills them with zeros."},
    {"requires_grad_", guarded<requires_grad>, "m:requires_grad_(requires_grad = true)",
     "Sets whether the parameters require gradients."},
    {"to", guarded<to>, "m:to(device or dtype or tensor, {device, dtype})",
     "Moves and converts parameters and buffers."},
    {"half", guarded<to_dtype<Dtype::f16>>, "m:half()", "Converts to float16."},
    {"float", guarded<to_dtype<Dtype::f32>>, "m:float()", "Converts to float32."},
    {"double", guarded<to_dtype<Dtype::f64>>, "m:double()", "Converts to float64."},
    {"bfloat16", guarded<to_dtype<Dtype::bf16>>, "m:bfloat16()", "Converts to bfloat16."},
    {"cpu", guarded<to_cpu>, "m:cpu()", "Moves to the CPU."},
    {"cuda", guarded<to_cuda>, "m:cuda(device?)", "Moves to a GPU; without an argument to the current one."},
    {"apply", guarded<apply_function>, "m:apply(f)", "Calls f(module) for all modules below, then for this one."},
    {"clone", guarded<clone>, "m:clone()", "A deep copy."},
    {"reset_parameters", guarded<reset_parameters>, "m:reset_parameters()", "Initialises the parameters anew."},
    {"add_module", guarded<add_module>, "m:add_module(name, module)", "Registers a child."},
    {"register_module", guarded<add_module>, "m:register_module(name, module)", "Registers a child."},
    {"register_parameter", guarded<register_parameter>, "m:register_parameter(name, parameter or nil)",
     "Registers a parameter."},
    {"register_buffer", guarded<register_buffer>, "m:register_buffer(name, tensor, {persistent = true})",
     "Registers a buffer: a tensor that is saved and moved with the module and has no gradient."},
    {"get_submodule", guarded<get_submodule>, "m:get_submodule(path)", "The module at a dotted path."},
    {"get_parameter", guarded<get_tensor<false>>, "m:get_parameter(path)", "The parameter at a dotted path."},
    {"get_buffer", guarded<get_tensor<true>>, "m:get_buffer(path)", "The buffer at a dotted path."},
};

}  // namespace

void push_clone(lua_State* L, const nn::ModuleRef& m, const nn::ModuleRef& copy) {
  luaL_checkstack(L, 12, nullptr);
  push_module(L, copy);
  lua_newtable(L);
  const int memo = lua_gettop(L);
  auto from = m->named_modules(), to = copy->named_modules();  // the same modules in the same order
  auto remember = [&](const auto& list, const auto& copies) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].value) push_tensor(L, copies[i].value), lua_rawsetp(L, memo, list[i].value.impl());
  };
  for (size_t i = 0; i < from.size(); ++i) {
    push_module(L, from[i].module);
    push_module(L, to[i].module);
    lua_rawset(L, memo);
    remember(from[i].module->parts().parameters, to[i].module->parts().parameters);
    remember(from[i].module->parts().buffers, to[i].module->parts().buffers);
  }
  for (size_t i = 0; i < from.size(); ++i) {
    push_module(L, from[i].module);
    push_module(L, to[i].module);
    copy_values(L, memo + 1, memo + 2, module_fields, memo);
    copy_values(L, memo + 1, memo + 2, module_hooks, memo);
    lua_settop(L, memo);
  }
  lua_settop(L, memo - 1);
}

void open_module_methods(lua_State* L, int nn, int methods) {
  add_functions(L, methods, rows);
  open_module_hooks(L, nn, methods);
}

}  // namespace luth::lang
