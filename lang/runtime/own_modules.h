// The Lua modules of the installation: require 'luth.check', require 'torch.testing', require 'models'.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Puts a searcher before all others of `require`: names that begin with "luth.", "torch." or "models" come from
/// share_dir(), whatever package.path and the current folder have. A name "luth.x" or "torch.x" that the installation
/// lacks is an error; one of models is searched for as others are.
void add_own_modules(lua_State* L);

}  // namespace luth::lang
