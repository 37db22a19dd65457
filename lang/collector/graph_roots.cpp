#include "lang/collector/graph_roots.h"

#include "core/autograd/autograd.h"
#include "core/dispatch/recompute.h"
#include "lang/runtime/box.h"

namespace luth::lang {

void GraphRoots::erase_dead() {
  std::erase_if(list, [](auto& weak) { return weak.expired(); });
}

GraphRoots& graph_roots(lua_State* L) {
  static char key;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  if (auto* roots = to_box<GraphRoots>(L, -1)) return lua_pop(L, 1), *roots;
  lua_pop(L, 1);
  open_box<GraphRoots>(L, "torch.graph_roots");
  lua_pushcfunction(L, destroy_box<GraphRoots>);
  lua_setfield(L, -2, "__gc");
  GraphRoots& roots = push_box<GraphRoots>(L, {});
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  lua_pop(L, 1);
  return roots;
}

void open_graph_roots(lua_State* L) { graph_roots(L); }

GraphRootRef new_graph_root(lua_State* L, int index) {
  auto root = std::make_shared<GraphRoot>();
  root->value = LuaRef(L, index);
  GraphRoots& roots = graph_roots(L);
  if (roots.list.size() == roots.list.capacity()) roots.erase_dead();
  roots.list.push_back(root);
  return root;
}

uint64_t GraphRoot::oldest() const {
  if (kind == Kind::node) return static_cast<const Node*>(owner)->sequence;
  if (kind == Kind::work) return static_cast<const Recompute*>(owner)->sequence;
  const auto& meta = static_cast<const TensorImpl*>(owner)->meta;
  return meta && meta->accumulator ? meta->accumulator->sequence : ~uint64_t(0);
}

}  // namespace luth::lang
