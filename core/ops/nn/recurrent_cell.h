// One element of a step of RNN, LSTM and GRU, forward and backward: what the kernels of every device compile. Names and
// layouts are those of core/ops/nn/recurrent.h.
#pragma once
#include "core/math/functions.h"
#include "core/ops/nn/recurrent.h"

namespace luth::ops {

template <class A>
LUTH_HD A logistic(A x) {
  return A(1) / (A(1) + math::exp(-x));
}

/// The pointers of one row of a step; T: type of the elements, computed in compute_t<T>.
template <CellKind kind, class T>
struct ForwardRow {
  using A = compute_t<T>;
  const T *x, *bias;  // the input's part of the gates, and bias_hh: G H each
  T* gates;           // saved_gates H: holds the state's part in its first G H elements, and gets the gates
  const T* state;     // the state before: H; for gru alone
  const T* cell;      // the cell before: H; for lstm alone
  T* new_cell;        // gets the cell; may be `cell`

  /// Element j of the new state.
  LUTH_HD A step(int64_t hidden, int64_t j) const {
    auto part = [&](int64_t k) { return A(gates[k * hidden + j]) + A(bias[k * hidden + j]); };
    auto sum = [&](int64_t k) { return A(x[k * hidden + j]) + part(k); };
    auto keep = [&](int64_t k, A v) { gates[k * hidden + j] = T(v); };
    if constexpr (kind == CellKind::lstm) {
      const A i = logistic(sum(0)), f = logistic(sum(1)), g = math::tanh(sum(2)), o = logistic(sum(3));
      keep(0, i), keep(1, f), keep(2, g), keep(3, o);
      const A c = f * A(cell[j]) + i * g;
      new_cell[j] = T(c);
      return o * math::tanh(c);
    } else if constexpr (kind == CellKind::gru) {
      const A r = logistic(sum(0)), z = logistic(sum(1)), s = part(2);
      const A n = math::tanh(A(x[2 * hidden + j]) + r * s);
      keep(0, r), keep(1, z), keep(2, n), keep(3, s);
      return n + z * (A(state[j]) - n);
    } else {
      const A a = sum(0), h = kind == CellKind::tanh ? math::tanh(a) : a > A(0) || a != a ? a : A(0);
      keep(0, h);
      return h;
    }
  }
};

/// The same for the way back.
template <CellKind kind, class T>
struct BackwardRow {
  using A = compute_t<T>;
  const T *gates, *state, *cell;  // as forward left them: saved_gates H, H (gru) and H (lstm), before the step
  const T* more;                  // gradients of the gates themselves: saved_gates H
  T *to_input, *to_hidden;        // get the gradients of the gates' two parts; to_hidden: for gru alone
  T* to_cell;                     // gradient of the cell, after the step and then before it: H; for lstm alone

  /// From the gradient of element j of the new state: what of it reaches the state before past weight_hh.
  template <bool with_more>
  LUTH_HD A step(int64_t hidden, int64_t j, A d) const {
    auto gate = [&](int64_t k) { return A(gates[k * hidden + j]); };
    auto also = [&](int64_t k, A v) {
      if constexpr (with_more) v += A(more[k * hidden + j]);
      return v;
    };
    auto give = [&](int64_t k, A v) { to_input[k * hidden + j] = T(v); };
    if constexpr (kind == CellKind::lstm) {
      const A i = gate(0), f = gate(1), g = gate(2), o = gate(3), before = A(cell[j]);
      const A t = math::tanh(f * before + i * g), c = A(to_cell[j]) + d * o * (A(1) - t * t);
      give(0, also(0, c * g) * i * (A(1) - i));
      give(1, also(1, c * before) * f * (A(1) - f));
      give(2, also(2, c * i) * (A(1) - g * g));
      give(3, also(3, d * t) * o * (A(1) - o));
      to_cell[j] = T(c * f);
      return A(0);
    } else if constexpr (kind == CellKind::gru) {
      const A r = gate(0), z = gate(1), n = gate(2);
      const A to_n = also(2, d - d * z) * (A(1) - n * n);
      const A to_r = also(0, to_n * gate(3)) * r * (A(1) - r);
      const A to_z = also(1, d * (A(state[j]) - n)) * z * (A(1) - z);
      give(0, to_r), give(1, to_z), give(2, to_n);
      to_hidden[j] = T(to_r);
      to_hidden[hidden + j] = T(to_z);
      to_hidden[2 * hidden + j] = T(also(3, to_n * r));
      return d * z;
    } else {
      const A h = gate(0), all = also(0, d);
      give(0, kind == CellKind::tanh ? all * (A(1) - h * h) : h <= A(0) ? A(0) : all);
      return A(0);
    }
  }
};

/// The tensors of native_rnn, and of its gradient: results, then inputs.
struct ForwardTensors {
  Tensor output, h_n, c_n, gates, previous, cells, input, hx, cx, weight_hh, bias_hh, weight_hr;
};
struct BackwardTensors {
  Tensor to_input, to_hx, to_cx, to_hidden, projected;
  Tensor of_output, of_h_n, of_c_n, of_gates, of_previous, of_cells;  // the gradients given
  Tensor gates, previous, cells, weight_hh, weight_hr;
};
/// Results and inputs as such a struct, input i by as(i).
template <class F>
ForwardTensors tensors_of(const NativeRnn&, const Tensors& y, F&& as) {
  return {y[0], y[1], y[2], y[3], y[4], y[5], as(0), as(1), as(2), as(3), as(4), as(5)};
}
template <class F>
BackwardTensors tensors_of(const NativeRnnBackward&, const Tensors& y, F&& as) {
  return {y[0], y[1], y[2], y[3], y[4], as(0), as(1), as(2), as(3), as(4), as(5), as(6), as(7), as(8), as(9), as(10)};
}

/// f(std::integral_constant<CellKind, kind>()).
template <class F>
void dispatch_cell(CellKind kind, F&& f) {
  switch (kind) {
    case CellKind::tanh: return f(std::integral_constant<CellKind, CellKind::tanh>());
    case CellKind::relu: return f(std::integral_constant<CellKind, CellKind::relu>());
    case CellKind::lstm: return f(std::integral_constant<CellKind, CellKind::lstm>());
    case CellKind::gru: return f(std::integral_constant<CellKind, CellKind::gru>());
  }
}

}  // namespace luth::ops
