// Attributes read from Lua and pushed. The userdata of dtypes, sizes and the like are in values_types.cpp.
#include "lang/values/values.h"

#include "core/tensor/tensor.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

bool is_integer(lua_State* L, int i) {
  int ok = 0;
  if (lua_type(L, i) == LUA_TNUMBER) lua_tointegerx(L, i, &ok);
  return ok;
}
bool one_element(lua_State* L, int i, bool integral) {
  const Tensor* t = to_box<Tensor>(L, i);
  return t && *t && t->numel() == 1 && (!integral || is_integral(t->dtype()));
}
bool is_list(lua_State* L, int i) { return lua_istable(L, i) || to_box<Shape>(L, i); }

// Whether it is a list of tensors: overloads may differ in that alone.
bool lists_tensors(lua_State* L, int i) {
  if (!lua_istable(L, i)) return false;
  lua_geti(L, i, 1);
  const bool tensors = to_box<Tensor>(L, -1) != nullptr;
  lua_pop(L, 1);
  return tensors;
}

[[noreturn]] void wrong(lua_State* L, int index, const char* expected) {
  throw Error("expects {}, got {}", expected, given_text(L, index));
}

// From Lua's counting to C++'s.
int64_t position(int64_t v, unsigned as) {
  if (!(as & (as::dim | as::index)) || v < 0) return v;
  if (v == 0) throw Error("got 0; {} count from 1 (and -1 is the last)", as & as::dim ? "dims" : "positions");
  return v - 1;
}
int64_t shown_position(int64_t v, unsigned as) { return (as & (as::dim | as::index)) && v >= 0 ? v + 1 : v; }

Scalar read_scalar(lua_State* L, int i) {
  if (lua_isboolean(L, i)) return Scalar(bool(lua_toboolean(L, i)));
  if (lua_isinteger(L, i)) return Scalar(int64_t(lua_tointeger(L, i)));
  if (lua_type(L, i) == LUA_TNUMBER) return Scalar(double(lua_tonumber(L, i)));
  if (one_element(L, i, false)) return to_box<Tensor>(L, i)->item();
  wrong(L, i, "a number");
}

double read_number(lua_State* L, int i) {
  if (lua_isboolean(L, i)) wrong(L, i, "a number");
  return read_scalar(L, i).value();
}

// A list in which torch.none, where it is allowed, stands for -1.
std::vector<double> read_numbers(lua_State* L, int i, unsigned as) {
  std::vector<double> v;
  if (lua_type(L, i) == LUA_TNUMBER) return {lua_tonumber(L, i)};
  if (!lua_istable(L, i)) wrong(L, i, "a list of numbers");
  each_element(L, i,
               [&](int at, lua_Integer) { v.push_back(as & as::holes && is_none(L, at) ? -1 : read_number(L, at)); });
  return v;
}

// The same of integers.
Ints check_ints_or_none(lua_State* L, int index) {
  Ints v;
  each_element(L, index, [&](int at, lua_Integer k) {
    if (lua_isnil(L, at))
      throw Error("expects a list of integers, but its element {} is nil; torch.none keeps the extent", k);
    v.push_back(is_none(L, at) ? -1 : check_integer(L, at));
  });
  return v;
}

Ints read_ints(lua_State* L, int index, unsigned as, int count) {
  if (as & as::holes && lua_istable(L, index)) return check_ints_or_none(L, index);
  Ints v = count > 1 ? check_sizes(L, index, count) : check_ints(L, index);
  for (auto& x : v) x = position(x, as);
  return v;
}

// A pair of lists of dims, {{1, 2}, {3, 1}}: numbers, as::dim; one list after the other.
std::vector<double> read_dim_pairs(lua_State* L, int index, const FieldInfo& info) {
  if (!lua_istable(L, index) || luaL_len(L, index) != 2) wrong(L, index, expectation(info));
  std::vector<double> all;
  for (lua_Integer k = 1; k <= 2; ++k) {
    lua_geti(L, index, k);
    const Ints half = read_ints(L, lua_gettop(L), info.as, 1);
    lua_pop(L, 1);
    if (k == 2 && size_t(half.size()) != all.size())
      throw Error("expects as many dims of the one as of the other, got {} and {}", all.size(), half.size());
    all.insert(all.end(), half.begin(), half.end());
  }
  return all;
}

}  // namespace

bool is_none(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return true;
  if (lua_type(L, index) != LUA_TUSERDATA) return false;
  push_none(L);
  bool same = lua_rawequal(L, lua_absindex(L, index < 0 ? index - 1 : index), -1);
  lua_pop(L, 1);
  return same;
}

int64_t check_integer(lua_State* L, int index) {
  int ok = 0;
  lua_Integer v = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &ok) : 0;
  if (ok) return v;
  if (one_element(L, index, true)) return to_box<Tensor>(L, index)->item().integer();
  wrong(L, index, "an integer");
}

Ints check_sizes(lua_State* L, int index, int n) {
  Ints v;
  for (int i = 0; i < n; ++i) v.push_back(check_integer(L, index + i));
  return v;
}

Ints check_ints(lua_State* L, int index) {
  if (const Shape* s = to_box<Shape>(L, index)) return *s;
  if (!lua_istable(L, index)) {
    if (!is_integer(L, index) && !one_element(L, index, true)) wrong(L, index, "an integer or a list of integers");
    return {check_integer(L, index)};
  }
  Ints v;
  each_element(L, index, [&](int at, lua_Integer k) {
    if (!is_integer(L, at) && !one_element(L, at, true))
      throw Error("expects a list of integers, but its element {} is {}", k, given_text(L, at));
    v.push_back(check_integer(L, at));
  });
  return v;
}

bool accepts(lua_State* L, int i, const FieldInfo& info, bool loose) {
  if (is_none(L, i)) return info.optional;
  switch (info.kind) {
    case AttrKind::boolean: return lua_isboolean(L, i);
    case AttrKind::integer: return is_integer(L, i) || (loose && one_element(L, i, true));
    case AttrKind::number: return lua_type(L, i) == LUA_TNUMBER || (loose && one_element(L, i, false));
    case AttrKind::scalar:
      return lua_type(L, i) == LUA_TNUMBER || lua_isboolean(L, i) || (loose && one_element(L, i, false));
    case AttrKind::text: return lua_type(L, i) == LUA_TSTRING;
    case AttrKind::ints:
      return is_integer(L, i) || (is_list(L, i) && (loose || !lists_tensors(L, i))) ||
             (loose && one_element(L, i, true));
    case AttrKind::numbers:
      return (lua_type(L, i) == LUA_TNUMBER && !(info.as & as::dim)) ||
             (lua_istable(L, i) && (loose || !lists_tensors(L, i)));
    case AttrKind::dtype: return to_box<Dtype>(L, i) || lua_type(L, i) == LUA_TSTRING;
    case AttrKind::device: return to_box<DeviceName>(L, i) || lua_type(L, i) == LUA_TSTRING;
    case AttrKind::format: return to_box<MemoryFormat>(L, i) || lua_type(L, i) == LUA_TSTRING;
    case AttrKind::tensor: return to_box<Tensor>(L, i);
    case AttrKind::none: break;
  }
  return false;
}

Attr read_attr(lua_State* L, int i, const FieldInfo& info, int count) {
  if (is_none(L, i)) {
    if (info.optional) return {};
    wrong(L, i, expectation(info));
  }
  switch (info.kind) {
    case AttrKind::boolean:
      if (!lua_isboolean(L, i)) wrong(L, i, expectation(info));
      return bool(lua_toboolean(L, i));
    case AttrKind::integer: return position(check_integer(L, i), info.as);
    case AttrKind::number: return read_number(L, i);
    case AttrKind::scalar: return read_scalar(L, i);
    case AttrKind::text: {
      size_t n = 0;
      const char* s = lua_type(L, i) == LUA_TSTRING ? lua_tolstring(L, i, &n) : nullptr;
      if (!s) wrong(L, i, expectation(info));
      return std::string(s, n);
    }
    case AttrKind::ints: return read_ints(L, i, info.as, count);
    case AttrKind::numbers:
      if (info.as & as::dim) return read_dim_pairs(L, i, info);
      return read_numbers(L, i, info.as);
    case AttrKind::dtype: return check_dtype(L, i);
    case AttrKind::device: return &check_device(L, i);
    case AttrKind::format: return check_format(L, i);
    case AttrKind::tensor:
      if (const Tensor* t = to_box<Tensor>(L, i)) return *t;
      wrong(L, i, expectation(info));
    case AttrKind::none: break;
  }
  return {};
}

const char* expectation(const FieldInfo& info) {
  switch (info.kind) {
    case AttrKind::boolean: return "true or false";
    case AttrKind::integer: return info.as & as::dim ? "a dim (an integer)" : "an integer";
    case AttrKind::number:
    case AttrKind::scalar: return "a number";
    case AttrKind::text: return "a string";
    case AttrKind::ints: return info.as & as::dim ? "a dim or a list of dims" : "an integer or a list of integers";
    case AttrKind::numbers:
      return info.as & as::dim ? "two lists of dims, such as {{1, 2}, {2, 1}}" : "a list of numbers";
    case AttrKind::dtype: return "a dtype such as torch.float32";
    case AttrKind::device: return "a device such as 'cpu' or 'cuda:0'";
    case AttrKind::format: return "a memory format such as torch.channels_last";
    case AttrKind::tensor: return "a tensor";
    case AttrKind::none: break;
  }
  return "nothing";
}

std::string given_text(lua_State* L, int i) {
  if (const Tensor* t = to_box<Tensor>(L, i)) return *t ? "a " + describe(*t) + " tensor" : "a tensor that was freed";
  switch (lua_type(L, i)) {
    case LUA_TNONE: return "nothing";
    case LUA_TNIL: return "nil";
    case LUA_TBOOLEAN: return lua_toboolean(L, i) ? "true" : "false";
    case LUA_TSTRING: {
      std::string s = lua_tostring(L, i);
      return "string '" + (s.size() > 40 ? s.substr(0, 40) + "..." : s) + "'";
    }
    case LUA_TNUMBER: {
      lua_pushvalue(L, i);
      std::string s = std::string("number ") + lua_tostring(L, -1);
      lua_pop(L, 1);
      return s;
    }
    default: break;
  }
  if (is_none(L, i)) return "torch.none";
  if (luaL_getmetafield(L, i, "instance") != LUA_TNIL) {  // a class of modules
    luaL_getmetafield(L, i, "name");
    const std::string name = lua_tostring(L, -1);
    lua_pop(L, 2);
    return "the class " + name + " (call it to make one)";
  }
  std::string s = "a ";
  if (luaL_getmetafield(L, i, "__name") == LUA_TSTRING) {
    s += lua_tostring(L, -1);
    lua_pop(L, 1);
    return s;
  }
  return s + luaL_typename(L, i);
}

void refuse_self(lua_State* L, const char* expected, const char* variable) {
  lua_Debug ar;
  const bool named = variable && lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) && ar.name && *ar.namewhat;
  throw Error("expects {}, got {} (a method takes a colon{})", expected, given_text(L, 1),
              named ? fmt::format(": {}:{}(...)", variable, ar.name) : "");
}

namespace {
struct AttrPusher {
  lua_State* L;
  unsigned as;
  void operator()(std::monostate) const { lua_pushnil(L); }
  void operator()(bool v) const { lua_pushboolean(L, v); }
  void operator()(int64_t v) const { lua_pushinteger(L, shown_position(v, as)); }
  void operator()(double v) const { lua_pushnumber(L, v); }
  void operator()(const Scalar& s) const {
    if (s.kind() == Scalar::Kind::boolean)
      lua_pushboolean(L, s.to<bool>());
    else if (s.is_floating())
      lua_pushnumber(L, s.value());
    else
      lua_pushinteger(L, s.integer());
  }
  void operator()(const std::string& s) const { lua_pushlstring(L, s.data(), s.size()); }
  template <class List>
  void list(const List& v) const {
    push_items(L, v, *this);
  }
  void operator()(const Ints& v) const { list(v); }
  // Of dims: those of one tensor, then as many of another, as two lists.
  void operator()(const std::vector<double>& v) const {
    if (!(as & as::dim)) return list(v);
    lua_createtable(L, 2, 0);
    for (size_t half : {0, 1}) {
      Ints dims;
      for (size_t i = 0; i < v.size() / 2; ++i) dims.push_back(int64_t(v[half * (v.size() / 2) + i]));
      list(dims);
      lua_rawseti(L, -2, lua_Integer(half) + 1);
    }
  }
  void operator()(Dtype d) const { push_dtype(L, d); }
  void operator()(Device* d) const { d ? push_device(L, *d) : lua_pushnil(L); }
  void operator()(MemoryFormat f) const { push_format(L, f); }
  void operator()(const Tensor& t) const { t ? static_cast<void>(push_box<Tensor>(L, t)) : lua_pushnil(L); }
};
}  // namespace

void push_attr(lua_State* L, const Attr& value, unsigned as) { std::visit(AttrPusher{L, as}, value); }

std::string lua_text(const Attr& value, unsigned as) {
  if (auto* i = std::get_if<int64_t>(&value)) return std::to_string(shown_position(*i, as));
  Attr moved = value;
  if (auto* list = std::get_if<Ints>(&moved))
    for (auto& v : *list) v = shown_position(v, as);
  std::string s = to_string(moved);
  bool braces = std::holds_alternative<Ints>(moved) || std::holds_alternative<std::vector<double>>(moved);
  if (braces) s.front() = '{', s.back() = '}';
  return s;
}

}  // namespace luth::lang
