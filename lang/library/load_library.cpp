// torch.ops: libraries of operators and modules from outside luth's tree, torch.ops.mine and nn.mine.
#include <map>

#include "core/device/library.h"
#include "core/nn/module.h"
#include "lang/binding/bind.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// The classes of modules of one library: those whose names begin with "mine.".
class LibraryClasses final : public LateNames {
 public:
  explicit LibraryClasses(std::string prefix) : prefix_(std::move(prefix)) {}
  bool push(lua_State* L, std::string_view name) const override {
    const std::string full = prefix_ + std::string(name);
    if (!nn::find_module_class(full)) return false;
    push_module_classes(L);
    lua_getfield(L, -1, full.c_str());
    lua_remove(L, -2);
    return true;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (auto* c : nn::module_classes())
      if (c->name.starts_with(prefix_)) list.emplace_back(c->name.substr(prefix_.size()));
    return list;
  }

 private:
  std::string prefix_;
};

// Pushes the table `name` of the table `owner`, and of its owner, "torch.ops". Made with its names where it is new.
void open_names(lua_State* L, const char* owner, const std::string& name, const LateNames& names) {
  luaL_loadstring(L, (std::string("return ") + owner).c_str());
  lua_call(L, 0, 1);
  lua_pushstring(L, name.c_str());
  if (lua_rawget(L, -2) != LUA_TTABLE) {
    lua_newtable(L);
    add_late_names(L, -1, names);
    static auto& texts = *new std::map<std::string, std::string>;  // documents keep pointers
    const std::string path = std::string(owner) + "." + name;
    document(L, -1, texts.try_emplace(path, path + "\n  Of the library " + name + ".").first->second.c_str());
    lua_setfield(L, -3, name.c_str());
  }
  lua_settop(L, lua_gettop(L) - 2);
}

// Opens the tables of all libraries that are loaded.
void open_libraries(lua_State* L) {
  static auto& functions = *new std::map<std::string, OperatorNames>;  // tables keep pointers
  static auto& classes = *new std::map<std::string, LibraryClasses>;
  for (const OpInfo* info : operators())
    if (const size_t colons = info->name.find("::"); colons != info->name.npos) {
      const std::string library = info->name.substr(0, colons);
      const std::vector<std::string> prefixes{"ops." + library + "."};
      open_names(L, "torch.ops", library, functions.try_emplace(library, prefixes, is_function).first->second);
    }
  for (auto* c : nn::module_classes())
    if (const size_t dot = c->name.find('.'); dot != c->name.npos) {
      const std::string library(c->name.substr(0, dot));
      open_names(L, "nn", library, classes.try_emplace(library, library + ".").first->second);
    }
}

int load(lua_State* L) {
  load_library(luaL_checkstring(L, 1));
  bound_functions();  // the built-in ones, if they are not there
  bind_new_operators();
  open_libraries(L);
  return 0;
}

// The loader of `require 'mine'`: (name, path). The module is torch.ops.mine, or nn.mine where it has no operators.
int load_required(lua_State* L) {
  const std::string name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  lua_remove(L, 1);
  load(L);
  lua_settop(L, 0);
  for (const char* owner : {"torch.ops", "nn"}) {
    luaL_loadstring(L, (std::string("return ") + owner).c_str());
    lua_call(L, 0, 1);
    lua_pushstring(L, name.c_str());
    if (lua_rawget(L, -2) == LUA_TTABLE) return 1;
  }
  return lua_pushboolean(L, true), 1;
}

// A searcher of require: libmine.so or mine.so along package.cpath, if it is a library of luth.
int search(lua_State* L) {
  const std::string name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_getglobal(L, "package");
  for (const std::string& file : {"lib" + name, name}) {
    lua_getfield(L, 2, "searchpath");
    lua_pushlstring(L, file.data(), file.size());
    lua_getfield(L, 2, "cpath");
    lua_call(L, 2, 1);
    if (lua_type(L, -1) == LUA_TSTRING && is_library(lua_tostring(L, -1))) {
      lua_pushcfunction(L, guarded<load_required>);
      lua_insert(L, -2);
      return 2;
    }
    lua_settop(L, 2);
  }
  return lua_pushnil(L), 1;
}

constexpr Row rows[] = {
    {"load_library", guarded<load>, "torch.ops.load_library(path)",
     "Loads a library of operators and modules that was built outside luth: torch.ops.mine.f(x), x:mine_f(), "
     "nn.mine.M."},
};

void open_ops(lua_State* L) {
  lua_getglobal(L, "torch");
  luaL_getsubtable(L, -1, "ops");
  document(L, -1, "torch.ops\n  Operators of libraries: torch.ops.load_library(path), then torch.ops.mine.f(x).");
  add_functions(L, lua_gettop(L), rows);
  insert_searcher(L, 4, guarded<search>);  // before those of Lua's own C modules
}
const Open opener("torch.ops", Open::modules + 6, open_ops);

}  // namespace
}  // namespace luth::lang
