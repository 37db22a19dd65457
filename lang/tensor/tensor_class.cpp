// The metatable of tensors: fields and metamethods.
#include "lang/tensor/tensor_class.h"

#include "core/autograd/autograd.h"
#include "core/base/error_context.h"
#include "core/tensor/print.h"
#include "core/tensor/uninitialised.h"
#include "lang/binding/bind.h"
#include "lang/binding/invoke.h"
#include "lang/hints/hints.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/late_names.h"

namespace luth::lang {

const Tensor& self(lua_State* L) {
  const Tensor* t = to_tensor(L, 1);
  if (t && *t) return *t;
  if (t) throw Error("this tensor was freed");
  refuse_self(L, "a tensor", "x");
}
const Tensor& shaped_self(lua_State* L, std::string_view use) {
  const Tensor& t = self(L);
  check_initialised(t, use);
  return t;
}

// Whether a call in progress may have it as an argument. Level 0 is the function that frees it.
static bool is_in_use(lua_State* L, const void* box) {
  lua_Debug call;
  for (int level = 1; lua_getstack(L, level, &call); ++level)
    for (int i = 1; lua_getlocal(L, &call, i); ++i) {
      const bool same = lua_touserdata(L, -1) == box;
      lua_pop(L, 1);
      if (same) return true;
    }
  return false;
}

int free_tensor(lua_State* L) {
  if (const Tensor* t = to_tensor(L, 1); t && *t && !running_name().empty() && is_in_use(L, lua_touserdata(L, 1)))
    keep_for_operator(*t);
  return destroy_box<Tensor>(L);
}

namespace {

// ---- fields ----

struct Field {
  const char* name;
  const char* help;
  void (*get)(lua_State*, const Tensor&);
};
void transposed(lua_State* L, const Tensor& t) { push_tensor(L, Invoke("mT")({t})[0]); }
void push_base(lua_State* L, const Tensor& t) {
  t.impl()->view ? push_tensor(L, t.impl()->view->base) : lua_pushnil(L);
}
void reversed(lua_State* L, const Tensor& t) {
  Ints dims;
  for (int i = t.dim() - 1; i >= 0; --i) dims.push_back(i);
  push_tensor(L, t.dim() < 2 ? t : Invoke("permute").set("dims", dims)({t})[0]);
}
void push_node(lua_State* L, const Tensor& t) { push_grad_fn(L, t.grad_fn()); }
constexpr Field fields[] = {
    {"shape", "x.shape\n  The extents as a torch.Size; x:size(1) is the first.",
     [](lua_State* L, const Tensor&) { push_size(L, shaped_self(L, "shape").shape()); }},
    {"dtype", "x.dtype\n  The type of the elements: torch.float32.",
     [](lua_State* L, const Tensor& t) { push_dtype(L, t.dtype()); }},
    {"device", "x.device\n  The device of x, a torch.device.",
     [](lua_State* L, const Tensor& t) { push_device(L, t.device()); }},
    {"grad", "x.grad\n  The gradient that backward has computed, a tensor or nil. It can be assigned.",
     [](lua_State* L, const Tensor& t) { push_tensor(L, t.grad()); }},
    {"grad_fn",
     "x.grad_fn\n  The node of the graph that made x; nil for a leaf. It has name(), next_functions, register_hook and "
     "register_prehook.",
     push_node},
    {"is_leaf", "x.is_leaf\n  Whether x is a leaf: no recorded operator made it.",
     [](lua_State* L, const Tensor& t) { lua_pushboolean(L, t.is_leaf()); }},
    {"output_nr", "x.output_nr\n  The number of x among the results of its grad_fn, from 0.",
     [](lua_State* L, const Tensor& t) {
       const bool made = bool(t.grad_fn());
       lua_pushinteger(L, made ? t.impl()->meta->nr : 0);
     }},
    {"retains_grad", "x.retains_grad\n  Whether x is no leaf and retain_grad() was called on it.",
     [](lua_State* L, const Tensor& t) {
       const bool made = bool(t.grad_fn());  // looks at the history of a view first
       lua_pushboolean(L, made && t.impl()->meta->retained);
     }},
    {"requires_grad", "x.requires_grad\n  Whether operators on x are recorded. It can be assigned.",
     [](lua_State* L, const Tensor& t) { lua_pushboolean(L, t.requires_grad()); }},
    {"data", "x.data\n  A tensor with the same memory and without history. It can be assigned.",
     [](lua_State* L, const Tensor& t) { push_tensor(L, t.detach()); }},
    {"T", "x.T\n  A view with the dims in reverse order.", reversed},
    {"mT", "x.mT\n  A view with the last two dims exchanged.", transposed},
    {"H", "x.H\n  The transpose of a matrix, like x:t(): luth has no complex numbers.",
     [](lua_State* L, const Tensor& t) { push_tensor(L, t.dim() == 2 ? Invoke("t")({t})[0] : Invoke("mT")({t})[0]); }},
    {"mH", "x.mH\n  The same as x.mT: luth has no complex numbers.", transposed},
    {"real", "x.real\n  x itself: luth has no complex numbers.",
     [](lua_State* L, const Tensor&) { lua_pushvalue(L, 1); }},
    {"itemsize", "x.itemsize\n  Bytes per element.",
     [](lua_State* L, const Tensor& t) { lua_pushinteger(L, lua_Integer(size_of(t.dtype()))); }},
    {"is_sparse", "x.is_sparse\n  false: luth has no sparse tensors.",
     [](lua_State* L, const Tensor&) { lua_pushboolean(L, false); }},
    {"is_quantized", "x.is_quantized\n  false: luth has no quantized tensors.",
     [](lua_State* L, const Tensor&) { lua_pushboolean(L, false); }},
    {"is_cpu", "x.is_cpu\n  Whether x is in the memory of the CPU.",
     [](lua_State* L, const Tensor& t) { lua_pushboolean(L, t.device().kind() == "cpu"); }},
    {"is_meta", "x.is_meta\n  Whether x is on the device 'meta': it has a shape and no data.",
     [](lua_State* L, const Tensor& t) { lua_pushboolean(L, t.device().kind() == "meta"); }},
    {"_base", "x._base\n  The tensor of which x is a view; nil if x is no view.", push_base},
    {"is_cuda", "x.is_cuda\n  Whether x is on a GPU.",
     [](lua_State* L, const Tensor& t) { lua_pushboolean(L, t.device().kind() == "cuda"); }},
    {"ndim", "x.ndim\n  The number of dims.",
     [](lua_State* L, const Tensor&) { lua_pushinteger(L, shaped_self(L, "ndim").dim()); }},
};

[[noreturn]] void unknown_field(lua_State* L, std::string_view key) {
  static const std::vector<std::string> own = tensor_fields();
  const std::string instead = foreign_hint("x", key);
  throw Error("a tensor has no field or method '{}'{}", key,
              instead.empty() ? name_index(L, lua_upvalueindex(1), own).did_you_mean(key) : instead);
}

// x.field, x:method, x[position]. Upvalues: the methods, the fields.
int index(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING) return read_index(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  auto* field = static_cast<const Field*>(lua_touserdata(L, -1));
  if (field) return field->get(L, self(L)), 1;
  if (push_late(L, lua_upvalueindex(1), 2)) return 1;
  size_t n = 0;
  const char* key = lua_tolstring(L, 2, &n);
  if (std::string_view(key, n) == "...") return read_index(L);
  unknown_field(L, {key, n});
}

void set_data(lua_State* L, const Tensor& t) {
  const Tensor& from = check_tensor(L, 3, "data expects");
  if (from.dtype() != t.dtype())
    throw Error("data expects a {} tensor, got {}; convert it first", name(t.dtype()), given_text(L, 3));
  t.set_storage(from.storage(), from.shape(), from.strides(), from.offset());
}

int new_index(lua_State* L) {
  size_t n = 0;
  const char* key = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &n) : nullptr;
  if (!key || std::string_view(key, n) == "...") return write_index(L);
  const Tensor& t = self(L);
  std::string_view k(key, n);
  if (k == "grad") {
    t.set_grad(is_none(L, 3) ? Tensor() : check_tensor(L, 3, "grad expects"));
  } else if (k == "requires_grad") {
    if (!lua_isboolean(L, 3)) throw Error("requires_grad expects true or false, got {}", given_text(L, 3));
    t.set_requires_grad(lua_toboolean(L, 3));
  } else if (k == "data") {
    set_data(L, t);
  } else {
    throw Error("a tensor's field '{}' cannot be set; grad, requires_grad and data can", k);
  }
  return 0;
}

// ---- metamethods that are no operators ----

int length(lua_State* L) {
  const Tensor& t = shaped_self(L, "#x");
  if (t.dim() == 0) throw Error("a tensor without dims has no length; numel() is 1");
  lua_pushinteger(L, t.shape()[0]);
  return 1;
}
int equal(lua_State* L) {
  auto *a = to_tensor(L, 1), *b = to_tensor(L, 2);
  lua_pushboolean(L, a && b && a->same(*b));
  return 1;
}
int text(lua_State* L) {
  const Tensor* t = to_tensor(L, 1);
  std::string s = t && *t ? to_string(*t) : "tensor(freed)";
  lua_pushlstring(L, s.data(), s.size());
  return 1;
}
int pairs(lua_State*) {
  throw Error("pairs: a tensor is no table; ipairs(x) runs over its first dim, x:tolist() gives tables");
}
int concat(lua_State* L) {
  throw Error(".. does not join {} and {}; use torch.cat for tensors, tostring(x) for text", given_text(L, 1),
              given_text(L, 2));
}

Scalar operand(lua_State* L, int i, const char* method) {
  if (const Tensor* t = to_tensor(L, i); t && *t) {
    if (t->numel() == 1) return t->item();
    throw Error("a comparison with < or <= gives one boolean, and this tensor has shape {}; use x:{}(y) for elements",
                to_string(t->shape()), method);
  }
  if (lua_isinteger(L, i)) return Scalar(int64_t(lua_tointeger(L, i)));
  return Scalar(double(lua_tonumber(L, i)));
}
template <bool or_equal>
int compare(lua_State* L) {
  const char* method = or_equal ? "le" : "lt";
  for (int i : {1, 2})
    if (!to_tensor(L, i) && lua_type(L, i) != LUA_TNUMBER)
      throw Error("cannot compare a tensor with {}", given_text(L, i));
  push_scalar(L, operand(L, 1, method));
  push_scalar(L, operand(L, 2, method));
  for (int i : {-1, -2})
    if (lua_isboolean(L, i)) {
      lua_pushinteger(L, lua_toboolean(L, i));
      lua_replace(L, i - 1);
    }
  lua_pushboolean(L, lua_compare(L, -2, -1, or_equal ? LUA_OPLE : LUA_OPLT));
  return 1;
}

// Lua calls unary metamethods with the operand twice.
template <bool negative>
int unary(lua_State* L) {
  static const Function& function = *find_function(negative ? "neg" : "bitwise_not");
  lua_settop(L, 1);
  return call_function(L, function);
}

constexpr luaL_Reg metamethods[] = {
    {"__newindex", guarded<new_index>}, {"__len", guarded<length>},       {"__eq", guarded<equal>},
    {"__tostring", guarded<text>},      {"__concat", guarded<concat>},    {"__pairs", guarded<pairs>},
    {"__lt", guarded<compare<false>>},  {"__le", guarded<compare<true>>}, {"__unm", guarded<unary<true>>},
    {"__bnot", guarded<unary<false>>},  {"__close", free_tensor},         {nullptr, nullptr}};
// The operators of arithmetic. ~ between two tensors is Lua's exclusive or; alone it is bitwise_not.
constexpr const char* arithmetic[][2] = {{"__add", "add"},
                                         {"__sub", "sub"},
                                         {"__mul", "mul"},
                                         {"__div", "div"},
                                         {"__idiv", "floor_divide"},
                                         {"__mod", "remainder"},
                                         {"__pow", "pow"},
                                         {"__band", "bitwise_and"},
                                         {"__bor", "bitwise_or"},
                                         {"__bxor", "bitwise_xor"},
                                         {"__shl", "bitwise_left_shift"},
                                         {"__shr", "bitwise_right_shift"}};
const NamedTexts field_texts([](const TakeText& take) {
  for (auto& f : fields) take(f.name, f.help);
});

template <size_t i>
int arithmetic_of(lua_State* L) {
  static const Function& function = *find_function(arithmetic[i][1]);
  return call_function(L, function);
}
template <size_t... i>
void set_arithmetic(lua_State* L, std::index_sequence<i...>) {
  const luaL_Reg events[] = {{arithmetic[i][0], guarded<arithmetic_of<i>>}..., {nullptr, nullptr}};
  luaL_setfuncs(L, events, 0);
}

}  // namespace

std::vector<std::string> tensor_fields() {
  std::vector<std::string> names;
  for (auto& f : fields) names.emplace_back(f.name);
  return names;
}

void open_tensor_metatable(lua_State* L, int methods) {
  open_box<Tensor>(L, "torch.Tensor");
  luaL_setfuncs(L, metamethods, 0);
  lua_pushvalue(L, methods);
  lua_newtable(L);
  for (auto& f : fields) {
    lua_pushlightuserdata(L, const_cast<Field*>(&f));
    lua_setfield(L, -2, f.name);
  }
  lua_pushcclosure(L, guarded<index>, 2);
  lua_setfield(L, -2, "__index");
  set_arithmetic(L, std::make_index_sequence<std::size(arithmetic)>());
  lua_pop(L, 1);
}

}  // namespace luth::lang
