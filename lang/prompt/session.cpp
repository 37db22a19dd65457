#include "lang/prompt/session.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/visible.h"
#include "lang/hints/lua_tokens.h"
#include "lang/values/show.h"

namespace luth::lang {
namespace {

constexpr const char* chunk_name = "=stdin";
constexpr size_t names_per_keep = 40;  // arguments take registers, and there are 255

// Compiles `text` on its own and pushes the function or the message.
int compile(lua_State* L, const std::string& text) {
  return luaL_loadbufferx(L, text.data(), text.size(), chunk_name, "t");
}

// Does the message on top say that the text ended too early? Lua's own prompt asks the same.
bool incomplete(lua_State* L, int status) {
  size_t n = 0;
  const char* text = lua_tolstring(L, -1, &n);
  return status == LUA_ERRSYNTAX && std::string_view(text, n).ends_with("<eof>");
}

std::string keep_calls(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i += names_per_keep) {
    std::string list, pairs;
    for (size_t j = i; j < std::min(names.size(), i + names_per_keep); ++j) {
      list += (list.empty() ? "" : ",") + names[j];
      pairs += ",'" + names[j] + "'," + names[j];
    }
    text += " luth_keep(function() return " + list + " end" + pairs + ")";
  }
  return text;
}

// Removes the prompt's own frames from the end of a traceback, and the heading when nothing else is left.
std::string without_prompt_frames(std::string text) {
  const size_t heading = text.find("\nstack traceback:");
  if (heading == text.npos) return text;
  const size_t own = text.find("in function <stdin:", heading);
  if (own != text.npos) {
    const size_t line = text.rfind('\n', own);
    text.resize(line);
  }
  const std::string_view rest = std::string_view(text).substr(heading + 1);
  if (rest == "stack traceback:" || rest == "stack traceback:\n\t[C]: in function 'error'") text.resize(heading);
  return text;
}

}  // namespace

Session::Session(Interp& interp) : interp_(interp), L_(interp.state()) {
  lua_newtable(L_);
  functions_ = luaL_ref(L_, LUA_REGISTRYINDEX);
}

// keep(function, name, value, ...): the function's upvalues are the variables; one that has none is a constant.
int Session::keep(lua_State* L) {
  auto& self = *static_cast<Session*>(lua_touserdata(L, lua_upvalueindex(1)));
  lua_rawgeti(L, LUA_REGISTRYINDEX, self.functions_);
  const int functions = lua_gettop(L);
  for (int i = 2; i < functions; i += 2) {
    const std::string name = lua_tostring(L, i);
    int at = 0;
    for (int u = 1; const char* upvalue = lua_getupvalue(L, 1, u); ++u, lua_pop(L, 1))
      if (name == upvalue) at = u;
    if (at) {
      lua_pushvalue(L, 1);
    } else {
      at = 1;
      compile(L, "local v = ...; return function() return v end");
      lua_pushvalue(L, i + 1);
      lua_call(L, 1, 1);
    }
    lua_setfield(L, functions, name.c_str());
    self.variables_[name] = at;
  }
  return 0;
}

void Session::join(int function) {
  lua_rawgeti(L_, LUA_REGISTRYINDEX, functions_);
  for (int u = 1; const char* name = lua_getupvalue(L_, function, u); ++u) {
    lua_pop(L_, 1);
    const auto variable = variables_.find(name);
    if (variable == variables_.end()) continue;
    lua_getfield(L_, -1, name);
    lua_upvaluejoin(L_, function, u, -1, variable->second);
    lua_pop(L_, 1);
  }
  lua_pop(L_, 1);
}

bool Session::load_chunk(const std::string& text) {
  const ChunkNames names = scan_chunk(text);
  std::string outer = "local luth_keep";
  for (auto& [name, where] : variables_)
    if (name == "_ENV" || names.used.contains(name)) outer += "," + name;
  outer += " = ... return function(...) ";
  // a newline before the text that is appended: the chunk may end in a comment
  const std::string gap = names.end == text.size() ? "\n" : " ";
  const std::string kept =
      outer + text.substr(0, names.end) + gap + keep_calls(names.locals) + " " + text.substr(names.end) + "\nend";
  int status = compile(L_, kept);
  if (status != LUA_OK) {  // a jump to a label at the chunk's end does not allow statements after it
    lua_pop(L_, 1);
    status = compile(L_, outer + text + "\nend");
  }
  if (status != LUA_OK) return false;
  lua_pushlightuserdata(L_, this);
  lua_pushcclosure(L_, guarded<keep>, 1);
  lua_call(L_, 1, 1);
  join(lua_gettop(L_));
  return true;
}

Session::Outcome Session::finish(int status, bool print) {
  if (status == LUA_OK && print && lua_gettop(L_) > 0) {
    for (int i = 1, n = lua_gettop(L_); i <= n; ++i)
      if (is_shown(L_, i)) show(L_, i), lua_replace(L_, i);
    lua_getglobal(L_, "print");
    lua_insert(L_, 1);
    status = interp_.call(lua_gettop(L_) - 1, 0);
  }
  if (status == LUA_OK) {
    lua_settop(L_, 0);
    return Outcome::done;
  }
  fflush(stdout);
  size_t n = 0;
  const char* text = lua_tolstring(L_, -1, &n);
  print_error(without_prompt_frames(text ? std::string(text, n) : "(error object is not a string)"));
  lua_settop(L_, 0);
  return Outcome::failed;
}

Session::Outcome Session::run(std::string_view text) {
  lua_settop(L_, 0);
  const std::string statement(text), expression = "return " + statement;
  const int as_expression = compile(L_, expression);
  const bool expression_incomplete = incomplete(L_, as_expression);
  lua_pop(L_, 1);
  if (as_expression != LUA_OK) {
    const int as_statement = compile(L_, statement);
    if (incomplete(L_, as_statement) || (as_statement != LUA_OK && expression_incomplete)) {
      lua_settop(L_, 0);
      return Outcome::incomplete;
    }
    if (as_statement != LUA_OK) {
      add_hint(L_, &statement);
      return finish(as_statement, false);
    }
    lua_pop(L_, 1);
  }
  if (!load_chunk(as_expression == LUA_OK ? expression : statement)) return finish(LUA_ERRSYNTAX, false);
  return finish(interp_.call(0, LUA_MULTRET), true);
}

bool Session::push_variable(const std::string& name) {
  const auto variable = variables_.find(name);
  if (variable == variables_.end()) return false;
  lua_rawgeti(L_, LUA_REGISTRYINDEX, functions_);
  lua_getfield(L_, -1, name.c_str());
  const bool found = lua_getupvalue(L_, -1, variable->second);
  if (found) lua_insert(L_, -3);
  lua_pop(L_, 2);
  return found;
}

struct Session::Asked {
  Session& session;
  std::string_view line;
  Completion found;
};

int Session::completed(lua_State* L) {
  auto& a = *static_cast<Asked*>(lua_touserdata(L, 1));
  std::vector<std::string> names;
  for (auto& [name, where] : a.session.variables_) names.push_back(name);
  a.found = lang::complete(L, a.line, names,
                           [&](lua_State*, const std::string& name) { return a.session.push_variable(name); });
  return 0;
}

Completion Session::complete(std::string_view line) {
  Asked asked{*this, line, {}};
  const int top = lua_gettop(L_);
  lua_pushcfunction(L_, guarded<completed>);
  lua_pushlightuserdata(L_, &asked);
  lua_pcall(L_, 1, 0, 0);
  lua_settop(L_, top);
  return asked.found;
}

void Session::help(std::string name) {
  lua_settop(L_, 0);
  if (lua_getglobal(L_, "help") != LUA_TFUNCTION) {
    fprintf(stderr, "no help here: the global 'help' is not a function\n");
    lua_settop(L_, 0);
    return;
  }
  int arguments = 0;
  if (!name.empty()) {
    std::string path = name;
    std::replace(path.begin(), path.end(), ':', '.');
    const std::string expression = "return " + path;
    if (compile(L_, expression) == LUA_OK) {
      lua_pop(L_, 1);
      if (load_chunk(expression) && interp_.call(0, 1) == LUA_OK && !lua_isnil(L_, -1)) ++arguments;
    }
    if (!arguments) lua_settop(L_, 1);
    lua_pushlstring(L_, name.data(), name.size());
    ++arguments;
  }
  finish(interp_.call(arguments, 0), false);
}

}  // namespace luth::lang
