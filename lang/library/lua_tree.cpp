#include "lang/library/lua_tree.h"

#include <algorithm>
#include <vector>

#include "lang/nn/nn.h"
#include "lang/optim/optim.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

class TreeReader {
 public:
  explicit TreeReader(lua_State* L) : L_(L) {}

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
    refuse_object(index);
    if (luaL_getmetafield(L_, index, "__pairs") != LUA_TNIL) return object(index);
    if (lua_istable(L_, index)) return table(index);
    throw Error("{} is {}, which has no form in a file; save numbers, strings, booleans, tensors and tables of them",
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
  // Objects cannot be saved, because they contain code; their state dicts can.
  void refuse_object(int index) const {
    const char* name = to_module(L_, index)                     ? "model"
                       : to_box<optim::OptimizerRef>(L_, index) ? "optimizer"
                       : to_box<optim::ScheduleRef>(L_, index)  ? "schedule"
                                                                : nullptr;
    if (name)
      throw Error("{} is {}, which has no form in a file; save {}:state_dict(), and load it into one made anew", path(),
                  given_text(L_, index), name);
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
  io::Item child(const io::Key& k) {
    path_.push_back(k.index() == 0 ? "[" + std::to_string(std::get<0>(k)) + "]" : "." + std::get<1>(k));
    io::Item item = read(lua_gettop(L_));
    path_.pop_back();
    return item;
  }

  io::Item table(int index) {
    Inside inside(*this, lua_topointer(L_, index));
    int64_t n = int64_t(lua_rawlen(L_, index)), count = 0;
    io::Map map;
    std::vector<std::pair<io::Key, io::Item>> entries;
    lua_pushnil(L_);
    while (lua_next(L_, index)) {
      io::Key k = key(lua_gettop(L_) - 1);
      entries.emplace_back(k, child(k));
      ++count;
      lua_pop(L_, 1);
    }
    std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });  // files do not vary
    if (n > 0 && count == n && entries.back().first == io::Key(n)) {
      io::List list;
      for (auto& e : entries) list.push_back(std::move(e.second));
      return list;
    }
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
  std::vector<std::string> path_;
  std::vector<const void*> open_;
};

struct TreePusher {
  lua_State* L;
  void operator()(std::monostate) { lua_pushnil(L); }
  void operator()(bool v) { lua_pushboolean(L, v); }
  void operator()(int64_t v) { lua_pushinteger(L, v); }
  void operator()(double v) { lua_pushnumber(L, v); }
  void operator()(const std::string& v) { lua_pushlstring(L, v.data(), v.size()); }
  void operator()(const Tensor& v) { push_tensor(L, v); }
  void operator()(const io::List& v) {
    push_items(L, v, [&](auto& item) { push_item(L, item); });
  }
  void operator()(const io::Map& v) {
    lua_createtable(L, 0, int(v.size()));
    for (auto& e : v) {
      if (e.key.index() == 0)
        lua_pushinteger(L, std::get<0>(e.key));
      else
        (*this)(std::get<1>(e.key));
      push_item(L, e.value);
      lua_rawset(L, -3);
    }
  }
};

}  // namespace

io::Item to_item(lua_State* L, int index) { return TreeReader(L).read(index); }

void push_item(lua_State* L, const io::Item& item) {
  luaL_checkstack(L, 8, "too many nested tables");
  std::visit(TreePusher{L}, item.value);
}

}  // namespace luth::lang
