#include "lang/runtime/functions.h"

#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

char rows_key;     // registry: function -> light userdata of its row, or any value -> text; weak keys
char by_name_key;  // registry: name -> texts of all functions and fields of that name, joined

// Adds a text to those of the name: "zero_grad" is a method of modules and of optimizers.
void remember_name(lua_State* L, const char* name, const std::string& text) {
  push_kept(L, &by_name_key);
  lua_getfield(L, -1, name);
  std::string all = lua_isnil(L, -1) ? "" : lua_tostring(L, -1);
  lua_pop(L, 1);
  if (all.find(text) == std::string::npos) {
    all += (all.empty() ? "" : "\n\n") + text;
    lua_pushlstring(L, all.data(), all.size());
    lua_setfield(L, -2, name);
  }
  lua_pop(L, 1);
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
  remember_name(L, row.name, row_text(row));
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

}  // namespace

void document_name(lua_State* L, const char* name, const char* text) { remember_name(L, name, text); }

void document(lua_State* L, int index, const char* text) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_pushstring(L, text);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

std::string documented_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  std::string s;
  if (lua_islightuserdata(L, -1))
    s = row_text(*static_cast<const Row*>(lua_touserdata(L, -1)));
  else if (lua_type(L, -1) == LUA_TSTRING)
    s = lua_tostring(L, -1);
  lua_pop(L, 2);
  return s;
}

void push_named_texts(lua_State* L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &by_name_key); }

std::string named_texts(lua_State* L, const std::string& name) {
  std::string s;
  push_named_texts(L);
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, name.c_str());
    if (lua_isstring(L, -1)) s = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return s;
}

void add_functions(lua_State* L, int table, std::span<const Row> rows) {
  table = lua_absindex(L, table);
  for (auto& row : rows) {
    lua_pushcfunction(L, row.f);
    if (has_other_row(L, -1, row)) {  // a function of several names: each is a value with help of its own
      lua_pop(L, 1);
      lua_pushlightuserdata(L, const_cast<Row*>(&row));
      lua_pushcclosure(L, row.f, 1);
    }
    document_row(L, -1, row);
    lua_setfield(L, table, row.name);
  }
}

void add_library(lua_State* L, int table, const char* module, std::span<const Row> rows) {
  table = lua_absindex(L, table);
  for (auto& row : rows) {
    lua_pushstring(L, module);
    lua_pushstring(L, row.name);
    lua_pushcclosure(L, call_library, 2);
    document_row(L, -1, row);
    lua_setfield(L, table, row.name);
  }
}

}  // namespace luth::lang
