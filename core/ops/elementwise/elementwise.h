// The base of elementwise operators. Each struct is the whole definition: kernels on every device, in-place and out=
// forms, promotion and broadcasting come from it.
//
//   struct Tanh : Elementwise {
//     static constexpr Doc doc{"tanh", "input", "Hyperbolic tangent of each element."};
//     using Dtypes = Floats;                                            // what kernels exist for
//     template <class T> LUTH_HD T f(T x) const { return math::tanh(x); }  // T is compute_t of the dtype
//     …traits, vjp, samples
//   };
//
// Add it to the family's list of types, which registers the operator in the core and its kernels on each device. The
// list has the name of the file: `GammaOps` in gamma.h; the build makes a source file of each device from it. An
// operator whose attributes must be converted once, not per element, has `template <class T> auto functor() const`
// instead of f; `functor(Dtype d)` where they are rounded to the dtype of the elements. A functor that does one of
// several things has choose(run), which calls run(g) with the one of them that it is: a loop over a choice is not
// vectorised.
#pragma once
#include "core/math/functions.h"
#include "core/op/define.h"

namespace luth::ops {

/// Shape of the (already broadcast) tensors, dtype of the first, memory order of the first dense one.
Spec elementwise_spec(const Inputs& in);
/// The same with another dtype.
Spec elementwise_spec(const Inputs& in, Dtype dtype);

struct Elementwise {
  static constexpr Traits family{.promote = Promote::common, .broadcast = true, .elementwise = true}, traits = family;
  Spec infer(const Inputs& in) const { return elementwise_spec(in); }
};
/// Integers and bool are computed, and returned, in the default float dtype.
struct FloatElementwise : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.promote = Promote::floating}), traits = family;
  using Dtypes = Floats;
};
/// The answer is bool; no gradient.
struct Predicate : Elementwise {
  static constexpr Traits family = Elementwise::family.with({.not_differentiable = "its result is a truth value"}),
                          traits = family;
  Spec infer(const Inputs& in) const { return elementwise_spec(in, Dtype::boolean); }
};

/// The callable for compute type T and elements of dtype `d`.
template <class T, class Op>
auto functor_of(const Op& op, Dtype d) {
  if constexpr (requires { op.template functor<T>(d); })
    return op.template functor<T>(d);
  else if constexpr (requires { op.template functor<T>(); })
    return op.template functor<T>();
  else
    return op;
}
/// Calls run(f), or run with what f chooses.
template <class F, class Run>
void with_choice(const F& f, Run&& run) {
  if constexpr (requires { f.choose(run); })
    f.choose(run);
  else
    run(f);
}
template <class F, class... T>
LUTH_HD auto call_functor(const F& f, T... x) {
  if constexpr (requires { f.f(x...); })
    return f.f(x...);
  else
    return f(x...);
}

/// The dtype in which the operands are: the first tensor's.
inline Dtype operand_dtype(const Value& a) { return a.dtype(); }
template <class... V>
Dtype operand_dtype(const Value& a, const Value& b, const V&... rest) {
  return a.is_tensor() ? a.dtype() : operand_dtype(b, rest...);
}
/// Calls run(Type<Out>(), Type<T>(), functor) with the element types of a call: T that of all inputs, Out the result's.
template <class Op, class Run, class... V>
void with_types(const Op& op, const Tensor& y, Run&& run, const V&... in) {
  dispatch(typename Op::Dtypes{}, operand_dtype(in...), [&]<class T>(Type<T> t) {
    auto f = functor_of<compute_t<T>>(op, dtype_of<T>);
    if constexpr (std::is_base_of_v<Predicate, Op>) {
      run(Type<bool>(), t, f);
    } else {
      if (y.dtype() == dtype_of<T>) return run(t, t, f);
      if constexpr (std::is_same_v<T, bool>) run(Type<int64_t>(), t, f);
    }
  });
}

/// The operators of several lists, in order.
template <class... A, class... B, class... More>
constexpr auto concatenated(Types<A...>, Types<B...>, More... more) {
  if constexpr (sizeof...(More) == 0)
    return Types<A..., B...>();
  else
    return concatenated(Types<A..., B...>(), more...);
}
template <class... List>
using Concatenated = decltype(concatenated(Types<>(), List()...));

/// The operators of a list that have n inputs.
template <int n, class... Op>
constexpr auto of_arity(Types<Op...>) {
  static_assert(((Op::doc.arity() >= 1 && Op::doc.arity() <= 3) && ...),
                "an operator of a family's list has one to three inputs; others are defined and get kernels by hand");
  return concatenated(Types<>(), Types<>(), std::conditional_t<Op::doc.arity() == n, Types<Op>, Types<>>()...);
}
template <class List, int n>
using OfArity = decltype(of_arity<n>(List()));

/// x if `first`, else y: the larger or the smaller of the two. Of truth values it is `or` or `and`, of which loops
/// vectorise.
template <class T>
LUTH_HD T larger_of(T x, T y, bool first) {
  if constexpr (std::is_same_v<T, bool>)
    return x | y;
  else
    return first ? x : y;
}
template <class T>
LUTH_HD T smaller_of(T x, T y, bool first) {
  if constexpr (std::is_same_v<T, bool>)
    return x & y;
  else
    return first ? x : y;
}

/// What a bound that is not given stands for: minus and plus infinity, or the least and greatest integer.
template <class T>
Scalar lowest_of() {
  using L = std::numeric_limits<compute_t<T>>;
  if constexpr (is_float<T>)
    return -double(L::infinity());
  else
    return int64_t(L::lowest());
}
template <class T>
Scalar highest_of() {
  using L = std::numeric_limits<compute_t<T>>;
  if constexpr (is_float<T>)
    return double(L::infinity());
  else
    return int64_t(L::max());
}

/// One input, samples in [lo, hi] of the struct, if it names them.
template <class Op>
Cases<Op> unary_samples(double lo, double hi) {
  return {{{}, {{3, 4}}, lo, hi}, {{}, {{}}, lo, hi}, {{}, {{2, 0}}, lo, hi}};
}
template <class Op>
Cases<Op> binary_samples(double lo, double hi) {
  return {{{}, {{2, 3}, {2, 3}}, lo, hi}, {{}, {{2, 1, 3}, {4, 1}}, lo, hi}, {{}, {{}, {2}}, lo, hi}};
}

}  // namespace luth::ops
