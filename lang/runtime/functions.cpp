#include "lang/runtime/functions.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "lang/runtime/bridge.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

char rows_key;  // registry, with weak keys: function -> light userdata of its row; any value -> its text, or the
                // address of the text, or the function that returns it

// Adds a text to those of the name, in the table on top of the stack: "zero_grad" is a method of modules and of
// optimizers.
void add_text(lua_State* L, const char* name, const std::string& text) {
  lua_getfield(L, -1, name);
  std::string all = lua_isnil(L, -1) ? "" : lua_tostring(L, -1);
  lua_pop(L, 1);
  if (all.find(text) != std::string::npos) return;
  all += (all.empty() ? "" : "\n\n") + text;
  lua_pushlstring(L, all.data(), all.size());
  lua_setfield(L, -2, name);
}

void push_rows(lua_State* L) { push_kept(L, &rows_key, "k"); }

std::string row_text(const Row& row) { return std::string(row.signature) + "\n  " + row.brief; }

// Remembers the row as the help of the function at `index`.
void document_row(lua_State* L, int index, const Row& row) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, const_cast<Row*>(&row));
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

// Whether the function at `index` has another row already.
bool has_other_row(lua_State* L, int index, const Row& row) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  const bool other = lua_rawget(L, -2) == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) != &row;
  lua_pop(L, 2);
  return other;
}

// Upvalues: the function that makes a text, its argument.
int made_text(lua_State* L) {
  auto* text = reinterpret_cast<std::string (*)(const void*)>(lua_touserdata(L, lua_upvalueindex(1)));
  const std::string s = text(lua_touserdata(L, lua_upvalueindex(2)));
  lua_pushlstring(L, s.data(), s.size());
  return 1;
}

// Upvalues: the module, the name of its function.
int call_library(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_call(L, 1, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_gettable(L, -2);
  lua_insert(L, 1);
  lua_pop(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// Pushes the function of the row.
void push_function(lua_State* L, const Row& row, const char* module) {
  if (module) {
    lua_pushstring(L, module);
    lua_pushstring(L, row.name);
    lua_pushcclosure(L, call_library, 2);
  } else {
    lua_pushcfunction(L, row.f);
    if (has_other_row(L, -1, row)) {  // a function of several names: each is a value with help of its own
      lua_pop(L, 1);
      lua_pushlightuserdata(L, const_cast<Row*>(&row));
      lua_pushcclosure(L, row.f, 1);
    }
  }
  document_row(L, -1, row);
}

class RowNames final : public LateNames {
 public:
  RowNames(std::span<const Row> rows, const char* module) : rows_(rows), module_(module) {}
  bool push(lua_State* L, std::string_view name) const override {
    for (auto& row : rows_)
      if (row.name == name) return push_function(L, row, module_), true;
    return false;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (auto& row : rows_) list.push_back(row.name);
    return list;
  }
  std::span<const Row> rows() const { return rows_; }

 private:
  std::span<const Row> rows_;
  const char* module_;  // of luth's library, or null
};

// The rows that tables have, of all interpreters.
class AllRows {
 public:
  const RowNames& add(std::span<const Row> rows, const char* module) {
    std::lock_guard hold(lock_);
    return lists_.try_emplace({rows.data(), rows.size()}, rows, module).first->second;
  }
  /// In order of their signatures.
  std::vector<const Row*> sorted() {
    std::vector<const Row*> rows;
    std::lock_guard hold(lock_);
    for (auto& [key, list] : lists_)
      for (auto& row : list.rows()) rows.push_back(&row);
    auto texts = [](const Row* row) {
      return std::tuple<std::string_view, std::string_view, std::string_view>(row->signature, row->name, row->brief);
    };
    std::sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return texts(a) < texts(b); });
    return rows;
  }

 private:
  std::mutex lock_;
  std::map<std::pair<const Row*, size_t>, RowNames> lists_;
};
AllRows& all_rows() {
  static AllRows& all = *new AllRows;
  return all;
}

std::vector<void (*)(const TakeText&)>& text_lists() {
  static std::vector<void (*)(const TakeText&)> lists;
  return lists;
}

void add_rows(lua_State* L, int table, std::span<const Row> rows, const char* module) {
  const RowNames& names = all_rows().add(rows, module);
  if (takes_late_names(L, table)) return add_late_names(L, table, names);
  table = lua_absindex(L, table);
  for (auto& row : rows) {
    push_function(L, row, module);
    lua_setfield(L, table, row.name);
  }
}

}  // namespace

NamedTexts::NamedTexts(void (*list)(const TakeText& take)) { text_lists().push_back(list); }

void document(lua_State* L, int index, const char* text) {
  index = lua_absindex(L, index);
  lua_pushinteger(L, reinterpret_cast<lua_Integer>(text));
  document(L, index, -1);
  lua_pop(L, 1);
}

void document(lua_State* L, int index, int text) {
  index = lua_absindex(L, index);
  text = lua_absindex(L, text);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_pushvalue(L, text);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void document(lua_State* L, int index, std::string (*text)(const void* of), const void* of) {
  index = lua_absindex(L, index);
  lua_pushlightuserdata(L, reinterpret_cast<void*>(text));
  lua_pushlightuserdata(L, const_cast<void*>(of));
  lua_pushcclosure(L, guarded<made_text>, 2);
  document(L, index, -1);
  lua_pop(L, 1);
}

std::string documented_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  if (lua_isfunction(L, -1)) lua_call(L, 0, 1);
  std::string s;
  if (lua_islightuserdata(L, -1))
    s = row_text(*static_cast<const Row*>(lua_touserdata(L, -1)));
  else if (lua_isinteger(L, -1))
    s = reinterpret_cast<const char*>(lua_tointeger(L, -1));
  else if (lua_type(L, -1) == LUA_TSTRING)
    s = lua_tostring(L, -1);
  lua_pop(L, 2);
  return s;
}

void push_named_texts(lua_State* L) {
  lua_newtable(L);
  std::vector<std::pair<std::string, std::string>> texts;
  for (auto* list : text_lists())
    list([&](const char* name, const std::string& text) { texts.emplace_back(name, text); });
  std::sort(texts.begin(), texts.end());  // files register in any order
  for (auto& [name, text] : texts) add_text(L, name.c_str(), text);
  for (const Row* row : all_rows().sorted()) add_text(L, row->name, row_text(*row));
}

std::string named_texts(lua_State* L, const std::string& name) {
  push_named_texts(L);
  lua_getfield(L, -1, name.c_str());
  const std::string s = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 2);
  return s;
}

void add_functions(lua_State* L, int table, std::span<const Row> rows) { add_rows(L, table, rows, nullptr); }

void add_library(lua_State* L, int table, const char* module, std::span<const Row> rows) {
  add_rows(L, table, rows, module);
}

void finish_class(lua_State* L, std::span<const Row> methods, lua_CFunction index,
                  std::initializer_list<luaL_Reg> events) {
  lua_newtable(L);
  add_functions(L, -1, methods);
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  for (auto& event : events) {
    lua_pushcfunction(L, event.func);
    lua_setfield(L, -2, event.name);
  }
  lua_pop(L, 1);
}

bool push_method(lua_State* L) {
  lua_pushvalue(L, 2);
  rawget_or_late(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return true;
  return lua_pop(L, 1), false;
}

void push_constructor(lua_State* L, const void* description, lua_CFunction construct) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, const_cast<void*>(description));
  lua_pushcclosure(L, construct, 1);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
}

}  // namespace luth::lang
