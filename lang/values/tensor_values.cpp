#include "lang/values/tensor_values.h"

#include "lang/runtime/allocator.h"

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
  index = lua_absindex(L, index);
  for (lua_Integer k = 1, n = luaL_len(L, index); k <= n; ++k) {
    lua_geti(L, index, k);
    const Tensor* t = to_tensor(L, -1);
    if (!t || !*t) throw Error("{} a list of tensors, but its element {} is {}", what, k, given_text(L, lua_gettop(L)));
    list.push_back(*t);
    lua_pop(L, 1);
  }
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
  lua_createtable(L, int(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    push_tensor(L, list[i]);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
}

void push_scalar(lua_State* L, const Scalar& s) { push_attr(L, Attr(s)); }

void push_grad_fn(lua_State* L, const Ref<Node>& node) {
  node ? static_cast<void>(push_box<Ref<Node>>(L, node)) : lua_pushnil(L);
}

void push_optional_tensors(lua_State* L, const Tensors& list) {
  lua_createtable(L, int(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    list[i] ? push_tensor(L, list[i]) : push_none(L);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
}

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

}  // namespace luth::lang
