// One step of ctc's recursion: what the kernels of every device compile.
#pragma once
#include <limits>

#include "core/math/functions.h"
#include "core/ops/nn/ctc.h"

namespace luth::ops {

/// Three ways to a state, with the logarithms x, y and z: their probabilities over exp(top), and the sum of these.
template <class T>
struct Ways {
  T top, a, b, c, sum;
  [[gnu::always_inline]] LUTH_HD Ways(T x, T y, T z) {
    top = x > y ? x : y;
    top = z > top ? z : top;
    top = top > std::numeric_limits<T>::max() ? T(0) : top;  // inf stays inf
    a = math::exp(x - top), b = math::exp(y - top), c = math::exp(z - top);
    sum = a + b + c;
  }
  [[gnu::always_inline]] LUTH_HD T log_sum() const { return T(math::log(double(sum))) + top; }
  /// The loss, if these are the ways to end; inf if there is none.
  LUTH_HD T loss() const {
    const T l = -log_sum();
    return l > T(impossible) ? std::numeric_limits<T>::infinity() : l;
  }
};

}  // namespace luth::ops
