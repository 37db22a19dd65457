// The parts of the Tensor class, each in a file of its own; tensor.cpp puts them together.
#pragma once
#include "core/autograd/autograd.h"
#include "lang/tensor/tensor.h"

namespace luth::lang {

/// The names of the fields of tensors: shape, dtype, grad, …
std::vector<std::string> tensor_fields();

/// The tensor that is argument 1 of a method; throws for another value and for one that was freed.
const Tensor& self(lua_State* L);

/// graph_nodes.cpp: pushes a grad_fn, nil for a null one.
void push_grad_fn(lua_State* L, const Ref<Node>& node);
/// A table of them, with torch.none for an absent one.
void push_optional_tensors(lua_State* L, const Tensors& list);
/// The tensor or nil at `index` as a list of one or none; a list as it is, with torch.none for an absent one.
Tensors optional_tensors(lua_State* L, int index, const char* what);

// tensor_index.cpp: x[key] and x[key] = value for keys that are no strings. The tensor is at 1, the key at 2.
int read_index(lua_State* L);
int write_index(lua_State* L);

/// Sets torch.newaxis, and an ipairs that knows tensors.
void open_index(lua_State* L, int torch);

// Each adds methods to the table `methods` and functions to the table `torch`.
void open_tensor_methods(lua_State* L, int torch, int methods);  // tensor_methods.cpp
void open_tensor_convert(lua_State* L, int torch, int methods);  // tensor_convert.cpp: to, float, cuda, type
void open_tensor_make(lua_State* L, int torch, int methods);     // tensor_make.cpp: torch.tensor, tolist
void open_einsum(lua_State* L, int torch);                       // einsum.cpp: torch.einsum with lists of labels
void open_tensor_bytes(lua_State* L, int torch, int methods);    // tensor_bytes.cpp: torch.frombuffer, tobytes
Tensor bytes_tensor(lua_State* L, int index);                    // of a string, as uint8
void open_autograd(lua_State* L, int torch, int methods);        // autograd.cpp
void open_graph_nodes(lua_State* L, int methods);                // graph_nodes.cpp: grad_fn, hooks
void open_function(lua_State* L, int autograd);                  // function.cpp: torch.autograd.Function
void open_autocast(lua_State* L, int torch);                     // autocast.cpp
void open_torch_functions(lua_State* L, int torch);              // torch.cpp

}  // namespace luth::lang
