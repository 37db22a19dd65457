#include "lang/prompt/session.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/visible.h"
#include "lang/help/help.h"
#include "lang/hints/lua_tokens.h"
#include "lang/library/plots.h"
#include "lang/values/show.h"

namespace luth::lang {
namespace {

constexpr const char *chunks = "luth.chunks", *session = "luth.session";  // tables of the registry
constexpr size_t names_per_keep = 40;                                     // arguments take registers, and there are 255

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
std::string without_prompt_frames(std::string text, const std::string& chunk) {
  const size_t heading = text.find("\nstack traceback:");
  if (heading == text.npos) return text;
  const size_t own = text.rfind("in function <" + chunk + ":1>");
  if (own != text.npos && own > heading) text.resize(text.rfind('\n', own));
  if (constexpr std::string_view tail = "\n\t(...tail calls...)"; text.ends_with(tail))
    text.resize(text.size() - tail.size());
  const std::string_view rest = std::string_view(text).substr(heading + 1);
  if (rest == "stack traceback:" || rest == "stack traceback:\n\t[C]: in function 'error'") text.resize(heading);
  return text;
}

// on_error(message): keeps the frames of the error for :bt and :locals.
int note_error(lua_State* L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.prompt.frames");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "note");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  return 0;
}

// show_error(value): the text for an error that is no string.
int show_error(lua_State* L) {
  if (is_shown(L, 1))
    show(L, 1);
  else
    luaL_tolstring(L, 1, nullptr);
  lua_pushliteral(L, "error: ");
  lua_insert(L, -2);
  return lua_concat(L, 2), 1;
}

}  // namespace

Session::Session(Interp& interp) : interp_(interp), L_(interp.state()) {
  lua_newtable(L_);
  functions_ = luaL_ref(L_, LUA_REGISTRYINDEX);
  lua_newtable(L_);
  results_ = luaL_ref(L_, LUA_REGISTRYINDEX);
  lua_pushcfunction(L_, guarded<note_error>);
  lua_setfield(L_, LUA_REGISTRYINDEX, "luth.on_error");
  lua_pushcfunction(L_, guarded<show_error>);
  lua_setfield(L_, LUA_REGISTRYINDEX, "luth.show_error");
  add_plot_names(L_);
  note_builtins();
}

void Session::note_builtins() {
  lua_pushglobaltable(L_);
  for (lua_pushnil(L_); lua_next(L_, -2); lua_pop(L_, 1))
    if (lua_type(L_, -2) == LUA_TSTRING) builtin_.emplace(lua_tostring(L_, -2));
  lua_pop(L_, 1);
}

// Compiles `text` on its own and pushes the function or the message.
int Session::compile(const std::string& text) {
  return luaL_loadbufferx(L_, text.data(), text.size(), ("=" + chunk_).c_str(), "t");
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
      luaL_loadstring(L, "local v = ...; return function() return v end");
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
  int status = compile(kept);
  if (status != LUA_OK) {  // a jump to a label at the chunk's end does not allow statements after it
    lua_pop(L_, 1);
    status = compile(outer + text + "\nend");
  }
  if (status != LUA_OK) return false;
  lua_pushlightuserdata(L_, this);
  lua_pushcclosure(L_, guarded<keep>, 1);
  lua_call(L_, 1, 1);
  join(lua_gettop(L_));
  return true;
}

void Session::print_with(int printer, std::function<void(const std::string&)> failed) {
  printer_ = printer;
  failed_ = std::move(failed);
}

Session::Outcome Session::finish(int status, bool print) {
  if (status == LUA_OK && print && lua_gettop(L_) > 0) status = print_values();
  if (status == LUA_OK) {
    lua_settop(L_, 0);
    return Outcome::done;
  }
  fflush(stdout);
  size_t n = 0;
  const char* message = lua_tolstring(L_, -1, &n);
  const std::string text =
      without_prompt_frames(message ? std::string(message, n) : "(error object is not a string)", chunk_);
  failed_ ? failed_(text) : print_error(text);
  lua_settop(L_, 0);
  return Outcome::failed;
}

Session::Outcome Session::call(int nargs) { return finish(interp_.call(nargs, 0), false); }

// Gives the text a name of its own.
void Session::begin_chunk(std::string_view text) {
  chunk_ = "[" + std::to_string(++number_) + "]";
  luaL_getsubtable(L_, LUA_REGISTRYINDEX, chunks);
  lua_pushlstring(L_, text.data(), text.size());
  lua_setfield(L_, -2, chunk_.c_str());
  lua_pop(L_, 1);
}

// Pushes what the text compiles to, as an expression or else as statements, or the message; `statement` is what it is.
int Session::compile_block(std::string& statement) {
  const std::string expression = "return " + statement;
  int status = compile(expression);
  if (status == LUA_OK) return statement = expression, status;
  const bool expression_incomplete = incomplete(L_, status);
  lua_pop(L_, 1);
  status = compile(statement);
  incomplete_ = incomplete(L_, status) || (status != LUA_OK && expression_incomplete);
  return status;
}

bool Session::is_incomplete(const std::string& text) {
  const int top = lua_gettop(L_);
  std::string statement = text + "\n";  // a newline ends a string in quotes, but neither `\` nor `\z` at its end
  incomplete_ = false;
  compile_block(statement);
  lua_settop(L_, top);
  return incomplete_;
}

bool Session::compiles(const std::string& text) {
  const bool right = compile(text) == LUA_OK;
  lua_pop(L_, 1);
  return right;
}

size_t Session::last_expression(const std::string& text) {
  constexpr std::string_view goes_on = "([{\"'-~";  // behind a value
  const size_t end = text.find_last_not_of(" \t\r\n");
  for (size_t line = end; line != text.npos && line > 0 && (line = text.rfind('\n', line - 1)) != text.npos;) {
    const size_t first = text.find_first_not_of(" \t\r\n", line);
    if (goes_on.find(text[first]) == goes_on.npos && compiles("return " + text.substr(line)) &&
        compiles(text.substr(0, line)))
      return line + 1;
  }
  return 0;
}

Session::Outcome Session::run(std::string_view text, std::string_view whole) {
  lua_settop(L_, 0);
  begin_chunk(whole.empty() ? text : whole);
  std::string statement(text);
  const int status = compile_block(statement);
  if (status != LUA_OK) {
    add_hint(L_, &statement);
    return finish(status, false);
  }
  lua_pop(L_, 1);
  if (!load_chunk(statement)) return finish(LUA_ERRSYNTAX, false);
  const Outcome outcome = finish(interp_.call(0, LUA_MULTRET), true);
  if (outcome == Outcome::failed) return outcome;
  luaL_getsubtable(L_, LUA_REGISTRYINDEX, session);
  lua_pushstring(L_, chunk_.c_str());
  lua_rawseti(L_, -2, lua_Integer(lua_rawlen(L_, -2)) + 1);
  lua_settop(L_, 0);
  return outcome;
}

bool Session::push_function(const std::string& text) {
  std::string statement = text;
  if (compile_block(statement) != LUA_OK) return false;
  lua_pop(L_, 1);
  return load_chunk(statement);
}

std::vector<std::string> Session::variables() const {
  std::vector<std::string> names;
  for (auto& [name, where] : variables_) names.push_back(name);
  return names;
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
  a.found = lang::complete(L, a.line, a.session.variables(),
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

// Pushes the value of a name as a chunk would see it; pushes nothing and returns false where there is none.
bool Session::push_named(const std::string& name) {
  const int top = lua_gettop(L_);
  std::string path = name;
  std::replace(path.begin(), path.end(), ':', '.');
  const std::string expression = "return " + path;
  if (compile(expression) == LUA_OK) {
    lua_pop(L_, 1);
    if (load_chunk(expression) && interp_.call(0, 1) == LUA_OK && !lua_isnil(L_, -1)) return true;
  }
  lua_settop(L_, top);
  return false;
}

std::string Session::help_text(const std::string& name) {
  lua_settop(L_, 0);
  std::string text = push_named(name) ? lang::help_text(L_, -1) : "";
  if (text.empty()) text = named_help(L_, name);
  lua_settop(L_, 0);
  return text;
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
    if (push_named(name)) ++arguments;
    lua_pushlstring(L_, name.data(), name.size());
    ++arguments;
  }
  finish(interp_.call(arguments, 0), false);
}

}  // namespace luth::lang
