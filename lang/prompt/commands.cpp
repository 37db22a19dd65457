#include "lang/prompt/commands.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "lang/hints/lua_tokens.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

constexpr std::string_view names[] = {"bench", "bt", "edit", "load", "locals", "mem", "reload", "save", "time", "vars"};

std::string_view trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
  return first == s.npos ? std::string_view() : s.substr(first, last - first + 1);
}

// The word behind the colon.
std::string_view colon_word(std::string_view line) {
  const auto end =
      std::find_if_not(line.begin() + 1, line.end(), [](unsigned char c) { return isalnum(c) || c == '_'; });
  return line.substr(1, size_t(end - line.begin()) - 1);
}

bool is_colon_command(std::string_view line) {
  const auto word = colon_word(line);
  const bool known = std::find(std::begin(names), std::end(names), word) != std::end(names);
  return known && (line.size() == word.size() + 1 || isspace(static_cast<unsigned char>(line[word.size() + 1])));
}

Session& session_of(lua_State* L) { return *static_cast<Session*>(lua_touserdata(L, lua_upvalueindex(1))); }
std::string text_of(lua_State* L) { return luaL_checkstring(L, 1); }

int host_compile(lua_State* L) {
  Session& s = session_of(L);
  if (s.push_function(text_of(L))) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

int host_run(lua_State* L) {
  session_of(L).run(text_of(L));
  return 0;
}

int host_print(lua_State* L) {
  session_of(L).print_results();
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

int host_variables(lua_State* L) {
  Session& s = session_of(L);
  lua_newtable(L);
  for (auto& name : s.variables())
    if (s.push_variable(name)) lua_setfield(L, -2, name.c_str());
  return 1;
}

// is_builtin(name): whether the global was there when the session began.
int host_is_builtin(lua_State* L) { return lua_pushboolean(L, session_of(L).is_builtin(text_of(L))), 1; }

int host_statements(lua_State* L) {
  const std::string text = text_of(L);
  return lua_pushinteger(L, lua_Integer(scan_chunk(text).end)), 1;
}

void push_host(lua_State* L, Session& session) {
  constexpr std::pair<const char*, lua_CFunction> functions[] = {
      {"compile", guarded<host_compile>},       {"run", guarded<host_run>},
      {"print", guarded<host_print>},           {"variables", guarded<host_variables>},
      {"is_builtin", guarded<host_is_builtin>}, {"statements", guarded<host_statements>}};
  lua_newtable(L);
  for (auto& [name, f] : functions) {
    lua_pushlightuserdata(L, &session);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, name);
  }
}

// run(session, block)
int run_in_lua(lua_State* L) {
  auto& session = *static_cast<Session*>(lua_touserdata(L, 1));
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.prompt.commands");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "run");
  push_host(L, session);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 0);
  return 0;
}

}  // namespace

std::vector<std::string> command_names() { return {std::begin(names), std::end(names)}; }

Command command_of(std::string_view block) {
  const auto text = trimmed(block);
  if (text.empty()) return Command::none;
  const auto first = text.substr(0, text.find('\n'));
  if (text[0] == '?') return first.starts_with("??") ? Command::lua : Command::help;
  if (text[0] == '!' || (text[0] == ':' && is_colon_command(first))) return Command::lua;
  for (auto word : {"exit", "quit", "exit()", "quit()"})
    if (text == word) return Command::leave;
  return Command::none;
}

bool continues_statement(std::string_view line) {
  const auto text = trimmed(line);
  if (text.starts_with("..")) return true;
  return text.size() > 1 && text[0] == ':' && isalpha(static_cast<unsigned char>(text[1])) && !is_colon_command(text);
}

std::string colon_mistake(std::string_view block) {
  const auto text = trimmed(block);
  if (text.empty() || text[0] != ':' || text.starts_with("::") || command_of(text) != Command::none) return "";
  const std::string word(colon_word(text));
  if (text.substr(word.size() + 1).starts_with('('))
    return "':' goes on with a statement, and none is there; `_:" + word + "(…)` calls a method of the last result";
  return "':" + word + "' is no command" + did_you_mean(word, command_names());
}

bool leaves(Session& session, std::string_view block) {
  if (command_of(block) != Command::leave) return false;
  const auto text = trimmed(block);
  const std::string name(text.substr(0, text.find('(')));
  lua_State* L = session.state();
  const int top = lua_gettop(L);
  const bool is_variable = session.push_variable(name) || lua_getglobal(L, name.c_str()) != LUA_TNIL;
  lua_settop(L, top);
  return !is_variable;
}

void run_command(Session& session, const std::string& block) {
  lua_State* L = session.state();
  lua_settop(L, 0);
  lua_pushcfunction(L, guarded<run_in_lua>);
  lua_pushlightuserdata(L, &session);
  lua_pushlstring(L, block.data(), block.size());
  session.call(2);
}

}  // namespace luth::lang
