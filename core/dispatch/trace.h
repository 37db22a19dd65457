// The recorder: lists the operator calls of a piece of work and runs them again on other inputs.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "core/op/op.h"

namespace luth {

/// Records every call that apply() finishes on this thread while it lives (one at a time; what another observer saw
/// before, it sees again afterwards).
///
///   Trace trace({x, w});
///   Tensor y = softmax(matmul(x, w), {.dim = 1});
///   trace.finish({y});
///   Tensors again = trace.replay({x2, w2});
///
/// Attributes are kept as text, as write_fields gives it, and are read back on replay: a trace holds nothing of an
/// operator but its name and that text. A tensor that is neither an input nor the result of a recorded call is a
/// constant and is kept itself. In-place calls are replayed in place, on views too; replay then writes into its inputs
/// where the recorded work wrote into its own. Numbers and shapes that the work computed outside of operators stay
/// those of the recording. Random operators draw new numbers on replay, in the same order: with the same seed before
/// both, they draw the same ones.
class Trace final : public Observer {
 public:
  explicit Trace(const Tensors& inputs);
  ~Trace() override;
  Trace(const Trace&) = delete;

  void called(const Call& call) override;
  /// Ends the recording and says what the results of a replay are.
  void finish(const Tensors& results);
  /// Runs the calls on other inputs, as many as were recorded.
  Tensors replay(const Tensors& inputs) const;
  /// One line per call: `%3, %4 = max.dim(%1; dim=1;keepdim=false;)`; in-place names end in `_`.
  std::string text() const;
  size_t size() const { return steps_.size(); }

 private:
  // Where an argument comes from: value `id` of the replay, or what is held here (a constant, a number, nothing).
  struct Source {
    int id = -1;
    Value held;
  };
  struct Step {
    const OpInfo* info;
    std::string attributes;
    std::vector<Source> in;
    std::vector<int> out;
    bool inplace;
  };
  Source source(const Value& v) const;
  int define(const Tensor& t);

  std::vector<Step> steps_;
  std::vector<Source> results_;
  std::vector<Tensor> values_;  // keeps the recorded tensors, so that no address is used twice
  std::unordered_map<const TensorImpl*, int> ids_;
  size_t inputs_ = 0;
  Observer* before_ = nullptr;
  bool recording_ = true;
};

}  // namespace luth
