// The node of an operator's call: what it saved, and its way back. Internal to autograd.
#pragma once
#include "core/autograd.h"

namespace luth {

class WriteIntoView;

/// A value kept for backward, with the storage and the version that it had; no storage: only shape and dtype are kept.
struct Saved {
  Tensor tensor;
  Ref<Storage> storage;
  uint32_t version = 0;
  int result = -1;  // which result of the call it is; -1 for an input
};

class CallNode final : public Node, public Recycled<CallNode, 2> {
 public:
  /// `edges` are made before the node, because the accumulator of a leaf may be new and must be older than its users.
  CallNode(const Call& call, uint32_t wanted, Small<Edge, 2> edges);
  ~CallNode() override { forget(); }
  static Small<Edge, 2> edges_of(const Call& call, uint32_t wanted);
  std::string name() const override;
  /// After the kernel: the results that vjp reads; in place the first is `written`.
  void save_results(const Call& call, const Tensor* written);
  Tensors backward(const Tensors& dys) override;
  bool release() override;

  WriteIntoView* whole = nullptr;  // where this wrote into a view: the node of the base, which outlives this one

 private:
  void save_inputs(const Call& call);
  Tensors through_lower(Call& call, const Tensors& dys);
  Tensor unpack(const Saved& s);
  void forget();

  const OpInfo& info_;
  OpValue op_;
  uint32_t wanted_;
  Needs needs_;
  Inputs in_numbers_;
  Small<Saved, 2> in_, out_;
  bool released_ = false;
};

}  // namespace luth
