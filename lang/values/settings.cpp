#include "lang/values/settings.h"

#include <algorithm>

#include "core/base/text.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

bool is_hidden(const FieldInfo& f) { return f.as & (as::hidden | as::base); }

// An object may stand for a text: its metamethod __setting gives it.
Attr read_one(lua_State* L, int index, const FieldInfo& info, const std::string& function) {
  if (info.kind == AttrKind::text && luaL_callmeta(L, index, "__setting")) {
    const std::string text = lua_tostring(L, -1);
    return lua_pop(L, 1), text;
  }
  if ((info.as & as::word) && lua_type(L, index) == LUA_TSTRING) return std::string(lua_tostring(L, index));
  try {
    return read_attr(L, index, info);
  } catch (const Error& e) { throw Error("{}: argument '{}' {}", function, info.name, e.what()); }
}

// Visits the fields in order: positions first, names as they come.
class SettingsReader : public Fields {
 public:
  SettingsReader(lua_State* L, int first, int last, int table, const std::string& function)
      : L_(L), next_(first), last_(last), table_(table), function_(function) {}

  bool visit(const FieldInfo& info, Attr& value) override {
    if (info.as & as::base) return value = int64_t(1), true;
    if (is_hidden(info)) return false;
    names.emplace_back(info.name);
    bool given = false;
    if (!(info.as & as::named) && next_ <= last_) {
      int at = next_++;
      if (!lua_isnil(L_, at)) value = read_one(L_, at, info, function_), given = true;
    }
    if (table_ && lua_getfield(L_, table_, info.name) != LUA_TNIL) {
      if (given) throw Error("{}: argument '{}' is given by position and by name", function_, info.name);
      value = read_one(L_, lua_gettop(L_), info, function_);
      given = true;
    }
    if (table_) lua_pop(L_, 1);
    if (!given && (info.as & as::required) && !partial) missing.emplace_back(info.name);
    return given;
  }
  // Unknown names, missing settings and too many arguments are errors.
  void finish(const std::vector<std::string>& others) {
    refuse_unknown(others);  // first: a name written wrongly is missing, too
    if (!missing.empty()) throw Error("{}: argument '{}' is required", function_, missing[0]);
    if (next_ <= last_)
      throw Error("{}: takes at most {} arguments by position, got {}", function_, positions(), extra());
  }
  bool partial = false;
  std::vector<std::string> names, missing;

 private:
  void refuse_unknown(const std::vector<std::string>& others) {
    if (!table_) return;
    names.insert(names.end(), others.begin(), others.end());
    for (lua_pushnil(L_); lua_next(L_, table_); lua_pop(L_, 1)) {
      std::string name = lua_type(L_, -2) == LUA_TSTRING ? lua_tostring(L_, -2) : given_text(L_, lua_gettop(L_) - 1);
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw Error("{}: no argument is named '{}'{}", function_, name, did_you_mean(name, names));
    }
  }
  int positions() const { return next_ - first_; }
  int extra() const { return last_ - first_ + 1; }
  lua_State* L_;
  int next_, last_, first_ = next_, table_;
  const std::string& function_;
};

class SettingPusher : public Fields {
 public:
  SettingPusher(lua_State* L, std::string_view name) : L_(L), name_(name) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name || is_hidden(info) || found) return false;
    push_attr(L_, value, info.as);
    found = true;
    return false;
  }
  bool found = false;

 private:
  lua_State* L_;
  std::string_view name_;
};

class SettingWriter : public Fields {
 public:
  SettingWriter(lua_State* L, int index, const std::string& owner, std::string_view name)
      : L_(L), index_(index), owner_(owner), name_(name) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name || is_hidden(info)) return false;
    value = read_one(L_, index_, info, owner_);
    return found = true;
  }
  bool found = false;

 private:
  lua_State* L_;
  int index_;
  const std::string& owner_;
  std::string_view name_;
};

}  // namespace

void read_settings(lua_State* L, int first, const std::string& function, const Describe& describe,
                   const std::vector<std::string>& others) {
  luaL_checkstack(L, 8, nullptr);
  int last = lua_gettop(L), table = 0;
  if (last >= first && is_named(L, last)) table = last--;
  SettingsReader reader(L, first, last, table, function);
  describe(reader);
  reader.finish(others);
}

void read_named_settings(lua_State* L, int table, const std::string& function, const Describe& describe,
                         const std::vector<std::string>& others) {
  luaL_checkstack(L, 8, nullptr);
  SettingsReader reader(L, 1, 0, lua_absindex(L, table), function);
  reader.partial = true;
  describe(reader);
  reader.finish(others);
}

bool push_setting(lua_State* L, const Describe& describe, std::string_view name) {
  SettingPusher p(L, name);
  describe(p);
  return p.found;
}

bool set_setting(lua_State* L, int index, const std::string& owner, const Describe& describe, std::string_view name) {
  SettingWriter s(L, lua_absindex(L, index), owner, name);
  describe(s);
  return s.found;
}

void set_fields(lua_State* L, const std::vector<FieldDoc>& fields) {
  for (auto& f : fields) {
    push_attr(L, f.value, f.as);
    lua_setfield(L, -2, f.name);
  }
}

std::string settings_help(const std::string& function, const std::string& brief, const Describe& describe,
                          const std::string& first) {
  FieldList list;
  describe(list);
  std::string positions = first, named, lines;
  for (auto& f : list.items) {
    if (is_hidden(f)) continue;
    bool required = f.as & as::required;
    std::string text = required ? f.name : std::string(f.name) + " = " + lua_text(f.value, f.as);
    std::string& where = required ? positions : named;
    where += (where.empty() ? "" : ", ") + text;
    lines += fmt::format("\n  {:<19}  {}", f.name, f.doc);
  }
  std::string table = named.empty() ? "" : "{" + named + "}";
  std::string both = positions.empty() || table.empty() ? positions + table : positions + ", " + table;
  return function + "(" + both + ")\n" + brief + lines;
}

}  // namespace luth::lang
