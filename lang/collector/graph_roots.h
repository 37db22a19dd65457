// Graph roots: Lua values that the autograd graph needs, such as hooks and the ctx of a Function.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor/tensor.h"
#include "lang/runtime/ref.h"

namespace luth {
class Packed;
class Recompute;
class Saved;
}  // namespace luth

namespace luth::lang {

/// A Lua value that its owner needs: a leaf or a node its hook, a node its ctx, a checkpoint its function. It is a root
/// of Lua's collector, except while collect_all finds that only Lua leads to the owner.
struct GraphRoot {
  enum class Kind : uint8_t { node, tensor, work, packed, holder };  // of owners: the first three. work: a Recompute
  const void* owner = nullptr;
  Kind kind = Kind::node;
  LuaRef value;
  std::shared_ptr<const std::vector<Saved>> saved;  // tensors that the value holds inside C++: a ctx's; may be null

  void set_owner(const Node& node) { owner = &node, kind = Kind::node; }
  void set_owner(const TensorImpl& leaf) { owner = &leaf, kind = Kind::tensor; }
  void set_owner(const Recompute& work) { owner = &work, kind = Kind::work; }
  /// The number of the oldest node that may refer to the owner, or is it; the highest where there is none.
  uint64_t oldest() const;
};
using GraphRootRef = std::shared_ptr<GraphRoot>;

/// The roots of an interpreter, and when a full collection looks at them next (full_collection_due).
struct GraphRoots {
  std::vector<std::weak_ptr<GraphRoot>> list;
  size_t survivors = 0;    // of the last collection
  size_t tensors = 0;      // handed to Lua since then
  int64_t rest_until = 0;  // in computed_time()

  /// What makes a collection due: so many roots, KB of Lua's memory, or tensors handed to Lua.
  struct Due {
    size_t roots = 4000, kb = 32 << 10, tensors = 200000;
  } due;

  void erase_dead();
};
GraphRoots& graph_roots(lua_State* L);

/// Call before anything of the script's is made, as open_refs.
void open_graph_roots(lua_State* L);

/// Makes the value at `index` a root. It stays one until it has an owner.
GraphRootRef new_graph_root(lua_State* L, int index);

}  // namespace luth::lang
