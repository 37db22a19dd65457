// The userdata of dtypes, devices, sizes, memory formats and torch.none, and their methods.
#include <algorithm>
#include <cstring>

#include "core/tensor/print.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/devices.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

constexpr const char* format_names[] = {"contiguous_format", "channels_last", "preserve_format"};
char dtypes_key, formats_key, device_names_key, none_key;  // of tables in the registry; the address is the key

[[noreturn]] void wrong(lua_State* L, int index, const char* expected) {
  throw Error("expects {}, got {}", expected, given_text(L, index));
}

std::string text_of(const DeviceName& p) {
  return p.index < 0 ? std::string(p.kind) : std::string(p.kind) + ":" + std::to_string(p.index);
}

DeviceName parse_device_name(std::string_view name) {
  DeviceName p;
  size_t colon = name.find(':');
  std::string_view kind = name.substr(0, colon);
  auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  bool ok = !kind.empty() && kind.size() < sizeof p.kind && std::all_of(kind.begin(), kind.end(), lower);
  std::memset(p.kind, 0, sizeof p.kind);
  if (ok) kind.copy(p.kind, sizeof p.kind - 1);
  if (ok && colon != std::string_view::npos) {
    std::string digits(name.substr(colon + 1));
    ok = !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (ok) p.index = std::stoi(digits);
  }
  if (!ok) throw Error("'{}' is no device; write 'cpu', 'meta' or 'cuda:0'", name);
  return p;
}

// ---- torch.Size ----

const Shape& self_size(lua_State* L) {
  const Shape* s = to_box<Shape>(L, 1);
  if (!s) wrong(L, 1, "a torch.Size");
  return *s;
}
int size_numel(lua_State* L) { return lua_pushinteger(L, self_size(L).numel()), 1; }
int size_len(lua_State* L) { return lua_pushinteger(L, self_size(L).size()), 1; }
int size_text(lua_State* L) { return lua_pushstring(L, size_string(self_size(L)).c_str()), 1; }
int size_list(lua_State* L) { return push_attr(L, Attr(Ints(self_size(L)))), 1; }
int size_equal(lua_State* L) {
  auto *a = to_box<Shape>(L, 1), *b = to_box<Shape>(L, 2);
  return lua_pushboolean(L, a && b && *a == *b), 1;
}
int size_index(lua_State* L) {
  const Shape& s = self_size(L);
  if (lua_type(L, 2) == LUA_TSTRING) {
    std::string_view key = lua_tostring(L, 2);
    if (key == "numel") return lua_pushcfunction(L, guarded<size_numel>), 1;
    if (key == "tolist") return lua_pushcfunction(L, guarded<size_list>), 1;
    throw Error("torch.Size has no field '{}'; it has [i], #, numel() and tolist()", key);
  }
  int ok = 0;
  lua_Integer i = lua_tointegerx(L, 2, &ok);
  if (!ok) throw Error("an index into torch.Size is an integer, got {}", given_text(L, 2));
  if (i == 0) throw Error("shape[0]: positions count from 1, shape[1] is the first extent (and shape[-1] the last)");
  if (i < 0) i += s.size() + 1;
  if (i < 1 || i > s.size()) return lua_pushnil(L), 1;
  return lua_pushinteger(L, s[i - 1]), 1;
}
// torch.Size{2, 3}, torch.Size(2, 3)
int size_make(lua_State* L) {
  int n = lua_gettop(L) - 1;  // the class itself is first
  push_size(L, n == 0 ? Shape() : n == 1 ? check_ints(L, 2) : check_sizes(L, 2, n));
  return 1;
}

// ---- texts and fields of the others ----

int dtype_text(lua_State* L) { return lua_pushstring(L, ("torch." + std::string(name(own<Dtype>(L)))).c_str()), 1; }
int dtype_index(lua_State* L) {
  Dtype d = own<Dtype>(L);
  std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "is_floating_point")
    lua_pushboolean(L, is_floating(d));
  else if (key == "itemsize")
    lua_pushinteger(L, lua_Integer(size_of(d)));
  else
    throw Error("a dtype has no field '{}'; it has is_floating_point and itemsize", key);
  return 1;
}
int device_text(lua_State* L) { return lua_pushstring(L, text_of(own<DeviceName>(L)).c_str()), 1; }
int device_index(lua_State* L) {
  const DeviceName& p = own<DeviceName>(L);
  std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "type")
    lua_pushstring(L, p.kind);
  else if (key == "index")
    p.index < 0 ? lua_pushnil(L) : lua_pushinteger(L, p.index);
  else if (key == "scope")
    lua_pushcfunction(L, guarded<device_scope>);
  else
    throw Error("a device has no field '{}'; it has type, index and scope()", key);
  return 1;
}
int format_text(lua_State* L) { return lua_pushfstring(L, "torch.%s", format_names[int(own<MemoryFormat>(L))]), 1; }
int none_text(lua_State* L) { return lua_pushliteral(L, "torch.none"), 1; }

// torch.device('cuda', 1), torch.device('cuda:1')
int make_device(lua_State* L) {
  if (to_box<DeviceName>(L, 1)) return lua_settop(L, 1), 1;
  if (lua_type(L, 1) != LUA_TSTRING) wrong(L, 1, "the name of a device");
  std::string text = lua_tostring(L, 1);
  if (!lua_isnoneornil(L, 2)) text += ":" + std::to_string(check_integer(L, 2));
  push_device_name(L, text);
  return 1;
}

template <class T>
void open_simple(lua_State* L, const char* name, lua_CFunction text, lua_CFunction index) {
  open_box<T>(L, name);
  lua_pushcfunction(L, text);
  lua_setfield(L, -2, "__tostring");
  if (index) lua_pushcfunction(L, index), lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

// The unique userdata number i of a kind, which the table at `key` in the registry holds.
void push_unique(lua_State* L, void* key, int i) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_rawgeti(L, -1, i);
  lua_remove(L, -2);
}

void open_size(lua_State* L, int torch) {
  open_box<Shape>(L, "torch.Size");
  const luaL_Reg metamethods[] = {{"__index", guarded<size_index>},
                                  {"__len", guarded<size_len>},
                                  {"__eq", guarded<size_equal>},
                                  {"__tostring", guarded<size_text>},
                                  {nullptr, nullptr}};
  luaL_setfuncs(L, metamethods, 0);
  lua_pop(L, 1);
  lua_newtable(L);  // the class: a name for torch.isinstance, and a constructor
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded<size_make>);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
  document(L, -1, "torch.Size{2, 3}\n  A shape: s[1], #s, s:numel(), s:tolist(). == compares two shapes.");
  lua_setfield(L, torch, "Size");
}

std::string dtype_help(const void* of) {
  const Dtype d = *static_cast<const Dtype*>(of);
  std::string kind = d == Dtype::boolean ? "true or false" : is_floating(d) ? "floats" : "integers";
  return fmt::format("torch.{}\n  A dtype: {} of {} byte{}. It has is_floating_point and itemsize.", name(d), kind,
                     size_of(d), size_of(d) == 1 ? "" : "s");
}

void open_dtypes(lua_State* L, int torch) {
  open_simple<Dtype>(L, "torch.dtype", guarded<dtype_text>, guarded<dtype_index>);
  lua_createtable(L, dtype_count, 0);
  for (int i = 0; i < dtype_count; ++i) {
    push_box(L, Dtype(i));
    document(L, -1, dtype_help, to_box<Dtype>(L, -1));
    lua_pushvalue(L, -1);
    lua_setfield(L, torch, std::string(name(Dtype(i))).c_str());
    lua_rawseti(L, -2, i);
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &dtypes_key);
  for (const char* alias : {"float", "double", "half", "short", "int", "long"}) {
    push_dtype(L, parse_dtype(alias));
    lua_setfield(L, torch, alias);
  }
}

constexpr const char* format_help[] = {
    "torch.contiguous_format\n  The order of elements in memory: row by row.",
    "torch.channels_last\n  The order of elements in memory: all channels of a pixel side by side.",
    "torch.preserve_format\n  The order of elements in memory: as the input has it."};

void open_formats(lua_State* L, int torch) {
  open_simple<MemoryFormat>(L, "torch.memory_format", guarded<format_text>, nullptr);
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; ++i) {
    push_box(L, MemoryFormat(i));
    document(L, -1, format_help[i]);
    lua_pushvalue(L, -1);
    lua_setfield(L, torch, format_names[i]);
    lua_rawseti(L, -2, i);
  }
  lua_rawsetp(L, LUA_REGISTRYINDEX, &formats_key);
}

}  // namespace

void push_dtype(lua_State* L, Dtype d) { push_unique(L, &dtypes_key, int(d)); }
void push_format(lua_State* L, MemoryFormat f) { push_unique(L, &formats_key, int(f)); }
void push_size(lua_State* L, const Shape& s) { push_box<Shape>(L, s); }
void push_none(lua_State* L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &none_key); }
void push_device(lua_State* L, const Device& d) { push_device_name(L, d.name()); }

void push_device_name(lua_State* L, std::string_view name) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &device_names_key);
  lua_pushlstring(L, name.data(), name.size());
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) == LUA_TNIL) {
    DeviceName p = parse_device_name(name);
    lua_pop(L, 1);
    push_box(L, p);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

Dtype check_dtype(lua_State* L, int index) {
  if (const Dtype* d = to_box<Dtype>(L, index)) return *d;
  if (lua_type(L, index) == LUA_TSTRING) return parse_dtype(lua_tostring(L, index));
  wrong(L, index, "a dtype such as torch.float32");
}

Device& check_device(lua_State* L, int index) {
  if (const DeviceName* p = to_box<DeviceName>(L, index)) return device(text_of(*p));
  if (lua_type(L, index) == LUA_TSTRING) return device(lua_tostring(L, index));
  wrong(L, index, "a device such as 'cpu' or 'cuda:0'");
}

MemoryFormat check_format(lua_State* L, int index) {
  if (const MemoryFormat* f = to_box<MemoryFormat>(L, index)) return *f;
  if (lua_type(L, index) == LUA_TSTRING) {
    std::string_view text = lua_tostring(L, index);
    if (text.starts_with("torch.")) text.remove_prefix(6);
    for (int i = 0; i < 3; ++i)
      if (text == format_names[i]) return MemoryFormat(i);
  }
  wrong(L, index, "a memory format such as torch.channels_last");
}

void open_values(lua_State* L) {
  int torch = lua_gettop(L);
  open_size(L, torch);
  open_dtypes(L, torch);
  open_formats(L, torch);
  open_simple<DeviceName>(L, "torch.device", guarded<device_text>, guarded<device_index>);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &device_names_key);
  lua_pushcfunction(L, guarded<make_device>);
  document(L, -1,
           "torch.device('cuda', 1)  or  torch.device('cuda:1')\n  A device. It has type and index. GPUs count from 0; "
           "'cuda' is the current GPU.\n  local _ <close> = torch.device('cuda:1'):scope()  or  :scope(f, ...): new "
           "tensors are on this device while the scope is open, or while f runs.");
  lua_setfield(L, torch, "device");
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, none_text);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
  document(L, -1,
           "torch.none, torch.newaxis\n  PyTorch's None where Lua's nil cannot stand: for a missing element of a list, "
           "and for an argument whose default is not None. Among indices it adds a dim of extent 1.");
  lua_pushvalue(L, -1);
  lua_setfield(L, torch, "none");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &none_key);
}

}  // namespace luth::lang
