// Recurrent layers on CUDA: for each step a product and one kernel for all that is elementwise. Nothing waits. The
// states of a step are rows of h_n and c_n (forward) or of their gradients (backward), the first ones those of the
// longest sequences; each step replaces the first of them.
#include "core/ops/create/factory.h"
#include "core/ops/nn/recurrent_cell.h"
#include "devices/cuda/kernels/common/copy.h"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/kernels/common/product.h"

namespace luth::cuda {
namespace {

using ops::CellKind, ops::RecurrentStep;

/// y[m, n] = x[m, k] w + beta y, rows of y ld apart, for a weight w that is read as it lies or transposed.
template <class T>
void multiply(const Tensor& y, T* to, int64_t ld, const T* x, const Tensor& w, bool transposed, int64_t m,
              double beta = 0) {
  const int64_t cols = w.shape(1), k = transposed ? cols : w.shape(0), n = transposed ? w.shape(0) : cols;
  if (m == 0 || n == 0) return;
  const Operand b = transposed ? Operand{w.raw(), 1, cols} : Operand{w.raw(), cols, 1};
  product(y, {1, m, n, k, {x, k, 1}, b, to, ld, 0, 1, beta});
}
/// The elements of t from `at` on; null if there are none.
template <class T>
T* from(const Tensor& t, int64_t at) {
  return t && t.numel() ? t.data<T>() + at : nullptr;
}

/// state = given; zeros if that is null.
void start_state(Tensor state, const Tensor& given) {
  if (state.numel()) copy_elements(state, given ? Value(given) : Value(0));
}

// ---- Forward -------------------------------------------------------------------------------------------------------

/// The pointers of a step, at its first row; `previous` and `previous_cells` are null where nothing is kept.
template <CellKind kind, class T>
struct ForwardStep {
  const T *x, *bias;
  T *gates, *h, *c, *previous, *previous_cells, *output, *unprojected;
  int64_t hidden, states;

  /// Element j of row b of the new state; where there is a projection, `unprojected` gets it and h stays.
  __device__ void operator()(int64_t i) const {
    constexpr int64_t g = ops::gates_of(kind), saved = ops::saved_gates_of(kind);
    const int64_t b = i / hidden, j = i - b * hidden;
    if (kind == CellKind::lstm && previous_cells) previous_cells[i] = c[i];
    if (previous && j < states) previous[b * states + j] = h[b * states + j];
    const ops::ForwardRow<kind, T> row{x + b * g * hidden, bias,           gates + b * saved * hidden,
                                       h + b * hidden,     c + b * hidden, c + b * hidden};
    const T now = T(row.step(hidden, j));
    if (unprojected)
      unprojected[i] = now;
    else
      output[i] = h[i] = now;
  }
};
template <class T>
struct CopyStates {
  const T* in;
  T* out;
  __device__ void operator()(int64_t i) const { out[i] = in[i]; }
};

template <CellKind kind, class T>
void run_layer(const ops::NativeRnn& op, const ops::ForwardTensors& t) {
  constexpr int64_t g = ops::gates_of(kind), saved = ops::saved_gates_of(kind);
  const int64_t hidden = t.input.shape(1) / g, states = t.hx.shape(1);
  const Tensor bias = t.bias_hh ? t.bias_hh : zeros({g * hidden}, t.input.dtype(), t.input.device());
  const Tensor unprojected =
      t.weight_hr ? Tensor::empty({t.hx.shape(0), hidden}, t.input.dtype(), t.input.device()) : Tensor();
  const Tensor gates =
      op.for_backward ? t.gates
                      : Tensor::empty({t.hx.shape(0), saved * hidden}, t.input.dtype(), t.input.device());  // of a step
  start_state(t.h_n, t.hx);
  if (kind == CellKind::lstm) start_state(t.c_n, t.cx);
  for (const RecurrentStep& s : ops::recurrent_steps(op.layer)) {
    T *of_step = from<T>(gates, op.for_backward ? s.offset * saved * hidden : 0),
      *out = from<T>(t.output, s.offset * states), *h = from<T>(t.h_n, 0);
    multiply<T>(gates, of_step, saved * hidden, h, t.weight_hh, true, s.n);
    start_for_each(
        gates, s.n * hidden,
        ForwardStep<kind, T>{from<T>(t.input, s.offset * g * hidden), bias.data<T>(), of_step, h, from<T>(t.c_n, 0),
                             from<T>(t.previous, s.offset * states), from<T>(t.cells, s.offset * hidden), out,
                             from<T>(unprojected, 0), hidden, states});
    if (!t.weight_hr) continue;
    multiply<T>(t.output, out, states, from<T>(unprojected, 0), t.weight_hr, true, s.n);
    start_for_each(gates, s.n * states, CopyStates<T>{out, h});
  }
}

// ---- Backward ------------------------------------------------------------------------------------------------------

/// Adds what reaches the states of a step from elsewhere, `more`, and keeps the sums in `kept`; either may be null.
template <class T>
struct AddStates {
  T* to;
  const T* more;
  T* kept;
  __device__ void operator()(int64_t i) const {
    const compute_t<T> sum = compute_t<T>(to[i]) + (more ? compute_t<T>(more[i]) : compute_t<T>(0));
    to[i] = T(sum);
    if (kept) kept[i] = to[i];
  }
};
template <class T>
void add_states(const Tensor& on, int64_t n, T* to, const T* more, T* kept = nullptr) {
  if (more || kept) start_for_each(on, n, AddStates<T>{to, more, kept});
}

template <CellKind kind, class T>
struct BackwardStep {
  const T *gates, *previous, *cells, *more, *d;
  T *to_input, *to_hidden, *dh, *dc;
  int64_t hidden;

  __device__ void operator()(int64_t i) const {
    constexpr int64_t g = ops::gates_of(kind), saved = ops::saved_gates_of(kind);
    const int64_t b = i / hidden, j = i - b * hidden, at = b * hidden;
    const ops::BackwardRow<kind, T> row{gates + at * saved, previous + at,      cells + at, more + at * saved,
                                        to_input + at * g,  to_hidden + at * g, dc + at};
    const compute_t<T> grad = compute_t<T>(d[i]);
    const compute_t<T> rest =
        more ? row.template step<true>(hidden, j, grad) : row.template step<false>(hidden, j, grad);
    if constexpr (kind == CellKind::gru) dh[i] = T(rest);
  }
};

template <CellKind kind, class T>
void run_layer(const ops::NativeRnnBackward& op, const ops::BackwardTensors& t) {
  constexpr int64_t g = ops::gates_of(kind), saved = ops::saved_gates_of(kind);
  constexpr bool lstm = kind == CellKind::lstm, gru = kind == CellKind::gru;
  const int64_t hidden = op.hidden, states = t.previous.shape(1);
  const Tensor unprojected =
      t.weight_hr ? Tensor::empty({op.batch, hidden}, t.gates.dtype(), t.gates.device()) : Tensor();
  start_state(t.to_hx, t.of_h_n);
  if (lstm) start_state(t.to_cx, t.of_c_n);
  auto steps = ops::recurrent_steps(op.layer);
  std::reverse(steps.begin(), steps.end());
  for (const RecurrentStep& s : steps) {
    const int64_t first_state = s.offset * states, first_cell = s.offset * hidden;
    T *dh = from<T>(t.to_hx, 0), *dc = from<T>(t.to_cx, 0);
    add_states(t.gates, s.n * states, dh, static_cast<const T*>(from<T>(t.of_output, first_state)),
               from<T>(t.projected, first_state));
    const T* d = dh;
    if (t.weight_hr) {
      multiply<T>(unprojected, from<T>(unprojected, 0), hidden, dh, t.weight_hr, false, s.n);
      d = from<T>(unprojected, 0);
    }
    start_for_each(t.gates, s.n * hidden,
                   BackwardStep<kind, T>{from<T>(t.gates, first_cell * saved), from<T>(t.previous, first_state),
                                         from<T>(t.cells, first_cell), from<T>(t.of_gates, first_cell * saved), d,
                                         from<T>(t.to_input, first_cell * g), from<T>(t.to_hidden, first_cell * g), dh,
                                         dc, hidden});
    multiply<T>(t.to_hx, dh, states, from<T>(gru ? t.to_hidden : t.to_input, first_cell * g), t.weight_hh, false, s.n,
                gru ? 1 : 0);
    add_states(t.gates, s.n * states, dh, static_cast<const T*>(from<T>(t.of_previous, first_state)));
    if (lstm) add_states(t.gates, s.n * hidden, dc, static_cast<const T*>(from<T>(t.of_cells, first_cell)));
  }
}

template <class Op>
void run(const Op& op, const Tensors& results, const List& in) {
  const auto tensors = ops::tensors_of(op, results, [&](size_t i) { return Dense(in[i]); });
  dispatch(Floats{}, results[0].dtype(), [&]<class T>(Type<T>) {
    ops::dispatch_cell(op.layer.kind(), [&](auto kind) { run_layer<kind.value, T>(op, tensors); });
  });
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
}  // namespace luth::cuda
