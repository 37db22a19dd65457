#include "lang/prompt/complete.h"

#include <algorithm>
#include <cctype>

#include "lang/help/object_help.h"
#include "lang/nn/nn.h"
#include "lang/runtime/late_names.h"

namespace luth::lang {
namespace {

bool in_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_identifier(std::string_view s) {
  return !s.empty() && !isdigit(static_cast<unsigned char>(s[0])) && std::all_of(s.begin(), s.end(), in_name);
}

// Where the path a.b:c at the end of the line begins.
size_t path_start(std::string_view line) {
  size_t at = line.size();
  while (at > 0 && (in_name(line[at - 1]) || line[at - 1] == '.' || line[at - 1] == ':')) --at;
  while (at < line.size() && (isdigit(static_cast<unsigned char>(line[at])) || line[at] == '.')) ++at;  // 1..x
  return at;
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

// Names of the value on top of the stack, which is taken away.
void add_names_of(lua_State* L, bool functions_only, std::vector<std::string>& names) {
  if (lua_istable(L, -1)) return add_chain(L, functions_only, names);
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_getglobal(L, "string");
    add_chain(L, true, names);
  } else if (nn::Module* m = to_module(L, -1)) {
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

// Replaces the value on top of the stack by its field, by raw access; nil where it has none.
void step(lua_State* L, std::string_view key) {
  if (lua_istable(L, -1)) {
    lua_pushlstring(L, key.data(), key.size());
    rawget_or_late(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
}

constexpr std::string_view words[] = {"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                                      "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                                      "repeat",   "return", "then", "true", "until",  "while"};

}  // namespace

Completion complete(lua_State* L, std::string_view line, const std::vector<std::string>& variables,
                    const PushVariable& push_variable) {
  std::string_view path = line.substr(path_start(line));
  const size_t last = path.find_last_of(".:");
  const std::string_view typed = last == path.npos ? path : path.substr(last + 1);
  Completion result;
  result.typed = typed.size();
  luaL_checkstack(L, 20, nullptr);
  if (last == path.npos) {
    if (typed.empty()) return result;
    lua_pushglobaltable(L);
    add_keys(L, false, result.names);
    lua_pop(L, 1);
    result.names.insert(result.names.end(), variables.begin(), variables.end());
    result.names.insert(result.names.end(), std::begin(words), std::end(words));
  } else {
    std::string_view owner = path.substr(0, last);
    const std::string root(owner.substr(0, owner.find('.')));
    if (!is_identifier(root) || owner.find(':') != owner.npos) return result;
    if (!push_variable(L, root)) {
      lua_pushglobaltable(L);
      step(L, root);
    }
    for (size_t dot = owner.find('.'); dot != owner.npos; dot = owner.find('.')) {
      owner.remove_prefix(dot + 1);
      step(L, owner.substr(0, owner.find('.')));
    }
    add_names_of(L, path[last] == ':', result.names);
  }
  auto wanted = [&](const std::string& s) {
    return s.starts_with(typed) && is_identifier(s) && (s[0] != '_' || !typed.empty());
  };
  std::erase_if(result.names, [&](auto& s) { return !wanted(s); });
  std::sort(result.names.begin(), result.names.end());
  result.names.erase(std::unique(result.names.begin(), result.names.end()), result.names.end());
  return result;
}

}  // namespace luth::lang
