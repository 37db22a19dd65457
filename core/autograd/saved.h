// Values that nodes keep for backward, and who may keep them in the nodes' place.
#pragma once
#include "core/autograd/autograd.h"

namespace luth {

class Recompute;

/// A saved value that is not in the node: how to have it again.
class Packed : public Counted {
 public:
  virtual ~Packed();
  virtual Tensor unpack() = 0;

  /// What it refers to, for a collector of cycles; null: nothing.
  struct Refers {
    const Recompute* work = nullptr;
    const Tensor* tensor = nullptr;
    const Ref<Packed>* packed = nullptr;
    const Ref<Node>* node = nullptr;
  };
  virtual Refers refers() const { return {}; }
};
/// The number of the next node.
uint64_t next_sequence();

/// What this thread's nodes would save goes through it instead, while it is set: checkpointing
/// (core/dispatch/recompute.h).
class Packer {
 public:
  virtual ~Packer();
  virtual Ref<Packed> pack(const Tensor& t) = 0;
};
Packer* packer();
/// Returns the one before.
Packer* set_packer(Packer* p);

/// A value kept for backward, with the storage and the version that it had; no storage: only shape and dtype are kept.
class Saved {
 public:
  Saved() = default;
  /// The value of result number `place` of the node, or of input ~place.
  Saved(const Tensor& t, int place);
  /// Shape, strides, offset and dtype, and no data, for rules that only read those.
  static Saved shape_of(const Tensor& t, int place);

  explicit operator bool() const { return tensor_ || packed_; }
  /// False for shapes alone: they are kept after release.
  bool holds_value() const { return storage_ || packed_; }
  bool is_result() const { return place_ >= 0; }
  /// The tensor that this holds; null where there is none.
  const Tensor& tensor() const { return tensor_; }
  const Ref<Packed>& packed() const { return packed_; }
  /// Which result, or which input.
  int number() const { return place_ >= 0 ? place_ : ~place_; }
  /// The value; of an input with its history, of a result without. `who` names the node in the error that the value was
  /// overwritten since. A packed one may run anything on the way, a backward that releases the node and ends this too.
  Tensor unpack(const Node& who) const;
  /// Moves the tensor, if there is one, to the list, and forgets the rest.
  void forget(Tensors& into);

 private:
  [[noreturn]] void overwritten(const Node& who) const;
  Tensor tensor_;
  Ref<Storage> storage_;
  Ref<Packed> packed_;
  uint32_t version_ = 0;
  int32_t place_ = -1;
};

}  // namespace luth
