// Recurrent layers and their cells.
#pragma once
#include "core/nn/linear.h"
#include "core/nn/packed.h"

namespace luth::nn {

struct RecurrentSettings {
  int64_t input_size = 0, hidden_size = 0, num_layers = 1;
  std::string nonlinearity = "tanh";  // of RNN
  bool bias = true, batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  int64_t proj_size = 0;  // of LSTM; 0: no projection
  Factory factory;

 protected:
  void describe_bias(auto& field) { field("bias", bias, "whether to add biases", as::if_set); }
  void describe_sizes(auto& field) {
    field("input_size", input_size, "features of the input", as::required | as::bare);
    field("hidden_size", hidden_size, "features of a hidden state", as::required | as::bare);
  }
  void describe_layers(auto& field) {
    describe_sizes(field);
    field("num_layers", num_layers, "layers, each of which takes the output of the one before", as::if_set);
  }
  void describe_options(auto& field) {
    describe_bias(field);
    field("batch_first", batch_first, "input and output are [batch, steps, features], not [steps, batch, features]",
          as::if_set);
    field("dropout", dropout, "probability of 0 in the outputs of all layers but the last, in training", as::if_set);
    field("bidirectional", bidirectional, "a second direction, from the last step to the first", as::if_set);
  }
};
struct RNNSpec : RecurrentSettings {
  static constexpr const char* name = "RNN";
  static constexpr const char* brief =
      "recurrent layers: h = tanh(weight_ih x + bias_ih + weight_hh h + bias_hh) at each step. Takes (input, h0), h0 "
      "[layers x directions, batch, hidden_size] or nil for zeros; gives output and h_n. The input is [steps, batch, "
      "input_size], [steps, input_size] or a PackedSequence";
  void describe(auto& field) {
    describe_layers(field);
    field("nonlinearity", nonlinearity, "'tanh' or 'relu'", as::unprinted);
    describe_options(field);
    factory.describe(field);
  }
  std::string cell() const { return nonlinearity; }
};
struct LSTMSpec : RecurrentSettings {
  static constexpr const char* name = "LSTM";
  static constexpr const char* brief =
      "layers of long short-term memory. Takes (input, {h0, c0}), nil for zeros; gives output and {h_n, c_n}, each "
      "[layers x directions, batch, features]. The input is [steps, batch, input_size], [steps, input_size] or a "
      "PackedSequence";
  void describe(auto& field) {
    describe_layers(field);
    describe_options(field);
    field("proj_size", proj_size, "features to which hidden states are projected; 0: not at all", as::if_set);
    factory.describe(field);
  }
  std::string cell() const { return "lstm"; }
};
struct GRUSpec : RecurrentSettings {
  static constexpr const char* name = "GRU";
  static constexpr const char* brief =
      "layers of gated recurrent units. Takes (input, h0), h0 [layers x directions, batch, hidden_size] or nil for "
      "zeros; gives output and h_n. The input is [steps, batch, input_size], [steps, input_size] or a PackedSequence";
  void describe(auto& field) {
    describe_layers(field);
    describe_options(field);
    factory.describe(field);
  }
  std::string cell() const { return "gru"; }
};

/// The base of layers and cells. All parameters are uniform within ±1/√hidden_size.
class RecurrentModule : public Module {
 public:
  void reset_parameters() override;
  std::vector<std::string> argument_names() const override { return {"input", "hx"}; }

 protected:
  virtual const RecurrentSettings& settings() const = 0;
  /// As native_rnn names it.
  virtual std::string cell() const = 0;
  bool lstm() const { return cell() == "lstm"; }
  /// G H.
  int64_t gate_rows() const;
  void check_sizes() const;
  /// Input and state of a call; throws unless the input is a tensor of `dims` dims, or one less without a batch.
  std::pair<Tensor, Argument> check_call(const Values& in, int dims, const char* meaning) const;
  void check_features(const Shape& shape) const;
};

/// What RNN, LSTM and GRU share. Parameters of each layer and direction, in order: weight_ih_l0 [G H, input],
/// weight_hh_l0 [G H, P], bias_ih_l0, bias_hh_l0 [G H], weight_hr_l0 [P, H], named weight_ih_l0_reverse and so on for
/// the second direction.
class RNNBase : public RecurrentModule {
 public:
  void build() override;
  Values forward(const Values& in) override;
  std::string extra_repr() const override;
  /// The parameters of each layer and direction.
  std::vector<Tensors> all_weights() const;

 private:
  struct State {
    Tensor h, c;  // [layers x directions, B, …]; c: of LSTM
  };
  int64_t directions() const { return settings().bidirectional ? 2 : 1; }
  int64_t state_size() const { return settings().proj_size ? settings().proj_size : settings().hidden_size; }
  std::vector<std::string> parameter_names(int64_t layer, int64_t direction) const;
  /// Null where there is none of that name.
  Tensor named(const std::string& name) const;
  Tensor state(const char* name, const Argument& given, const Tensor& x, int64_t batch, int64_t size,
               bool batched) const;
  State initial_state(const Argument& given, const Tensor& x, int64_t batch, bool batched) const;
  /// The output of all layers for packed rows; replaces the states by those after the last step.
  Tensor run(Tensor x, const Lengths& batch_sizes, State& states) const;
  Tensor run_direction(const Tensor& x, const Lengths& batch_sizes, const State& states, int64_t layer,
                       int64_t direction, State& after) const;
  Values results(const Argument& output, const State& states) const;
  Values forward_packed(const PackedSequence& p, const Argument& state) const;
};

// ---- Cells ---------------------------------------------------------------------------------------------------------

struct RNNCellSpec : RecurrentSettings {
  static constexpr const char* name = "RNNCell";
  static constexpr const char* brief = "a step of RNN. Takes (input, h), gives the new h; nil for zeros";
  void describe(auto& field) {
    describe_sizes(field);
    describe_bias(field);
    field("nonlinearity", nonlinearity, "'tanh' or 'relu'", as::if_set);
    factory.describe(field);
  }
  std::string cell() const { return nonlinearity; }
};
struct LSTMCellSpec : RecurrentSettings {
  static constexpr const char* name = "LSTMCell";
  static constexpr const char* brief = "a step of LSTM. Takes (input, {h, c}), gives the new h and c; nil for zeros";
  void describe(auto& field) {
    describe_sizes(field);
    describe_bias(field);
    factory.describe(field);
  }
  std::string cell() const { return "lstm"; }
};
struct GRUCellSpec : RecurrentSettings {
  static constexpr const char* name = "GRUCell";
  static constexpr const char* brief = "a step of GRU. Takes (input, h), gives the new h; nil for zeros";
  void describe(auto& field) {
    describe_sizes(field);
    describe_bias(field);
    factory.describe(field);
  }
  std::string cell() const { return "gru"; }
};

/// weight_ih [G H, input], weight_hh [G H, H], bias_ih and bias_hh [G H].
class RNNCellBase : public RecurrentModule {
 public:
  void build() override;
  Values forward(const Values& in) override;
  std::string extra_repr() const override;

 private:
  Tensor state(const char* name, const Argument& given, const Tensor& input, bool batched) const;
};

/// The class of settings S.
template <class Base, class S>
class Recurrent final : public Base {
 public:
  using Spec = S;
  explicit Recurrent(Spec s) : spec(std::move(s)) {}
  Spec spec;
  std::string type() const override { return Spec::name; }
  void describe(Fields& f) override { spec.describe(f); }
  ModuleRef fresh() const override { return ModuleRef(new Recurrent(spec)); }

 protected:
  const RecurrentSettings& settings() const override { return spec; }
  std::string cell() const override { return spec.cell(); }
};
using RNN = Recurrent<RNNBase, RNNSpec>;
using LSTM = Recurrent<RNNBase, LSTMSpec>;
using GRU = Recurrent<RNNBase, GRUSpec>;
using RNNCell = Recurrent<RNNCellBase, RNNCellSpec>;
using LSTMCell = Recurrent<RNNCellBase, LSTMCellSpec>;
using GRUCell = Recurrent<RNNCellBase, GRUCellSpec>;

}  // namespace luth::nn
