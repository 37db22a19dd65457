// Which nodes of autograd Lua's userdata hold and nothing else: for collections that find cycles through what Lua
// values the nodes need. Includes tensor_hooks.
#pragma once
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"
#include "lang/autograd/tensor_hooks.h"

namespace luth::lang {

/// The tensors that have userdata, their nodes, and what these hold. Who of them is referred to more often than is seen
/// here, or held by such a one, is outside.
class HeldGraph {
 public:
  /// A value that a node needs; all of them come first.
  void add(const HeldRef& h);
  /// Looks at all. The userdata are those known as holders and those to which the values lead.
  void find(lua_State* L);
  /// Has the userdata, keys of the table at `table`, lead to the values of the nodes that they alone hold; returns
  /// these values.
  std::vector<HeldRef> hold(lua_State* L, int table);
  /// How many values are left.
  size_t others() const { return left_; }

 private:
  struct Entry {
    const Node* node;
    const TensorImpl* tensor;  // or this
    uint32_t seen = 0;         // references to it
    bool outside = false;
    std::vector<size_t> holds = {};
  };
  bool wanted(const Node* node) const;
  size_t entry_of(const Node* node, const TensorImpl* tensor);
  void refer(size_t from, const Node* node, const TensorImpl* tensor);
  template <class List>
  void refer_saved(size_t from, const List& saved);
  void look_into(lua_State* L, size_t i);
  void add_userdata(lua_State* L, int users);
  void mark_outside();

  std::unordered_map<const Node*, std::vector<HeldRef>> values_;
  size_t left_ = 0;
  uint64_t oldest_ = ~uint64_t(0);  // of their nodes: edges lead to older ones
  std::unordered_map<const void*, size_t> places_;
  std::vector<Entry> entries_;
};

}  // namespace luth::lang
