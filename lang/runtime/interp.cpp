#include "lang/runtime/interp.h"
#include "core/dist/world.h"

#include <fmt/ranges.h>
#include <locale.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <vector>

#include "core/base/error_context.h"
#include "core/base/paths.h"
#include "core/base/visible.h"
#include "core/base/warn.h"
#include "lang/hints/hints.h"
#include "lang/runtime/own_modules.h"
#include "lang/runtime/source_mark.h"

namespace luth::lang {
namespace {

struct Opening {
  const char* name;
  int order;
  Opener opener;
};

// In a function, because openers register before main, in any order of files.
std::vector<Opening>& openings() {
  static std::vector<Opening> list;
  return list;
}

// Text is UTF-8 everywhere, and its letters are the same in every language: in Turkish, i is not the small I.
void set_locale() {
  if (!setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "");
}

// package.path ends with the installation's folder: what add_own_modules does not take comes from there last.
void extend_paths(lua_State* L) {
  const std::string share = share_dir();
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_pushfstring(L, ";%s/?.lua;%s/?/init.lua", share.c_str(), share.c_str());
  lua_concat(L, 2);
  lua_setfield(L, -2, "path");
  lua_pop(L, 1);
}

void run_opener(lua_State* L, const Opening& o) {
  o.opener(L);
  lua_settop(L, 0);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getglobal(L, o.name);
  if (lua_istable(L, -1)) lua_setfield(L, -2, o.name);
  lua_settop(L, 0);
}

// For warnings of the core.
std::string where() {
  lua_State* L = running_thread();
  if (!L || !lua_checkstack(L, 4)) return "";
  push_where(L);
  std::string line = lua_tostring(L, -1);
  lua_pop(L, 1);
  return line;
}

// "train.lua:12", for errors that show later.
std::string line_now() {
  std::string line = where();
  if (line.ends_with(": ")) line.resize(line.size() - 2);
  return line;
}

int open_all(lua_State* L) {
  set_warning_place(where);
  set_script_line_hook(line_now);
  open_source_marks(L);
  check_userdata_layout(L);
  luaL_openlibs(L);
  extend_paths(L);
  add_own_modules(L);
  auto list = openings();
  std::sort(list.begin(), list.end(), [](const Opening& a, const Opening& b) {
    return a.order != b.order ? a.order < b.order : strcmp(a.name, b.name) < 0;
  });
  lua_settop(L, 0);
  for (auto& o : list) run_opener(L, o);
  return 0;
}

// Makes the error a string and adds a traceback, where one helps: not to an error of usage, an interrupt, or an error
// without a position (push_where), which no code of the user has raised.
int with_traceback(lua_State* L) {
  if (!lua_isstring(L, 1)) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_isstring(L, -1))
      lua_replace(L, 1);
    else if (lua_getfield(L, LUA_REGISTRYINDEX, "luth.show_error") == LUA_TFUNCTION &&
             (lua_pushvalue(L, 1), lua_pcall(L, 1, 1, 0) == LUA_OK))
      lua_replace(L, 1);
    else
      lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1)), lua_replace(L, 1);
  }
  lua_settop(L, 1);
  const char* text = lua_tostring(L, 1);
  switch (error_code(L, text)) {
    case ErrorCode::usage:
    case ErrorCode::interrupted:
    case ErrorCode::terminated: return 1;
    default: break;
  }
  if (text == StateData::of(L).last_error.text) return 1;
  add_hint(L);
  if (lua_getfield(L, LUA_REGISTRYINDEX, "luth.on_error") == LUA_TFUNCTION) {
    lua_pushvalue(L, 1);
    lua_pcall(L, 1, 0, 0);
  }
  lua_settop(L, 1);
  add_traceback(L);
  return 1;
}

}  // namespace

void add_traceback(lua_State* L) {
  std::set<std::string> own;
  lua_Debug ar;
  for (int level = 1; level < 1000 && lua_getstack(L, level, &ar); ++level)  // finding one takes time by its number
    if (lua_getinfo(L, "S", &ar); is_own_code(ar)) own.insert(ar.short_src);
  luaL_traceback(L, L, nullptr, 1);
  std::istringstream all(lua_tostring(L, -1));
  std::vector<std::string> lines;
  bool dropped = false;
  for (std::string line; std::getline(all, line);) {
    const auto is_of = [&](const std::string& source) { return line.starts_with("\t" + source + ":"); };
    if (std::any_of(own.begin(), own.end(), is_of)) {
      while (!lines.empty() && lines.back().starts_with("\t[C]:")) lines.pop_back();
      dropped = true;
    } else if (line != "\t[C]: in ?" && (!dropped || line != "\t(...tail calls...)")) {
      lines.push_back(line);
      dropped = false;
    }
  }
  lua_pop(L, 1);
  const std::string text = fmt::format("{}\n{}", lua_tostring(L, -1), fmt::join(lines, "\n"));
  lua_pop(L, 1);
  lua_pushlstring(L, text.data(), text.size());
}

Open::Open(const char* name, int order, Opener opener) { openings().push_back({name, order, opener}); }

Interp::Interp() : Interp(Options{}) {}

Interp::Interp(Options options) : L_(new_state(allocator_, *this)), options_(options) {
  if (!L_) throw Error(ErrorCode::memory, "not enough memory for the interpreter");
  set_locale();
  if (options.ignore_environment) lua_pushboolean(L_, 1), lua_setfield(L_, LUA_REGISTRYINDEX, "LUA_NOENV");
  lua_gc(L_, LUA_GCSTOP);
  lua_pushcfunction(L_, guarded<open_all>);
  const int status = lua_pcall(L_, 0, 0, 0);
  lua_gc(L_, LUA_GCRESTART);
  lua_gc(L_, LUA_GCSTEP, -lua_gc(L_, LUA_GCCOUNT));  // the first collection comes when the memory has doubled
  if (status == LUA_OK) return;
  const std::string trouble = luaL_tolstring(L_, -1, nullptr);
  lua_close(L_);
  throw Error("the interpreter does not start: {}", trouble);
}

int Interp::call(int nargs, int nresults) {
  const int base = lua_gettop(L_) - nargs;
  RunningScope running(L_);  // from here on a signal stops what runs
  if (stop_requested()) {
    lua_settop(L_, base - 1);
    return push_stop();
  }
  lua_pushcfunction(L_, guarded<with_traceback>);
  lua_insert(L_, base);
  const int status = lua_pcall(L_, nargs, nresults, base);
  lua_remove(L_, base);
  return status;
}

ErrorCode Interp::code_of(int status) const {
  if (status == LUA_ERRMEM) return ErrorCode::memory;
  if (status == LUA_ERRFILE) return ErrorCode::usage;
  size_t n = 0;
  const char* text = lua_tolstring(L_, -1, &n);
  return error_code(L_, text ? std::string_view(text, n) : std::string_view());
}

int Interp::report(int status) {
  if (status == LUA_OK) return 0;
  const ErrorCode code = code_of(status);
  const char* text = lua_tostring(L_, -1);
  fflush(stdout);
  print_error(std::string("luth: ") + (text ? text : "(error object is not a string)"));
  if (text) dist::tell_end(code, text);
  lua_pop(L_, 1);
  return int(code);
}

int Interp::run_string(std::string_view code, const char* chunkname) {
  int status = luaL_loadbuffer(L_, code.data(), code.size(), chunkname);
  if (status == LUA_OK) return report(call(0, 0));
  const std::string text(code);
  add_hint(L_, &text);
  return report(status);
}

// What luaL_loadfile loads from standard input, whose text stays, as a hint reads the line that an error names.
static int load_stdin(lua_State* L, std::string& text) {
  char part[BUFSIZ];
  while (const size_t n = std::fread(part, 1, sizeof part, stdin)) text.append(part, n);
  if (std::ferror(stdin)) return lua_pushfstring(L, "cannot read stdin: %s", strerror(errno)), LUA_ERRFILE;
  std::string_view chunk = text;
  if (chunk.starts_with("\xEF\xBB\xBF")) chunk.remove_prefix(3);
  if (chunk.starts_with('#')) chunk.remove_prefix(std::min(chunk.find('\n'), chunk.size()));
  if (chunk.starts_with("\n" LUA_SIGNATURE)) chunk.remove_prefix(1);
  return luaL_loadbuffer(L, chunk.data(), chunk.size(), "=stdin");
}

int Interp::run_file(const char* path) {
  std::string text;
  const int status = path ? luaL_loadfile(L_, path) : load_stdin(L_, text);
  if (status != LUA_OK) {
    add_hint(L_, path ? nullptr : &text);
    return report(status);
  }
  int n = 0;
  if (lua_getglobal(L_, "arg") == LUA_TTABLE) {
    n = int(luaL_len(L_, -1));
    luaL_checkstack(L_, n + 3, "too many arguments to script");
    for (int i = 1; i <= n; ++i) lua_rawgeti(L_, -i, i);
    lua_remove(L_, -n - 1);
  } else {
    lua_pop(L_, 1);
  }
  return report(call(n, 0));
}

int Interp::require(const char* module, const char* global) {
  lua_getglobal(L_, "require");
  lua_pushstring(L_, module);
  const int status = call(1, 1);
  if (status == LUA_OK) lua_setglobal(L_, global);
  return report(status);
}

int Interp::run_init() {
  if (options_.ignore_environment) return 0;
  for (const char* name : {"LUA_INIT_5_4", "LUA_INIT"}) {
    const char* init = getenv(name);
    if (!init) continue;
    if (init[0] == '@') {
      const int status = luaL_loadfile(L_, init + 1);
      return report(status == LUA_OK ? call(0, 0) : status);
    }
    return run_string(init, (std::string("=") + name).c_str());
  }
  return 0;
}

void Interp::find_modules_beside(const std::string& script) {
  const size_t slash = script.rfind('/');
  const std::string folder = slash == script.npos ? "." : slash == 0 ? "" : script.substr(0, slash);
  if (folder.find_first_of(";?") != folder.npos) return;  // package.path cannot name it
  lua_getglobal(L_, "package");
  lua_pushfstring(L_, "%s/?.lua;%s/?/init.lua;", folder.c_str(), folder.c_str());
  if (lua_getfield(L_, -2, "path") == LUA_TSTRING) {
    lua_concat(L_, 2);
    lua_setfield(L_, -2, "path");
  }
  lua_settop(L_, 0);
}

void Interp::set_arg(int argc, char** argv, int script) {
  if (script == argc) script = 0;  // no script: the program is arg[0]
  lua_createtable(L_, argc, script + 1);
  for (int i = 0; i < argc; ++i) {
    lua_pushstring(L_, argv[i]);
    lua_rawseti(L_, -2, i - script);
  }
  lua_setglobal(L_, "arg");
}

void add_hint(lua_State* L, const std::string* source) {
  size_t n = 0;
  const char* text = lua_tolstring(L, -1, &n);
  if (!text) return;
  const std::string hint = hint_on({text, n}, source);
  lua_pushlstring(L, hint.data(), hint.size());
  lua_concat(L, 2);
}

}  // namespace luth::lang
