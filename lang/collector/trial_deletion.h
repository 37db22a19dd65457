// Trial deletion over two heaps, Lua's and the autograd graph: finds the nodes that only Lua's userdata keep alive.
#pragma once
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"
#include "lang/collector/graph_roots.h"

namespace luth::lang {

/// The part of the graph that lies above the oldest node with a root: tensors that have userdata, their nodes, and what
/// these refer to. An object is external if its reference count is higher than the references found here, or if an
/// external object refers to it. All other objects live only through userdata, so Lua's collector may decide on them.
class TrialDeletion {
 public:
  /// Adds a root that a node owns. All roots are added before find().
  void add(const GraphRootRef& root);
  /// Counts all references. The userdata are the known holders of the roots, and those to which their values lead.
  void find(lua_State* L);
  /// Lets each userdata lead to the roots of the nodes that it keeps alive: in the table at `table`, whose keys are
  /// userdata. Returns these roots, which need not be roots any more.
  std::vector<GraphRootRef> attach(lua_State* L, int table);
  /// How many roots are left.
  size_t remaining() const { return remaining_; }

 private:
  struct Entry {
    const Node* node;
    const TensorImpl* tensor;  // where there is no node
    uint32_t found = 0;        // references to it that were found
    bool external = false;
    std::vector<size_t> refers_to = {};
  };
  bool wanted(const Node* node) const;
  size_t entry_of(const Node* node, const TensorImpl* tensor);
  void refer(size_t from, const Node* node, const TensorImpl* tensor);
  template <class List>
  void refer_saved(size_t from, const List& saved);
  void scan(size_t i);
  void add_userdata(lua_State* L, int users);
  void mark_external();

  std::unordered_map<const Node*, std::vector<GraphRootRef>> roots_;
  size_t remaining_ = 0;
  uint64_t oldest_ = ~uint64_t(0);  // sequence number of the oldest node with a root: edges lead to older nodes
  std::unordered_map<const void*, size_t> index_;  // node or tensor -> its entry
  std::vector<Entry> entries_;
};

}  // namespace luth::lang
