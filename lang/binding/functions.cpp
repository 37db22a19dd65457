// What functions written by hand share: registration with help, named arguments, calls of operators by name.
#include <algorithm>

#include "core/base/text.h"
#include "lang/help/help.h"
#include "lang/runtime/bridge.h"
#include "lang/tensor/tensor.h"

namespace luth::lang {

bool flag_at(lua_State* L, int index, const char* function, const char* name, bool otherwise) {
  if (lua_istable(L, index)) {
    Options o(L, index, function);
    bool on = o.flag(name, otherwise);
    o.done();
    return on;
  }
  if (lua_isnoneornil(L, index)) return otherwise;
  if (!lua_isboolean(L, index))
    throw Error("{}: argument '{}' expects true or false, got {}", function, name, given_text(L, index));
  return lua_toboolean(L, index);
}

bool is_named(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) > 0) return false;
  if (lua_getmetatable(L, index)) return lua_pop(L, 1), false;
  index = lua_absindex(L, index);
  lua_pushnil(L);
  if (!lua_next(L, index)) return false;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

Options::Options(lua_State* L, int index, const char* function) : L_(L), index_(index), function_(function) {
  if (index_ && lua_isnoneornil(L, index_)) index_ = 0;
  if (index_ && !lua_istable(L, index_))
    throw Error("{}: expects a table of named arguments, got {}", function, given_text(L, index_));
  if (index_) index_ = lua_absindex(L, index_);
}

int Options::get(const char* name) {
  known_.emplace_back(name);
  if (!index_) return 0;
  luaL_checkstack(L_, 4, nullptr);
  if (lua_getfield(L_, index_, name) == LUA_TNIL) return lua_pop(L_, 1), 0;
  return lua_gettop(L_);
}

bool Options::flag(const char* name, bool otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  if (!lua_isboolean(L_, i))
    throw Error("{}: argument '{}' expects true or false, got {}", function_, name, given_text(L_, i));
  bool v = lua_toboolean(L_, i);
  lua_pop(L_, 1);
  return v;
}

double Options::number(const char* name, double otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  if (lua_type(L_, i) != LUA_TNUMBER)
    throw Error("{}: argument '{}' expects a number, got {}", function_, name, given_text(L_, i));
  double v = lua_tonumber(L_, i);
  lua_pop(L_, 1);
  return v;
}

int64_t Options::integer(const char* name, int64_t otherwise) {
  int i = get(name);
  if (!i) return otherwise;
  int ok = 0;
  int64_t v = lua_type(L_, i) == LUA_TNUMBER ? lua_tointegerx(L_, i, &ok) : 0;
  if (!ok) throw Error("{}: argument '{}' expects an integer, got {}", function_, name, given_text(L_, i));
  lua_pop(L_, 1);
  return v;
}

void Options::done() const {
  if (!index_) return;
  lua_pushnil(L_);
  while (lua_next(L_, index_)) {
    lua_pop(L_, 1);
    std::string name = lua_type(L_, -1) == LUA_TSTRING ? lua_tostring(L_, -1) : given_text(L_, lua_gettop(L_));
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      throw Error("{}: no argument is named '{}'{}", function_, name, did_you_mean(name, known_));
  }
}

namespace {
class SetOne : public Fields {
 public:
  SetOne(std::string_view name, const Attr& value) : name_(name), value_(value) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    if (name_ != info.name) return false;
    value = value_;
    return found = true;
  }
  bool found = false;

 private:
  std::string_view name_;
  const Attr& value_;
};
}  // namespace

Invoke::Invoke(std::string_view op) : info_(&find_op(op)), op_(info_->make()) {}

Invoke& Invoke::set(std::string_view attribute, Attr value) {
  SetOne set(attribute, value);
  if (info_->describe) info_->describe(op_.get(), set);
  if (!set.found) throw Error("operator {} has no attribute '{}'", info_->name, attribute);
  return *this;
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

// Upvalues: the module, the name of its function.
static int call_library(lua_State* L) {
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
