#include "lang/values/show.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/visible.h"
#include "core/tensor/print.h"
#include "lang/hints/lua_lexer.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

constexpr size_t most_text = 200, short_item = 48, few_keys = 20;

bool is_name(std::string_view s) {
  const auto tokens = lua_tokens(s);
  return tokens.size() == 1 && tokens[0].kind == LuaToken::Kind::name && tokens[0].end == s.size();
}

// How much of a table is shown. The first of the list that fits on the screen is taken.
struct Bounds {
  size_t entries, depth;
};
constexpr Bounds bounds[] = {{400, 5}, {120, 5}, {40, 5}, {20, 4},  {12, 4}, {8, 3},
                             {5, 3},   {8, 2},   {3, 3},  {100, 1}, {10, 1}};
constexpr size_t most_values = 2000;  // of all tables

struct Screen {
  size_t lines = 40, columns = 100;  // where there is no terminal

  static Screen of_terminal() {
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 12) return {};
    return {std::min<size_t>(size.ws_row - 2, 100), std::clamp<size_t>(size.ws_col, 20, 100)};
  }
  // Whether the text leaves a line free, where long lines wrap.
  bool fits(std::string_view text) const {
    size_t rows = 0, column = 0;
    for (char c : text) {
      if (c == '\n' || column == columns) ++rows, column = 0;
      column += c != '\n' && (c & 0xc0) != 0x80;
    }
    return rows < lines;
  }
};

// A key of a table: numbers come first, then names, then others.
struct Key {
  int kind = 2;
  lua_Number number = 0;
  std::string name;
  bool operator<(const Key& o) const {
    if (kind != o.kind) return kind < o.kind;
    return kind == 0 ? number < o.number : name < o.name;
  }
};

class Shower {
 public:
  Shower(lua_State* L, Bounds b, size_t width) : L_(L), most_(b), width_(width) {}

  std::string table(int index) {
    index = lua_absindex(L_, index);
    luaL_checkstack(L_, 12, nullptr);
    const void* here = lua_topointer(L_, index);
    if (std::find(open_.begin(), open_.end(), here) != open_.end()) return "{…: itself}";
    if (open_.size() >= most_.depth) return "{…}";
    open_.push_back(here);
    Items items;
    entries(index, items);
    open_.pop_back();
    return join(items);
  }
  // Whether there were more values than anybody reads.
  bool too_many() const { return values_ > most_values; }

 private:
  struct Items {
    std::vector<std::string> all;
    size_t named = 0, left_out = 0;
    bool full(size_t most) const { return all.size() >= most; }
  };

  // The positions 1 … n, then the other keys in order; an object with __pairs has an order of its own.
  void entries(int index, Items& items) {
    if (!takes_late_names(L_, index) && luaL_getmetafield(L_, index, "__pairs") != LUA_TNIL) {
      lua_pop(L_, 1);
      own_order(index, items);
    } else {
      const auto n = lua_Integer(lua_rawlen(L_, index));
      for (lua_Integer i = 1; i <= n && !too_many(); ++i) {
        if (items.full(most_.entries)) {
          items.left_out += size_t(n - i + 1);
          break;
        }
        lua_rawgeti(L_, index, i);
        items.all.push_back(value(-1));
        lua_pop(L_, 1);
      }
      others(index, n, items);
    }
    if (items.left_out) items.all.push_back("… " + std::to_string(items.left_out) + " more");
  }

  void others(int index, lua_Integer n, Items& items) {
    const int top = lua_gettop(L_);
    std::vector<std::pair<Key, std::string>> named;
    make_late_names(L_, index);
    const size_t room = most_.entries - std::min(most_.entries, items.all.size());
    std::vector<Key> keys;
    for (lua_pushnil(L_); lua_next(L_, index); lua_pop(L_, 1))
      if (!lua_isinteger(L_, -2) || lua_tointeger(L_, -2) < 1 || lua_tointeger(L_, -2) > n) keys.push_back(key_of(-2));
    const size_t shown = std::min(room, keys.size());
    std::partial_sort(keys.begin(), keys.begin() + long(shown), keys.end());
    items.left_out += keys.size() - shown;
    if (shown == 0) return;
    const Key last = keys[shown - 1];
    for (lua_pushnil(L_); lua_next(L_, index) && !too_many(); lua_pop(L_, 1)) {
      if (lua_isinteger(L_, -2) && lua_tointeger(L_, -2) >= 1 && lua_tointeger(L_, -2) <= n) continue;
      Key k = key_of(-2);
      if (!(last < k)) named.emplace_back(std::move(k), key(-2) + " = " + value(-1));
    }
    lua_settop(L_, top);
    std::stable_sort(named.begin(), named.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (auto& [k, text] : named) items.all.push_back(std::move(text)), ++items.named;
  }

  Key key_of(int index) {
    switch (lua_type(L_, index)) {
      case LUA_TNUMBER: return {0, lua_tonumber(L_, index), ""};
      case LUA_TSTRING: return {1, 0, lua_tostring(L_, index)};
      default: return {2, 0, fmt::format("{}", lua_topointer(L_, index))};
    }
  }

  void own_order(int index, Items& items) {
    luaL_getmetafield(L_, index, "__pairs");
    each_pair(L_, index, [&] {
      if (!items.full(most_.entries) && !too_many())
        items.all.push_back(key(-2) + " = " + value(-1)), ++items.named;
      else
        ++items.left_out;
    });
  }

  std::string key(int index) {
    if (lua_type(L_, index) == LUA_TSTRING) {
      std::string s = lua_tostring(L_, index);
      return is_name(s) ? s : "[" + quoted(s, most_text) + "]";
    }
    return "[" + value(index) + "]";
  }

  std::string value(int index) {
    ++values_;
    index = lua_absindex(L_, index);
    if (const Tensor* t = to_tensor(L_, index); t && *t) {
      std::string s = t->numel() <= 8 ? to_string(*t) : "";
      return s.empty() || s.find('\n') != s.npos ? describe(*t) + " tensor" : s;
    }
    if (is_shown(L_, index)) return table(index);
    luaL_checkstack(L_, 4, nullptr);
    size_t n = 0;
    if (lua_type(L_, index) == LUA_TSTRING) {
      const char* p = lua_tolstring(L_, index, &n);
      return quoted({p, n}, most_text);
    }
    if (lua_isfunction(L_, index)) return "function";
    const char* p = luaL_tolstring(L_, index, &n);
    std::string s(p, std::min(n, most_text));
    if (n > most_text) s += "…";
    lua_pop(L_, 1);
    return s;
  }

  // On one line where that is short, else a line for each entry; short ones share lines, if they are elements or many.
  std::string join(const Items& items) const {
    const size_t indent = 2 * open_.size(), columns = width_ - std::min(width_, indent);
    size_t width = 2;
    bool lines = false;
    for (auto& s : items.all) width += s.size() + 2, lines |= s.find('\n') != s.npos;
    lines |= width > columns;
    std::string all = "{";
    const size_t elements = items.all.size() - items.named;
    const bool many = items.named + items.left_out > few_keys;
    size_t column = 0;
    for (size_t i = 0; i < items.all.size(); ++i) {
      const std::string& s = items.all[i];
      const bool packed = s.size() <= short_item && s.find('\n') == s.npos && (i < elements || many);
      const bool goes_on = i > 0 && (!lines || (packed && column > 0 && column + s.size() + 3 <= columns));
      all += i ? "," : "";
      if (goes_on || !lines)
        all += i ? " " : "";
      else
        all += "\n  ", column = 0;
      for (char c : s) all += c == '\n' && lines ? std::string("\n  ") : std::string(1, c);
      column = packed ? column + s.size() + 2 : 0;
    }
    return all + (lines ? "\n}" : "}");
  }

  lua_State* L_;
  Bounds most_;
  size_t width_, values_ = 0;
  std::vector<const void*> open_;
};

int show_value(lua_State* L) {
  const Screen screen = Screen::of_terminal();
  std::string s;
  for (const Bounds& b : bounds) {
    lua_settop(L, 1);
    Shower shower(L, b, screen.columns);
    s = shower.table(1);
    if (!shower.too_many() && screen.fits(s)) break;
  }
  return lua_pushlstring(L, s.data(), s.size()), 1;
}

}  // namespace

std::string quoted(std::string_view text, size_t most) {
  std::string s = "'";
  size_t at = 0;
  while (at < text.size() && at < most) {
    const char c = text[at];
    const size_t n = std::max<size_t>(1, utf8_length(text.substr(at)));
    if (c == '\n' || c == '\t' || c == '\r')
      s += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else if (c == '\'' || c == '\\')
      s += std::string("\\") + c;
    else
      s += foreign(text.substr(at, n));
    at += n;
  }
  return s + (at < text.size() ? fmt::format("…' ({} bytes)", text.size()) : "'");
}

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
