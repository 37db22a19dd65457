// Trial deletion over two heaps, Lua's and the autograd graph: finds the objects that only Lua's userdata keep alive.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"
#include "lang/collector/graph_roots.h"

namespace luth::lang {

/// Registers before main a type of userdata whose object holds tensors, such as modules their parameters. each() visits
/// those of the object of the userdata at `index`, and returns its address; null for other userdata.
struct HeldTensors {
  using Visit = std::function<void(const Tensor& t)>;
  explicit HeldTensors(const void* (*each)(lua_State* L, int index, const Visit& visit));
};

/// The owners of roots (leaves, nodes, checkpoints), and what leads to them in C++: tensors, nodes and packed values no
/// older than the oldest owner. An object is external if its reference count is higher than the references found here,
/// or if an external object refers to it. All others live only through userdata, so Lua's collector may decide on them.
///
/// The userdata are those to which the values of the roots lead. No others need be found: Lua has collected before, so
/// each that is left is such a one or lives.
class TrialDeletion {
 public:
  /// Adds a root. All are added before find().
  void add(const GraphRootRef& root);
  /// Finds the userdata, which it leaves on the stack in a list, and counts all references.
  void find(lua_State* L);
  /// Lets each userdata lead to the roots of the owners that it keeps alive: in the table at `table`, whose keys are
  /// userdata. Returns these roots, which need not be roots any more. Pops the list of find().
  std::vector<GraphRootRef> attach(lua_State* L, int table);

 private:
  using Kind = GraphRoot::Kind;
  struct Entry {
    const void* object;
    Kind kind;
    bool external = false;
    bool useful = false;        // not external, and leads to a root
    uint32_t found = 0;         // references to it that were found
    uint32_t uses = 0;          // how many useful ones it refers to, and its own roots
    size_t begin = 0, end = 0;  // what it refers to, in edges_
    const std::vector<GraphRootRef>* roots = nullptr;
  };
  bool wanted(const Node* node) const;
  bool wanted(const TensorImpl* t) const;
  bool has_owner(const TensorImpl* t) const;
  size_t entry_of(const void* object, Kind kind);
  void refer(const void* object, Kind kind);
  void refer(const Ref<Node>& node);
  void refer(const Tensor& t);
  void refer(const Ref<Packed>& packed);
  void scan(const Node& node);
  void scan(const TensorImpl& t);
  void scan(size_t i);
  void add_userdata(lua_State* L);
  void mark_external();
  void mark_useful();
  bool push_slot(lua_State* L, int tables, size_t i);
  void fill_table(lua_State* L, int tables, size_t i);

  std::unordered_map<const void*, std::vector<GraphRootRef>> roots_;  // by owner
  uint64_t oldest_ = ~uint64_t(0);                 // sequence number of the oldest owner: edges lead to older nodes
  std::unordered_map<const void*, size_t> index_;  // object -> its entry
  std::vector<Entry> entries_;
  std::vector<size_t> edges_;
  std::vector<size_t> userdata_;  // the entries of those that were found
  int users_ = 0;                 // stack index of the list of them
  std::vector<size_t> to_fill_;   // entries whose tables are new
};

}  // namespace luth::lang
