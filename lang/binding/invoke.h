// Calls of operators by name, from functions written by hand.
#pragma once
#include "core/op/op.h"

namespace luth::lang {

/// A call of an operator by its registered name, with attributes by name: `Invoke("select").set("dim",
/// int64_t(0))({x})[0]`.
class Invoke {
 public:
  explicit Invoke(std::string_view op);
  /// Throws for an attribute that the operator does not have.
  Invoke& set(std::string_view attribute, const Attr& value);
  Tensors operator()(Inputs in) const { return apply(*info_, op_.get(), std::move(in)); }
  Tensor inplace(Inputs in) const { return apply_inplace(*info_, op_.get(), std::move(in)); }

 private:
  const OpInfo* info_;
  OpValue op_;
};

}  // namespace luth::lang
