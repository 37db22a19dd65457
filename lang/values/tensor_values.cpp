#include "lang/values/tensor_values.h"

#include "lang/runtime/allocator.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

const DestroyWithBlock<Tensor> destroy_tensor(0);
const DestroyWithBlock<Ref<Node>> destroy_node(0);

}  // namespace

const Tensor& check_tensor(lua_State* L, int index, const char* what) {
  const Tensor* t = to_tensor(L, index);
  if (!t || !*t) throw Error("{} a tensor, got {}", what, given_text(L, index));
  return *t;
}

Tensors check_tensors(lua_State* L, int index, const char* what) {
  if (to_tensor(L, index)) return {check_tensor(L, index, what)};
  if (!lua_istable(L, index)) throw Error("{} a list of tensors, got {}", what, given_text(L, index));
  Tensors list;
  each_element(L, index, [&](int at, lua_Integer k) {
    const Tensor* t = to_tensor(L, at);
    if (!t || !*t) throw Error("{} a list of tensors, but its element {} is {}", what, k, given_text(L, at));
    list.push_back(*t);
  });
  return list;
}

Value to_value(lua_State* L, int index) {
  if (to_tensor(L, index)) return check_tensor(L, index);
  if (lua_isboolean(L, index)) return Scalar(bool(lua_toboolean(L, index)));
  if (lua_isinteger(L, index)) return Scalar(int64_t(lua_tointeger(L, index)));
  if (lua_type(L, index) == LUA_TNUMBER) return Scalar(double(lua_tonumber(L, index)));
  return {};
}

void push_list(lua_State* L, const Tensors& list) {
  push_items(L, list, [&](auto& t) { push_tensor(L, t); });
}

int push_values(lua_State* L, const Inputs& values) {
  luaL_checkstack(L, int(values.size()) + 4, nullptr);
  for (auto& v : values) {
    if (v.is_scalar())
      push_scalar(L, v.scalar());
    else
      push_tensor(L, v.tensor());
  }
  return int(values.size());
}

void push_scalar(lua_State* L, const Scalar& s) {
  switch (s.kind()) {
    case Scalar::Kind::boolean: return lua_pushboolean(L, s.to<bool>());
    case Scalar::Kind::integer: return lua_pushinteger(L, s.integer());
    case Scalar::Kind::floating: return lua_pushnumber(L, s.value());
  }
}

void push_grad_fn(lua_State* L, const Ref<Node>& node) {
  node ? static_cast<void>(push_box<Ref<Node>>(L, node)) : lua_pushnil(L);
}

void push_optional_tensors(lua_State* L, const Tensors& list) {
  push_items(L, list, [&](auto& t) { t ? push_tensor(L, t) : push_none(L); });
}

Tensors optional_tensors(lua_State* L, int index, const char* what) {
  if (is_none(L, index)) return {};
  if (!lua_istable(L, index)) return check_tensors(L, index, what);
  Tensors list;
  each_element(L, index,
               [&](int at, lua_Integer) { list.push_back(is_none(L, at) ? Tensor() : check_tensor(L, at, what)); });
  return list;
}

}  // namespace luth::lang
