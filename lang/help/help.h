// help(x): texts for operators (from their description), for functions written by hand (from their rows), for anything
// else that has been documented.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>

namespace luth::lang {

/// The help of the value at `index`, "" where there is none.
std::string help_text(lua_State* L, int index);
/// The help of what a name means, "torch.topk", "topk", "x:sum", "zero_grad"; "" where nothing has it.
std::string named_help(lua_State* L, const std::string& name);

}  // namespace luth::lang
