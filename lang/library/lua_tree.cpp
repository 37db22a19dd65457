#include "lang/library/lua_tree.h"

#include <algorithm>
#include <vector>

#include "lang/collector/cycle_collector.h"
#include "lang/library/lua_objects.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

class TreeReader {
 public:
  explicit TreeReader(lua_State* L)
      : L_(L), objects_(L, [this](const std::string& place) {
          path_.push_back(place);
          io::Item item = read(lua_gettop(L_));
          path_.pop_back();
          return item;
        }) {}

  io::Item read(int index) {
    index = lua_absindex(L_, index);
    luaL_checkstack(L_, 8, "too many nested tables");
    switch (lua_type(L_, index)) {
      case LUA_TNIL: return {};
      case LUA_TBOOLEAN: return bool(lua_toboolean(L_, index));
      case LUA_TNUMBER:
        if (lua_isinteger(L_, index)) return int64_t(lua_tointeger(L_, index));
        return double(lua_tonumber(L_, index));
      case LUA_TSTRING: return text(index);
      default: break;
    }
    if (is_none(L_, index)) return {};
    if (to_tensor(L_, index)) return check_tensor(L_, index);
    if (io::Item object; objects_.write_object(index, object)) return object;
    if (luaL_getmetafield(L_, index, "__pairs") != LUA_TNIL) return object(index);
    if (lua_istable(L_, index)) return table(index);
    throw Error(
        "{} is {}, which has no form in a file; save numbers, strings, booleans, tensors, modules, optimizers and "
        "tables of "
        "them",
        path(), given_text(L_, index));
  }

 private:
  std::string text(int index) {
    size_t n;
    const char* s = lua_tolstring(L_, index, &n);
    return std::string(s, n);
  }
  std::string path() const {
    std::string s = "value";
    for (auto& p : path_) s += p;
    return s;
  }
  io::Key key(int index) {
    if (lua_isinteger(L_, index)) return int64_t(lua_tointeger(L_, index));
    if (lua_type(L_, index) == LUA_TSTRING) return text(index);
    throw Error("{} has the key {}; keys in a file are strings and integers", path(), given_text(L_, index));
  }
  // A cycle would never end: every table on the way here is remembered.
  struct Inside {
    TreeReader& r;
    Inside(TreeReader& reader, const void* object) : r(reader) {
      if (std::find(r.open_.begin(), r.open_.end(), object) != r.open_.end())
        throw Error("{} contains itself; a file cannot hold a cycle", r.path());
      if (r.open_.size() >= size_t(io::max_depth))
        throw Error("{} is nested more than {} deep", r.path(), io::max_depth);
      r.open_.push_back(object);
    }
    ~Inside() { r.open_.pop_back(); }
  };
  void push_key(const io::Key& k) {
    if (k.index() == 0)
      lua_pushinteger(L_, std::get<0>(k));
    else
      lua_pushlstring(L_, std::get<1>(k).data(), std::get<1>(k).size());
  }
  io::Item child(const io::Key& k) {
    path_.push_back(k.index() == 0 ? "[" + std::to_string(std::get<0>(k)) + "]" : "." + std::get<1>(k));
    io::Item item = read(lua_gettop(L_));
    path_.pop_back();
    return item;
  }

  io::Item table(int index) {
    Inside inside(*this, lua_topointer(L_, index));
    const int64_t n = int64_t(lua_rawlen(L_, index));
    std::vector<io::Key> keys;
    for (lua_pushnil(L_); lua_next(L_, index); lua_pop(L_, 1)) keys.push_back(key(lua_gettop(L_) - 1));
    std::sort(keys.begin(), keys.end());  // files do not vary, and an object comes before what refers to it
    std::vector<std::pair<io::Key, io::Item>> entries;
    for (auto& k : keys) {
      push_key(k);
      lua_rawget(L_, index);
      entries.emplace_back(k, child(k));
      lua_pop(L_, 1);
    }
    if (n > 0 && int64_t(keys.size()) == n && keys.back() == io::Key(n)) {
      io::List list;
      for (auto& e : entries) list.push_back(std::move(e.second));
      return list;
    }
    io::Map map;
    for (auto& e : entries) map.add(std::move(e.first), std::move(e.second));
    return map;
  }

  // An object with __pairs, which decides the order. The metafield is on top of the stack.
  io::Item object(int index) {
    Inside inside(*this, lua_topointer(L_, index));
    io::Map map;
    each_pair(L_, index, [&] {
      io::Key k = key(lua_gettop(L_) - 1);
      map.set(k, child(k));
    });
    return map;
  }

  lua_State* L_;
  ObjectWriter objects_;
  std::vector<std::string> path_;
  std::vector<const void*> open_;
};

class TreePusher {
 public:
  // `kept` is the stack index of a table that keeps objects while the tree is pushed.
  TreePusher(lua_State* L, int kept) : L(L), objects_(L, kept, [this](const io::Item& item) { push(item); }) {}
  void push(const io::Item& item) {
    luaL_checkstack(L, 8, "too many nested tables");
    std::visit([this](auto& v) { (*this)(v); }, item.value);
  }

  void operator()(std::monostate) { lua_pushnil(L); }
  void operator()(bool v) { lua_pushboolean(L, v); }
  void operator()(int64_t v) { lua_pushinteger(L, v); }
  void operator()(double v) { lua_pushnumber(L, v); }
  void operator()(const std::string& v) { lua_pushlstring(L, v.data(), v.size()); }
  void operator()(const Tensor& v) { push_tensor(L, v); }
  void operator()(const io::List& v) {
    push_items(L, v, [&](auto& item) { push(item); });
  }
  void operator()(const io::Map& v) {
    if (!v.kind.empty()) return objects_.push_object(v);
    lua_createtable(L, 0, int(v.size()));
    for (auto& e : v) {
      if (e.key.index() == 0)
        lua_pushinteger(L, std::get<0>(e.key));
      else
        (*this)(std::get<1>(e.key));
      push(e.value);
      lua_rawset(L, -3);
    }
  }

 private:
  lua_State* L;
  ObjectReader objects_;
};

}  // namespace

io::Item to_item(lua_State* L, int index) { return TreeReader(L).read(index); }

void push_item(lua_State* L, const io::Item& item) {
  luaL_checkstack(L, 8, "too many nested tables");
  {
    const CollectorStop stop(L);
    lua_newtable(L);
    TreePusher(L, lua_gettop(L)).push(item);
    lua_remove(L, -2);
  }
  collect_if_due(L);
}

}  // namespace luth::lang
