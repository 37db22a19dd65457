// Recurrent layers: one direction of one layer over all steps, for RNN, LSTM and GRU. See op.h for the recipe.
//
// Sequences are packed: sorted by length, longest first, the rows of step t are those of the first batch_sizes[t]
// sequences, and steps follow each other. B: sequences, rows: the sum of batch_sizes, H: hidden size, P: size of a
// state (H, or that of the projection), G: 4 gates for lstm, 3 for gru, 1 for tanh and relu. Gates come in PyTorch's
// order: i f g o, and r z n.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

enum class CellKind { tanh, relu, lstm, gru };

/// What both operators know of a layer.
struct RecurrentLayer {
  std::string cell = "tanh";
  std::vector<double> batch_sizes;  // whole numbers: Ints hold eight
  bool reverse = false;
  void describe(auto& field) {
    field("cell", cell, "'tanh', 'relu', 'lstm' or 'gru'");
    field("batch_sizes", batch_sizes, "how many sequences have each step, falling");
    field("reverse", reverse, "from the last step to the first");
  }
  /// Throws for another name.
  CellKind kind() const;
};
/// G.
constexpr int64_t gates_of(CellKind kind) { return kind == CellKind::lstm ? 4 : kind == CellKind::gru ? 3 : 1; }
/// Gates that a step leaves for backward, each of H: i f g o; r z n and the part of n that comes from the state; h.
constexpr int64_t saved_gates_of(CellKind kind) { return kind == CellKind::gru ? 4 : gates_of(kind); }

/// The rows of one step: n from `offset` on.
struct RecurrentStep {
  int64_t offset, n;
};
/// The steps in the order in which they are computed.
std::vector<RecurrentStep> recurrent_steps(const RecurrentLayer& layer);

/// input [rows, G H]: the gates as far as they come from the input, weight_ih x + bias_ih. hx [B, P], cx [B, H] (lstm),
/// weight_hh [G H, P], bias_hh [G H], weight_hr [P, H] (lstm with projection). output [rows, P], h_n [B, P], c_n [B,
/// H]; what backward reads: gates [rows, saved_gates H], previous [rows, P] and previous_cells [rows, H], the states
/// before each step. These three are empty without `for_backward`, c_n and previous_cells where there are no cells.
struct NativeRnn {
  static constexpr Doc doc{"native_rnn", "input, hx, cx?, weight_hh, bias_hh?, weight_hr?",
                           "A direction of a recurrent layer, behind the product of its input.",
                           "output, h_n, c_n, gates, previous, previous_cells"};
  static constexpr Traits traits{.saves = "*: gates, previous, previous_cells, weight_hh, weight_hr",
                                 .internal = true,
                                 .autocast = Autocast::lower,
                                 .kernel_required = true};
  RecurrentLayer layer;
  bool for_backward = true;
  void describe(auto& field) {
    layer.describe(field);
    field("for_backward", for_backward, "whether there are the results that backward reads");
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<NativeRnn> samples();
};
/// From the gradients of the six results to those of input, hx and cx. hidden_grad [rows, G H]: that of weight_hh h +
/// bias_hh where it is another than input's (gru). projected_grad [rows, P]: that of each state, where there is a
/// projection. Those that do not apply are empty.
struct NativeRnnBackward {
  static constexpr Doc doc{"native_rnn_backward",
                           "output_grad?, h_n_grad?, c_n_grad?, gates_grad?, previous_grad?, previous_cells_grad?, "
                           "gates, previous, previous_cells, weight_hh, weight_hr?",
                           "The gradients of native_rnn.", "input_grad, hx_grad, cx_grad, hidden_grad, projected_grad"};
  static constexpr Traits traits{.internal = true, .kernel_required = true};
  RecurrentLayer layer;
  int64_t batch = 0, hidden = 0;
  void describe(auto& field) {
    layer.describe(field);
    field("batch", batch, "how many sequences");
    field("hidden", hidden, "size of a gate");
  }
  Specs infer(const Inputs& in) const;
  Tensors decompose(const Inputs& in) const;
  static Cases<NativeRnnBackward> samples();
};

}  // namespace luth::ops

namespace luth {
/// The six results of native_rnn; cx, bias_hh and weight_hr may be null. The last three are empty where no gradient is
/// recorded.
Tensors native_rnn(const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& weight_hh,
                   const Tensor& bias_hh, const Tensor& weight_hr, const ops::RecurrentLayer& layer);
}  // namespace luth
