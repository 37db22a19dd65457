// The node of an operator's call: what it saved, and its way back. Internal to autograd.
#pragma once
#include "core/autograd/saved.h"
#include "core/memory/node_slab.h"

namespace luth {

/// The node that the base of a view has after a write through the view.
class ViewWrite : public Node {
 public:
  /// A saved result of the write: the part of this node's result that was written.
  virtual Tensor part_of(const Tensor& saved) = 0;
  /// The node of the write.
  virtual const Ref<Node>& write() const = 0;
};

class CallNode final : public Node {
 public:
#if !defined(__SANITIZE_ADDRESS__)  // a sanitizer must see every object die
  static void* operator new(size_t n) { return allocate_node(n); }
  static void operator delete(void* p) { free_node(p); }
#endif
  /// `edges` are made before the node, because the accumulator of a leaf may be new and must be older than its users.
  CallNode(const Call& call, uint32_t wanted, Edges&& edges);
  ~CallNode() override { forget(); }
  static Edges edges_of(const Call& call, uint32_t wanted);
  std::string name() const override;
  /// After the kernel: the results that vjp reads; in place the first is `written`.
  void save_results(const Call& call, const Tensor* written);
  Tensors backward(const Tensors& dys) override;
  bool release() override;
  const Small<Saved, 2>& saved() const { return saved_; }

  ViewWrite* whole = nullptr;  // where this wrote into a view: the node of the base, which outlives this one

 private:
  struct Number {
    uint32_t at;
    Scalar value;
  };
  bool edge_has_shape(const Call& call, size_t i) const;
  void save_inputs(const Call& call);
  Tensors through_decomposition(Call& call, const Tensors& dys);
  Tensor unpack(const Saved& s);
  void forget();
  void check_released() const;  // throws where it is

  const OpInfo& info_;
  OpValue own_op_;  // a copy of the attributes; empty where these last by themselves
  const void* op_;
  uint32_t wanted_, inputs_;
  uint32_t shapes_ = 0;  // bit i: of input i only the shape is read, and the node at its edge knows it
  uint32_t needed_results_ = 0;
  bool released_ = false;
  Small<Number, 1> numbers_;
  Small<Saved, 2> saved_;
};

}  // namespace luth
