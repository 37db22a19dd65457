// help(x): the help text of any value or name.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>

namespace luth::lang {

/// The help text of the value at `index`, "" where there is none.
std::string help_text(lua_State* L, int index);
/// The help text of a name, "torch.topk", "topk", "x:sum", "zero_grad"; "" where nothing has it.
std::string named_help(lua_State* L, const std::string& name);

}  // namespace luth::lang
