// The functions of one element of where and clamp, for the kernels of every device.
#pragma once
#include "core/math/functions.h"

namespace luth::ops {

struct WhereFunctor {
  template <class T>
  LUTH_HD T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

/// v between two bounds: nan stays, and a bound that is nan makes nan; where the bounds cross, the high one wins.
struct ClampFunctor {
  template <class T>
  LUTH_HD T operator()(T v, T low, T high) const {
    const T up = v < low || low != low ? low : v;
    return up > high || high != high ? high : up;
  }
};

}  // namespace luth::ops
