// Gradient checkpointing: a part of the forward whose saved values are dropped and computed again when backward needs
// them.
#pragma once
#include <functional>
#include <vector>

#include "core/autograd/saved.h"
#include "core/dispatch/generator.h"

namespace luth {

/// One checkpointed piece of work. What its operators would save is counted instead; the first of these values that
/// backward asks for runs `again`, under the random state, the autocast mode and with the gradients recorded of the
/// first run, and keeps the values of those operators that still want theirs. Parameters (leaves that require grad) are
/// kept as ever.
class Recompute final : public Counted {
 public:
  /// `again` does the same work; it must not hold the results.
  Recompute(std::function<void()> again, bool preserve_random);
  ~Recompute();
  const uint64_t sequence;  // older than those of the nodes that may have its values

  /// The first run, while it lives.
  class First {
   public:
    explicit First(const Ref<Recompute>& work);
    ~First();
    First(const First&) = delete;

   private:
    std::unique_ptr<Packer> packer_;
    Packer* before_;
  };

 private:
  class Value;
  class Count;
  class Collect;
  struct RandomState {
    Generator* generator;
    int64_t seed, offset;
  };
  struct Cast {
    std::string kind;
    Dtype dtype;
    bool enabled;
  };
  static std::vector<RandomState> random_states();
  static void set_random_states(const std::vector<RandomState>& states);
  void run();

  std::function<void()> again_;
  std::vector<RandomState> random_;  // empty: it is not preserved
  std::vector<Cast> casts_;
  std::vector<Value*> values_;  // in the order in which they were saved; null: nobody wants it any more
  bool running_ = false;
};

}  // namespace luth
