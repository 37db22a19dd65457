// Graph roots: Lua values that nodes and leaves of the autograd graph need, such as hooks and the ctx of a Function.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "lang/runtime/ref.h"

namespace luth {
class Node;
class Saved;
struct TensorImpl;
}  // namespace luth

namespace luth::lang {

/// A Lua value that a tensor's or a node's object needs. It is a root of Lua's collector, except while collect_all
/// finds that only its holders lead to it.
struct GraphRoot {
  std::vector<WeakRef> holders;  // userdata of the leaf, or of results of the node
  TensorImpl* leaf = nullptr;    // the leaf that owns this, as its hook; null where a node owns it
  Node* node = nullptr;
  uint64_t sequence = 0;  // the node's
  LuaRef value;
  std::shared_ptr<const std::vector<Saved>> saved;  // tensors that the value holds inside C++: a ctx's; may be null
};
using GraphRootRef = std::shared_ptr<GraphRoot>;

/// The roots of an interpreter, and when a full collection looks at them next (full_collection_due).
struct GraphRoots {
  static constexpr size_t least = 10000;
  std::vector<std::weak_ptr<GraphRoot>> list;
  size_t due = least;      // the length of the list that makes one due
  int64_t rest_until = 0;  // in computed_time()

  void erase_dead();
};
GraphRoots& graph_roots(lua_State* L);

/// Call before anything of the script's is made, as open_refs.
void open_graph_roots(lua_State* L);

/// Makes the value at `index` a root, which the node owns. The caller appends the userdata of the node's results to
/// `holders` as they are made. A collection finds those to which the value itself leads.
GraphRootRef new_graph_root(lua_State* L, int index, Node* node);

}  // namespace luth::lang
