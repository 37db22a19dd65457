// Registers the kernels of elementwise operators from their scalar functions. Kernel libraries only.
#pragma once
#include "core/ops/elementwise.h"
#include "devices/cpu/cpu.h"
#include "devices/cpu/loops.h"

namespace luth::cpu {

/// The dtype in which the operands are: the first tensor's.
inline Dtype operand_dtype(const Value& a) { return a.dtype(); }
template <class... V>
Dtype operand_dtype(const Value& a, const Value& b, const V&... rest) {
  return a.is_tensor() ? a.dtype() : operand_dtype(b, rest...);
}

template <class Op, class... V>
void apply_elementwise(const Op& op, Tensor& y, const V&... in) {
  dispatch(typename Op::Dtypes{}, operand_dtype(in...), [&]<class T>(Type<T>) {
    auto f = ops::functor_of<compute_t<T>>(op);
    auto call = [f](auto... x) { return ops::call_functor(f, x...); };
    if constexpr (std::is_base_of_v<ops::Predicate, Op>) {
      elementwise_loop<bool, std::conditional_t<true, T, V>...>(y, call, in...);
    } else {
      if (y.dtype() == dtype_of<T>) return elementwise_loop<T, std::conditional_t<true, T, V>...>(y, call, in...);
      if constexpr (std::is_same_v<T, bool>)
        elementwise_loop<int64_t, std::conditional_t<true, T, V>...>(y, call, in...);
    }
  });
}

template <class Op>
void unary(const Op& op, Tensor& y, const Value& x) {
  apply_elementwise(op, y, x);
}

/// Throws where `b`, a number or a tensor of y's shape, divides integers by 0.
void check_divisor(const Tensor& y, const Value& b);

template <class Op>
void binary(const Op& op, Tensor& y, const Value& a, const Value& b) {
  if constexpr (requires { Op::divides; })
    if (!is_floating(y.dtype())) check_divisor(y, b);
  apply_elementwise(op, y, a, b);
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

}  // namespace luth::cpu
