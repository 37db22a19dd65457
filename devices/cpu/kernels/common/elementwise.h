// Registers the kernels of elementwise operators from their scalar functions. Kernel libraries only.
#pragma once
#include "core/ops/elementwise/elementwise.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/loops.h"

namespace luth::cpu {

template <class F>
struct Calls {
  F f;
  template <class... X>
  auto operator()(X... x) const {
    return ops::call_functor(f, x...);
  }
  template <class... X>
  requires HasQuick<F, X...>
  auto quick(X... x) const { return f.quick(x...); }
  template <class... X>
  requires HasQuick<F, X...>
  bool is_quick(X... x) const { return f.is_quick(x...); }
};

/// Operators that change bits of 16-bit floats, which need not become float.
template <class Op>
concept OnBits = requires(uint16_t half) {
  Op::bits(half);
};

template <class Op, class... V>
void apply_elementwise(const Op& op, Tensor& y, const V&... in) {
  if constexpr (OnBits<Op>)
    if (y.dtype() == Dtype::f16 || y.dtype() == Dtype::bf16)
      return elementwise_loop<uint16_t, uint16_t>(
          y, [](uint16_t half) { return Op::bits(half); }, in...);
  auto run = [&]<class Out, class T, class F>(Type<Out>, Type<T>, const F& f) {
    ops::with_choice(f, [&]<class G>(const G& g) {
      elementwise_loop<Out, std::conditional_t<true, T, V>...>(y, Calls<G>{g}, in...);
    });
  };
  ops::with_types(op, y, run, in...);
}

template <class Op>
void unary(const Op& op, Tensor& y, const Value& x) {
  apply_elementwise(op, y, x);
}

/// Throws where `b`, a number or a tensor of y's shape, divides integers by 0.
void check_divisor(const Tensor& y, const Value& b);

template <class Op>
void binary(const Op& op, Tensor& y, const Value& a, const Value& b) {
  if constexpr (Op::traits.divides)
    if (!is_floating(y.dtype())) check_divisor(y, b);
  apply_elementwise(op, y, a, b);
}
template <class Op>
void ternary(const Op& op, Tensor& y, const Value& a, const Value& b, const Value& c) {
  apply_elementwise(op, y, a, b, c);
}

template <class List>
struct UnaryKernels {
  UnaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<unary<Op>>(); });
  }
};
template <class List>
struct BinaryKernels {
  BinaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<binary<Op>>(); });
  }
};
template <class List>
struct TernaryKernels {
  TernaryKernels() {
    for_each(List{}, []<class Op>(Type<Op>) { Kernel<ternary<Op>>(); });
  }
};

}  // namespace luth::cpu
