// Hooks on the gradients of a module's arguments and results. Internal to Module::call.
#pragma once
#include "core/nn/module.h"

namespace luth::nn {

/// One call of a module: puts a node of its own before its arguments and one behind its results, which see the
/// gradients pass and call the module's hooks. Does nothing for a module without such hooks, or where nothing is
/// recorded.
class BackwardHooks {
 public:
  explicit BackwardHooks(Module& module);
  /// Each replaces the tensors that require grad by others with the same memory.
  void watch_inputs(Values& in);
  void watch_results(Values& out);

 private:
  struct Passing;
  class Watch;
  std::shared_ptr<Passing> passing_;  // null: nothing to do
};

}  // namespace luth::nn
