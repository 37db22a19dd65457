// Arguments of a module's call that have names: `m(x, x, x, {attn_mask = mask})`.
#pragma once
#include <functional>

#include "core/nn/module.h"

namespace luth::nn {

/// A module whose forward has described arguments: tensors and booleans. In Values they stand in the order of
/// their description; nothing stands where an argument keeps its default.
class DescribedCall {
 public:
  virtual ~DescribedCall() = default;
  virtual void describe_call(Fields& f) const = 0;
};

using DescribeCall = std::function<void(Fields&)>;

/// Sets the arguments that `describe` visits from the values of a call of m. Throws where a required one is missing,
/// one is of another kind, or there are too many.
void read_arguments(const Module& m, const Values& in, const DescribeCall& describe);
/// The arguments that `describe` visits, as values.
Values pack_arguments(const DescribeCall& describe);
std::vector<std::string> names_of_arguments(const DescribedCall& m);

/// The base of a module whose settings are the struct S and whose forward takes the described struct A: Self has
/// `Values run(const A&)`.
template <class Self, class S, class A>
class ArgumentsLayer : public Module, public DescribedCall {
 public:
  using Spec = S;
  using Arguments = A;
  explicit ArgumentsLayer(S s) : spec(std::move(s)) {}
  S spec;

  std::string type() const override { return S::name; }
  void describe(Fields& f) override { spec.describe(f); }
  void describe_call(Fields& f) const override { A().describe(f); }
  std::vector<std::string> argument_names() const override { return names_of_arguments(*this); }
  ModuleRef fresh() const override { return ModuleRef(new Self(spec)); }
  Values forward(const Values& in) override {
    A a;
    read_arguments(*this, in, [&](Fields& f) { a.describe(f); });
    return static_cast<Self&>(*this).run(a);
  }
};
/// The values of a call with the arguments `a`: `mha->call(packed(AttentionArguments{.query = x, .key = x, .value =
/// x}))`.
template <class A>
Values packed(A a) {
  return pack_arguments([&](Fields& f) { a.describe(f); });
}

}  // namespace luth::nn
