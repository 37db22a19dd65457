// State dicts in Lua: a table from names to tensors whose pairs() keeps the order of the module.
#include <algorithm>
#include <utility>

#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/show.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// pairs(sd): first the names in the order of the metatable, then names that were added later, sorted.
int next_entry(lua_State* L) {  // upvalues: keys, position
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(1), ++i) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) break;  // removed since
    lua_pop(L, 2);
  }
  lua_pushinteger(L, i);
  lua_replace(L, lua_upvalueindex(2));
  return 2;
}
// Sorts elements first … last of a list by their text.
void sort_from(lua_State* L, int list, lua_Integer first, lua_Integer last) {
  std::vector<std::pair<std::string, int>> texts;  // with stack indices
  luaL_checkstack(L, int(last - first) + 8, "too many names");
  for (lua_Integer i = first; i <= last; ++i) {
    lua_rawgeti(L, list, i);
    std::string text = luaL_tolstring(L, -1, nullptr);
    lua_pop(L, 1);
    texts.emplace_back(std::move(text), lua_gettop(L));
  }
  std::sort(texts.begin(), texts.end());
  for (auto& [text, index] : texts) {
    lua_pushvalue(L, index);
    lua_rawseti(L, list, first++);
  }
  lua_settop(L, lua_gettop(L) - int(texts.size()));
}
// The names in the order of pairs: first those in the metatable's list, then the others, sorted.
void push_keys(lua_State* L, int dict) {
  lua_newtable(L);
  int keys = lua_gettop(L);
  lua_Integer n = 0;
  lua_newtable(L);  // those that are listed
  int seen = lua_gettop(L);
  if (luaL_getmetafield(L, dict, "order") == LUA_TTABLE) {
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
      lua_pushvalue(L, -1);
      lua_pushboolean(L, true);
      lua_rawset(L, seen);
      lua_rawseti(L, keys, ++n);
    }
    lua_pop(L, 2);
  }
  const lua_Integer ordered = n;
  for (lua_pushnil(L); lua_next(L, dict);) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    bool listed = lua_rawget(L, seen) != LUA_TNIL;
    lua_pop(L, 1);
    if (listed) continue;
    lua_pushvalue(L, -1);
    lua_rawseti(L, keys, ++n);
  }
  sort_from(L, keys, ordered + 1, n);
  lua_settop(L, keys);
}
int pairs(lua_State* L) {
  push_keys(L, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_entry, 2);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

struct DictOptions {
  int base = 1;
  bool strict = true, keep_vars = false;
  std::string prefix;
};
DictOptions read_options(lua_State* L, int index, const char* function, bool loading) {
  DictOptions d;
  if (loading && lua_isboolean(L, index)) return d.strict = lua_toboolean(L, index), d;
  NamedArguments o(L, index, function);
  d.base = int(o.integer("base", 1));
  if (loading) {
    d.strict = o.flag("strict", true);
  } else {
    d.keep_vars = o.flag("keep_vars", false);
    if (int i = o.get("prefix")) d.prefix = luaL_checkstring(L, i);
  }
  o.done();
  if (d.base != 0 && d.base != 1) throw Error("{}: base is 0 or 1, got {}", function, d.base);
  return d;
}

}  // namespace

void push_state_dict(lua_State* L, const nn::StateDict& dict, bool apart) {
  lua_createtable(L, 0, int(dict.size()));
  lua_createtable(L, 0, 3);
  push_items(L, dict, [&](auto& entry) {  // the list of names; the tensors go into the state dict
    lua_pushlstring(L, entry.name.data(), entry.name.size());
    lua_pushvalue(L, -1);
    if (entry.value)
      push_tensor(L, apart ? entry.value.detach() : entry.value);
    else
      push_values(L, nn::Values{entry.other});
    lua_rawset(L, -6);
  });
  lua_setfield(L, -2, "order");
  lua_pushcfunction(L, guarded<pairs>);
  lua_setfield(L, -2, "__pairs");
  lua_pushcfunction(L, shown_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "state_dict");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
}

nn::StateDict read_state_dict(lua_State* L, int index) {
  index = lua_absindex(L, index);
  nn::StateDict dict;
  push_keys(L, index);
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    if (lua_type(L, -1) != LUA_TSTRING)
      throw Error("load_state_dict: names are strings, got {}", given_text(L, lua_gettop(L)));
    std::string name = lua_tostring(L, -1);
    lua_rawget(L, index);
    nn::Argument value = to_argument(L, -1);
    const bool extra = name == "_extra_state" || name.ends_with("._extra_state");
    if (!value.is_tensor() && !extra && !lua_isnil(L, -1))
      throw Error("load_state_dict: '{}' is {}, no tensor", name, given_text(L, lua_gettop(L)));
    if (!lua_isnil(L, -1)) dict.push_back({name, value.tensor(), value});  // absent: removed from the table since
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return dict;
}

namespace {

class WithOptions {
 public:
  explicit WithOptions(StateOptions now) : before_(std::exchange(state_options, now)) {}
  ~WithOptions() { state_options = before_; }
  WithOptions(const WithOptions&) = delete;

 private:
  StateOptions before_;
};

int state_dict(lua_State* L) {
  DictOptions o = read_options(L, 2, "state_dict", false);
  const WithOptions scope({.keep_vars = o.keep_vars});
  push_state_dict(L, self_module(L).state_dict(o.base, o.prefix), !o.keep_vars);
  return 1;
}

int push_names(lua_State* L, const std::vector<std::string>& names) {
  return push_items(L, names, [&](auto& name) { lua_pushlstring(L, name.data(), name.size()); });
}

int load_state_dict(lua_State* L) {
  if (!lua_istable(L, 2)) throw Error("load_state_dict: expects a table of tensors by name, got {}", given_text(L, 2));
  DictOptions o = read_options(L, 3, "load_state_dict", true);
  const nn::StateDict from = read_state_dict(L, 2);
  const WithOptions scope({.strict = o.strict});
  nn::LoadResult r = self_module(L).load_state_dict(from, {o.strict, o.base});
  lua_createtable(L, 0, 2);
  push_names(L, r.missing);
  lua_setfield(L, -2, "missing_keys");
  push_names(L, r.unexpected);
  lua_setfield(L, -2, "unexpected_keys");
  return 1;
}

constexpr Row rows[] = {
    {"state_dict", guarded<state_dict>, "m:state_dict({base = 1, prefix = '', keep_vars = false})",
     "Parameters, buffers and extra state by dotted path; pairs() keeps their order. They share memory with the "
     "module. "
     "keep_vars gives the parameters themselves, which have a graph."},
    {"load_state_dict", guarded<load_state_dict>, "m:load_state_dict(dict, {strict = true, base = 1})",
     "Copies tensors by name, all or none. base = 0 takes PyTorch's names. Returns {missing_keys, unexpected_keys}."},
};

}  // namespace

void open_module_state(lua_State* L, int methods) { add_functions(L, methods, rows); }

}  // namespace luth::lang
