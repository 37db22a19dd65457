// Hooks of tensors written in Lua, and full collections of Lua that find the cycles through them.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "lang/runtime/ref.h"

namespace luth {
class Node;
struct TensorImpl;
}  // namespace luth

namespace luth::lang {

/// A Lua value that a tensor's or a node's object needs. It is a root, except while collect_all finds that its
/// holders alone lead to it.
struct HeldValue {
  std::vector<WeakRef> holders;  // userdata: of a leaf, or of results of the node
  TensorImpl* leaf = nullptr;    // whose hook this is, and which owns it; or the node
  Node* node = nullptr;
  uint64_t sequence = 0;  // the node's
  LuaRef value;
};
using HeldRef = std::shared_ptr<HeldValue>;

/// Before anything of the script's, as open_refs.
void open_held(lua_State* L);

/// The value at `index`, for a node to own. Append the userdata of its results to `holders` as they come to be; those
/// to which the value itself leads are found.
HeldRef hold_for_node(lua_State* L, int index, Node* node);

/// Registers the function at `f` as a hook of the tensor at `tensor`; returns its id. `accumulated`: it gets the
/// tensor, a leaf, when a gradient was added to its grad.
int64_t add_tensor_hook(lua_State* L, int tensor, int f, bool accumulated = false);

/// A full collection; false inside of a finalizer, where there is none. What a hook or a Function's ctx captures is
/// kept by the tensor's holders. Where these are all known (the userdata on which it was registered, modules with the
/// tensor as parameter or buffer; for a result, what lang/collector/cycle_collector.h sees), it lives as long as one of
/// them can be reached, so that a cycle through a hook is freed. With a holder that Lua cannot see (a graph, an
/// optimizer, a view, another userdata of the tensor), the hook is a root, as it is at all other times.
bool collect_all(lua_State* L);

/// Whether it is time for one: about twice as many values are held as survived the last, and at least 10000, and one
/// for each KB that Lua had then; and not before eight times the time that the last one took has passed.
bool many_held(lua_State* L);

}  // namespace luth::lang
