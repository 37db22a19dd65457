#include "lang/prompt/complete.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/visible.h"
#include "lang/help/help.h"
#include "lang/help/object_help.h"
#include "lang/nn/nn.h"
#include "lang/prompt/complete_modules.h"
#include "lang/prompt/context.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/runtime/user_values.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

bool in_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_identifier(std::string_view s) {
  return !s.empty() && !isdigit(static_cast<unsigned char>(s[0])) && std::all_of(s.begin(), s.end(), in_name);
}

// Adds the string keys of the table on top of the stack, which stays.
void add_keys(lua_State* L, bool functions_only, std::vector<std::string>& names) {
  make_late_names(L, -1);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && (!functions_only || lua_isfunction(L, -1)))
      names.emplace_back(lua_tostring(L, -2));
}

// The tables on top of the stack and behind it, by __index; takes it away.
void add_chain(lua_State* L, bool functions_only, std::vector<std::string>& names) {
  for (int depth = 0; depth < 10 && lua_istable(L, -1); ++depth) {
    add_keys(L, functions_only, names);
    if (!lua_getmetatable(L, -1)) break;
    lua_remove(L, -2);
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  lua_pop(L, 1);
}

// The string keys that the table on top of the stack gives by its own __pairs, as a parameter group does.
void add_pairs(lua_State* L, std::vector<std::string>& names) {
  const int table = lua_gettop(L);
  luaL_getmetafield(L, table, "__pairs");
  each_pair(L, table, [&] {
    if (lua_type(L, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -2));
  });
}

// The parts of the module on top of the stack, and the fields that a script gave it.
void add_parts(lua_State* L, nn::Module& m, std::vector<std::string>& names) {
  for (auto& p : m.parts().parameters) names.push_back(p.name);
  for (auto& b : m.parts().buffers) names.push_back(b.name);
  for (auto& c : m.parts().children) names.push_back(c.name);
  names.emplace_back("training");
  if (push_values_of(L, lua_gettop(L), module_fields, false)) {
    add_keys(L, false, names);
    lua_pop(L, 1);
  }
}

// Names of the value on top of the stack, which is taken away.
void add_names_of(lua_State* L, bool functions_only, std::vector<std::string>& names) {
  if (lua_istable(L, -1)) {
    if (!takes_late_names(L, -1) && luaL_getmetafield(L, -1, "__pairs") != LUA_TNIL) {
      const bool ours = lua_iscfunction(L, -1);
      lua_pop(L, 1);
      if (ours) add_pairs(L, names);
    }
    return add_chain(L, functions_only, names);
  }
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_getglobal(L, "string");
    add_chain(L, true, names);
  } else if (nn::Module* m = to_module(L, -1)) {
    if (!functions_only) add_parts(L, *m, names);
    push_class_of(L, *m);
    add_chain(L, functions_only, names);
  } else if (lua_type(L, -1) == LUA_TUSERDATA) {
    for (auto& name : object_fields(L, -1))
      if (!functions_only) names.push_back(name);
    if (luaL_getmetafield(L, -1, "__name") == LUA_TSTRING) {
      push_classes(L);
      lua_pushvalue(L, -2);
      lua_rawget(L, -2);
      lua_remove(L, -2);
      lua_remove(L, -2);
      if (lua_istable(L, -1))
        add_chain(L, functions_only, names);
      else
        lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

// Replaces the value on top of the stack by its field: of tables by raw access, of luth's own objects as they give it.
void step(lua_State* L, const PathStep& key) {
  if (key.name.empty())
    lua_pushinteger(L, key.position);
  else
    lua_pushlstring(L, key.name.data(), key.name.size());
  const int top = lua_gettop(L);
  const bool given = luaL_getmetafield(L, -2, "__index") != LUA_TNIL && lua_iscfunction(L, -1);
  lua_settop(L, top);
  if (given) {
    lua_gettable(L, -2);
    lua_remove(L, -2);
  } else if (lua_istable(L, -2)) {
    for (int depth = 0; depth < 10; ++depth) {
      lua_pushvalue(L, -1);
      rawget_or_late(L, -3);
      if (!lua_isnil(L, -1) || !lua_getmetatable(L, -3)) break;
      lua_remove(L, -2);  // nil
      lua_getfield(L, -1, "__index");
      lua_remove(L, -2);
      if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        lua_pushnil(L);
        break;
      }
      lua_replace(L, -3);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
  } else {
    lua_pop(L, 2);
    lua_pushnil(L);
  }
}

bool push_root(lua_State* L, const std::string& name, const PushVariable& push_variable) {
  if (push_variable(L, name)) return true;
  lua_pushglobaltable(L);
  step(L, {name, 0});
  return !lua_isnil(L, -1);
}

// Pushes what the path leads to; nothing and false where that is nil.
bool push_path(lua_State* L, const Path& path, const PushVariable& push_variable) {
  if (path.empty() || path[0].name.empty()) return false;
  if (!push_root(L, path[0].name, push_variable)) return lua_pop(L, 1), false;
  for (size_t i = 1; i < path.size(); ++i) step(L, path[i]);
  if (lua_isnil(L, -1)) return lua_pop(L, 1), false;
  return true;
}

constexpr std::string_view statement_words[] = {"break", "do",    "else",  "elseif", "end",    "for",
                                                "goto",  "if",    "in",    "local",  "repeat", "return",
                                                "then",  "until", "while", "and",    "or"};
constexpr std::string_view value_words[] = {"false", "function", "nil", "not", "true"};

// The call's function has its help, whose first line says its arguments: "f(a, b = 1, {c = nil})".
std::string signature_of(lua_State* L, const Context& c, const PushVariable& push_variable) {
  Path path = c.call;
  if (path.empty()) return "";
  std::string text;
  if (push_path(L, path, push_variable)) {
    text = help_text(L, -1);
    lua_pop(L, 1);
  } else if (c.is_method_call) {  // a method of an object: its class has it
    const std::string name = path.back().name;
    path.pop_back();
    if (!push_path(L, path, push_variable)) return "";
    if (to_tensor(L, -1)) {
      lua_getglobal(L, "torch");
      step(L, {"Tensor", 0});
      step(L, {name, 0});
      text = help_text(L, -1);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  text = text.substr(0, text.find('\n'));
  return text.find('(') == text.npos ? "" : text;
}

// "keepdim = false" of a signature, without those that are there already.
void add_options(const Context& c, const std::string& signature, Completion& result) {
  const size_t open = signature.find_first_of("({");
  if (open == signature.npos) return;
  std::vector<std::string> parts{""};
  int depth = 0;
  for (char ch : std::string_view(signature).substr(open + 1)) {
    if (ch == '(' || (ch == '{' && !parts.back().empty() && parts.back().find('=') != std::string::npos)) ++depth;
    if ((ch == ')' || ch == '}') && depth-- <= 0) break;
    if (depth == 0 && (ch == ',' || ch == '{'))
      parts.emplace_back();
    else if (ch != ' ' || !parts.back().empty())
      parts.back() += ch;
  }
  for (auto& part : parts) {
    const std::string name = part.substr(0, part.find_first_of(" ="));
    if (!is_identifier(name) || std::find(c.used.begin(), c.used.end(), name) != c.used.end()) continue;
    if (!name.starts_with(c.typed)) continue;
    result.names.push_back(name + " = ");
    result.shown.push_back(part);
  }
}

void add_devices(std::vector<std::string>& names) {
  for (const char* name : {"cpu", "cuda", "cuda:0", "meta"}) names.emplace_back(name);
}
void add_dtypes(std::vector<std::string>& names) {
  for (Dtype d = Dtype::boolean; d <= Dtype::f64; d = Dtype(int(d) + 1)) names.emplace_back(name(d));
}

// The string keys of the value on top of the stack that can be written as they are; takes it away.
void add_texts(lua_State* L, std::vector<std::string>& names) {
  if (luaL_getmetafield(L, -1, "__pairs") != LUA_TNIL) {
    const bool ours = lua_iscfunction(L, -1);
    lua_pop(L, 1);
    if (ours) add_pairs(L, names);
  }
  if (lua_istable(L, -1)) add_keys(L, false, names);
  lua_pop(L, 1);
  std::erase_if(names, [](auto& s) { return visible(s) != s || s.find_first_of("'\"\\") != s.npos; });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Within a string: a key of what is indexed, or what the call takes there.
void complete_text(lua_State* L, const Context& c, const PushVariable& push_variable, Completion& result) {
  if (!c.owner.empty()) {
    result.notes.clear();
    if (push_path(L, c.owner, push_variable)) add_texts(L, result.names);
    std::erase_if(result.names, [&](auto& s) { return !s.starts_with(c.typed); });
    return;
  }
  const std::string call = c.call.empty() ? "" : c.call.back().name;
  if (call == "require" && c.call.size() == 1) return add_modules(L, c.typed, result.names);
  if (c.option == "device" || call == "device" || call == "to" || call == "set_default_device" || call == "Generator")
    add_devices(result.names);
  if (c.option == "dtype" || call == "to" || call == "type") add_dtypes(result.names);
  std::erase_if(result.names, [&](auto& s) { return !s.starts_with(c.typed); });
  if (result.names.empty() && c.option != "device" && c.option != "dtype") add_files(c.typed, result.names);
}

}  // namespace

void add_files(const std::string& typed, std::vector<std::string>& names) {
  const size_t slash = typed.rfind('/');
  const std::string folder = slash == typed.npos ? "" : typed.substr(0, slash + 1), name = typed.substr(folder.size());
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(name) || (file[0] == '.' && name.empty())) continue;
    names.push_back(folder + file + (entry.is_directory(error) ? "/" : ""));
    if (names.size() >= 1000) break;
  }
}

Completion complete(lua_State* L, std::string_view line, const std::vector<std::string>& variables,
                    const PushVariable& push_variable) {
  using Kind = Context::Kind;
  const Context c = context_of(line);
  Completion result;
  result.typed = c.typed.size();
  luaL_checkstack(L, 40, nullptr);
  const std::string signature = signature_of(L, c, push_variable);
  if (!signature.empty()) result.notes.push_back(signature);
  if (c.kind == Kind::text) {
    complete_text(L, c, push_variable, result);
  } else if (c.kind == Kind::field || c.kind == Kind::method) {
    result.notes.clear();
    const bool dtypes = c.option == "dtype" && c.kind == Kind::field && c.owner.size() == 1;
    if (dtypes && c.owner[0].name == "torch")
      add_dtypes(result.names);
    else if (push_path(L, c.owner, push_variable))
      add_names_of(L, c.kind == Kind::method, result.names);
  } else if (c.kind == Kind::option) {
    add_options(c, signature, result);
  }
  if (c.option == "dtype" && c.kind == Kind::value && c.typed.empty()) result.names = {"torch."};
  const bool any = c.kind == Kind::value || c.kind == Kind::statement || c.kind == Kind::option;
  if (any && !c.typed.empty() && result.shown.empty()) {
    lua_pushglobaltable(L);
    add_keys(L, false, result.names);
    lua_pop(L, 1);
    result.names.insert(result.names.end(), variables.begin(), variables.end());
    result.names.insert(result.names.end(), std::begin(value_words), std::end(value_words));
    if (c.kind == Kind::statement)
      result.names.insert(result.names.end(), std::begin(statement_words), std::end(statement_words));
  }
  if (!result.shown.empty() || c.kind == Kind::text) return result;
  auto wanted = [&](const std::string& s) {
    return s.starts_with(c.typed) && (is_identifier(s) || s == "torch.") && (s[0] != '_' || !c.typed.empty());
  };
  std::erase_if(result.names, [&](auto& s) { return !wanted(s); });
  std::sort(result.names.begin(), result.names.end());
  result.names.erase(std::unique(result.names.begin(), result.names.end()), result.names.end());
  return result;
}

}  // namespace luth::lang
