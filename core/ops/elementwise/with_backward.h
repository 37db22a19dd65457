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
Tensor backward_of(const Op& forward, const Tensor& dy, const auto&... x) {
  BackwardOf<Op> back;
  back.forward = forward;
  return Fn<BackwardOf<Op>>()(dy, x..., back);
}

template <class Op>
struct WithBackward : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.saves = "input: input"}), traits = family;
  using Dtypes = Floats;
  Tensors vjp(const Call& c, const Tensor& dy) const {
    return {backward_of(static_cast<const Op&>(*this), dy, c.in[0])};
  }
};

/// The kernel of a gradient by the first input, with the attributes of f.
template <class Op>
struct BackwardKernel : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.internal = true, .inplace = Inplace::none});
  using Dtypes = Floats;
  Op forward{};
  void describe(auto& field) {
    if constexpr (requires { forward.describe(field); }) forward.describe(field);
  }
  template <class F>
  struct Slope {
    F f;
    void choose(auto&& run) const {
      with_choice(f, [&]<class G>(const G& g) { run(Slope<G>{g}); });
    }
    template <class C, class... More>
    LUTH_HD C operator()(C dy, C x, More... more) const {
      return f.grad(dy, x, more...);
    }
  };
  template <class C>
  auto functor(Dtype d) const {
    auto f = functor_of<C>(forward, d);
    return Slope<decltype(f)>{f};
  }
  static Cases<BackwardOf<Op>> samples() {
    Cases<BackwardOf<Op>> all;
    for (auto& c : Op::samples().list) {
      BackwardOf<Op> back;
      back.forward = *static_cast<const Op*>(c.op.get());
      std::vector<Shape> shapes{c.shapes[0]};
      shapes.insert(shapes.end(), c.shapes.begin(), c.shapes.end());
      all.push_back({back, shapes, c.lo, c.hi});
    }
    return all;
  }
};

/// dy f'(x).
template <class Op>
struct BackwardOf : BackwardKernel<Op> {
  static constexpr Doc doc{Op::backward, "grad, input", "The gradient of the function that it is named after."};
  static constexpr Traits traits = BackwardKernel<Op>::family.with({.saves = "grad: input; input: grad, input"});
  Tensors vjp(const Call& c, const Tensor& d) const {
    Tensor dx;
    if (c.wants(1)) {
      Tensor bend = this->forward.bend(c.in[1]);
      dx = bend ? product(d, c.in[0], bend) : zeros_of(c.in[1]);
    }
    return {c.wants(0) ? backward_of(this->forward, d, c.in[1]) : Tensor(), dx};
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
