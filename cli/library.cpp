#include "cli/library.h"

namespace luth::cli {

void push_words(lua_State* L, const std::vector<std::string>& words) {
  lua_newtable(L);
  for (auto& word : words) {
    lua_pushlstring(L, word.data(), word.size());
    lua_seti(L, -2, luaL_len(L, -2) + 1);
  }
}

void set_texts(lua_State* L, const Arguments& arguments, std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (auto text = arguments.text(std::string("--") + option)) {
      lua_pushlstring(L, text->data(), text->size());
      lua_setfield(L, -2, option);
    }
}

int run_library(const char* module, const char* function, const std::function<int(lua_State*)>& push) {
  lang::Interp interp;
  interp.handle_signals();
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  if (int status = interp.call(1, 1)) return interp.report(status);
  lua_getfield(L, -1, function);
  if (int status = interp.call(push(L), 1)) return interp.report(status);
  return lua_tonumber(L, -1) > 0 ? 1 : 0;
}

int run_with_options(const char* module, const Arguments& arguments, std::initializer_list<const char*> flags,
                     std::initializer_list<const char*> texts) {
  return run_library(module, "run", [&](lua_State* L) {
    push_words(L, arguments.rest);
    lua_newtable(L);
    for (const char* flag : flags) {
      lua_pushboolean(L, arguments.has(std::string("--") + flag));
      lua_setfield(L, -2, flag);
    }
    set_texts(L, arguments, texts);
    return 2;
  });
}

}  // namespace luth::cli
