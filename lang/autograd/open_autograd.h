// The parts of torch.autograd. Each adds functions to the table `torch` and methods to the table `methods`.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

void open_autograd(lua_State* L, int torch, int methods);  // autograd.cpp
void open_graph_nodes(lua_State* L, int methods);          // graph_nodes.cpp: grad_fn, hooks
void open_function(lua_State* L, int autograd);            // function.cpp: torch.autograd.Function
void open_autocast(lua_State* L, int torch);               // autocast.cpp

}  // namespace luth::lang
