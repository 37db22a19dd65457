// require 'luth.registry': the descriptions of all functions, as tables. For the reference, the definitions for editors
// and `luth check` (share/luth), not for scripts.
#include "lang/binding/bind.h"
#include "lang/help/help.h"
#include "lang/help/names.h"
#include "lang/help/object_help.h"
#include "lang/hints/hints.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

void set(lua_State* L, const char* name, std::string_view v) {
  lua_pushlstring(L, v.data(), v.size());
  lua_setfield(L, -2, name);
}
void set_flag(lua_State* L, const char* name, bool v) {
  if (!v) return;
  lua_pushboolean(L, true);
  lua_setfield(L, -2, name);
}

constexpr const char* kinds[] = {"none", "boolean", "integer", "number", "scalar", "text",
                                 "ints", "numbers", "dtype",   "device", "format", "tensor"};

void push_param(lua_State* L, const Param& p) {
  lua_newtable(L);
  set(L, "name", p.name);
  set_flag(L, "input", p.input);
  set_flag(L, "list", p.list);
  set_flag(L, "number", p.number);
  set_flag(L, "required", p.required);
  set_flag(L, "named", p.named);
  if (!p.also.empty()) set(L, "also", p.also);
  set_flag(L, "takes_nil", p.takes_nil);
  if (p.input) {
    lua_pushinteger(L, p.at + 1);
    lua_setfield(L, -2, "at");
    return;
  }
  set(L, "doc", p.doc);
  set(L, "kind", kinds[int(p.field.kind)]);
  set(L, "expects", expectation(p.field));
  set(L, "default", lua_text(p.otherwise, p.field.as));
  set_flag(L, "word", p.field.as & as::word);
}

// Looks for an attribute that says from where indices count.
class Bases : public Fields {
 public:
  bool visit(const FieldInfo& info, Attr&) override { return found |= bool(info.as & as::base), false; }
  bool found = false;
};
bool has_base(const OpInfo& info) {
  Bases bases;
  OpValue op = info.make();
  if (info.describe) info.describe(op.get(), bases);
  return bases.found;
}

void push_overload(lua_State* L, const Function& function, const Overload& overload) {
  const OpInfo& info = *overload.info;
  lua_newtable(L);
  set(L, "operator", info.name);
  set(L, "signature", signature(function, overload, prefix(function) == "x:"));
  set(L, "brief", info.doc.brief);
  set(L, "no_gradient", info.traits.not_differentiable);
  for (auto [name, on] : {std::pair{"several", info.several},
                          {"answers", info.traits.answers},
                          {"factory", info.traits.factory},
                          {"random", info.random},
                          {"view", info.view != nullptr},
                          {"elementwise", info.traits.elementwise},
                          {"star", info.traits.star},
                          {"makes", overload.makes},
                          {"counts_positions", has_base(info)}})
    set_flag(L, name, on);
  lua_pushinteger(L, overload.positional);
  lua_setfield(L, -2, "positional");
  push_items(L, info.outputs, [&](auto& name) { lua_pushlstring(L, name.data(), name.size()); });
  lua_setfield(L, -2, "outputs");
  push_items(L, overload.params, [&](auto& p) { push_param(L, p); });
  lua_setfield(L, -2, "params");
}

// faces(): all bound functions, in order of name.
int push_functions(lua_State* L) {
  lua_newtable(L);
  lua_Integer n = 0;
  for (auto& [_, function] : bound_functions()) {
    lua_newtable(L);
    set(L, "name", function.name);
    set(L, "prefix", prefix(function));
    set_flag(L, "inplace", function.inplace);
    set_flag(L, "is_function", function.is_function);
    set_flag(L, "is_method", function.is_method);
    push_items(L, function.overloads(), [&](auto& overload) { push_overload(L, function, *overload); });
    lua_setfield(L, -2, "forms");
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

void push_numbers(lua_State* L, const char* name, double v) {
  lua_pushnumber(L, v);
  lua_setfield(L, -2, name);
}

// A tensor, a number, {shape, lo, hi} for one that is to be drawn, or false for an absent input.
void push_input(lua_State* L, const Value& v) {
  if (v.is_tensor())
    push_tensor(L, v.tensor().detach());
  else if (v.is_scalar())
    push_scalar(L, v.scalar());
  else
    lua_pushboolean(L, false);
}

// The attributes that are not at their defaults, as Lua has them, by name.
class Changed : public Fields {
 public:
  Changed(lua_State* L, const Overload& overload) : L_(L), overload_(overload) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    int p = overload_.of_attribute[size_t(number_++)];
    if (p < 0) return false;
    const Param& param = overload_.params[size_t(p)];
    if (!param.required && lua_text(value, info.as) == lua_text(param.otherwise, info.as)) return false;
    if (value.index() == 0) return false;  // nil is a default, or cannot be written
    push_attr(L_, value, info.as);
    lua_setfield(L_, -2, param.name.c_str());
    return false;
  }

 private:
  lua_State* L_;
  const Overload& overload_;
  int number_ = 0;
};

void push_sample(lua_State* L, const Overload& overload, const Sample& sample) {
  lua_newtable(L);
  lua_newtable(L);
  lua_Integer n = 0;
  if (sample.make) {
    for (auto& v : sample.make()) {
      push_input(L, v);
      lua_rawseti(L, -2, ++n);
    }
  } else {
    for (auto& shape : sample.shapes) {
      lua_newtable(L);
      push_attr(L, Attr(Ints(shape)));
      lua_setfield(L, -2, "shape");
      push_numbers(L, "lo", sample.lo);
      push_numbers(L, "hi", sample.hi);
      lua_rawseti(L, -2, ++n);
    }
  }
  lua_setfield(L, -2, "inputs");
  lua_newtable(L);
  Changed changed(L, overload);
  if (overload.info->describe) overload.info->describe(sample.op.get(), changed);
  lua_setfield(L, -2, "attributes");
}

// samples(name, number): the samples of that overload, which tests run.
int push_samples(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  const auto number = size_t(luaL_checkinteger(L, 2));
  lua_newtable(L);
  for (auto& [_, function] : bound_functions()) {
    if (function.name != name) continue;
    const Overload& overload = *function.overloads().at(number - 1);
    lua_Integer n = 0;
    if (!overload.info->samples) return 1;
    for (auto& sample : overload.info->samples()) {
      push_sample(L, overload, sample);
      lua_rawseti(L, -2, ++n);
    }
  }
  return 1;
}

// help_of(value), help_of_name(name): the text that help() prints, "" for none.
int help_of(lua_State* L) {
  luaL_checkany(L, 1);
  const std::string s = help_text(L, 1);
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
int help_of_name(lua_State* L) {
  const std::string s = named_help(L, luaL_checkstring(L, 1));
  return lua_pushlstring(L, s.data(), s.size()), 1;
}

// is_operator(value): the name of the function, or nil.
int operator_name(lua_State* L) {
  luaL_checkany(L, 1);
  if (const Function* function = to_function(L, 1)) return lua_pushstring(L, function->name.c_str()), 1;
  return lua_pushnil(L), 1;
}

// classes(): name -> table of methods, of the objects of the language.
int classes(lua_State* L) { return push_classes(L), 1; }

// spaces(): the paths of the tables of names.
int push_spaces(lua_State* L) {
  lua_newtable(L);
  lua_Integer n = 0;
  for (auto& [path, brief] : name_spaces()) {
    lua_newtable(L);
    set(L, "path", path);
    set(L, "brief", brief);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

// hint(message, source): the hint that is appended to an error's message, "" for none.
int hint(lua_State* L) {
  const std::string source = luaL_optstring(L, 2, "");
  const std::string s = hint_on(luaL_checkstring(L, 1), lua_isnoneornil(L, 2) ? nullptr : &source);
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
// foreign_names(): {owner, name, instead} of names of Torch7 and Python.
int push_foreign_names(lua_State* L) {
  lua_newtable(L);
  lua_Integer n = 0;
  for (auto& name : foreign_names()) {
    lua_newtable(L);
    set(L, "owner", name.owner);
    set(L, "name", name.name);
    set(L, "instead", name.instead);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

constexpr luaL_Reg functions[] = {
    {"faces", guarded<push_functions>},
    {"samples", guarded<push_samples>},
    {"help_of", guarded<help_of>},
    {"classes", guarded<classes>},
    {"help_of_name", guarded<help_of_name>},
    {"spaces", guarded<push_spaces>},
    {"operator_name", guarded<operator_name>},
    {"hint", guarded<hint>},
    {"foreign_names", guarded<push_foreign_names>},
    {nullptr, nullptr},
};

void open_registry(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "luth.registry");
}
const Open opener("luth.registry", Open::extras, open_registry);

}  // namespace
}  // namespace luth::lang
