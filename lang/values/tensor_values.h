// Tensors as Lua values: pushing and checking them.
#pragma once
#include "core/autograd/autograd.h"
#include "core/op/op.h"
#include "lang/collector/pacer.h"
#include "lang/values/values.h"

namespace luth::lang {

/// Pushes a tensor, nil for a null one. A tensor may have several userdata; they are equal in Lua.
inline void push_tensor(lua_State* L, Tensor t) {
  if (!t) return lua_pushnil(L);
  note_tensor(L, push_box<Tensor>(L, std::move(t)));
}

/// The tensor at `index`; a null pointer for another value. A tensor that free() released is null itself.
inline const Tensor* to_tensor(lua_State* L, int index) { return to_box<Tensor>(L, index); }
/// Throws "expects a tensor, got ..."; `what` begins the message.
const Tensor& check_tensor(lua_State* L, int index, const char* what = "expects");
/// A table of tensors, or a single tensor, as a list. Throws with the number of an element that is no tensor.
Tensors check_tensors(lua_State* L, int index, const char* what = "expects");
/// The tensor, number or boolean at `index`; an empty Value for another value.
Value to_value(lua_State* L, int index);
/// Pushes a table of tensors.
void push_list(lua_State* L, const Tensors& list);
/// Pushes tensors and numbers one by one, nil for an absent one. Returns their number.
int push_values(lua_State* L, const Inputs& values);
/// Pushes a boolean, an integer or a float.
void push_scalar(lua_State* L, const Scalar& s);

/// Pushes a grad_fn, nil for a null one.
void push_grad_fn(lua_State* L, const Ref<Node>& node);
/// Pushes a table of tensors, with torch.none for an absent one.
void push_optional_tensors(lua_State* L, const Tensors& list);
/// The tensor or nil at `index` as a list of one or none; a list as it is, with torch.none for an absent one.
Tensors optional_tensors(lua_State* L, int index, const char* what);

}  // namespace luth::lang
