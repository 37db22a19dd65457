// Recurrent layers. Forward, a step reads its states where they are kept for backward, and leaves the new ones where
// the next step reads them; where nothing is kept, all steps have their states in h_n and c_n. Backward, the gradients
// of states are rows of those of hx and cx, the first ones those of the longest sequences; each step replaces the first
// of them.
#include <cstring>
#include <optional>

#include "core/ops/nn/recurrent_cell.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/packed_operand.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

using ops::CellKind, ops::RecurrentStep;

/// A weight, or its transpose, as the right operand of the products of `steps` steps.
template <class T>
PackedOperand<T> operand(const Tensor& weight, bool transposed, size_t steps) {
  const Matrix<T> b{weight.data<T>(), weight.shape(1), 1};
  return {weight.shape(transposed ? 1 : 0), weight.shape(transposed ? 0 : 1), transposed ? b.transposed() : b,
          steps > 1};
}

template <class T>
void copy_rows(T* to, const Tensor& from) {
  if (from && from.numel()) std::memcpy(to, from.data<T>(), from.bytes());
}
template <class T>
void copy_rows(T* to, const T* from, int64_t n) {
  if (n) std::memcpy(to, from, size_t(n) * sizeof(T));
}
template <class T>
void add_rows(T* __restrict to, const T* __restrict from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}
/// The elements of t, or n zeros.
template <class T>
const T* data_or_zeros(const Tensor& t, int64_t n, std::vector<T>& keep) {
  if (t) return t.data<T>();
  keep.assign(size_t(n), T(0));
  return keep.data();
}

// ---- Forward -------------------------------------------------------------------------------------------------------

template <CellKind kind, class T>
void forward_elements(const ops::ForwardRow<kind, T> row, int64_t hidden, T* to) {
#pragma GCC ivdep
  for (int64_t j = 0; j < hidden; ++j) to[j] = row.step(hidden, j);
}

template <CellKind kind, class T>
void run_layer(const ops::NativeRnn& op, const ops::ForwardTensors& t) {
  constexpr bool lstm = kind == CellKind::lstm;
  const int64_t g = ops::gates_of(kind), saved = ops::saved_gates_of(kind), hidden = t.input.shape(1) / g,
                states = t.hx.shape(1);
  const auto steps = ops::recurrent_steps(op.layer);
  std::vector<T> no_bias;
  const T* bias = data_or_zeros(t.bias_hh, g * hidden, no_bias);
  const PackedOperand<T> to_gates = operand<T>(t.weight_hh, true, steps.size());
  std::optional<PackedOperand<T>> project;
  if (t.weight_hr) project.emplace(operand<T>(t.weight_hr, true, steps.size()));
  const bool keep = op.for_backward;
  Buffer<T> unprojected(t.weight_hr ? t.hx.shape(0) * hidden : 0), gates(keep ? 0 : t.hx.shape(0) * saved * hidden);
  T *const h_n = t.h_n.data<T>(), *const c_n = lstm ? t.c_n.data<T>() : nullptr;
  T *const previous = keep ? t.previous.data<T>() : nullptr, *const cells = lstm && keep ? t.cells.data<T>() : nullptr;
  if (!keep) {
    copy_rows(h_n, t.hx);
    if (lstm) copy_rows(c_n, t.cx);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecurrentStep s = steps[i], next = i + 1 < steps.size() ? steps[i + 1] : RecurrentStep{0, 0};
    // rows that the step before has left in place, and those that stay in place for the next one
    const int64_t begun = !keep ? s.n : i ? std::min(steps[i - 1].n, s.n) : 0, go_on = keep ? std::min(s.n, next.n) : 0;
    T *const h = keep ? previous + s.offset * states : h_n, *const out = t.output.data<T>() + s.offset * states;
    T* const c = lstm && keep ? cells + s.offset * hidden : c_n;
    copy_rows(h + begun * states, t.hx.data<T>() + begun * states, (s.n - begun) * states);
    if (lstm) copy_rows(c + begun * hidden, t.cx.data<T>() + begun * hidden, (s.n - begun) * hidden);
    const auto new_cell = [&](int64_t b) {
      if (!lstm) return c;
      return b < go_on ? cells + (next.offset + b) * hidden : c_n + b * hidden;
    };
    T* const of_step = keep ? t.gates.data<T>() + s.offset * saved * hidden : gates.get();
    T* const made = t.weight_hr ? unprojected.get() : out;
    to_gates.multiply(s.n, T(1), {h, states, 1}, T(0), of_step, saved * hidden);
    parallel_for(s.n, row_grain(8 * hidden), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const T* const x = t.input.data<T>() + (s.offset + b) * g * hidden;
        if (b + 1 < end) fetch_ahead(x + g * hidden, g * hidden);
        forward_elements<kind, T>(
            {x, bias, of_step + b * saved * hidden, h + b * states, lstm ? c + b * hidden : nullptr, new_cell(b)},
            hidden, made + b * hidden);
      }
    });
    if (project) project->multiply(s.n, T(1), {made, hidden, 1}, T(0), out, states);
    if (keep) copy_rows(previous + next.offset * states, out, go_on * states);
    copy_rows(h_n + go_on * states, out + go_on * states, (s.n - go_on) * states);
  }
}

// ---- Backward ------------------------------------------------------------------------------------------------------

template <bool with_more, CellKind kind, class T>
void backward_elements(const ops::BackwardRow<kind, T> row, int64_t hidden, const T* d, T* to) {
#pragma GCC ivdep
  for (int64_t j = 0; j < hidden; ++j) {
    const T rest = row.template step<with_more>(hidden, j, d[j]);
    if constexpr (kind == CellKind::gru) to[j] = rest;
  }
}

template <CellKind kind, class T>
void run_layer(const ops::NativeRnnBackward& op, const ops::BackwardTensors& t) {
  constexpr bool lstm = kind == CellKind::lstm, gru = kind == CellKind::gru;
  const int64_t hidden = op.hidden, g = ops::gates_of(kind), saved = ops::saved_gates_of(kind),
                states = t.previous.shape(1);
  auto steps = ops::recurrent_steps(op.layer);
  std::reverse(steps.begin(), steps.end());
  const PackedOperand<T> through = operand<T>(t.weight_hh, false, steps.size());
  std::optional<PackedOperand<T>> unproject;
  if (t.weight_hr) unproject.emplace(operand<T>(t.weight_hr, false, steps.size()));
  Buffer<T> unprojected(t.weight_hr ? op.batch * hidden : 0);
  T *dh = t.to_hx.data<T>(), *dc = lstm ? t.to_cx.data<T>() : nullptr;
  std::fill_n(dh, t.to_hx.numel(), T(0));
  copy_rows(dh, t.of_h_n);
  if (lstm) {
    std::fill_n(dc, t.to_cx.numel(), T(0));
    copy_rows(dc, t.of_c_n);
  }
  for (const RecurrentStep& s : steps) {
    const int64_t first_state = s.offset * states, first_cell = s.offset * hidden;
    if (t.of_output) add_rows(dh, t.of_output.data<T>() + first_state, s.n * states);
    const T* d = dh;
    if (unproject) {
      copy_rows(t.projected.data<T>() + first_state, dh, s.n * states);
      unproject->multiply(s.n, T(1), {dh, states, 1}, T(0), unprojected.get(), hidden);
      d = unprojected.get();
    }
    T* const of_gates = (gru ? t.to_hidden : t.to_input).data<T>() + first_cell * g;
    parallel_for(s.n, row_grain(8 * hidden), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t at = (s.offset + b) * hidden;
        const ops::BackwardRow<kind, T> row{t.gates.data<T>() + at * saved,
                                            t.previous.data<T>() + first_state + b * states,
                                            lstm ? t.cells.data<T>() + at : nullptr,
                                            t.of_gates ? t.of_gates.data<T>() + at * saved : nullptr,
                                            t.to_input.data<T>() + at * g,
                                            gru ? t.to_hidden.data<T>() + at * g : nullptr,
                                            dc + b * hidden};
        if (t.of_gates)
          backward_elements<true, kind, T>(row, hidden, d + b * hidden, dh + b * states);
        else
          backward_elements<false, kind, T>(row, hidden, d + b * hidden, dh + b * states);
      }
    });
    through.multiply(s.n, T(1), {of_gates, g * hidden, 1}, T(gru ? 1 : 0), dh, states);
    if (t.of_previous) add_rows(dh, t.of_previous.data<T>() + first_state, s.n * states);
    if (lstm && t.of_cells) add_rows(dc, t.of_cells.data<T>() + first_cell, s.n * hidden);
  }
}

// ---- Any dtype -----------------------------------------------------------------------------------------------------

/// 16-bit floats are computed in float32.
template <class T, class Op>
void run_as(const Op& op, const Tensors& results, const List& in) {
  const bool wide = results[0].dtype() == dtype_of<T>;
  Tensors y;
  for (const Tensor& t : results) y.push_back(wide ? t : Tensor::empty(t.shape(), dtype_of<T>, t.device()));
  const auto tensors =
      ops::tensors_of(op, y, [&](size_t i) { return in[i] ? in_dtype(Dense(in[i]), dtype_of<T>) : Tensor(); });
  ops::dispatch_cell(op.layer.kind(), [&](auto kind) { run_layer<kind.value, T>(op, tensors); });
  for (size_t i = 0; i < y.size() && !wide; ++i) {
    Tensor to = results[i];
    copy_elements(to, cast_to(y[i], to.dtype()));
  }
}
template <class Op>
void run(const Op& op, const Tensors& results, const List& in) {
  if (results[0].dtype() == Dtype::f64)
    run_as<double>(op, results, in);
  else
    run_as<float>(op, results, in);
}

void native_rnn(const ops::NativeRnn& op, Tensor& output, Tensor& h_n, Tensor& c_n, Tensor& gates, Tensor& previous,
                Tensor& cells, const List& in) {
  run(op, {output, h_n, c_n, gates, previous, cells}, in);
}
void native_rnn_backward(const ops::NativeRnnBackward& op, Tensor& input, Tensor& hx, Tensor& cx, Tensor& hidden,
                         Tensor& projected, const List& in) {
  run(op, {input, hx, cx, hidden, projected}, in);
}

const Kernel<native_rnn> native_rnn_;
const Kernel<native_rnn_backward> native_rnn_backward_;

}  // namespace
}  // namespace luth::cpu
