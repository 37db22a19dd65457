// The base of elementwise functions whose gradient is a kernel of its own, made from the same struct.
//
//   struct Mish : WithBackward<Mish> {
//     static constexpr Doc doc{"mish", "input", "…"};
//     static constexpr std::string_view backward = "mish_backward";     // the name of the gradient's operator
//     template <class T> LUTH_HD T f(T x) const;                        // or functor<T>() with operator()(x) …
//     template <class T> LUTH_HD T grad(T dy, T x) const;               // … and grad(dy, x): dy f'(x)
//     Tensor bend(const Value& x) const;                                // f''(x) in operators; null where it is 0
//   };
//
// The family's list has these operators and BackwardsOf<a list of them>.
#pragma once
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// a b c, for gradients of gradients.
Tensor product(const Value& a, const Value& b, const Value& c);

template <class Op>
struct BackwardOf;

template <class Op>
struct WithBackward : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.saves = "input: input"}), traits = family;
  using Dtypes = Floats;
  Tensors vjp(const Call& c, const Tensor& dy) const {
    BackwardOf<Op> back;
    back.forward = static_cast<const Op&>(*this);
    return {Fn<BackwardOf<Op>>()(dy, c.in[0], back)};
  }
};

/// dy f'(x), with the attributes of f.
template <class Op>
struct BackwardOf : Elementwise {
  static constexpr Doc doc{Op::backward, "grad, input", "The gradient of the function that it is named after."};
  static constexpr Traits traits =
      family.with({.saves = "grad: input; input: grad, input", .internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  Op forward{};
  void describe(auto& field) {
    if constexpr (requires { forward.describe(field); }) forward.describe(field);
  }
  template <class F>
  struct Slope {
    F f;
    template <class C>
    LUTH_HD C operator()(C dy, C x) const {
      return f.grad(dy, x);
    }
  };
  template <class C>
  auto functor(Dtype d) const {
    auto f = functor_of<C>(forward, d);
    return Slope<decltype(f)>{f};
  }
  Tensors vjp(const Call& c, const Tensor& d) const {
    Tensor dx;
    if (c.wants(1)) {
      Tensor bend = forward.bend(c.in[1]);
      dx = bend ? product(d, c.in[0], bend) : zeros_of(c.in[1]);
    }
    return {c.wants(0) ? Fn<BackwardOf>()(d, c.in[1], *this) : Tensor(), dx};
  }
  static Cases<BackwardOf> samples() {
    Cases<BackwardOf> all;
    for (auto& c : Op::samples().list) {
      BackwardOf back;
      back.forward = *static_cast<const Op*>(c.op.get());
      all.push_back({back, {c.shapes[0], c.shapes[0]}, c.lo, c.hi});
    }
    return all;
  }
};

template <class List>
struct BackwardsOfList;
template <class... Op>
struct BackwardsOfList<Types<Op...>> {
  using type = Types<BackwardOf<Op>...>;
};
template <class List>
using BackwardsOf = typename BackwardsOfList<List>::type;

}  // namespace luth::ops
