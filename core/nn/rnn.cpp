#include "core/nn/rnn.h"

#include <cmath>

#include "core/base/warn.h"
#include "core/dispatch/autocast.h"
#include "core/nn/init.h"
#include "core/op/basics.h"
#include "core/ops/index/index.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/nn/norm.h"
#include "core/ops/nn/recurrent.h"
#include "core/ops/random/random.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::nn {
namespace {

const DefineModule<RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell> rnn_;

/// A state that a call gives, or null.
Tensor given_state(const char* name, const Argument& given, const Tensor& x, const Shape& shape, const char* meaning) {
  if (!given) return {};
  if (!given.is_tensor()) throw Error("{} must be a tensor, got {}", name, given.text());
  if (!(given.shape() == shape))
    throw Error("{} must have shape {} ({}), got {}", name, to_string(shape), meaning, to_string(given.shape()));
  if (given.dtype() != x.dtype() && !autocast_enabled())
    throw Error("{} is {}, but the input is {}: convert one with :to()", name, luth::name(given.dtype()),
                luth::name(x.dtype()));
  return given.tensor();
}
/// h and c of an LSTM.
Values pair_of(const Module& m, const Argument& given) {
  if (!given) return {Argument(), Argument()};
  if (!given.is_list() || given.items().size() != 2)
    throw Error("the state of {} must be a list of two tensors, h and c, got {}", m.type(), given.text());
  return given.items();
}
Tensor zero_state(const Shape& shape, const Tensor& like) { return full(shape, 0, like.dtype(), like.device()); }
Tensor swapped(const Tensor& t) { return transpose(t, {.dim0 = 0, .dim1 = 1}); }
Tensor joined(const Tensors& list, int64_t dim) { return list.size() == 1 ? list[0] : cat(list, {.dim = dim}); }

}  // namespace

constexpr int64_t most_layers = 1'000;  // more are a mistake; their names are searched one by one

// ---- Layers and cells ----------------------------------------------------------------------------------------------

int64_t RecurrentModule::gate_rows() const {
  return ops::gates_of(ops::RecurrentLayer{cell(), {}, false}.kind()) * settings().hidden_size;
}
void RecurrentModule::check_sizes() const {
  const RecurrentSettings& s = settings();
  const std::string module = type();
  need_at_least(module.c_str(), "input_size", s.input_size, 0);
  need_at_least(module.c_str(), "hidden_size", s.hidden_size, 1);
  need_at_least(module.c_str(), "num_layers", s.num_layers, 1);
  if (s.num_layers > most_layers)
    throw Error("num_layers of {} must be at most {}, got {}", module, most_layers, s.num_layers);
  if (s.nonlinearity != "tanh" && s.nonlinearity != "relu")
    throw Error("nonlinearity of {} is 'tanh' or 'relu', got '{}'", module, s.nonlinearity);
}
void RecurrentModule::reset_parameters() {
  const double bound = 1 / std::sqrt(double(settings().hidden_size));
  for (auto& p : parts().parameters)
    if (p.value) init::uniform(p.value, -bound, bound);
}
void RecurrentModule::check_features(const Shape& shape) const {
  if (shape.back() != settings().input_size)
    throw Error("the input of {} must have {} features (input_size) in its last dim, but has shape {}", type(),
                settings().input_size, to_string(shape));
}
std::pair<Tensor, Argument> RecurrentModule::check_call(const Values& in, int dims, const char* meaning) const {
  if (in.size() < 1 || in.size() > 2) throw Error("{} takes an input and a state, got {} arguments", type(), in.size());
  if (!in[0].is_tensor()) throw Error("the input of {} must be a tensor, got {}", type(), in[0].text());
  const Tensor& x = in[0].tensor();
  if (x.dim() != dims && x.dim() != dims - 1)
    throw Error("the input of {} must have {} dims ({}), or {} without a batch, but has shape {}", type(), dims,
                meaning, dims - 1, to_string(x.shape()));
  check_features(x.shape());
  return {x, in.size() > 1 ? in[1] : Argument()};
}

// ---- Parameters ----------------------------------------------------------------------------------------------------

std::vector<std::string> RNNBase::parameter_names(int64_t layer, int64_t direction) const {
  std::vector<std::string> kinds{"weight_ih", "weight_hh"};
  if (settings().bias) kinds.insert(kinds.end(), {"bias_ih", "bias_hh"});
  if (settings().proj_size) kinds.push_back("weight_hr");
  for (auto& k : kinds) k += fmt::format("_l{}{}", layer, direction ? "_reverse" : "");
  return kinds;
}

void RNNBase::build() {
  const RecurrentSettings& s = settings();
  const std::string module = type();
  check_sizes();
  need_at_least(module, "input_size", s.input_size, 1);
  if (!(s.dropout >= 0 && s.dropout <= 1)) throw Error("dropout of {} is a probability, got {}", module, s.dropout);
  if (s.proj_size < 0 || s.proj_size >= s.hidden_size)
    throw Error("proj_size of {} must be less than hidden_size {} and not negative, got {}", module, s.hidden_size,
                s.proj_size);
  if (s.dropout > 0 && s.num_layers == 1)
    warn(fmt::format("dropout {} of {} has no effect: it acts between layers, and there is one", s.dropout, module));
  const int64_t gates = gate_rows();
  for (int64_t l = 0; l < s.num_layers; ++l)
    for (int64_t d = 0; d < directions(); ++d)
      for (auto& name : parameter_names(l, d)) {
        const int64_t features = l ? state_size() * directions() : s.input_size;
        const Shape shape = name.starts_with("bias")        ? Shape{gates}
                            : name.starts_with("weight_ih") ? Shape{gates, features}
                            : name.starts_with("weight_hh") ? Shape{gates, state_size()}
                                                            : Shape{s.proj_size, s.hidden_size};
        register_parameter(name, s.factory.parameter(shape));
      }
  reset_parameters();
}

Tensor RNNBase::named(const std::string& name) const {
  auto& self = const_cast<RNNBase&>(*this);  // which reads only
  if (auto* p = self.find_parameter(name); p && p->value) return p->value;
  if (auto* b = self.find_buffer(name)) return b->value;  // as reparametrisations leave them
  return {};
}
std::vector<Tensors> RNNBase::all_weights() const {
  std::vector<Tensors> all;
  for (int64_t l = 0; l < settings().num_layers; ++l)
    for (int64_t d = 0; d < directions(); ++d) {
      Tensors& list = all.emplace_back();
      for (auto& name : parameter_names(l, d)) list.push_back(named(name));
    }
  return all;
}

// PyTorch prints proj_size after the two sizes.
std::string RNNBase::extra_repr() const {
  std::string s = Module::extra_repr();
  const std::string part = fmt::format(", proj_size={}", settings().proj_size);
  const size_t at = s.find(part);
  if (at == s.npos) return s;
  s.erase(at, part.size());
  return s.insert(fmt::format("{}, {}", settings().input_size, settings().hidden_size).size(), part);
}

// ---- Forward -------------------------------------------------------------------------------------------------------

Tensor RNNBase::state(const char* name, const Argument& given, const Tensor& x, int64_t batch, int64_t size,
                      bool batched) const {
  const int64_t layers = settings().num_layers * directions();
  const Shape all{layers, batch, size};
  if (batched) {
    const Tensor t = given_state(name, given, x, all, "layers x directions, batch, features");
    return t ? t : zero_state(all, x);
  }
  const Tensor t =
      given_state(name, given, x, {layers, size}, "layers x directions, features, as the input has no batch");
  return t ? unsqueeze(t, {.dim = 1}) : zero_state(all, x);
}
RNNBase::State RNNBase::initial_state(const Argument& given, const Tensor& x, int64_t batch, bool batched) const {
  if (!lstm()) return {state("h0", given, x, batch, state_size(), batched), {}};
  const Values pair = pair_of(*this, given);
  return {state("h0", pair[0], x, batch, state_size(), batched),
          state("c0", pair[1], x, batch, settings().hidden_size, batched)};
}

Tensor RNNBase::run_direction(const Tensor& x, const Lengths& batch_sizes, const State& states, int64_t layer,
                              int64_t direction, State& after) const {
  const std::string suffix = fmt::format("_l{}{}", layer, direction ? "_reverse" : "");
  auto weight = [&](const char* kind, bool there = true) { return there ? named(kind + suffix) : Tensor(); };
  const bool bias = settings().bias, gru = cell() == "gru";
  const int64_t i = layer * directions() + direction;
  // Both biases are added to the same gates, but in a GRU. Their sum is added once, and has one gradient.
  const Tensor of_input = weight("bias_ih", bias), of_state = weight("bias_hh", bias);
  const Tensor gates = linear(x, weight("weight_ih"), gru ? of_input : ops::plus(of_input, of_state));
  const Tensors y = native_rnn(gates, select(states.h, {.dim = 0, .index = i}),
                               lstm() ? select(states.c, {.dim = 0, .index = i}) : Tensor(), weight("weight_hh"),
                               gru ? of_state : Tensor(), weight("weight_hr", settings().proj_size > 0),
                               {cell(), {batch_sizes.begin(), batch_sizes.end()}, direction == 1});
  after = {y[1], y[2]};
  return y[0];
}

Tensor RNNBase::run(Tensor x, const Lengths& batch_sizes, State& states) const {
  Tensors h, c;
  for (int64_t l = 0; l < settings().num_layers; ++l) {
    Tensors outputs;
    for (int64_t d = 0; d < directions(); ++d) {
      State after;
      outputs.push_back(run_direction(x, batch_sizes, states, l, d, after));
      h.push_back(unsqueeze(after.h, {.dim = 0}));
      if (lstm()) c.push_back(unsqueeze(after.c, {.dim = 0}));
    }
    x = joined(outputs, 1);
    if (l + 1 < settings().num_layers && settings().dropout > 0)
      x = dropout(x, {.p = settings().dropout, .training = training()});
  }
  states = {joined(h, 0), lstm() ? joined(c, 0) : Tensor()};
  return x;
}

Values RNNBase::results(const Argument& output, const State& states) const {
  return {output, lstm() ? Argument::list({states.h, states.c}) : Argument(states.h)};
}

Values RNNBase::forward_packed(const PackedSequence& p, const Argument& state) const {
  if (p.data.dim() != 2)
    throw Error("the data of a PackedSequence for {} must be [rows, features], got {}", type(),
                to_string(p.data.shape()));
  check_features(p.data.shape());
  const Lengths sizes = p.sizes();
  State states = initial_state(state, p.data, sizes[0], true);
  auto reordered = [](const Tensor& t, const Tensor& order) {
    return t && order ? index_select(t, order, {.dim = 1}) : t;
  };
  states = {reordered(states.h, p.sorted_indices), reordered(states.c, p.sorted_indices)};
  const PackedRef out = with_data(p, run(p.data, sizes, states));
  states = {reordered(states.h, p.unsorted_indices), reordered(states.c, p.unsorted_indices)};
  return results(Argument(Ref<Held>(out)), states);
}

Values RNNBase::forward(const Values& in) {
  if (in.size() == 1 || in.size() == 2)
    if (auto* p = dynamic_cast<const PackedSequence*>(in[0].more().get()))
      return forward_packed(*p, in.size() > 1 ? in[1] : Argument());
  auto [x, given] = check_call(in, 3, settings().batch_first ? "batch, steps, features" : "steps, batch, features");
  const bool batched = x.dim() == 3, first = batched && settings().batch_first;
  if (!batched) x = unsqueeze(x, {.dim = 1});
  if (first) x = swapped(x);
  const int64_t steps = x.shape(0), batch = x.shape(1);
  if (steps == 0) throw Error("the input of {} has no steps: shape {}", type(), to_string(in[0].shape()));
  State states = initial_state(given, x, batch, batched);
  const Lengths sizes(size_t(steps), batch);
  Tensor y = run(reshape(x, {.shape = {steps * batch, x.shape(2)}}), sizes, states);
  y = reshape(y, {.shape = {steps, batch, y.shape(1)}});
  if (batched) return results(first ? swapped(y) : y, states);
  auto one = [](const Tensor& t) { return t ? select(t, {.dim = 1, .index = 0}) : t; };
  return results(one(y), {one(states.h), one(states.c)});
}

// ---- Cells ---------------------------------------------------------------------------------------------------------

void RNNCellBase::build() {
  const RecurrentSettings& s = settings();
  check_sizes();
  register_parameter("weight_ih", s.factory.parameter({gate_rows(), s.input_size}));
  register_parameter("weight_hh", s.factory.parameter({gate_rows(), s.hidden_size}));
  for (const char* name : {"bias_ih", "bias_hh"})
    register_parameter(name, s.bias ? s.factory.parameter({gate_rows()}) : Tensor());
  reset_parameters();
}

// PyTorch prints the nonlinearity without quotes.
std::string RNNCellBase::extra_repr() const {
  std::string s = Module::extra_repr();
  std::erase(s, '\'');
  return s;
}

Tensor RNNCellBase::state(const char* name, const Argument& given, const Tensor& input, bool batched) const {
  const int64_t batch = input.shape(0), size = settings().hidden_size;
  const Tensor t = batched ? given_state(name, given, input, {batch, size}, "batch, hidden_size")
                           : given_state(name, given, input, {size}, "hidden_size, as the input has no batch");
  if (!t) return zero_state({batch, size}, input);
  return batched ? t : unsqueeze(t, {.dim = 0});
}

Values RNNCellBase::forward(const Values& in) {
  auto [x, given] = check_call(in, 2, "batch, features");
  const bool batched = x.dim() == 2;
  if (!batched) x = unsqueeze(x, {.dim = 0});
  const Values pair = lstm() ? pair_of(*this, given) : Values{given, Argument()};
  const Tensor h = state("hx", pair[0], x, batched), c = lstm() ? state("cx", pair[1], x, batched) : Tensor();
  const Tensors y = native_rnn(linear(x, parameter(0), parameter(2)), h, c, parameter(1), parameter(3), {},
                               {cell(), {double(x.shape(0))}, false});
  auto result = [&](const Tensor& t) { return batched ? t : select(t, {.dim = 0, .index = 0}); };
  if (!lstm()) return {result(y[1])};
  return {result(y[1]), result(y[2])};
}

}  // namespace luth::nn
