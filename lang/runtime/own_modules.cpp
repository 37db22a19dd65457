#include "lang/runtime/own_modules.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/base/warn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// The file of the module in the installation, or "".
std::string own_file(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  const std::string start = share_dir() + "/" + name;
  for (const char* end : {".lua", "/init.lua"})
    if (access((start + end).c_str(), R_OK) == 0) return start + end;
  return "";
}

bool is_preloaded(lua_State* L, const std::string& name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  const bool is = lua_getfield(L, -1, name.c_str()) != LUA_TNIL;
  lua_pop(L, 2);
  return is;
}

// Models have names that a user's files may have too: then their file would have been read without this searcher.
void warn_of_other(lua_State* L, const std::string& name, const std::string& own) {
  lua_getglobal(L, "package");
  if (lua_getfield(L, -1, "searchpath") != LUA_TFUNCTION) return lua_pop(L, 2);
  lua_pushlstring(L, name.data(), name.size());
  lua_getfield(L, -3, "path");
  if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING && own != lua_tostring(L, -1))
    warn(fmt::format("require '{}' gives luth's own module; {} is not read, rename it", name, lua_tostring(L, -1)));
  lua_pop(L, 2);
}

int search(lua_State* L) {
  const std::string name = luaL_checkstring(L, 1), root = name.substr(0, name.find('.'));
  const bool models = root == "models";
  if ((!models && ((root != "luth" && root != "torch") || root == name)) || name.find('/') != name.npos) return 0;
  const std::string file = own_file(name);
  if (file.empty()) {
    if (models || is_preloaded(L, name)) return 0;
    throw Error("module '{}' not found: names that begin with '{}.' are luth's own, and its folder {} has none like it",
                name, root, share_dir());
  }
  if (models) warn_of_other(L, name, file);
  if (luaL_loadfile(L, file.c_str()) != LUA_OK) throw Error("{}", lua_tostring(L, -1));
  lua_pushlstring(L, file.data(), file.size());
  return 2;
}

}  // namespace

void add_own_modules(lua_State* L) { insert_searcher(L, 1, guarded<search>); }

}  // namespace luth::lang
