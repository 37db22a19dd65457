// Makes the table `torch` of its parts.
#include "core/tensor/print.h"
#include "lang/autograd/open_autograd.h"
#include "lang/binding/bind.h"
#include "lang/collector/graph_roots.h"
#include "lang/collector/pacer.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/ref.h"
#include "lang/tensor/tensor_class.h"
#include "lang/torch/torch.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

// Torch7's names of in-place methods, where PyTorch has no other function of that name.
void open_torch7_names(lua_State* L, int methods) {
  constexpr const char* names[][2] = {{"fill", "fill_"},
                                      {"zero", "zero_"},
                                      {"copy", "copy_"},
                                      {"resize", "resize_"},
                                      {"resizeAs", "resize_as_"},
                                      {"nElement", "numel"},
                                      {"nDimension", "dim"},
                                      {"repeatTensor", "repeat"},
                                      {"uniform", "uniform_"},
                                      {"normal", "normal_"},
                                      {"storageOffset", "storage_offset"},
                                      {"isContiguous", "is_contiguous"},
                                      {"isSameSizeAs", "is_same_size"}};
  for (auto& [old, now] : names) {
    if (lua_getfield(L, methods, old) == LUA_TNIL) {
      lua_getfield(L, methods, now);
      lua_setfield(L, methods, old);
    }
    lua_pop(L, 1);
  }
}

// Methods that PyTorch has as functions too, though they work in place.
void open_method_functions(lua_State* L, int torch, int methods) {
  for (const char* name : {"zero_", "detach_", "get_device"}) {
    lua_getfield(L, methods, name);
    lua_setfield(L, torch, name);
  }
}

void open_torch(lua_State* L) {
  set_shown_base(1);
  open_refs(L);
  open_graph_roots(L);
  open_pacer(L);
  lua_createtable(L, 0, 1024);  // room for all: growing takes a good part of the start
  int torch = lua_gettop(L);
  lua_createtable(L, 0, 1024);
  int methods = lua_gettop(L);
  lua_pushvalue(L, torch);
  open_values(L);
  lua_pop(L, 1);
  bind_operators(L, torch, methods);
  open_tensor_metatable(L, methods);
  open_tensor_methods(L, torch, methods);
  open_tensor_convert(L, torch, methods);
  open_tensor_make(L, torch, methods);
  open_tensor_bytes(L, torch, methods);
  open_autograd(L, torch, methods);
  open_autocast(L, torch);
  open_torch_functions(L, torch);
  open_cuda(L, torch, methods);
  open_backends(L, torch);
  open_index(L, torch);
  open_einsum(L, torch);
  open_torch7_names(L, methods);
  open_method_functions(L, torch, methods);
  lua_pushvalue(L, methods);
  lua_setfield(L, torch, "Tensor");
  lua_pushvalue(L, torch);
  lua_setglobal(L, "torch");
}

const Open opener("torch", Open::tables, open_torch);

}  // namespace
}  // namespace luth::lang
