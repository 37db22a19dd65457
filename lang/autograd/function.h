// One application of a torch.autograd.Function, shared by its node (function.cpp) and the script's ctx
// (function_context.cpp).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/autograd/saved.h"
#include "lang/runtime/box.h"

namespace luth::lang {

/// The state of one application that its node and the script's ctx share.
struct Application {
  std::string name;
  Node* node = nullptr;      // null: nothing was recorded, or the graph was freed
  std::vector<Saved> saved;  // an empty one stands for nil
  bool freed = false;
  bool materialize = true;
};
using ApplicationRef = std::shared_ptr<Application>;

/// The user values of a ctx. The class is one of them, so that ctx is the node's only Lua value.
enum ContextValue : int { fields = 1, to_save, dirty, not_differentiable, of_class, context_values = of_class };

/// Whether fields of the ctx at `index` lead, through tables and upvalues, to results of nodes as new as `node` or
/// newer. Its own results may be among them, and would keep the node alive.
bool holds_results(lua_State* L, int index, const Node& node);

/// Makes the class of ctx known.
void open_context(lua_State* L);

}  // namespace luth::lang
