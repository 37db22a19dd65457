#include "core/ops/nn/recurrent.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/norm.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<NativeRnn, NativeRnnBackward> define_all_;

// ---- Rows, gates, states -------------------------------------------------------------------------------------------

Tensor rows(const Tensor& t, const RecurrentStep& s) {
  return t ? narrow(t, {.dim = 0, .start = s.offset, .length = s.n}) : t;
}
Tensor first(const Tensor& t, int64_t n) { return narrow(t, {.dim = 0, .start = 0, .length = n}); }
/// `now` in place of the first rows of `state`.
Tensor moved(const Tensor& state, const Tensor& now) {
  const int64_t n = now.shape(0), rest = state.shape(0) - n;
  return rest ? cat(Tensors{now, narrow(state, {.dim = 0, .start = n, .length = rest})}, {.dim = 0}) : now;
}
/// The n gates of a row side by side as tensors, or n null ones.
Tensors split_gates(const Tensor& t, int64_t n) {
  if (!t) return Tensors(size_t(n));
  Tensors list;
  const int64_t size = t.shape(1) / n;
  for (int64_t i = 0; i < n; ++i) list.push_back(narrow(t, {.dim = 1, .start = i * size, .length = size}));
  return list;
}
Tensor side_by_side(const Tensors& list) { return cat(list, {.dim = 1}); }
/// What the steps gave, in order of rows; empty where a step gave nothing.
Tensor joined(Tensors list, bool backwards, const Tensor& like) {
  if (!list[0]) return full({0}, 0, like.dtype(), like.device());
  if (backwards) std::reverse(list.begin(), list.end());
  return cat(list, {.dim = 0});
}
Tensor across(const Tensor& t) { return transpose(t, {.dim0 = 0, .dim1 = 1}); }
Tensor zeros_like(const Shape& shape, const Tensor& like) { return full(shape, 0, like.dtype(), like.device()); }

// ---- One step ------------------------------------------------------------------------------------------------------

struct Step {
  Tensor hidden, cell, gates;
};
/// x: the part of the gates that comes from the input, s: that from the state h; c: the cell before.
Step step(CellKind kind, const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& c) {
  if (kind == CellKind::gru) {
    const Tensors a = split_gates(x, 3), b = split_gates(s, 3);
    const Tensor r = sigmoid(add(a[0], b[0])), z = sigmoid(add(a[1], b[1])), n = tanh(add(a[2], mul(r, b[2])));
    return {add(n, mul(z, sub(h, n))), {}, side_by_side({r, z, n, b[2]})};
  }
  const Tensor sum = add(x, s);
  if (kind == CellKind::lstm) {
    const Tensors a = split_gates(sum, 4);
    const Tensor i = sigmoid(a[0]), f = sigmoid(a[1]), g = tanh(a[2]), o = sigmoid(a[3]);
    const Tensor now = add(mul(f, c), mul(i, g));
    return {mul(o, tanh(now)), now, side_by_side({i, f, g, o})};
  }
  const Tensor now = kind == CellKind::tanh ? tanh(sum) : relu(sum);
  return {now, {}, now};
}

/// hidden: the part of the gradient of the state before that does not pass weight_hh; null: none.
struct StepGrads {
  Tensor input, hidden_gates, hidden, cell;
};
/// dh, dc: gradients of the hidden state and of the cell after the step; more: those of the gates themselves.
StepGrads step_back(CellKind kind, const Tensor& dh, const Tensor& dc, const Tensor& gates, const Tensor& more,
                    const Tensor& h, const Tensor& c) {
  const int64_t n = saved_gates_of(kind);
  const Tensors a = split_gates(gates, n), m = split_gates(more, n);
  if (kind == CellKind::gru) {
    const Tensor &r = a[0], &z = a[1];
    const Tensor dn = tanh_backward(plus(sub(dh, mul(dh, z)), m[2]), a[2]), ds = plus(mul(dn, r), m[3]);
    const Tensor dr = sigmoid_backward(plus(mul(dn, a[3]), m[0]), r);
    const Tensor dz = sigmoid_backward(plus(mul(dh, sub(h, a[2])), m[1]), z);
    return {side_by_side({dr, dz, dn}), side_by_side({dr, dz, ds}), mul(dh, z), {}};
  }
  if (kind == CellKind::lstm) {
    const Tensor &i = a[0], &f = a[1], &g = a[2], &o = a[3];
    const Tensor t = tanh(add(mul(f, c), mul(i, g))), d = add(dc, tanh_backward(mul(dh, o), t));
    const Tensor to =
        side_by_side({sigmoid_backward(plus(mul(d, g), m[0]), i), sigmoid_backward(plus(mul(d, c), m[1]), f),
                      tanh_backward(plus(mul(d, i), m[2]), g), sigmoid_backward(plus(mul(dh, t), m[3]), o)});
    return {to, {}, {}, mul(d, f)};
  }
  const Tensor d = plus(dh, more);
  return {kind == CellKind::tanh ? tanh_backward(d, gates) : relu_backward(d, gates), {}, {}, {}};
}

}  // namespace

CellKind RecurrentLayer::kind() const {
  static constexpr std::string_view names[] = {"tanh", "relu", "lstm", "gru"};
  for (int i = 0; i < 4; ++i)
    if (names[i] == cell) return CellKind(i);
  throw Error("cell is 'tanh', 'relu', 'lstm' or 'gru', got '{}'", cell);
}

std::vector<RecurrentStep> recurrent_steps(const RecurrentLayer& layer) {
  std::vector<RecurrentStep> steps;
  int64_t offset = 0;
  for (double size : layer.batch_sizes) {
    const auto n = int64_t(size);
    steps.push_back({offset, n});
    offset += n;
  }
  if (layer.reverse) std::reverse(steps.begin(), steps.end());
  return steps;
}

// ---- Forward -------------------------------------------------------------------------------------------------------

namespace {
void check_shape(const char* name, const Value& v, const Shape& shape, Dtype dtype) {
  if (!v) return;
  if (!(v.shape() == shape)) throw Error("{} has shape {}, expected {}", name, to_string(v.shape()), to_string(shape));
  if (v.dtype() != dtype)
    throw Error("{} is {}, but input is {}: convert one of them", name, luth::name(v.dtype()), luth::name(dtype));
}
void check_steps(const std::vector<double>& batch_sizes, int64_t rows) {
  double sum = 0, last = std::numeric_limits<double>::infinity();
  for (double n : batch_sizes) {
    if (n < 0 || n > last) throw Error("batch_sizes must fall from step to step, got {} after {}", n, last);
    sum += last = n;
  }
  if (batch_sizes.empty() || sum != double(rows))
    throw Error("batch_sizes add up to {}, but there are {} rows", sum, rows);
}
}  // namespace

Specs NativeRnn::infer(const Inputs& in) const {
  const CellKind kind = layer.kind();
  const Shape &x = in[0].shape(), &w = in[3].shape();
  const int64_t gates = gates_of(kind);
  const Dtype d = in[0].dtype();
  check_floating(in[0]);
  if (x.size() != 2 || w.size() != 2 || x[1] % gates)
    throw Error("input and weight_hh are matrices with {} gates, got {} and {}", gates, to_string(x), to_string(w));
  check_steps(layer.batch_sizes, x[0]);
  const bool lstm = kind == CellKind::lstm;
  const int64_t batch = int64_t(layer.batch_sizes[0]), rows = x[0], hidden = x[1] / gates,
                states = in[5] ? w[1] : hidden;
  const Shape none{0}, cell{batch, hidden};
  if (lstm != bool(in[2])) throw Error("cx is {}", lstm ? "missing" : "for lstm alone");
  check_shape("weight_hh", in[3], {x[1], states}, d);
  check_shape("hx", in[1], {batch, states}, d);
  check_shape("cx", in[2], cell, d);
  check_shape("bias_hh", in[4], {x[1]}, d);
  check_shape("weight_hr", in[5], {states, hidden}, d);
  const auto if_kept = [&](const Shape& shape, bool there = true) {
    return Spec{for_backward && there ? shape : none, d};
  };
  return {Spec{{rows, states}, d},     Spec{{batch, states}, d},
          Spec{lstm ? cell : none, d}, if_kept({rows, saved_gates_of(kind) * hidden}),
          if_kept({rows, states}),     if_kept({rows, hidden}, lstm)};
}

Tensors NativeRnn::decompose(const Inputs& in) const {
  const CellKind kind = layer.kind();
  const Tensor x = in[0], weight = across(in[3]);
  Tensor h = in[1], c = in[2];
  Tensors output, gates, previous, cells;
  for (const RecurrentStep& s : recurrent_steps(layer)) {
    const Tensor before = first(h, s.n), cell = c ? first(c, s.n) : c;
    Step now = step(kind, rows(x, s), plus(mm(before, weight), in[4]), before, cell);
    if (in[5]) now.hidden = mm(now.hidden, across(in[5]));
    const auto if_kept = [&](const Tensor& t) { return for_backward ? t : Tensor(); };
    output.push_back(now.hidden);
    gates.push_back(if_kept(now.gates));
    previous.push_back(if_kept(before));
    cells.push_back(if_kept(cell));
    h = moved(h, now.hidden);
    if (c) c = moved(c, now.cell);
  }
  const bool back = layer.reverse;
  return {joined(output, back, x), h, c ? c : zeros_like({0}, x), joined(gates, back, x), joined(previous, back, x),
          joined(cells, back, x)};
}

Tensors NativeRnn::vjp(const Call& c, const Tensors& dy) const {
  static const OpInfo& backward = info<NativeRnnBackward>();
  if (!for_backward) throw Error("native_rnn kept nothing for its gradient; call it with for_backward = true");
  const Tensor &gates = c.out[3], &previous = c.out[4], &cells = c.out[5];
  const CellKind kind = layer.kind();
  const int64_t hidden = gates.shape(1) / saved_gates_of(kind);
  const NativeRnnBackward op{layer, int64_t(layer.batch_sizes[0]), hidden};
  Inputs in(dy.begin(), dy.end());
  for (auto& t : {gates, previous, cells}) in.push_back(t);
  in.push_back(c.in[3]), in.push_back(c.in[5]);
  const Tensors d = apply(backward, &op, std::move(in));

  Tensors out(6);
  const Tensor& of_hidden = kind == CellKind::gru ? d[3] : d[0];
  for (int i = 0; i < 3; ++i)
    if (c.wants(i) && (i < 2 || kind == CellKind::lstm)) out[i] = d[i];
  if (c.wants(3)) out[3] = mm(across(of_hidden), previous);
  if (c.wants(4)) out[4] = sum(of_hidden, {.dim = {0}});
  if (c.wants(5)) {
    const Tensors a = split_gates(gates, 4);
    out[5] = mm(across(d[4]), mul(a[3], tanh(add(mul(a[1], cells), mul(a[0], a[2])))));
  }
  return out;
}

// ---- Backward ------------------------------------------------------------------------------------------------------

namespace {
enum Given { output_grad, h_n_grad, c_n_grad, gates_grad, previous_grad, cells_grad, gates, previous, cells, hh, hr };
}  // namespace

Specs NativeRnnBackward::infer(const Inputs& in) const {
  const CellKind kind = layer.kind();
  const Dtype d = in[gates].dtype();
  const Shape& w = in[hh].shape();
  check_floating(in[gates], "gates");
  if (in[gates].dim() != 2 || w.size() != 2) throw Error("gates and weight_hh are matrices");
  const int64_t rows = in[gates].shape()[0], states = w[1];
  const bool lstm = kind == CellKind::lstm;
  const Shape none{0}, state{batch, states}, cell{batch, hidden}, of_rows{rows, states}, cell_of_rows{rows, hidden},
      saved{rows, saved_gates_of(kind) * hidden}, of_gates{rows, gates_of(kind) * hidden};
  check_steps(layer.batch_sizes, rows);
  check_shape("weight_hh", in[hh], {gates_of(kind) * hidden, in[hr] ? states : hidden}, d);
  check_shape("weight_hr", in[hr], {states, hidden}, d);
  check_shape("h_n_grad", in[h_n_grad], state, d);
  check_shape("c_n_grad", in[c_n_grad], lstm ? cell : none, d);
  for (int i : {output_grad, previous_grad, previous}) check_shape("a state", in[i], of_rows, d);
  for (int i : {gates_grad, gates}) check_shape("gates", in[i], saved, d);
  for (int i : {cells_grad, cells}) check_shape("a cell", in[i], lstm ? cell_of_rows : none, d);
  return {Spec{of_gates, d}, Spec{state, d}, Spec{lstm ? cell : none, d},
          Spec{kind == CellKind::gru ? of_gates : none, d}, Spec{in[hr] ? of_rows : none, d}};
}

Tensors NativeRnnBackward::decompose(const Inputs& in) const {
  const CellKind kind = layer.kind();
  const bool lstm = kind == CellKind::lstm;
  const Tensor &weight = in[hh].tensor(), &like = in[gates].tensor();
  auto or_zeros = [&](const Value& v, int64_t size) { return v ? v.tensor() : zeros_like({batch, size}, like); };
  Tensor dh = or_zeros(in[h_n_grad], in[previous].shape()[1]), dc = lstm ? or_zeros(in[c_n_grad], hidden) : Tensor();
  Tensors of_input, of_hidden, projected;
  auto steps = recurrent_steps(layer);
  std::reverse(steps.begin(), steps.end());
  for (const RecurrentStep& s : steps) {
    const Tensor d = plus(first(dh, s.n), rows(in[output_grad], s));
    const StepGrads now = step_back(kind, in[hr] ? mm(d, in[hr]) : d, lstm ? first(dc, s.n) : dc, rows(in[gates], s),
                                    rows(in[gates_grad], s), rows(in[previous], s), lstm ? rows(in[cells], s) : dc);
    of_input.push_back(now.input);
    of_hidden.push_back(now.hidden_gates);
    projected.push_back(in[hr] ? d : Tensor());
    const Tensor back = mm(now.hidden_gates ? now.hidden_gates : now.input, weight);
    dh = moved(dh, plus(plus(back, now.hidden), rows(in[previous_grad], s)));
    if (lstm) dc = moved(dc, plus(now.cell, rows(in[cells_grad], s)));
  }
  const bool back = !layer.reverse;
  return {joined(of_input, back, like), dh, lstm ? dc : zeros_like({0}, like), joined(of_hidden, back, like),
          joined(projected, back, like)};
}

// ---- Cases ---------------------------------------------------------------------------------------------------------

namespace {

struct Sizes {
  RecurrentLayer layer;
  int64_t hidden, states;  // states < hidden: a projection
  bool bias = true;
};
template <int i>
const Sizes& sizes() {
  static const Sizes all[] = {{{"lstm", {2, 1, 1}, false}, 2, 2},     {{"gru", {2, 1, 1}, true}, 2, 2},
                              {{"tanh", {2, 1}, false}, 3, 3, false}, {{"relu", {2, 1}, true}, 3, 3},
                              {{"lstm", {2, 1}, true}, 2, 1},         {{"gru", {2, 2}, false}, 2, 2, false},
                              {{"lstm", {3}, false}, 2, 2, false}};
  return all[i];
}
int64_t rows_of(const Sizes& s) {
  int64_t n = 0;
  for (double b : s.layer.batch_sizes) n += int64_t(b);
  return n;
}
Tensor small(const Shape& shape, double low = -0.5) { return sample_values(shape, 0.09, low); }

template <int i>
Inputs forward_case() {
  const Sizes& s = sizes<i>();
  const CellKind kind = s.layer.kind();
  const int64_t g = gates_of(kind) * s.hidden, b = int64_t(s.layer.batch_sizes[0]);
  const bool lstm = kind == CellKind::lstm;
  return {small({rows_of(s), g}, -0.44),
          small({b, s.states}, -0.4),
          lstm ? Value(small({b, s.hidden}, -0.3)) : Value(),
          small({g, s.states}),
          s.bias ? Value(small({g}, -0.45)) : Value(),
          s.states < s.hidden ? Value(small({s.states, s.hidden})) : Value()};
}
template <int i>
Inputs backward_case() {
  const Sizes& s = sizes<i>();
  const CellKind kind = s.layer.kind();
  const int64_t rows = rows_of(s), b = int64_t(s.layer.batch_sizes[0]), saved = saved_gates_of(kind) * s.hidden;
  const bool lstm = kind == CellKind::lstm, all = i < 5;  // the last ones: as if only the output were used
  auto if_all = [&](const Shape& shape) { return all ? Value(small(shape)) : Value(); };
  return {small({rows, s.states}),
          if_all({b, s.states}),
          lstm ? if_all({b, s.hidden}) : Value(),
          if_all({rows, saved}),
          if_all({rows, s.states}),
          lstm ? if_all({rows, s.hidden}) : Value(),
          sample_values({rows, saved}, 0.08, kind == CellKind::relu ? -0.43 : 0.05),
          small({rows, s.states}, -0.4),
          lstm ? Value(small({rows, s.hidden}, -0.3)) : Value(small({0})),
          small({gates_of(kind) * s.hidden, s.states}),
          s.states < s.hidden ? Value(small({s.states, s.hidden})) : Value()};
}

}  // namespace

Cases<NativeRnn> NativeRnn::samples() {
  Cases<NativeRnn> list;
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (list.push_back({{sizes<i>().layer}, {}, 0, 0, forward_case<i>}), ...);
  }
  (std::make_integer_sequence<int, 7>());
  return list;
}
Cases<NativeRnnBackward> NativeRnnBackward::samples() {
  Cases<NativeRnnBackward> list;
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (list.push_back(
         {{sizes<i>().layer, int64_t(sizes<i>().layer.batch_sizes[0]), sizes<i>().hidden}, {}, 0, 0, backward_case<i>}),
     ...);
  }
  (std::make_integer_sequence<int, 7>());
  return list;
}

}  // namespace luth::ops

namespace luth {
Tensors native_rnn(const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& weight_hh,
                   const Tensor& bias_hh, const Tensor& weight_hr, const ops::RecurrentLayer& layer) {
  Inputs in{input, hx, cx, weight_hh, bias_hh, weight_hr};
  const bool recorded = grad_enabled() && std::any_of(in.begin(), in.end(), [](const Value& v) {
                          return v.is_tensor() && v.tensor().requires_grad();
                        });
  const ops::NativeRnn op{layer, recorded};
  return apply(info<ops::NativeRnn>(), &op, std::move(in));
}
}  // namespace luth
