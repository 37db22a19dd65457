// The Tensor class: its metatable, and its methods by subject, each in a file of its own.
#pragma once
#include <optional>

#include "lang/values/tensor_values.h"

namespace luth::lang {

/// The names of the fields of tensors: shape, dtype, grad, …
std::vector<std::string> tensor_fields();

/// Lets the userdata at 1 forget its tensor.
int free_tensor(lua_State* L);

/// The tensor that is argument 1 of a method; throws for another value and for one that was freed.
const Tensor& self(lua_State* L);
/// The same for what asks for a shape, which an uninitialised parameter has not; `use` names it in the error.
const Tensor& shaped_self(lua_State* L, std::string_view use);

/// The value at `index` as a tensor: a tensor itself, a number as a 0-dimensional tensor, nested tables as torch.tensor
/// makes them.
Tensor make_tensor(lua_State* L, int index, std::optional<Dtype> dtype, Device& device);
/// The bytes of the string at `index`, as uint8.
Tensor bytes_tensor(lua_State* L, int index);

// index.cpp: x[key] and x[key] = value for keys that are no strings. The tensor is at 1, the key at 2.
int read_index(lua_State* L);
int write_index(lua_State* L);

/// Sets torch.newaxis, and an ipairs that knows tensors.
void open_index(lua_State* L, int torch);

/// Makes the metatable of tensors, with the methods at `methods`.
void open_tensor_metatable(lua_State* L, int methods);

// Each adds methods to the table `methods` and functions to the table `torch`.
void open_tensor_methods(lua_State* L, int torch, int methods);  // methods.cpp
void open_tensor_convert(lua_State* L, int torch, int methods);  // convert.cpp: to, float, cuda, type
void open_tensor_make(lua_State* L, int torch, int methods);     // make.cpp: torch.tensor, tolist
void open_einsum(lua_State* L, int torch);                       // einsum.cpp: torch.einsum with lists of labels
void open_tensor_bytes(lua_State* L, int torch, int methods);    // bytes.cpp: torch.frombuffer, tobytes

}  // namespace luth::lang
