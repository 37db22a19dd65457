// The global table `plot` at the prompt.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// Makes scatter, hist, imshow and heatmap of the table `plot` globals, too: the prompt has them, scripts do not.
void add_plot_names(lua_State* L);

}  // namespace luth::lang
