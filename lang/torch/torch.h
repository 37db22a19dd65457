// The parts of the table `torch` that are no operators. Each adds to the table at `torch`.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

void open_torch_functions(lua_State* L, int torch);            // torch.cpp
void open_cuda(lua_State* L, int torch, int methods);          // cuda.cpp: torch.cuda
void open_cuda_streams(lua_State* L, int torch, int methods);  // cuda_streams.cpp: into torch.cuda, and record_stream
void open_backends(lua_State* L, int torch);                   // backends.cpp: torch.backends, determinism, placement

}  // namespace luth::lang
