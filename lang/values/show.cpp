#include "lang/values/show.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/tensor/print.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr size_t most_depth = 4, most_entries = 40, line_width = 100, most_text = 200;

bool is_name(std::string_view s) {
  return !s.empty() && (isalpha(static_cast<unsigned char>(s[0])) || s[0] == '_') &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return isalnum(c) || c == '_'; });
}

class Shower {
 public:
  explicit Shower(lua_State* L) : L_(L) {}

  std::string table(int index) {
    index = lua_absindex(L_, index);
    luaL_checkstack(L_, 12, nullptr);
    const void* here = lua_topointer(L_, index);
    if (std::find(open_.begin(), open_.end(), here) != open_.end()) return "{…: itself}";
    if (open_.size() >= most_depth) return "{…}";
    open_.push_back(here);
    std::vector<std::string> items = entries(index);
    open_.pop_back();
    return join(items);
  }

 private:
  // The positions 1 … n, then the other keys in order; an object with __pairs has an order of its own.
  std::vector<std::string> entries(int index) {
    std::vector<std::string> items;
    size_t left_out = 0;
    if (luaL_getmetafield(L_, index, "__pairs") != LUA_TNIL) {
      lua_pop(L_, 1);
      own_order(index, items, left_out);
    } else {
      lua_Integer n = lua_Integer(lua_rawlen(L_, index));
      for (lua_Integer i = 1; i <= n; ++i) {
        if (items.size() == most_entries) {
          left_out += size_t(n - i + 1);
          break;
        }
        lua_rawgeti(L_, index, i);
        items.push_back(value(-1));
        lua_pop(L_, 1);
      }
      others(index, n, items, left_out);
    }
    if (left_out) items.push_back("… " + std::to_string(left_out) + " more");
    return items;
  }

  void others(int index, lua_Integer n, std::vector<std::string>& items, size_t& left_out) {
    std::vector<std::string> named;
    make_late_names(L_, index);
    for (lua_pushnil(L_); lua_next(L_, index); lua_pop(L_, 1)) {
      if (lua_isinteger(L_, -2) && lua_tointeger(L_, -2) >= 1 && lua_tointeger(L_, -2) <= n) continue;
      if (named.size() >= 10 * most_entries)
        ++left_out;
      else
        named.push_back(key(-2) + " = " + value(-1));
    }
    std::sort(named.begin(), named.end());
    for (auto& s : named)
      if (items.size() < most_entries)
        items.push_back(std::move(s));
      else
        ++left_out;
  }

  void own_order(int index, std::vector<std::string>& items, size_t& left_out) {
    luaL_getmetafield(L_, index, "__pairs");
    each_pair(L_, index, [&] {
      if (items.size() < most_entries)
        items.push_back(key(-2) + " = " + value(-1));
      else
        ++left_out;
    });
  }

  std::string key(int index) {
    if (lua_type(L_, index) == LUA_TSTRING) {
      std::string s = lua_tostring(L_, index);
      return is_name(s) ? s : "['" + s + "']";
    }
    return "[" + value(index) + "]";
  }

  std::string value(int index) {
    index = lua_absindex(L_, index);
    if (const Tensor* t = to_tensor(L_, index); t && *t) {
      std::string s = t->numel() <= 8 ? to_string(*t) : "";
      return s.empty() || s.find('\n') != s.npos ? describe(*t) + " tensor" : s;
    }
    if (is_shown(L_, index)) return table(index);
    luaL_checkstack(L_, 4, nullptr);
    size_t n = 0;
    const char* p = luaL_tolstring(L_, index, &n);
    std::string s(p, std::min(n, most_text));
    if (n > most_text) s += "…";
    lua_pop(L_, 1);
    return lua_type(L_, index) == LUA_TSTRING ? "'" + s + "'" : s;
  }

  // On one line where that is short, else a line for each entry.
  static std::string join(const std::vector<std::string>& items) {
    size_t width = 2;
    bool lines = false;
    for (auto& s : items) width += s.size() + 2, lines |= s.find('\n') != s.npos;
    lines |= width > line_width;
    std::string all = "{";
    for (size_t i = 0; i < items.size(); ++i) {
      all += i ? "," : "";
      all += lines ? "\n  " : i ? " " : "";
      for (char c : items[i]) all += c == '\n' && lines ? std::string("\n  ") : std::string(1, c);
    }
    return all + (lines ? "\n}" : "}");
  }

  lua_State* L_;
  std::vector<const void*> open_;
};

int show_value(lua_State* L) {
  std::string s = Shower(L).table(1);
  return lua_pushlstring(L, s.data(), s.size()), 1;
}

}  // namespace

int shown_text(lua_State* L) { return lua_settop(L, 1), guarded<show_value>(L); }

bool is_shown(lua_State* L, int index) {
  if (!lua_istable(L, index)) return false;
  if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) return true;
  const bool plain = lua_tocfunction(L, -1) == shown_text;
  return lua_pop(L, 1), plain;
}

// Under a pcall: a metamethod that fails leaves Lua's own text.
void show(lua_State* L, int index) {
  index = lua_absindex(L, index);
  lua_pushcfunction(L, guarded<show_value>);
  lua_pushvalue(L, index);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
  lua_pop(L, 1);
  luaL_tolstring(L, index, nullptr);
}

}  // namespace luth::lang
