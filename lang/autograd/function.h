// One application of a torch.autograd.Function, shared by its node (function.cpp) and the script's ctx
// (function_context.cpp).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/autograd/saved.h"
#include "lang/runtime/box.h"

namespace luth::lang {

/// What one application keeps for its backward; its node and the script's ctx share it.
struct Application {
  std::string name;
  Node* node = nullptr;      // null: nothing was recorded, or the graph is gone
  std::vector<Saved> saved;  // an empty one stands for nil
  bool freed = false;
  bool materialize = true;
};
using ApplicationRef = std::shared_ptr<Application>;

/// The user values of a ctx. The class is one, so that the node holds nothing of Lua but its ctx.
enum ContextValue : int { fields = 1, to_save, dirty, not_differentiable, of_class, context_values = of_class };

/// Whether the ctx at `index` has fields that lead to results of nodes at least as new as `node`, and so perhaps to
/// those of its own: tensors, in tables and in what functions capture.
bool holds_results(lua_State* L, int index, const Node& node);

/// Makes the class of ctx known.
void open_context(lua_State* L);

}  // namespace luth::lang
